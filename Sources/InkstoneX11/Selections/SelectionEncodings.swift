import CX11

/// The encodings of a claimed selection that were requested so far. Each is made once: any client may request it any number of times,
/// and a large text takes long to encode.
final class SelectionEncodings {
    typealias Encoded = (bytes: PasteboardItem.Bytes, type: Atom)

    private let item: PasteboardItem
    /// The bytes by the representation's index; nil for one that does not exist any more.
    private var made: [Int: PasteboardItem.Bytes?] = [:]
    /// The encoded text by target; nil for a target that the text cannot be encoded as.
    private var encoded: [Atom: Encoded?] = [:]

    init(_ item: PasteboardItem) { self.item = item }

    /// Returns the bytes of one of the item's representations, unconverted; nil if they do not exist any more.
    func bytes(at index: Int) -> PasteboardItem.Bytes? {
        if let known = made[index] { return known }
        let new = item.representations[index].make()
        made[index] = .some(new)
        return new
    }

    /// Encodes the text that `bytes(at:)` returned, as a target of text. Nil if it cannot be encoded so.
    func encode(_ text: PasteboardItem.Bytes, as target: Atom, _ display: Display) -> Encoded? {
        if let known = encoded[target] { return known }
        var new = SelectionText.encode(text, as: target, display)
        // TEXT has the same bytes as the target of the type that it comes as.
        if let type = new?.type, let same = encoded[type] { new = same }
        encoded[target] = .some(new)
        return new
    }

    /// Whether ``encode(_:as:_:)`` has no work for a target: it was requested before, or is UTF-8.
    func isEncoded(_ target: Atom, _ atoms: Atoms) -> Bool {
        encoded[target] != nil || !SelectionText.encodedTargets(atoms).contains(target)
    }
}

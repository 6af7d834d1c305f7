import CX11

/// What a claimed selection holds, in the types that were asked for so far. Each is made once, however often others ask for it: who
/// asks is any client, and a large text takes its time to encode.
final class SelectionEncodings {
    typealias Encoded = (bytes: PasteboardItem.Bytes, type: Atom)

    private let item: PasteboardItem
    /// By the representation's index. Nil for one that there is no more.
    private var made: [Int: PasteboardItem.Bytes?] = [:]
    /// By the target. Nil for one that the text cannot be encoded as.
    private var encoded: [Atom: Encoded?] = [:]

    init(_ item: PasteboardItem) { self.item = item }

    /// The bytes of one of the item's representations, as they are; nil if there are none any more.
    func bytes(at index: Int) -> PasteboardItem.Bytes? {
        if let known = made[index] { return known }
        let new = item.representations[index].make()
        made[index] = .some(new)
        return new
    }

    /// The text that `bytes(at:)` gave, as a target of text. Nil if it cannot be encoded so.
    func encode(_ text: PasteboardItem.Bytes, as target: Atom, _ display: Display) -> Encoded? {
        if let known = encoded[target] { return known }
        var new = SelectionText.encode(text, as: target, display)
        // TEXT is the same as the target of the type that it comes as.
        if let type = new?.type, let same = encoded[type] { new = same }
        encoded[target] = .some(new)
        return new
    }

    /// Whether ``encode(_:as:_:)`` has nothing to do for a target: it has been asked for, or is UTF-8.
    func isEncoded(_ target: Atom, _ atoms: Atoms) -> Bool {
        encoded[target] != nil || !SelectionText.encodedTargets(atoms).contains(target)
    }
}

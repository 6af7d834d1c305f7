import CX11

/// The types and encodings of an owned selection that were made so far. Each is made only once: any client may
/// request it any number of times, and encoding a large text takes long.
final class SelectionEncodings {
    typealias Encoded = (bytes: PasteboardItem.Bytes, type: Atom)

    private let item: PasteboardItem
    /// The bytes of each representation, by its index. Nil if the representation no longer exists.
    private var made: [Int: PasteboardItem.Bytes?] = [:]
    /// The encoded text for each target. Nil for a target in which the text cannot be encoded.
    private var encoded: [Atom: Encoded?] = [:]

    init(_ item: PasteboardItem) { self.item = item }

    /// Returns the bytes of the item's representation at an index, without conversion. Nil if the representation no
    /// longer exists.
    func bytes(at index: Int) -> PasteboardItem.Bytes? {
        if let known = made[index] { return known }
        let new = item.representations[index].make()
        made[index] = .some(new)
        return new
    }

    /// Encodes the text that ``bytes(at:)`` has returned, for a text target. Nil if it cannot be encoded that way.
    func encode(_ text: PasteboardItem.Bytes, as target: Atom, _ display: Display) -> Encoded? {
        if let known = encoded[target] { return known }
        var new = SelectionText.encode(text, as: target, display)
        // The result for TEXT has the type and bytes of another target. Use that target's copy if it was already
        // made.
        if let type = new?.type, let same = encoded[type] { new = same }
        encoded[target] = .some(new)
        return new
    }

    /// Whether ``encode(_:as:_:)`` is trivial for a target: the encoding was already made, or is UTF-8.
    func isEncoded(_ target: Atom, _ atoms: Atoms) -> Bool {
        encoded[target] != nil || !SelectionText.encodedTargets(atoms).contains(target)
    }
}

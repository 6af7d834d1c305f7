import InkstoneBase

/// The definitions of footnotes in a source, as in `[^1]: Text`. `MarkdownReader` treats them as text. md4c does not
/// know footnotes: it reads a footnote of a single word or address as the definition of a link. So md4c parses a copy
/// of the source in which a semicolon replaces the colon of each footnote.
struct MarkdownFootnotes {
    /// The source with the semicolons.
    private(set) var bytes: [UInt8]
    /// The offsets of the footnotes' labels, in order.
    private var starts: [Int] = []
    /// The offsets of the replaced colons, in order.
    private var colons: [Int] = []

    private static let (colon, semicolon): (UInt8, UInt8) = (0x3a, 0x3b)

    /// Finds the footnotes in a source after its front matter. Nil if it has none, as most sources. O(n).
    init?(_ source: UnsafeBufferPointer<UInt8>, behind front: Int) {
        bytes = []
        var start = source.startIndex + front
        while start < source.endIndex {
            let end = source[start...].firstIndex { $0 == 0xa || $0 == 0xd } ?? source.endIndex
            let line = source[start..<end]
            let label = MarkdownUnread.endOfMarks(line)
            if let place = Self.colonIndex(of: line[label...]) {
                starts.append(label)
                colons.append(place)
            }
            start = end + 1
        }
        guard !colons.isEmpty else { return nil }
        bytes = Array(source)
        for place in colons { bytes[place] = Self.semicolon }
    }

    /// Whether a footnote's label begins at an offset.
    func isStart(_ offset: Int) -> Bool {
        let index = starts.partitioningIndex { $0 >= offset }
        return index < starts.count && starts[index] == offset
    }

    /// Whether a colon was replaced in a range of ``bytes``.
    func isChanged(_ range: Range<Int>) -> Bool {
        let index = colons.partitioningIndex { $0 >= range.lowerBound }
        return index < colons.count && colons[index] < range.upperBound
    }

    /// Returns the byte of the original source at an offset: a colon where ``bytes`` has a semicolon in its place.
    func byte(at offset: Int) -> UInt8 { isChanged(offset..<offset + 1) ? Self.colon : bytes[offset] }

    /// Restores the colons in text of several lines that md4c has copied, such as the title of a link.
    static func restoreColons(in text: inout [UInt8]) {
        for start in text.indices.dropLast() where text[start] == 0xa {
            guard let place = colonIndex(of: text[(start + 1)...], as: semicolon) else { continue }
            text[place] = colon
        }
    }

    /// Whether a line begins with the label of a footnote, perhaps behind blanks.
    static func isDefinition(_ line: some RandomAccessCollection<UInt8>) -> Bool {
        colonIndex(of: line.drop { $0 == 0x20 }) != nil
    }

    /// Returns the index of the colon behind the label with which a text begins; nil if it begins with no footnote's
    /// label. A label has no blanks.
    private static func colonIndex<Text: RandomAccessCollection<UInt8>>(
        of text: Text, as colon: UInt8 = Self.colon
    ) -> Text.Index? {
        guard text.count > 4, text.first == 0x5b, text.dropFirst().first == 0x5e else { return nil }
        let name = text.dropFirst(2).prefix { $0 != 0x5d && $0 > 0x20 }
        let rest = text[name.endIndex...]
        guard !name.isEmpty, rest.first == 0x5d, rest.dropFirst().first == colon else { return nil }
        return text.index(after: name.endIndex)
    }
}

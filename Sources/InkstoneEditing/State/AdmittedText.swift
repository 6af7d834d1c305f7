import InkstoneBase
package import InkstoneText

/// A text in the form in which it is inserted into the document, made from a string, for example of an input method.
///
/// Where the string begins and ends like the text that it replaces, the old bytes of that text are kept. The string
/// has U+FFFD in place of bytes that are not valid UTF-8. An input method that returns the string unchanged would
/// otherwise destroy these bytes. If kept bytes would come together and form a character, they are not kept.
///
/// The other line ends of the string are converted to those of the document. They become CR LF where they would
/// otherwise be joined with an adjacent CR or LF. An empty text that would leave a CR and an LF adjacent becomes an
/// LF.
package struct AdmittedText {
    /// The text to insert into the document.
    package let content: Rope
    /// The line ends that are longer or shorter in ``content`` than in the given text, in order. `end` is the end
    /// of the line end in the given text, in UTF-16 units. `by` is the total difference in length up to there.
    private let shifts: [(end: Int, by: Int)]

    /// Creates a text from content that already has the form in which it can be inserted.
    init(asItIs content: Rope) { (self.content, shifts) = (content, []) }

    /// Creates the text that replaces a range of `text`. O(n) in the length of the given text. If the given text
    /// contains U+FFFD, or line ends that are to be converted, O(n) in the length of the range too.
    ///
    /// - Parameter newline: the line end to which those of the given text are converted; nil to leave them
    ///   unchanged.
    package init(_ given: String, replacing range: Range<UTF16Offset>, of text: Rope, newline: String?) {
        guard !given.isEmpty else {
            (content, shifts) = (Rope(text.keepingLineEndsApart("", replacing: range)), [])
            return
        }
        let hasLineEnds = newline != nil && given.utf8.contains { $0 == 0x0a || $0 == 0x0d }
        guard hasLineEnds || given.unicodeScalars.contains("\u{fffd}") else {
            (content, shifts) = (Rope(given), [])
            return
        }
        let bytes = text.byteRange(of: range)
        let range = text.utf16Offset(at: bytes.lowerBound)..<text.utf16Offset(at: bytes.upperBound)
        let (old, new) = (text.utf16(in: bytes), Array(given.utf16))
        var head = zip(old, new).prefix { $0 == $1 }.count
        while !Self.isEdge(head, of: old) || !Self.isEdge(head, of: new) { head -= 1 }
        let rest = zip(old.reversed(), new.reversed()).prefix(min(old.count, new.count) - head)
        var tail = rest.prefix { $0 == $1 }.count
        while !Self.isEdge(old.count - tail, of: old) || !Self.isEdge(new.count - tail, of: new) { tail -= 1 }
        var content = text.slice(range.lowerBound..<range.lowerBound + head)
        // A line end at the start or end of the inserted text must not be joined with a line end beside it.
        let before = text.unit(at: range.lowerBound + head - 1)
        let after = tail > 0 ? new[new.count - tail] : text.unit(at: range.upperBound)
        var (middle, shifts): ([UInt16], [(end: Int, by: Int)]) = ([], [])
        var at = head
        while at < new.count - tail {
            let isLineEnd = new[at] == 0x0a || new[at] == 0x0d
            let length = new[at] == 0x0d && at + 1 < new.count - tail && new[at + 1] == 0x0a ? 2 : 1
            if isLineEnd, let newline {
                let joins =
                    newline == "\n"
                    ? (middle.last ?? before) == 0x0d
                    : newline == "\r" && at + length == new.count - tail && after == 0x0a
                let own = joins ? "\r\n" : newline
                middle += own.utf16
                if own.utf16.count != length {
                    shifts.append((at + length, (shifts.last?.by ?? 0) + own.utf16.count - length))
                }
            } else {
                middle += new[at..<at + length]
            }
            at += length
        }
        content.append(Rope(String(decoding: middle, as: UTF16.self)))
        content.append(text.slice(range.upperBound - tail..<range.upperBound))
        // An unexpected length means that kept bytes from both sides have formed a character that is not in the given
        // text. Use the given text instead.
        if content.metrics.utf16 != new.count + (shifts.last?.by ?? 0) {
            content = Rope(String(decoding: new[..<head] + middle + new[(new.count - tail)...], as: UTF16.self))
        }
        (self.content, self.shifts) = (content, shifts)
    }

    /// Returns the offset in ``content`` for an offset in the given text, in UTF-16 units. O(log n) in the number
    /// of line ends.
    package func offset(_ given: UTF16Offset) -> UTF16Offset {
        let count = shifts.partitioningIndex { $0.end > given.value }
        return given + (count > 0 ? shifts[count - 1].by : 0)
    }

    /// Whether an offset is neither within a line end nor within a surrogate pair.
    private static func isEdge(_ offset: Int, of units: [UInt16]) -> Bool {
        guard offset > 0, offset < units.count else { return true }
        return !(units[offset - 1] == 0x0d && units[offset] == 0x0a) && !UTF16.isTrailSurrogate(units[offset])
    }
}

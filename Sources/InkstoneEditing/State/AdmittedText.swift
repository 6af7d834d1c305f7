import InkstoneBase
package import InkstoneText

/// A text given as a string, such as by an input method, as it will stand in the document.
///
/// The units at its start and end that the replaced range has as well keep the bytes of that range: a string has U+FFFD for bytes that are no
/// UTF-8, and a method that only knows the string would replace them. They are not kept where they would become a character together. The line
/// ends of the rest become the document's, or CR LF where they would be one with a CR before or an LF behind them.
package struct AdmittedText {
    /// The text for the document.
    package let content: Rope
    /// The ends of the line ends whose length differs from the given one, in UTF-16 units of the given text, in order, and the difference up to
    /// there.
    private let shifts: [(end: Int, by: Int)]

    /// Creates the text that replaces a range of `text`. O(n) in both lengths if it has line ends or U+FFFD, else in its own.
    ///
    /// - Parameter newline: the line end for those of the given text; nil to leave them.
    package init(_ given: String, replacing range: Range<UTF16Offset>, of text: Rope, newline: String?) {
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
        // Line ends that stand between others must not become one with them.
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
        // Kept bytes that now stand side by side may be a character together, which nobody gave.
        if content.metrics.utf16 != new.count + (shifts.last?.by ?? 0) {
            content = Rope(String(decoding: new[..<head] + middle + new[(new.count - tail)...], as: UTF16.self))
        }
        (self.content, self.shifts) = (content, shifts)
    }

    /// Returns the offset in the document's text for one in the given text, both from the start, in UTF-16 units. O(log n) in the line ends.
    package func offset(_ given: UTF16Offset) -> UTF16Offset {
        var (low, high) = (0, shifts.count)
        while low < high {
            let middle = (low + high) / 2
            if shifts[middle].end <= given.value { low = middle + 1 } else { high = middle }
        }
        return given + (low > 0 ? shifts[low - 1].by : 0)
    }

    /// Whether an offset lies neither within a line end nor within a surrogate pair.
    private static func isEdge(_ offset: Int, of units: [UInt16]) -> Bool {
        guard offset > 0, offset < units.count else { return true }
        return !(units[offset - 1] == 0x0d && units[offset] == 0x0a) && !UTF16.isTrailSurrogate(units[offset])
    }
}

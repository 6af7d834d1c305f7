import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// A paragraph of a text, with offsets in UTF-16 units.
struct Paragraph {
    var index: Int
    var start: Int
    /// End of the paragraph without its terminator.
    var contentEnd: Int
    /// End of the paragraph with its terminator; for the last paragraph, one unit after the end of the text.
    var end: Int
    var isLong: Bool { contentEnd - start > DocumentLayout.longParagraph }
    /// The paragraph's text without its terminator; empty if the paragraph is long.
    var units: [UInt16] = []

    /// Creates the description of the paragraph that holds a UTF-16 unit. O(log n).
    init(_ text: Rope, holding unit: Int) {
        let index = text.paragraphIndex(at: UTF16Offset(unit))
        self.init(text, index)
    }

    init(_ text: Rope, _ index: ParagraphIndex) {
        let (before, through) = text.metrics(around: index)
        let isLast = index.value + 1 >= text.paragraphCount
        self.index = index.value
        start = before.utf16
        end = isLast ? text.metrics.utf16 + 1 : through.utf16
        contentEnd = through.utf16
        if through.utf16 - before.utf16 <= DocumentLayout.longParagraph {
            units = text.utf16(in: ByteOffset(before.bytes)..<ByteOffset(through.bytes))
            if !isLast {
                let newline = text.metrics.newlines > 0 ? Self.newlineLength(units) : 0
                units.removeLast(newline)
                contentEnd -= newline
            }
        } else if !isLast {
            let last = ByteOffset(through.bytes - 3)..<ByteOffset(through.bytes)
            contentEnd -= Self.newlineLength(text.utf16(in: last))
            // The length with the newline was above the limit for long paragraphs. If the length without it is not,
            // read the paragraph's units after all.
            if !isLong { units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(contentEnd)) }
        }
    }

    /// Creates a paragraph that is known not to be long, from its start and end; for the last paragraph, `end` is
    /// one unit after the text. O(log n), and faster than searching for the newlines.
    init(_ text: Rope, _ index: ParagraphIndex, start: Int, end: Int) {
        self.index = index.value
        self.start = start
        self.end = end
        contentEnd = min(end, text.metrics.utf16)
        units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(contentEnd))
        if index.value + 1 < text.paragraphCount {
            let newline = Self.newlineLength(units)
            units.removeLast(newline)
            contentEnd -= newline
        }
    }

    /// Returns the length of the newline at the end of some UTF-16 units, which end in one: 2 for CR LF, else 1.
    private static func newlineLength(_ units: [UInt16]) -> Int {
        guard let last = units.last else { return 0 }
        return last == 0x0a && units.count > 1 && units[units.count - 2] == 0x0d ? 2 : 1
    }

    /// Returns the direction of the first strong character (UAX #9, P2 and P3), or left to right if there is none. Of
    /// a longer paragraph, only about the first 350,000 units are searched. Also returns the end of the UTF-16 units
    /// that were searched.
    func direction(in text: Rope) -> (direction: BidiBaseDirection, knownAt: Int) {
        var at = start
        var length = 64
        var isolates = 0
        while at < contentEnd, at - start < ParagraphLevels.wholeLimit {
            // A piece must not end within a surrogate pair, because a lone half counts as a left-to-right letter.
            let end = min(contentEnd, text.scalarBoundary(at + length))
            let found = text.utf16(in: UTF16Offset(at)..<UTF16Offset(end)).withUnsafeBufferPointer {
                BidiClasses.firstStrong($0, isolates: &isolates)
            }
            if let found { return (found.level == 0 ? .leftToRight : .rightToLeft, end) }
            at = end
            length *= 4
        }
        return (.leftToRight, at)
    }
}

extension Rope {
    /// Returns the start of the scalar that holds a UTF-16 unit: `unit`, or the unit before it if `unit` is the second
    /// half of a surrogate pair.
    func scalarBoundary(_ unit: Int) -> Int {
        guard unit > 0, unit < metrics.utf16 else { return unit }
        return utf16Offset(at: byteOffset(at: UTF16Offset(unit))).value
    }

    /// Returns the last grapheme cluster boundary at or before a UTF-16 unit; if that is not after `low`, the start of
    /// the unit's scalar.
    func graphemeBoundary(roundedDown unit: Int, notBefore low: Int) -> Int {
        let found = roundedDown(toGrapheme: UTF16Offset(unit)).value
        return found > low ? found : scalarBoundary(unit)
    }
}

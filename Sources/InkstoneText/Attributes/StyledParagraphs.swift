import InkstoneBase

/// A paragraph of a styled text with its runs.
package struct StyledParagraph: Sendable {
    /// A piece with one set of attributes; not empty.
    package struct Run: Sendable {
        /// The text of the run, with U+FFFD for each part that is not valid.
        package var text: String
        /// The attributes of the run.
        package var attributes: TextAttributes
    }

    /// The position of the paragraph.
    package var place: RopeParagraph
    /// The attributes of its first unit, which may be its newline; for an empty paragraph at the end, of the text's last unit.
    package var attributes: TextAttributes
    /// The runs of its text without the newline, in order.
    package var runs: [Run]
}

/// The paragraphs of a styled text in order: text and runs are visited once. O(n) in all.
package struct StyledParagraphs: Sequence, IteratorProtocol {
    private let rope: Rope
    private let ids: [(length: Int, id: AttributeID)]
    private var cursor: RopeParagraphCursor
    /// The run that holds the next unit, and the end of that run.
    private var (run, runEnd) = (0, 0)

    package init(_ text: StyledText) {
        rope = text.rope
        ids = text.runs?.idList ?? []
        cursor = RopeParagraphCursor(text.rope)
        runEnd = ids.first?.length ?? 0
    }

    /// Returns the next paragraph; nil after the last one, which may be empty.
    package mutating func next() -> StyledParagraph? {
        guard let place = cursor.next() else { return nil }
        move(to: place.utf16.lowerBound.value)
        var result = StyledParagraph(place: place, attributes: attributes, runs: [])
        let (start, end) = (place.utf16.lowerBound.value, place.utf16.upperBound.value)
        guard start < end else { return result }
        if ids.isEmpty || runEnd >= end {
            result.runs = [.init(text: rope.string(in: place.bytes), attributes: attributes)]
            return result
        }
        let bytes = rope.bytes(in: place.bytes)
        bytes.withUnsafeBufferPointer { buffer in
            guard let p = buffer.baseAddress else { return }
            var (byte, unit) = (0, start)
            while unit < end, byte < bytes.count {
                let stop = Swift.min(end, runEnd)
                let left = bytes.count - byte
                let length =
                    end - unit == left
                    ? stop - unit : UTF8Scan.index(p + byte, left, utf16: stop - unit, isValid: false)
                if length > 0 {
                    let piece = UnsafeBufferPointer(start: p + byte, count: length)
                    result.runs.append(.init(text: String(decoding: piece, as: UTF8.self), attributes: attributes))
                    unit += end - unit == left ? length : UTF8Scan.measure(p + byte, length).utf16
                    byte += length
                }
                guard stop < end else { break }
                move(to: stop)
            }
        }
        return result
    }

    private var attributes: TextAttributes { run < ids.count ? ids[run].id.attributes : TextAttributes() }

    /// Advances to the run that holds a unit; at the end of the text to the last one.
    private mutating func move(to unit: Int) {
        while runEnd <= unit, run + 1 < ids.count {
            run += 1
            runEnd += ids[run].length
        }
    }
}

extension StyledText {
    /// The paragraphs with their runs, in order.
    package var paragraphs: StyledParagraphs { StyledParagraphs(self) }
}

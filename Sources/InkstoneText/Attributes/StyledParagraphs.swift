import InkstoneBase

/// A paragraph of a styled text with its attribute runs.
package struct StyledParagraph: Sendable {
    /// A piece of a paragraph with one set of attributes; not empty.
    package struct Run: Sendable {
        /// The text of the run, with U+FFFD for each invalid sequence.
        package var text: String
        package var attributes: TextAttributes
    }

    /// The range of the paragraph in the text.
    package var place: RopeParagraph
    /// The attributes of the paragraph's first unit, which may be its newline. For an empty paragraph at the end of
    /// the text, those of the text's last unit.
    package var attributes: TextAttributes
    /// The runs of the paragraph's text without its newline, in order.
    package var runs: [Run]
}

/// The paragraphs of a styled text in order. Text and attribute runs are visited once. O(n) in all.
package struct StyledParagraphs: Sequence, IteratorProtocol {
    private let rope: Rope
    private let ids: [(length: Int, id: AttributeID)]
    private var cursor: RopeParagraphCursor
    /// The index of the run that contains the next unit, and the end of that run.
    private var (run, runEnd) = (0, 0)

    package init(_ text: StyledText) {
        rope = text.rope
        ids = text.runs?.idList ?? []
        cursor = RopeParagraphCursor(text.rope)
        runEnd = ids.first?.length ?? 0
    }

    /// Returns the next paragraph; nil after the last paragraph, which may be empty.
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

    /// Advances to the run that contains a UTF-16 unit; at the end of the text, to the last run.
    private mutating func move(to unit: Int) {
        while runEnd <= unit, run + 1 < ids.count {
            run += 1
            runEnd += ids[run].length
        }
    }
}

extension StyledText {
    /// The paragraphs of the text with their attribute runs, in order.
    package var paragraphs: StyledParagraphs { StyledParagraphs(self) }
}

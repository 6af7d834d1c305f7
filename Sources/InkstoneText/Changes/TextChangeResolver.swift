import InkstoneBase

/// A converter of ordered replacements to the sections of a change set. It computes their positions in all units.
/// Sections are widened or merged where an end would lie inside a CR LF or a scalar.
struct TextChangeResolver {
    /// The inserted text of a section.
    enum NewText {
        /// New text from `buffer`, given by its range there.
        case buffer(Range<Int>)
        case rope(Rope)
    }

    /// A section whose end is not final: the next replacement decides whether text after the section must be
    /// included.
    private struct Pending {
        var start: TextMetrics
        var end: TextMetrics
        var text: NewText
        /// Whether the new text before the section ends in CR or in an incomplete UTF-8 sequence. Only used while
        /// the section inserts no text.
        var isOpenBefore: Bool
        /// Whether the old text before the section's end ends in CR or in an incomplete UTF-8 sequence.
        var isOpenAtEnd: Bool
    }

    private let base: Rope
    private let buffer: [UInt8]
    private var cursor: RopePointCursor
    private var writer = TextChangeWriter()
    private var pending: Pending?

    init(_ base: Rope, _ buffer: [UInt8]) {
        self.base = base
        self.buffer = buffer
        cursor = RopePointCursor(base)
    }

    /// Adds a replacement that starts at or after the end of the last one.
    ///
    /// - Parameter isFollowed: whether the next replacement starts where this one ends.
    mutating func add(_ low: Int, _ high: Int, _ unit: TextPointUnit, _ new: NewText, isFollowed: Bool) {
        cursor.move(to: low, unit)
        var new = new
        var start = cursor.metrics
        let isOpen = cursor.isOpenEnded
        let joinsBefore = isOpen && (cursor.next.map(UTF8Scan.mayJoinLeft) ?? false)
        if var last = pending {
            widenEnd(of: &last, upTo: start.bytes)
            if last.end.bytes == start.bytes {
                let isOpenInNew = isEmpty(last.text) ? last.isOpenBefore : isOpenEnded(last.text)
                let joinsInNew = isOpenInNew && (firstByte(new).map(UTF8Scan.mayJoinLeft) ?? true)
                cursor.move(to: high, unit)
                if joinsBefore || joinsInNew {
                    last.end = cursor.metrics
                    last.text = joined(last.text, new)
                    last.isOpenAtEnd = cursor.isOpenEnded
                    pending = last
                } else {
                    write(last)
                    pending = Pending(
                        start: start, end: cursor.metrics, text: new, isOpenBefore: isOpenInNew,
                        isOpenAtEnd: cursor.isOpenEnded)
                }
                return
            }
            write(last)
        }
        cursor.move(to: high, unit)
        if isOpen {
            let joinsInNew: Bool
            if let first = firstByte(new) {
                joinsInNew = UTF8Scan.mayJoinLeft(first)
            } else {
                // The section inserts nothing. If another section follows it directly, that section's first
                // inserted byte is not known here: assume that it could combine with the text before.
                joinsInNew = isFollowed || (cursor.next.map(UTF8Scan.mayJoinLeft) ?? false)
            }
            if joinsBefore || joinsInNew {
                let end = ByteOffset(start.bytes)
                start = base.metrics(before: end - 1)
                new = joined(.rope(base.slice(ByteOffset(start.bytes)..<end)), new)
            }
        }
        pending = Pending(
            start: start, end: cursor.metrics, text: new, isOpenBefore: isOpen, isOpenAtEnd: cursor.isOpenEnded)
    }

    /// Ends the last section and returns the change set of all sections.
    mutating func finish() -> TextChangeSet {
        if var last = pending {
            widenEnd(of: &last, upTo: base.metrics.bytes)
            write(last)
            pending = nil
        }
        return writer.finish(length: TextPoint(base.metrics))
    }

    /// Widens a section by the text after it that would combine with its end: the LF of a CR LF, or continuation
    /// bytes of a scalar.
    private func widenEnd(of section: inout Pending, upTo limit: Int) {
        let start = section.end.bytes
        guard start < limit, section.isOpenAtEnd || isOpenEnded(section.text) else { return }
        var end = start
        while end < limit, end < start + 4, UTF8Scan.mayJoinLeft(base.byte(at: ByteOffset(end))) { end += 1 }
        guard end > start else { return }
        section.text = joined(section.text, .rope(base.slice(ByteOffset(start)..<ByteOffset(end))))
        section.end = base.metrics(before: ByteOffset(end))
    }

    private mutating func write(_ section: Pending) {
        if section.start.bytes < section.end.bytes {
            writer.removed.append(base, in: ByteOffset(section.start.bytes)..<ByteOffset(section.end.bytes))
        }
        switch section.text {
        case .buffer(let range):
            buffer.withUnsafeBytes { writer.inserted.append(UnsafeRawBufferPointer(rebasing: $0[range])) }
        case .rope(let rope): writer.inserted.append(rope)
        }
        writer.finishSection(at: TextPoint(section.start))
    }

    // MARK: Properties of new texts

    private func isEmpty(_ text: NewText) -> Bool {
        switch text {
        case .buffer(let range): range.isEmpty
        case .rope(let rope): rope.isEmpty
        }
    }

    private func firstByte(_ text: NewText) -> UInt8? {
        switch text {
        case .buffer(let range): range.first.map { buffer[$0] }
        case .rope(let rope): rope.isEmpty ? nil : rope.byte(at: 0)
        }
    }

    private func isOpenEnded(_ text: NewText) -> Bool {
        switch text {
        case .buffer(let range):
            buffer.withUnsafeBufferPointer {
                guard let base = $0.baseAddress else { return false }
                return UTF8Scan.isOpenEnded(base + range.lowerBound, range.count)
            }
        case .rope(let rope): rope.isOpenEnded
        }
    }

    private func joined(_ a: NewText, _ b: NewText) -> NewText {
        var whole = rope(a)
        whole.append(rope(b))
        return .rope(whole)
    }

    private func rope(_ text: NewText) -> Rope {
        switch text {
        case .buffer(let range): Rope(bytes: Array(buffer[range]))
        case .rope(let rope): rope
        }
    }
}

import InkstoneBase
import InkstoneText

/// Rewriting of a text by filters and by conversion of line ends. Text that is not rewritten keeps its attributes.
extension StyledText {
    var endsLine: Bool {
        rope.metrics.newlines > 0 && rope.utf16ContentRange(of: ParagraphIndex(rope.metrics.newlines)).isEmpty
    }

    /// The lines of the text, without their line ends. A line end at the end of the text is not followed by another
    /// line. O(n).
    var lines: [StyledText] {
        var lines: [StyledText] = []
        var start = 0
        forEachLineEnd { end in
            lines.append(slice(UTF16Offset(start)..<UTF16Offset(end.lowerBound)))
            start = end.upperBound
        }
        let length = rope.metrics.utf16
        if start < length || lines.isEmpty { lines.append(slice(UTF16Offset(start)..<UTF16Offset(length))) }
        return lines
    }

    /// Returns the text with each LF, CR LF and CR replaced by `newline`. O(n).
    func normalizingNewlines(to newline: String) -> StyledText {
        guard rope.metrics.newlines > 0, newline != "\n" || rope.contains(0x0d) else { return self }
        // Process the rope leaf by leaf: no other copy of a long text is made.
        var builder = RopeBuilder()
        var bytes: [UInt8] = []
        var last: UInt8 = 0
        rope.forEachChunk(in: rope.byteRange) { chunk, _ in
            bytes.removeAll(keepingCapacity: true)
            for byte in chunk {
                switch byte {
                case 0x0a where last == 0x0d: break
                case 0x0a, 0x0d: bytes += newline.utf8
                default: bytes.append(byte)
                }
                last = byte
            }
            bytes.withUnsafeBytes { builder.append($0) }
        }
        var ends: [(range: Range<Int>, length: Int)] = []
        if runs != nil { forEachLineEnd { ends.append(($0, newline.utf16.count)) } }
        return rewritten(as: builder.finish(), ends)
    }

    /// Returns the text with each invalid sequence of bytes replaced by U+FFFD, as which it is shown. O(n) if there is
    /// one, otherwise O(1).
    func replacingInvalidBytes() -> StyledText {
        // The replacement has the same length in UTF-16 units, so the attributes keep their ranges.
        rope.metrics.invalidParts == 0 ? self : rewritten(as: rope.replacingInvalidBytes(), [])
    }

    /// Returns the text with its lines joined into one: one space replaces each line end, or several in a row,
    /// except at the start and end of the text. O(n) if there is a line end.
    func joiningLines() -> StyledText {
        let all = rope.string(in: rope.byteRange)
        guard all.unicodeScalars.contains(where: \.isLineEnd) else { return self }
        var result = String.UnicodeScalarView()
        var parts: [(range: Range<Int>, length: Int)] = []
        var broken: Range<Int>?
        var at = 0
        for scalar in all.unicodeScalars {
            let end = at + scalar.utf16.count
            if scalar.isLineEnd {
                broken = (broken?.lowerBound ?? at)..<end
            } else {
                if let broken {
                    parts.append((broken, result.isEmpty ? 0 : 1))
                    if !result.isEmpty { result.append(" ") }
                }
                broken = nil
                result.append(scalar)
            }
            at = end
        }
        if let broken { parts.append((broken, 0)) }
        return rewritten(as: Rope(String(result)), parts)
    }

    /// Returns the text after a filter. Replaced text gets the attributes of the old text at the same position.
    /// O(n).
    func filtered(by filter: (String) -> String) -> StyledText {
        let all = rope.string(in: rope.byteRange)
        let taken = filter(all)
        if taken.hasSameScalars(as: all) { return self }
        guard runs != nil else { return StyledText(Rope(taken)) }
        let (old, new) = (Array(all.utf16), Array(taken.utf16))
        var parts: [(range: Range<Int>, length: Int)] = []
        var at = 0
        for unit in new {
            let start = at
            while at < old.count, old[at] != unit { at += 1 }
            if start < at { parts.append((start..<at, 0)) }
            at += 1
        }
        if at > old.count {
            // If the filter has not only removed text, treat all the text between the first and the last difference as
            // one replacement.
            let head = zip(old, new).prefix { $0 == $1 }.count
            let most = min(old.count, new.count) - head
            let tail = zip(old.reversed(), new.reversed()).prefix(most).prefix { $0 == $1 }.count
            parts = [(head..<old.count - tail, new.count - tail - head)]
        } else if at < old.count {
            parts.append((at..<old.count, 0))
        }
        return rewritten(as: Rope(taken), parts)
    }

    /// Calls `body` with the range of each LF, CR LF and CR, in UTF-16 units. O(n).
    private func forEachLineEnd(_ body: (Range<Int>) -> Void) {
        var at = 0
        var open: Int?
        for unit in rope.utf16(in: rope.utf16Range) {
            if let start = open {
                body(start..<(unit == 0x0a ? at + 1 : at))
                open = nil
                if unit == 0x0a {
                    at += 1
                    continue
                }
            }
            if unit == 0x0d { open = at } else if unit == 0x0a { body(at..<at + 1) }
            at += 1
        }
        if let start = open { body(start..<at) }
    }
}

extension Rope {
    /// Whether the rope contains a byte. O(n).
    fileprivate func contains(_ byte: UInt8) -> Bool {
        var isFound = false
        forEachChunk(in: byteRange) { chunk, stop in
            isFound = chunk.contains(byte)
            stop = isFound
        }
        return isFound
    }
}

extension Unicode.Scalar {
    /// Whether the scalar ends a line, by `Character.isNewline`.
    fileprivate var isLineEnd: Bool {
        switch value {
        case 0x0a...0x0d, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }
}

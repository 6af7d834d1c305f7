import InkstoneText

/// The source of an edited block, obtained by applying the edits of its texts to the old source. Everything that
/// was not edited stays as it was written.
struct MarkdownPatch {
    /// The position in the source at which text is inserted if marks of Markdown are between the text before and after
    /// it: right after the preceding text (`behind`), right before the following text (`before`), before the marks
    /// that begin a style (`ahead`), or after the marks that end a style (`outside`).
    enum Side: CaseIterable {
        case behind, before, ahead, outside

        /// Whether the inserted text belongs to the text before it.
        var isAfterText: Bool { self == .behind || self == .outside }
    }

    private let source: ArraySlice<UInt8>
    /// The texts of the old block in UTF-8, joined, with LF for soft breaks.
    private var text: [UInt8] = []
    /// For each byte of `text`, its offset in the source; -1 if the source does not contain it literally, for example
    /// if it is the text of an entity.
    private(set) var places: [Int] = []
    private let old: [[UInt8]]

    /// Creates a patch for a block.
    ///
    /// - Parameters:
    ///   - pieces: the byte ranges of the block's texts in the source, in order, as far as they are known.
    ///   - source: the block's part of the source.
    init(_ block: MarkdownBlock, _ pieces: ArraySlice<Range<Int>>, _ source: ArraySlice<UInt8>) {
        self.source = source
        old = block.texts
        // A soft break is the line end of the source, and none of its spaces.
        text = block.styledTexts.joined().flatMap { inline in
            inline.roles.contains(.softBreak) && inline.text.utf8.count == 1 ? [0xa] : Array(inline.text.utf8)
        }
        places = [Int](repeating: -1, count: text.count)
        var at = 0
        for piece in pieces {
            guard piece.lowerBound >= source.startIndex, piece.upperBound <= source.endIndex else { continue }
            // Blanks at the end of a line do not belong to the text.
            let end = source[piece].lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? piece.lowerBound
            for bytes in [source[piece], source[piece.lowerBound..<end]] where !bytes.isEmpty {
                // Search only nearby: there are only entities and line ends between two pieces. Accept a piece of only
                // blanks only at the present position, because it would match anywhere.
                let most = bytes.startIndex == end ? 0 : Self.mostBetween
                let last = min(text.count - bytes.count, at + most)
                guard at <= last,
                    let found = (at...last).first(where: { text[$0..<$0 + bytes.count].elementsEqual(bytes) })
                else { continue }
                for i in 0..<bytes.count { places[found + i] = piece.lowerBound + i }
                at = found + bytes.count
                break
            }
        }
    }

    /// The maximum number of bytes of the text between two successive pieces. A piece that is not found within this
    /// distance is skipped: its text counts as text that is not literally in the source.
    private static let mostBetween = 64

    /// Returns the source of a block that differs from the old one only in its texts. Nil if no text differs, if the
    /// numbers of texts differ, if an edited text is not in the source literally, or if the inserted text has
    /// characters that Markdown expresses by marks.
    func source(for block: MarkdownBlock, _ side: Side) -> [UInt8]? {
        let new = block.texts
        guard new.count == old.count else { return nil }
        var result: [UInt8] = []
        var done = source.startIndex
        var start = 0
        var kinds: [MarkdownText.Place?]?
        for (index, (before, after)) in zip(old, new).enumerated() {
            defer { start += before.count }
            guard before != after else { continue }
            var (range, text) = change(from: before, to: after, at: start, side)
            if text.contains(0x7c) {
                // In a cell, put a backslash before each bar. In a link, a picture or code, md4c does not need it, but
                // GitHub ends the cell at each bar without one.
                let known = kinds ?? block.textPlaces
                kinds = known
                if known[index] == .cell { text = ArraySlice(text.flatMap { $0 == 0x7c ? [0x5c, $0] : [$0] }) }
            }
            guard Self.isPlain(text), let place = place(of: range, in: start..<start + before.count, side),
                place.lowerBound >= done
            else { return nil }
            result += source[done..<place.lowerBound] + text
            done = place.upperBound
        }
        guard done > source.startIndex || !result.isEmpty else { return nil }
        return result + source[done...]
    }

    /// Returns the byte range of the source that corresponds to a range of one text; nil if the text is not in the
    /// source literally.
    private func place(of range: Range<Int>, in whole: Range<Int>, _ side: Side) -> Range<Int>? {
        let low = whole.lowerBound + range.lowerBound
        guard range.isEmpty else {
            let (first, last) = (places[low], places[low + range.count - 1])
            return first >= 0 && last - first == range.count - 1 ? first..<last + 1 : nil
        }
        let behind = low > whole.lowerBound ? places[low - 1] : -1
        let before = low < whole.upperBound ? places[low] : -1
        switch side {
        case .behind where behind >= 0: return behind + 1..<behind + 1
        case .outside where behind >= 0:
            let end = endOfMarks(behind: behind + 1)
            return end..<end
        case .before where before < 0, .ahead where before < 0: return behind >= 0 ? behind + 1..<behind + 1 : nil
        case .ahead:
            let start = startOfMarks(before: before)
            return start..<start
        default: return before >= 0 ? before..<before : nil
        }
    }

    /// Returns the start of the marks of styles and links that end at an offset of the source. Text of the block is not
    /// taken for marks.
    func startOfMarks(before end: Int) -> Int {
        var at = end
        while at > source.startIndex {
            switch source[at - 1] {
            case 0x2a, 0x5f, 0x60, 0x7e, 0x3c, 0x5b: break  // * _ ` ~ < [
            case 0x21 where at < end && source[at] == 0x5b: break  // ! of a picture
            default: return at
            }
            if Self.contains(places, at - 1) { return at }
            at -= 1
        }
        return at
    }

    /// Whether ascending offsets, among which there are negative numbers, contain an offset. O(log n) if few of them
    /// are negative.
    private static func contains(_ places: [Int], _ offset: Int) -> Bool {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            guard let known = places[low...middle].lastIndex(where: { $0 >= 0 }) else {
                low = middle + 1
                continue
            }
            if places[known] == offset { return true }
            if places[known] < offset { low = middle + 1 } else { high = known }
        }
        return false
    }

    /// Returns the end of the marks of styles and links that start at an offset of the source.
    func endOfMarks(behind start: Int) -> Int {
        var at = start
        while at < source.endIndex {
            switch source[at] {
            case 0x2a, 0x5f, 0x60, 0x7e, 0x3e: at += 1  // * _ ` ~ >
            case 0x5d:  // ]
                at += 1
                guard at < source.endIndex, source[at] == 0x28 || source[at] == 0x5b else { continue }
                let close: UInt8 = source[at] == 0x28 ? 0x29 : 0x5d
                guard let end = source[at...].firstIndex(where: { $0 == close || $0 == 0xa }), source[end] == close
                else { return at }
                at = end + 1
            default: return at
            }
        }
        return at
    }

    /// Returns the range of the first text that differs from the second text, and the part of the second text that
    /// replaces it. Both begin and end at scalar boundaries.
    private static func difference(_ old: [UInt8], _ new: [UInt8]) -> (Range<Int>, ArraySlice<UInt8>) {
        var low = 0
        while low < min(old.count, new.count), old[low] == new[low] { low += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > low, newEnd > low, old[oldEnd - 1] == new[newEnd - 1] {
            oldEnd -= 1
            newEnd -= 1
        }
        func splits(_ bytes: [UInt8], _ at: Int) -> Bool { at < bytes.count && bytes[at] & 0xc0 == 0x80 }
        while low > 0, splits(old, low) || splits(new, low) { low -= 1 }
        while splits(old, oldEnd) || splits(new, newEnd) {
            oldEnd += 1
            newEnd += 1
        }
        return (low..<oldEnd, new[low..<newEnd])
    }

    /// Returns the change from one text to another one: the range of the old text, and what replaces it.
    ///
    /// The text has a space for each line end of the source. If a word is typed before such a space, the texts,
    /// compared from the start, differ only after it, as if the word and a space were typed at the start of the next
    /// line. So a deletion, or an insertion that belongs to the text before it, is moved back to the nearest equivalent
    /// position whose place in the source is known.
    private func change(
        from old: [UInt8], to new: [UInt8], at start: Int, _ side: Side
    ) -> (Range<Int>, ArraySlice<UInt8>) {
        let (range, text) = Self.difference(old, new)
        guard range.isEmpty != text.isEmpty, text.isEmpty || side.isAfterText else { return (range, text) }
        let (longer, length) = (range.isEmpty ? new : old, range.count + text.count)
        var low = range.lowerBound
        while true {
            if longer[low] & 0xc0 != 0x80 {
                let moved = low..<low + range.count
                if text.isEmpty {
                    if place(of: moved, in: start..<start + old.count, side) != nil { return (moved, []) }
                } else if low > 0, places[start + low - 1] >= 0 {
                    return (moved, new[low..<low + length])
                }
            }
            guard low > 0, longer[low - 1] == longer[low - 1 + length] else { return (range, text) }
            low -= 1
        }
    }

    /// Whether a text has none of the characters that Markdown expresses by marks: control characters other than
    /// tabs, line separators and pictures.
    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
        let string = String(decoding: text, as: UTF8.self)
        return !string.unicodeScalars.contains { $0 < " " && $0 != "\t" || $0 == "\u{2028}" || $0 == "\u{fffc}" }
    }
}

extension MarkdownBlock {
    /// The texts of all paragraphs, headings, cells and lines of code or HTML in the block, in UTF-8 and in order.
    var texts: [[UInt8]] {
        switch self {
        case .paragraph(let inlines), .header(_, let inlines): [Array(inlines.map(\.text).joined().utf8)]
        case .code(_, let lines), .html(let lines): lines.map { Array($0.utf8) }
        case .thematicBreak: []
        case .table(_, let rows): rows.flatMap { $0.map { Array($0.map(\.text).joined().utf8) } }
        case .quote(let blocks): blocks.flatMap(\.texts)
        case .list(_, let items): items.flatMap { $0.blocks.flatMap(\.texts) }
        }
    }
}

/// The source of an edited block, obtained by applying the edits of its texts to the old source. Everything that
/// was not edited stays as it was written.
struct MarkdownPatch {
    /// The position in the source at which text is inserted if marks of Markdown are between the text before and after
    /// it: right after the preceding text (`behind`), right before the following text (`before`), or after the marks
    /// that end a style (`outside`).
    enum Side: CaseIterable { case behind, before, outside }

    private let source: ArraySlice<UInt8>
    /// The texts of the old block in UTF-8, joined.
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
        text = Array(old.joined())
        places = [Int](repeating: -1, count: text.count)
        var at = 0
        for piece in pieces {
            guard piece.lowerBound >= source.startIndex, piece.upperBound <= source.endIndex else { continue }
            // Blanks at the end of a line do not belong to the text.
            let end = source[piece].lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? piece.lowerBound
            for bytes in [source[piece], source[piece.lowerBound..<end]] where !bytes.isEmpty {
                // Between two pieces there are only entities and line ends, so search only nearby. A piece of only
                // blanks would match anywhere, so accept it only at the present position.
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

    private static let mostBetween = 64

    /// Returns the source of a block that differs from the old one only in its texts. Nil if the texts do not
    /// correspond, or if an edited text is not in the source literally.
    func source(for block: MarkdownBlock, _ side: Side) -> [UInt8]? {
        let new = block.texts
        guard new.count == old.count else { return nil }
        var result: [UInt8] = []
        var done = source.startIndex
        var start = 0
        for (before, after) in zip(old, new) {
            defer { start += before.count }
            guard before != after else { continue }
            let (range, text) = Self.difference(before, after)
            guard Self.isPlain(text), let place = place(of: range, in: start..<start + before.count, side),
                place.lowerBound >= done
            else { return nil }
            result += source[done..<place.lowerBound] + text
            done = place.upperBound
        }
        guard done > source.startIndex || !result.isEmpty else { return nil }
        return result + source[done...]
    }

    /// Returns the byte range of the source for a range of one text; nil if the text is not in the source
    /// literally.
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
        case .before where before < 0: return behind >= 0 ? behind + 1..<behind + 1 : nil
        default: return before >= 0 ? before..<before : nil
        }
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

    /// Whether a text has none of the characters that Markdown expresses by marks: control characters other than
    /// tabs, line separators and pictures.
    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
        let string = String(decoding: text, as: UTF8.self)
        return !string.unicodeScalars.contains { $0 < " " && $0 != "\t" || $0 == "\u{2028}" || $0 == "\u{fffc}" }
    }
}

extension MarkdownBlock {
    /// The texts of all paragraphs, cells and lines of code in the block, in UTF-8 and in order.
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

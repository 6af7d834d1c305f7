/// Edits of the source of a block that are those of its text: what was not edited stays as it is spelled.
struct MarkdownPatch {
    /// Places beside which a text may be put in: behind what is before it, or before what is behind it.
    enum Side: CaseIterable { case behind, before }

    private let source: ArraySlice<UInt8>
    /// The texts of the block as it was read, in UTF-8, one behind the other.
    private var text: [UInt8] = []
    /// For each byte of them its place in the source; -1 if it has none.
    private var places: [Int] = []
    private let old: [[UInt8]]

    /// The patch of a block.
    ///
    /// - Parameters:
    ///   - pieces: the places of its texts in the source, in order, as far as they are known.
    ///   - source: its part of the source.
    init(_ block: MarkdownBlock, _ pieces: [Range<Int>], _ source: ArraySlice<UInt8>) {
        self.source = source
        old = block.texts
        text = Array(old.joined())
        places = [Int](repeating: -1, count: text.count)
        var at = 0
        for piece in pieces {
            guard piece.lowerBound >= source.startIndex, piece.upperBound <= source.endIndex else { continue }
            let bytes = source[piece]
            // Only entities and line ends are between pieces.
            let last = min(text.count - bytes.count, at + Self.mostBetween)
            guard at <= last, let found = (at...last).first(where: { text[$0..<$0 + bytes.count].elementsEqual(bytes) })
            else { continue }
            for i in 0..<bytes.count { places[found + i] = piece.lowerBound + i }
            at = found + bytes.count
        }
    }

    private static let mostBetween = 64

    /// The source for a block with the same texts but for some edits; nil if an edit is not of text that stands in the source as it is read.
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

    /// The bytes of the source that are a range of one text.
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
        case .before where before < 0: return behind >= 0 ? behind + 1..<behind + 1 : nil
        default: return before >= 0 ? before..<before : nil
        }
    }

    /// The part of a text that is another one in a second text, and what stands there; both end between characters.
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

    /// Whether a text has no line ends and pictures, which Markdown says otherwise.
    private static func isPlain(_ text: ArraySlice<UInt8>) -> Bool {
        let string = String(decoding: text, as: UTF8.self)
        return !string.unicodeScalars.contains { $0 < " " || $0 == "\u{2028}" || $0 == "\u{fffc}" }
    }
}

extension MarkdownBlock {
    /// The texts in it, in UTF-8, in order: of each paragraph, cell and line of code.
    fileprivate var texts: [[UInt8]] {
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

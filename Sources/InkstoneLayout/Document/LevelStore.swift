import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Bidi embedding levels of the paragraphs that are laid out in several fragments. Each paragraph is resolved once;
/// edits then update only the levels that they affect.
struct LevelStore {
    /// Resolved paragraphs, most recently used last.
    private var known: [ParagraphLevels] = []

    /// The largest memory cost of the paragraphs kept (the sum of ``ParagraphLevels/memoryUnits``), and their
    /// largest number. The paragraph resolved last is kept even if it alone costs more.
    private static let limit = (units: 1 << 22, paragraphs: 256)

    /// Whether the levels of no paragraph are kept.
    var isEmpty: Bool { known.isEmpty }

    /// Returns whether a UTF-16 unit is in a paragraph whose levels are kept and that may have right-to-left text. Most
    /// scripts with joining letters run from right to left.
    func mayJoin(at unit: Int) -> Bool {
        known.contains { !$0.isPlain && $0.content.lowerBound <= unit && unit <= $0.content.upperBound }
    }

    /// Returns the bidi levels of UTF-16 units of a paragraph, for a base level. O(n) in the units once the paragraph
    /// is resolved.
    mutating func levels(_ units: Range<Int>, of paragraph: Paragraph, base: UInt8, in text: Rope) -> BidiParagraph {
        let content = paragraph.start..<paragraph.contentEnd
        if let index = known.lastIndex(where: { $0.content.lowerBound == content.lowerBound }) {
            let found = known[index]
            if found.content == content, found.base == base, found.covers(units) {
                if index + 1 < known.count { known.append(known.remove(at: index)) }
                return BidiParagraph(baseLevel: base, levels: found[units])
            }
            known.remove(at: index)
        }
        let made = ParagraphLevels(text, content, base: base, around: units)
        known.append(made)
        if known.count > 1 {
            var sum = known.reduce(0) { $0 + $1.memoryUnits }
            while known.count > 1, sum > Self.limit.units || known.count > Self.limit.paragraphs {
                sum -= known.removeFirst().memoryUnits
            }
        }
        return BidiParagraph(baseLevel: base, levels: made[units])
    }

    /// Applies a replacement. Returns the range of the new text, apart from the inserted text, whose levels changed
    /// or became unknown; nil if there is none.
    mutating func follow(_ edit: FollowedChange, from old: Rope, to new: Rope) -> Range<Int>? {
        var changed: Range<Int>?
        var isPlain = true
        var joins = false
        var touched = 0
        var i = 0
        while i < known.count {
            let content = known[i].content
            if edit.high < content.lowerBound {
                known[i].move(by: edit.delta)
            } else if content.upperBound >= edit.low {
                touched += 1
                if edit.newlines == 0, !edit.insertsNewline, edit.low >= content.lowerBound,
                    edit.high <= content.upperBound
                {
                    changed = known[i].follow(edit, from: old, to: new)
                } else {
                    // The edit joins or splits paragraphs: drop their levels, which are resolved anew when requested.
                    isPlain = isPlain && known[i].isPlain
                    joins = true
                    known.remove(at: i)
                    continue
                }
            }
            i += 1
        }
        if touched > 0, !joins { return changed }
        let first = Paragraph(new, holding: edit.low)
        let last = edit.insertedEnd < first.end ? first : Paragraph(new, holding: edit.insertedEnd)
        // If only short paragraphs are concerned, nothing else changes. A short paragraph is a single fragment,
        // which is laid out anew as a whole: its levels are not kept here.
        if !joins, !first.isLong, !last.isLong { return nil }
        for paragraph in [first, last] {
            let content = paragraph.start..<paragraph.contentEnd
            if isPlain, Self.isPlain(new, content, near: edit) { continue }
            let low = min(changed?.lowerBound ?? .max, content.lowerBound)
            changed = low..<max(changed?.upperBound ?? 0, content.upperBound)
        }
        return changed
    }

    /// Returns whether a paragraph has no right-to-left text near enough to an edit to affect levels there.
    private static func isPlain(_ text: Rope, _ content: Range<Int>, near edit: FollowedChange) -> Bool {
        if ParagraphLevels.isASCII(text, content) { return true }
        let reach = ParagraphLevels.wholeLimit
        let low = text.scalarBoundary(max(content.lowerBound, min(edit.low, content.upperBound) - reach))
        let high = text.scalarBoundary(min(content.upperBound, max(edit.insertedEnd, content.lowerBound) + reach))
        guard low < high else { return true }
        return text.utf16(in: UTF16Offset(low)..<UTF16Offset(high)).withUnsafeBufferPointer {
            !BidiParagraph.mayRunFromRight($0)
        }
    }
}

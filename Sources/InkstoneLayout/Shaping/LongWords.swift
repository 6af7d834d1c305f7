import CShaping

/// The long words shaped most recently, kept so that only a part of one is shaped anew when a key changes it.
///
/// Long words are those that ``WordCache`` does not keep: text without spaces, such as all text of some scripts.
final class LongWords {
    /// Largest length of a kept word, in units.
    static let longest = 1 << 14
    private static let capacity = 8
    /// Units between a change and the position from which known glyphs are reused. HarfBuzz reports where a text may be cut; its answer
    /// holds for the text that it was given, so the position must be far enough from the change.
    static let margin = 12
    /// Units next to that position that are shaped anew as well, and must give the same glyphs.
    static let overlap = 6

    private struct Word {
        var style: UInt64 = 0
        var units: [UInt16] = []
        /// The glyphs in logical order, with clusters relative to the word's start.
        var glyphs: [cshaping_glyph] = []
    }

    /// The part of a word to shape, in units of the word, and the glyphs of a known word to reuse before and after it.
    struct Part {
        var units: Range<Int>
        fileprivate var word: Int
        fileprivate var before: Int
        fileprivate var behind: Int
        /// Length of the word minus the length of the known one, in units.
        fileprivate var delta: Int
        /// Whether the whole word is known.
        var isKnown: Bool { units.isEmpty }
    }

    @exclusivity(unchecked) private var words: [Word] = []
    @exclusivity(unchecked) private var next = 0

    /// Removes all words.
    func removeAll() {
        words.removeAll()
        next = 0
    }

    /// Returns the part of a word to shape, if a similar word is known; nil if shaping the whole word is better. O(n).
    func part(of word: UnsafeBufferPointer<UInt16>, style: UInt64) -> Part? {
        var best: (word: Int, head: Int, tail: Int)?
        for index in words.indices where words[index].style == style {
            let (head, tail) = Self.shared(word, words[index].units)
            if head + tail > (best.map { $0.head + $0.tail } ?? 0) { best = (index, head, tail) }
        }
        guard let best else { return nil }
        let delta = word.count - words[best.word].units.count
        let glyphs = words[best.word].glyphs
        if delta == 0, best.head == word.count {
            return Part(units: 0..<0, word: best.word, before: glyphs.count, behind: glyphs.count, delta: 0)
        }
        guard !glyphs.isEmpty else { return nil }
        let part = glyphs.withUnsafeBufferPointer { glyphs in
            // The word's start is always a valid cut.
            var before = glyphs.count
            repeat {
                before -= 1
            } while before > 0
                && (Int(glyphs[before].cluster) > best.head - Self.margin || !Self.mayCut(glyphs, before))
            let low = before == 0 ? 0 : Int(glyphs[before].cluster)
            let last = word.count - delta - best.tail + Self.margin
            var behind = before
            while behind < glyphs.count, Int(glyphs[behind].cluster) < last || !Self.mayCut(glyphs, behind) {
                behind += 1
            }
            let high = behind == glyphs.count ? word.count : Int(glyphs[behind].cluster) + delta
            return Part(units: low..<max(low, high), word: best.word, before: before, behind: behind, delta: delta)
        }
        // For smaller savings the calls cost more than the glyphs.
        return part.units.count + 8 < word.count ? part : nil
    }

    /// Appends a word's glyphs to `out`, with clusters counted from `base`; `shape` appends those of its part. Returns false, with `out`
    /// unchanged, if the part's glyphs do not match the known ones at the seams.
    func append(
        _ part: Part, base: Int32, to out: inout GlyphBuffer, shape: (Range<Int>, inout GlyphBuffer) -> Void
    ) -> Bool {
        let first = out.count
        return words[part.word].glyphs.withUnsafeBufferPointer { known in
            out.append(UnsafeBufferPointer(rebasing: known[..<part.before]), movedBy: base)
            guard !part.isKnown else { return true }
            let seam = out.count
            shape(part.units, &out)
            let end = out.count
            if part.before > 0 {
                let limit = known[part.before].cluster + Int32(Self.overlap)
                var i = 0
                while part.before + i < known.count, known[part.before + i].cluster < limit {
                    guard seam + i < end, Self.isSame(out.glyph(at: seam + i), known[part.before + i], movedBy: base)
                    else { return out.drop(to: first) }
                    i += 1
                }
            }
            if part.behind < known.count {
                let limit = known[part.behind].cluster - Int32(Self.overlap)
                var i = 1
                while part.behind >= i, known[part.behind - i].cluster >= limit {
                    guard end - i >= seam,
                        Self.isSame(
                            out.glyph(at: end - i), known[part.behind - i], movedBy: base + Int32(part.delta))
                    else { return out.drop(to: first) }
                    i += 1
                }
            }
            out.append(UnsafeBufferPointer(rebasing: known[part.behind...]), movedBy: base + Int32(part.delta))
            return true
        }
    }

    /// Adds a word, replacing the one that it was derived from or the oldest; the clusters of its glyphs are counted from
    /// `base`.
    func insert(
        _ word: UnsafeBufferPointer<UInt16>, style: UInt64, glyphs: UnsafeBufferPointer<cshaping_glyph>, base: Int32,
        replacing part: Part?
    ) {
        guard word.count <= Self.longest, glyphs.count <= 4 * Self.longest else { return }
        var index = next
        if let part {
            if part.isKnown { return }
            index = part.word
        } else {
            if words.count < Self.capacity { words.append(Word()) }
            next = (next + 1) % Self.capacity
        }
        words[index].style = style
        words[index].units.removeAll(keepingCapacity: true)
        words[index].units.append(contentsOf: word)
        words[index].glyphs.removeAll(keepingCapacity: true)
        words[index].glyphs.append(contentsOf: glyphs)
        words[index].glyphs.withUnsafeMutableBufferPointer { for i in 0..<$0.count { $0[i].cluster &-= base } }
    }

    /// Returns whether a text may be cut before the glyph at an index: a cluster starts there, and the shapes on both sides are
    /// independent of each other.
    @inline(__always)
    private static func mayCut(_ glyphs: UnsafeBufferPointer<cshaping_glyph>, _ index: Int) -> Bool {
        glyphs[index].flags & 1 == 0 && (index == 0 || glyphs[index - 1].cluster != glyphs[index].cluster)
    }

    @inline(__always)
    private static func isSame(_ new: cshaping_glyph, _ known: cshaping_glyph, movedBy distance: Int32) -> Bool {
        new.glyph == known.glyph && new.advance == known.advance && new.dx == known.dx && new.dy == known.dy
            && new.cluster == known.cluster &+ distance
    }

    /// Returns the number of equal units at the starts of two words, and at the ends of the rest.
    private static func shared(_ a: UnsafeBufferPointer<UInt16>, _ units: [UInt16]) -> (head: Int, tail: Int) {
        units.withUnsafeBufferPointer { b in
            let count = min(a.count, b.count)
            var head = 0
            while head < count, a[head] == b[head] { head += 1 }
            var tail = 0
            while tail < count - head, a[a.count - 1 - tail] == b[b.count - 1 - tail] { tail += 1 }
            return (head, tail)
        }
    }
}

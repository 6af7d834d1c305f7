import CShaping

/// A cache of recently shaped long words. If a key changes a word, only a part of it is shaped anew.
///
/// Long words are those that ``WordCache`` does not keep: text without spaces, such as all text in some scripts.
final class LongWords {
    /// The largest length of a word that is kept, in units.
    static let longest = 1 << 14
    /// The number of words that are kept.
    private static let capacity = 8
    /// The smallest distance, in units, between a change and the glyphs that are reused. HarfBuzz reports where the
    /// text before the change could be cut. At this distance from the change, the new text can be cut there too.
    static let margin = 12
    /// The number of UTF-16 units at each end of the shaped part whose new glyphs must equal the old ones. Otherwise
    /// the old glyphs outside of the part are not reused.
    static let overlap = 6

    private struct Word {
        var style: UInt64 = 0
        var units: [UInt16] = []
        /// The glyphs in logical order; clusters are relative to the word's start.
        var glyphs: [cshaping_glyph] = []
    }

    /// The part of a word to shape, in units of the word. Before and after this part, the glyphs of a similar word
    /// in the cache are reused.
    struct Part {
        var units: Range<Int>
        fileprivate var word: Int
        fileprivate var before: Int
        fileprivate var behind: Int
        /// The length of the word minus the length of the similar word in the cache, in units.
        fileprivate var delta: Int
        /// Whether the cache has the word itself. Nothing then needs shaping.
        var isKnown: Bool { units.isEmpty }
    }

    @exclusivity(unchecked) private var words: [Word] = []
    @exclusivity(unchecked) private var next = 0

    func removeAll() {
        words.removeAll()
        next = 0
    }

    /// Returns the part of a word to shape, if the cache has a similar word; nil if it has none, or if shaping the
    /// whole word is faster. O(n).
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
            // Go back to a valid cut before the change; the word's start always is one.
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
        // If little is saved, the extra calls cost more than shaping the whole word.
        return part.units.count + 8 < word.count ? part : nil
    }

    /// Appends a word's glyphs to `out`, with clusters counted from `base`. The closure `shape` shapes the changed
    /// part. Returns false, and restores `out`, if new glyphs next to the cuts differ from the reused ones.
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

    /// Stores a word with its glyphs, whose clusters are counted from `base`. It replaces the cached word whose glyphs
    /// `part` reuses; if `part` is nil and the cache is full, it replaces the oldest word. Does nothing if the cache
    /// has the word itself, or if the word is too long or has too many glyphs.
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

    /// Returns whether the text may be cut before a glyph: a cluster starts at the glyph, and the shapes on either
    /// side are independent.
    @inline(__always)
    private static func mayCut(_ glyphs: UnsafeBufferPointer<cshaping_glyph>, _ index: Int) -> Bool {
        glyphs[index].flags & 1 == 0 && (index == 0 || glyphs[index - 1].cluster != glyphs[index].cluster)
    }

    @inline(__always)
    private static func isSame(_ new: cshaping_glyph, _ known: cshaping_glyph, movedBy distance: Int32) -> Bool {
        new.glyph == known.glyph && new.advance == known.advance && new.dx == known.dx && new.dy == known.dy
            && new.cluster == known.cluster &+ distance
    }

    /// Returns the number of equal units at the starts of two words, and at their ends.
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

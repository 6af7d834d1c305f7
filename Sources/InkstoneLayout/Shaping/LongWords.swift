import CShaping

/// The long words that were shaped last, to shape only a part of one anew when a key changes it.
///
/// Long are those that ``WordCache`` does not keep: text without spaces, as all of it is in some scripts.
final class LongWords {
    /// Words of at most this many units are kept.
    static let longest = 1 << 14
    private static let capacity = 8
    /// Units between a change and the place where the glyphs of the word before are taken over. HarfBuzz says at which places a
    /// text may be cut; what it says holds for the text that it saw, so the place has to be far enough from what is another now.
    static let margin = 12
    /// Units on the near side of that place that are shaped anew all the same, and have to come out as they were.
    static let overlap = 6

    private struct Word {
        var style: UInt64 = 0
        var units: [UInt16] = []
        /// In logical order, clusters counted from the word's start.
        var glyphs: [cshaping_glyph] = []
    }

    /// A part of a word that has to be shaped, in units of it, and what of a known word's glyphs stands before and behind it.
    struct Part {
        var units: Range<Int>
        fileprivate var word: Int
        fileprivate var before: Int
        fileprivate var behind: Int
        /// Units that the word has more than the known one.
        fileprivate var delta: Int
        /// Whether nothing has to be shaped.
        var isKnown: Bool { units.isEmpty }
    }

    @exclusivity(unchecked) private var words: [Word] = []
    @exclusivity(unchecked) private var next = 0

    /// Forgets all words.
    func removeAll() {
        words.removeAll()
        next = 0
    }

    /// What of a word has to be shaped, if a known one is much like it; nil if it is better shaped as a whole. O(n).
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
            // The start is a place to cut at.
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
        // Below that the calls cost more than the glyphs.
        return part.units.count + 8 < word.count ? part : nil
    }

    /// Appends a word's glyphs to `out`, with clusters counted from `base`; `shape` appends those of its part. False, with `out` as
    /// it was, if the part does not go together with the rest.
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

    /// Remembers a word, in place of the one that it grew from or of the oldest; the clusters of its glyphs are counted from
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

    /// Whether a text may be cut before the glyph at an index: a cluster starts there, and what is on one side of it does not
    /// depend on the other.
    @inline(__always)
    private static func mayCut(_ glyphs: UnsafeBufferPointer<cshaping_glyph>, _ index: Int) -> Bool {
        glyphs[index].flags & 1 == 0 && (index == 0 || glyphs[index - 1].cluster != glyphs[index].cluster)
    }

    @inline(__always)
    private static func isSame(_ new: cshaping_glyph, _ known: cshaping_glyph, movedBy distance: Int32) -> Bool {
        new.glyph == known.glyph && new.advance == known.advance && new.dx == known.dx && new.dy == known.dy
            && new.cluster == known.cluster &+ distance
    }

    /// How many units two words have in common at their starts, and how many of the rest at their ends.
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

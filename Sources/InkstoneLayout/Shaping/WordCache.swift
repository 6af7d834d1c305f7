import CShaping

/// Shapes of words by their text, so that a word that came before costs a look-up instead of a call of HarfBuzz.
///
/// Open addressing over flat buffers: no objects, no reference counting. When it is full it starts anew, which costs
/// less than keeping an order of use. At most ``capacity`` words of at most ``longest`` units.
final class WordCache {
    static let longest = 32
    private static let capacity = 8192
    private static let tableSize = 1 << 15

    private struct Entry {
        var hash: UInt64
        var style: UInt64
        var textStart: Int32
        var textCount: Int32
        var glyphStart: Int32
        var glyphCount: Int32
    }

    private var table = [Int32](repeating: -1, count: WordCache.tableSize)
    private var entries: [Entry] = []
    private var text: [UInt16] = []
    private var glyphs: [cshaping_glyph] = []
    /// How often a word was found and how often not, since the start.
    private(set) var hits = 0
    private(set) var misses = 0

    /// Forgets all words.
    func removeAll() {
        table.withUnsafeMutableBufferPointer { $0.update(repeating: -1) }
        entries.removeAll(keepingCapacity: true)
        text.removeAll(keepingCapacity: true)
        glyphs.removeAll(keepingCapacity: true)
    }

    private static func hash(_ word: UnsafeBufferPointer<UInt16>, _ style: UInt64) -> UInt64 {
        var hash = style &* 0x9e37_79b9_7f4a_7c15
        for unit in word { hash = (hash ^ UInt64(unit)) &* 0x0100_0000_01b3 }
        return hash ^ hash >> 29
    }

    /// Appends the glyphs of a word to `out`, their clusters moved on by `base`; false if the word is not known.
    func append(
        _ word: UnsafeBufferPointer<UInt16>, style: UInt64, base: Int32, to out: inout GlyphBuffer
    ) -> Bool {
        let hash = Self.hash(word, style)
        var slot = Int(truncatingIfNeeded: hash) & (Self.tableSize - 1)
        while true {
            let index = Int(table[slot])
            if index < 0 {
                misses += 1
                return false
            }
            let entry = entries[index]
            if entry.hash == hash, entry.style == style, Int(entry.textCount) == word.count, matches(entry, word) {
                glyphs.withUnsafeBufferPointer { all in
                    out.append(
                        UnsafeBufferPointer(
                            rebasing: all[Int(entry.glyphStart)..<Int(entry.glyphStart + entry.glyphCount)]),
                        base: base)
                }
                hits += 1
                return true
            }
            slot = (slot + 1) & (Self.tableSize - 1)
        }
    }

    private func matches(_ entry: Entry, _ word: UnsafeBufferPointer<UInt16>) -> Bool {
        text.withUnsafeBufferPointer { all in
            for i in 0..<word.count where all[Int(entry.textStart) + i] != word[i] { return false }
            return true
        }
    }

    /// Remembers a word; the clusters of its glyphs are counted from `base`.
    func insert(
        _ word: UnsafeBufferPointer<UInt16>, style: UInt64, glyphs shaped: UnsafeBufferPointer<cshaping_glyph>,
        base: Int32
    ) {
        if entries.count >= Self.capacity { removeAll() }
        let hash = Self.hash(word, style)
        var slot = Int(truncatingIfNeeded: hash) & (Self.tableSize - 1)
        while table[slot] >= 0 { slot = (slot + 1) & (Self.tableSize - 1) }
        table[slot] = Int32(entries.count)
        entries.append(
            Entry(
                hash: hash, style: style, textStart: Int32(text.count), textCount: Int32(word.count),
                glyphStart: Int32(glyphs.count), glyphCount: Int32(shaped.count)))
        text.append(contentsOf: word)
        for var glyph in shaped {
            glyph.cluster -= base
            glyphs.append(glyph)
        }
    }
}

/// Glyphs being collected in logical order, in memory that grows but is not counted by reference per glyph.
struct GlyphBuffer {
    private(set) var glyphs: [cshaping_glyph] = []

    var count: Int { glyphs.count }

    mutating func reserve(_ n: Int) { glyphs.reserveCapacity(n) }

    @inline(__always)
    mutating func append(_ glyph: cshaping_glyph) { glyphs.append(glyph) }

    /// Adds to the advance of a glyph that has one; marks without width stay where they are.
    mutating func widen(_ i: Int, by extra: Int32) {
        if glyphs[i].advance != 0 { glyphs[i].advance = max(0, glyphs[i].advance + extra) }
    }

    /// Appends glyphs in their order, clusters moved on by `base`.
    @inline(__always)
    mutating func append(_ more: UnsafeBufferPointer<cshaping_glyph>, base: Int32) {
        let first = glyphs.count
        glyphs.append(contentsOf: more)
        glyphs.withUnsafeMutableBufferPointer { all in
            for i in first..<all.count { all[i].cluster &+= base }
        }
    }
}

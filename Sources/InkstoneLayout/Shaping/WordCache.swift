import CShaping
import Glibc

/// A cache of the glyphs of short words. A repeated word then costs a lookup instead of a HarfBuzz call.
///
/// A hash table with open addressing in flat buffers, without objects and reference counting. A full cache is
/// cleared, which is cheaper than tracking the order of use. It holds up to ``capacity`` words, each of up to
/// ``longest`` units and ``mostGlyphs`` glyphs.
final class WordCache {
    /// The largest length of a word that is cached, in UTF-16 units.
    static let longest = 32
    /// The largest number of glyphs of a word that is kept. A font may produce thousands of glyphs for one unit.
    static let mostGlyphs = 256
    /// The largest number of words in the cache. When it is reached, the cache is cleared.
    private static let capacity = 8192
    /// The number of slots of the table; a power of two.
    private static let tableSize = 1 << 15

    private struct Entry {
        var hash: UInt64
        var style: UInt64
        var textStart: Int32
        var textCount: Int32
        var glyphStart: Int32
        var glyphCount: Int32
    }

    /// For each slot of the table, the index of its entry, or -1.
    private let table: UnsafeMutablePointer<Int32>
    private let entries: UnsafeMutablePointer<Entry>
    @exclusivity(unchecked) private var count = 0
    /// The text of all words, one after the other; `glyphs` contains the glyphs of all words in the same order.
    @exclusivity(unchecked) private var text: UnsafeMutablePointer<UInt16>
    @exclusivity(unchecked) private var textCapacity = 1 << 14
    @exclusivity(unchecked) private var textCount = 0
    @exclusivity(unchecked) private var glyphs = GlyphBuffer()

    init() {
        table = .allocate(capacity: Self.tableSize)
        table.initialize(repeating: -1, count: Self.tableSize)
        entries = .allocate(capacity: Self.capacity)
        text = .allocate(capacity: textCapacity)
    }

    deinit {
        table.deallocate()
        entries.deallocate()
        text.deallocate()
        glyphs.deallocate()
    }

    func removeAll() {
        table.update(repeating: -1, count: Self.tableSize)
        count = 0
        textCount = 0
        glyphs.removeAll()
    }

    @inline(__always)
    private static func hash(_ word: UnsafeBufferPointer<UInt16>, _ style: UInt64) -> UInt64 {
        // Hash four units at a time. The last group may overlap the one before it; words of fewer than four units are
        // padded.
        let bytes = UnsafeRawPointer(word.baseAddress).unsafelyUnwrapped
        let n = word.count
        var hash = (style &* 0x9e37_79b9_7f4a_7c15) ^ UInt64(truncatingIfNeeded: n)
        if n >= 4 {
            var i = 0
            while i + 4 < n {
                hash = mixed(hash ^ bytes.loadUnaligned(fromByteOffset: 2 * i, as: UInt64.self))
                i += 4
            }
            return mixed(hash ^ bytes.loadUnaligned(fromByteOffset: 2 * (n - 4), as: UInt64.self))
        }
        var last: UInt64 = 0
        for unit in word { last = last << 16 | UInt64(unit) }
        return mixed(hash ^ last)
    }

    @inline(__always)
    private static func mixed(_ value: UInt64) -> UInt64 {
        let product = value &* 0xff51_afd7_ed55_8ccd
        return product ^ product >> 32
    }

    /// Appends the glyphs of a word to `out`, with clusters shifted by `base`. Returns false if the word is not
    /// cached.
    func append(
        _ word: UnsafeBufferPointer<UInt16>, style: UInt64, base: Int32, to out: inout GlyphBuffer
    ) -> Bool {
        guard !word.isEmpty else { return true }
        let place = find(word, style: style, Self.hash(word, style))
        guard place.index >= 0 else { return false }
        let entry = entries + place.index
        out.append(
            glyphs.part(from: Int(entry.pointee.glyphStart), count: Int(entry.pointee.glyphCount)), movedBy: base)
        return true
    }

    func contains(_ word: UnsafeBufferPointer<UInt16>, style: UInt64) -> Bool {
        find(word, style: style, Self.hash(word, style)).index >= 0
    }

    /// Returns the slot of a word and its entry's index. If the word is not cached, the index is -1 and the slot is
    /// the one to insert it at.
    @inline(__always)
    private func find(_ word: UnsafeBufferPointer<UInt16>, style: UInt64, _ hash: UInt64) -> (slot: Int, index: Int) {
        let (table, entries, text) = (table, entries, text)
        var slot = Int(truncatingIfNeeded: hash) & (Self.tableSize - 1)
        while true {
            let index = Int(table[slot])
            if index < 0 { return (slot, -1) }
            let entry = entries + index
            if entry.pointee.hash == hash, entry.pointee.style == style, Int(entry.pointee.textCount) == word.count,
                let units = word.baseAddress,
                memcmp(text + Int(entry.pointee.textStart), units, 2 * word.count) == 0
            {
                return (slot, index)
            }
            slot = (slot + 1) & (Self.tableSize - 1)
        }
    }

    /// Caches a word, unless it is cached already or has too many glyphs. A full cache is emptied first. The
    /// glyphs' clusters are counted from `base`.
    func insert(
        _ word: UnsafeBufferPointer<UInt16>, style: UInt64, glyphs shaped: UnsafeBufferPointer<cshaping_glyph>,
        base: Int32
    ) {
        guard let units = word.baseAddress, shaped.count <= Self.mostGlyphs else { return }
        if count >= Self.capacity { removeAll() }
        let hash = Self.hash(word, style)
        let place = find(word, style: style, hash)
        if place.index >= 0 { return }
        table[place.slot] = Int32(count)
        (entries + count).initialize(
            to: Entry(
                hash: hash, style: style, textStart: Int32(textCount), textCount: Int32(word.count),
                glyphStart: Int32(glyphs.count), glyphCount: Int32(shaped.count)))
        count += 1
        if textCount + word.count > textCapacity {
            let larger = UnsafeMutablePointer<UInt16>.allocate(capacity: 2 * textCapacity)
            larger.initialize(from: text, count: textCount)
            text.deallocate()
            text = larger
            textCapacity *= 2
        }
        (text + textCount).initialize(from: units, count: word.count)
        textCount += word.count
        glyphs.append(shaped, movedBy: -base)
    }
}

/// A growing buffer of glyphs in logical order. Copies share its memory, so only one copy may be used and
/// deallocated.
struct GlyphBuffer {
    private var glyphs: UnsafeMutablePointer<cshaping_glyph>
    private var capacity: Int
    private(set) var count = 0

    init() {
        capacity = 1024
        glyphs = .allocate(capacity: capacity)
    }

    func deallocate() { glyphs.deallocate() }

    mutating func removeAll() { count = 0 }

    /// Ensures capacity for `n` more glyphs.
    @inline(__always)
    private mutating func makeRoom(_ n: Int) {
        if count + n > capacity { grow(n) }
    }

    @inline(never)
    private mutating func grow(_ n: Int) {
        let larger = UnsafeMutablePointer<cshaping_glyph>.allocate(capacity: 2 * (count + n))
        larger.initialize(from: glyphs, count: count)
        glyphs.deallocate()
        glyphs = larger
        capacity = 2 * (count + n)
    }

    /// A copy of all glyphs.
    var array: [cshaping_glyph] { Array(part(from: 0, count: count)) }

    /// Returns `count` glyphs from an index on. The buffer pointer is valid until the next change.
    @inline(__always)
    func part(from start: Int, count: Int) -> UnsafeBufferPointer<cshaping_glyph> {
        UnsafeBufferPointer(start: glyphs + start, count: count)
    }

    /// Returns the text unit (cluster) of a glyph.
    @inline(__always)
    func cluster(at index: Int) -> Int32 { glyphs[index].cluster }

    @inline(__always)
    func glyph(at index: Int) -> cshaping_glyph { glyphs[index] }

    /// Removes all but the first `count` glyphs. Always returns false, so that a caller can restore the buffer and
    /// report its own failure in one statement.
    mutating func drop(to count: Int) -> Bool {
        self.count = count
        return false
    }

    @inline(__always)
    mutating func append(_ glyph: cshaping_glyph) {
        makeRoom(1)
        (glyphs + count).initialize(to: glyph)
        count += 1
    }

    /// Appends a glyph at the pen position, with an advance in 26.6 pixels.
    @inline(__always)
    mutating func append(_ glyph: UInt32, cluster: Int, advance: Int32) {
        append(cshaping_glyph(glyph: glyph, cluster: Int32(cluster), advance: advance, dx: 0, dy: 0, flags: 0))
    }

    /// Appends `n` glyphs; `fill` must initialize all of them.
    @inline(__always)
    mutating func append(_ n: Int, _ fill: (UnsafeMutablePointer<cshaping_glyph>) -> Void) {
        makeRoom(n)
        fill(glyphs + count)
        count += n
    }

    /// Appends glyphs in their order, with clusters shifted by `distance`.
    @inline(__always)
    mutating func append(_ more: UnsafeBufferPointer<cshaping_glyph>, movedBy distance: Int32) {
        makeRoom(more.count)
        let to = glyphs + count
        for i in 0..<more.count {
            var glyph = more[i]
            glyph.cluster &+= distance
            (to + i).initialize(to: glyph)
        }
        count += more.count
    }

    /// Adds letter spacing after each grapheme cluster from the glyph `first` on, by widening the cluster's last
    /// glyph that has an advance.
    ///
    /// - Parameters:
    ///   - end: the text unit after the last glyph.
    ///   - graphemes: the starts of grapheme clusters; nil if each unit is one.
    mutating func space(from first: Int, to end: Int, by extra: Int32, rtl: Bool, _ graphemes: GraphemeStarts?) {
        var start = first
        for i in first..<count {
            let next = i + 1 < count ? Int(glyphs[i + 1].cluster) : end
            guard next != Int(glyphs[i].cluster), graphemes?.contains(next) ?? true else { continue }
            widen(start...i, by: extra, rtl: rtl)
            start = i + 1
        }
    }

    /// Widens the last glyph in a cluster that has an advance. Offsets of marks are relative to the pen after that
    /// glyph, and are adjusted so that the marks stay where they are. In right-to-left runs, the glyph itself is moved
    /// too.
    private mutating func widen(_ cluster: ClosedRange<Int>, by extra: Int32, rtl: Bool) {
        guard let wide = cluster.last(where: { glyphs[$0].advance != 0 }) else { return }
        let change = max(0, glyphs[wide].advance + extra) - glyphs[wide].advance
        glyphs[wide].advance += change
        if rtl {
            for i in wide...cluster.upperBound { glyphs[i].dx &+= change }
        } else {
            for i in wide + 1..<cluster.upperBound + 1 { glyphs[i].dx &-= change }
        }
    }

    /// The largest width of all glyphs together, in 26.6 pixels. With the tabs of one line and a container's
    /// padding added, all positions and distances on a line then fit 32 bits.
    private static let widest: Int32 = 1 << 29

    /// Sum of the magnitudes of all advances, in 26.6 pixels.
    var extent: Int { (0..<count).reduce(0) { $0 + Int(glyphs[$1].advance.magnitude) } }

    /// Narrows the widest glyphs until the extent is at most ``widest``. Only some thousand glyphs of a font of
    /// some thousand pixels exceed it. O(n) for more than some hundred glyphs.
    mutating func keepNarrow() {
        // Return early if there are so few glyphs that they fit whatever their width.
        guard count > Int(Self.widest) / ((((1 << 15) + 1000) * 64)) else { return }
        guard extent > Int(Self.widest) else { return }
        let most = Self.widest / Int32(clamping: count)
        for i in 0..<count { glyphs[i].advance = min(max(-most, glyphs[i].advance), most) }
    }
}

import InkstoneBase
import InkstoneUnicode

/// A search for a string that ignores case and the way in which characters are composed: canonical caseless
/// matching (Unicode D145). Matches are whole grapheme clusters: an e does not match an e with an acute, whichever
/// way the latter is encoded.
///
/// The text is read as a stream of folded scalars. A scalar that marks may follow is held back until the next
/// starter, because marks are compared in canonical order.
struct FoldedSearch {
    private let needle: [UInt32]
    /// For each length of a matched part of the needle: the length of the part that still matches after a mismatch
    /// (Knuth–Morris–Pratt). So no text is read twice.
    private let fallback: [Int]
    /// For each byte value, whether a scalar whose UTF-8 begins with that byte may fold to the needle's first
    /// scalar.
    private let mayStart: [Bool]
    private let wholeWords: Bool
    /// The largest number of bytes of a match. Each scalar of the text, of up to four bytes, folds to at least one
    /// scalar of the needle.
    var longestMatch: Int { 4 * needle.count }
    /// The number of bytes on either side of a match that may decide whether the match consists of whole clusters.
    /// For example, in a row of flags, regional indicators pair up from the row's start.
    static let context = 256

    /// Creates a search for a pattern. Nil for a pattern that begins with a combining mark: no cluster begins with a
    /// mark, so such a pattern needs another search.
    init?(_ pattern: String, wholeWords: Bool = false) {
        self.wholeWords = wholeWords
        var segment = Segment()
        var needle: [UInt32] = []
        for (index, scalar) in pattern.unicodeScalars.enumerated() {
            let folding = CanonicalFolding(scalar.value)
            guard index > 0 || UnicodeData.isCertainGraphemeBoundary("a", scalar) else { return nil }
            if folding.isStarter { segment.close { needle.append($0.scalar) } }
            segment.append(folding, 0..<0, isASCII: false)
        }
        segment.close { needle.append($0.scalar) }
        guard let first = needle.first else { return nil }
        var fallback = [0]
        var k = 0
        for i in needle.indices.dropFirst() {
            while k > 0, needle[i] != needle[k] { k = fallback[k - 1] }
            if needle[i] == needle[k] { k += 1 }
            fallback.append(k)
        }
        self.needle = needle
        self.fallback = fallback
        var mayStart = (0...255).map { $0 < 0x80 && CanonicalFolding(UInt32($0)).scalars.0 == first }
        if needle.allSatisfy({ $0 < 0x80 }) {
            for scalar in Self.foldedToASCII where CanonicalFolding(scalar.value).scalars.0 == first {
                mayStart[Int(UTF8.encode(scalar)?.first ?? 0)] = true
            }
        } else if (0x4e00...0x9fff).contains(first), let scalar = Unicode.Scalar(first) {
            // The first scalar of the needle is an ideograph. Apart from that scalar itself, only compatibility
            // ideographs, from U+F900 and U+2F800 on, fold to it.
            for byte in [UTF8.encode(scalar)?.first ?? 0, 0xef, 0xf0] { mayStart[Int(byte)] = true }
        } else {
            for byte in 0xc2...0xf4 { mayStart[byte] = true }
        }
        self.mayStart = mayStart
    }

    /// All scalars outside of ASCII that fold to ASCII only: a needle of ASCII can match them.
    static let foldedToASCII: [Unicode.Scalar] = [
        "\u{df}", "\u{17f}", "\u{37e}", "\u{1e9e}", "\u{1fef}", "\u{212a}", "\u{fb00}", "\u{fb01}", "\u{fb02}",
        "\u{fb03}", "\u{fb04}", "\u{fb05}", "\u{fb06}",
    ]

    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, isCancelled: () -> Bool, _ body: (TextMatch, inout Bool) -> Void
    ) {
        var position = range.lowerBound.value
        var segment = Segment()
        var progress = Progress(count: needle.count)
        var foldings = FoldingCache()
        var untilAsked = 32
        var isStopped = false
        let first = needle[0]

        /// Processes the next folded scalar of the text. If `isCertain`, a cluster boundary is known to follow it.
        @inline(__always)
        func take(_ folded: Segment.Scalar, isCertain: Bool) {
            guard let found = progress.advance(by: folded, needle, fallback) else { return }
            let start = ByteOffset(found.start), end = ByteOffset(folded.end)
            if folded.end >= 0, found.isWhole, found.isASCII || text.isClusterEdge(start),
                isCertain || text.isClusterEdge(end), !wholeWords || text.isAtWordEdges(start..<end)
            {
                progress.matched = 0
                body(TextMatch(range: start..<end), &isStopped)
            } else {
                // Continue with the part of the needle that still matches, because another match may overlap the
                // rejected one.
                progress.matched = fallback[progress.matched - 1]
            }
        }
        func close() {
            segment.close { if !isStopped { take($0, isCertain: false) } }
        }

        text.forEachChunk(in: range) { chunk, stop in
            untilAsked -= 1
            if untilAsked == 0 {
                untilAsked = 32
                if isCancelled() {
                    (stop, isStopped) = (true, true)
                    return
                }
            }
            guard let base = chunk.baseAddress else { return }
            let p = base.assumingMemoryBound(to: UInt8.self)
            let n = chunk.count
            var i = 0
            while i < n {
                if progress.matched == 0, segment.isEmpty {
                    mayStart.withUnsafeBufferPointer { mayStart in
                        while i < n, !mayStart[Int(p[i])] { i += 1 }
                    }
                    if i == n { break }
                }
                let byte = p[i]
                if byte < 0x80 {
                    close()
                    let at = position + i
                    let scalar = UInt32(byte) &- 0x41 < 26 ? UInt32(byte) | 0x20 : UInt32(byte)
                    let folded = Segment.Scalar(scalar: scalar, start: at, end: at + 1, isFirst: true, isASCII: true)
                    if i + 1 < n, p[i + 1] < 0x80 {
                        if !isStopped { take(folded, isCertain: true) }
                    } else if progress.matched > 0 || scalar == first {
                        segment.append(folded)
                    }
                    i += 1
                } else {
                    let part = UTF8Scan.part(p, i, n)
                    let at = position + i
                    i += part.length
                    // Invalid bytes read as a scalar that no pattern contains.
                    let scalar = part.isValid ? UTF8Scan.scalar(p, i - part.length, part) : .max
                    let folding = foldings[scalar]
                    if folding.isStarter || segment.isFull { close() }
                    if progress.matched > 0 || !segment.isEmpty || folding.scalars.0 == first {
                        segment.append(folding, at..<at + part.length, isASCII: false)
                    }
                }
                if isStopped {
                    stop = true
                    return
                }
            }
            position += n
        }
        if !isStopped { close() }
    }

    /// The progress of the search: how many of the needle's scalars are matched by the scalars read last.
    private struct Progress {
        var matched = 0
        /// The starts of the scalars read last, in a ring as long as the needle: for finding the start of a match.
        private var starts: [(start: Int, isWhole: Bool, isASCII: Bool)]
        private var next = 0

        init(count: Int) { starts = Array(repeating: (0, false, false), count: count) }

        /// Processes the next scalar of the text; returns the start of the match if the scalar completes one.
        @inline(__always)
        mutating func advance(
            by folded: Segment.Scalar, _ needle: [UInt32], _ fallback: [Int]
        ) -> (start: Int, isWhole: Bool, isASCII: Bool)? {
            starts[next] = (folded.start, folded.isFirst, folded.isASCII)
            next = next + 1 == starts.count ? 0 : next + 1
            while matched > 0, folded.scalar != needle[matched] { matched = fallback[matched - 1] }
            if folded.scalar == needle[matched] { matched += 1 }
            return matched == needle.count ? starts[next] : nil
        }
    }
}

/// A starter with the marks up to the next starter, folded: a segment is compared in canonical order.
private struct Segment {
    struct Scalar {
        var scalar: UInt32
        /// The start in the text of the scalar from which this one is folded.
        var start: Int
        /// The end of the segment, in the segment's last scalar; -1 in other scalars.
        var end: Int
        /// Whether this is the first of the scalars to which a scalar of the text folds.
        var isFirst: Bool
        var isASCII: Bool
    }

    private var scalars: [Scalar] = []
    private var end = 0
    var isEmpty: Bool { scalars.isEmpty }
    /// Whether the segment has at least 256 scalars, more than real text has between two starters. It is then closed:
    /// its marks are not sorted together with later ones.
    var isFull: Bool { scalars.count >= 256 }

    mutating func append(_ folding: CanonicalFolding, _ range: Range<Int>, isASCII: Bool) {
        for index in 0..<folding.count {
            scalars.append(
                Scalar(
                    scalar: folding[index], start: range.lowerBound, end: -1, isFirst: index == 0, isASCII: isASCII))
        }
        end = range.upperBound
    }

    mutating func append(_ scalar: Scalar) {
        scalars.append(scalar)
        scalars[scalars.count - 1].end = -1
        end = scalar.end
    }

    /// Passes the segment's scalars to `body` in canonical order, and empties the segment.
    mutating func close(_ body: (Scalar) -> Void) {
        guard !scalars.isEmpty else { return }
        if scalars.count > 1 { sort() }
        scalars[scalars.count - 1].end = end
        for scalar in scalars { body(scalar) }
        scalars.removeAll(keepingCapacity: true)
    }

    /// Sorts each run of marks by their combining classes; marks of one class keep their order (UAX #15).
    private mutating func sort() {
        for index in scalars.indices.dropFirst() {
            let moved = scalars[index]
            let order = UnicodeData.combiningClass(moved.scalar)
            guard order != 0 else { continue }
            var place = index
            while place > 0, UnicodeData.combiningClass(scalars[place - 1].scalar) > order {
                scalars[place] = scalars[place - 1]
                place -= 1
            }
            scalars[place] = moved
        }
    }
}

/// A cache of the foldings of scalars, because each call of ICU takes a tenth of a microsecond.
private struct FoldingCache {
    private var entries: [(scalar: UInt32, folding: CanonicalFolding)] = []
    /// Number of entries; a power of two. A scalar replaces the one that has the same remainder.
    private static let size = 512

    subscript(scalar: UInt32) -> CanonicalFolding {
        mutating get {
            if entries.isEmpty { entries = Array(repeating: (0, CanonicalFolding(0)), count: Self.size) }
            let place = Int(scalar) & (Self.size - 1)
            if entries[place].scalar != scalar { entries[place] = (scalar, CanonicalFolding(scalar)) }
            return entries[place].folding
        }
    }
}

extension Rope {
    /// Whether a grapheme cluster begins at an offset between scalars, or the text ends there. ASCII counts as a
    /// cluster start without further checks, even the LF of a CR LF.
    func isClusterEdge(_ offset: ByteOffset) -> Bool {
        guard offset > 0, offset < byteRange.upperBound, byte(at: offset) >= 0x80 else { return true }
        let near = bytes(in: max(0, offset - 4)..<min(byteRange.upperBound, offset + 4))
        let middle = min(offset.value, 4)
        let isCertain = near.withUnsafeBufferPointer { buffer -> Bool in
            guard let p = buffer.baseAddress else { return true }
            let start = UTF8Scan.partStart(p, middle - 1, middle)
            let (before, after) = (UTF8Scan.part(p, start, middle), UTF8Scan.part(p, middle, near.count))
            guard before.isValid, after.isValid else { return true }
            guard let first = Unicode.Scalar(UTF8Scan.scalar(p, start, before)),
                let second = Unicode.Scalar(UTF8Scan.scalar(p, middle, after))
            else { return true }
            return UnicodeData.isCertainGraphemeBoundary(first, second)
        }
        if isCertain { return true }
        let place = utf16Offset(at: offset)
        return roundedDown(toGrapheme: place) == place
    }
}

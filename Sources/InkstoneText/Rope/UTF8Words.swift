/// Counting in valid UTF-8, eight bytes at a time: what conversions of offsets spend their time with.
///
/// Plain arithmetic on words, because the compiler vectorises loops over several counters only by luck.
enum UTF8Words {
    typealias Bytes = UnsafePointer<UInt8>

    private static let high: UInt64 = 0x8080_8080_8080_8080

    /// The eight bytes at `i`; those from `n` on are 0, which counts as nothing but a scalar.
    @inline(__always)
    private static func word(_ p: Bytes, _ i: Int, _ n: Int) -> UInt64 {
        if i + 8 <= n {
            return UInt64(littleEndian: UnsafeRawPointer(p).loadUnaligned(fromByteOffset: i, as: UInt64.self))
        }
        var word: UInt64 = 0
        for j in i..<n { word |= UInt64(p[j]) << UInt64(8 * (j - i)) }
        return word
    }

    /// 1 in each byte that equals `byte`.
    @inline(__always)
    private static func equal(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let difference = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return (~(((difference & ~high) &+ ~high) | difference) & high) >> 7
    }

    /// 1 in each byte that continues a scalar.
    @inline(__always)
    private static func trailing(_ word: UInt64) -> UInt64 { (word & high & ~(word << 1)) >> 7 }

    /// 1 in each byte that starts a scalar beyond U+FFFF.
    @inline(__always)
    private static func astral(_ word: UInt64) -> UInt64 {
        (word & high & (word << 1) & (word << 2) & (word << 3)) >> 7
    }

    /// The sum of the eight bytes.
    @inline(__always)
    private static func sum(_ lanes: UInt64) -> Int {
        // Pairs first, so that none overflows.
        let pairs = (lanes & 0x00ff_00ff_00ff_00ff) &+ (lanes >> 8 & 0x00ff_00ff_00ff_00ff)
        return Int((pairs &* 0x0001_0001_0001_0001) >> 48)
    }

    /// The lengths of `n` valid bytes.
    static func measure(_ p: Bytes, _ n: Int) -> TextMetrics {
        var lf = 0
        var cr = 0
        var trailing = 0
        var astral = 0
        var separators = 0
        var i = 0
        while i < n {
            // 248 additions cannot overflow a byte.
            let end = min(i + 8 * 248, n)
            var lanes: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
            while i < end {
                let word = word(p, i, n)
                lanes.0 &+= equal(word, 0x0a)
                lanes.1 &+= equal(word, 0x0d)
                if word & high != 0 {
                    lanes.2 &+= Self.trailing(word)
                    lanes.3 &+= Self.astral(word)
                    lanes.4 &+= equal(word, 0xe2)
                }
                i += 8
            }
            lf += sum(lanes.0)
            cr += sum(lanes.1)
            trailing += sum(lanes.2)
            astral += sum(lanes.3)
            separators += sum(lanes.4)
        }
        var newlines = lf + cr
        if cr > 0, lf > 0 {
            for j in 0..<(n - 1) where p[j] == 0x0d && p[j + 1] == 0x0a { newlines -= 1 }
        }
        if separators > 0, n > 2 {
            for j in 0..<(n - 2) where p[j] == 0xe2 && p[j + 1] == 0x80 && p[j + 2] & 0xfe == 0xa8 { newlines += 1 }
        }
        return TextMetrics(
            bytes: n, scalars: n - trailing, utf16: n - trailing + astral, newlines: newlines, invalidParts: 0)
    }

    /// A byte from which to look for UTF-16 unit `target`, and the units before it: at most some bytes too early.
    static func skip(_ p: Bytes, _ n: Int, utf16 target: Int) -> (byte: Int, units: Int) {
        var i = 0
        var units = 0
        while i + 8 <= n {
            let word = word(p, i, n)
            let count = word & high == 0 ? 8 : 8 &- sum(trailing(word)) &+ sum(astral(word))
            if units &+ count >= target { break }
            units &+= count
            i &+= 8
        }
        // The rest of a scalar that the last word began is counted already.
        while i < n, UTF8Scan.isContinuation(p[i]) { i += 1 }
        return (i, units)
    }

    /// A byte from which to look for scalar `target`, and the scalars before it: at most some bytes too early.
    static func skip(_ p: Bytes, _ n: Int, scalars target: Int) -> (byte: Int, scalars: Int) {
        var i = 0
        var scalars = 0
        while i + 8 <= n {
            let word = word(p, i, n)
            let count = word & high == 0 ? 8 : 8 &- sum(trailing(word))
            if scalars &+ count >= target { break }
            scalars &+= count
            i &+= 8
        }
        while i < n, UTF8Scan.isContinuation(p[i]) { i += 1 }
        return (i, scalars)
    }

    /// A byte from which to look for the `target`-th newline, and the newlines before it.
    static func skip(_ p: Bytes, _ n: Int, newlines target: Int) -> (byte: Int, newlines: Int) {
        var i = 0
        var newlines = 0
        while i + 8 <= n {
            let word = word(p, i, n)
            // Other newlines than LF are looked for byte by byte.
            if equal(word, 0x0d) | equal(word, 0xe2) != 0 { break }
            let found = equal(word, 0x0a)
            if found != 0 {
                let count = sum(found)
                if newlines + count >= target { break }
                newlines += count
            }
            i += 8
        }
        return (i, newlines)
    }
}

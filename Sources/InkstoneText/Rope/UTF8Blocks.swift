/// Counting of UTF-16 units, scalars and newlines in UTF-8, sixteen bytes at a time: the inner loop of conversions
/// of offsets.
///
/// Written with vectors, because the compiler rarely vectorises loops over several counters.
enum UTF8Blocks {
    typealias Bytes = UnsafePointer<UInt8>
    private typealias Block = SIMD16<UInt8>

    /// Number of bytes of a block.
    private static let width = 16
    /// Number of bytes that are read to count the newlines of a block: one more than the block has, to detect a CR
    /// without LF.
    private static let reach = width + 1
    /// The largest number of blocks that can be counted in one byte for each lane without an overflow.
    private static let most = 255
    /// Number of blocks that a search skips at once.
    private static let stride = 8

    @inline(__always)
    private static func block(_ p: Bytes, _ i: Int) -> Block {
        UnsafeRawPointer(p).loadUnaligned(fromByteOffset: i, as: Block.self)
    }

    /// Returns a block with all bits set in each byte for which a comparison holds.
    @inline(__always)
    private static func bits(_ mask: SIMDMask<SIMD16<Int8>>) -> Block { unsafeBitCast(mask, to: Block.self) }

    /// Returns a block with all bits set in each byte that is smaller than `limit`, as a signed number: 80…FF are
    /// negative.
    @inline(__always)
    private static func less(_ block: Block, _ limit: Int8) -> Block {
        bits(unsafeBitCast(block, to: SIMD16<Int8>.self) .< SIMD16(repeating: limit))
    }

    @inline(__always)
    private static func equal(_ block: Block, _ byte: UInt8) -> Block { bits(block .== Block(repeating: byte)) }

    /// Returns a block with all bits set in each continuation byte: 80…BF.
    @inline(__always)
    private static func trailing(_ block: Block) -> Block { less(block, -0x40) }

    /// Returns a block with all bits set in each byte that starts a scalar beyond U+FFFF: F0…FF.
    @inline(__always)
    private static func astral(_ block: Block) -> Block { less(block, 0) & ~less(block, -0x10) }

    /// Returns a block with all bits set for each of the sixteen bytes at `i` that is LF or a CR without LF. Reads
    /// ``reach`` bytes.
    @inline(__always)
    private static func newlines(_ p: Bytes, _ i: Int) -> Block {
        let bytes = block(p, i)
        return equal(bytes, 0x0a) | (equal(bytes, 0x0d) & ~equal(block(p, i + 1), 0x0a))
    }

    /// Returns the sum of the sixteen bytes of a block.
    @inline(__always)
    private static func sum(_ lanes: Block) -> Int {
        let halves = unsafeBitCast(lanes, to: SIMD2<UInt64>.self)
        // Add neighbouring bytes first, to sums of 16 bits, so that no sum overflows.
        func pairs(_ half: UInt64) -> UInt64 { (half & 0x00ff_00ff_00ff_00ff) &+ (half >> 8 & 0x00ff_00ff_00ff_00ff) }
        return Int(((pairs(halves[0]) &+ pairs(halves[1])) &* 0x0001_0001_0001_0001) >> 48)
    }

    /// Counts for each of the sixteen lanes of a block, one byte a lane: newlines, continuation bytes, and first bytes
    /// of scalars beyond U+FFFF.
    private struct Lanes {
        var newlines = Block.zero
        var trailing = Block.zero
        var astral = Block.zero

        @inline(__always)
        mutating func add(_ p: Bytes, _ i: Int) {
            let bytes = block(p, i)
            // A byte with all bits set is -1, so subtracting it adds one.
            newlines &-= UTF8Blocks.newlines(p, i)
            trailing &-= UTF8Blocks.trailing(bytes)
            astral &-= UTF8Blocks.astral(bytes)
        }
    }

    /// The counts of ``Lanes``, summed over all lanes.
    private struct Counts {
        var newlines = 0
        var trailing = 0
        var astral = 0

        @inline(__always)
        mutating func add(_ lanes: Lanes) {
            newlines += sum(lanes.newlines)
            trailing += sum(lanes.trailing)
            astral += sum(lanes.astral)
        }
    }

    /// Returns the length, in all units, of `n` bytes of valid UTF-8.
    static func measure(_ p: Bytes, _ n: Int) -> TextMetrics {
        var counts = Counts()
        var i = 0
        while i + reach <= n {
            let end = min(n, i + most * width)
            var lanes = Lanes()
            repeat {
                lanes.add(p, i)
                i += width
            } while i + reach <= end
            counts.add(lanes)
        }
        // Count the rest, at most 16 bytes, padded with zeros, which add to no count.
        var rest = SIMD64<UInt8>.zero
        withUnsafeMutableBytes(of: &rest) { rest in
            rest.copyMemory(from: UnsafeRawBufferPointer(start: p + i, count: n - i))
            guard let start = rest.baseAddress else { return }
            let p = Bytes(start.assumingMemoryBound(to: UInt8.self))
            var lanes = Lanes()
            lanes.add(p, 0)
            lanes.add(p, width)
            counts.add(lanes)
        }
        let scalars = n - counts.trailing
        return TextMetrics(
            bytes: n, scalars: scalars, utf16: scalars + counts.astral, newlines: counts.newlines, invalidParts: 0)
    }

    /// Returns the number of newlines in `n` bytes of ASCII.
    static func newlines(inASCII p: Bytes, _ n: Int) -> Int {
        var count = 0
        var i = 0
        while i < n {
            guard i + width < n else {
                while i < n {
                    if p[i] == 0x0a || p[i] == 0x0d && (i + 1 == n || p[i + 1] != 0x0a) { count += 1 }
                    i += 1
                }
                break
            }
            let end = min(n, i + most * width)
            var lanes = Block.zero
            repeat {
                lanes &-= newlines(p, i)
                i += width
            } while i + width < end
            count += sum(lanes)
        }
        return count
    }

    /// Returns the offset of a byte shortly before UTF-16 unit `target` of `n` bytes of valid UTF-8, and the number
    /// of units before that byte.
    static func skip(_ p: Bytes, _ n: Int, utf16 target: Int) -> (byte: Int, units: Int) {
        skip(p, n, target) { bytes, _, _ in Block(repeating: 1) &+ trailing(bytes) &- astral(bytes) }
    }

    /// Returns the offset of a byte shortly before scalar `target` of `n` bytes of valid UTF-8, and the number of
    /// scalars before that byte.
    static func skip(_ p: Bytes, _ n: Int, scalars target: Int) -> (byte: Int, scalars: Int) {
        skip(p, n, target) { bytes, _, _ in Block(repeating: 1) &+ trailing(bytes) }
    }

    /// Returns the offset of a byte shortly before the `target`-th newline, and the number of newlines before that
    /// byte. The bytes need not be valid UTF-8.
    static func skip(_ p: Bytes, _ n: Int, newlines target: Int) -> (byte: Int, newlines: Int) {
        skip(p, n, target) { _, p, i in Block.zero &- newlines(p, i) }
    }

    /// Skips blocks as long as the sum of the counts that `count` returns for their bytes stays below `target`.
    /// Returns the offset reached and the sum.
    @inline(__always)
    private static func skip(
        _ p: Bytes, _ n: Int, _ target: Int, _ count: (Block, Bytes, Int) -> Block
    ) -> (Int, Int) {
        var at = (byte: 0, total: 0)
        skip(by: stride, p, n, target, &at, count)
        skip(by: 1, p, n, target, &at, count)
        // Skip the rest of a scalar that began in the last block, because the scalar is counted already.
        while at.byte < n, UTF8Scan.isContinuation(p[at.byte]) { at.byte += 1 }
        return at
    }

    @inline(__always)
    private static func skip(
        by blocks: Int, _ p: Bytes, _ n: Int, _ target: Int, _ at: inout (byte: Int, total: Int),
        _ count: (Block, Bytes, Int) -> Block
    ) {
        while at.byte + blocks * width + 1 <= n {
            var lanes = Block.zero
            for k in 0..<blocks {
                let i = at.byte + k * width
                lanes &+= count(block(p, i), p, i)
            }
            let found = sum(lanes)
            if at.total + found >= target { break }
            at.total += found
            at.byte += blocks * width
        }
    }
}

import InkstoneBase

extension Rope {
    /// Calls `body` with the bytes of a range, leaf by leaf, in order. The bytes are not copied; they are valid
    /// during the call only.
    ///
    /// Setting the second argument of `body` to true stops. No piece ends inside a scalar or a CR LF, unless the
    /// range itself does. O(log n) to start.
    @inlinable
    public func forEachChunk<Failure: Error>(
        in range: Range<ByteOffset>, _ body: (UnsafeRawBufferPointer, inout Bool) throws(Failure) -> Void
    ) throws(Failure) {
        var reader = RopeChunkReader(self, range)
        var stop = false
        while !stop, let chunk = reader.next() { try body(chunk, &stop) }
    }

    /// Returns the byte at an offset inside the text. Traps at the end of the text and beyond it. O(log n).
    public func byte(at offset: ByteOffset) -> UInt8 {
        precondition(offset.value >= 0 && offset.value < metrics.bytes, "byte \(offset) of \(metrics.bytes)")
        return withLeaf(at: offset.value) { $0[offset.value - $1] }
    }

    /// Calls `body` with the bytes of the leaf that contains byte `offset`, clamped to the text, and the leaf's
    /// start in bytes. Cheaper than a ``RopeLeafCursor`` if one leaf is enough. O(log n).
    @inline(__always)
    func withLeaf<Result>(at offset: Int, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Result) -> Result {
        withExtendedLifetime(root) {
            var node = Unmanaged.passUnretained(root)
            var (start, count) = (0, metrics.bytes)
            for _ in 0..<root.height {
                node = node._withUnsafeGuaranteedRef { node in
                    let children = node.children
                    let last = node.count - 1
                    var i = 0
                    while i < last, start &+ children[i].metrics.bytes <= offset {
                        start &+= children[i].metrics.bytes
                        i &+= 1
                    }
                    count = children[i].metrics.bytes
                    return Unmanaged.passUnretained(children[i].node)
                }
            }
            return body(UnsafeBufferPointer(start: node._withUnsafeGuaranteedRef { $0.bytes }, count: count), start)
        }
    }

    /// Returns the bytes of a range, unchanged. O(log n + m) for m bytes.
    public func bytes(in range: Range<ByteOffset>) -> [UInt8] {
        let range = range.clamped(into: byteRange)
        return [UInt8](unsafeUninitializedCapacity: range.length()) { buffer, count in
            forEachChunk(in: range) { chunk, _ in
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
                    .copyMemory(from: chunk)
                count += chunk.count
            }
        }
    }

    /// Returns the text of a range as a string, with U+FFFD for each invalid sequence. O(log n + m) for m bytes.
    public func string(in range: Range<ByteOffset>) -> String {
        let range = range.clamped(into: byteRange)
        return withLeaf(at: range.lowerBound.value) { leaf, leafStart -> String? in
            let start = range.lowerBound.value - leafStart
            guard start + range.length() <= leaf.count else { return nil }
            return String(
                decoding: UnsafeBufferPointer(rebasing: leaf[start..<(start + range.length())]), as: UTF8.self)
        } ?? String(decoding: bytes(in: range), as: UTF8.self)
    }

    /// Returns the text of a range as a string, with U+FFFD for each invalid sequence. O(log n + m) for m bytes.
    public func string(in range: Range<UTF16Offset>) -> String { string(in: byteRange(of: range)) }

    /// Returns the UTF-16 units of a range. An end inside a surrogate pair means the pair's start. O(log n + m) for
    /// m units.
    public func utf16(in range: Range<UTF16Offset>) -> [UInt16] {
        utf16(in: byteRange(of: range))
    }

    /// Returns the UTF-16 units of a range of bytes, with U+FFFD for each invalid sequence. O(log n + m) for m
    /// bytes.
    public func utf16(in range: Range<ByteOffset>) -> [UInt16] {
        let range = range.clamped(into: byteRange)
        // A buffer of one unit for each byte is large enough, because no sequence of UTF-8 has fewer bytes than its
        // scalar has UTF-16 units.
        return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: range.length()) { units in
            guard var to = units.baseAddress else { return [] }
            let start = to
            forEachChunk(in: range) { chunk, _ in
                guard let base = chunk.baseAddress else { return }
                let p = base.assumingMemoryBound(to: UInt8.self)
                let n = chunk.count
                var i = 0
                while i < n {
                    // Convert ASCII eight bytes at a time.
                    while i + 8 <= n {
                        let word = UnsafeRawPointer(p).loadUnaligned(fromByteOffset: i, as: SIMD8<UInt8>.self)
                        guard unsafeBitCast(word, to: UInt64.self) & 0x8080_8080_8080_8080 == 0 else { break }
                        UnsafeMutableRawPointer(to).storeBytes(
                            of: SIMD8<UInt16>(truncatingIfNeeded: word), as: SIMD8<UInt16>.self)
                        to += 8
                        i += 8
                    }
                    if i == n { break }
                    let part = UTF8Scan.part(p, i, n)
                    let scalar = UTF8Scan.scalar(p, i, part)
                    if scalar < 0x10000 {
                        to.initialize(to: UInt16(truncatingIfNeeded: scalar))
                        to += 1
                    } else {
                        to.initialize(to: UInt16(truncatingIfNeeded: 0xd7c0 + (scalar >> 10)))
                        (to + 1).initialize(to: UInt16(truncatingIfNeeded: 0xdc00 + (scalar & 0x3ff)))
                        to += 2
                    }
                    i += part.length
                }
            }
            return Array(UnsafeBufferPointer(start: start, count: to - start))
        }
    }

    /// Calls `body` with each scalar of a range (U+FFFD for an invalid sequence) and its length in bytes. The range
    /// should start and end between scalars. O(log n + m) for m bytes.
    func forEachScalar(in range: Range<ByteOffset>, _ body: (UInt32, Int) -> Void) {
        forEachChunk(in: range) { chunk, _ in
            guard let base = chunk.baseAddress else { return }
            let p = base.assumingMemoryBound(to: UInt8.self)
            let n = chunk.count
            var i = 0
            while i < n {
                let part = UTF8Scan.part(p, i, n)
                body(UTF8Scan.scalar(p, i, part), part.length)
                i += part.length
            }
        }
    }

    /// Returns the text of a range as a rope that shares whole leaves with this one; cut leaves and short ranges
    /// are copied. O(log n).
    public func slice(_ range: Range<ByteOffset>) -> Rope {
        let range = range.clamped(into: byteRange)
        if range == byteRange { return self }
        if range.isEmpty { return Rope() }
        if range.length() <= RopeNode.leafMinimum {
            // Copy small pieces, because sharing would keep a whole leaf alive.
            let copied = withLeaf(at: range.lowerBound.value) { leaf, leafStart -> Rope? in
                let start = range.lowerBound.value - leafStart
                guard start + range.length() <= leaf.count else { return nil }
                return Rope(
                    bytes: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: leaf[start..<(start + range.length())]))
                )
            }
            if let copied { return copied }
        }
        let (head, _) = split(at: range.upperBound.value)
        return head.split(at: range.lowerBound.value).1
    }

    /// Returns the text of a range as a rope, as for a range of bytes. O(log n).
    public func slice(_ range: Range<UTF16Offset>) -> Rope { slice(byteRange(of: range)) }

    /// Returns the text with each invalid sequence replaced by U+FFFD. O(n) if there is one, otherwise O(1).
    package func replacingInvalidBytes() -> Rope {
        guard metrics.invalidParts > 0 else { return self }
        var builder = RopeBuilder()
        var bytes: [UInt8] = []
        forEachChunk(in: byteRange) { chunk, _ in
            guard let base = chunk.baseAddress else { return }
            let p = base.assumingMemoryBound(to: UInt8.self)
            bytes.removeAll(keepingCapacity: true)
            var i = 0
            while i < chunk.count {
                let part = UTF8Scan.part(p, i, chunk.count)
                if part.isValid { bytes += chunk[i..<i + part.length] } else { bytes += "\u{fffd}".utf8 }
                i += part.length
            }
            bytes.withUnsafeBytes { builder.append($0) }
        }
        return builder.finish()
    }

    /// Returns the first invalid sequence at or after a byte, as a range of bytes; nil if there is none. O(log n).
    public func firstInvalidPart(from offset: ByteOffset = 0) -> Range<ByteOffset>? {
        let already = metrics(before: offset).invalidParts
        guard already < metrics.invalidParts else { return nil }
        var found = Range<ByteOffset>(uncheckedBounds: (0, 0))
        let before = seek {
            $0.invalidParts <= already
        } leaf: { p, leaf in
            let n = leaf.metrics.bytes
            var left = already - leaf.before.invalidParts
            var i = 0
            while i < n {
                let part = UTF8Scan.part(p, i, n)
                if !part.isValid {
                    if left == 0 {
                        found = ByteOffset(i)..<ByteOffset(i + part.length)
                        return i
                    }
                    left -= 1
                }
                i += part.length
            }
            return n
        }
        let start = ByteOffset(before.bytes)
        return start..<(start + found.length())
    }
}

/// A reader of the bytes of a range of a rope, leaf by leaf.
@usableFromInline
struct RopeChunkReader {
    private var cursor: RopeLeafCursor
    private var at: Int
    private let end: Int

    @usableFromInline
    init(_ rope: Rope, _ range: Range<ByteOffset>) {
        let range = range.clamped(into: rope.byteRange)
        at = range.lowerBound.value
        end = range.upperBound.value
        cursor = RopeLeafCursor(rope, at: at)
    }

    /// Returns the next piece, valid until the next call; nil at the end.
    @usableFromInline
    mutating func next() -> UnsafeRawBufferPointer? {
        guard at < end else { return nil }
        if at == cursor.start + cursor.count { _ = cursor.moveToNext() }
        let stop = min(end, cursor.start + cursor.count)
        let piece = UnsafeRawBufferPointer(start: cursor.bytes + (at - cursor.start), count: stop - at)
        at = stop
        return piece
    }
}

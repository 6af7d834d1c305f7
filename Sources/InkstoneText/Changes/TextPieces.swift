import InkstoneBase

/// Texts in order, one for each section of a change set: short ones in one buffer, long ones as ropes that share leaves.
///
/// They are kept apart because parts would join at the seams: a CR and an LF, or bytes that together become a scalar.
struct TextPieces: Sendable {
    /// Texts of up to this many bytes go into the buffer.
    static let limit = 1024

    private var bytes: [UInt8] = []
    /// The end of each piece in the buffer; a long piece is empty there.
    private var ends: [Int] = []
    private var long: [(index: Int, text: Rope)] = []
    /// The text being added, once it is too long for the buffer.
    private var open: Rope?

    var count: Int { ends.count }

    /// Approximate memory in bytes. Long texts count in full, though they may share leaves.
    var cost: Int { bytes.count + ends.count * 8 + long.reduce(0) { $0 + 64 + $1.text.metrics.bytes } }

    mutating func reserve(_ count: Int) { ends.reserveCapacity(count) }

    private var openStart: Int { ends.last ?? 0 }

    // MARK: Adding

    /// Adds bytes to the piece being made.
    mutating func append(_ new: UnsafeRawBufferPointer) {
        if open == nil, bytes.count - openStart + new.count <= Self.limit {
            bytes.append(contentsOf: new)
        } else {
            append(long: Rope(bytes: new))
        }
    }

    /// Adds a text to the piece being made.
    mutating func append(_ text: Rope) {
        if open == nil, bytes.count - openStart + text.metrics.bytes <= Self.limit {
            text.forEachChunk(in: text.byteRange) { chunk, _ in bytes.append(contentsOf: chunk) }
        } else {
            append(long: text)
        }
    }

    /// Adds a part of a text to the piece being made.
    mutating func append(_ text: Rope, in range: Range<ByteOffset>) {
        if open == nil, bytes.count - openStart + range.length() <= Self.limit {
            text.forEachChunk(in: range) { chunk, _ in bytes.append(contentsOf: chunk) }
        } else {
            append(long: text.slice(range))
        }
    }

    /// Adds a part of another collection's piece to the piece being made.
    mutating func append(_ other: TextPieces, _ index: Int, in range: Range<Int>) {
        if let rope = other.longText(index) {
            append(rope, in: ByteOffset(range.lowerBound)..<ByteOffset(range.upperBound))
        } else {
            other.withShortBytes(index) { bytes in
                append(UnsafeRawBufferPointer(rebasing: bytes[range]))
            }
        }
    }

    private mutating func append(long text: Rope) {
        let start = openStart
        if open == nil {
            open = bytes[start...].withUnsafeBytes { Rope(bytes: $0) }
            bytes.removeSubrange(start...)
        }
        open?.append(text)
    }

    /// Ends the piece being made; returns its length.
    @discardableResult
    mutating func finishPiece() -> TextPoint {
        if let text = open {
            open = nil
            long.append((ends.count, text))
            ends.append(bytes.count)
            return TextPoint(text.metrics)
        }
        let start = openStart
        ends.append(bytes.count)
        guard bytes.count > start else { return .zero }
        return bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return .zero }
            return TextPoint(UTF8Scan.measure(base + start, buffer.count - start))
        }
    }

    /// Removes the last piece, which is empty.
    mutating func dropEmptyPiece() { ends.removeLast() }

    // MARK: Reading

    private func longText(_ index: Int) -> Rope? {
        guard !long.isEmpty else { return nil }
        var low = 0
        var high = long.count
        while low < high {
            let middle = (low + high) / 2
            if long[middle].index < index { low = middle + 1 } else { high = middle }
        }
        return low < long.count && long[low].index == index ? long[low].text : nil
    }

    private func withShortBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = index == 0 ? 0 : ends[index - 1]
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<ends[index]])) }
    }

    /// Calls one of two closures with a piece: with its bytes if it is short, with a rope if it is long.
    func read(_ index: Int, short: (UnsafeRawBufferPointer) -> Void, long: (Rope) -> Void) {
        if let rope = longText(index) { long(rope) } else { withShortBytes(index, short) }
    }

    /// A piece as a text. A short one is copied.
    subscript(index: Int) -> Rope {
        longText(index) ?? withShortBytes(index) { Rope(bytes: $0) }
    }
}

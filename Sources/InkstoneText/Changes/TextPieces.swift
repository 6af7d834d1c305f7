import InkstoneBase

/// Texts in order, one piece for each section of a change set. Short pieces are in one buffer; long ones are ropes,
/// which share leaves.
///
/// Pieces are kept apart because one rope of them would combine bytes of neighbours: a CR and an LF, or the bytes
/// of one scalar.
struct TextPieces: Sendable {
    /// The largest size, in bytes, of a piece that is stored in the buffer.
    static let limit = 1024

    private var bytes: [UInt8] = []
    /// The end of each piece in the buffer. A long piece has length zero there.
    private var ends: [Int] = []
    private var long: [(index: Int, text: Rope)] = []
    /// The piece being made, once it is too long for the buffer.
    private var open: Rope?

    var count: Int { ends.count }

    /// Approximate memory use in bytes. Long pieces count in full, though they may share leaves.
    var cost: Int { bytes.count + ends.count * 8 + long.reduce(0) { $0 + 64 + $1.text.metrics.bytes } }

    mutating func reserve(_ count: Int) { ends.reserveCapacity(count) }

    private var openStart: Int { ends.last ?? 0 }

    // MARK: Adding pieces

    /// Adds bytes to the piece of text being made.
    mutating func append(_ new: UnsafeRawBufferPointer) {
        if open == nil, bytes.count - openStart + new.count <= Self.limit {
            bytes.append(contentsOf: new)
        } else {
            append(long: Rope(bytes: new))
        }
    }

    /// Adds a text to the end of the piece of text being made.
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

    /// Adds a part of a piece of another `TextPieces` to the piece being made.
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

    /// Ends the piece of text being made, and returns its length.
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

    /// Removes the last piece, which must be empty.
    mutating func dropEmptyPiece() { ends.removeLast() }

    // MARK: Reading pieces

    private func longText(_ index: Int) -> Rope? {
        guard !long.isEmpty else { return nil }
        let place = long.partitioningIndex { $0.index >= index }
        return place < long.count && long[place].index == index ? long[place].text : nil
    }

    private func withShortBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let start = index == 0 ? 0 : ends[index - 1]
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<ends[index]])) }
    }

    /// Calls one of two closures with a piece: `short` with its bytes, or `long` with a rope.
    func read(_ index: Int, short: (UnsafeRawBufferPointer) -> Void, long: (Rope) -> Void) {
        if let rope = longText(index) { long(rope) } else { withShortBytes(index, short) }
    }

    /// Returns a piece as a text. A short piece is copied.
    subscript(index: Int) -> Rope {
        longText(index) ?? withShortBytes(index) { Rope(bytes: $0) }
    }
}

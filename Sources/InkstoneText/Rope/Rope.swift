import InkstoneBase

/// A text as a value: bytes that should be UTF-8, with cheap copies, cheap edits at any position, and lengths in
/// every unit.
///
/// A copy-on-write B+-tree. Its **invariants**, of which `checkInvariants()` verifies all but the last:
/// - All leaves have the same depth; a leaf has at most 2048 bytes and, unless it is the root, at least 512; an
///   inner node has at most 32 children and at least 8, the root at least 2.
/// - No leaf ends inside a scalar, inside a maximal subpart of an ill-formed sequence, or between CR and LF. So
///   lengths of leaves add up, and each leaf can be read alone.
/// - Each node's length in all units is stored beside its parent's reference to it.
/// - A node is written to only while one rope refers to it: a copy is a snapshot, and may go to other threads.
///
/// **Complexity**, n being the length in bytes. By the first invariant a tree has at most 1 + log₈(n / 1024) levels
/// above its leaves (four at 1 GB as read from a file), and all other bounds follow from one descent:
/// - Conversion of offsets O(log n): in each node at most 32 stored lengths are added up, then one leaf of at most
///   2048 bytes is measured. A leaf with as many bytes as UTF-16 units (`isUniform`), as in ASCII, is not even
///   measured.
/// - Replacing a range by m bytes O(log n + m): two leaves are cut, and the nodes above them joined again.
/// - Copies O(1); the first edit after a copy duplicates the nodes on its path, O(log n).
/// - Memory about 1.1 n: leaves are filled to 94 % when a file is read, and to a quarter at worst.
///
/// **Bytes that are not valid UTF-8** are kept unchanged. Each maximal subpart of an ill-formed sequence (Unicode
/// §3.9) counts as one scalar and one UTF-16 unit and reads as U+FFFD. **Newlines** are LF, CR LF and CR.
///
/// Offsets are clamped to the text, except by ``byte(at:)``. An offset inside a scalar means the scalar's start where
/// it is converted to another unit, as every UTF-16 and scalar offset is. Where bytes are read or replaced, byte
/// offsets are taken as they are: a range may then cut a scalar.
public struct Rope: Sendable {
    // May be shared between threads although `RopeNode` is not `Sendable`, because nodes are immutable while
    // shared.
    nonisolated(unsafe) var root: RopeNode

    /// The length in all units. O(1).
    public internal(set) var metrics: TextMetrics

    /// Creates an empty text. O(1).
    public init() {
        root = RopeNode.sharedEmpty
        metrics = .zero
    }

    init(root: RopeNode, metrics: TextMetrics) {
        self.root = root
        self.metrics = metrics
    }

    /// Creates a text with a string's contents. O(n).
    public init(_ string: some StringProtocol) {
        var copy = String(string)
        self = copy.withUTF8 { Rope(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Creates a text of bytes, which need not be valid UTF-8. O(n).
    public init(bytes: UnsafeRawBufferPointer) {
        if bytes.count <= RopeNode.leafFill {
            guard let base = bytes.baseAddress, !bytes.isEmpty else {
                self.init()
                return
            }
            self.init(
                root: .makeLeaf(bytes),
                metrics: UTF8Scan.measure(base.assumingMemoryBound(to: UInt8.self), bytes.count))
            return
        }
        var builder = RopeBuilder()
        builder.append(bytes)
        self = builder.finish()
    }

    /// Creates a text of bytes, which need not be valid UTF-8. O(n).
    public init(bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { Rope(bytes: $0) }
    }

    /// Whether the text is empty. O(1).
    public var isEmpty: Bool { metrics.bytes == 0 }

    /// The range of the whole text, in bytes.
    public var byteRange: Range<ByteOffset> { 0..<ByteOffset(metrics.bytes) }

    /// The range of the whole text, in UTF-16 units.
    public var utf16Range: Range<UTF16Offset> { 0..<UTF16Offset(metrics.utf16) }

    /// The range of the whole text, in scalars.
    public var scalarRange: Range<ScalarOffset> { 0..<ScalarOffset(metrics.scalars) }

    /// Whether both ropes share the same tree: a quick test for an unchanged text. O(1).
    public func isIdentical(to other: Rope) -> Bool { root === other.root && metrics == other.metrics }
}

extension Rope: ExpressibleByStringLiteral {
    /// Creates a text with a literal's contents.
    public init(stringLiteral value: String) { self.init(value) }
}

extension Rope: Equatable {
    /// Whether both texts have the same bytes. O(n).
    public static func == (a: Rope, b: Rope) -> Bool {
        if a.metrics != b.metrics { return false }
        if a.root === b.root { return true }
        var left = RopeLeafCursor(a, at: 0)
        var right = RopeLeafCursor(b, at: 0)
        var i = 0
        var j = 0
        var remaining = a.metrics.bytes
        while remaining > 0 {
            let n = min(left.count - i, right.count - j)
            if n > 0 {
                for k in 0..<n where left.bytes[i + k] != right.bytes[j + k] { return false }
            }
            i += n
            j += n
            remaining -= n
            if i == left.count, left.moveToNext() { i = 0 }
            if j == right.count, right.moveToNext() { j = 0 }
        }
        return true
    }
}

extension Rope: CustomStringConvertible {
    /// The whole text as a string, with U+FFFD for each invalid sequence. O(n).
    public var description: String { string(in: byteRange) }
}

extension RopeNode {
    /// The empty leaf of ropes that are created empty. It is never written to, because its capacity is 0.
    nonisolated(unsafe) static let sharedEmpty = makeLeaf(capacity: 0)
}

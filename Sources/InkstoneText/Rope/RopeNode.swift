/// A node of a rope: up to 2 KB of bytes (height 0), or up to 32 children with the length of each.
///
/// Nodes are shared between ropes and threads. A node is written to only while a single rope refers to it.
final class RopeNode: ManagedBuffer<RopeNode.Header, UInt64> {
    struct Header {
        /// Number of bytes of a leaf, or of children of an inner node.
        var count: Int32
        /// Number of bytes or children that the node has memory for.
        var capacity: Int32
        /// Number of levels below the node; 0 for a leaf.
        var height: Int32
    }

    struct Child {
        var metrics: TextMetrics
        var node: RopeNode
    }

    /// The largest number of bytes of a leaf.
    static let leafCapacity = 2048
    /// The number of bytes of a leaf of a loaded text: fewer than the largest number, to leave room for edits.
    static let leafFill = 1936
    /// The smallest number of bytes of a leaf that is not the root.
    static let leafMinimum = 512
    /// The largest number of children of a node.
    static let fanOut = 32
    /// The smallest number of children of a node that is not the root; the root has at least two.
    static let fanOutMinimum = 8

    static func makeLeaf(capacity: Int) -> RopeNode {
        let node = create(minimumCapacity: (capacity + 7) / 8) { _ in
            Header(count: 0, capacity: Int32(capacity), height: 0)
        }
        return unsafeDowncast(node, to: RopeNode.self)
    }

    static func makeLeaf(_ bytes: UnsafeRawBufferPointer, capacity: Int? = nil) -> RopeNode {
        let leaf = makeLeaf(capacity: max(capacity ?? 0, bytes.count))
        leaf.count = bytes.count
        if let base = bytes.baseAddress {
            UnsafeMutableRawPointer(leaf.bytes).copyMemory(from: base, byteCount: bytes.count)
        }
        return leaf
    }

    static func makeInner(height: Int) -> RopeNode {
        let words = fanOut * MemoryLayout<Child>.stride / 8
        let node = create(minimumCapacity: words) { _ in
            Header(count: 0, capacity: Int32(fanOut), height: Int32(height))
        }
        return unsafeDowncast(node, to: RopeNode.self)
    }

    deinit {
        guard height > 0 else { return }
        children.deinitialize(count: count)
    }

    // Access the header through a pointer, because each access to `header` itself runs Swift's check for exclusive
    // access.
    @inline(__always)
    private var fields: UnsafeMutablePointer<Header> { withUnsafeMutablePointerToHeader { $0 } }

    @inline(__always)
    var count: Int {
        get { Int(fields.pointee.count) }
        set { fields.pointee.count = Int32(truncatingIfNeeded: newValue) }
    }

    @inline(__always)
    var room: Int { Int(fields.pointee.capacity) }

    @inline(__always)
    var height: Int { Int(fields.pointee.height) }

    /// A leaf's bytes. Valid while the node lives and is not replaced by a copy.
    @inline(__always)
    var bytes: UnsafeMutablePointer<UInt8> {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self) }
    }

    /// An inner node's children. Valid while the node lives and is not replaced by a copy.
    @inline(__always)
    var children: UnsafeMutablePointer<Child> {
        withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0).assumingMemoryBound(to: Child.self) }
    }

    /// Returns a separate node with the same contents. A copied leaf has room for edits.
    func copy() -> RopeNode {
        if height == 0 {
            return .makeLeaf(
                UnsafeRawBufferPointer(start: bytes, count: count), capacity: max(room, Self.leafCapacity))
        }
        let copy = RopeNode.makeInner(height: height)
        copy.children.initialize(from: children, count: count)
        copy.count = count
        return copy
    }

    /// Adds a child at the end of an inner node, which must have room and be referenced by the caller only.
    func append(_ child: Child) {
        (children + count).initialize(to: child)
        count += 1
    }

    /// Whether the node is large enough to be a child of another node.
    var isFullEnough: Bool {
        count >= (height == 0 ? Self.leafMinimum : Self.fanOutMinimum)
    }

    /// The length of all children together. Only for inner nodes.
    var childMetrics: TextMetrics {
        var sum = TextMetrics.zero
        let children = children
        for i in 0..<count { sum += children[i].metrics }
        return sum
    }
}

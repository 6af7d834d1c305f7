/// The sum of adjacent elements of a ``SummedTree``: lengths, numbers, or any other quantity for which the sum of two
/// neighbouring sequences follows from the sums of each.
@usableFromInline
package protocol TreeSummary {
    /// Creates the sum of no elements.
    init()

    /// Adds the sum of the elements that follow directly.
    static func += (a: inout Self, b: Self)
}

/// A leaf of a ``SummedTree``: some neighbouring elements, in a storage that the type of leaf chooses.
@usableFromInline
package protocol TreeLeaf: AnyObject, SendableMetatype {
    associatedtype Summary: TreeSummary
    associatedtype Child: TreeChild where Child.Summary == Summary

    /// The largest number of children of a node above the leaves; at least four.
    static var fanOut: Int { get }

    /// The sum of the elements. O(n) for n elements.
    var summary: Summary { get }

    /// Returns a leaf with the same elements.
    func copy() -> Self

    /// Whether two neighbouring leaves are so small that they should be merged to one.
    static func areSmall(_ a: Self, _ b: Self) -> Bool

    /// Moves elements of the next leaf to the end of this one. `next` may belong to another tree, so it is not
    /// changed. If not all elements have room in this leaf, returns a leaf of the rest, which may be `next` itself.
    func append(_ next: Self) -> Self?
}

/// The effect that a function had on a leaf of a ``SummedTree``.
@usableFromInline
package enum TreeEdit<Leaf: TreeLeaf> {
    /// The function has not changed the leaf.
    case none
    /// The leaf has changed, and its sum and the sums of all nodes above it grow by the given sum.
    case added(Leaf.Summary)
    /// The leaf has changed, and its sum and the sums of all nodes above it are computed again.
    case changed
    /// Other leaves take the place of the leaf; an empty array removes it. Small neighbours are joined.
    case replaced([Leaf])
}

/// The decision about a subtree in a walk of a ``SummedTree``.
@usableFromInline
package enum TreeStep {
    case skip, enter, stop
}

/// A leaf or a node, with its sum stored beside the reference, so that a search need not load the leaves and nodes that
/// it passes.
///
/// Each kind of tree has its own type, because arrays of a generic type would be copied by slower code that serves all
/// types.
@usableFromInline
package protocol TreeChild {
    associatedtype Summary: TreeSummary

    /// A leaf at height 0, otherwise a `TreeNode`. Must be the first stored property, because `makeUnique` and the
    /// nodes' `deinit` access it by the address of the child.
    var node: AnyObject { get set }
    var summary: Summary { get set }

    init(node: AnyObject, summary: Summary)
}

extension TreeLeaf {
    @inlinable
    static func child(_ leaf: Self) -> Child { Child(node: leaf, summary: leaf.summary) }

    /// Returns a child that is a new node of the given children, at most the fan-out.
    @inlinable
    static func child(_ children: some Collection<Child>) -> Child {
        let node = TreeNode.make(of: Self.self)
        node.replaceAll(of: Self.self, children)
        return Child(node: node, summary: node.sum(of: Self.self))
    }

    /// Returns the leaf of a child at height 0.
    @inlinable @inline(__always)
    static func leaf(_ child: Child) -> Self { unsafeDowncast(child.node, to: Self.self) }

    /// Copies the node of a child if another tree shares it.
    @inlinable @inline(__always)
    static func makeUnique(_ child: UnsafeMutablePointer<Child>, height: Int) {
        // Access the stored reference by its address. The accessor of a protocol's property may return a copy, and
        // the node would then never be uniquely referenced.
        let node = UnsafeMutableRawPointer(child).assumingMemoryBound(to: AnyObject.self)
        if !isKnownUniquelyReferenced(&node.pointee) { node.pointee = copy(of: child.pointee, height) }
    }

    @inlinable
    static func copy(of child: Child, _ height: Int) -> AnyObject {
        if height == 0 { return leaf(child).copy() }
        let copy = TreeNode.make(of: Self.self)
        withExtendedLifetime(child.node) { copy.replaceAll(of: Self.self, child.inner.all(of: Self.self)) }
        return copy
    }
}

extension TreeChild {
    /// The node of a child above height 0.
    @inlinable @inline(__always)
    var inner: TreeNode { unsafeDowncast(node, to: TreeNode.self) }
}

/// A node above the leaves: children in memory behind the object itself, so that a search follows one reference a
/// level.
///
/// The class is not generic, because methods of a generic class are compiled once, to slower code that serves all
/// types.
@usableFromInline
package final class TreeNode: ManagedBuffer<TreeNode.Header, UInt64> {
    @frozen
    @usableFromInline
    package struct Header {
        @usableFromInline var count = 0
        /// Bytes from one child to the next.
        @usableFromInline var stride: Int

        @inlinable
        init(stride: Int) { self.stride = stride }
    }

    @inlinable
    static func make<Leaf: TreeLeaf>(of kind: Leaf.Type) -> TreeNode {
        let stride = MemoryLayout<Leaf.Child>.stride
        let node = create(minimumCapacity: (Leaf.fanOut * stride + 7) / 8) { _ in Header(stride: stride) }
        return unsafeDowncast(node, to: TreeNode.self)
    }

    @inlinable
    deinit {
        let stride = withUnsafeMutablePointerToHeader { $0.pointee.stride }
        let memory = withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
        for i in 0..<count {
            (memory + i * stride).assumingMemoryBound(to: Unmanaged<AnyObject>.self).pointee.release()
        }
    }

    @inlinable @inline(__always)
    var count: Int {
        get { withUnsafeMutablePointerToHeader { $0.pointee.count } }
        set { withUnsafeMutablePointerToHeader { $0.pointee.count = newValue } }
    }

    /// Returns the memory of the node's children. The pointer is valid while the node lives.
    @inlinable @inline(__always)
    func children<Leaf: TreeLeaf>(of kind: Leaf.Type) -> UnsafeMutablePointer<Leaf.Child> {
        withUnsafeMutablePointerToElements {
            UnsafeMutableRawPointer($0).assumingMemoryBound(to: Leaf.Child.self)
        }
    }

    @inlinable @inline(__always)
    func all<Leaf: TreeLeaf>(of kind: Leaf.Type) -> UnsafeMutableBufferPointer<Leaf.Child> {
        UnsafeMutableBufferPointer(start: children(of: kind), count: count)
    }

    /// Returns the sum of all children.
    @inlinable
    func sum<Leaf: TreeLeaf>(of kind: Leaf.Type) -> Leaf.Summary {
        var sum = Leaf.Summary()
        let children = children(of: kind)
        for i in 0..<count { sum += children[i].summary }
        return sum
    }

    /// Sets the children, at most the fan-out. The collection must not be the node's own memory.
    @inlinable
    func replaceAll<Leaf: TreeLeaf>(of kind: Leaf.Type, _ new: some Collection<Leaf.Child>) {
        all(of: kind).deinitialize()
        count = new.count
        _ = all(of: kind).initialize(fromContentsOf: new)
    }

    /// Adds a child at the end of a node that has room.
    @inlinable
    func append<Leaf: TreeLeaf>(of kind: Leaf.Type, _ child: Leaf.Child) {
        (children(of: kind) + count).initialize(to: child)
        count += 1
    }
}

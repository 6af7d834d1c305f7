/// A sequence of leaves as a B+-tree with the sums of all subtrees, so that a leaf is found by any measure of its
/// sum.
///
/// A value: copies are O(1) and share their nodes. A node is written to only while a single tree refers to it, so
/// trees may go to other threads if their elements may. **Complexity**, n being the number of leaves: finding,
/// changing one leaf and joining O(log n), splitting O(log² n). **Invariants**: all leaves have the same depth; a
/// node has 1 to ``TreeLeaf/fanOut`` children, and the root at least 2.
///
/// Functions with closures are inlinable or generic over their leaf, so each kind of tree has machine code of its
/// own.
@frozen
@usableFromInline
package struct SummedTree<Leaf: TreeLeaf> {
    @usableFromInline package typealias Summary = Leaf.Summary
    @usableFromInline package typealias Child = Leaf.Child

    /// The root node, or the only leaf; nil in an empty tree.
    @usableFromInline var root: Child?
    /// Number of levels above the leaves.
    @usableFromInline var height = 0

    /// Creates an empty tree.
    @inlinable
    package init() { root = nil }

    @inlinable
    init(_ root: Child?, height: Int) {
        self.root = root
        self.height = root == nil ? 0 : height
    }

    /// Creates a tree of one leaf.
    @inlinable
    package init(_ leaf: Leaf) { root = Leaf.child(leaf) }

    /// Creates a tree of leaves. O(n).
    ///
    /// - Parameter fill: the largest number of children of a node; less than the fan-out leaves room for
    ///   insertions.
    @inlinable
    package init(_ leaves: some Sequence<Leaf>, fill: Int = Leaf.fanOut) {
        self.init(leaves.map { Leaf.child($0) }, height: 0, fill: fill)
    }

    /// Creates a tree of nodes of equal height.
    @inlinable
    init(_ children: [Child], height: Int, fill: Int = Leaf.fanOut) {
        var (level, height) = (children, height)
        while level.count > 1 {
            level = Self.group(level, fill)
            height += 1
        }
        self.init(level.first, height: height)
        while self.height > 0, let node = root?.inner, node.count == 1 {
            // Keep the node alive while its child is read: the pointer to the children does not retain the node.
            withExtendedLifetime(node) { root = node.children(of: Leaf.self)[0] }
            self.height -= 1
        }
    }

    /// Returns nodes of about equal size that hold the given children, at most `limit` in each node.
    @inlinable
    static func group(_ all: [Child], _ limit: Int = Leaf.fanOut) -> [Child] {
        let count = (all.count + limit - 1) / limit
        return (0..<count).map { Leaf.child(all[(all.count * $0 / count)..<(all.count * ($0 + 1) / count)]) }
    }

    /// The sum of all leaves; zero in an empty tree.
    @inlinable @inline(__always)
    package var summary: Summary { root?.summary ?? Summary() }

    @inlinable
    package var isEmpty: Bool { root == nil }

    /// Number of levels, leaves included; 0 without leaves.
    @inlinable
    package var levels: Int { root == nil ? 0 : height + 1 }

    /// Whether both trees have the same root, so that they are certainly equal.
    @inlinable
    package func isIdentical(to other: Self) -> Bool { root?.node === other.root?.node }

    // MARK: Finding

    /// Returns the first leaf whose end does not satisfy `isBefore`, or the last leaf; with its sum and the sum of
    /// all leaves before it. The reference is valid while the tree lives unchanged. Traps in an empty tree.
    ///
    /// - Parameter isBefore: whether a position lies before the wanted one, given the sum of all leaves before that
    ///   position.
    @inlinable @inline(__always)
    package func leaf(
        where isBefore: (Summary) -> Bool
    ) -> (leaf: Unmanaged<Leaf>, sum: Summary, before: Summary) {
        guard let root else { preconditionFailure("an empty tree has no leaf") }
        // The tree keeps its nodes alive: do not retain them on the way.
        var node = Unmanaged.passUnretained(root.node)
        var sum = root.summary
        var before = Summary()
        for _ in 0..<height {
            (node, sum) = node._withUnsafeGuaranteedRef {
                let child = Self.find(in: unsafeDowncast($0, to: TreeNode.self), &before, isBefore)
                return (Unmanaged.passUnretained(child.pointee.node), child.pointee.summary)
            }
        }
        let leaf = node._withUnsafeGuaranteedRef { Unmanaged.passUnretained(unsafeDowncast($0, to: Leaf.self)) }
        return (leaf, sum, before)
    }

    /// Returns the first child whose end does not satisfy `isBefore`, or else the last child. Adds to `before` the
    /// sums of the children before it.
    @inlinable @inline(__always)
    static func find(
        in node: TreeNode, _ before: inout Summary, _ isBefore: (Summary) -> Bool
    ) -> UnsafeMutablePointer<Child> {
        let children = node.children(of: Leaf.self)
        let last = node.count - 1
        var i = 0
        while i < last {
            var after = before
            after += children[i].summary
            if !isBefore(after) { break }
            before = after
            i += 1
        }
        return children + i
    }

    /// Calls `body` with leaves in order, each with the sum of all leaves before it, until `body` returns false.
    ///
    /// - Parameter step: decides whether a subtree is entered, by the sum of all leaves before it and its own sum.
    @discardableResult
    @inlinable
    package func forEachLeaf(
        _ step: (_ before: Summary, _ own: Summary) -> TreeStep = { _, _ in .enter },
        _ body: (Leaf, _ before: Summary) -> Bool
    ) -> Bool {
        guard let root else { return true }
        return withExtendedLifetime(root) { Self.visit(root, height, Summary(), step, body) }
    }

    @inlinable
    static func visit(
        _ child: borrowing Child, _ height: Int, _ before: Summary, _ step: (Summary, Summary) -> TreeStep,
        _ body: (Leaf, Summary) -> Bool
    ) -> Bool {
        if height == 0 { return body(Leaf.leaf(child), before) }
        let node = child.inner
        var at = before
        for i in 0..<node.count {
            let own = node.children(of: Leaf.self)[i].summary
            switch step(at, own) {
            case .stop: return true
            case .skip: break
            case .enter: if !visit(node.children(of: Leaf.self)[i], height - 1, at, step, body) { return false }
            }
            at += own
        }
        return true
    }

    // MARK: Changing

    /// Changes the leaf that ``leaf(where:)`` finds, which stays one leaf. Returns whether the leaf has changed.
    /// Traps in an empty tree.
    ///
    /// - Parameter body: changes the leaf, which belongs to no other tree; its second argument is the sum of all
    ///   leaves before it. Must not return `.replaced`.
    @inlinable @inline(__always)
    package mutating func changeLeaf(
        where isBefore: (Summary) -> Bool, _ body: (Leaf, _ before: Summary) -> TreeEdit<Leaf>
    ) -> Bool {
        guard root != nil else { preconditionFailure("an empty tree has no leaf") }
        let height = height
        // A path of sixteen nodes suffices: a tree of more levels would have more leaves than memory has room for.
        return withUnsafeMutablePointer(to: &root) { optional in
            // The memory of an optional that is not nil begins with its value. A pointer to the optional is
            // therefore also one to the child.
            let root = UnsafeMutableRawPointer(optional).assumingMemoryBound(to: Child.self)
            var path = InlineArray<16, UnsafeMutablePointer<Child>>(repeating: root)
            var child = root
            var before = Summary()
            for level in 0..<height {
                Leaf.makeUnique(child, height: height - level)
                path[level] = child
                child = Unmanaged.passUnretained(child.pointee.node)._withUnsafeGuaranteedRef {
                    Self.find(in: unsafeDowncast($0, to: TreeNode.self), &before, isBefore)
                }
            }
            Leaf.makeUnique(child, height: 0)
            switch body(Leaf.leaf(child.pointee), before) {
            case .none: return false
            case .added(let sum):
                child.pointee.summary += sum
                for level in 0..<height { path[level].pointee.summary += sum }
            case .changed:
                child.pointee.summary = Leaf.leaf(child.pointee).summary
                for level in (0..<height).reversed() {
                    path[level].pointee.summary = path[level].pointee.inner.sum(of: Leaf.self)
                }
            case .replaced: preconditionFailure("one leaf for one")
            }
            return true
        }
    }

    /// Changes leaves, from the first to the last.
    ///
    /// - Parameters:
    ///   - step: decides whether a subtree is entered, by the sum of all leaves before it, its own sum, and whether
    ///     it is the last subtree of all.
    ///   - body: changes a leaf, which belongs to no other tree. Its second argument is the sum of all leaves
    ///     before that leaf. All sums are those of the tree before the change.
    @inlinable
    package mutating func update(
        _ step: (_ before: Summary, _ own: Summary, _ isLast: Bool) -> TreeStep,
        _ body: (Leaf, _ before: Summary) -> TreeEdit<Leaf>
    ) {
        guard var child = root else { return }
        root = nil
        let new = Self.update(&child, height, Summary(), true, step, body) ?? [child]
        self = Self(new, height: height)
    }

    /// Changes a child in place. Returns nil if it stays one child and need not be merged with others. Otherwise
    /// returns the children that replace it: the child itself alone if it may have become so small that it is to be
    /// merged.
    @inlinable
    static func update(
        _ child: inout Child, _ height: Int, _ before: Summary, _ isLast: Bool,
        _ step: (Summary, Summary, Bool) -> TreeStep, _ body: (Leaf, Summary) -> TreeEdit<Leaf>
    ) -> [Child]? {
        Leaf.makeUnique(&child, height: height)
        if height == 0 {
            switch body(Leaf.leaf(child), before) {
            case .none: break
            case .added(let sum): child.summary += sum
            case .changed: child.summary = Leaf.leaf(child).summary
            case .replaced(let leaves): return leaves.map { Leaf.child($0) }
            }
            return nil
        }
        let node = child.inner
        let last = node.count - 1
        var at = before
        var new: [(index: Int, children: [Child])] = []
        loop: for i in 0...last {
            let own = node.children(of: Leaf.self)[i].summary
            switch step(at, own, isLast && i == last) {
            case .stop: break loop
            case .skip: break
            case .enter:
                if let parts = update(&node.children(of: Leaf.self)[i], height - 1, at, isLast && i == last, step, body)
                {
                    new.append((i, parts))
                }
            }
            at += own
        }
        guard let first = new.first?.index, let end = new.last?.index else {
            child.summary = node.sum(of: Leaf.self)
            return nil
        }
        var all = Array(node.all(of: Leaf.self))
        let tail = all.count - end - 1
        for part in new.reversed() { all.replaceSubrange(part.index...part.index, with: part.children) }
        new = []
        joinSmall(&all, from: max(0, first - 1), tail: tail, height - 1)
        guard !all.isEmpty, all.count <= Leaf.fanOut else { return group(all) }
        node.replaceAll(of: Leaf.self, all)
        child.summary = node.sum(of: Leaf.self)
        return [child]
    }

    /// Merges children, from index `first` on, with their next neighbours as long as two together are small. The
    /// last `tail` children are not merged with each other.
    @inlinable
    static func joinSmall(_ all: inout [Child], from first: Int, tail: Int, _ height: Int) {
        var i = first
        while i + 1 < all.count, i + tail < all.count {
            let (a, b) = (all[i], all[i + 1])
            if height == 0, Leaf.areSmall(Leaf.leaf(a), Leaf.leaf(b)) {
                all[i] = concatenated(a, 0, b, 0)[0]
            } else if height > 0, a.inner.count + b.inner.count <= Leaf.fanOut / 2 {
                var both = withExtendedLifetime((a.node, b.node)) {
                    Array(a.inner.all(of: Leaf.self)) + b.inner.all(of: Leaf.self)
                }
                joinSmall(&both, from: a.inner.count - 1, tail: b.inner.count - 1, height - 1)
                all[i] = Leaf.child(both)
            } else {
                i += 1
                continue
            }
            all.remove(at: i + 1)
        }
    }

    // MARK: Splitting and joining

    /// Splits the tree at a position: returns a tree of the leaves before it and a tree of the leaves after it.
    ///
    /// - Parameters:
    ///   - isBefore: whether the end of a leaf is before the position, by the sum of all leaves up to that end.
    ///   - cut: cuts the leaf that contains the position, given the sum of all leaves before it. It must not change
    ///     that leaf.
    @inlinable
    package func split(
        where isBefore: (Summary) -> Bool, _ cut: (Leaf, _ before: Summary) -> (Leaf?, Leaf?)
    ) -> (Self, Self) {
        guard let root else { return (self, self) }
        return withExtendedLifetime(root) { Self.split(root, height, Summary(), isBefore, cut) }
    }

    @inlinable
    static func split(
        _ child: Child, _ height: Int, _ before: Summary, _ isBefore: (Summary) -> Bool,
        _ cut: (Leaf, Summary) -> (Leaf?, Leaf?)
    ) -> (Self, Self) {
        if height == 0 {
            let (head, tail) = cut(Leaf.leaf(child), before)
            return (Self(head.map { Leaf.child($0) }, height: 0), Self(tail.map { Leaf.child($0) }, height: 0))
        }
        defer { withExtendedLifetime(child.node) {} }
        let children = child.inner.all(of: Leaf.self)
        var at = before
        let i = find(in: child.inner, &at, isBefore) - child.inner.children(of: Leaf.self)
        var (head, tail) = split(children[i], height - 1, at, isBefore, cut)
        var first = Self(of: children[..<i], height)
        first.append(head)
        tail.append(Self(of: children[(i + 1)...], height))
        head = first
        return (head, tail)
    }

    /// Creates a tree of some children of a node.
    @inlinable
    init(of children: Slice<UnsafeMutableBufferPointer<Child>>, _ height: Int) {
        if children.count > 1 {
            self.init(Leaf.child(children), height: height)
        } else {
            self.init(children.first, height: height - 1)
        }
    }

    /// Adds the leaves of another tree at the end; the leaves at the seam are joined. O(log n).
    @inlinable
    package mutating func append(_ other: Self) {
        guard let b = other.root else { return }
        guard var a = root else { return self = other }
        root = nil
        let rest = height < other.height ? nil : Self.append(&a, height, b, other.height)
        let all =
            height < other.height ? Self.concatenated(a, height, b, other.height) : [a] + (rest.map { [$0] } ?? [])
        self = Self(all, height: max(height, other.height))
    }

    /// Appends to the tree `a` a tree `b` that is not higher. If that makes a node too large, returns the second
    /// node that is needed; otherwise nil.
    @inlinable
    static func append(_ a: inout Child, _ height: Int, _ b: Child, _ bHeight: Int) -> Child? {
        if height > 0, height == bHeight {
            let all = concatenated(a, height, b, height)
            a = all[0]
            return all.count > 1 ? all[1] : nil
        }
        Leaf.makeUnique(&a, height: height)
        if height == 0 {
            let rest = Leaf.leaf(a).append(Leaf.leaf(b))
            a.summary = Leaf.leaf(a).summary
            return rest.map { Leaf.child($0) }
        }
        let node = a.inner
        let last = node.children(of: Leaf.self) + node.count - 1
        let rest = append(&last.pointee, height - 1, b, bHeight)
        if let rest, node.count == Leaf.fanOut {
            a.summary = node.sum(of: Leaf.self)
            return Leaf.child(CollectionOfOne(rest))
        }
        if let rest { node.append(of: Leaf.self, rest) }
        a.summary += b.summary
        return nil
    }

    /// Concatenates two trees to one or two nodes of the greater of both heights.
    @inlinable
    static func concatenated(_ a: Child, _ aHeight: Int, _ b: Child, _ bHeight: Int) -> [Child] {
        let height = max(aHeight, bHeight)
        if height == 0 {
            var first = a
            let second = append(&first, 0, b, 0)
            return second.map { [first, $0] } ?? [first]
        }
        defer { withExtendedLifetime((a.node, b.node)) {} }
        var all: [Child] = []
        all.reserveCapacity(Leaf.fanOut * 2)
        var (left, right) = (a, b)
        if aHeight == height {
            left = a.inner.children(of: Leaf.self)[a.inner.count - 1]
            all += a.inner.all(of: Leaf.self).dropLast()
        }
        if bHeight == height { right = b.inner.children(of: Leaf.self)[0] }
        all += concatenated(left, min(aHeight, height - 1), right, min(bHeight, height - 1))
        if bHeight == height { all += b.inner.all(of: Leaf.self).dropFirst() }
        return group(all)
    }

    // MARK: Checking

    /// Checks the tree, and appends a description of each violated invariant to `problems`; `leaf` checks one leaf with
    /// its stored sum. O(n).
    package func check(_ problems: inout [String], leaf: (Leaf, Summary, inout [String]) -> Void) {
        func visit(_ child: Child, _ height: Int) {
            guard height > 0 else { return leaf(Leaf.leaf(child), child.summary, &problems) }
            let node = child.inner
            if node.count < (height == self.height ? 2 : 1) || node.count > Leaf.fanOut {
                problems.append("a node of \(node.count)")
            }
            if "\(node.sum(of: Leaf.self))" != "\(child.summary)" {
                problems.append("sum \(child.summary), not \(node.sum(of: Leaf.self))")
            }
            for child in node.all(of: Leaf.self) { visit(child, height - 1) }
        }
        if let root { visit(root, height) }
    }
}

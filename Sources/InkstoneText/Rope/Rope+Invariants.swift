import InkstoneBase

extension Rope {
    /// Number of levels above the leaves.
    package var height: Int { root.height }

    /// Checks the invariants that the description of ``Rope`` lists, except that shared nodes are not written to.
    /// Returns the violations, in words. O(n).
    package func checkInvariants() -> [String] {
        var problems: [String] = []
        var leaves: [RopeNode] = []
        func visit(_ node: RopeNode, _ metrics: TextMetrics, isRoot: Bool) {
            if node.height == 0 {
                let found = UTF8Scan.measure(node.bytes, node.count)
                if found != metrics { problems.append("leaf \(leaves.count) is \(found), stored is \(metrics)") }
                if !isRoot, node.count < RopeNode.leafMinimum { problems.append("a leaf of \(node.count) bytes") }
                if node.count > RopeNode.leafCapacity || node.count > node.room {
                    problems.append("a leaf of \(node.count) bytes with room for \(node.room)")
                }
                leaves.append(node)
                return
            }
            if node.childMetrics != metrics {
                problems.append("children add up to \(node.childMetrics), stored is \(metrics)")
            }
            let least = isRoot ? 2 : RopeNode.fanOutMinimum
            if node.count < least || node.count > RopeNode.fanOut {
                problems.append("a node of \(node.count) children at height \(node.height)")
            }
            for child in node.childArray {
                if child.node.height != node.height - 1 { problems.append("uneven heights") }
                visit(child.node, child.metrics, isRoot: false)
            }
        }
        visit(root, metrics, isRoot: true)
        for i in leaves.indices.dropFirst() {
            let (a, b) = (leaves[i - 1], leaves[i])
            if UTF8Scan.joins(a.bytes, a.count, b.bytes, b.count) { problems.append("leaf \(i) joins the one before") }
        }
        return problems
    }
}

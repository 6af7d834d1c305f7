/// A tree of runs with values; never changed once made, so it may be shared. See ``AttributeRuns``.
final class RunTree<Value: Equatable & Sendable>: Sendable {
    struct Run: Equatable, Sendable {
        var length: Int
        var value: Value
    }

    /// Most runs of a leaf, and most children of a node.
    private static var limit: Int { 32 }

    let length: Int
    let height: Int
    private let runs: [Run]
    private let children: [RunTree]

    init(runs: [Run]) {
        self.runs = runs
        children = []
        height = 0
        length = runs.reduce(0) { $0 + $1.length }
    }

    private init(children: [RunTree]) {
        self.children = children
        runs = []
        height = children[0].height + 1
        length = children.reduce(0) { $0 + $1.length }
    }

    var runCount: Int { height == 0 ? runs.count : children.reduce(0) { $0 + $1.runCount } }

    /// The run that holds a unit, and where it starts.
    func find(_ offset: Int) -> (run: Run, start: Int) {
        var node = self
        var start = 0
        while node.height > 0 {
            var i = 0
            while start + node.children[i].length <= offset {
                start += node.children[i].length
                i += 1
            }
            node = node.children[i]
        }
        var i = 0
        while start + node.runs[i].length <= offset {
            start += node.runs[i].length
            i += 1
        }
        return (node.runs[i], start)
    }

    /// The runs before and after an offset, the one that holds it cut.
    static func split(_ tree: RunTree?, at offset: Int) -> (RunTree?, RunTree?) {
        guard let tree else { return (nil, nil) }
        if offset <= 0 { return (nil, tree) }
        if offset >= tree.length { return (tree, nil) }
        var start = 0
        var i = 0
        if tree.height == 0 {
            while start + tree.runs[i].length <= offset {
                start += tree.runs[i].length
                i += 1
            }
            var head = Array(tree.runs[..<i])
            var tail = Array(tree.runs[i...])
            if offset > start {
                head.append(Run(length: offset - start, value: tree.runs[i].value))
                tail[0].length -= offset - start
            }
            return (RunTree(runs: head), RunTree(runs: tail))
        }
        while start + tree.children[i].length <= offset {
            start += tree.children[i].length
            i += 1
        }
        let (head, tail) = split(tree.children[i], at: offset - start)
        return (join(of(tree.children[..<i]), head), join(tail, of(tree.children[(i + 1)...])))
    }

    private static func of(_ children: ArraySlice<RunTree>) -> RunTree? {
        children.count > 1 ? RunTree(children: Array(children)) : children.first
    }

    /// One after the other; equal runs at the seam become one.
    static func join(_ a: RunTree?, _ b: RunTree?) -> RunTree? {
        guard let a else { return b }
        guard let b else { return a }
        let last = a.find(a.length - 1).run
        let first = b.find(0).run
        guard last.value == first.value else { return link(a, b) }
        let middle = RunTree(runs: [Run(length: last.length + first.length, value: last.value)])
        let head = split(a, at: a.length - last.length).0
        let tail = split(b, at: first.length).1
        return link(link(head, middle), tail)
    }

    private static func link(_ a: RunTree?, _ b: RunTree?) -> RunTree? {
        guard let a else { return b }
        guard let b else { return a }
        if a.height == 0, b.height == 0 {
            let all = a.runs + b.runs
            if all.count <= limit { return RunTree(runs: all) }
            return RunTree(children: [
                RunTree(runs: Array(all[..<(all.count / 2)])), RunTree(runs: Array(all[(all.count / 2)...])),
            ])
        }
        if a.height == b.height { return nodes(a.children + b.children) }
        if a.height > b.height {
            var children = a.children
            guard let last = children.popLast(), let linked = link(last, b) else { return a }
            return nodes(children + (linked.height == a.height ? linked.children : [linked]))
        }
        guard let first = b.children.first, let linked = link(a, first) else { return b }
        return nodes((linked.height == b.height ? linked.children : [linked]) + b.children.dropFirst())
    }

    private static func nodes(_ children: [RunTree]) -> RunTree {
        if children.count <= limit { return RunTree(children: children) }
        let half = children.count / 2
        return RunTree(children: [
            RunTree(children: Array(children[..<half])), RunTree(children: Array(children[half...])),
        ])
    }

    /// Adds what is wrong to `problems`.
    func check(_ problems: inout [String]) {
        if height == 0 {
            if runs.isEmpty || runs.count > Self.limit { problems.append("a leaf of \(runs.count) runs") }
            if runs.contains(where: { $0.length <= 0 }) { problems.append("an empty run") }
            return
        }
        if children.count < 2 || children.count > Self.limit { problems.append("a node of \(children.count)") }
        for child in children {
            if child.height != height - 1 { problems.append("uneven heights") }
            child.check(&problems)
        }
    }
}

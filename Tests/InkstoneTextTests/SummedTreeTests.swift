import InkstoneTesting
import TextTestSupport
import Testing

@testable import InkstoneText

/// The tree of sums, compared with an array of the same numbers.
@Suite(.timeLimit(.minutes(5))) struct SummedTreeTests {
    struct Sum: TreeSummary, Equatable {
        var count = 0
        var total = 0
        var greatest = 0

        static func += (a: inout Self, b: Self) {
            a.count += b.count
            a.total += b.total
            a.greatest = max(a.greatest, b.greatest)
        }
    }

    final class Leaf: TreeLeaf {
        struct Child: TreeChild {
            var node: AnyObject
            var summary: Sum
        }

        static let capacity = 4
        static let fanOut = 4
        var numbers: [Int]

        init(_ numbers: [Int]) { self.numbers = numbers }

        var summary: Sum { SummedTreeTests.sum(numbers) }

        func copy() -> Leaf { Leaf(numbers) }

        static func areSmall(_ a: Leaf, _ b: Leaf) -> Bool { a.numbers.count + b.numbers.count <= capacity / 2 }

        func append(_ next: Leaf) -> Leaf? {
            if numbers.count > 1, next.numbers.count > 1 { return next }
            numbers += next.numbers
            guard numbers.count > Self.capacity else { return nil }
            defer { numbers.removeSubrange(2...) }
            return Leaf(Array(numbers[2...]))
        }

        static func leaves(_ numbers: [Int]) -> [Leaf] {
            stride(from: 0, to: numbers.count, by: capacity).map {
                Leaf(Array(numbers[$0..<min($0 + capacity, numbers.count)]))
            }
        }
    }

    private typealias Tree = SummedTree<Leaf>

    static func sum(_ numbers: some Sequence<Int>) -> Sum {
        numbers.reduce(into: Sum()) { $0 += Sum(count: 1, total: $1, greatest: $1) }
    }

    private static func numbers(_ tree: Tree) -> [Int] {
        var all: [Int] = []
        let isRight = tree.forEachLeaf { leaf, before in
            let isRight = before.count == all.count
            all += leaf.numbers
            return isRight
        }
        #expect(isRight, "a sum that is not the one of all before a leaf")
        return all
    }

    private static func check(_ tree: Tree, _ model: [Int], _ comment: Comment) {
        var problems: [String] = []
        tree.check(&problems) { leaf, sum, problems in
            if leaf.summary != sum { problems.append("a leaf's sum \(sum) of \(leaf.numbers)") }
            if leaf.numbers.isEmpty || leaf.numbers.count > Leaf.capacity { problems.append("leaf \(leaf.numbers)") }
        }
        #expect(problems.isEmpty, comment)
        #expect(numbers(tree) == model, comment)
        #expect(tree.summary == sum(model), comment)
    }

    private static func split(_ tree: Tree, at index: Int) -> (Tree, Tree) {
        tree.split(where: { $0.count <= index }) { leaf, before in
            let cut = min(index - before.count, leaf.numbers.count)
            let (head, tail) = (Array(leaf.numbers[..<cut]), Array(leaf.numbers[cut...]))
            return (head.isEmpty ? nil : Leaf(head), tail.isEmpty ? nil : Leaf(tail))
        }
    }

    /// Replaces a range with ``SummedTree/update(_:_:)``; the new numbers go to the first leaf of the range.
    private static func replace(_ tree: inout Tree, _ range: Range<Int>, _ new: [Int]) {
        var pending = new
        tree.update({ before, own, _ in
            before.count >= max(range.upperBound, range.lowerBound + 1)
                ? .stop : before.count + own.count > range.lowerBound ? .enter : .skip
        }) { leaf, before in
            let low = max(range.lowerBound - before.count, 0)
            let high = min(range.upperBound - before.count, leaf.numbers.count)
            var all = leaf.numbers
            all.replaceSubrange(low..<high, with: pending)
            pending = []
            guard (1...Leaf.capacity).contains(all.count) else { return .replaced(Leaf.leaves(all)) }
            leaf.numbers = all
            // A leaf that has become small may be merged with a neighbour.
            return high > low ? .replaced([leaf]) : .changed
        }
    }

    @Test(arguments: [UInt64(1), 2, 3, 4])
    func randomChangesEqualAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = (0..<300).map { _ in random.below(100) }
        var tree = Tree(Leaf.leaves(model))
        var snapshots: [(Tree, [Int])] = []
        var levels = 0
        for step in 0..<1_500 {
            let low = random.below(model.count + 1)
            let high = min(model.count, low + random.below(random.once(in: 60) ? 400 : 6))
            let new = (0..<random.below(random.once(in: 60) ? 300 : 6)).map { _ in random.below(100) }
            switch random.below(4) {
            case 0 where low < model.count:
                model.replaceSubrange(low..<high, with: new)
                Self.replace(&tree, low..<high, new)
            case 1 where low < model.count:
                let value = random.below(100)
                // An increased number can be added to the sums. A decreased one may have been the maximum, so
                // recompute.
                let isAdded = value >= model[low] && random.once(in: 2)
                model[low] = value
                let isChanged = tree.changeLeaf(where: { $0.count <= low }) { leaf, before in
                    let delta = value - leaf.numbers[low - before.count]
                    leaf.numbers[low - before.count] = value
                    return isAdded ? .added(Sum(count: 0, total: delta, greatest: value)) : .changed
                }
                #expect(isChanged)
            default:
                model.replaceSubrange(low..<high, with: new)
                let tail = Self.split(tree, at: high).1
                tree = Self.split(tree, at: low).0
                tree.append(Tree(Leaf.leaves(new)))
                tree.append(tail)
            }
            levels = max(levels, tree.levels)
            if step % 100 == 0 { snapshots.append((tree, model)) }
            guard step % 15 == 0, !model.isEmpty else { continue }
            Self.check(tree, model, "seed \(seed), step \(step)")
            // Find by two measures: the index, and the sum before it.
            let place = random.below(model.count)
            let (leaf, sum, before) = tree.leaf { $0.count <= place }
            let found = leaf.takeUnretainedValue()
            #expect(before == Self.sum(model[..<before.count]) && sum == found.summary)
            #expect(found.numbers[place - before.count] == model[place])
            let total = Self.sum(model[...place]).total
            let second = tree.leaf { $0.total < total }
            #expect(second.before.total < total || total == 0)
            #expect(second.before.total + second.sum.total >= total)
        }
        #expect(levels > 4, "too few numbers to have levels")
        for (snapshot, numbers) in snapshots { Self.check(snapshot, numbers, "a copy, seed \(seed)") }
    }

    @Test func appendedLeavesFillTheirNodes() {
        var tree = Tree()
        for number in 0..<1024 { tree.append(Tree(Leaf([number, number]))) }
        Self.check(tree, (0..<1024).flatMap { [$0, $0] }, "appended")
        // Four to the fifth leaves, in as few levels as if all were added at once.
        #expect(tree.levels == 6)
    }

    @Test func smallNeighboursAreJoined() {
        var tree = Tree(Leaf.leaves(Array(0..<4096)))
        for start in stride(from: 4080, through: 0, by: -16) { Self.replace(&tree, start..<start + 15, []) }
        Self.check(tree, Array(stride(from: 15, to: 4096, by: 16)), "one of sixteen is left")
        var leaves = 0
        tree.forEachLeaf { _, _ in
            leaves += 1
            return true
        }
        #expect(leaves <= 192, "256 numbers are in \(leaves) leaves")
        Self.replace(&tree, 0..<252, [])
        Self.check(tree, Array(stride(from: 15 + 252 * 16, to: 4096, by: 16)), "four are left")
        #expect(tree.levels <= 3)
    }

    @Test func walkOverLeavesSkipsSubtreesAndStopsEarly() {
        let tree = Tree(Leaf.leaves(Array(0..<200)))
        var entered: [Int] = []
        var stops = 0
        let end = tree.forEachLeaf({ before, _ in
            if before.count >= 100 { stops += 1 }
            return before.count >= 100 ? .stop : .enter
        }) { _, _ in true }
        #expect(end && stops <= tree.levels, "a walk that stops at a place leaves each level there")
        let isComplete = tree.forEachLeaf({ before, own in
            before.count >= 100 ? .stop : own.greatest >= 50 ? .enter : .skip
        }) { leaf, _ in
            entered.append(leaf.numbers[0])
            return leaf.numbers[0] < 80
        }
        #expect(!isComplete && entered == Array(stride(from: 48, through: 80, by: 4)))
    }

    @Test func aTreeWithoutLeavesStaysEmpty() {
        var tree = Tree()
        tree.update({ _, _, _ in .enter }) { _, _ in .changed }
        #expect(tree.isEmpty && tree.levels == 0 && tree.summary == Sum())
        tree.append(Tree(Leaf.leaves([1, 2])))
        Self.replace(&tree, 0..<2, [])
        #expect(tree.isEmpty && tree.levels == 0)
    }
}

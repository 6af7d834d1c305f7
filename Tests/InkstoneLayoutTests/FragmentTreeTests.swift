import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// The tree of heights, compared with an array of the same fragments.
@Suite(.timeLimit(.minutes(5))) struct FragmentTreeTests {
    private static func fragment(_ random: inout SeededGenerator) -> Fragment {
        let isGap = Int.random(in: 0..<8, using: &random) == 0
        return Fragment(
            units: Int.random(in: 1...9, using: &random), paragraphs: Int.random(in: 0...1, using: &random),
            height: Float(Int.random(in: 0...40, using: &random)), isGap: isGap, lines: nil,
            width: Float(Int.random(in: 0...3, using: &random)))
    }

    private static func sum(_ fragments: some Sequence<Fragment>) -> FragmentSum {
        fragments.reduce(into: FragmentSum()) { $0.add($1) }
    }

    private static func isSame(_ a: FragmentSum, _ b: FragmentSum) -> Bool {
        (a.units, a.paragraphs, a.gapUnits, a.gapParagraphs) == (b.units, b.paragraphs, b.gapUnits, b.gapParagraphs)
            && (a.height, a.width) == (b.height, b.width)
    }

    /// Replacements of every size make the tree grow to three levels and shrink to a single fragment.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func replacementsLeaveWhatAnArrayHas(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = [Fragment(units: 1, paragraphs: 1, height: 0, isGap: true, lines: nil)]
        let tree = FragmentTree(units: 1, paragraphs: 1)
        for step in 0..<3000 {
            let grows = step < 1500
            let first = Int.random(in: 0..<model.count, using: &random)
            let most = Int.random(in: 0..<10, using: &random) == 0 ? 400 : 3
            let count = min(model.count - first, Int.random(in: 1...(grows ? 3 : most), using: &random))
            var new = Int.random(in: 0...(grows ? most : 2), using: &random)
            if count == model.count { new = max(1, new) }
            let fragments = (0..<new).map { _ in Self.fragment(&random) }
            let low = model[..<first].reduce(0) { $0 + $1.units }
            let high = low + model[first..<first + count].reduce(0) { $0 + $1.units }
            model.replaceSubrange(first..<first + count, with: fragments)
            tree.replace(low..<high, with: fragments)
            guard Self.isSame(tree.total, Self.sum(model)) else {
                Issue.record("seed \(seed), step \(step): total \(tree.total)")
                return
            }
            guard step % 10 == 0 else { continue }
            let any = Int.random(in: 0..<model.count, using: &random)
            // Find it again, and then its neighbours: the last result is cached.
            for index in [any, any, max(0, any - 1), min(any + 1, model.count - 1)] {
                let before = Self.sum(model[..<index])
                let found = tree.fragment(at: before.units + model[index].units - 1)
                guard Self.isSame(found.before, before), found.fragment.units == model[index].units,
                    found.fragment.height == model[index].height
                else {
                    Issue.record("seed \(seed), step \(step): fragment \(index) is \(found)")
                    return
                }
            }
        }
    }

    /// Fragments that were split and merged again cost no more than ones never split.
    @Test func removedFragmentsAreNotKept() {
        let tree = FragmentTree(units: 10_000, paragraphs: 10_000)
        let line = Fragment(units: 1, paragraphs: 1, height: 16, isGap: false, lines: nil)
        tree.replace(0..<10_000, with: Array(repeating: line, count: 10_000))
        let levels = tree.shape.levels
        #expect(levels >= 3)
        for unit in stride(from: 9_990, through: 0, by: -10) { tree.replace(unit..<unit + 9, with: []) }
        #expect(tree.total.units == 1000)
        // Neighbours that are both less than half full were merged.
        #expect(tree.shape.levels <= levels)
        #expect(tree.shape.leaves <= 4 * 1000 / FragmentTree.fanOut + 1)
    }
}

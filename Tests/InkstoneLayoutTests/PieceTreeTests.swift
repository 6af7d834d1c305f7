import InkstoneTesting
import Testing

@testable import InkstoneLayout

/// The tree of heights beside a plain array of the same pieces.
@Suite(.timeLimit(.minutes(5))) struct PieceTreeTests {
    private static func piece(_ random: inout SeededGenerator) -> Piece {
        let isGap = Int.random(in: 0..<8, using: &random) == 0
        return Piece(
            units: Int.random(in: 1...9, using: &random), paragraphs: Int.random(in: 0...1, using: &random),
            height: Float(Int.random(in: 0...40, using: &random)), isGap: isGap, layout: nil,
            width: Float(Int.random(in: 0...3, using: &random)))
    }

    private static func sum(_ pieces: some Sequence<Piece>) -> PieceSum {
        pieces.reduce(into: PieceSum()) { $0.add($1) }
    }

    private static func isSame(_ a: PieceSum, _ b: PieceSum) -> Bool {
        (a.units, a.paragraphs, a.gapUnits, a.gapParagraphs) == (b.units, b.paragraphs, b.gapUnits, b.gapParagraphs)
            && (a.height, a.width) == (b.height, b.width)
    }

    /// Grows to three levels and shrinks to a single piece again, by replacements of every size.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func replacementsLeaveWhatAnArrayHas(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = [Piece(units: 1, paragraphs: 1, height: 0, isGap: true, layout: nil)]
        let tree = PieceTree(units: 1, paragraphs: 1)
        for step in 0..<3000 {
            let grows = step < 1500
            let first = Int.random(in: 0..<model.count, using: &random)
            let most = Int.random(in: 0..<10, using: &random) == 0 ? 400 : 3
            let count = min(model.count - first, Int.random(in: 1...(grows ? 3 : most), using: &random))
            var new = Int.random(in: 0...(grows ? most : 2), using: &random)
            if count == model.count { new = max(1, new) }
            let pieces = (0..<new).map { _ in Self.piece(&random) }
            let low = model[..<first].reduce(0) { $0 + $1.units }
            let high = low + model[first..<first + count].reduce(0) { $0 + $1.units }
            model.replaceSubrange(first..<first + count, with: pieces)
            tree.replace(low..<high, with: pieces)
            guard Self.isSame(tree.total, Self.sum(model)) else {
                Issue.record("seed \(seed), step \(step): total \(tree.total)")
                return
            }
            if step % 10 == 0 {
                let index = Int.random(in: 0..<model.count, using: &random)
                let before = Self.sum(model[..<index])
                let found = tree.piece(at: before.units + model[index].units - 1)
                guard Self.isSame(found.before, before), found.piece.units == model[index].units,
                    found.piece.height == model[index].height
                else {
                    Issue.record("seed \(seed), step \(step): piece \(index) is \(found)")
                    return
                }
            }
        }
    }

    /// Joining keeps it shallow: what was cut into single pieces costs no more than what was not.
    @Test func whatIsTakenAwayIsNotKept() {
        let tree = PieceTree(units: 10_000, paragraphs: 10_000)
        let line = Piece(units: 1, paragraphs: 1, height: 16, isGap: false, layout: nil)
        tree.replace(0..<10_000, with: Array(repeating: line, count: 10_000))
        #expect(tree.shape.levels == 3)
        for unit in stride(from: 9_990, through: 0, by: -10) { tree.replace(unit..<unit + 9, with: []) }
        #expect(tree.total.units == 1000)
        // Two neighbours that are both less than half full have become one.
        #expect(tree.shape.levels <= 3)
        #expect(tree.shape.leaves <= 1000 / 16 + 1)
    }
}

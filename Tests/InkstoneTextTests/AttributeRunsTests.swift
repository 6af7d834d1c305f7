import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct AttributeRunsTests {
    private static let ids = (0..<4).map {
        AttributeTable.id(of: TestKeys.attributes($0 == 0 ? [:] : [TestKeys.Weight.name: $0]))
    }

    private static func runs(_ count: Int, _ value: Int) -> AttributeRuns { AttributeRuns(length: count, ids[value]) }

    private static func expanded(_ runs: AttributeRuns) -> [Int] {
        runs.idList.flatMap { run in [Int](repeating: ids.firstIndex(of: run.id) ?? -1, count: run.length) }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func randomChangesEqualAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = [Int](repeating: 0, count: 20_000)
        var runs = Self.runs(model.count, 0)
        var snapshots: [(AttributeRuns, [Int])] = []
        var most = 0
        for i in 0..<8_000 {
            let low = random.below(model.count + 1)
            let high = min(model.count, low + random.below(random.once(in: 400) ? 3000 : 8))
            let value = random.below(4)
            switch random.below(4) {
            case 0:
                let length = random.below(random.once(in: 400) ? 3000 : 8)
                model.replaceSubrange(low..<high, with: [Int](repeating: value, count: length))
                runs.replace(low..<high, with: Self.runs(length, value))
            case 1:
                for j in low..<high { model[j] = (model[j] + value) % 4 }
                _ = runs.update(low..<high) { id in
                    Self.ids[((Self.ids.firstIndex(of: id) ?? 0) + value) % 4]
                }
            default:
                for j in low..<high { model[j] = value }
                runs.replace(low..<high, with: Self.runs(high - low, value))
            }
            if i % 1000 == 0 { snapshots.append((runs, model)) }
            if i % 500 == 0 {
                most = max(most, runs.runCount)
                let problems = runs.checkInvariants()
                #expect(problems.isEmpty, "seed \(seed), \(i): \(problems)")
                #expect(Self.expanded(runs) == model, "seed \(seed), \(i)")
                #expect(Self.expanded(runs.slice(low..<high)) == Array(model[low..<min(high, model.count)]))
                let at = random.below(model.count)
                #expect(runs.id(at: at) == Self.ids[model[at]])
                #expect(runs.isPlain == model.allSatisfy { $0 == 0 })
            }
        }
        #expect(most > 2048, "too few runs to have levels")
        for (snapshot, values) in snapshots { #expect(Self.expanded(snapshot) == values) }
    }

    @Test func equalAttributesAreOneObjectAndOneRun() {
        let a = TestKeys.attributes([TestKeys.Weight.name: 7, TestKeys.Link.name: 1])
        var b = TextAttributes(TestKeys.Link.self, 1)
        b[TestKeys.Weight.self] = 7
        #expect(AttributeTable.id(of: a) == AttributeTable.id(of: b))
        var runs = AttributeRuns(length: 3, a)
        runs.append(AttributeRuns(length: 2, b))
        #expect(runs.runCount == 1 && runs.length == 5)
        #expect(runs.run(at: 4)?.attributes == a && runs.run(at: 99)?.range == 0..<5)
        #expect(AttributeRuns().run(at: 0) == nil)
    }
}

import FoundationEssentials
import InkstoneAttributedText
import InkstoneBase
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneText

@Suite(.timeLimit(.minutes(5))) struct AttributeRunsTests {
    @Test(arguments: [UInt64(1), 2, 3])
    func randomChangesEqualAnArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var model = [Int](repeating: 0, count: 20_000)
        var runs = AttributeRuns(length: model.count, value: 0)
        var snapshots: [(AttributeRuns<Int>, [Int])] = []
        var most = 0
        for i in 0..<8_000 {
            let low = random.below(model.count + 1)
            let high = min(model.count, low + random.below(random.once(in: 50) ? 3000 : 8))
            let range = UTF16Offset(low)..<UTF16Offset(high)
            let value = random.below(4)
            switch random.below(4) {
            case 0:
                let length = random.below(random.once(in: 50) ? 3000 : 8)
                model.replaceSubrange(low..<high, with: [Int](repeating: value, count: length))
                runs.replace(range, with: AttributeRuns(length: length, value: value))
            case 1:
                for j in low..<high { model[j] = (model[j] + value) % 4 }
                runs.update(in: range) { $0 = ($0 + value) % 4 }
            default:
                for j in low..<high { model[j] = value }
                runs.set(value, in: range)
            }
            if i % 1000 == 0 { snapshots.append((runs, model)) }
            if i % 500 == 0 {
                most = max(most, runs.runCount)
                let problems = runs.checkInvariants()
                #expect(problems.isEmpty, "\(problems)")
                #expect(expanded(runs) == model)
                let slice = runs.slice(range)
                #expect(expanded(slice) == Array(model[low..<high]))
                let at = random.below(model.count)
                #expect(runs.run(at: UTF16Offset(at))?.value == model[at])
            }
        }
        #expect(most > 1024, "too few runs to have levels")
        for (snapshot, values) in snapshots { #expect(expanded(snapshot) == values) }
    }

    private func expanded(_ runs: AttributeRuns<Int>) -> [Int] {
        runs.runs.flatMap { [Int](repeating: $0.value, count: $0.range.length()) }
    }

    @Test func editsMoveAttributesAndTypedTextTakesAfterWhatStandsBefore() {
        let store = TextStore("plain bold plain")
        var runs = AttributeRuns(length: 16, value: "plain")
        runs.set("bold", in: 6..<10)
        let observation = store.observe { edit in
            runs.apply(edit) { before, after in before ?? after ?? "plain" }
        }
        store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "😀 ")
        store.replace(UTF16Offset(13)..<UTF16Offset(13), with: "er")
        store.replace(UTF16Offset(9)..<UTF16Offset(10), with: "")
        #expect(
            runs.runs.map { "\(store.text.string(in: $0.range))|\($0.value)" } == [
                "😀 plain |plain", "older|bold", " plain|plain",
            ])
        store.replace(store.text.utf16Range, with: "")
        #expect(runs.length == 0 && runs.run(at: 0) == nil)
        withExtendedLifetime(observation) {}
    }

    enum Level: AttributedStringKey {
        typealias Value = Int
        static let name = "inkstone.test.level"
    }

    @Test func attributedStringsComeInAndGoOutWithKeysOfAnyKind() {
        var string = AttributedString("日本😀 text")
        let range =
            string.index(
                string.startIndex, offsetByCharacters: 1)..<string.index(string.startIndex, offsetByCharacters: 4)
        string[range][Level.self] = 7
        let text = Rope(string)
        let runs = AttributeRuns(string)
        #expect(runs.length == text.metrics.utf16)
        #expect(runs.runs.map { $0.range } == [0..<1, 1..<5, 5..<9])
        #expect(runs.attributedString(of: text, in: text.utf16Range) == string)
        let part = runs.attributedString(of: text, in: 1..<4)
        #expect(String(part.characters) == "本😀" && part.runs.first?[Level.self] == 7)
    }
}

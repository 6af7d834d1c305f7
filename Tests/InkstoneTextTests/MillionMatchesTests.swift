import InkstoneBase
import InkstoneText
import Testing
import TextTestSupport

/// Replacing a million matches in a hundred megabytes in one step, and undoing it (a hundred times fewer in a debug
/// build).
@Suite(.timeLimit(.minutes(5))) struct MillionMatchesTests {
    private static let matches = LargeText.isOptimized ? 1_000_000 : 10_000

    /// Processor time of this thread for finding, replacing and undoing, in milliseconds.
    private struct Cost {
        var finding = 0.0
        var applying = 0.0
        var undoing = 0.0
        var isWithinASecondOrThree: Bool { finding + applying <= 3000 && undoing <= 3000 }
        func isWithin(_ factor: Double, of other: Cost) -> Bool {
            finding <= factor * other.finding + 20 && applying <= factor * other.applying + 20
                && undoing <= factor * other.undoing + 20
        }
    }

    /// Replaces so many matches, one in 100 bytes, and undoes that.
    private static func replaceAll(_ matches: Int) throws -> Cost {
        let line = String(repeating: "payload of a line ", count: 5) + "needle 12\n"
        let unit = line.utf8.count
        let store = TextStore(LargeText.repeating(line, bytes: matches * unit))
        let before = store.text
        let all = before.metrics.bytes / unit
        var applied: [AppliedTransaction] = []
        let observation = store.observeTransactions { applied.append($0) }
        defer { withExtendedLifetime(observation) {} }
        var cost = Cost()
        let start = LargeText.processorTime
        let search = try TextSearch("needle")
        let (changes, count) = try #require(try search.replacingAll(in: store.text, with: "pin"))
        let found = LargeText.processorTime
        store.apply(Transaction(on: store, changes))
        let made = LargeText.processorTime
        #expect(count == all && applied.count == 1, "\(count) matches, \(applied.count) transactions")
        let after = store.text
        #expect(after.metrics.bytes == before.metrics.bytes - 3 * all)
        for place in [0, all / 2, all - 1] {
            let range = ByteOffset(place * (unit - 3))..<ByteOffset((place + 1) * (unit - 3))
            #expect(String(decoding: after.bytes(in: range), as: UTF8.self) == line.replacing("needle", with: "pin"))
        }
        let whole = LargeText.processorTime
        store.undo()
        cost.undoing = LargeText.processorTime - whole
        #expect(store.text.metrics == before.metrics && !store.canUndo && applied.count == 2)
        let end = before.byteRange.upperBound - unit..<before.byteRange.upperBound
        #expect(store.text.bytes(in: end) == Array(line.utf8))
        (cost.finding, cost.applying) = (found - start, made - found)
        return cost
    }

    /// INT 72. The target is one second each, which `inkstone-bench find` checks on an idle machine. Sharing caches
    /// and cores with other programs may at most double the processor time: hence three seconds here. The time per
    /// match must not grow from a tenth of the matches to all, apart from caching.
    @Test func replacingThemIsOneStepThatGrowsWithTheirNumber() throws {
        let few = try Self.replaceAll(Self.matches / 10)
        let many = try Self.replaceAll(Self.matches)
        func whole(_ time: Double) -> Int { Int(time.rounded(.up)) }
        print(
            "\(Self.matches) matches: found in \(whole(many.finding)) ms of this thread, replaced in \(whole(many.applying)) ms, "
                + "undone in \(whole(many.undoing)) ms; a tenth of them: \(whole(few.finding)), \(whole(few.applying)), "
                + "\(whole(few.undoing)) ms")
        #expect(many.isWithinASecondOrThree)
        #expect(many.isWithin(40, of: few), "ten times as many")
    }
}

import ArgumentParser
import InkstoneBase
import InkstoneText

/// A benchmark of attributes: the memory for a run, and a key in a text with many runs compared with a text without
/// attributes.
struct StyleBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "styles", abstract: "A text with many runs of attributes beside one without.")

    @Option(help: "How many runs, 50 UTF-16 units each.") var count = 100_000

    private enum Weight: CodedAttributeKey {
        typealias Value = Int
        static let name = "bench.weight"
    }

    func run() {
        let text = Rope(String(repeating: "The quick brown fox jumps over the lazy dog again.", count: count))
        let attributes = (0..<8).map { TextAttributes(Weight.self, $0) }
        let before = Stopwatch.privateMemory()
        var runs = AttributeRuns()
        let build = Stopwatch.each(1, rounds: 1) { _ in
            for i in 0..<count { runs.append(AttributeRuns(length: 50, attributes[i % 8])) }
        }
        Figure.show("styles-memory-a-run", Double(Stopwatch.privateMemory() - before) / Double(count), "B")
        Figure.show("styles-append-a-run", build / Double(count), "ns")
        let plain = key(StyledText(text))
        let styled = key(StyledText(text, runs: runs))
        Figure.show("styles-key-without-runs", plain, "ns")
        Figure.show("styles-key-with-runs", styled, "ns")
        Figure.show("styles-key-ratio", styled / plain, "×")
        let restyled = TextStore(StyledText(text, runs: runs))
        let all = restyled.text.utf16Range
        Figure.show(
            "styles-restyle-all",
            Stopwatch.each(1, rounds: 1) { _ in
                restyled.restyle { $0.set(9, of: Weight.self, in: all) }
            } / 1e6, "ms")
        Figure.show("styles-undo-that", Stopwatch.each(1, rounds: 1) { _ in _ = restyled.undo() } / 1e6, "ms")
        precondition(restyled.styledText.runs?.runCount == count)
    }

    /// Returns the time of typing a letter at random positions through the store, in nanoseconds.
    private func key(_ text: StyledText) -> Double {
        let store = TextStore(text)
        let length = text.rope.metrics.utf16
        var random: UInt64 = 1
        return Stopwatch.each(20_000) { _ in
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let at = UTF16Offset(Int((random >> 33) % UInt64(length)))
            store.replace(at..<at, with: "x", origin: .typing)
        }
    }
}

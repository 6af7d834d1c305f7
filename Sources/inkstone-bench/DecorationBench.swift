import ArgumentParser
import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView

/// A benchmark of a million decorations: the cost of a key at one position and at random positions, of listing the
/// visible decorations, and of memory.
struct DecorationBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decorations", abstract: "A million ranges that follow edits of the text.")

    @Option(help: "How many decorations, 100 UTF-16 units apart.") var count = 1_000_000

    func run() {
        let all = (0..<count).map { Decoration(range: UTF16Offset($0 * 100)..<UTF16Offset($0 * 100 + 6)) }
        let withArray = Stopwatch.privateMemory()
        var set = DecorationSet()
        let build = Stopwatch.each(1, rounds: 1) { _ in set = DecorationSet(all) }
        let memory = Stopwatch.privateMemory() - withArray
        Figure.show("decorations-build", build / 1e6, "ms")
        Figure.show("decorations-memory-each", Double(memory) / Double(count), "B")
        let length = count * 100
        let middle = UTF16Offset(length / 2 + 50)
        Figure.show(
            "decorations-key-at-one-place",
            Stopwatch.each(100_000) { set.replace((middle + $0)..<(middle + $0), byUTF16Length: 1) },
            "ns")
        var random: UInt64 = 1
        func place() -> UTF16Offset {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UTF16Offset(Int((random >> 33) % UInt64(length)))
        }
        Figure.show(
            "decorations-key-at-random-places",
            Stopwatch.each(100_000) { _ in
                let at = place()
                set.replace(at..<at, byUTF16Length: 1)
            }, "ns")
        var seen = 0
        Figure.show(
            "decorations-window-of-40",
            Stopwatch.each(10_000) { _ in
                let at = place()
                set.forEach(in: at..<(at + 4000)) { _ in
                    seen += 1
                    return true
                }
            }, "ns")
        let edits = (0..<(count / 10)).map {
            (range: UTF16Offset($0 * 1000 + 50)..<UTF16Offset($0 * 1000 + 52), length: 5)
        }
        let many = Stopwatch.each(1, rounds: 1) { _ in set.replace(edits) }
        Figure.show("decorations-through-many-edits", many / 1e6, "ms")
        blackHole(all)
        key(all.map(\.range))
        precondition(seen > 0 && set.count == count)
    }

    /// Measures a key in the middle of a text, including layout and painting, without decorations and with all of
    /// them.
    private func key(_ ranges: [Range<UTF16Offset>]) {
        let line = String(repeating: "ink on paper ", count: 7) + "lines at\n"
        func median(_ ranges: [Range<UTF16Offset>]) -> Double {
            let view = EditorView(
                store: TextStore(Rope(repeating: line, bytes: count * 100)),
                font: FontDescriptor(family: "DejaVu Sans Mono", size: 14))
            view.setFrame(WindowRect(x: 0, y: 0, width: 800, height: 600))
            view.setFocused(true)
            view.addDecorations(ranges, attributes: RenderingAttributes(background: .white), in: .spelling)
            view.select(Selection(caret: UTF16Offset(count / 2 * 100 + 50)))
            let canvas = RecordingCanvas(size: Size(width: 800, height: 600))
            var times: [Int] = []
            for _ in 0..<2000 {
                let start = Stopwatch.processorTime()
                view.insertText("x")
                view.paint(on: canvas, damage: WindowRect(x: 0, y: 280, width: 800, height: 40))
                times.append(Stopwatch.processorTime() - start)
                canvas.reset()
            }
            return Double(times.sorted()[1000])
        }
        let (without, with) = (median([]), median(ranges))
        Figure.show("decorations-key-in-view-without", without / 1000, "µs")
        Figure.show("decorations-key-in-view-with", with / 1000, "µs")
        Figure.show("decorations-key-in-view-ratio", with / without, "×")
    }
}

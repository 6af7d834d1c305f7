import ArgumentParser
import InkstoneBase
import InkstoneLayout
import InkstonePrint
import InkstoneText

/// Measures pages a second beside the time that their layout alone takes.
struct PrintBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Pages as PDF, and the layout of the same text alone.")

    @Option(help: "How many pages of about 50 lines.") var pages = 1000

    func run() throws {
        let lines = [
            ("english", "The quick brown fox jumps over the lazy dog, and then it writes a letter home.\n"),
            ("arabic", "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا.\n"),
            ("japanese", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。\n"),
        ]
        for (name, line) in lines {
            let text = StyledText(Rope(String(repeating: line, count: pages * 50)))
            let printer = PagePrinter(text, font: FontDescriptor(family: "DejaVu Sans", size: 14))
            let memory = Stopwatch.privateMemory()
            var (made, bytes) = (0, 0)
            let time = try Stopwatch.time {
                made = try printer.print { (piece) throws(PrintError) in bytes += piece.count }
            }.nanoseconds
            Figure.show("print-\(name)-pages-a-second", Double(made) * 1e9 / Double(time), "")
            Figure.show("print-\(name)-bytes-a-page", Double(bytes / max(1, made)), "B")
            Figure.show("print-\(name)-memory", Double(max(0, Stopwatch.privateMemory() - memory)) / 1e6, "MB")
            Figure.show("print-\(name)-layout-ms", Double(layOut(text)) / 1e6, "ms")
            Figure.show("print-\(name)-ms", Double(time) / 1e6, "ms")
        }
    }

    /// Nanoseconds for the lines alone, as wide as on paper.
    private func layOut(_ text: StyledText) -> Int {
        let layout = TextLayoutManager(
            store: TextStore(text), container: TextContainer(width: 4800),
            font: FontDescriptor(family: "DejaVu Sans", size: 105))
        return Stopwatch.time {
            var next: UTF16Offset? = 0
            while let start = next {
                next = nil
                var left = 50
                layout.enumerateTextLayoutFragments(from: start) { fragment in
                    left -= 1
                    next = fragment.utf16Range.isEmpty ? nil : fragment.utf16Range.upperBound
                    return left > 0 && next != nil
                }
                if let next { layout.forgetLines(before: next) }
            }
        }.nanoseconds
    }
}

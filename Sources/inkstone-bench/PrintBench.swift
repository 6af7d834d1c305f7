import ArgumentParser
import InkstoneBase
import InkstoneLayout
import InkstonePrint
import InkstoneText

/// A benchmark of printing: the pages per second, and the time that their layout alone takes.
struct PrintBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Pages as PDF, and the layout of the same text alone.")

    @Option(help: "How many pages of about 50 lines.") var pages = 1000

    @Option(help: "A large text instead, of so many megabytes or up to twice that; 1000 takes minutes.") var megabytes:
        Int?

    func run() throws {
        if let megabytes { return try printLargeText(of: megabytes * 1_000_000) }
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

    /// Prints a text that is larger than the memory limit of a printer. The memory figure is the maximum without the
    /// text itself, sampled at every thousandth page.
    private func printLargeText(of bytes: Int) throws {
        let line = "The quick brown fox jumps over the lazy dog, and then it writes a letter home.\n"
        var text = Rope(String(repeating: line, count: 10_000))
        // Append the rope to itself, which shares its nodes: the whole text only needs some megabytes.
        while text.metrics.bytes < bytes { text.append(text) }
        let printer = PagePrinter(StyledText(text), font: FontDescriptor(family: "DejaVu Sans", size: 14))
        let memory = Stopwatch.privateMemory()
        var (made, written, most) = (0, 0, 0)
        func note(_ progress: PrintProgress) -> Bool {
            if progress.pages % 1000 == 0 { most = max(most, Stopwatch.privateMemory() - memory) }
            return true
        }
        let time = try Stopwatch.time {
            made = try printer.print(progress: note) { (piece) throws(PrintError) in written += piece.count }
        }.nanoseconds
        most = max(most, Stopwatch.privateMemory() - memory)
        Figure.show("print-large-text", Double(text.metrics.bytes) / 1e6, "MB")
        Figure.show("print-large-pages", Double(made), "")
        Figure.show("print-large-pages-a-second", Double(made) * 1e9 / Double(time), "")
        Figure.show("print-large-bytes-a-page", Double(written / max(1, made)), "B")
        Figure.show("print-large-memory", Double(most) / 1e6, "MB")
        Figure.show("print-large-ms", Double(time) / 1e6, "ms")
    }

    /// Returns the time for laying out the lines alone, at the paper's width, in nanoseconds.
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

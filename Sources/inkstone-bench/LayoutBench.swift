import ArgumentParser
import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Figures of the layout: shaping, opening, keys, scrolling, memory. Needs no display.
struct LayoutBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "layout", abstract: "Measure shaping, lines and geometry.")

    /// Size of the large text in megabytes.
    @Option(help: "Size of the large text in megabytes.") var megabytes = 100

    func run() {
        shaping()
        keys()
        longLine()
        scrolling()
    }

    private static let english =
        "The quick brown fox jumps over the lazy dog, and then it writes a letter home about 14 other animals. "
    private static let arabic = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا. "
    private static let japanese = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"

    private func layout(_ text: String, width: Double = 900, wraps: Bool = true, family: String = "DejaVu Sans")
        -> TextLayoutManager
    {
        TextLayoutManager(
            store: TextStore(Rope(text)),
            container: TextContainer(width: width, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
            font: FontDescriptor(family: family, size: 14))
    }

    private func row(_ name: String, _ value: String) {
        print(name.padded(56) + value)
    }

    private func layOutAll(_ layout: TextLayoutManager) {
        var y = 0.0
        while y < layout.usageHeight {
            _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: y, width: 1, height: 2000))
            y += 2000
        }
    }

    /// Shaping words that were never seen, and words that come again.
    private func shaping() {
        let cold = (0..<40).map { line in (0..<12).map { "w\(line)x\($0)abcdq" }.joined(separator: " ") }
            .joined(separator: "\n")
        for (name, family) in [("DejaVu Sans", "DejaVu Sans"), ("DejaVu Sans Mono", "DejaVu Sans Mono")] {
            let warm = layout(cold, family: family)
            layOutAll(warm)
            var best = Int.max
            for round in 0..<5 {
                let text = cold.replacingX(with: "\(round)")
                let fresh = TextStore(Rope(text))
                warm.forgetWords()
                let manager = TextLayoutManager(sharing: warm, store: fresh)
                best = min(best, Stopwatch.time { layOutAll(manager) }.nanoseconds)
            }
            row("lay out new words, \(name)", Stopwatch.text(Double(best) / Double(cold.utf16.count)) + "/glyph")
            best = .max
            for _ in 0..<5 {
                let manager = TextLayoutManager(sharing: warm, store: warm.store)
                layOutAll(manager)
                manager.invalidateLayout()
                best = min(best, Stopwatch.time { layOutAll(manager) }.nanoseconds)
            }
            row("lay out known words, \(name)", Stopwatch.text(Double(best) / Double(cold.utf16.count)) + "/glyph")
        }
        for (name, text) in [("Arabic", Self.arabic), ("Japanese", Self.japanese)] {
            let manager = layout(String(repeating: text + "\n", count: 200))
            layOutAll(manager)
            manager.forgetWords()
            manager.invalidateLayout()
            let time = Stopwatch.time { layOutAll(manager) }.nanoseconds
            row("lay out 200 lines, \(name)", Stopwatch.text(Double(time) / Double(text.utf16.count * 200)) + "/unit")
        }
    }

    /// One key in the middle of texts of two sizes and of one long line: edit, lay out, caret, fragments on screen.
    private func keys() {
        let line = String(repeating: Self.english, count: 1) + "\n"
        let large = String(repeating: line, count: megabytes * 1_000_000 / line.utf8.count)
        for (name, text) in [
            ("100 KB", String(large.prefix(100_000))), ("\(megabytes) MB", large),
            ("one line of 1 MB", String(repeating: Self.english, count: 1_000_000 / Self.english.utf8.count)),
            (
                "one line of 1 MB, Japanese",
                String(repeating: Self.japanese, count: 1_000_000 / Self.japanese.utf8.count)
            ),
        ] {
            let store = TextStore(Rope(text))
            let manager = TextLayoutManager(
                store: store, container: TextContainer(width: 900),
                font: FontDescriptor(family: "DejaVu Sans", size: 14))
            var at = UTF16Offset(store.text.metrics.utf16 / 2)
            let open = Stopwatch.time { screen(manager, around: at) }.nanoseconds
            var times: [Int] = []
            var layoutTimes: [Int] = []
            for i in 0..<400 {
                let start = Stopwatch.now()
                let edit = store.replace(at..<at, with: i % 6 == 5 ? " " : "e", kind: .typing)
                let middle = Stopwatch.now()
                manager.apply(edit)
                at += 1
                blackHole(manager.caretRect(at: at))
                layoutTimes.append(Stopwatch.now() - middle)
                blackHole(manager.firstRect(for: at..<at))
                times.append(Stopwatch.now() - start)
            }
            times.sort()
            layoutTimes.sort()
            row("first screen in the middle of \(name)", Stopwatch.text(Double(open)))
            row(
                "key in \(name), median and p99",
                Stopwatch.text(Double(times[200])) + "  " + Stopwatch.text(Double(times[396]))
                    + "  (layout " + Stopwatch.text(Double(layoutTimes[200])) + ")")
        }
    }

    private func screen(_ manager: TextLayoutManager, around offset: UTF16Offset) {
        let anchor = ScrollAnchor(offset: offset, distance: 0)
        manager.ensureLayout(around: anchor, above: 400, below: 800)
        let y = manager.y(of: anchor)
        var glyphs = 0
        for fragment in manager.textLayoutFragments(in: DocumentRect(x: 0, y: y, width: 900, height: 800)) {
            for line in fragment.textLineFragments { glyphs += line.glyphs.count }
        }
        blackHole(glyphs)
    }

    /// One line of 100 MB, wrapped and not.
    private func longLine() {
        let text = String(repeating: Self.english, count: megabytes * 1_000_000 / Self.english.utf8.count)
        for wraps in [true, false] {
            let before = memory()
            let store = TextStore(Rope(text))
            let loaded = memory()
            let manager = TextLayoutManager(
                store: store,
                container: TextContainer(width: 900, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
                font: FontDescriptor(family: "DejaVu Sans", size: 14))
            let first = Stopwatch.time {
                blackHole(manager.textLayoutFragments(in: DocumentRect(x: 0, y: 0, width: 900, height: 800)).count)
            }.nanoseconds
            let middle = Stopwatch.time { screen(manager, around: UTF16Offset(store.text.metrics.utf16 / 2)) }
                .nanoseconds
            row(
                "one line of \(megabytes) MB, \(wraps ? "wrapped" : "not wrapped"): first screen, its middle",
                Stopwatch.text(Double(first)) + "  " + Stopwatch.text(Double(middle)))
            row(
                "  memory of the text and of its layout",
                "\((loaded - before) >> 20) MB  \((memory() - loaded) >> 10) KB")
        }
    }

    private func memory() -> Int { Stopwatch.privateMemory() }

    /// A screen further down each time: what a wheel costs before painting.
    private func scrolling() {
        let manager = layout(String(repeating: Self.english + Self.english + "\n", count: 100_000))
        var y = 0.0
        let step = Stopwatch.each(2000, rounds: 1) { _ in
            y += 57
            var glyphs = 0
            for fragment in manager.textLayoutFragments(in: DocumentRect(x: 0, y: y, width: 900, height: 800)) {
                for line in fragment.textLineFragments { line.forEachGlyph { _ in glyphs += 1 } }
            }
            blackHole(glyphs)
        }
        row("scroll by three lines and collect the screen's glyphs", Stopwatch.text(step))
    }
}

extension String {
    fileprivate func replacingX(with other: String) -> String {
        String(map { $0 == "x" ? Character(other) : $0 })
    }
}

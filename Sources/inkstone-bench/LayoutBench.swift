import ArgumentParser
import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A benchmark of the layout: shaping, opening, keys, scrolling and memory. It needs no display.
struct LayoutBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "layout", abstract: "Measure shaping, lines and geometry.")

    @Option(help: "Size of the large texts in megabytes.") var megabytes = 100
    @Option(help: "Size of the largest text in megabytes; 0 leaves it out.") var largest = 1000

    @Option(help: "How often shaping is measured: the best counts.") var rounds = 9

    @Option(help: "Measure only what has this in its name.") var only = ""

    func run() {
        shaping()
        if isWanted("scroll-three-lines") { scrolling() }
        documents()
        longLines()
    }

    private func isWanted(_ name: String) -> Bool { only.isEmpty || name.contains(only) }

    private static let english =
        "The quick brown fox jumps over the lazy dog, and then it writes a letter home about 14 other animals. "
    private static let arabic = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا. "
    private static let hebrew = "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם, כולם חוננו בתבונה ובמצפון. "
    private static let japanese = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"
    private static let mixed = "some words, מילים בעברית, 14 more (نص عربي) and 日本語 😀 at the end "

    private func layout(_ text: Rope, width: Double = 900, wraps: Bool = true, family: String = "DejaVu Sans")
        -> TextLayoutManager
    {
        TextLayoutManager(
            store: TextStore(text),
            container: TextContainer(width: width, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
            font: FontDescriptor(family: family, size: 14))
    }

    private func layOutAll(_ layout: TextLayoutManager) {
        var y = 0.0
        while y < layout.usageHeight {
            _ = layout.textLayoutFragments(in: DocumentRect(x: 0, y: y, width: 1, height: 2000))
            y += 2000
        }
    }

    /// Measures the whole layout from text to lines, with words that are not in the cache and with cached words.
    private func shaping() {
        words()
        let cold = (0..<40).map { line in (0..<12).map { "w\(line)x\($0)abcdq" }.joined(separator: " ") }
            .joined(separator: "\n")
        for (name, family) in [("sans", "DejaVu Sans"), ("mono", "DejaVu Sans Mono")] {
            let warm = layout(Rope(cold), family: family)
            layOutAll(warm)
            let glyphs = Double(cold.utf16.count)
            var best = Double.infinity
            for round in 0..<(isWanted("new-words-\(name)") ? rounds : 0) {
                let fresh = TextStore(Rope(cold.replacingX(with: "\(round)")))
                warm.forgetWords()
                let manager = TextLayoutManager(sharing: warm, store: fresh)
                best = min(best, Stopwatch.each(1, rounds: 1) { _ in layOutAll(manager) })
            }
            if best < .infinity { Figure.show("layout-new-words-\(name)", best / glyphs, "ns/glyph") }
            best = .infinity
            for _ in 0..<(isWanted("known-words-\(name)") ? rounds : 0) {
                let manager = TextLayoutManager(sharing: warm, store: warm.store)
                layOutAll(manager)
                manager.invalidateLayout()
                best = min(best, Stopwatch.each(1, rounds: 1) { _ in layOutAll(manager) })
            }
            if best < .infinity { Figure.show("layout-known-words-\(name)", best / glyphs, "ns/glyph") }
        }
        for (name, unit) in [("arabic", Self.arabic), ("japanese", Self.japanese), ("mixed", Self.mixed)]
        where isWanted("200-lines-\(name)") {
            let text = String(repeating: unit + "\n", count: 200)
            let manager = layout(Rope(text))
            layOutAll(manager)
            manager.forgetWords()
            manager.invalidateLayout()
            let time = Stopwatch.each(1, rounds: 1) { _ in layOutAll(manager) }
            Figure.show("layout-200-lines-\(name)", time / Double(text.utf16.count), "ns/unit")
        }
    }

    /// Measures shaping alone, with words that are not in the cache and with cached words.
    private func words() {
        guard isWanted("shape-words") else { return }
        let manager = layout(Rope(Self.english))
        let lines = (0..<40).map { line in Array((0..<12).map { "w\(line)x\($0)abcdq" }.joined(separator: " ").utf16) }
        let count = Double(lines.reduce(0) { $0 + $1.count })
        func time() -> Double {
            Stopwatch.each(1, rounds: 1) { _ in for line in lines { blackHole(manager.shape(line)) } }
        }
        var (new, known) = (Double.infinity, Double.infinity)
        for _ in 0..<10 * rounds {
            manager.forgetWords()
            new = min(new, time())
            known = min(known, time())
        }
        Figure.show("layout-shape-words-new", new / count, "ns/glyph")
        Figure.show("layout-shape-words-known", known / count, "ns/glyph")
    }

    /// Measures keys, the first screen and memory in documents of every size, and in a line of a megabyte.
    private func documents() {
        let line = Self.english + "\n"
        var sizes = [("1KB", 1000), ("100KB", 100_000), ("\(megabytes)MB", megabytes * 1_000_000)]
        if largest > 0 { sizes.append(("\(largest)MB", largest * 1_000_000)) }
        // Load the fonts before, which the first layout of a process does: that is not part of a document's cost.
        let before = Stopwatch.privateMemory()
        let fonts = layout(Rope(line + Self.japanese))
        screen(fonts, around: 0)
        Figure.show("layout-memory-fonts", Double(max(0, Stopwatch.privateMemory() - before)) / 1024, "KB")
        defer { blackHole(fonts) }
        for (name, bytes) in sizes where isWanted("in-\(name)") {
            keys("in-\(name)", Rope(repeating: line, bytes: bytes))
        }
        for (name, unit) in [("english", Self.english), ("japanese", Self.japanese)] {
            let full = "in-line-of-1MB-\(name)"
            if isWanted(full) { keys(full, Rope(repeating: unit, bytes: 1_000_000)) }
        }
    }

    /// Measures keys in the middle of a text: the edit of the store, its layout, the carets, and the glyphs of the
    /// area to repaint.
    private func keys(_ name: String, _ text: Rope, wraps: Bool = true) {
        let store = TextStore(text)
        let before = Stopwatch.privateMemory()
        let manager = TextLayoutManager(
            store: store, container: TextContainer(width: 900, lineBreakMode: wraps ? .byWordWrapping : .byClipping),
            font: FontDescriptor(family: "DejaVu Sans", size: 14))
        let first = Stopwatch.each(1, rounds: 1) { _ in screen(manager, around: 0) }
        Figure.show("layout-first-screen-\(name)", first / 1e6, "ms")
        var at = store.text.roundedDown(toGrapheme: UTF16Offset(store.text.metrics.utf16 / 2))
        let middle = Stopwatch.each(1, rounds: 1) { _ in screen(manager, around: at) }
        Figure.show("layout-middle-screen-\(name)", middle / 1e6, "ms")
        var times: [Int] = []
        var lines: [Double] = []
        for i in 0..<400 {
            let start = Stopwatch.processorTime()
            let edit = store.replace(at..<at, with: i % 6 == 5 ? " " : "e", origin: .typing)
            let change = manager.apply(edit)
            at += 1
            blackHole(manager.geometry.caretRect(at: at))
            blackHole(manager.geometry.firstRect(for: at..<at))
            times.append(Stopwatch.processorTime() - start)
            lines.append(change.band.height / manager.lineHeight)
            // Lay out the rest of the screen before the next key, outside of the measured time.
            screen(manager, around: at)
        }
        times.sort()
        lines.sort()
        Figure.show("layout-key-\(name)", Double(times[200]) / 1e3, "µs")
        Figure.show("layout-key-p99-\(name)", Double(times[396]) / 1e3, "µs")
        Figure.show("layout-key-lines-\(name)", lines[200], "lines")
        Figure.show("layout-memory-\(name)", Double(max(0, Stopwatch.privateMemory() - before)) / 1024, "KB")
    }

    private func screen(_ manager: TextLayoutManager, around offset: UTF16Offset) {
        let anchor = ScrollAnchor(offset: offset, distance: 0)
        manager.ensureLayout(around: anchor, above: 400, below: 800)
        let y = manager.geometry.y(of: anchor)
        let x = max(0, manager.geometry.caretRect(at: offset).minX - 450)
        glyphs(manager, DocumentRect(x: x, y: y, width: 900, height: 800))
    }

    private func glyphs(_ manager: TextLayoutManager, _ rect: DocumentRect) {
        var count = 0
        for fragment in manager.textLayoutFragments(in: rect) {
            for line in fragment.textLineFragments where line.top < rect.maxY && line.top > rect.minY - 40 {
                line.withGlyphs { count += $0.count }
            }
        }
        blackHole(count)
    }

    /// Measures a line of `megabytes` MB of each script, wrapped and not: opening, scrolling, typing. Also measures
    /// typing in lines of 10 KB, 200 KB and 1 MB. The first two are short enough for their bidi levels to be
    /// resolved as a whole.
    private func longLines() {
        let bytes = megabytes * 1_000_000
        let kinds: [(String, String)] = [
            ("ascii", Self.english), ("arabic", Self.arabic), ("hebrew", Self.hebrew), ("mixed", Self.mixed),
            ("japanese", Self.japanese),
        ]
        for (name, unit) in kinds where isWanted("line-\(name)") {
            for (size, bytes) in [("10KB", 10_000), ("200KB", 200_000), ("1MB", 1_000_000)] {
                keys("line-\(name)-\(size)", Rope(repeating: unit, bytes: bytes))
            }
            let text = Rope(repeating: unit, bytes: bytes)
            for wraps in [true, false] { longLine("line-\(name)\(wraps ? "" : "-unwrapped")", text, wraps) }
        }
        guard isWanted("line-marks") else { return }
        // Measure also a line of the same size that has a grapheme cluster with ten thousand combining marks.
        var builder = RopeBuilder()
        func add(_ text: String) {
            var text = text
            text.withUTF8 { builder.append(UnsafeRawBufferPointer($0)) }
        }
        let half = String(repeating: Self.english, count: bytes / 2 / Self.english.utf8.count)
        add(half)
        add("a" + String(repeating: "\u{301}", count: 10_000) + " ")
        add(half)
        let marks = builder.finish()
        for wraps in [true, false] { longLine("line-marks\(wraps ? "" : "-unwrapped")", marks, wraps) }
    }

    private func longLine(_ name: String, _ text: Rope, _ wraps: Bool) {
        keys(name, text, wraps: wraps)
        let manager = layout(text, wraps: wraps)
        var anchor = ScrollAnchor(offset: UTF16Offset(text.metrics.utf16 / 3), distance: 0)
        screen(manager, around: anchor.offset)
        var x = manager.geometry.caretRect(at: anchor.offset).minX
        var worst = 0
        let step = Stopwatch.each(200, rounds: 1) { _ in
            let start = Stopwatch.processorTime()
            if wraps {
                let y = manager.geometry.y(of: anchor) + 57
                glyphs(manager, DocumentRect(x: 0, y: y, width: 900, height: 800))
                anchor = manager.geometry.scrollAnchor(atY: y)
            } else {
                x += 200
                glyphs(manager, DocumentRect(x: x, y: 0, width: 900, height: 800))
            }
            worst = max(worst, Stopwatch.processorTime() - start)
        }
        Figure.show("layout-scroll-\(name)", step / 1e3, "µs")
        Figure.show("layout-scroll-worst-\(name)", Double(worst) / 1e3, "µs")
        guard wraps else { return }
        let rewrap = Stopwatch.each(4, rounds: 1) { i in
            manager.container.width = i % 2 == 0 ? 700 : 900
            screen(manager, around: anchor.offset)
        }
        Figure.show("layout-rewrap-\(name)", rewrap / 1e3, "µs")
    }

    /// Measures scrolling by three lines at a time: the cost of a wheel step before painting.
    private func scrolling() {
        let manager = layout(Rope(repeating: Self.english + Self.english + "\n", bytes: 20_000_000))
        var y = 0.0
        let step = Stopwatch.each(2000, rounds: 1) { _ in
            y += 57
            glyphs(manager, DocumentRect(x: 0, y: y, width: 900, height: 800))
        }
        Figure.show("layout-scroll-three-lines", step / 1e3, "µs")
    }
}

extension String {
    fileprivate func replacingX(with other: String) -> String {
        String(map { $0 == "x" ? Character(other) : $0 })
    }
}

import ArgumentParser
import DisplayTestSupport
import Foundation
import Inkstone
import InkstoneBase
import InkstoneLayout
import InkstoneMarkdown
import InkstoneRichText
import InkstoneTesting
import InkstoneText
import InkstoneView

/// A benchmark of styled text: a large document with many runs in a text view, pictures, and file formats. The text
/// widgets of other toolkits are measured with the same document, if they have been built.
struct RichBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rich", abstract: "A document with many runs, pictures and Markdown, beside other toolkits.",
        discussion: "“scripts/bench rich” builds the other toolkits' programs as well.")

    @Option(help: "How many runs, 100 bytes each.") var runs = 100_000
    @Option(help: "How many pictures.") var pictures = 1000
    @Option(help: "How many windows in the text.") var views = 200
    @Option(help: "Megabytes of Markdown.") var megabytes = 7
    @Option(help: "How many short paragraphs are restyled.") var paragraphs = 200_000
    @Option(help: "How many keys are struck for each figure.") var keys = 200

    private static let line =
        String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 3).prefix(99) + "\n"

    func run() throws {
        CharacterLocale.prepare()
        let server = try XServer(width: 1280, height: 1024)
        defer { server.end() }
        let text = Rope(String(repeating: String(Self.line), count: runs))
        let before = Stopwatch.privateMemory()
        let (styled, time) = Stopwatch.time { Self.styled(text, runs) }
        Figure.show("rich.build", Double(time) / 1e6, "ms")
        try measure(styled, server, since: before, builtIn: time)
        let plain = try key(StyledText(text), server)
        Figure.show("rich.key.plain", plain / 1000, "µs")
        let key = try key(styled, server)
        Figure.show("rich.key", key / 1000, "µs")
        Figure.show("rich.key.per-plain", key / plain, "x")
        try measurePictures(server)
        try measureViews(server)
        try measureParagraphs(server)
        try measureFormats(styled)
        try measurePeers(server)
    }

    /// Returns paragraphs in eight styles, each a single run.
    private static func styled(_ text: Rope, _ count: Int) -> StyledText {
        let styles = (0..<8).map { index in
            var style = TextAttributes()
            if index & 1 != 0 { style[FontSlantAttribute.self] = .italic }
            if index & 2 != 0 { style[ForegroundAttribute.self] = Color(rgb: 0xcc0000) }
            if index & 4 != 0 { style[FontSizeAttribute.self] = 18 }
            return style
        }
        var runs = AttributeRuns()
        for i in 0..<count { runs.append(AttributeRuns(length: line.utf16.count, styles[i % 8])) }
        return StyledText(text, runs: runs)
    }

    /// Measures showing and editing a text.
    ///
    /// - Parameters:
    ///   - before: the memory of this process before the text was built, in bytes.
    ///   - built: the time in which the text was built, in nanoseconds.
    private func measure(_ text: StyledText, _ server: XServer, since before: Int, builtIn built: Int) throws {
        let (scene, time) = try Stopwatch.time {
            let scene = try KeyScene(text, server)
            try scene.paint()
            return scene
        }
        defer { scene.end() }
        Figure.show("rich.first-text", Double(time) / 1e6, "ms")
        // The time from the start to a visible page, as the other toolkits' programs measure it.
        Figure.show("rich.loaded", Double(built + time) / 1e6, "ms")
        let bytes = Double(text.rope.metrics.bytes)
        Figure.show("rich.memory-above-text", (Double(Stopwatch.privateMemory() - before) - bytes) / 1e6, "MB")
        let view = scene.view
        view.select(Selection(anchor: 0, head: text.rope.utf16Range.upperBound))
        for (name, work) in [
            ("rich.bold-all", { view.session.toggleAttribute(200, of: FontWeightAttribute.self) }),
            ("rich.undo-that", { view.session.undo() }),
        ] {
            let time = try Stopwatch.time {
                work()
                try scene.paint()
            }.nanoseconds
            Figure.show(name, Double(time) / 1e6, "ms")
        }
    }

    /// Measures commands over many short paragraphs: of text without attributes, of text with an emphasized word in
    /// each paragraph, and of quotations of Markdown, which have different attributes each.
    private func measureParagraphs(_ server: XServer) throws {
        for (name, page) in [("plain", "a line\n\n"), ("words", "a *short* line\n\n"), ("quotes", "> a line\n\n")] {
            let document = try MarkdownDocument(String(repeating: page, count: paragraphs))
            let scene = try KeyScene(document.text, server)
            defer { scene.end() }
            try scene.paint()
            let view = scene.view
            view.options.acceptsStyles = true
            view.select(Selection(anchor: 0, head: view.textRange.upperBound))
            for (kind, work) in [
                ("heading", { view.session.dispatch(view.session.state.settingHeading(1)) }),
                ("undo-that", { view.session.undo() }), ("center", { view.perform(.alignCenter) }),
            ] as [(String, () -> Any?)] {
                let start = Stopwatch.processorTime()
                _ = work()
                try scene.paint()
                Figure.show("rich.paragraphs.\(name).\(kind)", Double(Stopwatch.processorTime() - start) / 1e6, "ms")
            }
        }
    }

    private func key(_ text: StyledText, _ server: XServer) throws -> Double {
        let scene = try KeyScene(text, server)
        defer { scene.end() }
        try scene.start()
        return try scene.times(keys, pause: 0)[keys / 2]
    }

    /// Measures the longest turn of the window's event loop while the user scrolls through all pictures, by a page
    /// in each turn.
    private func measurePictures(_ server: XServer) throws {
        var runs = AttributeRuns()
        for index in 0..<pictures {
            // Make all pictures different, so that each has to be decoded.
            var picture = TextAttachment(image: TestImages.png + [UInt8(index & 255), UInt8(index >> 8 & 255)])
            picture?.size = Size(width: 300, height: 200)
            var style = TextAttributes()
            style[AttachmentAttribute.self] = picture
            runs.append(AttributeRuns(length: 1, style))
            runs.append(AttributeRuns(length: 1, TextAttributes()))
        }
        let text = StyledText(Rope(String(repeating: "\u{fffc}\n", count: pictures)), runs: runs)
        let scene = try KeyScene(text, server)
        defer { scene.end() }
        try scene.paint()
        try scroll(scene, pages: pictures / 3, "rich.pictures")
    }

    /// Measures the longest turn of the event loop while the user scrolls through attachments that are X windows,
    /// which are created when they become visible.
    private func measureViews(_ server: XServer) throws {
        let type = "application/x-bench"
        let attachment = TextAttachment(contents: [1], type: type, size: Size(width: 200, height: 24))
        var style = TextAttributes()
        style[AttachmentAttribute.self] = attachment
        var runs = AttributeRuns()
        let line = "\u{fffc} and some text behind it\n"
        for _ in 0..<views {
            runs.append(AttributeRuns(length: 1, style))
            runs.append(AttributeRuns(length: line.utf16.count - 1, TextAttributes()))
        }
        let scene = try KeyScene(StyledText(Rope(String(repeating: line, count: views)), runs: runs), server)
        defer { scene.end() }
        scene.view.presenter.viewportLayout.attachmentViews.register(WindowProvider.self, forType: type)
        try scene.paint()
        try scroll(scene, pages: views / 10, "rich.views")
    }

    /// An attachment that shows an X window of its own in the text.
    private final class WindowProvider: TextAttachmentViewProvider {
        private final class Box: AttachmentWindow, WindowDelegate {
            func window(_ window: InkstoneX11.Window, paint canvas: any Canvas, damage: [WindowRect]) {
                canvas.setClip(damage)
                canvas.fill(window.bounds, Color(rgb: 0x3366cc))
            }
        }

        override func loadView() {
            guard let text = textView as? TextView, let box = try? Box(in: text) else { return }
            box.window.delegate = box
            view = box
        }
    }

    private func scroll(_ scene: KeyScene, pages: Int, _ name: String) throws {
        var turns: [Int] = []
        for _ in 0..<max(1, pages) {
            let start = Stopwatch.processorTime()
            scene.view.scroll(by: 600)
            scene.display.processEvents()
            turns.append(Stopwatch.processorTime() - start)
            try scene.pump(milliseconds: 5)
        }
        turns.sort()
        Figure.show("\(name).page.median", Double(turns[turns.count / 2]) / 1e6, "ms")
        Figure.show("\(name).page.longest", Double(turns.last ?? 0) / 1e6, "ms")
    }

    private func measureFormats(_ text: StyledText) throws {
        for (name, format) in [("html", RichTextFormat.html), ("rtf", .rtf)] {
            let (bytes, writing) = Stopwatch.time { format.write(text) }
            Figure.show("rich.\(name).write", Double(writing) / 1e6, "ms")
            let reading = Stopwatch.time { blackHole(format.read(bytes)) }.nanoseconds
            Figure.show("rich.\(name).read", Double(reading) / 1e6, "ms")
        }
        let page = """
            # A heading

            A paragraph with *emphasis*, **strong** and `code`, and a [link](http://example.org/ "title") over
            two lines of the source.

            - an item
            - another one
              with more

            > quoted


            """
        let source = String(repeating: page, count: max(1, megabytes * 1_000_000 / page.utf8.count))
        do {
            let (document, reading) = try Stopwatch.time { try MarkdownDocument(source) }
            Figure.show("rich.markdown.read", Double(reading) / 1e6, "ms")
            var edited = document.text
            edited.apply(TextChangeSet(replacing: UTF16Offset(4)..<UTF16Offset(5), with: Rope("x"), in: edited.rope))
            let writing = Stopwatch.time { blackHole(document.write(edited)) }.nanoseconds
            Figure.show("rich.markdown.write-one-edit", Double(writing) / 1e6, "ms")
        } catch {
            Figure.report("\(error)")
        }
    }

    /// Runs the text widgets of other toolkits, which measure themselves and print figures in the same format.
    private func measurePeers(_ server: XServer) throws {
        for name in ["gtk3", "qt6"] {
            let path = Products.path(of: "inkstone-peer-\(name)-rich")
            guard FileManager.default.isExecutableFile(atPath: path) else {
                Figure.report("\(name) is left out: “scripts/bench rich” builds it")
                continue
            }
            let peer = Process()
            peer.executableURL = URL(fileURLWithPath: path)
            peer.arguments = ["\(runs)", String(Self.line)]
            peer.environment = ProcessInfo.processInfo.environment.merging(
                ["DISPLAY": server.display, "NO_AT_BRIDGE": "1", "QT_QPA_PLATFORM": "xcb"]) { $1 }
            try peer.run()
            peer.waitUntilExit()
        }
    }
}

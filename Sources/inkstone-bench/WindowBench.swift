import ArgumentParser
import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A benchmark of the editor in use: opening its window, keys, scrolling and idling.
///
/// It starts an Xvfb of its own and the editor built beside it, and observes them from outside. Keys are injected
/// by XTEST, changes of the window are reported by XDamage, and requests are counted by a proxy. For each figure,
/// the same is measured with a bare window (`scripts/bare-window.c`), and the figure is also printed as a multiple
/// of that (`times-bare`).
struct WindowBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "window", abstract: "Measure the editor in a window: opening, keys, scrolling, traffic, rest.",
        discussion:
            "“scripts/bench window” builds the editor and the bare window that it is compared with, and runs this.")

    @Option(help: "The editor; by default the one beside this program.")
    var editor = Products.path(of: "inkstone")

    @Option(
        help: "The bare window to compare with, made of scripts/bare-window.c; by default the one beside this program.")
    var bare = Products.path(of: "inkstone-bare-window")

    @Option(help: "How often each text is opened.") var opens = 20

    @Option(help: "How many keys are struck for each figure.") var keys = 200

    @Option(help: "Size of the large text in megabytes.") var megabytes = 100

    @Option(help: "How long nothing must have changed before the next key is struck, in milliseconds.") var pause = 12.0

    @Option(help: "Measure only what has this in its name, such as open. or key.1KB.") var only = ""

    func run() throws {
        for program in [editor, bare] where access(program, X_OK) != 0 {
            throw ValidationError("There is no program “\(program)”. “scripts/bench window” builds it.")
        }
        let scene = try WindowScene(editor: editor, bare: bare)
        defer { scene.end() }
        let yardstick = Yardstick(scene, pause: pause)
        let large = Sample.log(bytes: megabytes * 1_000_000)
        for (name, text) in [
            ("1KB", large.prefix(1000)), ("1MB", large.prefix(1_000_000)), ("\(megabytes)MB", large[...]),
            ("oneline", Sample.line(bytes: 1_000_000)[...]), ("mixed", Sample.mixed(bytes: 1_000_000)[...]),
            ("utf16", Sample.utf16(Sample.log(bytes: 500_000))[...]),
        ] {
            if isWanted("open.\(name)") { try open(try scene.file(Array(text)), name, scene, yardstick) }
            for percent in name == "1KB" || name == "1MB" ? [50, 100] : [50] {
                let place = "\(name).\(percent == 50 ? "middle" : "end")"
                guard isWanted("key.\(place)") else { continue }
                // Use a new file: otherwise a question about unsaved changes of the last run would get the keys.
                try type(try scene.file(Array(text)), place, percent, scene, yardstick)
            }
        }
        if isWanted("scroll.line") || isWanted("scroll.page") { try scroll(scene, yardstick) }
        for work in Yardstick.Work.allCases where isWanted(work.name) && !yardstick.has(work) {
            if work == .open {
                for _ in 0..<opens { _ = try yardstick.open() }
            } else {
                _ = try yardstick.strike(work, keys)
            }
        }
        yardstick.show()
        if isWanted("traffic") { try countTraffic(scene) }
        if isWanted("rest") { try rest(scene) }
    }

    private func isWanted(_ name: String) -> Bool { only.isEmpty || name.contains(only) }

    /// Measures the time from the start of the program until its window shows text, in turn with the bare window.
    private func open(_ file: String, _ name: String, _ scene: WindowScene, _ yardstick: Yardstick) throws {
        let (times, bare) = try yardstick.open(opens) { try scene.start(file) }
        Spread(times).show("window.open.\(name)", beside: Spread(bare))
    }

    /// Measures the time from a key until the line with the caret changes on the screen, the processor time for a
    /// key, and the editor's memory.
    private func type(
        _ file: String, _ place: String, _ percent: Int, _ scene: WindowScene, _ yardstick: Yardstick
    ) throws {
        let bare = try yardstick.strike(.key, keys)
        let (editor, _) = try scene.start(file, ["--goto", "\(percent)%"])
        defer { editor.end() }
        scene.probe.focus(true)
        scene.probe.waitUntilIdle(300)
        let name = "window.key.\(place)"
        let (times, processor) = try scene.probe.typeLetters(keys, into: editor, pause: pause)
        Spread(times).show(name, beside: Spread(bare.times))
        Figure.show("\(name).processor", processor, "ms")
        Figure.show("\(name).processor.times-bare", processor / bare.processor, "x")
        Figure.show("window.memory.\(place)", Double(editor.proportionalMemory) / 1024, "MB")
    }

    /// Measures scrolling by a line and by a page.
    private func scroll(_ scene: WindowScene, _ yardstick: Yardstick) throws {
        let file = try scene.file(Sample.log(bytes: 1_000_000))
        for (work, key, count) in [
            (Yardstick.Work.line, WindowProbe.downKey, 200), (.page, WindowProbe.pageDownKey, 50),
        ] where isWanted(work.rawValue) {
            let bare = try yardstick.strike(work, count)
            let (editor, _) = try scene.start(file, geometry: "1000x940+0+0")
            defer { editor.end() }
            let probe = scene.probe
            probe.focus(true)
            probe.waitUntilIdle(300)
            var times: [Double] = []
            // Do not measure the first steps, which only move the caret to the bottom of the window, without scrolling.
            for i in -70..<count {
                let time = try probe.answer(to: key, pause: pause) { i < 0 || $0.height >= 100 }
                if i >= 0 { times.append(time) }
            }
            Spread(times).show("window.\(work.rawValue)", beside: Spread(bare.times))
        }
    }

    /// Counts the traffic of a key on the main connection.
    private func countTraffic(_ scene: WindowScene) throws {
        let proxy = try CountingProxy(to: scene.server)
        defer { proxy.end() }
        let file = try scene.file(Sample.log(bytes: 1000))
        let (editor, _) = try scene.start(file, ["--goto", "50%"], display: proxy.display)
        defer { editor.end() }
        let probe = scene.probe
        probe.focus(true)
        probe.waitUntilIdle(300)
        // Return the counts of the main connection, the first one that the editor opens.
        func counts() -> CountingProxy.Counts { proxy.counts[0] }
        for _ in 0..<20 { _ = try probe.answer(to: 38) }
        probe.waitUntilIdle(300)
        var single: [CountingProxy.Counts] = []
        let start = counts()
        for _ in 0..<100 {
            let before = counts()
            _ = try probe.answer(to: 38)
            single.append(counts() - before)
        }
        let all = counts() - start
        Figure.show("window.key.requests", Double(single.map(\.requests).sorted()[50]), "")
        Figure.show("window.key.bytes", Double(single.map(\.requestBytes).sorted()[50]), "B")
        Figure.show("window.keys100.requests", Double(all.requests), "")
        Figure.show("window.keys100.bytes", Double(all.requestBytes), "B")
        Figure.show("window.keys100.replies", Double(all.replies), "")
    }

    /// Counts how often the editor is woken up while it is idle.
    private func rest(_ scene: WindowScene) throws {
        let file = try scene.file(Sample.log(bytes: 1000))
        let (editor, _) = try scene.start(file)
        defer { editor.end() }
        let probe = scene.probe
        for focused in [true, false] {
            // Press a key, which makes the caret blink and the journal be written. The editor is idle ten seconds
            // later.
            probe.focus(true)
            probe.strike(38)
            if !focused { probe.focus(false) }
            poll(nil, 0, focused ? 11_000 : 3_000)
            let before = editor.wakeUps
            poll(nil, 0, 5000)
            Figure.show(
                "window.rest.\(focused ? "focused" : "unfocused").5s.wake-ups", Double(editor.wakeUps - before), "")
        }
    }
}

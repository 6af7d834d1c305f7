import ArgumentParser
import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A benchmark of the traffic between the editor and its X server, and of the times that a user of a distant server
/// has to wait.
///
/// The editor runs behind a counting proxy: first without delay, then over a link with a simulated delay. The last
/// lines are a table in Markdown.
struct TrafficBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "traffic", abstract: "Count what the editor sends for an opening, keys and scrolling.",
        discussion: "“scripts/bench traffic” builds the editor and a scripted input method, and runs this.")

    @Option(help: "The editor; by default the one beside this program.")
    var editor = Products.path(of: "inkstone")

    @Option(help: "Milliseconds that the slow link takes each way.") var delay = 50.0

    @Option(help: "Kilobits that pass the slow link in a second, each way.") var kilobits = 1000.0

    /// An action of the user.
    private struct Step {
        var name: String
        var keycode: UInt8
    }

    /// The actions, with their keycodes on an American keyboard.
    private static let steps = [
        Step(name: "a letter for the first time", keycode: 52), Step(name: "a letter", keycode: 52),
        Step(name: "Backspace", keycode: 22), Step(name: "Down", keycode: 116), Step(name: "Page Down", keycode: 117),
        Step(name: "Page Up", keycode: 112),
    ]
    private static let composition = [
        Step(name: "the first key of a composition", keycode: 45), Step(name: "the second", keycode: 38),
        Step(name: "its end", keycode: 36),
    ]

    private struct Row {
        var name: String
        var counts: CountingProxy.Counts
        var milliseconds: Double
    }

    func run() throws {
        guard access(editor, X_OK) == 0 else {
            throw ValidationError("There is no program “\(editor)”. “scripts/bench traffic” builds it.")
        }
        let scene = try WindowScene(editor: editor, bare: "")
        defer { scene.end() }
        let proxy = try CountingProxy(to: scene.server)
        defer { proxy.end() }
        let method = InputMethodServerDriver(
            program: Products.path(of: "inkstone-xim-server"), options: ["--mode", "kana-like"],
            log: "\(scene.home)/xim.log",
            environment: ["DISPLAY": scene.server.display, "PATH": "/usr/bin:/bin", "HOME": scene.home])
        try method.start()
        defer { method.end() }
        let local = try rows(scene, proxy)
        var link = CountingProxy.Link.slow
        (link.delay, link.rate) = (max(0, delay), max(1, kilobits) * 1000 / 8)
        proxy.link = link
        let slow = try rows(scene, proxy)
        print("| | requests | bytes sent | bytes received | round trips | ms | ms, \(Int(2 * delay)) ms away |")
        print("|---|---|---|---|---|---|---|")
        for (local, slow) in zip(local, slow) {
            let counts = slow.counts
            let numbers = [counts.requests, counts.requestBytes, counts.answerBytes, counts.roundTrips]
            let times = [local.milliseconds, slow.milliseconds].map { Int($0.rounded()) }
            print("| \(local.name) | \((numbers + times).map { "\($0)" }.joined(separator: " | ")) |")
        }
    }

    private func rows(_ scene: WindowScene, _ proxy: CountingProxy) throws -> [Row] {
        try rows(Self.steps, scene, proxy, ["XMODIFIERS": "@im=none"], opening: true)
            + rows(Self.composition, scene, proxy, ["XMODIFIERS": "@im=inkstone"], opening: false)
    }

    private func rows(
        _ steps: [Step], _ scene: WindowScene, _ proxy: CountingProxy, _ variables: [String: String], opening: Bool
    ) throws -> [Row] {
        // Use a new file, because unsaved edits of an earlier one would be recovered. The text has no "z": a typed
        // "z" is a letter that was not shown before.
        let file = try scene.file(Sample.log(bytes: 20_000))
        var before = proxy.total
        let (process, milliseconds) = try scene.start(
            file, ["--goto", "50%"], display: proxy.display, adding: variables)
        defer { process.end() }
        var rows: [Row] = []
        func add(_ name: String, _ milliseconds: Double) {
            let now = proxy.total
            rows.append(Row(name: name, counts: now - before, milliseconds: milliseconds))
            before = now
        }
        if opening { add("opening until text is seen", milliseconds) }
        scene.probe.focus(true)
        scene.probe.waitUntilIdle(2500)
        if opening { add("what follows an opening", 0) }
        for step in steps {
            before = proxy.total
            let time = try scene.probe.answer(to: step.keycode, pause: 400)
            add(step.name, time)
        }
        return rows
    }
}

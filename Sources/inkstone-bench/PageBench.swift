import ArgumentParser
import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A benchmark of many Page_Downs sent at once: the time until the window no longer changes.
///
/// A program that paints every page has more work than a program that only paints the last one. The peers of
/// `scripts/bench peers` are measured in turn, if they have been built.
struct PageBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pages", abstract: "Measure Page_Downs sent at once, beside other toolkits' text widgets.",
        discussion:
            "“scripts/bench pages” builds the editor and the peers, and runs this; those that are there are measured.")

    @Option(help: "The editor; by default the one beside this program.")
    var editor = Products.path(of: "inkstone")

    @Option(help: "How many keys are sent at once.") var keys = 100

    @Option(help: "How often all programs are measured in turn.") var rounds = 5

    @Option(help: "Size of the text in bytes.") var bytes = 1_000_000

    @Option(help: "Measure only the programs with this in their names, such as xaw. Repeat for more.")
    var only: [String] = []

    func run() throws {
        var programs = Peer.all(editor: editor).filter { access($0.command[0], X_OK) == 0 }
        if !only.isEmpty { programs.removeAll { program in !only.contains { program.name.contains($0) } } }
        guard !programs.isEmpty else {
            throw ValidationError("There is no program “\(editor)”. “scripts/bench pages” builds it.")
        }
        // Pass no bare window, which this benchmark does not need.
        let scene = try WindowScene(editor: editor, bare: "")
        defer { scene.end() }
        let text = Sample.log(bytes: bytes)
        var times = programs.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (i, program) in programs.enumerated() {
                let file = try scene.file(text)
                let (process, _) = try scene.start(program.words(file, percent: 0), showing: "text")
                defer { process.end() }
                scene.probe.focus(true)
                scene.probe.waitUntilIdle(500)
                times[i].append(scene.probe.timeOfBurst(WindowProbe.pageDownKey, keys))
            }
        }
        for (program, times) in zip(programs, times) { Spread(times).show("pages.\(program.name)") }
    }
}

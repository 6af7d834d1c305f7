import ArgumentParser
import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A benchmark that compares the editor with plain text widgets of other toolkits, all observed from outside by the
/// same probe.
///
/// The peers are small programs of `scripts/peers`. They are measured in rounds, each in turn with the bare window,
/// because a machine's speed varies by more than the differences to measure. The last lines are a table in
/// Markdown.
struct PeerBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers", abstract: "Measure the editor beside other toolkits' text widgets: opening and keys.",
        discussion: "“scripts/bench peers” builds the editor, the bare window and the peers, and runs this.")

    @Option(help: "The editor; by default the one beside this program.")
    var editor = Products.path(of: "inkstone")

    @Option(help: "The bare window, made of scripts/bare-window.c; by default the one beside this program.")
    var bare = Products.path(of: "inkstone-bare-window")

    @Option(help: "How often all programs are measured in turn.") var rounds = 7

    @Option(help: "How often each is opened in a round.") var opens = 3

    @Option(help: "How many keys are struck in each in a round.") var keys = 40

    @Option(help: "Size of the text in bytes.") var bytes = 1000

    @Option(help: "How long nothing must have changed before the next key is struck, in milliseconds.") var pause = 12.0

    @Option(help: "Measure only the programs with this in their names, such as xaw. Repeat for more.")
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Another program to measure: a name, and its words, among them FILE and PERCENT, which says where the caret is to stand.",
            valueName: "name=command"))
    var peer: [String] = []

    func run() throws {
        var programs = Peer.all(editor: editor)
        for peer in peer {
            let parts = peer.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ValidationError("“\(peer)” is no peer. Write it as NAME=COMMAND.") }
            programs.append(
                Peer(name: parts[0], command: ["/usr/bin/env"] + parts[1].split(separator: " ").map(String.init)))
        }
        if !only.isEmpty { programs.removeAll { program in !only.contains { program.name.contains($0) } } }
        for program in [bare] + programs.map(\.command[0]) where access(program, X_OK) != 0 {
            throw ValidationError("There is no program “\(program)”. “scripts/bench peers” builds it.")
        }
        let scene = try WindowScene(editor: editor, bare: bare)
        defer { scene.end() }
        let yardstick = Yardstick(scene, pause: pause)
        let text = Sample.log(bytes: bytes)
        var results = programs.map { _ in PeerResult() }
        for round in 0..<rounds {
            for (i, program) in programs.enumerated() {
                Figure.report("round \(round + 1) of \(rounds): \(program.name)")
                try results[i].measure(program, text, scene, yardstick, opens: opens, keys: keys, pause: pause)
            }
        }
        for (program, result) in zip(programs, results) { result.show("peers.\(program.name)") }
        yardstick.show()
        print(
            "\n| \(bytes) bytes | start → first text | bare windows | key → pixels | bare windows | 99 % of keys | processor time | memory |"
        )
        print("|---|---|---|---|---|---|---|---|")
        print(PeerResult.bareRow(results))
        for (program, result) in zip(programs, results) { print(result.row(program.name)) }
    }
}

/// A program with a text widget, given by its command line.
struct Peer {
    /// The name of the program in figures and tables.
    var name: String
    /// The words of the command line, the first of them a path. `FILE` stands for the path of the text, `PERCENT`
    /// for the position of the caret.
    var command: [String]

    /// Returns the peers that `scripts/bench peers` builds beside this program, and the editor.
    static func all(editor: String) -> [Peer] {
        ["xaw", "motif", "tk", "qt6", "gtk3"].map {
            Peer(name: $0, command: [Products.path(of: "inkstone-peer-\($0)"), "FILE", "PERCENT"])
        } + [Peer(name: "inkstone", command: [editor, "--geometry", "1000x700+0+0", "--goto", "PERCENT%", "FILE"])]
    }

    /// Returns the command line for a text, with the caret at a percentage of its length.
    func words(_ file: String, percent: Int) -> [String] {
        command.map { $0 == "FILE" ? file : $0.replacing("PERCENT", with: "\(percent)") }
    }
}

/// The results of a program in all rounds.
struct PeerResult {
    private var opens: [Double] = []
    private var bareOpens: [Double] = []
    private var keys: [Double] = []
    private var bareKeys: [Double] = []
    /// The processor time of a key in each round, in milliseconds.
    private var processor: [Double] = []
    private var bareProcessor: [Double] = []
    /// The median of each round, as a multiple of the bare window's in the same round.
    private var openMultiples: [Double] = []
    private var keyMultiples: [Double] = []
    /// The proportional set size after the keys of the last round, in MB.
    private var memory = 0.0

    /// Measures a round: opens the program with the caret at the start, and then types in the middle of the text.
    mutating func measure(
        _ peer: Peer, _ text: [UInt8], _ scene: WindowScene, _ yardstick: Yardstick, opens count: Int,
        keys keyCount: Int,
        pause: Double
    ) throws {
        let (times, bareTimes) = try yardstick.open(count) {
            try scene.start(peer.words(try scene.file(text), percent: 0), showing: "text")
        }
        opens += times
        bareOpens += bareTimes
        openMultiples.append(Spread(times).median / Spread(bareTimes).median)
        let bare = try yardstick.strike(.key, keyCount)
        let (program, _) = try scene.start(peer.words(try scene.file(text), percent: 50), showing: "text")
        defer { program.end() }
        scene.probe.focus(true)
        scene.probe.waitUntilIdle(300)
        let typed = try scene.probe.typeLetters(keyCount, into: program, pause: pause)
        keys += typed.times
        processor.append(typed.processor)
        bareKeys += bare.times
        keyMultiples.append(Spread(typed.times).median / Spread(bare.times).median)
        bareProcessor.append(bare.processor)
        memory = Double(program.proportionalMemory) / 1024
    }

    /// Prints all figures.
    func show(_ name: String) {
        Spread(opens).show("\(name).open")
        Figure.show("\(name).open.times-bare", Spread(openMultiples).median, "x")
        Spread(keys).show("\(name).key")
        Figure.show("\(name).key.times-bare", Spread(keyMultiples).median, "x")
        let processor = Spread(processor).median
        Figure.show("\(name).key.processor", processor, "ms")
        Figure.show("\(name).key.processor.times-bare", processor / Spread(bareProcessor).median, "x")
        Figure.show("\(name).memory", memory, "MB")
    }

    /// Returns the program's row of the table.
    func row(_ name: String) -> String {
        let (open, key) = (Spread(opens), Spread(keys))
        let cells = [
            name, Stopwatch.format(open.median, "ms"), Stopwatch.format(Spread(openMultiples).median, "×"),
            Stopwatch.format(key.median, "ms"), Stopwatch.format(Spread(keyMultiples).median, "×"),
            Stopwatch.format(key.high, "ms"), Stopwatch.format(Spread(processor).median, "ms"),
            Stopwatch.format(memory, "MB"),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// Returns the row of the table for the bare window, with the results of all rounds.
    static func bareRow(_ results: [PeerResult]) -> String {
        var all = PeerResult()
        for result in results {
            all.bareOpens += result.bareOpens
            all.bareKeys += result.bareKeys
            all.bareProcessor += result.bareProcessor
        }
        let key = Spread(all.bareKeys)
        let cells = [
            "bare window", Stopwatch.format(Spread(all.bareOpens).median, "ms"), "1",
            Stopwatch.format(key.median, "ms"), "1",
            Stopwatch.format(key.high, "ms"), Stopwatch.format(Spread(all.bareProcessor).median, "ms"), "",
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

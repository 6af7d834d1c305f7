import ArgumentParser
import DisplayTestSupport
import Glibc
import InkstoneTesting

/// A benchmark that counts the instructions of a key. Counts have hardly any noise, unlike the times of the other
/// benchmarks.
///
/// The program runs under valgrind's callgrind. When it is idle, the counters are reset and keys are typed; when it
/// is idle again, the count is divided by the number of keys. The count includes press and release, status line,
/// journal, caret, deferred work, and all threads. A proxy between the program and the display counts the X
/// traffic.
struct InstructionBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "instructions", abstract: "Count the instructions, allocations and requests of a key.",
        discussion: """
            “scripts/bench instructions” builds the editor, makes a copy of it without debug information, which valgrind \
            would read for long, and runs this. With “--peers” it builds and counts the peers of “scripts/bench peers” too.
            """)

    @Option(help: "The editor, without debug information; by default the one beside this program.")
    var editor = Products.path(of: "inkstone-counted")

    @Option(help: "How many keys of each kind are struck.") var keys = 100

    @Option(help: "How long nothing must have changed before the next key is struck, in milliseconds.") var pause = 50.0

    @Option(help: "Size of the text in bytes; the caret is in its middle.") var bytes = 1_000_000

    @Flag(help: "Count the programs of scripts/peers as well, all but Qt's.") var peers = false

    @Option(help: "Count only the programs with this in their names, such as xaw. Repeat for more.")
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            "Keep callgrind's files here, for callgrind_annotate: NAME.key, NAME.backspace and NAME.arrow.",
            valueName: "directory"))
    var profiles: String?

    @Option(
        help: ArgumentHelp(
            "Also count, for this many keys of each kind, the distinct cache lines (64 bytes) of code and of data that one touches, with what is done in the two seconds after it.",
            valueName: "keys"))
    var lines = 0

    @Option(
        help: ArgumentHelp(
            "Write down which functions of the editor the keys use, for the linker: Assets/inkstone.order.",
            valueName: "file"))
    var order: String?

    @Flag(help: "Also say how many requests of each kind there are, by the major opcode (70 fills, 62 copies).")
    var kinds = false

    func run() throws {
        // Omit Qt: its window does not open through the counting proxy, which does not pass file descriptors.
        var programs = Peer.all(editor: editor).filter { $0.name == "inkstone" || (peers && $0.name != "qt6") }
        if !only.isEmpty { programs.removeAll { program in !only.contains { program.name.contains($0) } } }
        for program in programs where access(program.command[0], X_OK) != 0 {
            throw ValidationError(
                "There is no program “\(program.command[0])”. “scripts/bench instructions” builds it.")
        }
        if let profiles { mkdir(profiles, 0o755) }
        // Pass no bare window: the scene only starts the programs under callgrind.
        let scene = try WindowScene(editor: editor, bare: "")
        defer { scene.end() }
        let text = Sample.log(bytes: bytes)
        for program in programs {
            let counted = try CountedProgram(program, text, scene, pause: pause, hasCaches: lines > 0)
            defer { counted.end() }
            var functions: Set<String> = []
            for stroke in Stroke.allCases {
                let name = "\(program.name).\(stroke)"
                let profile = try count(stroke, counted, "instructions.\(name)")
                if let profiles { try TextFiles.write(profile.text, to: "\(profiles)/\(name)") }
                if order != nil { functions.formUnion(profile.functions(of: program.command[0])) }
            }
            if let order, program.name == "inkstone" {
                try TextFiles.write(functions.sorted().joined(separator: "\n") + "\n", to: order)
            }
            guard lines > 0 else { continue }
            for stroke in Stroke.allCases {
                let touched = try counted.linesTouched(stroke.keycode, count: lines)
                Figure.show("instructions.\(program.name).\(stroke).code-lines", touched.code, "lines")
                Figure.show("instructions.\(program.name).\(stroke).data-lines", touched.data, "lines")
            }
        }
    }

    /// Types keys, prints their cost, and returns callgrind's profile.
    private func count(_ stroke: Stroke, _ program: CountedProgram, _ name: String) throws -> Profile {
        let (profile, traffic) = try program.count(stroke.keycode, keys)
        let number = Double(keys)
        Figure.show(name, Double(profile.instructions) / number, "instructions")
        Figure.show("\(name).allocations", Double(profile.calls(to: Profile.allocators)) / number, "calls")
        Figure.show("\(name).requests", Double(traffic.requests) / number, "requests")
        if kinds {
            for (opcode, count) in traffic.opcodes.sorted(by: { $0.key < $1.key }) {
                Figure.show("\(name).requests.\(opcode)", Double(count) / number, "requests")
            }
        }
        Figure.show("\(name).bytes", Double(traffic.requestBytes) / number, "B")
        Figure.show("\(name).replies", Double(traffic.replies) / number, "replies")
        return profile
    }
}

/// The kinds of keys that are counted, in the order in which they are typed: the letters of the first are deleted
/// by the second.
private enum Stroke: String, CaseIterable, CustomStringConvertible {
    case key, backspace, arrow

    /// The keycode on an American keyboard: A, BackSpace, Left.
    var keycode: UInt8 {
        switch self {
        case .key: WindowProbe.letterKey
        case .backspace: 22
        case .arrow: 113
        }
    }

    var description: String { rawValue }
}

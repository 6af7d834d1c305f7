import DisplayTestSupport
import Glibc
import InkstoneTesting

/// An X server and a home folder, in which the editor and other programs are started.
final class WindowScene {
    let server: XServer
    let probe: WindowProbe
    let home: String
    private let editor: String
    private let bare: String
    private var files = 0

    /// Creates the scene: starts the X server, connects the probe to it, and creates the home folder. Throws if the
    /// display lacks XTEST or DAMAGE.
    ///
    /// - Parameters:
    ///   - editor: the path of the editor.
    ///   - bare: the path of the program built from `scripts/bare-window.c`.
    init(editor: String, bare: String) throws {
        self.editor = editor
        self.bare = bare
        server = try XServer(width: 1280, height: 1024)
        guard let probe = WindowProbe(display: server.display) else {
            throw TimedOut(what: "a display with XTEST and DAMAGE", milliseconds: 0)
        }
        self.probe = probe
        home = try TemporaryDirectory.make()
    }

    func end() {
        server.end()
        TemporaryDirectory.remove(home)
    }

    /// Creates a new file with the given bytes, and returns its path.
    func file(_ bytes: [UInt8]) throws -> String {
        files += 1
        let path = "\(home)/sample\(files).txt"
        try TextFiles.write(bytes, to: path)
        return path
    }

    /// Starts the editor, and waits until its window shows text. Returns the process, and the time from the start
    /// until then in milliseconds.
    func start(
        _ file: String, _ options: [String] = [], geometry: String = "1000x700+0+0", display: String? = nil,
        adding variables: [String: String] = [:]
    ) throws -> (process: ChildProcess, milliseconds: Double) {
        try launch(
            editor, ["--geometry", geometry] + options + [file], showing: file, display: display, adding: variables)
    }

    /// Starts the bare window, a program that only shows a window with a line of text, and waits until it shows the
    /// line. Returns the process, and the time from the start until then in milliseconds.
    func startBare() throws -> (process: ChildProcess, milliseconds: Double) {
        try launch(bare, [], showing: "a line")
    }

    /// Starts a program, and waits until its window shows text at the upper left. Returns the process, and the time
    /// from the start until then in milliseconds.
    ///
    /// - Parameter timeout: the maximum wait for each change of the window, in milliseconds.
    func start(
        _ command: [String], showing content: String, display: String? = nil, timeout: Double = 15_000
    ) throws -> (process: ChildProcess, milliseconds: Double) {
        try launch(command[0], Array(command.dropFirst()), showing: content, display: display, timeout: timeout)
    }

    private func spawn(
        _ program: String, _ arguments: [String], display: String?, adding variables: [String: String]
    ) throws -> (process: ChildProcess, start: Double) {
        probe.forgetWindow()
        let own = [
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": home, "LANG": "C.UTF-8",
            "DISPLAY": display ?? server.display, "XDG_CACHE_HOME": "\(home)/cache", "XDG_RUNTIME_DIR": home,
        ]
        let environment = own.merging(variables) { $1 }
        let start = Deadline.now
        return (try ChildProcess(program, arguments, environment: environment, output: .null), start)
    }

    private func launch(
        _ program: String, _ arguments: [String], showing content: String, display: String? = nil,
        timeout: Double = 15_000, adding variables: [String: String] = [:]
    ) throws -> (process: ChildProcess, milliseconds: Double) {
        let (process, start) = try spawn(program, arguments, display: display, adding: variables)
        while let change = probe.nextChange(within: timeout) {
            // Check the starts of the first lines, to the right of a possible scroll bar.
            guard change.height > 1, probe.isWritten(x: 40, y: 2, width: 160, height: 36) else { continue }
            return (process, change.moment - start)
        }
        throw TimedOut(
            what: "\(program) to show \(content)", milliseconds: Int(timeout), instead: "\(process.status as Any)")
    }
}

extension ChildProcess {
    private func tasks(_ file: String) -> [String] {
        TemporaryDirectory.names(in: "/proc/\(pid)/task").compactMap {
            try? TextFiles.read("/proc/\(pid)/task/\($0)/\(file)")
        }
    }

    /// The processor time of all threads of the program, in nanoseconds.
    var processorTime: Int {
        tasks("schedstat").reduce(0) { $0 + (Int($1.split(separator: " ").first ?? "") ?? 0) }
    }

    /// The number of times that the program's threads have gone to sleep and been woken.
    var wakeUps: Int {
        tasks("status").reduce(0) { sum, text in
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// The proportional set size of the program, in KB.
    var proportionalMemory: Int { ProcessTable.proportionalSetSize(of: pid) ?? 0 }
}

/// Texts for the benchmarks.
enum Sample {
    /// Returns lines like those of a log, of 50–140 characters.
    static func log(bytes count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 160)
        var i = 0
        while bytes.count < count {
            bytes += "2026-03-01 12:\(10 + i % 50):\(10 + i % 47) worker-\(i % 7) request \(i &* 7919) took 12 ms ".utf8
            bytes += String(repeating: "payload ", count: i % 11).utf8
            bytes.append(0x0a)
            i += 1
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Returns the text of ``log(bytes:)`` as a single line.
    static func line(bytes count: Int) -> [UInt8] { log(bytes: count).map { $0 == 0x0a ? 0x20 : $0 } }

    /// Returns lines of many scripts, some on each screen, which require fallback fonts while scrolling.
    static func mixed(bytes count: Int) -> [UInt8] {
        let lines = [
            "The quick brown fox", "Ζαφείρι δέξου πάγκαλο", "Съешь ещё этих мягких булок", "דג סקרן שט בים",
            "نص حكيم له سر",
            "ऋषियों को सताने वाले", "เป็นมนุษย์สุดประเสริฐ", "いろはにほへと散りぬるを", "키스의 고유조건은", "我能吞下玻璃", "👩‍👩‍👧 🇩🇪 ✍🏽",
        ]
        var bytes: [UInt8] = []
        var i = 0
        while bytes.count < count {
            bytes += "\(i) \(lines[i % lines.count])\n".utf8
            i += 1
        }
        return bytes
    }

    /// Returns an ASCII text as UTF-16, little endian, with a byte order mark.
    static func utf16(_ ascii: [UInt8]) -> [UInt8] { [0xff, 0xfe] + ascii.flatMap { [$0, 0] } }
}

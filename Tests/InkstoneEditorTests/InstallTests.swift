import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

/// What `scripts/install` puts where, and how a desktop starts that.
@Suite(.timeLimit(.minutes(5))) struct InstallTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    private func install(_ arguments: [String], in scratch: OwnedDirectory) throws {
        let program = "\(scratch.path)/program"
        try TextFiles.write(Array("#!/bin/sh\n".utf8), to: program, mode: 0o755)
        let process = try ChildProcess(
            Self.root + "/scripts/install", arguments,
            environment: ["PATH": "/usr/bin:/bin", "HOME": scratch.path, "INKSTONE_PROGRAM": program],
            output: .file("\(scratch.path)/said"), errors: .file("\(scratch.path)/said"))
        let status = try process.waitForExit(within: 60_000)
        #expect(status == .exited(0), "\((try? TextFiles.read("\(scratch.path)/said")) ?? "")")
    }

    /// The words of a command, as the Desktop Entry Specification has them: first the escapes of any string, then quotes, then field
    /// codes.
    private func words(_ value: String, files: [String]) -> [String] {
        var text: [Character] = []
        var rest = Array(value)[...]
        while let next = rest.popFirst() {
            guard next == "\\", let escaped = rest.popFirst() else {
                text.append(next)
                continue
            }
            text.append(["s": " ", "n": "\n", "t": "\t", "r": "\r", "\\": "\\"][escaped] ?? "?")
        }
        var words: [String] = []
        var word: String?
        var isQuoted = false
        rest = text[...]
        while let next = rest.popFirst() {
            switch next {
            case "\"":
                isQuoted.toggle()
                word = word ?? ""
            case "\\" where isQuoted: word?.append(rest.popFirst() ?? "?")
            case " " where !isQuoted:
                if let done = word { words.append(done) }
                word = nil
            default: word = (word ?? "") + String(next)
            }
        }
        if let done = word { words.append(done) }
        return words.flatMap { word -> [String] in
            if word == "%F" { return files }
            // No code may stand within a word.
            let parts = word.split(separator: "%%", omittingEmptySubsequences: false)
            return [parts.map { $0.contains("%") ? "?" : String($0) }.joined(separator: "%")]
        }
    }

    @Test(arguments: ["plain", #"with "blanks" $HOME `and` back\slash"#, "100 %F"])
    func aDesktopStartsTheEditorWithTheNamesOfItsFiles(_ name: String) throws {
        let scratch = try OwnedDirectory()
        let prefix = "\(scratch.path)/\(name)"
        try install(["--prefix", prefix], in: scratch)
        let desktop = try TextFiles.read("\(prefix)/share/applications/inkstone.desktop")
        let line = desktop.split(separator: "\n").first { $0.hasPrefix("Exec=") } ?? ""
        let files = ["/tmp/a name with %F.txt", "/tmp/other.txt"]
        #expect(words(String(line.dropFirst(5)), files: files) == ["\(prefix)/bin/inkstone"] + files)
        #expect(desktop.contains("\nIcon=inkstone\n"))
        // What is named there, and what it is.
        func mode(_ path: String) -> mode_t? {
            var status = stat()
            return stat("\(prefix)/\(path)", &status) == 0 ? status.st_mode & 0o777 : nil
        }
        #expect(mode("bin/inkstone") == 0o755 && mode("share/applications/inkstone.desktop") == 0o644)
        #expect(try TextFiles.read("\(prefix)/bin/inkstone") == "#!/bin/sh\n")
        for (path, source) in [
            ("share/icons/hicolor/scalable/apps/inkstone.svg", "inkstone.svg"),
            ("share/man/man1/inkstone.1", "inkstone.1"),
        ] {
            #expect(try TextFiles.bytes("\(prefix)/\(path)") == TextFiles.bytes("\(Self.root)/Assets/\(source)"))
            #expect(mode(path) == 0o644, "\(path)")
        }
        try install(["--uninstall", "--prefix", prefix], in: scratch)
        #expect(
            mode("bin/inkstone") == nil && mode("share/applications/inkstone.desktop") == nil
                && mode("share/man/man1/inkstone.1") == nil
                && mode("share/icons/hicolor/scalable/apps/inkstone.svg") == nil)
    }
}

import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The files that `scripts/install` installs, and how a desktop starts the editor from them.
@Suite(.timeLimit(.minutes(5))) struct InstallTests {
    private static let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    private func install(_ arguments: [String], in scratch: OwnedDirectory) throws {
        let program = "\(scratch.path)/inkstone"
        for name in [program, program + "-type", program + "-keyboard"] {
            try TextFiles.write(Array("#!/bin/sh\n".utf8), to: name, mode: 0o755)
        }
        let process = try ChildProcess(
            Self.root + "/scripts/install", arguments,
            environment: ["PATH": "/usr/bin:/bin", "HOME": scratch.path, "INKSTONE_PROGRAM": program],
            output: .file("\(scratch.path)/said"), errors: .file("\(scratch.path)/said"))
        let status = try process.waitForExit(within: 60_000)
        #expect(status == .exited(0), "\((try? TextFiles.read("\(scratch.path)/said")) ?? "")")
    }

    /// Splits a command as the Desktop Entry Specification requires: first the escapes of any string, then quotes,
    /// then field codes.
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
            // A field code must be a word of its own: mark one inside a word as an error.
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
        let keyboard = try TextFiles.read("\(prefix)/share/applications/inkstone-keyboard.desktop")
        let start = keyboard.split(separator: "\n").first { $0.hasPrefix("Exec=") } ?? ""
        #expect(words(String(start.dropFirst(5)), files: []) == ["\(prefix)/bin/inkstone-keyboard"])
        // The mode of each installed file.
        func mode(_ path: String) -> mode_t? {
            var status = stat()
            return stat("\(prefix)/\(path)", &status) == 0 ? status.st_mode & 0o777 : nil
        }
        #expect(mode("bin/inkstone") == 0o755 && mode("share/applications/inkstone.desktop") == 0o644)
        #expect(try TextFiles.read("\(prefix)/bin/inkstone") == "#!/bin/sh\n")
        for name in ["type", "keyboard"] { #expect(mode("bin/inkstone-\(name)") == 0o755) }
        for (path, source) in [
            ("share/icons/hicolor/scalable/apps/inkstone.svg", "inkstone.svg"),
            ("share/man/man1/inkstone.1", "inkstone.1"),
            ("share/man/man1/inkstone-keyboard.1", "inkstone-keyboard.1"),
        ] {
            #expect(try TextFiles.bytes("\(prefix)/\(path)") == TextFiles.bytes("\(Self.root)/Assets/\(source)"))
            #expect(mode(path) == 0o644, "\(path)")
        }
        try install(["--uninstall", "--prefix", prefix], in: scratch)
        #expect(
            mode("bin/inkstone") == nil && mode("share/applications/inkstone.desktop") == nil
                && mode("share/man/man1/inkstone.1") == nil && mode("bin/inkstone-keyboard") == nil
                && mode("share/icons/hicolor/scalable/apps/inkstone.svg") == nil)
    }

    /// The package is made with a stand-in for the editor: a program whose libraries Debian's tools can find.
    @Test func aPackageHoldsTheEditorNamesItsLibrariesAndGoesWithoutTrace() throws {
        let scratch = try OwnedDirectory()
        let message = "\(scratch.path)/said"
        let programs = ["inkstone", "inkstone-type", "inkstone-keyboard"]
        for name in programs { symlink("/bin/true", "\(scratch.path)/\(name)") }
        func run(_ program: String, _ arguments: [String]) throws -> String {
            let process = try ChildProcess(
                program, arguments,
                environment: [
                    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": scratch.path, "TMPDIR": scratch.path,
                    "INKSTONE_PROGRAM": "\(scratch.path)/inkstone",
                ], output: .file(message), errors: .file(message))
            let status = try process.waitForExit(within: 60_000)
            let output = (try? TextFiles.read(message)) ?? ""
            #expect(status == .exited(0), "\(output)")
            return output
        }
        let output = try run(Self.root + "/scripts/package", [scratch.path])
        let package = try #require(output.split(separator: "\n").last.map(String.init))
        #expect(package.hasPrefix("\(scratch.path)/inkstone_\(EditorVersion.current)_"))
        #expect(try run("/usr/bin/dpkg-deb", ["--field", package, "Depends"]).contains("libc6"))
        // Install the package into an empty system, which has only dpkg's folders.
        let root = "\(scratch.path)/root"
        let admin = "\(root)/var/lib/dpkg"
        for folder in ["", "/var", "/var/lib", "/var/lib/dpkg", "/var/lib/dpkg/info", "/var/lib/dpkg/updates"] {
            try #require(mkdir(root + folder, 0o755) == 0)
        }
        try TextFiles.write("", to: "\(admin)/status")
        let options = ["--root=\(root)", "--log=\(scratch.path)/log", "--force-not-root,depends"]
        _ = try run("/usr/bin/dpkg", options + ["--install", package])
        #expect(
            try run("/usr/bin/dpkg-query", ["--admindir=\(admin)", "--show", "inkstone"]).hasSuffix(
                "\(EditorVersion.current)\n"))
        let desktop = try TextFiles.read("\(root)/usr/share/applications/inkstone.desktop")
        #expect(desktop.contains(#"Exec="/usr/bin/inkstone" %F"#))
        let others = ["inkstone.1.gz", "inkstone-keyboard.1.gz"].map { "share/man/man1/\($0)" }
        for file in programs.map({ "bin/\($0)" }) + others + ["share/doc/inkstone/copyright"] {
            #expect(access("\(root)/usr/\(file)", R_OK) == 0, "\(file)")
        }
        _ = try run("/usr/bin/dpkg", options + ["--purge", "inkstone"])
        #expect(access("\(root)/usr", F_OK) != 0 && access("\(admin)/status", F_OK) == 0)
        // Libraries that the editor opens at run time: the package recommends the Debian package of each.
        let recommended = try run("/usr/bin/dpkg-deb", ["--field", package, "Recommends"])
        let names = Set(recommended.split { " ,|\n".contains($0) }.map(String.init))
        for library in ["libcairo.so.2", "libpng16.so.16", "libturbojpeg.so.0", "libwebp.so.7", "libmd4c.so.0"] {
            // The last line is the owner: the same file holds the output of the commands before.
            let found = try run("/usr/bin/dpkg-query", ["--search", "*/\(library)"])
            let owner = try #require(found.split(separator: "\n").last)
            #expect(names.contains(String(owner.prefix { $0 != ":" })), "\(owner)")
        }
    }
}

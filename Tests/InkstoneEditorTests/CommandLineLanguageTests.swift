import FoundationEssentials
import Glibc
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The command line in the user's language, as the built program prints it.
@Suite(.timeLimit(.minutes(5))) struct CommandLineLanguageTests {
    private let scratch: OwnedDirectory

    init() throws { scratch = try OwnedDirectory() }

    private func run(_ arguments: [String], _ language: String, locale: String = "C.UTF-8") throws -> (
        status: InkstoneTesting.ExitStatus, output: String, errors: String
    ) {
        var variables = ProcessInfo.processInfo.environment
        variables["DISPLAY"] = nil
        variables["XDG_STATE_HOME"] = scratch.path
        (variables["LC_ALL"], variables["LANGUAGE"]) = (locale, language)
        let (out, errors) = ("\(scratch.path)/out", "\(scratch.path)/errors")
        for path in [out, errors] { unlink(path) }
        let process = try ChildProcess(
            Products.path(of: "inkstone"), arguments, environment: variables, output: .file(out),
            errors: .file(errors))
        let status = try process.waitForExit(within: 60_000)
        return (status, try TextFiles.read(out), try TextFiles.read(errors))
    }

    @Test(arguments: ["de", "ja", "ar"])
    func helpIsInTheUsersLanguage(_ language: String) throws {
        let english = [
            "USAGE:", "OPTIONS:", "ARGUMENTS:", "SUBCOMMANDS:", "OVERVIEW:", "Show help", "Show the", "default",
            "detailed help",
        ]
        for command in [[], ["print"], ["recover"], ["proxy"], ["layout"]] {
            let (status, output, _) = try run(command + ["--help"], language)
            #expect(status == .exited(0) && output.contains("--help"))
            for words in english { #expect(!output.contains(words), "“\(words)” in \(output)") }
        }
    }

    @Test func helpThatATerminalCannotShowIsEnglish() throws {
        let output = try run(["--help"], "ja", locale: "C").output
        #expect(output.contains("USAGE: inkstone") && output.contains("Do not allow changes."))
    }

    struct Example: CustomTestStringConvertible {
        var arguments: [String]
        var code: Int32
        var words: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Example(arguments: ["--nonsense"], code: 64, words: "Fehler: unbekannte Option „--nonsense“"),
        Example(arguments: ["--gotoo", "2"], code: 64, words: "Meinten Sie „--goto“?"),
        Example(arguments: ["--goto"], code: 64, words: "Fehler: Wert für „--goto <Stelle>“ fehlt"),
        Example(arguments: ["--goto", "x"], code: 64, words: "Fehler: Ungültige Stelle „x“."),
        Example(arguments: ["file"], code: 1, words: "Fehler: Kein X-Display"),
        Example(arguments: ["--read-only", "file"], code: 1, words: "Fehler: Kein X-Display"),
        Example(arguments: ["layout", "--width", "x"], code: 64, words: "„x“ ist für „--width <px>“ ungültig"),
        Example(arguments: ["print", "--paper", "x"], code: 64, words: "Fehler: Ungültiges Papier „x“."),
        Example(arguments: ["print", "a", "b"], code: 64, words: "Fehler: unerwartetes Argument „b“"),
        Example(arguments: ["proxy", "revoke"], code: 64, words: "Fehler: Argument „<Programm>“ fehlt"),
        Example(arguments: ["recover", "--output", "x"], code: 64, words: "Fehler: --output braucht --print."),
    ])
    func mistakesAreReportedInTheUsersLanguage(_ example: Example) throws {
        let (status, output, errors) = try run(example.arguments, "de")
        #expect(status == .exited(example.code) && output.isEmpty)
        #expect(errors.contains(example.words), "\(errors)")
        if example.code == 64 { #expect(errors.contains("Aufruf: inkstone"), "\(errors)") }
    }

    @Test func theListIsInTheUsersLanguage() throws {
        #expect(try run(["recover"], "de").output == "Es gibt keine ungespeicherten Änderungen.\n")
    }

    @Test func linesOfTheParserAreTakenApart() {
        #expect(
            CommandLineWords.gaps(of: "Unknown '--a'. Mean '--b'?", in: "Unknown '{}'. Mean '{}'?") == ["--a", "--b"])
        #expect(CommandLineWords.gaps(of: "Unknown '--a'", in: "Unknown '{}'. Mean '{}'?") == nil)
        #expect(CommandLineWords.gaps(of: "Error: x: y", in: "Error: {}") == ["x: y"])
        #expect(CommandLineWords.gaps(of: "OPTIONS:", in: "OPTIONS:") == [])
        #expect(CommandLineWords.gaps(of: "OPTIONS: x", in: "OPTIONS:") == nil)
    }
}

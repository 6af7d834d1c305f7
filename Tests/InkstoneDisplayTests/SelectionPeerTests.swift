import DisplayTestSupport
import Glibc
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// The command-line programs of X's selections, both ways.
    @Suite struct SelectionPeerTests {
        private static let text = "Größe – 日本語 😀\r\nline\n"

        /// What a program writes that is run to its end while the display is served.
        private func output(of program: String, _ arguments: [String], _ scene: DisplayScene) throws -> String {
            let path = scene.session.home + "/pasted"
            unlink(path)
            let process = try ChildProcess(
                "sh", ["-c", "exec \"$0\" \"$@\" >\"$PASTED\"", program] + arguments,
                environment: scene.session.environment.merging(["PASTED": path]) { $1 }, errors: .inherited)
            defer { process.end() }
            try scene.pump("\(program) to end", within: 60_000) { !process.isRunning }
            return try TextFiles.read(path)
        }

        @Test(
            arguments: [
                ("xclip", ["-o", "-selection", "clipboard", "-t", "UTF8_STRING"]),
                ("xclip", ["-o", "-selection", "clipboard", "-t", "text/plain;charset=utf-8"]),
                ("xclip", ["-o", "-selection", "clipboard", "-t", "text/plain"]),
                ("xsel", ["--clipboard", "--output"]),
            ] as [(String, [String])])
        func theyPasteWhatWeCopied(program: String, arguments: [String]) throws {
            let text = Self.text
            let scene = try DisplayScene()
            defer { scene.end() }
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let pasted = try output(of: program, arguments, scene)
            #expect(Array(pasted.utf8) == Array(text.utf8))
        }

        @Test(
            arguments: [
                ("xclip", ["-i", "-selection", "clipboard"]), ("xsel", ["--clipboard", "--input"]),
            ] as [(String, [String])])
        func wePasteWhatTheyCopied(program: String, arguments: [String]) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            // Beyond one piece of theirs.
            let text = String(repeating: Self.text, count: 100_000)
            let path = scene.session.home + "/copied"
            try TextFiles.write(Array(text.utf8), to: path)
            let process = try ChildProcess(
                "sh", ["-c", "exec \"$0\" \"$@\" <\"$COPIED\"", program] + arguments,
                environment: scene.session.environment.merging(["COPIED": path]) { $1 }, errors: .inherited)
            defer { process.end() }
            try scene.pump("their ownership", within: 20_000) { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            var answer: Result<String, Clipboard.Failure>?
            scene.display.clipboard.timeout = 30_000
            scene.display.clipboard.request(timestamp: 0) { answer = $0 }
            try scene.pump("the text", within: 60_000) { answer != nil }
            let pasted = try #require(try answer?.get())
            #expect(pasted.utf8.elementsEqual(text.utf8), "\(pasted.utf8.count) bytes of \(text.utf8.count)")
        }
    }
}

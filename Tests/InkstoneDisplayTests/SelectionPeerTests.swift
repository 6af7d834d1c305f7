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
        private func output(of program: String, _ arguments: [String], _ scene: DisplayScene) throws -> [UInt8] {
            let path = scene.session.home + "/pasted"
            unlink(path)
            let process = try ChildProcess(
                "sh", ["-c", "exec \"$0\" \"$@\" >\"$PASTED\"", program] + arguments,
                environment: scene.session.environment.merging(["PASTED": path]) { $1 }, errors: .inherited)
            defer { process.end() }
            try scene.pump("\(program) to end", within: 60_000) { !process.isRunning }
            return try TextFiles.bytes(path)
        }

        /// What there is in Latin-1, and `?` for the rest.
        private static let latin1 = text.unicodeScalars.map { $0.value < 0x100 ? UInt8($0.value) : 0x3f }

        @Test(arguments: ["UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING", "xsel"], [false, true])
        func theyPasteWhatWeCopied(target: String, isPrimary: Bool) throws {
            let text = Self.text
            let scene = try DisplayScene()
            defer { scene.end() }
            let selection = isPrimary ? scene.display.primary : scene.display.clipboard
            selection.own(timestamp: 0) { text }
            let name = isPrimary ? "primary" : "clipboard"
            try scene.pump("ownership") { scene.probe.selectionOwner(isPrimary ? "PRIMARY" : "CLIPBOARD") != 0 }
            let pasted =
                target == "xsel"
                ? try output(of: "xsel", ["--\(name)", "--output"], scene)
                : try output(of: "xclip", ["-o", "-selection", name, "-t", target], scene)
            #expect(pasted == (target == "STRING" ? Self.latin1 : Array(text.utf8)))
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
            // Compared here, because a failing `#expect` would print both.
            let isWhole = pasted.utf8.elementsEqual(text.utf8)
            #expect(isWhole, "\(pasted.utf8.count) bytes of \(text.utf8.count)")
        }
    }
}

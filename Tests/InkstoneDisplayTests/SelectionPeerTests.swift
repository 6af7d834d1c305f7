import DisplayTestSupport
import Glibc
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Copying and pasting between Inkstone and the command-line programs for X selections, in both directions.
    @Suite struct SelectionPeerTests {
        private static let text = "Größe – 日本語 😀\r\nline\n"

        /// Runs a program to its end while the display is served, and returns its output.
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

        /// The text in Latin-1, with `?` for other characters.
        private static let latin1 = text.unicodeScalars.map { $0.value < 0x100 ? UInt8($0.value) : 0x3f }

        /// Covers INT 37 of the checklist for interaction.
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

        /// INT 37, in COMPOUND_TEXT: Latin-1, Greek and Korean syllables, each in a character set of its own, as
        /// the Compound Text Encoding has them.
        @Test(
            arguments: [
                ("TEXT", "für\n", [0x66, 0xfc, 0x72, 0x0a]), ("COMPOUND_TEXT", "für\n", [0x66, 0xfc, 0x72, 0x0a]),
                ("TEXT", "é α", [0xe9, 0x20, 0x1b, 0x2d, 0x46, 0xe1]),
                ("COMPOUND_TEXT", "é α", [0xe9, 0x20, 0x1b, 0x2d, 0x46, 0xe1]),
                ("TEXT", "a한", [0x61, 0x1b, 0x24, 0x28, 0x43, 0x47, 0x51]),
                ("COMPOUND_TEXT", "a한", [0x61, 0x1b, 0x24, 0x28, 0x43, 0x47, 0x51]),
            ] as [(String, String, [UInt8])])
        func theyPasteCompoundTextFromUs(target: String, text: String, bytes: [UInt8]) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            scene.display.clipboard.own(timestamp: 0) { text }
            try scene.pump("ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            let pasted = try output(of: "xclip", ["-o", "-selection", "clipboard", "-t", target], scene)
            #expect(pasted == bytes)
        }

        /// INT 38: an owner that offers text in a single target.
        @Test(
            arguments: [
                ("UTF8_STRING", Array("Größe 日本\r\n".utf8), "Größe 日本\r\n"),
                ("text/plain;charset=utf-8", Array("Größe 日本\n".utf8), "Größe 日本\n"),
                ("text/plain", Array("Größe 日本\n".utf8), "Größe 日本\n"),
                ("STRING", [0x47, 0x72, 0xf6, 0xdf, 0x65, 0x0a], "Größe\n"),
                (
                    "COMPOUND_TEXT", [0x61, 0x1b, 0x24, 0x28, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42, 0x62],
                    "a日本b"
                ),
                ("TEXT", Array("plain".utf8), "plain"),
            ] as [(String, [UInt8], String)])
        func wePasteWhatTheyHaveInOneTarget(target: String, bytes: [UInt8], text: String) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let path = scene.session.home + "/copied"
            try TextFiles.write(bytes, to: path)
            let process = try ChildProcess(
                "xclip", ["-i", "-selection", "clipboard", "-t", target, path], environment: scene.session.environment,
                errors: .inherited)
            defer { process.end() }
            try scene.pump("their ownership") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            #expect(try scene.pasteClipboard() == text)
        }

        @Test(
            arguments: [
                ("xclip", ["-i", "-selection", "clipboard"]), ("xsel", ["--clipboard", "--input"]),
            ] as [(String, [String])])
        func wePasteWhatTheyCopied(program: String, arguments: [String]) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            // Larger than one INCR piece of the program.
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
            // Compared here, because a failing `#expect` would print both texts.
            let isWhole = pasted.utf8.elementsEqual(text.utf8)
            #expect(isWhole, "\(pasted.utf8.count) bytes of \(text.utf8.count)")
        }
    }
}

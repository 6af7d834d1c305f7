import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// A start that need not ask for what the one before was told.
    @Suite struct EditorStartTests {
        @Test func theNextStartRemembersTheFontsAndLooksTheSame() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let memory = "\(session.home)/.cache/inkstone/fonts"
            let text = "Latin, ação, שלום, 日本, 😀\n"
            func picture(of editor: EditorProcess) -> Screenshot? {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)
            }

            var editor = try EditorProcess(in: session, text: text)
            try waitUntil("the memory of fonts", instead: { editor.report() }) { access(memory, R_OK) == 0 }
            let first = try #require(picture(of: editor))
            #expect(first.pixels.contains { $0 != first.pixels[0] })
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))

            editor = try EditorProcess(in: session, text: text)
            // With the caret as it blinked then.
            try waitUntil("the same picture", instead: { editor.report() }) { picture(of: editor) == first }
        }

        /// What fontconfig answered stands in a file between two starts: an answer that is changed there is what the next one
        /// shows, until it has been put right.
        @Test func theNextStartAsksItsMemoryFirst() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let probe = session.probe
            let memory = "\(session.home)/.cache/inkstone/fonts"
            let (asked, other) = ("DejaVu Sans", "DejaVu Serif")
            /// A start with a font, until it shows `expected` or, without one, its text; and until the memory has the answer.
            func start(_ family: String, showing expected: Screenshot? = nil) throws -> Screenshot {
                let editor = try EditorProcess(in: session, text: "Which font is this?\n", options: ["--font", family])
                let shown = try waitFor(
                    "\(family), \(expected == nil ? "any" : "known")", within: 10_000, watching: [probe.descriptor],
                    instead: { editor.report() }
                ) { () -> Screenshot? in
                    probe.drainEvents()
                    // With the caret, which blinks.
                    guard editor.caret() != nil, let shot = probe.screenshot(of: editor.currentWindow) else {
                        return nil
                    }
                    return expected == nil || shot == expected ? shot : nil
                }
                try waitUntil("the memory of \(family)", instead: { (try? TextFiles.read(memory)) ?? "none" }) {
                    answers(in: memory).contains {
                        $0.question.contains(family) && $0.answer.hasPrefix("\(family):")
                    }
                }
                probe.control("q")
                #expect(try editor.process.waitForExit(within: 10_000) == .exited(0))
                return shown
            }

            let sans = try start(asked)
            let serif = try start(other)
            #expect(sans != serif)
            // The serif one's answers to the questions for the other.
            var forged = try TextFiles.read(memory)
            let known = answers(in: memory)
            for (question, answer) in known where answer.hasPrefix("\(asked):") {
                let twin = question.replacing(asked, with: other)
                guard let its = known.first(where: { $0.question == twin }) else { continue }
                forged = forged.replacing("?\(question)\n!\(answer)\n", with: "?\(question)\n!\(its.answer)\n")
            }
            #expect(forged != (try TextFiles.read(memory)))
            try TextFiles.write(Array(forged.utf8), to: memory)
            _ = try start(asked, showing: serif)
            _ = try start(asked, showing: sans)
        }

        /// What the memory holds: lines of a question behind “?” and its answer behind “!”.
        private func answers(in memory: String) -> [(question: String, answer: String)] {
            let lines = ((try? TextFiles.read(memory)) ?? "").split(separator: "\n")
            return zip(lines, lines.dropFirst()).filter { $0.0.hasPrefix("?") && $0.1.hasPrefix("!") }.map {
                (String($0.0.dropFirst()), String($0.1.dropFirst()))
            }
        }
    }
}

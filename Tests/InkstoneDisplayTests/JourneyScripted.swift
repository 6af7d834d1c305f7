import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Exact and hostile sequences of the scripted server, followed through the editor: what it composes after each key, and what
    /// the file holds in the end.
    @Suite struct JourneyScripted {
        /// One key, what the server sends for it, and what is marked then.
        struct Step: Sendable {
            let key: Character
            let answer: String
            let marked: String?
            /// The selected range within the marked text: start and end in UTF-16 units.
            let selection: [Int]
            /// The target clause, if the server marks one: start and end in UTF-16 units.
            let target: [Int]?

            init(_ key: Character, _ answer: String, _ marked: String?, _ selection: [Int] = [], target: [Int]? = nil) {
                self.key = key
                self.answer = answer
                self.marked = marked
                self.selection = selection
                self.target = target
            }
        }

        struct Script: CustomStringConvertible, Sendable {
            let description: String
            let steps: [Step]
            /// What the file holds after the last step, where `|` was the caret at the start: the text is `<|>`.
            let saved: String

            static let all = [
                Script(
                    description: "incremental draws",
                    steps: [
                        Step("a", #"start; draw 0 0 1 "に""#, "に", [1, 1]),
                        Step("b", #"draw 1 0 2 "ほ""#, "にほ", [2, 2]),
                        Step("c", #"draw 0 1 1 "日""#, "日ほ", [1, 1]),
                        Step("d", #"draw 1 1 2 "本語""#, "日本語", [2, 2]),
                        Step("e", #"draw 1 1 1 null"#, "日語", [1, 1]),
                        Step("f", #"commit "日"; draw 0 2 0 null; done"#, nil),
                    ], saved: "<日>"),
                Script(
                    description: "emoji before and inside",
                    steps: [
                        Step("a", #"start; draw 0 0 1 "😀""#, "😀", [2, 2]),
                        Step("b", #"draw 1 0 2 "ほ""#, "😀ほ", [3, 3]),
                        Step("c", #"draw 1 0 2 "e\u{301}""#, "😀e\u{301}ほ", [3, 3]),
                        Step("d", #"draw 0 1 2 "👍🏽""#, "👍🏽e\u{301}ほ", [4, 4]),
                        Step("e", #"draw 0 max 2 "𠮷野" 0,r"#, "𠮷野", [2, 3], target: [2, 3]),
                        Step("f", #"commit "𠮷野家😀"; done"#, nil),
                    ], saved: "<𠮷野家😀>"),
                Script(
                    description: "feedback shorter and longer than the text",
                    steps: [
                        Step("a", #"start; draw 0 0 4 "abcd" r*2"#, "abcd", [0, 2], target: [0, 2]),
                        Step("b", #"draw 0 4 4 "abcd" u*2,r*9"#, "abcd", [2, 4], target: [2, 4]),
                        Step("c", #"draw 0 4 4 "abcd" none"#, "abcd", [4, 4]),
                        Step("d", #"commit "x"; draw 0 4 0 null; done"#, nil),
                    ], saved: "<x>"),
                Script(
                    description: "the caret moves",
                    steps: [
                        Step("a", #"start; draw 0 0 4 "a😀cd""#, "a😀cd", [5, 5]),
                        Step("b", "caret 10 2 1", "a😀cd", [3, 3]),
                        Step("c", "caret 1 0 1", "a😀cd", [1, 1]),
                        Step("d", "caret 9 0 1", "a😀cd", [5, 5]),
                        Step("e", "caret 10 99 1", "a😀cd", [5, 5]),
                        Step("f", #"commit "y"; done"#, nil),
                    ], saved: "<y>"),
                Script(
                    description: "ranges out of bounds",
                    steps: [
                        Step("a", #"start; draw 7 9 99 "xy""#, "xy", [2, 2]),
                        Step("b", #"draw -5 max -3 "pq""#, "pq", [0, 0]),
                        Step("c", #"draw 99 99 max "r""#, "pqr", [3, 3]),
                        Step("d", #"draw 1 max 1 null"#, "p", [1, 1]),
                        Step("e", #"commit "z"; done"#, nil),
                    ], saved: "<z>"),
                Script(
                    description: "empty draws, and a draw without a start",
                    steps: [
                        Step("a", #"draw 0 0 1 "k""#, "k", [1, 1]),
                        Step("b", #"draw 0 1 0 """#, nil),
                        Step("c", #"draw 0 0 1 "s""#, "s", [1, 1]),
                        Step("d", "draw 0 1 0 null", nil),
                        Step("e", #"done; commit "w""#, nil),
                    ], saved: "<w>"),
                Script(
                    description: "done without a draw, commit without a done",
                    steps: [
                        Step("a", #"start; draw 0 0 1 "z""#, "z", [1, 1]),
                        Step("b", "done", nil),
                        Step("c", #"start; draw 0 0 1 "q"; commit "Q""#, nil),
                        Step("d", #"draw 0 1 1 "v""#, "v", [1, 1]),
                        Step("e", #"done; done; start; done; commit "V""#, nil),
                    ], saved: "<QV>"),
                Script(
                    description: "hangul's order: done before the commit, then the next syllable",
                    steps: [
                        Step("a", #"start; draw 0 0 1 "하" r"#, "하", [0, 1], target: [0, 1]),
                        Step(
                            "b", #"draw 0 1 0 null; done; commit "하"; start; draw 0 0 1 "나" r"#, "나", [0, 1],
                            target: [0, 1]),
                        Step("c", #"commit "나"; draw 0 1 1 "ㄷ" r"#, "ㄷ", [0, 1], target: [0, 1]),
                        Step("d", #"draw 0 1 0 null; done; commit "다"; forward"#, nil),
                    ], saved: "<하나다d>"),
            ]
        }

        @Test(arguments: Script.all)
        func everyStepIsMarkedExactly(_ script: Script) throws {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: "\(EditorProcess.products)/inkstone-xim-server", options: ["--mode", "swallow"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            try server.start(script: script.steps.map { "on key \($0.key) do \($0.answer)" }.joined(separator: "\n"))
            defer { server.end() }
            let editor = try EditorProcess(in: session, text: "<>", options: ["--goto", "1:2"])
            try editor.waitForInputMethod("inkstone")
            for step in script.steps {
                session.probe.type(String(step.key))
                try waitUntil(
                    "\(step.answer) to mark \(step.marked as Any) \(step.selection)", within: 3000,
                    instead: { "\(editor.markedText as Any) \(editor.markedSelection)\n\(editor.report())" }
                ) {
                    let isSelected = step.marked == nil || editor.markedSelection == step.selection
                    return editor.markedText == step.marked && isSelected && editor.markedTarget == step.target
                }
                try server.settle()
            }
            server.tell("mode forward-each")
            try server.settle()
            try editor.save(expecting: script.saved)
        }

        @Test func longCommitsComeWhole() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let server = InputMethodServerDriver(
                program: "\(EditorProcess.products)/inkstone-xim-server", options: ["--mode", "forward-each"],
                log: "\(session.home)/xim.log", environment: session.environment)
            session.environment["XMODIFIERS"] = "@im=inkstone"
            let long = String(repeating: "日本語を打つ。", count: 240)
            try server.start(script: "on key a do commit \"\(long)\"")
            defer { server.end() }
            let editor = try EditorProcess(in: session)
            try editor.waitForInputMethod("inkstone")
            session.probe.type("a")
            try editor.waitForInsertedText([long])
            try editor.save(expecting: long)
        }
    }
}

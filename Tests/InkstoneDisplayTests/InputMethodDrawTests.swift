import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

@testable import InkstoneView

extension DisplayTests {
    /// The view's marked text follows the server's preedit: exact and hostile sequences of draws.
    ///
    /// “XIM” and a number in a name: see ``InputMethodPointTests``.
    @Suite struct InputMethodDrawTests {
        /// The server's answer to one key, and the resulting text of the view.
        typealias Step = (answer: String, shown: CaretNotation)

        /// Types a key for each step, and checks the view after it. `more` runs after the last step.
        private func follow(
            _ steps: Step..., from text: CaretNotation = "<|>", more: (InputMethodScene) throws -> Void = { _ in }
        ) throws {
            let rules = zip("abcdefghij", steps).map { "on key \($0) do \($1.answer)" }
            let scene = try InputMethodScene(text, script: rules.joined(separator: "\n"))
            defer { scene.end() }
            for (key, step) in zip("abcdefghij", steps) {
                scene.type(String(key))
                try scene.expect(step.shown)
            }
            try scene.waitUntilQuiet()
            #expect(CaretNotation(scene.view) == steps.last?.shown)
            try more(scene)
        }

        @Test("XIM 02 a draw before any start is shown")
        func drawsNeedNoStart() throws {
            try follow((#"draw 0 0 1 "k""#, "<⟨k|⟩>"), (#"draw 1 0 2 "s""#, "<⟨ks|⟩>"), (#"commit "K""#, "<K|>"))
        }

        @Test("XIM 03 a draw without a string over all clears")
        func aDrawWithoutAStringDeletes() throws {
            try follow((#"start; draw 0 0 2 "ab""#, "<⟨ab|⟩>"), ("draw 0 2 0 null", "<|>"))
        }

        @Test("XIM 04 a draw without a string over nothing changes nothing")
        func anEmptyDrawDoesNothing() throws {
            try follow(
                (#"start; draw 0 0 0 null; draw 0 0 2 "ab""#, "<⟨ab|⟩>"), ("draw 0 0 2 null; caret 10 1 1", "<⟨a|b⟩>"))
        }

        @Test("XIM 05 insertion, deletion and replacement in the middle")
        func partialDrawsChangeTheMiddle() throws {
            try follow(
                (#"start; draw 0 0 3 "ace""#, "<⟨ace|⟩>"), (#"draw 1 0 2 "b""#, "<⟨ab|ce⟩>"),
                ("draw 2 1 2 null", "<⟨ab|e⟩>"), (#"draw 1 1 3 "日本""#, "<⟨a日本|e⟩>"), (#"commit "X""#, "<X|>"))
        }

        @Test("XIM 06 changes out of range are clamped")
        func changesAreClamped() throws {
            try follow(
                (#"start; draw 7 9 99 "xy""#, "<⟨xy|⟩>"), (#"draw 9 9 3 "c""#, "<⟨xyc|⟩>"),
                (#"draw -4 -1 1 "z""#, "<⟨z|xyc⟩>"), (#"draw max max max "d""#, "<⟨zxycd|⟩>"),
                (#"draw 1 max 1 null"#, "<⟨z|⟩>"), (#"draw 0 max 1 "e""#, "<⟨e|⟩>"), (#"commit "E""#, "<E|>"))
        }

        @Test("XIM 07 emoji and combining marks: scalars on the wire, UTF-16 in the view")
        func scalarsAreCounted() throws {
            try follow(
                (#"start; draw 0 0 1 "😀""#, "<⟨😀|⟩>"), (#"draw 1 0 2 "ほ""#, "<⟨😀ほ|⟩>"),
                (#"draw 1 0 3 "e\u{301}""#, "<⟨😀e\u{301}|ほ⟩>"), (#"draw 0 1 4 "👍🏽""#, "<⟨👍🏽e\u{301}|ほ⟩>"),
                (#"draw 0 max 2 "𠮷野" 0,r"#, "<⟨𠮷[野|]⟩>"), (#"commit "𠮷野家😀"; done"#, "<𠮷野家😀|>"))
        }

        @Test("XIM 08 no feedback at all")
        func feedbackMayBeMissing() throws {
            try follow((#"start; draw 0 0 2 "ab" none"#, "<⟨ab|⟩>")) { scene in
                #expect(scene.view.markedText?.segments.map(\.kind) == [.raw])
            }
        }

        @Test("XIM 09 feedback shorter than the text")
        func feedbackMayBeShort() throws {
            try follow((#"start; draw 0 0 4 "abcd" r*2"#, "<⟨[ab|]cd⟩>")) { scene in
                #expect(scene.view.markedText?.segments.map(\.kind) == [.target, .converted])
            }
        }

        @Test("XIM 10 feedback longer than the text")
        func feedbackMayBeLong() throws {
            try follow((#"start; draw 0 0 2 "ab" r,u*30"#, "<⟨[a|]b⟩>"), (#"draw 2 0 3 "c" u*9"#, "<⟨[a|]bc⟩>"))
        }

        @Test("XIM 11 a caret out of range is clamped")
        func caretsAreClamped() throws {
            try follow(
                (#"start; draw 0 0 99 "ab""#, "<⟨ab|⟩>"), (#"draw 0 2 -3 "cd""#, "<⟨|cd⟩>"),
                ("caret 10 max 1", "<⟨cd|⟩>"), ("caret 10 -9 1", "<⟨|cd⟩>"))
        }

        /// Moves the caret within the preedit `a😀cd`, starting at its end, and checks the server's view of each
        /// move.
        private func move(_ steps: (move: String, shown: CaretNotation, reply: Int)...) throws {
            let rules = zip("bcdef", steps).map { "on key \($0) do caret \($1.move)" }
            let scene = try InputMethodScene(
                script: ([#"on key a do start; draw 0 0 4 "a😀cd""#] + rules).joined(separator: "\n"))
            defer { scene.end() }
            try scene.type("a", expecting: "<⟨a😀cd|⟩>")
            for (key, step) in zip("bcdef", steps) {
                scene.type(String(key))
                try scene.expect(step.shown)
            }
            try scene.pump("the replies") { scene.driver.requests("caret_reply").count == steps.count }
            #expect(scene.driver.requests("caret_reply").map { $0["position"]?.integer } == steps.map(\.reply))
        }

        @Test("XIM 12 the caret moves to a position, and the reply says where it is")
        func theCaretMovesAbsolutely() throws {
            try move(("10 2 1", "<⟨a😀|cd⟩>", 2), ("10 1 1", "<⟨a|😀cd⟩>", 1), ("10 99 1", "<⟨a😀cd|⟩>", 4))
        }

        @Test("XIM 13 the caret moves by characters")
        func theCaretMovesByCharacters() throws {
            try move(
                ("1 0 1", "<⟨a😀c|d⟩>", 3), ("1 0 1", "<⟨a😀|cd⟩>", 2), ("1 0 1", "<⟨a|😀cd⟩>", 1),
                ("0 0 1", "<⟨a😀|cd⟩>", 2))
        }

        @Test("XIM 14 the caret moves to the start and the end")
        func theCaretMovesToTheEnds() throws {
            try move(("8 0 1", "<⟨|a😀cd⟩>", 0), ("9 0 1", "<⟨a😀cd|⟩>", 4))
        }

        @Test("XIM 15 a move to nowhere answers where the caret is")
        func theCaretMayStay() throws {
            try move(("10 1 1", "<⟨a|😀cd⟩>", 1), ("11 3 1", "<⟨a|😀cd⟩>", 1), ("10 3 1", "<⟨a😀c|d⟩>", 3))
        }

        @Test("XIM 16 an invisible caret is not painted")
        func theCaretCanBeHidden() throws {
            let scene = try InputMethodScene(
                script: """
                    on key a do start; draw 0 0 1 "a"
                    on key b do draw 1 0 2 "b"; caret 11 0 0
                    on key c do draw 2 0 3 "c"; caret 11 0 1
                    """)
            defer { scene.end() }
            // Stop blinking, so that a missing caret means a hidden one.
            scene.view.presenter.caret.blink.interval = 0
            let id = scene.window.window.id.rawValue
            func isSeen() -> Bool { scene.probe.info(id).flatMap(scene.probe.screenshot(of:))?.caret() != nil }
            for (key, shown, isExpected) in [
                ("a", "<⟨a|⟩>" as CaretNotation, true), ("b", "<⟨ab|⟩>", false), ("c", "<⟨abc|⟩>", true),
            ] {
                scene.type(key)
                try scene.expect(shown)
                try scene.pump("the caret to be \(isExpected ? "seen" : "hidden")") { isSeen() == isExpected }
            }
        }

        @Test("XIM 17 the reversed or highlighted clause is the selected range")
        func theTargetClauseIsSelected() throws {
            try follow(
                (#"start; draw 0 0 0 "😀今日は" u,r,r,u"#, "<⟨😀[今日|]は⟩>"),
                (#"draw 0 4 0 "今日は" u,u,h"#, "<⟨今日[は|]⟩>"), (#"draw 0 3 2 "今日は" u*3"#, "<⟨今日|は⟩>"))
        }

        @Test("XIM 18 marked text is underlined without any feedback as well")
        func plainFeedbackIsMarkedAll() throws {
            let scene = try InputMethodScene(
                script: """
                    on key a do start; draw 0 0 3 "mmm" 0*3
                    on key b do commit "mmm"; done
                    """)
            defer { scene.end() }
            func shot(_ key: String, _ state: CaretNotation) throws -> Screenshot {
                scene.type(key)
                try scene.expect(state)
                scene.display.processEvents()
                scene.probe.sync()
                let info = try #require(scene.probe.info(scene.window.window.id.rawValue))
                return try #require(scene.probe.screenshot(of: info))
            }
            let marked = try shot("a", "<⟨mmm|⟩>")
            let plain = try shot("b", "<mmm|>")
            let origin = scene.window.window.rootOrigin
            let text = scene.view.firstRect(forCharacterRange: UTF16Range(location: 1, length: 3)).rect
            let columns = Int((text.minX - origin.x).rounded())..<Int((text.maxX - origin.x).rounded())
            let lines = Int((text.minY - origin.y).rounded())..<Int((text.maxY - origin.y).rounded())
            // The rows in which the pictures differ: only an underline across the whole preedit, below the letters.
            let rows = (0..<marked.height).filter { row in
                (0..<marked.width).contains { marked[$0, row] != plain[$0, row] }
            }
            #expect((1...3).contains(rows.count), "\(rows) of \(lines)")
            for row in rows {
                let found = (0..<marked.width).filter { marked[$0, row] != plain[$0, row] }
                #expect(found == Array(found[0]...found[found.count - 1]), "without a gap: \(found)")
                #expect(
                    columns.contains(found[0]) && columns.contains(found[found.count - 1]), "\(found) in \(columns)")
                #expect(found.count >= columns.count - 2, "\(found) of \(columns)")
                // The letters have no descenders, so their lowest row is the baseline. The caret is after them.
                let ink = lines.last { line in
                    columns.dropLast(4).contains { plain[$0, line] != plain[columns.lowerBound, lines.lowerBound] }
                }
                #expect(row > (try #require(ink)) && lines.contains(row), "\(row) in \(lines)")
            }
        }

        @Test("XIM 19 a done without a draw clears")
        func doneAloneClears() throws {
            try follow((#"start; draw 0 0 1 "z""#, "<⟨z|⟩>"), ("done", "<|>"))
        }

        @Test("XIM 20 a done too many does nothing")
        func doneMayComeTwice() throws {
            try follow(
                (#"done; start; draw 0 0 1 "z""#, "<⟨z|⟩>"), (#"done; done; commit "Z"; done"#, "<Z|>"),
                (#"start; done; start; draw 0 0 1 "q""#, "<Z⟨q|⟩>"))
        }
    }
}

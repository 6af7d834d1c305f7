import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The real candidate window appears beside the composed text, both located on the screen.
    @Suite struct JourneyCandidates {
        /// A text of many lines that start with Latin text of random length, and the line to compose in.
        struct Scene {
            let text: String
            let line: Int
            let column: Int
            let geometry: String

            init(using random: inout SeededGenerator, lines: Int = 200) {
                let lengths = (0..<lines).map { _ in Int.random(in: 0...40, using: &random) }
                text = lengths.map { String(repeating: "x", count: $0) + "\n" }.joined()
                line = Int.random(in: 1...lines, using: &random)
                column = Int.random(in: 0...lengths[line - 1], using: &random) + 1
                let x = Int.random(in: 0...500, using: &random)
                let y = Int.random(in: 0...260, using: &random)
                geometry = "640x400+\(x)+\(y)"
            }
        }

        /// Compares the candidate window's position with the first line of the target clause if one is shown,
        /// otherwise with the caret.
        func checkPlace(
            _ method: RealInputMethod, _ session: DesktopSession, _ editor: EditorProcess, lineHeight: Int,
            _ note: String
        ) throws {
            var seen = ""
            try waitUntil(
                "the candidates to lie at the composition (\(note))", within: 3000,
                watching: [session.probe.descriptor], instead: { "\(seen)\n\(editor.report())" }
            ) {
                session.probe.drainEvents()
                let candidates = session.probe.windows().filter { $0.isViewable && method.ownsCandidateWindow($0) }
                guard let list = candidates.max(by: { $0.height < $1.height }),
                    let place = editor.composedPlace(lineHeight: lineHeight)
                else {
                    seen = "candidate windows \(candidates)"
                    return false
                }
                seen = "candidates \(list.rect), composition \(place)"
                let below = list.rect.top - place.bottom
                let above = place.top - list.rect.bottom
                // fcitx5 and ibus put the corner of their windows at the spot; near the right edge of the screen,
                // they shift it.
                let isPushedIn = list.rect.right >= session.probe.width - 2
                let isAligned = abs(list.rect.left - place.left) <= 4 || isPushedIn
                return isAligned && !list.rect.overlaps(place)
                    && ((0...place.height).contains(below) || (0...place.height + 30).contains(above))
            }
        }

        /// Presses a key at a typist's pace, and waits for the changed composition. Spots are sent only in pauses,
        /// and ibus moves its window only at the next key: with faster typing, its candidates would stay where the
        /// composition began.
        func strike(_ key: TestKey, _ session: DesktopSession, _ editor: EditorProcess) throws {
            let known = editor.calls("setMarkedText").count
            try TypistPace.pause()
            session.probe.strike(key)
            try editor.waitForCall("setMarkedText", after: known)
        }

        func type(_ letters: String, _ session: DesktopSession, _ editor: EditorProcess) throws {
            for key in letters.compactMap(TestKey.init(typing:)) { try strike(key, session, editor) }
        }

        /// Composes a text that has candidates, and returns the editor's line height.
        func compose(
            _ method: RealInputMethod, _ session: DesktopSession, _ editor: EditorProcess
        ) throws -> Int {
            let lineHeight = try editor.waitForCaret().height
            // As with real users, the first key comes a moment after the focus.
            try TypistPace.pause(2 * TypistPace.stroke)
            switch method.engine {
            case .anthy:
                try type("nihongo", session, editor)
                try editor.waitForMarkedText("にほんご")
                for _ in 0..<2 { try strike(.space, session, editor) }
            default:
                try type("nihao", session, editor)
            }
            _ = try session.probe.waitForWindow("the candidates of \(method)") { method.ownsCandidateWindow($0) }
            return lineHeight
        }

        /// Opens and closes a candidate list in a session of ibus and anthy. From 1.5.28 on, ibus may show the
        /// first list of a session in the screen's corner, for any client.
        func openFirstList(_ method: RealInputMethod, _ session: DesktopSession, _ editor: EditorProcess) throws {
            guard method.framework == .ibus, method.engine == .anthy else { return }
            _ = try compose(method, session, editor)
            try editor.cancelComposition()
            try waitUntil("the candidates to be gone", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                return !session.probe.windows().contains { $0.isViewable && method.ownsCandidateWindow($0) }
            }
        }

        static let methods = [
            RealInputMethod(.ibus, .anthy), RealInputMethod(.ibus, .pinyin), RealInputMethod(.fcitx5, .anthy),
            RealInputMethod(.fcitx5, .pinyin),
        ]

        @Test(arguments: methods)
        func candidatesLieAtTheClauseOnRandomLines(_ method: RealInputMethod) throws {
            var random = SeededGenerator(seed: SeededGenerator.newSeed)
            print("\(method): INKSTONE_SEED=\(random.seed) shows these scenes again")
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            for (round, scale) in ["1", "2", "1.5", "1"].enumerated() {
                let scene = Scene(using: &random)
                session.environment["INKSTONE_SCALE"] = scale
                let editor = try EditorProcess(
                    in: session, text: scene.text, named: "scene\(round).txt", geometry: scene.geometry,
                    options: ["--goto", "\(scene.line):\(scene.column)"])
                try editor.waitForInputMethod(method)
                if round == 0 { try openFirstList(method, session, editor) }
                let lineHeight = try compose(method, session, editor)
                try checkPlace(
                    method, session, editor, lineHeight: lineHeight,
                    "seed \(random.seed), round \(round), scale \(scale), line \(scene.line):\(scene.column), \(scene.geometry)"
                )
                try editor.cancelComposition()
                editor.end()
            }
        }

        @Test func candidatesLieAtTheFirstLineOfAClauseThatWraps() throws {
            let method = RealInputMethod(.fcitx5, .pinyin)
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            session.environment["INKSTONE_SCALE"] = "2"
            // fcitx5 shows “ni hao” as one clause. It breaks at the space, because “hao” and the following text fit
            // on one line.
            let editor = try EditorProcess(
                in: session, text: String(repeating: "x", count: 36), geometry: "640x400+100+50",
                options: ["--goto", "1:5"])
            try editor.waitForInputMethod(method)
            let lineHeight = try compose(method, session, editor)
            try checkPlace(method, session, editor, lineHeight: lineHeight, "a clause on two lines")
            let whole = try #require(editor.composedPlace(lineHeight: .max))
            #expect(whole.height == 2 * lineHeight)
            try editor.cancelComposition()
        }

        @Test(arguments: [RealInputMethod(.ibus, .anthy), RealInputMethod(.fcitx5, .anthy)])
        func candidatesFollowASoftWrap(_ method: RealInputMethod) throws {
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            // The composition begins near the right edge, so that more text or a conversion wraps it.
            let editor = try EditorProcess(in: session, text: "", geometry: "300x300+150+100")
            try editor.waitForInputMethod(method)
            try openFirstList(method, session, editor)
            let lineHeight = try editor.waitForCaret().height
            try type("nagainihongonobunshouwokokoniuchimasu", session, editor)
            try waitUntil("a long composition", watching: [session.probe.descriptor]) {
                (editor.markedText ?? "").count > 15
            }
            for _ in 0..<2 { try strike(.space, session, editor) }
            try checkPlace(method, session, editor, lineHeight: lineHeight, "after a soft wrap, first clause")
            // Move to the last clause, which is on a later line.
            while let target = editor.markedTarget, target.last != editor.markedText?.utf16.count {
                try strike(.right, session, editor)
            }
            for _ in 0..<2 { try strike(.space, session, editor) }
            try checkPlace(method, session, editor, lineHeight: lineHeight, "after a soft wrap, last clause")
            try editor.cancelComposition()
        }

        @Test(arguments: [false, true], [RealInputMethod(.ibus, .anthy), RealInputMethod(.fcitx5, .anthy)])
        func candidatesFollowAMovedWindow(_ withWindowManager: Bool, _ method: RealInputMethod) throws {
            // A window manager must be the first client of a session, so this needs a session of its own.
            let session = withWindowManager ? try DesktopSession() : try method.borrow().session
            defer { if withWindowManager { session.end() } else { session.giveBack() } }
            if withWindowManager {
                try session.startWindowManager()
                try method.start(in: session)
            }
            let editor = try EditorProcess(in: session, text: "one\ntwo\n", options: ["--goto", "2:2"])
            try editor.waitForInputMethod(method)
            try openFirstList(method, session, editor)
            let lineHeight = try compose(method, session, editor)
            try checkPlace(method, session, editor, lineHeight: lineHeight, "before the move")
            session.probe.move(editor.window.id, x: 420, y: 310)
            try waitUntil("the window to have moved") { editor.currentWindow.x > 400 }
            // ibus moves its window only at the next key, so wait for the spot here.
            try waitUntil("the spot to have moved", instead: { editor.report() }) {
                (editor.records("spot").last?["rect"]?.items.first?.number ?? 0) > 400
            }
            try strike(.space, session, editor)
            try checkPlace(method, session, editor, lineHeight: lineHeight, "after the move")
            try editor.cancelComposition()
        }
    }
}

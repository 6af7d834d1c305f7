import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// Offers that appear while the user types, and answers chosen with the pointer.
    @Suite struct EditorOffersTests {
        private let session: DesktopSession
        private var probe: XProbe { session.probe }

        init() throws { session = try DesktopSession(width: 800, height: 600) }

        /// The rows of the window that are the upper edge of a strip, from above.
        private func edges(_ editor: EditorProcess) -> [Int] {
            probe.drainEvents()
            guard let picture = probe.screenshot(of: editor.currentWindow) else { return [] }
            return (0..<picture.height).filter { row in
                (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
            }
        }

        /// Waits for the offer, a strip above the status line, and returns the row of its upper edge.
        private func waitForOffer(_ editor: EditorProcess) throws -> Int {
            try waitFor("an offer", watching: [probe.descriptor], instead: { editor.report() }) {
                let edges = edges(editor)
                return edges.count == 2 ? edges[0] : nil
            }
        }

        private func waitForNoOffer(_ editor: EditorProcess) throws {
            try waitUntil("no offer", watching: [probe.descriptor], instead: { editor.report() }) {
                edges(editor).count == 1
            }
        }

        /// Waits for the first answer below an edge of the window, and returns its row. Without an edge, searches
        /// below the status line's, which may rise: the frame of an answer has the edge's colour too.
        @discardableResult
        private func waitForAnswer(below edge: Int? = nil, of editor: EditorProcess) throws -> Int {
            try waitFor("an answer", watching: [probe.descriptor], instead: { editor.report() }) {
                probe.drainEvents()
                guard let picture = probe.screenshot(of: editor.currentWindow),
                    let edge = edge
                        ?? (0..<picture.height).last(where: { row in
                            (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                        })
                else { return nil as Int? }
                // A long line at the left is part of an answer's frame unless it crosses the whole window.
                return (edge + 2..<max(edge + 2, picture.height)).first { row in
                    (14..<28).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                        && picture[picture.width - 1, row] != EditorColor.stripEdge
                }
            }
        }

        /// Clicks an answer in the first row, counted from the left.
        private func click(_ answer: Int, below edge: Int? = nil, of editor: EditorProcess) throws {
            let place = try waitForAnswer(below: edge, of: editor)
            let window = editor.currentWindow
            let picture = try #require(probe.screenshot(of: window))
            let starts = (1..<picture.width).filter {
                picture[$0, place] == EditorColor.stripEdge && picture[$0 - 1, place] != EditorColor.stripEdge
            }
            probe.click(x: window.x + starts[answer] + 15, y: window.y + place + 6)
        }

        @Test func aFileThatAnotherProgramChangedIsOfferedToBeReadAnew() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "old\n")
            func comeBack() throws {
                probe.focusNothing()
                probe.focus(editor.window.id)
            }
            try comeBack()
            try TextFiles.write("from outside\n", to: editor.file)
            try comeBack()
            let edge = try waitForOffer(editor)
            let offer = try editor.waitForOffer()
            // The user types on meanwhile; the answer's label says that this text is lost.
            probe.type("typed ")
            try editor.waitForOffer(after: offer)
            try click(0, below: edge, of: editor)
            try waitForNoOffer(editor)
            try waitUntil("the file's text", instead: { editor.report() }) { !editor.currentWindow.title.contains("•") }
            probe.type("x")
            try editor.save(expecting: "xfrom outside\n")
            // The other answer keeps the editor's text, and the next save asks nothing.
            try TextFiles.write("again\n", to: editor.file)
            try comeBack()
            _ = try waitForOffer(editor)
            // While the find bar is open, Alt+R belongs to the bar; the offer would need Shift too.
            probe.control("f")
            probe.alt("r")
            probe.strike(.escape)
            probe.alt("k")
            try waitForNoOffer(editor)
            try editor.save(expecting: "xfrom outside\n")
            probe.control("q")
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
        }

        @Test func aQuestionIsAnsweredWithThePointer() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            probe.type("new ")
            try editor.waitForCall("insertText", after: 3)
            probe.control("q")
            try click(0, of: editor)
            #expect(try editor.process.waitForExit(within: 5000) == .exited(0))
            #expect(try TextFiles.read(editor.file) == "new text\n")
        }

        /// A question takes all keys, so the menu must not open a field that could not be typed into.
        @Test func whileAQuestionIsOpenTheMenuOpensNothingThatIsTypedInto() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "text\n")
            probe.type("a")
            try editor.waitForCall("insertText", after: 0)
            // These menus were open before the question, and hide it: going to a line, and setting line ends and
            // the encoding.
            for (line, text) in [("g", "abtext\n"), ("dw", "abcbtext\n"), ("de", "abcbcbtext\n")] {
                probe.strike(.f10)
                _ = try probe.waitForWindow("the menu") { $0.overrideRedirect }
                probe.askToClose(editor.window.id)
                try probe.chooseInOpenMenu(line)
                probe.strike(.escape)
                probe.type("b")
                try editor.save(expecting: text)
                try editor.waitForInsertion(of: "c")
            }
        }

        /// The pointer alone can accept or cancel the text of a prompt.
        @Test func aPromptIsAnsweredWithThePointer() throws {
            defer { session.end() }
            let editor = try EditorProcess(in: session, text: "one\ntwo\n")
            for (answer, text) in [(0, "one\nxtwo\n"), (1, "one\nxxtwo\n")] {
                probe.control("l")
                try waitForAnswer(of: editor)
                probe.type(answer == 0 ? "2" : "1")
                try click(answer, of: editor)
                probe.type("x")
                try editor.save(expecting: text)
            }
            // A click on “accept” waits for keys in flight and the composition, so the name includes them.
            probe.control("o")
            try waitForAnswer(of: editor)
            probe.control("a")
            probe.type("\(session.home)/other.txt")
            try click(0, of: editor)
            try waitUntil("the other window", instead: { editor.report() }) {
                probe.drainEvents()
                return probe.windows().contains { $0.isViewable && $0.title.hasPrefix("other.txt") }
            }
        }
    }
}

import DisplayTestSupport
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The find bar in use: typed into, clicked, and filled from PRIMARY.
    @Suite struct EditorFindingTests {
        /// The background colour of the current match.
        private static let current: UInt32 = 0xff9b3d

        /// The editor with three lines and the caret in the second.
        private final class Scene {
            let session: DesktopSession
            let editor: EditorProcess
            var probe: XProbe { session.probe }

            init() throws {
                session = try DesktopSession(width: 800, height: 600)
                editor = try EditorProcess(
                    in: session, text: "ink a\nInkwell b\nink c\n", options: ["--goto", "2"])
                try editor.waitForText()
            }

            func end() { session.end() }

            var picture: Screenshot? {
                probe.drainEvents()
                return probe.screenshot(of: editor.currentWindow)
            }

            /// The top of the current match in window pixels; nil if there is none.
            var top: Int? { picture?.firstLine(of: EditorFindingTests.current, lineHeight: 40)?.top }

            @discardableResult
            func wait(_ what: String, until isRight: @escaping (Int?) -> Bool) throws -> Int? {
                try waitUntil(what, instead: { self.editor.report() }) { isRight(self.top) }
                return top
            }

            /// The rows of the upper edges of the find bar and the status line, from above.
            var edges: [Int] {
                guard let picture else { return [] }
                return (0..<picture.height).filter { row in
                    (0..<picture.width).allSatisfy { picture[$0, row] == EditorColor.stripEdge }
                }
            }

            /// Waits for the find bar, and returns the rows of the edges.
            private func waitForBar() throws -> [Int] {
                try waitFor("the bar", instead: { "\(self.edges)" }) { self.edges.count == 2 ? self.edges : nil }
            }

            /// Clicks the nth button from the right in a find bar with one row.
            func click(_ button: Int) throws {
                let edges = try waitForBar()
                // The buttons are square; the bar adds five pixels above and below.
                let side = edges[1] - edges[0] - 10
                let x = editor.currentWindow.width - 10 - side / 2 - button * (side + 3)
                probe.click(
                    x: editor.currentWindow.x + x, y: editor.currentWindow.y + edges[0] + 5 + side / 2)
            }

            /// Clicks the nth button from the right in the replacement row. It is found by its border, because the
            /// widths depend on the labels.
            func clickReplacing(_ button: Int) throws {
                let edges = try waitForBar()
                let row = edges[0] + (edges[1] - edges[0]) * 3 / 4
                let picture = try #require(picture)
                let borders = (0..<picture.width).filter { picture[$0, row] == EditorColor.stripEdge }
                try #require(borders.count >= 2 * button + 2, "\(borders)")
                let right = borders.count - 1 - 2 * button
                probe.click(
                    x: editor.currentWindow.x + (borders[right - 1] + borders[right]) / 2,
                    y: editor.currentWindow.y + row)
            }
        }

        @Test func buttonsAndTheirKeysDoWhatTheySay() throws {
            let scene = try Scene()
            defer { scene.end() }
            scene.probe.control("f")
            scene.probe.type("ink")
            let second = try #require(try scene.wait("the match in line 2") { $0 != nil })
            // The button Aa and Alt+C switch to matching case, so the next match is in line 3.
            for _ in 0..<2 {
                try scene.click(5)
                let third = try #require(try scene.wait("the match in line 3") { $0 ?? 0 > second })
                let c = try #require(TestKey(typing: "c"))
                scene.probe.strike(c, holding: [.leftAlt])
                try scene.wait("the match in line 2") { $0 == second }
                scene.probe.strike(c, holding: [.leftAlt])
                try scene.wait("the match in line 3") { $0 == third }
                try scene.click(5)
                try scene.wait("the match in line 2") { $0 == second }
            }
            // The button W matches whole words only.
            try scene.click(4)
            try scene.wait("the match in line 3") { $0 ?? 0 > second }
            try scene.click(4)
            try scene.wait("the match in line 2") { $0 == second }
            // The button .* interprets the pattern as a regular expression.
            scene.probe.type(".")
            try scene.wait("no match") { $0 == nil }
            try scene.click(3)
            try scene.wait("the match in line 2") { $0 == second }
            // The buttons for the next and the previous match.
            try scene.click(1)
            try scene.wait("the match in line 3") { $0 ?? 0 > second }
            try scene.click(2)
            try scene.wait("the match in line 2") { $0 == second }
            // Close: the match stays selected, so typing replaces it.
            try scene.click(0)
            try waitUntil("no bar") { scene.edges.count == 1 }
            #expect(scene.top == nil)
            scene.probe.type("x")
            try scene.editor.save(expecting: "ink a\nxell b\nink c\n")
        }

        @Test func theOutlineIsThatOfTheFieldWithTheFocus() throws {
            let scene = try Scene()
            defer { scene.end() }
            scene.probe.control("h")
            // Returns the relative heights at which an outline of the focus colour crosses the fields.
            func outlined() -> [Double] {
                let edges = scene.edges
                guard edges.count == 2, let picture = scene.picture else { return [] }
                return (edges[0]..<edges[1]).filter { picture[200, $0] == EditorColor.caret }
                    .map { Double($0 - edges[0]) / Double(edges[1] - edges[0]) }
            }
            for _ in 0..<2 {
                try waitUntil("the upper field's outline", instead: { "\(outlined())" }) {
                    outlined().count == 2 && outlined().allSatisfy { $0 < 0.55 }
                }
                scene.probe.strike(.tab)
                try waitUntil("the lower field's outline", instead: { "\(outlined())" }) {
                    outlined().count == 2 && outlined().allSatisfy { $0 > 0.45 }
                }
                scene.probe.strike(.tab, holding: [.leftShift])
            }
        }

        @Test func allIsReplacedByItsButton() throws {
            let scene = try Scene()
            defer { scene.end() }
            scene.probe.control("h")
            scene.probe.type("ink")
            try scene.wait("a match") { $0 != nil }
            scene.probe.strike(.tab)
            scene.probe.type("pen")
            try scene.clickReplacing(1)
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\n")
            scene.probe.strike(.escape)
            scene.probe.control("z")
            try scene.editor.save(expecting: "ink a\nInkwell b\nink c\n")
        }

        @Test func undoInTheBarTakesAReplacementBackUntilAFieldIsEdited() throws {
            let scene = try Scene()
            defer { scene.end() }
            let probe = scene.probe
            probe.control("h")
            probe.type("ink")
            try scene.wait("a match") { $0 != nil }
            probe.strike(.tab)
            probe.type("pen")
            probe.strike(.enter, holding: [.leftControl])
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\n")
            probe.control("z")
            try scene.editor.save(expecting: "ink a\nInkwell b\nink c\n")
            probe.control("z", shift: true)
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\n")
            probe.control("z")
            // After an edit of the field, undo applies to the field.
            probe.type("s")
            probe.control("z")
            probe.strike(.enter, holding: [.leftControl])
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\n")
        }

        /// If the bar stayed open, its buttons could replace text behind the prompt.
        @Test func theBarIsClosedWhenANameIsAskedFor() throws {
            let scene = try Scene()
            defer { scene.end() }
            scene.probe.control("h")
            scene.probe.type("ink")
            try scene.wait("a match") { $0 != nil }
            // The prompt for a line number has no list of choices above, whose edge would look like the bar's.
            scene.probe.control("l")
            try waitUntil("no bar", instead: { "\(scene.edges)" }) { scene.edges.count == 1 }
        }

        /// Return after a paste searches for the pasted text, however late the text arrives.
        @Test func textPastedIntoTheBarReplacesTheMatch() throws {
            let scene = try Scene()
            defer { scene.end() }
            let probe = scene.probe
            probe.ownClipboard("pasted")
            probe.control("h")
            probe.type("ink")
            try scene.wait("a match") { $0 != nil }
            probe.strike(.tab)
            probe.control("v")
            probe.strike(.enter)
            try scene.editor.save(expecting: "ink a\npastedwell b\nink c\n")
        }

        /// A paste that arrives after the bar was closed must not move the selection.
        @Test func aPasteThatComesAfterTheBarIsClosedMovesNobody() throws {
            let scene = try Scene()
            defer { scene.end() }
            let probe = scene.probe
            // This selection owner answers only while it drains its events.
            let owner = try XProbe(display: scene.session.server.display)
            defer { owner.close() }
            owner.ownClipboard("well")
            probe.control("f")
            probe.type("ink")
            try scene.wait("a match") { $0 != nil }
            probe.control("v")
            probe.strike(.escape)
            try scene.wait("no match") { $0 == nil }
            for _ in 0..<20 {
                owner.drainEvents()
                owner.sync()
                probe.sync()
            }
            // The bar's field keeps the typed text, and the search starts at the caret's line.
            probe.control("f")
            probe.strike(.enter)
            try scene.wait("a match") { $0 != nil }
            probe.strike(.escape)
            probe.type("x")
            try scene.editor.save(expecting: "ink a\nxwell b\nink c\n", serving: owner)
        }

        @Test func keysReplaceAndTheBarEndsFromTheTextToo() throws {
            let scene = try Scene()
            defer { scene.end() }
            let probe = scene.probe
            probe.control("h")
            probe.type("ink")
            try scene.wait("a match") { $0 != nil }
            probe.strike(.tab)
            probe.type("pen")
            probe.strike(.enter)
            try scene.editor.save(expecting: "ink a\npenwell b\nink c\n")
            probe.strike(.enter, holding: [.leftControl])
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\n")
            // After a click in the text, the caret stays there when the bar is closed.
            let window = scene.editor.currentWindow
            probe.click(x: window.x + 300, y: window.y + 150)
            probe.type("end")
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\nend")
            #expect(scene.edges.count == 2)
            probe.strike(.escape)
            try waitUntil("no bar", watching: [probe.descriptor]) { scene.edges.count == 1 }
            probe.type(".")
            try scene.editor.save(expecting: "pen a\npenwell b\npen c\nend.")
            probe.control("l")
            probe.type("3:2")
            probe.strike(.enter)
            probe.type("x")
            try scene.editor.save(expecting: "pen a\npenwell b\npxen c\nend.")
        }

        /// Typing characters by code point works in the bar's field and in the text. While Ctrl+Shift is held, F is
        /// a hexadecimal digit, and does not search for PRIMARY.
        @Test func charactersAreTypedByTheirNumbers() throws {
            let scene = try Scene()
            defer { scene.end() }
            let probe = scene.probe
            func hold(_ down: Bool) {
                for key in [TestKey.leftControl, .leftShift] { probe.key(key.keycode, down: down) }
            }
            let u = try #require(TestKey(typing: "u"))
            probe.strike(u, holding: [.leftControl, .leftShift])
            probe.type("1f600 ")
            hold(true)
            probe.strike(u)
            for digit in "f6" { probe.strike(TestKey(try #require(TestKey(typing: digit)).keycode)) }
            hold(false)
            probe.type("x")
            try scene.editor.save(expecting: "ink a\n😀öxInkwell b\nink c\n")
            #expect(scene.edges.count == 1, "no bar")
            probe.control("f")
            probe.strike(u, holding: [.leftControl, .leftShift])
            probe.type("d6\nxi")
            try scene.wait("the match, without regard to case") { $0 != nil }
            probe.strike(.enter)
            probe.strike(.escape)
            probe.type("y")
            try scene.editor.save(expecting: "ink a\n😀öxInkwell b\nink c\n".replacing("öxI", with: "y"))
        }

        @Test func searchForThePrimarySelectionUsesItsFirstLine() throws {
            let scene = try Scene()
            defer { scene.end() }
            scene.probe.ownPrimary("ink c\nand more")
            scene.probe.control("f", shift: true)
            try scene.wait("the match in line 3") { $0 != nil }
            scene.probe.strike(.enter)
            scene.probe.strike(.escape)
            scene.probe.type("x")
            try scene.editor.save(expecting: "ink a\nInkwell b\nx\n", serving: scene.probe)
        }
    }
}

import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The options of a text view, tested by real keys and pixels.
    @Suite struct WidgetOptionTests {
        /// Creates a view with options, and an ordinary view below it.
        private func scene(
            _ text: String, _ options: (inout TextInputOptions) -> Void, deadKeys: Bool = false
        ) throws -> (scene: DisplayScene, window: WidgetWindow, view: TextView, other: TextView) {
            let scene = try DisplayScene()
            if deadKeys { try scene.server.setLayout("us", variant: "intl") }
            let (window, views) = try scene.makeWindow([text, ""]) { views in options(&views[0].options) }
            return (scene, window, views[0], views[1])
        }

        private func shot(_ view: TextView, _ scene: DisplayScene) throws -> Screenshot {
            scene.display.processEvents()
            scene.probe.sync()
            return try #require(picture(of: view, scene))
        }

        private func picture(of view: TextView, _ scene: DisplayScene) -> Screenshot? {
            guard let window = view.window, let info = scene.probe.info(window.window.id.rawValue) else { return nil }
            return scene.probe.screenshot(of: info)
        }

        @Test func aReadOnlyViewIsSelectedAndCopiedFromAndNotChanged() throws {
            let (scene, _, view, other) = try scene("fixed text", { $0.isEditable = false })
            defer { scene.end() }
            #expect(!view.acceptsInputMethod)
            scene.probe.type("x\n\t")
            scene.probe.strike(.backspace)
            scene.probe.strike(.delete)
            scene.probe.control("v")
            scene.probe.control("a")
            scene.probe.control("x")
            scene.probe.control("c")
            try scene.pump("the copy") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            #expect(view.selected == 0..<10)
            #expect(other.focus())
            scene.probe.control("v")
            try scene.expect(text: "fixed text", in: other)
            #expect(view.text == "fixed text")
        }

        @Test func aSingleLineTakesNoNewlineByKeyOrPaste() throws {
            let (scene, window, view, other) = try scene("one", { $0.isSingleLine = true })
            defer { scene.end() }
            var commands: [EditCommand] = []
            window.onCommand = {
                commands.append($0)
                return true
            }
            view.select(Selection(caret: 3))
            scene.probe.strike(.enter)
            try scene.pump("Return for the window") { commands == [.insertNewline] }
            other.text = "two\nthree"
            other.focus()
            scene.probe.control("a")
            scene.probe.control("c")
            try scene.pump("the copy") { scene.probe.selectionOwner("CLIPBOARD") != 0 }
            view.focus()
            scene.probe.type(" ")
            scene.probe.control("v")
            try scene.expect(text: "one two three", in: view)
        }

        @Test func aSecureViewNeitherShowsNorRevealsItsText() throws {
            let (scene, _, view, other) = try scene("", { $0.isSecureTextEntry = true })
            defer { scene.end() }
            #expect(!view.acceptsInputMethod)
            scene.probe.type("secret")
            try scene.expect(text: "secret", in: view)
            // The upper half of the window is the secure view.
            func bullets() throws -> ArraySlice<UInt32> {
                other.focus()
                let shot = try shot(view, scene)
                return shot.pixels.prefix(shot.width * shot.height / 2)
            }
            let first = try bullets()
            #expect(Set(first).count > 2, "something is written there")
            view.focus()
            scene.probe.control("a")
            scene.probe.control("c")
            scene.probe.control("x")
            try scene.pump("all of it") { view.selected == 0..<6 }
            scene.probe.type("iiiiii")
            try scene.expect(text: "iiiiii", in: view)
            #expect(try bullets() == first, "a bullet is as wide for every letter")
            view.focus()
            scene.probe.type("i")
            try scene.expect(text: "iiiiiii", in: view)
            #expect(try bullets() != first, "one for each")
            #expect(scene.probe.selectionOwner("CLIPBOARD") == 0 && scene.probe.selectionOwner("PRIMARY") == 0)
            scene.probe.control("v")
            scene.probe.type("x")
            try scene.expect(text: "x", in: other)
            // Text selected by the mouse would be PRIMARY at once in any other view.
            scene.click(view, x: 10, y: 10, count: 2)
            try scene.pump("the selection") { view.selected == 0..<7 }
            scene.waitUntilIdle()
            scene.display.processEvents()
            #expect(scene.probe.selectionOwner("PRIMARY") == 0)
            scene.click(other, x: 5, y: 10, count: 2)
            try scene.pump("PRIMARY") { scene.probe.selectionOwner("PRIMARY") != 0 }
        }

        @Test func lengthAndFilterWaitForTheEndOfAComposition() throws {
            let (scene, _, view, other) = try scene("ab", { $0.maximumLength = 3 }, deadKeys: true)
            defer { scene.end() }
            view.select(Selection(caret: 2))
            scene.probe.type("'")
            try scene.pump("marked text") { view.markedText != nil }
            scene.probe.type("e")
            try scene.expect(text: "abé", in: view)
            // The text has its maximum length: marked text is shown, and is dropped when it is committed.
            scene.probe.type("'")
            try scene.pump("marked text") { view.markedText != nil && view.text == "abé\u{b4}" }
            scene.probe.type("o")
            try scene.expect(text: "abé", in: view)
            scene.probe.type("x")
            scene.probe.strike(.backspace)
            try scene.type("y", into: view, expecting: "aby")
            other.options.inputFilter = { $0.filter { $0.isNumber || $0 == "ó" } }
            other.focus()
            scene.probe.type("1a2")
            scene.probe.type("'")
            try scene.pump("marked text, which no filter has seen") { other.text == "12\u{b4}" }
            scene.probe.type("e")
            try scene.expect(text: "12", in: other)
            try scene.type("'o3", into: other, expecting: "12ó3")
        }

        @Test func aPlaceholderStandsInAnEmptyViewOnly() throws {
            let (scene, _, view, other) = try scene("", { $0.placeholder = "Write here" })
            defer { scene.end() }
            let grey: UInt32 = 0x8c959f
            try scene.pump("the placeholder") { picture(of: view, scene)?.shows(grey) == true }
            try scene.type("x", into: view, expecting: "x")
            try scene.pump("no placeholder") { picture(of: view, scene)?.shows(grey) == false }
            scene.probe.strike(.backspace)
            try scene.pump("the placeholder again") { picture(of: view, scene)?.shows(grey) == true }
            #expect(view.text.isEmpty && other.text.isEmpty)
        }

        @Test func tabDoesWhatTheViewIsSetTo() throws {
            let (scene, window, view, other) = try scene("", { $0.tabBehavior = .insertsSpaces(4) })
            defer { scene.end() }
            window.focusOrder = .contents
            try scene.type("a\tb", into: view, expecting: "a   b")
            view.options.tabBehavior = .movesFocus
            scene.probe.strike(.tab)
            try scene.pump("the next view") { other.hasFocus }
            try scene.type("\t", into: other, expecting: "\t")
            #expect(view.text == "a   b")
        }

        @Test func theDefaultDirectionIsThatOfAnEmptyParagraph() throws {
            let (scene, _, view, _) = try scene("", { $0.baseWritingDirection = .rightToLeft })
            defer { scene.end() }
            try scene.pump("the caret at the right") { (picture(of: view, scene)?.caret()?.left ?? 0) > 300 }
            view.options.baseWritingDirection = .leftToRight
            try scene.pump("the caret at the left") { (picture(of: view, scene)?.caret()?.left ?? 999) < 20 }
            view.options.baseWritingDirection = .natural
            try scene.type("a", into: view, expecting: "a")
        }

        @Test func theDelegateRefusesAChange() throws {
            final class NoDigits: EditingSessionDelegate {
                var asked: [String] = []
                func session(
                    _ session: EditingSession, shouldChangeTextIn range: Range<UTF16Offset>,
                    replacementText text: String
                ) -> Bool {
                    asked.append(text)
                    return !text.contains { $0.isNumber }
                }
            }
            let (scene, _, view, _) = try scene("", { _ in })
            defer { scene.end() }
            let delegate = NoDigits()
            view.session.delegate = delegate
            try scene.type("a1b2", into: view, expecting: "ab")
            scene.probe.type("3")
            scene.probe.strike(.backspace)
            try scene.expect(text: "a", in: view)
            #expect(delegate.asked == ["a", "1", "b", "2", "3", ""])
        }

        @Test func aRefusedCommandIsNotCalledByItsKey() throws {
            let (scene, window, view, _) = try scene("abc", { _ in })
            defer { scene.end() }
            var above: [EditCommand] = []
            window.onCommand = {
                above.append($0)
                return true
            }
            // There is nothing to redo and no selection: the view refuses, and the window is asked.
            scene.probe.control("z", shift: true)
            scene.probe.control("x")
            scene.probe.strike(.escape)
            try scene.pump("three refusals") { above.count == 3 }
            #expect(above == [.redo, .cut, .cancelOperation] && view.text == "abc")
            // The program refuses commands that the view could perform.
            view.canPerform = { $0 != .selectAll && $0 != .moveRight }
            view.select(Selection(caret: 0))
            scene.probe.control("a")
            scene.probe.strike(.right)
            scene.probe.strike(.end)
            try scene.pump("End") { view.selected == 3..<3 }
            #expect(above.suffix(2) == [.selectAll, .moveRight])
        }

        struct Words: Sendable, CustomTestStringConvertible {
            var text: String
            var words: [String]
            var testDescription: String { text }
        }

        @Test(arguments: [
            Words(text: "我来到北京清华大学", words: ["北京", "清华大学"]),
            Words(text: "日本語の文章を書きます", words: ["日本語", "の", "文章"]),
            Words(text: "สวัสดีชาวโลก", words: ["สวัสดี", "โลก"]),
        ])
        func aDoubleClickSelectsAWordWithoutBlanks(_ example: Words) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["say: " + example.text])
            let view = views[0]
            for word in example.words {
                let range = try #require(view.text.firstRange(of: word))
                let place = range.lowerBound.utf16Offset(in: view.text)..<range.upperBound.utf16Offset(in: view.text)
                let rect = view.firstRect(for: view.range(place))
                scene.click(view, x: rect.minX + rect.width / 2, y: rect.minY + rect.height / 2, count: 2)
                try scene.pump("\(word) to be selected") { view.selected == place }
                // Press elsewhere, so that the next click is no triple click.
                scene.click(view, x: 5, y: 100)
                try scene.pump("the caret") { view.selected.isEmpty }
            }
        }
    }
}

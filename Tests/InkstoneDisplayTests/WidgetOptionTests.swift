import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// What a text view's options mean, by real keys and pixels.
    @Suite struct WidgetOptionTests {
        /// A view with options, and an ordinary one below it.
        private func scene(
            _ text: String, _ options: (inout TextInputOptions) -> Void, deadKeys: Bool = false
        ) throws -> (desktop: WidgetDesktop, window: WidgetWindow, view: TextView, other: TextView) {
            let desktop = try WidgetDesktop()
            if deadKeys { try desktop.session.server.setLayout("us", variant: "intl") }
            let (window, views) = try desktop.window([text, ""]) { views in options(&views[0].options) }
            return (desktop, window, views[0], views[1])
        }

        private func shot(_ view: TextView, _ desktop: WidgetDesktop) throws -> Screenshot {
            desktop.display.processEvents()
            desktop.probe.sync()
            return try #require(picture(of: view, desktop))
        }

        private func picture(of view: TextView, _ desktop: WidgetDesktop) -> Screenshot? {
            guard let window = view.window, let info = desktop.probe.info(window.window.id.rawValue) else { return nil }
            return desktop.probe.screenshot(of: info)
        }

        @Test func aReadOnlyViewIsSelectedAndCopiedFromAndNotChanged() throws {
            let (desktop, _, view, other) = try scene("fixed text", { $0.isEditable = false })
            defer { desktop.end() }
            #expect(!view.editor.acceptsInputMethod)
            desktop.probe.type("x\n\t")
            desktop.probe.strike(.backspace)
            desktop.probe.strike(.delete)
            desktop.probe.control("v")
            desktop.probe.control("a")
            desktop.probe.control("x")
            desktop.probe.control("c")
            try desktop.pump("the copy") { desktop.probe.selectionOwner("CLIPBOARD") != 0 }
            #expect(view.selected == 0..<10)
            #expect(other.focus())
            desktop.probe.control("v")
            try desktop.expect("fixed text", in: other)
            #expect(view.text == "fixed text")
        }

        @Test func aSingleLineTakesNoNewlineByKeyOrPaste() throws {
            let (desktop, window, view, other) = try scene("one", { $0.isSingleLine = true })
            defer { desktop.end() }
            var commands: [EditCommand] = []
            window.onCommand = {
                commands.append($0)
                return true
            }
            view.editor.select(Selection(caret: 3))
            desktop.probe.strike(.enter)
            try desktop.pump("Return for the window") { commands == [.insertNewline] }
            other.text = "two\nthree"
            other.focus()
            desktop.probe.control("a")
            desktop.probe.control("c")
            try desktop.pump("the copy") { desktop.probe.selectionOwner("CLIPBOARD") != 0 }
            view.focus()
            desktop.probe.type(" ")
            desktop.probe.control("v")
            try desktop.expect("one two three", in: view)
        }

        @Test func aSecureViewShowsAndTellsNothing() throws {
            let (desktop, _, view, other) = try scene("", { $0.isSecureTextEntry = true })
            defer { desktop.end() }
            #expect(!view.editor.acceptsInputMethod)
            desktop.probe.type("secret")
            try desktop.expect("secret", in: view)
            // The upper half of the window is the view's.
            func bullets() throws -> ArraySlice<UInt32> {
                other.focus()
                let shot = try shot(view, desktop)
                return shot.pixels.prefix(shot.width * shot.height / 2)
            }
            let first = try bullets()
            #expect(Set(first).count > 2, "something is written there")
            view.focus()
            desktop.probe.control("a")
            desktop.probe.control("c")
            desktop.probe.control("x")
            try desktop.pump("all of it") { view.selected == 0..<6 }
            desktop.probe.type("iiiiii")
            try desktop.expect("iiiiii", in: view)
            #expect(try bullets() == first, "a bullet is as wide for every letter")
            view.focus()
            desktop.probe.type("i")
            try desktop.expect("iiiiiii", in: view)
            #expect(try bullets() != first, "one for each")
            #expect(desktop.probe.selectionOwner("CLIPBOARD") == 0 && desktop.probe.selectionOwner("PRIMARY") == 0)
            desktop.probe.control("v")
            desktop.probe.type("x")
            try desktop.expect("x", in: other)
        }

        @Test func lengthAndFilterWaitForTheEndOfAComposition() throws {
            let (desktop, _, view, other) = try scene("ab", { $0.maximumLength = 3 }, deadKeys: true)
            defer { desktop.end() }
            view.editor.select(Selection(caret: 2))
            desktop.probe.type("'")
            try desktop.pump("marked text") { view.editor.markedText != nil }
            desktop.probe.type("e")
            try desktop.expect("abé", in: view)
            // Full: what is composed is shown, and goes when it is finished.
            desktop.probe.type("'")
            try desktop.pump("marked text") { view.editor.markedText != nil && view.text == "abé\u{b4}" }
            desktop.probe.type("o")
            try desktop.expect("abé", in: view)
            desktop.probe.type("x")
            desktop.probe.strike(.backspace)
            try desktop.type("y", into: view, expecting: "aby")
            other.options.inputFilter = { $0.filter { $0.isNumber || $0 == "ó" } }
            other.focus()
            desktop.probe.type("1a2")
            desktop.probe.type("'")
            try desktop.pump("marked text, which no filter has seen") { other.text == "12\u{b4}" }
            desktop.probe.type("e")
            try desktop.expect("12", in: other)
            try desktop.type("'o3", into: other, expecting: "12ó3")
        }

        @Test func aPlaceholderStandsInAnEmptyViewOnly() throws {
            let (desktop, _, view, other) = try scene("", { $0.placeholder = "Write here" })
            defer { desktop.end() }
            let grey: UInt32 = 0x8c959f
            try desktop.pump("the placeholder") { picture(of: view, desktop)?.shows(grey) == true }
            try desktop.type("x", into: view, expecting: "x")
            try desktop.pump("no placeholder") { picture(of: view, desktop)?.shows(grey) == false }
            desktop.probe.strike(.backspace)
            try desktop.pump("the placeholder again") { picture(of: view, desktop)?.shows(grey) == true }
            #expect(view.text.isEmpty && other.text.isEmpty)
        }

        @Test func tabDoesWhatTheViewIsSetTo() throws {
            let (desktop, window, view, other) = try scene("", { $0.tabBehavior = .insertsSpaces(4) })
            defer { desktop.end() }
            window.focusOrder = .contents
            try desktop.type("a\tb", into: view, expecting: "a   b")
            view.options.tabBehavior = .movesFocus
            desktop.probe.strike(.tab)
            try desktop.pump("the next view") { other.hasFocus }
            try desktop.type("\t", into: other, expecting: "\t")
            #expect(view.text == "a   b")
        }

        @Test func theDefaultDirectionIsThatOfAnEmptyParagraph() throws {
            let (desktop, _, view, _) = try scene("", { $0.baseWritingDirection = .rightToLeft })
            defer { desktop.end() }
            try desktop.pump("the caret at the right") { (picture(of: view, desktop)?.caret()?.left ?? 0) > 300 }
            view.options.baseWritingDirection = .leftToRight
            try desktop.pump("the caret at the left") { (picture(of: view, desktop)?.caret()?.left ?? 999) < 20 }
            view.options.baseWritingDirection = .natural
            try desktop.type("a", into: view, expecting: "a")
        }

        @Test func theDelegateRefusesAChange() throws {
            final class NoDigits: EditorViewDelegate {
                var asked: [String] = []
                func editorView(
                    _ view: EditorView, shouldChangeTextIn range: Range<UTF16Offset>, replacementText text: String
                ) -> Bool {
                    asked.append(text)
                    return !text.contains { $0.isNumber }
                }
            }
            let (desktop, _, view, _) = try scene("", { _ in })
            defer { desktop.end() }
            let delegate = NoDigits()
            view.delegate = delegate
            try desktop.type("a1b2", into: view, expecting: "ab")
            desktop.probe.type("3")
            desktop.probe.strike(.backspace)
            try desktop.expect("a", in: view)
            #expect(delegate.asked == ["a", "1", "b", "2", "3", ""])
        }

        @Test func aRefusedCommandIsNotCalledByItsKey() throws {
            let (desktop, window, view, _) = try scene("abc", { _ in })
            defer { desktop.end() }
            var above: [EditCommand] = []
            window.onCommand = {
                above.append($0)
                return true
            }
            // Nothing to do again, nothing selected: the view refuses, and the window is asked.
            desktop.probe.control("z", shift: true)
            desktop.probe.control("x")
            desktop.probe.strike(.escape)
            try desktop.pump("three refusals") { above.count == 3 }
            #expect(above == [.redo, .cut, .cancelOperation] && view.text == "abc")
            // The program refuses what the view would do.
            view.canPerform = { $0 != .selectAll && $0 != .moveRight }
            view.editor.select(Selection(caret: 0))
            desktop.probe.control("a")
            desktop.probe.strike(.right)
            desktop.probe.strike(.end)
            try desktop.pump("End") { view.selected == 3..<3 }
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
            let desktop = try WidgetDesktop()
            defer { desktop.end() }
            let (_, views) = try desktop.window(["say: " + example.text])
            let view = views[0]
            for word in example.words {
                let range = try #require(view.text.firstRange(of: word))
                let place = range.lowerBound.utf16Offset(in: view.text)..<range.upperBound.utf16Offset(in: view.text)
                let rect = view.firstRect(for: view.range(place))
                desktop.click(view, x: rect.minX + rect.width / 2, y: rect.minY + rect.height / 2, count: 2)
                try desktop.pump("\(word) to be selected") { view.selected == place }
                // A press elsewhere, so that the next is no third click.
                desktop.click(view, x: 5, y: 100)
                try desktop.pump("the caret") { view.selected.isEmpty }
            }
        }
    }
}

import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The focus within a window, across windows, and when a view refuses it.
    @Suite struct WidgetFocusTests {
        @Test func twoWindowsKeepSelectionAndScrollThroughAManagersFocusChanges() throws {
            let scene = try DisplayScene(manager: true)
            defer { scene.end() }
            let long = (1...80).map { "line \($0)" }.joined(separator: "\n")
            let (first, firstViews) = try scene.makeWindow([long], at: (20, 40), title: "one")
            let (second, secondViews) = try scene.makeWindow([long], at: (440, 40), title: "two")
            let (one, two) = (firstViews[0], secondViews[0])
            one.select(Selection(anchor: 5, head: 140))
            two.select(Selection(anchor: 20, head: 9))
            // Scroll away from the selections, to see whether focus changes scroll back.
            one.scroll(by: 400)
            two.scroll(by: 200)
            let before = (one.selected, one.scrolled, two.selected, two.scrolled)
            #expect(before.1 > 300 && before.3 > 150)
            try scene.pump("the second window to have the focus") { second.window.isFocused && !first.window.isFocused }
            #expect(scene.display.focusedWindow === second)
            #expect(scene.display.firstResponder === two)
            for round in 0..<3 {
                // A click on the title bar gives the window the focus, without a press in the text.
                let (now, other) = round.isMultiple(of: 2) ? (first, second) : (second, first)
                let place = try #require(scene.probe.info(now.window.id.rawValue))
                scene.probe.click(x: place.x + 150, y: place.y - 8)
                try scene.pump("the manager to change the focus") { now.window.isFocused && !other.window.isFocused }
                #expect(scene.display.firstResponder === now.focusedView)
                #expect(now.focusedView?.isFocused == true && other.focusedView?.isFocused == false)
                #expect((one.selected, one.scrolled) == (before.0, before.1))
                #expect((two.selected, two.scrolled) == (before.2, before.3))
            }
            // The first window has the focus: typing replaces its selection, and changes nothing in the other
            // window.
            scene.probe.type("x")
            try scene.pump("the key") { one.text.hasPrefix("line x") && one.text.utf16.count == long.utf16.count - 134 }
            #expect(two.text == long && two.selected == before.2 && two.scrolled == before.3)
        }

        @Test func theSameTextInTwoWindowsHasASelectionInEach() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (first, views) = try scene.makeWindow(["alpha beta gamma"], at: (20, 40))
            let other = try WidgetWindow(scene.display, size: Size(width: 300, height: 100))
            let mirror = TextView(in: other, store: views[0].store)
            defer { other.close() }
            views[0].select(Selection(caret: 0))
            mirror.select(Selection(anchor: 6, head: 10))
            try scene.focus(first)
            try scene.type("ab", into: views[0], expecting: "abalpha beta gamma")
            #expect(mirror.selected == 8..<12 && mirror.session.selectedText == "beta")
            #expect(views[0].selected == 2..<2)
            // There is no window manager here that would focus another window at once.
            scene.probe.focusNothing()
            try scene.pump("no focus") { scene.display.firstResponder == nil }
            #expect(scene.display.focusedWindow == nil)
        }

        /// Each view has its own window, which requests the focus when pressed; nothing around the views assigns
        /// it.
        @Test func twoViewsInAHostsWindowHaveTheKeysInTurn() throws {
            let scene = try DisplayScene()
            let host = try RawRequestor(scene.server.display)
            defer {
                host.close()
                scene.end()
            }
            XMoveResizeWindow(host.connection, host.window, 300, 40, 300, 200)
            XMapWindow(host.connection, host.window)
            XSync(host.connection, 0)
            let views = try [0.0, 100].map { y in
                try TextView(
                    scene.display, parent: WindowID(rawValue: UInt32(host.window)),
                    frame: WindowRect(x: 0, y: y, width: 300, height: 90))
            }
            defer { for view in views { view.close() } }
            try scene.pump("their places") { views[1].window?.window.rootOrigin == RootPoint(x: 300, y: 140) }
            for turn in 0..<4 {
                let (view, other) = (views[turn % 2], views[1 - turn % 2])
                let (text, rest) = (view.text, other.text)
                // Click at a new position each time, so that it is no double click.
                scene.click(view, x: 60 + 50 * Double(turn), y: 40)
                try scene.pump("the focus") { view.isFocused && !other.isFocused }
                #expect(scene.display.firstResponder === view)
                #expect(scene.probe.focusedWindow == view.window?.window.id.rawValue)
                try scene.type("\(turn)", into: view, expecting: text + "\(turn)")
                #expect(other.text == rest)
            }
            // When the host takes the focus itself, neither view has it until one is pressed. Closing one view does
            // not affect the host.
            scene.probe.focus(UInt32(host.window))
            try scene.pump("no focus") { scene.display.firstResponder == nil && !views[1].isFocused }
            scene.type("x")
            views[1].close()
            scene.click(views[0], x: 280, y: 40)
            try scene.pump("the focus") { views[0].isFocused }
            try scene.type("4", into: views[0], expecting: "024")
            #expect(views[1].text == "13")
        }

        @Test func aRefusedResignKeepsFocusAndCaretWhereTheyAre() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["one", "two"])
            let (one, two) = (views[0], views[1])
            var asked = 0
            one.shouldResignFirstResponder = {
                asked += 1
                return one.text.hasSuffix(".")
            }
            var reported: [Bool] = []
            one.onFocusChange = { reported.append($0) }
            #expect(window.firstResponder === one)
            one.select(Selection(caret: 3))
            two.select(Selection(caret: 0))
            scene.click(two, x: 200, y: 20)
            try scene.pump("the question") { asked == 1 }
            try scene.type("!", into: one, expecting: "one!")
            #expect(window.firstResponder === one && one.hasFocus && !two.hasFocus)
            #expect(two.text == "two" && two.selected == 0..<0, "a press that is refused moves no caret")
            #expect(!two.focus() && asked == 2)
            #expect(reported.isEmpty)
            try scene.type(".", into: one, expecting: "one!.")
            scene.click(two, x: 200, y: 20)
            try scene.pump("the focus") { two.hasFocus }
            #expect(reported == [false] && two.selected == 3..<3)
            try scene.type("?", into: two, expecting: "two?")
        }

        @Test func tabGoesRoundWhereTheHostWantsIt() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["text", "not for keys"])
            views[1].canBecomeFirstResponder = false
            let pin = PinContent()
            let button = ButtonContent()
            window.add(pin)
            window.add(button)
            views[0].select(Selection(caret: 4))
            // Without traversal, Ctrl+Tab does nothing and Tab inserts a tab character.
            scene.probe.strike(.tab, holding: [.leftControl])
            try scene.type("\t", into: views[0], expecting: "text\t")
            window.focusOrder = .contents
            scene.probe.strike(.tab, holding: [.leftControl])
            scene.probe.type("12a3")
            try scene.pump("the digits") { pin.digits == "123" }
            #expect(window.firstResponder === pin)
            scene.probe.strike(.backspace)
            try scene.pump("BackSpace") { pin.digits == "12" }
            // A view that is only KeyInput does not handle Tab, and neither does one that accepts no text; so Tab
            // moves the focus.
            scene.probe.strike(.tab)
            try scene.pump("the button") { window.firstResponder === button }
            scene.probe.type(" \n")
            try scene.pump("Return") { button.performed == [.insertNewline] }
            scene.probe.strike(.tab)
            try scene.pump("the text again") { views[0].hasFocus }
            scene.probe.strike(.tab, holding: [.leftControl, .leftShift])
            try scene.pump("the button again") { window.firstResponder === button }
            scene.probe.strike(.tab, holding: [.leftShift])
            try scene.pump("the digits again") { window.firstResponder === pin }
            // The host sets its own focus order.
            window.focusOrder = .responders([pin, views[0]])
            scene.probe.strike(.tab)
            try scene.pump("the text") { views[0].hasFocus }
            #expect(views[0].text == "text\t" && pin.digits == "12")
        }

        @Test func tabGoesThroughTheLinksOfReadTextAndOnToTheNextField() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["", "field"])
            let (page, field) = (views[0], views[1])
            for name in ["one", "two"] {
                page.append(StyledText(Rope(name), TextAttributes(LinkAttribute.self, name)))
                page.append("\n")
            }
            var opened: [String] = []
            page.onOpenLink = { opened.append($0) }
            page.isEditable = false
            field.options.tabBehavior = .movesFocus
            // Without an order of focus, Tab goes round the links.
            page.focus()
            for selected in [0..<3, 4..<7, 0..<3] as [Range<Int>] {
                scene.probe.strike(.tab)
                try scene.pump("the next link") { page.selected == selected }
            }
            window.focusOrder = .contents
            field.focus()
            page.select(Selection(caret: 0))
            scene.probe.strike(.tab, holding: [.leftShift])
            try scene.pump("the last link") { page.hasFocus && page.selected == 4..<7 }
            scene.probe.type("\n")
            try scene.pump("Return") { opened == ["two"] }
            scene.probe.strike(.tab, holding: [.leftShift])
            try scene.pump("the first link") { page.selected == 0..<3 }
            scene.probe.strike(.tab)
            try scene.pump("the last link again") { page.selected == 4..<7 }
            scene.probe.strike(.tab)
            try scene.pump("the field") { field.hasFocus }
            scene.probe.strike(.tab)
            try scene.pump("the first link again") { page.hasFocus && page.selected == 0..<3 }
            scene.probe.strike(.tab, holding: [.leftControl])
            try scene.pump("Ctrl+Tab") { field.hasFocus }
            #expect(page.text == "one\ntwo\n" && field.text == "field" && opened == ["two"])
        }

        @Test func commandsAndShortcutsGoUpToTheWindowAndTheProgram() throws {
            final class Program: Responder {
                var performed: [EditCommand] = []
                func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
                    performed.append(action)
                    return true
                }
            }
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["abc"])
            let program = Program()
            window.nextResponder = program
            window.keyCommands = [KeyCommand(input: 0x67, modifierFlags: .control, action: EditCommand("find"))]
            var seen: [EditCommand] = []
            views[0].onCommand = {
                seen.append($0)
                return $0 == EditCommand("saveDocument")
            }
            views[0].inputContext.keyBindings.add(KeyBinding("Ctrl+s", .saveDocument))
            scene.probe.control("g")
            scene.probe.control("s")
            try scene.pump("both commands") { seen.count == 2 }
            #expect(seen == [EditCommand("find"), .saveDocument])
            #expect(program.performed == [EditCommand("find")])
            let chain: [any Responder] = [views[0], window, program]
            #expect(views[0].responderChain.elementsEqual(chain) { $0 === $1 })
            // Without a first responder, the window handles keys.
            #expect(window.makeFirstResponder(nil))
            scene.probe.control("g")
            scene.probe.type("x")
            try scene.pump("the command") { program.performed.count == 2 }
            scene.probe.sync()
            scene.display.processEvents()
            #expect(views[0].text == "abc")
        }

        @Test func aViewMovesToAnotherWindowInMidComposition() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.server.setLayout("us", variant: "intl")
            let (first, views) = try scene.makeWindow(["ab"], at: (20, 40))
            let (second, _) = try scene.makeWindow([], at: (440, 40))
            let view = views[0]
            view.select(Selection(caret: 1))
            try scene.focus(first)
            // A dead accent is marked text until its letter is typed.
            scene.probe.type("'")
            try scene.pump("marked text") { view.markedText != nil }
            #expect(view.text == "a\u{b4}b")
            view.move(to: second)
            second.layOut()
            #expect(view.markedText == nil && view.text == "a\u{b4}b", "it stays as text, once")
            #expect(view.selected == 2..<2)
            #expect(first.firstResponder == nil && second.firstResponder === view)
            try scene.focus(second)
            try scene.type("e", into: view, expecting: "a\u{b4}eb")
            #expect(view.hasFocus)
            // Keys of the old window have no effect now.
            try scene.focus(first)
            scene.probe.type("z")
            scene.probe.sync()
            scene.display.processEvents()
            #expect(view.text == "a\u{b4}eb" && !view.hasFocus)
        }

        @Test func aCopyTakesAttributesAlongAsLongAsTheClipboardIsItsOwn() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["red and plain", ""])
            let (from, to) = (views[0], views[1])
            let red = Color(rgb: 0xff0000)
            from.store.restyle { $0.set(red, of: ForegroundAttribute.self, in: 0..<3) }
            func colors() -> [Color?] {
                to.store.styledText.attributes(in: to.textRange).map { $0.attributes[ForegroundAttribute.self] }
            }
            from.select(Selection(anchor: 0, head: 7))
            from.perform(.copy)
            to.perform(.paste)
            try scene.pump("the copy") { to.text == "red and" }
            #expect(colors() == [red, nil])
            to.perform(.pasteAsPlainText)
            try scene.pump("its text") { to.text == "red andred and" }
            #expect(colors() == [red, nil])
            // Another program becomes the owner with an equal text.
            scene.probe.ownClipboard("red and")
            try scene.pump("the loss") { !scene.display.clipboard.isOwner }
            to.perform(.selectAll)
            to.perform(.deleteBackward)
            to.perform(.paste)
            try scene.pump("the other's text") {
                scene.probe.drainEvents()
                return to.text == "red and"
            }
            #expect(colors() == [nil])
        }
    }
}

/// A field of a few digits: the documentation's example in a window.
private final class PinContent: WindowContent, KeyInput, Responder {
    private(set) var digits = ""
    let frame = WindowRect(x: 0, y: 0, width: 10, height: 10)
    var hasText: Bool { !digits.isEmpty }
    var canBecomeFirstResponder: Bool { true }
    func insertText(_ text: String) { digits += text.filter(\.isNumber) }
    func deleteBackward() { _ = digits.popLast() }
    func paint(on canvas: any Canvas, damage: WindowRect) { canvas.fill(frame, .white) }
}

/// Content that takes the focus and commands, but no text.
private final class ButtonContent: WindowContent, Responder {
    private(set) var performed: [EditCommand] = []
    let frame = WindowRect(x: 20, y: 0, width: 10, height: 10)
    var canBecomeFirstResponder: Bool { true }
    func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        guard action == .insertNewline else { return false }
        performed.append(action)
        return true
    }
    func paint(on canvas: any Canvas, damage: WindowRect) { canvas.fill(frame, .black) }
}

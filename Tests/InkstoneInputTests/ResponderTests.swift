import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// The focus, the order of its notifications, and the keys that no input method receives.
@Suite(.timeLimit(.minutes(5))) struct ResponderTests {
    /// Records the notifications of a responder.
    private final class Part: Responder {
        let name: String
        let log: (String) -> Void
        var refuses = false
        var passesOn: (() -> Void)?
        weak var next: (any Responder)?

        init(_ name: String, _ log: @escaping (String) -> Void) {
            self.name = name
            self.log = log
        }

        var canBecomeFirstResponder: Bool { true }
        func didBecomeFirstResponder() {
            log("\(name) has it")
            passesOn?()
        }
        func resignFirstResponder() -> Bool {
            log("\(name) is asked")
            return !refuses
        }
        func focusDidChange(to isFocused: Bool) { log("\(name) \(isFocused ? "has focus" : "has no focus")") }
    }

    @Test func allObserversAreNotifiedOfTheFocusInOneOrder() {
        var log: [String] = []
        let focus = FocusSystem()
        let (a, b) = (Part("a") { log.append($0) }, Part("b") { log.append($0) })
        focus.onChange = { log.append("\($0)") }
        focus.makeFirstResponder(a)
        focus.windowFocusChanged(true)
        #expect(log == ["a has it", "responder", "inputViews", "a has focus", "window"])
        log = []
        focus.makeFirstResponder(b)
        #expect(log == ["a is asked", "a has no focus", "b has it", "b has focus", "responder", "inputViews"])
        log = []
        b.refuses = true
        #expect(!focus.makeFirstResponder(a))
        #expect(log == ["b is asked"] && focus.isFocused(b))
        log = []
        focus.remove(a)
        #expect(log.isEmpty)
        focus.remove(b)
        #expect(log == ["b has no focus", "responder", "inputViews"], "one that leaves the window is not asked")
        #expect(focus.firstResponder == nil)
    }

    @Test func aResponderThatPassesTheFocusOnIsNotNotifiedOfIt() {
        var log: [String] = []
        let focus = FocusSystem()
        let (a, b) = (Part("a") { log.append($0) }, Part("b") { log.append($0) })
        focus.windowFocusChanged(true)
        focus.onChange = { log.append("\($0)") }
        a.passesOn = { [unowned b] in focus.makeFirstResponder(b) }
        #expect(focus.makeFirstResponder(a))
        #expect(focus.firstResponder === b)
        #expect(!log.contains("a has focus"))
        #expect(log.suffix(4) == ["b has it", "b has focus", "responder", "inputViews"])
    }

    @Test func theFocusIsNotMovedFromWithinARefusal() {
        final class Evasive: Responder {
            let focus: FocusSystem
            let other: any Responder
            var result: Bool?
            init(_ focus: FocusSystem, _ other: any Responder) {
                self.focus = focus
                self.other = other
            }
            var canBecomeFirstResponder: Bool { true }
            func resignFirstResponder() -> Bool {
                result = focus.makeFirstResponder(other)
                return true
            }
        }
        let focus = FocusSystem()
        let (third, target) = (ReferenceTextView(""), ReferenceTextView(""))
        let evasive = Evasive(focus, third)
        focus.makeFirstResponder(evasive)
        #expect(focus.makeFirstResponder(target))
        #expect(evasive.result == false && focus.firstResponder === target)
    }

    @Test func aSelectionThatWasDroppedIsThereAgainWithTheWindowsFocus() {
        let focus = FocusSystem()
        let view = ReferenceTextView("some text")
        focus.makeFirstResponder(view)
        focus.windowFocusChanged(true)
        view.content.selection = 2..<6
        focus.windowFocusChanged(false)
        view.content.selection = nil
        focus.windowFocusChanged(true)
        #expect(view.content.selection == 2..<6)
        // A selection that the program sets meanwhile, such as a match of a search, stays.
        focus.windowFocusChanged(false)
        view.content.selection = 7..<9
        focus.windowFocusChanged(true)
        #expect(view.content.selection == 7..<9)
    }

    @Test func aViewThatNamesNoNextIsInItsWindowsChain() {
        final class Window: Responder {
            var performed: [EditCommand] = []
            var keyCommands = [KeyCommand(input: 0x67, modifierFlags: .control, action: EditCommand("find"))]
            func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
                performed.append(action)
                return true
            }
        }
        let pin = PinField()
        let window = Window()
        let context = TextInputContext(client: pin)
        context.type(KeyEvent(keysym: 0x67, modifiers: .control))
        #expect(window.performed.isEmpty)
        context.chainEnd = window
        context.type(KeyEvent(keysym: 0x67, modifiers: .control))
        context.type(KeyEvent(keysym: .tab))
        #expect(window.performed == [EditCommand("find"), .insertTab])
        // The action is performed once, although the chain leads there too.
        let view = ReferenceTextView("")
        view.next = window
        let other = TextInputContext(client: view)
        other.chainEnd = window
        other.perform(EditCommand("more"))
        #expect(window.performed.count == 3)
    }

    @Test func aResponderWithoutTextTakesCommands() {
        final class Button: Responder {
            var presses = 0
            func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
                if action == .insertNewline { presses += 1 }
                return action == .insertNewline
            }
        }
        let button = Button()
        let standIn = CommandClient(for: button)
        let context = TextInputContext(client: standIn)
        context.type(KeyEvent(keysym: .return, characters: ""))
        context.type(KeyEvent(keysym: 0x61, characters: "a"))
        #expect(button.presses == 1)
        #expect(!context.perform(.deleteBackward))
    }

    @Test func chordKeysBypassTheInputMethod() {
        let s = Simulation("text", server: Simulation.Server(kind: .composing, delay: 40))
        s.context.keyBindings = .emacs
        s.key(0x78, "x", .control)
        s.key(0x68, "h")
        s.waitUntilIdle()
        #expect(s.view.performedCommands == [.selectAll])
        #expect(s.view.string == "text" && !s.method.log.contains { $0.hasPrefix("key") })
        // A key that continues no chord is discarded.
        s.key(0x78, "x", .control)
        s.key(0x71, "q")
        s.waitUntilIdle()
        #expect(s.view.string == "text" && s.context.pendingStrokes.isEmpty)
    }

    @Test func whileTextIsComposedAllKeysAreTheMethods() {
        let s = Simulation("", server: Simulation.Server(kind: .composing))
        s.context.keyBindings = .emacs
        s.type("n")
        s.run(100)
        #expect(s.context.isComposing)
        s.key(0x78, "x", .control)
        #expect(s.method.log.filter { $0.hasPrefix("key") }.count == 2)
        #expect(s.context.pendingStrokes.isEmpty)
    }

    @Test func aChordEndsWithTheFocus() {
        let s = Simulation("text", server: Simulation.Server(kind: .forwarding))
        s.context.keyBindings = .emacs
        var reported: [Int] = []
        s.context.onPendingStrokesChange = { [unowned s] in reported.append(s.context.pendingStrokes.count) }
        s.key(0x78, "x", .control)
        s.waitUntilIdle()
        #expect(reported == [1])
        s.session.windowFocusChanged(false)
        s.session.windowFocusChanged(true)
        s.waitUntilIdle()
        #expect(reported == [1, 0])
        s.key(0x68, "h")
        s.waitUntilIdle()
        #expect(s.view.performedCommands.isEmpty && s.view.string.contains("h"))
    }
}

import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Pointer gestures by XTEST, which the server treats as real input, and the resulting selections.
    @Suite struct WidgetPointerTests {
        /// A gesture, its start, and the expected selection.
        struct Case: Sendable, CustomTestStringConvertible {
            enum Step: Sendable {
                case press(Int)
                case move(Int)
                case release
                case click(Int, times: Int)
                case hold(TestKey)
                case letGo(TestKey)
            }
            var name: String
            var steps: [Step]
            /// Whether the text is ``wrapped`` and a triple click selects a visual line instead of a paragraph.
            var isByLines: Bool
            /// The expected `Selection.description`.
            var selected: String
            init(_ name: String, _ steps: Step..., isByLines: Bool = false, selected: String) {
                self.name = name
                self.steps = steps
                self.isByLines = isByLines
                self.selected = selected
            }
            var testDescription: String { name }
        }

        private static let text = "one two three\nfour five six\nseven"
        /// Each word fills a line: the first paragraph is shown as three lines, which begin at 0, 25 and 50.
        private static let wrapped =
            "abc".map { String(repeating: $0, count: 24) }.joined(separator: " ") + "\nddd"

        /// Covers INT 20, INT 21, INT 22, INT 24, INT 31 of the checklist for interaction.
        @Test(arguments: [
            Case("click", .click(5, times: 1), selected: "5"),
            Case("drag right", .press(2), .move(9), .release, selected: "2→9"),
            Case("drag left", .press(9), .move(2), .release, selected: "9→2"),
            Case("drag over a line and back", .press(5), .move(20), .move(3), .release, selected: "5→3"),
            Case("double click", .click(5, times: 2), selected: "4→7"),
            Case("double drag right", .click(5, times: 1), .press(5), .move(9), .release, selected: "4→13"),
            Case("double drag left", .click(5, times: 1), .press(5), .move(1), .release, selected: "7→0"),
            Case("double drag across", .click(5, times: 1), .press(5), .move(9), .move(1), .release, selected: "7→0"),
            Case("triple click", .click(16, times: 3), selected: "14→28"),
            Case("triple drag down", .click(5, times: 2), .press(5), .move(20), .release, selected: "0→28"),
            Case("triple drag up", .click(20, times: 2), .press(20), .move(5), .release, selected: "28→0"),
            Case(
                "triple drag down and back", .click(16, times: 2), .press(16), .move(30), .move(20), .release,
                selected: "14→28"),
            Case(
                "triple drag down and up across", .click(16, times: 2), .press(16), .move(30), .move(5), .release,
                selected: "28→0"),
            Case(
                "triple drag up and down across", .click(16, times: 2), .press(16), .move(5), .move(30), .release,
                selected: "14→33"),
            Case("quadruple click", .click(16, times: 4), selected: "14→28"),
            Case(
                "quadruple drag across", .click(16, times: 3), .press(16), .move(30), .move(5), .release,
                selected: "28→0"),
            Case(
                "triple click by lines", .click(30, times: 3), isByLines: true, selected: "25→50"),
            Case(
                "triple drag by lines", .click(30, times: 2), .press(30), .move(60), .release, isByLines: true,
                selected: "25→75"),
            Case(
                "triple drag by lines and back", .click(30, times: 2), .press(30), .move(60), .move(40), .release,
                isByLines: true, selected: "25→50"),
            Case(
                "triple drag by lines across", .click(30, times: 2), .press(30), .move(60), .move(5), .release,
                isByLines: true, selected: "50→0"),
            Case(
                "triple drag by lines, up and down across", .click(30, times: 2), .press(30), .move(5), .move(77),
                .release, isByLines: true, selected: "25→78"),
            Case(
                "shift-click by lines", .click(30, times: 3), .hold(.leftShift), .click(60, times: 1),
                .letGo(.leftShift), isByLines: true, selected: "25→75"),
            Case(
                "shift-click behind", .click(5, times: 1), .hold(.leftShift), .click(16, times: 1), .letGo(.leftShift),
                selected: "5→16"),
            Case(
                "shift-click before", .click(5, times: 1), .hold(.leftShift), .click(1, times: 1), .letGo(.leftShift),
                selected: "5→1"),
            Case(
                "shift-click within", .press(2), .move(12), .release, .hold(.leftShift), .click(6, times: 1),
                .letGo(.leftShift), selected: "2→6"),
            Case(
                "shift-click by words", .click(5, times: 2), .hold(.leftShift), .click(16, times: 1),
                .letGo(.leftShift),
                selected: "4→18"),
            Case(
                "shift-click by words, before", .click(16, times: 2), .hold(.leftShift), .click(5, times: 1),
                .letGo(.leftShift), selected: "18→4"),
            Case(
                "shift-click by words, on and back", .click(5, times: 2), .hold(.leftShift), .click(20, times: 1),
                .click(9, times: 1), .letGo(.leftShift), selected: "4→13"),
            Case(
                "shift-click by words, behind and before", .click(5, times: 2), .hold(.leftShift),
                .click(20, times: 1), .click(1, times: 1), .letGo(.leftShift), selected: "7→0"),
            Case(
                "shift-drag by words", .click(5, times: 2), .hold(.leftShift), .press(9), .move(20), .release,
                .letGo(.leftShift), selected: "4→23"),
            Case(
                "shift-drag by words across", .click(5, times: 2), .hold(.leftShift), .press(20), .move(9), .move(1),
                .release, .letGo(.leftShift), selected: "7→0"),
            Case(
                "shift-drag by characters across", .click(5, times: 1), .hold(.leftShift), .press(9), .move(20),
                .move(1), .release, .letGo(.leftShift), selected: "5→1"),
            Case(
                "shift-drag by paragraphs", .click(16, times: 3), .hold(.leftShift), .press(30), .move(5), .release,
                .letGo(.leftShift), selected: "28→0"),
            Case(
                "control adds a caret", .click(5, times: 1), .hold(.leftControl), .click(16, times: 1),
                .letGo(.leftControl), selected: "5 16*"),
            Case(
                "control takes one away", .click(5, times: 1), .hold(.leftControl), .click(16, times: 1),
                .click(5, times: 1), .letGo(.leftControl), selected: "16"),
            Case(
                "control drags another range", .click(1, times: 1), .hold(.leftControl), .press(16), .move(20),
                .release,
                .letGo(.leftControl), selected: "1 16→20*"),
            Case(
                "a rectangle with Control and Shift", .hold(.leftControl), .hold(.leftShift), .press(1), .move(18),
                .release, .letGo(.leftShift), .letGo(.leftControl), selected: "1→4 15→18*"),
            Case(
                "a rectangle with Alt", .hold(.leftAlt), .press(18), .move(1), .release, .letGo(.leftAlt),
                selected: "4→1* 18→15"),
            Case("a click on what is selected", .press(2), .move(12), .release, .click(6, times: 1), selected: "6"),
        ])
        func gesturesSelect(_ test: Case) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let view = try scene.makeWindow([test.isByLines ? Self.wrapped : Self.text]).views[0]
            view.interaction.settings.tripleClickSelectsLine = test.isByLines
            // A long double-click time, so that a busy machine does not matter: presses at one point always count
            // on, presses elsewhere never.
            view.interaction.settings.doubleClickTime = 600_000
            for step in test.steps {
                switch step {
                case .press(let offset):
                    scene.movePointer(to: offset, in: view)
                    scene.probe.button(1, down: true)
                case .move(let offset): scene.movePointer(to: offset, in: view)
                case .release: scene.probe.button(1, down: false)
                case .click(let offset, let times):
                    scene.movePointer(to: offset, in: view)
                    for _ in 0..<times {
                        scene.probe.button(1, down: true)
                        scene.probe.button(1, down: false)
                    }
                case .hold(let key): scene.probe.key(key.keycode, down: true)
                case .letGo(let key): scene.probe.key(key.keycode, down: false)
                }
                // Handle each motion, because pending motions are merged.
                scene.waitUntilIdle()
            }
            try scene.pump(
                "the selection \(test.selected)", instead: { view.selection?.description ?? "none" }
            ) { view.selection?.description == test.selected && !view.interaction.isActive }
        }

        /// Covers INT 28 of the checklist for interaction.
        @Test func theMiddleButtonPastesPrimaryAtThePointerAndKeepsWhatIsSelected() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let view = try scene.makeWindow([Self.text]).views[0]
            scene.movePointer(to: 4, in: view)
            scene.probe.button(1, down: true)
            scene.waitUntilIdle()
            scene.movePointer(to: 8, in: view)
            scene.waitUntilIdle()
            scene.probe.button(1, down: false)
            scene.waitUntilIdle()
            #expect(view.selected == 4..<8)
            scene.movePointer(to: 18, in: view)
            scene.probe.button(2, down: true)
            scene.probe.button(2, down: false)
            try scene.expect(text: "one two three\nfourtwo  five six\nseven", in: view)
            #expect(view.selection?.description == "22", "the caret stands behind it")
        }

        // MARK: What comes to nothing

        /// A delegate that refuses as the test says.
        private final class Judge: TextInteractionDelegate {
            var refusesAll = true
            var asked: [TextInteraction.Gesture] = []
            func textInteractionGesture(_ gesture: TextInteraction.Gesture, shouldBeginAt point: ViewPoint) -> Bool {
                asked.append(gesture)
                return !refusesAll
            }
        }

        @Test func aPressThatComesToNothingLeavesFocusAndCompositionAlone() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let views = try scene.makeWindow(["one two", "three four"]).views
            let judge = Judge()
            for view in views {
                view.select(Selection(caret: 0))
                view.interaction.delegate = judge
            }
            views[0].setMarkedText(
                "に", selectedRange: UTF16Range(location: 1, length: 0), replacementRange: .notFound)
            func expectUnchanged(_ act: Comment) {
                scene.waitUntilIdle()
                #expect(views[0].hasFocus && !views[1].hasFocus, act)
                #expect(views[0].markedText != nil, act)
                #expect(views[0].selection?.description == "1" && views[1].selection?.description == "0", act)
                #expect(views.allSatisfy { !$0.interaction.isActive }, act)
            }
            for view in views {
                for (button, gesture) in [(1, .caret), (2, .paste), (3, .menu)] as [(UInt8, TextInteraction.Gesture)] {
                    scene.movePointer(to: 5, in: view)
                    scene.probe.button(button, down: true)
                    scene.probe.button(button, down: false)
                    expectUnchanged("button \(button) is refused")
                    #expect(judge.asked.last == gesture)
                }
            }
            judge.refusesAll = false
            for view in views {
                func press(_ act: Comment, meanwhile: () -> Void) {
                    scene.movePointer(to: 5, in: view)
                    scene.probe.button(2, down: true)
                    scene.waitUntilIdle()
                    meanwhile()
                    scene.waitUntilIdle()
                    scene.probe.button(2, down: false)
                    expectUnchanged(act)
                }
                press("moved") { scene.movePointer(to: 0, in: view) }
                press("the wheel is turned") {
                    scene.probe.button(5, down: true)
                    scene.probe.button(5, down: false)
                }
                view.interaction.settings.pastesPrimary = false
                press("nothing is pasted") {}
            }
            // A click with an effect ends the composition and keeps its text.
            scene.movePointer(to: 5, in: views[1])
            scene.probe.button(1, down: true)
            scene.probe.button(1, down: false)
            try scene.pump("the other view to have the focus") { views[1].hasFocus }
            #expect(views[0].markedText == nil && views[0].text == "にone two")
            #expect(views[1].selection?.description == "5")
        }

        /// Covers INT 26 of the checklist for interaction.
        @Test func aDragHeldBelowTheViewScrollsOnUntilTheRelease() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let view = try scene.makeWindow([(0..<200).map { "line \($0)" }.joined(separator: "\n")]).views[0]
            scene.movePointer(to: 2, in: view)
            scene.probe.button(1, down: true)
            scene.waitUntilIdle()
            let origin = try #require(view.window).window.rootOrigin
            scene.probe.movePointer(x: Int(origin.x) + 30, y: Int(origin.y + view.frame.maxY) + 500)
            // The pointer is over the last line's text, not after its end.
            let last = view.text.utf16.count - "line 199".utf16.count
            try scene.pump("the last line", within: 30_000) { view.selected.upperBound >= last }
            #expect(view.scrolled > 0)
            scene.probe.button(1, down: false)
            try scene.pump("the end of the drag") { !view.interaction.isActive }
            #expect(view.interaction.nextDeadline == nil)
        }

        // MARK: What nobody's hands do

        /// Covers INT 13 of the checklist for interaction.
        @Test func keysAndButtonsThatAnotherClientSendsAreIgnored() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let view = try scene.makeWindow(["ab"]).views[0]
            view.select(Selection(caret: 0))
            let sender = try SyntheticInput(scene, to: view)
            defer { sender.close() }
            let time = scene.display.latestTimestamp
            for mask in [0, KeyPressMask | ButtonPressMask] {
                sender.click(x: 200, mask: mask)
                sender.strike(38, mask: mask)
            }
            // The real key is inserted after them, and is the only one.
            try scene.type("x", into: view, expecting: "xab")
            #expect(view.selection?.description == "1")
            #expect(scene.display.latestTimestamp &- time < .max / 2, "their times are not taken over either")
            scene.display.acceptsSyntheticInput = true
            sender.click(x: 200, mask: 0)
            sender.strike(38, mask: 0)
            try scene.expect(text: "xaba", in: view)
        }
    }
}

/// A client that sends synthetic key and button events, as `xdotool --window` does.
private final class SyntheticInput {
    private let connection: OpaquePointer
    private let window: UInt

    init(_ scene: DisplayScene, to view: TextView) throws {
        connection = try #require(XOpenDisplay(scene.server.display))
        window = UInt(try #require(view.window).window.id.rawValue)
    }

    func close() { XCloseDisplay(connection) }

    private func send(_ type: CInt, detail: UInt32, x: CInt, mask: Int) {
        var event = XEvent()
        event.xkey.type = type
        event.xkey.window = window
        event.xkey.root = XDefaultRootWindow(connection)
        event.xkey.time = 0x7000_0000
        event.xkey.x = x
        event.xkey.y = 10
        event.xkey.keycode = detail
        event.xkey.same_screen = 1
        XSendEvent(connection, window, 0, mask, &event)
        XSync(connection, 0)
    }

    func strike(_ keycode: UInt32, mask: Int) {
        send(KeyPress, detail: keycode, x: 0, mask: mask)
        send(KeyRelease, detail: keycode, x: 0, mask: mask)
    }

    func click(x: CInt, mask: Int) {
        send(ButtonPress, detail: 1, x: x, mask: mask)
        send(ButtonRelease, detail: 1, x: x, mask: mask)
    }
}

extension DisplayScene {
    /// Moves the pointer to the position of an offset.
    fileprivate func movePointer(to offset: Int, in view: TextView) {
        let caret = view.caretRect(for: view.range(offset..<offset).start)
        let origin = view.textInputViewOrigin
        probe.movePointer(x: Int(origin.x + caret.minX) + 2, y: Int(origin.y + caret.minY + caret.height / 2))
    }
}

import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// INT 83: random input on a real display. Other tests check the resulting text; this one checks leftovers:
    /// windows, grabs, timers, and a text that undo does not restore.
    @Suite struct WidgetRandomUseTests {
        private static let rounds = 16
        private static let actions = 120

        @Test func randomInputLeavesNoWindowsGrabsOrTimers() throws {
            let seed = SeededGenerator.seedOfThisRun
            print("random use of a window: INKSTONE_SEED=\(seed) does it again")
            let start = Deadline.now
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow([""], width: 300, height: 160, at: (120, 100))
            for round in 0..<Self.rounds {
                let hands = RandomHands(scene, seed: seed &* 1000 &+ UInt64(round))
                for _ in 0..<Self.actions { hands.act() }
                let faults = try hands.putDown()
                try #require(
                    faults.isEmpty, "INKSTONE_SEED=\(seed), round \(round):\n\(faults)\nafter:\n\(hands.report)")
            }
            print("random use of a window: \(Self.rounds * Self.actions) actions in \(Int(Deadline.now - start)) ms")
        }
    }
}

/// Performs random input that a pointer and a keyboard can make.
private final class RandomHands {
    private static let texts = [
        "one two three\nfour five\n\nsix seven eight nine ten eleven twelve thirteen fourteen\nfif\tteen\tend\nlast",
        "naïve cafe\u{301} 日本語の本 x\n😀 👩‍👩‍👧 family 🇩🇪🇫🇷 flags\n\n\te\u{301}e\u{301} wide\nab",
        (0..<60).map { "line \($0) with some words\n" }.joined(),
        "abc שלום עולם def\nשורה אחת\nplain one\nשתי abc מילים 123 סוף\n",
    ]

    private let scene: DisplayScene
    private var view: TextView { scene.view }
    private var probe: XProbe { scene.probe }
    private var random: SeededGenerator
    private let original: String
    private var steps: [String] = []

    /// Starts with an idle view, and sets its text.
    init(_ scene: DisplayScene, seed: UInt64) {
        self.scene = scene
        random = SeededGenerator(seed: seed)
        original = Self.texts[random.below(Self.texts.count)]
        scene.view.text = original
        scene.view.store.removeAllUndo()
        // Stop blinking, the only timer of an idle view.
        var steady = CaretSettings()
        steady.blinks = false
        scene.view.presenter.caretSettings = steady
        scene.view.interaction.settings.warpsScrollBar = random.once(in: 2)
        scene.waitUntilIdle()
    }

    var report: String { steps.suffix(12).joined(separator: "\n") }

    // MARK: Actions

    /// Performs one random action. The program sees some actions together and others one by one.
    func act() {
        switch random.below(24) {
        case 0..<4: click()
        case 4..<7: drag()
        case 7: menu()
        case 8..<10: wheel()
        case 10..<14: type()
        case 14..<18: move()
        case 18..<20: command()
        case 20: strike("Shift+F8", TestKey(74), [.leftShift])
        case 21: strike("Escape", .escape, [])
        case 22: middleClick()
        default: loseFocus()
        }
        if random.once(in: 3) {
            scene.waitUntilIdle()
            let text = view.text
            steps.append("  seen: \(text.count) characters, \(view.selection?.description ?? "none")")
        }
    }

    /// Returns a point of the window, of its edge, or some distance outside, in root pixels.
    private func place() -> (x: Int, y: Int) {
        let origin = scene.window.window.rootOrigin
        let bounds = view.bounds
        let margin = random.once(in: 5) ? 60 : 0
        let x = random.below(Int(bounds.width) + 2 * margin) - margin
        let y = random.below(Int(bounds.height) + 2 * margin) - margin
        // Choose the scroll bar often enough.
        return (Int(origin.x) + (random.once(in: 10) ? Int(bounds.width) - 4 : x), Int(origin.y) + y)
    }

    private func holding(_ keys: [TestKey], _ body: () -> Void) {
        for key in keys { probe.key(key.keycode, down: true) }
        body()
        for key in keys.reversed() { probe.key(key.keycode, down: false) }
    }

    private func modifiers() -> [TestKey] {
        switch random.below(9) {
        case 0: [.leftShift]
        case 1: [.leftControl]
        case 2: [.leftAlt]
        case 3: [.leftControl, .leftShift]
        default: []
        }
    }

    private func click() {
        let (to, keys, count) = (place(), modifiers(), 1 + random.below(4))
        steps.append("\(count) clicks at \(to) with \(keys.count) modifiers")
        holding(keys) { probe.click(x: to.x, y: to.y, count: count) }
    }

    /// Drags, possibly with a wheel turn, Escape, a key or another button in between.
    private func drag() {
        let (from, keys) = (place(), modifiers())
        steps.append("a drag from \(from) with \(keys.count) modifiers")
        holding(keys) {
            probe.movePointer(x: from.x, y: from.y)
            probe.button(1, down: true)
            for _ in 0..<1 + random.below(4) {
                let to = place()
                probe.movePointer(x: to.x, y: to.y)
                if random.once(in: 2) { scene.waitUntilIdle() }
                switch random.below(16) {
                case 0: probe.strike(.escape)
                case 1: probe.click(x: to.x, y: to.y, button: 5)
                case 2: probe.type("d")
                case 3: probe.click(x: to.x, y: to.y, button: 3)
                case 4: strike("Shift+F8 in it", TestKey(74), [.leftShift])
                default: break
                }
            }
            probe.button(1, down: false)
        }
    }

    /// Opens the menu by pointer or key, and leaves it in a random way.
    private func menu() {
        let (from, to) = (place(), place())
        let way = random.below(5)
        steps.append("the menu at \(from), then way \(way) to \(to)")
        if random.once(in: 3) {
            probe.strike(TestKey(135))
        } else {
            probe.click(x: from.x, y: from.y, button: 3)
        }
        if random.once(in: 2) { scene.waitUntilIdle() }
        switch way {
        case 0: probe.strike(.escape)
        case 1: probe.click(x: to.x, y: to.y)
        case 2:
            for _ in 0..<1 + random.below(6) { probe.strike(random.once(in: 4) ? .up : .down) }
            probe.strike(.enter)
        case 3: probe.click(x: from.x + 20, y: from.y + 10 + random.below(200))
        default: break
        }
    }

    private func wheel() {
        let (to, button, keys) = (place(), UInt8(4 + random.below(4)), modifiers())
        steps.append("the wheel, button \(button)")
        holding(keys) { probe.click(x: to.x, y: to.y, button: button, count: 1 + random.below(4)) }
    }

    private func type() {
        let words = ["a", "word ", "Two\n", "(x)", "\t", "zz top", "1234567890"]
        let word = words[random.below(words.count)]
        steps.append("types \(word.debugDescription)")
        probe.type(word)
        if random.once(in: 3) { strike("BackSpace", .backspace, random.once(in: 3) ? [.leftControl] : []) }
        if random.once(in: 4) { strike("Delete", .delete, random.once(in: 3) ? [.leftControl] : []) }
    }

    private func move() {
        let keys: [TestKey] = [.left, .right, .up, .down, .home, .end, .pageUp, .pageDown]
        strike("a move", keys[random.below(keys.count)], modifiers())
    }

    private func command() {
        let characters = Array("acxvzyd")
        let character = characters[random.below(characters.count)]
        steps.append("Control+\(character)")
        probe.control(character, shift: random.once(in: 6))
    }

    private func middleClick() {
        let to = place()
        steps.append("the middle button at \(to)")
        probe.click(x: to.x, y: to.y, button: 2)
    }

    private func strike(_ name: String, _ key: TestKey, _ modifiers: [TestKey]) {
        steps.append("\(name), keycode \(key.keycode), with \(modifiers.count) modifiers")
        probe.strike(key, holding: modifiers)
    }

    private func loseFocus() {
        steps.append("the focus goes and comes")
        probe.focusNothing()
        if random.once(in: 2) { scene.waitUntilIdle() }
        probe.focus(scene.window.window.id.rawValue)
    }

    // MARK: What is left

    /// The visible override-redirect windows: menus, loupes and drag pictures.
    private var popups: [WindowInfo] { probe.windows().filter { $0.isViewable && $0.overrideRedirect && $0.width > 8 } }

    /// Whether another client could grab pointer and keyboard now.
    private var grabsAreFree: Bool {
        guard let connection = XOpenDisplay(scene.server.display) else { return false }
        defer { XCloseDisplay(connection) }
        let root = XDefaultRootWindow(connection)
        return XGrabPointer(connection, root, 0, 0, GrabModeAsync, GrabModeAsync, 0, 0, 0) == GrabSuccess
            && XGrabKeyboard(connection, root, 0, GrabModeAsync, GrabModeAsync, 0) == GrabSuccess
    }

    private var isAtRest: Bool {
        popups.isEmpty && grabsAreFree && view.nextDeadline == nil && scene.display.nextDeadline == nil
            && !view.interaction.isActive && !view.presenter.scrollBars.isPressed && !view.isLoupeShown
            && !scene.window.isMenuOpen
            && view.dropCaret.position == nil && scene.display.draggingSession == nil
    }

    /// Describes what should not be left.
    private var leftovers: String {
        "windows \(popups.map(\.rect)), grabs free \(grabsAreFree), view's deadline \(view.nextDeadline as Any), "
            + "display's \(scene.display.nextDeadline as Any), gesture \(view.interaction.isActive), "
            + "bar \(view.presenter.scrollBars.isPressed), loupe \(view.isLoupeShown), "
            + "menu \(scene.window.isMenuOpen), drop caret \(view.dropCaret.position as Any), drag \(scene.display.draggingSession != nil)\n\(report)"
    }

    /// Releases all keys and buttons, and describes what is wrong then.
    func putDown() throws -> String {
        probe.releaseAll()
        scene.waitUntilIdle()
        try scene.focus(scene.window)
        // The first Escape may close a menu, the next one what is behind it.
        for _ in 0..<3 {
            probe.strike(.escape)
            scene.waitUntilIdle()
        }
        try scene.pump("rest", within: 20_000, instead: { self.leftovers }) { isAtRest }
        let end = view.text
        var count = 0
        while view.store.canUndo, count < 100_000 {
            view.session.undo()
            count += 1
        }
        guard view.text.utf16.elementsEqual(original.utf16) else {
            return "\(count) steps back: \(view.text.debugDescription) instead of \(original.debugDescription)"
        }
        while view.store.canRedo { view.session.redo() }
        guard view.text.utf16.elementsEqual(end.utf16) else {
            return "forward again: \(view.text.debugDescription) instead of \(end.debugDescription)"
        }
        scene.waitUntilIdle()
        if let difference = try scene.picture().difference(from: try scene.freshPicture()) {
            return "what is seen is not what is painted anew: \(difference)"
        }
        return ""
    }
}

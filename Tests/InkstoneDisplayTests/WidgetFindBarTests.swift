import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The library's find bar in a window of a program that only makes room for it, and links at the caret.
    @Suite struct WidgetFindBarTests {
        private static let menuKey = TestKey(135)

        /// A window with a text, and below it a find bar, as on the page Recipes.
        private func searchable(_ text: String) throws -> (scene: DisplayScene, bar: FindBar) {
            let scene = try DisplayScene()
            try scene.makeWindow([text])
            let view = scene.view
            let bar = FindBar(for: view, in: scene.window)
            scene.window.onLayout = { [unowned bar] window in
                let (size, height) = (window.size, bar.height(in: window.size))
                view.setFrame(WindowRect(x: 0, y: 0, width: size.width, height: size.height - height))
                bar.setFrame(WindowRect(x: 0, y: size.height - height, width: size.width, height: height))
            }
            scene.window.layOut()
            return (scene, bar)
        }

        @Test func commandsAndKeysOfTheWindowReachTheBar() throws {
            let (scene, bar) = try searchable("one two three two")
            defer { scene.end() }
            let view = scene.view
            let height = view.frame.height
            #expect(!bar.isOpen && bar.frame == .zero)
            scene.probe.control("f")
            try scene.pump("the bar") { bar.isOpen && !view.hasFocus }
            #expect(bar.frame.height > 0 && view.frame.height == height - bar.frame.height)
            scene.type("two")
            try scene.pump("the first match") {
                view.selected == 4..<7 && bar.session.status == .found(ordinal: 1, count: 2, isComplete: true)
            }
            scene.probe.strike(.enter)
            try scene.pump("the second match") { view.selected == 14..<17 }
            scene.probe.strike(.escape)
            try scene.pump("a closed bar") { !bar.isOpen && view.hasFocus }
            #expect(bar.frame == .zero && view.frame.height == height)
            // F3 goes on without the bar, which opens only to say that there is no match.
            scene.probe.strike(TestKey(69))
            try scene.pump("the first match again") { view.selected == 4..<7 }
            #expect(!bar.isOpen)
            view.text = "nothing"
            scene.probe.strike(TestKey(69))
            try scene.pump("the bar with its message") { bar.isOpen && bar.session.status == .notFound }
        }

        @Test func programsCallbacksComeBeforeTheBar() throws {
            let (scene, bar) = try searchable("one")
            defer { scene.end() }
            var commands: [EditCommand] = []
            scene.window.onCommand = {
                commands.append($0)
                return $0 == .find
            }
            scene.probe.control("f")
            try scene.pump("the program's command") { commands == [.find] }
            scene.probe.control("h")
            try scene.pump("the bar") { bar.isOpen }
            #expect(commands == [.find, .findAndReplace])
        }

        @Test func menuOfALinkOpensItAndCopiesItsAddress() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            try scene.makeWindow(["see "])
            let view = scene.view
            var opened: [String] = []
            view.onOpenLink = { opened.append($0) }
            let link = TextAttributes(LinkAttribute.self, "https://example.org/")
            view.append(StyledText(Rope("here"), link))
            view.select(Selection(caret: 6))
            scene.probe.strike(Self.menuKey)
            try scene.pump("the menu") { scene.window.isMenuOpen }
            scene.probe.strike(.enter)
            try scene.pump("the opened link") { opened == ["https://example.org/"] }
            scene.probe.strike(.enter, holding: [.leftAlt])
            try scene.pump("the link opened by a key") { opened.count == 2 }
            scene.probe.strike(Self.menuKey)
            try scene.pump("the menu again") { scene.window.isMenuOpen }
            scene.probe.strike(.down)
            scene.probe.strike(.enter)
            try scene.pump("the address on the clipboard") { scene.display.clipboard.isOwner }
            view.select(Selection(caret: 0))
            scene.probe.control("v")
            try scene.expect(text: "https://example.org/see here", in: view)
        }
    }
}

import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// The selection, the top line and undo survive changes of wrapping, font and direction.
    @Suite struct WidgetSwitchTests {
        /// Binds keys that toggle wrapping, font and direction, like a program's own shortcuts.
        private func bind(_ view: TextView) {
            let commands = ["wrap", "font", "direction"].map { EditCommand($0) }
            view.keyCommands = zip([0x77, 0x66, 0x64], commands).map { key, command in
                KeyCommand(input: Keysym(rawValue: UInt32(key)), modifierFlags: .alt, action: command)
            }
            view.onCommand = { [unowned view] command in
                switch command.rawValue {
                case "wrap": view.wrapsLines.toggle()
                case "font":
                    let isSmall = view.font.size < 16
                    view.font = FontDescriptor(
                        family: isSmall ? "DejaVu Sans" : "DejaVu Sans Mono", size: isSmall ? 19 : 14)
                case "direction":
                    let isNatural = view.options.baseWritingDirection == .natural
                    view.options.baseWritingDirection = isNatural ? .rightToLeft : .natural
                default: return false
                }
                return true
            }
        }

        @Test func switchesKeepSelectionTheTopLineAndUndo() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let lines = (0..<120).map {
                "Paragraph \($0) is long enough to be wrapped in a narrow window, and שלום is in it"
            }
            let (_, views) = try scene.makeWindow([lines.joined(separator: "\n")])
            let view = views[0]
            bind(view)
            let probe = scene.probe
            // Make two undo steps and a selection in the middle of the text, all by keys.
            for _ in 0..<12 { probe.strike(.pageDown) }
            probe.type("typed ")
            probe.strike(.down)
            probe.type("more ")
            for _ in 0..<4 { probe.strike(.left, holding: [.leftShift]) }
            try scene.pump("a selection of four") { view.selected.count == 4 && view.text.contains("more ") }
            let text = view.text
            let selected = view.selected
            /// Returns the offset at which the first visible line starts.
            func top() throws -> Int {
                let corner = ViewPoint(x: view.bounds.width / 2, y: 8)
                let position = try #require(view.closestPosition(to: corner))
                let line = view.layout.geometry.lineFragment(
                    at: view.store.offset(of: position), affinity: .downstream)
                return line.utf16Range.lowerBound.value
            }
            func paragraph(_ offset: Int) -> Int {
                view.store.text.paragraphIndex(at: UTF16Offset(offset)).value
            }
            let start = try top()
            let picture = try shot(view, scene)
            func press(_ key: Character, _ isDone: () -> Bool) throws {
                guard let key = TestKey(typing: key) else { return }
                probe.strike(key, holding: [.leftAlt])
                try scene.pump("the switch", until: isDone)
                #expect(view.selected == selected && view.text == text)
                #expect(paragraph(try top()) == paragraph(start), "the line at the top")
            }
            for round in 0..<2 {
                let isFirst = round == 0
                try press("w") { view.wrapsLines != isFirst }
                try press("f") { (view.font.size == 19) == isFirst }
                try press("d") { (view.options.baseWritingDirection == .rightToLeft) == isFirst }
            }
            // After everything was switched back, the screen is the same as before.
            #expect(try top() == start)
            try scene.pump("the picture from before") { (try? shot(view, scene)) == picture }
            // Undo works as if nothing had been switched.
            probe.control("z")
            try scene.pump("the second step") { !view.text.contains("more ") && view.text.contains("typed ") }
            probe.control("z")
            try scene.pump("the first step") { view.text == lines.joined(separator: "\n") }
            probe.control("z", shift: true)
            probe.control("z", shift: true)
            try scene.expect(text: text, in: view)
        }

        /// Returns a picture of the view; its caret does not blink, because the selection hides it.
        private func shot(_ view: TextView, _ scene: DisplayScene) throws -> Screenshot {
            // Compute all heights, so that the scroll bar does not depend on which parts were shown before.
            view.presenter.refineHeights { false }
            scene.display.processEvents()
            XSync(scene.display.connection, 0)
            let window = try #require(view.window)
            let info = try #require(scene.probe.info(window.window.id.rawValue))
            return try #require(scene.probe.screenshot(of: info))
        }
    }
}

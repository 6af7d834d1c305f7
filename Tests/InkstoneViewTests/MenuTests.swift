import InkstoneBase
import InkstoneInput
import InkstoneTesting
import Testing

@testable import InkstoneView

/// Menus without a display: keyboard navigation and positions.
@Suite(.timeLimit(.minutes(5))) struct MenuTests {
    private static var items: [MenuItem] {
        [
            MenuItem.separator, MenuItem("Cut", isEnabled: false), MenuItem("Copy"), MenuItem("Paste"), .separator,
            .separator,
            MenuItem("Left", kind: .choice(isOn: true)), MenuItem("Pin"), .separator, MenuItem("note", kind: .note),
            .separator,
        ]
    }

    private func press(_ state: inout MenuState, _ keysym: Keysym) -> MenuState.Effect {
        state.press(KeyEvent(keysym: keysym))
    }

    @Test func separatorsStandBetweenOthersOnly() {
        #expect(MenuState(Self.items).items.map(\.title) == ["Cut", "Copy", "Paste", "", "Left", "Pin", "", "note"])
    }

    @Test func arrowsGoAroundAndPassByWhatCannotBeChosen() {
        var state = MenuState(Self.items)
        var seen: [Int?] = []
        for _ in 0..<5 {
            #expect(press(&state, .down) == .moved)
            seen.append(state.current)
        }
        #expect(seen == [1, 2, 4, 5, 1])
        _ = press(&state, .up)
        #expect(state.current == 5)
        _ = press(&state, .home)
        #expect(state.current == 1)
        _ = press(&state, .end)
        #expect(state.current == 5)
        #expect(press(&state, .return) == .chosen(5) && press(&state, .escape) == .cancelled)
        var none = MenuState([MenuItem("x", isEnabled: false)])
        #expect(press(&none, .down) == .moved && none.current == nil && press(&none, .return) == .moved)
    }

    @Test func aLetterChoosesWhatAloneBeginsWithIt() {
        var state = MenuState(Self.items)
        func type(_ text: String, _ modifiers: KeyModifiers = []) -> MenuState.Effect {
            state.press(KeyEvent(keysym: Keysym(rawValue: 0x61), characters: text, modifiers: modifiers))
        }
        #expect(type("p") == .moved && state.current == 2)
        #expect(type("P") == .moved && state.current == 5)
        #expect(type("p") == .moved && state.current == 2)
        #expect(type("l") == .chosen(4))
        state.point(at: 2)
        #expect(type("l", .control) == .moved && type("n") == .moved && state.current == 2)
    }

    /// In a right-to-left language, submenu arrows point left, and the left key opens submenus.
    @Test func leftLeadsIntoASubmenuWhereTheLanguageRunsFromTheRight() {
        let items = [MenuItem("Back", kind: .back), MenuItem("More", kind: .submenu)]
        var state = MenuState(items, isRightToLeft: true)
        state.goToFirst()
        #expect(state.current == 1)
        #expect(press(&state, .left) == .chosen(1) && press(&state, .right) == .chosen(0))
    }

    @Test func rightLeadsIntoASubmenuAndLeftBack() {
        var state = MenuState([MenuItem("Open"), .submenu("View", [MenuItem("Wrap"), MenuItem("View Source")])])
        #expect(press(&state, .right) == .moved && press(&state, .left) == .moved)
        _ = press(&state, .end)
        #expect(press(&state, .right) == .chosen(1) && press(&state, .return) == .chosen(1))
        state = MenuState(state.items[1].submenuLines)
        #expect(state.items.map(\.title) == ["View", "", "Wrap", "View Source"])
        state.goToFirst()
        #expect(state.current == 2 && press(&state, .left) == .chosen(0))
        let letter = KeyEvent(keysym: Keysym(rawValue: 0x76), characters: "v", modifiers: [])
        #expect(state.press(letter) == .chosen(3), "the line that leads back is not named by a letter")
        _ = press(&state, .down)
        #expect(state.current == 0 && press(&state, .return) == .chosen(0))
    }

    @Test func thePointerGoesToWhatCanBeChosen() {
        var state = MenuState(Self.items)
        state.point(at: 1)
        #expect(state.current == 1)
        for index in [0, 3, 7, 99] {
            state.point(at: index)
            #expect(state.current == nil)
        }
    }

    @Test func aMenuIsFlippedWhereThereIsNoRoomAndNeverLeavesTheScreen() {
        let screen = RootRect(x: 100, y: 0, width: 400, height: 300)
        func origin(_ x: Double, _ y: Double, _ size: Size = Size(width: 100, height: 80), _ beside: Double = 0)
            -> RootPoint
        {
            MenuDisplay.origin(of: size, openedAt: RootPoint(x: x, y: y), beside: beside, on: screen)
        }
        #expect(origin(200, 100) == RootPoint(x: 200, y: 100))
        #expect(origin(400, 220) == RootPoint(x: 400, y: 220))
        #expect(origin(401, 221) == RootPoint(x: 301, y: 141))
        #expect(
            origin(200, 280, Size(width: 100, height: 80), 20) == RootPoint(x: 200, y: 180), "above the caret's line")
        #expect(origin(110, 10, Size(width: 600, height: 500)) == RootPoint(x: 100, y: 0))
        #expect(origin(-50, -50) == RootPoint(x: 100, y: 0))
    }

    @Test func aMenuFromTheRightOpensToTheLeftWhereThereIsRoom() {
        let screen = RootRect(x: 100, y: 0, width: 400, height: 300)
        func x(_ x: Double, across width: Double = 0, of extent: Double = 100) -> Double {
            MenuDisplay.origin(
                of: Size(width: extent, height: 80), openedAt: RootPoint(x: x, y: 10), across: width,
                isRightToLeft: true, on: screen
            ).x
        }
        #expect(x(300) == 200 && x(300, across: 30) == 230)
        #expect(x(200) == 100 && x(199) == 199, "not over the pointer")
        #expect(x(180, across: 15) == 180 && x(510) == 400)
        #expect(x(450, of: 600) == 100)
    }

    @Test func linesLieBelowEachOtherAndArePaintedAsTheyAre() {
        let scene = ViewScene("text")
        var state = MenuState(Self.items)
        let display = MenuDisplay(state.items, font: ViewScene.font, sharing: scene.view, scale: 2)
        var y = 0.0
        for index in state.items.indices {
            let frame = display.frame(of: index)
            #expect(frame.minY >= y && frame.maxX <= display.size.width && frame.maxY <= display.size.height)
            y = frame.maxY
            let middle = WindowPoint(x: frame.minX + frame.width / 2, y: frame.minY + frame.height / 2)
            #expect(display.index(at: middle) == index)
        }
        #expect(display.index(at: WindowPoint(x: -1, y: 20)) == nil)
        state.point(at: 1)
        let canvas = RecordingCanvas(size: display.size)
        display.paint(state, on: canvas, damage: WindowRect(origin: WindowPoint(x: 0, y: 0), size: display.size))
        #expect(canvas.fills(scene.view.theme.panel.highlight) == [display.frame(of: 1)])
        #expect(canvas.fills(scene.view.theme.panel.border).count > 2 && !canvas.glyphs.isEmpty)
    }

    @Test func aMenuThatIsTooHighScrollsAndOneThatIsTooWideIsCut() throws {
        let scene = ViewScene("text")
        var state = MenuState((0..<60).map { MenuItem("line \($0) that is rather long", shortcut: "F\($0)") })
        var display = MenuDisplay(state.items, font: ViewScene.font, sharing: scene.view, scale: 1)
        let full = display.size
        display.fit(into: Size(width: 5000, height: 5000))
        #expect(display.size == full && !display.scroll(by: 30) && display.end(at: WindowPoint(x: 5, y: 2)) == nil)
        display.fit(into: Size(width: 150, height: 300))
        #expect(display.size == Size(width: 150, height: 300) && full.height > 900)
        // By the wheel, every item becomes visible, and none is chosen through the arrows at the ends.
        var seen: Set<Int> = []
        var direction = 1.0
        repeat {
            for y in stride(from: 0.0, to: 300, by: 1) {
                let point = WindowPoint(x: 50, y: y)
                guard let index = display.index(at: point) else { continue }
                #expect(display.end(at: point) == nil && display.frame(of: index).contains(point))
                seen.insert(index)
            }
        } while display.scroll(by: direction * display.step)
        #expect(seen == Set(0..<60) && !display.scroll(by: 1))
        #expect(display.end(at: WindowPoint(x: 50, y: 3)) == -1 && display.end(at: WindowPoint(x: 50, y: 297)) == 1)
        // By keys, the highlighted item is always visible.
        for key in [Keysym.home, .end, .up, .down, .down] + Array(repeating: .down, count: 60) {
            _ = press(&state, key)
            guard let current = state.current else { continue }
            _ = display.show(current)
            let frame = display.frame(of: current)
            let (low, high) = (WindowPoint(x: 50, y: frame.minY), WindowPoint(x: 50, y: frame.maxY - 1))
            #expect(display.index(at: low) == current && display.index(at: high) == current, "\(key) \(current)")
        }
        direction = -1
        while display.scroll(by: direction * 7) {}
        // A partly visible item is painted up to the scroll arrow.
        let rows = stride(from: 299.0, to: 0, by: -1)
        let end = try #require(rows.first { display.end(at: WindowPoint(x: 50, y: $0)) == nil }) + 1
        let index = try #require((0..<60).first { display.frame(of: $0).maxY > end })
        state.point(at: index)
        let canvas = RecordingCanvas(size: display.size)
        display.paint(state, on: canvas, damage: WindowRect(origin: WindowPoint(x: 0, y: 0), size: display.size))
        let fills = canvas.fills(scene.view.theme.panel.highlight)
        #expect(fills.count == 1 && fills.allSatisfy { $0.maxY == end }, "\(fills), \(end)")
    }

    @Test func shortcutsAreWrittenAsMenusDo() {
        #expect(KeyBindingTable.desktop.shortcutText(of: .copy) == "Ctrl+C")
        #expect(KeyBindingTable.desktop.shortcutText(of: .redo) == "Ctrl+Y")
        #expect(KeyBindingTable.desktop.shortcutText(of: .findNext) == "F3")
        #expect(KeyBindingTable.desktop.shortcutText(of: .indent) == "Ctrl+]")
        #expect(KeyBindingTable.desktop.shortcutText(of: .deleteToMark) == "")
    }
}

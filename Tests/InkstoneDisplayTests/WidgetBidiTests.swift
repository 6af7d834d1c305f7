import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The caret's position on the screen after keys in a text of Hebrew, Arabic and Latin.
    @Suite struct WidgetBidiTests {
        /// A key with its modifiers, and the expected selection.
        private struct Step {
            var key: TestKey
            var modifiers: [TestKey] = []
            /// The anchor and head of the expected selection, in UTF-16 code units.
            var anchor: Int
            var head: Int

            /// Creates a step that moves the caret.
            init(_ key: TestKey, _ modifiers: [TestKey] = [], to offset: Int) {
                self.init(key, modifiers, from: offset, to: offset)
            }

            /// Creates a step that extends a selection.
            init(_ key: TestKey, _ modifiers: [TestKey], from anchor: Int, to head: Int) {
                self.key = key
                self.modifiers = modifiers
                self.anchor = anchor
                self.head = head
            }
        }

        /// Returns the caret's x in view pixels.
        private static func x(_ view: TextView) -> Double {
            guard let selection = view.selection else { return -1 }
            return view.layout.geometry.caretRect(at: selection.head, affinity: selection.affinity).minX
        }

        private static func strike(_ steps: [Step], on scene: DisplayScene, _ view: TextView) throws {
            for (index, step) in steps.enumerated() {
                scene.probe.strike(step.key, holding: step.modifiers)
                let selection = { view.selection.map { ($0.anchor.value, $0.head.value) } ?? (-1, -1) }
                _ = try waitFor(
                    "step \(index): \(step.anchor)→\(step.head)", watching: [scene.display.fileDescriptor],
                    instead: { "\(selection())" }
                ) { () -> Bool? in
                    scene.display.processEvents()
                    return selection() == (step.anchor, step.head) ? true : nil
                }
            }
        }

        /// On the screen, the text is “abc FED ghi”: each arrow key moves one letter to its side, across both
        /// directions.
        @Test func arrowsGoToTheirSideOfTheScreen() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["abc אבג ghi"])
            let view = views[0]
            view.select(Selection(caret: 0))
            var last = Self.x(view)
            for offset in [1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11] {
                try Self.strike([Step(.right, to: offset)], on: scene, view)
                #expect(Self.x(view) > last, "\(offset) lies to the right")
                last = Self.x(view)
            }
            for offset in [10, 9, 8, 7, 5, 6, 4, 3, 2, 1, 0] {
                try Self.strike([Step(.left, to: offset)], on: scene, view)
                #expect(Self.x(view) < last, "\(offset) lies to the left")
                last = Self.x(view)
            }
        }

        @Test func wordsAreThoseOnThatSideOfTheScreen() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["one אבג דהו two", "אבג one דהו", "سلام عليكم 2024"])
            let control: [TestKey] = [.leftControl]
            views[0].select(Selection(caret: 0))
            try Self.strike(
                [
                    Step(.right, control, to: 3), Step(.right, control, to: 8), Step(.right, control, to: 11),
                    Step(.right, control, to: 15), Step(.left, control, to: 12), Step(.left, control, to: 7),
                    Step(.left, control, to: 4), Step(.left, control, to: 0),
                    Step(.right, control + [.leftShift], from: 0, to: 3),
                    Step(.right, control + [.leftShift], from: 0, to: 8),
                ], on: scene, views[0])
            // A right-to-left paragraph that contains a left-to-right word.
            try Self.focus(views[1], scene)
            try Self.strike(
                [
                    Step(.left, control, to: 3), Step(.left, control, to: 7), Step(.left, control, to: 11),
                    Step(.right, control, to: 8), Step(.right, control, to: 4), Step(.right, control, to: 0),
                    Step(.left, control + [.leftShift], from: 0, to: 3),
                ], on: scene, views[1])
            // Arabic text with a number, which is read left to right.
            try Self.focus(views[2], scene)
            try Self.strike(
                [Step(.left, control, to: 4), Step(.left, control, to: 10), Step(.right, control, to: 5)], on: scene,
                views[2])
        }

        /// Focuses another view of the window, and moves its caret to the start.
        private static func focus(_ view: TextView, _ scene: DisplayScene) throws {
            scene.click(view, x: 5, y: 5)
            try scene.pump("the focus of the view") { view.hasFocus }
            view.select(Selection(caret: 0))
        }

        @Test func homeAndEndAreTheLinesOwnInItsDirection() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["אבג abc", "abc אבג", "(אב) ג"])
            views[0].options.baseWritingDirection = .leftToRight
            // The start of the text is at the left edge, although its first letter is displayed elsewhere.
            views[0].select(Selection(caret: 5))
            try Self.strike([Step(.home, to: 0)], on: scene, views[0])
            #expect(Self.x(views[0]) == 0)
            try Self.strike([Step(.end, to: 7)], on: scene, views[0])
            let rightmost = views[0].layout.geometry.lineFragment(at: 0).typographicBounds.maxX
            #expect(Self.x(views[0]) == rightmost)
            try Self.strike([Step(.home, [.leftShift], from: 7, to: 0)], on: scene, views[0])
            // In a right-to-left paragraph, the start is at the right edge.
            views[1].options.baseWritingDirection = .rightToLeft
            try Self.focus(views[1], scene)
            try Self.strike([Step(.end, to: 7)], on: scene, views[1])
            let line = views[1].layout.geometry.lineFragment(at: 0).typographicBounds
            #expect(Self.x(views[1]) == line.minX)
            try Self.strike([Step(.home, to: 0)], on: scene, views[1])
            #expect(Self.x(views[1]) == line.maxX - 1 || Self.x(views[1]) == line.maxX)
            try Self.focus(views[2], scene)
            try Self.strike(
                [Step(.end, to: 6), Step(.home, to: 0), Step(.end, [.leftShift], from: 0, to: 6)], on: scene, views[2]
            )
        }

        @Test func selectionsGrowAndCollapseOnTheSideOfTheKey() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["abc אבגד def"])
            let view = views[0]
            let shift: [TestKey] = [.leftShift]
            view.select(Selection(caret: 5))
            // Left continues within the run.
            try Self.strike(
                [
                    Step(.left, shift, from: 5, to: 6), Step(.left, shift, from: 5, to: 7),
                    Step(.right, to: 5),
                ], on: scene, view)
            try Self.strike(
                [
                    Step(.left, shift, from: 5, to: 6), Step(.left, shift, from: 5, to: 7), Step(.left, to: 7),
                    Step(.right, shift, from: 7, to: 6), Step(.left, to: 7),
                ], on: scene, view)
            let selected = view.layout.geometry.caretRect(at: 7).minX
            #expect(Self.x(view) == selected)
        }

        @Test func upAndDownKeepTheColumnAcrossDirections() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow(["abcdef abcdef\nאב\nabc אבגדהו def"])
            let view = views[0]
            view.options.baseWritingDirection = .leftToRight
            view.select(Selection(caret: 6))
            let goal = Self.x(view)
            // The short line ends before the column, and the run below is right-to-left.
            try Self.strike([Step(.down, to: 14)], on: scene, view)
            let third = view.layout.geometry.location(
                closestTo: DocumentPoint(x: goal, y: view.layout.geometry.caretRect(at: 20).minY + 1))
            try Self.strike([Step(.down, to: third.offset.value)], on: scene, view)
            #expect(abs(Self.x(view) - goal) <= view.layout.columnWidth)
            try Self.strike(
                [Step(.up, to: 14), Step(.up, to: 6), Step(.down, [.leftShift], from: 6, to: 14)], on: scene, view)
            // A horizontal move sets a new column.
            try Self.strike([Step(.right, [.leftShift], from: 6, to: 17)], on: scene, view)
        }
    }
}

import DisplayTestSupport
import Inkstone
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Pixels of carets, selections and drop carets.
    @Suite struct WidgetCaretTests {
        private static func value(_ color: Color) -> UInt32 {
            UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
        }

        /// Returns the columns of a row that have a colour.
        private static func columns(_ picture: Screenshot, row: Double, _ color: Color) -> [Int] {
            (0..<picture.width).filter { picture[$0, Int(row)] == value(color) }
        }

        private static func caret(_ view: TextView, at offset: Int) -> ViewRect {
            view.caretRect(for: view.range(offset..<offset).start)
        }

        /// Covers INT 32 of the checklist for interaction.
        @Test func aCaretIsHollowWithoutTheFocusAndFilledWithIt() throws {
            let scene = try DisplayScene.still { $0.text = "one two" }
            defer { scene.end() }
            let view = scene.view
            view.select(Selection(caret: 4))
            let rect = Self.caret(view, at: 4)
            let middle = rect.minY + (rect.height / 2).rounded(.down)
            let left = Int(rect.minX.rounded() - (rect.width / 2).rounded(.down))
            let hollow = try scene.picture()
            #expect(Self.columns(hollow, row: middle, view.theme.caret) == [left - 1, left + Int(rect.width)])
            #expect(
                Self.columns(hollow, row: rect.minY, view.theme.caret)
                    == Array(left - 1...left + Int(rect.width)), "closed at the top")
            try scene.focus(scene.window)
            // The caret blinks, so wait until it is shown.
            try scene.pump("a filled caret") {
                guard let picture = try? scene.picture() else { return false }
                return Self.columns(picture, row: middle, view.theme.caret) == Array(left..<left + Int(rect.width))
            }
        }

        /// Covers INT 32 of the checklist for interaction.
        @Test func aSelectionIsPalerWithoutTheFocus() throws {
            let scene = try DisplayScene.still { $0.text = "one two" }
            defer { scene.end() }
            let view = scene.view
            view.select(Selection(anchor: 0, head: 3))
            let row = Self.caret(view, at: 0).minY + 1
            let width = Int(Self.caret(view, at: 3).minX - Self.caret(view, at: 0).minX)
            let pale = try scene.picture()
            #expect(Self.columns(pale, row: row, view.theme.inactiveSelection).count == width)
            #expect(Self.columns(pale, row: row, view.theme.selection).isEmpty)
            try scene.focus(scene.window)
            let strong = try scene.picture()
            #expect(Self.columns(strong, row: row, view.theme.selection).count == width)
            #expect(Self.columns(strong, row: row, view.theme.inactiveSelection).isEmpty)
        }

        /// Each of several carets is painted the same as the primary one, also two on one line and one at the end
        /// of a line. Selected ranges are shown by their background.
        @Test func everyOneOfSeveralCaretsIsSeen() throws {
            let scene = try DisplayScene.still { $0.text = "one two three\nfour\n\nfive six" }
            defer { scene.end() }
            let view = scene.view
            let carets = [4, 8, 18, 19]
            let alone = try scene.picture()
            let ranges = carets.map { SelectionRange(caret: UTF16Offset($0)) } + [SelectionRange(anchor: 20, head: 24)]
            view.select(Selection(ranges, primary: 1) ?? Selection(caret: 0))
            /// Returns the columns of carets halfway down the line of an offset, and the expected columns.
            func columns(_ picture: Screenshot, at offset: Int) -> [Int] {
                let rect = Self.caret(view, at: offset)
                return Self.columns(picture, row: rect.minY + (rect.height / 2).rounded(.down), view.theme.caret)
            }
            func expected(_ offsets: [Int], isHollow: Bool) -> [Int] {
                offsets.flatMap { offset in
                    let rect = Self.caret(view, at: offset)
                    let left = Int(rect.minX.rounded() - (rect.width / 2).rounded(.down))
                    return isHollow ? [left - 1, left + Int(rect.width)] : Array(left..<left + Int(rect.width))
                }
            }
            func isRight(_ picture: Screenshot, isHollow: Bool) -> Bool {
                [[4, 8], [18], [19]].allSatisfy {
                    columns(picture, at: $0[0]) == expected($0, isHollow: isHollow)
                }
            }
            let hollow = try scene.picture()
            #expect(isRight(hollow, isHollow: true), "\(hollow.kept("carets-hollow"))")
            #expect(columns(hollow, at: 24).isEmpty)
            let first = Self.caret(view, at: 20)
            let width = Int(Self.caret(view, at: 24).minX - first.minX)
            #expect(Self.columns(hollow, row: first.minY + 1, view.theme.inactiveSelection).count >= width - 2)
            try scene.focus(scene.window)
            // All carets blink together.
            try scene.pump("filled carets") { (try? scene.picture()).map { isRight($0, isHollow: false) } ?? false }
            try scene.pump("no caret") {
                (try? scene.picture()).map { picture in carets.allSatisfy { columns(picture, at: $0).isEmpty } }
                    ?? false
            }
            scene.probe.focusNothing()
            try scene.pump("hollow ones") { !view.hasFocus }
            #expect(try scene.picture().difference(from: hollow) == nil)
            view.select(Selection(caret: 0))
            #expect(try scene.picture().difference(from: alone) == nil, "nothing is left of them")
        }

        @Test func theDropCaretLeavesNothingBehind() throws {
            let scene = try DisplayScene.still { $0.text = (0..<40).map { "line \($0)" }.joined(separator: "\n") }
            defer { scene.end() }
            let view = scene.view
            let before = try scene.picture()
            let rect = Self.caret(view, at: 10)
            view.dropCaret.placeCaret(at: view.range(10..<10).start)
            let shown = try scene.picture()
            #expect(
                Self.columns(shown, row: rect.minY + 5, view.theme.caret).count == Int(rect.width),
                "a bar in the colour")
            #expect(Self.columns(shown, row: rect.minY, view.theme.caret).count == 3 * Int(rect.width), "with feet")
            // The drop caret moves with scrolled text and to other positions.
            view.scroll(by: 20)
            #expect(try scene.picture().difference(from: try scene.freshPicture()) == nil)
            view.dropCaret.placeCaret(at: view.range(13..<13).start)
            try scene.pump("the end of its way") { view.dropCaret.nextDeadline == nil }
            #expect(try scene.picture().difference(from: try scene.freshPicture()) == nil)
            view.scroll(by: -20)
            view.dropCaret.removeCaret()
            #expect(try scene.picture().difference(from: before) == nil)
        }
    }
}

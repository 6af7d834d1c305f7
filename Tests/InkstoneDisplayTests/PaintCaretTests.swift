import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The painted caret between texts of opposite directions.
    @Suite struct PaintCaretTests {
        /// Returns the columns in which two pictures differ within some rows.
        private static func columns(_ a: Screenshot, _ b: Screenshot, rows: Range<Int>) -> [Int] {
            (0..<a.width).filter { column in rows.contains { a[column, $0] != b[column, $0] } }
        }

        @Test func theFlagOfASplitCaretTurnsWithTheKeyboardsLayout() throws {
            let scene = try DisplayScene.still { $0.text = "abc אבג" }
            let raw = try RawRequestor(scene.server.display)
            defer {
                raw.close()
                scene.end()
            }
            try scene.server.setLayout("us,il")
            #expect(scene.window.makeFirstResponder(scene.view))
            scene.view.select(Selection(caret: 4))
            let latin = try scene.picture()
            #expect(!scene.view.keyboardIsRightToLeft)

            func lock(_ group: UInt32) {
                XkbLockGroup(raw.connection, UInt32(XkbUseCoreKbd), group)
                XSync(raw.connection, 0)
            }
            lock(1)
            try scene.pump("Hebrew") { scene.view.keyboardIsRightToLeft }
            let hebrew = try scene.picture()
            #expect(try scene.freshPicture().difference(from: hebrew) == nil)
            // The direction flag at the caret's top moves from its right to its left side; the caret does not move.
            let place = try #require(scene.view.position(from: scene.view.beginningOfDocument, offset: 4))
            let caret = scene.view.caretRect(for: place)
            // Without focus, the caret is a box two pixels wider.
            let left = Int(caret.minX.rounded() - (caret.width / 2).rounded(.down)) - 1
            let right = left + Int(caret.width) + 2
            let changed = Self.columns(latin, hebrew, rows: Int(caret.minY)..<Int(caret.minY) + 3)
            let (before, after) = (changed.filter { $0 < left }, changed.filter { $0 >= right })
            #expect(before.count >= 3 && before.last == left - 1, "\(changed), caret \(left)..<\(right)")
            #expect(after.count >= 3 && after.first == right, "\(changed), caret \(left)..<\(right)")
            #expect(!changed.contains { $0 >= left && $0 < right })
            lock(0)
            try scene.pump("English") { !scene.view.keyboardIsRightToLeft }
            #expect(try scene.picture().difference(from: latin) == nil)
        }
    }
}

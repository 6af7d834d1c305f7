import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// Lines keep their places on the screen, whatever fonts their letters come from.
    @Suite struct PaintFallbackTests {
        /// A script that the font lacks makes its line no higher, so that lines do not jump while one types.
        @Test func aFallbackGlyphMovesNoLine() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow([Array(repeating: "xxxx", count: 9).joined(separator: "\n")])
            let view = views[0]
            /// The rows in which the letters at the start of the lines show ink, and those only.
            func rows() throws -> [Int] {
                let picture = try shot(view, scene)
                let left = Int(view.caretRect(for: view.beginningOfDocument).minX) - picture.x
                return (0..<picture.height).filter { row in
                    (left..<left + 4 * 8).contains { column in
                        let pixel = picture[column, row]
                        return pixel >> 16 & 0xff < 0x80 && pixel & 0xff < 0x80
                    }
                }
            }
            let before = try rows()
            #expect(before.count > 9 * 4)
            // What the font lacks: Han, emoji in colour, Thai with its marks, Devanagari, Arabic, Hangul.
            for (line, piece) in ["日本語", "😀👩‍👩‍👧", "ที่ญู้", "क्षि", "ﷺ", "한글", "𝒳", "\u{2f800}"].enumerated() {
                let end = view.store.text.utf16ContentRange(of: ParagraphIndex(line)).upperBound
                view.select(Selection(caret: end))
                view.insertText("     " + piece, replacementRange: .notFound)
                #expect(try rows() == before, "\(piece)")
            }
            // Unless it is asked for: then they have the room that they want.
            view.paragraphStyle.lineHeight = .growing
            #expect(try rows() != before)
        }

        private func shot(_ view: TextView, _ scene: DisplayScene) throws -> Screenshot {
            scene.display.processEvents()
            XSync(scene.display.connection, 0)
            let window = try #require(view.window)
            let info = try #require(scene.probe.info(window.window.id.rawValue))
            return try #require(scene.probe.screenshot(of: info))
        }
    }
}

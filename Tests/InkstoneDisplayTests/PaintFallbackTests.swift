import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// Lines keep their positions, whatever fonts their glyphs come from.
    @Suite struct PaintFallbackTests {
        /// A fallback font for a missing script does not make its line higher, so that lines do not jump during
        /// typing.
        @Test func aFallbackGlyphMovesNoLine() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, views) = try scene.makeWindow([Array(repeating: "xxxx", count: 9).joined(separator: "\n")])
            let view = views[0]
            /// Returns the rows in which letters at the start of the lines have ink, and nothing else does.
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
            // Texts for fallback fonts: Han, colour emoji, Thai with marks, Devanagari, Arabic, Hangul and rare
            // characters.
            for (line, piece) in ["日本語", "😀👩‍👩‍👧", "ที่ญู้", "क्षि", "ﷺ", "한글", "𝒳", "\u{2f800}"].enumerated() {
                let end = view.store.text.utf16ContentRange(of: ParagraphIndex(line)).upperBound
                view.select(Selection(caret: end))
                view.insertText("     " + piece, replacementRange: .notFound)
                #expect(try rows() == before, "\(piece)")
            }
            // With a growing line height, fallback glyphs get the room of their font.
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

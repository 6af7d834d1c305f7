import CX11
import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// Marked text differs from selected text, and the target clause from other clauses, even without colours.
    @Suite struct MarkedTextPixelTests {
        /// A picture in black and white: a pixel is dark if its brightness is below half.
        private struct Monochrome {
            let shot: Screenshot

            func isDark(_ column: Int, _ row: Int) -> Bool {
                let pixel = shot[column, row]
                let light = 299 * Int(pixel >> 16 & 0xff) + 587 * Int(pixel >> 8 & 0xff) + 114 * Int(pixel & 0xff)
                return light < 128_000
            }

            /// Returns the rows of a rectangle in which all inner columns are dark: a continuous line. Letters
            /// never fill a whole row.
            func lines(in rect: PixelRect) -> [Int] {
                (rect.top..<rect.bottom).filter { row in
                    (rect.left + 1..<rect.right - 2).allSatisfy { isDark($0 - shot.x, row - shot.y) }
                }
            }

            /// Whether a column of the picture is light in these rows.
            func isLight(column: Int, rows: [Int]) -> Bool {
                rows.allSatisfy { !isDark(column - shot.x, $0 - shot.y) }
            }
        }

        /// Returns the rectangle of a text range in root pixels.
        private func place(_ range: Range<Int>, _ scene: InputMethodScene) -> PixelRect {
            let rect = scene.view.firstRect(
                forCharacterRange: UTF16Range(location: range.lowerBound, length: range.count)
            ).rect
            return PixelRect(
                left: Int(rect.minX.rounded()), top: Int(rect.minY.rounded()), right: Int(rect.maxX.rounded()),
                bottom: Int(rect.maxY.rounded()))
        }

        private func picture(_ scene: InputMethodScene) throws -> Monochrome {
            scene.display.processEvents()
            // After this call, the server has performed all painting.
            XSync(scene.display.connection, 0)
            scene.probe.sync()
            return Monochrome(shot: try #require(scene.probe.screenshot()))
        }

        /// The scripted server draws raw text, and then three clauses with the middle one as target. The test
        /// repeats this at larger scales.
        @Test func clausesDifferByTheShapeOfTheirLines() throws {
            let scene = try InputMethodScene(
                "words selected\n<|>",
                script: """
                    on key a do start; draw 0 0 6 "ににほほんん" u*6
                    on key b do draw 0 6 4 "ににほほんん" u*2,r*2,u*2
                    on key c do draw 0 6 0 null; done
                    """)
            defer { scene.end() }
            for dpi in [96, 144, 192] {
                DisplayScene.setResources("Xft.dpi: \(dpi)\n", display: scene.server.display)
                try scene.pump("the scale") { scene.display.scale == Double(dpi) / 96 }
                let start = scene.view.text.utf16.count - 1
                scene.view.select(Selection(caret: UTF16Offset(start)))
                scene.type("a")
                try scene.pump("the raw text") { scene.view.markedText?.range.count == 6 }
                let raw = try picture(scene).lines(in: place(start..<start + 6, scene))
                scene.type("b")
                try scene.pump("the clauses") { scene.view.markedText?.clauses.count == 3 }
                let shown = try picture(scene)
                let clauses = [start..<start + 2, start + 2..<start + 4, start + 4..<start + 6].map { place($0, scene) }
                let lines = clauses.map(shown.lines)
                #expect(!raw.isEmpty, "\(dpi) dpi: raw text has a line")
                #expect(lines[0].count == raw.count && lines[2].count == raw.count, "\(dpi) dpi: \(lines)")
                #expect(lines[1].count > raw.count, "\(dpi) dpi: the selected clause has a thicker line: \(lines)")
                // The underlines of adjacent clauses are separated.
                for index in 0..<2 {
                    #expect(shown.isLight(column: clauses[index].right - 1, rows: lines[index]), "\(dpi) dpi: \(index)")
                }
                scene.type("c")
                try scene.pump("the end") { scene.view.markedText == nil }
                // Selected text has no underlines.
                scene.view.select(Selection(anchor: 6, head: 14))
                #expect(try picture(scene).lines(in: place(6..<14, scene)).isEmpty, "\(dpi) dpi: selected text")
            }
        }
    }
}

import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    @Suite struct X11CanvasTests {
        @Test func fillsBlendAndKeepToTheClip() throws {
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.fill(WindowRect(x: 10, y: 10, width: 20, height: 20), Color(rgb: 0xff0000).withAlpha(128))
                canvas.fill(WindowRect(x: 40.4, y: 10, width: 9.2, height: 10), .black)
                canvas.setClip([
                    WindowRect(x: 100, y: 0, width: 10, height: 10), WindowRect(x: 120, y: 0, width: 10, height: 10),
                ])
                canvas.fill(WindowRect(x: 0, y: 5, width: 400, height: 2), Color(rgb: 0x00ff00))
                canvas.setClip(nil)
                canvas.fill(WindowRect(x: -100, y: 95, width: 100_000, height: 1e9), Color(rgb: 0x0000ff))
            }
            #expect(shot[0, 0] == 0xffffff)
            #expect(shot[15, 15] == 0xff7f7f)
            #expect((shot[39, 12], shot[40, 12], shot[49, 12], shot[50, 12]) == (0xffffff, 0, 0, 0xffffff))
            #expect(
                [99, 100, 109, 110, 119, 120, 129, 130].map { shot[$0, 5] == 0xff00 } == [
                    false, true, true, false, false, true, true, false,
                ])
            #expect(shot[105, 4] == 0xffffff && shot[105, 7] == 0xffffff)
            #expect(shot[0, 94] == 0xffffff && shot[199, 95] == 0xff && shot[0, 99] == 0xff)
        }

        @Test func glyphsComeOutOfTheFontThatWasMeasured() throws {
            let font = FontTable.intern(X11Fonts.mono(size: 20))
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.draw([CanvasGlyph(font: font, glyph: 36 + 9, x: 20, y: 50)], .black)
            }
            let ink = shot.ink(other: 0xffffff)
            #expect(ink.count > 20)
            #expect(ink.allSatisfy { $0.x >= 19 && $0.x < 34 && $0.y > 30 && $0.y <= 51 })
        }

        /// A request of more than 262,140 bytes made Xlib end the process.
        @Test func moreGlyphsThanARequestHoldsAreDrawn() throws {
            let font = FontTable.intern(X11Fonts.mono(size: 20))
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                let many = (0..<40_000).map { glyph(font, 45, 10 + $0 % 7 * 3, 30 + $0 % 5) }
                canvas.draw(many + [glyph(font, 45, 150, 60)], .black)
            }
            let ink = shot.ink(other: 0xffffff)
            #expect(ink.contains { $0.x < 60 } && ink.contains { $0.x > 140 })
        }

        @Test func glyphsAreCutAtTheClipAndOnlyThere() throws {
            let font = FontTable.intern(X11Fonts.mono(size: 40))
            let glyphs = (0..<6).map { glyph(font, 40 + $0, 10 + 24 * $0, 60) }
            let whole = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.draw(glyphs, .black)
            }
            let clip = WindowRect(x: 45, y: 35, width: 60, height: 20)
            let cut = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.setClip([clip])
                canvas.draw(glyphs, .black)
                canvas.setClip(nil)
                canvas.draw([CanvasGlyph(font: font, glyph: 40, x: 160, y: 60)], .black)
            }
            let expected = whole.ink(other: 0xffffff).filter {
                clip.contains(WindowPoint(x: Double($0.x), y: Double($0.y)))
            }
            #expect(!expected.isEmpty)
            #expect(cut.ink(other: 0xffffff).filter { $0.x < 155 } == expected)
            #expect(cut.ink(other: 0xffffff).contains { $0.x >= 160 }, "a lifted clip is lifted")
        }

        @Test func glyphsOutsideOfTheCanvasAreNotPainted() throws {
            let font = FontTable.intern(X11Fonts.mono(size: 20))
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                let places: [(Int32, Int32)] = [
                    (65536 + 20, 50), (20, 65536 + 50), (-65536 + 20, 50), (.max, .min), (300, 50), (20, -30),
                    (40, 500),
                ]
                canvas.draw(places.map { CanvasGlyph(font: font, glyph: 45, x: $0.0, y: $0.1) }, .black)
            }
            #expect(shot.ink(other: 0xffffff).isEmpty)
        }

        /// Images at their own size and doubled are blended with the background, and cut off at the clip and the
        /// canvas.
        @Test func imagesAreScaledBlendedAndKeepToTheClip() throws {
            let half: UInt32 = 0x8080_0000
            let pixels: [UInt32] = (0..<8).flatMap { _ in
                [0xff00_ff00, 0xff00_ff00, half, half, 0, 0, 0xff00_00ff, 0xff00_00ff]
            }
            let image = try #require(CanvasImage(width: 8, height: 8, pixels: pixels))
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.draw(image, in: WindowRect(x: 10, y: 10, width: 8, height: 8))
                canvas.draw(image, in: WindowRect(x: 40, y: 10, width: 16, height: 16))
                canvas.draw(image, in: WindowRect(x: 196, y: -4, width: 8, height: 8))
                canvas.setClip([
                    WindowRect(x: 80, y: 10, width: 1, height: 8), WindowRect(x: 86, y: 12, width: 9, height: 2),
                ])
                canvas.draw(image, in: WindowRect(x: 80, y: 10, width: 8, height: 8))
            }
            #expect(
                [9, 10, 12, 14, 16, 17, 18].map { shot[$0, 12] } == [
                    0xffffff, 0xff00, 0xff7f7f, 0xffffff, 0xff, 0xff, 0xffffff,
                ])
            #expect([40, 46, 50, 55].map { shot[$0, 24] } == [0xff00, 0xff7f7f, 0xffffff, 0xff], "twice as large")
            #expect(shot[40, 26] == 0xffffff && shot[56, 12] == 0xffffff)
            #expect(shot[196, 3] == 0xff00 && shot[199, 0] == 0xff7f7f && shot[196, 4] == 0xffffff)
            #expect(
                [(80, 10), (81, 10), (86, 12), (86, 11), (88, 12)].map { shot[$0.0, $0.1] } == [
                    0xff00, 0xffffff, 0xff, 0xffffff, 0xffffff,
                ])
        }

        @Test func copyingScrollsAlsoOntoItself() throws {
            let shot = try paint { canvas in
                for row in 0..<10 {
                    canvas.fill(
                        WindowRect(x: 0, y: Double(row * 10), width: 200, height: 10),
                        Color(rgb: UInt32(row) * 0x101010))
                }
                canvas.copy(WindowRect(x: 0, y: 20, width: 200, height: 80), to: WindowPoint(x: 0, y: 0))
            }
            #expect((0..<10).map { shot[100, $0 * 10 + 5] / 0x101010 } == [2, 3, 4, 5, 6, 7, 8, 9, 8, 9])
        }

        @Test func aFontThatCannotBeOpenedIsReplaced() throws {
            let gone = FontTable.intern("Gone:pixelsize=12:file=/nowhere/gone.ttf:index=0")
            let nonsense = FontTable.intern("\u{1}%%%:::==")
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.draw([CanvasGlyph(font: gone, glyph: 70_000, x: 20, y: 50)], .black)
                canvas.draw([CanvasGlyph(font: nonsense, glyph: 5, x: 80, y: 50)], .black)
            }
            #expect(!shot.ink(other: 0xffffff).isEmpty)
        }

        @Test func aGlyphThatDoesNotExistHarmsNoOther() throws {
            let font = FontTable.intern(X11Fonts.mono(size: 20))
            let shot = try paint { canvas in
                canvas.fill(WindowRect(x: 0, y: 0, width: 200, height: 100), .white)
                canvas.draw(
                    [
                        CanvasGlyph(font: font, glyph: 4_000_000, x: 20, y: 50),
                        CanvasGlyph(font: font, glyph: 45, x: 80, y: 50),
                    ], .black)
            }
            #expect(shot.ink(other: 0xffffff).contains { $0.x > 75 })
        }

        @Test func emojiOfManySizesAreDrawnAndKept() throws {
            let scene = try DisplayScene(width: 1000, height: 800)
            defer { scene.end() }
            var errors: [X11Error] = []
            scene.display.onToleratedError = { errors.append($0) }
            let (window, record) = try scene.makePlainWindow(width: 900, height: 700)
            let fonts = [12, 17, 24, 40, 64].map { FontTable.intern(X11Fonts.emoji(size: $0)) }
            var requests: [UInt] = []
            record.onPaint = { window, canvas, _ in
                let before = XNextRequest(window.display.connection)
                canvas.fill(window.bounds, .white)
                for (row, font) in fonts.enumerated() {
                    for batch in 0..<4 {
                        canvas.draw(
                            (0..<40).map {
                                glyph(font, 40 + 61 * batch + $0 * 3, $0 * 20, 70 + 120 * row + 20 * batch)
                            }, .black)
                    }
                }
                requests.append(XNextRequest(window.display.connection) - before)
            }
            for _ in 0..<3 {
                window.setNeedsDisplay()
                scene.waitUntilIdle()
            }
            #expect(requests.count >= 3)
            #expect(try #require(requests.last) <= 820, "one request for each emoji once they are with the server")
            let shot = try #require(scene.probe.screenshot())
            #expect(Set(shot.pixels).count > 500, "colours")
            #expect(errors.isEmpty)
        }

        /// Fonts no longer used for drawing, as after zooming through many sizes, are closed.
        @Test func fontsThatAreNotDrawnWithAreClosed() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            var fonts: [FontID] = []
            record.onPaint = { _, canvas, _ in
                for font in fonts { canvas.draw([glyph(font, 45, 20, 50)], .black) }
            }
            for first in stride(from: 6, to: 406, by: 40) {
                fonts = (first..<first + 40).map { FontTable.intern(X11Fonts.mono(size: $0)) }
                for _ in 0..<3 {
                    window.setNeedsDisplay()
                    scene.waitUntilIdle()
                }
            }
            let live = scene.display.fonts.liveCounts
            #expect(live.fonts <= FontCache.most + 64 && live.memory <= FontCache.mostMemory, "\(live)")
        }

        /// Identifiers whose patterns Xft opens as one font share its glyphs, which are in the server once.
        @Test func glyphsOfOneFontCountOnce() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            let fonts = ["", ":lang=de", ":lang=fr"].map { FontTable.intern(X11Fonts.mono(size: 31) + $0) }
            #expect(Set(fonts).count == 3)
            var shown = fonts.prefix(1)
            var counts: [Int] = []
            record.onPaint = { _, canvas, _ in
                for font in shown { canvas.draw([glyph(font, 45, 20, 50), glyph(font, 46, 60, 50)], .black) }
            }
            for count in 1...3 {
                shown = fonts.prefix(count)
                window.setNeedsDisplay()
                scene.waitUntilIdle()
                counts.append(scene.display.fonts.liveCounts.memory)
            }
            #expect(counts[0] > 0 && Set(counts).count == 1, "\(counts)")
        }

        @Test func manyColoursDoNotThrash() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            let font = FontTable.intern(X11Fonts.mono(size: 14))
            var requests: [UInt] = []
            record.onPaint = { window, canvas, _ in
                let before = XNextRequest(window.display.connection)
                for index in 0..<60 {
                    canvas.draw(
                        [glyph(font, 45, index * 3, 50)],
                        Color(rgb: UInt32(index * 0x30507)))
                }
                requests.append(XNextRequest(window.display.connection) - before)
            }
            for _ in 0..<3 {
                window.setNeedsDisplay()
                scene.waitUntilIdle()
            }
            #expect(requests.last == 60)
        }

        /// Returns a picture of a window of 200 × 100 pixels after one painting.
        private func paint(_ painting: @escaping (any Canvas) -> Void) throws -> Screenshot {
            let scene = try DisplayScene(width: 400, height: 300)
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            record.onPaint = { _, canvas, _ in painting(canvas) }
            window.setNeedsDisplay()
            scene.waitUntilIdle()
            XSync(scene.display.connection, 0)
            let info = try #require(scene.probe.info(window.id.rawValue))
            return try #require(scene.probe.screenshot(of: info))
        }
    }
}

/// Returns a glyph at a pen position in window pixels.
func glyph(_ font: FontID, _ number: Int, _ x: Int, _ y: Int) -> CanvasGlyph {
    CanvasGlyph(font: font, glyph: UInt32(number), x: Int32(x), y: Int32(y))
}

extension Screenshot {
    struct Pixel: Hashable {
        var x: Int
        var y: Int
    }

    /// Returns the pixels that differ from the background colour.
    func ink(other background: UInt32) -> [Pixel] {
        pixels.indices.filter { pixels[$0] != background }.map { Pixel(x: $0 % width, y: $0 / width) }
    }
}

import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    /// Hundreds of colour emoji, in long runs and large sizes, with which libXft has overrun its stack and reloaded
    /// glyphs endlessly.
    @Suite struct EmojiStressTests {
        struct Case: Sendable {
            var size: Int
            var different: Int
            var run: Int
        }

        @Test(arguments: [
            Case(size: 16, different: 1400, run: 5000), Case(size: 32, different: 500, run: 5000),
            Case(size: 64, different: 130, run: 3000), Case(size: 136, different: 30, run: 1000),
            Case(size: 300, different: 6, run: 200),
        ])
        func emojiAreDrawnOnceLoadedWithoutErrors(_ test: Case) throws {
            let scene = try DisplayScene(width: 1200, height: 900)
            defer { scene.end() }
            var errors: [X11Error] = []
            scene.display.onToleratedError = { errors.append($0) }
            let (window, record) = try scene.makePlainWindow(width: 1100, height: 800)
            let font = FontTable.intern(X11Fonts.emoji(size: test.size))
            var requests: [UInt] = []
            var run = test.different
            record.onPaint = { window, canvas, _ in
                let before = XNextRequest(window.display.connection)
                canvas.fill(window.bounds, .white)
                let columns = 1100 / test.size
                let rows = max(1, 800 / test.size)
                canvas.draw(
                    (0..<run).map { index in
                        let place = index % (columns * rows)
                        return CanvasGlyph(
                            font: font, glyph: UInt32(40 + index % test.different),
                            x: Int32(place % columns * test.size), y: Int32((place / columns + 1) * test.size))
                    }, .black)
                requests.append(XNextRequest(window.display.connection) - before)
            }
            for count in [test.different, test.different, test.run, test.run] {
                run = count
                window.setNeedsDisplay()
                scene.waitUntilIdle()
            }
            #expect(errors.isEmpty)
            #expect(requests.count >= 4)
            // Each visible emoji needs one request, and none of them is loaded again.
            let last = try #require(requests.last)
            #expect(last <= UInt(test.run) + 50, "\(requests)")
            let second = requests[requests.count - 3]
            #expect(second <= UInt(test.different) + 50, "\(requests)")
            let shot = try #require(scene.probe.screenshot())
            #expect(Set(shot.pixels).count > 100, "colours")
        }
    }
}

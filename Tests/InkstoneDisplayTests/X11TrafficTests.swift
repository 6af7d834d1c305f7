import CX11
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

@testable import InkstoneView

extension DisplayTests {
    @Suite struct X11TrafficTests {
        @Test func aPlainKeyAsksNothingAndSendsLittle() throws {
            let scene = try DisplayScene(isCounted: true)
            defer { scene.end() }
            let proxy = try #require(scene.proxy)
            let record = try typeWarm(scene)
            let before = try #require(proxy.counts.first)
            let number = XNextRequest(scene.display.connection)
            scene.probe.type("x")
            try scene.pump("the key") { record.keys.last?.characters == "x" && record.keys.last?.phase == .up }
            #expect(XNextRequest(scene.display.connection) - number <= 4)
            // The reply shows that all earlier requests have passed the proxy.
            XSync(scene.display.connection, 0)
            let passed = try #require(proxy.counts.first) - before
            #expect(passed.requests <= 4 + 1, "fill, glyphs, caret, copy, and the request above")
            #expect(passed.requestBytes <= 300)
            #expect(passed.replies == 1, "to the request above")
        }

        /// The same for a whole text view, from the key press to the last pixel. The window's user time, sent at
        /// most ten times a second, is not counted.
        @Test(arguments: ["DejaVu Sans Mono", "DejaVu Sans"])
        func aKeyInATextViewAsksNothingAndSendsLittle(_ family: String) throws {
            let scene = try DisplayScene.still(
                width: 700, font: FontDescriptor(family: family, size: 14), isCounted: true
            ) {
                $0.text = "some words, before and behind it\nand another line"
                // Without blinking, no caret is painted in between.
                $0.presenter.caret.blink.interval = 0
            }
            defer { scene.end() }
            let proxy = try #require(scene.proxy)
            let connection = scene.display.connection
            let changeProperty: UInt8 = 18
            scene.probe.focus(scene.window.window.id.rawValue)
            try scene.pump("the focus") { scene.window.window.isFocused }
            #expect(scene.window.makeFirstResponder(scene.view))
            scene.view.select(Selection(caret: 11))
            scene.waitUntilIdle()
            var count = scene.view.text.utf16.count
            for (number, letter) in "onenoneno".enumerated() {
                let before = proxy.counts
                scene.probe.type(String(letter))
                scene.probe.sync()
                // The reply shows that both events have passed the proxy, which may delay them.
                XSync(connection, 0)
                count += 1
                try scene.pump("the letter") { scene.view.text.utf16.count == count }
                XSync(connection, 0)
                // The first occurrence of each letter sends its glyph.
                if number < 3 { continue }
                #expect(proxy.counts.count == before.count)
                for (index, (now, before)) in zip(proxy.counts, before).enumerated() {
                    let passed = now - before
                    let own = index == 0 ? 2 : 0
                    let times = passed.opcodes[changeProperty, default: 0]
                    #expect(times <= 1)
                    #expect(passed.replies == own, "to the requests above: \(passed)")
                    #expect(passed.requests - times - own <= 4, "fill, glyphs, caret, copy: \(passed)")
                    #expect(passed.requestBytes - times * 28 - own * 4 <= 300, "\(passed)")
                }
            }
            #expect(scene.view.text.hasPrefix("some words,onenoneno before"))
        }

        /// A fifth request would set a clip for glyphs; it is needed only if the ink of neighbouring letters
        /// overlaps.
        @Test func aLetterInTheMiddleOfAWordCostsFourRequests() throws {
            let scene = try DisplayScene.still(width: 700) {
                $0.text = "some words, and one among them that is surprisinglylong, before the line ends"
            }
            defer { scene.end() }
            let connection = scene.display.connection
            var counts: [UInt] = []
            for step in 0..<6 {
                // When the caret leaves a glyph, a clip is set, which the next letter removes.
                if step % 3 == 0 {
                    for caret in [12, 48] {
                        scene.view.select(Selection(caret: UTF16Offset(caret)))
                        scene.waitUntilIdle()
                    }
                }
                let number = XNextRequest(connection)
                scene.view.insertText("s")
                scene.display.processEvents()
                counts.append(UInt(XNextRequest(connection) - number))
            }
            for step in [1, 2, 4, 5] { #expect(counts[step] <= 4, "fill, glyphs, caret, copy: \(counts)") }
            #expect(counts[3] <= 5, "\(counts)")
        }

        /// Measures the traffic of keys and scroll steps in the middle of a text of so many bytes, each at its
        /// second repetition.
        private func traffic(in pattern: String, bytes: Int) throws -> [(name: String, requests: Int, bytes: Int)] {
            let scene = try DisplayScene.still(width: 500, height: 160, font: ViewScene.font, isCounted: true) {
                $0.text = String(repeating: pattern, count: bytes / pattern.utf8.count)
                $0.presenter.caret.blink.interval = 0
            }
            defer { scene.end() }
            let (proxy, editor) = (try #require(scene.proxy), scene.view)
            editor.select(Selection(caret: UTF16Offset(editor.textRange.upperBound.value / 2)))
            editor.scrollToCaret()
            // Otherwise the view is repainted now and then when estimates become exact heights.
            scene.refineAllHeights()
            scene.waitUntilIdle()
            let steps: [(String, () -> Void)] = [
                ("a letter", { editor.insertText("x") }),
                ("Backspace", { editor.perform(.deleteBackward) }),
                ("Return", { editor.insertText("\n") }),
                ("taking it back", { editor.perform(.undo) }),
                ("Down", { editor.perform(.moveDown) }),
                ("Up", { editor.perform(.moveUp) }),
                ("Right", { editor.perform(.moveRight) }),
                ("scrolling down", { editor.scroll(by: editor.presenter.lineStep) }),
                ("scrolling up", { editor.scroll(by: -editor.presenter.lineStep) }),
            ]
            var result = steps.map { ($0.0, 0, 0) }
            // The first repetition sends the glyphs of newly visible lines.
            for _ in 0..<2 {
                for (index, step) in steps.enumerated() {
                    let before = proxy.counts
                    step.1()
                    scene.waitUntilIdle()
                    let passed = zip(proxy.counts, before).map { $0 - $1 }
                    result[index].1 = passed.reduce(0) { $0 + $1.requests }
                    result[index].2 = passed.reduce(0) { $0 + $1.requestBytes }
                }
            }
            return result
        }

        /// The traffic of a key and of a scroll step does not depend on the length of the text, of many lines or of
        /// one.
        @Test(arguments: ["A line of some forty letters, as it is.\n", "words without an end of the line "])
        func aKeyAndAStepSendTheSameInALargeText(_ pattern: String) throws {
            let small = try traffic(in: pattern, bytes: 2000)
            let large = try traffic(in: pattern, bytes: 400_000)
            for (small, large) in zip(small, large) {
                #expect(small.requests > 3, "\(small.name) is painted")
                #expect(
                    large.requests <= 2 * small.requests && large.bytes <= 2 * small.bytes,
                    "\(large), in a small text \(small)")
            }
        }

        /// The server is stopped, so a round trip would never return.
        @Test func aPlainKeyIsPaintedWhileTheServerIsStopped() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let record = try typeWarm(scene)
            scene.probe.type("x")
            scene.probe.sync()
            scene.server.send(SIGSTOP)
            defer { scene.server.send(SIGCONT) }
            let paintings = record.paintings
            scene.display.processEvents()
            #expect(record.typed.count == 41)
            #expect(record.paintings == paintings + 1)
        }

        /// Creates a window that paints the typed line, after one-time work such as sending glyphs.
        private func typeWarm(_ scene: DisplayScene) throws -> WindowRecord {
            let (window, record) = try scene.makePlainWindow(width: 400)
            let font = FontTable.intern(X11Fonts.mono(size: 14))
            scene.probe.focus(window.id.rawValue)
            record.onKey = { window, key in
                if key.phase == .down { window.setNeedsDisplay(WindowRect(x: 0, y: 20, width: 400, height: 20)) }
            }
            record.onPaint = { _, canvas, damage in
                canvas.setClip(damage)
                canvas.fill(WindowRect(x: 0, y: 0, width: 400, height: 100), .white)
                let count = record.typed.count
                canvas.draw((0..<count).map { glyph(font, 68 + $0 % 20, 10 + 8 * ($0 % 40), 35) }, .black)
                canvas.fill(WindowRect(x: Double(10 + 8 * count), y: 22, width: 2, height: 16), .black)
            }
            scene.probe.type("abcdefghijklmnopqrstuvwxyzabcdefghijklmn")
            try scene.pump("warming up") { record.typed.count == 40 }
            // The time of the last key is written with a delay.
            let last = try #require(record.keys.last { $0.phase == .down }).timestamp
            try scene.pump("the user time") {
                (scene.probe.numbers("_NET_WM_USER_TIME", of: window.id.rawValue).first ?? 0) >= last
            }
            scene.waitUntilIdle()
            return record
        }

        @Test func movingAndTypingInAChildWindowAsksNothingEither() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let foreign = try #require(XOpenDisplay(scene.server.display))
            defer { XCloseDisplay(foreign) }
            let host = XCreateSimpleWindow(foreign, XDefaultRootWindow(foreign), 10, 10, 300, 200, 0, 0, 0)
            XMapWindow(foreign, host)
            XSync(foreign, 0)
            let window = try InkstoneX11.Window(
                scene.display, parent: WindowID(xid: host), frame: WindowRect(x: 5, y: 5, width: 100, height: 50))
            let record = WindowRecord()
            window.delegate = record
            window.show()
            try scene.pump("the first painting") { record.paintings > 0 }
            // A window that is painted before it is mapped cannot have the focus yet.
            try scene.pump("the focus") {
                scene.probe.focus(window.id.rawValue)
                return scene.probe.focusedWindow == window.id.rawValue
            }
            scene.probe.type("warm")
            try scene.pump("warming up") { record.typed == "warm" }
            XMoveWindow(foreign, host, 70, 80)
            XSync(foreign, 0)
            scene.probe.type("x")
            scene.probe.sync()
            scene.server.send(SIGSTOP)
            defer { scene.server.send(SIGCONT) }
            scene.display.processEvents()
            #expect(record.typed == "warmx")
            #expect(window.rootOrigin == RootPoint(x: 75, y: 85))
        }
    }
}

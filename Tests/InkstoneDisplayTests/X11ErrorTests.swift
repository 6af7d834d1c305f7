import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

/// X error handlers of a host program. Real ones would end the process; these only count.
private enum Host {
    nonisolated(unsafe) static var errors: [Int32] = []
    nonisolated(unsafe) static var lost = 0
    nonisolated(unsafe) static var previous:
        (@convention(c) (OpaquePointer?, UnsafeMutablePointer<XErrorEvent>?) -> Int32)?

    static func install() {
        errors = []
        lost = 0
        previous = XSetErrorHandler { _, error in
            Host.errors.append(Int32(error!.pointee.error_code))
            return 0
        }
        XSetIOErrorHandler { _ in
            Host.lost += 1
            return 0
        }
    }

    /// Installs an error handler that calls the previous one, as toolkits do.
    static func installChained() {
        errors = []
        previous = XSetErrorHandler { display, error in
            Host.errors.append(Int32(error!.pointee.error_code))
            return Host.previous?(display, error) ?? 0
        }
    }
}

extension DisplayTests {
    @Suite struct X11ErrorTests {
        @Test func errorsOfOurConnectionAreToleratedAndReported() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            var reported: [X11Error] = []
            scene.display.onToleratedError = { reported.append($0) }
            XMapWindow(scene.display.connection, 0x4242)
            scene.waitUntilIdle()
            scene.display.processEvents()
            #expect(reported.count == 1)
            #expect(reported.first?.description.contains("BadWindow") == true)
        }

        @Test func eachHandlerGetsWhatIsItsOwn() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            Host.install()
            let other = try #require(XOpenDisplay(scene.server.display))
            // The host has installed its handler later; the next turn of the event loop installs Inkstone's above
            // it.
            scene.display.processEvents()
            XMapWindow(scene.display.connection, 0x4242)
            scene.waitUntilIdle()
            #expect(Host.errors == [])
            XMapWindow(other, 0x4242)
            XSync(other, 0)
            #expect(Host.errors == [3])
            XCloseDisplay(other)
        }

        @Test func aHostThatChainsToUsMakesNoCircle() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            Host.install()
            scene.display.processEvents()
            Host.installChained()
            scene.display.processEvents()
            let other = try #require(XOpenDisplay(scene.server.display))
            XMapWindow(other, 0x4242)
            XSync(other, 0)
            #expect(Host.errors.filter { $0 == 3 }.count >= 1)
            #expect(Host.errors.count <= 2)
            XCloseDisplay(other)
        }

        @Test func anAdoptedConnectionsErrorsAreSharedOut() throws {
            let server = try XServer(width: 320, height: 240)
            let host = try #require(XOpenDisplay(server.display))
            Host.install()
            let display = try InkstoneX11.Display(adopting: host)
            let parent = XCreateSimpleWindow(host, XDefaultRootWindow(host), 0, 0, 100, 100, 0, 0, 0)
            let window = try InkstoneX11.Window(
                display, parent: WindowID(xid: parent), frame: WindowRect(x: 0, y: 0, width: 50, height: 50))
            // An error of Inkstone's: the window was destroyed without its knowledge.
            XDestroyWindow(host, parent)
            window.setCursor(.text)
            window.focus(timestamp: 0)
            XSync(host, 0)
            #expect(Host.errors == [])
            // An error of the host's.
            XMapWindow(host, 0x4242)
            XSync(host, 0)
            #expect(Host.errors == [3])
            display.close()
            XCloseDisplay(host)
            server.end()
        }

        /// If Xft is used before XRender, XRender keeps its record of a closed connection, whose address a new
        /// connection may get. The test runs in a process of its own, because the record stays for the process's
        /// lifetime.
        @Test func aConnectionAtAnEarlierOnesAddressIsItsOwn() throws {
            let session = try DesktopSession()
            defer { session.end() }
            let (status, output) = try session.run(
                "/usr/bin/env",
                [
                    "INKSTONE_CHILD=reuse", "/proc/\(getpid())/exe", "--testing-library", "swift-testing", "--filter",
                    "childReusesTheAddressOfAConnection",
                ], within: 60_000)
            let report = output + session.logText
            #expect(status == .exited(0), "\(report)")
            #expect(report.contains("with 1 test"), "\(report)")
        }

        @Test(.enabled(if: getenv("INKSTONE_CHILD") != nil))
        func childReusesTheAddressOfAConnection() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            // Only once: the next connection opened without precaution would itself be mistaken for the first.
            var isReused = false
            var remembered: Set<OpaquePointer> = []
            for _ in 0..<20 where !isReused {
                let connection = try #require(XOpenDisplay(scene.server.display))
                isReused = remembered.contains(connection)
                if !isReused {
                    let font = try #require(
                        XftFontOpenName(connection, XDefaultScreen(connection), "DejaVu Sans:pixelsize=20"))
                    var glyphs: [UInt32] = Array(36..<90)
                    var extents = XGlyphInfo()
                    XftGlyphExtents(connection, font, &glyphs, Int32(glyphs.count), &extents)
                    XftFontClose(connection, font)
                    remembered.insert(connection)
                }
                XCloseDisplay(connection)
                guard isReused else { continue }

                let display = try InkstoneX11.Display(name: scene.server.display)
                defer { display.close() }
                var errors: [X11Error] = []
                display.onToleratedError = { errors.append($0) }
                let window = try InkstoneX11.Window(display, size: Size(width: 60, height: 60))
                let record = WindowRecord()
                window.delegate = record
                window.show()
                try scene.pump("the first painting", and: [display]) {
                    record.paintings > 0 && scene.probe.info(window.id.rawValue)?.isViewable == true
                }
                XSync(display.connection, 0)
                display.processEvents()
                #expect(errors.isEmpty)
                let info = try #require(scene.probe.info(window.id.rawValue))
                #expect(scene.probe.screenshot(of: info)?[5, 5] == 0x336699)
            }
            #expect(isReused)
        }

        @Test func aLostConnectionIsReportedOnceAndDoesNotEndTheProcess() throws {
            for round in 0..<3 {
                let scene = try DisplayScene()
                let (window, record) = try scene.makePlainWindow()
                var losses = 0
                scene.display.onLost = { losses += 1 }
                var isStopped = false
                if round == 1 { scene.display.schedule(afterMilliseconds: 5000) { isStopped = true } }
                scene.server.end()
                if round == 1 {
                    scene.display.run()
                } else {
                    try scene.pump("the loss") { losses > 0 }
                }
                scene.display.processEvents()
                #expect(losses == 1)
                #expect(scene.display.isLost)
                #expect(!isStopped)
                let before = record.paintings
                window.setNeedsDisplay()
                window.setTitle("gone")
                window.setCursor(.hand)
                window.resize(to: Size(width: 5, height: 5))
                scene.display.clipboard.own(timestamp: 1) { "x" }
                scene.display.processEvents()
                #expect(record.paintings == before)
                window.close()
                scene.display.close()
                scene.probe.close()
            }
        }

        @Test func aConnectionLostAmidPaintingEndsNothing() throws {
            for _ in 0..<3 {
                let scene = try DisplayScene()
                let (window, record) = try scene.makePlainWindow(width: 400, height: 300)
                let font = FontTable.intern(X11Fonts.mono(size: 11))
                var losses = 0
                scene.display.onLost = { losses += 1 }
                record.onPaint = { _, canvas, _ in
                    // One call sends far more than Xlib's buffer holds, so that writes fail in the middle of the
                    // call.
                    scene.server.end()
                    canvas.draw((0..<3000).map { glyph(font, 3 + $0, $0 % 390, $0 % 290) }, .black)
                }
                window.setNeedsDisplay()
                try scene.pump("the loss") { losses > 0 }
                #expect(losses == 1)
                scene.display.close()
                scene.probe.close()
            }
        }
    }
}

/// Font patterns available on the test machine, as layout writes them.
enum X11Fonts {
    static func mono(size: Int) -> String {
        "DejaVu Sans Mono:pixelsize=\(size):antialias=True:hinting=True:hintstyle=1:autohint=False:rgba=5:lcdfilter=1"
            + ":file=/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf:index=0:scalable=True:minspace=False"
    }

    static func emoji(size: Int) -> String {
        let scale = Double(size) / 109
        return "Noto Color Emoji:pixelsize=109:antialias=True:hinting=True:hintstyle=1:color=True:scalable=False"
            + ":matrix=\(scale) 0 0 \(scale):file=/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf:index=0"
    }
}

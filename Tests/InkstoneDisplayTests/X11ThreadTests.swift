import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneTesting
import Synchronization
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// Displays that belong to threads of their own.
    @Suite struct X11ThreadTests {
        /// Content that counts how often it is painted.
        private final class Counter: WindowContent {
            let frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
            private(set) var count = 0

            func paint(on canvas: any Canvas, damage: WindowRect) { count += 1 }
        }

        /// Opens a display, paints a text in fonts of many sizes, and closes the display.
        private static func paint(on name: String, _ round: Int) throws {
            let display = try InkstoneX11.Display(name: name)
            defer { display.close() }
            let window = try WidgetWindow(display, size: Size(width: 400, height: 200), properties: .init(title: "t"))
            let view = TextView(in: window, font: ViewScene.font)
            view.setFrame(WindowRect(x: 0, y: 0, width: 400, height: 200))
            view.text = String((0x21..<0x7f).compactMap(UnicodeScalar.init).map(Character.init))
            let counter = Counter()
            window.add(counter)
            window.show()
            for size in 8..<32 {
                let painted = counter.count
                view.font = FontDescriptor(family: "DejaVu Sans", size: Double(size) + Double(round % 2) / 2)
                window.setNeedsDisplay()
                try waitUntil("a painting", within: 20_000, watching: [display.fileDescriptor]) {
                    display.processEvents()
                    return counter.count > painted
                }
            }
            window.close()
        }

        /// Xft has tables of all displays, font files and faces of a process.
        @Test func displaysOfTwoThreadsPaintAtTheSameTime() throws {
            let session = try DesktopSession(width: 640, height: 480)
            defer { session.end() }
            let name = session.server.display
            let failures = Mutex<[String]>([])
            let threads = try (0..<2).map { _ in
                try BackgroundThread.start {
                    do {
                        for round in 0..<8 { try Self.paint(on: name, round) }
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
            for thread in threads { pthread_join(thread, nil) }
            #expect(failures.withLock { $0 } == [])
        }
    }
}

import CX11
import DisplayTestSupport
import Inkstone
import InkstoneTesting
import Testing

@testable import InkstoneX11

extension DisplayTests {
    /// Drop targets that speak XDND message by message: with an XDND proxy, and ones that die at any time.
    @Suite struct DragTargetPeerTests {
        /// A window at (600, 500), and the XDND messages that it receives.
        private final class Target {
            let raw: RawRequestor
            let scene: DisplayScene
            /// The client that receives the messages: the window's own, unless the window has an XDND proxy.
            var listener: RawRequestor

            init(_ scene: DisplayScene, isAware: Bool = true) throws {
                self.scene = scene
                raw = try RawRequestor(scene.server.display)
                listener = raw
                XMoveResizeWindow(raw.connection, raw.window, 600, 500, 100, 100)
                if isAware { set("XdndAware", 4, 5, of: raw.window) }
                XMapWindow(raw.connection, raw.window)
                XSync(raw.connection, 0)
            }

            func set(_ property: String, _ type: UInt, _ value: UInt, of window: UInt) {
                withUnsafeBytes(of: value) {
                    _ = XChangeProperty(
                        raw.connection, window, raw.atom(property), type, 32, PropModeReplace,
                        $0.assumingMemoryBound(to: UInt8.self).baseAddress, 1)
                }
            }

            /// Returns the next message with one of these names, and skips others.
            func next(_ names: [String]) throws -> XClientMessageEvent {
                try waitFor("\(names)", watching: [XConnectionNumber(listener.connection)]) {
                    scene.display.processEvents()
                    var event = XEvent()
                    while XCheckTypedEvent(listener.connection, ClientMessage, &event) != 0 {
                        if names.contains(listener.name(of: event.xclient.message_type)) { return event.xclient }
                    }
                    return nil
                }
            }

            /// Answers that the drop is accepted, as a move.
            func accept(from source: UInt) {
                var event = XEvent()
                event.xclient.type = ClientMessage
                event.xclient.window = source
                event.xclient.message_type = raw.atom("XdndStatus")
                event.xclient.format = 32
                event.xclient.data.l = (Int(raw.window), 1, 0, 0, Int(raw.atom("XdndActionMove")))
                XSendEvent(raw.connection, source, 0, 0, &event)
                XFlush(raw.connection)
            }
        }

        /// Drags “one” out of a view to a point over the target.
        private func begin(_ scene: DisplayScene) throws -> TextView {
            try scene.makeWindow(["one two"])
            let view = scene.view
            view.store.removeAllUndo()
            view.select(Selection(anchor: 0, head: 3))
            let caret = view.caretRect(for: view.range(1..<1).start)
            let origin = scene.window.window.rootOrigin
            let (x, y) = (Int(origin.x + caret.minX), Int(origin.y + caret.minY + caret.height / 2))
            scene.probe.movePointer(x: x, y: y)
            scene.probe.button(1, down: true)
            scene.probe.movePointer(x: x + 20, y: y)
            try scene.pump("the drag") { scene.display.draggingSession != nil }
            scene.probe.key(TestKey.leftShift.keycode, down: true)
            scene.probe.movePointer(x: 650, y: 550)
            return view
        }

        /// Covers INT 55 of the checklist for interaction.
        @Test func aTargetThatDiesAfterTheDropCostsNoText() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            scene.display.dragAndDrop.timing.finish = 300
            let target = try Target(scene)
            var toll = PeerToll()
            let view = try begin(scene)
            var isDropped = false
            while !isDropped {
                let message = try target.next(["XdndPosition", "XdndDrop"])
                isDropped = target.raw.name(of: message.message_type) == "XdndDrop"
                target.accept(from: UInt(message.data.l.0))
                scene.probe.button(1, down: false)
            }
            target.raw.close()
            try waitUntil("the end of the drag", within: 10_000, watching: [scene.display.fileDescriptor]) {
                toll.turn(scene.display)
                return scene.display.draggingSession == nil
            }
            toll.report("a target that dies after the drop", megabytes: 8)
            scene.probe.releaseAll()
            #expect(view.text == "one two" && !view.store.canUndo)
            try scene.pump("no drop caret") { view.dropCaret.position == nil }
        }

        /// INT 55.
        /// A target embedded in a host receives messages through another window, its XDND proxy. A proxy that does
        /// not name itself in its own property was left by a dead program, and is ignored.
        @Test(arguments: [true, false]) func dragMessagesGoToAnXDNDProxy(isAlive: Bool) throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let target = try Target(scene, isAware: !isAlive)
            let proxy = try RawRequestor(scene.server.display)
            XSync(proxy.connection, 0)
            let type = target.raw.atom("WINDOW")
            target.set("XdndProxy", type, proxy.window, of: target.raw.window)
            if isAlive {
                target.set("XdndProxy", type, proxy.window, of: proxy.window)
                target.set("XdndAware", 4, 5, of: proxy.window)
                target.listener = proxy
            }
            XSync(target.raw.connection, 0)
            let view = try begin(scene)
            let position = try target.next(["XdndPosition"])
            // The message names the target window, so that a proxy of several windows can distinguish them.
            #expect(position.window == target.raw.window)
            target.accept(from: UInt(position.data.l.0))
            scene.probe.strike(.escape)
            #expect(try target.next(["XdndLeave"]).window == target.raw.window)
            scene.probe.releaseAll()
            scene.waitUntilIdle()
            #expect(view.text == "one two" && scene.display.draggingSession == nil)
            target.raw.close()
            proxy.close()
        }
    }
}

import CX11
import DisplayTestSupport
import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneX11
import Testing

extension DisplayTests {
    @Suite struct X11LoopTests {
        @Test func anUnknownDisplayIsNamedInTheError() {
            #expect(throws: X11Error.cannotOpenDisplay(name: ":4711")) { try InkstoneX11.Display(name: ":4711") }
            #expect(X11Error.cannotOpenDisplay(name: ":4711").description.contains(":4711"))
        }

        /// Xlib would end the process in this case, if its handler were not replaced.
        @Test func aServerThatDiesWhileItIsBeingOpenedEndsNothing() throws {
            let server = try XServer()
            let proxy = try CountingProxy(to: server)
            defer {
                proxy.end()
                server.end()
            }
            var failures = 0
            for limit in 0..<24 {
                proxy.requestLimit = limit
                do throws(X11Error) {
                    let display = try InkstoneX11.Display(name: proxy.display)
                    display.close()
                } catch {
                    #expect(error == .cannotOpenDisplay(name: proxy.display))
                    failures += 1
                }
                let taken = proxy.counts.count
                let connection = InputMethodConnection(displayName: proxy.display, modifiers: "@im=inkstone")
                connection.start()
                try waitUntil("the input thread to be cut off", watching: [connection.descriptor]) {
                    _ = connection.receiveAnswers()
                    return proxy.counts.count > taken
                }
                connection.close()
                try waitUntil("its end", watching: [connection.descriptor]) {
                    _ = connection.receiveAnswers()
                    return connection.isClosed
                }
            }
            #expect(failures > 3)
            proxy.requestLimit = nil
            try InkstoneX11.Display(name: proxy.display).close()
        }

        @Test func descriptorWakesForEventsTimersPostedClosuresAndOtherDescriptors() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (_, record) = try scene.makePlainWindow()
            let display = scene.display
            scene.waitUntilIdle()
            #expect(!isReadable(display.fileDescriptor, within: 0))

            scene.probe.movePointer(x: 50, y: 50)
            #expect(isReadable(display.fileDescriptor, within: 10_000))
            scene.waitUntilIdle()
            #expect(record.pointer.contains { $0.location == WindowPoint(x: 50, y: 50) })

            var fired = 0
            let start = Deadline.now
            display.schedule(afterMilliseconds: 30) { fired += 1 }
            let cancelled = display.schedule(afterMilliseconds: 10) { fired += 100 }
            display.cancel(cancelled)
            #expect(display.nextDeadline != nil)
            while fired == 0, isReadable(display.fileDescriptor, within: 10_000) { display.processEvents() }
            #expect(fired == 1)
            #expect(Deadline.now - start >= 29)
            #expect(display.nextDeadline == nil)
            #expect(!isReadable(display.fileDescriptor, within: 0))

            let poster = display.poster
            let posted = Posted()
            var thread = pthread_t()
            let box = Unmanaged.passRetained(PostJob(poster: poster, posted: posted))
            pthread_create(
                &thread, nil,
                {
                    let job = Unmanaged<PostJob>.fromOpaque($0!).takeRetainedValue()
                    job.poster.post { job.posted.add(1) }
                    job.poster.post { job.posted.add(2) }
                    return nil
                }, box.toOpaque())
            #expect(isReadable(display.fileDescriptor, within: 10_000))
            pthread_join(thread, nil)
            display.processEvents()
            #expect(posted.all == [1, 2])

            var ends: [Int32] = [0, 0]
            pipe(&ends)
            defer { for end in ends { close(end) } }
            var read = 0
            display.addDescriptor(ends[0]) {
                var byte: UInt8 = 0
                read += Glibc.read(ends[0], &byte, 1)
            }
            var byte: UInt8 = 7
            write(ends[1], &byte, 1)
            #expect(isReadable(display.fileDescriptor, within: 10_000))
            display.processEvents()
            #expect(read == 1)
            display.removeDescriptor(ends[0])
            write(ends[1], &byte, 1)
            display.processEvents()
            #expect(read == 1)
        }

        /// The release of a key stays in Xlib's queue until the key is painted, and keeps Xlib from reading.
        @Test func readyEventsAreReadBehindARelease() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            let (display, probe) = (scene.display, scene.probe)
            probe.focus(window.id.rawValue)
            scene.waitUntilIdle()
            record.onKey = { window, _ in window.setNeedsDisplay() }
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { for end in ends { close(end) } }
            /// Types a letter, and waits until its press and release are on the connection.
            func type(_ letter: String) {
                probe.type(letter)
                probe.sync()
                var polled = pollfd(fd: XConnectionNumber(display.connection), events: Int16(POLLIN), revents: 0)
                #expect(poll(&polled, 1, 5000) == 1)
            }
            var typed: String?
            display.addDescriptor(ends[0]) {
                var byte: UInt8 = 0
                _ = read(ends[0], &byte, 1)
                let before = record.typed
                type("b")
                display.handleReadyEvents()
                typed = before + "|" + record.typed
            }
            var byte: UInt8 = 7
            write(ends[1], &byte, 1)
            type("a")
            display.processEvents()
            display.removeDescriptor(ends[0])
            #expect(typed == "a|ab")
        }

        @Test func workBetweenTurnsWakesTheHost() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.waitUntilIdle()
            let before = record.paintings
            #expect(!isReadable(scene.display.fileDescriptor, within: 0))
            window.setNeedsDisplay()
            #expect(isReadable(scene.display.fileDescriptor, within: 0))
            scene.display.processEvents()
            #expect(record.paintings == before + 1)
            #expect(!isReadable(scene.display.fileDescriptor, within: 0))
            window.setTitle("new")
            #expect(isReadable(scene.display.fileDescriptor, within: 0))
            scene.display.processEvents()
            #expect(scene.probe.property("_NET_WM_NAME", of: window.id.rawValue) == Array("new".utf8))
        }

        @Test func runHandlesEventsAndTimersUntilStopped() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, record) = try scene.makePlainWindow()
            scene.probe.focus(window.id.rawValue)
            scene.probe.type("stop")
            var ticks = 0
            record.onKey = { window, _ in
                if record.typed == "stop" { window.display.schedule(afterMilliseconds: 20) { window.display.stop() } }
            }
            scene.display.schedule(afterMilliseconds: 5) { ticks += 1 }
            scene.display.schedule(afterMilliseconds: 4000) { window.display.stop() }
            scene.display.run()
            #expect(record.typed == "stop")
            #expect(ticks == 1)
        }

        @Test func timersOfOneTimeKeepTheirOrder() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            var order: [Int] = []
            for index in 0..<5 { scene.display.schedule(afterMilliseconds: 0) { order.append(index) } }
            try scene.pump("five timers") { order.count == 5 }
            #expect(order == [0, 1, 2, 3, 4])
        }

        @Test func anAdoptedConnectionsQueueIsLeftToItsHost() throws {
            let server = try XServer(width: 320, height: 240)
            let probe = try XProbe(display: server.display)
            let host = try #require(XOpenDisplay(server.display))
            let hostWindow = XCreateSimpleWindow(host, XDefaultRootWindow(host), 0, 0, 200, 150, 0, 0, 0xffffff)
            XSelectInput(host, hostWindow, ButtonPressMask | StructureNotifyMask)
            XMapWindow(host, hostWindow)
            let display = try InkstoneX11.Display(adopting: host)
            defer {
                display.close()
                XCloseDisplay(host)
                probe.close()
                server.end()
            }
            let window = try InkstoneX11.Window(
                display, parent: WindowID(xid: hostWindow), frame: WindowRect(x: 20, y: 10, width: 100, height: 80))
            defer { window.close() }
            let record = WindowRecord()
            window.delegate = record
            window.show()
            display.processEvents()

            var hostEvents: [Int32] = []
            func hostTurn(_ what: String, until condition: () -> Bool) throws {
                try waitUntil(what, watching: [XConnectionNumber(host), display.fileDescriptor]) {
                    while XPending(host) > 0 {
                        var event = XEvent()
                        XNextEvent(host, &event)
                        if !display.handle(event: &event) { hostEvents.append(event.type) }
                    }
                    // Handle events only when the descriptor is readable, as a host would.
                    if isReadable(display.fileDescriptor, within: 0) { display.processEvents() }
                    return condition()
                }
            }
            try hostTurn("painting") { record.paintings > 0 }
            probe.click(x: 40, y: 30)
            try hostTurn("the click") { record.pointer.contains { $0.kind == .release(.primary) } }
            try hostTurn("the focus") { window.isFocused }
            probe.type("ab")
            try hostTurn("the keys") { record.typed == "ab" }
            #expect(!hostEvents.contains(ButtonPress), "the child's own events are not the host's")

            // The host still receives the events that it selected on its own window, although Inkstone watches the
            // window's structure.
            probe.click(x: 5, y: 140)
            try hostTurn("the host's click") { hostEvents.contains(ButtonPress) }
            probe.move(UInt32(hostWindow), x: 31, y: 17)
            try hostTurn("the move") { window.rootOrigin == RootPoint(x: 51, y: 27) }
            #expect(hostEvents.contains(ConfigureNotify))

            var fired = false
            display.schedule(afterMilliseconds: 10) { fired = true }
            try hostTurn("the timer") { fired }
        }
    }
}

/// The numbers that threads have posted to the loop, in order.
private final class Posted: @unchecked Sendable {
    // Accessed only by closures that run on the loop's thread.
    private(set) var all: [Int] = []
    func add(_ number: Int) { all.append(number) }
}

private final class PostJob: Sendable {
    let poster: EventPoster
    let posted: Posted
    init(poster: EventPoster, posted: Posted) {
        self.poster = poster
        self.posted = posted
    }
}

/// Whether a descriptor becomes readable in time.
func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, milliseconds) > 0
}

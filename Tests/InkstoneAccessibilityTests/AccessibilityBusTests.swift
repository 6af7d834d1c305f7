import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing
import TextTestSupport

@testable import InkstoneAccessibility
@testable import InkstoneBus

/// A session bus with the launcher of at-spi2-core, which starts an accessibility bus and its registry on demand.
private final class AccessibilitySession {
    let session: PrivateBus
    private(set) var launcher: ChildProcess

    init() throws {
        session = try PrivateBus()
        launcher = try Self.launch(on: session)
    }

    /// Starts another launcher, with another accessibility bus, on the same session bus.
    func restart() throws {
        launcher.end()
        launcher = try Self.launch(on: session)
    }

    private static func launch(on session: PrivateBus) throws -> ChildProcess {
        try ChildProcess(
            "/usr/libexec/at-spi-bus-launcher", [],
            environment: [
                "HOME": session.directory.path, "XDG_RUNTIME_DIR": session.directory.path,
                "DBUS_SESSION_BUS_ADDRESS": session.address, "PATH": "/usr/local/bin:/usr/bin:/bin",
                "ATSPI_DBUS_IMPLEMENTATION": "dbus-daemon", "GSETTINGS_BACKEND": "memory",
            ], errors: .file(session.directory.path + "/launcher.log"))
    }

    deinit { launcher.end() }

    func connect(_ address: String? = nil) throws -> Bus {
        let bus = Bus(BusSetup(address: address ?? session.address))
        bus.start()
        try wait([bus], "a connection") { if case .connected = bus.state { true } else { false } }
        return bus
    }
}

private func wait(_ buses: [Bus], _ what: String, link: AccessibilityLink? = nil, until condition: () -> Bool) throws {
    let watched = buses.map(\.descriptor) + (link?.descriptors ?? [])
    try waitUntil(what, within: 20_000, watching: watched, instead: { "link \(String(describing: link?.state))" }) {
        for bus in buses { bus.receive() }
        link?.receive()
        return condition()
    }
}

@Suite(.timeLimit(.minutes(5))) struct AccessibilityBusTests {
    /// A client that acts as screen reader and as desktop setting.
    private final class Reader {
        let session: Bus
        let bus: Bus
        let link: AccessibilityLink
        private(set) var address: String?
        var events: [BusMessage] = []

        init(_ own: AccessibilitySession, _ link: AccessibilityLink) throws {
            self.link = link
            session = try own.connect()
            var owner: String?
            _ = try session.watch("org.a11y.Bus") { owner = $0 }
            try wait([session], "the launcher", link: link) { owner != nil }
            var address: String?
            try session.call(
                "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus", member: "GetAddress"
            ) { if case .string(let text)? = (try? $0.get())?.first { address = text } }
            try wait([session], "the address", link: link) { address != nil }
            bus = try own.connect(address)
            self.address = address
            for family in ["Object", "Window"] {
                _ = try bus.match(BusMatch(interface: "org.a11y.atspi.Event.\(family)")) { [weak self] in
                    self?.events.append($0)
                }
            }
        }

        func enable(_ isOn: Bool) throws {
            try session.call(
                "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.freedesktop.DBus.Properties", member: "Set",
                [.string("org.a11y.Status"), .string("IsEnabled"), .variant(.boolean(isOn))]
            ) { _ in }
        }

        func ask(_ destination: String, _ path: String, _ interface: String, _ member: String, _ body: [BusValue] = [])
            throws -> [BusValue]
        {
            var answer: Result<[BusValue], BusFailure>?
            try bus.call(
                destination, path: path, interface: "org.a11y.atspi." + interface, member: member, body,
                startsService: true
            ) { answer = $0 }
            try wait([session, bus], "an answer to \(member)", link: link) { answer != nil }
            return try answer?.get() ?? []
        }

        func text(of node: AccessibleNode) throws -> String {
            let body = try ask(
                link.server.busName, link.server.path(of: node), "Text", "GetText", [.int32(0), .int32(-1)])
            guard case .string(let text)? = body.first else { return "no text" }
            return text
        }
    }

    private static let registry = "org.a11y.atspi.Registry"

    private static func name(of bus: Bus) -> String? {
        if case .connected(let name) = bus.state { name } else { nil }
    }

    @Test func aReaderComesReadsAndGoes() throws {
        let own = try AccessibilitySession()
        let scene = TreeScene("Hello\nשלום 😀")
        scene.tree.onNotice = nil
        let view = scene.view
        let link = AccessibilityLink(scene.tree, session: Bus(BusSetup(address: own.session.address)))
        link.start()
        defer { link.close() }
        let reader = try Reader(own, link)

        // Accessibility is off: no second connection is made, and no event is created.
        try wait([reader.session], "the status", link: link) { link.hasStatus }
        view.insertText("a")
        #expect(link.state == .off && link.descriptors.count == 1 && !scene.tree.isReporting && link.sentCount == 0)

        try reader.enable(true)
        try wait([reader.session], "registration", link: link) { link.state == .registered }
        #expect(!scene.tree.isReporting)
        let children = try reader.ask(Self.registry, AccessibleServer.rootPath, "Accessible", "GetChildren")
        #expect(children == [.array(AccessibleServer.referenceType, [link.server.reference(scene.tree.root)])])
        #expect(link.server.desktop != AccessibleServer.none)
        try wait([reader.session], "the number", link: link) { link.server.applicationID >= 0 }
        #expect(try reader.text(of: scene.node) == view.text)

        // Without listeners no events are sent; queries are still answered.
        view.insertText("b")
        #expect(link.sentCount == 0)
        _ = try reader.ask(
            Self.registry, "/org/a11y/atspi/registry", "Registry", "RegisterEvent",
            [.string("object:text-changed"), .array(.string, []), .string("")])
        try wait([reader.bus], "a listener", link: link) { scene.tree.isReporting }
        var model = Array(view.text.unicodeScalars)
        var random = SeededGenerator(seed: 1)
        for step in 0..<(isLongTier ? 10_000 : 150) {
            // The events so far, and what is read between them.
            if step % 50 == 49 { #expect(try reader.text(of: scene.node) == view.text, "step \(step)") }
            let length = view.textRange.upperBound.value
            let place = view.store.text.roundedDown(toGrapheme: UTF16Offset(random.below(length + 1)))
            view.select(Selection(caret: place))
            if random.once(in: 3) {
                view.deleteBackward()
            } else {
                view.insertText(["x", "é", "👩‍👩‍👧", "\n", "ש"][random.below(5)])
            }
        }
        view.select(Selection(caret: 0))
        view.insertText("end")
        try wait([reader.bus], "the last event", link: link) {
            reader.events.last?.body.contains(.variant(.string("end"))) ?? false
        }
        // The registry reports when programs appear and disappear.
        let events = reader.events.filter { $0.sender == link.server.busName }
        #expect(events.allSatisfy { $0.member == "TextChanged" })
        for event in events {
            guard case .string(let kind) = event.body[0], case .int32(let at) = event.body[1],
                case .int32(let count) = event.body[2], case .variant(.string(let text)) = event.body[3]
            else { continue }
            let range = Int(at)..<Int(at) + (kind == "insert" ? 0 : Int(count))
            model.replaceSubrange(range, with: kind == "insert" ? Array(text.unicodeScalars) : [])
        }
        #expect(model == Array(view.text.unicodeScalars))
        #expect(try reader.text(of: scene.node) == view.text)

        // A stopped bus blocks nothing, and queries are answered when it continues.
        let piece = String(repeating: "x", count: 300)
        func edit(_ count: Int) -> Double {
            let start = LargeText.processorTime
            for _ in 0..<count {
                view.select(Selection(anchor: 0, head: view.textRange.upperBound))
                view.insertText(piece)
                link.receive()
            }
            return LargeText.processorTime - start
        }
        let before = edit(100)
        own.launcher.sendToGroup(SIGSTOP)
        // Only one key waits for an answer; later keys are shown at once until answers arrive again.
        var answers: [Bool] = []
        let key = KeyEvent(keycode: 38, keysym: 0x61, characters: "a")
        link.show(key) { answers.append($0) }
        #expect(answers.isEmpty)
        try wait([], "the end of the wait", link: link) { answers.count == 1 }
        link.show(key) { answers.append($0) }
        #expect(answers == [false, false] && link.isLate && link.unanswered == 1)
        let clock = MonotonicClock.milliseconds
        let during = edit(400)
        let elapsed = MonotonicClock.milliseconds - clock
        own.launcher.sendToGroup(SIGCONT)
        // At most twice as long per key, without a wait for an answer.
        #expect(during < 8 * before + 100 && elapsed < 10_000, "\(during) ms, before \(before), elapsed \(elapsed)")
        #expect(try reader.text(of: scene.node) == piece)
        try wait([], "the late answer", link: link) { link.unanswered == 0 }
        #expect(!link.isLate)
        link.show(key) { answers.append($0) }
        try wait([], "an answer in time", link: link) { answers.count == 3 }

        // The registry dies, and the program registers with the new one.
        var registry: UInt32?
        try reader.bus.call(
            "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetConnectionUnixProcessID", [.string(Self.registry)]
        ) { if case .uint32(let process)? = (try? $0.get())?.first { registry = process } }
        try wait([reader.bus], "the registry's process", link: link) { registry != nil }
        kill(pid_t(try #require(registry)), SIGKILL)
        try wait([reader.bus], "the end of the registry", link: link) { link.state == .connecting }
        _ = try reader.ask(Self.registry, AccessibleServer.rootPath, "Accessible", "GetChildren")
        try wait([reader.bus], "registration anew", link: link) { link.state == .registered }
        #expect(!scene.tree.isReporting)
        #expect(try reader.text(of: scene.node) == view.text)

        try reader.enable(false)
        try wait([reader.session], "the end", link: link) { link.state == .off }
        let sent = link.sentCount
        view.insertText("c")
        #expect(link.sentCount == sent && link.descriptors.count == 1)
    }

    /// A screen reader that has crashed leaves the bus without a word.
    @Test func aReaderThatLeavesTheBusIsNotReportedToAnyMore() throws {
        let own = try AccessibilitySession()
        let scene = TreeScene("text")
        scene.tree.onNotice = nil
        let link = AccessibilityLink(scene.tree, session: Bus(BusSetup(address: own.session.address)))
        link.start()
        defer { link.close() }
        let reader = try Reader(own, link)
        try reader.enable(true)
        try wait([reader.session], "registration", link: link) { link.state == .registered }
        let bus = try own.connect(reader.address)
        try bus.call(
            Self.registry, path: "/org/a11y/atspi/registry", interface: "org.a11y.atspi.Registry",
            member: "RegisterEvent", [.string("object:text-changed"), .array(.string, []), .string("")]
        ) { _ in }
        try wait([reader.bus, bus], "a listener", link: link) { scene.tree.isReporting }
        bus.close()
        try wait([reader.bus], "its end", link: link) { !scene.tree.isReporting }
    }

    @Test func aBusThatHasDiedHasTheProgramAgainOnceItIsBack() throws {
        let own = try AccessibilitySession()
        let scene = TreeScene("Hello")
        let link = AccessibilityLink(scene.tree, session: Bus(BusSetup(address: own.session.address)))
        link.start()
        defer { link.close() }
        let first = try Reader(own, link)
        try first.enable(true)
        try wait([first.session], "registration", link: link) { link.state == .registered }
        let old = link.server.busName
        // On the next bus the names begin anew, and this one is somebody's again.
        scene.window.host = AccessibleReference(busName: try #require(Self.name(of: first.bus)), path: "/host")
        own.launcher.sendToGroup(SIGKILL)
        try wait([first.session], "the loss", link: link) { link.state == .off && !link.isConnected }
        #expect(link.server.busName.isEmpty && link.descriptors.count == 1 && scene.window.host == nil)
        scene.view.insertText("x")
        try own.restart()
        let next = try Reader(own, link)
        try next.enable(true)
        try wait([next.session], "registration anew", link: link) { link.state == .registered }
        #expect(try next.text(of: scene.node) == "xHello" && !old.isEmpty)
        let children = try next.ask(Self.registry, AccessibleServer.rootPath, "Accessible", "GetChildren")
        #expect(children == [.array(AccessibleServer.referenceType, [link.server.reference(scene.tree.root)])])

        // Readers that are switched off leave the bus as it is; another bus is another even then.
        scene.window.host = AccessibleReference(busName: try #require(Self.name(of: next.bus)), path: "/host")
        try next.enable(false)
        try wait([next.session], "the end", link: link) { link.state == .off }
        #expect(scene.window.host != nil)
        try own.restart()
        let last = try Reader(own, link)
        try last.enable(true)
        try wait([last.session], "the third registration", link: link) { link.state == .registered }
        #expect(scene.window.host == nil)
    }

    @Test func aWindowIsPluggedIntoAnotherProgramAndOutlivesIt() throws {
        let own = try AccessibilitySession()
        let scene = TreeScene("Hello")
        scene.window.isPlug = true
        let link = AccessibilityLink(scene.tree, session: Bus(BusSetup(address: own.session.address)))
        var references: [AccessibleReference?] = []
        link.onReferencesChange = { references.append(link.reference(of: scene.window)) }
        link.start()
        defer { link.close() }
        let reader = try Reader(own, link)
        #expect(link.reference(of: scene.window) == nil)
        try reader.enable(true)
        try wait([reader.session], "registration", link: link) { link.state == .registered }
        let window = try #require(link.reference(of: scene.window))
        #expect(references == [window])
        func parent() throws -> BusValue? {
            guard
                case .array(_, let items)? = try reader.ask(
                    window.busName, AccessibleServer.cachePath, "Cache", "GetItems"
                ).first,
                case .structure(let item)? = items.first(where: {
                    if case .structure(let item) = $0 { item[0] == link.server.reference(scene.window) } else { false }
                })
            else { return nil }
            return item[2]
        }
        #expect(try parent() == link.server.reference(scene.tree.root))

        // As atk_socket_embed() of atk-bridge does: with a name and a path, and without waiting for an answer.
        let address = try #require(reader.address)
        let host = try own.connect(address)
        try host.call(
            window.busName, path: window.path, interface: "org.a11y.atspi.Socket", member: "Embedded",
            [.string("/org/a11y/atspi/accessible/7")]
        ) { _ in }
        try wait([host], "the host", link: link) { scene.window.host != nil }
        let name = try #require(Self.name(of: host))
        #expect(try parent() == .structure([.string(name), .objectPath("/org/a11y/atspi/accessible/7")]))
        host.close()
        try wait([reader.bus], "the end of the host", link: link) { scene.window.host == nil }
        #expect(try parent() == link.server.reference(scene.tree.root))

        // A host that knows its own object names that itself; the reader's connection stands for it.
        let other = try #require(Self.name(of: reader.bus))
        scene.window.host = AccessibleReference(busName: other, path: "/host")
        #expect(try parent() == .structure([.string(other), .objectPath("/host")]))
        try reader.enable(false)
        try wait([reader.session], "the end", link: link) { link.state == .off }
        #expect(references == [window, nil] && scene.window.host != nil)
    }
}

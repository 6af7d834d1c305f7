import ArgumentParser
import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneBase
import InkstoneBus
import InkstoneTesting
import InkstoneText
import InkstoneX11

/// A benchmark of a key's cost in the program itself while a screen reader listens, compared with the cost without
/// one.
///
/// A text view of this process is shown in an Xvfb of its own, with an accessibility bus of its own. This program
/// runs itself again as the screen reader. The reader listens to the text and the caret. After each change it makes
/// the calls that Orca makes.
struct ReaderBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader", abstract: "Measure a key's processor time while a screen reader listens.")

    @Option(help: "How many keys are struck for each figure.") var keys = 300

    @Option(help: "Size of the largest text in megabytes.") var largest = 100

    @Option(help: "How long nobody types between the keys, in milliseconds.") var pause = 30

    func run() throws {
        CharacterLocale.prepare()
        let server = try XServer(width: 1280, height: 1024)
        defer { server.end() }
        let session = try PrivateBus()
        let environment = [
            "HOME": session.directory.path, "XDG_RUNTIME_DIR": session.directory.path,
            "DBUS_SESSION_BUS_ADDRESS": session.address, "PATH": "/usr/local/bin:/usr/bin:/bin",
            "ATSPI_DBUS_IMPLEMENTATION": "dbus-daemon", "GSETTINGS_BACKEND": "memory",
        ]
        let launcher = try ChildProcess(
            "/usr/libexec/at-spi-bus-launcher", [], environment: environment,
            errors: .file(session.directory.path + "/launcher.log"))
        defer { launcher.end() }
        setenv("DBUS_SESSION_BUS_ADDRESS", session.address, 1)
        for name in ["AT_SPI_BUS_ADDRESS", "NO_AT_BRIDGE"] { unsetenv(name) }
        let line = "2026-03-01 12:10:10 worker-3 request 7919 took 12 ms payload payload payload\n"
        for (name, bytes) in [("1KB", 1000), ("\(largest)MB", largest * 1_000_000)] {
            let scene = try KeyScene(StyledText(Rope(repeating: line, bytes: bytes)), server)
            defer { scene.end() }
            try scene.start()
            try measure(scene, name + ".alone")
            let accessibility = Accessibility(of: scene.display, name: "bench")
            accessibility.add(scene.window, title: "bench")
            accessibility.start()
            defer { accessibility.close() }
            let reader = try ChildProcess(
                "/proc/\(getpid())/exe", ["reader-peer"], environment: environment, output: .pipe)
            defer { reader.end() }
            guard try reader.readLine(within: 10_000) != nil else { throw ValidationError("The reader has ended.") }
            // Wait for the signal of the bus that notifies the view of the screen reader.
            try waitUntil("the accessibility bus", within: 10_000) {
                try scene.pump(milliseconds: 20)
                return scene.window.accessibleReference != nil
            }
            try scene.pump(milliseconds: 500)
            try measure(scene, name + ".read")
        }
    }

    private func measure(_ scene: KeyScene, _ name: String) throws {
        let begin = Stopwatch.processorTime()
        let times = try scene.times(keys, pause: pause)
        // Measure the whole run too: the times of the keys leave out the calls that are answered between them. `times`
        // strikes 20 further keys first.
        let all = Double(Stopwatch.processorTime() - begin) / Double(keys + 20)
        for (label, share) in [("median", 0.5), ("p99", 0.99)] {
            Figure.show("reader.\(name).\(label)", times[Int(Double(keys - 1) * share)] / 1000, "µs")
        }
        Figure.show("reader.\(name).with-answers", all / 1000, "µs")
    }
}

/// A screen reader for ``ReaderBench``, which ends the reader's process after the measurement.
struct ReaderPeer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader-peer", abstract: "A screen reader that asks what Orca asks.", shouldDisplay: false)

    /// The calls that Orca 43 makes about the text after a typed character, without those about the object itself.
    private static let questions: [(member: String, body: [BusValue])] = [
        ("GetNSelections", []), ("GetTextAtOffset", [.int32(0), .uint32(0)]),
        ("GetTextAtOffset", [.int32(0), .uint32(0)]),
        ("GetTextAtOffset", [.int32(0), .uint32(1)]), ("GetTextAtOffset", [.int32(0), .uint32(5)]),
        ("GetDefaultAttributes", []), ("GetAttributes", [.int32(0)]),
    ]

    private static let registry = "org.a11y.atspi.Registry"

    func run() throws {
        let session = Bus()
        session.start()
        try session.call(
            "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.freedesktop.DBus.Properties", member: "Set",
            [.string("org.a11y.Status"), .string("IsEnabled"), .variant(.boolean(true))], startsService: true
        ) { _ in }
        var address: String?
        try session.call(
            "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus", member: "GetAddress", startsService: true
        ) { if case .string(let text)? = (try? $0.get())?.first { address = text } }
        try waitUntil("the accessibility bus", within: 10_000, watching: [session.descriptor]) {
            session.receive()
            return address != nil
        }
        let bus = Bus(BusSetup(address: address ?? ""))
        bus.start()
        _ = try bus.match(BusMatch(interface: "org.a11y.atspi.Event.Object", member: "TextCaretMoved")) {
            Self.ask(about: $0, bus)
        }
        _ = try bus.match(BusMatch(interface: "org.a11y.atspi.Event.Object", member: "TextChanged")) { _ in }
        var count = 0
        for event in ["object:text-changed", "object:text-caret-moved"] {
            try bus.call(
                Self.registry, path: "/org/a11y/atspi/registry", interface: Self.registry, member: "RegisterEvent",
                [.string(event), .array(.string, []), .string("")], startsService: true
            ) { _ in count += 1 }
        }
        try waitUntil("the registry", within: 10_000, watching: [bus.descriptor]) {
            bus.receive()
            return count == 2
        }
        print("ready")
        fflush(nil)
        while true {
            var polled = pollfd(fd: bus.descriptor, events: Int16(POLLIN), revents: 0)
            poll(&polled, 1, -1)
            bus.receive()
        }
    }

    private static func ask(about event: BusMessage, _ bus: Bus) {
        guard event.body.count > 1, case .int32 = event.body[1] else { return }
        for _ in 0..<3 {
            try? bus.call(
                event.sender, path: event.path, interface: "org.freedesktop.DBus.Properties", member: "Get",
                [.string("org.a11y.atspi.Text"), .string("CaretOffset")]
            ) { _ in }
        }
        for question in questions {
            var body = question.body
            // Use the position of the caret as the first argument.
            if !body.isEmpty { body[0] = event.body[1] }
            try? bus.call(
                event.sender, path: event.path, interface: "org.a11y.atspi.Text", member: question.member, body
            ) { _ in }
        }
    }
}

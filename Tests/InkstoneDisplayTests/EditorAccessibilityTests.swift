import DisplayTestSupport
import Glibc
import InkstoneBus
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor's objects as a screen reader finds them on the accessibility bus.
    @Suite struct EditorAccessibilityTests {
        /// A client of the accessibility bus that makes blocking calls.
        private final class Reader {
            let session: DesktopSession
            let bus: Bus

            init(_ session: DesktopSession) throws {
                self.session = session
                let desktop = Bus(BusSetup(address: session.environment["DBUS_SESSION_BUS_ADDRESS"]))
                desktop.start()
                var address: String?
                _ = try desktop.watch("org.a11y.Bus") { owner in
                    guard owner != nil else { return }
                    try? desktop.call(
                        "org.a11y.Bus", path: "/org/a11y/bus", interface: "org.a11y.Bus", member: "GetAddress"
                    ) { if case .string(let text)? = (try? $0.get())?.first { address = text } }
                }
                try waitUntil("the accessibility bus", within: 10_000, watching: [desktop.descriptor]) {
                    desktop.receive()
                    return address != nil
                }
                desktop.close()
                bus = Bus(BusSetup(address: address))
                bus.start()
            }

            func ask(_ object: BusValue, _ interface: String, _ member: String, _ body: [BusValue] = []) -> BusValue? {
                askFully(object, interface, member, body)?.first
            }

            /// Returns the whole answer to a call; nil for an error.
            func askFully(
                _ object: BusValue, _ interface: String, _ member: String, _ body: [BusValue]
            ) -> [BusValue]? {
                guard case .structure(let fields) = object, fields.count == 2, case .string(let name) = fields[0],
                    case .objectPath(let path) = fields[1]
                else { return nil }
                var answer: Result<[BusValue], BusFailure>?
                try? bus.call(
                    name, path: path, interface: "org.a11y.atspi." + interface, member: member, body,
                    startsService: true
                ) { answer = $0 }
                try? waitUntil("an answer", within: 5_000, watching: [bus.descriptor]) {
                    bus.receive()
                    return answer != nil
                }
                return try? answer?.get()
            }

            func children(_ object: BusValue) -> [BusValue] {
                if case .array(_, let children)? = ask(object, "Accessible", "GetChildren") { children } else { [] }
            }

            func role(_ object: BusValue) -> String {
                if case .string(let name)? = ask(object, "Accessible", "GetRoleName") { name } else { "" }
            }

            /// The editor's window object; nil until it exists.
            var window: BusValue? {
                let desktop = BusValue.structure([
                    .string("org.a11y.atspi.Registry"), .objectPath("/org/a11y/atspi/accessible/root"),
                ])
                return children(desktop).first.flatMap { children($0).first }
            }

            var roles: [String] { window.map { children($0).map(role) } ?? [] }
        }

        /// Starts the accessibility bus of a session, and connects a reader to it.
        private func startReader(_ session: DesktopSession) throws -> Reader {
            try session.startBus()
            session.environment["NO_AT_BRIDGE"] = nil
            try session.startService(
                "/usr/libexec/at-spi-bus-launcher", ["--a11y=1"],
                adding: ["ATSPI_DBUS_IMPLEMENTATION": "dbus-daemon", "GSETTINGS_BACKEND": "memory"])
            return try Reader(session)
        }

        @Test func aReaderReadsTheTextAndTheBars() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let reader = try startReader(session)
            let editor = try EditorProcess(in: session, text: "Hello 😀\n")
            try editor.waitForText()
            try waitUntil("the editor on the bus", within: 10_000, instead: { "\(reader.roles)" }) {
                reader.roles == ["text", "status bar"]
            }
            session.probe.type("ab")
            let text = try #require(reader.window.flatMap { reader.children($0).first })
            try waitUntil("what is typed") {
                reader.ask(text, "Text", "GetText", [.int32(0), .int32(-1)]) == .string("abHello 😀\n")
            }
            session.probe.control("f")
            try waitUntil("the find bar", instead: { "\(reader.roles)" }) {
                reader.roles == ["text", "panel", "status bar"]
            }
        }

        @Test func messagesOfTheFindBarAreAnnounced() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            let reader = try startReader(session)
            var output: [String] = []
            _ = try reader.bus.match(BusMatch(interface: "org.a11y.atspi.Event.Object", member: "Announcement")) {
                if $0.body.count > 3, case .variant(.string(let text)) = $0.body[3] { output.append(text) }
            }
            let registry = BusValue.structure([
                .string("org.a11y.atspi.Registry"), .objectPath("/org/a11y/atspi/registry"),
            ])
            let registering = reader.askFully(registry, "Registry", "RegisterEvent", [.string("object:announcement")])
            #expect(registering != nil)
            let text = String(repeating: "One one\n", count: 100)
            let editor = try EditorProcess(in: session, text: text)
            try editor.waitForText()
            try waitUntil("the editor on the bus", within: 10_000, instead: { "\(reader.roles)" }) {
                reader.roles == ["text", "scroll bar", "status bar"]
            }
            func wait(for words: String) throws {
                try waitUntil(words, watching: [reader.bus.descriptor], instead: { "\(output)" }) {
                    reader.bus.receive()
                    return output.contains(words)
                }
            }
            session.probe.control("f")
            try waitUntil("the find bar", instead: { "\(reader.roles)" }) { reader.roles.contains("panel") }
            session.probe.type("One")
            try wait(for: "1 of 200")
            session.probe.alt("c")
            try wait(for: "Match case: on")
            try wait(for: "1 of 100")
            session.probe.alt("c")
            try wait(for: "Match case: off")
            session.probe.strike(.enter)
            try wait(for: "2 of 200")
        }
    }
}

import DisplayTestSupport
import Glibc
import InkstoneBus
import InkstoneTesting
import Testing

extension DisplayTests {
    /// The editor as a screen reader finds it on the accessibility bus.
    @Suite struct EditorAccessibilityTests {
        /// A client of the accessibility bus that asks and waits.
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
                return (try? answer?.get())?.first
            }

            func children(_ object: BusValue) -> [BusValue] {
                if case .array(_, let children)? = ask(object, "Accessible", "GetChildren") { children } else { [] }
            }

            func role(_ object: BusValue) -> String {
                if case .string(let name)? = ask(object, "Accessible", "GetRoleName") { name } else { "" }
            }

            /// The window of the editor; nil while it is not there.
            var window: BusValue? {
                let desktop = BusValue.structure([
                    .string("org.a11y.atspi.Registry"), .objectPath("/org/a11y/atspi/accessible/root"),
                ])
                return children(desktop).first.flatMap { children($0).first }
            }

            var roles: [String] { window.map { children($0).map(role) } ?? [] }
        }

        @Test func aReaderReadsTheTextAndTheBars() throws {
            let session = try DesktopSession(width: 800, height: 600)
            defer { session.end() }
            try session.startBus()
            session.environment["NO_AT_BRIDGE"] = nil
            try session.startService(
                "/usr/libexec/at-spi-bus-launcher", ["--a11y=1"],
                adding: ["ATSPI_DBUS_IMPLEMENTATION": "dbus-daemon", "GSETTINGS_BACKEND": "memory"])
            let reader = try Reader(session)
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
    }
}

import ArgumentParser
import Glibc
import InkstoneBus
import InkstoneProxy
import InkstoneTesting

/// A misbehaving keyboard for ``ProxyBench``, which ends the keyboard's process after the measurement. Only a
/// `dying` keyboard ends by itself.
struct HostilePeer: ParsableCommand {
    /// The ways in which the keyboard misbehaves.
    enum Kind: String, CaseIterable, ExpressibleByArgument {
        /// Keeps sending requests without checking that it has access.
        case refused
        /// Sends batches, and requests all text, as fast as the bus accepts them.
        case flooding
        /// Sends values of random types, and identifiers of views and epochs that do not exist.
        case lying
        /// Subscribes to each change, until the benchmark suspends the process (`SIGSTOP`).
        case stopped
        /// Marks a text, and kills its own process; the benchmark then starts another one.
        case dying
    }

    static let configuration = CommandConfiguration(
        commandName: "proxy-peer", abstract: "A keyboard that misbehaves.", shouldDisplay: false)

    @Argument var kind: Kind
    @Argument(help: "The editor's process.") var editor: Int32

    func run() throws {
        let peer = PeerConnection(editor: ProxyProtocol.name(process: editor))
        try peer.connect(waitsForAccess: kind != .refused)
        var random = SeededGenerator()
        var serial: UInt64 = 0
        while true {
            serial += 1
            // Send a batch that changes neither text nor caret, because the cost of painting would distort the figures.
            let still = ProxyBatch(
                epoch: peer.focus?.epoch ?? 1, serial: serial, base: 0, mode: .now,
                operations: [.adjust(1), .adjust(-1), .replaceBefore(expected: "\u{1F511}", "x")])
            let view = peer.focus?.view ?? 1
            switch kind {
            case .refused:
                try peer.send(.hello(version: 1, name: "Peer"))
                try peer.send(.focus)
                try peer.send(.apply(view: view, still))
            case .flooding:
                try peer.send(.apply(view: view, still))
                try peer.send(.context(view: view, bytes: UInt32(ProxyProtocol.maximumText)))
            case .lying: try peer.send(lie(about: view, &random))
            case .stopped:
                try peer.send(.watch(view: view, .all))
                try peer.send(.context(view: view, bytes: 256))
            case .dying:
                let mark = ProxyMarkedText(before: "mark", selected: "", after: "")
                let batch = ProxyBatch(
                    epoch: peer.focus?.epoch ?? 1, serial: serial, base: 0, mode: .now, operations: [.setMarked(mark)])
                try peer.send(.apply(view: view, batch))
                try peer.waitUntilIdle()
                kill(getpid(), SIGKILL)
            }
        }
    }

    /// Returns a random call, whose member and types are valid only sometimes.
    private func lie(about view: UInt64, _ random: inout SeededGenerator) -> ProxyWire {
        let members = ["Apply", "Watch", "Context", "Resign", "Next", "Focus", "Hello"]
        var wire = ProxyRequest.watch(view: random.below(4) == 0 ? UInt64(random.below(9)) : view, .all).wire
        wire.member = members[random.below(members.count)]
        if random.below(5) == 0 { (wire.path, wire.interface) = (ProxyProtocol.path, ProxyProtocol.interface) }
        let texts = ["", "x", "\u{1B}", String(repeating: "x", count: 100_000)]
        wire.body = (0..<random.below(6)).map { _ in
            switch random.below(6) {
            case 0: .uint64(UInt64.max >> UInt64(random.below(64)))
            case 1: .uint32(UInt32(random.below(40)))
            case 2: .string(texts[random.below(4)])
            case 3: .int32(.min)
            case 4: .variant(.variant(.byte(0)))
            default:
                .array(
                    .structure([.uint32, .variant]),
                    (0..<random.below(80)).map { .structure([.uint32(UInt32($0)), .variant(.int32(-1))]) })
            }
        }
        return wire
    }
}

/// A connection to the bus that sends any calls to the editor, even those that a well-behaved keyboard program
/// (`InputController`) would not send.
private final class PeerConnection {
    private let editor: String
    private let bus = Bus(BusSetup())
    private(set) var focus: ProxyFocus?
    private var waiting = 0

    init(editor: String) { self.editor = editor }

    func connect(waitsForAccess: Bool) throws {
        bus.start()
        try waitUntil("the bus", within: 10_000, watching: [bus.descriptor]) {
            bus.receive()
            return if case .connected = bus.state { true } else { false }
        }
        try send(.hello(version: 1, name: "Peer"))
        guard waitsForAccess else { return }
        try waitUntil("the focus", within: 10_000, watching: [bus.descriptor], every: 20) {
            try send(.focus) { [unowned self] in
                if let body = $0, let found = try? ProxyFocus(body), found.view != nil { focus = found }
            }
            try waitUntilIdle()
            return focus != nil
        }
    }

    func send(_ request: ProxyRequest, then body: (([BusValue]?) -> Void)? = nil) throws {
        try send(request.wire, then: body)
    }

    /// Sends a call without waiting for the answer, unless two hundred calls are pending.
    func send(_ wire: ProxyWire, then body: (([BusValue]?) -> Void)? = nil) throws {
        waiting += 1
        try bus.call(editor, path: wire.path, interface: wire.interface, member: wire.member, wire.body) {
            [unowned self] in
            waiting -= 1
            body?(try? $0.get())
        }
        if waiting >= 200 { try waitUntilIdle(to: 199) }
    }

    /// Waits until at most `count` calls are pending.
    func waitUntilIdle(to count: Int = 0) throws {
        try waitUntil("answers", within: 60_000, watching: [bus.descriptor]) {
            bus.receive()
            return waiting <= count
        }
    }
}

import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneBus
@testable import InkstoneProxy
@testable import InkstoneProxyServer

extension ProxyServerTests {
    /// All clients greet the server before the bus has reported to which program each belongs.
    @Test func burstOfClientsDoesNotRefuseEarlierOnes() throws {
        keyboard.close()
        let clients = try (0..<20).map { _ in try stranger() }
        var answers = [Int: Result<[BusValue], BusFailure>]()
        var access: [BusValue] = []
        _ = try clients[0].match(BusMatch(interface: ProxyProtocol.interface, member: "Access")) { access += $0.body }
        for (number, client) in clients.enumerated() {
            let wire = ProxyRequest.hello(version: 1, name: "\(number)").wire
            try client.call(
                ProxyProtocol.name(process: getpid()), path: wire.path, interface: wire.interface, member: wire.member,
                wire.body
            ) { answers[number] = $0 }
            // The bus handles what a connection sends in its order.
            var isSent = false
            try client.call(BusName.bus, path: BusName.busPath, interface: BusName.bus, member: "GetId") { _ in
                isSent = true
            }
            try waitUntil("greeting \(number) on the bus", watching: [client.descriptor]) {
                client.receive()
                return isSent
            }
        }
        try waitUntil(
            "the answers", watching: [server.descriptor] + clients.map(\.descriptor),
            instead: { "\(answers.sorted { $0.key < $1.key }), access \(access)" }
        ) {
            server.processEvents()
            for client in clients { client.receive() }
            return answers.count == clients.count && !access.isEmpty
        }
        #expect(access == [.string("allowed")])
        #expect((0..<16).allSatisfy { (try? answers[$0].map { try ProxyWelcome($0.get()).access }) == .asked })
        #expect((16..<20).allSatisfy { answers[$0] == .failure(.error(.limitsExceeded)) })
    }

    /// Greets the server, and waits until it has reported that the client may type.
    func greet(_ client: Bus, as name: String) throws {
        var access: [BusValue] = []
        let rule = try client.match(BusMatch(interface: ProxyProtocol.interface, member: "Access")) {
            access += $0.body
        }
        defer { client.remove(rule) }
        _ = try ask(client, .hello(version: 1, name: name))
        try waitUntil("access for \(name)", watching: [server.descriptor, client.descriptor]) {
            server.processEvents()
            client.receive()
            return access == [.string("allowed")]
        }
    }

    @Test func aViewThatClosesAnswersTheBatchesThatWait() throws {
        let proxy = try proxy()
        let client = try stranger()
        try greet(client, as: "Batches")
        host.isHolding = true
        var answers: [Result<[BusValue], BusFailure>] = []
        for serial in 1...3 as ClosedRange<UInt64> {
            let batch = ProxyBatch(epoch: proxy.epoch, serial: serial, base: 0, mode: .now, operations: [.insert("x")])
            let wire = ProxyRequest.apply(view: proxy.view, batch).wire
            try client.call(
                ProxyProtocol.name(process: getpid()), path: wire.path, interface: wire.interface, member: wire.member,
                wire.body
            ) { answers.append($0) }
        }
        try wait("the batches in the queue") { host.queue.count == 3 }
        // The window goes, and its queue with it.
        server.setFocus(nil)
        try waitUntil("the answers", watching: [server.descriptor, client.descriptor]) {
            server.processEvents()
            client.receive()
            return answers.count == 3
        }
        let gone = ProxyAnswer(status: .gone, context: ProxyContext(revision: 0)).body
        #expect(answers == [.success(gone), .success(gone), .success(gone)])
        // Nor does anything happen if the queue is gone through all the same.
        host.release()
        #expect(host.session.text == "Hello.")
    }

    /// All that a keyboard hears is the same, and as much of it: no message is made in one case only, which would also take its time.
    @Test func aSecretTextIsToAKeyboardAsNone() throws {
        // Its question is answered before the next of the same program is due.
        _ = try proxy()
        keyboard.close()
        let client = try stranger()
        try greet(client, as: "Secret")
        // Epochs of three digits can be distinguished from other numbers.
        for _ in 0..<100 { for host in [nil, host] { server.setFocus(host) } }
        guard case .objectPath(let path)? = try ask(client, .focus).get().first else {
            Issue.record("no text with the focus")
            return
        }
        var epoch = try #require(ProxyProtocol.view(at: path))
        var signals: [BusMessage] = []
        for interface in [ProxyProtocol.interface, ProxyProtocol.viewInterface] {
            _ = try client.match(BusMatch(interface: interface)) { signals.append($0) }
        }
        let secret = TestHost("password")
        secret.session.options.isSecureTextEntry = true
        /// All that is heard while the focus goes to a host, what is typed there and what is asked, without the epochs.
        func received(_ target: TestHost?) throws -> [String] {
            let first = epoch
            _ = try ask(client, .watch(view: epoch, .all))
            signals = []
            server.setFocus(target)
            secret.session.insert("s")
            secret.session.select(Selection(caret: secret.session.textRange.lowerBound))
            secret.session.undo()
            let batch = ProxyBatch(epoch: epoch, serial: 9, base: 0, mode: .now, operations: [.insert("x")])
            var answers: [String] = []
            for view: UInt64 in [epoch, epoch + 1] {
                let requests: [ProxyRequest] = [
                    .focus, .watch(view: view, .all), .context(view: view, bytes: 100), .apply(view: view, batch),
                    .resign(view: view), .next(view: view),
                ]
                for request in requests { answers.append("\(try ask(client, request))") }
            }
            server.setFocus(host)
            try waitUntil("the focus again", watching: [server.descriptor, client.descriptor]) {
                server.processEvents()
                client.receive()
                return signals.count { $0.member == "FocusChanged" } >= 2
            }
            _ = try ask(client, .focus)
            epoch += 2
            let texts = signals.map { "\($0.member) \($0.body)" } + answers
            return texts.map { text in
                var text = text
                for step: UInt64 in [2, 1, 0] { text = text.replacing("\(first + step)", with: "+\(step)") }
                return text
            }
        }
        let (none, some) = (try received(nil), try received(secret))
        for (none, some) in zip(none, some) { #expect(none == some) }
        #expect(none.count == some.count)
        #expect(secret.session.text == "password" && none.count == 14)
    }
}

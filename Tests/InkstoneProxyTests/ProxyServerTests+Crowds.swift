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
    /// All of them are there before the bus has said whose any of them is.
    @Test func aBurstRefusesNobodyWhoCameBefore() throws {
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
        try waitUntil("the answers", watching: [server.descriptor] + clients.map(\.descriptor)) {
            server.processEvents()
            for client in clients { client.receive() }
            return answers.count == clients.count && !access.isEmpty
        }
        #expect(access == [.string("allowed")])
        #expect((0..<16).allSatisfy { (try? answers[$0].map { try ProxyWelcome($0.get()).access }) == .asked })
        #expect((16..<20).allSatisfy { answers[$0] == .failure(.error(.limitsExceeded)) })
    }
}

import CX11
import Glibc
import Testing

/// The grammar of packets from input method servers, checked on bytes alone.
@Suite(.timeLimit(.minutes(5))) struct PacketTests {
    /// Checks bytes in memory of exactly their size, so that a memory checker notices any access beyond.
    private func check(
        _ bytes: [UInt8], isExact: Bool = true, _ grammar: inout cx11_xim_grammar
    ) -> (fault: String?, packet: cx11_xim_packet) {
        var packet = cx11_xim_packet()
        let room = UnsafeMutablePointer<UInt8>.allocate(capacity: max(bytes.count, 1))
        defer { room.deallocate() }
        room.initialize(from: bytes, count: bytes.count)
        let fault = cx11_xim_packet_check(&grammar, room, bytes.count, isExact, &packet)
        return (fault.map { String(cString: $0) }, packet)
    }

    private func check(_ recorded: RecordedPacket, _ grammar: inout cx11_xim_grammar) -> String? {
        check(recorded.bytes, isExact: recorded.isExact, &grammar).fault
    }

    @Test(arguments: RecordedPacket.servers)
    func packetsOfRealServersAreWellFormed(server: RecordedPacket.Server) {
        var grammar = cx11_xim_grammar()
        for packet in server.packets {
            let fault = check(packet, &grammar)
            #expect(fault == nil, "\(server.name): \(packet.hexadecimal)")
        }
        #expect(grammar.attribute_count > 10)
        #expect(Set(server.packets.map { $0.bytes[0] }).isSuperset(of: [2, 31, 41]))
    }

    @Test(arguments: RecordedPacket.servers)
    func noPartOfAPacketIsOne(server: RecordedPacket.Server) {
        var grammar = cx11_xim_grammar()
        for packet in server.packets {
            var copy = grammar
            let total = 4 + 4 * (Int(packet.bytes[2]) | Int(packet.bytes[3]) << 8)
            for size in 0..<total {
                #expect(check(Array(packet.bytes.prefix(size)), &copy).fault != nil, "\(size) of \(packet.hexadecimal)")
            }
            _ = check(packet, &grammar)
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let words: [UInt16]
        var testDescription: String { name }
    }

    /// After an opening with one attribute `queryInputStyle` (number 0) and four for contexts.
    @Test(arguments: [
        Fault(
            name: "a commit of 2,037 in 2,036", words: [63, 511, 1, 2, 2, 2037] + Array(repeating: 0x6161, count: 1018)),
        Fault(name: "a key symbol cut off", words: [63, 2, 1, 2, 4, 0]),
        Fault(name: "both, the text cut off", words: [63, 5, 1, 2, 6, 0, 0x61, 0, 9, 0x6161, 0, 0]),
        Fault(name: "a reset's text", words: [65, 4, 1, 2, 25, 0x61, 0x61, 0x61, 0x61, 0x61]),
        Fault(name: "a draw without its change", words: [75, 3, 1, 2, 0, 0, 0, 0]),
        Fault(name: "a draw's text", words: [75, 6, 1, 2, 0, 0, 0, 0, 0, 0, 2, 0, 9, 0x61]),
        Fault(name: "a draw's feedback", words: [75, 8, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x6161, 8, 0, 1, 0]),
        Fault(name: "a status of a third kind", words: [80, 3, 1, 2, 2, 0, 0, 0]),
        Fault(name: "trigger keys without an end", words: [34, 4, 1, 0, 0xfff0, 0xffff, 0, 0, 0, 0]),
        Fault(name: "half a trigger key", words: [34, 5, 1, 0, 4, 0, 1, 1, 0, 0, 0, 0]),
        Fault(name: "a mask cut off", words: [37, 2, 1, 2, 1, 0]),
        Fault(name: "an event cut off", words: [60, 4, 1, 2, 0, 0, 2, 0, 0, 0]),
        Fault(name: "more styles than came", words: [45, 4, 1, 8, 0, 4, 9, 0, 0, 0]),
        Fault(name: "values longer than the packet", words: [45, 2, 1, 800, 0, 4]),
        Fault(name: "a value longer than its list", words: [57, 5, 1, 2, 8, 0, 3, 60, 0, 0, 0, 0]),
        Fault(name: "a number of eight bytes", words: [57, 5, 1, 2, 12, 0, 3, 8, 0, 0, 0, 0]),
        Fault(name: "a nested value longer than its list", words: [57, 5, 1, 2, 8, 0, 4, 4, 3, 40, 0, 0]),
        Fault(name: "half a point", words: [57, 4, 1, 2, 8, 0, 5, 2, 0, 0]),
        Fault(name: "a reply in another's name", words: [55, 1, 9, 2]),
        Fault(name: "extensions longer than the packet", words: [41, 3, 1, 80, 0x0180, 90, 0x61, 0x61]),
        Fault(name: "a minor opcode", words: [0x0149, 1, 1, 2]),
        Fault(name: "a request of clients", words: [30, 1, 1, 2]),
        Fault(name: "no request", words: [0, 0]),
        Fault(name: "a header alone", words: [75, 0]),
        Fault(name: "a header that says more", words: [61, 2, 1, 2]),
        Fault(name: "something behind the packet", words: [61, 1, 1, 2, 7, 0]),
    ])
    func packetsThatXlibWouldMisreadAreFound(_ fault: Fault) {
        var grammar = cx11_xim_grammar()
        #expect(check(Self.opening(), &grammar).fault == nil)
        let before = grammar.attribute_count
        #expect(check(bytes(fault.words), &grammar).fault != nil)
        #expect(grammar.attribute_count == before)
    }

    @Test(arguments: [
        ("queryInputStyle", 3, false), ("inputStyle", 12, true), ("filterEvents", 4, true), ("spotLocation", 4, true),
        ("preeditAttributes", 3, true), ("fontSet", 4, true),
    ])
    func anAttributeOfATypeItCannotHaveIsFound(name: String, type: UInt16, isOfContext: Bool) {
        var grammar = cx11_xim_grammar()
        let packet =
            isOfContext
            ? Self.opening(context: [(9, type, name)]) : Self.opening(method: [(0, type, name)])
        #expect(check(packet, &grammar).fault != nil)
        #expect(grammar.attribute_count == 0, "nothing is learnt from it")
    }

    /// nabi draws only for contexts created with callbacks; these are passed only if the server has declared them.
    @Test func callbacksAreNamedWhereTheServerDeclaresThem() {
        let names = ["preeditStartCallback", "preeditDrawCallback", "preeditCaretCallback", "preeditDoneCallback"]
        var grammar = cx11_xim_grammar()
        func isUsed(_ attribute: cx11_xim_attribute) -> Bool {
            withUnsafeBytes(of: grammar.used) {
                $0.bindMemory(to: cx11_xim_used_attribute.self)[Int(attribute.rawValue)].is_declared
            }
        }
        let callbacks = [
            CX11_XIM_START_CALLBACK, CX11_XIM_DRAW_CALLBACK, CX11_XIM_CARET_CALLBACK, CX11_XIM_DONE_CALLBACK,
        ]
        #expect(check(Self.opening(), &grammar).fault == nil)
        #expect(callbacks.allSatisfy { !isUsed($0) })
        grammar = cx11_xim_grammar()
        #expect(check(Self.opening(context: zip(20..., names).map { ($0, 3, $1) }), &grammar).fault == nil)
        #expect(callbacks.allSatisfy(isUsed))
        // Of another type they are left alone, and no fault.
        grammar = cx11_xim_grammar()
        #expect(check(Self.opening(context: zip(20..., names).map { ($0, 0x7fff, $1) }), &grammar).fault == nil)
        #expect(callbacks.allSatisfy { !isUsed($0) })
    }

    @Test func listsOfAttributesThatXlibFailsAtAreFound() {
        var grammar = cx11_xim_grammar()
        #expect(check(Self.opening(method: []), &grammar).fault != nil)
        #expect(check(Self.opening(context: []), &grammar).fault != nil)
        // The name ends with its list, and its padding does not: Xlib counts down below zero.
        var short = Self.opening()
        let length = short[6]
        short[6] = length - 1
        #expect(check(short, &grammar).fault != nil)
        #expect(check(Self.opening(context: (0..<300).map { ($0, 3, "x\($0)") }), &grammar).fault != nil)
    }

    /// Xlib uses the types of the first opening: with those of another one, a value of any length would be copied
    /// into 4 bytes.
    @Test func aSecondOpeningDeclaresNothing() {
        var grammar = cx11_xim_grammar()
        #expect(check(Self.opening(), &grammar).fault == nil)
        #expect(check(Self.opening(context: [(90, 3, "filterEvents")]), &grammar).fault == nil)
        #expect(check(bytes([57, 5, 1, 2, 12, 0, 3, 8, 0, 0, 0, 0]), &grammar).fault == "a number of too many bytes")
    }

    /// For any input, the parts found lie within the input.
    @Test func damagedPacketsAreReadWithinTheirBounds() {
        let rounds = getenv("INKSTONE_LONG_TESTS") == nil ? 30_000 : 1_000_000
        let given = getenv("INKSTONE_SEED").flatMap { UInt64(String(cString: $0)) }
        let seed = given ?? .random(in: 0..<1_000_000)
        print("packets|seed \(seed)")
        var state = Damage(seed: seed)
        var accepted = 0
        var grammar = cx11_xim_grammar()
        let good = RecordedPacket.servers.flatMap(\.packets) + [RecordedPacket(Self.opening(), isExact: true)]
        for _ in 0..<rounds {
            let chosen = good[state.below(good.count)]
            let bytes = state.damaged(chosen.bytes)
            let (fault, packet) = check(bytes, isExact: chosen.isExact, &grammar)
            guard fault == nil else { continue }
            accepted += 1
            #expect(packet.size <= bytes.count && packet.size % 4 == 0)
            #expect(packet.text_at + packet.text_size <= bytes.count)
            #expect(packet.feedback_at + 4 * packet.feedback_count <= bytes.count)
            #expect(grammar.attribute_count <= Int(CX11_XIM_ATTRIBUTE_LIMIT))
        }
        // Damage to what means nothing leaves many well formed.
        #expect(accepted > rounds / 100 && accepted < rounds)
    }

    private func bytes(_ words: [UInt16]) -> [UInt8] { words.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] } }

    /// Returns a reply to OPEN for method 1.
    private static func opening(
        method: [(Int, UInt16, String)] = [(0, 10, "queryInputStyle")],
        context: [(Int, UInt16, String)] = [
            (3, 3, "filterEvents"), (4, 0x7fff, "preeditAttributes"), (5, 12, "spotLocation"), (6, 3, "inputStyle"),
        ]
    ) -> [UInt8] {
        func word(_ value: Int) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8 & 0xff)] }
        func list(_ attributes: [(Int, UInt16, String)]) -> [UInt8] {
            var bytes: [UInt8] = []
            for (id, type, name) in attributes {
                bytes += word(id)
                bytes += word(Int(type))
                bytes += word(name.utf8.count)
                bytes += Array(name.utf8)
                while bytes.count % 4 != 0 { bytes.append(0) }
            }
            return bytes
        }
        let (first, second) = (list(method), list(context))
        var body = word(1)
        body += word(first.count)
        body += first
        body += word(second.count)
        body += [0, 0]
        body += second
        return [31, 0] + word(body.count / 4) + body
    }
}

/// Repeatable damage.
private struct Damage {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...below(3) where !bytes.isEmpty {
            switch below(5) {
            case 0: bytes[below(bytes.count)] = UInt8(next() & 0xff)
            case 1: bytes.removeLast(below(bytes.count))
            case 2: bytes += (0...below(40)).map { _ in UInt8(next() & 0xff) }
            case 3 where bytes.count >= 6:
                let at = 2 * below(bytes.count / 2)
                let value = [0, 1, 3, 0x7ffc, 0x7fff, 0x8000, 0xfffc, 0xffff][below(8)]
                bytes[at] = UInt8(value & 0xff)
                bytes[at + 1] = UInt8(value >> 8)
            default: bytes[0] = UInt8(below(90))
            }
        }
        return bytes
    }
}

import InkstoneBus
import InkstoneProxy
import InkstoneTesting
import Testing

/// The protocol's messages, to values of the bus and back.
@Suite(.timeLimit(.minutes(5))) struct ProxyCodingTests {
    static let requests: [ProxyRequest] = [
        .hello(version: 1, name: "Tastatur"), .focus, .watch(view: 3, [.text, .geometry]), .watch(view: 3, []),
        .context(view: UInt64.max, bytes: 64 << 10), .resign(view: 0), .next(view: 1),
        .apply(
            view: 7,
            ProxyBatch(
                epoch: 1, serial: 2, base: 0, mode: .follow,
                operations: [
                    .insert("ä\n\t👋🏽"), .deleteBackward(1), .deleteForward(4096), .adjust(-3),
                    .setMarked(ProxyMarkedText(before: "a", selected: "", after: "c")), .unmark,
                    .replaceBefore(expected: "a", "b"), .replaceSelection(expected: "", "x"),
                    .replaceAfter(expected: "y", ""),
                    .select(-4000),
                ])),
        .apply(
            view: 7,
            ProxyBatch(epoch: 1, serial: 2, base: 0, mode: .now, operations: [.insert("x")], deadline: 123_456)),
    ]

    @Test(arguments: requests) func requestsSurviveTheWire(_ request: ProxyRequest) throws {
        #expect(try ProxyRequest(request.wire) == request)
        _ = try request.wire.body.weight(limit: 1 << 20)
    }

    @Test func answersAndNoticesSurviveTheWire() throws {
        for access in [ProxyAccess.asked, .allowed, .refused] {
            let welcome = ProxyWelcome(access: access)
            #expect(try ProxyWelcome(welcome.body) == welcome)
            let timed = ProxyWelcome(access: access, clock: 5)
            #expect(try ProxyWelcome(timed.body) == timed)
        }
        var traits = TextInputTraits()
        #expect(try ProxyFocus(ProxyFocus(view: nil, epoch: 1).body) == ProxyFocus(view: nil, epoch: 1))
        traits.keyboardType = .emailAddress
        traits.returnKeyType = .continue
        traits.autocapitalization = .none
        (traits.autocorrection, traits.spellChecking, traits.smartQuotes) = (false, true, false)
        (traits.enablesReturnKeyAutomatically, traits.isSingleLine, traits.contentType) = (true, true, "email")
        let focus = ProxyFocus(view: 9, epoch: 8, traits: traits)
        #expect(try ProxyFocus(focus.body) == focus)
        let notice = ProxyNotice(epoch: 1, revision: 2, changes: [.text, .marked], causes: .proxy, lastBatch: 3)
        #expect(try ProxyNotice(notice.body) == notice)
        var context = ProxyContext(revision: 5)
        #expect(try ProxyContext(context.body) == context, "all is nil")
        (context.before, context.selected, context.after) = ("", "s", "")
        context.marked = ProxyMarkedText(before: "", selected: "m", after: "")
        context.caret = ProxyContext.Caret(x: -5, y: 7, width: 1, height: 20)
        (context.language, context.identifier) = ("de", "0a")
        let answer = ProxyAnswer(status: .stale, context: context)
        #expect(try ProxyAnswer(answer.body) == answer)
    }

    /// A message and the reason that it is refused for.
    struct Refused: CustomTestStringConvertible {
        let testDescription: String
        let error: ProxyError
        let wire: ProxyWire

        init(_ name: String, _ error: ProxyError, _ wire: ProxyWire) {
            (testDescription, self.error, self.wire) = (name, error, wire)
        }

        init(_ name: String, _ error: ProxyError, _ operations: [BusValue], epoch: UInt64 = 1, mode: UInt32 = 0) {
            self.init(
                name, error,
                ProxyWire(
                    path: ProxyProtocol.path(of: 1), interface: ProxyProtocol.viewInterface, member: "Apply",
                    body: [
                        .uint64(epoch), .uint64(1), .uint64(0), .uint32(mode),
                        .array(.structure([.uint32, .variant]), operations),
                    ]))
        }
    }

    static func operation(_ code: UInt32, _ argument: BusValue) -> BusValue {
        .structure([.uint32(code), .variant(argument)])
    }
    static func root(_ member: String, _ body: [BusValue] = []) -> ProxyWire {
        ProxyWire(path: ProxyProtocol.path, interface: ProxyProtocol.interface, member: member, body: body)
    }
    static func view(_ member: String, _ body: [BusValue], path: String = ProxyProtocol.path(of: 1)) -> ProxyWire {
        ProxyWire(path: path, interface: ProxyProtocol.viewInterface, member: member, body: body)
    }
    static let insert = operation(0, .string("x"))
    static let refused: [Refused] = [
        Refused("unknown method", .unknown("method"), root("Helo")),
        Refused("unknown view method", .unknown("method"), view("Appl", [])),
        Refused("unknown object", .unknown("object or interface"), view("Resign", [], path: "/org/inkstone")),
        Refused(
            "leading zero", .unknown("object or interface"), view("Resign", [], path: ProxyProtocol.path + "/view/01")),
        Refused(
            "other interface", .unknown("object or interface"),
            ProxyWire(path: ProxyProtocol.path, interface: ProxyProtocol.viewInterface, member: "Focus", body: [])),
        Refused("types of Hello", .types("Hello"), root("Hello", [.uint32(1), .uint32(1), .options([:])])),
        Refused("number of arguments", .types("Focus"), root("Focus", [.byte(1)])),
        Refused(
            "long name", .tooLarge("a name"),
            root("Hello", [.uint32(1), .string(String(repeating: "x", count: 256)), .options([:])])),
        Refused(
            "name of two lines", .nonsense("a name with control characters"),
            root("Hello", [.uint32(1), .string("a\nb"), .options([:])])),
        Refused("unknown bits", .unknown("bits"), view("Watch", [.uint32(32)])),
        Refused("large context", .tooLarge("a context"), view("Context", [.uint32(65537)])),
        Refused("types of Apply", .types("Apply"), view("Apply", [.uint64(1)])),
        Refused(
            "types of a deadline", .types("a time"),
            view(
                "Apply",
                [
                    .uint64(1), .uint64(1), .uint64(0), .uint32(0), .array(.structure([.uint32, .variant]), [insert]),
                    .options(["until": .string("noon")]),
                ])),
        Refused("unknown mode", .unknown("mode 3"), [insert], mode: 3),
        Refused("epoch 0", .nonsense("epoch or serial 0"), [insert], epoch: 0),
        Refused("empty batch", .nonsense("an empty batch"), []),
        Refused("many operations", .tooLarge("a batch"), Array(repeating: insert, count: 65)),
        Refused("unknown operation", .unknown("operation 10"), [insert, operation(10, .string("x"))]),
        Refused("types of an operation", .types("operation 1"), [operation(1, .int32(1))]),
        Refused("operation without variant", .types("an operation"), [.structure([.uint32(0), .string("x")])]),
        Refused("types of marked text", .types("marked text"), [operation(4, .structure([.string("a")]))]),
        Refused("types of a replacement", .types("a replacement"), [operation(6, .string("a"))]),
        Refused(
            "large text", .tooLarge("the text of a batch"),
            [operation(0, .string(String(repeating: "x", count: 65537)))]),
        Refused(
            "large text in two", .tooLarge("the text of a batch"),
            Array(repeating: operation(0, .string(String(repeating: "x", count: 40000))), count: 2)),
        Refused("escape", .nonsense("a text with control characters"), [operation(0, .string("a\u{1B}[0m"))]),
        Refused("carriage return", .nonsense("a text with control characters"), [operation(0, .string("a\r\n"))]),
        Refused("nothing deleted", .nonsense("a deletion of nothing"), [operation(1, .uint32(0))]),
        Refused("many deleted", .tooLarge("a count"), [operation(2, .uint32(65537))]),
        Refused("far away", .tooLarge("a count"), [operation(3, .int32(.min))]),
        Refused(
            "nothing replaced", .nonsense("a change of nothing"),
            [operation(6, .structure([.string(""), .string("")]))]),
    ]

    @Test(arguments: refused) func nonsenseIsRefusedWithAReason(_ message: Refused) {
        #expect(throws: message.error) { _ = try ProxyRequest(message.wire) }
        #expect(message.error.busError.message.utf8.count < 200)
    }

    @Test func nonsenseOfAnEditorIsRefusedToo() {
        #expect(throws: ProxyError.unknown("access")) {
            _ = try ProxyWelcome([.uint32(1), .string("perhaps"), .options([:])])
        }
        #expect(throws: ProxyError.unknown("view")) {
            _ = try ProxyFocus([.objectPath("/a"), .uint64(1), .options([:])])
        }
        #expect(throws: ProxyError.types("keyboard")) {
            _ = try ProxyFocus([.objectPath("/"), .uint64(1), .options(["keyboard": .string("x")])])
        }
        #expect(throws: ProxyError.types("before")) {
            _ = try ProxyContext([.uint64(1), .options(["before": .byte(1)])])
        }
        #expect(throws: ProxyError.tooLarge("after")) {
            _ = try ProxyContext([.uint64(1), .options(["after": .string(String(repeating: "x", count: 65537))])])
        }
        #expect(throws: ProxyError.nonsense("caret")) {
            let caret = BusValue.structure([.int32(0), .int32(0), .int32(-1), .int32(0)])
            _ = try ProxyContext([.uint64(1), .options(["caret": caret])])
        }
        #expect(throws: ProxyError.unknown("status 5")) {
            _ = try ProxyAnswer([.uint32(5), .uint64(1), .options([:])])
        }
        #expect(throws: ProxyError.types("a notice")) { _ = try ProxyNotice([.uint64(1)]) }
    }

    /// Well-formed messages of any types: each is a request or refused, and each request survives.
    @Test func randomBodiesNeverTrap() throws {
        var random = SeededGenerator()
        var accepted = 0
        let pieces: [BusValue] = [
            .byte(0), .uint32(0), .uint32(1), .uint32(.max), .int32(.min), .uint64(0), .uint64(1), .uint64(.max),
            .string(""),
            .string("x"), .string("\u{0301}"), .options([:]), .bytes([1]), .objectPath("/"), Self.insert,
            .array(.structure([.uint32, .variant]), [Self.insert]), .array(.string, []),
        ]
        for _ in 0..<20_000 {
            let members = ["Hello", "Focus", "Watch", "Context", "Apply", "Resign", "Next"]
            let member = members[random.below(members.count)]
            var body = (0..<random.below(6)).map { _ in pieces[random.below(pieces.count)] }
            if random.once(in: 2) { body = Self.requests[random.below(Self.requests.count)].wire.body }
            if !body.isEmpty, random.once(in: 2) { body[random.below(body.count)] = pieces[random.below(pieces.count)] }
            let wire = random.once(in: 3) ? Self.root(member, body) : Self.view(member, body)
            do throws(ProxyError) {
                let request = try ProxyRequest(wire)
                accepted += 1
                #expect(try ProxyRequest(request.wire) == request)
            } catch {}
        }
        #expect(accepted > 1000, "\(accepted)")
    }
}

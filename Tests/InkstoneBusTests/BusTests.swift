import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneBus

/// Two clients on a bus of the test's own: calls, signals, names, processes.
@Suite(.timeLimit(.minutes(5))) struct BusTests {
    let bus: PrivateBus
    let server: Bus
    let client: Bus

    init() throws {
        bus = try PrivateBus()
        server = try bus.connect { setup in
            setup.limits.rate = 1e9
            setup.limits.burst = 1e9
            setup.limits.weightBurst = 1e12
            setup.limits.owedToOne = 256
        }
        client = try bus.connect()
    }

    /// Has the server answer each call with its arguments.
    private func echo() throws {
        _ = try server.register("/test") { [unowned server] in server.reply(to: $0, $0.message.body) }
    }

    private var name: String { server.uniqueName ?? "" }

    @Test func aCallIsAnswered() throws {
        var calls: [BusMessage] = []
        _ = try server.register("/test") { [unowned server] call in
            calls.append(call.message)
            server.reply(to: call, [.int32(42)])
        }
        let answer = try client.ask(name, "Ask", [.string("x")], serving: [server])
        #expect(answer == .success([.int32(42)]))
        let expected = BusMessage(
            sender: client.uniqueName ?? "", path: "/test", interface: "org.inkstone.Test", member: "Ask",
            body: [.string("x")])
        #expect(calls == [expected])
    }

    @Test func anErrorAnswersACall() throws {
        _ = try server.register("/test") { [unowned server] call in
            server.reply(to: call, error: BusError("org.inkstone.Error.No", "Not today"))
            server.reply(to: call, [.string("a second answer")])
        }
        let answer = try client.ask(name, "Ask", serving: [server])
        #expect(answer == .failure(.error(BusError("org.inkstone.Error.No", "Not today"))))
    }

    @Test func aCallToNobodyFails() throws {
        let answer = try client.ask("org.inkstone.Nobody", "Ask")
        guard case .error(let error)? = answer.failure else { throw TimedOut(what: "an error", milliseconds: 0) }
        #expect(error.name == "org.freedesktop.DBus.Error.NameHasNoOwner", "and no service is started")
    }

    @Test func answersMayComeInAnotherOrder() throws {
        var waiting: [BusCall] = []
        _ = try server.register("/test") { waiting.append($0) }
        var answers: [Int: Result<[BusValue], BusFailure>] = [:]
        for number in 0..<5 {
            try client.call(name, path: "/test", interface: "org.inkstone.Test", member: "Ask", [.int32(Int32(number))])
            {
                answers[number] = $0
            }
        }
        try waitAll([client, server], "five calls") { waiting.count == 5 }
        #expect(waiting.map(\.message.body) == (0..<5).map { [.int32($0)] })
        for call in waiting.reversed() { server.reply(to: call, call.message.body) }
        try waitAll([client, server], "five answers") { answers.count == 5 }
        #expect(answers == Dictionary(uniqueKeysWithValues: (0..<5).map { ($0, .success([.int32(Int32($0))])) }))
    }

    @Test func aCallWithoutAnswerTimesOutOnBothSides() throws {
        _ = try server.register("/test") { _ in }
        #expect(try client.ask(name, "Ask", timeout: 30, serving: [server]) == .failure(.timedOut))
        let strict = try bus.connect { $0.timing.answer = 30 }
        _ = try strict.register("/test") { _ in }
        let answer = try client.ask(strict.uniqueName ?? "", "Ask", serving: [strict])
        #expect(answer == .failure(.error(.noReply)), "the thread answers for an owner that forgets to")
    }

    @Test func allTypesCrossTheBus() throws {
        try echo()
        let values: [BusValue] = [
            .byte(255), .boolean(true), .boolean(false), .int16(.min), .uint16(.max), .int32(.min), .uint32(.max),
            .int64(.min),
            .uint64(.max), .double(-0.1), .string("Grüße 👋🏽"), .string(""), .objectPath("/a/b"), .signature("a{sv}"),
            .variant(.structure([.byte(1), .string("x")])), .bytes([]), .bytes([0, 1, 255]), .array(.string, []),
            .array(.array(.int32), [.array(.int32, [.int32(1)]), .array(.int32, [])]),
            .dictionary(.string, .variant, [BusEntry(.string("k"), .variant(.bytes([9])))]),
            .dictionary(.uint16, .array(.boolean), []), .structure([.structure([.double(.infinity)]), .int64(3)]),
        ]
        #expect(try client.ask(name, "Echo", values, serving: [server]) == .success(values))
        #expect(try client.ask(name, "Echo", [], serving: [server]) == .success([]))
    }

    @Test func valuesNestUpToTheLimit() throws {
        try echo()
        var arrays: BusValue = .string("deep")
        for _ in 0..<BusType.maximumDepth { arrays = .array(arrays.type, [arrays]) }
        for value in [nested(BusType.maximumDepth), arrays] {
            #expect(try client.ask(name, "Echo", [value], serving: [server]) == .success([value]))
        }
        #expect(throws: BusFailure.invalid("values too deep")) {
            _ = try client.ask(name, "Echo", [nested(BusType.maximumDepth + 1)], serving: [server])
        }
    }

    @Test func randomValuesCrossTheBus() throws {
        try echo()
        var random = RandomValues(generator: SeededGenerator())
        print("random values: seed \(random.generator.seed)")
        var (sent, received) = (0, 0)
        while received < 10_000 {
            var expected: [(body: [BusValue], answer: Result<[BusValue], BusFailure>?)] = []
            for index in 0..<100 {
                let body = (0..<random.generator.below(4)).map { _ in
                    let type = random.type(4)
                    return random.value(type, 4)
                }
                guard body.signature.utf8.count <= 255 else { continue }
                expected.append((body, nil))
                let slot = expected.count - 1
                try client.call(name, path: "/test", interface: "org.inkstone.Test", member: "Echo", body) {
                    expected[slot].answer = $0
                    received += 1
                }
                sent += 1
                _ = index
            }
            try waitAll([client, server], "the echoes") { received == sent }
            for (body, answer) in expected where answer != .success(body) {
                Issue.record("\(body) came back as \(String(describing: answer))")
                return
            }
        }
    }

    @Test func objectsAndTreesAnswerForTheirPaths() throws {
        var called: [String] = []
        func handler(_ name: String) -> (BusCall) -> Void {
            { [unowned server] call in
                called.append(name)
                server.reply(to: call)
            }
        }
        let tree = try server.register(
            "/a", isTree: true, interfaces: "<interface name=\"x.Tree\"/>", handler: handler("tree"))
        _ = try server.register("/a/b", handler: handler("b"))
        for path in ["/a", "/a/b", "/a/b/c", "/a/z", "/ab", "/"] {
            let answer = try client.ask(name, "Ask", path: path, serving: [server])
            if answer != .success([]) { called.append("none") }
        }
        #expect(called == ["tree", "b", "tree", "tree", "none", "none"])
        func introspection(_ path: String) throws -> Result<[BusValue], BusFailure> {
            try client.ask(
                name, "Introspect", path: path, interface: "org.freedesktop.DBus.Introspectable", serving: [server])
        }
        #expect(try introspection("/") == .success([.string(#"<node><node name="a"/></node>"#)]))
        #expect(
            try introspection("/a") == .success([.string(#"<node><interface name="x.Tree"/><node name="b"/></node>"#)]))
        server.remove(tree)
        #expect(try client.ask(name, "Ask", path: "/a/z", serving: [server]) == .failure(.error(.unknownObject)))
    }

    @Test func thePeerInterfaceIsAnsweredWhileTheOwnerIsBusy() throws {
        let answer = try client.ask(name, "Ping", path: "/", interface: "org.freedesktop.DBus.Peer")
        #expect(answer == .success([]))
        let machine = try client.ask(name, "GetMachineId", path: "/", interface: "org.freedesktop.DBus.Peer")
        let failure = BusError.standard("Failed", "This machine has no number")
        #expect(machine == (BusThread.machineID().map { .success([.string($0)]) } ?? .failure(.error(failure))))
        #expect(try client.ask(name, "Ping", path: "/", interface: "org.freedesktop.DBus.Peer") == .success([]))
    }

    @Test func theMachinesNumberIsThatOfTheFirstFileThatHasOne() throws {
        let number = "0123456789abcdef0123456789ABCDEF"
        let texts = ["uninitialized\n", "", String(repeating: "é", count: 16), number + "\n", "0" + number]
        let files = try texts.enumerated().map { index, text in
            let path = bus.directory.path + "/machine-\(index)"
            try TextFiles.write(text, to: path)
            return path
        }
        #expect(BusThread.machineID(in: [bus.directory.path + "/none", bus.directory.path] + files) == number)
        #expect(BusThread.machineID(in: Array(files[..<3])) == nil)
    }

    @Test func aForcedStateFindsRoomWhereNothingElseDoes() throws {
        let full = try bus.connect { $0.limits.sending = 100 }
        var signals: [BusValue] = []
        _ = try client.match(BusMatch(interface: "org.inkstone.Test")) { signals += $0.body }
        // The match rule was requested before this call.
        #expect(try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus).failure == nil)
        #expect(throws: BusFailure.busy) {
            try full.emit(path: "/", interface: "org.inkstone.Test", member: "Changed", [.int32(1)], state: "a")
        }
        try full.emit(
            path: "/", interface: "org.inkstone.Test", member: "Changed", [.int32(2)], state: "a", isForced: true)
        try client.wait("the state") { !signals.isEmpty }
        #expect(signals == [.int32(2)])
    }

    @Test func signalsReachThoseWhoMatchThem() throws {
        var signals: [String] = []
        func listen(_ label: String, _ match: BusMatch) throws -> Bus.Registration {
            try client.match(match) { signals.append("\(label) \($0.member)") }
        }
        let all = try listen("all", BusMatch(interface: "org.inkstone.Test"))
        _ = try listen("server", BusMatch(sender: name, interface: "org.inkstone.Test", member: "A"))
        _ = try listen("below", BusMatch(pathNamespace: "/test", interface: "org.inkstone.Test"))
        _ = try listen("argument", BusMatch(interface: "org.inkstone.Test", argument: "it's"))
        _ = try listen("family", BusMatch(interface: "org.inkstone.Test", argumentNamespace: "a.b"))
        _ = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        func emit(_ member: String, _ path: String = "/other", _ body: [BusValue] = [], to: String? = nil) throws {
            try server.emit(path: path, interface: "org.inkstone.Test", member: member, body, to: to)
        }
        try emit("A", "/test/x")
        try emit("B", "/tests", [.string("it's")])
        try emit("C", "/x", [.string("a.b.c")])
        try emit("D", "/x", [.string("a.bc")])
        try emit("E", to: client.uniqueName)
        try emit("F", to: ":1.9999")
        try server.emit(path: "/test", interface: "org.inkstone.Other", member: "G")
        try waitAll([client], "the signals") { signals.last == "all E" }
        #expect(
            signals == ["all A", "server A", "below A", "all B", "argument B", "all C", "family C", "all D", "all E"])
        client.remove(all)
        signals = []
        _ = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        try emit("B")
        try emit("A", "/test")
        try waitAll([client], "the last signal") { signals.count == 2 }
        #expect(signals == ["server A", "below A"])
    }

    @Test func newerStateReplacesWhatWaits() throws {
        var states: [Int32] = []
        var others = 0
        _ = try client.match(BusMatch(interface: "org.inkstone.Test", member: "State"), isState: true) {
            if case .int32(let state)? = $0.body.first { states.append(state) }
        }
        _ = try client.match(BusMatch(interface: "org.inkstone.Test", member: "Event")) { _ in others += 1 }
        _ = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        for number in 1...100 {
            try server.emit(path: "/test", interface: "org.inkstone.Test", member: "State", [.int32(Int32(number))])
            try server.emit(path: "/test", interface: "org.inkstone.Test", member: "Event")
        }
        // Behind the signals on the wire, and answered by the client's thread.
        _ = try server.ask(client.uniqueName ?? "", "Ping", path: "/", interface: "org.freedesktop.DBus.Peer")
        try client.wait("the signals") { others == 100 }
        #expect(states == [100])
    }

    @Test func aNameIsOwnedLostAndWatched() throws {
        var (states, owners): ([BusNameState], [String?]) = ([], [])
        let other = try bus.connect()
        let watch = try client.watch("org.inkstone.Name") { owners.append($0) }
        try client.wait("nobody") { owners.count == 1 }
        try server.own("org.inkstone.Name", isReplaceable: true) { states.append($0) }
        try waitAll([client, server], "the name") { states.count == 1 && owners.count == 2 }
        var theirs: [BusNameState] = []
        try client.own("org.inkstone.Name") { theirs.append($0) }
        try waitAll([client], "the refusal") { theirs == [.taken] }
        var refused: [BusNameState] = []
        try client.own(BusName.bus) { refused.append($0) }
        try waitAll([client], "the bus's refusal") { refused == [.failed] }
        var taken: [BusNameState] = []
        try other.own("org.inkstone.Name", replaces: true) { taken.append($0) }
        try waitAll([client, server, other], "the new owner") {
            states.count == 2 && owners.count == 3 && !taken.isEmpty
        }
        #expect(states == [.owned, .lost])
        #expect(taken == [.owned])
        other.release("org.inkstone.Name")
        try waitAll([client, other], "nobody again") { owners.count == 4 }
        #expect(owners == [nil, name, other.uniqueName, nil])
        client.remove(watch)
        var queued: [BusNameState] = []
        var first: [BusNameState] = []
        try server.own("org.inkstone.Queue") { first.append($0) }
        try waitAll([client, server], "the first owner") { first == [.owned] }
        try client.own("org.inkstone.Queue", queues: true) { queued.append($0) }
        try waitAll([client, server], "the queue") { queued == [.queued] }
        server.close()
        try waitAll([client], "our turn") { queued == [.queued, .owned] }
    }

    @Test func theProcessOfAPeerIsKnown() throws {
        var peer: Result<BusPeer, BusFailure>?
        try client.credentials(of: name) { peer = $0 }
        try client.wait("the credentials") { peer != nil }
        var status = stat()
        stat("/proc/self/exe", &status)
        var path = [UInt8](repeating: 0, count: 4096)
        let count = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let executable = BusPeer.Executable(
            path: String(decoding: path.prefix(count), as: UTF8.self), device: UInt64(status.st_dev),
            inode: UInt64(status.st_ino), owner: status.st_uid, mode: status.st_mode, isDeleted: false, isInPlace: true)
        let expected = BusPeer(name: name, userID: getuid(), processID: getpid(), executable: executable)
        #expect(peer == .success(expected))
        peer = nil
        try client.credentials(of: ":1.9999") { peer = $0 }
        try client.wait("the refusal") { peer != nil }
        guard case .error(let error)? = peer?.failure else { throw TimedOut(what: "an error", milliseconds: 0) }
        #expect(error.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
    }

    @Test func signalsOfANameAreThoseOfItsOwner() throws {
        var signals: [String] = []
        _ = try client.match(BusMatch(sender: "org.inkstone.Name", interface: "org.inkstone.Test")) {
            signals.append($0.sender)
        }
        var owned = false
        try server.own("org.inkstone.Name") { owned = $0 == .owned }
        var owner: String?
        _ = try client.watch("org.inkstone.Name") { owner = $0 }
        try waitAll([client, server], "the name") { owned && owner != nil }
        let liar = try bus.connect()
        let everyone = try #require(client.uniqueName)
        for sender in [liar, server] {
            try sender.emit(path: "/test", interface: "org.inkstone.Test", member: "A", to: everyone)
            // The next signal comes after this reply.
            _ = try sender.ask(everyone, "Ping", path: "/", interface: "org.freedesktop.DBus.Peer")
        }
        try client.wait("the signal") { !signals.isEmpty }
        #expect(signals == [name])
    }
}

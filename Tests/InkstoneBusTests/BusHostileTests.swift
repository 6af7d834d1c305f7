import Glibc
import InkstoneBase
import InkstoneTesting
import Testing

@testable import InkstoneBus

/// Peers and buses that send false data, flood, stop and die.
@Suite(.timeLimit(.minutes(5))) struct BusHostileTests {
    let bus: PrivateBus

    init() throws { bus = try PrivateBus() }

    /// The program of another process, in Python, with `connection`, `name` (whom to address) and `call(member, arguments)`.
    private func startPeer(_ name: String, _ program: String) throws -> ChildProcess {
        let prologue = """
            import os, sys
            from gi.repository import Gio, GLib
            connection = Gio.DBusConnection.new_for_address_sync('\(bus.address)',
                Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
            name = '\(name)'
            def call(member, arguments, fds=None):
                try:
                    if fds:
                        connection.call_with_unix_fd_list_sync(name, '/test', 'org.inkstone.Test', member, arguments, None, 0, 60000, fds, None)
                    else:
                        connection.call_sync(name, '/test', 'org.inkstone.Test', member, arguments, None, 0, 60000, None)
                    print('answered', flush=True)
                except GLib.Error as error:
                    print(Gio.DBusError.get_remote_error(error), flush=True)

            """
        return try ChildProcess(
            "/usr/bin/python3", ["-c", prologue + program],
            environment: ["HOME": bus.directory.path, "PATH": "/usr/local/bin:/usr/bin:/bin"], output: .pipe)
    }

    @Test func aMessageOf100MegabytesIsRefusedWithoutAStall() throws {
        let server = try bus.connect()
        var calls = 0
        _ = try server.register("/test") { [unowned server] in
            calls += 1
            server.reply(to: $0)
        }
        let peer = try startPeer(
            try #require(server.uniqueName),
            """
            text = GLib.Variant('(s)', ('x' * 100_000_000,))
            call('Ask', text)
            call('Ask', GLib.Variant.new_from_bytes(GLib.VariantType('(ay)'), GLib.Bytes.new(bytes(60_000_000)), True))
            call('Ask', GLib.Variant('(s)', ('small',)))
            """)
        let before = residentMegabytes()
        var (turns, longest, peak) = (0, 0.0, before)
        var lines: [String] = []
        try waitUntil("three answers", within: 60_000, watching: [server.descriptor], every: 1) {
            let start = threadMilliseconds()
            server.receive()
            longest = max(longest, threadMilliseconds() - start)
            turns += 1
            peak = max(peak, residentMegabytes())
            var ready = pollfd(fd: peer.output ?? -1, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 0) == 1, let line = try peer.readLine() { lines.append(line) }
            return lines.count == 3
        }
        print(
            "100 MB: \(turns) turns of the owner, the longest \(longest) ms; resident \(before) MB before, \(peak) at most, \(residentMegabytes()) after"
        )
        #expect(
            lines == [
                "org.freedesktop.DBus.Error.LimitsExceeded", "org.freedesktop.DBus.Error.LimitsExceeded", "answered",
            ])
        #expect(calls == 1, "the owner gets none that is too large")
        #expect(longest < 20)
        #expect(turns > 20, "the owner's loop goes on meanwhile")
        #expect(server.droppedCount == 0)
    }

    @Test func wrongAndUnwantedTypesAreRefused() throws {
        let server = try bus.connect()
        var bodies: [[BusValue]] = []
        _ = try server.register("/test") { [unowned server] in
            bodies.append($0.message.body)
            server.reply(to: $0)
        }
        let path = bus.directory.path + "/passed"
        let peer = try startPeer(
            try #require(server.uniqueName),
            """
            deep = GLib.Variant('y', 1)
            for _ in range(\(BusType.maximumDepth + 1)): deep = GLib.Variant('v', deep)
            call('Ask', GLib.Variant.new_tuple(deep))
            fds = Gio.UnixFDList.new()
            fds.append(os.open('\(path)', os.O_CREAT | os.O_RDWR))
            call('Ask', GLib.Variant('(h)', (0,)), fds)
            call('Ask', GLib.Variant('(h)', (0,)))
            call('Ask', GLib.Variant('(a(sv))', ([('a', GLib.Variant('i', 1))],)))
            """)
        var lines: [String] = []
        try server.wait("four answers", within: 30_000) {
            var ready = pollfd(fd: peer.output ?? -1, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 0) == 1, let line = try peer.readLine() { lines.append(line) }
            return lines.count == 4
        }
        #expect(lines[0] == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(
            lines[1].hasSuffix("NotSupported") || lines[1].hasSuffix("Error.Failed"), "by the bus: no descriptor comes")
        #expect(lines[2] == "org.freedesktop.DBus.Error.InvalidArgs")
        #expect(lines[3] == "answered")
        #expect(
            bodies == [[.array(.structure([.string, .variant]), [.structure([.string("a"), .variant(.int32(1))])])]])
        let held = TemporaryDirectory.names(in: "/proc/self/fd").contains { entry in
            var link = [UInt8](repeating: 0, count: 4096)
            let count = link.withUnsafeMutableBytes { readlink("/proc/self/fd/" + entry, $0.baseAddress!, $0.count) }
            return count > 0 && String(decoding: link.prefix(count), as: UTF8.self) == path
        }
        #expect(!held)
    }

    @Test func messagesInTheOtherByteOrderAreRead() throws {
        let server = try bus.connect()
        var bodies: [[BusValue]] = []
        _ = try server.register("/test") { [unowned server] in
            bodies.append($0.message.body)
            server.reply(to: $0)
        }
        let peer = try startPeer(
            try #require(server.uniqueName),
            """
            message = Gio.DBusMessage.new_method_call(name, '/test', 'org.inkstone.Test', 'Ask')
            little = message.get_byte_order() == Gio.DBusMessageByteOrder.LITTLE_ENDIAN
            message.set_byte_order(Gio.DBusMessageByteOrder.BIG_ENDIAN if little else Gio.DBusMessageByteOrder.LITTLE_ENDIAN)
            message.set_body(GLib.Variant('(ayuai)', (bytes([0, 1, 255]), 7, [-1, 2])))
            answer = connection.send_message_with_reply_sync(message, Gio.DBusSendMessageFlags.NONE, 60000, None)
            print(answer[0].get_error_name() or 'answered', flush=True)
            """)
        var line: String?
        try server.wait("the answer", within: 30_000) {
            var ready = pollfd(fd: peer.output ?? -1, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 0) == 1 { line = try peer.readLine() }
            return line != nil
        }
        #expect(line == "answered")
        #expect(bodies == [[.bytes([0, 1, 255]), .uint32(7), .array(.int32, [.int32(-1), .int32(2)])]])
    }

    @Test func aFloodIsMutedAndOthersAreServed() throws {
        let server = try bus.connect {
            $0.limits.rate = 100
            $0.limits.burst = 50
            $0.timing.muting = 100_000
        }
        var (flooding, others) = (0, 0)
        let flooder = try RawPeer(bus)
        let flooderName = flooder.name
        _ = try server.register("/test") { [unowned server] in
            if $0.message.sender == flooderName { flooding += 1 } else { others += 1 }
            server.reply(to: $0)
        }
        let name = try #require(server.uniqueName)
        let client = try bus.connect()
        for number in 0..<20_000 {
            let request = BusRequest(
                destination: name, path: "/test", interface: "org.inkstone.Test", member: "Ask",
                body: [.int32(Int32(number))])
            _ = try flooder.connection.send(request)
            if number % 1000 == 0 {
                #expect(try client.ask(name, "Ask", serving: [server]) == .success([]))
            }
        }
        try flooder.flush()
        #expect(try client.ask(name, "Ask", serving: [server]) == .success([]))
        #expect(others == 21)
        #expect(flooding >= 50 && flooding < 20_000 / 4, "\(flooding)")
        #expect(server.waitingWeight < 4 << 20)
    }

    /// Names and serial numbers start again with each bus.
    @Test func anAnswerIsNotThatOfACallBeforeTheRestart() throws {
        let server = try bus.connect()
        var calls: [BusCall] = []
        _ = try server.register("/test") { calls.append($0) }
        func ask() throws -> (client: Bus, answers: () -> [Result<[BusValue], BusFailure>]) {
            let client = try bus.connect()
            var answers: [Result<[BusValue], BusFailure>] = []
            let count = calls.count
            try client.call(server.uniqueName ?? "", path: "/test", interface: "org.inkstone.Test", member: "Ask") {
                answers.append($0)
            }
            try waitAll([client, server], "the call") { calls.count == count + 1 }
            return (client, { answers })
        }
        let before = try ask()
        before.client.close()
        var states: [BusState] = []
        server.onStateChange = { states.append($0) }
        try bus.restart()
        try server.wait("the new bus") { states.count >= 3 && server.uniqueName != nil }
        let (client, answers) = try ask()
        #expect(
            calls[0].address?.name == calls[1].address?.name && calls[0].address?.cookie == calls[1].address?.cookie)
        server.reply(to: calls[0], [.string("old")])
        server.reply(to: calls[1], [.string("new")])
        try client.wait("the answer") { !answers().isEmpty }
        #expect(answers() == [.success([.string("new")])])
    }

    @Test func anAnswerWaitsWithItsWeight() throws {
        let client = try bus.connect()
        let server = try bus.connect()
        let text = BusValue.string(String(repeating: "x", count: 50_000))
        _ = try server.register("/test") { [unowned server] in server.reply(to: $0, [text]) }
        try client.call(server.uniqueName ?? "", path: "/test", interface: "org.inkstone.Test", member: "Ask") { _ in }
        try waitUntil("the answer", watching: [server.descriptor, client.descriptor], every: 1) {
            server.receive()
            return client.waitingWeight > 0
        }
        #expect(client.waitingWeight > 50_000)
    }

    @Test func anAnswerThatTheLibraryRefusesIsAnError() throws {
        let server = try bus.connect()
        let client = try bus.connect()
        var deep = BusType.int32
        for _ in 0..<40 { deep = .array(deep) }
        _ = try server.register("/test") { [unowned server] in server.reply(to: $0, [.array(deep, [])]) }
        let answer = try client.ask(server.uniqueName ?? "", "Ask", timeout: 3_000, serving: [server])
        guard case .error? = answer.failure else {
            Issue.record("\(answer)")
            return
        }
    }

    /// sd-bus would answer pings by itself, without limit.
    @Test func aFloodOfPingsIsMutedAsWell() throws {
        let server = try bus.connect {
            $0.limits.rate = 100
            $0.limits.burst = 50
            $0.timing.muting = 100_000
        }
        let flooder = try RawPeer(bus)
        for _ in 0..<5_000 {
            let request = BusRequest(
                destination: server.uniqueName ?? "", path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping",
                body: [])
            _ = try flooder.connection.send(request)
        }
        try flooder.flush()
        let client = try bus.connect()
        let answer = try client.ask(
            server.uniqueName ?? "", "Ping", path: "/", interface: "org.freedesktop.DBus.Peer", serving: [server])
        #expect(answer == .success([]), "others are served")
        // Behind all answers on the wire.
        let last = BusRequest(
            destination: flooder.name, path: "/", interface: "org.inkstone.Test", member: "Last", body: [])
        _ = try flooder.connection.send(last)
        try waitUntil("the last message", watching: [flooder.connection.descriptor]) {
            flooder.step()
            return !flooder.calls.isEmpty
        }
        #expect(flooder.answers >= 50 && flooder.answers < 2_500, "\(flooder.answers)")
    }

    @Test func messagesThatTheOwnerDoesNotTakeAreBounded() throws {
        let server = try bus.connect {
            $0.limits.receiving = 100_000
            $0.limits.owedToOne = 20
        }
        var taken = 0
        _ = try server.register("/test") { _ in taken += 1 }
        _ = try server.match(BusMatch(interface: "org.inkstone.Test")) { _ in taken += 1 }
        _ = try server.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        let name = try #require(server.uniqueName)
        let client = try bus.connect()
        var refused = 0
        for _ in 0..<100 {
            try client.call(name, path: "/test", interface: "org.inkstone.Test", member: "Ask") {
                if $0 == .failure(.error(.limitsExceeded)) { refused += 1 }
            }
        }
        let text = BusValue.string(String(repeating: "x", count: 10_000))
        for _ in 0..<50 { try client.emit(path: "/test", interface: "org.inkstone.Test", member: "A", [text]) }
        _ = try client.ask(name, "Ping", path: "/", interface: "org.freedesktop.DBus.Peer")
        #expect(refused == 80)
        #expect(server.waitingWeight <= 100_000)
        #expect(server.droppedCount > 30)
        try server.wait("what was kept") { server.waitingWeight == 0 }
        #expect(taken == 20 + 50 - server.droppedCount)
    }

    @Test func lateDoubleAndForgedAnswersAreIgnored() throws {
        let peer = try RawPeer(bus)
        let liar = try RawPeer(bus)
        let client = try bus.connect()
        let name = try #require(client.uniqueName)
        var answers: [Result<[BusValue], BusFailure>] = []
        func ask(_ timeout: Int64) throws {
            try client.call(peer.name, path: "/test", interface: "org.inkstone.Test", member: "Ask", timeout: timeout) {
                answers.append($0)
            }
        }
        func waitForCalls(_ count: Int) throws {
            try waitUntil("a call", watching: [peer.connection.descriptor]) {
                peer.step()
                return peer.calls.count == count
            }
        }
        try ask(20)
        try waitForCalls(1)
        try client.wait("the end of patience") { answers == [.failure(.timedOut)] }
        try peer.connection.send(.success([.string("late")]), to: peer.calls[0].address)
        try ask(20_000)
        try waitForCalls(2)
        for cookie in 1..<100 as Range<UInt64> {
            let address = BusReplyAddress(connection: 0, name: name, cookie: cookie)
            try liar.connection.send(.success([.string("forged")]), to: address)
        }
        try liar.flush()
        try peer.connection.send(.success([.string("first")]), to: peer.calls[1].address)
        try peer.connection.send(.success([.string("second")]), to: peer.calls[1].address)
        try peer.flush()
        try client.wait("the answer") { answers.count == 2 }
        _ = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        #expect(answers == [.failure(.timedOut), .success([.string("first")])])
    }

    /// Otherwise what belongs to the peer would be kept for ever.
    @Test func unwatchedPeerCountsAsGoneUntilAMatchFits() throws {
        let bus = try PrivateBus(matchRules: 2)
        let client = try bus.connect()
        let peer = try bus.connect()
        let name = try #require(peer.uniqueName)
        var signals = 0
        let matches = try ["a.A", "a.B", "a.C"].map { interface in
            try client.match(BusMatch(interface: interface)) { _ in signals += 1 }
        }
        var owners: [String?] = []
        _ = try client.watch(name) { owners.append($0) }
        try client.wait("the refusal") { !owners.isEmpty }
        #expect(owners == [nil])
        // The order in which room is given is that of the rules: the third match has waited as well.
        for match in matches[..<2] { client.remove(match) }
        try client.wait("the owner") { owners.count == 2 }
        #expect(owners == [nil, name])
        try peer.emit(path: "/", interface: "a.C", member: "Changed")
        // What a peer sent is not waited for long when it is closed.
        try client.wait("the signal") { signals == 1 }
        peer.close()
        try client.wait("the end of the peer") { owners.count == 3 }
        #expect(owners == [nil, name, nil] && signals == 1)
    }

    /// The rule may have been requested again by then, and is not in force yet.
    @Test func anAnswerFromBeforeTheRefusalReportsNoOwner() throws {
        let outbox = BusOutbox(limit: 10_000)
        let thread = BusThread(BusSetup(), address: "", mailbox: BusMailbox(limit: 10_000), outbox: outbox)
        thread.perform(.watch(":1.7"))
        let rule = try #require(thread.wishes.rules.keys.first)
        thread.pending[1] = BusThread.Pending(purpose: .nameOwner(":1.7"), destination: BusName.bus, deadline: .max)
        thread.finish(.rule(rule), .failure(.error(.limitsExceeded)))
        guard case .owner(of: ":1.7", nil) = outbox.take()?.0 else { return #expect(Bool(false), "no refusal") }
        thread.wishes.refusedRules = []
        thread.finish(try #require(thread.pending[1]).purpose, .success([.string(":1.7")]))
        #expect(outbox.take() == nil)
        thread.finish(.nameOwner(":1.7"), .success([.string(":1.7")]))
        #expect(outbox.take() != nil)
    }

    /// Otherwise the rule would stay on the bus until the connection ends, and use one of its limited slots.
    @Test func aRuleThatIsAskedForAgainBehindItsRefusalIsRemovedWhenGivenUp() throws {
        for isAskedAgain in [false, true] {
            let thread = BusThread(
                BusSetup(), address: "", mailbox: BusMailbox(limit: 10_000), outbox: BusOutbox(limit: 10_000))
            thread.perform(.watch(":1.7"))
            let rule = try #require(thread.wishes.rules.keys.first)
            if isAskedAgain {
                thread.pending[2] = BusThread.Pending(
                    purpose: .rule(rule), destination: BusName.bus, deadline: .max)
            }
            thread.finish(.rule(rule), .failure(.error(.limitsExceeded)))
            #expect(thread.wishes.refusedRules == [rule])
            #expect(thread.giveUp(rule) == isAskedAgain && thread.wishes.rules.isEmpty)
            #expect(!thread.giveUp(rule), "given up already")
        }
    }

    /// The ID of an ended process is soon reused.
    @Test func anExecutableIsNotThatOfWhoeverHasTheNumberNow() {
        let outbox = BusOutbox(limit: 10_000)
        let thread = BusThread(BusSetup(), address: "", mailbox: BusMailbox(limit: 10_000), outbox: outbox)
        let first = BusPeer(name: ":1.7", userID: 1000, processID: 7)
        func answer(user: UInt32 = 1000, process: UInt32) -> Result<BusPeer, BusFailure>? {
            let facts: KeyValuePairs = ["UnixUserID": BusValue.uint32(user), "ProcessID": .uint32(process)]
            thread.finish(.credentials(3, ":1.7", first: first), .success([.options(facts)]))
            guard case .peer(3, let result)? = outbox.take()?.0 else { return nil }
            return result
        }
        #expect(answer(process: 7) == .success(first))
        #expect(answer(process: 8) == .failure(.invalid("the process has changed")))
        #expect(answer(user: 0, process: 7) == .failure(.invalid("the process has changed")))
    }

    /// The refusal of a rule that was dropped meanwhile does not apply to the same rule requested again.
    @Test func aWatchMadeAgainWithItsRefusalPendingReportsTheOwner() throws {
        let bus = try PrivateBus(matchRules: 1)
        let client = try bus.connect()
        let peer = try bus.connect()
        let name = try #require(peer.uniqueName)
        let match = try client.match(BusMatch(interface: "a.A")) { _ in }
        _ = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        // The bus reads all of this at once, and then answers.
        try stop(bus.daemon)
        client.remove(try client.watch(name) { _ in })
        client.remove(match)
        var owners: [String?] = []
        _ = try client.watch(name) { owners.append($0) }
        bus.daemon.send(SIGCONT)
        try client.wait("the owner") { owners.last == name }
        peer.close()
        try client.wait("the end of the peer") { owners.last == .some(nil) }
    }

    @Test func aStoppedPeerHoldsNobody() throws {
        let client = try bus.connect()
        let peer = try startPeer(
            try #require(client.uniqueName),
            "print(connection.get_unique_name(), flush=True)\nGLib.MainLoop().run()")
        let name = try #require(try peer.readLine(within: 30_000))
        try stop(peer)
        #expect(try client.ask(name, "Ask", timeout: 30) == .failure(.timedOut))
        let text = BusValue.string(String(repeating: "x", count: 100_000))
        for number in 0..<200 {
            try client.emit(
                path: "/test", interface: "org.inkstone.Test", member: "State", [text], to: name, state: "text")
            if number % 50 == 0 {
                let answer = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
                #expect(answer.failure == nil)
            }
        }
        peer.send(SIGKILL)
        peer.send(SIGCONT)
    }

    @Test func aStoppedBusIsBoundedAndGetsTheLatestState() throws {
        let client = try bus.connect { $0.timing.answer = 300 }
        let listener = try bus.connect()
        var states: [Int32] = []
        _ = try listener.match(BusMatch(interface: "org.inkstone.Test", member: "State")) {
            if case .int32(let state)? = $0.body.first { states.append(state) }
        }
        _ = try listener.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        try stop(bus.daemon)
        // First as much as the socket holds, of which sd-bus has the kernel make up to 16 MB, and then as much as is kept.
        let text = BusValue.string(String(repeating: "x", count: 50_000))
        let start = Deadline.now
        var refusal: BusFailure?
        var count = 0
        while refusal == nil, count < 2000 {
            do throws(BusFailure) {
                try client.emit(path: "/test", interface: "org.inkstone.Test", member: "Text", [text])
                count += 1
            } catch {
                refusal = error
            }
        }
        #expect(refusal == .busy)
        #expect(count < 600)
        for number in 1...1000 {
            try? client.emit(
                path: "/test", interface: "org.inkstone.Test", member: "State", [.int32(Int32(number))], state: "number"
            )
        }
        #expect(Deadline.now - start < 5000)
        #expect(
            try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus, timeout: 50)
                == .failure(.timedOut))
        // A question of the thread's own waits no longer than others.
        var peer: Result<BusPeer, BusFailure>?
        try client.credentials(of: ":1.0") { peer = $0 }
        try client.wait("the end of patience") { peer != nil }
        #expect(peer == .failure(.timedOut))
        bus.daemon.send(SIGCONT)
        try listener.wait("the latest state") { states.last == 1000 }
        #expect(states == Set(states).sorted(), "each at most once, and none after a newer one")
        #expect(client.uniqueName != nil)
    }

    @Test func aBusThatDiesIsReportedAndConnectedToAgain() throws {
        let client = try bus.connect()
        var states: [BusState] = []
        client.onStateChange = { states.append($0) }
        var (names, owners, answers): ([BusNameState], [String?], [Result<[BusValue], BusFailure>]) = ([], [], [])
        try client.own("org.inkstone.Name") { names.append($0) }
        _ = try client.watch("org.inkstone.Name") { owners.append($0) }
        try client.wait("the name") { names == [.owned] && owners.last == client.uniqueName }
        let silent = try RawPeer(bus)
        try client.call(silent.name, path: "/test", interface: "org.inkstone.Test", member: "Ask") {
            answers.append($0)
        }
        try waitUntil("the call", watching: [silent.connection.descriptor]) {
            silent.step()
            return silent.calls.count == 1
        }
        var received = 0
        _ = try client.match(BusMatch(interface: "org.inkstone.Test")) { _ in received += 1 }
        bus.daemon.send(SIGKILL)
        try client.wait("the end") { !answers.isEmpty && !states.isEmpty }
        #expect(answers == [.failure(.disconnected)])
        #expect(names == [.owned, .lost])
        #expect(owners.last == .some(nil))
        guard case .failed(.unavailable)? = states.first else { throw TimedOut(what: "a state", milliseconds: 0) }
        let failed = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
        #expect(failed == .failure(.disconnected))
        try bus.restart()
        try client.wait("the new bus") { client.uniqueName != nil && names.last == .owned }
        #expect(owners.last == client.uniqueName)
        let other = try bus.connect()
        try other.emit(path: "/test", interface: "org.inkstone.Test", member: "A")
        try client.wait("a signal by the match of before") { received == 1 }
    }

    @Test func withoutItsLibraryTheBusIsOffAndReportsIt() throws {
        for (libraries, text) in [
            (
                ["libnothing.so.0", "libnone.so.1"],
                "none of the D-Bus libraries is installed: libnothing.so.0, libnone.so.1"
            ),
            (["libc.so.6"], "none of the D-Bus libraries is installed: libc.so.6 has no sd_bus_new"),
        ] {
            var setup = bus.setup
            setup.libraries = libraries
            let client = Bus(setup)
            #expect(client.descriptor == -1 && client.hasEnded, "nothing is there before the start")
            client.start()
            try client.wait("the failure") { client.state == .failed(.unavailable(text)) }
            let answer = try client.ask(BusName.bus, "GetId", path: BusName.busPath, interface: BusName.bus)
            #expect(answer == .failure(.disconnected))
            client.close()
            try waitUntil("the end") { client.hasEnded }
        }
    }

    @Test func withoutABusItIsTriedMoreAndMoreRarely() throws {
        var setup = BusSetup(address: "unix:path=\(bus.directory.path)/nothing")
        setup.timing.retry = 1
        setup.timing.longestRetry = 4
        let client = Bus(setup)
        var states: [BusState] = []
        client.onStateChange = { states.append($0) }
        client.start()
        try client.wait("three attempts") { states.filter { $0 == .connecting }.count == 3 }
        client.close()
    }

    @Test func aBusThatAcceptsAndSendsNothingIsGivenUp() throws {
        let path = bus.directory.path + "/silent"
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(socket) }
        var name = sockaddr_un()
        try #require(path.utf8.count < MemoryLayout.size(ofValue: name.sun_path), "too long for a socket: \(path)")
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &name) {
            bind(
                socket, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_un>.size))
        }
        #expect(bound == 0 && listen(socket, 8) == 0)
        var setup = BusSetup(address: "unix:path=" + path)
        setup.timing.connecting = 30
        setup.reconnects = false
        let client = Bus(setup)
        client.start()
        try client.wait("the failure") {
            client.state == .failed(.unavailable("the bus at unix:path=\(path) does not answer"))
        }
    }

    @Test func closingAmidCallsEndsEachOfThemOnce() throws {
        let silent = try RawPeer(bus)
        let client = try bus.connect()
        var failures: [BusFailure?] = []
        for _ in 0..<100 {
            try client.call(silent.name, path: "/test", interface: "org.inkstone.Test", member: "Ask") {
                failures.append($0.failure)
            }
        }
        try client.credentials(of: silent.name) { failures.append($0.failure) }
        client.close()
        #expect(failures == Array(repeating: .closed, count: 101))
        try waitUntil("the thread's end", watching: [client.descriptor]) {
            client.receive()
            return client.hasEnded
        }
        #expect(failures.count == 101)
        #expect(throws: BusFailure.closed) { try client.emit(path: "/", interface: "a.b", member: "C") }
        // Everything sent before the end was written.
        try waitUntil("the calls", watching: [silent.connection.descriptor]) {
            silent.step()
            return silent.calls.count == 100
        }
    }

    @Test func anOwnerThatForgetsToCloseLeavesNoThread() throws {
        weak var left: BusOutbox?
        var failures: [BusFailure?] = []
        let silent = try RawPeer(bus)
        do {
            let client = try bus.connect()
            left = client.outbox
            try client.call(silent.name, path: "/test", interface: "org.inkstone.Test", member: "Ask") {
                failures.append($0.failure)
            }
            try client.credentials(of: silent.name) { failures.append($0.failure) }
        }
        #expect(failures == [.closed, .closed], "its handlers are called all the same")
        try waitUntil("the thread's end") { left == nil }
    }
}

/// Stops a process, and waits until it is.
private func stop(_ process: ChildProcess) throws {
    process.send(SIGSTOP)
    try waitUntil("\(process.name) to stop") {
        try TextFiles.read("/proc/\(process.pid)/stat").split(separator: " ")[2] == "T"
    }
}

/// The memory of this process that is resident, in megabytes.
private func residentMegabytes() -> Int {
    let fields = ((try? TextFiles.read("/proc/self/statm")) ?? "").split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 / 1_000_000 : 0
}

/// The processor time of this thread, in milliseconds.
private func threadMilliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

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

/// A focused text whose input queue the test controls.
final class TestHost: ProxyHost {
    let session: EditingSession
    var caret: ProxyContext.Caret? {
        hasSentContext = true
        return ProxyContext.Caret(x: 1, y: 2, width: 1, height: 12)
    }
    /// Whether the caret has been asked for, as part of the context for a keyboard.
    private(set) var hasSentContext = false
    var takesInput = true
    var keepsEdit = false
    var traits = TextInputTraits()
    /// The action of Return; nil for none.
    var onReturn: (() -> Void)?
    var isHolding = false
    /// The user's keys that have arrived but are not handled.
    var keys = ""
    private(set) var queue: [() -> Void] = []
    private(set) var hasResigned = false

    init(_ text: String) {
        session = EditingSession(TextStore(Rope(text)))
        session.select(Selection(caret: session.textRange.upperBound))
    }

    func takeInput() {
        let taken = keys
        keys = ""
        if !taken.isEmpty { performInOrder { [session] in session.insert(taken) } }
    }

    func performInOrder(_ work: @escaping () -> Void) {
        if isHolding { queue.append(work) } else { work() }
    }

    func release() {
        isHolding = false
        let works = queue
        queue = []
        for work in works { work() }
    }

    func performReturn() -> Bool {
        onReturn?()
        return onReturn != nil
    }

    func resign() { hasResigned = true }
}

/// A clock that a test can advance.
final class TestClock {
    var passed: Int64 = 0
    var now: Int64 { MonotonicClock.milliseconds + passed }
}

/// The server and keyboards, on a bus of the test's own.
@Suite(.timeLimit(.minutes(5))) struct ProxyServerTests {
    let bus: PrivateBus
    let server: ProxyServer
    let keyboard: InputController
    let host = TestHost("Hello.")
    let clock = TestClock()

    init() throws {
        bus = try PrivateBus()
        var setup = BusSetup(address: bus.address)
        setup.timing.retry = 20
        server = ProxyServer(setup) { [clock] in clock.now }
        server.onQuestion = { [unowned server] in server.answer($0, isAllowed: true, lasts: false) }
        #expect(server.start() == nil)
        server.setFocus(host)
        keyboard = InputController(name: "Test", setup: setup)
        keyboard.start()
    }

    func wait(_ what: String, also others: [InputController] = [], until condition: () -> Bool) throws {
        let keyboards = [keyboard] + others
        try waitUntil(what, within: 10_000, watching: [server.descriptor] + keyboards.map(\.descriptor)) {
            server.processEvents()
            for keyboard in keyboards { keyboard.processEvents() }
            return condition()
        }
    }

    func proxy(of keyboard: InputController? = nil) throws -> TextDocumentProxy {
        let keyboard = keyboard ?? self.keyboard
        try wait("the context", also: [keyboard]) { keyboard.textDocumentProxy?.hasContext == true }
        return try #require(keyboard.textDocumentProxy)
    }

    func outcome(_ proxy: TextDocumentProxy) throws -> TextEditStatus? {
        var status: TextEditStatus?
        proxy.flush { status = $0 }
        try wait("the outcome") { status != nil }
        return status
    }

    /// Connects an arbitrary client a minute later, so that its program may be asked about again. The server can be
    /// called then: it connects on a thread of its own, and may be the later of the two.
    func stranger() throws -> Bus {
        clock.passed += 60_000
        let client = Bus(BusSetup(address: bus.address))
        client.start()
        try waitUntil("the connection", watching: [client.descriptor]) {
            client.receive()
            return if case .connected = client.state { true } else { false }
        }
        var owner: String?
        let watch = try client.watch(ProxyProtocol.name(process: getpid())) { owner = $0 }
        defer { client.remove(watch) }
        try waitUntil("the server on the bus", within: 10_000, watching: [client.descriptor]) {
            client.receive()
            return owner != nil
        }
        return client
    }

    func ask(_ client: Bus, _ request: ProxyWire) throws -> Result<[BusValue], BusFailure> {
        var answer: Result<[BusValue], BusFailure>?
        try client.call(
            ProxyProtocol.name(process: getpid()), path: request.path, interface: request.interface,
            member: request.member, request.body
        ) { answer = $0 }
        try waitUntil("an answer to \(request.member)", watching: [server.descriptor, client.descriptor]) {
            server.processEvents()
            client.receive()
            return answer != nil
        }
        return try #require(answer)
    }

    func ask(_ client: Bus, _ request: ProxyRequest) throws -> Result<[BusValue], BusFailure> {
        try ask(client, request.wire)
    }

    /// Says Hello, and returns the access that is the answer.
    func access(of client: Bus, _ name: String) throws -> ProxyAccess {
        try ProxyWelcome(ask(client, .hello(version: 1, name: name)).get()).access
    }

    @Test func aKeyboardTypesIntoTheTextWithTheFocus() throws {
        let proxy = try proxy()
        #expect(proxy.documentContextBeforeInput == "Hello." && proxy.documentContextAfterInput == nil)
        #expect(proxy.documentIdentifier != nil && keyboard.hasFullAccess)
        proxy.insertText(" w")
        #expect(try outcome(proxy) == .applied)
        proxy.perform {
            $0.replaceText(beforeInput: "w", with: "W")
            $0.insertText("o")
        }
        #expect(try outcome(proxy) == .applied)
        #expect(host.session.text == "Hello. Wo" && proxy.documentContextBeforeInput == "Hello. Wo")
        host.session.undo()
        #expect(host.session.text == "Hello. w", "one step of undo")
        proxy.adjustTextPosition(byCharacterOffset: 1)
        proxy.deleteBackward()
        #expect(try outcome(proxy) == .applied)
        #expect(host.session.text == "Hello. w", "at the end nothing is deleted forwards")
        keyboard.dismissKeyboard()
        try wait("the end of the focus") { host.hasResigned }
    }

    @Test func noticesComeOncePerQuestion() throws {
        let proxy = try proxy()
        var notices = 0
        let client = try stranger()
        let match = BusMatch(interface: ProxyProtocol.viewInterface, member: "Changed")
        _ = try client.match(match) { _ in notices += 1 }
        #expect(try ask(client, .hello(version: 1, name: "Second")).error == nil)
        try wait("access") { (try? ask(client, .focus).get().first) == .objectPath(ProxyProtocol.path(of: proxy.view)) }
        #expect(try ask(client, .watch(view: proxy.view, .text)).error == nil)
        for _ in 0..<100 { host.session.insert("x") }
        try wait("the first change at the keyboard") { proxy.documentContextBeforeInput?.hasSuffix("x") == true }
        let context = try ProxyContext(ask(client, .context(view: proxy.view, bytes: 4)).get())
        #expect(notices == 1 && context.before == "xxxx", "a slow listener has one notice, and the text as it is")
        host.session.select(Selection(caret: 0))
        host.session.insert("y")
        _ = try ask(client, .focus)
        #expect(notices == 2)
        try wait("the keyboard's own context") { proxy.documentContextBeforeInput == "y" }
    }

    @Test func aBatchKeepsItsPlaceAmongTheKeys() throws {
        let proxy = try proxy()
        host.isHolding = true
        proxy.insertText("a")
        proxy.flush()
        var order: [String] = []
        host.performInOrder { [host] in
            order.append(host.session.text)
            host.session.insert("k")
        }
        try wait("the batch in the queue") { host.queue.count == 2 }
        host.release()
        #expect(try outcome(proxy) == .applied)
        #expect(order == ["Hello."] && host.session.text == "Hello.ka")
    }

    /// A key from an on-screen keyboard arrives through the X server, its next edit through the bus.
    @Test func aBatchComesBehindTheKeysThatHaveCome() throws {
        let proxy = try proxy()
        host.keys = "k"
        proxy.insertText("a")
        #expect(try outcome(proxy) == .applied)
        #expect(host.session.text == "Hello.ka")
    }

    @Test func textThatIsMarkedStaysWhenItsKeyboardDies() throws {
        let proxy = try proxy()
        proxy.setMarkedText("wor", selectedRange: 3..<3)
        #expect(try outcome(proxy) == .applied)
        #expect(host.session.markedText?.range == 6..<9)
        keyboard.bus.close()
        try waitUntil("the end of the keyboard", watching: [server.descriptor]) {
            server.processEvents()
            return host.session.markedText == nil
        }
        #expect(host.session.text == "Hello.wor")
        host.session.insert("ld")
        #expect(host.session.text == "Hello.world")
    }

    @Test func theFocusMovesAndBatchesOfBeforeAreGone() throws {
        let proxy = try proxy()
        proxy.setMarkedText("w", selectedRange: 1..<1)
        #expect(try outcome(proxy) == .applied)
        host.isHolding = true
        var status: TextEditStatus?
        proxy.insertText("x")
        proxy.flush { status = $0 }
        let other = TestHost("Other")
        try wait("the batch in the queue") { host.queue.count == 1 }
        server.setFocus(other)
        host.release()
        try wait("the outcome") { status != nil }
        #expect(status == .gone && host.session.text == "Hello.w" && host.session.markedText == nil)
        try wait("another proxy") { keyboard.textDocumentProxy !== proxy }
        let next = try self.proxy()
        #expect(next.documentContextBeforeInput == "Other")
        other.session.options.isSecureTextEntry = true
        try wait("a secret") { keyboard.textDocumentProxy == nil }
        other.session.options.isSecureTextEntry = false
        #expect(try self.proxy().documentContextBeforeInput == "Other")
        server.setFocus(nil)
        try wait("no focus") { keyboard.textDocumentProxy == nil }
    }

    @Test func refusedKeyboardGetsNoInformation() throws {
        let proxy = try proxy()
        server.onQuestion = { [unowned server] in server.answer($0, isAllowed: false, lasts: false) }
        // The same program is not asked about twice in a minute.
        let client = try stranger()
        var signals: [String] = []
        for interface in [ProxyProtocol.interface, ProxyProtocol.viewInterface] {
            _ = try client.match(BusMatch(interface: interface)) { signals.append($0.member) }
        }
        func answers() throws -> [Result<[BusValue], BusFailure>] {
            let batch = ProxyBatch(epoch: proxy.epoch, serial: 1, base: 0, mode: .now, operations: [.insert("x")])
            var wires = [
                ProxyRequest.focus, .watch(view: proxy.view, .all), .context(view: proxy.view, bytes: 100),
                .apply(view: proxy.view, batch), .resign(view: proxy.view), .next(view: proxy.view),
                .context(view: 99, bytes: 100), .watch(view: 99, .all),
            ].map(\.wire)
            wires.append(
                ProxyWire(path: "/org/inkstone/TextProxy1/x", interface: "a.b", member: "C", body: [.int32(1)]))
            return try wires.map { try ask(client, $0) }
        }
        let strange = try answers()
        #expect(try ask(client, .hello(version: 1, name: "Bad")).error == nil)
        try wait("the refusal") {
            client.receive()
            return signals == ["Access"]
        }
        #expect(try access(of: client, "Bad") == .refused)
        let refused = try answers()
        host.session.insert("secret")
        server.setFocus(nil)
        let later = try answers()
        #expect(strange == refused && refused == later)
        #expect(refused[0] == .success(ProxyFocus(view: nil, epoch: 1).body))
        #expect(Set(refused[1...]) == [.failure(.error(.standard("AccessDenied", "Not allowed")))])
        #expect(signals == ["Access"] && host.session.text == "Hello.secret")
    }

    @Test func aPermissionIsKeptAndEndsAtOnceWhenItIsTakenAway() throws {
        let program = try #require(ProxyProgram(at: "/proc/self/exe"))
        var kept: ProxyPermissions?
        server.onPermissionsChange = { kept = $0 }
        server.onQuestion = { [unowned server] in server.answer($0, isAllowed: true, lasts: true) }
        let proxy = try proxy()
        #expect(kept?[program] == true && kept == server.permissions)
        proxy.setMarkedText("w", selectedRange: 1..<1)
        #expect(try outcome(proxy) == .applied)
        server.permissions = ProxyPermissions()
        #expect(host.session.text == "Hello.w" && host.session.markedText == nil)
        try wait("the end of access") { keyboard.textDocumentProxy == nil }
        #expect(!keyboard.hasFullAccess)
        server.permissions = kept ?? ProxyPermissions()
        try wait("access") { keyboard.hasFullAccess }
        #expect(try self.proxy().documentContextBeforeInput == "Hello.w")
    }

    @Test func aPermissionThatIsTakenAwayTakesAllowedOnceWithIt() throws {
        let program = try #require(ProxyProgram(at: "/proc/self/exe"))
        _ = try proxy()
        server.permissions.set(true, for: program)
        server.permissions.remove(path: program.path)
        try wait("the end of access") { keyboard.textDocumentProxy == nil }
        #expect(!keyboard.hasFullAccess)
    }

    @Test func theRecipesOfTheDocumentationDoWhatTheySay() throws {
        let proxy = try proxy()
        func text(after recipe: (TextDocumentProxy) -> Void) throws -> String {
            recipe(proxy)
            #expect(try outcome(proxy) == .applied)
            return host.session.text
        }
        #expect(try text { $0.insertText(" world") } == "Hello. world")
        #expect(ProxyRecipes.paragraph(proxy) == "Hello. world")
        #expect(try text(after: ProxyRecipes.capitalize) == "Hello. World")
        host.session.undo()
        #expect(host.session.text == "Hello. world", "one step")
        #expect(try text(after: ProxyRecipes.deleteForward) == "Hello. world")
        #expect(try text { $0.adjustTextPosition(byCharacterOffset: -1) } == "Hello. world")
        #expect(try text(after: ProxyRecipes.deleteForward) == "Hello. worl")
        #expect(try text(after: ProxyRecipes.markAccent) == "Hello. worl \u{301}")
        #expect(try text { $0.insertText("a\u{301}") } == "Hello. worlá")
        #expect(try text { ProxyRecipes.complete("Anth", to: "Anthony", $0) } == "Hello. worláAnthony")
        #expect(try text { $0.insertText("e") } == "Hello. worláAnthe")
    }

    /// Revoked by another process, through the stored list, repeatedly.
    @Test func aPermissionForOneSessionIsRevokedThoughItWasNeverListed() throws {
        let program = try #require(ProxyProgram(at: "/proc/self/exe"))
        _ = try proxy()
        var list = ProxyPermissions(text: "revoke 7 /another/one\nrevoke x /bin/x\nrevoke 1 \(program.path)\n")
        #expect(ProxyPermissions(text: list.text) == list)
        server.permissions = list
        try wait("the end of access") { keyboard.textDocumentProxy == nil }
        #expect(!keyboard.hasFullAccess)
        list.revoke(path: program.path)
        list.revoke(path: program.path)
        #expect(list.text == "revoke 7 /another/one\nrevoke 9 \(program.path)\nrevoke x /bin/x\n")
    }

    @Test func aRefusedProgramDoesNotTakeTheFocusAway() throws {
        let program = try #require(ProxyProgram(at: "/proc/self/exe"))
        _ = try proxy()
        host.takesInput = false
        host.isHolding = true
        keyboard.dismissKeyboard()
        try wait("the call") { host.queue.count == 1 }
        host.release()
        #expect(!host.hasResigned)
        host.takesInput = true
        host.isHolding = true
        keyboard.dismissKeyboard()
        try wait("the next call") { host.queue.count == 1 }
        server.permissions.set(false, for: program)
        host.release()
        #expect(!host.hasResigned)
    }

    @Test func severalWhoAskWaitForTheirAnswersAndMayGo() throws {
        var questions: [ProxyProgram] = []
        var ended: [ProxyProgram] = []
        server.onQuestion = { questions.append($0) }
        server.onQuestionEnd = { ended.append($0) }
        try wait("the question of the test's own keyboard") { questions.count == 1 }
        let clients = try (0..<3).map { _ in try stranger() }
        for (number, client) in clients.enumerated() {
            #expect(try access(of: client, "\(number)") == .asked)
            try wait("question \(number)") { questions.contains { $0.name == "\(number)" } }
            clock.passed += 60_000
        }
        clients[0].close()
        try wait("the end of a question") { !ended.isEmpty }
        #expect(ended.map(\.name) == ["0"])
        server.answer(try #require(questions.first { $0.name == "1" }), isAllowed: true, lasts: false)
        let path = BusValue.objectPath("/")
        #expect(try ask(clients[1], .focus).get().first != path)
        #expect(try ask(clients[2], .focus).get().first == path, "nobody has answered about it")
    }

    @Test func questionsThatNobodyAnswersKeepNobodyOut() throws {
        var open: [String] = []
        server.onQuestion = { open.append($0.name) }
        server.onQuestionEnd = { program in open.removeAll { $0 == program.name } }
        try wait("the question of the test's own keyboard") { open == ["Test"] }
        var late: [Bus] = []
        let clients = try (1...16).map { number in
            let client = try stranger()
            #expect(try access(of: client, "\(number)") == .asked)
            try wait("question \(number)") { open.contains("\(number)") }
            return client
        }
        #expect(open == (1...16).map(String.init), "the oldest has gone")
        // Further clients of programs that were just asked about wait; only one takes the place of a question.
        var refused: [String] = []
        for name in ["a", "b"] {
            let client = try stranger()
            _ = try client.match(BusMatch(interface: ProxyProtocol.interface)) { _ in refused.append(name) }
            clock.passed -= 60_000
            #expect(try access(of: client, name) == .asked)
            late.append(client)
        }
        try wait("the refusal of the first") {
            for client in late { client.receive() }
            return refused == ["a"]
        }
        #expect(open == (2...16).map(String.init))
        #expect(try ask(clients[0], .focus) == .success(ProxyFocus(view: nil, epoch: 1).body))
        #expect(
            try ask(clients[0], .watch(view: 1, .all)) == .failure(.error(.standard("AccessDenied", "Not allowed"))))
    }

    @Test func theBusMayEndAndComeBack() throws {
        let proxy = try proxy()
        proxy.setMarkedText("w", selectedRange: 1..<1)
        #expect(try outcome(proxy) == .applied)
        clock.passed += 60_000
        try bus.restart()
        try wait("the end of the focus") { keyboard.textDocumentProxy !== proxy }
        #expect(host.session.text == "Hello.w" && host.session.markedText == nil)
        let next = try self.proxy()
        next.insertText("x")
        #expect(try outcome(next) == .applied && host.session.text == "Hello.wx")
    }

    @Test func markedTextStaysWhenTheServerGoes() throws {
        let proxy = try proxy()
        proxy.setMarkedText("w", selectedRange: 1..<1)
        #expect(try outcome(proxy) == .applied && host.session.markedText != nil)
        server.close()
        #expect(host.session.text == "Hello.w" && host.session.markedText == nil)
    }

    @Test func aFloodIsBusyAndMakesNoneOfItsEditsTwice() throws {
        let proxy = try proxy()
        let client = try stranger()
        #expect(try ask(client, .hello(version: 1, name: "Flood")).error == nil)
        try wait("access") { (try? ask(client, .focus).get().first) == .objectPath(ProxyProtocol.path(of: proxy.view)) }
        var statuses: [TextEditStatus: Int] = [:]
        var answers = 0
        var longest = 0.0
        // A keyboard makes 200 calls a second: these take five.
        let count = 1000
        var sent = 0
        try waitUntil("the answers", within: 30_000, watching: [server.descriptor, client.descriptor]) {
            while sent < count, sent - answers < 60 {
                sent += 1
                let batch = ProxyBatch(
                    epoch: proxy.epoch, serial: UInt64(sent), base: 0, mode: .now, operations: [.insert("x")])
                let wire = ProxyRequest.apply(view: proxy.view, batch).wire
                try client.call(
                    ProxyProtocol.name(process: getpid()), path: wire.path, interface: wire.interface,
                    member: wire.member, wire.body
                ) { result in
                    answers += 1
                    if let answer = (try? result.get()).flatMap({ try? ProxyAnswer($0) }) {
                        statuses[answer.status, default: 0] += 1
                    }
                }
            }
            // Of this thread: others may run on its processor.
            let start = threadTime()
            server.processEvents()
            longest = max(longest, threadTime() - start)
            client.receive()
            return answers == count
        }
        print("flood: \(statuses), longest turn \(longest) ms")
        #expect(host.session.text == "Hello." + String(repeating: "x", count: statuses[.applied] ?? 0))
        #expect(statuses[.applied] ?? 0 >= 50 && statuses[.busy] ?? 0 > 0)
        #expect(longest < 50)
    }

    /// Starts `inkstone-type`, which is what it is to the bus.
    func typist(_ arguments: [String], input: ChildProcess.Stream = .null) throws -> ChildProcess {
        clock.passed += 60_000
        return try ChildProcess(
            Products.path(of: "inkstone-type"), arguments,
            environment: [
                "DBUS_SESSION_BUS_ADDRESS": bus.address, "PATH": "/usr/bin:/bin", "HOME": bus.directory.path,
            ],
            input: input, errors: .inherited)
    }

    func serve(_ what: String, until condition: () throws -> Bool) throws {
        try waitUntil(what, within: 20_000, watching: [server.descriptor]) {
            server.processEvents()
            return try condition()
        }
    }

    @Test func aProgramTypesFromAProcessOfItsOwnWhileAPersonTypes() throws {
        let text = String(repeating: "Grüße, κόσμε 👋🏽\n", count: 4000)
        let child = try typist(["-"], input: .pipe)
        let input = try #require(child.input)
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        var rest = Array(text.utf8)[...]
        var keys = 0
        try serve("the text") {
            if !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(input, $0.baseAddress, min($0.count, 5000)) }
                rest = rest.dropFirst(max(0, count))
                if rest.isEmpty { child.closeInput() }
            }
            host.session.insert("§")
            keys += 1
            return !child.isRunning
        }
        #expect(child.status == .exited(0))
        let all = host.session.text.unicodeScalars
        #expect(
            all.filter { $0 != "§" }.elementsEqual(("Hello." + text).unicodeScalars), "nothing is lost or there twice")
        #expect(all.count { $0 == "§" } == keys)
    }

    @Test func aProgramThatIsStoppedOrKilledHoldsNobodyUp() throws {
        let child = try typist(["-"], input: .pipe)
        let input = try #require(child.input)
        #expect(write(input, "a", 1) == 1)
        try serve("its text") { host.session.text == "Hello.a" }
        child.send(SIGSTOP)
        for _ in 0..<2000 { host.session.insert("x") }
        let proxy = try proxy()
        proxy.insertText("!")
        #expect(try outcome(proxy) == .applied)
        #expect(host.session.text == "Hello.a" + String(repeating: "x", count: 2000) + "!")
        child.send(SIGKILL)
        _ = try child.waitForExit(within: 5000)
        proxy.insertText("?")
        #expect(try outcome(proxy) == .applied)
    }

    /// The views of the text are replaced while there is nothing to type.
    @Test func aProgramTypesOnInTheViewsThatTakeTheFirstOnesPlace() throws {
        // The keyboard of the test must not ask for the context too.
        keyboard.close()
        let child = try typist(["-"], input: .pipe)
        defer { child.end() }
        let input = try #require(child.input)
        func type(_ letter: Unicode.Scalar) {
            var byte = UInt8(ascii: letter)
            _ = write(input, &byte, 1)
        }
        type("a")
        try serve("the first letter") { host.session.text == "Hello.a" }
        var last = host
        for name in ["Second", "Third"] {
            let next = TestHost(name)
            server.prepareReplacement(of: last.session, by: next.session)
            server.setFocus(nil)
            server.setFocus(next)
            try serve("the proxy of \(name)") { next.hasSentContext }
            last = next
        }
        type("b")
        try serve("the second letter") { last.session.text == "Thirdb" || !child.isRunning }
        child.closeInput()
        try serve("its end") { !child.isRunning }
        #expect(last.session.text == "Thirdb" && child.status == .exited(0))
    }

    @Test func aProgramWhoseFileWasReplacedIsNotRemembered() throws {
        let path = bus.directory.path + "/keyboard"
        var subject: ProxyProgram?
        server.onQuestion = { if $0.file == path { subject = $0 } }
        try TextFiles.write(TextFiles.bytes(Products.path(of: "inkstone-type")), to: path)
        chmod(path, 0o755)
        let child = try ChildProcess(
            path, ["x"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": bus.directory.path])
        unlink(path)
        try serve("the question") { subject != nil }
        child.end()
        #expect(subject?.path == path + " (replaced, or in a sandbox)" && subject?.isLasting == false)
    }

    /// Programs in Flatpak: their own information (`.flatpak-info`) is not read, however long it is and wherever it
    /// leads.
    @Test func aProgramInASandboxIsNotRemembered() {
        func program(_ path: String, isInPlace: Bool) -> ProxyProgram {
            ProxyProgram(
                BusPeer.Executable(
                    path: path, device: 1, inode: 2, owner: 0, mode: 0o100755, isDeleted: false, isInPlace: isInPlace),
                process: 7, name: "x")
        }
        let sandboxed = program("/app/bin/keyboard", isInPlace: false)
        #expect(!sandboxed.isLasting && sandboxed.path == "/app/bin/keyboard (replaced, or in a sandbox)")
        for path in ["/usr/bin/xdg-dbus-proxy", "/usr/bin/bwrap", "/usr/bin/flatpak"] {
            #expect(!program(path, isInPlace: true).isLasting, "it stands for all that it runs: \(path)")
        }
        #expect(program("/usr/bin/keyboard", isInPlace: true).isLasting)
        var list = ProxyPermissions()
        list.set(true, for: program("/app/bin/keyboard", isInPlace: true))
        #expect(list[sandboxed] == nil, "a file of the same name and numbers in a sandbox is another program")
    }

    /// An interpreter is never remembered, even if the user asks for that: the next process may run another
    /// program.
    @Test func anInterpreterIsAllowedForOneProcess() throws {
        var questions: [ProxyProgram] = []
        server.onQuestion = { questions.append($0) }
        server.onPermissionsChange = { _ in Issue.record("it is kept") }
        try wait("the question of the test's own keyboard") { questions.count == 1 }
        let path = bus.directory.path + "/python3"
        try TextFiles.write(TextFiles.bytes(Products.path(of: "inkstone-type")), to: path)
        chmod(path, 0o755)
        for number in 1...2 {
            clock.passed += 60_000
            let child = try ChildProcess(
                path, ["\(number)"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": bus.directory.path])
            defer { child.end() }
            try serve("question \(number)") { questions.count == number + 1 }
            let program = try #require(questions.last)
            #expect(program.path == path && !program.isLasting)
            server.answer(program, isAllowed: true, lasts: true)
            try serve("its end") { !child.isRunning }
            #expect(child.status == .exited(0))
        }
        #expect(host.session.text == "Hello.12" && server.permissions == ProxyPermissions())
    }

    @Test func unknownProcessesAndOtherUsersAreNoPrograms() {
        let executable = BusPeer.Executable(
            path: "/usr/bin/keyboard", device: 1, inode: 2, owner: 0, mode: 0o100755, isDeleted: false, isInPlace: true)
        let own = BusPeer(name: ":1.7", userID: getuid(), processID: 7, executable: executable)
        #expect(ProxyProgram(own, name: "x")?.path == "/usr/bin/keyboard")
        for change: (inout BusPeer) -> Void in [
            { $0.userID = getuid() + 1 }, { $0.userID = nil }, { $0.processID = nil }, { $0.executable = nil },
        ] {
            var peer = own
            change(&peer)
            #expect(ProxyProgram(peer, name: "x") == nil, "\(peer)")
        }
    }

    @Test func aRefusedProgramReportsIt() throws {
        server.onQuestion = { [unowned server] in server.answer($0, isAllowed: false, lasts: false) }
        let child = try typist(["secret"], input: .null)
        try serve("its end") { !child.isRunning }
        #expect(child.status == .exited(1) && host.session.text == "Hello.")
    }

    @Test func repeatedMessagesAndThoseForOtherViewsChangeNothing() throws {
        let proxy = try proxy()
        let client = try stranger()
        #expect(try ask(client, .hello(version: 1, name: "Liar")).error == nil)
        try wait("access") { (try? ask(client, .focus).get().first) == .objectPath(ProxyProtocol.path(of: proxy.view)) }
        func apply(_ serial: UInt64, view: UInt64? = nil, epoch: UInt64? = nil, _ text: String) throws -> ProxyAnswer {
            let batch = ProxyBatch(
                epoch: epoch ?? proxy.epoch, serial: serial, base: 0, mode: .now, operations: [.insert(text)])
            return try ProxyAnswer(ask(client, .apply(view: view ?? proxy.view, batch)).get())
        }
        let first = try apply(5, "a")
        #expect(first.status == .applied)
        #expect(try apply(5, "b") == first && apply(4, "c") == first)
        #expect(try apply(6, view: proxy.view + 1, "d").status == .gone)
        #expect(try apply(7, epoch: proxy.epoch + 1, "e").status == .gone)
        var wire = ProxyRequest.focus.wire
        wire.member = "Apply"
        #expect(try ask(client, wire).error == .error(.unknownMethod))
        #expect(host.session.text == "Hello.a")
    }

    /// 10⁵ of them with INKSTONE_LONG_TESTS. The bus itself cuts off who sends what is not well-formed.
    @Test func nonsenseOverABusChangesAndHoldsUpNothing() throws {
        let proxy = try proxy()
        let client = try stranger()
        #expect(try ask(client, .hello(version: 1, name: "Liar")).error == nil)
        try wait("access") { (try? ask(client, .focus).get().first) == .objectPath(ProxyProtocol.path(of: proxy.view)) }
        var random = SeededGenerator()
        print("nonsense: seed \(random.seed)")
        var values = RandomBodies(generator: random)
        let count = getenv("INKSTONE_LONG_TESTS") == nil ? 2000 : 100_000
        var (sent, answers, longest) = (0, 0, 0.0)
        let before = residentMegabytes()
        try waitUntil("the answers", within: 120_000, watching: [server.descriptor, client.descriptor]) {
            while sent < count, sent - answers < 60 {
                sent += 1
                var wire = ProxyRequest.watch(view: proxy.view + UInt64(random.below(8) / 7), .text).wire
                wire.member = ["Apply", "Watch", "Context", "Resign", "Next", "Focus", "Hello"][random.below(7)]
                if random.below(8) == 0 { (wire.path, wire.interface) = (ProxyProtocol.path, ProxyProtocol.interface) }
                wire.body = values.body()
                // A valid Resign would really remove the focus.
                if wire.member == "Resign" { wire.body.append(.byte(1)) }
                try client.call(
                    ProxyProtocol.name(process: getpid()), path: wire.path, interface: wire.interface,
                    member: wire.member, wire.body
                ) { _ in answers += 1 }
            }
            // Of this thread: others may run on its processor.
            let start = threadTime()
            server.processEvents()
            longest = max(longest, threadTime() - start)
            client.receive()
            return answers == count
        }
        let growth = residentMegabytes() - before
        print("nonsense: \(count) messages, longest turn \(longest) ms, memory grew by \(growth) MB")
        #expect(host.session.text == "Hello." && !host.hasResigned)
        #expect(longest < 50 && growth < 50)
        proxy.insertText("!")
        #expect(try outcome(proxy) == .applied && host.session.text == "Hello.!")
    }

    @Test func theListIsReadAsItWasWritten() throws {
        var list = ProxyPermissions(text: "allow 1 2 /bin/a b\nnonsense\nrefuse 3 4 /bin/c\nallow x 2 /bin/d\n")
        #expect(list.entries.map(\.path) == ["/bin/a b", "/bin/c"])
        #expect(ProxyPermissions(text: list.text) == list)
        func program(_ path: String, _ inode: UInt64, isLasting: Bool = true) -> ProxyProgram {
            ProxyProgram(path: path, process: 1, name: "", device: 1, inode: inode, isLasting: isLasting)
        }
        #expect(list[program("/bin/a b", 2)] == true && list[program("/bin/a b", 3)] == nil)
        #expect(list[program("/bin/a b", 2, isLasting: false)] == nil)
        list.set(false, for: program("/bin/a b", 3))
        #expect(list[program("/bin/a b", 2)] == nil && list[program("/bin/a b", 3)] == false)
        #expect(list.remove(path: "/bin/c") && !list.remove(path: "/bin/c") && list.entries.count == 1)
    }

    @Test func permissionIsNotRememberedForInterpreters() throws {
        let directory = try OwnedDirectory()
        for (name, isLasting) in [
            ("python3.11", false), ("sh", false), ("wine-preloader", false), ("onboard", true), ("shell", true),
            ("python3.13t", false), ("python3-dbg", false), ("ld-musl-x86_64.so.1", false), ("vim.basic", false),
            ("javanese", true), ("key\u{202E}board", false), ("key\u{200B}board", false),
        ] {
            let path = directory.path + "/" + name
            try TextFiles.write("", to: path)
            chmod(path, 0o755)
            #expect(ProxyProgram(at: path)?.isLasting == isLasting, "\(name)")
            chmod(path, 0o777)
            #expect(ProxyProgram(at: path)?.isLasting == false, "others can write it")
        }
        let dressed = ProxyProgram(
            path: "/a/\u{202E}b", process: 1, name: "", device: 1, inode: 1, isLasting: false)
        #expect(dressed.visiblePath == #"/a/\u{202E}b"#)
        #expect(ProxyProgram(at: directory.path) == nil && ProxyProgram(at: "/nowhere") == nil)
    }
}

/// The processor's time of this thread, in milliseconds.
private func threadTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

/// The memory of this process that is not swapped out, in megabytes.
private func residentMegabytes() -> Int {
    let fields = ((try? TextFiles.read("/proc/self/statm")) ?? "").split(separator: " ")
    return (fields.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize()) >> 20
}

/// Bodies of any types.
private struct RandomBodies {
    var generator: SeededGenerator

    mutating func body() -> [BusValue] { (0..<generator.below(6)).map { _ in value(2) } }

    private mutating func value(_ depth: Int) -> BusValue {
        switch generator.below(depth > 0 ? 9 : 6) {
        case 0: .uint64(UInt64(generator.below(4)))
        case 1: .uint32(UInt32(generator.below(40)))
        case 2: .string(["", "x", "\u{1B}"][generator.below(3)])
        case 3: .int32(Int32(generator.below(100_000)) - 50_000)
        case 4: .byte(0)
        case 5: .uint64(.max)
        case 6: .variant(value(depth - 1))
        case 7: .structure([value(depth - 1), value(depth - 1)])
        default: .array(.structure([.uint32, .variant]), [.structure([.uint32(0), .variant(.string("\u{1B}"))])])
        }
    }
}

extension Result {
    /// The failure; nil for a success.
    fileprivate var error: Failure? { if case .failure(let failure) = self { failure } else { nil } }
}

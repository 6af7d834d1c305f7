import Glibc
import InkstoneBase
import InkstoneBus
import InkstoneEditing
import InkstoneInput
import InkstoneProxy
import InkstoneText

/// The text that has the focus, in the program that shows it.
package protocol ProxyHost: AnyObject {
    var session: EditingSession { get }
    /// The position of the caret, in root pixels; nil if it is not on the screen.
    var caret: ProxyContext.Caret? { get }
    /// The input traits of the view; the server sets `isSingleLine` by itself.
    var traits: TextInputTraits { get }
    /// Whether the user could type into the text now. False while a question gets the keys.
    var takesInput: Bool { get }
    /// Whether an edit that the text does not accept now should be sent again later. True for edits that were begun
    /// before the user could notice the question that gets the keys.
    var keepsEdit: Bool { get }
    /// Handles the user's keys and clicks that have arrived already. Call before handling something that must come
    /// after them. May move the focus.
    func takeInput()
    /// Runs `work` after the user's pending keys and clicks have been handled. May drop it when the window is
    /// closed.
    func performInOrder(_ work: @escaping () -> Void)
    /// Performs the return action of a single-line view. Returns whether the view has one.
    func performReturn() -> Bool
    /// Gives up the focus.
    func resign()
}

/// The server for keyboards in other processes. It owns a name on the session bus, and lets programs that the user
/// has permitted edit the text that has the focus.
///
/// Does nothing before ``start()``. Call ``processEvents()`` whenever ``descriptor`` is readable. Use it on one
/// thread only.
package final class ProxyServer {
    /// The user's permanent decisions about programs: those permitted to type, and those refused. A change takes effect
    /// immediately.
    package var permissions = ProxyPermissions() {
        didSet {
            guard permissions != oldValue else { return }
            // If an entry was removed or revoked, running processes of its program lose their permission too,
            // including those that the user permitted only once.
            let gone = Set(oldValue.entries.map(\.path)).subtracting(permissions.entries.map(\.path))
                .union(Set(permissions.revocations).subtracting(oldValue.revocations).map(\.path))
            for peer in peers.values {
                if let program = peer.program, gone.contains(program.file) { peer.decision = nil }
            }
            for path in gone { questions[path] = nil }
            reconsider()
        }
    }
    /// Called to ask the user about the program of a connection. Answer by ``answer(_:isAllowed:lasts:)``. Nil
    /// refuses all programs that are not in ``permissions``.
    package var onQuestion: ((ProxyProgram) -> Void)?
    /// Called when a question is obsolete: the connection has ended, or the program was allowed or refused in
    /// another way.
    package var onQuestionEnd: ((ProxyProgram) -> Void)?
    /// Called when questions have to be delayed. Must run `work` after that number of milliseconds.
    package var onPause: ((_ milliseconds: Int64, _ work: @escaping () -> Void) -> Void)?
    /// Called when the user's answer to a question has changed ``permissions``. Store them then.
    package var onPermissionsChange: ((ProxyPermissions) -> Void)?

    private let bus: Bus
    private let clock: () -> Int64
    private var peers: [String: ProxyPeer] = [:]
    private var host: (any ProxyHost)?
    private var view: ProxiedView?
    private var traits: TextInputTraits?
    private var epoch: UInt64 = 1
    private var observation: TextObservation?
    /// The epoch of a view that another view is about to replace or has replaced, and the session of that other
    /// view; nil for none. Batches for the former view are answered with `busy`. Keyboards then send them again to
    /// the other view.
    private var former: (view: UInt64, successor: EditingSession)?
    /// The times at which the user was last asked about an executable, in milliseconds, by the path of the
    /// executable.
    private var questions: [String: Int64] = [:]
    private var asksLater = false

    package init(
        _ setup: BusSetup = BusSetup(), clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        bus = Bus(setup)
        self.clock = clock
    }

    deinit { close() }

    /// Starts to connect to the bus, without waiting. Returns nil, or the reason why the server cannot start.
    package func start() -> String? {
        bus.onStateChange = { [weak self] state in
            if case .connected = state { return }
            self?.endAll()
        }
        do throws(BusFailure) {
            _ = try bus.register(ProxyProtocol.path, isTree: true) { [weak self] in self?.receive($0) }
            try own(attempt: 1)
        } catch {
            return error.description
        }
        bus.start()
        if case .failed(let failure) = bus.state { return failure.description }
        return nil
    }

    /// Requests a name on the bus with the process identifier. Adds a suffix if another process has that name: a
    /// process in a sandbox may have the same identifier.
    private func own(attempt: Int) throws(BusFailure) {
        let name = ProxyProtocol.name(process: getpid()) + (attempt == 1 ? "" : "-\(attempt)")
        try bus.own(name) { [weak self] state in
            guard let self, state == .taken, attempt < ProxyLimits.names else { return }
            bus.release(name)
            try? own(attempt: attempt + 1)
        }
    }

    /// The file descriptor of the connection, readable when ``processEvents()`` has something to do.
    package var descriptor: Int32 { bus.descriptor }

    /// Handles the messages that have arrived. Does not block.
    package func processEvents() { bus.receive() }

    /// Ends the connection. Text that keyboards have marked becomes ordinary text.
    package func close() {
        endAll()
        bus.close()
    }

    // MARK: Focus

    /// Sets the text that has the focus; nil for none.
    package func setFocus(_ host: (any ProxyHost)?) {
        let isSame = host?.session === self.host?.session
        self.host = host
        if !isSame { focusDidChange() } else { traitsDidChange() }
    }

    /// Prepares for the focus to move from a text to its replacement. Batches for the first text are answered with
    /// `busy`, both those that are waiting and those that still arrive. Keyboards then send them again to the
    /// replacement.
    package func prepareReplacement(of session: EditingSession, by successor: EditingSession) {
        // If `session` is replaced before it got the focus from a former view, that view's batches are for `successor`.
        if former?.successor === session { former?.successor = successor }
        guard let view, view.session === session else { return }
        former = (view.epoch, successor)
        for peer in peers.values {
            for call in peer.takeAllWaiting() { reply(to: call, .busy) }
        }
    }

    /// Updates the traits of the text with the focus. The view stays the same, and waiting batches are still
    /// applied. But if the text becomes secure, or is no longer secure, this counts as a change of the focus.
    private func traitsDidChange() {
        let new = host.flatMap(Self.traits)
        guard observation != nil, new != traits else { return }
        guard let new, traits != nil else { return focusDidChange() }
        traits = new
        emitFocus()
    }

    /// Returns the traits of a text; nil if the text is secure and keyboards must not know of it.
    private static func traits(of host: any ProxyHost) -> TextInputTraits? {
        let options = host.session.options
        guard !options.isSecureTextEntry else { return nil }
        var traits = host.traits
        traits.isSingleLine = options.isSingleLine
        return traits
    }

    /// Gives the text with the focus a new epoch, and notifies the permitted keyboards. If no keyboard is
    /// permitted, the epoch stays the same and keyboards get no view.
    private func focusDidChange() {
        for peer in peers.values {
            view?.end(peer.id)
            for call in peer.takeAllWaiting() { reply(to: call, .gone) }
            peer.watched = []
            peer.didAsk()
        }
        if let successor = former?.successor,
            view?.session === successor || host.map({ $0.session !== successor }) == true
        {
            former = nil
        }
        (view, observation, traits) = (nil, nil, nil)
        guard peers.values.contains(where: { $0.access == .allowed }) else { return }
        epoch += 1
        if let host {
            traits = Self.traits(of: host)
            // Capture the server weakly: the observation must not keep it alive, because `deinit` makes text that
            // keyboards have marked ordinary text.
            observation = host.session.observe { [weak self] update in
                // Check the traits at a change of the geometry, because a change of the options causes a new layout.
                if update.changes.contains(.geometry) { self?.traitsDidChange() }
            }
            if traits != nil {
                let view = ProxiedView(host.session, epoch: epoch)
                view.caret = { [weak self] in self?.host?.caret }
                view.onChange = { [weak self] in self?.viewDidChange($0, $1, $2) }
                self.view = view
            }
        }
        emitFocus()
    }

    private func emitFocus() {
        for peer in peers.values where peer.access == .allowed { emit("FocusChanged", focus.body, to: peer) }
    }

    private var focus: ProxyFocus {
        guard let view else { return ProxyFocus(view: nil, epoch: epoch) }
        var focus = ProxyFocus(view: view.epoch, epoch: epoch, traits: traits ?? TextInputTraits())
        if let former, former.successor === view.session { focus.former = former.view }
        return focus
    }

    private func viewDidChange(_ changes: ProxyChanges, _ causes: ProxyCauses, _ author: DocumentID?) {
        guard let view else { return }
        for peer in peers.values where peer.access == .allowed && peer.id != author {
            guard let (changes, causes) = peer.note(changes, causes) else { continue }
            let notice = ProxyNotice(
                epoch: epoch, revision: view.revision, changes: changes, causes: causes,
                lastBatch: peer.last?.serial ?? 0)
            try? bus.emit(
                path: ProxyProtocol.path(of: view.epoch), interface: ProxyProtocol.viewInterface, member: "Changed",
                notice.body, to: peer.name, state: "changed", isForced: true)
        }
    }

    private func emit(_ member: String, _ body: [BusValue], to peer: ProxyPeer) {
        try? bus.emit(
            path: ProxyProtocol.path, interface: ProxyProtocol.interface, member: member, body, to: peer.name,
            state: member, isForced: true)
    }

    // MARK: Handling calls

    /// The answer to requests of programs without permission, except to Hello and Focus. Always the same, because
    /// it must reveal nothing about the text.
    private static let denied = BusError.standard("AccessDenied", "Not allowed")

    private func receive(_ call: BusCall) {
        let message = call.message
        let peer = peers[message.sender]
        let isHello = message.path == ProxyProtocol.path && message.member == "Hello"
        guard isHello || peer?.access == .allowed else {
            let isFocus = message.path == ProxyProtocol.path && message.member == "Focus" && message.body.isEmpty
            guard isFocus else { return bus.reply(to: call, error: Self.denied) }
            return bus.reply(to: call, ProxyFocus(view: nil, epoch: 1).body)
        }
        let request: ProxyRequest
        do throws(ProxyError) {
            request = try ProxyRequest(
                ProxyWire(path: message.path, interface: message.interface, member: message.member, body: message.body))
        } catch {
            return bus.reply(to: call, error: error.busError)
        }
        if case .hello(let version, let name) = request { return greet(call, version, name) }
        guard let peer else { return }
        switch request {
        case .hello: break
        case .focus: bus.reply(to: call, focus.body)
        case .watch(let number, let changes):
            guard let view, view.epoch == number else { return bus.reply(to: call, error: .unknownObject) }
            peer.watched = changes
            peer.didAsk()
            bus.reply(to: call)
        case .context(let number, let bytes):
            guard let view, view.epoch == number else { return bus.reply(to: call, error: .unknownObject) }
            guard peer.takeToken(at: clock()) else { return bus.reply(to: call, error: .limitsExceeded) }
            peer.didAsk()
            bus.reply(to: call, view.context(bytes: Int(bytes), for: peer.id).body)
        case .apply(let number, let batch): receive(call, number, batch, peer)
        case .resign(let number):
            guard peer.takeToken(at: clock()) else { return bus.reply(to: call, error: .limitsExceeded) }
            bus.reply(to: call)
            guard view?.epoch == number else { return }
            host?.performInOrder { [weak self, weak peer] in
                if let self, let peer, peer.access == .allowed { resign(number) }
            }
        case .next: bus.reply(to: call)
        }
    }

    private func resign(_ number: UInt64) {
        if view?.epoch == number, let host, host.takesInput { host.resign() }
    }

    private func reply(to call: BusCall, _ status: TextEditStatus) {
        bus.reply(to: call, ProxyAnswer(status: status, context: ProxyContext(revision: 0)).body)
    }

    /// Puts a batch into the input queue. It is applied when its turn comes.
    private func receive(_ call: BusCall, _ number: UInt64, _ batch: ProxyBatch, _ peer: ProxyPeer) {
        // Handle first the key events that the keyboard may have sent just before this batch, by way of the X server.
        host?.takeInput()
        // Apply nothing if another view is replacing the one that the batch is for: the keyboard sends the batch again
        // to the other view.
        guard former?.view != number else { return reply(to: call, .busy) }
        guard let host, view?.epoch == number else { return reply(to: call, .gone) }
        let now = clock()
        let left = min(call.expiry, batch.deadline ?? .max) - MonotonicClock.milliseconds
        let waiting = ProxyPeer.Waiting(call: call, view: number, batch: batch, expiry: now + left)
        guard peer.takeToken(at: now), let place = peer.wait(waiting, now: now) else { return reply(to: call, .busy) }
        host.performInOrder { [weak self, weak peer] in
            guard let self, let peer, let next = peer.takeWaiting(place) else { return }
            guard peer.access == .allowed else { return bus.reply(to: next.call, error: Self.denied) }
            // Do not apply the batch if the caller's time is over, because the caller may have sent it again.
            guard clock() < next.expiry else { return bus.reply(to: next.call, error: .noReply) }
            apply(next.batch, next.call, next.view, peer)
        }
    }

    private func apply(_ batch: ProxyBatch, _ call: BusCall, _ number: UInt64, _ peer: ProxyPeer) {
        guard let view, view.epoch == number else { return reply(to: call, .gone) }
        // Answer a repeated batch as the last batch, without applying it again.
        if let last = peer.last, batch.serial <= last.serial { return bus.reply(to: call, last.answer.body) }
        guard let host, host.takesInput else { return reply(to: call, host?.keepsEdit == true ? .busy : .refused) }
        let answer = returnAnswer(to: batch, peer) ?? view.apply(batch, by: peer.id)
        peer.last = (batch.serial, answer)
        peer.didAsk()
        bus.reply(to: call, answer.body)
    }

    /// Performs the return action, for a batch that has only a newline, in a single-line view. Nil for any other
    /// batch, and if the view has no return action.
    private func returnAnswer(to batch: ProxyBatch, _ peer: ProxyPeer) -> ProxyAnswer? {
        guard let host, batch.operations == [.insert("\n")], batch.mode == .now, batch.epoch == epoch,
            traits?.isSingleLine == true, host.performReturn()
        else { return nil }
        // If the return action has moved the focus, return no context.
        guard let view, view.epoch == batch.epoch else {
            return ProxyAnswer(status: .applied, context: ProxyContext(revision: 0))
        }
        return ProxyAnswer(
            status: .applied, context: view.context(bytes: ProxyProtocol.answerContext, for: peer.id))
    }

    // MARK: Deciding about programs

    private func welcome(_ access: ProxyAccess) -> ProxyWelcome {
        ProxyWelcome(access: access, clock: MonotonicClock.milliseconds)
    }

    private func greet(_ call: BusCall, _ version: UInt32, _ name: String) {
        let sender = call.message.sender
        guard version >= 1 else {
            return bus.reply(to: call, error: .standard("NotSupported", "No such version"))
        }
        if let known = peers[sender] { return bus.reply(to: call, welcome(known.access).body) }
        if peers.count >= ProxyLimits.peers { makeRoom() }
        guard peers.count < ProxyLimits.peers else { return bus.reply(to: call, error: .limitsExceeded) }
        let peer = ProxyPeer(sender)
        peers[sender] = peer
        peer.ownerWatch = try? bus.watch(sender) { [weak self, weak peer] owner in
            if owner == nil, let peer { self?.end(peer) }
        }
        bus.reply(to: call, welcome(.asked).body)
        let isAsked: Void? = try? bus.credentials(of: sender) { [weak self, weak peer] result in
            if let self, let peer { identify(peer, as: try? result.get(), name) }
        }
        if isAsked == nil { end(peer) }
    }

    /// Ends a connection to make room for another one: a refused one; or else the oldest that has to wait for its
    /// question; or else the oldest whose question is not answered. Open questions thus do not keep other keyboards
    /// out.
    ///
    /// But while the process of some connection is not known yet, only a refused one is ended. Otherwise a burst of
    /// new connections would end the questions of earlier ones. The new connection then gets an error, and tries
    /// again.
    private func makeRoom() {
        if let refused = peers.values.first(where: { $0.access == .refused }) { return end(refused) }
        let unanswered = peers.values.filter { $0.access == .asked }
        let waiting = unanswered.filter { !$0.isQuestionOpen }
        guard !unanswered.contains(where: { $0.program == nil }),
            let oldest = (waiting.isEmpty ? unanswered : waiting).min(by: { $0.id.rawValue < $1.id.rawValue })
        else { return }
        emit("Access", [.string(ProxyAccess.refused.rawValue)], to: oldest)
        end(oldest)
    }

    /// Decides about a connection when the bus has reported its process.
    private func identify(_ peer: ProxyPeer, as process: BusPeer?, _ name: String) {
        guard let process, let program = ProxyProgram(process, name: name) else { return setAccess(.refused, of: peer) }
        peer.program = program
        consider(peer)
    }

    /// Decides about all connections again, in the order in which they came.
    private func reconsider() {
        for peer in peers.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) { consider(peer) }
    }

    private func consider(_ peer: ProxyPeer) {
        guard let program = peer.program else { return }
        if let isAllowed = permissions[program] ?? peer.decision {
            if peer.isQuestionOpen { onQuestionEnd?(program) }
            peer.isQuestionOpen = false
            return setAccess(isAllowed ? .allowed : .refused, of: peer)
        }
        // Ask only if nothing was decided about the connection before. If its program has just lost its permission,
        // refuse it without a question.
        guard peer.access == .asked else { return setAccess(.refused, of: peer) }
        guard !peer.isQuestionOpen else { return }
        guard let onQuestion else { return setAccess(.refused, of: peer) }
        // Delay the question about a program that connects again and again.
        let now = clock()
        questions = questions.filter { now - $0.value < ProxyLimits.questionPause }
        guard questions[program.file] == nil, questions.count < ProxyLimits.peers else { return askLater(at: now) }
        questions[program.file] = now
        peer.isQuestionOpen = true
        onQuestion(program)
    }

    /// Schedules the waiting questions for the end of the pause that ends first.
    private func askLater(at now: Int64) {
        guard !asksLater, let first = questions.values.min() else { return }
        asksLater = true
        onPause?(first + ProxyLimits.questionPause - now) { [weak self] in
            self?.asksLater = false
            self?.reconsider()
        }
    }

    /// Handles the user's answer about a program.
    ///
    /// - Parameters:
    ///   - isAllowed: whether the program may type.
    ///   - lasts: whether the answer is for later processes of the program too. Without effect if no permission for
    ///     the program may be stored.
    package func answer(_ program: ProxyProgram, isAllowed: Bool, lasts: Bool) {
        let isKept = lasts && program.isLasting
        for peer in peers.values where peer.program == program {
            // Apply the answer also to other connections of the same process that wait for a question.
            guard peer.isQuestionOpen || peer.access == .asked && peer.decision == nil else { continue }
            peer.isQuestionOpen = false
            if isKept { continue }
            peer.decision = isAllowed
            consider(peer)
        }
        if isAllowed {
            // Require no pause before a question about the next process of a program that was permitted.
            questions[program.file] = nil
            if !isKept { reconsider() }
        }
        guard isKept else { return }
        permissions.set(isAllowed, for: program)
        onPermissionsChange?(permissions)
    }

    private func setAccess(_ access: ProxyAccess, of peer: ProxyPeer) {
        guard access != peer.access else { return }
        let isFirst = access == .allowed && !peers.values.contains { $0.access == .allowed }
        if access == .refused { view?.end(peer.id) }
        peer.access = access
        for call in access == .allowed ? [] : peer.takeAllWaiting() { bus.reply(to: call, error: Self.denied) }
        if isFirst || access != .allowed && !peers.values.contains(where: { $0.access == .allowed }) {
            focusDidChange()
        }
        emit("Access", [.string(access.rawValue)], to: peer)
    }

    /// Forgets a connection that has ended. Text that it has marked becomes ordinary text.
    private func end(_ peer: ProxyPeer) {
        guard peers[peer.name] === peer else { return }
        peers[peer.name] = nil
        if let watch = peer.ownerWatch { bus.remove(watch) }
        view?.end(peer.id)
        if peer.isQuestionOpen, let program = peer.program { onQuestionEnd?(program) }
        if !peers.values.contains(where: { $0.access == .allowed }) { focusDidChange() }
    }

    private func endAll() { for peer in Array(peers.values) { end(peer) } }
}

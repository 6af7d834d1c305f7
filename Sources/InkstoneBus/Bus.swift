import CBus
import Glibc
import InkstoneBase

/// A D-Bus connection that runs on a thread of its own. Messages are made of values, and no call blocks.
///
/// Before ``start()`` there is no thread, no descriptor and no loaded library. After it, the owner must call
/// ``receive()`` whenever ``descriptor`` is readable. ``receive()`` calls the handlers, one at a time, on the
/// owner's thread and in the order in which the messages arrived. Handlers may use the bus. A handler never runs
/// inside another one, except that ``close()`` calls the handlers of open calls. Registrations and requests of
/// names outlive a connection: they are made again on the next one.
///
/// Bound to one thread. Peers cannot block that thread: the bus's own thread reads, checks and counts their
/// messages. The queues to the owner and to the bus have limits, and so has the list of calls without an answer
/// (``BusLimits``).
package final class Bus {
    /// The closures to call for answers, calls, signals and changes, by the numbers of their calls or registrations.
    private struct Handlers {
        var replies: [Int: (Result<[BusValue], BusFailure>) -> Void] = [:]
        var peers: [Int: (Result<BusPeer, BusFailure>) -> Void] = [:]
        var objects: [Int: (BusCall) -> Void] = [:]
        var signals: [Int: (BusMessage) -> Void] = [:]
        /// The watches of names, each with the owner that was reported last; `last` is nil until the first report.
        var owners: [Int: (name: String, last: String??, handler: (String?) -> Void)] = [:]
        var names: [String: (BusNameState) -> Void] = [:]
    }

    /// The progress of the connection. Changes only in ``start()``, ``receive()`` and ``close()``.
    package private(set) var state = BusState.idle
    /// Called when ``receive()`` has changed ``state``. Not called by ``start()`` and ``close()``.
    package var onStateChange: ((BusState) -> Void)?

    private let setup: BusSetup
    private var mailbox: BusMailbox?
    private(set) var outbox: BusOutbox?
    private var handlers = Handlers()
    /// The registrations made before ``start()``. The thread applies them when it starts.
    private var early: [BusControl] = []
    private var lastID = 0

    package init(_ setup: BusSetup = BusSetup()) { self.setup = setup }

    deinit { close() }

    /// Starts the thread, which loads the library and connects. Further calls have no effect. Does not block. If
    /// there is no bus, or no descriptor or thread can be created, the state becomes failed immediately.
    package func start() {
        guard state == .idle else { return }
        guard let address = setup.address ?? BusSetup.sessionAddress else {
            return fail("this session has no D-Bus (DBUS_SESSION_BUS_ADDRESS is not set)")
        }
        let mailbox = BusMailbox(limit: setup.limits.sending)
        let outbox = BusOutbox(limit: setup.limits.receiving)
        guard mailbox.descriptor >= 0, outbox.descriptor >= 0 else { return fail("no descriptor is left for D-Bus") }
        // Block signals on the new thread, except faults: signal handlers belong to the program's other threads.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let setup = setup
        do {
            let thread = try BackgroundThread.start {
                cbus_thread_name("bus")
                BusThread(setup, address: address, mailbox: mailbox, outbox: outbox).run()
            }
            pthread_detach(thread)
        } catch {
            return fail("no thread is left for D-Bus")
        }
        state = .connecting
        (self.mailbox, self.outbox) = (mailbox, outbox)
        for control in early { mailbox.send(control) }
        early = []
    }

    private func fail(_ reason: String) {
        state = .failed(.unavailable(reason))
        early = []
    }

    /// Closes the bus without waiting for the end of its thread. Messages sent before are still written, if the bus
    /// is connected and that takes little time. The handlers of calls without an answer are called with ``BusFailure/closed``. After
    /// that, no handler is called.
    package func close() {
        guard state != .closed else { return }
        state = .closed
        mailbox?.close()
        outbox?.close()
        let open = handlers
        handlers = Handlers()
        for id in open.replies.keys.sorted() { open.replies[id]?(.failure(.closed)) }
        for id in open.peers.keys.sorted() { open.peers[id]?(.failure(.closed)) }
    }

    /// Whether the thread has ended and its connection is closed, or the thread never ran. ``descriptor`` becomes
    /// readable when the thread ends.
    package var hasEnded: Bool { outbox?.hasEnded ?? true }
    /// The number of peers' calls and signals that were dropped because too many events were waiting for
    /// ``receive()``.
    package var droppedCount: Int { outbox?.dropped ?? 0 }
    /// The weight of the events queued for ``receive()``, in bytes.
    package var waitingWeight: Int { outbox?.weight ?? 0 }

    // MARK: Receiving

    /// A descriptor that is readable while events are queued for ``receive()``. For polling only: never read from
    /// it. -1 before ``start()``.
    package var descriptor: Int32 { outbox?.descriptor ?? -1 }

    /// Makes ``descriptor`` readable, so that the owner's event loop calls ``receive()`` in its next iteration.
    package func wake() { outbox?.wake() }

    /// Makes ``descriptor`` readable after `delay` milliseconds, for an owner that has no timers. A later call
    /// replaces the one before.
    package func wake(afterMilliseconds delay: Int64) { send(.wake(at: MonotonicClock.milliseconds + delay)) }

    /// Calls the handlers for the queued events, until the limits ``BusLimits/turn`` and ``BusLimits/turnTime`` are
    /// reached. ``descriptor`` stays readable while more events are queued. Does not block.
    package func receive() {
        let end = MonotonicClock.milliseconds + setup.limits.turnTime
        var weight = 0
        while let outbox, let (event, eventWeight) = outbox.take() {
            receive(event)
            weight += eventWeight
            if weight >= setup.limits.turn || MonotonicClock.milliseconds > end { return }
        }
    }

    private func receive(_ event: BusEvent) {
        guard state != .closed else { return }
        switch event {
        case .state(let new):
            state = new
            onStateChange?(new)
        case .reply(let id, let result): handlers.replies.removeValue(forKey: id)?(result)
        case .peer(let id, let result): handlers.peers.removeValue(forKey: id)?(result)
        case .call(let id, let call):
            guard let handler = handlers.objects[id] else { return reply(to: call, error: .unknownObject) }
            handler(call)
        case .signal(let ids, let message): for id in ids { handlers.signals[id]?(message) }
        case .owner(let name, let owner):
            for id in handlers.owners.keys.sorted() {
                guard let watch = handlers.owners[id], watch.name == name, watch.last != .some(owner) else { continue }
                handlers.owners[id]?.last = .some(owner)
                watch.handler(owner)
            }
        case .name(let name, let state): handlers.names[name]?(state)
        }
    }

    // MARK: Sending

    /// Calls a method. The handler is called exactly once, unless this function throws. It gets the answer, or the
    /// reason why there is none: after `timeout` milliseconds at the latest, the call has failed.
    ///
    /// - Parameters:
    ///   - startsService: whether the bus may start the service that owns `destination` if it is not running.
    ///   - timeout: milliseconds; nil for ``BusTiming/answer``.
    package func call(
        _ destination: String, path: String, interface: String, member: String, _ body: [BusValue] = [],
        startsService: Bool = false, timeout: Int64? = nil,
        then handler: @escaping (Result<[BusValue], BusFailure>) -> Void
    ) throws(BusFailure) {
        guard BusName.isConnection(destination) else { throw .invalid("malformed name \(destination)") }
        try check(path, interface, member)
        let weight = try body.weight(limit: setup.limits.message) + 256
        guard let mailbox, state != .closed else { throw state == .closed ? .closed : .disconnected }
        guard handlers.replies.count < setup.limits.calls else { throw .busy }
        lastID += 1
        let request = BusRequest(
            destination: destination, path: path, interface: interface, member: member, body: body,
            startsService: startsService)
        let deadline = MonotonicClock.milliseconds + (timeout ?? setup.timing.answer)
        guard mailbox.send(.call(lastID, request, deadline: deadline), weight: weight) else { throw .busy }
        handlers.replies[lastID] = handler
    }

    /// Sends a signal. Throws before ``start()`` and after ``close()``; is dropped silently while the bus has no
    /// connection.
    ///
    /// - Parameters:
    ///   - destination: the connection to send the signal to; nil for all listeners.
    ///   - state: the name of the state that the signal reports. The signal replaces a queued one with the same
    ///     header and state. Nil if each signal is to be sent.
    ///   - isForced: whether to queue the signal even if the queue is full. Use it only for small signals of states
    ///     whose number is bounded: if such a signal were dropped, its listeners would keep the old state.
    package func emit(
        path: String, interface: String, member: String, _ body: [BusValue] = [], to destination: String? = nil,
        state detail: String? = nil, isForced: Bool = false
    ) throws(BusFailure) {
        guard destination.map(BusName.isConnection) ?? true else {
            throw .invalid("malformed name \(destination ?? "")")
        }
        try check(path, interface, member)
        let weight = try body.weight(limit: setup.limits.message) + 256
        guard let mailbox, state != .closed else { throw state == .closed ? .closed : .disconnected }
        let key = detail.map {
            BusSignalKey(path: path, interface: interface, member: member, destination: destination, detail: $0)
        }
        let signal = BusSignal(path: path, interface: interface, member: member, body: body, destination: destination)
        guard mailbox.send(.signal(signal), weight: weight, key: key, isForced: isForced) else { throw .busy }
    }

    /// Answers a call. Only the first answer to a call is sent. If the values are not valid in a message, or the
    /// queue has no room for them, the caller gets an error instead.
    package func reply(to call: BusCall, _ body: [BusValue] = []) {
        guard let address = call.address else { return }
        guard let weight = try? body.weight(limit: setup.limits.message),
            mailbox?.send(.reply(address, .success(body)), weight: weight + 256) ?? true
        else { return reply(to: call, error: .limitsExceeded) }
    }

    /// Answers a call with an error.
    package func reply(to call: BusCall, error: BusError) {
        guard let address = call.address else { return }
        let isSound =
            BusName.isInterface(error.name) && error.message.utf8.count <= 1024 && !error.message.utf8.contains(0)
        let error = isSound ? error : .standard("Failed", "Failed")
        // Errors may exceed the queue's limit. Their number is bounded all the same: there is at most one for each
        // unanswered call of a peer, and the number of these calls is limited.
        _ = mailbox?.send(.reply(address, .failure(error)), weight: 256, isForced: true)
    }

    private func check(_ path: String, _ interface: String, _ member: String) throws(BusFailure) {
        guard BusName.isPath(path) else { throw .invalid("malformed path \(path)") }
        guard BusName.isInterface(interface) else { throw .invalid("malformed interface \(interface)") }
        guard BusName.isMember(member) else { throw .invalid("malformed member \(member)") }
    }

    // MARK: Registering

    /// A registration, which ``Bus/remove(_:)`` ends.
    package struct Registration: Hashable, Sendable {
        fileprivate enum Kind: Hashable, Sendable { case object, match, owner }
        fileprivate let kind: Kind
        fileprivate let id: Int
    }

    /// Registers an object, or a tree of objects. `handler` receives the calls of its methods, on the owner's
    /// thread, and has to answer each.
    ///
    /// - Parameters:
    ///   - isTree: whether the object answers for all paths below `path` that are not registered themselves.
    ///   - interfaces: the `interface` elements of the introspection format, for the answer to `Introspect`.
    package func register(
        _ path: String, isTree: Bool = false, interfaces: String = "", handler: @escaping (BusCall) -> Void
    ) throws(BusFailure) -> Registration {
        guard BusName.isPath(path) else { throw .invalid("malformed path \(path)") }
        lastID += 1
        handlers.objects[lastID] = handler
        send(.register(lastID, BusObject(path: path, isTree: isTree, interfaces: interfaces)))
        return Registration(kind: .object, id: lastID)
    }

    /// Registers a handler for signals.
    ///
    /// - Parameter isState: whether a signal makes earlier ones obsolete. A queued signal is then replaced by the
    ///   next one with the same sender, path and member. If a signal has several handlers, it is replaced only if
    ///   all of them were registered so.
    package func match(
        _ match: BusMatch, isState: Bool = false, handler: @escaping (BusMessage) -> Void
    ) throws(BusFailure) -> Registration {
        guard match.rule != nil else { throw .invalid("malformed match") }
        lastID += 1
        handlers.signals[lastID] = handler
        send(.match(lastID, match, isState: isState))
        return Registration(kind: .match, id: lastID)
    }

    /// Registers a handler for the owner of a name. The handler is called once when the owner is known, and after
    /// each change. It gets the owner's unique name, or nil if the name has no owner.
    package func watch(
        _ name: String, handler: @escaping (String?) -> Void
    ) throws(BusFailure) -> Registration {
        guard BusName.isConnection(name) else { throw .invalid("malformed name \(name)") }
        lastID += 1
        handlers.owners[lastID] = (name, nil, handler)
        send(.watch(name))
        return Registration(kind: .owner, id: lastID)
    }

    /// Ends a registration. Its handler is not called again.
    package func remove(_ registration: Registration) {
        let id = registration.id
        switch registration.kind {
        case .object: if handlers.objects.removeValue(forKey: id) != nil { send(.unregister(id)) }
        case .match: if handlers.signals.removeValue(forKey: id) != nil { send(.unmatch(id)) }
        case .owner: if let owner = handlers.owners.removeValue(forKey: id) { send(.unwatch(owner.name)) }
        }
    }

    // MARK: Names and processes

    /// Requests a well-known name. The handler is called with each new state of the name.
    ///
    /// - Parameters:
    ///   - replaces: whether to take the name from an owner that allows replacement.
    ///   - isReplaceable: whether another connection may take the name from this program.
    ///   - queues: whether to wait for the name in the bus's queue if another connection owns it.
    package func own(
        _ name: String, replaces: Bool = false, isReplaceable: Bool = false, queues: Bool = false,
        handler: @escaping (BusNameState) -> Void
    ) throws(BusFailure) {
        guard BusName.isConnection(name), !BusName.isUnique(name) else { throw .invalid("malformed name \(name)") }
        handlers.names[name] = handler
        send(.own(name, flags: (isReplaceable ? 1 : 0) | (replaces ? 2 : 0) | (queues ? 0 : 4)))
    }

    /// Releases a well-known name. Its handler is not called again.
    package func release(_ name: String) {
        if handlers.names.removeValue(forKey: name) != nil { send(.release(name)) }
    }

    /// Asks for the process behind a unique name, which the bus reports, and for its executable, which the kernel
    /// reports. The executable is the one that the process runs now; it may have run another one when it connected
    /// or sent a message.
    package func credentials(
        of name: String, then handler: @escaping (Result<BusPeer, BusFailure>) -> Void
    ) throws(BusFailure) {
        guard BusName.isUnique(name), BusName.isConnection(name) else { throw .invalid("no unique name: \(name)") }
        guard state != .closed else { throw .closed }
        guard mailbox != nil else { throw .disconnected }
        guard handlers.peers.count < setup.limits.calls else { throw .busy }
        lastID += 1
        handlers.peers[lastID] = handler
        send(.credentials(lastID, name))
    }

    private func send(_ control: BusControl) {
        if let mailbox { mailbox.send(control) } else if state == .idle { early.append(control) }
    }
}

import CBus
import Glibc
import InkstoneBase

/// The thread of a ``Bus``: the loop, and the present connection. Messages are handled in the order in which they
/// arrive, and sent in the order in which they were queued.
final class BusThread {
    /// A call of this program that has no answer yet.
    struct Pending {
        /// The purpose of the call, which decides what its answer is used for.
        enum Purpose {
            /// A call that the owner of the bus has made, by its number.
            case owner(Int)
            /// A query for the owner of a name.
            case nameOwner(String)
            /// A request of a well-known name for this program.
            case ownName(String)
            /// The credentials of a connection. They are requested twice: the first answer gives the process; the
            /// second, requested after the process's executable was read, confirms that the process is the same.
            case credentials(Int, String, first: BusPeer?)
            /// The addition of a match rule.
            case rule(String)
            /// A call whose answer is ignored.
            case housekeeping
        }
        let purpose: Purpose
        let destination: String
        /// The time, in milliseconds, at which the call fails if it was not answered.
        let deadline: Int64
    }

    /// The owner's registrations. They are kept when a connection ends, and made again on the next.
    struct Wishes {
        var objects: [Int: BusObject] = [:]
        /// The numbers of the objects by path. If a path was registered more than once, the newest object counts.
        var paths: [String: Int] = [:]
        var matches: [Int: (match: BusMatch, isState: Bool)] = [:]
        /// The number of uses of each match rule.
        var rules: [String: Int] = [:]
        /// The match rules that the bus has refused, for example because it has no room for them.
        var refusedRules: Set<String> = []
        /// The number of watches of each name, and the name's owner. `isKnown` is false until the bus has reported
        /// the owner; `owner` is nil until then, and if the name has no owner.
        var watched: [String: (count: Int, owner: String?, isKnown: Bool)] = [:]
        /// The request flags and the last reported state of each well-known name of this program.
        var names: [String: (flags: UInt32, state: BusNameState?)] = [:]
    }

    let setup: BusSetup
    let address: String
    let mailbox: BusMailbox
    let outbox: BusOutbox
    private let functions = UnsafeMutablePointer<cbus_functions>.allocate(capacity: 1)
    private(set) var connection: BusConnection?
    /// The number of connection attempts so far.
    private(set) var attempts = 0
    /// Whether the bus has accepted the connection.
    private(set) var isReady = false
    /// The time at which the present connection attempt fails, in milliseconds.
    private var connectingUntil: Int64 = 0
    /// The time of the next connection attempt; nil for none.
    private var retryAt: Int64?
    private var pauses: BusPauses
    /// The time at which the owner has asked to be woken; nil for none.
    var wakeAt: Int64?
    /// The time at which the present connection became ready.
    private var readySince: Int64 = 0
    var wishes = Wishes()
    var pending: [UInt64: Pending] = [:]
    /// The calls of peers that are not answered yet. The value is the time at which the thread answers the call
    /// with an error. `.max` means that an answer of the thread itself is already queued.
    var owed: [BusReplyAddress: Int64] = [:]
    var owedTo: [String: Int] = [:]
    /// The calls and answers of the thread itself, which are sent before the owner's messages.
    var own: [(post: BusPost, purpose: Pending.Purpose)] = []
    var rates: BusRates

    var now: Int64 { MonotonicClock.milliseconds }

    init(_ setup: BusSetup, address: String, mailbox: BusMailbox, outbox: BusOutbox) {
        self.setup = setup
        self.address = address
        self.mailbox = mailbox
        self.outbox = outbox
        pauses = BusPauses(setup.timing)
        rates = BusRates(setup.limits, muting: setup.timing.muting)
    }

    deinit { functions.deallocate() }

    /// Runs the thread's loop until the owner closes the bus.
    func run() {
        defer { outbox.end() }
        if load() { connect() }
        while true {
            let (controls, isClosed) = mailbox.takeControls(clearing: true)
            for control in controls { perform(control) }
            guard !isClosed else { break }
            if let retryAt, retryAt <= now { connect() }
            expire()
            let isBusy = work()
            wait(atMost: isBusy ? 0 : nil)
        }
        linger()
        connection = nil
    }

    /// Applies the registrations that the owner has queued.
    func performControls() {
        for control in mailbox.takeControls(clearing: false).controls { perform(control) }
    }

    private func load() -> Bool {
        var lacking: [String] = []
        for name in setup.libraries {
            var missing: UnsafePointer<CChar>?
            if cbus_load(name, functions, &missing) { return true }
            lacking.append(missing.map { "\(name) has no \(String(cString: $0))" } ?? name)
        }
        report(.failed(.unavailable("none of the D-Bus libraries is installed: \(lacking.joined(separator: ", "))")))
        return false
    }

    // MARK: Connecting

    private func connect() {
        retryAt = nil
        attempts += 1
        report(.connecting)
        do throws(BusFailure) {
            connection = try BusConnection(functions, address: address)
            connectingUntil = now + setup.timing.connecting
        } catch {
            lose(error)
        }
    }

    /// Drops the connection and everything that depends on it. Schedules the next attempt if
    /// ``BusSetup/reconnects``.
    private func lose(_ reason: BusFailure) {
        let life = isReady ? now - readySince : 0
        connection = nil
        isReady = false
        (owed, owedTo) = ([:], [:])
        let broken = pending.values
        pending = [:]
        for purpose in broken.map(\.purpose) + own.map(\.purpose) { finish(purpose, .failure(.disconnected)) }
        own = []
        wishes.refusedRules = []
        while let post = mailbox.takePost() {
            if case .call(let id, _, _) = post { reply(id, .failure(.disconnected)) }
        }
        for (name, watch) in wishes.watched {
            wishes.watched[name] = (watch.count, nil, false)
            if watch.owner != nil { reportOwner(of: name, nil) }
        }
        for name in wishes.names.keys { reportName(name, .lost, ifKnown: true) }
        report(.failed(reason))
        guard setup.reconnects else { return }
        retryAt = now + pauses.next(after: life)
    }

    private func becomeReady(_ connection: BusConnection) {
        guard let name = connection.uniqueName else { return }
        isReady = true
        readySince = now
        for rule in wishes.rules.keys { ask("AddMatch", rule, nil, .rule(rule)) }
        for name in wishes.watched.keys { askOwner(of: name) }
        for (name, wish) in wishes.names { ask("RequestName", name, wish.flags, .ownName(name)) }
        report(.connected(name))
    }

    // MARK: Sending and receiving

    /// Sends and receives a limited number of messages without blocking. Returns whether there may be more to do.
    private func work() -> Bool {
        guard let connection else {
            // Discard the queued messages: they must not be sent on the next connection.
            while let post = mailbox.takePost() {
                if case .call(let id, _, _) = post { reply(id, .failure(.disconnected)) }
            }
            return false
        }
        for _ in 0..<64 {
            if !isReady, connection.isReady { becomeReady(connection) }
            let hasSent = isReady && sendNext(connection)
            switch connection.step() {
            case .idle: if !hasSent { return false }
            case .worked: break
            case .message(let message):
                receive(message, from: connection)
                connection.release(message)
            case .ended(let code):
                lose(.unavailable("the bus has ended the connection: \(String(cString: strerror(code)))"))
                return false
            }
        }
        return true
    }

    /// Passes the next message to sd-bus, unless sd-bus still has one to write. Waiting messages are kept in our
    /// queue, which has a limit, rather than in that of sd-bus. Returns whether a message was taken from our queue.
    private func sendNext(_ connection: BusConnection) -> Bool {
        guard !connection.isWriting else { return false }
        performControls()
        let next: (post: BusPost, purpose: Pending.Purpose?)
        if !own.isEmpty {
            let first = own.removeFirst()
            next = (first.post, first.purpose)
        } else if let post = mailbox.takePost() {
            next = (post, nil)
        } else {
            return false
        }
        send(next.post, next.purpose, connection)
        return true
    }

    private func send(_ post: BusPost, _ purpose: Pending.Purpose?, _ connection: BusConnection) {
        switch post {
        case .call(let id, let request, let deadline):
            let purpose = purpose ?? .owner(id)
            do throws(BusFailure) {
                guard deadline > now else { throw .timedOut }
                let cookie = try connection.send(request)
                pending[cookie] = Pending(purpose: purpose, destination: request.destination, deadline: deadline)
            } catch {
                finish(purpose, .failure(error))
            }
        case .signal(let signal): try? connection.send(signal)
        case .reply(let address, let answer):
            guard forget(address) else { return }
            do throws(BusFailure) {
                try connection.send(answer, to: address)
            } catch {
                // sd-bus cannot send the answer: send an error, so that the caller does not wait for its timeout.
                try? connection.send(.failure(.standard("Failed", "No answer can be sent")), to: address)
            }
        }
    }

    /// Ends the calls whose time is up, both of this program and of peers. Also makes the wake-up that the owner
    /// asked for, and ends a connection attempt that takes too long.
    private func expire() {
        let now = now
        if let time = wakeAt, time <= now {
            wakeAt = nil
            outbox.wake()
        }
        if connection != nil, !isReady, connectingUntil <= now {
            lose(.unavailable("the bus at \(address) does not answer"))
        }
        for (cookie, call) in pending where call.deadline <= now {
            pending[cookie] = nil
            finish(call.purpose, .failure(.timedOut))
        }
        for case (.call(_, _, let deadline), let purpose) in own where deadline <= now {
            finish(purpose, .failure(.timedOut))
        }
        own.removeAll { if case .call(_, _, let deadline) = $0.post { deadline <= now } else { false } }
        for (address, deadline) in owed where deadline <= now { refuse(address, .noReply) }
    }

    private func wait(atMost limit: Int64?) {
        let now = now
        let (expired, queued) = mailbox.takeExpired(now)
        for id in expired { reply(id, .failure(.timedOut)) }
        var times = [queued, retryAt, wakeAt, connection?.timeout, limit.map { now + $0 }]
        if connection != nil, !isReady { times.append(connectingUntil) }
        times += pending.values.map(\.deadline)
        times += Array(owed.values)
        for case (.call(_, _, let deadline), _) in own { times.append(deadline) }
        let due = times.compactMap { $0 }.min()
        var polled = [pollfd(fd: mailbox.descriptor, events: Int16(POLLIN), revents: 0)]
        if let connection {
            polled.append(pollfd(fd: connection.descriptor, events: connection.events, revents: 0))
        }
        poll(&polled, nfds_t(polled.count), due.map { Int32(clamping: max(0, $0 - now)) } ?? -1)
    }

    /// Writes the messages that are still queued, for ``BusTiming/lingering`` at most.
    private func linger() {
        let end = now + setup.timing.lingering
        while let connection, isReady, now < end {
            var hasMore = sendNext(connection) || connection.isWriting
            switch connection.step() {
            case .ended: return
            case .message(let message): connection.release(message)
            case .worked: hasMore = true
            case .idle:
                guard hasMore else { return }
                guard connection.isWriting else { continue }
                var polled = pollfd(fd: connection.descriptor, events: connection.events, revents: 0)
                poll(&polled, 1, Int32(clamping: max(0, end - now)))
            }
        }
    }

    // MARK: Asking the bus

    /// Queues a call to the bus itself.
    func ask(_ member: String, _ argument: String, _ flags: UInt32? = nil, _ purpose: Pending.Purpose = .housekeeping) {
        guard connection != nil else { return finish(purpose, .failure(.disconnected)) }
        let request = BusRequest(
            destination: BusName.bus, path: BusName.busPath, interface: BusName.bus, member: member,
            body: [.string(argument)] + (flags.map { [.uint32($0)] } ?? []))
        // Housekeeping calls have no deadline because no one waits for their answers. Match rules have none because
        // a late answer is still of use.
        let deadline =
            switch purpose {
            case .housekeeping, .rule: Int64.max
            case .owner, .nameOwner, .ownName, .credentials: now + setup.timing.answer
            }
        own.append((.call(0, request, deadline: deadline), purpose))
    }

    /// Answers a peer's call with an error.
    func refuse(_ address: BusReplyAddress, _ error: BusError) {
        answer(address, .failure(error))
    }

    /// Queues an answer of the thread itself. The caller gets no answer if 1,024 messages are queued already, which
    /// happens only if the bus does not read them.
    func answer(_ address: BusReplyAddress, _ answer: Result<[BusValue], BusError>) {
        guard own.count < 1024 else {
            _ = forget(address)
            return
        }
        owe(address)
        own.append((.reply(address, answer), .housekeeping))
    }

    /// Records that a peer's call is not answered yet, with no deadline: either the thread's own answer is queued
    /// already, or the caller of this method sets the deadline next.
    func owe(_ address: BusReplyAddress) {
        guard owed.updateValue(.max, forKey: address) == nil else { return }
        owedTo[address.name, default: 0] += 1
    }

    /// Removes a peer's call from those that wait for an answer. Returns false if the call is not among them: it
    /// was answered before, or its time was up.
    func forget(_ address: BusReplyAddress) -> Bool {
        guard owed.removeValue(forKey: address) != nil else { return false }
        let left = (owedTo[address.name] ?? 1) - 1
        owedTo[address.name] = left == 0 ? nil : left
        return true
    }

    // MARK: Reporting states to the owner

    private func report(_ state: BusState) { outbox.post(.state(state), weight: 64, isForced: true) }

    func reply(_ id: Int, _ result: Result<[BusValue], BusFailure>, weight: Int = 0) {
        outbox.post(.reply(id, result), weight: weight + 64, isForced: true)
    }

    func reportOwner(of name: String, _ owner: String?) {
        outbox.post(.owner(of: name, owner), weight: 64, key: .owner(name), isForced: true)
    }

    /// Reports the state of a well-known name of this program if the state has changed.
    func reportName(_ name: String, _ state: BusNameState, ifKnown: Bool = false) {
        guard let wish = wishes.names[name], wish.state != state, wish.state != nil || !ifKnown else { return }
        wishes.names[name]?.state = ifKnown ? nil : state
        outbox.post(.name(name, state), weight: 64, isForced: true)
    }
}

import CX11
import Glibc
import InkstoneBase
import Synchronization

/// The input method's thread: its loop and its state.
///
/// Some requests wait for the server's reply, for as long as the server likes. On a separate thread, such a wait holds
/// up nothing else.
///
/// ``receive(_:)`` copies all messages of the server into `outputs`, in the order in which they were sent. This
/// also happens while a request waits for its reply.
final class InputMethodThread {
    /// The progress of the connection to the server.
    enum Phase: Hashable {
        /// The server does not run.
        case waiting
        /// A query was sent to the server, to find out whether it is alive. The connection is made when it answers.
        case probing
        case ready
        /// The server runs, but makes no context for any of our windows, or was at fault. It is tried again later.
        case refused
    }

    /// The facts from messages of the server that are handled after the current call.
    struct Notices {
        var hasPong = false
        /// The locale in which the server may be opened. Nil until the main thread has prepared it.
        var locale: String?
        var newOwner: UInt?
        /// Whether the unread output exceeds its limit. A server at work does not send that much for the user's keys.
        var isOverfull = false
    }

    /// The progress of commands that take several turns of the thread's loop.
    struct Progress {
        /// The time at which the oldest pending command began to wait for the answers to earlier keys; nil if none
        /// waits.
        var drainStart: Milliseconds?
        /// The state of a server that had more output at each check for silence: the time of the first check, the
        /// time of the last one, and the number of unanswered presses then. As long as that number falls, the
        /// server is at work. Nil once the server has no more output.
        var talking: (since: Milliseconds, seen: Milliseconds, presses: Int)?
        /// Whether the current reset has been answered. Its reply is delivered only after the output that was sent
        /// before it.
        var isReset = false
        /// The text of the answer to a reset, and the window of the reset; nil for none. It is kept until other
        /// output follows, or until the reset ends.
        var resetText: (text: String, window: WindowID)?
        /// The number of unanswered presses when the current reset was last answered; nil if it was not answered
        /// yet.
        var overtakenPresses: Int?
    }

    let worker: InputMethodWorker
    /// The time at which the thread was started.
    let started: Milliseconds
    /// The connection to the server; nil only if there was no memory for it.
    var xim: OpaquePointer!
    /// The window that owns the server's selection; 0 for none.
    var owner: UInt = 0
    var phase = Phase.waiting
    var end: InputMethodEnd?
    var offer = InputMethodOffer()
    var life = InputMethodLife()
    var keys: InputMethodKeys
    var silence = InputMethodSilence()
    /// The pending releases, if the server returns keys out of turn. Always empty for other servers.
    var releases = InputMethodReleases()
    var windows = InputMethodContexts()
    /// The commands not yet executed, oldest first.
    var pending: [InputMethodCommand] = []
    var progress = Progress()
    var outputs = InputMethodOutputs()
    /// The number of bytes by which ``outputs`` may still grow; a lower bound, because the main thread may have made
    /// more room.
    private var room: Int
    var notices = Notices()
    private(set) var publishedState: InputMethodState?

    var timing: InputTiming { worker.timing }
    var now: Milliseconds { worker.clock() }
    /// Whether the server has gone, or another one has replaced it. Requests fail from then on.
    var isServerGone: Bool { phase == .ready && notices.newOwner != nil }
    /// Whether the server returns keys out of turn (see this trap on the page KeysAndAnswers).
    var isOutOfTurn: Bool { InputMethodState.returnsKeysOutOfTurn(worker.serverName) }

    init(_ worker: InputMethodWorker) {
        self.worker = worker
        started = worker.clock()
        room = worker.outbox.room
        keys = InputMethodKeys(isInTurn: !InputMethodState.returnsKeysOutOfTurn(worker.serverName))
        if isOutOfTurn { silence.requiredReplies = 3 }
    }

    /// Runs the thread from connecting to its last output.
    func run() {
        cx11_xim_name_thread()
        let context = Unmanaged.passUnretained(self).toOpaque()
        xim = cx11_xim_create({ message, context in receiveInputMethodMessage(message, context) }, context)
        beginWork()
        connect()
        while end == nil { turn() }
        finish()
    }

    private func connect() {
        publish(worker.avoided != nil ? .faulty : worker.startsAfterHang ? .notResponding : .connecting)
        guard xim != nil, cx11_xim_connect(xim, worker.displayName, worker.serverName) == CX11_XIM_OK else {
            end = .lostDisplay
            return
        }
        worker.setSockets([cx11_xim_descriptor(xim), cx11_xim_text_descriptor(xim)])
        guard check(cx11_xim_owner(xim, &owner)) else { return }
        if owner == 0 {
            publish(.notRunning)
        } else if let avoided = worker.avoided, avoided.owner == owner, now < avoided.until {
            phase = .refused
            offer.retryAt = avoided.until
        } else {
            probe()
        }
    }

    private func turn() {
        guard check(cx11_xim_pump(xim)) else { return }
        for command in worker.takeCommands() {
            if case .open(let locale) = command { notices.locale = locale } else { pending.append(command) }
        }
        step(now)
        worker.outbox.post(outputs.take())
        room = worker.outbox.room
        guard end == nil, notices.newOwner == nil else { return }
        // Check the queue of events before waiting for the socket: a request that waits for a reply reads earlier
        // events into the queue, and the socket is not readable then (see the trap “quiet socket” on the page
        // KeysAndAnswers).
        var hasEvents = false
        guard check(cx11_xim_has_events(xim, &hasEvents)), !hasEvents else { return }
        let timeout = nextDeadline.map { Int32(clamping: Int(max(0, min($0 - now, 1e9)).rounded(.up))) } ?? -1
        var inputs = [
            pollfd(fd: cx11_xim_descriptor(xim), events: Int16(POLLIN), revents: 0),
            pollfd(fd: worker.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        worker.busySince.store(0, ordering: .releasing)
        poll(&inputs, 2, timeout)
        beginWork()
    }

    /// Marks the thread as busy. Call before any request, because the server may not reply.
    private func beginWork() {
        worker.busySince.store(Int64(now), ordering: .sequentiallyConsistent)
        if !worker.isWatched.load(ordering: .sequentiallyConsistent) { worker.outbox.post([.watch]) }
    }

    /// Ends the connection to the server, and posts the last output to the main thread. Makes no further request to the
    /// server, because the server may not respond.
    private func finish() {
        worker.setSockets([])
        cx11_xim_destroy(xim)
        if let key = silence.takeSerializedKey()?.key { outputs.append(.key(key)) }
        if progress.isReset, case .reset(let window)? = pending.first {
            finishReset(window)
            pending.removeFirst()
        }
        giveResetText()
        let commands = pending + worker.takeCommands(closing: true)
        let losses = keys.losses(afterSilence: min(now - life.lastIn, timing.response), timing)
        outputs.append(.ended(end ?? .lostDisplay, losses, commands: commands, hasServed: life.hasServed))
        worker.outbox.post(outputs.take())
    }

    // MARK: Calls to the server

    /// Makes a request that waits for the server. The main thread watches how long the request takes (see the trap “no
    /// time-out” on the page KeysAndAnswers).
    func waiting<Result>(_ request: () -> Result) -> Result {
        beginWork()
        defer { beginWork() }
        return sending(request)
    }

    /// Makes a request that may cause output of the server.
    func sending<Result>(_ request: () -> Result) -> Result {
        life.lastOut = now
        silence.didSend(isAsking: life.query != nil)
        return request()
    }

    /// Shuts down the thread's X connection when the main thread has too much unread output of the server. Without this
    /// check, a single turn would read everything that has come.
    func limitOutputs() {
        guard outputs.weight > room else { return }
        room = worker.outbox.room
        guard outputs.weight > room else { return }
        notices.isOverfull = true
        worker.cutOff()
    }

    /// Returns whether the connection still exists after a call to the server. If not, records why it has ended.
    func check(_ result: cx11_xim_result) -> Bool {
        guard result == CX11_XIM_LOST else { return true }
        end = .lost(
            isServerGone: notices.newOwner != nil, isShed: worker.isShed,
            isRefused: notices.isOverfull || cx11_xim_refusal(xim) != nil, owner: owner)
        return false
    }

    func publish(_ phase: InputMethodState.Phase) {
        let state = InputMethodState(
            phase: phase, serverName: worker.serverName, style: phase == .ready ? offer.style : nil)
        guard state != publishedState else { return }
        publishedState = state
        outputs.append(.state(state))
    }
}

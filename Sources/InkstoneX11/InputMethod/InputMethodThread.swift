import CX11
import Glibc
import InkstoneBase
import Synchronization

/// The input method's thread: its loop, what it knows, and what it does when.
///
/// Some requests wait for the server's reply, for as long as the server likes; here that holds up only this thread. Whatever
/// the server sends is copied into `outputs` by ``receive(_:)``, in the order in which it was sent, also while a reply is waited for.
final class InputMethodThread {
    enum Phase: Hashable {
        /// The server does not run.
        case waiting
        /// It has been asked for a sign of life, without which it is not connected to.
        case probing
        case ready
        /// It does not serve us.
        case refused
    }

    /// Notes that messages have left, to be looked at after the call.
    struct Notices {
        var hasPong = false
        /// The locale in which the server may be opened; nil: not yet.
        var locale: String?
        var newOwner: UInt?
        /// Whether the server has said so much without having been heard that no keys can be what it answers.
        var isOverfull = false
    }

    /// How far a command has got that takes several turns.
    struct Progress {
        /// When the oldest pending command began to wait for answers on their way.
        var drainStart: Milliseconds?
        /// Since when the server has had something to say whenever it was found not to be silent, when that was found last, and how many presses had
        /// drawn no answer then: as long as these become fewer it is at work.
        var talking: (since: Milliseconds, seen: Milliseconds, presses: Int)?
        /// Whether the reset that is being carried out has been answered: what the server still says of before it comes first.
        var isReset = false
        /// The text of the answer to a reset, until something else follows it or the reset is over, and its window.
        var resetText: (text: String, window: WindowID)?
        /// How many presses had drawn no answer when the reset that is being carried out was last answered; nil: it has not been.
        var overtakenPresses: Int?
    }

    let worker: InputMethodWorker
    let started: Milliseconds
    /// Nil only if there was no memory for it.
    var xim: OpaquePointer!
    /// The window that owns the server's selection; 0 for none.
    var owner: UInt = 0
    var phase = Phase.waiting
    var end: InputMethodEnd?
    var offer = InputMethodOffer()
    var life = InputMethodLife()
    var keys = InputMethodKeys()
    var silence = InputMethodSilence()
    var windows = InputMethodContexts()
    /// Commands not yet carried out, oldest first.
    var pending: [InputMethodCommand] = []
    var progress = Progress()
    var outputs = InputMethodOutputs()
    /// The weight that ``outputs`` may have; the main thread may have made more room since.
    private var room: Int
    var notices = Notices()
    private(set) var publishedState: InputMethodState?

    var timing: InputTiming { worker.timing }
    var now: Milliseconds { worker.clock() }
    /// Whether the server has gone, or another has taken its place: requests fail from then on.
    var isServerGone: Bool { phase == .ready && notices.newOwner != nil }
    /// Trap “keys out of turn”.
    var isOutOfTurn: Bool { InputMethodState.returnsKeysOutOfTurn(worker.serverName) }

    init(_ worker: InputMethodWorker) {
        self.worker = worker
        started = worker.clock()
        room = worker.outbox.room
        if isOutOfTurn { silence.proof = 3 }
    }

    /// The thread's life, from the connection to the last word.
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
        publish(worker.avoided != nil ? .faulty : worker.startsInDoubt ? .notResponding : .connecting)
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
        // Trap “quiet socket”: what waits for a reply reads the events before it, which are in a queue then.
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

    /// From here on the thread is expected back: any request may wait for a server that keeps it waiting.
    private func beginWork() {
        worker.busySince.store(Int64(now), ordering: .sequentiallyConsistent)
        if !worker.isWatched.load(ordering: .sequentiallyConsistent) { worker.outbox.post([.watch]) }
    }

    /// Ends the connection without a word to a server that may not listen, and says the last word to the main thread.
    private func finish() {
        worker.setSockets([])
        cx11_xim_destroy(xim)
        if let key = silence.takeLone()?.key { outputs.append(.key(key)) }
        if progress.isReset, case .reset(let window)? = pending.first {
            finishReset(window)
            pending.removeFirst()
        }
        giveResetText()
        let commands = pending + worker.takeCommands(closing: true)
        outputs.append(
            .ended(
                end ?? .lostDisplay, silence: min(now - life.lastIn, timing.response), commands: commands,
                hasServed: life.hasServed))
        worker.outbox.post(outputs.take())
    }

    // MARK: Calls

    /// Makes a request that waits for the server, which the main thread watches. Trap “no time-out”.
    func waiting<Result>(_ request: () -> Result) -> Result {
        beginWork()
        defer { beginWork() }
        return sending(request)
    }

    /// Makes a request, to which the server may have something to say.
    func sending<Result>(_ request: () -> Result) -> Result {
        life.lastOut = now
        silence.didSend(isAsking: life.query != nil)
        return request()
    }

    /// Ends the connection when the server has said more than is kept of it: a turn reads all that has come.
    func limitOutputs() {
        guard outputs.weight > room else { return }
        room = worker.outbox.room
        guard outputs.weight > room else { return }
        notices.isOverfull = true
        worker.cutOff()
    }

    /// Whether the connection still stands after a call.
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

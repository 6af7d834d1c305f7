import CX11
import Glibc
import InkstoneBase
import Synchronization

/// What the connection asks of its thread.
enum InputMethodCommand: Hashable, Sendable {
    case key(InputMethodKey)
    case focusIn(WindowID)
    case focusOut(WindowID)
    case spot(InputMethodSpot, WindowID)
    case reset(WindowID)
    case remove(WindowID)
    case close
    /// The process's locale has been seen to, and has this name: the server may be connected to.
    case open(locale: String)
    /// Only between a remove and the end of its context: when it was unfocused.
    case destroy(WindowID, since: Milliseconds)
}

/// What the thread has to say, in order.
enum InputMethodOutput: Sendable {
    case event(InputMethodEvent, WindowID)
    /// A key given back: with what was sent, or as the server made it.
    case key(InputMethodKey)
    case foreignKey(RawKey, WindowID)
    case state(InputMethodState)
    /// The server has no context for the window any more.
    case removed(WindowID)
    /// The server answers and can be connected to once the main thread has seen to the process's locale, with which Xlib converts texts.
    case wantsLocale
    /// The thread waits for the server, and nobody watches.
    case watch
    /// The thread's last word. The server had said nothing for so long; commands are those that were not carried out.
    /// `hasServed`: it has answered a key.
    case ended(InputMethodEnd, silence: Milliseconds, commands: [InputMethodCommand], hasServed: Bool)

    /// About how many bytes it takes until it is heard.
    var weight: Int {
        switch self {
        case .event(.preeditDraw(let draw), _): 64 + (draw.text?.utf8.count ?? 0) + draw.feedback.count
        case .event(.commit(let text), _): 64 + text.utf8.count
        default: 64
        }
    }

    /// Whether the main thread is to be woken for it. How far a key has got is of use only with what comes later.
    var isUrgent: Bool {
        if case .event(.progress, _) = self { false } else { true }
    }
}

/// Why a thread ended.
enum InputMethodEnd: Hashable, Sendable {
    /// It was asked to.
    case closed
    /// The server has died.
    case died
    /// The server does not answer.
    case hung
    /// The server, which owned its selection with this window, sent what is not of the protocol, or without end.
    case faulty(owner: UInt)
    /// There is no connection to the X server, or not any more, or no memory for it.
    case lostDisplay
}

extension InputMethodEnd {
    /// Why a connection was lost in a call. `isRefused`: what the server, which owned its selection with the window `owner`, sent was
    /// not taken.
    static func lost(isServerGone: Bool, isShed: Bool, isRefused: Bool, owner: UInt) -> InputMethodEnd {
        // Once the server has gone, the connection is shed only because of that.
        if isServerGone { return .died }
        // A packet that was being read when the connection was shed is cut off, which is not the server's fault.
        if isShed { return .hung }
        return isRefused ? .faulty(owner: owner) : .lostDisplay
    }
}

/// What the connection and its thread are timed by. Any thread.
public typealias InputMethodClock = @Sendable () -> Milliseconds

/// Outputs on their way to the main thread, with a descriptor that is readable while there are any.
final class InputMethodOutbox: Sendable {
    private struct Contents {
        var descriptor: Int32
        /// The first `taken` of them have been heard.
        var all: [InputMethodOutput] = []
        var taken = 0
        var weight = 0
        var isSignalled = false
    }

    /// The weight of what a server may have said without having been heard. A thousand keys that it answers at once are a tenth of that.
    private static let limit = 16 << 20
    /// How many of them, and about how many bytes, the main thread takes at a time: it goes on with other things in between.
    private static let turn = (count: 512, weight: 128 << 10)
    private let contents = Mutex(Contents(descriptor: cx11_signal_create()))

    deinit {
        let descriptor = descriptor
        if descriptor >= 0 { close(descriptor) }
    }

    /// -1 as long as the process has had none left for it; else the same one for ever.
    var descriptor: Int32 { contents.withLock { $0.descriptor } }

    /// Makes the descriptor if there was none left for it before. Returns whether it is new.
    func makeDescriptor() -> Bool {
        contents.withLock { contents in
            guard contents.descriptor < 0 else { return false }
            contents.descriptor = cx11_signal_create()
            if contents.isSignalled { signal(contents.descriptor) }
            return contents.descriptor >= 0
        }
    }

    /// The weight of what a server may still say before the main thread has heard it.
    var room: Int { Self.limit - contents.withLock { $0.weight } }

    func post(_ new: [InputMethodOutput]) {
        guard !new.isEmpty else { return }
        contents.withLock { contents in
            contents.all += new
            contents.weight += new.reduce(0) { $0 + $1.weight }
            if !contents.isSignalled, new.contains(where: \.isUrgent) {
                signal(contents.descriptor)
                contents.isSignalled = true
            }
        }
    }

    /// Takes the oldest outputs, as many as a turn of the main thread can make something of; the descriptor stays readable while
    /// there are more.
    func take() -> [InputMethodOutput] {
        contents.withLock { contents in
            var (end, weight) = (contents.taken, 0)
            while end < contents.all.count, end - contents.taken < Self.turn.count, weight < Self.turn.weight {
                weight += contents.all[end].weight
                end += 1
            }
            let taken = contents.all[contents.taken..<end]
            contents.taken = end
            contents.weight -= weight
            if end == contents.all.count {
                if contents.isSignalled { clear(contents.descriptor) }
                (contents.all, contents.taken, contents.isSignalled) = ([], 0, false)
            } else if end > contents.all.count / 2 {
                contents.all.removeFirst(end)
                contents.taken = 0
            }
            return Array(taken)
        }
    }

    /// Whether there are outputs that have not been taken.
    var hasMore: Bool { contents.withLock { $0.taken < $0.all.count } }
}

/// One thread with one X connection, from its start to its end: what both sides touch of it.
///
/// A thread ends with its server, or when the server hangs; the next connection is another thread's. So nothing of a
/// connection that went wrong lives on.
final class InputMethodWorker: Sendable {
    private struct Inbox {
        var commands: [InputMethodCommand] = []
        var isClosed = false
        /// The sockets of the X connection and of the one for texts while they may be shut down.
        var sockets: [Int32] = []
        var isShed = false

        func shutDown() {
            for socket in sockets { shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    let serverName: String
    let displayName: String?
    let timing: InputTiming
    let clock: InputMethodClock
    let outbox: InputMethodOutbox
    /// Whether the server was found hung before: then the state stays so until it answers.
    let startsInDoubt: Bool
    /// The server that is not to be connected to before a time.
    let avoided: (owner: UInt, until: Milliseconds)?
    /// Readable while commands wait.
    let descriptor: Int32
    /// Since when the thread has not come back, in whole ``Milliseconds``: from its last wake-up, or from the
    /// last call that waited for the server. 0 while it sleeps.
    let busySince = Atomic<Int64>(0)
    /// Whether the main thread will look at ``busySince`` in time without being told.
    let isWatched = Atomic<Bool>(true)
    private let inbox = Mutex(Inbox())

    init(
        serverName: String, displayName: String?, timing: InputTiming,
        clock: @escaping InputMethodClock = { MonotonicClock.now },
        outbox: InputMethodOutbox,
        startsInDoubt: Bool, avoided: (owner: UInt, until: Milliseconds)? = nil
    ) {
        self.serverName = serverName
        self.displayName = displayName
        self.timing = timing
        self.clock = clock
        self.outbox = outbox
        self.startsInDoubt = startsInDoubt
        self.avoided = avoided
        descriptor = cx11_signal_create()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Starts the thread, which gets no signals but those of its own faults. Nil if the process may have none, or no descriptor.
    func start() -> pthread_t? {
        guard descriptor >= 0 else { return nil }
        var thread = pthread_t()
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&all, fault) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        let context = Unmanaged.passRetained(self).toOpaque()
        let code = pthread_create(&thread, nil, { inputMethodThread($0) }, context)
        pthread_sigmask(SIG_SETMASK, &before, nil)
        guard code == 0 else {
            Unmanaged<InputMethodWorker>.fromOpaque(context).release()
            return nil
        }
        return thread
    }

    /// Hands a command to the thread; false if it has ended. Main thread.
    func send(_ command: InputMethodCommand) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            if inbox.commands.isEmpty { signal(descriptor) }
            inbox.commands.append(command)
            return true
        }
    }

    /// Takes the commands that wait. Its own thread.
    func takeCommands(closing: Bool = false) -> [InputMethodCommand] {
        inbox.withLock { inbox in
            if !inbox.commands.isEmpty { clear(descriptor) }
            defer { inbox.commands = [] }
            inbox.isClosed = inbox.isClosed || closing
            return inbox.commands
        }
    }

    /// Says which sockets ``shed()`` shuts down; none before they are closed. Its own thread.
    func setSockets(_ sockets: [Int32]) {
        inbox.withLock { inbox in
            inbox.sockets = sockets
            if inbox.isShed { inbox.shutDown() }
        }
    }

    /// Breaks the thread's X connection under it, which brings it back from any call. Main thread; does not wait.
    func shed() {
        inbox.withLock { inbox in
            inbox.isShed = true
            inbox.shutDown()
        }
    }

    /// Breaks the connection, too: what the server has sent is not read to its end. Its own thread.
    func cutOff() { inbox.withLock { $0.shutDown() } }

    /// Whether ``shed()`` was called.
    var isShed: Bool { inbox.withLock { $0.isShed } }
}

private func inputMethodThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let worker = Unmanaged<InputMethodWorker>.fromOpaque(context).takeRetainedValue()
    InputMethodThread(worker).run()
    return nil
}

private func signal(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
}

private func clear(_ descriptor: Int32) {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
}

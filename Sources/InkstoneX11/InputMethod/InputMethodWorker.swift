import CX11
import Glibc
import InkstoneBase
import Synchronization

/// A command of `InputMethodConnection` to its thread.
enum InputMethodCommand: Hashable, Sendable {
    case key(InputMethodKey)
    case focusIn(WindowID)
    case focusOut(WindowID)
    case spot(InputMethodSpot, WindowID)
    case reset(WindowID)
    case remove(WindowID)
    case close
    /// The server may be connected to: the main thread has prepared the process's locale, which has this name.
    case open(locale: String)
    /// Destroys the context of a removed window, when the server has no more output for it. `since` is the time at
    /// which the window's `remove` was executed. Queued by the thread itself, never by `InputMethodConnection`.
    case destroy(WindowID, since: Milliseconds)
}

/// An output of the thread. Outputs are delivered in order.
enum InputMethodOutput: Sendable {
    case event(InputMethodEvent, WindowID)
    /// A key for this program to handle: the server has returned it, or it was not sent to the server.
    case key(InputMethodKey)
    /// A key from the server that is none of the keys sent to it, for example one that an engine has made up.
    case foreignKey(RawKey, WindowID)
    case state(InputMethodState)
    /// The server has no context for the window any more.
    case removed(WindowID)
    /// The server answers, so the main thread must prepare the process's locale, by which Xlib converts texts. The
    /// connection is made after that.
    case wantsLocale
    /// The thread waits for the server, and the main thread has set no deadline for this wait.
    case watch
    /// The thread's last output: the reason for its end, the keys and compositions without an answer, and the commands
    /// that were not executed. `hasServed`: whether the server has answered at least one key.
    case ended(InputMethodEnd, InputMethodLosses, commands: [InputMethodCommand], hasServed: Bool)

    /// The approximate number of bytes that this output occupies until it is received.
    var weight: Int {
        switch self {
        case .event(.preeditDraw(let draw), _): 64 + (draw.text?.utf8.count ?? 0) + draw.feedback.count
        case .event(.commit(let text), _): 64 + text.utf8.count
        default: 64
        }
    }
}

/// The reason for the end of a thread.
enum InputMethodEnd: Hashable, Sendable {
    /// The program has closed the connection to the input method.
    case closed
    /// The server has ended, or another one has taken its place.
    case died
    /// The server does not answer.
    case hung
    /// The server has sent invalid or endless data. `owner` is the window with which it owned its selection.
    case faulty(owner: UInt)
    /// The connection to the X server failed or was lost, or there was no memory for it.
    case lostDisplay
}

extension InputMethodEnd {
    /// Returns the reason for which a connection was lost in a call.
    ///
    /// - Parameters:
    ///   - isShed: whether the main thread had shut the connection down.
    ///   - isRefused: whether data of the server was rejected.
    ///   - owner: the window with which the server owned its selection.
    static func lost(isServerGone: Bool, isShed: Bool, isRefused: Bool, owner: UInt) -> InputMethodEnd {
        // Report the server's end first, even if the main thread has also shut the connection down.
        if isServerGone { return .died }
        // Do not blame the server for a rejected packet after a shutdown: the packet is incomplete because of that.
        if isShed { return .hung }
        return isRefused ? .faulty(owner: owner) : .lostDisplay
    }
}

/// The clock of an `InputMethodConnection` and its thread; called on any thread.
package typealias InputMethodClock = @Sendable () -> Milliseconds

/// The outputs pending for the main thread. Its descriptor is readable while there are any.
final class InputMethodOutbox: Sendable {
    private struct Contents {
        var descriptor: Int32
        /// The outputs, including those that have been received already.
        var all: [InputMethodOutput] = []
        /// The number of outputs at the start of ``all`` that have been received.
        var taken = 0
        /// The weight of the outputs that have not been received, in approximate bytes.
        var weight = 0
        var isSignalled = false
    }

    /// The maximum weight of a server's unread output, in approximate bytes. Beyond it, the thread's X connection is
    /// shut down. The maximum is ten times that of the immediate answers to a thousand keys.
    private static let limit = 16 << 20
    /// The maximum number and weight (in approximate bytes) of the outputs that the main thread receives at a time. It
    /// does other work in between.
    private static let turn = (count: 512, weight: 128 << 10)
    private let contents = Mutex(Contents(descriptor: cx11_signal_create()))

    deinit {
        let descriptor = descriptor
        if descriptor >= 0 { close(descriptor) }
    }

    /// The descriptor. -1 while the process has none left for it. Once it exists, it stays the same.
    var descriptor: Int32 { contents.withLock { $0.descriptor } }

    /// Creates the descriptor if the process had none left for it before. Returns whether it is new.
    func makeDescriptor() -> Bool {
        contents.withLock { contents in
            guard contents.descriptor < 0 else { return false }
            contents.descriptor = cx11_signal_create()
            if contents.isSignalled { signal(contents.descriptor) }
            return contents.descriptor >= 0
        }
    }

    /// The weight, in approximate bytes, of further output that a server may send before the main thread receives some.
    var room: Int { Self.limit - contents.withLock { $0.weight } }

    func post(_ new: [InputMethodOutput]) {
        guard !new.isEmpty else { return }
        contents.withLock { contents in
            contents.all += new
            contents.weight += new.reduce(0) { $0 + $1.weight }
            if !contents.isSignalled {
                signal(contents.descriptor)
                contents.isSignalled = true
            }
        }
    }

    /// Removes and returns the oldest outputs, as many as the main thread can handle in a turn. The descriptor
    /// stays readable while there are more.
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

    /// Whether there are outputs that have not been received.
    var hasMore: Bool { contents.withLock { $0.taken < $0.all.count } }
}

/// A thread with its X connection, from its start to its end: the state that it shares with the main thread.
///
/// A thread ends when its server ends or hangs. The next connection gets another thread, so that no state of a failed
/// connection remains.
final class InputMethodWorker: Sendable {
    /// The state that the main thread and the worker's thread share.
    private struct Inbox {
        var commands: [InputMethodCommand] = []
        var isClosed = false
        /// The sockets of the X connection and of the connection that converts texts. Empty when they must not be
        /// shut down any more.
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
    /// Whether the server was found hung before this thread started. The published state then stays “not
    /// responding” until the server answers.
    let startsAfterHang: Bool
    /// A server that must not be connected to for some time: its window, and the end of that time. Nil for none.
    let avoided: (owner: UInt, until: Milliseconds)?
    /// A descriptor that is readable while commands are pending.
    let descriptor: Int32
    /// The time since which the thread is busy, in whole ``Milliseconds``: the time of its last wake-up, or of the
    /// beginning or end of the last call that waited for the server. 0 while it sleeps.
    let busySince = Atomic<Int64>(0)
    /// Whether the main thread has set a deadline at which it will check ``busySince``. If not, the worker's thread
    /// must report when it waits (``InputMethodOutput/watch``).
    let isWatched = Atomic<Bool>(true)
    private let inbox = Mutex(Inbox())

    init(
        serverName: String, displayName: String?, timing: InputTiming,
        clock: @escaping InputMethodClock = { MonotonicClock.now },
        outbox: InputMethodOutbox,
        startsAfterHang: Bool, avoided: (owner: UInt, until: Milliseconds)? = nil
    ) {
        self.serverName = serverName
        self.displayName = displayName
        self.timing = timing
        self.clock = clock
        self.outbox = outbox
        self.startsAfterHang = startsAfterHang
        self.avoided = avoided
        descriptor = cx11_signal_create()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Starts the thread. All signals are blocked in the thread, except those of its own faults. Returns nil if the
    /// process can have no more threads or descriptors.
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

    /// Sends a command to the thread. Returns false if the thread has ended. Called on the main thread.
    func send(_ command: InputMethodCommand) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            if inbox.commands.isEmpty { signal(descriptor) }
            inbox.commands.append(command)
            return true
        }
    }

    /// Removes and returns the pending commands. Called on the worker's own thread.
    func takeCommands(closing: Bool = false) -> [InputMethodCommand] {
        inbox.withLock { inbox in
            if !inbox.commands.isEmpty { clear(descriptor) }
            defer { inbox.commands = [] }
            inbox.isClosed = inbox.isClosed || closing
            return inbox.commands
        }
    }

    /// Sets the sockets that ``shed()`` shuts down. Before the sockets are closed, pass an empty array. Called on
    /// the worker's own thread.
    func setSockets(_ sockets: [Int32]) {
        inbox.withLock { inbox in
            inbox.sockets = sockets
            if inbox.isShed { inbox.shutDown() }
        }
    }

    /// Shuts down the thread's X connection. A call of the thread that waits for the server then returns. Called on the
    /// main thread; does not wait.
    func shed() {
        inbox.withLock { inbox in
            inbox.isShed = true
            inbox.shutDown()
        }
    }

    /// Shuts down the thread's X connection, without reading the rest of the server's data. Called on the worker's own
    /// thread.
    func cutOff() { inbox.withLock { $0.shutDown() } }

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

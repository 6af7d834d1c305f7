import CX11
import Glibc

/// The descriptors that a display's loop waits for, combined in one epoll descriptor: the X connection, posted
/// closures, the next timer, and descriptors that the program has added.
final class LoopState {
    let epoll: Int32
    private let timer: Int32
    private(set) var isClosed = false
    var timers = TimerQueue()
    var handlers: [Int32: () -> Void] = [:]
    var isRunning = false
    private var armedDeadline: Int64?
    /// Whether the loop, on the main thread, also runs Dispatch's main queue.
    var runsMainQueue = true
    /// The descriptor that is readable when Dispatch's main queue has work; -1 while it is not watched.
    private var mainQueue: Int32 = -1

    init(connection: Int32?, poster: EventPoster) throws(X11Error) {
        epoll = cx11_wait_create()
        guard epoll >= 0 else { throw .system(call: "epoll_create1", errno: errno) }
        timer = cx11_timer_create()
        guard timer >= 0 else { throw .system(call: "timerfd_create", errno: errno) }
        watch(timer)
        watch(poster.descriptor)
        if let connection { watch(connection) }
    }

    func watch(_ descriptor: Int32) { cx11_wait_add(epoll, descriptor) }

    func unwatch(_ descriptor: Int32) { cx11_wait_remove(epoll, descriptor) }

    /// Begins to watch Dispatch's main queue, if this is the main thread.
    func watchMainQueue() {
        guard mainQueue < 0, runsMainQueue, cx11_is_main_thread() else { return }
        mainQueue = cx11_dispatch_main_queue_handle()
        watch(mainQueue)
    }

    func unwatchMainQueue() {
        guard mainQueue >= 0 else { return }
        unwatch(mainQueue)
        mainQueue = -1
    }

    /// Runs Dispatch's main queue if the last wait found that it has work.
    func runMainQueue() {
        if mainQueue >= 0, ready.contains(mainQueue) { cx11_dispatch_main_queue_drain() }
    }

    /// Whether descriptors of the program, or the one of Dispatch's main queue, are watched. The loop must then call
    /// ``wait(milliseconds:)`` to learn which of them are readable.
    var hasOthers: Bool { mainQueue >= 0 || !handlers.isEmpty }

    /// The descriptors that the last wait found readable, in reverse order.
    private(set) var ready: [Int32] = []

    /// Waits for readable descriptors and stores up to 16 of them in ``ready``. Waits at most `milliseconds`, or
    /// without limit if negative.
    func wait(milliseconds: Int32) {
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: 16) { buffer in
            guard let base = buffer.baseAddress else { return }
            let count = Int(cx11_wait(epoll, base, 16, milliseconds))
            ready.removeAll(keepingCapacity: true)
            ready.append(contentsOf: buffer[..<count].reversed())
        }
    }

    /// Removes and returns the next readable descriptor that the last wait found. Nil if none is left, or if the
    /// program has added no descriptors.
    func nextReady() -> Int32? { handlers.isEmpty ? nil : ready.popLast() }

    /// Sets the timer so that the epoll descriptor becomes readable at the next deadline. If the timer is set to an
    /// earlier time already, leaves it alone: waking up early costs less than a system call for each key.
    func armTimer() {
        let next = timers.nextDeadline
        if let armedDeadline, let next, armedDeadline <= next { return }
        guard armedDeadline != next, let next else { return }
        setTimer(next)
    }

    /// Makes the timer descriptor unreadable again after it has expired.
    func acknowledgeTimer(at now: Int64) {
        guard let armedDeadline, armedDeadline <= now else { return }
        var count: UInt64 = 0
        if read(timer, &count, 8) == 8 { self.armedDeadline = nil }
    }

    private func setTimer(_ deadline: Int64) {
        cx11_timer_set(timer, deadline)
        armedDeadline = deadline
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        handlers = [:]
        Glibc.close(epoll)
        Glibc.close(timer)
    }
}

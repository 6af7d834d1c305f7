import CX11
import Dispatch
import Glibc
import InkstoneBase

extension Display {
    /// A descriptor for a host's `poll` or `epoll`. It is readable when ``processEvents()`` has work: X events,
    /// expired timers, posted closures, windows to paint, added descriptors that are readable, or Dispatch's main
    /// queue if ``processEvents()`` runs it (``runsMainQueue``). If the display uses a host program's connection, X
    /// events are not included.
    public var fileDescriptor: Int32 { loop.epoll }

    /// The time at which the next timer expires, in milliseconds of `CLOCK_MONOTONIC` (rounded up); nil if none is
    /// set. Only a host that computes its own time-out needs this: ``fileDescriptor`` becomes readable at that time
    /// anyway.
    public var nextDeadline: Int64? { loop.timers.nextDeadline.map { ($0 + 999_999) / 1_000_000 } }

    /// Whether ``run()`` and ``processEvents()``, called on the main thread, also run Dispatch's main queue and
    /// with it the main actor. Set it to false if the host runs that queue itself.
    public var runsMainQueue: Bool {
        get { loop.runsMainQueue }
        set {
            loop.runsMainQueue = newValue
            if !newValue { loop.unwatchMainQueue() }
        }
    }

    /// Waits for events and handles them until ``stop()`` is called or the connection is lost. On the main thread,
    /// also runs Dispatch's main queue and with it the main actor. Traps on a host program's connection.
    ///
    /// After the first `await` of an asynchronous `main`, the main actor has left the main thread, and this method
    /// keeps it busy: no task of the main actor runs any more. Debug builds report that on standard error.
    public func run() {
        precondition(!isAdopted, "An adopted connection's events are read by its host")
        checkThread()
        assert(reportsLostMainActor())
        loop.watchMainQueue()
        loop.isRunning = true
        // Find out which descriptors are already readable; during the loop, each wait reports that.
        loop.wait(milliseconds: 0)
        while loop.isRunning {
            turn()
            guard loop.isRunning, !isLost else { break }
            loop.wait(milliseconds: -1)
            loop.runMainQueue()
        }
        loop.isRunning = false
    }

    /// Reports on standard error that the loop runs as work of Dispatch's main queue on another thread than the main
    /// thread, because then no other work of that queue can run. Returns true, for use in an assertion.
    private func reportsLostMainActor() -> Bool {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        defer { DispatchQueue.main.setSpecific(key: key, value: nil) }
        guard !cx11_is_main_thread(), DispatchQueue.getSpecific(key: key) == true else { return true }
        var message = "Inkstone: Display.run() was called on the main actor after it had left the main thread, so "
        message += "no other task of it will run. Open and run the display before the first await of main.\n"
        message.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
        return true
    }

    /// Makes ``run()`` return at the end of the current turn of the loop.
    public func stop() { loop.isRunning = false }

    /// Handles all pending input without waiting: X events (unless they come from a host's connection, see
    /// ``handle(event:)``), posted closures, expired timers, added descriptors, and on the main thread Dispatch's
    /// main queue (``runsMainQueue``). Then paints the windows that need it, and flushes. After 50 ms, the rest of
    /// the input is left for the next call, and ``fileDescriptor`` stays readable.
    public func processEvents() {
        guard !loop.isClosed else { return }
        loop.watchMainQueue()
        if loop.hasOthers {
            loop.wait(milliseconds: 0)
            loop.runMainQueue()
        }
        turn()
    }

    /// Calls `action` after the painting and flushing of the current turn of the loop or, if none is running, of
    /// the next one. Use this for effects of an event that may come after the visible result. Actions run in the
    /// order of the calls, before unread events are handled.
    public func performAfterPainting(_ action: @escaping () -> Void) {
        checkThread()
        turnWork.followUps.append(FollowUp(perform: action))
        needsTurn()
    }

    /// Runs one turn of the loop. The last wait has found which descriptors are readable.
    private func turn() {
        checkThread()
        guard !loop.isClosed else { return }
        cx11_handlers_reassert()
        if !isAdopted { cx11_handlers_refuse_sent(connection) }
        let start = MonotonicClock.nanoseconds
        let wasTurning = turnWork.isUnderWay
        turnWork.isUnderWay = true
        defer { turnWork.isUnderWay = wasTurning }
        while true {
            drainEvents(until: start + 50_000_000)
            runPosted()
            runDescriptors()
            runTimers()
            paintWindows()
            if reportLoss() { return }
            cx11_flush(connection)
            deliverErrors()
            runFollowUps()
            let isMoreQueued = !isAdopted && XEventsQueued(connection, Int32(QueuedAlready)) > 0
            guard isMoreQueued || !turnWork.dirtyWindows.isEmpty || !turnWork.followUps.isEmpty else { break }
            if MonotonicClock.nanoseconds - start > 50_000_000 {
                poster.wake()
                break
            }
        }
        if reportLoss() { return }
        loop.armTimer()
    }

    /// Handles an event that a host has read from its own connection. `event` points to its `XEvent`. Returns
    /// whether the event concerned only this package's windows.
    ///
    /// Paints nothing, but makes ``fileDescriptor`` readable; the next ``processEvents()`` paints the windows. That
    /// call may make Xlib read further events, so check Xlib's queue with `XPending` before waiting.
    @discardableResult
    public func handle(event: UnsafeRawPointer) -> Bool {
        checkThread()
        var copy = event.loadUnaligned(as: XEvent.self)
        let isOurs = dispatch(&copy)
        poster.wake()
        return isOurs
    }

    /// Calls `action` once after `milliseconds` or slightly more, on this display's thread. The maximum is 2⁴⁰
    /// milliseconds (35 years). Returns the identifier for ``cancel(_:)``.
    @discardableResult
    public func schedule(afterMilliseconds milliseconds: Int, _ action: @escaping () -> Void) -> TimerID {
        checkThread()
        let id = loop.timers.add(
            deadline: MonotonicClock.nanoseconds + Int64(min(max(0, milliseconds), 1 << 40)) * 1_000_000, action)
        // A running turn arms the timer at its end.
        if !turnWork.isUnderWay { loop.armTimer() }
        return id
    }

    /// Cancels a scheduled call. Has no effect if the call was already made, or if `id` is nil.
    public func cancel(_ id: TimerID?) {
        if let id { loop.timers.cancel(id) }
    }

    /// Calls `handler` in each turn of the loop in which `descriptor` is readable, until ``removeDescriptor(_:)``
    /// is called. An earlier handler of the descriptor is replaced. The caller keeps ownership of the descriptor,
    /// and must remove it before closing it.
    public func addDescriptor(_ descriptor: Int32, _ handler: @escaping () -> Void) {
        checkThread()
        if loop.handlers.updateValue(handler, forKey: descriptor) == nil { loop.watch(descriptor) }
    }

    /// Stops watching a descriptor. Has no effect if it is not watched.
    public func removeDescriptor(_ descriptor: Int32) {
        if loop.handlers.removeValue(forKey: descriptor) != nil { loop.unwatch(descriptor) }
    }

    /// Handles all X events that the server has sent by now, before the other work of the loop's turn. Stops after
    /// a second, even if more events follow. Does nothing if the connection is adopted, because its events come
    /// from the host.
    package func handleReadyEvents() {
        checkThread()
        // Xlib reads from the connection only if its own queue is empty, and reading once may not get all events,
        // for example not the release of a key. So repeat it, but stop after a second, so that a flood of events
        // cannot hold up the rest.
        let deadline = MonotonicClock.nanoseconds + 1_000_000_000
        while !loop.isClosed, !isAdopted, !isLost, MonotonicClock.nanoseconds < deadline,
            cx11_events_queued(connection, Int32(QueuedAfterReading)) > 0
        {
            drainEvents(until: deadline)
        }
    }

    private func drainEvents(until deadline: Int64) {
        guard !isAdopted else { return }
        var event = XEvent()
        var count = 0
        // Xlib may have read events along with a reply. So check Xlib's queue before reading from the connection.
        // Neither step flushes requests.
        while !isLost, cx11_events_queued(connection, Int32(count == 0 ? QueuedAfterReading : QueuedAlready)) > 0 {
            XNextEvent(connection, &event)
            dispatch(&event)
            count += 1
            if count & 63 == 0, MonotonicClock.nanoseconds > deadline { break }
            if event.type == KeyPress, !turnWork.dirtyWindows.isEmpty, isReleaseNext { break }
        }
        flushMotion()
    }

    /// Whether the only event that was read and not handled is a key release. If so, typed text should be painted
    /// first.
    private var isReleaseNext: Bool {
        guard XEventsQueued(connection, Int32(QueuedAlready)) == 1 else { return false }
        var next = XEvent()
        XPeekEvent(connection, &next)
        return next.type == KeyRelease
    }

    private func runFollowUps() {
        guard !turnWork.followUps.isEmpty else { return }
        let sent = XNextRequest(connection)
        let followUps = turnWork.followUps.take()
        for followUp in followUps { followUp.perform() }
        turnWork.followUps.reuse(followUps)
        if !isLost, XNextRequest(connection) != sent { cx11_flush(connection) }
    }

    private func runPosted() {
        for work in poster.take() { work() }
    }

    private func runDescriptors() {
        while let descriptor = loop.nextReady() { loop.handlers[descriptor]?() }
    }

    private func runTimers() {
        let now = MonotonicClock.nanoseconds
        loop.acknowledgeTimer(at: now)
        while let action = loop.timers.takeDue(at: now) { action() }
    }

    private func paintWindows() {
        guard !isLost, !turnWork.dirtyWindows.isEmpty else { return }
        let windows = turnWork.dirtyWindows.take()
        for window in windows { window.paintNow() }
        turnWork.dirtyWindows.reuse(windows)
    }
}

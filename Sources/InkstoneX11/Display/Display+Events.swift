import CX11
import InkstoneBase

/// A receiver of a window's events: one of our windows (also for its ancestors'), or a selection transfer.
protocol EventSink: AnyObject {
    /// Handles an event that was selected on the window it is registered for.
    func receive(_ event: inout XEvent)
}

/// A weak reference to a registered sink.
struct SinkReference {
    weak var sink: (any EventSink)?
    /// The events selected for the sink on a foreign window.
    var mask = 0
}

/// The sinks registered for windows, by window identifier.
struct WatchedWindows {
    var sinks: [UInt: [SinkReference]] = [:]
    /// Event masks on foreign windows: what the sinks have selected, and what the program has selected besides.
    var foreignMasks: [UInt: (ours: Int, program: Int)] = [:]
}

extension Display {
    /// Registers a sink for the events of a window.
    ///
    /// - Parameters:
    ///   - mask: events to select on a foreign window for as long as the sink is registered. A window has one mask for each
    ///     connection: what other sinks and the program have selected there stays selected.
    ///   - program: the program's own mask there, if known: 0 if the connection has had no other user yet. By default the
    ///     server is asked, one round trip.
    func register(_ sink: any EventSink, for window: UInt, selecting mask: Int = 0, besides program: Int? = nil) {
        watched.sinks[window, default: []].removeAll { $0.sink == nil || $0.sink === sink }
        watched.sinks[window, default: []].append(SinkReference(sink: sink, mask: mask))
        selectEvents(of: window, besides: program)
    }

    func unregister(_ sink: any EventSink, for window: UInt) {
        watched.sinks[window]?.removeAll { $0.sink == nil || $0.sink === sink }
        if watched.sinks[window]?.isEmpty == true { watched.sinks[window] = nil }
        selectEvents(of: window)
    }

    /// Selects on a foreign window the events that its sinks need, in addition to those of the program, which may have changed since.
    private func selectEvents(of window: UInt, besides program: Int? = nil) {
        // On our own windows, all events that a sink needs are selected when the window is made.
        guard windows[window] == nil else { return }
        let wanted = (watched.sinks[window] ?? []).reduce(0) { $0 | $1.mask }
        let known = watched.foreignMasks.removeValue(forKey: window)
        guard wanted != 0 || known != nil, !isLost, let program = program ?? programMask(of: window, known) else {
            return
        }
        if wanted != 0 { watched.foreignMasks[window] = (wanted, program) }
        tolerating { _ = XSelectInput(connection, window, program | wanted) }
    }

    /// Returns the events selected on a window besides those for sinks, on a connection of our own too, since a program may use that; nil
    /// if the window is gone. One round trip.
    private func programMask(of window: UInt, _ known: (ours: Int, program: Int)?) -> Int? {
        var attributes = XWindowAttributes()
        guard tolerating({ XGetWindowAttributes(connection, window, &attributes) }) != 0 else { return nil }
        let all = attributes.your_event_mask
        // For events that both select, only the program's earlier mask is known.
        return known.map { all & ~$0.ours | $0.program & $0.ours } ?? all
    }

    /// Whether anything is still registered for a window.
    func isWatched(_ window: UInt) -> Bool { watched.sinks[window] != nil }

    /// Dispatches an event to its sinks. Returns whether it concerned only this package.
    @discardableResult
    func dispatch(_ event: inout XEvent) -> Bool {
        if event.type == GenericEvent { return pointerDevices?.receive(&event) ?? false }
        if event.xany.send_event == 0 {
            noteTime(of: event)
        } else if !Self.mayBeSent(event.type), !(acceptsSyntheticInput && Self.isInput(event.type)), !isHostKey(event) {
            return ownResources.contains(event.xany.window)
        }
        if event.type == MappingNotify {
            keyboard.mappingChanged(&event.xmapping)
            return false
        }
        if keyboard.receive(&event) { return false }
        guard let targets = watched.sinks[event.xany.window] else { return false }
        for target in targets { target.sink?.receive(&event) }
        return ownResources.contains(event.xany.window)
    }

    /// Delivers a pointer motion that was deferred in case another follows.
    func flushMotion() {
        guard let window = turnWork.motionWindow else { return }
        turnWork.motionWindow = nil
        window.deliverMotion()
    }

    /// Whether an event of a type is user input: a key, a button or a motion.
    private static func isInput(_ type: CInt) -> Bool { (KeyPress...MotionNotify).contains(type) }

    /// Whether an event is a key for a plug whose host forwards its keys.
    private func isHostKey(_ event: XEvent) -> Bool {
        (event.type == KeyPress || event.type == KeyRelease)
            && windows[event.xany.window]?.plug?.takesSentKeys == true
    }

    /// Whether an event of a type is accepted from other clients: messages, and answers of selection owners (ICCCM 2.2). The server
    /// reports all else itself. That holds for the configure events of window managers too (ICCCM 4.1.5): the ancestors report each move,
    /// and a manager that changes nothing reports nothing new.
    private static func mayBeSent(_ type: CInt) -> Bool { type == ClientMessage || type == SelectionNotify }

    /// Records the time of a real event. Not of a sent one: with a time far ahead the server would refuse all later selection claims.
    private func noteTime(of event: XEvent) {
        switch event.type {
        case KeyPress, KeyRelease: noteTime(event.xkey.time)
        case ButtonPress, ButtonRelease: noteTime(event.xbutton.time)
        case MotionNotify: noteTime(event.xmotion.time)
        case EnterNotify, LeaveNotify: noteTime(event.xcrossing.time)
        case PropertyNotify: noteTime(event.xproperty.time)
        default: break
        }
    }

    func noteTime(_ time: Time) {
        // Input methods make up keys with time 0; the clock wraps after 49 days, hence the difference.
        let new = UInt32(truncatingIfNeeded: time)
        guard new != 0 else { return }
        if latestTimestamp == 0 || Int32(bitPattern: new &- latestTimestamp) > 0 { latestTimestamp = new }
    }
}

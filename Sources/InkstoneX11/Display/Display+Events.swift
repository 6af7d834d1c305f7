import CX11
import InkstoneBase

/// What takes the events of a window: one of our windows (also for its ancestors'), or a selection transfer.
protocol EventSink: AnyObject {
    /// Handles an event that was selected on the window it is registered for.
    func receive(_ event: inout XEvent)
}

/// A sink that is not kept alive by being registered.
struct SinkReference {
    weak var sink: (any EventSink)?
    /// The events that are selected for it on somebody else's window.
    var mask = 0
}

/// The windows whose events somebody takes, by their identifiers.
struct WatchedWindows {
    var sinks: [UInt: [SinkReference]] = [:]
    /// Event masks on windows of others: those that sinks have selected, and those that the program has selected besides.
    var foreignMasks: [UInt: (ours: Int, program: Int)] = [:]
}

extension Display {
    /// Registers a sink for the events of a window.
    ///
    /// - Parameters:
    ///   - mask: events to select on somebody else's window for as long as the sink is registered. A window has one mask for each
    ///     connection: what other sinks and the program have selected there stays selected.
    ///   - program: what the program has selected there, where that is known: nothing if nobody has had the connection yet. By default the
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

    /// Selects on somebody else's window what its sinks need besides what the program has selected there, perhaps since the last time.
    private func selectEvents(of window: UInt, besides program: Int? = nil) {
        // One of ours selects all that a sink needs when it is made.
        guard windows[window] == nil else { return }
        let wanted = (watched.sinks[window] ?? []).reduce(0) { $0 | $1.mask }
        let known = watched.foreignMasks.removeValue(forKey: window)
        guard wanted != 0 || known != nil, !isLost, let program = program ?? programMask(of: window, known) else {
            return
        }
        if wanted != 0 { watched.foreignMasks[window] = (wanted, program) }
        tolerating { _ = XSelectInput(connection, window, program | wanted) }
    }

    /// Events that are selected on a window besides those for sinks, on a connection of our own too, since a program may use that; nil if it
    /// is gone. One round trip.
    private func programMask(of window: UInt, _ known: (ours: Int, program: Int)?) -> Int? {
        var attributes = XWindowAttributes()
        guard tolerating({ XGetWindowAttributes(connection, window, &attributes) }) != 0 else { return nil }
        let all = attributes.your_event_mask
        // Of events that both select, only what the program had before is known.
        return known.map { all & ~$0.ours | $0.program & $0.ours } ?? all
    }

    /// Whether anything is still registered for a window.
    func isWatched(_ window: UInt) -> Bool { watched.sinks[window] != nil }

    /// Hands an event to whom it concerns. Returns whether that was only this package.
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

    /// Delivers a pointer motion that was held back in case another follows.
    func flushMotion() {
        guard let window = turnWork.motionWindow else { return }
        turnWork.motionWindow = nil
        window.deliverMotion()
    }

    /// Whether an event of a type is the user's: a key, a button or a motion.
    private static func isInput(_ type: CInt) -> Bool { (KeyPress...MotionNotify).contains(type) }

    /// Whether an event is a key for a plug whose host hands on its keys.
    private func isHostKey(_ event: XEvent) -> Bool {
        (event.type == KeyPress || event.type == KeyRelease)
            && windows[event.xany.window]?.plug?.takesSentKeys == true
    }

    /// Whether an event of a type counts that another client has sent: messages, and answers of selection owners (ICCCM 2.2). The server
    /// reports all else itself. That holds for the configure events of window managers too (ICCCM 4.1.5): the ancestors report each move,
    /// and a manager that changes nothing reports nothing new.
    private static func mayBeSent(_ type: CInt) -> Bool { type == ClientMessage || type == SelectionNotify }

    /// Not of an event that a client has sent: with a time far ahead the server would refuse all selections claimed from then on.
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

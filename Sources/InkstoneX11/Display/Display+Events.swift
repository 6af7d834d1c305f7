import CX11
import InkstoneBase

/// A receiver of a window's events, such as one of our windows, which also receives its ancestors' events, or the
/// selection transfers.
protocol EventSink: AnyObject {
    /// Handles an event of a window for which the sink is registered.
    func receive(_ event: inout XEvent)
}

/// A weak reference to a registered event sink.
struct SinkReference {
    weak var sink: (any EventSink)?
    /// The events that the sink needs from another client's window, as an X event mask; 0 for one of our own windows.
    var mask = 0
}

/// The sinks registered for each window, by the window's identifier.
struct WatchedWindows {
    var sinks: [UInt: [SinkReference]] = [:]
    /// For each window of another client: the events that the sinks have selected, and those that the program
    /// itself has selected.
    var foreignMasks: [UInt: (ours: Int, program: Int)] = [:]
}

extension Display {
    /// Registers a sink for the events of a window.
    ///
    /// - Parameters:
    ///   - mask: the events to select on a window of another client while the sink is registered. A connection has
    ///     a single mask for each window. Events that other sinks or the program have selected stay selected.
    ///   - program: the events that the program itself has selected there, if known. By default the server is asked,
    ///     which takes one round trip.
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

    /// Selects, on another client's window, the events that its sinks need. Events that the program itself has
    /// selected there stay selected.
    private func selectEvents(of window: UInt, besides program: Int? = nil) {
        // Do nothing for our own windows: all their events are selected when they are created.
        guard windows[window] == nil else { return }
        let wanted = (watched.sinks[window] ?? []).reduce(0) { $0 | $1.mask }
        let known = watched.foreignMasks.removeValue(forKey: window)
        guard wanted != 0 || known != nil, !isLost, let program = program ?? programMask(of: window, known) else {
            return
        }
        if wanted != 0 { watched.foreignMasks[window] = (wanted, program) }
        tolerating { _ = XSelectInput(connection, window, program | wanted) }
    }

    /// Returns the events that the program itself has selected on a window, besides those of the sinks. Nil if the
    /// window is gone. The query is also needed on our own connection, which the program may use for windows of its
    /// own. One round trip.
    private func programMask(of window: UInt, _ known: (ours: Int, program: Int)?) -> Int? {
        var attributes = XWindowAttributes()
        guard tolerating({ XGetWindowAttributes(connection, window, &attributes) }) != 0 else { return nil }
        let all = attributes.your_event_mask
        // If the sinks have selected an event, the mask does not show whether the program has selected it too. For
        // these events, use what the program had selected before.
        return known.map { all & ~$0.ours | $0.program & $0.ours } ?? all
    }

    /// Whether any sink is registered for a window.
    func isWatched(_ window: UInt) -> Bool { watched.sinks[window] != nil }

    /// Passes an event to its sinks. Returns whether the event concerned only this package.
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

    /// Delivers a motion of the pointer or a finger that was held back because another motion might have replaced it.
    func flushMotion() {
        guard let window = turnWork.motionWindow else { return }
        turnWork.motionWindow = nil
        window.deliverMotion()
    }

    /// Whether an event type is user input: a key, a button or a motion.
    private static func isInput(_ type: CInt) -> Bool { (KeyPress...MotionNotify).contains(type) }

    /// Whether an event is a key press or release that was sent to a plug (a window inside a host program's window)
    /// while the plug accepts sent keys. The host is then assumed to have forwarded the key.
    private func isHostKey(_ event: XEvent) -> Bool {
        (event.type == KeyPress || event.type == KeyRelease)
            && windows[event.xany.window]?.plug?.takesSentKeys == true
    }

    /// Whether an event of this type is accepted if another client has sent it. Only messages and answers of
    /// selection owners are (ICCCM 2.2); the server itself reports everything else. The configure events that
    /// window managers send (ICCCM 4.1.5) are not needed, because the ancestor windows report each move.
    private static func mayBeSent(_ type: CInt) -> Bool { type == ClientMessage || type == SelectionNotify }

    /// Records the time of an event. Call only for events that the server itself has sent: after a time of another
    /// client that is far in the future, the server would refuse all selection claims.
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
        // Ignore the time 0 of key events made by input methods. The server's clock wraps after 49 days, so compare
        // by the difference.
        let new = UInt32(truncatingIfNeeded: time)
        guard new != 0 else { return }
        if latestTimestamp == 0 || Int32(bitPattern: new &- latestTimestamp) > 0 { latestTimestamp = new }
    }
}

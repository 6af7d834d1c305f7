import CInkstone
import Glibc
import Inkstone

/// Object behind a handle of C: a display, a window or a view, with the handles that it owns.
///
/// A handle is a reference that C holds, from its creation until the object that owns it ends it.
class Handle {
    let display: Display
    private let thread = pthread_self()

    init(_ display: Display) { self.display = display }

    /// The pointer that C has.
    final var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Gives C its reference.
    final func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    /// Takes C's reference back.
    final func release() { Unmanaged.passUnretained(self).release() }

    /// The object behind a pointer of C. Ends the program on another thread than the display's: memory would be damaged.
    static func object(_ pointer: OpaquePointer, _ function: StaticString = #function) -> Self {
        let object = Self.onAnyThread(pointer, function)
        guard pthread_equal(object.thread, pthread_self()) != 0 else {
            endProgram("\(name(function)) was called on another thread than the display's")
        }
        return object
    }

    /// The object behind a pointer of C, of which only what any thread may use is to be used. Ends the program if there is none, as after a
    /// failure that was not looked at.
    static func onAnyThread(_ pointer: OpaquePointer, _ function: StaticString = #function) -> Self {
        // C's NULL comes in although the type knows none.
        guard UInt(bitPattern: pointer) != 0 else {
            endProgram("\(name(function)) was called with NULL for its handle")
        }
        return Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    /// The name that C has for a function of Swift.
    private static func name(_ function: StaticString) -> Substring { "\(function)".prefix { $0 != "(" } }

    private static func endProgram(_ reason: String) -> Never {
        let message = Array("inkstone: \(reason)\n".utf8)
        _ = write(STDERR_FILENO, message, message.count)
        abort()
    }
}

/// A display and its windows.
final class DisplayHandle: Handle {
    var windows: [WindowHandle] = []
    var isLost = false
    private var accessibility: Accessibility?

    /// Shows the windows that there are, and those that come, to screen readers.
    func startAccessibility(named name: String) {
        guard accessibility == nil else { return }
        let accessibility = Accessibility(of: display, name: name)
        self.accessibility = accessibility
        for window in windows { show(window) }
        accessibility.onReferencesChange = { [weak self] in
            // A handler may destroy windows.
            for window in self?.windows ?? [] { window.report(INK_WINDOW_ACCESSIBLE_ID) }
        }
        accessibility.start()
    }

    /// Shows a window to screen readers, if the program has asked for that.
    func show(_ window: WindowHandle) { accessibility?.add(window.window, title: window.title) }

    func close() {
        for window in windows { window.destroy() }
        accessibility?.close()
        accessibility = nil
        display.close()
        release()
    }
}

/// A window and its views.
final class WindowHandle: Handle {
    let window: WidgetWindow
    private unowned let owner: DisplayHandle
    var views: [ViewHandle] = []
    var handler: (ink_window_handler, UnsafeMutableRawPointer?)?
    private(set) var isDestroyed = false
    /// The title, which is its name for screen readers as well.
    var title: String {
        didSet {
            window.window.setTitle(title)
            window.accessibleTitle = title
        }
    }

    init(_ window: WidgetWindow, title: String, in owner: DisplayHandle) {
        self.window = window
        self.title = title
        self.owner = owner
        super.init(window.display)
        owner.windows.append(self)
        owner.show(self)
        window.focusOrder = .contents
        window.onClose = { [weak self] window in
            if self?.report(INK_WINDOW_CLOSE) != true { window.window.hide() }
        }
        window.onDestroy = { [weak self] _ in self?.report(INK_WINDOW_GONE) }
        window.onUnplug = { [weak self] _ in self?.report(INK_WINDOW_UNPLUGGED) }
        window.onLayout = { [weak self] window in
            guard let self, !report(INK_WINDOW_RESIZED), let first = views.first, !first.isPlaced else { return }
            first.view.setFrame(window.window.bounds)
        }
    }

    /// Asks C's handler about an event. False if there is none, or it leaves the event to the default.
    @discardableResult
    fileprivate func report(_ event: ink_window_event) -> Bool {
        guard !isDestroyed, let handler else { return false }
        return handler.0(pointer, event, handler.1)
    }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        handler = nil
        for view in views { view.destroy() }
        owner.windows.removeAll { $0 === self }
        window.close()
        release()
    }
}

/// A view and its callbacks.
final class ViewHandle: Handle {
    let view: TextView
    private unowned let owner: WindowHandle
    private var observation: TextObservation?
    private var changeHandler: (ink_change_handler, UnsafeMutableRawPointer?)?
    var commandHandler: (ink_command_handler, UnsafeMutableRawPointer?)?
    /// Whether the program has set the view's frame.
    var isPlaced = false
    /// Bytes of the text before the next change.
    private var length = 0
    private var isDestroyed = false

    init(in owner: WindowHandle) {
        self.owner = owner
        view = TextView(in: owner.window)
        super.init(owner.display)
        owner.views.append(self)
        observation = view.observe { [weak self] in self?.report($0) }
        view.onCommand = { [weak self] command in
            guard let self, !isDestroyed, let handler = commandHandler else { return false }
            return command.rawValue.withCString { handler.0(self.pointer, $0, handler.1) }
        }
    }

    func setChangeHandler(_ handler: (ink_change_handler, UnsafeMutableRawPointer?)?) { changeHandler = handler }

    private func report(_ update: ViewUpdate) {
        var change = ink_change()
        change.size = MemoryLayout<ink_change>.size
        change.kinds = UInt32(update.changes.rawValue)
        if let applied = update.applied {
            let new = applied.text.byteRange(of: applied.changedRange)
            let after = applied.text.metrics.bytes
            change.start = new.lowerBound.value
            change.new_length = new.upperBound.value - new.lowerBound.value
            change.old_length = max(0, change.new_length - (after - length))
            length = after
        }
        guard !isDestroyed, let handler = changeHandler else { return }
        handler.0(pointer, &change, handler.1)
    }

    /// A range of the text in UTF-16 units, from bytes.
    func range(_ start: Int, _ end: Int) -> Range<UTF16Offset> {
        let (start, end) = (offset(start), offset(end))
        return min(start, end)..<max(start, end)
    }

    /// An offset of the text in UTF-16 units, from bytes. C's SIZE_MAX is negative here.
    func offset(_ bytes: Int) -> UTF16Offset {
        let text = view.store.text
        let clamped = bytes < 0 ? text.metrics.bytes : min(bytes, text.metrics.bytes)
        return text.utf16Offset(at: text.roundedDown(toScalar: ByteOffset(clamped)))
    }

    func destroy() {
        guard !isDestroyed else { return }
        isDestroyed = true
        (observation, changeHandler, commandHandler) = (nil, nil, nil)
        view.onCommand = nil
        let place = owner.views.firstIndex { $0 === self } ?? 0
        let hadKeys = owner.window.focusedView === view
        owner.views.removeAll { $0 === self }
        owner.window.remove(view)
        // The view after it gets the keys, or the one before the last: else they would go nowhere.
        if hadKeys, !owner.isDestroyed, !owner.views.isEmpty {
            owner.views[min(place, owner.views.count - 1)].view.focus()
        }
        release()
    }
}

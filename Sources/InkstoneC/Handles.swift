import CInkstone
import Glibc
import Inkstone

/// The object behind a handle of the C interface: a display, window or view, with the handles that it owns.
///
/// A handle is a reference to the object, held by C code. The reference is released when the display is closed, or
/// the window or view destroyed.
class Handle {
    let display: Display
    private let thread = pthread_self()

    init(_ display: Display) { self.display = display }

    /// The handle: the pointer that C code has.
    final var pointer: OpaquePointer { OpaquePointer(Unmanaged.passUnretained(self).toOpaque()) }

    /// Returns the handle, and retains the object for C code.
    final func retained() -> OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    /// Releases the reference that C code holds.
    final func release() { Unmanaged.passUnretained(self).release() }

    /// Returns the object of a handle. Ends the program if called on another thread than the display's, because
    /// that would corrupt memory.
    static func object(_ pointer: OpaquePointer, _ function: StaticString = #function) -> Self {
        let object = Self.onAnyThread(pointer, function)
        guard pthread_equal(object.thread, pthread_self()) != 0 else {
            endProgram("\(name(function)) was called on another thread than the display's")
        }
        return object
    }

    /// Returns the object of a handle on any thread; only its thread-safe parts may be used then. Ends the program
    /// if the handle is NULL, as after a failure that the program has ignored.
    static func onAnyThread(_ pointer: OpaquePointer, _ function: StaticString = #function) -> Self {
        // Check for NULL, which C code may pass although the type does not allow it.
        guard UInt(bitPattern: pointer) != 0 else {
            endProgram("\(name(function)) was called with NULL for its handle")
        }
        return Unmanaged<Self>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    /// Returns the C name of a Swift function.
    private static func name(_ function: StaticString) -> Substring { "\(function)".prefix { $0 != "(" } }

    private static func endProgram(_ reason: String) -> Never {
        let message = Array("inkstone: \(reason)\n".utf8)
        _ = write(STDERR_FILENO, message, message.count)
        abort()
    }
}

/// The object behind the handle of a display, with its windows.
final class DisplayHandle: Handle {
    var windows: [WindowHandle] = []
    var isLost = false
    private var accessibility: Accessibility?

    /// Exposes all windows, present and future, to assistive technology.
    func startAccessibility(named name: String) {
        guard accessibility == nil else { return }
        let accessibility = Accessibility(of: display, name: name)
        self.accessibility = accessibility
        for window in windows { show(window) }
        accessibility.onReferencesChange = { [weak self] in
            // Iterate over a copy, because a handler may destroy its window.
            for window in self?.windows ?? [] { window.report(INK_WINDOW_ACCESSIBLE_ID) }
        }
        accessibility.start()
    }

    /// Exposes a window to assistive technology, if the program has started that.
    func show(_ window: WindowHandle) { accessibility?.add(window.window, title: window.title) }

    func close() {
        for window in windows { window.destroy() }
        accessibility?.close()
        accessibility = nil
        display.close()
        release()
    }
}

/// The object behind the handle of a window, with its views.
final class WindowHandle: Handle {
    let window: WidgetWindow
    private unowned let owner: DisplayHandle
    var views: [ViewHandle] = []
    var handler: (ink_window_handler, UnsafeMutableRawPointer?)?
    private(set) var isDestroyed = false
    /// The title of the window, which is also its name for assistive technology.
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

    /// Calls the C handler of the window for an event. Returns false if there is none, or if it leaves the event to
    /// the default action.
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

/// The object behind the handle of a view, with its callbacks.
final class ViewHandle: Handle {
    let view: TextView
    private unowned let owner: WindowHandle
    private var observation: TextObservation?
    private var changeHandler: (ink_change_handler, UnsafeMutableRawPointer?)?
    var commandHandler: (ink_command_handler, UnsafeMutableRawPointer?)?
    /// Whether the program has set the view's frame. If not, the first view of a window gets the window's size whenever
    /// that changes, unless the program handles `INK_WINDOW_RESIZED` itself.
    var isPlaced = false
    /// The length of the text before the next change, in bytes.
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

    /// Converts a range in bytes to UTF-16 units.
    func range(_ start: Int, _ end: Int) -> Range<UTF16Offset> {
        let (start, end) = (offset(start), offset(end))
        return min(start, end)..<max(start, end)
    }

    /// Converts an offset in bytes to UTF-16 units. C's SIZE_MAX, which stands for the end of the text, is negative
    /// here.
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
        // Focus the next view, or the last one: otherwise keys would have no effect.
        if hadKeys, !owner.isDestroyed, !owner.views.isEmpty {
            owner.views[min(place, owner.views.count - 1)].view.focus()
        }
        release()
    }
}

import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneX11

/// A text view in an X window: typing with any input method, selecting, scrolling, copy and paste, undo.
///
/// It joins an ``EditorView``, which is the view without a display, with a part of a ``WidgetWindow``. All on the
/// display's thread.
public final class TextView {
    /// The view without a display: text, selection, commands and geometry.
    public let editor: EditorView
    /// The window that it lies in.
    public private(set) weak var window: WidgetWindow?

    /// The text has changed, whoever changed it. Not called while a composition is going on, but once when it ends.
    /// ``EditorView/changes`` tells more: what has changed, as a sequence or for Observation.
    public var onTextChange: (() -> Void)?
    /// The selection or the scroll position has changed.
    public var onSelectionChange: (() -> Void)?

    /// Who is asked for commands and shortcuts after this view; nil for its window. Held weakly.
    public weak var nextResponder: (any Responder)?
    /// Shortcuts while the view has the focus.
    public var keyCommands: [KeyCommand] = []
    /// Performs a command that is not the text's; returns whether it did.
    public var onCommand: ((EditCommand) -> Bool)?
    /// A panel that is shown with the view while it has the focus: an ``InputPanel``, else it is not shown. Setting it while
    /// the view has the focus shows it at once; one that wants another extent is asked again by ``reloadInputViews()``.
    public var inputView: AnyObject? { didSet { if inputView !== oldValue { reloadInputViews() } } }
    /// A strip that is shown with the view while it has the focus, above ``inputView``: an ``InputPanel`` as well.
    public var inputAccessoryView: AnyObject? {
        didSet { if inputAccessoryView !== oldValue { reloadInputViews() } }
    }
    /// Whether the view takes the focus when it is clicked, by Tab or by the program.
    public var canBecomeFirstResponder = true
    /// Whether the view lets the focus go now; a field with a mistake in it may keep it. Nil lets it go.
    public var shouldResignFirstResponder: (() -> Bool)?
    /// Keys come here from now on, or no longer do.
    public var onFocusChange: ((Bool) -> Void)?

    /// What was to be pasted did not come, or was too much: for a notice. Its `description` is for people.
    public var onPasteFailure: ((Clipboard.Failure) -> Void)?

    private var clicks = ClickCounter()
    private var timer: TimerID?
    /// When the timer comes, and when the editor wants to be called, in milliseconds of the monotonic clock.
    private var timerDeadline: Int64 = 0
    private var deadline: Int64?
    var idleTimer: TimerID?
    /// When the view was last edited, scrolled or moved about in, in milliseconds of the monotonic clock.
    var lastActivity: Int64 = 0
    var style: TextViewStyle
    /// Whether PRIMARY is what is selected here, whatever that is when someone asks.
    private var ownsPrimary = false

    /// A text view in a window, above what is there; the first one fills it and gets the focus.
    ///
    /// - Parameters:
    ///   - window: where it goes.
    ///   - store: the text; a new one by default.
    ///   - font: the font of all text, its size in device pixels; by default a monospaced one of 13 px times the scale.
    ///   - theme: colours and distances at scale 1.
    public init(
        in window: WidgetWindow, store: TextStore = TextStore(), font: FontDescriptor? = nil, theme: Theme = Theme()
    ) {
        self.window = window
        let settings = window.display.layoutFontSettings
        let scale = window.display.scale
        style = TextViewStyle(font: font ?? .standard(scale: scale), theme: theme, scale: scale)
        editor = EditorView(
            store: store, font: style.font(scale: scale), theme: theme.scaled(by: scale), settings: settings)
        editor.host = self
        editor.next = self
        editor.killBuffer = .shared
        editor.changes.onTextChange = { [weak self] _ in self?.onTextChange?() }
        window.add(self)
        window.layOut()
    }

    /// A text view in a child window of its own, inside a window of any client of the same server.
    ///
    /// For embedding: the host keeps its window, its loop and its handlers. `frame` is in pixels of `parent`.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try WidgetWindow(display, parent: parent, frame: frame)
        self.init(in: window)
        ownWindow = window
        window.show()
    }

    /// The window that was made for this view alone; the view keeps it.
    private var ownWindow: WidgetWindow?

    /// The whole text. Setting it is one undo step and puts the caret at the start.
    public var text: String {
        get { editor.text }
        set { editor.text = newValue }
    }

    /// Whether the user may change the text: ``options`` say it.
    public var isEditable: Bool {
        get { editor.isEditable }
        set { editor.isEditable = newValue }
    }

    /// What the user may do with the text, and how an empty view looks: read-only, a single line, secure, a maximum length,
    /// a filter, a placeholder, what Tab does, the default direction.
    public var options: TextInputOptions {
        get { editor.options }
        set { editor.options = newValue }
    }

    /// Who may refuse what the user does to the text.
    public var delegate: (any EditorViewDelegate)? {
        get { editor.delegate }
        set { editor.delegate = newValue }
    }

    /// Whether the view does a command that it could do now: one that the program refuses is called by no key, and goes up
    /// the responder chain. Nil refuses none.
    public var canPerform: ((EditCommand) -> Bool)? {
        get { editor.allowsCommand }
        set { editor.allowsCommand = newValue }
    }

    /// Places the view in its window, in window pixels; a view that has a child window of its own is placed with it, in
    /// pixels of the host's window. Docked input views take their room from it.
    public func setFrame(_ frame: WindowRect) {
        if let ownWindow { ownWindow.window.setFrame(frame) } else { place(frame) }
    }

    /// Where the view lies in its window without docked input views, in window pixels.
    public private(set) var outerFrame = WindowRect(x: 0, y: 0, width: 1, height: 1)
    private var dockedHeight = 0.0

    func place(_ frame: WindowRect) {
        outerFrame = frame
        makeRoom(below: dockedHeight)
        // A caret that was set before there was this room is in sight when the window is first seen.
        if window?.window.isShown == false { editor.scrollToCaret() }
        if window?.firstResponder === self { window?.layOutPanels() }
    }

    /// Gives up room at the lower edge; the text scrolls so far that the caret stays in sight.
    public func makeRoom(below height: Double) {
        let gotSmaller = height > dockedHeight
        dockedHeight = height
        var frame = outerFrame
        frame.size.height = max(1, frame.height - height)
        guard frame != editor.frame else { return }
        let caretWasSeen =
            editor.selectedTextRange.map { editor.bounds.intersects(editor.caretRect(for: $0.end)) } ?? false
        editor.setFrame(frame)
        if gotSmaller, caretWasSeen { editor.scrollToCaret() }
        if !gotSmaller { window?.window.setNeedsDisplay(outerFrame) }
    }

    /// Asks for ``inputView`` and ``inputAccessoryView`` again, if they are shown.
    public func reloadInputViews() {
        if window?.firstResponder === self { window?.reloadInputViews() }
    }

    /// Sends the window's keys here from now on. False if the view takes no focus, or whoever has it refuses to let go.
    @discardableResult
    public func focus() -> Bool { window?.makeFirstResponder(self) ?? false }

    /// Whether keys come here now.
    public var hasFocus: Bool { window?.focusSystem.isFocused(self) ?? false }

    /// Puts the view into another window of the same display, above what is there. What is being composed stays as text;
    /// text, selection and scroll position stay as they are, and the view keeps its frame until it is given another.
    public func move(to other: WidgetWindow) {
        guard other !== window else { return }
        precondition(window.map { $0.display === other.display } ?? true, "A view stays on its display")
        precondition(ownWindow == nil, "A view with a window of its own is moved with that")
        window?.remove(self)
        window = other
        other.add(self)
        editorViewDeadlineDidChange(editor)
    }

    /// Ends the view and the window that was made for it alone.
    public func close() { ownWindow?.close() }

    /// The keys that do something else than type: ``KeyBindingTable/desktop`` unless told otherwise.
    public var keyBindings: KeyBindingTable {
        get { editor.inputContext.keyBindings }
        set { editor.inputContext.keyBindings = newValue }
    }

    /// The keys of a chord that waits for more of them; empty if none does.
    public var pendingStrokes: [KeyStroke] { editor.inputContext.pendingStrokes }

    /// ``pendingStrokes`` has changed, to be shown to the user.
    public var onPendingStrokesChange: (() -> Void)? {
        get { editor.inputContext.onPendingStrokesChange }
        set { editor.inputContext.onPendingStrokesChange = newValue }
    }
}

extension TextView: Responder {
    /// ``nextResponder``, or the window.
    public var next: (any Responder)? { nextResponder ?? window }
    /// The editor's, so that composition and bindings stay with the text.
    public var textInputContext: TextInputContext? { editor.inputContext }
    /// Asks ``shouldResignFirstResponder``.
    public func resignFirstResponder() -> Bool { shouldResignFirstResponder?() ?? true }

    /// The caret blinks or does not, and the selection is strong or weak.
    public func focusDidChange(to isFocused: Bool) {
        if isFocused { keyboardDidChange() }
        editor.setFocused(isFocused)
        onFocusChange?(isFocused)
    }

    /// Asks ``onCommand``.
    public func performAction(_ action: EditCommand, withSender sender: AnyObject?) -> Bool {
        onCommand?(action) ?? false
    }
}

extension TextView: WindowContent {
    /// Where the view lies, in window pixels.
    public var frame: WindowRect { editor.frame }

    /// Paints the part of the view inside `damage`, in window pixels.
    public func paint(on canvas: any Canvas, damage: WindowRect) { editor.paint(on: canvas, damage: damage) }

    /// Keeps the view’s place on the screen.
    public func windowDidMove(to origin: RootPoint) { editor.windowOrigin = origin }

    /// Everywhere but on the scroll bar.
    public func pressEndsComposition(_ event: PointerEvent) -> Bool {
        !editor.isOnScrollBar(event.location.converted(to: ViewSpace.self, originAt: frame.origin))
    }

    /// Clicks, drags and scrolls.
    public func handlePointer(_ event: PointerEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        switch event.kind {
        case .press(.primary) where editor.isOnScrollBar(point):
            editor.scrollBarPressed(at: point)
        case .press(.primary):
            guard takesFocus() else { return }
            editor.pointerDown(
                at: point, clickCount: clicks.press(at: event.location, time: event.timestamp),
                extending: event.modifiers.contains(.shift))
        case .press(.middle):
            guard takesFocus() else { return }
            pastePrimary(at: editor.offset(at: point), timestamp: event.timestamp)
        case .release(.primary):
            if editor.scrollBarReleased() { return }
            if editor.pointerUp(at: point) { ownPrimary(timestamp: event.timestamp) }
        case .motion:
            if editor.scrollBarDragged(to: point) { return }
            editor.pointerDragged(to: point)
        case .scroll(let distance):
            editor.scroll(by: 3 * distance.dy * editor.lineStep, dx: 3 * distance.dx * editor.lineStep)
        case .enter:
            window?.window.setCursor(.text)
        case .press, .release, .leave:
            break
        }
    }
}

// MARK: Selections

extension TextView {
    /// Takes the focus for a press. False if someone else keeps it: then the press does nothing here either. A view that
    /// takes no focus can be selected from all the same.
    private func takesFocus() -> Bool { !canBecomeFirstResponder || focus() }

    private func ownPrimary(timestamp: UInt32) {
        window?.display.primary.own(timestamp: timestamp, by: self) { [weak self] in
            self?.ownsPrimary = false
        } text: { [weak self] in
            self?.editor.selectedText
        }
        ownsPrimary = true
    }

    private func pastePrimary(at offset: UTF16Offset, timestamp: UInt32) {
        guard let display = window?.display, isEditable else { return }
        let anchor = editor.makeInputAnchor(for: UTF16Range(offset..<offset))
        editor.select(Selection(caret: offset), scrolling: false)
        display.primary.request(timestamp: timestamp) { [weak self] result in
            switch result {
            case .success(let text): self?.editor.paste(text, at: anchor)
            case .failure(let failure): self?.onPasteFailure?(failure)
            }
        }
    }
}

// MARK: What the view without a display asks for

extension TextView: EditorViewHost {
    /// Damages the window.
    public func editorView(_ view: EditorView, needsDisplay rect: ViewRect) {
        window?.window.setNeedsDisplay(rect.converted(from: frame.origin))
    }

    /// Moves what the window shows, unless something lies above it that stays.
    public func editorView(_ view: EditorView, scroll rect: ViewRect, by dy: Double) {
        guard let window else { return }
        let rect: WindowRect = rect.converted(from: frame.origin)
        if window.contents.contains(where: { $0 !== self && $0.frame.intersects(rect) }) {
            window.window.setNeedsDisplay(rect)
        } else {
            window.window.scroll(rect, by: dy)
        }
    }

    /// Has the input method told where the caret is, once all is laid out.
    public func editorViewCoordinatesDidChange(_ view: EditorView) {
        window?.setNeedsSpots()
        lastActivity = MonotonicClock.milliseconds
        scheduleIdleWork()
    }

    /// Tells ``onSelectionChange``.
    public func editorViewSelectionDidChange(_ view: EditorView) {
        let isShareable = view.selection?.isEmpty == false && view.markedText == nil && !view.isSecureTextEntry
        if !ownsPrimary, !view.isDragging, isShareable, hasFocus {
            ownPrimary(timestamp: window?.display.latestTimestamp ?? 0)
        }
        onSelectionChange?()
    }

    /// Owns the clipboard.
    public func editorView(_ view: EditorView, copy text: String) {
        guard let display = window?.display else { return }
        display.clipboard.own(timestamp: display.latestTimestamp) { text }
    }

    /// Asks the clipboard’s owner; what was typed until it answers stays behind what is pasted.
    public func editorViewRequestsPaste(_ view: EditorView) { paste(from: window?.display.clipboard) }

    /// Asks PRIMARY’s owner, in the same way.
    public func editorViewRequestsPasteOfSelection(_ view: EditorView) { paste(from: window?.display.primary) }

    private func paste(from source: Clipboard?) {
        guard let display = window?.display, let source else { return }
        let anchor = editor.makeInputAnchor(for: .notFound)
        source.request(timestamp: display.latestTimestamp) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let text):
                editor.paste(text, at: anchor)
                editor.scrollToCaret()
            case .failure(let failure): onPasteFailure?(failure)
            }
        }
    }

    /// Sets the timer for the caret’s blinking and for scrolling on.
    public func editorViewDeadlineDidChange(_ view: EditorView) {
        guard let display = window?.display else { return }
        deadline = view.nextDeadline
        // One that moved away with a key is looked at again when the timer comes: that is once, not with each key.
        if timer != nil, let deadline, timerDeadline <= deadline { return }
        display.cancel(timer)
        timer = nil
        startTimer(display)
    }

    private func startTimer(_ display: Display) {
        guard let deadline else { return }
        timerDeadline = deadline
        let delay = max(0, deadline - MonotonicClock.milliseconds)
        timer = display.schedule(afterMilliseconds: Int(delay)) { [weak self] in
            guard let self else { return }
            timer = nil
            guard let wanted = self.deadline, wanted > MonotonicClock.milliseconds else {
                return editor.handleDeadline()
            }
            if let display = window?.display { startTimer(display) }
        }
    }
}

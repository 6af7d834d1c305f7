import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneX11

/// A text view in an X window: typing with any input method, selecting, scrolling, copy and paste, undo.
///
/// A text view is an ``EditorView`` — text, selection, options, commands, geometry and the input contracts — in a
/// part of a ``WidgetWindow``. Bound to the display's thread.
///
/// Callbacks such as ``BasicResponder/onSubmit``, ``BasicResponder/onCommand`` and ``BasicResponder/onFocusChange``,
/// and ``BasicResponder/keyCommands``, are inherited; <doc:Responders> lists all callbacks of a view.
public final class TextView: EditorView {
    /// The window that contains the view; nil for none.
    public private(set) weak var window: WidgetWindow?

    /// The observation by which the view follows its own updates.
    private var observation: TextObservation?
    /// Returns the program's own lines of the view's menu, after the standard commands. Called whenever the menu is
    /// opened.
    public var menuItems: (() -> [MenuItem])?
    /// Returns the program's own lines at the top of the view's menu, below those for a link. The argument is the
    /// pointer's position in window pixels, or nil for a menu at the caret.
    public var leadingMenuItems: ((WindowPoint?) -> [MenuItem])?
    /// Called before the view's menu is opened, with the pointer's position in window pixels, or nil for a menu at
    /// the caret. Returns whether the menu must not be opened before the program calls `open`; other input does not
    /// wait for that.
    package var menuPreparation: ((WindowPoint?, _ open: @escaping () -> Void) -> Bool)?
    /// The attributes that text of other programs keeps when it is pasted or dropped into a view with styles: by
    /// default structure and emphasis, without fonts, colours and spacing. Text copied from a view of this library
    /// keeps all attributes.
    public var pastedFormatting = RichTextFormat.Scope.structure
    /// Additional formats in which styled text is offered when copied and dragged. For example, an editor of
    /// Markdown offers `text/markdown`.
    public var copiedFormats: [CopiedFormat] = []
    /// Called when a paste has failed: for example because there is no text to paste, because it has not arrived,
    /// or because it is too large. The program can show a notice. The failure's `description` is for people.
    public var onPasteFailure: ((Clipboard.Failure) -> Void)? {
        get { pasteHandlers.failure }
        set { pasteHandlers.failure = newValue }
    }
    /// Called before a paste or drop of data that contains invalid byte sequences, with the number of sequences
    /// replaced by U+FFFD. The program can show a notice.
    public var onPasteReplacement: ((Int) -> Void)? {
        get { pasteHandlers.replacement }
        set { pasteHandlers.replacement = newValue }
    }
    /// Called after pasted or dropped text has arrived, or will not arrive any more: ``EditingSession/awaitsText``
    /// may now be false.
    public var onPasteEnd: (() -> Void)? {
        get { pasteHandlers.end }
        set { pasteHandlers.end = newValue }
    }
    var pasteHandlers = PasteHandlers()
    /// The name of the view for screen readers: a label, or the name of a document. Never the view's text.
    public var accessibleName = "" { didSet { window?.accessible?.setNeedsUpdate() } }

    /// The requirements of the view for keyboards in other processes: the kinds of text and of keys, capitals, the
    /// label of the return key. Whether the view has a single line follows from its options.
    public var inputTraits = TextInputTraits() {
        didSet { if inputTraits != oldValue { window?.display.focusWatch.onChange?() } }
    }

    /// The input view of the text view. An ``InputPanel`` is shown while the view has the focus; an object of
    /// another type is not shown. If set while the view has the focus, the panel is shown immediately. Call
    /// ``reloadInputViews()`` if the panel's size changes.
    override public var inputView: AnyObject? { didSet { if inputView !== oldValue { reloadInputViews() } } }
    /// The input accessory view, which is shown if it is an ``InputPanel``; nil for none.
    override public var inputAccessoryView: AnyObject? {
        didSet { if inputAccessoryView !== oldValue { reloadInputViews() } }
    }

    /// Handles files dropped on the view, by their paths; returns whether the program has accepted the files. If
    /// nil, the files' addresses are inserted as text. A drop without files of this machine, such as a link, is
    /// inserted as text in any case.
    public var onDropFiles: (([FilePath]) -> Bool)?
    /// Handles files that are dropped on a view with styles, or copied in a file manager and pasted. Returns
    /// whether the program will insert something in their place, such as pictures. If true, the program then calls
    /// `place` with the text to insert, or with nil to insert nothing. If false, dropped files are left to
    /// ``onDropFiles``, and for pasted files their addresses are inserted as text.
    public var onPlaceFiles: (([FilePath], _ place: @escaping (StyledText?) -> Void) -> Bool)?
    /// Whether a dropped file is passed to ``onPlaceFiles``. The other files of the drop are passed to ``onDropFiles``. Nil
    /// if all files of a drop are passed to ``onPlaceFiles`` together.
    package var placesFile: ((FilePath) -> Bool)?
    /// The deferred edit of the text dragged out of the view; nil if no drag is in progress.
    var draggedText: DeferredEdit.ID?
    /// The position of a drag over the view; nil for none.
    var dropPoint: ViewPoint?
    /// The timer that scrolls for the drag; nil if none is set.
    var dropTimer: TimerID?
    /// The timer for the caret's blinking and for scrolling.
    @exclusivity(unchecked) private var wake = WakeTimer()
    @exclusivity(unchecked) var idleWork = IdleWork()
    /// The view's loupe; nil if it is not in use.
    var loupe: ViewLoupe?
    /// The fraction of a wheel click that zooming has not used yet.
    private var zoomRemainder = ScrollRemainder()
    var style: TextViewStyle
    /// The pending update of PRIMARY after the user has selected text with keys; nil for none.
    var primaryToCome: (timer: TimerID, timestamp: UInt32)?
    /// The window that was created for this view alone and that the view retains; nil if the view was created in an
    /// existing window.
    private var ownWindow: WidgetWindow?
    private var placement = Placement()

    /// Creates a text view in a window, above its present contents. The first content fills the window and gets the
    /// focus.
    ///
    /// - Parameters:
    ///   - window: the window of the view.
    ///   - store: the store of the text; a new one by default.
    ///   - font: the default font, its size in device pixels: multiply a size at scale 1 by the display's `scale`. If
    ///     nil, a monospaced font of 13 px times the scale. If the scale changes later, the font changes with it.
    ///   - theme: colours and distances. They are scaled to the display's scale. The standard colours, `Theme()`,
    ///     become dark and high-contrast colours where the desktop is so. `Theme.dark` makes the view dark on any
    ///     desktop, as ``appearance`` does. Other colours are kept.
    public convenience init(
        in window: WidgetWindow, store: TextStore = TextStore(), font: FontDescriptor? = nil, theme: Theme = Theme()
    ) {
        self.init(window, store, font, theme)
        window.add(self)
        window.layOut()
    }

    /// Creates a text view to be displayed in place of an attachment of another text view, as the view of a
    /// ``TextAttachmentViewProvider``. Nil if the other view is in no window.
    public convenience init?(
        inside parent: TextView, store: TextStore = TextStore(), font: FontDescriptor? = nil, theme: Theme = Theme()
    ) {
        guard let window = parent.window else { return nil }
        self.init(window, store, font, theme)
        windowOrigin = window.window.rootOrigin
    }

    private init(_ window: WidgetWindow, _ store: TextStore, _ font: FontDescriptor?, _ theme: Theme) {
        self.window = window
        let scale = window.display.scale
        style = TextViewStyle(font: font ?? .standard(scale: scale), theme: theme, scale: scale)
        style.takeColors(window.display.preferences)
        super.init(
            layout: TextLayoutManager(
                store: store, container: TextContainer(width: 1), font: style.scaledFont,
                settings: window.display.layoutFontSettings),
            theme: style.scaledTheme)
        layout.attributeScale = scale
        interaction.host = self
        session.killBuffer = .shared
        takeInteractionSettings(of: window.display)
        observation = observe { [unowned self] in viewDidUpdate($0) }
        showAttachmentViews()
    }

    /// Creates a text view in a child window of its own, inside a window of any client of the same server.
    ///
    /// For embedding: the host program keeps its window, its event loop and its handlers. `frame` is in pixels of
    /// `parent`.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try WidgetWindow(display, parent: parent, frame: frame)
        self.init(in: window)
        ownWindow = window
        window.show()
    }

    /// Sets the view's frame, in window pixels. For a view with a child window of its own, sets the frame of that
    /// window, in pixels of the host's window. Docked input views occupy the lower part of the frame.
    override public func setFrame(_ frame: WindowRect) {
        if let ownWindow { ownWindow.window.setFrame(frame) } else { place(frame) }
    }

    /// The view's frame including the space that docked input views occupy, in window pixels.
    public var outerFrame: WindowRect { placement.outer }

    func place(_ frame: WindowRect) {
        placement.outer = frame
        makeRoom(below: placement.dockedHeight)
        // Scroll to the caret until the window is shown: the caret may have been set when the view was still too small
        // to show it.
        if window?.window.isShown == false { presenter.revealCaret() }
        if window?.firstResponder === self { window?.layOutPanels() }
    }

    /// Reduces the view's height to make room for docked input views at its lower edge, and scrolls to keep the
    /// caret in view. `height` is the room in pixels.
    public func makeRoom(below height: Double) {
        let gotLarger = height < placement.dockedHeight
        placement.dockedHeight = height
        var frame = outerFrame
        frame.size.height = max(1, frame.height - height)
        let old = self.frame
        guard frame != old else { return }
        super.setFrame(frame)
        // Repaint the area that the view has left, which belongs to the window or to a part below it.
        if old.intersection(frame) != old { window?.window.setNeedsDisplay(old) }
        if gotLarger { window?.window.setNeedsDisplay(outerFrame) }
    }

    /// Queries ``inputView`` and ``inputAccessoryView`` again if the view is the first responder.
    public func reloadInputViews() {
        if window?.firstResponder === self { window?.reloadInputViews() }
    }

    /// Makes the view the first responder. Returns false if the view does not accept the focus or is in no window,
    /// or if the first responder refuses to give up the focus.
    @discardableResult
    public func focus() -> Bool { window?.makeFirstResponder(self) ?? false }

    /// Whether keys go to this view now.
    public var hasFocus: Bool { window?.focusSystem.isFocused(self) ?? false }

    /// Moves the view into another window of the same display, above its contents. A composition ends and its text
    /// is kept. The text, selection, scroll position and frame do not change.
    public func move(to other: WidgetWindow) {
        guard other !== window else { return }
        precondition(window.map { $0.display === other.display } ?? true, "A view stays on its display")
        precondition(ownWindow == nil, "A view with a window of its own is moved with that")
        window?.remove(self)
        takeWindow(other)
        other.add(self)
        deadlineDidChange()
    }

    private func takeWindow(_ other: WidgetWindow) {
        window = other
        presenter.viewportLayout.attachmentViews.forEachView { view in
            (view as? TextView)?.takeWindow(other)
            (view as? AttachmentWindow)?.move(to: other.window)
        }
    }

    /// Closes the window that was created for this view alone, and with it the view. Does nothing for a view in an
    /// existing window.
    public func close() { ownWindow?.close() }

    /// The bindings of keys to commands: ``KeyBindingTable/desktop`` by default.
    public var keyBindings: KeyBindingTable {
        get { inputContext.keyBindings }
        set { inputContext.keyBindings = newValue }
    }

    // MARK: Requests of the editor view

    /// Marks a rectangle of the view for repainting.
    override public func setNeedsDisplay(_ rect: ViewRect) {
        window?.window.setNeedsDisplay(rect.converted(from: frame.origin))
    }

    /// Moves the pixels inside a rectangle of the view up or down. If another ``WindowContent`` of the window overlaps
    /// the rectangle, marks the rectangle for repainting instead.
    override public func movePixels(of rect: ViewRect, by dy: Double) {
        guard let window else { return }
        let rect: WindowRect = rect.converted(from: frame.origin)
        if window.contents.contains(where: { $0 !== self && $0.frame.intersects(rect) }) {
            window.window.setNeedsDisplay(rect)
        } else {
            window.window.scroll(rect, by: dy)
        }
    }

    /// Sets the timer for the caret's blinking and for scrolling.
    override public func deadlineDidChange() {
        guard let display = window?.display else { return }
        // Update the loupe too: the deadline also changes when a gesture is cancelled, which may end the loupe.
        if loupe != nil { updateLoupe() }
        wake.deadline = nextDeadline
        // Keep a timer that fires before the new deadline, and set it again when it fires. Typing moves the
        // deadline with each key, and would otherwise set a timer each time.
        if wake.isInTime { return }
        display.cancel(wake.timer)
        wake.timer = nil
        startTimer(display)
    }

    /// Puts a text on the clipboard.
    override public func copy(_ text: CopiedText) { own(text) }

    /// Schedules the update of PRIMARY for when the user has stopped selecting with keys.
    override public func didSelectByKeys() { keysDidSelect() }

    /// Requests the text of CLIPBOARD or PRIMARY from its owner. Text typed until the answer arrives stays after the
    /// pasted text. A view with styles also requests styled text, images and lists of files from CLIPBOARD's owner.
    override public func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) {
        request(source, for: paste)
    }

    /// Pastes, without styles, the text that waits for its styled form. Returns whether any was waiting.
    override public func giveUpStyles() -> Bool { endWaitForStyles() }

    /// Runs a closure on the display's thread. Callable from any thread. Nil for a view without a window.
    override public var poster: (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
        (window?.display.poster).map { poster in { poster.post($0) } }
    }

    // MARK: Responder

    /// The window, as the next responder unless another one is set; nil for a view without a window.
    override public var defaultNextResponder: (any Responder)? { window }

    /// Starts or stops the caret's blinking, and repaints the selection. When the focus comes, also queries the
    /// keyboard's layout after painting; when it leaves, updates PRIMARY at once if it is to be updated, and hides
    /// the loupe.
    override public func focusDidChange(to isFocused: Bool) {
        if isFocused {
            // Query the keyboard's layout after painting: the first query takes a round trip to the server.
            window?.display.performAfterPainting { [weak self] in self?.keyboardDidChange() }
        } else {
            takePrimaryAfterKeys()
            hideLoupe()
        }
        super.focusDidChange(to: isFocused)
    }
}

/// A timer for a deadline that changes often. Times are in milliseconds of the monotonic clock.
private struct WakeTimer {
    var timer: TimerID?
    /// The time at which the timer fires.
    var timerDeadline: Int64 = 0
    /// The time at which the view next has to do something, such as blink the caret; nil for none.
    var deadline: Int64?

    /// Whether the timer fires no later than the deadline.
    var isInTime: Bool { timer != nil && deadline.map { timerDeadline <= $0 } == true }
}

/// The frame of the view in its window, and the space of its docked input views, in window pixels.
private struct Placement {
    /// The view's frame including the space that docked input views occupy.
    var outer = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// The height of the docked input views at the lower edge.
    var dockedHeight = 0.0
}

extension TextView: WindowContent {
    /// Updates the view's position on the screen. Called when the window has moved.
    public func windowDidMove(to origin: RootPoint) {
        windowOrigin = origin
        for child in children { child.windowDidMove(to: origin) }
    }

    /// Lays out the viewport and calls its callbacks, for this view and for the views in its text.
    public func windowWillPaint() {
        presenter.viewportLayout.layoutViewport()
        for child in children { child.windowWillPaint() }
    }

    /// Returns an I-beam over the text, a hand over a link that a click opens, an arrow over the scroll bar.
    public func cursor(at point: WindowPoint) -> Window.Cursor {
        let point = point.converted(to: ViewSpace.self, originAt: frame.origin)
        if !isDragging, presenter.scrollBars.contains(point) { return .arrow }
        return !interaction.isActive && interaction.opensLink(at: point) ? .hand : .text
    }

    /// Returns `none` on a scroll bar, where the composition continues. Elsewhere returns `byContent`: the view
    /// ends the composition itself, once it knows that the press has an effect.
    public func compositionEnd(of event: PointerEvent) -> CompositionEnd {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        return presenter.scrollBars.contains(point) ? .none : .byContent
    }

    /// Handles clicks, drags and scrolling.
    public func handlePointer(_ event: PointerEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        let scrollBars = presenter.scrollBars
        switch event.kind {
        case .press(.primary) where scrollBars.contains(point): return scrollBars.press(at: point)
        case .press(.middle) where scrollBars.contains(point): return scrollBars.press(at: point, warps: true)
        case .press where scrollBars.contains(point): return
        case .release(.primary), .release(.middle): if scrollBars.release() { return scrollBars.point(at: point) }
        case .motion:
            if scrollBars.drag(to: point) { return }
            scrollBars.point(at: isDragging ? nil : point)
            loupePointerMoved(to: point)
        case .scroll(let clicks) where event.modifiers.contains(.control):
            // Turning the wheel while Control is held zooms, as in other programs. It has no effect if the program
            // does not handle the zoom commands. Fractions of a wheel click add up.
            let steps = zoomRemainder.take(clicks).dy
            for _ in 0..<Int(checking: abs(steps), in: 0...16) {
                // Pass the command up the responder chain to the program: the view itself cannot zoom.
                inputContext.perform(steps < 0 ? .makeTextLarger : .makeTextSmaller, endsComposition: false)
            }
        case .scroll(let clicks):
            let before = presenter.viewportLayout.viewportBounds
            presenter.scroll(byClicks: clicks, sideways: event.modifiers.contains(.shift))
            // If the view cannot scroll further, scroll the text view around it.
            if presenter.viewportLayout.viewportBounds == before { outerTextView?.handlePointer(event) }
        case .leave: scrollBars.point(at: nil)
        case .press, .release, .enter: break
        }
        interaction.handle(event, at: point)
        updateLoupe()
    }

    /// Handles taps, scrolling, long presses and selection handles. On a scroll bar, the first finger acts as the
    /// pointer.
    public func handleTouch(_ event: TouchEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        let scrollBars = presenter.scrollBars
        if event.phase == .began ? scrollBars.contains(point) : scrollBars.isPressed {
            if let pointer = event.pointerEvent { handlePointer(pointer) }
            // End the highlighting of the scroll bar when the finger was lifted.
            if [.ended, .cancelled].contains(event.phase) { scrollBars.point(at: nil) }
            return
        }
        loupePointerMoved(to: point)
        interaction.handle(event, at: point)
        updateLoupe()
    }
}

extension TextView: TextInteractionHost {
    /// Makes the selected text available as PRIMARY.
    public func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) {
        ownPrimary(timestamp: time)
    }

    /// Requests PRIMARY's text from its owner, and pastes it at a position.
    public func textInteraction(
        _ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32
    ) {
        pastePrimary(at: store.offset(of: position), timestamp: time)
    }

    /// Starts a drag of the selection. The drag receives the pointer's and the keys' events until the button is
    /// released. Returns whether a drag has begun.
    public func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool { beginDraggingSession(with: event) }

    /// Opens the view's menu.
    public func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {
        openContextMenu(at: event.location, timestamp: event.timestamp)
        // End the gesture: the menu receives the button's release.
        interaction.cancel()
    }

    /// Shows the loupe at the pointer until the button is released.
    public func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) {
        magnify(at: point)
    }

    /// Shows the loupe at the finger, until it is lifted.
    public func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint) {
        magnify(at: point)
    }

    /// Takes the focus, and ends the composition before the gesture moves the caret; the composed text is kept. Later
    /// answers of the input method are applied where the composition was. Returns false if the focus is refused.
    public func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
        guard takesFocus() else { return false }
        window?.session.activeContext?.discardMarkedText()
        return true
    }
}

// MARK: Updates and deadlines

extension TextView {
    /// If an update changes text, selection, marked text, scroll position or geometry, requests an update of the
    /// input method's spot after the next painting, moves or hides the loupe, and schedules the replacement of
    /// estimated heights.
    private func viewDidUpdate(_ update: ViewUpdate) {
        guard update.movesText else { return }
        window?.setNeedsSpots()
        updateLoupe()
        idleWork.lastActivity = MonotonicClock.milliseconds
        scheduleIdleWork()
    }

    private func startTimer(_ display: Display) {
        guard let deadline = wake.deadline else { return }
        wake.timerDeadline = deadline
        let delay = max(0, deadline - MonotonicClock.milliseconds)
        wake.timer = display.schedule(afterMilliseconds: Int(delay)) { [weak self] in
            guard let self else { return }
            wake.timer = nil
            guard let wanted = wake.deadline, wanted > MonotonicClock.milliseconds else {
                return handleDeadline()
            }
            if let display = window?.display { startTimer(display) }
        }
    }
}

import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneX11

/// A text view in an X window: typing with any input method, selecting, scrolling, copy and paste, undo.
///
/// It is an ``EditorView`` — text, selection, options, commands, geometry and the input contracts — in a part of a ``WidgetWindow``. Everything is
/// on the display's thread.
public final class TextView: EditorView {
    /// The window that contains the view.
    public private(set) weak var window: WidgetWindow?

    /// The view's own observation of itself.
    private var observation: TextObservation?
    /// Returns the program's lines of the view's menu. Called whenever the menu is opened.
    public var menuItems: (() -> [MenuItem])?
    /// Returns the program's lines at the top of the view's menu, for the pointer's position in window pixels, or nil for the caret.
    public var leadingMenuItems: ((WindowPoint?) -> [MenuItem])?
    /// The attributes that other programs' text keeps when it is pasted or dropped into a view with styles: by default structure and emphasis,
    /// without fonts, colours and spacing. Text of views like this one keeps all.
    public var pastedFormatting = RichTextFormat.Scope.structure
    /// Formats in which styled text is copied and dragged beside the usual ones: an editor of Markdown offers `text/markdown`.
    public var copiedFormats: [CopiedFormat] = []
    /// Called when text to be pasted did not arrive, or was too large: for a notice. The failure's `description` is for people.
    public var onPasteFailure: ((Clipboard.Failure) -> Void)? {
        get { pasteHandlers.failure }
        set { pasteHandlers.failure = newValue }
    }
    /// Called before a paste or drop of data with bytes that are no text, with the number of sequences replaced by U+FFFD. For a notice.
    public var onPasteReplacement: ((Int) -> Void)? {
        get { pasteHandlers.replacement }
        set { pasteHandlers.replacement = newValue }
    }
    /// Called after pasted or dropped text has arrived, or is known not to arrive: ``EditingSession/awaitsText`` may be false now.
    public var onPasteEnd: (() -> Void)? {
        get { pasteHandlers.end }
        set { pasteHandlers.end = newValue }
    }
    var pasteHandlers = PasteHandlers()
    /// The name of the view for screen readers: a label, or the name of a document. Never its text.
    public var accessibleName = "" { didSet { window?.accessible?.setNeedsUpdate() } }

    /// The wishes of the view for keyboards in other processes: the kind of text and of keys, capitals, the word on the return key. Its options say
    /// whether it is of one line.
    public var inputTraits = TextInputTraits() {
        didSet { if inputTraits != oldValue { window?.display.focusWatch.onChange?() } }
    }

    /// The input view of the text view: an ``InputPanel`` is shown while the view has the focus, any other object is not. Setting it while the view
    /// has the focus shows it at once; call ``reloadInputViews()`` if it wants another extent.
    override public var inputView: AnyObject? { didSet { if inputView !== oldValue { reloadInputViews() } } }
    /// The input accessory view, also an ``InputPanel``.
    override public var inputAccessoryView: AnyObject? {
        didSet { if inputAccessoryView !== oldValue { reloadInputViews() } }
    }

    /// Handles files dropped on the view, by their paths: returns whether it does. If nil, their addresses are inserted as text.
    public var onDropFiles: (([FilePath]) -> Bool)?
    /// The deferred edit of the text dragged out of the view, until the drag ends.
    var draggedText: DeferredEdit.ID?
    /// The position of a drag over the view, and the timer that scrolls for it.
    var dropPoint: ViewPoint?
    var dropTimer: TimerID?
    /// The timer for the caret's blinking and for scrolling.
    @exclusivity(unchecked) private var wake = WakeTimer()
    @exclusivity(unchecked) var idleWork = IdleWork()
    /// The view's loupe; nil if it is not shown.
    var loupe: ViewLoupe?
    /// Fractions of wheel clicks not used for zooming yet.
    private var zoomRemainder = ScrollRemainder()
    var style: TextViewStyle
    /// The pending update of PRIMARY after the user has selected with keys.
    var primaryToCome: (timer: TimerID, timestamp: UInt32)?
    /// The window that was made for this view alone; the view retains it.
    private var ownWindow: WidgetWindow?
    private var placement = Placement()

    /// Creates a text view in a window, above the present contents; the first one fills the window and gets the focus.
    ///
    /// - Parameters:
    ///   - window: the window of the view.
    ///   - store: the text; a new one by default.
    ///   - font: the font of all text, its size in device pixels; by default a monospaced one of 13 px times the scale.
    ///   - theme: colours and distances at scale 1.
    public convenience init(
        in window: WidgetWindow, store: TextStore = TextStore(), font: FontDescriptor? = nil, theme: Theme = Theme()
    ) {
        self.init(window, store, font, theme)
        window.add(self)
        window.layOut()
    }

    /// Creates a text view in place of an attachment of another one, as the view of a ``TextAttachmentViewProvider``. Nil if the other view is in
    /// no window.
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
    /// For embedding: the host keeps its window, its loop and its handlers. `frame` is in pixels of `parent`.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try WidgetWindow(display, parent: parent, frame: frame)
        self.init(in: window)
        ownWindow = window
        window.show()
    }

    /// Sets the view's frame in its window, in window pixels; for a view with a child window of its own, the frame of that, in pixels of the host's
    /// window. Docked input views take their room from it.
    override public func setFrame(_ frame: WindowRect) {
        if let ownWindow { ownWindow.window.setFrame(frame) } else { place(frame) }
    }

    /// The view's frame without docked input views, in window pixels.
    public var outerFrame: WindowRect { placement.outer }

    func place(_ frame: WindowRect) {
        placement.outer = frame
        makeRoom(below: placement.dockedHeight)
        // Before the window is first seen, scroll to a caret that was set when there was no room yet.
        if window?.window.isShown == false { presenter.revealCaret() }
        if window?.firstResponder === self { window?.layOutPanels() }
    }

    /// Gives up room at the lower edge, and scrolls so that the caret stays in sight.
    public func makeRoom(below height: Double) {
        let gotLarger = height < placement.dockedHeight
        placement.dockedHeight = height
        var frame = outerFrame
        frame.size.height = max(1, frame.height - height)
        let old = self.frame
        guard frame != old else { return }
        super.setFrame(frame)
        // What it leaves is the window's, or a part's below it.
        if old.intersection(frame) != old { window?.window.setNeedsDisplay(old) }
        if gotLarger { window?.window.setNeedsDisplay(outerFrame) }
    }

    /// Queries ``inputView`` and ``inputAccessoryView`` again, if they are shown.
    public func reloadInputViews() {
        if window?.firstResponder === self { window?.reloadInputViews() }
    }

    /// Makes the view the first responder. Returns false if the view does not accept the focus, or the first responder refuses to give it up.
    @discardableResult
    public func focus() -> Bool { window?.makeFirstResponder(self) ?? false }

    /// Whether keys go to this view now.
    public var hasFocus: Bool { window?.focusSystem.isFocused(self) ?? false }

    /// Moves the view into another window of the same display, above its contents. The text of a composition stays; text, selection, scroll
    /// position and frame do not change.
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

    /// Closes the window that was made for this view alone, and the view with it.
    public func close() { ownWindow?.close() }

    /// The bindings of keys to commands: ``KeyBindingTable/desktop`` by default.
    public var keyBindings: KeyBindingTable {
        get { inputContext.keyBindings }
        set { inputContext.keyBindings = newValue }
    }

    // MARK: Requests

    /// Damages the window.
    override public func setNeedsDisplay(_ rect: ViewRect) {
        window?.window.setNeedsDisplay(rect.converted(from: frame.origin))
    }

    /// Moves the window's pixels, unless another content lies above them.
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
        // A cancelled gesture has no deadline any more.
        if loupe != nil { updateLoupe() }
        wake.deadline = nextDeadline
        // A deadline moved later by a key is handled when the timer fires: one new timer, not one for each key.
        if wake.isInTime { return }
        display.cancel(wake.timer)
        wake.timer = nil
        startTimer(display)
    }

    /// Owns the clipboard.
    override public func copy(_ text: CopiedText) { own(text) }

    /// Schedules the update of PRIMARY after a pause of the keys.
    override public func didSelectByKeys() { keysDidSelect() }

    /// Requests text from the owner of CLIPBOARD or PRIMARY; text typed until the answer stays behind the pasted text. The clipboard's owner is
    /// asked for styled text too.
    override public func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) {
        request(source, for: paste)
    }

    /// Pastes text that waits for its styles without them.
    override public func giveUpStyles() -> Bool { endWaitForStyles() }

    /// Posts to the display's loop.
    override public var poster: (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
        (window?.display.poster).map { poster in { poster.post($0) } }
    }

    // MARK: Responder

    /// The window.
    override public var defaultNextResponder: (any Responder)? { window }

    /// Starts or stops the caret's blinking, and repaints the selection.
    override public func focusDidChange(to isFocused: Bool) {
        if isFocused {
            // The first call queries the server, so do it after painting.
            window?.display.performAfterPainting { [weak self] in self?.keyboardDidChange() }
        } else {
            keysAreAtRest()
            hideLoupe()
        }
        super.focusDidChange(to: isFocused)
    }
}

/// A timer for a deadline that changes. In milliseconds of the monotonic clock.
private struct WakeTimer {
    var timer: TimerID?
    /// The time at which the timer fires.
    var timerDeadline: Int64 = 0
    /// The present deadline; nil for none.
    var deadline: Int64?

    /// Whether the timer fires no later than the deadline.
    var isInTime: Bool { timer != nil && deadline.map { timerDeadline <= $0 } == true }
}

/// The view's placement in its window, in window pixels.
private struct Placement {
    /// The frame without docked input views.
    var outer = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// The height of docked input views at the lower edge.
    var dockedHeight = 0.0
}

extension TextView: WindowContent {
    /// Updates the view's position on the screen.
    public func windowDidMove(to origin: RootPoint) {
        windowOrigin = origin
        for child in children { child.windowDidMove(to: origin) }
    }

    /// Lays out the viewport, with its callbacks, for this view and the views in its text.
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

    /// Returns `none` on the scroll bar; elsewhere the view ends the composition once the press has an effect.
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
            // The usual zoom of other programs, without effect where a program does not handle it. Fractions of a click add up.
            let steps = zoomRemainder.take(clicks).dy
            for _ in 0..<Int(checking: abs(steps), in: 0...16) {
                // The command is not the view's own: it goes up the responder chain.
                inputContext.perform(steps < 0 ? .makeTextLarger : .makeTextSmaller, endsComposition: false)
            }
        case .scroll(let clicks):
            let before = presenter.viewportLayout.viewportBounds
            presenter.scroll(byClicks: clicks, sideways: event.modifiers.contains(.shift))
            // A view that cannot scroll further lets the text around it scroll.
            if presenter.viewportLayout.viewportBounds == before { outerTextView?.handlePointer(event) }
        case .leave: scrollBars.point(at: nil)
        case .press, .release, .enter: break
        }
        interaction.handle(event, at: point)
        updateLoupe()
    }

    /// Handles taps, scrolling, long presses and handles. On the scroll bar, the first finger acts as the pointer.
    public func handleTouch(_ event: TouchEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        let scrollBars = presenter.scrollBars
        if event.phase == .began ? scrollBars.contains(point) : scrollBars.isPressed {
            if let pointer = event.pointerEvent { handlePointer(pointer) }
            // A lifted finger points at nothing.
            if [.ended, .cancelled].contains(event.phase) { scrollBars.point(at: nil) }
            return
        }
        loupePointerMoved(to: point)
        interaction.handle(event, at: point)
        updateLoupe()
    }
}

extension TextView: TextInteractionHost {
    /// Makes the selection PRIMARY.
    public func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) {
        ownPrimary(timestamp: time)
    }

    /// Requests the text of PRIMARY's owner.
    public func textInteraction(
        _ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32
    ) {
        pastePrimary(at: store.offset(of: position), timestamp: time)
    }

    /// Begins a drag, which gets the pointer and the keys until the button comes up.
    public func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool { beginDraggingSession(with: event) }

    /// Opens the view's menu.
    public func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {
        openContextMenu(at: event.location, timestamp: event.timestamp)
        // The menu receives the button's release.
        interaction.cancel()
    }

    /// Shows the loupe at the button, until it comes up.
    public func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) {
        magnify(at: point)
    }

    /// Shows the loupe at the finger, until it is lifted.
    public func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint) {
        magnify(at: point)
    }

    /// Takes the focus, and ends the composition, with its text kept: the results of earlier keys go where these were typed.
    public func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
        guard takesFocus() else { return false }
        window?.session.activeContext?.discardMarkedText()
        return true
    }
}

// MARK: What follows from updates, and what is due

extension TextView {
    /// Requests an update of the input method's spot after layout, moves the loupe, and schedules making heights exact.
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

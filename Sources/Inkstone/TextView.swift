import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneX11

/// A text view in an X window: typing with any input method, selecting, scrolling, copy and paste, undo.
///
/// It is an ``EditorView`` — text, selection, options, commands, geometry and the input contracts — with a part of a ``WidgetWindow``
/// to show itself in. Everything is on the display's thread.
public final class TextView: EditorView {
    /// The window that it lies in.
    public private(set) weak var window: WidgetWindow?

    /// The view's own observation of itself.
    private var observation: TextObservation?
    /// The program's own lines of the view's menu, asked for whenever that is opened.
    public var menuItems: (() -> [MenuItem])?
    /// The program's own lines at the top of the view's menu, for the pointer's place in window pixels or with nil for the caret.
    public var leadingMenuItems: ((WindowPoint?) -> [MenuItem])?
    /// The attributes that text of other programs keeps when it is pasted or dropped, in a view that takes styles: structure and emphasis, unless
    /// fonts, colours and spacing are wanted too. Text of views like this one keeps all.
    public var pastedFormatting = RichTextFormat.Scope.structure
    /// Formats that styled text is copied and dragged in beside the usual ones: an editor of Markdown offers `text/markdown`.
    public var copiedFormats: [CopiedFormat] = []
    /// What was to be pasted did not come, or was too much: for a notice. Its `description` is for people.
    public var onPasteFailure: ((Clipboard.Failure) -> Void)? {
        get { pasteHandlers.failure }
        set { pasteHandlers.failure = newValue }
    }
    /// Bytes of what is about to be pasted or dropped were no text: so many sequences of them are U+FFFD in it. For a notice.
    public var onPasteReplacement: ((Int) -> Void)? {
        get { pasteHandlers.replacement }
        set { pasteHandlers.replacement = newValue }
    }
    /// Called after what was to be pasted or dropped has come, or is known not to come: ``EditingSession/awaitsText`` may be false now.
    public var onPasteEnd: (() -> Void)? {
        get { pasteHandlers.end }
        set { pasteHandlers.end = newValue }
    }
    var pasteHandlers = PasteHandlers()
    /// The words by which a reader names the view: a label, or the name of a document. Never its text.
    public var accessibleName = "" { didSet { window?.accessible?.setNeedsUpdate() } }

    /// An ``InputPanel`` is shown while the view has the focus, anything else is not. Setting it while the view has the focus shows it
    /// at once; one that wants another extent is asked again by ``reloadInputViews()``.
    override public var inputView: AnyObject? { didSet { if inputView !== oldValue { reloadInputViews() } } }
    /// An ``InputPanel`` as well.
    override public var inputAccessoryView: AnyObject? {
        didSet { if inputAccessoryView !== oldValue { reloadInputViews() } }
    }

    /// Takes files that are dropped on the view, by their paths: returns whether it does. Nil has their addresses come in as text.
    public var onDropFiles: (([FilePath]) -> Bool)?
    /// What is dragged out of the view, until it is known what becomes of it.
    var draggedText: DeferredEdit.ID?
    /// Where a drag over the view is, and when it scrolls on.
    var dropPoint: ViewPoint?
    var dropTimer: TimerID?
    /// When the view is to be called: for the caret's blinking and for scrolling on.
    @exclusivity(unchecked) private var wake = WakeTimer()
    @exclusivity(unchecked) var idleWork = IdleWork()
    /// What of the view is shown magnified.
    var loupe: ViewLoupe?
    /// Parts of wheel clicks that one has zoomed by.
    private var zoomRemainder = ScrollRemainder()
    var style: TextViewStyle
    /// What the user selects with keys until they are at rest.
    var primaryToCome: (timer: TimerID, timestamp: UInt32)?
    /// The window that was made for this view alone; the view keeps it.
    private var ownWindow: WidgetWindow?
    private var placement = Placement()

    /// A text view in a window, above what is there; the first one fills it and gets the focus.
    ///
    /// - Parameters:
    ///   - window: where it goes.
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

    /// A text view to be shown in place of an attachment of another one, as the view of a ``TextAttachmentViewProvider``. Nil if that is in no
    /// window.
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

    /// A text view in a child window of its own, inside a window of any client of the same server.
    ///
    /// For embedding: the host keeps its window, its loop and its handlers. `frame` is in pixels of `parent`.
    public convenience init(_ display: Display, parent: WindowID, frame: WindowRect) throws(X11Error) {
        let window = try WidgetWindow(display, parent: parent, frame: frame)
        self.init(in: window)
        ownWindow = window
        window.show()
    }

    /// Places the view in its window, in window pixels; a view that has a child window of its own is placed with it, in
    /// pixels of the host's window. Docked input views take their room from it.
    override public func setFrame(_ frame: WindowRect) {
        if let ownWindow { ownWindow.window.setFrame(frame) } else { place(frame) }
    }

    /// Where the view lies in its window without docked input views, in window pixels.
    public var outerFrame: WindowRect { placement.outer }

    func place(_ frame: WindowRect) {
        placement.outer = frame
        makeRoom(below: placement.dockedHeight)
        // A caret that was set before there was this room is in sight when the window is first seen.
        if window?.window.isShown == false { revealCaret() }
        if window?.firstResponder === self { window?.layOutPanels() }
    }

    /// Gives up room at the lower edge; the text scrolls so far that the caret stays in sight.
    public func makeRoom(below height: Double) {
        let gotLarger = height < placement.dockedHeight
        placement.dockedHeight = height
        var frame = outerFrame
        frame.size.height = max(1, frame.height - height)
        guard frame != self.frame else { return }
        super.setFrame(frame)
        if gotLarger { window?.window.setNeedsDisplay(outerFrame) }
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
        takeWindow(other)
        other.add(self)
        deadlineDidChange()
    }

    private func takeWindow(_ other: WidgetWindow) {
        window = other
        viewportLayout.attachmentViews.forEachView { view in
            (view as? TextView)?.takeWindow(other)
            (view as? AttachmentWindow)?.move(to: other.window)
        }
    }

    /// Ends the view and the window that was made for it alone.
    public func close() { ownWindow?.close() }

    /// The keys that do something else than type: ``KeyBindingTable/desktop`` unless told otherwise.
    public var keyBindings: KeyBindingTable {
        get { inputContext.keyBindings }
        set { inputContext.keyBindings = newValue }
    }

    // MARK: Requests

    /// Damages the window.
    override public func setNeedsDisplay(_ rect: ViewRect) {
        window?.window.setNeedsDisplay(rect.converted(from: frame.origin))
    }

    /// Moves what the window shows, unless something lies above it that stays.
    override public func movePixels(of rect: ViewRect, by dy: Double) {
        guard let window else { return }
        let rect: WindowRect = rect.converted(from: frame.origin)
        if window.contents.contains(where: { $0 !== self && $0.frame.intersects(rect) }) {
            window.window.setNeedsDisplay(rect)
        } else {
            window.window.scroll(rect, by: dy)
        }
    }

    /// Sets the timer for the caret’s blinking and for scrolling on.
    override public func deadlineDidChange() {
        guard let display = window?.display else { return }
        // A gesture that was given up has no deadline any more.
        if loupe != nil { updateLoupe() }
        wake.deadline = nextDeadline
        // One that moved away with a key is looked at again when the timer comes: that is once, not with each key.
        if wake.isInTime { return }
        display.cancel(wake.timer)
        wake.timer = nil
        startTimer(display)
    }

    /// Owns the clipboard.
    override public func copy(_ text: CopiedText) { own(text) }

    /// PRIMARY is what the user has selected, once the keys are at rest.
    override public func didSelectByKeys() { keysDidSelect() }

    /// Asks the owner of CLIPBOARD or PRIMARY; what was typed until it answers stays behind what is pasted. The clipboard's owner is
    /// asked for styled text too.
    override public func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) {
        request(source, for: paste)
    }

    /// Has text that is waited for with its styles come without them.
    override public func giveUpStyles() -> Bool { endWaitForStyles() }

    /// Posts to the display's loop.
    override public var poster: (@Sendable (@escaping @Sendable () -> Void) -> Void)? {
        (window?.display.poster).map { poster in { poster.post($0) } }
    }

    // MARK: Responder

    /// The window.
    override public var defaultNextResponder: (any Responder)? { window }

    /// The caret blinks or does not, and the selection is strong or weak.
    override public func focusDidChange(to isFocused: Bool) {
        if isFocused {
            // The first time the server is asked, which nothing that is to be seen waits for.
            window?.display.performAfterPainting { [weak self] in self?.keyboardDidChange() }
        } else {
            keysAreAtRest()
            hideLoupe()
        }
        super.focusDidChange(to: isFocused)
    }
}

/// A timer for a deadline that moves. In milliseconds of the monotonic clock.
private struct WakeTimer {
    var timer: TimerID?
    /// When the timer comes.
    var timerDeadline: Int64 = 0
    /// When something is to be done; nil if nothing is.
    var deadline: Int64?

    /// Whether the timer comes no later than it has to.
    var isInTime: Bool { timer != nil && deadline.map { timerDeadline <= $0 } == true }
}

/// Where a view lies in its window, in window pixels.
private struct Placement {
    /// Without docked input views.
    var outer = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// What those take of it at its lower edge.
    var dockedHeight = 0.0
}

extension TextView: WindowContent {
    /// Keeps the view’s place on the screen.
    public func windowDidMove(to origin: RootPoint) {
        windowOrigin = origin
        for child in children { child.windowDidMove(to: origin) }
    }

    /// What stands beside the text, or in it, hears of what is in sight.
    public func windowWillPaint() {
        viewportLayout.layoutViewport()
        for child in children { child.windowWillPaint() }
    }

    /// An I-beam over the text, a hand over a link that a click opens, an arrow over the scroll bar.
    public func cursor(at point: WindowPoint) -> Window.Cursor {
        let point = point.converted(to: ViewSpace.self, originAt: frame.origin)
        if !isDragging, isOnScrollBar(point) { return .arrow }
        return !interaction.isActive && interaction.opensLink(at: point) ? .hand : .text
    }

    /// On the scroll bar nothing ends it; elsewhere the view does, as soon as the press comes to something.
    public func compositionEnd(of event: PointerEvent) -> CompositionEnd {
        isOnScrollBar(event.location.converted(to: ViewSpace.self, originAt: frame.origin)) ? .none : .byContent
    }

    /// Clicks, drags and scrolls.
    public func handlePointer(_ event: PointerEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        switch event.kind {
        case .press(.primary) where isOnScrollBar(point): return scrollBarPressed(at: point)
        case .press(.middle) where isOnScrollBar(point): return scrollBarPressed(at: point, warps: true)
        case .press where isOnScrollBar(point): return
        case .release(.primary), .release(.middle): if scrollBarReleased() { return scrollBarPointed(at: point) }
        case .motion:
            if scrollBarDragged(to: point) { return }
            scrollBarPointed(at: isDragging ? nil : point)
            loupePointerMoved(to: point)
        case .scroll(let clicks) where event.modifiers.contains(.control):
            // What programs zoom with; those that do not have it do nothing. Parts of a click add up.
            let steps = zoomRemainder.take(clicks).dy
            for _ in 0..<Int(checking: abs(steps), in: 0...16) {
                // Not the view's own: it goes up the chain.
                inputContext.perform(steps < 0 ? .makeTextLarger : .makeTextSmaller, endsComposition: false)
            }
        case .scroll(let clicks):
            let before = viewportLayout.viewportBounds
            scroll(byClicks: clicks, sideways: event.modifiers.contains(.shift))
            // One that shows all it has lets the text around it scroll.
            if viewportLayout.viewportBounds == before { outerTextView?.handlePointer(event) }
        case .leave: scrollBarPointed(at: nil)
        case .press, .release, .enter: break
        }
        interaction.handle(event, at: point)
        updateLoupe()
    }

    /// Taps, scrolling, long presses and handles. On the scroll bar the first finger is the pointer.
    public func handleTouch(_ event: TouchEvent) {
        let point = event.location.converted(to: ViewSpace.self, originAt: frame.origin)
        if event.phase == .began ? isOnScrollBar(point) : scrollBarIsPressed {
            if let pointer = event.pointerEvent { handlePointer(pointer) }
            // A finger that is lifted points at nothing.
            if [.ended, .cancelled].contains(event.phase) { scrollBarPointed(at: nil) }
            return
        }
        loupePointerMoved(to: point)
        interaction.handle(event, at: point)
        updateLoupe()
    }
}

extension TextView: TextInteractionHost {
    /// What is selected becomes PRIMARY.
    public func textInteraction(_ interaction: TextInteraction, didSelectAt time: UInt32) {
        ownPrimary(timestamp: time)
    }

    /// Asks the owner of PRIMARY.
    public func textInteraction(
        _ interaction: TextInteraction, pastePrimaryAt position: TextPosition, time: UInt32
    ) {
        pastePrimary(at: store.offset(of: position), timestamp: time)
    }

    /// The pointer and the keys are the drag's until the button comes up.
    public func textInteraction(
        _ interaction: TextInteraction, beginDraggingSelectionFrom point: ViewPoint, event: PointerEvent
    ) -> Bool { beginDraggingSession(with: event) }

    /// Opens the view's menu.
    public func textInteraction(_ interaction: TextInteraction, openMenuAt point: ViewPoint, event: PointerEvent) {
        openContextMenu(at: event.location, timestamp: event.timestamp)
        // The menu hears when the button comes up.
        interaction.cancel()
    }

    /// What is under the button is shown magnified, until it comes up.
    public func textInteraction(_ interaction: TextInteraction, didPressLongAt point: ViewPoint) {
        magnify(at: point)
    }

    /// What is under the finger is shown magnified, until it is lifted.
    public func textInteraction(_ interaction: TextInteraction, didTakeHandleAt point: ViewPoint) {
        magnify(at: point)
    }

    /// Takes the focus, and ends what is being composed, with its text kept: what keys before it may still become goes where they
    /// were typed.
    public func textInteraction(_ interaction: TextInteraction, willBegin gesture: TextInteraction.Gesture) -> Bool {
        guard takesFocus() else { return false }
        window?.session.activeContext?.discardMarkedText()
        return true
    }
}

// MARK: What follows from updates, and what is due

extension TextView {
    /// Has the input method told where the caret is, once all is laid out; the loupe follows, and heights are made exact later.
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

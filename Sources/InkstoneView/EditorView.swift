import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// The text view without a display: presents an ``EditingSession``, and takes input for it.
///
/// It joins parts with one job each: the ``session`` (what is edited), the layout (where it lies), the viewport (what of it is seen), the
/// painter (what of that is out of date) and the pointer's gestures. It never waits and knows no X. What edits talks to the session; what
/// needs places on the screen is here.
///
/// It adopts all input contracts and is a responder. Whatever shows it, such as the widget in an X window, inherits from it and overrides
/// its requests, which do nothing here: ``setNeedsDisplay(_:)``, ``copy(_:)`` and the others.
///
/// Offsets are UTF-16 code units unless a type says otherwise. Bound to one thread, like its store.
open class EditorView: BasicResponder {
    /// The text, what the user works on, and all that edits it.
    public final let session: EditingSession
    /// The text, its versions and its undo history.
    public final let store: TextStore
    /// Lines and geometry of the text.
    public final let layout: TextLayoutManager

    /// Where an input method's answers become calls to this view.
    public private(set) lazy var inputContext: TextInputContext = {
        let made = TextInputContext(client: self)
        session.inputContext = made
        return made
    }()

    /// The state of the session.
    public final var state: EditorState { _read { yield session.state } }
    /// What the user may do with the text, and how an empty view looks.
    public final var options: TextInputOptions {
        get { session.options }
        set { session.options = newValue }
    }
    /// Whether the user may change the text: ``options`` say it.
    public final var isEditable: Bool {
        get { state.options.isEditable }
        set { options.isEditable = newValue }
    }
    /// The whole text: ``EditingSession/text``.
    public final var text: String {
        get { session.text }
        set { session.text = newValue }
    }
    /// Called when the user opens a link, with its destination as the text has it: by a click with Ctrl, by one without where the text is only
    /// read, and by ``openLink()``. Nil, and nothing is opened. The text may be from anywhere: check what is handed on to other programs.
    public final var onOpenLink: ((String) -> Void)? { didSet { followLinks() } }
    /// Adds text at the end: ``EditingSession/append(_:recordsUndo:)-(String,_)``. A view that shows the end goes on showing it.
    public final func append(_ text: String, recordsUndo: Bool = false) {
        following { session.append(text, recordsUndo: recordsUndo) }
    }
    /// The same for text with attributes.
    public final func append(_ text: StyledText, recordsUndo: Bool = false) {
        following { session.append(text, recordsUndo: recordsUndo) }
    }
    private func following(_ edit: () -> Void) {
        let wasAtEnd = isAtEnd
        edit()
        if wasAtEnd { scrollToEnd() }
    }
    /// Begins with another text: ``EditingSession/reset(to:)``.
    public final func reset(to text: String = "") { session.reset(to: text) }
    /// Words as they are moved over, selected and deleted: as in prose, or as in programs.
    public var wordStyle: WordStyle {
        get { ownTokenizer.wordStyle }
        set { ownTokenizer.wordStyle = newValue }
    }
    private(set) lazy var ownTokenizer = EditorTokenizer(textInput: self)

    /// The selected ranges; nil if nothing is selected and there is no caret.
    public final var selection: Selection? { state.selection }
    /// The primary range of the selection; without any a caret at the start.
    final var primary: SelectionRange { state.primary }
    /// What an input method is composing; nil if nothing.
    public final var markedText: MarkedText? { state.markedText }
    /// Whether keys go here: the caret blinks and the selection is strong.
    @exclusivity(unchecked) public private(set) final var isFocused = false

    /// What part of the text is seen; what stands beside the text hears of it there.
    public final let viewportLayout: TextViewportLayoutController
    /// Paints the text, and knows what of it is on the screen.
    let painter: Painter
    /// When and how the caret shows.
    @exclusivity(unchecked) final var caret = CaretDisplay()
    /// Where something would be dropped; made when it is first asked for.
    final var dropAnimator: TextCursorDropPositionAnimator?
    /// What the pointer does in the text.
    public final let interaction: TextInteraction
    /// Milliseconds of a monotonic clock.
    let clock: () -> Int64

    /// A view of a text.
    ///
    /// - Parameters:
    ///   - store: the text; edits that others make to it show here too.
    ///   - font: the font of all text, in device pixels.
    ///   - theme: colours and distances, already scaled.
    ///   - clock: milliseconds of a monotonic clock; tests pass their own.
    public convenience init(
        store: TextStore, font: FontDescriptor, theme: Theme = Theme(), settings: FontSettings = FontSettings(),
        clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        self.init(
            layout: TextLayoutManager(
                store: store, container: TextContainer(width: 1), font: font, settings: settings),
            theme: theme, clock: clock)
    }

    /// A view of a text as it is laid out: by a layout of its own, which no other view may have.
    ///
    /// Where the layout's content manager is one of your own, the view shows it and does not edit it: its store is a copy, which only
    /// ``TextLayoutManager/textContentDidChange(in:to:)`` changes. All else works: selecting, copying, searching, decorations.
    /// ``isEditable`` stays false, and edits by the program are refused as well.
    ///
    /// - Parameters:
    ///   - theme: colours and distances, already scaled.
    ///   - clock: milliseconds of a monotonic clock; tests pass their own.
    public init(
        layout: TextLayoutManager, theme: Theme = Theme(),
        clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        let store = layout.store
        self.store = store
        self.layout = layout
        painter = Painter(theme: theme)
        viewportLayout = TextViewportLayoutController(layout, theme: theme)
        self.clock = clock
        session = EditingSession(store, isCopy: layout.showsCopy)
        interaction = TextInteraction(for: .editable, clock: clock)
        super.init()
        session.presenter = self
        session.textInput = self
        viewportLayout.onEffect = { [weak self] in self?.show($0) }
        interaction.textInput = self
        interaction.onDeadlineChange = { [weak self] in
            self?.deadlineDidChange()
        }
        interaction.onHandlesChange = { [weak self] in self?.damageHandles() }
        viewportLayout.attachmentViews.textView = self
        painter.images.post = { [weak self] in self?.poster }
        painter.images.onLoad = { [weak self] in self?.attachmentDidLoad($0) }
    }

    deinit {
        // The session may go on without a view, and nothing that it composes is ended through this one any more.
        session.presenter = nil
        session.inputContext = nil
    }

    /// All offsets of the text.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Gives or takes the focus. A composition that is going on is ended by the input context, not here.
    public func setFocused(_ focused: Bool) {
        guard focused != isFocused else { return }
        isFocused = focused
        if focused {
            caret.blink.restart(at: clock())
        } else {
            caret.blink.stop()
            interaction.cancel()
            interaction.hideHandles()
        }
        deadlineDidChange()
        setNeedsDisplay()
        session.report(.focus)
    }

    /// Places the view in its window; text is wrapped to the new width and the first visible line stays first, unless the caret was in sight
    /// and would not be any more: then the text scrolls as little as needed.
    open func setFrame(_ frame: WindowRect) {
        guard frame != self.frame else { return }
        let caretWasSeen = caretIsInSight
        viewport.setFrame(frame)
        updateContainer()
        if caretWasSeen, hasRoomForLine { bringCaretIntoSight() }
        setNeedsDisplay()
        session.report(.geometry)
    }

    // MARK: Requests to what shows the view

    /// A part of the view is out of date: it is to be painted soon, once for many calls. Nothing may be edited here.
    open func setNeedsDisplay(_ rect: ViewRect) {}

    /// What is painted of `rect` is to be moved down by `dy` view pixels, a whole number (up if negative), and what is out of date there
    /// with it; what comes into sight is painted soon. All of it is painted anew unless this is overridden. Nothing may be edited here.
    open func movePixels(of rect: ViewRect, by dy: Double) { setNeedsDisplay(rect) }

    /// The view's ``nextDeadline`` has changed.
    open func deadlineDidChange() {}

    /// Puts text on the clipboard.
    open func copy(_ text: CopiedText) {}

    /// The user has selected something with keys: it becomes PRIMARY once they are at rest. Not called where the program selects, a
    /// search, undoing or a file that is being read.
    open func didSelectByKeys() {}

    /// Asks for the text of CLIPBOARD or PRIMARY, with its attributes unless the source is a plain one. It goes to
    /// ``EditingSession/paste(_:for:)-(CopiedText,_)`` when it comes, else ``EditingSession/cancelPaste(_:)`` gives it up, as here.
    open func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) { session.cancelPaste(paste) }

    /// The user gives up what is going on (Escape): text that is still to be pasted with its styles comes without them. Returns whether
    /// there was any such text.
    open func giveUpStyles() -> Bool { false }

    /// A function that runs a closure on the view's thread, soon, from any thread. Without it, painting waits for images to be decoded.
    open var poster: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { nil }

    // MARK: Responder

    /// What keys for the view go through.
    override open var textInputContext: TextInputContext? { inputContext }

    /// The caret blinks or does not, and the selection is strong or weak.
    override open func focusDidChange(to isFocused: Bool) {
        setFocused(isFocused)
        super.focusDidChange(to: isFocused)
    }

    /// Whether the text would do what a command names now. What is refused goes to ``BasicResponder/onCommand``, then up the responder
    /// chain.
    override open func canPerformItself(_ action: EditCommand) -> Bool {
        // Tab goes on to the view of the attachment that is selected, and does not take its place.
        if action == .insertTab, viewportLayout.attachmentViews.focusable(in: selection) != nil { return false }
        return session.canPerform(action)
    }

    // MARK: Selection

    /// Moves the user to a place, or with nil to none: ``EditingSession/select(_:scrolling:)``.
    public func select(_ new: Selection?, scrolling: Bool = true) { session.select(new, scrolling: scrolling) }

    /// Observes the turns of the view: ``EditingSession/observe(_:)``.
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { session.observe(body) }
}

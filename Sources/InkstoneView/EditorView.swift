import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// The text view without a display: presents an ``EditingSession``, and receives input for it.
///
/// It combines parts with one job each: the ``session`` edits, the layout computes positions, the viewport tracks the visible part, the painter its
/// damage, and the interaction handles gestures. It never waits, and does not depend on X. Editing goes to the session; everything that needs
/// positions on the screen is here.
///
/// It adopts all input contracts and is a responder. A class that shows it, such as the widget in an X window, inherits from it and overrides its
/// requests, which do nothing here: ``setNeedsDisplay(_:)``, ``copy(_:)`` and the others.
///
/// Offsets are UTF-16 code units unless a type says otherwise. Bound to one thread, like its store.
open class EditorView: BasicResponder {
    /// The session, which holds the text and the user's state and makes all edits.
    public final let session: EditingSession
    /// The text, its versions and its undo history.
    public final let store: TextStore
    /// Lines and geometry of the text.
    public final let layout: TextLayoutManager

    /// The input context, which turns an input method's answers into calls to this view.
    public private(set) lazy var inputContext: TextInputContext = {
        let made = TextInputContext(client: self)
        session.inputContext = made
        return made
    }()

    /// The state of the session.
    public final var state: EditorState { _read { yield session.state } }
    /// The edits permitted to the user, and the style of an empty view.
    public final var options: TextInputOptions {
        get { session.options }
        set { session.options = newValue }
    }
    /// Whether the user may change the text, by the ``options``.
    public final var isEditable: Bool {
        get { state.options.isEditable }
        set { options.isEditable = newValue }
    }
    /// The whole text: ``EditingSession/text``.
    public final var text: String {
        get { session.text }
        set { session.text = newValue }
    }
    /// Called when the user opens a link, with its destination as written in the text: by a click with Ctrl, by a plain click where the text cannot
    /// be edited, and by ``openLink()``. If nil, links cannot be opened. The text may be from anywhere: check a destination before passing it to
    /// other programs.
    public final var onOpenLink: ((String) -> Void)? { didSet { followLinks() } }
    /// Appends text: ``EditingSession/append(_:recordsUndo:)-(String,_)``. A view that shows the end continues to show it.
    public final func append(_ text: String, recordsUndo: Bool = false) {
        session.append(text, recordsUndo: recordsUndo)
    }
    /// Appends text with attributes. A view that shows the end continues to show it.
    public final func append(_ text: StyledText, recordsUndo: Bool = false) {
        session.append(text, recordsUndo: recordsUndo)
    }
    /// Replaces everything by another text: ``EditingSession/reset(to:)``.
    public final func reset(to text: String = "") { session.reset(to: text) }
    /// The words of moves, selections and deletions: as in prose, or as in programs.
    public var wordStyle: WordStyle {
        get { ownTokenizer.wordStyle }
        set { ownTokenizer.wordStyle = newValue }
    }
    private(set) lazy var ownTokenizer = EditorTokenizer(textInput: self)

    /// The selected ranges; nil if nothing is selected and there is no caret.
    public final var selection: Selection? { state.selection }
    /// The primary range of the selection; without a selection, a caret at the start.
    final var primary: SelectionRange { state.primary }
    /// The text being composed; nil for none.
    public final var markedText: MarkedText? { state.markedText }
    /// The display of the session: what is on the screen, and its style.
    public final let presenter: TextPresenter
    /// The handling of the pointer in the text.
    public final let interaction: TextInteraction

    /// Creates a view of a text.
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

    /// Creates a view with a layout of its own, which no other view may use.
    ///
    /// If the layout's content manager is your own, the view shows its text and does not edit it: the store is a copy, which only
    /// ``TextLayoutManager/textContentDidChange(in:to:)`` changes. Everything else works: selecting, copying, searching, decorations.
    /// ``isEditable`` stays false, and edits by the program are refused as well.
    ///
    /// - Parameters:
    ///   - theme: colours and distances, already scaled.
    ///   - clock: milliseconds of a monotonic clock; tests pass their own.
    public init(
        layout: TextLayoutManager, theme: Theme = Theme(),
        clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        store = layout.store
        self.layout = layout
        session = EditingSession(layout.store, isCopy: layout.showsCopy)
        interaction = TextInteraction(for: .editable, clock: clock)
        presenter = TextPresenter(session, layout, interaction, theme: theme, clock: clock)
        super.init()
        session.presenter = presenter
        session.textInput = self
        presenter.view = self
        interaction.textInput = self
        interaction.onDeadlineChange = { [weak self] in self?.deadlineDidChange() }
        interaction.onHandlesChange = { [weak self] in self?.presenter.damageHandles() }
        presenter.viewportLayout.attachmentViews.textView = self
        presenter.painter.images.post = { [weak self] in self?.poster }
        presenter.painter.images.onLoad = { [weak self] in self?.presenter.attachmentDidLoad($0) }
    }

    deinit {
        // The session may continue without a view, and must not end compositions through this one any more.
        session.presenter = nil
        session.inputContext = nil
        presenter.view = nil
    }

    /// The range of the whole text.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Sets whether the view has the focus. The input context, not this method, ends a composition in progress.
    public func setFocused(_ focused: Bool) { presenter.setFocused(focused) }

    /// Sets the view's frame in its window; text is wrapped to the new width and the first visible line stays first, unless a visible caret would
    /// leave the view: then the text scrolls as little as needed.
    open func setFrame(_ frame: WindowRect) { presenter.setFrame(frame) }

    // MARK: Requests to what shows the view

    /// Requests painting of a part of the view, soon and once for many calls. The text may not be edited here.
    open func setNeedsDisplay(_ rect: ViewRect) {}

    /// Requests that the pixels of `rect` move down by `dy` view pixels, a whole number (up if negative), together with the damage there; the
    /// uncovered part is painted soon. Unless overridden, the whole rectangle is painted again. The text may not be edited here.
    open func movePixels(of rect: ViewRect, by dy: Double) { setNeedsDisplay(rect) }

    /// Called when ``nextDeadline`` has changed.
    open func deadlineDidChange() {}

    /// Copies text to the clipboard.
    open func copy(_ text: CopiedText) {}

    /// Called when the user has selected something with keys, which becomes PRIMARY after a pause of the keys. Not called for selections by the
    /// program, a search, undo or a file being read.
    open func didSelectByKeys() {}

    /// Requests the text of CLIPBOARD or PRIMARY, with its attributes unless the source is a plain one. The answer goes to
    /// ``EditingSession/paste(_:for:)-(CopiedText,_)``; without one, ``EditingSession/cancelPaste(_:)`` ends the request, as this implementation
    /// does.
    open func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) { session.cancelPaste(paste) }

    /// Called for Escape: pastes the pending text without waiting for its styles. Returns whether any text was pending with styles.
    open func giveUpStyles() -> Bool { false }

    /// A function that runs a closure on the view's thread, soon, from any thread. If nil, painting waits for images to be decoded.
    open var poster: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { nil }

    // MARK: Responder

    /// The input context of the view's keys.
    override open var textInputContext: TextInputContext? { inputContext }

    /// Starts or stops the caret's blinking, and repaints the selection.
    override open func focusDidChange(to isFocused: Bool) {
        setFocused(isFocused)
        super.focusDidChange(to: isFocused)
    }

    /// Returns whether the text would perform a command now. A refused command goes to ``BasicResponder/onCommand``, then up the responder chain.
    override open func canPerformItself(_ action: EditCommand) -> Bool {
        // Tab goes to the view of the selected attachment, and does not replace the attachment.
        if action == .insertTab, presenter.viewportLayout.attachmentViews.focusable(in: selection) != nil {
            return false
        }
        return session.canPerform(action)
    }

    // MARK: Selection

    /// Selects as an action of the user, or with nil removes the selection: ``EditingSession/select(_:scrolling:)``.
    public func select(_ new: Selection?, scrolling: Bool = true) { session.select(new, scrolling: scrolling) }

    /// Observes the turns of the view: ``EditingSession/observe(_:)``.
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { session.observe(body) }
}

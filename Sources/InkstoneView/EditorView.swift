import Glibc
import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A text view without a display: presents an ``EditingSession``, and receives input for it.
///
/// The view combines parts with one task each: the ``session`` edits, the layout computes positions, the viewport
/// tracks the visible part, the painter computes damage and paints, and the interaction handles gestures. The view
/// never blocks, and does not depend on X. Edits are made by the session; everything that needs positions on the
/// screen is in this class.
///
/// The view adopts all input protocols and is a responder. A class that displays it, such as the widget in an X
/// window, inherits from it and overrides its requests, which do nothing here: ``setNeedsDisplay(_:)``,
/// ``copy(_:)`` and the others.
///
/// Offsets are in UTF-16 units unless a type says otherwise. Bound to one thread, like its store.
open class EditorView: BasicResponder {
    /// The session, which holds the text and the user's state and makes all edits.
    public final let session: EditingSession
    /// The store of the text, with its versions and its undo history.
    public final let store: TextStore
    /// The layout: the lines of the text and their geometry.
    public final let layout: TextLayoutManager

    /// The input context, which turns an input method's answers into calls to this view.
    public private(set) lazy var inputContext: TextInputContext = {
        let made = TextInputContext(client: self)
        session.inputContext = made
        return made
    }()

    /// The state of the session.
    public final var state: EditorState { _read { yield session.state } }
    /// The edits that the user may make, and the placeholder and base direction of the view.
    public final var options: TextInputOptions {
        get { session.options }
        set { session.options = newValue }
    }
    /// Whether the user may change the text, according to the ``options``.
    public final var isEditable: Bool {
        get { state.options.isEditable }
        set { options.isEditable = newValue }
    }
    /// The whole text. Setting it is one undo step and moves the caret to the start;
    /// `perform(.moveToEndOfDocument)` moves it to the end. See ``EditingSession/text``.
    public final var text: String {
        get { session.text }
        set { session.text = newValue }
    }
    /// Called with the destination of a link, as written in the text, when the user opens the link. Links are
    /// opened by a click with Ctrl, by a plain click or a tap in text that cannot be edited, by the view's menu, and
    /// by ``openLink()``. In text that cannot be edited, Tab and Shift+Tab select the next or the previous link;
    /// after the last one they move the focus. If nil, links cannot be opened. The text may come from anywhere:
    /// check the destination before passing it to other programs.
    public final var onOpenLink: ((String) -> Void)? { didSet { followLinks() } }
    /// Called with the destination of the link that a click would now open, and with nil when the pointer leaves it or
    /// begins to select text. A click itself does not change it. The view highlights this link. Not called while
    /// ``onOpenLink`` is nil, except once, with nil, if a link is highlighted when that becomes nil.
    public final var onHoverLink: ((String?) -> Void)?
    /// Appends text in the style of the text before it, by default without an undo step. Appended
    /// ``StyledText`` has its own style. A view that shows the end of the text scrolls to keep it visible. See
    /// ``EditingSession/append(_:recordsUndo:)-(String,_)``.
    public final func append(_ text: String, recordsUndo: Bool = false) {
        session.append(text, recordsUndo: recordsUndo)
    }
    /// Appends text with attributes. A view that shows the end of the text scrolls to keep it visible.
    public final func append(_ text: StyledText, recordsUndo: Bool = false) {
        session.append(text, recordsUndo: recordsUndo)
    }
    /// Replaces the whole text and removes the undo history, as for a field whose text was sent. See
    /// ``EditingSession/reset(to:)``.
    public final func reset(to text: String = "") { session.reset(to: text) }
    /// The definition of a word, by which the user moves, selects and deletes: that of prose or that of programs.
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
    /// The presenter, which displays the session on the screen.
    public final let presenter: TextPresenter
    /// The handling of pointer and touch events in the text.
    public final let interaction: TextInteraction

    /// Creates a view of a text.
    ///
    /// - Parameters:
    ///   - store: the store of the text. The view also shows edits made elsewhere, such as in another view of the
    ///     store.
    ///   - font: the default font, in device pixels.
    ///   - theme: the colours and distances, in device pixels.
    ///   - clock: returns the time of a monotonic clock in milliseconds; tests pass their own.
    public convenience init(
        store: TextStore, font: FontDescriptor, theme: Theme = Theme(), settings: FontSettings = FontSettings(),
        clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        self.init(
            layout: TextLayoutManager(
                store: store, container: TextContainer(width: 1), font: font, settings: settings),
            theme: theme, clock: clock)
    }

    /// Creates a view with a given layout, which no other view may use.
    ///
    /// If the layout's content manager is your own, the view shows its text and does not edit it: the store is a
    /// copy, which only ``TextLayoutManager/textContentDidChange(in:to:)`` changes. Everything else works:
    /// selecting, copying, searching, decorations. ``isEditable`` remains false, and edits by the program are
    /// refused as well.
    ///
    /// - Parameters:
    ///   - theme: the colours and distances, in device pixels.
    ///   - clock: returns the time of a monotonic clock in milliseconds; tests pass their own.
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
        // The session may outlive the view. It must not end compositions through the view's input context then.
        session.presenter = nil
        session.inputContext = nil
        presenter.view = nil
    }

    /// The range of the whole text.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Sets whether the view has the focus. Does not end a composition in progress: the input context does that.
    public func setFocused(_ focused: Bool) { presenter.setFocused(focused) }

    /// Sets the view's frame in its window. The text is wrapped to the new width, and the first visible line stays
    /// the first. If a visible caret would leave the view, the text scrolls by the least distance that keeps the
    /// caret visible.
    open func setFrame(_ frame: WindowRect) { presenter.setFrame(frame) }

    // MARK: Requests to the host

    /// Requests painting of a rectangle of the view. The host paints soon, once for many requests. Do not edit the
    /// text here.
    open func setNeedsDisplay(_ rect: ViewRect) {}

    /// Requests that the pixels of `rect`, and the damage there, move down by a whole number `dy` of view pixels,
    /// up if negative. The uncovered strip must then be painted. Unless overridden, the whole rectangle is painted
    /// again. Do not edit the text here.
    open func movePixels(of rect: ViewRect, by dy: Double) { setNeedsDisplay(rect) }

    /// Called when ``nextDeadline`` may have changed.
    open func deadlineDidChange() {}

    /// Copies text to the clipboard.
    open func copy(_ text: CopiedText) {}

    /// Called when the user has selected text with keys. The host offers the selected text as PRIMARY when no key
    /// has followed for a moment. Not called for selections by the program, a search, undo or reading a file.
    open func didSelectByKeys() {}

    /// Requests the text of CLIPBOARD or PRIMARY, with its attributes unless the source is a plain one. Pass the
    /// received text to ``EditingSession/paste(_:for:)-(CopiedText,_)``. If no text can be received, call
    /// ``EditingSession/cancelPaste(_:)``, as this implementation does.
    open func requestPaste(from source: PasteSource, for paste: DeferredEdit.ID) { session.cancelPaste(paste) }

    /// Called for Escape. Pastes the pending text without waiting for its styles. Returns whether text with styles
    /// was pending.
    open func giveUpStyles() -> Bool { false }

    /// A function that runs a closure soon on the view's thread, and that can be called from any thread. If nil,
    /// painting blocks until images are decoded.
    open var poster: (@Sendable (@escaping @Sendable () -> Void) -> Void)? { nil }

    // MARK: Responder

    /// The input context of the view's keys.
    override open var textInputContext: TextInputContext? { inputContext }

    /// Starts or stops the caret's blinking, and repaints the selection.
    override open func focusDidChange(to isFocused: Bool) {
        setFocused(isFocused)
        super.focusDidChange(to: isFocused)
    }

    /// Returns whether the view itself would perform a command now. If not, the command goes to
    /// ``BasicResponder/onCommand``, and then up the responder chain.
    override open func canPerformItself(_ action: EditCommand) -> Bool {
        // Tab must not replace a single selected attachment whose view accepts the focus. The command goes up the
        // responder chain instead, and moves the focus into that view.
        if action == .insertTab, presenter.viewportLayout.attachmentViews.focusable(in: selection) != nil {
            return false
        }
        return opensLink(action) || linkToSelect(by: action) != nil || session.canPerform(action)
    }

    // MARK: Selection

    /// Selects as an action of the user; nil removes the selection. See ``EditingSession/select(_:scrolling:)``.
    public func select(_ new: Selection?, scrolling: Bool = true) { session.select(new, scrolling: scrolling) }

    /// Calls a closure after each update of the text, the selection, the composition, the focus or the scroll position,
    /// until the returned token is released. See ``EditingSession/observe(_:)``.
    public func observe(_ body: @escaping (ViewUpdate) -> Void) -> TextObservation { session.observe(body) }
}

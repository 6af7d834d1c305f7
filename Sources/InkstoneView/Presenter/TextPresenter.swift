import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The display of an ``EditorView``: the visible part of the text, the painted pixels and their damage, the caret,
/// selection and scroll bars, and the style of all these.
///
/// The session calls the presenter in each update; the presenter then updates layout, scroll position and damage,
/// in this order, and passes requests to the view. Members that most programs need, such as ``EditorView/theme``,
/// are available in the view as well; reach the others as `view.presenter`.
public final class TextPresenter {
    /// The session that is displayed.
    let session: EditingSession
    /// The layout: the lines of the text and their geometry.
    let layout: TextLayoutManager
    /// The visible part of the text, with callbacks for objects that show something beside the text.
    public let viewportLayout: TextViewportLayoutController
    /// The painter of the text, which records what is on the screen.
    let painter: Painter
    @exclusivity(unchecked) var caret = CaretDisplay()
    /// The caret that shows the position of a drop; created when first used.
    var dropAnimator: TextCursorDropPositionAnimator?
    /// The handling of pointer and touch events in the text.
    let interaction: TextInteraction
    /// Whether keys go to the view. The caret then blinks, and the selection has its strong colour.
    @exclusivity(unchecked) private(set) var isFocused = false
    /// Returns the time of a monotonic clock, in milliseconds.
    let clock: () -> Int64
    /// The view, which receives the requests. The view sets this to nil before it is deallocated. The reference is
    /// unowned to make access cheap.
    @exclusivity(unchecked) unowned(unsafe) var view: EditorView?

    init(
        _ session: EditingSession, _ layout: TextLayoutManager, _ interaction: TextInteraction, theme: Theme,
        clock: @escaping () -> Int64
    ) {
        self.session = session
        self.layout = layout
        self.interaction = interaction
        self.clock = clock
        painter = Painter(theme: theme)
        viewportLayout = TextViewportLayoutController(layout, theme: theme)
        viewportLayout.onEffect = { [unowned self] in show($0) }
    }

    deinit {
        // Remove the callback, which uses the presenter: a program may retain the controller for longer than the
        // presenter.
        viewportLayout.onEffect = nil
    }

    /// Sets whether keys go to the view.
    func setFocused(_ focused: Bool) {
        guard focused != isFocused else { return }
        isFocused = focused
        if focused {
            caret.blink.restart(at: clock())
        } else {
            caret.blink.stop()
            interaction.cancel()
            interaction.hideHandles()
        }
        view?.deadlineDidChange()
        setNeedsDisplay()
        session.report(.focus)
    }
}

// Values of the session that are displayed.
extension TextPresenter {
    var state: EditorState { _read { yield session.state } }
    var store: TextStore { session.store }
    var options: TextInputOptions { session.options }
    var selection: Selection? { state.selection }
    var markedText: MarkedText? { state.markedText }
    var textRange: Range<UTF16Offset> { session.textRange }

    /// The visible part of the document, and its position on the screen.
    var viewport: Viewport {
        get { viewportLayout.viewport }
        set { viewportLayout.viewport = newValue }
    }
    var frame: WindowRect { viewport.frame }
    var bounds: ViewRect { viewport.bounds }
}

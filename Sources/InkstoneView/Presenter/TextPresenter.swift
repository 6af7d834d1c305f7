import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Everything of an ``EditorView`` that is on the screen: the visible part of the text, the painted pixels and their damage, caret, selection and
/// scroll bars, and their style.
///
/// It is called by the view's session in each turn, updates layout, scroll position and damage in this order, and passes requests to the view.
/// Members that every program needs, such as ``EditorView/theme``, are the view's as well. The others are reached as `view.presenter`.
public final class TextPresenter {
    /// The presented session.
    let session: EditingSession
    /// Lines and geometry of the text.
    let layout: TextLayoutManager
    /// The visible part of the text, with callbacks for objects that show something beside the text.
    public let viewportLayout: TextViewportLayoutController
    /// The painter of the text, which records what is on the screen.
    let painter: Painter
    /// The display of carets.
    @exclusivity(unchecked) var caret = CaretDisplay()
    /// The caret at the position of a drop; created on first use.
    var dropAnimator: TextCursorDropPositionAnimator?
    /// The handling of the pointer in the text.
    let interaction: TextInteraction
    /// Whether keys go to the view: the caret blinks and the selection is strong.
    @exclusivity(unchecked) private(set) var isFocused = false
    /// Milliseconds of a monotonic clock.
    let clock: () -> Int64
    /// The view, which gets the requests. It sets this to nil before it goes; an unowned reference makes reading cheap.
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
        // A program may hold the controller for longer.
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

// The presented values.
extension TextPresenter {
    var state: EditorState { _read { yield session.state } }
    var store: TextStore { session.store }
    var options: TextInputOptions { session.options }
    var selection: Selection? { state.selection }
    var markedText: MarkedText? { state.markedText }
    var textRange: Range<UTF16Offset> { session.textRange }

    /// The visible part of the text, and its position on the screen.
    var viewport: Viewport {
        get { viewportLayout.viewport }
        set { viewportLayout.viewport = newValue }
    }
    var frame: WindowRect { viewport.frame }
    var bounds: ViewRect { viewport.bounds }
}

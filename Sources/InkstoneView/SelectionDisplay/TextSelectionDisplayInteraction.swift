import InkstoneBase
import InkstoneInput
import InkstoneText

/// An object that displays the view whose selection a ``TextSelectionDisplayInteraction`` paints.
public protocol TextSelectionDisplayDelegate: AnyObject {
    /// Called when the display of the selection is out of date. Call
    /// ``TextSelectionDisplayInteraction/updateIfNeeded()`` before the next painting; until then, this method is
    /// not called again.
    func selectionDisplayNeedsUpdate(_ display: TextSelectionDisplayInteraction)
    /// Called when a rectangle of the view, in view pixels, needs painting.
    func selectionDisplay(_ display: TextSelectionDisplayInteraction, needsDisplay rect: ViewRect)
    /// Returns the visible part of the view, in view pixels. The rectangles of selected text are requested only within
    /// it.
    func visibleArea(of display: TextSelectionDisplayInteraction) -> ViewRect
    /// Called when ``TextSelectionDisplayInteraction/nextDeadline`` may have changed.
    func selectionDisplayDeadlineDidChange(_ display: TextSelectionDisplayInteraction)
}

extension TextSelectionDisplayDelegate {
    /// Does nothing: the caret does not blink.
    public func selectionDisplayDeadlineDidChange(_ display: TextSelectionDisplayInteraction) {}
}

/// The caret, highlight and handles of the selection, for any view that adopts `TextInput` and draws its text
/// itself. The counterpart of Apple's `UITextSelectionDisplayInteraction`.
///
/// The interaction only reads the view. The view calls ``setNeedsSelectionUpdate()`` whenever its text, selection,
/// scroll position, keyboard direction or editability has changed. It sets ``isActivated`` when it gets or loses
/// the focus. It paints the highlight before its text, and the caret and the handles after it. A
/// ``TextInteraction`` is not needed.
public final class TextSelectionDisplayInteraction {
    /// The view whose selection is shown.
    public private(set) weak var textInput: (any TextInput)?
    /// The object that displays the view, and that is notified of necessary painting.
    public weak var delegate: (any TextSelectionDisplayDelegate)?
    /// The caret. The interaction sets its position and whether it is active.
    public let indicator: TextInsertionIndicator
    /// The view that draws the caret.
    public var cursorView: any TextCursorView {
        get { indicator.view }
        set { indicator.view = newValue }
    }
    /// The view that draws the highlight of selected text.
    public var highlightView: any TextSelectionHighlightView = StandardTextSelectionHighlightView() {
        didSet { setNeedsSelectionUpdate() }
    }
    /// The view that draws the handles at the ends of the selection.
    public var handleView: any TextSelectionHandleView = StandardTextSelectionHandleView() {
        didSet { setNeedsSelectionUpdate() }
    }
    /// Whether handles for fingers are shown at the ends of the selection or, in text that can be edited, at the
    /// caret.
    public var showsHandles = false { didSet { if showsHandles != oldValue { setNeedsSelectionUpdate() } } }
    /// Whether text that cannot be edited shows a caret while keys go to the view. Off by default, since a caret shows
    /// where typed text is inserted. Turn it on if keys can select in the text: the caret then shows where they select
    /// from, and does not blink.
    public var showsCursorInReadOnlyText = false {
        didSet { if showsCursorInReadOnlyText != oldValue { setNeedsSelectionUpdate() } }
    }
    /// Whether a hollow caret is shown while keys do not go to the view. Turn it off for the fields of a form, in
    /// which the focused field shows a caret anyway.
    public var showsCursorWithoutFocus = true {
        didSet { if showsCursorWithoutFocus != oldValue { setNeedsSelectionUpdate() } }
    }
    /// Whether keys go to the view. The caret then blinks, and the highlight has its strong colour. If not, no
    /// timer is needed.
    public var isActivated: Bool {
        get { indicator.isActivated }
        set {
            guard newValue != isActivated else { return }
            indicator.isActivated = newValue
            setNeedsSelectionUpdate()
        }
    }
    /// The colours and distances of the display, in device pixels.
    public var theme: Theme {
        get { indicator.theme }
        set {
            indicator.theme = newValue
            setNeedsSelectionUpdate()
        }
    }

    private var needsUpdate = false
    private var highlight: [ColoredRect] = []
    private var handles: [ColoredRect] = []

    /// Creates a display of a view's selection, out of date until its first update.
    ///
    /// - Parameter clock: milliseconds of a monotonic clock; tests pass their own.
    public init(
        textInput: any TextInput, delegate: any TextSelectionDisplayDelegate, theme: Theme = Theme(),
        clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        self.textInput = textInput
        self.delegate = delegate
        indicator = TextInsertionIndicator(theme: theme, clock: clock)
        indicator.onDamage = { [weak self] in
            guard let self else { return }
            self.delegate?.selectionDisplay(self, needsDisplay: $0)
        }
        indicator.onDeadlineChange = { [weak self] in
            guard let self else { return }
            self.delegate?.selectionDisplayDeadlineDidChange(self)
        }
        setNeedsSelectionUpdate()
    }

    // MARK: Updating

    /// Marks the display as out of date, after the view's text, selection or scroll position has changed. The display
    /// is computed once, before the next painting.
    public func setNeedsSelectionUpdate() {
        guard !needsUpdate else { return }
        needsUpdate = true
        delegate?.selectionDisplayNeedsUpdate(self)
    }

    /// Computes the display if it is out of date, and requests painting of the rectangles that have changed.
    /// Queries the selection of the view, and the selection's rectangles within the visible part.
    public func updateIfNeeded() {
        guard needsUpdate else { return }
        needsUpdate = false
        guard let textInput, let area = delegate?.visibleArea(of: self), let selected = textInput.selectedTextRange
        else {
            indicator.cursor = nil
            replace(&highlight, by: [])
            return replace(&handles, by: [])
        }
        if selected.isEmpty {
            let rect = textInput.caretRect(for: selected.end)
            let isEditable = textInput.isEditable
            indicator.isSteady = !isEditable
            let isShownAtAll =
                rect.intersects(area) && (isEditable || showsCursorInReadOnlyText && isActivated)
                && (isActivated || showsCursorWithoutFocus)
            indicator.cursor = isShownAtAll ? cursor(rect, at: selected.end, in: textInput) : nil
            replace(&highlight, by: [])
            let edge = ViewRect(x: rect.minX, y: rect.minY, width: 1, height: rect.height)
            let handle = TextSelectionHandle(edge: edge, role: .caret, isLeft: false)
            let isShown = showsHandles && isEditable && rect.intersects(area)
            return replace(&handles, by: isShown ? handleView.shape(of: handle, in: theme) : [])
        }
        indicator.cursor = nil
        let pieces = textInput.selectionRects(for: selected, within: area).filter { $0.rect.intersects(area) }
        replace(&highlight, by: highlightView.shape(of: pieces, isActive: isActivated, in: theme))
        replace(&handles, by: showsHandles ? pieces.flatMap(handles) : [])
    }

    private func cursor(_ rect: ViewRect, at position: TextPosition, in textInput: any TextInput) -> TextCursor {
        func bar(_ rect: ViewRect) -> ViewRect {
            ViewRect(x: rect.minX, y: rect.minY, width: theme.caretWidth, height: rect.height)
        }
        var cursor = TextCursor(bar(rect))
        if let input = textInput as? any PointerTextInput {
            cursor.secondary = input.secondaryCaretRect(for: position).map(bar)
            cursor.typesRightToLeft = input.keyboardIsRightToLeft
        }
        return cursor
    }

    /// Keeps the caret steady for a moment. Call after the user has changed the selection.
    public func noteActivity() { indicator.noteActivity() }

    private func handles(of piece: TextSelectionRect) -> [ColoredRect] {
        let isRightToLeft = piece.writingDirection == .rightToLeft
        func handle(_ role: TextSelectionHandle.Role, atLeft: Bool) -> [ColoredRect] {
            let x = atLeft ? piece.rect.minX : piece.rect.maxX
            let edge = ViewRect(x: x, y: piece.rect.minY, width: 1, height: piece.rect.height)
            return handleView.shape(of: TextSelectionHandle(edge: edge, role: role, isLeft: atLeft), in: theme)
        }
        return (piece.containsStart ? handle(.start, atLeft: !isRightToLeft) : [])
            + (piece.containsEnd ? handle(.end, atLeft: isRightToLeft) : [])
    }

    /// Replaces rectangles and requests painting of those that differ.
    private func replace(_ shown: inout [ColoredRect], by new: [ColoredRect]) {
        guard new != shown else { return }
        let (gone, come) = (Set(shown).subtracting(new), Set(new).subtracting(shown))
        shown = new
        for part in gone.union(come) { delegate?.selectionDisplay(self, needsDisplay: part.rect) }
    }

    // MARK: Painting

    /// Paints the highlight. Call before painting the text.
    ///
    /// - Parameter origin: the position of the view's origin on the canvas.
    public func paintHighlight(on canvas: any Canvas, origin: WindowPoint) { paint(highlight, on: canvas, origin) }

    /// Paints the caret and the handles. Call after painting the text.
    public func paintCursor(on canvas: any Canvas, origin: WindowPoint) {
        indicator.paint(on: canvas, origin: origin)
        paint(handles, on: canvas, origin)
    }

    private func paint(_ parts: [ColoredRect], on canvas: any Canvas, _ origin: WindowPoint) {
        for part in parts { canvas.fill(part.rect.converted(from: origin), part.color) }
    }

    // MARK: Time

    /// The time for the next call of ``handleDeadline()``, in milliseconds of the clock; nil for never.
    public var nextDeadline: Int64? { indicator.nextDeadline }

    /// Turns the caret on or off.
    public func handleDeadline() { indicator.handleDeadline() }
}

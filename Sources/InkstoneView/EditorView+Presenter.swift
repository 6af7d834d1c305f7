import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The members of the ``presenter`` that every program needs.
extension EditorView {
    // MARK: Frame

    /// The visible part of the text, and its position on the screen.
    final var viewport: Viewport { presenter.viewport }
    /// Returns the rectangle of the document in view pixels; it may lie outside of the view.
    func viewRect(_ rect: DocumentRect) -> ViewRect { viewport.viewRect(rect) }
    /// Returns the point of the document under a point of the view.
    public func documentPoint(_ point: ViewPoint) -> DocumentPoint { viewport.documentPoint(point) }

    /// The view's frame in its window.
    public var frame: WindowRect { viewport.frame }
    /// The view's own rectangle.
    public var bounds: ViewRect { viewport.bounds }
    /// The window's origin on the root window; kept up to date by the host.
    public var windowOrigin: RootPoint {
        get { viewport.windowOrigin }
        set { presenter.windowOrigin = newValue }
    }
    /// Whether long lines are wrapped at the view's width.
    public var wrapsLines: Bool {
        get { viewport.wrapsLines }
        set { presenter.wrapsLines = newValue }
    }
    /// The height that shows all text at the present width, in device pixels, with the margins: for a field in a form, or one that grows with its
    /// text. In a text of more than 256 paragraphs, the rest may be estimated.
    public var preferredHeight: Double { presenter.preferredHeight }

    // MARK: Painting

    /// Whether keys go to this view: the caret blinks and the selection is strong.
    public final var isFocused: Bool { presenter.isFocused }
    /// Paints the part of the view inside `damage`, in window pixels, and covers all of it.
    public func paint(on canvas: any Canvas, damage: WindowRect) { presenter.paint(on: canvas, damage: damage) }
    /// Damages the whole view.
    public func setNeedsDisplay() { setNeedsDisplay(bounds) }
    /// The time for the next call of ``handleDeadline()``, in milliseconds of the view's clock; nil for never.
    public var nextDeadline: Int64? { presenter.nextDeadline }
    /// Turns the caret on or off, and performs the due steps of the pointer's gesture.
    public func handleDeadline() { presenter.handleDeadline() }
    /// Whether the keyboard types right-to-left letters, which the flag of a split caret shows.
    public var keyboardIsRightToLeft: Bool {
        get { presenter.keyboardIsRightToLeft }
        set { presenter.keyboardIsRightToLeft = newValue }
    }
    /// The primary range's moving end, as a caret in view pixels; it may lie out of sight. Nil without a selection and a caret.
    public var primaryCaretRect: ViewRect? {
        guard let place = selection?.primary.place else { return nil }
        return caretRect(for: position(place))
    }

    // MARK: Style

    /// Colours and distances, in device pixels.
    public var theme: Theme {
        get { presenter.theme }
        set { presenter.theme = newValue }
    }

    /// The style of marked text; nil for the ``theme``'s.
    public var markedTextStyle: MarkedTextStyle? {
        get { presenter.markedTextStyle }
        set { presenter.markedTextStyle = newValue }
    }

    /// The font of all text, in device pixels. Setting it keeps selection, undo and the line at the top.
    public var font: FontDescriptor {
        get { layout.font }
        set { presenter.setStyle(font: newValue, theme: theme, settings: layout.fontSettings) }
    }

    /// The base style of all paragraphs: direction, alignment, heights, tabs. Setting it keeps selection, undo and the line at the top.
    public var paragraphStyle: ParagraphStyle {
        get { layout.paragraphStyle }
        set {
            guard newValue != layout.paragraphStyle else { return }
            layout.paragraphStyle = newValue
            presenter.paragraphsDidChange()
        }
    }

    /// The formatting permitted to the text here; nil for all. A filter of the session constrains text that is typed, pasted, dropped or set
    /// through it; commands that it would revert cannot be performed. Text that bypasses the session, from a file, from another view or out of the
    /// undo history, is shown by the definition, and keeps its attributes until they are changed.
    public var formattingDefinition: FormattingDefinition? {
        get { layout.formattingDefinition }
        set {
            guard newValue != layout.formattingDefinition else { return }
            if let old = layout.formattingDefinition {
                let id = TransactionFilter(old).id
                session.filters.removeAll { $0.id == id }
            }
            if let newValue { session.filters.append(TransactionFilter(newValue)) }
            layout.formattingDefinition = newValue
            presenter.paragraphsDidChange()
        }
    }

    // MARK: Scrolling

    /// Scrolls by a distance in pixels, down if positive, clamped to the ends.
    public func scroll(by dy: Double, dx: Double = 0) { presenter.scroll(by: dy, dx: dx) }

    /// Scrolls to the end of the text. The selection stays.
    public func scrollToEnd() { presenter.scrollToEnd() }

    /// Whether the text is scrolled down to its end, which is also true if all of it is in sight.
    public var isAtEnd: Bool { presenter.isAtEnd }

    /// Scrolls as little as needed to show the caret.
    public func scrollToCaret() { presenter.scrollToCaret() }

    /// Scrolls as little as needed to show a range, in UTF-16 units and clamped; for a range that is too large, its start. The selection stays.
    public func scrollToVisible(_ range: Range<UTF16Offset>) { presenter.scrollToVisible(range) }

    /// Selects the target of a search or of a line number. If it is out of sight, scrolls so that it lies a third of the way down the view, with
    /// text around it visible; else does not scroll.
    public func go(to selection: Selection) {
        select(selection, scrolling: false)
        presenter.revealCaret()
    }
}

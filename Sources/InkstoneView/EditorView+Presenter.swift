import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The members of the ``presenter`` that most programs need.
extension EditorView {
    // MARK: Frame

    /// The visible part of the text, and its position on the screen.
    final var viewport: Viewport { presenter.viewport }
    /// Converts a rectangle of the document to view pixels; it may lie out of view.
    func viewRect(_ rect: DocumentRect) -> ViewRect { viewport.viewRect(rect) }
    /// Converts a point of the view to document pixels.
    public func documentPoint(_ point: ViewPoint) -> DocumentPoint { viewport.documentPoint(point) }

    /// The view's frame in its window.
    public var frame: WindowRect { viewport.frame }
    /// The rectangle of the view in its own pixels; its origin is zero.
    public var bounds: ViewRect { viewport.bounds }
    /// The position of the window's origin on the root window. The host keeps it up to date.
    public var windowOrigin: RootPoint {
        get { viewport.windowOrigin }
        set { presenter.windowOrigin = newValue }
    }
    /// Whether long lines are wrapped at the view's width.
    public var wrapsLines: Bool {
        get { viewport.wrapsLines }
        set { presenter.wrapsLines = newValue }
    }
    /// The height that shows the whole text at the present width, in device pixels, including the margins. For a
    /// field in a form, or one that grows with its text. In a text of more than 256 paragraphs, part of the height
    /// may be estimated.
    public var preferredHeight: Double { presenter.preferredHeight }

    // MARK: Painting

    /// Whether keys go to this view. The caret then blinks, and the selection has its strong colour.
    public final var isFocused: Bool { presenter.isFocused }
    /// Paints the part of the view inside `damage`, in window pixels. Every pixel of it is painted.
    public func paint(on canvas: any Canvas, damage: WindowRect) { presenter.paint(on: canvas, damage: damage) }
    /// Damages the whole view, so that it is repainted.
    public func setNeedsDisplay() { setNeedsDisplay(bounds) }
    /// The time for the next call of ``handleDeadline()``, in milliseconds of the view's clock; nil for never.
    public var nextDeadline: Int64? { presenter.nextDeadline }
    /// Performs the steps that are due: turns the caret on or off, and continues gestures, scrolling and fading.
    public func handleDeadline() { presenter.handleDeadline() }
    /// Whether the keyboard types right-to-left letters. A split caret shows this by a flag.
    public var keyboardIsRightToLeft: Bool {
        get { presenter.keyboardIsRightToLeft }
        set { presenter.keyboardIsRightToLeft = newValue }
    }
    /// The rectangle of the caret at the moving end of the primary range, in view pixels; it may be out of view.
    /// Nil if nothing is selected and there is no caret.
    public var primaryCaretRect: ViewRect? {
        guard let place = selection?.primary.place else { return nil }
        return caretRect(for: position(place))
    }

    // MARK: Style

    /// The colours and distances of the view, in device pixels. A theme with another ``Theme/scale``, such as
    /// ``Theme/dark``, is scaled when it is set. When the desktop's settings change, a text view replaces the standard
    /// colours by those of its `appearance`. A standard theme that is set here decides that appearance, unless its colours
    /// are those that the view shows.
    public var theme: Theme {
        get { presenter.theme }
        set {
            presenter.theme =
                newValue.scale == theme.scale ? newValue : newValue.scaled(by: theme.scale / newValue.scale)
        }
    }

    /// The style of marked text; nil for the style of the ``theme``.
    public var markedTextStyle: MarkedTextStyle? {
        get { presenter.markedTextStyle }
        set { presenter.markedTextStyle = newValue }
    }

    /// The default font of the text, in device pixels. Setting it does not change the selection, the undo history
    /// or the first visible line.
    public var font: FontDescriptor {
        get { layout.font }
        set { presenter.setStyle(font: newValue, theme: theme, settings: layout.fontSettings) }
    }

    /// The base style of all paragraphs: direction, alignment, heights, tabs. Setting it does not change the
    /// selection, the undo history or the first visible line.
    public var paragraphStyle: ParagraphStyle {
        get { layout.paragraphStyle }
        set {
            guard newValue != layout.paragraphStyle else { return }
            layout.paragraphStyle = newValue
            presenter.paragraphsDidChange()
        }
    }

    /// The formatting that this view permits; nil for all formatting. A filter of the session constrains text that
    /// is typed, pasted, dropped or set through the session. Commands that the filter would revert cannot be
    /// performed.
    ///
    /// Some text bypasses the session, because it comes from a file, from another view or from the undo history.
    /// Such text is displayed with permitted formatting only, but keeps its attributes until they are changed.
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

    /// Scrolls by a distance in pixels, down if `dy` is positive. Stops at the ends of the text.
    public func scroll(by dy: Double, dx: Double = 0) { presenter.scroll(by: dy, dx: dx) }

    /// Scrolls to the end of the text. The selection does not change.
    public func scrollToEnd() { presenter.scrollToEnd() }

    /// Whether the text is scrolled to its end; also true if the whole text is visible.
    public var isAtEnd: Bool { presenter.isAtEnd }

    /// Scrolls by the least distance that makes the caret visible.
    public func scrollToCaret() { presenter.scrollToCaret() }

    /// Scrolls by the least distance that makes a range visible or, if it does not fit, its start. The range, in
    /// UTF-16 units, is clamped to the text. The selection does not change.
    public func scrollToVisible(_ range: Range<UTF16Offset>) { presenter.scrollToVisible(range) }

    /// Selects the target of a search or a line number. If it is out of view, scrolls so that it is a third of the
    /// way down the view, with text around it visible.
    public func go(to selection: Selection) {
        select(selection, scrolling: false)
        presenter.revealCaret()
    }
}

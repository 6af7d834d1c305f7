import InkstoneBase

/// A caret for a view that draws its own text and adopts none of the input contracts: it blinks while the view has the focus, is steady during
/// typing, and hollow without the focus. Apple's `NSTextInsertionIndicator`.
///
/// Set its ``cursor`` whenever the caret moves, call ``noteActivity()`` for each key and ``handleDeadline()`` when ``nextDeadline`` has
/// come, and paint it after the text.
public final class TextInsertionIndicator {
    /// The conditions under which the caret shows.
    public enum DisplayMode: Hashable, Sendable {
        /// The caret follows the focus and blinks.
        case automatic
        /// The caret never shows.
        case hidden
        /// The caret always shows, without blinking.
        case visible
    }

    /// The conditions under which the caret shows.
    public var displayMode = DisplayMode.automatic { didSet { if displayMode != oldValue { changed() } } }
    /// The caret's position and shape; nil for no caret.
    public var cursor: TextCursor? { didSet { if cursor != oldValue { changed() } } }
    /// Whether the view has the focus; if not, the caret is hollow and no timer runs for it.
    public var isActivated = false {
        didSet {
            guard isActivated != oldValue else { return }
            if isActivated { blink.restart(at: clock()) } else { blink.stop() }
            changed()
        }
    }
    /// Whether the caret does not blink although the view has the focus, as in a text that cannot be edited.
    public var isSteady = false { didSet { if isSteady != oldValue { changed() } } }
    /// The phases of blinking.
    public var blink = CaretBlink()
    /// The view that draws the caret.
    public var view: any TextCursorView = StandardTextCursorView() { didSet { changed() } }
    /// The caret's colours and width.
    public var theme: Theme { didSet { if theme != oldValue { changed() } } }
    /// Called when a part of the view, in its pixels, needs painting.
    public var onDamage: ((ViewRect) -> Void)?
    /// Called when ``nextDeadline`` may have changed.
    public var onDeadlineChange: (() -> Void)?

    /// The caret's rectangles, whether it is on or off at this moment.
    private var shown: [ColoredRect] = []
    private let clock: () -> Int64

    /// Creates an indicator without a caret.
    ///
    /// - Parameters:
    ///   - theme: colours and distances, already scaled.
    ///   - clock: milliseconds of a monotonic clock; tests pass their own.
    public init(theme: Theme = Theme(), clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }) {
        self.theme = theme
        self.clock = clock
    }

    /// Keeps the caret steady for a moment after an action of the user.
    public func noteActivity() {
        guard isActivated else { return }
        let wasOn = isOn
        blink.restart(at: clock())
        if !wasOn { damage() }
        onDeadlineChange?()
    }

    /// Whether the caret, if there is one, is on at this moment.
    public var isOn: Bool {
        switch displayMode {
        case .hidden: false
        case .visible: true
        case .automatic: !isActivated || isSteady || blink.isVisible(at: clock())
        }
    }

    /// The time for the next call of ``handleDeadline()``, in milliseconds of the clock; nil for never: without the focus, and when the caret has
    /// stopped blinking after a while.
    public var nextDeadline: Int64? {
        guard displayMode == .automatic, isActivated, !isSteady, cursor != nil else { return nil }
        return blink.nextChange(after: clock())
    }

    /// Turns the caret on or off.
    public func handleDeadline() {
        damage()
        onDeadlineChange?()
    }

    /// Paints the caret if it is on.
    ///
    /// - Parameter origin: position of the view's origin on the canvas.
    public func paint(on canvas: any Canvas, origin: WindowPoint) {
        guard isOn else { return }
        for part in shown { canvas.fill(part.rect.converted(from: origin), part.color) }
    }

    private func changed() {
        damage()
        shown =
            displayMode == .hidden
            ? []
            : cursor.map { cursor in
                var cursor = cursor
                cursor.isActive = isActivated
                return view.shape(of: cursor, in: theme)
            } ?? []
        damage()
        onDeadlineChange?()
    }

    private func damage() { for part in shown { onDamage?(part.rect) } }
}

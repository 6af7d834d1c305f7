import InkstoneBase

/// A caret for a view that draws its own text and adopts none of the input protocols. It blinks while the view has
/// the focus, is steady during typing, and hollow without the focus. The counterpart of Apple's
/// `NSTextInsertionIndicator`.
///
/// Set ``cursor`` whenever the caret moves, call ``noteActivity()`` for each key, call ``handleDeadline()`` when
/// ``nextDeadline`` has passed, and paint the caret after the text.
public final class TextInsertionIndicator {
    /// The conditions under which the caret is shown.
    public enum DisplayMode: Hashable, Sendable {
        /// The caret blinks with the focus, and is steady without it.
        case automatic
        /// The caret never shows.
        case hidden
        /// The caret always shows, without blinking.
        case visible
    }

    /// The conditions under which the caret is shown; by default it depends on the focus.
    public var displayMode = DisplayMode.automatic { didSet { if displayMode != oldValue { changed() } } }
    /// The position and shape of the caret; nil for no caret.
    public var cursor: TextCursor? { didSet { if cursor != oldValue { changed() } } }
    /// Whether the view has the focus. Without it, the caret is hollow and needs no timer.
    public var isActivated = false {
        didSet {
            guard isActivated != oldValue else { return }
            if isActivated { blink.restart(at: clock()) } else { blink.stop() }
            changed()
        }
    }
    /// Whether the caret does not blink even with the focus, as in text that cannot be edited.
    public var isSteady = false { didSet { if isSteady != oldValue { changed() } } }
    /// The blinking of the caret, with its times.
    public var blink = CaretBlink()
    /// The view that draws the caret.
    public var view: any TextCursorView = StandardTextCursorView() { didSet { changed() } }
    /// The colours and the width of the caret.
    public var theme: Theme { didSet { if theme != oldValue { changed() } } }
    /// Called when a rectangle of the view, in view pixels, needs painting.
    public var onDamage: ((ViewRect) -> Void)?
    /// Called when ``nextDeadline`` may have changed.
    public var onDeadlineChange: (() -> Void)?

    /// The rectangles of the caret, including those of a phase in which it is off.
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

    /// Keeps the caret steady for a moment. Call after an action of the user.
    public func noteActivity() {
        guard isActivated else { return }
        let wasOn = isOn
        blink.restart(at: clock())
        if !wasOn { damage() }
        onDeadlineChange?()
    }

    /// Whether a caret, if there is one, shows at this moment, according to ``displayMode`` and the blinking.
    public var isOn: Bool {
        switch displayMode {
        case .hidden: false
        case .visible: true
        case .automatic: !isActivated || isSteady || blink.isVisible(at: clock())
        }
    }

    /// The time for the next call of ``handleDeadline()``, in milliseconds of the clock. Nil if the caret does not
    /// blink now, for example without the focus.
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

import InkstoneBase

/// A caret for a view that draws its text itself and adopts none of the contracts: it blinks while the view has the focus, is steady
/// while one types, and hollow without the focus. Apple's `NSTextInsertionIndicator`.
///
/// Set its ``cursor`` whenever the caret moves, call ``noteActivity()`` for each key and ``handleDeadline()`` when ``nextDeadline`` has
/// come, and paint it after the text.
public final class TextInsertionIndicator {
    /// Whether it shows.
    public enum DisplayMode: Hashable, Sendable {
        /// As the focus and blinking have it.
        case automatic
        /// Not at all.
        case hidden
        /// Always, without blinking.
        case visible
    }

    /// Whether it shows.
    public var displayMode = DisplayMode.automatic { didSet { if displayMode != oldValue { changed() } } }
    /// Where it stands; nil for nowhere.
    public var cursor: TextCursor? { didSet { if cursor != oldValue { changed() } } }
    /// Whether the view has the focus: without, the caret is hollow and nothing wakes up for it.
    public var isActivated = false {
        didSet {
            guard isActivated != oldValue else { return }
            if isActivated { blink.restart(at: clock()) } else { blink.stop() }
            changed()
        }
    }
    /// Whether it does not blink although the view has the focus, as in a text that is only read.
    public var isSteady = false { didSet { if isSteady != oldValue { changed() } } }
    /// When it blinks.
    public var blink = CaretBlink()
    /// How it looks.
    public var view: any TextCursorView = StandardTextCursorView() { didSet { changed() } }
    /// Its colours and its width.
    public var theme: Theme { didSet { if theme != oldValue { changed() } } }
    /// A part of the view, in its pixels, is out of date.
    public var onDamage: ((ViewRect) -> Void)?
    /// ``nextDeadline`` may have changed.
    public var onDeadlineChange: (() -> Void)?

    /// What is shown, whether it is on at present or not.
    private var shown: [ColoredRect] = []
    private let clock: () -> Int64

    /// An indicator that stands nowhere.
    ///
    /// - Parameters:
    ///   - theme: colours and distances, already scaled.
    ///   - clock: milliseconds of a monotonic clock; tests pass their own.
    public init(theme: Theme = Theme(), clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }) {
        self.theme = theme
        self.clock = clock
    }

    /// The user did something: the caret is steady for a moment.
    public func noteActivity() {
        guard isActivated else { return }
        let wasOn = isOn
        blink.restart(at: clock())
        if !wasOn { damage() }
        onDeadlineChange?()
    }

    /// Whether the caret is on now, if it stands anywhere.
    public var isOn: Bool {
        switch displayMode {
        case .hidden: false
        case .visible: true
        case .automatic: !isActivated || isSteady || blink.isVisible(at: clock())
        }
    }

    /// When ``handleDeadline()`` wants to be called, in milliseconds of the clock; nil for never: without the focus, and when the caret
    /// has blinked for long enough.
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
    /// - Parameter origin: where the view's origin lies on the canvas.
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

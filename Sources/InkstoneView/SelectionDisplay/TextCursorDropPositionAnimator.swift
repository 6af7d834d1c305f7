import InkstoneBase
import InkstoneInput
import InkstoneText

/// The caret that shows where a drag would drop its text. It glides between positions on one line, and jumps to
/// other lines. The counterpart of Apple's `UITextCursorDropPositionAnimator`.
public final class TextCursorDropPositionAnimator {
    /// The view in which the caret is shown.
    public weak var textInput: (any TextInput)?
    /// The caret's position; nil while there is none.
    public private(set) var position: TextPosition?
    /// The duration of a glide, in milliseconds.
    public var duration: Int64 = 120
    /// Called when the caret has moved, appeared or disappeared, and needs painting.
    public var onChange: (() -> Void)?

    /// The rectangle in view pixels from which the present glide started, and the time of its start; nil if the
    /// caret does not glide.
    private var start: (rect: ViewRect, time: Int64)?
    private let clock: () -> Int64

    /// Creates an animator without a caret.
    ///
    /// - Parameter clock: milliseconds of a monotonic clock; tests pass their own.
    public init(textInput: any TextInput, clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }) {
        self.textInput = textInput
        self.clock = clock
    }

    /// Moves the caret to a position. If `animated` is true and the caret is already on the same line, it glides
    /// there.
    public func placeCaret(at new: TextPosition, animated: Bool = true) {
        guard new != position, let textInput else { return }
        let old = rect
        position = new
        let target = textInput.caretRect(for: new)
        start = nil
        if animated, let old, old.minY == target.minY, old.minX != target.minX { start = (old, clock()) }
        onChange?()
    }

    /// Removes the caret.
    public func removeCaret() {
        guard position != nil else { return }
        (position, start) = (nil, nil)
        onChange?()
    }

    /// The present rectangle of the caret, in view pixels; nil without a caret.
    public var rect: ViewRect? {
        guard let position, let textInput else { return nil }
        var rect = textInput.caretRect(for: position)
        guard let start, start.rect.minY == rect.minY else { return rect }
        let share = min(1, Double(clock() - start.time) / Double(max(1, duration)))
        // Decelerate towards the end.
        let eased = 1 - (1 - share) * (1 - share)
        rect.origin.x = (start.rect.minX + (rect.minX - start.rect.minX) * eased).rounded()
        return rect
    }

    /// The time for the next call of ``handleDeadline()``, in milliseconds of the clock; nil for never.
    public var nextDeadline: Int64? {
        start.map { start in min(start.time + duration, clock() + 16) }
    }

    /// Performs the next step of the glide.
    public func handleDeadline() {
        guard let start else { return }
        if clock() >= start.time + duration { self.start = nil }
        onChange?()
    }
}

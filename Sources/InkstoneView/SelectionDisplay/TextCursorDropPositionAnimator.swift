import InkstoneBase
import InkstoneInput
import InkstoneText

/// A caret at the position of a drop while something is dragged over a text: it glides between positions on its line, and jumps to other lines.
/// Apple's `UITextCursorDropPositionAnimator`.
public final class TextCursorDropPositionAnimator {
    /// The view.
    public weak var textInput: (any TextInput)?
    /// The caret's position; nil while there is none.
    public private(set) var position: TextPosition?
    /// Duration of a glide, in milliseconds.
    public var duration: Int64 = 120
    /// Called when the caret has moved, appeared or gone and needs painting.
    public var onChange: (() -> Void)?

    /// The rectangle at the start of a glide, in view pixels, and its time.
    private var start: (rect: ViewRect, time: Int64)?
    private let clock: () -> Int64

    /// Creates an animator without a caret.
    ///
    /// - Parameter clock: milliseconds of a monotonic clock; tests pass their own.
    public init(textInput: any TextInput, clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }) {
        self.textInput = textInput
        self.clock = clock
    }

    /// Puts the caret at a position, with a glide if it is on the same line already.
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

    /// The rectangle of the caret at this moment, in view pixels; nil while there is none.
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

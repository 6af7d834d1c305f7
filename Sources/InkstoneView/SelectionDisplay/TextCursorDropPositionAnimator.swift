import InkstoneBase
import InkstoneInput
import InkstoneText

/// Where something that is dragged over a text would be dropped: a caret that glides from place to place on its line, and jumps to other
/// lines. Apple's `UITextCursorDropPositionAnimator`.
public final class TextCursorDropPositionAnimator {
    /// The view.
    public weak var textInput: (any TextInput)?
    /// Where it stands; nil while there is none.
    public private(set) var position: TextPosition?
    /// How long it glides, in milliseconds.
    public var duration: Int64 = 120
    /// It has moved, appeared or gone: to be painted anew.
    public var onChange: (() -> Void)?

    /// What it glides from, in view pixels, and since when.
    private var start: (rect: ViewRect, time: Int64)?
    private let clock: () -> Int64

    /// A caret that is nowhere yet.
    ///
    /// - Parameter clock: milliseconds of a monotonic clock; tests pass their own.
    public init(textInput: any TextInput, clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }) {
        self.textInput = textInput
        self.clock = clock
    }

    /// Puts it to a position, with a glide if it is on the same line already.
    public func placeCaret(at new: TextPosition, animated: Bool = true) {
        guard new != position, let textInput else { return }
        let old = rect
        position = new
        let target = textInput.caretRect(for: new)
        start = nil
        if animated, let old, old.minY == target.minY, old.minX != target.minX { start = (old, clock()) }
        onChange?()
    }

    /// Takes it away.
    public func removeCaret() {
        guard position != nil else { return }
        (position, start) = (nil, nil)
        onChange?()
    }

    /// Where it is seen now, in view pixels; nil while there is none.
    public var rect: ViewRect? {
        guard let position, let textInput else { return nil }
        var rect = textInput.caretRect(for: position)
        guard let start, start.rect.minY == rect.minY else { return rect }
        let share = min(1, Double(clock() - start.time) / Double(max(1, duration)))
        // Slower towards the end.
        let eased = 1 - (1 - share) * (1 - share)
        rect.origin.x = (start.rect.minX + (rect.minX - start.rect.minX) * eased).rounded()
        return rect
    }

    /// When ``handleDeadline()`` wants to be called, in milliseconds of the clock; nil for never.
    public var nextDeadline: Int64? {
        start.map { start in min(start.time + duration, clock() + 16) }
    }

    /// Glides on.
    public func handleDeadline() {
        guard let start else { return }
        if clock() >= start.time + duration { self.start = nil }
        onChange?()
    }
}

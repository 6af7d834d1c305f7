/// Keeps an observer of a document or of a view registered; dropping it ends that.
public final class TextObservation {
    private var end: (() -> Void)?

    /// The token of an observer that `end` takes off.
    package init(_ end: @escaping () -> Void) { self.end = end }

    /// Ends the observation at once.
    public func cancel() {
        end?()
        end = nil
    }

    deinit { end?() }
}

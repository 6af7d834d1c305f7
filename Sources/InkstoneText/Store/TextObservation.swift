/// A registration of an observer of a document or of a view. The observation ends when the registration is
/// released.
public final class TextObservation {
    private var end: (() -> Void)?

    /// Creates the token of an observer that `end` unregisters.
    package init(_ end: @escaping () -> Void) { self.end = end }

    /// Ends the observation at once.
    public func cancel() {
        end?()
        end = nil
    }

    deinit { end?() }
}

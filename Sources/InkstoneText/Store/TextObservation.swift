/// Keeps an observer of a document registered; dropping it ends that.
public final class TextObservation {
    private var observer: TextDelivery.Observer?

    init(_ observer: TextDelivery.Observer) { self.observer = observer }

    /// Ends the observation at once.
    public func cancel() {
        observer?.body = nil
        observer = nil
    }

    deinit { observer?.body = nil }
}

/// Keeps an observer of a document registered; dropping it ends that.
public final class TextObservation {
    private weak var store: TextStore?
    private let id: Int

    init(store: TextStore, id: Int) {
        self.store = store
        self.id = id
    }

    /// Ends the observation at once.
    public func cancel() {
        store?.removeObserver(id)
        store = nil
    }

    deinit { store?.removeObserver(id) }
}

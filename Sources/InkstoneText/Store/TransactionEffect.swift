/// A change of a view's state beside its text, selection and composition, made by a transaction of that view: a place that it remembers, an
/// option, an edit that waits. Whoever keeps such a state takes those effects from a transaction that it knows.
public protocol TransactionEffect: Sendable {
    /// The effect where others have changed the text. Offsets that it has are of the text after the transaction.
    func mapped(through move: TransactionMove) -> Self
}

extension TransactionEffect {
    /// The effect itself: it names no place.
    public func mapped(through move: TransactionMove) -> Self { self }
}

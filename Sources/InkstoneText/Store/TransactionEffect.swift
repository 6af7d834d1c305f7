/// A change of further state of a view, beside text, selection and composition, made by a transaction of that view:
/// of a remembered position, an option, a deferred edit. The owner of the state handles the effects of the types
/// that it knows.
public protocol TransactionEffect: Sendable {
    /// Returns the effect rebased on others' changes of the text. Its offsets are of the text after the transaction.
    func mapped(through move: TransactionMove) -> Self
}

extension TransactionEffect {
    /// Returns the effect unchanged: the default for effects without offsets.
    public func mapped(through move: TransactionMove) -> Self { self }
}

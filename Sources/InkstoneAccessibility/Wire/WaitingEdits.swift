/// The edits that screen readers have requested and that wait until the user's earlier keys are handled. If the
/// caller stops waiting for its answer, the edit and its text are discarded.
final class WaitingEdits {
    private struct Edit {
        let isAwaited: () -> Bool
        let work: () -> Void
    }

    private var edits: [Int: Edit] = [:]
    /// The number of the edit that was added last; edits are identified by their numbers.
    private var lastNumber = 0

    var count: Int { edits.count }

    /// Runs an edit after the user's earlier keys are handled, but only if its caller still waits for the answer
    /// then.
    func perform(on node: AccessibleNode, isAwaited: @escaping () -> Bool, _ work: @escaping () -> Void) {
        edits = edits.filter { $0.value.isAwaited() }
        lastNumber += 1
        let number = lastNumber
        edits[number] = Edit(isAwaited: isAwaited, work: work)
        node.performInOrder { [weak self] in
            if let edit = self?.edits.removeValue(forKey: number), edit.isAwaited() { edit.work() }
        }
    }
}

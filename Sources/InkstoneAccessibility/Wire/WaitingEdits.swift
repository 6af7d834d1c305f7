/// The edits requested by screen readers that wait for earlier keys of the user to be handled. An edit whose caller
/// has stopped waiting is discarded with its text.
final class WaitingEdits {
    private struct Edit {
        let isAwaited: () -> Bool
        let work: () -> Void
    }

    private var edits: [Int: Edit] = [:]
    private var lastNumber = 0

    var count: Int { edits.count }

    /// Runs an edit in order with the user's keys, if its caller still waits for the answer then.
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

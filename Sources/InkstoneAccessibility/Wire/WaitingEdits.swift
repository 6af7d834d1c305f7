/// The edits of readers that wait for their turn among the user's keys. Those that nobody waits for any more are forgotten, with their texts.
final class WaitingEdits {
    private struct Edit {
        let isAwaited: () -> Bool
        let work: () -> Void
    }

    private var edits: [Int: Edit] = [:]
    private var lastNumber = 0

    var count: Int { edits.count }

    /// Does work in its turn, if somebody still waits for it then.
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

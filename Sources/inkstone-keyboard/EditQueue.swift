import InkstoneProxy

/// The edits of the keyboard that are still pending, in order. All belong to one text, or to the text that takes its
/// place.
struct EditQueue<Action> {
    /// A pending edit.
    private struct Edit {
        let action: Action
        /// The key events to send instead, for an edit that was requested while no text had the focus; empty for
        /// any other edit.
        let substitute: [Deed]
    }

    private var edits: [Edit] = []
    /// A number that increases with each edit that is sent, and when edits are dropped. A reply or a timer with
    /// another number belongs to an edit that is gone, and is ignored.
    private var sent = 0
    private var isSending = false
    /// Whether the first edit is to be sent again, because the editor has not applied it or has not answered.
    private var isBusy = false
    /// Whether the first edit was sent, and the editor has not answered in time. It may have applied the edit, so the
    /// edit must be sent again as a repetition.
    private(set) var isUnanswered = false

    var isEmpty: Bool { edits.isEmpty }

    /// Whether another text may take the place of the one that has lost the focus: the first edit has no reply yet,
    /// or is to be sent again. Keys that are pressed meanwhile come after that edit.
    var awaitsSuccessor: Bool { !edits.isEmpty && (isSending || isBusy) }

    /// Adds an edit. `substitute` has the key events to send if no text accepts it. It is empty unless the edit is
    /// requested while no text has the focus.
    mutating func add(_ action: Action, substitute: [Deed] = []) {
        edits.append(Edit(action: action, substitute: substitute))
    }

    /// The action of the first edit; nil while that edit waits for its reply, or if there is none.
    var next: Action? { isSending ? nil : edits.first?.action }

    /// Removes the first edit, which needs no reply.
    mutating func removeFirst() { edits.removeFirst() }

    /// Records that the first edit is being sent, and returns its number.
    mutating func begin() -> Int {
        isSending = true
        sent += 1
        return sent
    }

    /// Whether the edit with a number is the one that is being sent.
    func isSending(_ number: Int) -> Bool { isSending && number == sent }

    /// Handles the reply to the edit that is being sent. If the editor is busy, or has not answered, the edit stays
    /// the first, and is to be sent again after ``retry(_:)``.
    mutating func didReply(isBusy: Bool, isUnanswered: Bool = false) {
        (self.isBusy, self.isUnanswered) = (isBusy, isUnanswered)
        guard !isBusy else { return }
        isSending = false
        if !edits.isEmpty { edits.removeFirst() }
    }

    /// Lets the edit with a number be sent again. Returns false if it has been dropped.
    mutating func retry(_ number: Int) -> Bool {
        guard isSending(number) else { return false }
        isSending = false
        return true
    }

    /// Handles a move of the focus to a text that does not take the place of the former one. Drops the edits of the
    /// former text, but keeps those requested since that text lost the focus: they are for the new text.
    mutating func otherTextDidCome() {
        edits.removeAll { $0.substitute.isEmpty }
        (isSending, isBusy, isUnanswered) = (false, false, false)
        sent += 1
    }

    /// Drops all edits, because no text accepts them. Returns the key events to send instead.
    mutating func takeSubstitutes() -> [Deed] {
        let keys = edits.flatMap(\.substitute)
        edits = []
        otherTextDidCome()
        return keys
    }
}

extension TextEditStatus {
    /// Whether the edit is to be sent again, because it was not applied or there was no answer.
    var isToRepeat: Bool { self == .busy || self == .unknown }
}

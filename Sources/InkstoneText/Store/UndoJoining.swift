/// Identifies what changes belong together in one step of undo.
public struct UndoGroupID: Hashable, Sendable {
    private let number = DocumentID()

    /// An identity that no other group has.
    public init() {}
}

/// How a change is kept in the undo history. There is nothing to open or close: changes join by what they say of themselves.
public enum UndoJoining: Hashable, Sendable {
    /// A step of its own.
    case step
    /// Part of the newest step if that was typed too, just before and right here, else a new one.
    case typing
    /// Part of the newest step if that deleted too, just before and right here, else a new one.
    case deleting
    /// Part of the step that has the same identity, else a new one: a composition, a program's own grouping. Where other steps were
    /// made since, the step becomes the newest one, moved along with their changes.
    ///
    /// A step of a group that comes to nothing is dropped, and what could be redone before it can be again. A step that an input method has
    /// composed counts as typed text once the user goes on: it joins the word that was composed or typed before it.
    case group(UndoGroupID)
    /// Not kept, and not a modification; what is kept moves along.
    case notRecorded
    /// A step of the history itself, which goes to the other side: that of the transaction's origin, ``Origin/undo`` or
    /// ``Origin/redo``. See ``TextStore/undoing(in:)``.
    case history

    /// How a change from somewhere is kept unless it says otherwise itself: typed and deleted text joins, what a file brings is not
    /// kept, all else is a step.
    public init(usualFor origin: Origin) {
        if origin.isWithin(.deletion) {
            self = .deleting
        } else {
            self = origin == .typing ? .typing : origin.isWithin(.load) ? .notRecorded : .step
        }
    }
}

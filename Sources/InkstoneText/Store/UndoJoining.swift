/// The identity of a group of changes that form one step of undo.
public struct UndoGroupID: Hashable, Sendable {
    private let number = DocumentID()

    /// Creates an identity that no other group has.
    public init() {}
}

/// The way in which a change joins the undo history. Groups need not be opened or closed, because each change
/// carries this value.
public enum UndoJoining: Hashable, Sendable {
    /// A step of its own.
    case step
    /// Part of the newest step if that step is typed text too, made in the same view and ended just before and at
    /// the same position; otherwise a new step. A new word or paragraph also begins a new step.
    case typing
    /// Part of the newest step if that step is a deletion too, made in the same view just before and at the same
    /// position; otherwise a new step.
    case deleting
    /// Part of the step with the same identity, otherwise a new step: for a composition, or for a program's own
    /// grouping. If other steps were made since, the step becomes the newest one, rebased on their changes.
    ///
    /// A group whose changes cancel out is dropped, and the steps that could be redone before it can be redone
    /// again. A step composed by an input method counts as typed text once the user makes another step: it joins
    /// the word that was composed or typed before it.
    case group(UndoGroupID)
    /// Not recorded, and not counted as a modification of the saved text. Recorded steps are rebased on the change.
    case notRecorded
    /// An undo or redo of the history itself, by the transaction's origin, ``Origin/undo`` or
    /// ``Origin/redo``. See ``TextStore/undoing(in:)``.
    case history

    /// Creates the way in which changes of an origin usually join the history: changes of the origin
    /// ``Origin/typing`` itself and deletions join the step before, text read from a file is not recorded, all other
    /// changes are steps of their own.
    public init(usualFor origin: Origin) {
        if origin.isWithin(.deletion) {
            self = .deleting
        } else {
            self = origin == .typing ? .typing : origin.isWithin(.load) ? .notRecorded : .step
        }
    }
}

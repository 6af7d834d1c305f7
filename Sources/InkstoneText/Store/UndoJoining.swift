/// The identity of a group of changes that form one step of undo.
public struct UndoGroupID: Hashable, Sendable {
    private let number = DocumentID()

    /// An identity that no other group has.
    public init() {}
}

/// The way in which a change joins the undo history. Nothing is opened or closed: each change carries its own value.
public enum UndoJoining: Hashable, Sendable {
    /// A step of its own.
    case step
    /// Part of the newest step if that was typed too, just before and at the same position, else a new one.
    case typing
    /// Part of the newest step if that deleted too, just before and at the same position, else a new one.
    case deleting
    /// Part of the step with the same identity, else a new one: a composition, a program's own grouping. If other steps were
    /// made since, the step becomes the newest one, rebased on their changes.
    ///
    /// A group whose changes cancel out is dropped, and the steps that could be redone before it can be redone again. A step composed
    /// by an input method counts as typed text once the user makes another step: it joins the word that was composed or typed before it.
    case group(UndoGroupID)
    /// Not recorded, and not a modification; recorded steps are rebased on it.
    case notRecorded
    /// An undo or redo of the history itself, by the transaction's origin, ``Origin/undo`` or
    /// ``Origin/redo``. See ``TextStore/undoing(in:)``.
    case history

    /// The usual way for an origin: typed and deleted text joins, text read from a file is not
    /// recorded, all other changes are steps.
    public init(usualFor origin: Origin) {
        if origin.isWithin(.deletion) {
            self = .deleting
        } else {
            self = origin == .typing ? .typing : origin.isWithin(.load) ? .notRecorded : .step
        }
    }
}

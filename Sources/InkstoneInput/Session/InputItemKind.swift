/// The kinds of entries other than keys in the queue of user actions.
public enum InputItemKind: String, Hashable, Sendable {
    /// A pointer button went down.
    case press
    /// A window got or lost the focus.
    case focus
    /// A key command that takes precedence over the input method.
    case command
    /// A paste, or an edit by the program. It is performed in the queue's order, but does not wait for answers of the
    /// input method.
    case edit
    /// A command of the program that must come after every key typed before it: an item of a menu, an answer in a
    /// prompt. It is not delayed by a key that the input method has apparently ignored.
    case action
    /// A command that must come after every key before it, even with a slow input method: saving.
    case save
    /// The closing of the window. It waits as ``save`` does. A composition that only the input method shows would be
    /// lost with the window, so it is ended first, and its text is awaited for a limited time.
    case close

    /// Whether an entry of this kind waits for pending keys.
    public var waitsForKeys: Bool { self != .edit }

    /// Whether the entry waits for the input method's report that no more answers to the pending keys will come.
    /// Ignored for a method that makes no such reports. A press and a focus change wait only until
    /// ``InputTiming/limit``: output that comes after them goes to the position where its keys were typed.
    var waitsForQuiet: Bool { waitsForAll || self == .command }

    /// Whether the entry waits as long as answers come, and waits also for answers to keys of earlier epochs
    /// (``KeyEpochs``).
    var waitsForAll: Bool { self == .save || self == .action || self == .close }

    /// Whether the entry also waits for keys that had no output when the input method reported that it was done
    /// with them. Their text may still come, and must not be lost.
    var waitsForSilentKeys: Bool { self == .save || self == .close }

    /// Whether the entry leaves alone a composition that only the input method shows. The saved text does not contain
    /// that composition, and some methods would lose it when they are asked to end it.
    var keepsUnseenComposition: Bool { self == .save || self == .action }
}

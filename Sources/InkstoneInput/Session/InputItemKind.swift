/// The kinds of queue entries besides keys.
public enum InputItemKind: String, Hashable, Sendable {
    /// A pointer button went down.
    case press
    /// A window got or lost the focus.
    case focus
    /// A key command that precedes the input method.
    case command
    /// A paste or an edit by the program: it keeps its turn in the queue, but does not wait for answers.
    case edit
    /// A command of the program after every key before it: an item of a menu, an answer in a prompt. A key that the method seems to have
    /// ignored does not delay it.
    case action
    /// A command that must come after every key before it, even with a slow method: saving, closing.
    case save

    /// Whether the entry waits for pending keys.
    public var waitsForKeys: Bool { self != .edit }

    /// Whether the entry waits until each pending key is answered, if the method reports that. A press and a focus change do not wait:
    /// output later than ``InputTiming/limit`` goes to the position where it was typed.
    var waitsForQuiet: Bool { waitsForAll || self == .command }

    /// Whether the entry waits as long as answers come, and also for keys that were typed elsewhere before.
    var waitsForAll: Bool { self == .save || self == .action }

    /// Whether the entry waits for keys without output when the method was found quiescent: their text must not be lost.
    var waitsForSilentKeys: Bool { self == .save }
}

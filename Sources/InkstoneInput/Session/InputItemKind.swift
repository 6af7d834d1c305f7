/// What stands in the queue besides keys.
public enum InputItemKind: String, Hashable, Sendable {
    /// A pointer button went down.
    case press
    /// The focus comes or goes.
    case focus
    /// A key command that comes before the input method.
    case command
    /// A paste or an edit by the program: it keeps its turn in the queue, but waits for no answers.
    case edit
    /// What has to come after every key before it, even with a slow method: saving, closing.
    case save

    /// Whether it waits for keys that are on their way.
    public var waitsForKeys: Bool { self != .edit }

    /// Whether it waits until each of them is answered, if the method says when that is so. A press and a change of the focus do not:
    /// what comes later than ``InputTiming/limit`` goes to where it was typed.
    var waitsForQuiet: Bool { self == .save || self == .command }
}

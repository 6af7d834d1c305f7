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
    /// A command of the program behind every key before it: a line of a menu, an answer in a prompt. A key that the method has
    /// made nothing of, as far as can be told, does not hold it up.
    case action
    /// What has to come after every key before it, even with a slow method: saving, closing.
    case save

    /// Whether it waits for keys that are on their way.
    public var waitsForKeys: Bool { self != .edit }

    /// Whether it waits until each of them is answered, if the method says when that is so. A press and a change of the focus do not:
    /// what comes later than ``InputTiming/limit`` goes to where it was typed.
    var waitsForQuiet: Bool { waitsForAll || self == .command }

    /// Whether it waits as long as answers come, and for keys that were typed elsewhere before, too.
    var waitsForAll: Bool { self == .save || self == .action }

    /// Whether it waits for keys of which the method has said nothing when it was found quiet: nothing may be lost behind it.
    var waitsForSilentKeys: Bool { self == .save }
}

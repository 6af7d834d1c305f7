import InkstoneInput
import Testing

/// A text with its selection in the notation of ``EditingScene``, a sequence of commands, and the expected result.
struct RangesCase: Sendable, CustomTestStringConvertible {
    var before: String
    var commands: [EditCommand]
    var after: String

    init(_ before: String, _ commands: EditCommand..., to after: String) {
        (self.before, self.commands, self.after) = (before, commands, after)
    }

    var testDescription: String { "\(before) \(commands.map(\.rawValue)) → \(after)" }
}

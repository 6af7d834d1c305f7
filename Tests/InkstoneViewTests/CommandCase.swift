import InkstoneInput
import InkstoneTesting
import Testing

/// A text with its selection, a sequence of commands, and the expected result.
struct CommandCase: Sendable, CustomTestStringConvertible {
    var before: CaretNotation
    var commands: [EditCommand]
    var after: CaretNotation

    init(_ before: CaretNotation, _ commands: EditCommand..., to after: CaretNotation) {
        self.before = before
        self.commands = commands
        self.after = after
    }

    var testDescription: String { "\(before) \(commands.map(\.rawValue)) → \(after)" }
}

import InkstoneInput
import InkstoneTesting
import Testing

/// A text with its caret or selection, commands done to it one after the other, and what they leave.
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

import InkstoneInput
import Testing

/// A text with what is selected in it, as ``EditingScene`` reads it, commands done one after the other, and what they leave.
struct RangesCase: Sendable, CustomTestStringConvertible {
    var before: String
    var commands: [EditCommand]
    var after: String

    init(_ before: String, _ commands: EditCommand..., to after: String) {
        (self.before, self.commands, self.after) = (before, commands, after)
    }

    var testDescription: String { "\(before) \(commands.map(\.rawValue)) → \(after)" }
}

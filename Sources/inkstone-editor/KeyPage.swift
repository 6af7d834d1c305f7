import Inkstone

/// The list of keys that F1 shows: what each command is called, and the keys that do it.
struct KeyPage {
    private let table: KeyBindingTable

    init(_ table: KeyBindingTable) { self.table = table }

    /// The page with its title.
    var page: EditedFile.Page {
        var keys: [EditCommand: [String]] = [:]
        var chains: [String] = []
        for binding in table.bindings {
            let name = binding.strokes.map(\.description).joined(separator: " ")
            if binding.commands.count == 1 {
                keys[binding.commands[0], default: []].append(name)
            } else if !binding.commands.isEmpty {
                chains.append(Self.line(binding.commands.map(Self.title).joined(separator: ", then "), [name]))
            }
        }
        let known = EditCommand.all.filter { keys[$0] != nil }
        let others = keys.keys.filter { !known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
        let lines = (known + others).map { Self.line(Self.title($0), keys[$0] ?? []) } + chains
        return EditedFile.Page(
            title: "Keys",
            text:
                "What the keys do. “inkstone --keys” takes another table; the manual page says how one is written.\n\n"
                + lines.joined(separator: "\n") + "\n")
    }

    /// What commands do whose names mean something to programmers only.
    private static let titles: [EditCommand: String] = [
        .newDocument: "New window", .openDocument: "Open a file", .saveDocument: "Save", .saveDocumentAs: "Save as",
        .performClose: "Close the window", .terminate: "Quit", .showHelp: "Show this list",
        .selectNextKeyView: "Go to the next field", .selectPreviousKeyView: "Go to the field before",
    ]

    /// A command's name as words: `deleteToEndOfLine` as “Delete to end of line”.
    static func title(_ command: EditCommand) -> String {
        if let title = titles[command] { return title }
        var words = ""
        for character in command.rawValue {
            if character.isUppercase { words += " " }
            words += words.isEmpty ? character.uppercased() : character.lowercased()
        }
        return words.replacing(" and modify selection", with: ", selecting")
    }

    private static func line(_ title: String, _ keys: [String]) -> String {
        let gap = String(repeating: " ", count: max(2, 48 - title.count))
        return title + gap + keys.sorted { ($0.count, $0) < ($1.count, $1) }.joined(separator: "   ")
    }
}

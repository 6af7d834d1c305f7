import Inkstone

/// The list of keys that F1 shows, under headings: what each command is called, and the keys that do it.
struct KeyPage {
    private let table: KeyBindingTable

    init(_ table: KeyBindingTable) { self.table = table }

    /// Headings of the page, in their order.
    private enum Section: String, CaseIterable {
        case files = "Files and windows"
        case edit = "Editing"
        case find = "Finding"
        case selection = "Selection and carets"
        case move = "Moving"
        case extend = "Extending the selection"
        case view = "View and help"

        /// The section of a command, by what its name begins or ends with: commands of other tables have theirs as well.
        init(of command: EditCommand) {
            let name = command.rawValue
            func begins(_ words: String...) -> Bool { words.contains { name.hasPrefix($0) } }
            self =
                switch command {
                case .newDocument, .openDocument, .openRecentDocument, .saveDocument, .saveDocumentAs, .performClose,
                    .terminate:
                    .files
                case .goToLine: .find
                case _ where begins("find"): .find
                case _ where name.hasSuffix("AndModifySelection"): .extend
                case _ where begins("moveLine"): .edit
                case _ where begins("move", "page", "center"): .move
                case _ where begins("select", "addCaret", "split", "setMark", "swapWithMark"): .selection
                case _ where begins("scroll", "makeText", "show", "toggleLoupe", "toggleFullScreen"): .view
                default: .edit
                }
        }
    }

    /// The page with its title.
    var page: EditedFile.Page {
        var keys: [EditCommand: [String]] = [:]
        var lines: [Section: [String]] = [:]
        for binding in table.bindings {
            let name = binding.strokes.map { Self.name($0.description) }.joined(separator: " ")
            if binding.commands.count == 1 {
                keys[binding.commands[0], default: []].append(name)
            } else if !binding.commands.isEmpty {
                let title = binding.commands.map(Self.title).joined(separator: ", then ")
                lines[.edit, default: []].append(Self.line(title, [name]))
            }
        }
        let known = EditCommand.all.filter { keys[$0] != nil }
        let others = keys.keys.filter { !known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
        for command in known + others {
            lines[Section(of: command), default: []].append(Self.line(Self.title(command), keys[command] ?? []))
        }
        lines[.selection, default: []] += Self.pointer
        let sections = Section.allCases.compactMap { section in
            lines[section].map { ([section.rawValue, ""] + $0).joined(separator: "\n") + "\n" }
        }
        return EditedFile.Page(
            title: "Keyboard Shortcuts",
            text: "Keyboard shortcuts. To change them, see KEYS in the manual page. Escape closes this window.\n\n"
                + sections.joined(separator: "\n"))
    }

    /// Gestures of the mouse.
    private static let pointer = [
        line("Add a caret", ["Ctrl+click"]), line("Add a selection", ["Ctrl+drag"]),
        line("Select a column", ["Shift+Alt+drag"]), line("Paste what was selected last", ["middle button"]),
    ]

    /// Titles of commands whose names mean something to programmers only.
    private static let titles: [EditCommand: String] = [
        .newDocument: "New window", .openDocument: "Open a file", .openRecentDocument: "Open a recent file",
        .saveDocument: "Save", .saveDocumentAs: "Save as", .performClose: "Close the window", .terminate: "Quit",
        .printDocument: "Print",
        .showHelp: "Show this list", .showMenu: "Open the menu", .showContextMenu: "Open the text's menu",
        .selectNextKeyView: "Next field", .selectPreviousKeyView: "Previous field",
        .findPrimary: "Find the selected text (any program)", .insertTab: "Tab", .insertNewline: "New line",
        .insertBacktab: "Outdent", .makeTextStandardSize: "Reset zoom", .makeTextLarger: "Zoom in",
        .makeTextSmaller: "Zoom out", .toggleLoupe: "Magnifier", .toggleFullScreen: "Full screen",
        .cancelOperation: "Cancel", .moveParagraphForward: "Next paragraph",
        .moveParagraphBackward: "Previous paragraph",
    ]

    /// A command's name as words: `deleteToEndOfLine` as “Delete to end of line”.
    static func title(_ command: EditCommand) -> String {
        if let title = titles[command] { return title }
        if command.rawValue.hasSuffix("AndModifySelection") {
            let move = title(EditCommand(String(command.rawValue.dropLast(18)))).lowercased()
            return "Extend selection " + (move.hasPrefix("move ") ? String(move.dropFirst(5)) : "to " + move)
        }
        var words = ""
        for character in command.rawValue {
            if character.isUppercase { words += " " }
            words += words.isEmpty ? character.uppercased() : character.lowercased()
        }
        return words
    }

    /// A key as keyboards name it.
    private static func name(_ stroke: String) -> String {
        var parts = stroke.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        let names = ["plus": "+", "minus": "−", "equal": "=", "BackSpace": "Backspace", "Return": "Enter"]
        if let last = parts.last, let name = names[last] { parts[parts.count - 1] = name }
        return parts.joined(separator: "+")
    }

    private static func line(_ title: String, _ keys: [String]) -> String {
        let gap = String(repeating: " ", count: max(2, 48 - title.count))
        return title + gap + keys.sorted { ($0.count, $0) < ($1.count, $1) }.joined(separator: "   ")
    }
}

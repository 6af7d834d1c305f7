import Inkstone
import InkstoneWords

/// The page with the list of keys that F1 shows: under headings, the name of each command and its keys.
struct KeyPage {
    private let table: KeyBindingTable

    init(_ table: KeyBindingTable) { self.table = table }

    /// The headings of the page, in order.
    private enum Section: CaseIterable {
        case files, edit, find, selection, move, extend, view

        var heading: String {
            switch self {
            case .files: Words.filesAndWindows
            case .edit: Words.editing
            case .find: Words.finding
            case .selection: Words.selectionAndCarets
            case .move: Words.moving
            case .extend: Words.extendingSelection
            case .view: Words.viewAndHelp
            }
        }

        /// Creates the section of a command. For most commands, the first or last words of the name decide, so that
        /// unknown commands get a section too.
        init(of command: EditCommand) {
            let name = command.rawValue
            func begins(_ words: String...) -> Bool { words.contains { name.hasPrefix($0) } }
            self =
                switch command {
                case .newDocument, .openDocument, .openRecentDocument, .saveDocument, .saveDocumentAs, .performClose,
                    .terminate:
                    .files
                case .goToLine: .find
                case .selectNextKeyView, .selectPreviousKeyView: .view
                case _ where begins("find"): .find
                case _ where command.moveWithoutModifyingSelection != nil: .extend
                case _ where begins("moveLine"): .edit
                case _ where begins("move", "page", "center"): .move
                case _ where begins("select", "addCaret", "split", "setMark", "swapWithMark"): .selection
                case _ where begins("scroll", "makeText", "show", "toggleLoupe", "toggleFullScreen"): .view
                default: .edit
                }
        }
    }

    /// The page with its title, for a window of the editor.
    var page: EditedFile.Page {
        var keys: [EditCommand: [String]] = [:]
        var lines: [Section: [String]] = [:]
        for binding in table.bindings {
            let name = binding.strokes.map(\.keyboardText).joined(separator: " ")
            if binding.commands.count == 1 {
                keys[binding.commands[0], default: []].append(name)
            } else if !binding.commands.isEmpty {
                let titles = binding.commands.map(Self.title)
                let title = titles.dropFirst().reduce(titles[0], Words.then)
                lines[.edit, default: []].append(Self.line(title, [name]))
            }
        }
        // A table without commands for styles is that of plain text, where Insert Newline and Insert Line Break
        // insert the same line end: list their keys together.
        if keys[.toggleBoldface] == nil, let breaks = keys.removeValue(forKey: .insertLineBreak) {
            keys[.insertNewline, default: []] += breaks
        }
        let known = EditCommand.all.filter { keys[$0] != nil }
        let others = keys.keys.filter { !known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
        for command in known + others {
            lines[Section(of: command), default: []].append(Self.line(Self.title(command), keys[command] ?? []))
        }
        lines[.selection, default: []] += Self.pointer
        let sections = Section.allCases.compactMap { section in
            lines[section].map { ([section.heading, ""] + $0).joined(separator: "\n") + "\n" }
        }
        return EditedFile.Page(
            title: Words.keyboardShortcuts, text: Words.keyPageNote + "\n\n" + sections.joined(separator: "\n"))
    }

    /// The lines about gestures with the mouse.
    private static var pointer: [String] {
        let control = KeyStroke.keyboardName("Ctrl")
        let altShift = "\(KeyStroke.keyboardName("Shift"))+Alt"
        return [
            line(Words.addCaret, [Words.click(control)]), line(Words.addSelection, [Words.drag(control)]),
            line(Words.selectColumn, [Words.drag(altShift)]), line(Words.pasteSelection, [Words.middleButton]),
        ]
    }

    /// Returns a command's name as words: `deleteToEndOfLine` as “Delete to end of line”.
    static func title(_ command: EditCommand) -> String {
        if let title = Words.title(command) { return title }
        var words = ""
        for character in command.rawValue {
            if character.isUppercase { words += " " }
            words += words.isEmpty ? character.uppercased() : character.lowercased()
        }
        return words
    }

    /// The keys with names of more than three letters that every keyboard has, without modifiers. Other keys with such
    /// long names count as rare.
    private static let usualKeys = Set(
        ([.return, .escape, .backSpace, .delete, .insert, .home, .pageUp, .pageDown, .down, .left, .right] as [Keysym])
            .map { KeyStroke($0, []).keyboardText })

    /// Returns a line of the page: a command's name and its keys. The tab between them aligns the keys in a column.
    private static func line(_ title: String, _ keys: [String]) -> String {
        // List keys such as “Undo”, which few keyboards have, after those that every keyboard has.
        func isRare(_ key: String) -> Bool { key.count > 3 && !key.contains("+") && !usualKeys.contains(key) }
        let keys = keys.sorted { (isRare($0) ? 1 : 0, $0.count, $0) < (isRare($1) ? 1 : 0, $1.count, $1) }
        // Isolate each key, so that a right-to-left language does not reorder its parts.
        let names = say.language.isRightToLeft ? keys.map { "\u{2066}\($0)\u{2069}" } : keys
        return title + "\t" + names.joined(separator: "   ")
    }
}

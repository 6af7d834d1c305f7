import InkstoneBase
import InkstoneLayout

/// The lists that a document defines, and those that its paragraphs have begun.
struct RTFLists {
    /// A level of a list as the document defines it.
    struct Level {
        /// The kind of number (RTF 1.9.1, `\levelnfc`): 23 for a bullet, 255 for none.
        var numbering = 0
        var start = 1
        /// Indent of the text in twips.
        var indent = 0
        /// Text of the marker, a character below 9 in place of the number of each level.
        var text = ""
    }

    /// The list of a number of the table, and the numbers that its levels begin with in place of their own.
    private struct Override {
        var id = 0
        var starts: [Int: Int] = [:]
    }

    private var definitions: [Int: [Level]] = [:]
    private var overrides: [Int: Override] = [:]
    /// The levels of the list that is being read.
    private var levels: [Level] = []
    private var override: Override?
    private var overrideLevel = -1
    /// The lists of the paragraphs that have been read, by their numbers, outermost first.
    private var open: [Int: [TextList]] = [:]
    /// Items with boxes of a level are of one list, checked or not.
    private var boxes: [Int: TextList.ID] = [:]

    private static let (mostLevels, mostLists) = (9, 4096)

    // MARK: Reading the tables

    /// Applies a word of a table; those that are not known change nothing.
    mutating func handle(_ word: String, _ value: Int?) {
        switch word {
        case "list": (levels, override) = ([], nil)
        case "listlevel": if override == nil, levels.count < Self.mostLevels { levels.append(Level()) }
        case "levelnfc", "levelnfcn": edit { $0.numbering = value ?? 0 }
        case "li", "lin": edit { $0.indent = value ?? 0 }
        case "levelstartat":
            let start = value ?? 1
            if override == nil {
                edit { $0.start = start }
            } else if overrideLevel < Self.mostLevels {
                override?.starts[overrideLevel] = start
            }
        case "listoverride": (override, overrideLevel) = (Override(), -1)
        case "lfolevel": overrideLevel += 1
        case "listid":
            if override != nil {
                override?.id = value ?? 0
            } else if let value, definitions.count < Self.mostLists {
                definitions[value] = levels
            }
        case "ls": if let value, let override, overrides.count < Self.mostLists { overrides[value] = override }
        default: break
        }
    }

    private mutating func edit(_ change: (inout Level) -> Void) {
        if override == nil, let last = levels.indices.last { change(&levels[last]) }
    }

    mutating func beginText() { edit { $0.text = "" } }

    mutating func addText(_ text: String) { edit { $0.text.append(text, upTo: 64) } }

    /// Takes the length in front of a marker's text and the semicolon behind it off.
    mutating func endText() {
        edit { level in
            var text = level.text.unicodeScalars
            if let length = text.first, length.value <= 32 { text.removeFirst() }
            if text.last == ";" { text.removeLast() }
            level.text = String(text)
        }
    }

    // MARK: Items

    /// The level that paragraphs of a list's number are on; nil if it is not defined, or has no marker.
    func level(_ number: Int, _ index: Int) -> Level? {
        guard let override = overrides[number], let levels = definitions[override.id], levels.indices.contains(index),
            levels[index].numbering != 255
        else { return nil }
        var level = levels[index]
        level.start = override.starts[index] ?? level.start
        return level
    }

    /// The item that the next paragraph of a list's number and level is; nil if there is no such level.
    mutating func item(_ number: Int, _ index: Int) -> ListItem? {
        var lists = open[number] ?? []
        // Behind an item of an outer level, inner ones begin anew.
        lists.removeLast(max(0, lists.count - index - 1))
        while lists.count <= index {
            guard let level = level(number, lists.count) else { return nil }
            var list = Self.list(level)
            if list.marker == .checkbox {
                list.id = boxes[lists.count] ?? list.id
                boxes[lists.count] = list.id
            }
            lists.append(list)
        }
        open[number] = lists
        let isChecked = level(number, index).map { Self.checkedBoxes.contains($0.text) } ?? false
        return ListItem(lists, isChecked: isChecked)
    }

    private static let checkedBoxes: Set<String> = ["\u{2611}", "\u{2612}", "\u{f0fe}", "\u{f0fd}"]

    private static func list(_ level: Level) -> TextList {
        let marker: TextList.Marker =
            switch level.numbering {
            case 1: .uppercaseRoman
            case 2: .lowercaseRoman
            case 3: .uppercaseAlphabetic
            case 4: .lowercaseAlphabetic
            case 23: bullet(level.text)
            default: .decimal
            }
        // What stands behind the number of its own level, the last.
        let suffix = level.text.unicodeScalars.lastIndex { $0.value < UInt32(mostLevels) }.map {
            String(level.text.unicodeScalars[level.text.unicodeScalars.index(after: $0)...])
        }
        return TextList(marker, startingNumber: level.start, suffix: suffix ?? ".")
    }

    /// The marker of a bullet's text: those of the symbol fonts of word processors are in the private use area.
    private static func bullet(_ text: String) -> TextList.Marker {
        switch text {
        case "", "\u{2022}", "\u{f0b7}", "\u{25cf}", "\u{b7}", "*": .disc
        case "\u{25e6}", "\u{25cb}", "\u{e00b}", "o": .circle
        case "\u{25aa}", "\u{25a0}", "\u{f0a7}", "\u{f06e}", "\u{e00a}": .square
        case "\u{2610}", "\u{f0a8}", "\u{f071}": .checkbox
        case _ where checkedBoxes.contains(text): .checkbox
        default:
            if text.unicodeScalars.contains(where: { (0xe000...0xf8ff).contains($0.value) || $0.value < 0x20 }) {
                .disc
            } else {
                .custom(text)
            }
        }
    }
}

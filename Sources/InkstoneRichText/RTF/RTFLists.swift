import InkstoneBase
import InkstoneLayout

/// The lists that an RTF document defines, and those that have begun in its paragraphs.
struct RTFLists {
    /// A level of a list, as the document defines it.
    struct Level {
        /// The kind of numbers (RTF 1.9.1, `\levelnfc`): 23 for bullets, 255 for none.
        var numbering = 0
        /// The number of the first item.
        var start = 1
        /// The indent of the items' text on the level, in twips.
        var indent = 0
        /// The text of the marker. A character below U+0009 stands for the number of the level with that index.
        var text = ""
    }

    /// An entry of the override table: the identifier of a list definition, and start numbers that replace those of
    /// its levels.
    private struct Override {
        var id = 0
        var starts: [Int: Int] = [:]
    }

    private var definitions: [Int: [Level]] = [:]
    private var overrides: [Int: Override] = [:]
    /// The levels so far of the list definition that is being read.
    private var levels: [Level] = []
    private var override: Override?
    /// The level of ``override`` that is being read; -1 before the first one.
    private var overrideLevel = -1
    /// The open lists by list number: for each, the lists of its levels, outermost first.
    private var open: [Int: [TextList]] = [:]
    /// The list of the items with checkboxes on each level. In RTF, the marker belongs to the list, so checked and
    /// unchecked items are in separate lists; here they are in one.
    private var boxes: [Int: TextList.ID] = [:]

    /// The maximum numbers of levels of a list, and of lists; further ones are ignored.
    private static let (mostLevels, mostLists) = (9, 4096)

    // MARK: Reading the tables

    /// Applies a control word of the list tables; unknown words have no effect.
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

    /// Removes the length before a marker's text and the semicolon after it.
    mutating func endText() {
        edit { level in
            var text = level.text.unicodeScalars
            if let length = text.first, length.value <= 32 { text.removeFirst() }
            if text.last == ";" { text.removeLast() }
            level.text = String(text)
        }
    }

    // MARK: List items of paragraphs

    /// Returns the definition of a level of the list with a number; nil if it is not defined, or has no marker.
    func level(_ number: Int, _ index: Int) -> Level? {
        guard let override = overrides[number], let levels = definitions[override.id], levels.indices.contains(index),
            levels[index].numbering != 255
        else { return nil }
        var level = levels[index]
        level.start = override.starts[index] ?? level.start
        return level
    }

    /// Returns the list item for the next paragraph, by the number of its list and its level; nil if there is no
    /// such level.
    mutating func item(_ number: Int, _ index: Int) -> ListItem? {
        var lists = open[number] ?? []
        // After an item of an outer level, the lists of inner levels begin again.
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

    /// The markers that show a checked box: those of Unicode, and those of Microsoft's font Wingdings.
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
        // The suffix is the text after the last number of the marker, which is the number of the item's own level.
        let suffix = level.text.unicodeScalars.lastIndex { $0.value < UInt32(mostLevels) }.map {
            String(level.text.unicodeScalars[level.text.unicodeScalars.index(after: $0)...])
        }
        return TextList(marker, startingNumber: level.start, suffix: suffix ?? ".")
    }

    /// Returns the marker for the text of a bullet. The bullets of word processors' symbol fonts are in the private
    /// use area.
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

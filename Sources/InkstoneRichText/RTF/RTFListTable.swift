import InkstoneBase
import InkstoneLayout

/// The list table of an RTF document that is written. Each list has nine levels.
struct RTFListTable {
    /// The marker of the items on a level.
    private struct Level: Hashable {
        var list: TextList
        var isChecked: Bool

        init(_ list: TextList, isChecked: Bool = false) {
            (self.list, self.isChecked) = (list, isChecked)
            // Clear the identity, so that levels with equal markers share an entry: RTF restarts the numbers of a level
            // after an item of an outer level in any case.
            self.list.id = TextList.ID(0)
        }
    }

    private var lists: [[Level?]] = []
    /// For each outermost list, the indices of its entries in ``lists``. Readers number the items of one entry
    /// consecutively.
    private var indices: [TextList.ID: [Int]] = [:]

    /// The number of levels of a list; the maximum number of lists, beyond which items are written without a list; and
    /// the number of an outermost list's latest entries that are searched for one in which an item fits.
    private static let (levelCount, mostLists, mostTried) = (9, 4095, 16)
    /// The indent of each level in twips: 24 px.
    static let indent = 360

    var isEmpty: Bool { lists.isEmpty }

    /// Returns the number of an item's list in the table, from 1, and the item's level, from 0. Adds a list if
    /// needed; nil if the table is full, or if the item is in no list.
    mutating func place(of item: ListItem) -> (number: Int, level: Int)? {
        guard let outermost = item.lists.first?.id, let last = item.list else { return nil }
        let outer = item.lists.dropLast().prefix(Self.levelCount - 1).map { Level($0) }
        let level = outer.count
        let own = Level(last, isChecked: item.isChecked)
        let found = indices[outermost]?.suffix(Self.mostTried).first { index in
            let known = lists[index]
            return (known[level] ?? own) == own
                && outer.indices.allSatisfy { (known[$0]?.list ?? outer[$0].list) == outer[$0].list }
        }
        let index = found ?? lists.count
        if found == nil {
            guard lists.count < Self.mostLists else { return nil }
            lists.append(Array(repeating: nil, count: Self.levelCount))
            indices[outermost, default: []].append(index)
        }
        for (at, list) in outer.enumerated() where lists[index][at] == nil { lists[index][at] = list }
        lists[index][level] = own
        return (index + 1, level)
    }

    /// Returns the list table and the list override table, for the head of the document. Each list has one entry in
    /// each of them.
    func written(escaped: (String) -> String) -> String {
        var result = "{\\*\\listtable"
        for (index, levels) in lists.enumerated() {
            result += "{\\list\\listtemplateid\(index + 1)"
            for (at, level) in levels.enumerated() {
                result += Self.written(level ?? Level(TextList(.disc)), at, escaped: escaped)
            }
            result += "\\listid\(index + 1)}\n"
        }
        result += "}{\\*\\listoverridetable"
        for index in lists.indices {
            result += "{\\listoverride\\listid\(index + 1)\\listoverridecount0\\ls\(index + 1)}"
        }
        return result + "}\n"
    }

    private static func written(_ level: Level, _ index: Int, escaped: (String) -> String) -> String {
        let list = level.list
        func byte(_ value: Int) -> String { "\\'" + String(value + 0x100, radix: 16).dropFirst() }
        let numbering: Int
        let text: String
        switch list.marker {
        case .decimal: numbering = 0
        case .uppercaseRoman: numbering = 1
        case .lowercaseRoman: numbering = 2
        case .uppercaseAlphabetic: numbering = 3
        case .lowercaseAlphabetic: numbering = 4
        case .disc, .circle, .square, .checkbox, .custom: numbering = 23
        }
        if list.isNumbered {
            text = byte(1 + list.suffix.utf16.count) + byte(index) + escaped(list.suffix)
        } else {
            let bullet = bullet(level)
            text = byte(bullet.utf16.count) + escaped(bullet)
        }
        return """
            {\\listlevel\\levelnfc\(numbering)\\leveljc0\\levelstartat\(list.startingNumber)\\levelfollow0\
            {\\leveltext \(text);}{\\levelnumbers\(list.isNumbered ? byte(1) : "");}\\fi-\(indent)\\li\(indent * (index + 1))}
            """
    }

    private static func bullet(_ level: Level) -> String {
        switch level.list.marker {
        case .circle: "\u{25e6}"
        case .square: "\u{25aa}"
        case .checkbox: level.isChecked ? "\u{2611}" : "\u{2610}"
        case .custom(let text): text
        default: "\u{2022}"
        }
    }
}

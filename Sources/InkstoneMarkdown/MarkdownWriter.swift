import InkstoneText

/// A writer of blocks as Markdown in a uniform style.
///
/// The source of each paragraph, heading and table is read again to check it. If the usual marks (`**`, `*`, `` `
/// ``) are read differently, as in `**「語」**文`, HTML tags are used instead.
struct MarkdownWriter {
    /// Returns the lines of blocks, without line ends.
    ///
    /// - Parameter isPlain: whether punctuation is written without escapes where it is read as text anyway.
    static func lines(
        _ blocks: [MarkdownBlock], isPlain: Bool = false, isTight: Bool = false, isInside: Bool = false
    ) -> [String] {
        var result: [String] = []
        var usesOtherMark = false
        for (index, block) in blocks.enumerated() {
            // Two adjacent lists must have different markers, or they would be read as one list.
            usesOtherMark = index > 0 && isSameList(block, blocks[index - 1]) && !usesOtherMark
            if index > 0, !isTight { result.append("") }
            result += lines(block, usesOtherMark, isPlain, isInside: isInside)
        }
        return result
    }

    private static func isSameList(_ a: MarkdownBlock, _ b: MarkdownBlock) -> Bool {
        guard case .list(let first, _) = a, case .list(let second, _) = b else { return false }
        return (first == nil) == (second == nil)
    }

    private static func lines(
        _ block: MarkdownBlock, _ usesOtherMark: Bool, _ isPlain: Bool, isInside: Bool
    ) -> [String] {
        switch block {
        case .paragraph(let inlines):
            return checked(block, isPlain) {
                text(inlines, $0).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            }
        case .header(let level, let inlines):
            return checked(block, isPlain) { style in
                let text = text(inlines, style, .header)
                return [String(repeating: "#", count: level) + (text.isEmpty ? "" : " " + text)]
            }
        case .thematicBreak: return [isInside ? "***" : "---"]
        case .html(let lines): return lines
        case .code(let language, let lines): return code(language, lines)
        case .table(let alignments, let rows): return checked(block, isPlain) { table(alignments, rows, $0) }
        case .quote(let blocks):
            let lines = lines(blocks, isPlain: isPlain, isInside: true)
            return lines.isEmpty ? [">"] : lines.map { $0.isEmpty ? ">" : "> " + $0 }
        case .list(let start, let items): return list(start, items, usesOtherMark, isPlain, isInside)
        }
    }

    /// Returns the lines of a block that contains no other blocks: with the usual marks if they are read as this block,
    /// or if the check is impossible, for example without md4c; else with HTML tags. If `isPlain`, most escapes are
    /// left out, provided that the lines are still read as this block.
    private static func checked(
        _ block: MarkdownBlock, _ isPlain: Bool, _ lines: (MarkdownText.Spelling) -> [String]
    ) -> [String] {
        let isTable = if case .table = block { true } else { false }
        var hasParser = true
        func isRead(_ lines: [String]) -> Bool {
            let read = MarkdownReader.read(lines.joined(separator: "\n").utf8)
            hasParser = read != nil
            return read?.map(\.block) == [block]
        }
        if isPlain {
            let plain = lines(.plain)
            if isRead(plain) { return plain }
        }
        let usual = lines(.marks)
        if isRead(usual) { return isPlain ? MarkdownEscapes.needed(in: usual, isTable: isTable, isRead) : usual }
        if !hasParser { return usual }
        let plainTags = lines(.plainTags)
        if isRead(plainTags) {
            return isPlain ? MarkdownEscapes.needed(in: plainTags, isTable: isTable, isRead) : plainTags
        }
        return lines(.tags)
    }

    private static func text(
        _ inlines: [MarkdownInline], _ spelling: MarkdownText.Spelling, _ place: MarkdownText.Place = .paragraph
    ) -> String {
        var writer = MarkdownText(spelling, place)
        return writer.write(inlines)
    }

    private static func code(_ language: String?, _ lines: [String]) -> [String] {
        let mark: Character = language?.contains("`") == true ? "~" : "`"
        let longest = lines.map { line in line.drop { $0 == " " }.prefix { $0 == mark }.count }.max() ?? 0
        let fence = String(repeating: mark, count: max(3, longest + 1))
        let info = (language ?? "").map { "\\&*_[]<".contains($0) ? "\\\($0)" : String($0) }.joined()
        return [fence + info] + (lines == [""] ? [] : lines) + [fence]
    }

    private static func table(
        _ alignments: [PresentationIntent.TableColumn.Alignment], _ rows: [[[MarkdownInline]]],
        _ spelling: MarkdownText.Spelling
    ) -> [String] {
        func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let delimiters = alignments.map { alignment in
            switch alignment {
            case .natural: "---"
            case .left: ":--"
            case .center: ":-:"
            case .right: "--:"
            }
        }
        let written = rows.map { cells in row(cells.map { text($0, spelling, .cell) }) }
        return [written.first ?? row([""]), row(delimiters)] + written.dropFirst()
    }

    // MARK: Lists

    private static func list(
        _ start: Int?, _ items: [MarkdownItem], _ usesOtherMark: Bool, _ isPlain: Bool, _ isInside: Bool
    ) -> [String] {
        let isTight = Self.isTight(items)
        var result: [String] = []
        for (index, item) in items.enumerated() {
            let mark = start.map { "\($0 + index)" + (usesOtherMark ? ")" : ".") } ?? (usesOtherMark ? "+" : "-")
            let indent = String(repeating: " ", count: mark.utf8.count + 1)
            let lines = lines(of: item, isPlain: isPlain, isTight: isTight)
            if index > 0, !isTight { result.append("") }
            // An item without text before an empty line would make md4c end all lists: write an escaped space as its
            // text, which the reader drops.
            let first = lines.first ?? (isTight && !isInside ? "" : "&#32;")
            result.append(first.isEmpty ? mark : mark + " " + first)
            result += lines.dropFirst().map { $0.isEmpty ? "" : indent + $0 }
        }
        return result
    }

    /// Returns the lines of an item without its marker; at least one.
    static func lines(of item: MarkdownItem, isPlain: Bool) -> [String] {
        let lines = lines(of: item, isPlain: isPlain, isTight: isTight([item]))
        return lines.isEmpty ? [""] : lines
    }

    private static func lines(of item: MarkdownItem, isPlain: Bool, isTight: Bool) -> [String] {
        var lines = lines(item.blocks, isPlain: isPlain, isTight: isTight, isInside: true)
        if let isDone = item.isDone, !lines.isEmpty { lines[0] = (isDone ? "[x] " : "[ ] ") + lines[0] }
        return lines
    }

    /// Whether items can be written without empty lines between and within them. Each item must be a paragraph, or
    /// a paragraph and a list that may follow it directly. Items without blocks are allowed if no item has more
    /// than one block.
    private static func isTight(_ items: [MarkdownItem]) -> Bool {
        let isFlat = items.allSatisfy { $0.blocks.count < 2 }
        return items.allSatisfy { item in
            guard let first = item.blocks.first else { return isFlat }
            guard case .paragraph = first else { return false }
            guard item.blocks.count > 1 else { return true }
            guard item.blocks.count == 2, case .list(let start, let items) = item.blocks[1], start ?? 1 == 1 else {
                return false
            }
            return items.first?.blocks.isEmpty == false && isTight(items)
        }
    }
}

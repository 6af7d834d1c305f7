import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A paragraph of a text that is being written: its runs, without its newline, and its attributes.
struct RichParagraph {
    /// A piece of text with the same attributes.
    struct Run {
        var text: String
        var attributes: TextAttributes
    }

    /// A row of a table.
    struct Row {
        /// The identity of the table, and the alignments of its columns.
        var table: Int
        var alignments: [PresentationIntent.TableColumn.Alignment]
        var isHeader: Bool
    }

    var runs: [Run]
    var style: ParagraphStyle
    /// The list item to which the paragraph belongs; nil for none.
    var item: ListItem?
    /// The paragraph's level as a heading, from 1 to 6; nil if it is not a heading.
    var headingLevel: Int?
    /// The identity of the code block to which the paragraph belongs as a line; nil for none.
    var codeBlock: Int?
    /// The language of the code block, without further words of its info string; nil if it is not known.
    var codeLanguage: String?
    /// The identities of the quotations that contain the paragraph, the outermost first. The indents of the
    /// paragraph's style include those of the quotations.
    var quotations: [Int] = []
    /// Whether the paragraph is a thematic break.
    var isBreak = false
    /// The table row that the paragraph forms, with its cells separated by tabs; nil if the paragraph is not a row.
    var row: Row?
    /// Whether the paragraph's newline belongs to the text.
    var isWhole: Bool

    /// The identities of the quotations around the outermost of the paragraph's lists, or of all quotations if the
    /// paragraph is in no list.
    var outerQuotations: [Int] { item.map { Array(quotations.prefix($0.enclosingQuotations)) } ?? quotations }

    /// The identities of the quotations within the paragraph's lists, the outermost first; empty without lists.
    var innerQuotations: [Int] { item.map { Array(quotations.dropFirst($0.enclosingQuotations)) } ?? [] }

    /// Whether the paragraph is a further one of the list item of the paragraph before it.
    func isInItem(of before: RichParagraph) -> Bool {
        guard let item, !item.hasMarker, let other = before.item else { return false }
        return item.lists.map(\.id) == other.lists.map(\.id) && outerQuotations == before.outerQuotations
    }

    var text: String { runs.count == 1 ? runs[0].text : runs.map(\.text).joined() }

    /// Whether the paragraph is right-to-left because of its text alone. Some programs do not derive the direction
    /// from the text, so it is then written into the document. Only the first 1,024 UTF-16 units are examined.
    var isRightToLeftByItself: Bool {
        style.baseDirection == .natural && BidiProperties.firstStrong(Array(text.utf16.prefix(1024))) == 1
    }

    /// Returns the paragraphs of a text. After a final newline there is no further, empty paragraph.
    static func all(of text: StyledText) -> [RichParagraph] {
        text.paragraphs.compactMap { line in
            let isLast = line.place.newlineLength == 0
            if isLast, line.place.utf16.isEmpty, text.rope.paragraphCount > 1 { return nil }
            let runs = line.runs.map { Run(text: $0.text, attributes: $0.attributes) }
            let attributes = line.attributes
            var paragraph = RichParagraph(
                runs: runs, style: attributes[ParagraphStyleAttribute.self] ?? ParagraphStyle(),
                item: attributes[ListAttribute.self], isWhole: !isLast)
            paragraph.show(attributes[PresentationIntentAttribute.self])
            return paragraph
        }
    }

    /// Sets the properties that follow from the paragraph's presentation intent, and adds the attributes by which
    /// intents and roles are shown, for formats that do not have these.
    private mutating func show(_ intent: PresentationIntent?) {
        var (isCode, isHeader, isRow) = (false, false, false)
        for component in intent?.components ?? [] {
            switch component.kind {
            case .header(let level): headingLevel = min(max(1, level), 6)
            case .codeBlock(let hint):
                (isCode, codeBlock) = (true, component.identity)
                codeLanguage = hint?.split { $0.isWhitespace }.first.map { String($0) }
            case .tableHeaderRow: (isHeader, isRow) = (true, true)
            case .tableRow: isRow = true
            case .table(let columns) where isRow:
                row = Row(table: component.identity, alignments: columns.map(\.alignment), isHeader: isHeader)
            case .thematicBreak: isBreak = text == "\u{2e3b}"
            case .blockQuote, .orderedList, .unorderedList:
                style.indent += Quotation.indent
                style.firstLineIndent += Quotation.indent
                if component.kind == .blockQuote { quotations.insert(component.identity, at: 0) }
            default: break
            }
        }
        for index in runs.indices {
            var attributes = runs[index].attributes
            let roles = attributes[InlinePresentationIntentAttribute.self] ?? []
            func give<Key: AttributeKey>(_ value: Key.Value, _ key: Key.Type, if isWanted: Bool) {
                if isWanted, attributes[key] == nil { attributes[key] = value }
            }
            give(FontWeights.bold, FontWeightAttribute.self, if: isHeader || roles.contains(.stronglyEmphasized))
            give(.italic, FontSlantAttribute.self, if: roles.contains(.emphasized))
            give(.single, StrikethroughAttribute.self, if: roles.contains(.strikethrough))
            let isPrograms = isCode || !roles.isDisjoint(with: [.code, .inlineHTML, .blockHTML])
            give("monospace", FontFamilyAttribute.self, if: isPrograms)
            runs[index].attributes = attributes
        }
    }
}

/// Formatting of numbers for CSS and RTF.
enum RichNumber {
    /// Formats a number with at most three decimals and without exponent.
    static func format(_ value: Double) -> String {
        let thousandths = Int(checking: (value * 1000).rounded(), in: -1_000_000_000...1_000_000_000)
        let (whole, rest) = (abs(thousandths) / 1000, abs(thousandths) % 1000)
        let sign = thousandths < 0 ? "-" : ""
        if rest == 0 { return sign + whole.description }
        var digits = String(repeating: "0", count: 3 - rest.description.count) + rest.description
        while digits.last == "0" { digits.removeLast() }
        return "\(sign)\(whole).\(digits)"
    }
}

/// The numbers of list items, counted for each list, even if other paragraphs are between its items.
struct ListCounts {
    private var next: [TextList.ID: Int] = [:]

    /// Returns the number of the next item of a list.
    func number(in list: TextList) -> Int { next[list.id] ?? list.startingNumber }

    /// Counts an item, if it has a marker.
    mutating func count(_ item: ListItem) {
        guard item.hasMarker, let list = item.list else { return }
        next[list.id] = number(in: list) + 1
    }
}

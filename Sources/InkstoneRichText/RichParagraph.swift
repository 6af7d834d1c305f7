import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A paragraph of a text that is written: its runs without its end.
struct RichParagraph {
    /// A piece with one set of attributes.
    struct Run {
        var text: String
        var attributes: TextAttributes
    }

    var runs: [Run]
    var style: ParagraphStyle
    /// The item of a list that it is, or belongs to.
    var item: ListItem?
    /// Of a heading, 1…6.
    var headingLevel: Int?
    /// Identity of the block of code that it is a line of.
    var codeBlock: Int?
    /// Identities of the quotations around it, the outermost first; the style's indents have theirs.
    var quotations: [Int] = []
    /// Whether it is a break between parts of the text.
    var isBreak = false
    /// Whether its end belongs to the text.
    var isWhole: Bool

    var text: String { runs.count == 1 ? runs[0].text : runs.map(\.text).joined() }

    /// Whether the text itself makes the paragraph run from right to left, which programs that ask no text for its direction do not see. The first
    /// 1,024 units are asked.
    var isRightToLeftByItself: Bool {
        style.baseDirection == .natural && BidiProperties.firstStrong(Array(text.utf16.prefix(1024))) == 1
    }

    /// The paragraphs of a text, without an empty one at its end.
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

    /// Gives text the looks that its intents have in all programs.
    private mutating func show(_ intent: PresentationIntent?) {
        var (isCode, isHeader) = (false, false)
        for component in intent?.components ?? [] {
            switch component.kind {
            case .header(let level): headingLevel = min(max(1, level), 6)
            case .codeBlock: (isCode, codeBlock) = (true, component.identity)
            case .tableHeaderRow: isHeader = true
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

/// Numbers as CSS and RTF write them.
enum RichNumber {
    /// A number with at most three decimals and no exponent.
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

/// Numbers of the items of lists, which are counted wherever they stand.
struct ListCounts {
    private var next: [TextList.ID: Int] = [:]

    /// The number of the next item of a list.
    func number(in list: TextList) -> Int { next[list.id] ?? list.startingNumber }

    /// Counts an item.
    mutating func count(_ item: ListItem) {
        guard item.hasMarker, let list = item.list else { return }
        next[list.id] = number(in: list) + 1
    }
}

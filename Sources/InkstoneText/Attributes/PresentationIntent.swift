/// The blocks that a paragraph is part of, from the innermost to the outermost: for example a heading, or an item
/// of a list in a quotation. A style sheet (`PresentationStyleSheet`) defines their styles.
///
/// Text without an intent is a body paragraph outside of all other blocks.
public struct PresentationIntent: Hashable, Sendable {
    /// A kind of block.
    public enum Kind: Hashable, Sendable {
        /// Running text.
        case paragraph
        /// A heading, of level 1…6.
        case header(level: Int)
        /// A list whose items have numbers.
        case orderedList
        /// A list whose items have bullets.
        case unorderedList
        /// An item of a list, with its number, 0…999,999,999. `isDone` is the state of a task, nil for other items.
        case listItem(ordinal: Int, isDone: Bool? = nil)
        /// A program's text, each line in a paragraph of its own. `languageHint` is its programming language, if
        /// that is known.
        case codeBlock(languageHint: String?)
        /// A quotation.
        case blockQuote
        /// A break between two parts of the text, shown as a line.
        case thematicBreak
        /// A table whose rows are paragraphs, with the cells of a row separated by tabs.
        case table(columns: [TableColumn])
        /// The row of a table that contains the names of the columns.
        case tableHeaderRow
        /// A row of a table, counted from 1 below the header row.
        case tableRow(rowIndex: Int)
        /// A cell of a table whose cells are paragraphs of their own.
        case tableCell(columnIndex: Int)
    }

    /// A column of a table.
    public struct TableColumn: Hashable, Sendable {
        /// The alignment of a column's text.
        public enum Alignment: Character, Hashable, Sendable {
            /// At the left edge.
            case left = "l"
            /// In the middle.
            case center = "c"
            /// At the right edge.
            case right = "r"
            /// At the edge at which lines start, which depends on the direction of the text.
            case natural = "n"
        }

        /// The alignment of the column's text.
        public var alignment: Alignment

        /// Creates a column with the given alignment.
        public init(alignment: Alignment = .natural) { self.alignment = alignment }
    }

    /// A block: its kind and its identity.
    public struct IntentType: Hashable, Sendable {
        /// The kind of block.
        public var kind: Kind
        /// A number that distinguishes successive blocks of a text: paragraphs with the same number are in the same
        /// list, item or code block.
        public var identity: Int

        /// Creates a block with the given kind and identity.
        public init(kind: Kind, identity: Int) { (self.kind, self.identity) = (kind, identity) }
    }

    /// The blocks that the paragraph is part of, the innermost first; not empty.
    public private(set) var components: [IntentType]

    /// Creates a block inside the blocks of `parent`.
    public init(_ kind: Kind, identity: Int, parent: PresentationIntent? = nil) {
        components = [IntentType(kind: kind, identity: identity)] + (parent?.components ?? [])
    }

    /// Creates an intent of several blocks, innermost first; nil without blocks.
    public init?(components: [IntentType]) {
        guard !components.isEmpty else { return nil }
        self.components = components
    }

    /// Number of lists and quotes around the paragraph.
    public var indentationLevel: Int {
        components.count { $0.kind == .orderedList || $0.kind == .unorderedList || $0.kind == .blockQuote }
    }
}

/// The attribute of a paragraph with its ``PresentationIntent``. Keeps at most ``deepest`` blocks, the outermost
/// ones.
public enum PresentationIntentAttribute: CodedAttributeKey {
    /// The blocks of a paragraph.
    public typealias Value = PresentationIntent
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.presentation-intent"
    /// Paragraphs: all of a paragraph has one intent.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph
    /// The largest number of nested blocks. Deeper blocks are not kept.
    public static let deepest = 64

    /// Returns the intent with its outermost ``deepest`` blocks, and with numbers clamped to their ranges. Control
    /// characters are removed from the names of programming languages, and the names are cut to 256 scalars. Tables
    /// are cut to 1000 columns.
    public static func checked(_ intent: PresentationIntent) -> PresentationIntent? {
        PresentationIntent(
            components: intent.components.suffix(deepest).map { component in
                .init(kind: checked(component.kind), identity: component.identity)
            })
    }

    private static func checked(_ kind: PresentationIntent.Kind) -> PresentationIntent.Kind {
        switch kind {
        case .header(let level): .header(level: min(max(1, level), 6))
        case .listItem(let ordinal, let isDone): .listItem(ordinal: min(max(0, ordinal), 999_999_999), isDone: isDone)
        case .codeBlock(let hint?):
            .codeBlock(
                languageHint: String(
                    String.UnicodeScalarView(
                        hint.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }.prefix(256))))
        case .table(let columns): .table(columns: Array(columns.prefix(1000)))
        case .tableRow(let index): .tableRow(rowIndex: max(0, index))
        case .tableCell(let index): .tableCell(columnIndex: max(0, index))
        default: kind
        }
    }

    /// Encodes one line for each block, innermost first: its kind, its identity, and its other properties.
    public static func encode(_ intent: PresentationIntent) -> [UInt8] {
        let lines = intent.components.map { component in
            let (word, rest) = words(component.kind)
            return "\(word) \(component.identity)\(rest.map { " " + $0 } ?? "")"
        }
        return Array(lines.joined(separator: "\n").utf8)
    }

    /// Decodes the lines written by ``encode(_:)``; nil if a line is invalid.
    public static func decode(_ bytes: [UInt8]) -> PresentationIntent? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var components: [PresentationIntent.IntentType] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard words.count > 1, let identity = Int(words[1]),
                let kind = kind(words[0], words.count > 2 ? words[2] : nil)
            else { return nil }
            components.append(.init(kind: kind, identity: identity))
        }
        return PresentationIntent(components: components)
    }

    private static func words(_ kind: PresentationIntent.Kind) -> (word: String, rest: String?) {
        switch kind {
        case .paragraph: ("paragraph", nil)
        case .header(let level): ("header", level.description)
        case .orderedList: ("ordered", nil)
        case .unorderedList: ("unordered", nil)
        case .listItem(let ordinal, nil): ("item", ordinal.description)
        case .listItem(let ordinal, let isDone?): (isDone ? "done" : "open", ordinal.description)
        case .codeBlock(let hint): ("code", hint)
        case .blockQuote: ("quote", nil)
        case .thematicBreak: ("break", nil)
        case .table(let columns): ("table", String(columns.map(\.alignment.rawValue)))
        case .tableHeaderRow: ("head", nil)
        case .tableRow(let index): ("row", index.description)
        case .tableCell(let index): ("cell", index.description)
        }
    }

    private static func kind(_ word: Substring, _ rest: Substring?) -> PresentationIntent.Kind? {
        let number = rest.flatMap { Int($0) }
        switch word {
        case "paragraph": return .paragraph
        case "header": return number.map { .header(level: $0) }
        case "ordered": return .orderedList
        case "unordered": return .unorderedList
        case "item": return number.map { .listItem(ordinal: $0) }
        case "done", "open": return number.map { .listItem(ordinal: $0, isDone: word == "done") }
        case "code": return .codeBlock(languageHint: rest.map { String($0) })
        case "quote": return .blockQuote
        case "break": return .thematicBreak
        case "table":
            let columns = (rest ?? "").map { PresentationIntent.TableColumn.Alignment(rawValue: $0) }
            guard columns.allSatisfy({ $0 != nil }) else { return nil }
            return .table(columns: columns.compactMap(\.self).map { .init(alignment: $0) })
        case "head": return .tableHeaderRow
        case "row": return number.map { .tableRow(rowIndex: $0) }
        case "cell": return number.map { .tableCell(columnIndex: $0) }
        default: return nil
        }
    }
}

/// The roles of a run of text within its paragraph. A style sheet defines their styles.
public struct InlinePresentationIntent: OptionSet, Hashable, Sendable {
    /// A bit for each role, with the same values as Foundation's.
    public var rawValue: UInt

    /// Creates a set of roles with the given bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Stressed text.
    public static let emphasized = Self(rawValue: 1)
    /// Important text.
    public static let stronglyEmphasized = Self(rawValue: 2)
    /// A program's text.
    public static let code = Self(rawValue: 4)
    /// Text that is no longer valid.
    public static let strikethrough = Self(rawValue: 32)
    /// A space that was a line end in the source.
    public static let softBreak = Self(rawValue: 64)
    /// A line end within the paragraph. This library neither sets nor shows this role: line breaks in texts are the
    /// character U+2028.
    public static let lineBreak = Self(rawValue: 128)
    /// HTML in the text, kept unchanged.
    public static let inlineHTML = Self(rawValue: 256)
    /// A block of HTML, kept unchanged.
    public static let blockHTML = Self(rawValue: 512)
}

/// The attribute of a run of text with its roles. Text typed at the end of code or inline HTML does not inherit that
/// role. Likewise, text typed at the end of a link is not part of the link. Text typed between two characters with
/// the role inherits it.
public enum InlinePresentationIntentAttribute: CodedAttributeKey, PartlyInheritedAttributeKey {
    /// The roles of a run of text.
    public typealias Value = InlinePresentationIntent
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.inline-presentation-intent"
    /// Emphasis, strong emphasis and strikethrough; and blocks of HTML, because these are whole paragraphs.
    public static let partsInheritedByAddedText: InlinePresentationIntent = [
        .emphasized, .stronglyEmphasized, .strikethrough, .blockHTML,
    ]

    /// Returns the roles that are known; nil if there are none.
    public static func checked(_ intent: InlinePresentationIntent) -> InlinePresentationIntent? {
        let known = intent.intersection(.init(rawValue: 0b11_1110_0111))
        return known.isEmpty ? nil : known
    }

    /// Encodes the bits as a decimal number.
    public static func encode(_ intent: InlinePresentationIntent) -> [UInt8] { Array(intent.rawValue.description.utf8) }
    /// Decodes the decimal number written by ``encode(_:)``; nil for other bytes.
    public static func decode(_ bytes: [UInt8]) -> InlinePresentationIntent? {
        UInt(String(decoding: bytes, as: UTF8.self)).map { InlinePresentationIntent(rawValue: $0) }
    }
}

import InkstoneBase
public import InkstoneText

/// The looks of intents: ``PresentationIntentAttribute`` and ``InlinePresentationIntentAttribute`` say what text is, a sheet how that looks.
///
/// A layout has one (``TextLayoutManager/presentationStyleSheet``); another one restyles without touching the text. What the text's own
/// attributes say counts more.
public struct PresentationStyleSheet: Hashable, Sendable {
    /// The looks of one block or role. What is around it comes first: code in a heading is as large as the heading.
    public struct Style: Hashable, Sendable {
        /// Factor of the size of the font.
        public var sizeFactor = 1.0
        /// Values of keys that say how text looks.
        public var attributes = TextAttributes()
        /// Indent of a paragraph's lines where they start, in sizes of the layout's font, beside that of what is around it.
        public var indent = 0.0
        /// Space above and below a paragraph, in sizes of the layout's font.
        public var spacing = 0.0

        /// The looks of what is around it.
        public init() {}
    }

    /// Headings by level; at most six count, and a level beyond the last has the last one's.
    public var headers: [Style] = []
    /// Paragraphs of lists, for each list around them.
    public var list = Style()
    /// Paragraphs of quotes, for each quote around them.
    public var blockQuote = Style()
    /// Lines of code.
    public var codeBlock = Style()
    /// Breaks between parts of a text.
    public var thematicBreak = Style()
    /// Rows that name a table's columns.
    public var tableHeader = Style()
    /// Stressed text.
    public var emphasized = Style()
    /// Important text.
    public var stronglyEmphasized = Style()
    /// Code in text, and HTML that is kept as it is.
    public var code = Style()
    /// Text that does not count any more.
    public var strikethrough = Style()

    /// A sheet by which intents look like other text.
    public init() {}

    /// The sheet of layouts that are given no other: headings larger and bold, code in the monospaced font on grey, quotes and lists indented.
    public static let standard: PresentationStyleSheet = {
        var sheet = PresentationStyleSheet()
        let bold = TextAttributes(FontWeightAttribute.self, 200)
        sheet.headers = [2, 1.5, 1.25, 1.1, 1, 0.9].map { factor in
            var style = Style()
            style.sizeFactor = factor
            style.attributes = bold
            style.spacing = 0.5
            return style
        }
        sheet.list.indent = 2
        sheet.blockQuote.indent = 2
        sheet.code.attributes[FontFamilyAttribute.self] = "monospace"
        sheet.code.attributes[BackgroundAttribute.self] = Color(red: 128, green: 128, blue: 128, alpha: 48)
        sheet.codeBlock.attributes = sheet.code.attributes
        sheet.codeBlock.indent = 1
        sheet.tableHeader.attributes = bold
        sheet.emphasized.attributes[FontSlantAttribute.self] = .italic
        sheet.stronglyEmphasized.attributes = bold
        sheet.strikethrough.attributes[StrikethroughAttribute.self] = .single
        return sheet
    }()

    /// Changes a style as the intents among attributes say; `size` is that of the layout's font.
    func apply(_ attributes: TextAttributes, to style: inout TextStyle, size: Double) {
        for component in attributes[PresentationIntentAttribute.self]?.components.reversed() ?? [] {
            guard let block = self.style(of: component.kind) else { continue }
            block.apply(to: &style)
            style.paragraph.firstLineIndent += block.indent * size
            style.paragraph.indent += block.indent * size
            style.paragraph.spacingBefore += block.spacing * size
            style.paragraph.spacingAfter += block.spacing * size
        }
        guard let roles = attributes[InlinePresentationIntentAttribute.self] else { return }
        if roles.contains(.emphasized) { emphasized.apply(to: &style) }
        if roles.contains(.stronglyEmphasized) { stronglyEmphasized.apply(to: &style) }
        if !roles.isDisjoint(with: [.code, .inlineHTML, .blockHTML]) { code.apply(to: &style) }
        if roles.contains(.strikethrough) { strikethrough.apply(to: &style) }
    }

    private func style(of kind: PresentationIntent.Kind) -> Style? {
        switch kind {
        case .header(let level): headers.isEmpty ? nil : headers[min(max(1, level), headers.count) - 1]
        case .orderedList, .unorderedList: list
        case .blockQuote: blockQuote
        case .codeBlock: codeBlock
        case .thematicBreak: thematicBreak
        case .tableHeaderRow: tableHeader
        case .paragraph, .listItem, .table, .tableRow, .tableCell: nil
        }
    }
}

extension PresentationStyleSheet.Style {
    fileprivate func apply(to style: inout TextStyle) {
        if sizeFactor.isFinite { style.font.size = min(max(1, style.font.size * sizeFactor), 1000) }
        style.apply(attributes)
    }
}

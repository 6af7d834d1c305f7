import InkstoneBase
public import InkstoneText

/// The styles of presentation intents. ``PresentationIntentAttribute`` and ``InlinePresentationIntentAttribute`` state the role of text,
/// the sheet its style.
///
/// A layout has one sheet (``TextLayoutManager/presentationStyleSheet``); another sheet restyles the text without changing it. The text's
/// own attributes override the sheet.
public struct PresentationStyleSheet: Hashable, Sendable {
    /// The style of one block or role. The surrounding block's style is applied first: code in a heading is as large as the heading.
    public struct Style: Hashable, Sendable {
        /// Factor of the size of the font.
        public var sizeFactor = 1.0
        /// Values of keys that change the style of text.
        public var attributes = TextAttributes()
        /// Indent of a paragraph's lines at their start edge, in multiples of the layout's font size, added to the surrounding block's indent.
        public var indent = 0.0
        /// Space above and below a paragraph, in multiples of the layout's font size.
        public var spacing = 0.0

        /// Creates a style that changes nothing.
        public init() {}
    }

    /// Headings by level. At most six are used; a level beyond the last uses the last style.
    public var headers: [Style] = []
    /// Paragraphs of lists; applied once for each enclosing list.
    public var list = Style()
    /// Paragraphs of quotes; applied once for each enclosing quote.
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
    /// Text that is no longer valid.
    public var strikethrough = Style()

    /// Creates a sheet that gives intents no style.
    public init() {}

    /// The default sheet: headings larger and bold, code in the monospaced font on grey, quotes and lists indented.
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

    /// Applies the styles of the intents among attributes; `size` is that of the layout's font.
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

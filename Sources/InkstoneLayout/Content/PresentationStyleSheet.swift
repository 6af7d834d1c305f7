import InkstoneBase
public import InkstoneText

/// The styles of presentation intents. ``PresentationIntentAttribute`` and ``InlinePresentationIntentAttribute``
/// state the role of text, such as heading or code; the style sheet states how each role is shown.
///
/// A layout has one sheet (``TextLayoutManager/presentationStyleSheet``). Setting another changes the appearance of
/// the text but not the text. The text's own style attributes override the sheet.
public struct PresentationStyleSheet: Hashable, Sendable {
    /// The style of one kind of block or one role. Styles of enclosing blocks are applied first: code in a heading
    /// is as large as the heading.
    public struct Style: Hashable, Sendable {
        /// Factor by which the font size is multiplied.
        public var sizeFactor = 1.0
        /// Attributes that the style sets.
        public var attributes = TextAttributes()
        /// Added indent of a paragraph's lines at the edge where lines start, in multiples of the layout's font
        /// size.
        public var indent = 0.0
        /// Space above and below a paragraph, in multiples of the layout's font size.
        public var spacing = 0.0
        /// Further space above a paragraph, in multiples of the layout's font size.
        public var spacingBefore = 0.0

        /// Creates a style that changes nothing.
        public init() {}
    }

    /// The styles of headings by level. Headings of deeper levels have the last of these styles.
    public var headers: [Style] = []
    /// The style of paragraphs in a list; applied once for each enclosing list.
    public var list = Style()
    /// The style of paragraphs in a block quote; applied once for each enclosing quote.
    public var blockQuote = Style()
    /// The style of code blocks.
    public var codeBlock = Style()
    /// The style of thematic breaks, which separate parts of a text.
    public var thematicBreak = Style()
    /// The style of header rows in tables.
    public var tableHeader = Style()
    /// The style of emphasized text.
    public var emphasized = Style()
    /// The style of strongly emphasized text.
    public var stronglyEmphasized = Style()
    /// The style of code within text, and of HTML that is kept as source.
    public var code = Style()
    /// The style of struck-out text.
    public var strikethrough = Style()

    /// Creates a sheet in which no intent has a style.
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

    /// Applies the styles of the presentation intents in `attributes`. `size` is the layout's font size.
    func apply(_ attributes: TextAttributes, to style: inout TextStyle, size: Double) {
        for component in attributes[PresentationIntentAttribute.self]?.components.reversed() ?? [] {
            guard let block = self.style(of: component.kind) else { continue }
            block.apply(to: &style)
            style.paragraph.firstLineIndent += block.indent * size
            style.paragraph.indent += block.indent * size
            style.paragraph.spacingBefore += (block.spacing + block.spacingBefore) * size
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

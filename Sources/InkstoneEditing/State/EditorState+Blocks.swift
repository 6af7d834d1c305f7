import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Paragraphs in blocks: code, HTML, tables and quotations.
extension EditorState {
    /// Returns the attributes of a paragraph; for the empty paragraph after the last newline, the attributes of
    /// text typed there.
    private func attributes(of paragraph: Int) -> TextAttributes {
        let range = text.utf16Range(of: ParagraphIndex(paragraph))
        return range.isEmpty ? typedAttributes(at: range) : styledText.attributes(at: range.lowerBound)
    }

    /// Whether a paragraph is a line of code or HTML, or a row of a table. A list sign typed in such a paragraph is
    /// ordinary text.
    func isLiteral(_ paragraph: Int) -> Bool {
        guard styledText.runs != nil else { return false }
        let attributes = attributes(of: paragraph)
        return attributes.isCodeLine || attributes[PresentationIntentAttribute.self].isRow
    }

    /// Whether the primary caret, or the start of the primary range, is in a line of code or HTML.
    var isInCode: Bool {
        guard styledText.runs != nil, let selection else { return false }
        return attributes(of: text.paragraphIndex(at: selection.primary.range.lowerBound).value).isCodeLine
    }

    /// The paragraph of the caret, its intent, and the intent that it would have outside of its innermost block.
    /// The block is a code block, a table or a quotation. Nil if the paragraph is in no such block, if there is not
    /// exactly one caret, while text is marked, where editing is not allowed, and in a single-line view.
    var caretBlock: (paragraph: Int, intent: PresentationIntent, outer: PresentationIntent?)? {
        guard styledText.runs != nil, options.isEditable, !options.isSingleLine, markedText == nil,
            let selection, selection.count == 1, selection.isCaret
        else { return nil }
        let paragraph = text.paragraphIndex(at: selection.primary.head).value
        guard let intent = attributes(of: paragraph)[PresentationIntentAttribute.self], let outer = intent.outside
        else { return nil }
        return (paragraph, intent, outer.intent)
    }

    /// Returns the intent that a row would have outside of its table; nil for body text outside of all blocks.
    func outerIntent(ofRow paragraph: Int) -> PresentationIntent? {
        attributes(of: paragraph)[PresentationIntentAttribute.self]?.outside?.intent
    }

    /// Whether a paragraph is in the same innermost block as a paragraph with this intent. False for the empty
    /// paragraph after the last newline.
    func isInBlock(of intent: PresentationIntent, _ paragraph: Int) -> Bool {
        guard paragraph >= 0, paragraph < text.paragraphCount, let block = intent.outside?.block,
            !text.utf16Range(of: ParagraphIndex(paragraph)).isEmpty
        else { return false }
        return attributes(of: paragraph)[PresentationIntentAttribute.self]?.components.contains(block) == true
    }

    /// Handles Return in the empty last line of a quotation or table, and in the second empty line at the end of a
    /// code block, which may have single empty lines: moves the line out of the block. Indentation that Return has
    /// repeated counts as empty. A closing fence in the last line of a code block is removed, and leaves the block
    /// as well. Nil elsewhere. Nil also if the table has no other row, or if the code block has no line above these
    /// lines.
    func leavingBlockByNewline() -> Transaction? {
        guard let (paragraph, intent, outer) = caretBlock, !isInBlock(of: intent, paragraph + 1) else { return nil }
        let content = text.utf16ContentRange(of: ParagraphIndex(paragraph))
        if case .codeBlock? = intent.components.first?.kind {
            return leavingCodeByNewline(at: content, of: paragraph, intent, to: outer)
        }
        guard content.isEmpty else { return nil }
        if intent.components.first?.kind != .paragraph, !isInBlock(of: intent, paragraph - 1) { return nil }
        // A list item inside the quotation leaves its list first; the quotation is not left here.
        if let item = listItem(of: ParagraphIndex(paragraph)), item.enclosingQuotations >= intent.quotations {
            return nil
        }
        return stylingLines(PresentationIntentAttribute.self) { _ in outer }
    }

    private func leavingCodeByNewline(
        at content: Range<UTF16Offset>, of paragraph: Int, _ intent: PresentationIntent, to outer: PresentationIntent?
    ) -> Transaction? {
        guard isInBlock(of: intent, paragraph - 1), content.count <= Self.mostBlanks, primary.head == content.upperBound
        else { return nil }
        let line = string(in: content).drop { $0 == " " || $0 == "\t" }
        // A closing fence is a line of at least three of the same mark.
        if options.makesBlocks, line.utf8.count > 2, let mark = line.first, mark == "`" || mark == "~",
            line.allSatisfy({ $0 == mark })
        {
            return leavingCode(to: outer, replacing: content)
        }
        let above = text.utf16ContentRange(of: ParagraphIndex(paragraph - 1))
        guard line.isEmpty, above.isEmpty, isInBlock(of: intent, paragraph - 2) else { return nil }
        return leavingCode(to: outer, replacing: above.lowerBound..<content.upperBound)
    }

    /// The length of a line of code, in UTF-16 units, up to which Return examines it for a closing fence or only
    /// blanks. Return in a longer line begins another line of code.
    private static let mostBlanks = 1000

    /// Handles Down on the last line of a text that ends with a code block: moves the caret to body text below the
    /// block. Nil elsewhere. Without it, nothing could be written below the block but code.
    func leavingCodeDownward(to head: UTF16Offset) -> Transaction? {
        guard let (paragraph, intent, outer) = caretBlock, case .codeBlock? = intent.components.first?.kind else {
            return nil
        }
        let last = text.paragraphCount - 1
        if paragraph == last {
            // Continue only if Down cannot move the caret any further, or moves it to the end of the text.
            guard head == primary.head || head == textRange.upperBound else { return nil }
        } else {
            guard head == textRange.upperBound, text.utf16Range(of: ParagraphIndex(last)).isEmpty else { return nil }
        }
        // The paragraph after the last line end has no character that could hold a style: set the style for the text
        // typed next. If there is no such paragraph, begin one.
        let end = textRange.upperBound
        let new = text.utf16Range(of: ParagraphIndex(last)).isEmpty ? "" : newline
        var result = transaction(
            TextChangeSet(replacing: end..<end, with: Rope(new), in: text), origin: .styling, undo: .step,
            selection: .set(Selection(caret: end + new.utf16.count)))
        result.typing = AttributeOverrides()
        result.typing?.set(outer, of: PresentationIntentAttribute.self)
        return result
    }

    /// Replaces a range, which consists of empty lines or a closing fence, by an empty paragraph outside of the block.
    /// The range does not include the line end after it. At the end of the text, a newline is added, which holds the
    /// attributes of the empty paragraph.
    private func leavingCode(to outer: PresentationIntent?, replacing range: Range<UTF16Offset>) -> Transaction {
        let start = range.lowerBound
        let isLast = range.upperBound == textRange.upperBound
        var result = transaction(
            TextChangeSet(replacing: range, with: Rope(isLast ? newline : ""), in: text), origin: .styling, undo: .step,
            selection: .set(Selection(caret: start)))
        var restyling = Restyling()
        restyling.set(outer, of: PresentationIntentAttribute.self, in: start..<start + 1)
        result.restyling = restyling
        return result
    }

    /// Whether all selected text is in quotations. Spaces and line ends are ignored unless nothing else is
    /// selected. False without a selection.
    package var isInQuotation: Bool { styleState { $0[PresentationIntentAttribute.self].isQuoted } == .on }

    /// Whether all selected text is code or HTML. Spaces and line ends are ignored unless nothing else is selected.
    /// False without a selection.
    package var isCodeBlock: Bool { styleState(\.isCodeLine) == .on }

    /// Makes the selected paragraphs, headings included, lines of one code block; if all are code already, makes
    /// them body text. Code has no styles or links within its lines, so they are removed. Rows of tables and rules do not
    /// change. Nil without a selection, where editing or styles are not allowed, and where nothing would change. Also nil if a selected range starts in a list item and not all
    /// paragraphs are code.
    package func togglingCodeBlock() -> Transaction? {
        guard let selection, options.isEditable, options.takesStyles else { return nil }
        if isCodeBlock { return stylingLines(PresentationIntentAttribute.self) { $0.heading(of: nil) } }
        let touched = selection.ranges.map { text.paragraphIndex(at: $0.range.lowerBound) }
        if touched.contains(where: { listItem(of: $0) != nil }) { return nil }
        let identity = PresentationIntent.newIdentity
        let result = stylingLines(PresentationIntentAttribute.self) { intent in
            var components = intent?.components ?? []
            switch components.first?.kind {
            case .tableRow?, .tableHeaderRow?, .tableCell?, .codeBlock?, .thematicBreak?: return intent
            case .header?, .paragraph?: components.removeFirst()
            default: break
            }
            components.insert(.init(kind: .codeBlock(languageHint: nil), identity: identity), at: 0)
            return PresentationIntent(components: components)
        }
        guard var result, let lines = result.restyling else { return result }
        var restyling = removingInlineStyles()
        restyling.append(lines)
        result.restyling = restyling
        return result
    }

    /// Returns the removal of the styles, links and roles of the characters in the selected paragraphs, which code does not
    /// have. Pictures stay, and so do rows of tables, rules, and lines of code.
    private func removingInlineStyles() -> Restyling {
        var result = Restyling()
        for block in lineBlocks {
            styledText.runs?.forEachRun(in: utf16Range(ofLines: block)) { run, _ in
                let attributes = run.attributes
                let intent = attributes[PresentationIntentAttribute.self]
                if attributes[AttachmentAttribute.self] != nil || intent.isRow || attributes.isCodeLine { return }
                if intent?.components.first?.kind == .thematicBreak { return }
                result.remove(attributes.values.map(\.key).filter { $0.runBoundaries != .paragraph }, in: run.range)
            }
        }
        return result
    }

    /// Handles Backspace at the start of the first line of a code block or quotation: moves the line out of the
    /// block. Nil elsewhere.
    func leavingBlockByBackspace() -> Transaction? {
        guard let (paragraph, intent, outer) = caretBlock,
            text.utf16Range(of: ParagraphIndex(paragraph)).lowerBound == primary.head,
            !intent.isRow, !isInBlock(of: intent, paragraph - 1)
        else { return nil }
        return stylingLines(PresentationIntentAttribute.self) { _ in outer }
    }

    /// Handles Backspace in an empty heading: makes it body text. Nil elsewhere.
    func leavingHeading() -> Transaction? {
        guard styledText.runs != nil, options.isEditable, !options.isSingleLine, markedText == nil,
            let selection, selection.count == 1, selection.isCaret
        else { return nil }
        let paragraph = text.paragraphIndex(at: selection.primary.head)
        guard text.utf16ContentRange(of: paragraph).isEmpty, !text.utf16Range(of: paragraph).isEmpty,
            attributes(of: paragraph.value)[PresentationIntentAttribute.self].headingLevel > 0
        else { return nil }
        return settingHeading(nil)
    }
}

extension TextAttributes {
    /// Whether these are the attributes of a line of code or HTML.
    var isCodeLine: Bool {
        if hasRole(.blockHTML) { return true }
        if case .codeBlock? = self[PresentationIntentAttribute.self]?.components.first?.kind { return true }
        return false
    }
}

extension PresentationIntent? {
    /// Whether the paragraph is a row of a table.
    var isRow: Bool { self?.isRow ?? false }

    /// Whether the paragraph is in a quotation.
    var isQuoted: Bool { self?.components.contains { $0.kind == .blockQuote } ?? false }

    /// The intent of the paragraph with a new quotation around all of its blocks.
    var quoted: PresentationIntent? { quoted(PresentationIntent.newIdentity) }

    /// Returns the intent of the paragraph with a quotation of this identity around all of its blocks.
    func quoted(_ identity: Int) -> PresentationIntent? {
        let own = self?.components ?? [.init(kind: .paragraph, identity: 0)]
        return PresentationIntent(components: own + [.init(kind: .blockQuote, identity: identity)])
    }

    /// The number of quotations around all other blocks of the paragraph. If the paragraph becomes a list item, the
    /// list is inside of these quotations.
    var outerQuotations: Int { self?.components.reversed().prefix { $0.kind == .blockQuote }.count ?? 0 }

    /// The intent of the paragraph without the innermost quotation around it; nil if that makes it body text.
    var unquoted: PresentationIntent? { unquoted() }

    /// Returns the intent of the paragraph without one of the quotations around it; nil if that makes it body text.
    ///
    /// - Parameter inner: the number of quotations within that quotation.
    func unquoted(around inner: Int = 0) -> PresentationIntent? {
        guard var components = self?.components,
            let index = components.indices.filter({ components[$0].kind == .blockQuote }).dropFirst(inner).first
        else { return self }
        components.remove(at: index)
        if components.count == 1, components[0].kind == .paragraph { return nil }
        return PresentationIntent(components: components)
    }
}

extension PresentationIntent {
    /// An identity that no block of a document has.
    static var newIdentity: Int { Int.random(in: (1 << 32)...Int.max) }

    /// The number of quotations around the paragraph that has this intent.
    var quotations: Int { components.count { $0.kind == .blockQuote } }

    var isRow: Bool {
        switch components.first?.kind {
        case .tableRow, .tableHeaderRow, .tableCell: true
        default: false
        }
    }

    /// The block that Return and Backspace move this paragraph out of, and the paragraph's intent after the move. The
    /// block is a code block, a table or the innermost quotation. Nil if the paragraph is in no such block.
    fileprivate var outside: (block: IntentType, intent: PresentationIntent?)? {
        let index = components.firstIndex { component in
            switch component.kind {
            case .codeBlock, .table, .blockQuote: true
            default: false
            }
        }
        guard let index else { return nil }
        let around = Array(components[(index + 1)...])
        let paragraph = IntentType(kind: .paragraph, identity: 0)
        return (components[index], around.isEmpty ? nil : PresentationIntent(components: [paragraph] + around))
    }
}

import InkstoneLayout
import InkstoneText

/// The text of a page in the order of its source, with white space collapsed as in browsers (CSS 2 §16.6).
struct HTMLTextFlow {
    /// The white space since the last character. It is written only if another character follows.
    private struct Gap {
        /// The number of blanks that browsers would collapse.
        var blanks = 0
        /// The number of no-break spaces.
        var fixedBlanks = 0
        var endsInBlank = false
        var attributes = TextAttributes()

        var isEmpty: Bool { blanks == 0 && fixedBlanks == 0 }
    }

    /// Whether the next newline is omitted. True at the start of preformatted text, whose first newline has no effect.
    var skipsNewline = false

    private let scope: RichTextFormat.Scope
    private var builder = StyledTextBuilder()
    private var gap = Gap()
    /// The line breaks that were read but not written yet, with their attributes. At the end of a block, the last one
    /// is dropped. ``pendingParagraphs`` has the paragraph ends; at the end of the text, the last one is dropped.
    private var pendingBreaks: [TextAttributes] = []
    private var pendingParagraphs: [TextAttributes] = []
    /// The list item that the next paragraph is or belongs to; nil for none.
    private(set) var item: ListItem?
    /// Whether an item has begun and nothing of it was written yet.
    private var startsItem = false
    /// Whether the paragraph has any content; ``hasText`` is whether its present line, or present table cell, has
    /// text.
    private var isOpen = false
    private var hasText = false
    /// Whether the paragraph has no content but line breaks, and white space that collapses.
    private var hasOnlyBreaks = false
    private var isOver = false
    /// The number of clipboard fragments that have begun and not ended.
    private var openFragments = 0
    private var hasMarks = false
    private var hasTextOutside = false
    /// For each open block, whether another block has begun within it.
    private var blocks = [false]
    /// The attributes of the present paragraph.
    private var paragraph: TextAttributes

    private static let lineSeparator = "\u{2028}"
    private static let noBreakSpace = "\u{a0}"

    init(_ scope: RichTextFormat.Scope) {
        self.scope = scope
        paragraph = TextAttributes()
    }

    // MARK: Blocks

    mutating func beginBlock() {
        blocks[blocks.count - 1] = true
        blocks.append(false)
    }

    mutating func endBlock() { if blocks.count > 1 { blocks.removeLast() } }

    /// Sets the style of the next paragraph; has no effect within a paragraph.
    mutating func setParagraphStyle(_ style: HTMLStyle) {
        guard !isOpen else { return }
        paragraph = TextAttributes()
        paragraph[ParagraphStyleAttribute.self] = style.paragraphStyle(scope)
        paragraph[PresentationIntentAttribute.self] = style.intent(scope)
    }

    /// Sets the list item that the next paragraph is or belongs to; has no effect within a paragraph.
    mutating func setItem(_ item: ListItem?) { if !isOpen { self.item = item } }

    /// Begins a list item; has no effect within a paragraph.
    mutating func beginItem(_ item: ListItem) {
        setItem(item)
        startsItem = !isOpen
    }

    /// Gives the present list item a checkbox as its marker, also if the page hides the markers of its list. Returns
    /// false if there is no item, or the item already has content.
    mutating func makeCheckbox(isChecked: Bool) -> Bool {
        guard var item, item.hasMarker || startsItem, !isOpen, !item.lists.isEmpty else { return false }
        item.lists[item.lists.count - 1].marker = .checkbox
        (item.hasMarker, item.isChecked) = (true, isChecked)
        self.item = item
        return true
    }

    /// Called at the end of a list item. An item without text gets an empty paragraph.
    mutating func endItem() {
        startsItem = false
        guard item?.hasMarker == true, !isOver, !isOpen else { return }
        (isOpen, hasOnlyBreaks) = (true, false)
    }

    /// Ends the paragraph if it has any content.
    mutating func breakParagraph() {
        guard isOpen else {
            gap = Gap()
            return
        }
        if hasText, gap.fixedBlanks > 0 { write(String(repeating: " ", count: gap.fixedBlanks), gap.attributes) }
        if hasOnlyBreaks {
            // LibreOffice writes an empty paragraph as two line breaks, also with the element of a heading: drop the
            // line breaks, and make a heading body text.
            pendingBreaks = []
            if scope != .all {
                paragraph[ParagraphStyleAttribute.self] = nil
                let intent = paragraph[PresentationIntentAttribute.self]
                paragraph[PresentationIntentAttribute.self] = intent?.withoutHeading
            }
        } else if !pendingBreaks.isEmpty {
            // The last line break in a block does not make an empty line.
            pendingBreaks.removeLast()
            if !pendingBreaks.isEmpty { writePending() }
        }
        gap = Gap()
        (isOpen, hasText, hasOnlyBreaks, startsItem) = (false, false, false, false)
        pendingParagraphs.append(paragraphAttributes)
        item?.hasMarker = false
    }

    /// Adds a line break. Ignores it between blocks, where Google Docs writes line breaks that do not stand for empty
    /// lines.
    mutating func breakLine(_ style: HTMLStyle) {
        if !isOpen { hasOnlyBreaks = style.whiteSpace == .collapsed }
        breakLine(style.attributes(scope))
    }

    private mutating func breakLine(_ attributes: TextAttributes) {
        guard !isOver, isOpen || blocks.last != true else { return }
        gap = Gap()
        pendingBreaks.append(attributes)
        isOpen = true
        hasText = false
    }

    private var paragraphAttributes: TextAttributes {
        var result = paragraph
        result[ListAttribute.self] = item
        return result
    }

    // MARK: Fragments

    /// Whether the document has the marks of a clipboard fragment, but also text outside the fragment.
    var losesText: Bool { hasMarks && hasTextOutside }

    /// Records whether visible text has occurred outside of a fragment.
    private mutating func note(_ text: String) {
        guard openFragments == 0, !hasTextOutside else { return }
        hasTextOutside = text.unicodeScalars.contains { $0 > " " && $0 != "\u{a0}" }
    }

    /// Handles the start mark of a fragment: discards the text before the first fragment, because it was not copied. A
    /// mark within a fragment has no effect: pages contain the marks of fragments that were pasted into them.
    mutating func beginFragment() {
        hasMarks = true
        openFragments += 1
        guard openFragments == 1 else { return }
        if !isOver { builder.reset() }
        (gap, pendingBreaks, hasText) = (Gap(), [], false)
        if !isOver { (pendingParagraphs, isOpen) = ([], false) }
        isOver = false
    }

    /// Handles the end mark of a fragment: ignores the text after it, which was not copied.
    mutating func endFragment() {
        hasMarks = true
        openFragments = max(0, openFragments - 1)
        guard openFragments == 0 else { return }
        breakParagraph()
        isOver = true
    }

    mutating func finish() -> StyledText {
        if !isOver { breakParagraph() }
        for attributes in pendingParagraphs.dropLast() { builder.appendNewline(attributes) }
        return builder.finish()
    }

    // MARK: Text

    /// Adds text of the source, whose white space is collapsed as the style says.
    mutating func add(_ text: String, _ style: HTMLStyle, isInCell: Bool) {
        guard !isOver else { return note(text) }
        let attributes = style.attributes(scope)
        var word = String.UnicodeScalarView()
        func flush(_ flow: inout Self) {
            guard !word.isEmpty else { return }
            flow.append(String(word), attributes)
            word = String.UnicodeScalarView()
        }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where style.whiteSpace != .collapsed && !isInCell:
                flush(&self)
                if skipsNewline { skipsNewline = false; continue }
                if style.isPreformatted { endPreformattedLine() } else { breakLine(style) }
            case " ", "\t", "\n", "\r", "\u{c}":
                if scalar == "\r" { continue }
                if style.whiteSpace == .kept, scalar != "\n" {
                    // In a row of a table, a tab separates cells: write a blank instead.
                    word.append(isInCell && scalar == "\t" ? " " : scalar)
                    continue
                }
                flush(&self)
                addBlank(attributes)
            case "\u{a0}" where style.whiteSpace != .kept:
                flush(&self)
                if gap.isEmpty { gap.attributes = attributes }
                gap.fixedBlanks += 1
                gap.endsInBlank = false
                (isOpen, hasOnlyBreaks) = (true, false)
            case "\u{0}"..."\u{1f}", "\u{7f}": continue
            default: word.append(scalar)
            }
            skipsNewline = false
        }
        flush(&self)
    }

    /// Adds text such as the description of a picture, without collapsing its white space. Newlines in it become
    /// blanks.
    mutating func append(_ text: String, _ style: HTMLStyle) {
        let line = String(String.UnicodeScalarView(text.unicodeScalars.compactMap(Self.ofOneLine)))
        if !line.isEmpty { append(line, style.attributes(scope)) }
    }

    private static func ofOneLine(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "\t", "\n", "\r", "\u{c}": " "
        case "\u{0}"..."\u{1f}", "\u{7f}": nil
        default: scalar
        }
    }

    /// Adds a picture as an attachment.
    mutating func append(_ picture: TextAttachment, _ style: HTMLStyle) {
        var attributes = style.attributes(scope)
        attributes[AttachmentAttribute.self] = picture
        append(String(TextAttachment.character), attributes)
    }

    /// Adds a blank, which is written only if there is text on both sides.
    mutating func addBlank(_ style: HTMLStyle) {
        if gap.isEmpty, !hasText { return }
        addBlank(style.attributes(scope))
    }

    /// Begins the next cell of a table row, after a tab.
    mutating func appendTab(_ style: HTMLStyle) {
        gap = Gap()
        append("\t", TextAttributes())
        hasText = false
    }

    private mutating func addBlank(_ attributes: TextAttributes) {
        guard !gap.endsInBlank else { return }
        if gap.isEmpty { gap.attributes = attributes }
        gap.blanks += 1
        gap.endsInBlank = true
    }

    private mutating func endPreformattedLine() {
        if isOpen { return breakParagraph() }
        pendingParagraphs.append(paragraphAttributes)
    }

    private mutating func append(_ text: String, _ attributes: TextAttributes) {
        note(text)
        guard !isOver else { return }
        writePending()
        writeGap()
        write(text, attributes)
        (isOpen, hasText, hasOnlyBreaks) = (true, true, false)
        skipsNewline = false
    }

    private mutating func writePending() {
        for attributes in pendingParagraphs { builder.appendNewline(attributes) }
        pendingParagraphs = []
        for attributes in pendingBreaks { write(Self.lineSeparator, attributes) }
        pendingBreaks = []
    }

    /// Writes the white space between two characters. Several blanks that alternate with no-break spaces were meant
    /// to be kept: they become ordinary blanks.
    private mutating func writeGap() {
        defer { gap = Gap() }
        switch (gap.blanks, gap.fixedBlanks) {
        case (_, 0): if gap.blanks > 0, hasText { write(" ", gap.attributes) }
        case (0, 1) where hasText: write(Self.noBreakSpace, gap.attributes)
        default:
            write(String(repeating: " ", count: gap.fixedBlanks + (hasText ? gap.blanks : 0)), gap.attributes)
        }
    }

    private mutating func write(_ text: String, _ attributes: TextAttributes) {
        var all = attributes
        all.merge(paragraphAttributes)
        builder.append(text, all)
    }
}

extension PresentationIntent {
    /// The intent of a heading's paragraph as body text, nil outside of quotations. Other intents are unchanged.
    fileprivate var withoutHeading: PresentationIntent? {
        guard case .header? = components.first?.kind else { return self }
        if components.count == 1 { return nil }
        return PresentationIntent(
            components: [IntentType(kind: .paragraph, identity: 0)] + components.dropFirst())
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Pasted paragraphs that are blocks: rows, lines of code, list items, headings, rules and quotations.
extension StyledText {
    /// The properties by which a paragraph is shown as a block. Two paragraphs with the same properties can be joined
    /// without a loss.
    private struct Block: Equatable {
        var kind: PresentationIntent.Kind?
        var quotations = 0
        var markers: [TextList.Marker] = []
        var isInList = false

        var isBody: Bool { self == Self() }
    }

    /// Returns the text in the form in which it is inserted in place of a range outside of tables. If it consists of
    /// several paragraphs, or of one with its line end, blocks in it stay paragraphs of their own: a first paragraph
    /// that is another block than the paragraph before the range is not joined with that, nor a last one with the text
    /// after the range. Other texts are returned unchanged.
    func separatingBlocks(of new: StyledText, at range: Range<UTF16Offset>, isStyled: Bool) -> StyledText {
        guard isStyled, new.runs != nil, new.rope.metrics.newlines > 0 else { return new }
        let (first, last) = (rope.paragraphIndex(at: range.lowerBound), rope.paragraphIndex(at: range.upperBound))
        guard row(first.value) == nil, row(last.value) == nil else { return new }
        let startsParagraph = range.lowerBound == rope.utf16ContentRange(of: first).lowerBound
        let endsParagraph = range.upperBound == rope.utf16ContentRange(of: last).upperBound
        var result = new
        if !endsParagraph, !new.endsLine, !joins(new.block(new.rope.paragraphCount - 1), block(last.value)) {
            result = new.endingLine
        }
        guard !startsParagraph, !joins(new.block(0), block(first.value)) else { return result }
        if endsParagraph, !new.rope.utf16ContentRange(of: ParagraphIndex(new.rope.metrics.newlines - 1)).isEmpty {
            // The line end after the range becomes that of the last inserted paragraph, so remove the inserted one.
            result = result.withoutLastLineEnd
        }
        var separated = StyledText(new.firstLineEnd)
        separated.append(result)
        return separated
    }

    /// Whether the first paragraph is shown as a block, such as a heading or a list item, rather than as body text.
    var startsWithBlock: Bool { !block(0).isBody }

    /// Whether the first paragraph of a text is a block, and another one than the paragraph at an offset of this text.
    func startsWithOtherBlock(_ new: StyledText, _ offset: UTF16Offset) -> Bool {
        let first = new.block(0)
        return !first.isBody && first != block(rope.paragraphIndex(at: offset).value)
    }

    /// Whether a pasted paragraph may be joined with another one: it is body text, or a block with the same properties.
    private func joins(_ new: Block, _ other: Block) -> Bool { new.isBody || new == other }

    private func block(_ paragraph: Int) -> Block {
        let range = rope.utf16Range(of: ParagraphIndex(paragraph))
        guard runs != nil, !range.isEmpty else { return Block() }
        let attributes = attributes(at: range.lowerBound)
        let intent = attributes[PresentationIntentAttribute.self]
        var result = Block(quotations: intent?.quotations ?? 0)
        switch intent?.components.first?.kind {
        case .header(let level)?: result.kind = .header(level: level)
        case .tableHeaderRow?, .tableRow?, .tableCell?: result.kind = .tableRow(rowIndex: 0)
        case .thematicBreak?: result.kind = .thematicBreak
        default: if attributes.isCodeLine { result.kind = .codeBlock(languageHint: nil) }
        }
        if let item = attributes[ListAttribute.self] { result.markers = item.lists.map(\.marker) }
        result.isInList = intent?.isInList ?? false
        return result
    }
}

extension PresentationIntent {
    /// Whether the paragraph is in a list that the intent expresses.
    var isInList: Bool {
        components.contains { component in
            switch component.kind {
            case .orderedList, .unorderedList, .listItem: true
            default: false
            }
        }
    }
}

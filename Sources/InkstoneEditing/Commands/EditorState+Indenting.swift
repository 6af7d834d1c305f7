import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Tab, Shift+Tab and Return. One step of indentation is the text that Tab types at the start of a paragraph. In a
/// view in which Tab moves the focus, one step is a tab.
extension EditorState {
    /// Inserts one step of indentation before each selected paragraph, or removes one, as one undo step. The
    /// selection keeps its text, and a range that starts at the start of its paragraph still starts there
    /// afterwards. If several paragraphs are selected, empty ones are not indented. Rows of tables are left alone. If
    /// the selection begins in a list item, moves the items one level in or out instead. Nil if nothing would change.
    func shiftingParagraphs(outwards: Bool, _ geometry: TextGeometry) -> Transaction? {
        if styledText.runs != nil, !isInCode || spansParagraphs, let shifted = shiftingItems(deeper: !outwards) {
            return shifted
        }
        var builder = TextChangeSet.Builder(over: text)
        var next = 0
        let all = selectedParagraphs
        let isOnly = all.count == 1 && all[0].count == 1
        for paragraphs in all {
            // A tab at the start of a row would be the border of another cell.
            for number in max(next, paragraphs.lowerBound)..<max(next, paragraphs.upperBound) where !isRow(number) {
                let content = text.utf16ContentRange(of: ParagraphIndex(number))
                if outwards {
                    let removed = indentation(of: content, geometry)
                    if removed > 0 { builder.replace(content.lowerBound..<(content.lowerBound + removed), with: "") }
                } else if !content.isEmpty || isOnly {
                    builder.replace(content.lowerBound..<content.lowerBound, with: indentationStep)
                }
            }
            next = max(next, paragraphs.upperBound)
        }
        guard !builder.isEmpty else { return nil }
        return transaction(builder.finish(), origin: .indentation, undo: .step, selection: .grown)
    }

    /// The numbers of the paragraphs that each selected range touches. A paragraph is not included if the range
    /// only ends at its start, after beginning in an earlier one.
    var selectedParagraphs: [Range<Int>] {
        (selection?.ranges ?? []).map { range in
            let first = text.paragraphIndex(at: range.range.lowerBound)
            let last = text.paragraphIndex(at: range.range.upperBound)
            let isAtStart =
                last > first && text.utf16ContentRange(of: last).lowerBound == range.range.upperBound
            return first.value..<(last.value + (isAtStart ? 0 : 1))
        }
    }

    private var indentationStep: String {
        guard case .insertsSpaces(let columns) = options.tabBehavior else { return "\t" }
        return String(repeating: " ", count: max(1, columns))
    }

    /// Returns the length, in UTF-16 units, of the indentation that Shift+Tab removes at the start of a paragraph: at
    /// most as many spaces as a step is wide, or fewer spaces and the tab after them. 0 if there is none.
    private func indentation(of content: Range<UTF16Offset>, _ geometry: TextGeometry) -> Int {
        var width = geometry.tabInterval
        if case .insertsSpaces(let columns) = options.tabBehavior { width = max(1, columns) }
        let end = min(content.upperBound, content.lowerBound + width)
        var blanks = 0
        for unit in string(in: content.lowerBound..<end).utf16 {
            if unit == 0x09 { return blanks + 1 }
            guard unit == 0x20 else { break }
            blanks += 1
        }
        return blanks
    }

    // MARK: The Tab key

    /// Returns the transaction of the Tab key: moves list items one level in, goes to the next cell of a table, or,
    /// if a range spans several paragraphs, inserts a step of indentation before each selected paragraph; otherwise
    /// inserts the key's text at each caret. With several carets of which one is in a table, the key has its own effect
    /// at each of them. Nil if the key moves the focus, or if nothing would change.
    func insertingTab(_ geometry: TextGeometry) -> Transaction? {
        if options.tabBehavior == .movesFocus { return nil }
        if tabMovesItems { return shiftingItems(deeper: true) }
        func special(_ state: EditorState) -> Transaction? {
            state.tabMovesItems ? state.shiftingItems(deeper: true) : state.movingToCell(forward: true)
        }
        let own =
            movingToCell(forward: true) ?? atEachRange(special: special, usual: { $0.insertingTab(geometry) })
        if let own { return own }
        if !options.isSingleLine, spansParagraphs { return shiftingParagraphs(outwards: false, geometry) }
        switch options.tabBehavior {
        case .insertsTab, .movesFocus: return inserting("\t")
        case .insertsSpaces(let columns):
            return editing(origin: .typing, undo: .typing) { range in
                let blanks = blanks(at: range.range.lowerBound, columns: max(1, columns))
                return (range.isCaret ? overwritten(by: blanks, at: range.head) : range.range, blanks)
            }
        }
    }

    /// Inserts a tab at each caret. In the rows of a table, where a tab would be the border of another cell, goes to the
    /// next cell instead. Nil if the selection begins in a row and ends outside of its table.
    func insertingTabCharacter() -> Transaction? {
        func usual(_ state: EditorState) -> Transaction? {
            let isBorder =
                !state.options.isSingleLine
                && state.selection?.ranges.contains { range in
                    let place = state.replacedParts(of: range.range, inserting: true).place
                    return state.isRow(state.text.paragraphIndex(at: place.lowerBound).value)
                } == true
            return isBorder ? nil : state.inserting("\t")
        }
        return movingToCell(forward: true) ?? atEachRange(special: { $0.movingToCell(forward: true) }, usual: usual)
            ?? usual(self)
    }

    /// Returns the transaction of Shift+Tab: goes to the previous cell of a table, moves list items one level out, or
    /// removes a step of indentation from each selected paragraph. Nil if nothing would change.
    func insertingBacktab(_ geometry: TextGeometry) -> Transaction? {
        func usual(_ state: EditorState) -> Transaction? { state.shiftingParagraphs(outwards: true, geometry) }
        return movingToCell(forward: false)
            ?? atEachRange(special: { $0.movingToCell(forward: false) }, usual: usual) ?? usual(self)
    }

    /// Whether a selected range spans several paragraphs.
    private var spansParagraphs: Bool {
        selection?.ranges.contains {
            text.paragraphIndex(at: $0.range.lowerBound) < text.paragraphIndex(at: $0.range.upperBound)
        } ?? false
    }

    // MARK: The Return key

    /// Handles Return: inserts a newline in place of each range. If the options keep indentation, the white space
    /// at the start of the paragraph is repeated after the newline. If there is only white space before the caret,
    /// this white space moves down to the new line, and the old line is left empty.
    ///
    /// At some positions in blocks, lists and headings, and after a typed sign of Markdown, Return has another effect:
    /// it ends the block, begins the next item, or makes a block.
    package func insertingNewline() -> Transaction? {
        let own =
            insertingNewlineByRole()
            ?? atEachRange(special: { $0.insertingNewlineByRole() }, usual: { $0.insertingNewline() })
        if let own { return own }
        guard options.keepsIndentation, !options.isSingleLine else { return inserting(newline, origin: .newline) }
        return editing(origin: .newline, undo: .typing) { range in
            let start = contentOfParagraph(at: range.range.lowerBound).lowerBound
            let end = min(range.range.lowerBound, start + Self.mostIndentation)
            let before = string(in: start..<end)
            let blanks = String(before.unicodeScalars.prefix(while: Self.isBlank))
            let isBlank = blanks.utf16.count == range.range.lowerBound - start
            return ((isBlank ? start : range.range.lowerBound)..<range.range.upperBound, newline + blanks)
        }
    }

    /// Handles Return where the role of the caret's paragraph decides its effect. Nil elsewhere.
    private func insertingNewlineByRole() -> Transaction? {
        insertingNewlineInRow() ?? leavingBlockByNewline() ?? insertingItem() ?? insertingBody()
            ?? makingTypedBlockByNewline()
    }

    /// Handles Return at the end of a heading or of a rule (a thematic break): inserts body text below it. At the
    /// start of a heading with text, or before a rule, inserts body text above it. Nil elsewhere, with several
    /// selected ranges, and in a single-line view.
    private func insertingBody() -> Transaction? {
        guard styledText.runs != nil, !options.isSingleLine, let selection, selection.count == 1 else { return nil }
        let parts = replacedParts(of: selection.primary.range, inserting: true)
        let range = parts.place
        let content = contentOfParagraph(at: range.lowerBound)
        let intent = typedAttributes(at: range)[PresentationIntentAttribute.self]
        let isAbove = range.lowerBound == content.lowerBound && range.upperBound < content.upperBound
        guard intent.headingLevel > 0 || intent?.components.first?.kind == .thematicBreak,
            isAbove || range.upperBound == content.upperBound,
            var result = inserting(newline, origin: .newline)
        else { return nil }
        let body = intent.heading(of: nil)
        let place = range.lowerBound - parts.emptiedBefore
        let start = isAbove ? place : place + newline.utf16.count
        if range.upperBound < textRange.upperBound {
            var restyling = Restyling()
            restyling.set(body, of: PresentationIntentAttribute.self, in: start..<start + 1)
            result.restyling = restyling
        } else {
            // After the last line end, the new paragraph has no character that could hold a style: set the style for
            // the text typed next.
            var chosen = result.typing ?? AttributeOverrides()
            chosen.set(body, of: PresentationIntentAttribute.self)
            result.typing = chosen
        }
        return result
    }

    /// Whether a scalar is part of an indentation: a space, a no-break space, a tab, or the ideographic space with
    /// which Japanese and Chinese paragraphs begin.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\u{3000}" || scalar == "\u{a0}"
    }

    /// The longest indentation that Return repeats, in UTF-16 units. Of a longer one, only the beginning is repeated.
    private static let mostIndentation = 1000

    /// Returns the spaces up to the next multiple of a number of columns.
    private func blanks(at offset: UTF16Offset, columns: Int) -> String {
        let start = contentOfParagraph(at: offset).lowerBound
        // In a very long paragraph, only the text near the caret is read. For the text before that, count one
        // column for each scalar.
        let near = max(start, offset - Self.readForTab)
        var column = text.scalarOffset(at: near) - text.scalarOffset(at: start)
        for character in string(in: near..<offset) {
            column = character == "\t" ? (column / columns + 1) * columns : column + 1
        }
        return String(repeating: " ", count: columns - column % columns)
    }

    /// The length of the text before the caret that Tab reads to determine the column, in UTF-16 units.
    private static let readForTab = 10_000
}

import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A step of indentation is what the Tab key types at the start of a paragraph; where Tab moves the focus, a tab.
extension EditorState {
    /// Puts a step of indentation before each paragraph that the selection touches, or takes one away; as one step of undo.
    /// The selection keeps its text, and what begins with its paragraph goes on doing so. Empty paragraphs among several stay
    /// empty.
    func shiftingParagraphs(outwards: Bool, _ geometry: TextGeometry) -> Transaction? {
        var builder = TextChangeSet.Builder(over: text)
        var next = 0
        let all = selectedParagraphs
        let isOnly = all.count == 1 && all[0].count == 1
        for paragraphs in all {
            for number in max(next, paragraphs.lowerBound)..<max(next, paragraphs.upperBound) {
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

    /// The numbers of the paragraphs that each range touches; not one that only its end is at the start of.
    private var selectedParagraphs: [Range<Int>] {
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

    /// How many UTF-16 units of a paragraph's start are one step of indentation or less: a tab, or blanks.
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

    /// What the Tab key types, at each caret; nil if it goes to another view.
    func insertingTab() -> Transaction? {
        switch options.tabBehavior {
        case .insertsTab: return inserting("\t")
        case .movesFocus: return nil
        case .insertsSpaces(let columns):
            return editing(origin: .typing, undo: .typing) { range in
                let blanks = blanks(at: range.range.lowerBound, columns: max(1, columns))
                return (range.isCaret ? overwritten(by: blanks, at: range.head) : range.range, blanks)
            }
        }
    }

    /// Blanks up to the next multiple of some columns.
    private func blanks(at offset: UTF16Offset, columns: Int) -> String {
        let start = contentOfParagraph(at: offset).lowerBound
        // Of a very long paragraph the start is not read: a scalar is a column there.
        let near = max(start, offset - Self.readForTab)
        var column = text.scalarOffset(at: near) - text.scalarOffset(at: start)
        for character in string(in: near..<offset) {
            column = character == "\t" ? (column / columns + 1) * columns : column + 1
        }
        return String(repeating: " ", count: columns - column % columns)
    }

    /// UTF-16 units before the caret that the Tab key reads, to see at which column it is.
    private static let readForTab = 10_000
}

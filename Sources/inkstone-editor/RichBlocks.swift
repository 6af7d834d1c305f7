import Inkstone

/// Paints the marks of quotations, code blocks, breaks and tables: a bar beside a quotation, a box behind code, a line
/// across the view, lines around the cells of a table. It also lines up the columns of tables, and sets the space
/// between paragraphs.
final class RichBlocks: TextLayoutManagerDelegate, TextContentStorageDelegate {
    let columns = TableColumns()

    /// The style sheet for text with these blocks. It omits the background of code and the sign of a break, because
    /// this class paints boxes and lines instead. It puts headings nearer to the text below them than to the text
    /// above.
    static let styleSheet: PresentationStyleSheet = {
        var sheet = PresentationStyleSheet.standard
        sheet.codeBlock.attributes[BackgroundAttribute.self] = nil
        for level in sheet.headers.indices {
            (sheet.headers[level].spacing, sheet.headers[level].spacingBefore) = (0.15, 0.55)
        }
        sheet.thematicBreak.attributes[ForegroundAttribute.self] = Color(red: 0, green: 0, blue: 0, alpha: 0)
        return sheet
    }()

    /// Prepares the layout of printed pages, so that they show the same marks; see ``PagePrinter/preparation``.
    static let printed: @Sendable (TextLayoutManager) -> AnyObject = { layout in
        let blocks = RichBlocks()
        blocks.attach(to: layout)
        return blocks
    }

    /// Makes this the delegate of a layout, which holds it weakly.
    func attach(to layout: TextLayoutManager) {
        layout.presentationStyleSheet = Self.styleSheet
        layout.delegate = self
        (layout.textContentManager as? TextContentStorage)?.delegate = self
        columns.layout = layout
    }

    /// Puts about half of the space below a paragraph above it, and leaves little space above and below items, lines of
    /// code and rows of tables. The space of a paragraph then does not depend on its neighbours.
    func textContentStorage(
        _ storage: TextContentStorage, textParagraphWith paragraph: TextParagraph
    ) -> TextParagraph? {
        guard let layout = columns.layout else { return nil }
        let attributes =
            paragraph.elementRange.isEmpty
            ? TextAttributes() : storage.store.styledText.attributes(at: paragraph.elementRange.lowerBound)
        var result = paragraph
        var style = paragraph.paragraphStyle ?? layout.paragraphStyle
        let whole = min(style.spacingAfter, layout.paragraphStyle.spacingAfter)
        let half = (whole / 2).rounded()
        let tight = min(whole, (layout.font.size / 16).rounded())
        let kinds = attributes[PresentationIntentAttribute.self]?.components.map(\.kind) ?? []
        let isTight = attributes[ListAttribute.self]?.hasMarker == true || kinds.contains(where: \.isTight)
        // Leave more space above a header row, because it is the first row of its table.
        style.spacingBefore += isTight && kinds.first != .tableHeaderRow ? tight : half
        style.spacingAfter += (isTight ? tight : whole - half) - whole
        columns.lineUp(paragraph.index.value, in: storage.store, &style)
        result.paragraphStyle = style
        return result
    }

    func textLayoutManager(
        _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in element: any TextElement
    ) -> (any CustomTextLayoutFragment)? {
        let text = manager.store.styledText
        guard text.runs != nil, !element.elementRange.isEmpty else { return nil }
        let attributes = text.attributes(at: element.elementRange.lowerBound)
        guard let intent = attributes[PresentationIntentAttribute.self] else { return nil }
        let sheet = manager.presentationStyleSheet
        let size = manager.font.size
        let item = attributes[ListAttribute.self]
        let lists = size * 2 * Double(item?.level ?? 0)
        // Place the bars of the quotations that enclose the list left of the list's indent, and those of quotations
        // within its items right of the indent.
        var outside = min(item?.enclosingQuotations ?? 0, intent.components.count { $0.kind == .blockQuote })
        var indent = outside > 0 ? 0 : lists
        var block = RichBlock(layout: manager)
        for component in intent.components.reversed() {
            switch component.kind {
            case .blockQuote:
                block.bars.append((indent + size * 0.75).rounded())
                indent += size * sheet.blockQuote.indent
                outside -= 1
                if outside == 0 { indent += lists }
            case .orderedList, .unorderedList: indent += size * sheet.list.indent
            case .codeBlock:
                (block.isCode, block.start) = (true, (indent + size * 0.5).rounded())
            case .thematicBreak: (block.isBreak, block.start) = (true, indent)
            case .tableHeaderRow: (block.isHeader, block.isRow, block.start) = (true, true, indent)
            case .tableRow: (block.isRow, block.start) = (true, indent)
            default: break
            }
        }
        if block.isRow, let paragraph = element as? TextParagraph, let style = paragraph.paragraphStyle {
            block.edges = columns.edges(of: paragraph.index.value, in: manager.store, style)
        }
        return block.isEmpty ? nil : block
    }
}

/// A paragraph with the marks that are painted behind its text. Lengths are pixels from the edge at which lines start.
struct RichBlock: CustomTextLayoutFragment {
    weak var layout: TextLayoutManager?
    /// The distances of the bars of quotations from the edge at which lines start, the outermost bar first.
    var bars: [Double] = []
    var isCode = false
    var isBreak = false
    /// Whether the paragraph is the header row of a table.
    var isHeader = false
    /// Whether the paragraph is a row of a table.
    var isRow = false
    /// The distances of the lines between the columns of a row from the edge at which lines start.
    var edges: [Double] = []
    /// The distance from the edge at which lines start to the box of code, or to the lines of a thematic break or table
    /// row.
    var start = 0.0

    var isEmpty: Bool { bars.isEmpty && !isCode && !isBreak && !isRow }

    func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas) {
        let frame = fragment.layoutFragmentFrame
        // The width of a thin line.
        let unit = max(1, (layout?.attributeScale ?? 1).rounded(.down))
        let isMirrored = layout?.geometry.isParagraphRightToLeft(at: fragment.utf16Range.lowerBound) ?? false
        func fill(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ alpha: UInt8) {
            let left = isMirrored ? frame.width - x - width : x
            canvas.fill(
                WindowRect(x: origin.x + frame.minX + left, y: origin.y + y, width: width, height: height),
                Color(red: 128, green: 128, blue: 128, alpha: alpha))
        }
        let rest = max(1, frame.width - start)
        if isCode { fill(start, frame.minY, rest, frame.height, 48) }
        if isBreak, let line = fragment.textLineFragments.first {
            fill(start, ((line.top + line.bottom) / 2).rounded(), rest, 2 * unit, 128)
        }
        if isRow, let first = fragment.textLineFragments.first, let last = fragment.textLineFragments.last {
            // Leave out the space above a header row, which is not a part of its table.
            let top = isHeader ? max(frame.minY, first.top - unit) : frame.minY
            if isHeader { fill(start, top, rest, unit, 96) }
            fill(start, isHeader ? last.bottom : frame.maxY - unit, rest, unit, isHeader ? 128 : 96)
            for edge in edges { fill(edge, top, unit, frame.maxY - top, 96) }
        }
        for bar in bars { fill(bar, frame.minY, 3 * unit, frame.height, 128) }
    }
}

extension PresentationIntent.Kind {
    /// Whether paragraphs of this kind are displayed with little space between them.
    fileprivate var isTight: Bool {
        switch self {
        case .codeBlock, .listItem, .tableRow, .tableHeaderRow: true
        default: false
        }
    }
}

import Inkstone

/// A row of a table: its cells are divided by tabs, with lines around them.
struct TableRow: CustomTextLayoutFragment {
    /// Where cells end, in pixels from the table's edge.
    var edges: [Double]
    var isFirst: Bool

    var topMargin: Double { 3 }
    var bottomMargin: Double { 4 }

    func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas) {
        let frame = fragment.layoutFragmentFrame
        let (x, y) = (origin.x + frame.minX, origin.y + frame.minY)
        let width = edges.last ?? 0
        func line(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
            canvas.fill(WindowRect(x: x, y: y, width: width, height: height), Color(rgb: 0x8899aa))
        }
        for edge in [0] + edges { line(x + edge, y, 1, frame.height) }
        if isFirst { line(x, y, width, 1) }
        line(x, y + frame.height - 1, width + 1, 1)
    }
}

/// Lays out paragraphs that are rows of tables with columns of one width.
final class TableLayout: TextLayoutManagerDelegate {
    static let column = 120.0

    func textLayoutManager(
        _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in element: any TextElement
    ) -> (any CustomTextLayoutFragment)? {
        let attributes = manager.store.styledText.attributes(at: element.elementRange.lowerBound)
        guard !element.elementRange.isEmpty, let blocks = attributes[PresentationIntentAttribute.self]?.components,
            case .tableRow(let index)? = blocks.first?.kind, case .table(let columns)? = blocks.last?.kind
        else { return nil }
        return TableRow(edges: columns.indices.map { Double($0 + 1) * Self.column }, isFirst: index == 0)
    }
}

/// A table as text.
func table(_ rows: [[String]]) -> StyledText {
    let columns = rows.map(\.count).max() ?? 0
    let table = PresentationIntent(.table(columns: Array(repeating: .init(), count: columns)), identity: 1)
    var style = ParagraphStyle()
    (style.indent, style.firstLineIndent) = (6, 6)
    style.tabStops = (1..<max(1, columns)).map { TabStop(Double($0) * TableLayout.column) }
    var text = StyledText()
    for (index, row) in rows.enumerated() {
        var attributes = TextAttributes(ParagraphStyleAttribute.self, style)
        attributes[PresentationIntentAttribute.self] = PresentationIntent(
            .tableRow(rowIndex: index), identity: 2 + index, parent: table)
        text.append(StyledText(Rope(row.joined(separator: "\t") + "\n"), attributes))
    }
    return text
}

import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText

/// Ranges that are shown in a way of their own, in layers: search matches, spelling, the program's own.
extension EditorView {
    /// Most ranges whose places on the screen are worked out one by one when they change; with more all is painted anew.
    static let damageLimit = 64

    /// Adds decorations of one look to a layer, beside those that are there. They follow edits, and are no part of the text, of undo
    /// or of copies; nothing is laid out anew. Ranges are UTF-16 units and are clamped; they may overlap, and empty ones are left out.
    ///
    /// - Parameter showsEmpty: whether an empty range shows as a narrow bar of the look's colour behind text, such as a match without
    ///   text.
    public func addDecorations(
        _ ranges: [Range<UTF16Offset>], looking look: RenderingAttributes, in layer: DecorationLayerID,
        showsEmpty: Bool = false
    ) {
        let ranges = ranges.map { $0.clamped(into: textRange) }
        layout.decorations[layer].add(ranges, looking: look)
        if showsEmpty {
            layout.decorations[layer].add(ranges.filter(\.isEmpty), looking: look, behavior: .staysWhenEmpty)
        }
        decorationsDidChange(ranges, in: layer)
    }

    /// Changes the looks of all text of a range in a layer: see ``DecorationLayer/update(_:_:)``. The range, in UTF-16 units, is clamped.
    public func updateDecorations(
        of range: Range<UTF16Offset>, in layer: DecorationLayerID,
        _ change: (RenderingAttributes) -> RenderingAttributes?
    ) {
        let range = range.clamped(into: textRange)
        layout.decorations[layer].update(range, change)
        decorationsDidChange([range], in: layer)
    }

    /// Removes all decorations of a layer.
    public func removeDecorations(in layer: DecorationLayerID) {
        guard !layout.decorations[layer].isEmpty else { return }
        layout.decorations[layer].removeAll()
        decorationsDidChange(nil, in: layer)
    }

    /// The decorations of a layer: how many there are, and which they are by their order.
    public func decorations(in layer: DecorationLayerID) -> DecorationLayer { layout.decorations[layer] }

    /// - Parameter ranges: where they are others; nil for everywhere.
    private func decorationsDidChange(_ ranges: [Range<UTF16Offset>]?, in layer: DecorationLayerID) {
        if let ranges, ranges.count <= Self.damageLimit {
            for range in ranges { setNeedsDisplay(offsets: range, includingInk: true) }
        } else {
            setNeedsDisplay()
        }
        if layer == .spelling { session.report(.spelling) }
    }
}

import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText

/// Decorated ranges in layers: search matches, spelling, the program's own.
extension EditorView {
    /// Most changed ranges whose rectangles are damaged one by one; for more, the whole view is painted again.
    static let damageLimit = 64

    /// Adds decorations of one style to a layer, beside the present ones. They follow edits, and are no part of the text, of undo or of copies; no
    /// text is laid out again. Ranges are UTF-16 units and are clamped; they may overlap, and empty ones are ignored.
    ///
    /// - Parameter showsEmpty: whether an empty range, such as a match without text, shows as a narrow bar of the style's background colour.
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

    /// Changes the styles of all text of a range in a layer: see ``DecorationLayer/update(_:_:)``. The range, in UTF-16 units, is clamped.
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

    /// Returns the decorations of a layer: their number, and each by its ordinal.
    public func decorations(in layer: DecorationLayerID) -> DecorationLayer { layout.decorations[layer] }

    /// - Parameter ranges: the changed ranges; nil for all.
    private func decorationsDidChange(_ ranges: [Range<UTF16Offset>]?, in layer: DecorationLayerID) {
        if let ranges, ranges.count <= Self.damageLimit {
            for range in ranges { presenter.setNeedsDisplay(offsets: range, includingInk: true) }
        } else {
            setNeedsDisplay()
        }
        if layer == .spelling { session.report(.spelling) }
    }
}

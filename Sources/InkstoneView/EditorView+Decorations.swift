import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText

/// Decoration of ranges of text, in layers: search matches, spelling, the program's own.
extension EditorView {
    /// The largest number of changed ranges that are repainted one by one. If there are more, the whole view is
    /// repainted.
    static let damageLimit = 64

    /// Adds decorations of one style to a layer, in addition to the present ones. Decorations follow edits. They
    /// are not part of the text, of the undo history or of copies, and adding them does not lay out text again.
    /// Ranges are in UTF-16 units and are clamped to the text. They may overlap. Empty ones are ignored unless
    /// `showsEmpty` is true.
    ///
    /// - Parameter showsEmpty: whether an empty range, such as an empty match, is shown as a narrow bar of the
    ///   style's background colour.
    public func addDecorations(
        _ ranges: [Range<UTF16Offset>], attributes appearance: RenderingAttributes, in layer: DecorationLayerID,
        showsEmpty: Bool = false
    ) {
        let ranges = ranges.map { $0.clamped(into: textRange) }
        layout.decorations[layer].add(ranges, attributes: appearance)
        if showsEmpty {
            layout.decorations[layer].add(ranges.filter(\.isEmpty), attributes: appearance, behavior: .staysWhenEmpty)
        }
        decorationsDidChange(ranges, in: layer)
    }

    /// Changes the styles of the text in a range, for one layer: see ``DecorationLayer/update(_:_:)``. The range,
    /// in UTF-16 units, is clamped to the text.
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

    /// Returns the decorations of a layer. Their number is ``DecorationLayer/count``, and
    /// ``DecorationLayer/range(_:)`` returns the range of each by its index in the order of the starts.
    public func decorations(in layer: DecorationLayerID) -> DecorationLayer { layout.decorations[layer] }

    /// Repaints the changed ranges of a layer, or the whole view if there are many.
    ///
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

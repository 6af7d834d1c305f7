import InkstoneBase
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
        decorationsDidChange(ranges)
    }

    /// Removes all decorations of a layer.
    public func removeDecorations(in layer: DecorationLayerID) {
        guard !layout.decorations[layer].isEmpty else { return }
        layout.decorations[layer].removeAll()
        setNeedsDisplay()
    }

    /// The decorations of a layer: how many there are, and which they are by their order.
    public func decorations(in layer: DecorationLayerID) -> DecorationLayer { layout.decorations[layer] }

    private func decorationsDidChange(_ ranges: [Range<UTF16Offset>]) {
        guard ranges.count <= Self.damageLimit else { return setNeedsDisplay() }
        for range in ranges { setNeedsDisplay(offsets: range, includingInk: true) }
    }

    // MARK: Rendering attributes

    /// Paints a range in a special way, on top of what was set for it before: colours, lines under and through it. It is no
    /// part of the text, of undo or of copies, moves with edits, and nothing is laid out anew. O(n) for n such ranges.
    public func addRenderingAttributes(_ attributes: RenderingAttributes, for range: Range<UTF16Offset>) {
        layout.addRenderingAttributes(attributes, for: range)
        setNeedsDisplay(offsets: range, includingInk: true)
    }

    /// Paints a range in a special way, in place of what was set for it before; nil paints it as usual.
    public func setRenderingAttributes(_ attributes: RenderingAttributes?, for range: Range<UTF16Offset>) {
        layout.setRenderingAttributes(attributes, for: range)
        setNeedsDisplay(offsets: range, includingInk: true)
    }

    /// The stretches of a range that are painted in a special way, in order.
    public func renderingRuns(in range: Range<UTF16Offset>) -> [RenderingRun] { layout.renderingRuns(in: range) }
}

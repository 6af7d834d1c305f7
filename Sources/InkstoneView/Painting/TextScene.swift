import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// What there is to be seen of a text at a moment: painting and damage are functions of it.
struct TextScene {
    let layout: TextLayoutManager
    let viewport: Viewport
    /// What is selected; empty ranges of it are carets, which are painted apart.
    var selection: Selection?
    /// What is being composed.
    var markedText: MarkedText?
    /// Whether keys go here, which makes the selection strong.
    var isFocused = false
    /// The views in place of attachments; nil for images alone.
    var views: AttachmentViews?

    /// How far glyphs may be set off and still be painted, in pixels.
    var inkLimit: Double { viewport.inkLimit(in: layout) }

    /// The text in sight, in UTF-16 code units.
    var visibleRange: Range<UTF16Offset> {
        let fragments = layout.textLayoutFragments(in: viewport.visibleDocumentRect)
        guard let first = fragments.first, let last = fragments.last else { return 0..<0 }
        return first.utf16Range.lowerBound..<last.utf16Range.upperBound
    }

    /// All that decorates the text of a range, from the back to the front: what others put into layers, then the selection, then
    /// the clauses of marked text. Ranges may reach beyond it, and overlap.
    func decorations(in range: Range<UTF16Offset>, _ theme: Theme, _ style: MarkedTextStyle?) -> [TextDecoration] {
        var all = LayerDecorations(layout: layout, textColor: theme.text, linkColor: theme.link).decorations(
            in: range)
        if let selection, !selection.isEmpty {
            let color = isFocused ? theme.selection : theme.inactiveSelection
            let match = layout.decorations[.currentMatch]
            all += SelectionDecorations(selection: selection, markedText: markedText, color: color).decorations(
                in: range
            ).filter { match.isEmpty || match.range(0) != $0.range }
        }
        if let markedText {
            all += ClauseDecorations(markedText: markedText, style: style, theme: theme).decorations(in: range)
        }
        return all
    }
}

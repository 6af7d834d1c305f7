import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The state of a view at one moment, from which painting and damage are computed.
struct TextScene {
    let layout: TextLayoutManager
    let viewport: Viewport
    /// The selection. Its empty ranges are carets, which are painted separately.
    var selection: Selection?
    /// The text being composed; nil for none.
    var markedText: MarkedText?
    /// Whether keys go to this view. The selection then has its strong colour.
    var isFocused = false
    /// The views displayed in place of attachments; nil if there are only images.
    var views: AttachmentViews?

    /// The largest distance of a glyph from its baseline at which the glyph is still painted, in pixels.
    var inkLimit: Double { viewport.inkLimit(in: layout) }

    /// The range of all layout fragments that are visible at least in part, in UTF-16 units; `0..<0` if none is.
    var visibleRange: Range<UTF16Offset> {
        let fragments = layout.textLayoutFragments(in: viewport.visibleDocumentRect)
        guard let first = fragments.first, let last = fragments.last else { return 0..<0 }
        return first.utf16Range.lowerBound..<last.utf16Range.upperBound
    }

    /// Returns the decorations of the text in a range, from back to front: first the decoration layers, then the
    /// selection, then the clauses of marked text. A selected range that is the current match of a search has no
    /// decoration of the selection. Their ranges may overlap and extend beyond the given range.
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

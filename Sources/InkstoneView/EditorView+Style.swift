import InkstoneBase
import InkstoneLayout
import InkstoneText

/// How the text looks: its font, the scale, and colours and lines of ranges.
extension EditorView {
    /// Sets font, theme and font settings at once, as after a change of the display's scale. Lines are laid out anew where they
    /// are seen; selection, undo and the line at the top stay.
    ///
    /// - Parameters:
    ///   - font: the font of all text, in device pixels.
    ///   - theme: colours and distances, already scaled.
    ///   - settings: how glyphs are rendered.
    public func setStyle(font: FontDescriptor, theme: Theme, settings: FontSettings) {
        guard font != layout.font || theme != self.theme || settings != layout.fontSettings else { return }
        let oldLine = lineStep
        layout.fontSettings = settings
        layout.font = font
        shownReach = 0
        // A distance within the first line grows with it.
        scroll.anchor.distance = (scroll.anchor.distance * lineStep / oldLine).rounded()
        selection = selection?.map { range in
            var range = range
            range.goalX = nil
            return range
        }
        self.theme = theme
        host?.editorViewCoordinatesDidChange(self)
    }

    /// The font of all text, in device pixels. Setting it keeps selection, undo and the line at the top.
    public var font: FontDescriptor {
        get { layout.font }
        set { setStyle(font: newValue, theme: theme, settings: layout.fontSettings) }
    }

    /// How all paragraphs are set: direction, alignment, heights, tabs. Setting it keeps selection, undo and the line at the top.
    public var paragraphStyle: ParagraphStyle {
        get { layout.paragraphStyle }
        set {
            guard newValue != layout.paragraphStyle else { return }
            layout.paragraphStyle = newValue
            shownReach = 0
            restoreScrollAnchor()
            setNeedsDisplay()
            host?.editorViewCoordinatesDidChange(self)
        }
    }

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

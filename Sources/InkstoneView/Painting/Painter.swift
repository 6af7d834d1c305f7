import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Paints a text on a canvas and knows what of it is on the screen, which damage is worked out from (`Painter+Damage`).
///
/// From the back to the front: background, custom fragments, colours behind text, glyphs (one batch for each colour), lines under
/// and through text, caret, scroll bar.
final class Painter {
    /// Colours and distances, in device pixels.
    var theme: Theme
    /// How marked text is shown; nil for the ``theme``'s way.
    var markedTextStyle: MarkedTextStyle?
    /// What was painted last of the caret, in view pixels.
    var shownCarets: [ColoredRect] = []
    /// How handles look, and what is painted of each or about to be, by the damage that was asked for.
    var handleView: any TextSelectionHandleView = StandardTextSelectionHandleView()
    var shownHandles: [[ColoredRect]] = []
    /// How selected text looks; nil for the theme's colour behind each stretch of it.
    var highlightView: (any TextSelectionHighlightView)?
    /// The scroll bar's thumb as it is painted or about to be, by the damage that was asked for.
    var shownThumb: ViewRect?
    /// Whether the pointer is over the thumb or holds it.
    var thumbIsActive = false
    /// How far ink was found to reach beyond lines, in pixels.
    var inkReach = 0.0
    /// What stands in for a text that is empty, as it was last made.
    private var placeholder: (label: LineLabel, font: FontDescriptor, settings: FontSettings)?

    init(theme: Theme) { self.theme = theme }

    /// Paints the part of the text in `visible`, which the canvas is clipped to.
    func paintText(of scene: TextScene, on canvas: any Canvas, within visible: ViewRect) {
        let (layout, viewport) = (scene.layout, scene.viewport)
        let area = viewport.documentRect(visible)
        let fragments = fragments(of: scene, showingIn: area, touchesEdge: viewport.touchesEdge(visible))
        guard let first = fragments.first, let last = fragments.last else { return }
        let origin = viewport.documentOriginInWindow
        for fragment in fragments { fragment.custom?.draw(fragment, at: origin, on: canvas) }
        let decorations = paintHighlight(of: scene, on: canvas).decorations(
            in: first.utf16Range.lowerBound..<last.utf16Range.upperBound, theme, markedTextStyle)
        for decoration in decorations {
            guard let color = decoration.background else { continue }
            for part in layout.geometry.selectionRects(for: decoration.range, within: area) {
                canvas.fill(viewport.windowRect(part.rect), color)
            }
        }
        for place in layout.decoratedPlaces(in: first.utf16Range.lowerBound..<last.utf16Range.upperBound) {
            guard let color = place.attributes.background else { continue }
            var bar = layout.geometry.caretRect(at: place.range.lowerBound, affinity: .downstream)
            (bar.origin.x, bar.size.width) = (bar.minX.rounded(), 3 * theme.underlineWidth)
            canvas.fill(viewport.windowRect(bar), color)
        }
        var batch = GlyphBatch(origin: origin, color: theme.text, decorations: decorations)
        let limit = Int32(scene.inkLimit)
        for fragment in fragments { batch.append(fragment, within: area, limit: limit) }
        batch.draw(on: canvas)
        for decoration in decorations where decoration.underline != nil || decoration.strikethrough != nil {
            paintLines(of: decoration, scene, within: area, on: canvas)
        }
    }

    /// Paints carets. `shown` are those that stand there from now on, whether they are on or off at present.
    func paintCarets(
        _ painted: [ColoredRect], of shown: [ColoredRect], on canvas: any Canvas, in viewport: Viewport,
        within visible: ViewRect
    ) {
        shownCarets = shown
        for part in painted where part.rect.intersects(visible) {
            canvas.fill(viewport.windowRect(part.rect), part.color)
        }
    }

    /// Paints the handles where they are shown.
    func paintHandles(on canvas: any Canvas, in viewport: Viewport, within visible: ViewRect) {
        for part in shownHandles.joined() where part.rect.intersects(visible) {
            canvas.fill(viewport.windowRect(part.rect), part.color)
        }
    }

    /// Paints what is selected as ``highlightView`` has it, and returns a scene without that; the scene as it is if there is none.
    private func paintHighlight(of scene: TextScene, on canvas: any Canvas) -> TextScene {
        guard let highlightView, let selection = scene.selection, !selection.isEmpty else { return scene }
        let area = scene.viewport.visibleDocumentRect
        let pieces = selection.ranges(touching: scene.visibleRange).filter { !$0.isCaret }.flatMap { range in
            scene.layout.geometry.selectionRects(for: range.range, within: area).map {
                TextSelectionRect(
                    rect: scene.viewport.viewRect($0.rect),
                    writingDirection: $0.isRightToLeft ? .rightToLeft : .leftToRight, containsStart: $0.containsStart,
                    containsEnd: $0.containsEnd)
            }
        }
        for part in highlightView.shape(of: pieces, isActive: scene.isFocused, in: theme) {
            canvas.fill(scene.viewport.windowRect(part.rect), part.color)
        }
        var rest = scene
        rest.selection = nil
        return rest
    }

    /// Paints the thumb where it is shown; where all of its strip is painted, from now on at its place.
    func paintThumb(_ thumb: ViewRect?, on canvas: any Canvas, in viewport: Viewport, within visible: ViewRect) {
        if visible.minX <= viewport.textArea.maxX, visible.height >= viewport.frame.height { shownThumb = thumb }
        if let shownThumb, shownThumb.intersects(visible) {
            canvas.fill(
                viewport.windowRect(shownThumb.insetBy(1)), thumbIsActive ? theme.activeScrollThumb : theme.scrollThumb)
        }
    }

    /// Paints what stands in for the text while there is none. The label is made when it is first needed.
    func paintPlaceholder(_ text: String, of view: EditorView, on canvas: any Canvas) {
        guard !text.isEmpty else { return }
        let layout = view.layout
        if placeholder?.font != layout.font || placeholder?.settings != layout.fontSettings {
            placeholder = (LineLabel(font: layout.font, sharing: view), layout.font, layout.fontSettings)
        }
        placeholder?.label.text = text
        placeholder?.label.paint(on: canvas, at: view.viewport.documentOriginInWindow, color: theme.placeholder)
    }

    /// The fragments whose ink may be seen in an area of the document.
    private func fragments(
        of scene: TextScene, showingIn area: DocumentRect, touchesEdge: Bool
    ) -> [TextLayoutFragment] {
        // Lines inside the view have been painted, so how far their ink reaches is known; those outside come to be looked at
        // when the view's edge is painted, before they can be seen.
        let margin = touchesEdge ? scene.inkLimit : inkReach
        let line = scene.layout.lineHeight
        let wide = DocumentRect(
            x: area.minX - line, y: area.minY, width: area.width + 2 * line, height: area.height)
        let (fragments, reach) = scene.layout.textLayoutFragments(
            showingIn: wide, margin: margin, limit: scene.inkLimit)
        inkReach = max(inkReach, reach)
        return fragments
    }

    /// Lines under and through text, on whole pixels.
    private func paintLines(
        of decoration: TextDecoration, _ scene: TextScene, within area: DocumentRect, on canvas: any Canvas
    ) {
        let layout = scene.layout
        let parts =
            decoration.goesOnToEdge
            ? layout.geometry.selectionRects(for: decoration.range, within: area)
            : layout.geometry.textSegments(for: decoration.range, within: area)
        for part in parts {
            let fragment = layout.geometry.lineFragment(at: part.utf16Range.lowerBound, affinity: .downstream)
            guard fragment.paintsBaseline(raisedBy: decoration.baselineOffset, limit: scene.inkLimit) else { continue }
            let baseline = fragment.baseline - decoration.baselineOffset
            for line in [decoration.underline, decoration.strikethrough] {
                guard let line else { continue }
                var y = baseline + line.distance
                if line.fit != .free { y = min(y, part.rect.maxY - line.shape.height) }
                if line.fit == .belowBaseline { y = max(y, baseline + 1) }
                let right = max(part.rect.minX + 1, part.rect.maxX - line.gap)
                line.shape.forEachPart(from: part.rect.minX, to: right, y: y.rounded(), within: area) {
                    canvas.fill(scene.viewport.windowRect($0), line.color)
                }
            }
        }
    }
}

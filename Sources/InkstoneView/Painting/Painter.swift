import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Paints a text on a canvas, and records what is on the screen so that damage can be computed (`Painter+Damage`).
///
/// The order is, from back to front: background, lines of carets, custom fragments, colours behind text, glyphs
/// (one batch for each colour), attachments, symbols for white space, lines under and through text, pictures that
/// fade out, caret, handles, scroll bars.
final class Painter {
    /// The colours and distances of the view, in device pixels.
    var theme: Theme
    /// The style of marked text; nil for the style of the ``theme``.
    var markedTextStyle: MarkedTextStyle?
    /// The rectangles of the carets as last painted, in view pixels.
    var shownCarets: [ColoredRect] = []
    /// The view that draws handles.
    var handleView: any TextSelectionHandleView = StandardTextSelectionHandleView()
    /// The rectangles of each handle that are on the screen, or will be when the damage is painted.
    var shownHandles: [[ColoredRect]] = []
    /// The view that draws the highlight of selected text; nil to fill the theme's colour behind the text.
    var highlightView: (any TextSelectionHighlightView)?
    /// Optional aids that are painted with the text, such as symbols for white space.
    var guides: TextGuides = []
    /// The lines with a caret whose background is on the screen, or will be when the damage is painted, in view
    /// pixels.
    var shownCaretLines: [ViewRect] = []
    /// The scroll bars' thumbs that are on the screen, or will be when the damage is painted.
    var shownThumbs = ScrollThumbs()
    /// The scroll bar whose thumb is under the pointer or is being dragged; nil for none.
    var activeThumb: ScrollAxis?
    /// The largest distance found so far by which ink extends above or below its line, in pixels.
    var inkReach = 0.0
    /// The decoded images of attachments.
    let images: AttachmentImages
    /// The pictures of replaced text that are fading out.
    var fades: [TextFade] = []
    /// Whether replaced text fades out at all.
    var animatesText = true
    /// The label of the placeholder, with the font and settings for which it was laid out.
    private var placeholder: (label: LineLabel, font: FontDescriptor, settings: FontSettings)?

    init(theme: Theme, images: AttachmentImages = AttachmentImages()) {
        (self.theme, self.images) = (theme, images)
    }

    /// Paints the part of the text in `visible`. The canvas must be clipped to that rectangle.
    func paintText(of scene: TextScene, on canvas: any Canvas, within visible: ViewRect) {
        let (layout, viewport) = (scene.layout, scene.viewport)
        let area = viewport.documentRect(visible)
        let fragments = fragments(of: scene, showingIn: area, touchesEdge: viewport.touchesEdge(visible))
        guard let first = fragments.first, let last = fragments.last else { return }
        let origin = viewport.documentOriginInWindow
        paintCaretLines(of: scene, on: canvas, within: visible)
        for fragment in fragments { fragment.custom?.draw(fragment, at: origin, on: canvas) }
        let decorations = paintHighlight(of: scene, on: canvas).decorations(
            in: first.utf16Range.lowerBound..<last.utf16Range.upperBound, theme, markedTextStyle)
        for decoration in decorations {
            guard let color = decoration.background else { continue }
            for rect in backgroundRects(of: decoration, scene, within: area) {
                canvas.fill(viewport.windowRect(rect), color)
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
        paintAttachments(of: fragments, scene, within: area, on: canvas)
        paintWhiteSpace(of: fragments, scene, within: area, on: canvas)
        paintLines(of: decorations, scene, within: area, on: canvas)
    }

    /// Paints the carets in `painted`, and records those in `shown`, which also include carets that are off at this
    /// moment of their blinking.
    func paintCarets(
        _ painted: [ColoredRect], of shown: [ColoredRect], on canvas: any Canvas, in viewport: Viewport,
        within visible: ViewRect
    ) {
        shownCarets = shown
        for part in painted where part.rect.intersects(visible) {
            canvas.fill(viewport.windowRect(part.rect), part.color)
        }
    }

    /// Paints the handles at the recorded rectangles.
    func paintHandles(on canvas: any Canvas, in viewport: Viewport, within visible: ViewRect) {
        for part in shownHandles.joined() where part.rect.intersects(visible) {
            canvas.fill(viewport.windowRect(part.rect), part.color)
        }
    }

    /// Paints the selection with ``highlightView``, and returns the scene without its selection. Without a
    /// highlight view, returns the scene unchanged.
    private func paintHighlight(of scene: TextScene, on canvas: any Canvas) -> TextScene {
        guard let highlightView, let selection = scene.selection, !selection.isEmpty else { return scene }
        let area = scene.viewport.visibleDocumentRect
        let pieces = selection.ranges(touching: scene.visibleRange).filter { !$0.isCaret }.flatMap { range in
            scene.layout.geometry.selectionRects(for: range.range, within: area).map {
                TextSelectionRect(
                    rect: scene.viewport.viewRect(cut($0.rect, in: scene)),
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

    /// Paints the scroll bars' thumbs at the recorded rectangles. If the whole strip of a scroll bar is painted,
    /// its present thumb is recorded first.
    func paintThumbs(_ thumbs: ScrollThumbs, on canvas: any Canvas, in viewport: Viewport, within visible: ViewRect) {
        for axis in ScrollAxis.allCases {
            let strip = viewport.scrollBarStrip(axis)
            guard !strip.isEmpty else { continue }
            if visible.intersection(strip) == strip { shownThumbs[axis] = thumbs[axis] }
            guard let thumb = shownThumbs[axis], thumb.intersects(visible) else { continue }
            let color = activeThumb == axis ? theme.activeScrollThumb : theme.scrollThumb
            canvas.fill(viewport.windowRect(thumb.insetBy(1)), color)
        }
    }

    /// Paints the placeholder of an empty text. Its label is created at the first call.
    func paintPlaceholder(
        _ text: String, sharing layout: TextLayoutManager, at origin: WindowPoint, on canvas: any Canvas
    ) {
        guard !text.isEmpty else { return }
        if placeholder?.font != layout.font || placeholder?.settings != layout.fontSettings {
            placeholder = (LineLabel(font: layout.font, sharing: layout), layout.font, layout.fontSettings)
        }
        placeholder?.label.text = text
        placeholder?.label.paint(on: canvas, at: origin, color: theme.placeholder)
    }

    /// Returns the fragments whose ink may be visible in an area of the document.
    private func fragments(
        of scene: TextScene, showingIn area: DocumentRect, touchesEdge: Bool
    ) -> [TextLayoutFragment] {
        // The extent of the ink of visible lines was recorded when they were painted. Lines out of view are
        // examined when an edge of the view is painted, before they scroll into view.
        let margin = touchesEdge ? scene.inkLimit : inkReach
        let line = scene.layout.lineHeight
        let wide = DocumentRect(
            x: area.minX - line, y: area.minY, width: area.width + 2 * line, height: area.height)
        let (fragments, reach) = scene.layout.textLayoutFragments(
            showingIn: wide, margin: margin, limit: scene.inkLimit)
        inkReach = max(inkReach, reach)
        return fragments
    }

    /// Returns a rectangle without the part beyond the edge at which lines wrap. White space hangs over that edge
    /// by a different width on each line. A rectangle that lies wholly beyond the edge is returned unchanged:
    /// selected white space there stays visible.
    private func cut(_ rect: DocumentRect, in scene: TextScene) -> DocumentRect {
        let container = scene.layout.container
        guard container.lineBreakMode != .byClipping else { return rect }
        let (low, high) = (max(0, rect.minX), min(container.width.rounded(.down), rect.maxX))
        guard low < high else { return rect }
        return DocumentRect(x: low, y: rect.minY, width: high - low, height: rect.height)
    }

    /// Returns the rectangles to fill with the colour behind a text: as high as the lines or, in styled text, as
    /// the text's own font.
    private func backgroundRects(
        of decoration: TextDecoration, _ scene: TextScene, within area: DocumentRect
    ) -> [DocumentRect] {
        let geometry = scene.layout.geometry
        guard let box = decoration.box else {
            return geometry.selectionRects(for: decoration.range, within: area).map { cut($0.rect, in: scene) }
        }
        return geometry.textSegments(for: decoration.range, within: area).compactMap { part in
            let line = geometry.lineFragment(at: part.utf16Range.lowerBound, affinity: .downstream)
            let baseline = line.baseline - decoration.baselineOffset
            var rect = part.rect
            let top = max(rect.minY, baseline - box.ascent)
            let bottom = min(rect.maxY, baseline + box.descent)
            (rect.origin.y, rect.size.height) = (top, bottom - top)
            return top < bottom ? rect : nil
        }
    }

    /// Paints lines under and through text, on whole pixels.
    private func paintLines(
        of decorations: [TextDecoration], _ scene: TextScene, within area: DocumentRect, on canvas: any Canvas
    ) {
        var rest = decorations[...]
        while let first = rest.first {
            let joined =
                rest.indices.dropFirst().first { !rest[$0].continuesUnderline(of: rest[$0 - 1]) } ?? rest.endIndex
            if first.underline != nil {
                for piece in underlines(of: rest[..<joined], scene, within: area) {
                    piece.paint(scene, area, on: canvas)
                }
            }
            for decoration in rest[..<joined] {
                guard let line = decoration.strikethrough else { continue }
                for piece in pieces(of: line, decoration, scene, within: area) { piece.paint(scene, area, on: canvas) }
            }
            rest = rest[joined...]
        }
    }

    /// Returns the underlines of adjacent decorations on one baseline. On each line of text, all are at the lowest
    /// position and have the largest thickness among the decorations, and those that touch and look the same are
    /// joined.
    private func underlines(
        of run: ArraySlice<TextDecoration>, _ scene: TextScene, within area: DocumentRect
    ) -> [LinePiece] {
        // Measure whole visible lines: an underline must not depend on the part of the line that is painted.
        let shown = scene.viewport.visibleDocumentRect
        let band =
            run.count == 1 ? area : DocumentRect(x: shown.minX, y: area.minY, width: shown.width, height: area.height)
        var pieces = run.flatMap { decoration in
            decoration.underline.map { self.pieces(of: $0, decoration, scene, within: band) } ?? []
        }
        guard run.count > 1 else { return pieces }
        pieces.sort { ($0.box.minY, $0.left) < ($1.box.minY, $1.left) }
        var result: [LinePiece] = []
        var rest = pieces[...]
        while let first = rest.first {
            let line = rest.prefix { $0.box.minY == first.box.minY }
            let distance = line.map(\.line.distance).max() ?? 0
            let thickness = line.map(\.line.shape.thickness).max() ?? 1
            var joined: [LinePiece] = []
            for var piece in line {
                piece.line.distance = distance
                piece.line.shape = LineShape(style: piece.line.shape.style, thickness: thickness)
                if let last = joined.last, last.right == piece.left, last.line == piece.line {
                    joined[joined.count - 1].join(piece)
                } else {
                    joined.append(piece)
                }
            }
            result += joined
            rest = rest[line.endIndex...]
        }
        return result
    }

    /// Returns the boxes and underlines of a mark on a range, one for each visible line, in order.
    func markPaths(
        of range: Range<UTF16Offset>, style: RenderingAttributes.LineStyle, in scene: TextScene
    ) -> [TextMarkPath] {
        let area = scene.viewport.visibleDocumentRect
        // Use only the visible part: a text may have a million decorations.
        let range = range.clamped(into: scene.visibleRange)
        let mark = RenderingAttributes(underline: style)
        var (runs, low) = ([RenderingRun](), range.lowerBound)
        for run in scene.layout.decoratedRuns(in: range) {
            let part = max(low, run.range.lowerBound)..<min(range.upperBound, run.range.upperBound)
            guard part.lowerBound < part.upperBound else { continue }
            if low < part.lowerBound { runs.append(RenderingRun(range: low..<part.lowerBound, attributes: mark)) }
            var styled = run.attributes
            styled.underline = style
            runs.append(RenderingRun(range: part, attributes: styled))
            low = part.upperBound
        }
        if low < range.upperBound { runs.append(RenderingRun(range: low..<range.upperBound, attributes: mark)) }
        let decorations = LayerDecorations(
            layout: scene.layout, textColor: theme.text, linkColor: theme.link
        ).decorations(of: runs)
        var (paths, rest) = ([TextMarkPath](), decorations[...])
        while !rest.isEmpty {
            let end =
                rest.indices.dropFirst().first { !rest[$0].continuesUnderline(of: rest[$0 - 1]) } ?? rest.endIndex
            paths += underlines(of: rest[..<end], scene, within: area).map { $0.path(scene, area) }
            rest = rest[end...]
        }
        return paths.sorted { ($0.box.minY, $0.box.minX) < ($1.box.minY, $1.box.minX) }
    }

    private func pieces(
        of line: TextDecoration.Line, _ decoration: TextDecoration, _ scene: TextScene, within area: DocumentRect
    ) -> [LinePiece] {
        let geometry = scene.layout.geometry
        let parts =
            decoration.goesOnToEdge
            ? geometry.selectionRects(for: decoration.range, within: area)
            : geometry.textSegments(for: decoration.range, within: area)
        return parts.compactMap { part in
            let fragment = geometry.lineFragment(at: part.utf16Range.lowerBound, affinity: .downstream)
            guard fragment.paintsBaseline(raisedBy: decoration.baselineOffset, limit: scene.inkLimit) else {
                return nil
            }
            return LinePiece(
                line: line, range: part.utf16Range, box: part.rect, left: part.rect.minX, right: part.rect.maxX,
                baseline: fragment.baseline - decoration.baselineOffset)
        }
    }
}

/// A piece of an underline or strikethrough, on one line of text, in document pixels.
private struct LinePiece {
    var line: TextDecoration.Line
    /// The range of the underlined or struck-out text, in UTF-16 units.
    var range: Range<UTF16Offset>
    /// The box of that text on its line.
    var box: DocumentRect
    var left: Double
    var right: Double
    var baseline: Double

    /// Extends the piece by the piece to its right.
    mutating func join(_ next: LinePiece) {
        range = min(range.lowerBound, next.range.lowerBound)..<max(range.upperBound, next.range.upperBound)
        box = box.union(next.box)
        right = next.right
    }

    func path(_ scene: TextScene, _ area: DocumentRect) -> TextMarkPath {
        var parts: [ViewRect] = []
        forEachPart(within: area) { parts.append(scene.viewport.viewRect($0)) }
        return TextMarkPath(range: range, box: scene.viewport.viewRect(box), underline: parts)
    }

    func paint(_ scene: TextScene, _ area: DocumentRect, on canvas: any Canvas) {
        forEachPart(within: area) { canvas.fill(scene.viewport.windowRect($0), line.color) }
    }

    private func forEachPart(within area: DocumentRect, _ body: (DocumentRect) -> Void) {
        var y = baseline + line.distance
        if line.fit != .free { y = min(y, box.maxY - line.shape.height) }
        if line.fit == .belowBaseline { y = max(y, baseline + 1) }
        let right = max(left + 1, right - line.gap)
        line.shape.forEachPart(from: left, to: right, y: y.rounded(), within: area, body)
    }
}

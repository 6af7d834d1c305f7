public import InkstoneBase
public import InkstoneLayout
import InkstoneText

/// A mark along text on one line: its box and its underline, for hosts that draw marks or find the one under the pointer.
public struct TextMarkPath: Hashable, Sendable {
    /// The text, in UTF-16 units.
    public let range: Range<UTF16Offset>
    /// The box of the text, as high as its line, in view pixels.
    public let box: ViewRect
    /// The rectangles of the underline, on whole pixels of the view, in the order from the left.
    public let underline: [ViewRect]
}

/// Pictures of text, and the paths of marks.
extension EditorView {
    /// Whether text fades where ``fadeOutText(of:)`` is called. True at first; in an X window, the desktop's setting.
    public var animatesText: Bool {
        get { presenter.painter.animatesText }
        set { presenter.painter.animatesText = newValue }
    }

    /// Returns pictures of the text of a range, one for each line in sight, from the top to the bottom. The range, in UTF-16 units, is clamped.
    /// Needs no display. O(n) for the text of the lines.
    public func previews(of range: Range<UTF16Offset>) -> [TextPreview] {
        var scene = presenter.scene
        (scene.selection, scene.markedText) = (nil, nil)
        let range = range.clamped(into: textRange)
        let segments = layout.geometry.textSegments(for: range, within: viewport.visibleDocumentRect)
        var lines: [[TextSegment]] = []
        for segment in segments where segment.rect.width > 0 {
            if lines.last?.last?.rect.minY == segment.rect.minY {
                lines[lines.count - 1].append(segment)
            } else {
                lines.append([segment])
            }
        }
        // The painter of the view records what is on the screen, which pictures are not.
        let painter = Painter(theme: theme, images: presenter.painter.images)
        return lines.map { segments in
            let parts = segments.map { viewport.viewRect($0.rect) }
            let rect = parts.dropFirst().reduce(parts[0]) { $0.union($1) }
            let low = segments.map(\.utf16Range.lowerBound).min() ?? range.lowerBound
            let high = segments.map(\.utf16Range.upperBound).max() ?? range.upperBound
            let canvas = PictureCanvas(size: frame.size)
            painter.paintText(of: scene, on: canvas, within: rect)
            let line = layout.geometry.lineFragment(at: low, affinity: .downstream)
            let baseline = viewport.viewRect(line.typographicBounds).minY + line.baseline - line.top
            return TextPreview(
                range: low..<high, rect: rect, baseline: baseline, parts: parts, operations: canvas.operations,
                origin: viewport.windowRect(rect).origin)
        }
    }

    /// Keeps pictures of text that is about to be replaced, and fades them out over what comes in its place, within 200 ms. Has no effect unless
    /// ``animatesText``. The ranges, in UTF-16 units, are clamped; text out of sight and more than 64 lines change at once.
    public func fadeOutText(of ranges: [Range<UTF16Offset>]) {
        guard animatesText else { return }
        let painter = presenter.painter
        let now = presenter.clock()
        painter.damageFades(at: now, in: presenter.scene, presenter.report)
        var room = TextFade.lineLimit - painter.fades.reduce(0) { $0 + $1.previews.count }
        var made: [TextPreview] = []
        // There may be very many, hardly any of which are in sight.
        let visible = presenter.scene.visibleRange
        for range in ranges where room > 0 && range.overlaps(visible) {
            let previews = previews(of: range).prefix(room)
            made += previews
            room -= previews.count
        }
        guard !made.isEmpty else { return }
        painter.fades.append(TextFade(made, at: now, in: presenter.scene))
        deadlineDidChange()
    }

    /// Returns the boxes and underlines of a mark on a range, one for each line in sight and stretch of one direction. The range, in UTF-16 units,
    /// is clamped. ``addDecorations(_:looking:in:showsEmpty:)`` with the same style paints the same underlines.
    public func markPaths(
        of range: Range<UTF16Offset>, style: RenderingAttributes.LineStyle = .wavy
    ) -> [TextMarkPath] {
        presenter.painter.markPaths(of: range.clamped(into: textRange), style: style, in: presenter.scene)
    }
}

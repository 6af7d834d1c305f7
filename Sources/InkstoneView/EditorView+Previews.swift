public import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A mark along text on one line: its box and its underline. For hosts that draw marks themselves, or that look for
/// the mark under the pointer.
public struct TextMarkPath: Hashable, Sendable {
    /// The range of the text, in UTF-16 units.
    public let range: Range<UTF16Offset>
    /// The box of the text, as high as its line, in view pixels.
    public let box: ViewRect
    /// The rectangles of the underline, on whole pixels of the view, from left to right.
    public let underline: [ViewRect]
}

/// Pictures of text, and the boxes and underlines of marks such as those of spelling errors.
extension EditorView {
    /// Whether ``fadeOutText(of:)`` has an effect. True at first; in an X window, it follows the desktop's setting.
    public var animatesText: Bool {
        get { presenter.painter.animatesText }
        set { presenter.painter.animatesText = newValue }
    }

    /// Returns pictures of the text in a range, one for each visible line, from top to bottom. The range, in UTF-16
    /// units, is clamped to the text. Needs no display. O(n) for the text of these lines.
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
        // Use a separate painter: the view's painter records what is on the screen.
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

    /// Takes pictures of text that is about to be replaced, and lets them fade out over the new text within 200 ms.
    /// Has no effect unless ``animatesText``. The ranges, in UTF-16 units, are clamped to the text. At most 64
    /// lines fade at a time: further lines, and text out of view, change at once.
    public func fadeOutText(of ranges: [Range<UTF16Offset>]) {
        guard animatesText else { return }
        let painter = presenter.painter
        let now = presenter.clock()
        painter.damageFades(at: now, in: presenter.scene, presenter.report)
        var room = TextFade.lineLimit - painter.fades.reduce(0) { $0 + $1.previews.count }
        var made: [TextPreview] = []
        // Skip the ranges out of view first: there may be very many, and a picture is only taken of visible text.
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

    /// Returns the boxes and underlines of a mark on a range, one for each visible line and run of one direction.
    /// The range, in UTF-16 units, is clamped to the text. ``addDecorations(_:attributes:in:showsEmpty:)`` with the
    /// same style paints the same underlines.
    public func markPaths(
        of range: Range<UTF16Offset>, style: RenderingAttributes.LineStyle = .wavy
    ) -> [TextMarkPath] {
        presenter.painter.markPaths(of: range.clamped(into: textRange), style: style, in: presenter.scene)
    }
}

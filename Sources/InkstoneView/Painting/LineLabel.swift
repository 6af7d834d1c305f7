import InkstoneBase
import InkstoneLayout

/// Read-only text, for example in a status line: on one line or, if ``width`` is set, wrapped. It is painted as in
/// a text view. A value: to find what must be repainted, compare a new label with a copy of the label that is
/// shown.
public struct LineLabel {
    private let layout: LabelLayout
    private var laid: LaidLabel

    /// The text of the label. Newlines are displayed as spaces. Setting another text is O(n).
    public var text: String {
        didSet { if text != oldValue { laid = layout.layOut(Self.onOneLine(text), width: width) } }
    }

    /// The width in device pixels at which the text is wrapped; nil for one line, however long.
    public var width: Double? {
        didSet { if width != oldValue { laid = layout.layOut(Self.onOneLine(text), width: width) } }
    }

    /// Creates an empty label. The size of its font is in device pixels. The label has the font settings of a view,
    /// and shares the view's open fonts.
    public init(font: FontDescriptor, sharing view: EditorView) { self.init(font: font, sharing: view.layout) }

    /// Creates an empty label. The size of its font is in device pixels. The label has the font settings of a
    /// layout, and shares the layout's open fonts.
    init(font: FontDescriptor, sharing other: TextLayoutManager) {
        text = ""
        layout = LabelLayout(font: font, sharing: other)
        laid = layout.layOut("", width: nil)
    }

    /// Creates an empty label with fonts of its own, shared only with its copies: for a window without text views.
    ///
    /// - Parameters:
    ///   - font: the font, its size in device pixels.
    ///   - settings: the settings for rendering glyphs, such as the `layoutFontSettings` of a display.
    public init(font: FontDescriptor, settings: FontSettings = FontSettings()) {
        text = ""
        layout = LabelLayout(font: font, settings: settings)
        laid = layout.layOut("", width: nil)
    }

    // MARK: Carets

    /// Returns the x of the caret at an offset in the first line, in pixels from the left edge. The offset, in UTF-16
    /// units, is clamped to that line. O(n).
    public func caretX(at offset: UTF16Offset) -> Double { laid.caretX(at: offset.value) }

    /// Returns the offset in the first line whose caret is closest to an x, in UTF-16 units. O(n).
    public func offset(closestTo x: Double) -> UTF16Offset { UTF16Offset(laid.offset(closestTo: x)) }

    /// Returns the horizontal spans that a range of UTF-16 units covers in the first line, in pixels from the left
    /// edge: more than one if the range contains both directions. O(n).
    public func spans(of range: Range<UTF16Offset>) -> [Range<Double>] {
        laid.spans(of: range.lowerBound.value..<range.upperBound.value)
    }

    /// The size of the laid-out text in device pixels.
    public var size: Size {
        Size(width: width ?? laid.size.width, height: laid.size.height)
    }

    /// Distance from the top edge to the first line's baseline, in device pixels.
    public var baseline: Double { laid.fragment.textLineFragments[0].baseline }

    /// Returns the span to repaint when this label replaces another one of the same font, in pixels from the left
    /// edge. Nil if both look the same. O(n).
    public func changes(from old: LineLabel) -> Range<Double>? {
        text == old.text && width == old.width ? nil : laid.changes(from: old.laid)
    }

    /// Paints the text with its top left corner at `origin`, in window pixels. Only the canvas's clip limits the
    /// painting.
    ///
    /// - Parameter span: the part to paint, in pixels from the left edge. Glyphs that are far from it are omitted.
    public func paint(
        on canvas: any Canvas, at origin: WindowPoint, color: Color, within span: Range<Double>? = nil
    ) {
        let span = span ?? 0..<Double.greatestFiniteMagnitude
        let area = DocumentRect(
            x: span.lowerBound, y: 0, width: span.upperBound - span.lowerBound, height: laid.size.height)
        var batch = GlyphBatch(origin: origin, color: color)
        batch.append(laid.fragment, within: area, limit: Int32(laid.lineHeight))
        batch.draw(on: canvas)
    }

    private static func onOneLine(_ text: String) -> String {
        // Check scalars first: iterating characters is slow, and hardly any text has newlines.
        let hasNewline = text.unicodeScalars.contains {
            $0.value >= 0x0a && $0.value <= 0x0d || $0.value == 0x85 || $0.value == 0x2028 || $0.value == 0x2029
        }
        return hasNewline ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }
}

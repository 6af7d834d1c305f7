import InkstoneBase
import InkstoneLayout

/// A line of text to look at, painted like a text view's: for status lines and the like. A value: what was shown before can be
/// kept and compared with.
public struct LineLabel {
    private let layout: LabelLayout
    private var laid: LaidLabel

    /// The text; newlines show as spaces. O(n) to set if it is another.
    public var text: String {
        didSet { if text != oldValue { laid = layout.lay(Self.onOneLine(text), width: width) } }
    }

    /// The width in device pixels that the text is wrapped at; nil for one line, however long.
    public var width: Double? {
        didSet { if width != oldValue { laid = layout.lay(Self.onOneLine(text), width: width) } }
    }

    /// An empty label in a font whose size is in device pixels, with the font settings of a view; fonts that are open there
    /// are not opened again.
    public init(font: FontDescriptor, sharing view: EditorView) {
        text = ""
        layout = LabelLayout(font: font, sharing: view.layout)
        laid = layout.lay("", width: nil)
    }

    /// An empty label whose fonts are opened for it and its copies alone: for a window without text views.
    ///
    /// - Parameters:
    ///   - font: the font, its size in device pixels.
    ///   - settings: how glyphs are rendered: `layoutFontSettings` of a display.
    public init(font: FontDescriptor, settings: FontSettings = FontSettings()) {
        text = ""
        layout = LabelLayout(font: font, settings: settings)
        laid = layout.lay("", width: nil)
    }

    // MARK: Carets

    /// The x of a caret in the first line, in pixels from the left edge. The offset, in UTF-16 units, is clamped. O(n).
    public func caretX(at offset: UTF16Offset) -> Double { laid.caretX(at: offset.value) }

    /// The place for a caret in the first line that is closest to an x, in UTF-16 units. O(n).
    public func offset(closestTo x: Double) -> UTF16Offset { UTF16Offset(laid.offset(closestTo: x)) }

    /// The stretches that a range covers in the first line, in pixels from the left edge and in UTF-16 units: several where directions meet.
    /// O(n).
    public func spans(of range: Range<UTF16Offset>) -> [Range<Double>] {
        laid.spans(of: range.lowerBound.value..<range.upperBound.value)
    }

    /// Extent of the text in device pixels.
    public var size: Size {
        Size(width: width ?? laid.size.width, height: laid.size.height)
    }

    /// From the top edge to the first line's baseline, in device pixels.
    public var baseline: Double { laid.fragment.textLineFragments[0].baseline }

    /// The stretch that has to be painted anew where another label of the same font was, in pixels from the left edge; nil if
    /// both look the same. O(n).
    public func changes(from old: LineLabel) -> Range<Double>? {
        text == old.text && width == old.width ? nil : laid.changes(from: old.laid)
    }

    /// Paints the text with its top left corner at `origin`, in window pixels; clipped by the canvas's clip alone.
    ///
    /// - Parameter span: what is painted, in pixels from the left edge; glyphs whose pen is far from it are left out.
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
        // By scalars first: characters take long, and hardly any text has newlines.
        let hasNewline = text.unicodeScalars.contains {
            $0.value >= 0x0a && $0.value <= 0x0d || $0.value == 0x85 || $0.value == 0x2028 || $0.value == 0x2029
        }
        return hasNewline ? String(text.map { $0.isNewline ? " " : $0 }) : text
    }
}

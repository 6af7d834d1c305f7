import CShaping
import InkstoneBase
import InkstoneText

/// Colours and lines of a range of text. They do not affect layout.
public struct RenderingAttributes: Hashable, Sendable {
    /// The shape of an underline or strikethrough.
    public enum LineStyle: String, Sendable, Hashable {
        /// A single line.
        case single
        /// A single line of double thickness, used for an input method's target clause.
        case thick
        /// Two lines.
        case double
        /// A dotted line.
        case dotted
        /// A dashed line.
        case dashed
        /// A wavy line, used for misspelled words.
        case wavy
    }

    /// Colour of the glyphs; nil for the default.
    public var foreground: Color?
    /// Colour of the background; nil for none.
    public var background: Color?
    /// Shape of the underline; nil for none.
    public var underline: LineStyle?
    /// Colour of the underline; nil for the colour of the glyphs.
    public var underlineColor: Color?
    /// Shape of the strikethrough; nil for none.
    public var strikethrough: LineStyle?
    /// Colour of the strikethrough; nil for the colour of the glyphs.
    public var strikethroughColor: Color?
    /// Whether glyphs without a ``foreground`` have the theme's link colour. Set only by the text's own attributes.
    package internal(set) var isLink = false
    /// Distance of the text's baseline above the line's baseline, in device pixels; underline and strikethrough are
    /// placed relative to it. Set only by the text's own attributes.
    package internal(set) var baselineOffset = 0.0
    /// Font that determines the position of underline and strikethrough, and the height of the background; nil for
    /// the layout's font. Set only by the text's own attributes.
    package internal(set) var font: FontDescriptor?

    /// Creates attributes that set only the given values.
    public init(
        foreground: Color? = nil, background: Color? = nil, underline: LineStyle? = nil, underlineColor: Color? = nil,
        strikethrough: LineStyle? = nil, strikethroughColor: Color? = nil
    ) {
        self.foreground = foreground
        self.background = background
        self.underline = underline
        self.underlineColor = underlineColor
        self.strikethrough = strikethrough
        self.strikethroughColor = strikethroughColor
    }

    /// Returns these attributes, overridden by the ones that `other` sets.
    public func merging(_ other: Self) -> Self {
        var result = Self(
            foreground: other.foreground ?? foreground, background: other.background ?? background,
            underline: other.underline ?? underline, underlineColor: other.underlineColor ?? underlineColor,
            strikethrough: other.strikethrough ?? strikethrough,
            strikethroughColor: other.strikethroughColor ?? strikethroughColor)
        result.isLink = isLink || other.isLink
        result.baselineOffset = other.baselineOffset != 0 ? other.baselineOffset : baselineOffset
        result.font = other.font ?? font
        return result
    }
}

/// A range of text with the same rendering attributes.
public struct RenderingRun: Hashable, Sendable {
    /// Range in UTF-16 units of the document.
    public var range: Range<UTF16Offset>
    /// The rendering attributes of the run.
    public var attributes: RenderingAttributes

    /// Creates a run of text with rendering attributes.
    public init(range: Range<UTF16Offset>, attributes: RenderingAttributes) {
        self.range = range
        self.attributes = attributes
    }
}

extension TextLayoutManager {
    /// Returns the runs to paint in a range, in order and without overlap. The decorations of all layers override the
    /// text's own attributes, and higher layers override lower ones. Masked text has no attributes of its own. O(log n
    /// + k log k) for k runs, if few decorations overlap.
    public func decoratedRuns(in range: Range<UTF16Offset>) -> [RenderingRun] {
        let range = clamped(range)
        let decorated = decorations.runs(in: range)
        let setting = document.setting
        // Leave attributes out: they would reveal which of the masked characters are underlined or coloured.
        let own = setting.options.masksCharacters ? [] : setting.styles.renderingRuns(of: store.styledText, in: range)
        return own.isEmpty ? decorated : DecorationLayers.flattened(own + decorated)
    }

    /// Returns the decorations of empty ranges in all layers that lie within a range or at its ends. O(log n + k)
    /// for k decorations.
    package func decoratedPlaces(in range: Range<UTF16Offset>) -> [RenderingRun] {
        decorations.places(in: clamped(range))
    }

    private func clamped(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = UTF16Offset(document.clamped(range.lowerBound))
        return low..<max(low, UTF16Offset(document.clamped(range.upperBound)))
    }

    /// The positions of underline and strikethrough, and the extent, of text in the layout's own font.
    package var decorationMetrics: DecorationMetrics { DecorationMetrics(document.setting.stack.primary) }

    /// Returns the positions of underline and strikethrough, and the extent, of text in another font.
    package func decorationMetrics(of font: FontDescriptor) -> DecorationMetrics {
        DecorationMetrics(document.tools.context.stack(for: font).primary)
    }

    /// Returns the vertical extent that text with certain attributes would have, independent of its line.
    package func textBox(of attributes: TextAttributes) -> TextBox {
        let setting = document.setting
        let style = setting.styles.style(of: AttributeRuns(length: 1, attributes).id(at: 0))
        let font = style.font ?? setting.options.font
        let metrics = decorationMetrics(of: font)
        return TextBox(
            ascent: metrics.ascent + style.baselineOffset, descent: metrics.descent - style.baselineOffset,
            leans: font.slant == .italic || font.slant == .oblique)
    }
}

/// The positions of underline and strikethrough in a font, and the font's extent, in whole pixels.
package struct DecorationMetrics: Hashable, Sendable {
    /// Distance of the underline's top below the baseline.
    package var underlineOffset: Double
    /// Distance of the strikethrough's top above the baseline.
    package var strikethroughOffset: Double
    /// Thickness of underline and strikethrough, at least 1.
    package var thickness: Double
    /// Extent above the baseline of a line that contains only this font.
    package var ascent: Double
    /// Extent below the baseline of a line that contains only this font.
    package var descent: Double

    init(_ face: FontFace) {
        let metrics = face.metrics
        thickness = max(1, Double((metrics.underline_thickness + 32) >> 6))
        let below = metrics.underline_thickness > 0 ? Double((metrics.underline_offset + 32) >> 6) : 1
        let strike = metrics.strike_offset > 0 ? metrics.strike_offset >> 6 : metrics.ascent * 3 / 10
        underlineOffset = min(max(1, below), max(1, Double(metrics.descent) - thickness))
        strikethroughOffset = Double(strike) + (thickness / 2).rounded(.up)
        let box = LineHeights.box(face, .natural)
        (ascent, descent) = (Double(box.above), Double(box.below))
    }
}

/// The vertical extent of text above and below the line's baseline in pixels, and whether its letters are slanted.
package struct TextBox: Hashable, Sendable {
    package var ascent: Double
    package var descent: Double
    package var leans: Bool
}

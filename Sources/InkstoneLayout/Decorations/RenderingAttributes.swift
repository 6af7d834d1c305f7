import CShaping
import InkstoneBase
import InkstoneText

/// Colours and lines of a stretch of text beyond its own font. They are no part of the text, of undo or of copies, and do not affect
/// layout.
public struct RenderingAttributes: Hashable, Sendable {
    /// The shape of a line under or through text.
    public enum LineStyle: String, Sendable, Hashable {
        /// A single line.
        case single
        /// A single line of double thickness: an input method's target clause.
        case thick
        /// Two lines.
        case double
        /// Dots.
        case dotted
        /// Dashes.
        case dashed
        /// A wave: misspelled words.
        case wavy
    }

    /// Colour of the glyphs; nil for the default.
    public var foreground: Color?
    /// Colour behind the text; nil for none.
    public var background: Color?
    /// Line under the text; nil for none.
    public var underline: LineStyle?
    /// Colour of the underline; nil for the glyphs' colour.
    public var underlineColor: Color?
    /// Line through the text; nil for none.
    public var strikethrough: LineStyle?
    /// Colour of the line through the text; nil for the glyphs' colour.
    public var strikethroughColor: Color?
    /// Whether glyphs without a ``foreground`` have the theme's colour of links. Only set from the text's attributes.
    package internal(set) var isLink = false
    /// Distance of the text's baseline, on which its lines are based, above the line's baseline; device pixels. Only set from the text's
    /// attributes.
    package internal(set) var baselineOffset = 0.0
    /// Font whose metrics the lines and the background have; nil for the layout's own. Only set from the text's attributes.
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

    /// Returns these attributes, overridden by those that `other` sets.
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

/// A stretch of text with the same rendering attributes.
public struct RenderingRun: Hashable, Sendable {
    /// UTF-16 units of the document; not empty.
    public var range: Range<UTF16Offset>
    /// The rendering attributes of the run.
    public var attributes: RenderingAttributes

    /// Creates a run.
    public init(range: Range<UTF16Offset>, attributes: RenderingAttributes) {
        self.range = range
        self.attributes = attributes
    }
}

extension TextLayoutManager {
    /// Returns the runs to paint in a range, the text's own attributes under those of all layers: in order and without overlap,
    /// higher layers over lower ones. Masked text has no attributes of its own. O(log n + k log k).
    public func decoratedRuns(in range: Range<UTF16Offset>) -> [RenderingRun] {
        let range = clamped(range)
        let decorated = decorations.runs(in: range)
        let setting = document.setting
        // Attributes would reveal which of the masked characters are underlined or coloured.
        let own = setting.options.masksCharacters ? [] : setting.styles.renderingRuns(of: store.styledText, in: range)
        return own.isEmpty ? decorated : DecorationLayers.flattened(own + decorated)
    }

    /// Returns the decorations of all layers that have no text and lie in a range or at its ends. O(log n + k).
    package func decoratedPlaces(in range: Range<UTF16Offset>) -> [RenderingRun] {
        decorations.places(in: clamped(range))
    }

    private func clamped(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = UTF16Offset(document.clamped(range.lowerBound))
        return low..<max(low, UTF16Offset(document.clamped(range.upperBound)))
    }

    /// The metrics of decorations along text of the layout's own font.
    public var decorationMetrics: DecorationMetrics { DecorationMetrics(document.setting.stack.primary) }

    /// Returns the metrics of decorations along text of another font.
    package func decorationMetrics(of font: FontDescriptor) -> DecorationMetrics {
        DecorationMetrics(document.tools.context.stack(for: font).primary)
    }

    /// Returns the box that text with certain attributes would have, regardless of any line.
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

/// The metrics of decorations along text of a font, in whole pixels.
public struct DecorationMetrics: Hashable, Sendable {
    /// Distance of an underline's top below the baseline.
    public var underlineOffset: Double
    /// Distance of a strikethrough's top above the baseline.
    public var strikethroughOffset: Double
    /// Thickness of both, at least 1.
    public var thickness: Double
    /// Height above the baseline of a line that has only this font.
    public var ascent: Double
    /// Height below the baseline of such a line.
    public var descent: Double

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

/// The box of text on its line: distances above and below the line's baseline in pixels, and whether it leans to the right.
package struct TextBox: Hashable, Sendable {
    package var ascent: Double
    package var descent: Double
    package var leans: Bool
}

import CShaping
import InkstoneBase
import InkstoneText

/// How a stretch of text is painted beyond its own font: no part of the text, of undo or of copies, and no reason to
/// lay anything out anew.
public struct RenderingAttributes: Hashable, Sendable {
    /// The shape of a line under or through text.
    public enum LineStyle: String, Sendable, Hashable {
        /// One line.
        case single
        /// One line of double thickness: an input method's target clause.
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

    /// Colour of the glyphs; nil for the usual one.
    public var foreground: Color?
    /// Colour behind the text; nil for none.
    public var background: Color?
    /// Line under the text; nil for none.
    public var underline: LineStyle?
    /// Its colour; nil for that of the glyphs.
    public var underlineColor: Color?
    /// Line through the text; nil for none.
    public var strikethrough: LineStyle?
    /// Distance of the text's baseline above that of its line, where the lines go; device pixels. Set by the text's attributes alone.
    package internal(set) var baselineOffset = 0.0
    /// Font of underlined or struck text, whose metrics the lines have; nil for the layout's own. Set by the text's attributes alone.
    package internal(set) var font: FontDescriptor?

    /// Nothing special.
    public init(
        foreground: Color? = nil, background: Color? = nil, underline: LineStyle? = nil, underlineColor: Color? = nil,
        strikethrough: LineStyle? = nil
    ) {
        self.foreground = foreground
        self.background = background
        self.underline = underline
        self.underlineColor = underlineColor
        self.strikethrough = strikethrough
    }

    /// These attributes with those that `other` sets taking their place.
    public func merging(_ other: Self) -> Self {
        var result = Self(
            foreground: other.foreground ?? foreground, background: other.background ?? background,
            underline: other.underline ?? underline, underlineColor: other.underlineColor ?? underlineColor,
            strikethrough: other.strikethrough ?? strikethrough)
        result.baselineOffset = other.baselineOffset != 0 ? other.baselineOffset : baselineOffset
        result.font = other.font ?? font
        return result
    }
}

/// A stretch of text painted in one way.
public struct RenderingRun: Hashable, Sendable {
    /// UTF-16 units of the document; not empty.
    public var range: Range<UTF16Offset>
    /// How it is painted.
    public var attributes: RenderingAttributes

    /// A stretch and its look.
    public init(range: Range<UTF16Offset>, attributes: RenderingAttributes) {
        self.range = range
        self.attributes = attributes
    }
}

extension TextLayoutManager {
    /// What is painted in a range, of the text's own attributes and over them of all layers: in order and without overlap,
    /// higher layers over lower ones. Text that is masked has nothing of its own. O(log n + k log k).
    public func decoratedRuns(in range: Range<UTF16Offset>) -> [RenderingRun] {
        let range = clamped(range)
        let decorated = decorations.runs(in: range)
        let setting = document.setting
        // Bullets would tell which of the characters are underlined or coloured.
        let own = setting.options.masksCharacters ? [] : setting.styles.renderingRuns(of: store.styledText, in: range)
        return own.isEmpty ? decorated : DecorationLayers.flattened(own + decorated)
    }

    /// The decorations of all layers that have no text and lie in a range or at its ends. O(log n + k).
    package func decoratedPlaces(in range: Range<UTF16Offset>) -> [RenderingRun] {
        decorations.places(in: clamped(range))
    }

    private func clamped(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = UTF16Offset(document.clamped(range.lowerBound))
        return low..<max(low, UTF16Offset(document.clamped(range.upperBound)))
    }

    /// The place of lines under and through text of the layout's own font, in whole pixels: the distance of the underline's top
    /// below the baseline, the distance of the strikethrough's top above it, and the thickness of both (at least 1).
    public var decorationMetrics: (underlineOffset: Double, strikethroughOffset: Double, thickness: Double) {
        decorationMetrics(of: document.setting.stack)
    }

    /// The same for another font.
    package func decorationMetrics(
        of font: FontDescriptor
    ) -> (underlineOffset: Double, strikethroughOffset: Double, thickness: Double) {
        decorationMetrics(of: document.tools.context.stack(for: font))
    }

    private func decorationMetrics(
        of stack: FontStack
    ) -> (underlineOffset: Double, strikethroughOffset: Double, thickness: Double) {
        let metrics = stack.primary.metrics
        let thickness = max(1, Double((metrics.underline_thickness + 32) >> 6))
        let below = metrics.underline_thickness > 0 ? Double((metrics.underline_offset + 32) >> 6) : 1
        let strike = metrics.strike_offset > 0 ? metrics.strike_offset >> 6 : metrics.ascent * 3 / 10
        return (
            min(max(1, below), max(1, Double(metrics.descent) - thickness)),
            Double(strike) + (thickness / 2).rounded(.up),
            thickness
        )
    }
}

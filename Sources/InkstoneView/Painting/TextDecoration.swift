import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// The decoration of a range of text: the background, the colour of the glyphs, and the lines under and through
/// them.
struct TextDecoration: Hashable {
    /// The limits for the position of an underline or strikethrough.
    enum Fit: Hashable {
        /// The line may be at any height.
        case free
        /// The line stays within the box of its line of text.
        case inLine
        /// The line stays below the baseline and, if there is room, within the box of its line of text.
        case belowBaseline
    }

    /// An underline or strikethrough.
    struct Line: Hashable {
        /// The distance of the line's top edge from the baseline, in pixels, down if positive.
        var distance: Double
        var shape: LineShape
        var color: Color
        /// The limits of the line's position. A line that stays within the box of its line of text does not overlap the
        /// text below, and need not be painted again with that text.
        var fit = Fit.inLine
        /// The length, in pixels, that is left out at the line's end, to make a gap before the line of the next
        /// decoration.
        var gap = 0.0
    }

    /// The decorated range, in UTF-16 units of the document; not empty.
    var range: Range<UTF16Offset>
    /// Colour behind the text; nil for none.
    var background: Color?
    /// The colour of the glyphs; nil for the view's text colour.
    var foreground: Color?
    var underline: Line?
    var strikethrough: Line?
    /// The distance of the text's baseline above the baseline of its line, in pixels.
    var baselineOffset = 0.0
    /// The metrics of the text's font, if the background is as high as this font; nil for a background as high as
    /// the line.
    var box: DecorationMetrics?
    /// Whether underlines, like backgrounds as high as the line, continue to the container's edge on lines whose end is
    /// in the range.
    var goesOnToEdge = false

    /// Returns whether this decoration's underline continues the one of `other`, the decoration before it.
    func continuesUnderline(of other: TextDecoration) -> Bool {
        guard let underline, let before = other.underline, other.range.upperBound == range.lowerBound else {
            return false
        }
        return underline.shape.style == before.shape.style && underline.fit == .belowBaseline
            && before.fit == .belowBaseline
            && baselineOffset == other.baselineOffset
    }
}

/// The decorations that come from the layers of a layout: search matches, spelling, the program's own.
struct LayerDecorations {
    let layout: TextLayoutManager
    let textColor: Color
    let linkColor: Color

    /// Returns the decorations of a range, in order and without overlap.
    func decorations(in range: Range<UTF16Offset>) -> [TextDecoration] {
        decorations(of: layout.decoratedRuns(in: range))
    }

    /// Returns the decorations of runs, in the order of the runs.
    func decorations(of runs: [RenderingRun]) -> [TextDecoration] {
        guard !runs.isEmpty else { return [] }
        let own = layout.decorationMetrics
        return runs.map { run in
            let appearance = run.attributes
            let metrics = appearance.font.map { layout.decorationMetrics(of: $0) } ?? own
            let foreground = appearance.foreground ?? (appearance.isLink ? linkColor : nil)
            let color = foreground ?? textColor
            return TextDecoration(
                range: run.range, background: appearance.background, foreground: foreground,
                underline: appearance.underline.map {
                    TextDecoration.Line(
                        distance: metrics.underlineOffset,
                        shape: LineShape(style: $0, thickness: metrics.thickness),
                        color: appearance.underlineColor ?? color,
                        fit: .belowBaseline)
                },
                strikethrough: appearance.strikethrough.map {
                    TextDecoration.Line(
                        distance: -metrics.strikethroughOffset,
                        shape: LineShape(style: $0, thickness: metrics.thickness),
                        color: appearance.strikethroughColor ?? color, fit: .free)
                }, baselineOffset: appearance.baselineOffset,
                box: appearance.background != nil && appearance.font != nil ? metrics : nil)
        }
    }
}

/// The decorations that show the selection as a colour behind its text. A selection within marked text is shown by
/// the clauses instead.
struct SelectionDecorations {
    let selection: Selection
    let markedText: MarkedText?
    let color: Color

    func decorations(in range: Range<UTF16Offset>) -> [TextDecoration] {
        selection.ranges(touching: range).compactMap { selected in
            guard !selected.isCaret, markedText?.range.holds(selected.range) != true else { return nil }
            return TextDecoration(range: selected.range, background: color)
        }
    }
}

/// The decorations that show the clauses of marked text, in a given style or else in the theme's style.
struct ClauseDecorations {
    let markedText: MarkedText
    let style: MarkedTextStyle?
    let theme: Theme

    func decorations(in range: Range<UTF16Offset>) -> [TextDecoration] {
        markedText.segments.compactMap { clause in
            guard clause.range.overlaps(range) else { return nil }
            let appearance = appearance(of: clause.kind)
            return TextDecoration(
                range: clause.range, background: appearance.backgroundColor, foreground: appearance.textColor,
                underline: appearance.underlineThickness > 0
                    ? TextDecoration.Line(
                        distance: 2 * theme.underlineWidth,
                        shape: LineShape(style: .single, thickness: appearance.underlineThickness),
                        color: appearance.underlineColor ?? appearance.textColor ?? theme.text,
                        gap: theme.underlineWidth) : nil,
                goesOnToEdge: true)
        }
    }

    /// Returns the style of one kind of clause, with the underline's thickness in whole device pixels.
    private func appearance(of kind: MarkedClauseKind) -> MarkedTextStyle.Clause {
        var appearance: MarkedTextStyle.Clause
        switch (style, kind) {
        case (let style?, _): appearance = style[kind]
        case (nil, .target):
            appearance = .init(
                underlineThickness: 2, underlineColor: theme.targetUnderline, backgroundColor: theme.targetBackground)
        case (nil, _): appearance = .init(underlineThickness: 1, underlineColor: theme.markedUnderline)
        }
        if appearance.underlineThickness > 0 {
            appearance.underlineThickness = max(1, (appearance.underlineThickness * theme.underlineWidth).rounded())
        }
        return appearance
    }
}

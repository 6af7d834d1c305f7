import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Font of styled text. Its sizes are pixels at scale 1: see ``TextLayoutManager/attributeScale``.
public enum FontAttribute: CodedAttributeKey {
    /// A font.
    public typealias Value = FontDescriptor
    /// Its name.
    public static let name = "inkstone.font"
}

/// How the lines of a paragraph are set. Its lengths are pixels at scale 1: see ``TextLayoutManager/attributeScale``.
public enum ParagraphStyleAttribute: CodedAttributeKey {
    /// A style of paragraphs.
    public typealias Value = ParagraphStyle
    /// Its name.
    public static let name = "inkstone.paragraph-style"
    /// All of a paragraph has one.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph
}

extension TextParagraph {
    /// Takes over the fonts and the style that the text's attributes ask for.
    ///
    /// A paragraph whose parts are in several fonts has lines as high as the highest of each, unless its style says how high.
    ///
    /// - Parameters:
    ///   - runs: the attributes of the whole text.
    ///   - options: what the layout has for text that says nothing else.
    mutating func take(_ runs: AttributeRuns, _ options: LayoutOptions) {
        let scale = options.attributeScale
        // An empty paragraph looks as its newline does.
        let content = paragraphContentRange.isEmpty ? elementRange : paragraphContentRange
        runs.forEachRun(in: content) { run, _ in
            guard let font = run.attributes[FontAttribute.self]?.onScreen(at: scale) else { return }
            if let last = fontRuns.last, last.font == font, last.range.upperBound == run.range.lowerBound {
                fontRuns[fontRuns.count - 1].range = last.range.lowerBound..<run.range.upperBound
            } else {
                fontRuns.append(FontRun(range: run.range, font: font))
            }
        }
        // What the paragraph starts with; at an empty end what would be typed there takes after what stands before it.
        let start = runs.run(at: elementRange.lowerBound)?.attributes
        paragraphStyle = start?[ParagraphStyleAttribute.self]?.onScreen(at: scale)
        if elementRange.isEmpty { font = start?[FontAttribute.self]?.onScreen(at: scale) }
        if let only = fontRuns.first, only.range == content {
            font = only.font
            fontRuns = []
        } else if !fontRuns.isEmpty {
            var style = paragraphStyle ?? options.paragraphStyle
            if style.lineHeight == .natural { style.lineHeight = .growing }
            paragraphStyle = style
        }
    }
}

extension AppliedTransaction {
    /// Where text that stays has got another font, or another style of its paragraph: UTF-16 units of the new text, in order.
    var relaidRanges: [Range<UTF16Offset>] {
        changes.restyledRanges { old, new in
            old[FontAttribute.self] != new[FontAttribute.self]
                || old[ParagraphStyleAttribute.self] != new[ParagraphStyleAttribute.self]
        }
    }
}

extension FontDescriptor {
    /// The font with all sizes multiplied.
    package func scaled(by scale: Double) -> FontDescriptor {
        var result = self
        result.size *= scale
        result.letterSpacing *= scale
        return result
    }

    /// The font with sizes of whole pixels, in which fonts are clearest.
    package var inWholePixels: FontDescriptor {
        var result = self
        result.size = max(1, size.rounded())
        result.letterSpacing = letterSpacing.rounded()
        return result
    }

    /// The font in device pixels, whole ones where it is scaled.
    fileprivate func onScreen(at scale: Double) -> FontDescriptor {
        scale == 1 ? self : scaled(by: scale).inWholePixels
    }
}

extension ParagraphStyle {
    /// The style in device pixels.
    fileprivate func onScreen(at scale: Double) -> ParagraphStyle {
        guard scale != 1 else { return self }
        var result = self
        switch lineHeight {
        case .exactly(let height): result.lineHeight = .exactly(height * scale)
        case .atLeast(let height): result.lineHeight = .atLeast(height * scale)
        case .natural, .multiple, .growing: break
        }
        result.tabStops = tabStops.map { $0 * scale }
        result.firstLineIndent *= scale
        result.indent *= scale
        result.spacingAfter *= scale
        return result
    }
}

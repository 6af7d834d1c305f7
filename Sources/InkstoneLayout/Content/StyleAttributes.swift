import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Style of a paragraph's lines. Lengths are pixels at scale 1: see ``TextLayoutManager/attributeScale``.
public enum ParagraphStyleAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A style of paragraphs.
    public typealias Value = ParagraphStyle
    /// The name of the key.
    public static let name = "inkstone.paragraph-style"
    /// Whole paragraphs.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph

    /// Replaces the layout's own paragraph style.
    public static func apply(_ style: ParagraphStyle, to text: inout TextStyle) { text.paragraph = style }
}

extension TextStyle {
    /// Registers the library's keys, so that copies and journals with them can be read before any text has them. Once in a process is enough.
    ///
    /// A layout, an editing session and a view register them when they are created. A program that reads styled text before that, or uses
    /// `InkstoneFiles` alone, calls this first: values of unregistered keys are left out.
    public static func registerKeys() { _ = registered }

    /// The library's keys for the style of characters. A link is not one of them, because it means more than a style.
    package static let characterKeys: [any StyleAttributeKey.Type] =
        FontTraits.keys.filter { $0 != LanguageAttribute.self } + [
            ForegroundAttribute.self, BackgroundAttribute.self, UnderlineAttribute.self, UnderlineColorAttribute.self,
            StrikethroughAttribute.self, StrikethroughColorAttribute.self, KernAttribute.self,
            BaselineOffsetAttribute.self, SuperscriptAttribute.self,
        ]

    private static let registered: Void = {
        let others: [any StyleAttributeKey.Type] = [
            LanguageAttribute.self, LinkAttribute.self, ParagraphStyleAttribute.self, ListAttribute.self,
            AttachmentAttribute.self,
        ]
        for key in characterKeys + others { AttributeKeys.register(key) }
        AttributeKeys.register(PresentationIntentAttribute.self)
        AttributeKeys.register(InlinePresentationIntentAttribute.self)
        AttributeKeys.registerFormer(FontTraits.formerName) { FontTraits.attributes(ofFormer: $0) }
    }()
}

extension TextParagraph {
    /// Applies the fonts and the paragraph style of the text's attributes.
    ///
    /// The lines of a paragraph with several fonts or raised parts are as high as the tallest of them, unless its style sets an exact height.
    /// The layout's own font counts only where text is in it.
    ///
    /// - Parameters:
    ///   - runs: the attributes of the whole text.
    /// - setting: the layout's defaults for text without such attributes.
    mutating func take(_ runs: AttributeRuns, _ setting: DocumentSetting) {
        let styles = setting.styles
        // An empty paragraph has the style of its newline.
        let content = paragraphContentRange.isEmpty ? elementRange : paragraphContentRange
        runs.forEachID(in: content) { id, range in
            let style = styles.style(of: id)
            if let attachment = style.attachment {
                attachmentRuns.append(AttachmentRun(range: range, attachment: attachment))
            }
            guard style.font != nil || style.baselineOffset != 0 else { return }
            let run = FontRun(
                range: range, font: style.font ?? setting.options.font, baselineOffset: style.baselineOffset)
            if let last = fontRuns.last, last.range.upperBound == range.lowerBound, last.font == run.font,
                last.baselineOffset == run.baselineOffset
            {
                fontRuns[fontRuns.count - 1].range = last.range.lowerBound..<range.upperBound
            } else {
                fontRuns.append(run)
            }
        }
        // The style at the paragraph's start. At an empty end of the document, typed text would inherit the style of the text before it.
        let first = runs.id(at: elementRange.lowerBound)
        let start = styles.style(of: elementRange.isEmpty ? first.behindLastNewline : first)
        paragraphStyle = start.paragraph
        listItem = start.listItem
        markerFont = start.font
        if elementRange.isEmpty { font = start.font }
        if let only = fontRuns.first, only.range == content {
            font = only.font
            if only.baselineOffset == 0 { fontRuns = [] }
        }
        growsWithFonts = !fontRuns.isEmpty
    }
}

extension AppliedTransaction {
    /// Returns the ranges of unchanged text whose new attributes change the layout: UTF-16 units of the new text, in order.
    func relaidRanges(_ styles: StyleResolver) -> [Range<UTF16Offset>] {
        changes.restyledRanges { !styles.style(of: $0).isLaidOut(like: styles.style(of: $1)) }
    }
}

extension ParagraphStyle {
    /// Returns the style with all lengths multiplied by a factor.
    package func scaled(by scale: Double) -> ParagraphStyle {
        var result = self
        switch lineHeight {
        case .exactly(let height): result.lineHeight = .exactly(height * scale)
        case .atLeast(let height): result.lineHeight = .atLeast(height * scale)
        case .natural, .multiple, .multipleOfSize, .growing: break
        }
        for i in result.tabStops.indices { result.tabStops[i].position *= scale }
        result.firstLineIndent *= scale
        result.indent *= scale
        result.tailIndent *= scale
        result.spacingBefore *= scale
        result.spacingAfter *= scale
        return result
    }
}

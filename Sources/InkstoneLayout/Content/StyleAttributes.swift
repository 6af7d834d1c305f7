import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// How the lines of a paragraph are set. Its lengths are pixels at scale 1: see ``TextLayoutManager/attributeScale``.
public enum ParagraphStyleAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A style of paragraphs.
    public typealias Value = ParagraphStyle
    /// Its name.
    public static let name = "inkstone.paragraph-style"
    /// All of a paragraph has one.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph

    /// Takes the place of the layout's own.
    public static func apply(_ style: ParagraphStyle, to text: inout TextStyle) { text.paragraph = style }
}

extension TextStyle {
    /// Makes the library's keys known, so that copies and journals with them can be read before text has them. Once in a process is enough.
    ///
    /// A layout, an editing session and a view do so when they are made. A program that reads styled text before, or has `InkstoneFiles`
    /// alone, calls this first: values of keys that are not known are left out.
    public static func registerKeys() { _ = registered }

    /// The library's keys that say how characters look; a link says more than that.
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
    /// Takes over the fonts and the style that the text's attributes ask for.
    ///
    /// A paragraph whose parts are in several fonts or raised has lines as high as the highest of each, unless its style says exactly
    /// how high: the layout's own font counts where text is in it.
    ///
    /// - Parameters:
    ///   - runs: the attributes of the whole text.
    ///   - setting: what the layout has for text that says nothing else.
    mutating func take(_ runs: AttributeRuns, _ setting: DocumentSetting) {
        let styles = setting.styles
        // An empty paragraph looks as its newline does.
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
        // What the paragraph starts with; at an empty end what would be typed there takes after what stands before it.
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
    /// Ranges of kept text that its attributes lay out differently: UTF-16 units of the new text, in order.
    func relaidRanges(_ styles: StyleResolver) -> [Range<UTF16Offset>] {
        changes.restyledRanges { !styles.style(of: $0).isLaidOut(like: styles.style(of: $1)) }
    }
}

extension ParagraphStyle {
    /// The style with all lengths multiplied.
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

import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Style of a paragraph's lines. Lengths are pixels at scale 1; see ``TextLayoutManager/attributeScale``.
public enum ParagraphStyleAttribute: StyleAttributeKey, CodedAttributeKey {
    /// A paragraph style, which replaces the layout's default.
    public typealias Value = ParagraphStyle
    /// The name under which copied text and journals store values of this key.
    public static let name = "inkstone.paragraph-style"
    /// Applies to whole paragraphs.
    public static let runBoundaries: AttributeRunBoundaries? = .paragraph

    /// Replaces the layout's default paragraph style.
    public static func apply(_ style: ParagraphStyle, to text: inout TextStyle) { text.paragraph = style }
}

extension TextStyle {
    /// Registers the library's attribute keys. Copied text and recovery journals that contain them can then be
    /// decoded. Calling it once in a process is enough.
    ///
    /// A layout, an editing session and a view call this when they are created. A program must call it itself if it
    /// reads styled text earlier, or uses `InkstoneFiles` alone. Otherwise attributes of unregistered keys are
    /// dropped.
    public static func registerKeys() { _ = registered }

    /// The library's keys for the style of characters. The link key is not included, because a link is more than a
    /// style.
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
    /// Applies the text's attributes to the paragraph: fonts, attachments, paragraph style and list item.
    ///
    /// If a paragraph has several fonts or raised parts, each line is as high as the tallest of those on it, unless its
    /// style sets an exact height. The layout's default font counts only on lines that contain text in it.
    ///
    /// - Parameters:
    ///   - runs: the attributes of the whole text.
    ///   - setting: the layout's defaults for text without such attributes.
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
        // The paragraph's style is that of its first character. An empty last paragraph has no character: use the
        // style that typed text would inherit.
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
    /// Returns the ranges of text that the transaction kept but that must be laid out anew because of new
    /// attributes: in order, in UTF-16 units of the new text. If very many runs have changed, text between them may
    /// be included.
    func relaidRanges(_ styles: StyleResolver) -> [Range<UTF16Offset>] {
        changes.restyledRanges(askingFor: 1024) { !styles.style(of: $0).isLaidOut(like: styles.style(of: $1)) }
    }
}

extension ParagraphStyle {
    /// Returns the style with all its lengths multiplied by a factor.
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

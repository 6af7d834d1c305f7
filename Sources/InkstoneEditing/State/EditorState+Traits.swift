import InkstoneBase
import InkstoneInput
public import InkstoneLayout
public import InkstoneText

/// Traits of fonts that the user changes: of what is selected, and of what is typed next. Other traits of each run stay. Nil where
/// nothing is selected or may be edited.
extension EditorState {
    /// Makes all selected text bold; if all of it is, by a weight or as important text, as heavy as the view's own font.
    public func togglingBold() -> Transaction? {
        togglingStyle(FontDescriptor.boldWeight, of: FontWeightAttribute.self, role: .stronglyEmphasized) {
            FontDescriptor.isBold($0)
        }
    }

    /// Makes all selected text italic; if all of it leans, as the view's own font is.
    public func togglingItalic() -> Transaction? {
        togglingStyle(.italic, of: FontSlantAttribute.self, role: .emphasized) { $0 == .italic || $0 == .oblique }
    }

    /// Underlines all selected text; if all of it is underlined in whatever way, takes the lines away.
    public func togglingUnderline() -> Transaction? {
        togglingStyle(.single, of: UnderlineAttribute.self) { $0 != nil }
    }

    /// Strikes all selected text through; if all of it is struck in whatever way, takes the lines away.
    public func togglingStrikethrough() -> Transaction? {
        togglingStyle(.single, of: StrikethroughAttribute.self, role: .strikethrough) { $0 != nil }
    }

    /// Whether what is selected is bold, by a weight or as important text.
    public var boldState: StyleState {
        styleState {
            FontDescriptor.isBold($0[FontWeightAttribute.self])
                || $0.isRole(.stronglyEmphasized, FontWeightAttribute.self)
        }
    }

    /// Whether what is selected leans, by its slant or as stressed text.
    public var italicState: StyleState {
        styleState {
            let slant = $0[FontSlantAttribute.self]
            return slant == .italic || slant == .oblique || $0.isRole(.emphasized, FontSlantAttribute.self)
        }
    }

    /// Whether what is selected is struck through, by a line or as text that does not count any more.
    public var strikethroughState: StyleState {
        styleState { $0[StrikethroughAttribute.self] != nil || $0.hasRole(.strikethrough) }
    }

    /// Makes all selected text larger, or smaller, by a number of pixels at scale 1. `base` is the size of text without a size of its
    /// own, in the same pixels.
    public func changingFontSize(by difference: Double, base: Double) -> Transaction? {
        styling(FontSizeAttribute.self) { ($0 ?? base) + difference }
    }

    /// Makes all selected text a superscript (level 1) or a subscript (-1); if all of it is one, takes that away.
    public func togglingSuperscript(_ level: Int) -> Transaction? {
        togglingStyle(level, of: SuperscriptAttribute.self) { $0.map { $0.signum() == level.signum() } ?? false }
    }

    /// Sets the paragraphs of the selection at an edge, in the middle or at both edges; their other styles stay. A caret means its
    /// paragraph.
    public func aligning(_ alignment: ParagraphStyle.Alignment) -> Transaction? {
        stylingParagraphs { style in
            var style = style ?? ParagraphStyle()
            style.alignment = alignment
            return style == ParagraphStyle() ? nil : style
        }
    }

    /// Gives each paragraph of the selection what `change` makes of its style. A caret means its paragraph; a selection that ends where a
    /// paragraph starts does not mean that one. Nil where nothing is selected or may be edited, and in an empty last paragraph, which has
    /// nothing that keeps a style.
    public func stylingParagraphs(
        _ change: @escaping @Sendable (ParagraphStyle?) -> ParagraphStyle?
    ) -> Transaction? {
        guard selection != nil, options.isEditable else { return nil }
        var restyling = Restyling()
        for block in lineBlocks { restyling.map(ParagraphStyleAttribute.self, in: utf16Range(ofLines: block), change) }
        return restyling.isEmpty ? nil : styling(by: restyling)
    }

    /// Takes the library's styles of characters away from all selected text, and from what is typed next at carets, but not links; where
    /// there are none, the styles of its paragraphs. What other keys say stays.
    public func clearingStyles() -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        let ranges = selection.ranges.map(\.range)
        let names = Set(TextStyle.characterKeys.map { $0.name })
        let isStyled = ranges.contains { range in
            range.isEmpty
                ? typedAttributes(at: range).names.contains(where: names.contains)
                : styledText.attributes(in: range).contains { $0.attributes.names.contains(where: names.contains) }
        }
        guard isStyled else { return stylingParagraphs { _ in nil } }
        var restyling = Restyling()
        for range in ranges { restyling.remove(TextStyle.characterKeys, in: range) }
        var result = styling(by: restyling)
        if let caret = ranges.first(where: \.isEmpty) {
            result.typing = AttributeOverrides(
                of: styledText.typingAttributes(replacing: caret),
                like: typedAttributes(at: caret).removing(TextStyle.characterKeys))
        }
        return result
    }
}

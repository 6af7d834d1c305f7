import InkstoneBase
import InkstoneInput
public import InkstoneLayout
public import InkstoneText

/// Traits of fonts that the user changes for the selected text and for text typed next. Other traits of each run stay. Nil without a selection, and
/// where editing is not allowed.
extension EditorState {
    /// Makes all selected text bold; if all of it is, by a weight or as important text, gives it the weight of the view's own font.
    public func togglingBold() -> Transaction? {
        togglingStyle(FontDescriptor.boldWeight, of: FontWeightAttribute.self, role: .stronglyEmphasized) {
            FontDescriptor.isBold($0)
        }
    }

    /// Makes all selected text italic; if all of it is, gives it the slant of the view's own font.
    public func togglingItalic() -> Transaction? {
        togglingStyle(.italic, of: FontSlantAttribute.self, role: .emphasized) { $0 == .italic || $0 == .oblique }
    }

    /// Underlines all selected text; if all of it is underlined in any style, removes the lines.
    public func togglingUnderline() -> Transaction? {
        togglingStyle(.single, of: UnderlineAttribute.self) { $0 != nil }
    }

    /// Strikes all selected text through; if all of it is struck through in any style, removes the lines.
    public func togglingStrikethrough() -> Transaction? {
        togglingStyle(.single, of: StrikethroughAttribute.self, role: .strikethrough) { $0 != nil }
    }

    /// Whether the selected text is bold, by a weight or as important text.
    public var boldState: StyleState {
        styleState {
            FontDescriptor.isBold($0[FontWeightAttribute.self])
                || $0.isRole(.stronglyEmphasized, FontWeightAttribute.self)
        }
    }

    /// Whether the selected text is italic, by its slant or as stressed text.
    public var italicState: StyleState {
        styleState {
            let slant = $0[FontSlantAttribute.self]
            return slant == .italic || slant == .oblique || $0.isRole(.emphasized, FontSlantAttribute.self)
        }
    }

    /// Whether the selected text is struck through, by a line or as text that is no longer valid.
    public var strikethroughState: StyleState {
        styleState { $0[StrikethroughAttribute.self] != nil || $0.hasRole(.strikethrough) }
    }

    /// Makes all selected text larger, or smaller, by a number of pixels at scale 1. `base` is the size of text without a size of its
    /// own, in the same pixels.
    public func changingFontSize(by difference: Double, base: Double) -> Transaction? {
        styling(FontSizeAttribute.self) { ($0 ?? base) + difference }
    }

    /// Makes all selected text a superscript (level 1) or a subscript (-1); if all of it is one, makes it ordinary text.
    public func togglingSuperscript(_ level: Int) -> Transaction? {
        togglingStyle(level, of: SuperscriptAttribute.self) { $0.map { $0.signum() == level.signum() } ?? false }
    }

    /// Aligns the paragraphs of the selection; their other styles stay. A caret selects its paragraph.
    public func aligning(_ alignment: ParagraphStyle.Alignment) -> Transaction? {
        stylingParagraphs { style in
            var style = style ?? ParagraphStyle()
            style.alignment = alignment
            return style == ParagraphStyle() ? nil : style
        }
    }

    /// Sets the result of `change` as the style of each paragraph of the selection. A caret selects its paragraph; a selection that ends at the
    /// start of a paragraph does not include it. An empty last paragraph gets a newline that has the style. Nil without a selection, where editing is
    /// not allowed, and where nothing changes.
    public func stylingParagraphs(
        _ change: @escaping @Sendable (ParagraphStyle?) -> ParagraphStyle?
    ) -> Transaction? {
        guard selection != nil, options.isEditable else { return nil }
        return stylingLines(ParagraphStyleAttribute.self, change)
    }

    /// Removes the library's character styles and the roles that look like them, except for links, from all selected text and from text typed next at
    /// carets; if there are none, removes links, and the styles, headings and lists of its paragraphs. Other keys stay.
    public func clearingStyles() -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        let ranges = selection.ranges.map(\.range)
        let names = Set(TextStyle.characterKeys.map { $0.name })
        func isStyled(_ attributes: TextAttributes) -> Bool {
            let roles = attributes[InlinePresentationIntentAttribute.self] ?? []
            return !roles.isDisjoint(with: .looks) || attributes.names.contains(where: names.contains)
        }
        let hasStyles = ranges.contains { range in
            range.isEmpty
                ? isStyled(typedAttributes(at: range))
                : styledText.attributes(in: range).contains { isStyled($0.attributes) }
        }
        guard hasStyles else { return clearingParagraphs() }
        var restyling = Restyling()
        for range in ranges {
            restyling.remove(TextStyle.characterKeys, in: range)
            restyling.map(InlinePresentationIntentAttribute.self, in: range) { $0?.withoutLooks }
        }
        var result = styling(by: restyling)
        if let caret = ranges.first(where: \.isEmpty) {
            var plain = typedAttributes(at: caret).removing(TextStyle.characterKeys)
            plain[InlinePresentationIntentAttribute.self] =
                plain[InlinePresentationIntentAttribute.self]?.withoutLooks
            result.typing = AttributeOverrides(of: styledText.typingAttributes(replacing: caret), like: plain)
        }
        return result
    }

    /// Removes the styles, headings and lists of the selected paragraphs, and the links of the selected text. Nil if there are none.
    private func clearingParagraphs() -> Transaction? {
        var restyling = Restyling()
        for block in lineBlocks {
            let range = utf16Range(ofLines: block)
            guard !range.isEmpty else { continue }
            restyling.remove([ParagraphStyleAttribute.self, ListAttribute.self], in: range)
            restyling.map(PresentationIntentAttribute.self, in: range) {
                $0.headingLevel > 0 ? $0.heading(of: nil) : $0
            }
        }
        for range in selection?.ranges.map(\.range) ?? [] where !range.isEmpty {
            restyling.remove([LinkAttribute.self], in: range)
        }
        return restyling.isEmpty ? nil : styling(by: restyling)
    }
}

extension InlinePresentationIntent {
    /// The roles that are only seen as a style.
    fileprivate static let looks: Self = [.emphasized, .stronglyEmphasized, .strikethrough, .code]

    /// The roles that say more than a style; nil for none.
    fileprivate var withoutLooks: Self? {
        let rest = subtracting(.looks)
        return rest.isEmpty ? nil : rest
    }
}

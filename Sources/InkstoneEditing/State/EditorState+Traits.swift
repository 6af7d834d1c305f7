import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Changes of font traits, for the selected text and for text typed next. The other traits of each run do not
/// change. The transactions are nil without a selection, or if the text cannot be edited.
extension EditorState {
    /// Makes all selected text bold. If all of it is bold, by its weight or as important text, gives it the weight
    /// of the view's own font, and it is no longer marked as important.
    package func togglingBold() -> Transaction? {
        togglingStyle(FontDescriptor.boldWeight, of: FontWeightAttribute.self, role: .stronglyEmphasized) {
            FontDescriptor.isBold($0)
        }
    }

    /// Makes all selected text italic. If all of it is italic, by its slant or as stressed text, gives it the slant
    /// of the view's own font, and it is no longer marked as stressed.
    package func togglingItalic() -> Transaction? {
        togglingStyle(.italic, of: FontSlantAttribute.self, role: .emphasized) { $0 == .italic || $0 == .oblique }
    }

    /// Underlines all selected text. If all of it is underlined in any style, removes the underlines.
    package func togglingUnderline() -> Transaction? {
        togglingStyle(.single, of: UnderlineAttribute.self) { $0 != nil }
    }

    /// Strikes through all selected text. If all of it is struck through, in any style or as text that is no longer
    /// valid, removes the lines, and it is no longer marked as invalid.
    package func togglingStrikethrough() -> Transaction? {
        togglingStyle(.single, of: StrikethroughAttribute.self, role: .strikethrough) { $0 != nil }
    }

    /// The state of bold in the selected text and in text typed next at carets. Text is bold by its weight, or as
    /// important text.
    package var boldState: StyleState {
        styleState {
            FontDescriptor.isBold($0[FontWeightAttribute.self])
                || $0.isRole(.stronglyEmphasized, FontWeightAttribute.self)
        }
    }

    /// The state of italic in the selected text and in text typed next at carets. Text is italic by its slant, or
    /// as stressed text.
    package var italicState: StyleState {
        styleState {
            let slant = $0[FontSlantAttribute.self]
            return slant == .italic || slant == .oblique || $0.isRole(.emphasized, FontSlantAttribute.self)
        }
    }

    /// The state of strikethrough in the selected text and in text typed next at carets. Text is struck through by
    /// its style, or as text that is no longer valid.
    package var strikethroughState: StyleState {
        styleState { $0[StrikethroughAttribute.self] != nil || $0.hasRole(.strikethrough) }
    }

    /// Makes all selected text larger by a number of pixels at scale 1, or smaller if the number is negative.
    /// `base` is the size of text that has no size of its own, in the same unit.
    package func changingFontSize(by difference: Double, base: Double) -> Transaction? {
        styling(FontSizeAttribute.self) { ($0 ?? base) + difference }
    }

    /// Makes all selected text superscript if the level is above 0, or subscript if it is below 0. If all of it is
    /// superscript or subscript in that way already, whatever its level, makes it ordinary text.
    package func togglingSuperscript(_ level: Int) -> Transaction? {
        togglingStyle(level, of: SuperscriptAttribute.self) { $0.map { $0.signum() == level.signum() } ?? false }
    }

    /// Aligns the selected paragraphs, without changing their other styles. With a caret, its paragraph counts as
    /// selected; a paragraph at whose start the selection ends does not. An empty last paragraph gets a newline, which
    /// holds the style. Within a table, aligns the columns that the selection touches; rows that are selected together
    /// with other paragraphs stay as they are. Nil without a selection, if the text cannot be edited, or if nothing
    /// changes.
    ///
    /// - Parameter base: the layout's style, which paragraphs without a style of their own have.
    package func aligning(
        _ alignment: ParagraphStyle.Alignment, base: ParagraphStyle = ParagraphStyle()
    ) -> Transaction? {
        guard selection != nil, options.isEditable else { return nil }
        // The alignment of a row would move all of its cells together.
        if isInTable { return aligningColumns(alignment) }
        return stylingLines(
            ParagraphStyleAttribute.self, sparing: { $0[PresentationIntentAttribute.self]?.isRow == true }
        ) { style in
            var style = style ?? base
            style.alignment = alignment
            return style == base ? nil : style
        }
    }

    /// Removes this library's character styles, and the roles that look like them, from all selected text and from
    /// text typed next at carets. Links are not removed. If there are no such styles, removes the links of the
    /// selected text, and the styles, headings and lists of its paragraphs. Other attributes are kept.
    package func clearingStyles() -> Transaction? {
        guard let selection, options.isEditable else { return nil }
        let ranges = selection.ranges.map(\.range)
        let names = Set(TextStyle.characterKeys.map { $0.name })
        func isStyled(_ attributes: TextAttributes) -> Bool {
            let roles = attributes[InlinePresentationIntentAttribute.self] ?? []
            return !roles.isDisjoint(with: .appearance) || attributes.names.contains(where: names.contains)
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
            restyling.map(InlinePresentationIntentAttribute.self, in: range) { $0?.withoutAppearance }
        }
        var result = styling(by: restyling)
        if let caret = ranges.first(where: \.isEmpty) {
            var plain = typedAttributes(at: caret).removing(TextStyle.characterKeys)
            plain[InlinePresentationIntentAttribute.self] =
                plain[InlinePresentationIntentAttribute.self]?.withoutAppearance
            result.typing = AttributeOverrides(of: styledText.typingAttributes(replacing: caret), like: plain)
        }
        return result
    }

    /// Removes the styles, headings and lists of the selected paragraphs, and the links of the selected text. Nil
    /// if there are none.
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
    /// The roles that only style the text, for example as bold.
    fileprivate static let appearance: Self = [.emphasized, .stronglyEmphasized, .strikethrough, .code]

    /// The roles without those that only style the text; nil if none are left.
    fileprivate var withoutAppearance: Self? {
        let rest = subtracting(.appearance)
        return rest.isEmpty ? nil : rest
    }
}

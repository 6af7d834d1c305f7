package import InkstoneText
import InkstoneUnicode

extension ParagraphStyle {
    /// A part of a paragraph style, as a user would name it. The raw value is the last part of a name, such as
    /// `inkstone.paragraph-style.alignment`.
    package enum Part: String, Hashable, Sendable {
        case alignment
        case direction = "text-direction"
        case indents
        case lineHeight = "line-height"
        case spacing = "paragraph-spacing"
        case tabStops = "tab-stops"
    }

    /// Returns the parts by which a paragraph with the given text looks different from one in the default style. A base
    /// direction that the text would have anyway does not count, nor does an alignment at the edge where lines start.
    package func visibleParts(in text: [UInt16]) -> Set<Part> {
        var result: Set<Part> = []
        if !text.isEmpty {
            let isNaturallyBackward = BidiProperties.firstStrong(text) == 1
            let isBackward = baseDirection == .natural ? isNaturallyBackward : baseDirection == .rightToLeft
            if isBackward != isNaturallyBackward { result.insert(.direction) }
            switch alignment {
            case .natural: break
            case .left: if isBackward { result.insert(.alignment) }
            case .right: if !isBackward { result.insert(.alignment) }
            case .center, .justified: result.insert(.alignment)
            }
        }
        if (firstLineIndent, indent, tailIndent) != (0, 0, 0) { result.insert(.indents) }
        if lineHeight != .natural { result.insert(.lineHeight) }
        if (spacingBefore, spacingAfter) != (0, 0) { result.insert(.spacing) }
        if !tabStops.isEmpty || tabInterval != ParagraphStyle().tabInterval { result.insert(.tabStops) }
        return result
    }
}

extension StyledText {
    /// The parts of the paragraph style by which any of the text's paragraphs looks different; see
    /// ``ParagraphStyle/visibleParts(in:)``. O(n).
    package var visibleStyleParts: Set<ParagraphStyle.Part> {
        guard runs != nil else { return [] }
        var result: Set<ParagraphStyle.Part> = []
        for paragraph in paragraphs { result.formUnion(paragraph.visibleStyleParts) }
        return result
    }
}

extension StyledParagraph {
    /// The parts of the paragraph style by which the paragraph looks different; none for a paragraph without text.
    package var visibleStyleParts: Set<ParagraphStyle.Part> {
        guard !runs.isEmpty, let style = attributes[ParagraphStyleAttribute.self] else { return [] }
        return style.visibleParts(in: runs.flatMap { Array($0.text.utf16) })
    }
}

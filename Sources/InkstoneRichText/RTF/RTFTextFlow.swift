import InkstoneLayout
import InkstoneText

/// The text of an RTF document, collected by paragraphs, because the style of a paragraph is known only at its end.
struct RTFTextFlow {
    private var builder = StyledTextBuilder()
    /// The pieces of text of the present paragraph so far.
    private var pieces: [(text: String, attributes: TextAttributes)] = []
    /// The number of paragraph ends to be written when another paragraph begins.
    private var pendingParagraphs = 0
    private var lastStyle = TextAttributes()
    private var marker = ""
    private var hasMarker = false
    private var hasPendingTab = false

    /// The maximum length of a marker's text, in bytes of UTF-8. A longer text is cut.
    private static let markerLimit = 32

    // MARK: Text

    mutating func append(_ text: String, _ attributes: TextAttributes) {
        if hasPendingTab { pieces.append(("\t", TextAttributes())) }
        hasPendingTab = false
        // Newlines in a name or address must not end a paragraph: omit control characters.
        let text =
            text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }
            ? String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" })) : text
        if let last = pieces.indices.last, pieces[last].attributes == attributes {
            pieces[last].text += text
        } else if !text.isEmpty {
            pieces.append((text, attributes))
        }
    }

    mutating func append(_ picture: TextAttachment, _ attributes: TextAttributes) {
        var attributes = attributes
        attributes[AttachmentAttribute.self] = picture
        append(String(TextAttachment.character), attributes)
    }

    // MARK: Ends of paragraphs and cells

    /// Ends the paragraph, with its attributes. In a table cell, adds a blank instead.
    mutating func endParagraph(_ attributes: TextAttributes, inTable: Bool = false) {
        if inTable {
            if !pieces.isEmpty { append(" ", TextAttributes()) }
            return
        }
        writeParagraph(attributes)
        pendingParagraphs += 1
    }

    /// Ends a table cell. A tab is written if another cell follows.
    mutating func endCell(isNested: Bool) {
        if isNested { return append(" ", TextAttributes()) }
        if hasPendingTab { append("", TextAttributes()) }
        hasPendingTab = true
    }

    mutating func endRow() {
        hasPendingTab = false
        endParagraph(TextAttributes())
    }

    /// Returns the whole text. If the end of the last paragraph is missing, that paragraph gets `attributes`.
    mutating func finish(_ attributes: TextAttributes) -> StyledText {
        if !pieces.isEmpty || hasMarker {
            writeParagraph(attributes)
        } else {
            pendingParagraphs = max(0, pendingParagraphs - 1)
        }
        for _ in 0..<pendingParagraphs { builder.appendNewline(lastStyle) }
        return builder.finish()
    }

    // MARK: Markers of list items

    mutating func beginMarker() { marker = "" }

    mutating func appendMarker(_ text: String) { marker.append(text, upTo: Self.markerLimit) }

    /// Ends the text of a list marker. The marker belongs to the paragraph only if no other text of the paragraph
    /// precedes it.
    mutating func endMarker() { hasMarker = pieces.isEmpty }

    /// Puts the marker that was read in front of the paragraph's text, unless the paragraph is a list item. A
    /// number stays as it is; a character of a symbol font becomes a bullet.
    private mutating func writeMarker(_ item: ListItem?) {
        defer { hasMarker = false }
        let text = marker.filter { !$0.isWhitespace }
        guard hasMarker, item == nil, let first = text.first else { return }
        let isNumber = text.count > 1 || first.isLetter || first.isNumber
        pieces.insert((isNumber ? "\(text) " : "• ", TextAttributes()), at: 0)
    }

    private mutating func writeParagraph(_ style: TextAttributes) {
        writeMarker(style[ListAttribute.self])
        for _ in 0..<pendingParagraphs { builder.appendNewline(lastStyle) }
        pendingParagraphs = 0
        lastStyle = style
        let isHeading = style[PresentationIntentAttribute.self] != nil
        for piece in pieces {
            var attributes = piece.attributes
            if isHeading {
                // Remove the weight and size of a heading. Otherwise they would stay if the user turned the heading
                // into body text.
                attributes[FontWeightAttribute.self] = nil
                attributes[FontSizeAttribute.self] = nil
            }
            attributes.merge(lastStyle)
            builder.append(piece.text, attributes)
        }
        pieces.removeAll(keepingCapacity: true)
    }
}

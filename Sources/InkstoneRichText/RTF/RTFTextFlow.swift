import InkstoneLayout
import InkstoneText

/// Text of a document by paragraphs: the style of each is known at its end.
struct RTFTextFlow {
    private var builder = StyledTextBuilder()
    /// The pieces of the paragraph so far.
    private var pieces: [(text: String, attributes: TextAttributes)] = []
    /// Ends of paragraphs that are written when another one begins.
    private var pendingParagraphs = 0
    private var lastStyle = TextAttributes()
    private var marker = ""
    private var hasMarker = false
    private var hasPendingTab = false

    /// Longest text of a marker.
    private static let markerLimit = 32

    // MARK: Text

    mutating func append(_ text: String, _ attributes: TextAttributes) {
        if hasPendingTab { pieces.append(("\t", TextAttributes())) }
        hasPendingTab = false
        // Newlines in a name or an address end no paragraph.
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

    // MARK: Ends

    /// Ends the paragraph with the attributes that it has; in a cell a blank takes its place.
    mutating func endParagraph(_ attributes: TextAttributes, inTable: Bool = false) {
        if inTable {
            if !pieces.isEmpty { append(" ", TextAttributes()) }
            return
        }
        writeParagraph(attributes)
        pendingParagraphs += 1
    }

    /// Ends a cell: a tab follows if another one does.
    mutating func endCell(isNested: Bool) {
        if isNested { return append(" ", TextAttributes()) }
        if hasPendingTab { append("", TextAttributes()) }
        hasPendingTab = true
    }

    mutating func endRow() {
        hasPendingTab = false
        endParagraph(TextAttributes())
    }

    /// The text so far; the last paragraph has attributes if its end was not written.
    mutating func finish(_ attributes: TextAttributes) -> StyledText {
        if !pieces.isEmpty || hasMarker {
            writeParagraph(attributes)
        } else {
            pendingParagraphs = max(0, pendingParagraphs - 1)
        }
        for _ in 0..<pendingParagraphs { builder.appendNewline(lastStyle) }
        return builder.finish()
    }

    // MARK: Markers

    mutating func beginMarker() { marker = "" }

    mutating func appendMarker(_ text: String) { marker.append(text, upTo: Self.markerLimit) }

    /// Ends the marker: it stands in front of the paragraph's text.
    mutating func endMarker() { hasMarker = pieces.isEmpty }

    /// Puts the marker that was read in front of the paragraph, unless that is an item: a number as it is, a bullet for a character of a symbol
    /// font.
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
                // Its own looks: others would stay where it is made body text.
                attributes[FontWeightAttribute.self] = nil
                attributes[FontSizeAttribute.self] = nil
            }
            attributes.merge(lastStyle)
            builder.append(piece.text, attributes)
        }
        pieces.removeAll(keepingCapacity: true)
    }
}

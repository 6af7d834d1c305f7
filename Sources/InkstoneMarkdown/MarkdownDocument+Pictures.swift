import InkstoneBase
import InkstoneLayout
public import InkstoneText

/// Pictures of a document that a program shows instead of their descriptions.
extension MarkdownDocument {
    /// Returns the document with each picture as an attachment in place of its description, which becomes the
    /// attachment's `alternateDescription`. Writing the result gives the same Markdown source. A description that
    /// is too long for an attachment stays in the text. O(n).
    ///
    /// - Parameter picture: returns the attachment for an address in the source; nil to leave the description in
    ///   the text. ``showing(_:)`` itself opens no files.
    public func showing(_ picture: (_ address: String) -> TextAttachment?) -> MarkdownDocument {
        Self.showing(in: text, picture).map { MarkdownDocument(self, showing: $0) } ?? self
    }

    /// Returns a text with each picture as an attachment in place of its description; nil if no description is
    /// replaced. O(n).
    package static func showing(
        in text: StyledText, _ picture: (_ address: String) -> TextAttachment?
    ) -> StyledText? {
        var shown: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for run in text.imageRuns {
            guard let image = run.attributes[MarkdownImageAttribute.self],
                run.attributes[AttachmentAttribute.self] == nil, var attachment = picture(image.source)
            else { continue }
            let words = text.rope.string(in: text.rope.byteRange(of: run.range))
            let hasWords = words.unicodeScalars.contains { $0 != TextAttachment.character }
            attachment.alternateDescription = hasWords ? words : ""
            // If the description is too long for an attachment, leave it in the text.
            guard attachment.checked == attachment else { continue }
            var attributes = run.attributes
            attributes[AttachmentAttribute.self] = attachment
            let character = String(TextAttachment.character)
            shown.append((run.range, StyledText(Rope(hasWords ? character : words), attributes)))
        }
        guard !shown.isEmpty else { return nil }
        var result = text
        let replacement = text.replacing(shown)
        result.apply(replacement.changes, restyling: replacement.restyling)
        return result
    }

    /// The addresses of all pictures in the text, as in the source, each once.
    public var pictureAddresses: [String] {
        var known: Set<ScalarText> = []
        return text.imageRuns.compactMap { run in
            guard let address = run.attributes[MarkdownImageAttribute.self]?.source else { return nil }
            return known.insert(ScalarText(address)).inserted ? address : nil
        }
    }
}

extension StyledText {
    /// The runs of the text that stand for pictures, in order.
    fileprivate var imageRuns: [(range: Range<UTF16Offset>, attributes: TextAttributes)] {
        var result: [(range: Range<UTF16Offset>, attributes: TextAttributes)] = []
        var known: [AttributeID: Bool] = [:]
        runs?.forEachID(in: rope.utf16Range) { id, range in
            let isImage = known[id] ?? (id.attributes[MarkdownImageAttribute.self] != nil)
            known[id] = isImage
            if isImage { result.append((range, id.attributes)) }
        }
        return result
    }
}

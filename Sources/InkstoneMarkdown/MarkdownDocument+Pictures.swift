import InkstoneBase
import InkstoneLayout
public import InkstoneText

/// The pictures of a document, which a program may show in place of their descriptions.
extension MarkdownDocument {
    /// The document with some of its pictures as attachments in place of their descriptions, which the attachments have then. It is written as the
    /// same source. O(n).
    ///
    /// - Parameter picture: returns the picture of an address as in the source; nil to leave its description. Nothing else is opened.
    public func showing(_ picture: (_ address: String) -> TextAttachment?) -> MarkdownDocument {
        var shown: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for run in text.imageRuns {
            guard let image = run.attributes[MarkdownImageAttribute.self],
                run.attributes[AttachmentAttribute.self] == nil, var attachment = picture(image.source)
            else { continue }
            let words = text.rope.string(in: text.rope.byteRange(of: run.range))
            let hasWords = words.unicodeScalars.contains { $0 != TextAttachment.character }
            attachment.alternateDescription = hasWords ? words : ""
            // One that an attachment cannot have stays in sight.
            guard attachment.checked == attachment else { continue }
            var attributes = run.attributes
            attributes[AttachmentAttribute.self] = attachment
            let character = String(TextAttachment.character)
            shown.append((run.range, StyledText(Rope(hasWords ? character : words), attributes)))
        }
        guard !shown.isEmpty else { return self }
        var result = text
        let replacement = text.replacing(shown)
        result.apply(replacement.changes, restyling: replacement.restyling)
        return MarkdownDocument(self, showing: result)
    }

    /// The addresses of the pictures that the text has descriptions of, as in the source, each once.
    public var pictureAddresses: [String] {
        var known: Set<String> = []
        return text.imageRuns.compactMap { run in
            guard let address = run.attributes[MarkdownImageAttribute.self]?.source else { return nil }
            return known.insert(address).inserted ? address : nil
        }
    }
}

extension StyledText {
    /// The runs that stand for pictures, in order.
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

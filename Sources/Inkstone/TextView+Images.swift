import InkstoneBase
import InkstoneEditing
import InkstoneImages
import InkstoneLayout
import InkstoneText
import InkstoneView
import InkstoneX11

/// Images on clipboards and in drags.
enum ImagePasting {
    /// The image types that are accepted, as MIME types, the best first.
    static let types = ImageHeader.Format.allCases.map(\.rawValue)
    /// The largest number of pixels of an image that is converted to PNG for other programs. A larger one is only
    /// offered in its own format: converting it would block the window for too long.
    static let mostConverted = 1_000_000
}

extension CopiedText {
    /// Creates a text of one attachment character that shows an image; nil if the bytes are no image that can be
    /// displayed.
    init?(image bytes: [UInt8]) {
        guard let attachment = TextAttachment(image: bytes) else { return nil }
        let character = Rope(String(TextAttachment.character))
        self.init(StyledText(character, TextAttributes(AttachmentAttribute.self, attachment)))
    }

    /// The image, if the whole content is one image; nil otherwise.
    var singleImage: TextAttachment? {
        guard isStyled, content.rope.metrics.utf16 == 1 else { return nil }
        let attachment = content.attributes(at: 0)[AttachmentAttribute.self]
        return attachment?.imageHeader == nil ? nil : attachment
    }

    /// The text with each attachment character replaced by the attachment's description. The descriptions together
    /// are at most as long as the text, or 64 KB if that is more; the attachments beyond this limit are deleted.
    /// O(n) if the text has any attributes.
    var described: StyledText {
        var room = max(content.rope.metrics.bytes, 1 << 16)
        var builder = TextChangeSet.Builder(over: content.rope)
        for run in content.attributes(in: content.rope.utf16Range) {
            guard let attachment = run.attributes[AttachmentAttribute.self] else { continue }
            let words = attachment.alternateDescription
            let count = min(run.range.count, room / max(1, words.utf8.count))
            room -= count * words.utf8.count
            builder.replace(run.range, with: String(repeating: words, count: count))
        }
        var result = content
        if !builder.isEmpty { result.apply(builder.finish()) }
        return result
    }
}

extension PasteboardItem {
    /// Adds an image in its own format, and also as PNG if the format is another one and the image is not large.
    mutating func add(_ image: TextAttachment) {
        guard let header = image.imageHeader else { return }
        add(header.format.rawValue) { Bytes(image.contents) }
        guard header.format != .png, !header.isTooLarge, header.width * header.height <= ImagePasting.mostConverted
        else {
            return
        }
        add(ImageHeader.Format.png.rawValue) {
            let decoded = try? ImageDecoder.decode(
                image.contents, header, width: header.width, height: header.height)
            return decoded.flatMap { ImageDecoder.png(of: $0) }.map { Bytes($0) }
        }
    }
}

extension TextView {
    /// Pastes the image of a clipboard that has no plain text. If there is no image either, pastes text in a format
    /// with styles.
    func requestImage(of clipboard: Clipboard, _ timestamp: UInt32, for paste: DeferredEdit.ID) {
        clipboard.request(formats: ImagePasting.types, timestamp: timestamp) { [weak self] result in
            if case .success(let bytes) = result, let copied = CopiedText(image: bytes) {
                self?.finishPaste(copied, for: paste)
            } else {
                self?.requestStyledText(of: clipboard, timestamp, or: nil, for: paste)
            }
        }
    }
}

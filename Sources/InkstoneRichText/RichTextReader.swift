import InkstoneBase
import InkstoneLayout
package import InkstoneText
import Synchronization

/// A reader for the formats of styled text that a clipboard or drag source offers. The caller reads one format
/// after the other, until one has the complete content.
///
/// HTML copied from LibreOffice refers to its pictures by temporary files, which are not opened. The RTF that
/// LibreOffice offers contains the pictures: they are inserted into the text of the HTML.
package final class RichTextReader: Sendable {
    private let scope: RichTextFormat.Scope
    private let baseSize: Double
    /// The text of an HTML document whose pictures are in files; nil for none.
    private let page = Mutex<StyledText?>(nil)

    /// Creates a reader for a single source: see ``RichTextFormat/read(_:keeping:baseSize:)``.
    package init(keeping scope: RichTextFormat.Scope, baseSize: Double) {
        (self.scope, self.baseSize) = (scope, baseSize)
    }

    /// Reads a document; nil if it cannot be read. Also nil if its pictures are in files: the caller should then try
    /// another format, which may contain the pictures, and ``rest`` has the text. If ``rest`` has a text already,
    /// returns that text with the pictures of the document. May be called on any thread. O(n).
    package func read(_ bytes: [UInt8], type: String) -> StyledText? {
        guard let format = RichTextFormat(type: type),
            let text = format.read(bytes, keeping: scope, baseSize: baseSize)
        else { return nil }
        if let page = rest { return page.withPictures(of: text) }
        guard format == .html, text.pictures.contains(where: \.isInFile) else { return text }
        page.withLock { $0 = text }
        return nil
    }

    /// The text that was read without its pictures, to be used if no other format has them; nil if there is none.
    package var rest: StyledText? { page.withLock { $0 } }
}

/// A picture in a text, and the range of its character.
private struct PlacedPicture {
    var range: Range<UTF16Offset>
    var picture: TextAttachment

    /// Whether the picture only has the address of a file, a `file:` URI.
    var isInFile: Bool {
        picture.type == RichPicture.addressType && picture.contents.count > 5
            && String(decoding: picture.contents.prefix(5), as: UTF8.self).lowercased() == "file:"
    }
}

extension StyledText {
    /// The pictures of the text, in order.
    fileprivate var pictures: [PlacedPicture] {
        guard runs != nil else { return [] }
        return attributes(in: rope.utf16Range).compactMap { run in
            run.attributes[AttachmentAttribute.self].map { PlacedPicture(range: run.range, picture: $0) }
        }
    }

    /// Returns the text with its missing pictures replaced by those of another format of the same text; unchanged
    /// if the other text has another number of pictures.
    fileprivate func withPictures(of other: StyledText) -> StyledText {
        let (own, others) = (pictures, other.pictures)
        guard own.count == others.count else { return self }
        var result = self
        result.restyle { restyling in
            for (mine, theirs) in zip(own, others) where mine.isInFile && theirs.picture.imageHeader != nil {
                restyling.set(theirs.picture, of: AttachmentAttribute.self, in: mine.range)
            }
        }
        return result
    }
}

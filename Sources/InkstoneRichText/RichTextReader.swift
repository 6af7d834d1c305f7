import InkstoneBase
import InkstoneLayout
package import InkstoneText
import Synchronization

/// Reads the formats of styled text that a source offers, one after the other, until one says all.
///
/// A page that LibreOffice copies names its pictures by files of its own, which are not opened. Its RTF holds them, so the page gets them from there.
package final class RichTextReader: Sendable {
    private let scope: RichTextFormat.Scope
    private let baseSize: Double
    /// A page with pictures that are in files.
    private let page = Mutex<StyledText?>(nil)

    /// Creates a reader for one source: see ``RichTextFormat/read(_:keeping:baseSize:)``.
    package init(keeping scope: RichTextFormat.Scope, baseSize: Double) {
        (self.scope, self.baseSize) = (scope, baseSize)
    }

    /// Reads a text; nil if it cannot be read, or if another format may have its pictures: then it is the ``rest`` for the case that none has.
    /// Any thread. O(n).
    package func read(_ bytes: [UInt8], type: String) -> StyledText? {
        guard let format = RichTextFormat(type: type),
            let text = format.read(bytes, keeping: scope, baseSize: baseSize)
        else { return nil }
        if let page = rest { return page.withPictures(of: text) }
        guard format == .html, text.pictures.contains(where: \.isInFile) else { return text }
        page.withLock { $0 = text }
        return nil
    }

    /// The text without its pictures, if no other format has them; nil if there is none.
    package var rest: StyledText? { page.withLock { $0 } }
}

/// A picture in a text, by the range of its character.
private struct PlacedPicture {
    var range: Range<UTF16Offset>
    var picture: TextAttachment

    /// Whether only the name of a file is there.
    var isInFile: Bool {
        picture.type == RichPicture.addressType && picture.contents.count > 5
            && String(decoding: picture.contents.prefix(5), as: UTF8.self).lowercased() == "file:"
    }
}

extension StyledText {
    /// The pictures in the order of the text.
    fileprivate var pictures: [PlacedPicture] {
        guard runs != nil else { return [] }
        return attributes(in: rope.utf16Range).compactMap { run in
            run.attributes[AttachmentAttribute.self].map { PlacedPicture(range: run.range, picture: $0) }
        }
    }

    /// The text with the pictures of another form of it in place of those in files; the text itself if the other has not as many.
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

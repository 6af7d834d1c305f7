import InkstoneBase
import InkstoneText

/// A part of a document that is laid out by itself. Immutable: an edit makes a new one.
public protocol TextElement: Sendable {
    /// UTF-16 units of the document, with the newline.
    var elementRange: Range<UTF16Offset> { get }
}

/// A paragraph: what newlines separate.
public struct TextParagraph: TextElement, Hashable {
    /// Number of paragraphs before it.
    public let index: ParagraphIndex
    /// UTF-16 units of the document, with the newline.
    public let elementRange: Range<UTF16Offset>
    /// UTF-16 units of the document, without the newline.
    public let contentRange: Range<UTF16Offset>

    init(_ paragraph: Paragraph, length: Int) {
        index = ParagraphIndex(paragraph.index)
        elementRange = UTF16Offset(paragraph.start)..<UTF16Offset(min(paragraph.end, length))
        contentRange = UTF16Offset(paragraph.start)..<UTF16Offset(paragraph.contentEnd)
    }
}

/// What gives a layout its elements and knows how places relate.
public protocol TextContentManager: AnyObject {
    /// UTF-16 units of the whole document.
    var documentRange: Range<UTF16Offset> { get }
    /// The place some UTF-16 units away; nil outside the document.
    func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset?
    /// UTF-16 units from one place to another; negative backwards.
    func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int
    /// Calls `body` with each element from the one that holds a place on, until it returns false.
    func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool)
}

/// A text store as paragraphs.
public final class TextContentStorage: TextContentManager {
    /// The document.
    public let store: TextStore

    /// The paragraphs of a store.
    public init(_ store: TextStore) { self.store = store }

    /// UTF-16 units of the whole document.
    public var documentRange: Range<UTF16Offset> { store.text.utf16Range }

    /// The place some UTF-16 units away; nil outside the document.
    public func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset? {
        let (sum, overflow) = location.value.addingReportingOverflow(units)
        guard !overflow, sum >= 0, sum <= documentRange.upperBound.value else { return nil }
        return UTF16Offset(sum)
    }

    /// UTF-16 units from one place to another; negative backwards.
    public func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int { end - start }

    /// Calls `body` with each paragraph from the one that holds a place on, until it returns false. O(log n) each.
    public func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool) {
        let text = store.text
        var index = text.paragraphIndex(at: min(max(location, 0), documentRange.upperBound))
        while index.value < text.paragraphCount {
            if !body(TextParagraph(Paragraph(text, index), length: text.metrics.utf16)) { return }
            index += 1
        }
    }
}

import InkstoneBase
import InkstoneText

/// What gives a layout its elements, says how they look, and knows how places relate.
///
/// ``TextContentStorage`` is one over a text store. A structured document has one of its own: elements that follow each
/// other without a gap, whose texts together are the document. The layout holds a copy of these texts; after a change,
/// tell it with ``TextLayoutManager/textContentDidChange(in:to:)``.
public protocol TextContentManager: AnyObject {
    /// UTF-16 units of the whole document, from 0.
    var documentRange: Range<UTF16Offset> { get }
    /// The place some UTF-16 units away; nil outside the document.
    func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset?
    /// UTF-16 units from one place to another; negative backwards.
    func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int
    /// Calls `body` with each element from the one that holds a place on, until it returns false. Elements are in order
    /// and each starts where the one before it ends.
    func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool)
    /// The text of an element, as many UTF-16 units as its range has. Each but the document's last ends with a newline.
    func text(of element: any TextElement) -> String
    /// How a paragraph is laid out: itself, a copy that looks different, or nil to hide it. Asked whenever it is laid
    /// out; of a paragraph of more than some thousand units, for each fragment with its own range.
    func textParagraph(_ paragraph: TextParagraph) -> TextParagraph?
}

extension TextContentManager {
    /// Counts within ``documentRange``.
    public func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset? {
        let (sum, overflow) = location.value.addingReportingOverflow(units)
        guard !overflow, sum >= documentRange.lowerBound.value, sum <= documentRange.upperBound.value else {
            return nil
        }
        return UTF16Offset(sum)
    }

    /// The difference.
    public func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int { end - start }

    /// As it is.
    public func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? { paragraph }

    /// The texts of the elements that meet a range, and the range they make up. Traps where elements leave a gap.
    func texts(in range: Range<UTF16Offset>) -> (text: String, range: Range<UTF16Offset>) {
        var text = ""
        var found: Range<UTF16Offset>?
        enumerateTextElements(from: range.lowerBound) { element in
            let next = element.elementRange
            if let known = found {
                precondition(known.upperBound == next.lowerBound, "elements follow each other without a gap")
                if next.lowerBound >= range.upperBound { return false }
            }
            let own = self.text(of: element)
            precondition(own.utf16.count == next.count, "an element's text is as long as its range")
            text += own
            found = (found?.lowerBound ?? next.lowerBound)..<next.upperBound
            return next.upperBound < range.upperBound
        }
        return (text, found ?? range)
    }
}

/// Who may hide elements of a content manager.
public protocol TextContentManagerDelegate: AnyObject {
    /// Whether an element is laid out at all; the caret passes by hidden ones. Nothing of the text changes.
    func textContentManager(_ manager: any TextContentManager, shouldEnumerate element: any TextElement) -> Bool
}

extension TextContentManagerDelegate {
    /// Shown.
    public func textContentManager(_: any TextContentManager, shouldEnumerate _: any TextElement) -> Bool { true }
}

/// Who may change how paragraphs of a store look without changing the store: nothing of it is saved, copied or undone.
///
/// After changing its mind, a delegate calls ``TextLayoutManager/invalidateLayout(for:)``. It is asked whenever something is laid
/// out; for what it reads and changes then the same holds as for a ``TextLayoutManagerDelegate``.
public protocol TextContentStorageDelegate: TextContentManagerDelegate {
    /// A paragraph to lay out in place of another, made by changing a copy of it; nil for the paragraph itself.
    func textContentStorage(
        _ storage: TextContentStorage, textParagraphWith paragraph: TextParagraph
    ) -> TextParagraph?
}

extension TextContentStorageDelegate {
    /// The paragraph itself.
    public func textContentStorage(_: TextContentStorage, textParagraphWith _: TextParagraph) -> TextParagraph? { nil }
}

/// A text store as paragraphs.
public final class TextContentStorage: TextContentManager {
    /// The document.
    public let store: TextStore
    /// Who may hide paragraphs or have them look different; set it before layout, or invalidate.
    public weak var delegate: (any TextContentStorageDelegate)?

    /// The paragraphs of a store.
    public init(_ store: TextStore) { self.store = store }

    /// UTF-16 units of the whole document.
    public var documentRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Calls `body` with each paragraph that is not hidden, from the one that holds a place on, until it returns false.
    /// O(log n) each.
    public func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool) {
        let text = store.text
        var index = text.paragraphIndex(at: min(max(location, 0), documentRange.upperBound))
        while index.value < text.paragraphCount {
            let paragraph = TextParagraph(Paragraph(text, index), length: text.metrics.utf16)
            if delegate?.textContentManager(self, shouldEnumerate: paragraph) ?? true, !body(paragraph) { return }
            index += 1
        }
    }

    /// The text of a paragraph with its newline.
    public func text(of element: any TextElement) -> String { store.text.string(in: element.elementRange) }

    /// What the delegate makes of a paragraph; nil if it hides it.
    public func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? {
        guard let delegate else { return paragraph }
        guard delegate.textContentManager(self, shouldEnumerate: paragraph) else { return nil }
        return delegate.textContentStorage(self, textParagraphWith: paragraph) ?? paragraph
    }
}

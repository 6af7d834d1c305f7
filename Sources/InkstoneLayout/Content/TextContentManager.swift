import InkstoneBase
import InkstoneText

/// The source of a layout's elements, of their styles, and of the distances between positions.
///
/// ``TextContentStorage`` provides the paragraphs of a text store. A structured document implements its own: elements that follow each
/// other without a gap and whose texts together are the document. The layout holds a copy of these texts; after a change, notify it with
/// ``TextLayoutManager/textContentDidChange(in:to:)``.
public protocol TextContentManager: AnyObject {
    /// UTF-16 units of the whole document, from 0.
    var documentRange: Range<UTF16Offset> { get }
    /// Returns the position some UTF-16 units away; nil outside the document.
    func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset?
    /// Returns the number of UTF-16 units from one position to another; negative backwards.
    func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int
    /// Calls `body` with each element, starting with the one that holds a position, until it returns false. Elements are in order
    /// and each starts where the one before it ends.
    func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool)
    /// Returns the text of an element, as many UTF-16 units as its range has. Each but the document's last ends with a newline.
    func text(of element: any TextElement) -> String
    /// Returns the paragraph to lay out: itself, a copy in another style, or nil to hide it. Called at each layout of the
    /// paragraph; for a paragraph of more than some thousand units, once for each fragment, with the fragment's range.
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

    /// Returns the difference.
    public func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int { end - start }

    /// Returns the paragraph unchanged.
    public func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? { paragraph }

    /// Returns the texts of the elements that meet a range, and the range of these elements. Traps where elements leave a gap.
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

/// A delegate that can hide elements of a content manager.
public protocol TextContentManagerDelegate: AnyObject {
    /// Returns whether an element is laid out at all; the caret skips hidden elements. The text itself does not change.
    func textContentManager(_ manager: any TextContentManager, shouldEnumerate element: any TextElement) -> Bool
}

extension TextContentManagerDelegate {
    /// Returns true.
    public func textContentManager(_: any TextContentManager, shouldEnumerate _: any TextElement) -> Bool { true }
}

/// A delegate that can change the style of a store's paragraphs without changing the store: its styles are not saved, copied or undone.
///
/// When its answers change, a delegate calls ``TextLayoutManager/invalidateLayout(for:)``. It is called whenever something is laid
/// out; the rules of ``TextLayoutManagerDelegate`` for reading and changing the layout apply to it as well.
public protocol TextContentStorageDelegate: TextContentManagerDelegate {
    /// Returns a modified copy of a paragraph to lay out instead of it; nil for the paragraph itself.
    func textContentStorage(
        _ storage: TextContentStorage, textParagraphWith paragraph: TextParagraph
    ) -> TextParagraph?
}

extension TextContentStorageDelegate {
    /// Returns the paragraph itself.
    public func textContentStorage(_: TextContentStorage, textParagraphWith _: TextParagraph) -> TextParagraph? { nil }
}

/// A text store as paragraphs.
public final class TextContentStorage: TextContentManager {
    /// The document.
    public let store: TextStore
    /// The delegate that can hide paragraphs or change their style; set it before layout, or invalidate.
    public weak var delegate: (any TextContentStorageDelegate)?

    /// The paragraphs of a store.
    public init(_ store: TextStore) { self.store = store }

    /// UTF-16 units of the whole document.
    public var documentRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Calls `body` with each paragraph that is not hidden, starting with the one that holds a position, until it returns false.
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

    /// Returns the text of a paragraph with its newline.
    public func text(of element: any TextElement) -> String { store.text.string(in: element.elementRange) }

    /// Returns the delegate's version of a paragraph; nil if the delegate hides it.
    public func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? {
        guard let delegate else { return paragraph }
        guard delegate.textContentManager(self, shouldEnumerate: paragraph) else { return nil }
        return delegate.textContentStorage(self, textParagraphWith: paragraph) ?? paragraph
    }
}

import InkstoneBase
import InkstoneText

/// The source of a layout's text: its elements, their styles, and the distances between positions.
///
/// ``TextContentStorage`` provides the paragraphs of a text store. A structured document implements the protocol
/// itself. Its elements follow each other without gaps, and their texts together are the document. The layout holds
/// a copy of these texts; after a change, notify it with ``TextLayoutManager/textContentDidChange(in:to:)``.
public protocol TextContentManager: AnyObject {
    /// Range of the whole document in UTF-16 units, from 0.
    var documentRange: Range<UTF16Offset> { get }
    /// Returns the position a number of UTF-16 units after another, or before it if the number is negative; nil if
    /// the result is outside the document.
    func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset?
    /// Returns the number of UTF-16 units from one position to another; negative backwards.
    func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int
    /// Calls `body` with each element, starting with the one that contains `location`, until `body` returns false.
    /// The elements are in document order, and each starts where the previous one ends.
    func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool)
    /// Returns the text of an element, which has as many UTF-16 units as the element's range. The text of each element
    /// except the document's last ends with a newline.
    func text(of element: any TextElement) -> String
    /// Returns the paragraph to lay out in place of `paragraph`: itself or a copy in another style. Nil hides the
    /// paragraph. Called each time the paragraph is laid out. A paragraph of more than some thousand units is laid
    /// out in fragments. The method is then called for each fragment, and receives that fragment's range.
    func textParagraph(_ paragraph: TextParagraph) -> TextParagraph?
}

extension TextContentManager {
    /// By default, returns the sum of the position and the distance; nil if the sum is outside of ``documentRange``.
    public func location(_ location: UTF16Offset, offsetBy units: Int) -> UTF16Offset? {
        let (sum, overflow) = location.value.addingReportingOverflow(units)
        guard !overflow, sum >= documentRange.lowerBound.value, sum <= documentRange.upperBound.value else {
            return nil
        }
        return UTF16Offset(sum)
    }

    /// By default, returns the difference of the two offsets.
    public func offset(from start: UTF16Offset, to end: UTF16Offset) -> Int { end - start }

    /// By default, returns the paragraph unchanged.
    public func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? { paragraph }

    /// Returns the joined text of the elements that overlap a range, and the range of these elements. Traps if
    /// there is a gap between elements, or if an element's text is not as long as its range.
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

/// A delegate that decides which elements of a content manager are shown.
public protocol TextContentManagerDelegate: AnyObject {
    /// Returns whether an element is laid out. The caret skips elements that are not; the text itself does not
    /// change.
    func textContentManager(_ manager: any TextContentManager, shouldEnumerate element: any TextElement) -> Bool
}

extension TextContentManagerDelegate {
    /// Returns true, so that every element is shown.
    public func textContentManager(_: any TextContentManager, shouldEnumerate _: any TextElement) -> Bool { true }
}

/// A delegate that changes the style of paragraphs as they are laid out. The store does not change: these styles
/// are not saved, copied or undone.
///
/// When its results change, the delegate calls ``TextLayoutManager/invalidateLayout(for:)``. Its methods are called
/// each time a paragraph is laid out. They follow the rules of ``TextLayoutManagerDelegate`` for reading and
/// changing the layout.
public protocol TextContentStorageDelegate: TextContentManagerDelegate {
    /// Returns a modified copy of the paragraph to lay out in its place; nil to lay out the paragraph unchanged.
    func textContentStorage(
        _ storage: TextContentStorage, textParagraphWith paragraph: TextParagraph
    ) -> TextParagraph?
}

extension TextContentStorageDelegate {
    /// Returns nil, so that the paragraph is laid out unchanged.
    public func textContentStorage(_: TextContentStorage, textParagraphWith _: TextParagraph) -> TextParagraph? { nil }
}

/// A content manager for a text store, whose elements are paragraphs.
public final class TextContentStorage: TextContentManager {
    /// The store that holds the text.
    public let store: TextStore
    /// The delegate that can hide paragraphs or change their style. Set it before layout, or invalidate the layout
    /// afterwards.
    public weak var delegate: (any TextContentStorageDelegate)?

    /// Creates a content manager for the paragraphs of a store.
    public init(_ store: TextStore) { self.store = store }

    /// Range of the whole document in UTF-16 units.
    public var documentRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Calls `body` with each paragraph that is not hidden, starting with the one that contains `location`, until
    /// `body` returns false. O(log n) for each paragraph.
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

    /// Returns the paragraph as the storage's delegate modifies it; nil if the delegate hides it.
    public func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? {
        guard let delegate else { return paragraph }
        guard delegate.textContentManager(self, shouldEnumerate: paragraph) else { return nil }
        return delegate.textContentStorage(self, textParagraphWith: paragraph) ?? paragraph
    }
}

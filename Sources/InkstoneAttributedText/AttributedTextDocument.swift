public import FoundationEssentials
import InkstoneBase
public import InkstoneText

/// A ``TextStore`` in the form of SwiftUI's bindings for text: an attributed string with a selection. Changes are
/// passed piece by piece; the whole string is made only when it is read.
///
/// ```swift
/// let document = AttributedTextDocument(TextStore("some text"))
/// var selection = document.selection(of: Selection(anchor: 5, head: 9))
/// document.replaceSelection(&selection, with: AttributedString("words"))
/// ```
///
/// Bound to the thread of its store.
public final class AttributedTextDocument {
    /// The store of the text.
    public let store: TextStore
    /// The mapping between keys of attributed strings and keys of the text.
    public let bridging: AttributeBridging

    /// The whole string that was made last, and the version of the text from which it was made.
    private var known: (string: AttributedString, version: TextVersion)?
    /// Number of times that the whole string was made.
    private(set) var madeStrings = 0

    /// Creates a document with the text of a store.
    public init(_ store: TextStore, bridging: AttributeBridging = AttributeBridging()) {
        (self.store, self.bridging) = (store, bridging)
    }

    /// The whole text as an attributed string. Made when it is read for the first time after an edit, O(n); copies
    /// share storage. Setting it replaces the whole text.
    public var string: AttributedString {
        get {
            if let known, known.version == store.version { return known.string }
            let string = AttributedString(store.styledText, bridging: bridging)
            madeStrings += 1
            known = (string, store.version)
            return string
        }
        set { replace(store.text.utf16Range, with: newValue) }
    }

    /// Returns a range of the text as an attributed string. O(log n) and the length of the range.
    public func string(in range: Range<UTF16Offset>) -> AttributedString {
        AttributedString(store.styledText.slice(range), bridging: bridging)
    }

    /// Replaces a range, which is clamped to the text, by a text with attributes, as one undo step of the program.
    public func replace(_ range: Range<UTF16Offset>, with string: AttributedString) {
        store.replace(range, with: StyledText(string, bridging: bridging))
    }

    // MARK: Selections

    /// Returns a selection of the present text, from offsets. Does not make the whole string.
    public func selection(
        of selection: Selection, typingAttributes: AttributeContainer? = nil
    ) -> AttributedTextSelection {
        AttributedTextSelection(
            .offsets(selection.clamped(into: store.text.utf16Range), store.id, store.version),
            selection.isEmpty ? typingAttributes : nil, selection.affinity)
    }

    /// Returns a selection in offsets of the present text. A selection of an older version of the text is mapped
    /// through the edits since. Does not make the whole string.
    ///
    /// A selection that is older than the store's log of edits is only clamped, and the store's
    /// `expiredPositionHandler` is called. Throws for a selection of another document, and for string indices that
    /// do not belong to the string that this document has made last.
    public func selection(_ selection: AttributedTextSelection) throws(AttributedTextError) -> Selection {
        switch selection.place {
        case .end: return Selection(caret: store.text.utf16Range.upperBound)
        case .offsets(let old, let document, let version):
            guard document == store.id, version <= store.version else { throw .otherDocument }
            return moved(old, from: version)
        case .indices(let indices):
            guard let known, selection.isValid(in: known.string) else { throw .staleIndices }
            let string = known.string
            func offset(_ index: AttributedString.Index) -> UTF16Offset {
                UTF16Offset(string.utf16.distance(from: string.startIndex, to: index))
            }
            switch indices {
            case .insertionPoint(let index):
                return moved(Selection(caret: offset(index), affinity: selection.affinity), from: known.version)
            case .ranges(let ranges):
                let ranges = ranges.ranges.map {
                    SelectionRange(anchor: offset($0.lowerBound), head: offset($0.upperBound))
                }
                return moved(Selection(ranges) ?? Selection(caret: 0), from: known.version)
            }
        }
    }

    /// Maps a selection of the text at a version to the present text. Text inserted at the ends of selected text
    /// stays outside, and a caret moves after text inserted at it.
    private func moved(_ selection: Selection, from version: TextVersion) -> Selection {
        if version == store.version { return selection }
        return selection.mapped(caret: .downstream) { offset, bias in
            store.offset(of: TextPosition(document: store.id, version: version, offset: offset, affinity: bias))
        }
    }

    /// Replaces the selected text by a text with attributes, as one undo step of the program: the new text replaces
    /// the first selected range, and the other ranges are deleted. The selection becomes the caret after the new
    /// text. Does not make the whole string.
    public func replaceSelection(
        _ selection: inout AttributedTextSelection, with content: some AttributedStringProtocol
    ) throws(AttributedTextError) {
        let ranges = try self.selection(selection).ranges.map(\.range)
        let new = StyledText(
            AttributedString(content[content.startIndex..<content.endIndex]), bridging: bridging)
        let texts = ranges.indices.map { (range: ranges[$0], text: $0 == 0 ? new : StyledText()) }
        let (changes, restyling) = store.styledText.replacing(texts)
        store.apply(Transaction(on: store, changes, restyling: restyling))
        selection = self.selection(of: Selection(caret: ranges[0].lowerBound + new.rope.metrics.utf16))
    }

    /// Replaces the selected text by characters with the typing attributes: those set for the caret, or else those
    /// that the surrounding text passes on.
    public func replaceSelection(
        _ selection: inout AttributedTextSelection, withCharacters content: some Collection<Character>
    ) throws(AttributedTextError) {
        let place = try self.selection(selection).ranges[0].range
        let typing = selection.typing
        let attributes =
            typing ?? bridging.container(store.styledText.typingAttributes(replacing: place))
        try replaceSelection(&selection, with: AttributedString(String(content), attributes: attributes))
        selection.typing = typing
    }

    // MARK: Changes

    /// A change of the text, with the new text as an attributed string.
    public struct Change: Sendable {
        /// The replaced range, in UTF-16 units of the text before the transaction.
        public var range: Range<UTF16Offset>
        /// The new text of the range, with its attributes.
        public var replacement: AttributedString
    }

    /// Calls `body` with the changes of each transaction, in order of their ranges, including changes of the
    /// attributes alone. The observation ends when the returned token is dropped. O(k) for k units that change.
    public func observeChanges(_ body: @escaping ([Change]) -> Void) -> TextObservation {
        store.observeTransactions { [bridging] applied in
            let text = applied.styledText
            body(
                applied.changes.sectionsWithAttributes.map {
                    Change(range: $0.old, replacement: AttributedString(text.slice($0.new), bridging: bridging))
                })
        }
    }
}

/// An error of a selection in an attributed text.
public enum AttributedTextError: Error, Hashable, CustomStringConvertible {
    /// The selection's indices do not belong to the string that the document has made last.
    case staleIndices
    /// The selection belongs to another document.
    case otherDocument

    /// The error in words, with what to do.
    public var description: String {
        switch self {
        case .staleIndices:
            "This selection belongs to an older string. Create a selection of the document's present string."
        case .otherDocument: "This selection belongs to another document. Create a selection of this document's string."
        }
    }
}

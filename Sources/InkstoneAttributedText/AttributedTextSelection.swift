public import FoundationEssentials
import InkstoneBase
public import InkstoneText

/// A selection of an attributed string: either an insertion point, with the attributes of text typed there, or
/// ranges. The counterpart of SwiftUI's type of the same name, which Linux lacks.
///
/// The selection contains indices of one string and does not follow edits by itself. Edit the string by the methods
/// that update a selection, such as `AttributedString.replaceSelection(_:with:)`; after any other edit, the
/// selection counts as the end of the string. A selection of an ``AttributedTextDocument`` is mapped through the
/// document's edits.
public struct AttributedTextSelection: Equatable, Sendable {
    /// A selection as indices of a string.
    public enum Indices: Equatable, Sendable {
        /// A caret.
        case insertionPoint(AttributedString.Index)
        /// Selected ranges; not empty.
        case ranges(RangeSet<AttributedString.Index>)
    }

    /// The position of a selection, in one of several forms.
    enum Place: Equatable, Sendable {
        /// The end of any string.
        case end
        /// Indices of one string.
        case indices(Indices)
        /// Offsets in the text of a document, with the version of the text to which they belong.
        case offsets(Selection, DocumentID, TextVersion)
    }

    let place: Place
    /// The attributes of text typed at an insertion point; nil to inherit them from the surrounding text.
    var typing: AttributeContainer?
    let affinity: TextAffinity

    init(_ place: Place, _ typing: AttributeContainer? = nil, _ affinity: TextAffinity = .downstream) {
        (self.place, self.typing, self.affinity) = (place, typing, affinity)
    }

    /// Creates a caret at the end of any string.
    public init() { self.init(.end) }

    /// Creates a caret in a string.
    ///
    /// - Parameters:
    ///   - typingAttributes: the attributes of text typed at the caret; nil to inherit them from the surrounding
    ///     text.
    ///   - affinity: the neighbouring character that the caret belongs to, where lines wrap or directions change.
    public init(
        insertionPoint: AttributedString.Index, typingAttributes: AttributeContainer? = nil,
        affinity: TextAffinity = .downstream
    ) {
        self.init(.indices(.insertionPoint(insertionPoint)), typingAttributes, affinity)
    }

    /// Creates a selection of a range; a caret if the range is empty.
    public init(range: Range<AttributedString.Index>) {
        self.init(.indices(range.isEmpty ? .insertionPoint(range.lowerBound) : .ranges(RangeSet(range))))
    }

    /// Creates a selection of several ranges; without any, a caret at the end of any string.
    public init(ranges: RangeSet<AttributedString.Index>) {
        self.init(ranges.isEmpty ? .end : .indices(.ranges(ranges)))
    }

    /// Whether the selection belongs to a string that was not edited since. For a selection made by an
    /// ``AttributedTextDocument``, only whether the string is long enough. The end of any string is always valid.
    public func isValid(in string: AttributedString) -> Bool {
        switch place {
        case .end: true
        // `isValid(within:)` of a single index is false at the end of the string, so check an empty range instead.
        case .indices(.insertionPoint(let index)): (index..<index).isValid(within: string)
        case .indices(.ranges(let ranges)): ranges.isValid(within: string)
        case .offsets(let selection, _, _):
            (selection.ranges.last?.range.upperBound.value ?? 0) <= string.utf16.count
        }
    }

    /// Returns the selection as indices of a string; the end of the string if the selection does not belong to it.
    public func indices(in string: AttributedString) -> Indices {
        guard isValid(in: string) else { return .insertionPoint(string.endIndex) }
        switch place {
        case .end: return .insertionPoint(string.endIndex)
        case .indices(let indices): return indices
        case .offsets(let selection, _, _):
            let selected = selection.ranges.map(\.range).filter { !$0.isEmpty }
            func index(_ offset: UTF16Offset) -> AttributedString.Index {
                string.utf16.index(string.startIndex, offsetBy: offset.value)
            }
            if selected.isEmpty { return .insertionPoint(index(selection.head)) }
            return .ranges(RangeSet(selected.map { index($0.lowerBound)..<index($0.upperBound) }))
        }
    }

    /// Returns the neighbouring character that the caret belongs to, where lines wrap or directions change.
    public func affinity(in _: AttributedString) -> TextAffinity { affinity }

    /// Returns the attributes of each selected run; for a caret, the attributes of text typed there.
    public func attributes(in string: AttributedString) -> [AttributeContainer] {
        guard case .ranges(let ranges) = indices(in: string) else { return [typingAttributes(in: string)] }
        return ranges.ranges.flatMap { string[$0].runs.map(\.attributes) }
    }

    /// Returns the attributes of text typed in place of the selection: those set for a caret, or else the
    /// attributes with `inheritedByAddedText` of the first selected character. A caret inherits from the character
    /// before it, or at the start of a paragraph from the character after it.
    public func typingAttributes(in string: AttributedString) -> AttributeContainer {
        if let typing, isValid(in: string) { return typing }
        guard let run = string.typingRun(indices(in: string)) else { return AttributeContainer() }
        return run.filter(inheritedByAddedText: true)
    }
}

extension AttributedString {
    /// Replaces the selected text by `newContent`, which replaces the first selected range; the other ranges are
    /// deleted. The selection becomes the caret after the new text.
    public mutating func replaceSelection(
        _ selection: inout AttributedTextSelection, with newContent: some AttributedStringProtocol
    ) {
        let new = AttributedString(newContent[newContent.startIndex..<newContent.endIndex])
        let length = new.utf8.count
        var place = 0
        switch selection.indices(in: self) {
        case .insertionPoint(let index):
            place = offset(of: index)
            insert(new, at: index)
        case .ranges(let ranges):
            let offsets = ranges.ranges.map(offsets)
            place = offsets[0].lowerBound
            // Go from the last range to the first, so that the offsets of earlier ranges stay valid.
            for range in offsets.dropFirst().reversed() { removeSubrange(indices(of: range)) }
            replaceSubrange(indices(of: offsets[0]), with: new)
        }
        selection = AttributedTextSelection(insertionPoint: index(at: place + length))
    }

    /// Replaces the selected text by characters with the typing attributes. Typing attributes that were set for the
    /// caret stay set.
    public mutating func replaceSelection(
        _ selection: inout AttributedTextSelection, withCharacters newContent: some Collection<Character>
    ) {
        let typing = selection.isValid(in: self) ? selection.typing : nil
        let new = AttributedString(String(newContent), attributes: selection.typingAttributes(in: self))
        replaceSelection(&selection, with: new)
        selection.typing = typing
    }

    /// Changes the attributes of each selected run; for a caret, the attributes of text typed there. The selection
    /// stays the same.
    ///
    /// - Parameter body: called with the attributes of each run, in order, and may change them.
    public mutating func transformAttributes<Failure: Error>(
        in selection: inout AttributedTextSelection, body: (inout AttributeContainer) throws(Failure) -> Void
    ) throws(Failure) {
        guard case .ranges(let ranges) = selection.indices(in: self) else {
            var typing = selection.typingAttributes(in: self)
            try body(&typing)
            guard case .insertionPoint(let index) = selection.indices(in: self) else { return }
            selection = AttributedTextSelection(
                insertionPoint: index, typingAttributes: typing, affinity: selection.affinity)
            return
        }
        let offsets = ranges.ranges.map(offsets)
        let runs = ranges.ranges.flatMap { range in
            self[range].runs.map { (attributes: $0.attributes, range: self.offsets($0.range)) }
        }
        defer { selection = AttributedTextSelection(ranges: RangeSet(offsets.map(indices))) }
        for run in runs {
            var attributes = run.attributes
            try body(&attributes)
            if attributes != run.attributes { self[indices(of: run.range)].setAttributes(attributes) }
        }
    }

    /// Edits the string and updates a selection. Text inserted at the ends of selected text stays outside, and a
    /// caret moves after text inserted at it. If the position is lost, for example because a new string was
    /// assigned, the selection becomes the end of the string.
    public mutating func transform<Failure: Error>(
        updating selection: inout AttributedTextSelection, body: (inout AttributedString) throws(Failure) -> Void
    ) throws(Failure) {
        let old = selection
        let ranges: [Range<Index>] =
            switch old.indices(in: self) {
            case .insertionPoint(let index): [index..<index]
            case .ranges(let ranges): Array(ranges.ranges)
            }
        guard let moved = try transform(updating: ranges, body: body) else {
            selection = AttributedTextSelection()
            return
        }
        let selected = moved.filter { !$0.isEmpty }
        if let place = moved.first, selected.isEmpty {
            selection = AttributedTextSelection(
                insertionPoint: place.lowerBound, typingAttributes: old.typing,
                affinity: old.affinity)
        } else {
            selection = AttributedTextSelection(ranges: RangeSet(selected))
        }
    }

    /// Returns the attributes of the character from which text typed at the selection inherits; nil in an empty
    /// string.
    fileprivate func typingRun(_ place: AttributedTextSelection.Indices) -> AttributeContainer? {
        guard startIndex < endIndex else { return nil }
        let at: Index
        switch place {
        case .ranges(let ranges): at = ranges.ranges.first?.lowerBound ?? startIndex
        case .insertionPoint(let index) where index == startIndex: at = index
        case .insertionPoint(let index):
            let before = characters.index(before: index)
            at = index < endIndex && characters[before].isNewline ? index : before
        }
        return runs[at].attributes
    }

    // Use UTF-8 offsets, which stay valid after an edit of later text; indices do not.

    private func offset(of index: Index) -> Int { utf8.distance(from: startIndex, to: index) }

    private func offsets(_ range: Range<Index>) -> Range<Int> {
        offset(of: range.lowerBound)..<offset(of: range.upperBound)
    }

    private func index(at offset: Int) -> Index { utf8.index(startIndex, offsetBy: offset) }

    private func indices(of range: Range<Int>) -> Range<Index> {
        index(at: range.lowerBound)..<index(at: range.upperBound)
    }
}

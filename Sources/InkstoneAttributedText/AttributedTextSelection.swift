public import FoundationEssentials
import InkstoneBase
public import InkstoneText

/// A selection of an attributed string: an insertion point, with the attributes of what is typed there, or ranges. SwiftUI's type of that name,
/// which Linux lacks.
///
/// It holds indices of one string and knows nothing of its edits: edit the string by the methods that update a selection, such as
/// `AttributedString.replaceSelection(_:with:)`. With a string that was edited in another way it stands for the end of that.
/// An ``AttributedTextDocument`` finds its place again.
public struct AttributedTextSelection: Equatable, Sendable {
    /// A selection as indices of a string.
    public enum Indices: Equatable, Sendable {
        /// A caret.
        case insertionPoint(AttributedString.Index)
        /// Selected text; not empty.
        case ranges(RangeSet<AttributedString.Index>)
    }

    /// The origin of a selection.
    enum Place: Equatable, Sendable {
        /// The end of whatever string.
        case end
        /// Indices of a string.
        case indices(Indices)
        /// A selection of a document's text at a version.
        case offsets(Selection, DocumentID, TextVersion)
    }

    let place: Place
    /// Attributes of text typed at an insertion point; nil for what the text around it gives.
    var typing: AttributeContainer?
    let affinity: TextAffinity

    init(_ place: Place, _ typing: AttributeContainer? = nil, _ affinity: TextAffinity = .downstream) {
        (self.place, self.typing, self.affinity) = (place, typing, affinity)
    }

    /// The end of any string.
    public init() { self.init(.end) }

    /// A caret.
    ///
    /// - Parameters:
    ///   - typingAttributes: the attributes of what is typed there; nil for those that the text around it gives.
    ///   - affinity: the neighbour that the caret belongs to where lines wrap or directions change.
    public init(
        insertionPoint: AttributedString.Index, typingAttributes: AttributeContainer? = nil,
        affinity: TextAffinity = .downstream
    ) {
        self.init(.indices(.insertionPoint(insertionPoint)), typingAttributes, affinity)
    }

    /// Selected text, or for an empty range a caret.
    public init(range: Range<AttributedString.Index>) {
        self.init(.indices(range.isEmpty ? .insertionPoint(range.lowerBound) : .ranges(RangeSet(range))))
    }

    /// Selected text in several places; without any, the end of any string.
    public init(ranges: RangeSet<AttributedString.Index>) {
        self.init(ranges.isEmpty ? .end : .indices(.ranges(ranges)))
    }

    /// Whether the selection is of a string, which was not edited since; of one that an ``AttributedTextDocument`` made, whether the string is
    /// long enough to be the document's.
    public func isValid(in string: AttributedString) -> Bool {
        switch place {
        case .end: true
        // An index alone is not valid at the end.
        case .indices(.insertionPoint(let index)): (index..<index).isValid(within: string)
        case .indices(.ranges(let ranges)): ranges.isValid(within: string)
        case .offsets(let selection, _, _):
            (selection.ranges.last?.range.upperBound.value ?? 0) <= string.utf16.count
        }
    }

    /// The selection as indices of a string; the end of a string that it is not of.
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

    /// The neighbour that the caret belongs to where lines wrap or directions change.
    public func affinity(in _: AttributedString) -> TextAffinity { affinity }

    /// The attributes of each run that is selected, or at a caret those of what is typed there.
    public func attributes(in string: AttributedString) -> [AttributeContainer] {
        guard case .ranges(let ranges) = indices(in: string) else { return [typingAttributes(in: string)] }
        return ranges.ranges.flatMap { string[$0].runs.map(\.attributes) }
    }

    /// The attributes of what is typed in place of the selection: those that were given for a caret; else what keys with
    /// `inheritedByAddedText` take over, of the first character that is selected, or of the one before a caret, at a paragraph's start the one
    /// behind it.
    public func typingAttributes(in string: AttributedString) -> AttributeContainer {
        if let typing, isValid(in: string) { return typing }
        guard let run = string.typingRun(indices(in: string)) else { return AttributeContainer() }
        return run.filter(inheritedByAddedText: true)
    }
}

extension AttributedString {
    /// Replaces what is selected by other text: all ranges go, the new text comes where the first was, and the caret behind it.
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
            // From the last on, so that those before it keep their places.
            for range in offsets.dropFirst().reversed() { removeSubrange(indices(of: range)) }
            replaceSubrange(indices(of: offsets[0]), with: new)
        }
        selection = AttributedTextSelection(insertionPoint: index(at: place + length))
    }

    /// Replaces what is selected by characters with the typing attributes; these stay, if they were given for the caret.
    public mutating func replaceSelection(
        _ selection: inout AttributedTextSelection, withCharacters newContent: some Collection<Character>
    ) {
        let typing = selection.isValid(in: self) ? selection.typing : nil
        let new = AttributedString(String(newContent), attributes: selection.typingAttributes(in: self))
        replaceSelection(&selection, with: new)
        selection.typing = typing
    }

    /// Changes the attributes of each run that is selected, or at a caret those of what is typed there. What is selected stays so.
    ///
    /// - Parameter body: called with the attributes of each run, in order, which may be changed.
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

    /// Edits the string while a selection follows: text inserted at the ends of what is selected stays outside, and a caret moves behind what
    /// is inserted there. Where its place is lost, as where all of the string is assigned anew, it becomes the end.
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

    /// The attributes that text typed there takes after; nil in an empty string.
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

    // UTF-8 offsets outlive edits before which they lie, as indices do not.

    private func offset(of index: Index) -> Int { utf8.distance(from: startIndex, to: index) }

    private func offsets(_ range: Range<Index>) -> Range<Int> {
        offset(of: range.lowerBound)..<offset(of: range.upperBound)
    }

    private func index(at offset: Int) -> Index { utf8.index(startIndex, offsetBy: offset) }

    private func indices(of range: Range<Int>) -> Range<Index> {
        index(at: range.lowerBound)..<index(at: range.upperBound)
    }
}

public import InkstoneBase
public import InkstoneText

/// A range of a `TextStore`'s text that moves with edits: text that others insert at its ends stays outside. An empty one,
/// or one whose text is deleted, is a position before text inserted there.
public final class RangeAnchor: InputAnchor {
    private let store: TextStore
    private var start: TextAnchor
    private var end: TextAnchor

    /// Creates an anchor over a range of a store's present text, clamped to it.
    public init(_ store: TextStore, _ range: Range<UTF16Offset>) {
        self.store = store
        let isEmpty = range.isEmpty
        start = store.makeAnchor(at: range.lowerBound, gravity: isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }

    /// The present range, in UTF-16 units.
    public var range: UTF16Range {
        UTF16Range(location: min(start.offset, end.offset).value, length: max(0, end.offset - start.offset))
    }

    /// Moves the anchor to another range, such as that of the text that replaced it.
    public func cover(_ range: Range<UTF16Offset>) {
        start = store.makeAnchor(at: range.lowerBound, gravity: range.isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }
}

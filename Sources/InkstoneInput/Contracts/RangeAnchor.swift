public import InkstoneBase
public import InkstoneText

/// A range of a `TextStore`'s text that moves with edits. Text that other edits insert at the ends of the range stays
/// outside of it. If its text is deleted, the range becomes empty. Text inserted at an empty range comes after it.
public final class RangeAnchor: InputAnchor {
    private let store: TextStore
    private var start: TextAnchor
    private var end: TextAnchor

    /// Creates an anchor for a range of a store's present text. The range is clamped to the text.
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

    /// Sets the anchor to another range, for example to the range of the text that has replaced the anchor's text.
    public func cover(_ range: Range<UTF16Offset>) {
        start = store.makeAnchor(at: range.lowerBound, gravity: range.isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }
}

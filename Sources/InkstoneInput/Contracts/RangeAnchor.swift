public import InkstoneBase
public import InkstoneText

/// A range of a `TextStore`'s text that moves with edits: what others insert at its ends stays outside. One that is empty,
/// or whose text is gone, is a place that stays before what is inserted there.
public final class RangeAnchor: InputAnchor {
    private let store: TextStore
    private var start: TextAnchor
    private var end: TextAnchor

    /// An anchor over a range of a store's present text, clamped to it.
    public init(_ store: TextStore, _ range: Range<UTF16Offset>) {
        self.store = store
        let isEmpty = range.isEmpty
        start = store.makeAnchor(at: range.lowerBound, gravity: isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }

    /// Where it is now, in UTF-16 units.
    public var range: UTF16Range {
        UTF16Range(location: min(start.offset, end.offset).value, length: max(0, end.offset - start.offset))
    }

    /// Moves it over another range, such as the text that replaced it.
    public func cover(_ range: Range<UTF16Offset>) {
        start = store.makeAnchor(at: range.lowerBound, gravity: range.isEmpty ? .upstream : .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneText

/// What a drag of the pointer selects from: a plain value. Offsets are UTF-16 code units of the text.
struct SelectionDrag: Hashable {
    /// What the press selected: a place, a word or a paragraph. It stays selected.
    var origin: Range<UTF16Offset>
    /// What the range grows by.
    var granularity: TextGranularity
    /// What is selected beside it; nil for nothing.
    var kept: Selection?
    /// The corner of a rectangle that stays, in pixels of the document; nil for a drag along the text.
    var corner: DocumentPoint?

    /// Keeps what was selected first at its text.
    mutating func map(through changes: TextChangeMap) {
        let low = changes.map(origin.lowerBound, bias: .upstream)
        origin = low..<max(low, changes.map(origin.upperBound, bias: .downstream))
        kept = kept?.mapped { changes.map($0, bias: $1) }
    }
}

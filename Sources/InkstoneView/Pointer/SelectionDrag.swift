import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The handle that a finger holds. A plain value.
struct HandleHold: Hashable {
    /// The end of the selection that the handle moves.
    var role: TextSelectionHandle.Role
    /// The distance from the finger to the held text position, in pixels.
    var offset: Vector
}

/// A drag of the pointer that selects text. A plain value; offsets are in UTF-16 units of the text.
struct SelectionDrag: Hashable {
    /// The range that the press selected: a caret position, a word, a paragraph or an attachment. It remains selected
    /// during the drag.
    var origin: Range<UTF16Offset>
    /// The unit by which the selection grows.
    var granularity: TextGranularity
    /// The ranges that were selected before and remain selected in addition; nil for none.
    var kept: Selection?
    /// The fixed corner of a rectangular selection, in document pixels; nil for a drag along the text.
    var corner: DocumentPoint?

    /// The handle that is held; nil for a drag of another kind. With a handle, ``origin`` is the fixed end.
    var hold: HandleHold?

    /// Maps the offsets through a change of the text.
    mutating func map(through changes: TextChangeMap) {
        let low = changes.map(origin.lowerBound, bias: .upstream)
        origin = low..<max(low, changes.map(origin.upperBound, bias: .downstream))
        kept = kept?.mapped { changes.map($0, bias: $1) }
    }
}

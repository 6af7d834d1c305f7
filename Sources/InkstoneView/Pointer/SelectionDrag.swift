import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A handle that a finger holds: a plain value.
struct HandleHold: Hashable {
    /// The end of the selection that the handle moves.
    var role: TextSelectionHandle.Role
    /// Distance from the finger to the held text position, in pixels.
    var offset: Vector
}

/// A drag of the pointer that selects: a plain value. Offsets are UTF-16 code units of the text.
struct SelectionDrag: Hashable {
    /// The range that the press selected: a caret position, a word or a paragraph. It stays selected.
    var origin: Range<UTF16Offset>
    /// The unit by which the range grows.
    var granularity: TextGranularity
    /// The selection kept in addition; nil for none.
    var kept: Selection?
    /// The fixed corner of a rectangle, in document pixels; nil for a drag along the text.
    var corner: DocumentPoint?

    /// The handle that is held; nil for any other drag. ``origin`` is then the fixed end.
    var hold: HandleHold?

    /// Maps the offsets through a change of the text.
    mutating func map(through changes: TextChangeMap) {
        let low = changes.map(origin.lowerBound, bias: .upstream)
        origin = low..<max(low, changes.map(origin.upperBound, bias: .downstream))
        kept = kept?.mapped { changes.map($0, bias: $1) }
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A handle that a finger holds: a plain value.
struct HandleHold: Hashable {
    /// Which end of the selection it is.
    var role: TextSelectionHandle.Role
    /// From the finger to the place of the text that is held, in pixels.
    var offset: Vector
}

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

    /// The handle that is held; nil for any other drag. What stays is ``origin`` then.
    var hold: HandleHold?

    /// Keeps what was selected first at its text.
    mutating func map(through changes: TextChangeMap) {
        let low = changes.map(origin.lowerBound, bias: .upstream)
        origin = low..<max(low, changes.map(origin.upperBound, bias: .downstream))
        kept = kept?.mapped { changes.map($0, bias: $1) }
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The scroll position of a view, anchored to an offset of the text, so that corrected heights above the view do not
/// move the visible text.
struct ScrollPosition: Hashable, Sendable {
    /// The document y at the view's top margin, in whole pixels.
    var y = 0.0
    /// The document x at the view's left margin, in whole pixels.
    var x = 0.0
    /// The first visible line, with the distance by which its top lies above ``y``.
    var anchor = ScrollAnchor(offset: 0, distance: 0)

    /// Maps the anchor through a change of the text.
    mutating func map(through changes: TextChangeMap) {
        anchor.offset = changes.map(anchor.offset, bias: .upstream)
    }
}

import InkstoneBase

extension TextLayoutManager {
    /// The line at a height in pixels of the document; the first or last for heights outside.
    public func lineFragment(atY y: Double) -> TextLineFragment { fragment(placedLine(atY: y)) }
}

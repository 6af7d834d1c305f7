import InkstoneBase

extension TextGeometry {
    /// Purpose of segments, which decides their extent.
    public enum SegmentType: Sendable, Hashable {
        /// The text itself.
        case standard
        /// A selection: where the range continues after a line's end, extended to the container's edge.
        case selection
        /// A highlight: the same extent as the text.
        case highlight
    }

    /// Calls `body` with each segment of a range, one for each visual line and stretch of one direction, in the order of
    /// the lines, until it returns false. Lays out only the lines of these segments: O(log n) plus that.
    public func enumerateTextSegments(
        in range: Range<UTF16Offset>, type: SegmentType, _ body: (TextSegment) -> Bool
    ) {
        let everything = DocumentRect(x: -1e15, y: 0, width: 2e15, height: 1e15)
        forEachLine(of: range, within: everything, extends: type == .selection) { $0.allSatisfy(body) }
    }

    /// Returns the segments of a range on the lines that a band of the document shows, in the order of the lines, with the extent of the
    /// text. O(log n) plus the visible lines.
    package func textSegments(for range: Range<UTF16Offset>, within band: DocumentRect) -> [TextSegment] {
        segments(for: range, within: band, extends: false)
    }
}

import InkstoneBase

extension TextGeometry {
    /// The use of segments, which decides their width.
    public enum SegmentType: Sendable, Hashable {
        /// General use: segments as wide as their text.
        case standard
        /// A selection. If the range continues on the next line, its last segment extends to the container's edge.
        case selection
        /// A highlight, as wide as the text.
        case highlight
    }

    /// Calls `body` with each segment of a range, from the first line to the last, until `body` returns false; does
    /// not call it for an empty range. A segment is a part of a visual line with one text direction. Lays out only
    /// the lines of these segments: O(log n) plus these lines.
    public func enumerateTextSegments(
        in range: Range<UTF16Offset>, type: SegmentType, _ body: (TextSegment) -> Bool
    ) {
        let everything = DocumentRect(x: -1e15, y: 0, width: 2e15, height: 1e15)
        forEachLine(of: range, within: everything, extends: type == .selection) { $0.allSatisfy(body) }
    }

    /// Returns the segments of a range on the lines visible in a horizontal band of the document, as wide as the
    /// text. O(log n) plus the visible lines.
    package func textSegments(for range: Range<UTF16Offset>, within band: DocumentRect) -> [TextSegment] {
        segments(for: range, within: band, extends: false)
    }
}

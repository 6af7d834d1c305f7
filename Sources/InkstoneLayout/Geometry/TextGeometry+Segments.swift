import InkstoneBase

extension TextGeometry {
    /// What segments are wanted for.
    public enum SegmentType: Sendable, Hashable {
        /// The text itself.
        case standard
        /// A selection: where the range goes on beyond a line's end, to the container's edge.
        case selection
        /// A highlight: as the text itself.
        case highlight
    }

    /// Calls `body` with each segment of a range, one for each visual line and stretch of one direction, in the order of
    /// the lines, until it returns false. Lays out what it is called with: O(log n) and that.
    public func enumerateTextSegments(
        in range: Range<UTF16Offset>, type: SegmentType, _ body: (TextSegment) -> Bool
    ) {
        let everything = DocumentRect(x: -1e15, y: 0, width: 2e15, height: 1e15)
        forEachLine(of: range, within: everything, extends: type == .selection) { $0.allSatisfy(body) }
    }

    /// The segments of a range on the lines that a band of the document shows, in the order of the lines; as long as the text
    /// itself. O(log n) and what is seen.
    package func textSegments(for range: Range<UTF16Offset>, within band: DocumentRect) -> [TextSegment] {
        segments(for: range, within: band, extends: false)
    }
}

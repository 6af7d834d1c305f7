import InkstoneBase
import InkstoneText

/// Enumeration of fragments and rendering attributes.
extension TextLayoutManager {
    /// Options for enumerating fragments. Fragments are always laid out before they are passed on.
    public struct FragmentEnumerationOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: Int
        /// Creates options from their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Enumerate from the position towards the start of the document.
        public static let reverse = Self(rawValue: 1)
    }

    /// Calls `block` with each fragment that is not hidden until `block` returns false, starting with the one that
    /// contains `location`. Nil starts at the document's start or, in reverse, at its end.
    ///
    /// Returns the end of the last fragment passed or, in reverse, its start; nil if no fragment was passed. O(log
    /// n) for each fragment, plus its layout.
    @discardableResult
    public func enumerateTextLayoutFragments(
        from location: UTF16Offset?, options: FragmentEnumerationOptions = [], using block: (TextLayoutFragment) -> Bool
    ) -> UTF16Offset? {
        let reverse = options.contains(.reverse)
        var unit = location.map(document.clamped) ?? (reverse ? length.value : 0)
        var edge: UTF16Offset?
        while true {
            var placed = document.placedFragment(at: unit)
            if placed.fragment.isHidden {
                guard let shown = document.shownFragment(from: placed, forward: !reverse) else { return edge }
                placed = shown
            }
            let fragment = document.layoutFragment(placed)
            edge = reverse ? fragment.utf16Range.lowerBound : fragment.utf16Range.upperBound
            if !block(fragment) { return edge }
            let next = reverse ? placed.start - 1 : placed.start + placed.units
            if next < 0 || next >= document.tree.total.units { return edge }
            unit = next
        }
    }

    /// Returns the fragments visible in a band of the document, from top to bottom; lays out only these.
    ///
    /// The band's left and right edge only matter for long lines that do not wrap. O(log n) plus the visible
    /// fragments.
    public func textLayoutFragments(in band: DocumentRect) -> [TextLayoutFragment] {
        document.layoutFragments(in: band)
    }

    /// Returns the fragment that contains a position.
    public func textLayoutFragment(for offset: UTF16Offset) -> TextLayoutFragment {
        document.layoutFragment(at: offset)
    }

    /// Returns the fragment at a point of the document; nil if the point is above or below all text.
    public func textLayoutFragment(for position: DocumentPoint) -> TextLayoutFragment? {
        let line = document.placedLine(atY: position.y, x: position.x)
        let frame = document.layoutFragment(line.placed)
        let box = frame.layoutFragmentFrame
        return position.y >= box.minY && position.y < box.maxY ? frame : nil
    }

    /// Lays out a whole range, so that heights in it are exact. O(n) in the range's length.
    public func ensureLayout(for range: Range<UTF16Offset>) {
        enumerateTextLayoutFragments(from: range.lowerBound) { $0.utf16Range.upperBound < range.upperBound }
    }

    /// Lays out the fragments in an area of the document, given in pixels.
    public func ensureLayout(for bounds: DocumentRect) { document.forEachPlaced(in: bounds) { _ in } }

    /// Lays out the text around a scroll anchor, from `above` pixels above the view's top edge to `below` pixels
    /// below. Heights there are exact afterwards. The result of ``TextGeometry/y(of:)`` is then exact relative to
    /// this text.
    public func ensureLayout(around anchor: ScrollAnchor, above: Double, below: Double) {
        document.ensureLayout(around: anchor, above: above, below: below)
    }

    /// The area that the text uses in its container, in pixels of the document; an estimate if ``usageHeight`` is
    /// one.
    public var usageBoundsForTextContainer: DocumentRect {
        DocumentRect(x: 0, y: 0, width: maximumLineWidth, height: usageHeight)
    }

    /// Returns the paragraph at an offset, and the paragraph's start in UTF-16 units, if they are known from the
    /// layout alone: the offset must be in the paragraph's first fragment, and that fragment laid out. Otherwise
    /// returns nil, because the text would have to be read. O(log n) in the laid-out fragments.
    package func laidParagraph(at offset: UTF16Offset) -> (index: ParagraphIndex, start: UTF16Offset)? {
        let (fragment, before) = document.tree.fragment(at: document.clamped(offset))
        guard !fragment.isGap, fragment.layout?.startsParagraph == true else { return nil }
        return (ParagraphIndex(before.paragraphs), UTF16Offset(before.units))
    }
}

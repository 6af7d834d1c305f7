import InkstoneBase
import InkstoneText

/// Enumeration of fragments and rendering attributes.
extension TextLayoutManager {
    /// Options for enumerating fragments. Fragments are always laid out on the way.
    public struct FragmentEnumerationOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: Int
        /// Creates options from their bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// From the position towards the start of the document.
        public static let reverse = Self(rawValue: 1)
    }

    /// Calls `block` with each fragment that is shown, starting with the one that holds a position, until it returns false; nil
    /// starts at the document's start, or its end if reversed.
    ///
    /// Returns the edge that was reached: the end of the last fragment passed, or its start if reversed; nil if there was none.
    /// O(log n) for each fragment, plus its layout.
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

    /// Returns the fragments that a band of the document shows, from top to bottom; lays out only these.
    ///
    /// The band's left and right edge only matter for long lines that do not wrap. O(log n) plus the visible fragments.
    public func textLayoutFragments(in band: DocumentRect) -> [TextLayoutFragment] {
        document.layoutFragments(in: band)
    }

    /// Returns the fragment that holds a position.
    public func textLayoutFragment(for offset: UTF16Offset) -> TextLayoutFragment {
        document.layoutFragment(at: offset)
    }

    /// Returns the fragment at a point of the document; nil if there is none at its height.
    public func textLayoutFragment(for position: DocumentPoint) -> TextLayoutFragment? {
        let line = document.placedLine(atY: position.y, x: position.x)
        let frame = document.layoutFragment(line.placed)
        let box = frame.layoutFragmentFrame
        return position.y >= box.minY && position.y < box.maxY ? frame : nil
    }

    /// Lays out all of a range, so that heights in it are exact. O(n) in its length.
    public func ensureLayout(for range: Range<UTF16Offset>) {
        enumerateTextLayoutFragments(from: range.lowerBound) { $0.utf16Range.upperBound < range.upperBound }
    }

    /// Lays out the fragments in a part of the document, in pixels of the document.
    public func ensureLayout(for bounds: DocumentRect) { document.forEachPlaced(in: bounds) { _ in } }

    /// Lays out the text around an anchor, so that heights there are exact: `above` and `below` pixels from the
    /// view's top edge. Afterwards ``TextGeometry/y(of:)`` agrees with the fragments there.
    public func ensureLayout(around anchor: ScrollAnchor, above: Double, below: Double) {
        document.ensureLayout(around: anchor, above: above, below: below)
    }

    /// The area of the text in its container, in pixels of the document; an estimate if ``usageHeight`` is one.
    public var usageBoundsForTextContainer: DocumentRect {
        DocumentRect(x: 0, y: 0, width: maximumLineWidth, height: usageHeight)
    }

    /// Returns the paragraph at an offset and its start, in UTF-16 units, if they are known without reading the text: the paragraph is laid
    /// out, and the offset is in its first fragment. O(log n) in the laid-out fragments.
    package func laidParagraph(at offset: UTF16Offset) -> (index: ParagraphIndex, start: UTF16Offset)? {
        let (fragment, before) = document.tree.fragment(at: document.clamped(offset))
        guard !fragment.isGap, fragment.layout?.startsParagraph == true else { return nil }
        return (ParagraphIndex(before.paragraphs), UTF16Offset(before.units))
    }
}

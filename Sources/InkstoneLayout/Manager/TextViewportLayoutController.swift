import InkstoneBase

/// Who shows what a viewport holds.
public protocol TextViewportLayoutControllerDelegate: AnyObject {
    /// The part of the document to lay out, in its pixels: what is seen, and what should be ready around it.
    func viewportBounds(for controller: TextViewportLayoutController) -> DocumentRect
    /// Called before the fragments of a pass.
    func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController)
    /// Called once for each fragment that the viewport shows, from top to bottom.
    func textViewportLayoutController(
        _ controller: TextViewportLayoutController, configureRenderingSurfaceFor fragment: TextLayoutFragment)
    /// Called after the fragments of a pass.
    func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController)
}

extension TextViewportLayoutControllerDelegate {
    /// Does nothing.
    public func textViewportLayoutControllerWillLayout(_ controller: TextViewportLayoutController) {}
    /// Does nothing.
    public func textViewportLayoutControllerDidLayout(_ controller: TextViewportLayoutController) {}
}

/// Lays out what a viewport shows and hands it to a delegate, fragment by fragment.
public final class TextViewportLayoutController {
    /// Whose text it is.
    public let textLayoutManager: TextLayoutManager
    /// Who is told about fragments.
    public weak var delegate: (any TextViewportLayoutControllerDelegate)?
    /// The part of the document of the last pass, in its pixels.
    public private(set) var viewportBounds = DocumentRect.zero
    /// UTF-16 units that the last pass showed; nil before the first.
    public private(set) var viewportRange: Range<UTF16Offset>?

    /// A controller for a layout.
    public init(textLayoutManager: TextLayoutManager) {
        self.textLayoutManager = textLayoutManager
    }

    /// Asks the delegate for its bounds, lays out what they show, and passes each fragment on. Without a delegate it
    /// does nothing. O(log n) and what is seen.
    public func layoutViewport() {
        guard let delegate else { return }
        viewportBounds = delegate.viewportBounds(for: self)
        delegate.textViewportLayoutControllerWillLayout(self)
        let fragments = textLayoutManager.textLayoutFragments(in: viewportBounds)
        viewportRange = fragments.first.flatMap { first in
            fragments.last.map { first.utf16Range.lowerBound..<$0.utf16Range.upperBound }
        }
        for fragment in fragments {
            delegate.textViewportLayoutController(self, configureRenderingSurfaceFor: fragment)
        }
        delegate.textViewportLayoutControllerDidLayout(self)
    }

    /// Finds where a place is shown by laying out around it: the y of its line's top, exact for what is near it.
    public func relocateViewport(to offset: UTF16Offset) -> Double {
        let anchor = ScrollAnchor(offset: offset, distance: 0)
        textLayoutManager.ensureLayout(around: anchor, above: viewportBounds.height, below: viewportBounds.height * 2)
        return textLayoutManager.y(of: anchor)
    }
}

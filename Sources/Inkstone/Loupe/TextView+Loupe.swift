import InkstoneBase
import InkstoneView
import InkstoneX11

/// The loupe session of a view, and the guide that the loupe follows: pointer or caret.
struct ViewLoupe {
    /// The guide of a loupe, which it follows until its session ends.
    enum Guide: Hashable {
        /// The held button or finger, which is at a point in view pixels.
        case pointer(ViewPoint, isFinger: Bool)
        /// The caret, which the loupe follows when keys move it.
        case caret

        var isFinger: Bool { if case .pointer(_, isFinger: true) = self { true } else { false } }
    }

    let session: TextLoupeSession
    var guide: Guide
}

extension TextView {
    /// Whether the loupe is in use. True also while it is hidden because the caret is out of view.
    public var isLoupeShown: Bool { loupe != nil }

    /// The style of the view's loupe. By default the loupe magnifies twice, in the theme's colours. Distances are
    /// in device pixels.
    public var loupeStyle: LoupeStyle {
        get { style.loupe ?? LoupeStyle(theme: theme, scale: style.scale) }
        set {
            style.loupe = newValue
            guard let guide = loupe?.guide else { return }
            hideLoupe()
            beginLoupe(guide)
        }
    }

    /// Magnifies the line around the caret, following the caret, until ``hideLoupe()``, Escape, or the loss of the
    /// focus or of the window. The focus and the input method are not affected. Shows no loupe if the caret is out
    /// of view or there is none, or if the window is not visible.
    public func showLoupe() {
        guard loupe?.guide != .caret else { return }
        hideLoupe()
        beginLoupe(.caret)
    }

    /// Hides the loupe shown by ``showLoupe()`` or by a long press.
    public func hideLoupe() { loupe?.session.invalidate() }

    /// Magnifies the text under a held button or finger at a point of the view, as long as the selection follows
    /// the button or finger.
    func magnify(at point: ViewPoint) {
        hideLoupe()
        beginLoupe(.pointer(point, isFinger: interaction.isTouched))
    }

    /// Records the new position of the held button or finger. Call before the selection is updated.
    func loupePointerMoved(to point: ViewPoint) {
        if case .pointer(_, let isFinger) = loupe?.guide { loupe?.guide = .pointer(point, isFinger: isFinger) }
    }

    /// Moves or hides the loupe after a change of text, caret, scroll position or pointer.
    func updateLoupe() {
        guard let loupe else { return }
        if case .pointer = loupe.guide, !isDragging { return hideLoupe() }
        guard let (point, caret) = loupeTarget(loupe.guide) else { return loupe.session.hide() }
        loupe.session.move(to: point, caretRect: caret, from: heldHandleRect)
    }

    /// The painted rectangle of the selection handle that is held, in window pixels; nil for none.
    private var heldHandleRect: WindowRect? {
        guard let handle = interaction.handles.first(where: \.isHeld) else { return nil }
        let parts = presenter.handleView.shape(of: handle, in: theme).map {
            $0.rect.converted(from: frame.origin) as WindowRect
        }
        return parts.first.map { parts.dropFirst().reduce($0) { $0.union($1) } }
    }

    private func beginLoupe(_ guide: ViewLoupe.Guide) {
        guard let window, let (point, caret) = loupeTarget(guide),
            let session = TextLoupeSession.begin(
                at: point, caretRect: caret, from: heldHandleRect, byFinger: guide.isFinger, in: window.window,
                style: loupeStyle)
        else { return }
        session.onEnd = { [weak self] in self?.loupe = nil }
        loupe = ViewLoupe(session: session, guide: guide)
    }

    /// Returns the point to magnify and the caret's rectangle, in window pixels; nil if there is no caret, or if
    /// the loupe follows the caret and the caret is out of view.
    private func loupeTarget(_ guide: ViewLoupe.Guide) -> (WindowPoint, caret: WindowRect)? {
        guard let caret = primaryCaretRect else { return nil }
        let inWindow: WindowRect = caret.converted(from: frame.origin)
        switch guide {
        case .caret:
            guard bounds.intersects(caret) else { return nil }
            // The bar of the caret is painted centred on the left edge of its rectangle: magnify the middle of that
            // edge.
            return (WindowPoint(x: inWindow.minX, y: inWindow.minY + caret.height / 2), inWindow)
        case .pointer(let point, _):
            let inside = ViewPoint(
                x: min(max(0, point.x), bounds.maxX - 1), y: min(max(0, point.y), bounds.maxY - 1))
            return (inside.converted(from: frame.origin), inWindow)
        }
    }
}

import InkstoneBase
import InkstoneView
import InkstoneX11

/// The loupe that a view shows of itself, and what it follows.
struct ViewLoupe {
    /// What it follows, until that is over.
    enum Guide: Hashable {
        /// A button or a finger that is held: the point, in view pixels.
        case pointer(ViewPoint, isFinger: Bool)
        /// The caret, wherever keys move it.
        case caret

        var isFinger: Bool { if case .pointer(_, isFinger: true) = self { true } else { false } }
    }

    let session: TextLoupeSession
    var guide: Guide
}

extension TextView {
    /// Whether a part of the view is shown magnified.
    public var isLoupeShown: Bool { loupe != nil }

    /// How the view's loupe looks: twice as large as the text, in the theme's colours. Set it for more; distances are device pixels.
    public var loupeStyle: LoupeStyle {
        get { style.loupe ?? LoupeStyle(theme: theme, scale: style.scale) }
        set {
            style.loupe = newValue
            guard let guide = loupe?.guide else { return }
            hideLoupe()
            beginLoupe(guide)
        }
    }

    /// Magnifies the line around the caret from now on, wherever that goes, until ``hideLoupe()``, Escape, the loss of the focus or of the
    /// window. Focus and input method are left alone. Nothing happens without a caret, or if the window is not seen.
    public func showLoupe() {
        guard loupe?.guide != .caret else { return }
        hideLoupe()
        beginLoupe(.caret)
    }

    /// Ends what ``showLoupe()`` or a long press has begun.
    public func hideLoupe() { loupe?.session.invalidate() }

    /// Magnifies what is under a button or a finger that is held at a point of the view, until the selection no longer follows it.
    func magnify(at point: ViewPoint) {
        hideLoupe()
        beginLoupe(.pointer(point, isFinger: interaction.isTouched))
    }

    /// The button or finger that is held has moved; to be called before the selection follows.
    func loupePointerMoved(to point: ViewPoint) {
        if case .pointer(_, let isFinger) = loupe?.guide { loupe?.guide = .pointer(point, isFinger: isFinger) }
    }

    /// Text, caret, scroll position or pointer may be elsewhere: the loupe follows, or ends.
    func updateLoupe() {
        guard let loupe else { return }
        if case .pointer = loupe.guide, !isDragging { return hideLoupe() }
        guard let (point, caret) = loupeTarget(loupe.guide) else { return loupe.session.hide() }
        loupe.session.move(to: point, caretRect: caret, from: heldHandleRect)
    }

    /// What is painted of the handle that is held, in window pixels; nil if none is.
    private var heldHandleRect: WindowRect? {
        guard let handle = interaction.handles.first(where: \.isHeld) else { return nil }
        let parts = handleView.shape(of: handle, in: theme).map { $0.rect.converted(from: frame.origin) as WindowRect }
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

    /// What to magnify and the caret's line, in window pixels; nil if the caret is to be followed and out of sight.
    private func loupeTarget(_ guide: ViewLoupe.Guide) -> (WindowPoint, caret: WindowRect)? {
        guard let caret = primaryCaretRect else { return nil }
        let inWindow: WindowRect = caret.converted(from: frame.origin)
        switch guide {
        case .caret:
            guard bounds.intersects(caret) else { return nil }
            // The bar stands on both sides of the place.
            return (WindowPoint(x: inWindow.minX, y: inWindow.minY + caret.height / 2), inWindow)
        case .pointer(let point, _):
            let inside = ViewPoint(
                x: min(max(0, point.x), bounds.maxX - 1), y: min(max(0, point.y), bounds.maxY - 1))
            return (inside.converted(from: frame.origin), inWindow)
        }
    }
}

import InkstoneBase
import InkstoneView
import InkstoneX11

/// A live magnified picture of a window around a point: it immediately shows changes in the window. The counterpart of
/// Apple's `UITextLoupeSession`.
///
/// A session works for any ``Window``. Begin it when a finger or a button is held still, move it with each motion,
/// and invalidate it when the gesture ends in any way. The loupe is placed beside the point and the caret's line,
/// within the monitor, and never receives pointer or key events. A ``TextView`` has its own loupe for long presses
/// and for the keyboard (`toggleLoupe`).
public final class TextLoupeSession {
    /// The magnified window.
    public let window: Window
    /// The loupe's style.
    public let style: LoupeStyle
    /// Called when the session has ended: by ``invalidate()``, because the window is no longer visible, or because
    /// another session has begun in the window.
    public var onEnd: (() -> Void)?

    private var placement: LoupePlacement
    /// The monitors when the session began. Kept because querying them takes a round trip, and the loupe moves with
    /// each motion of the pointer.
    private let monitors: MonitorLayout
    private var magnifier: Magnifier?

    /// Begins a session and shows its loupe. Returns nil if the window is not on the screen, or the server cannot
    /// create the loupe's window.
    ///
    /// - Parameters:
    ///   - point: the point to magnify, in window pixels.
    ///   - caretRect: the caret's rectangle, in window pixels. The loupe's height suits the caret's line, and the
    ///     loupe does not cover the caret. Nil if only the point counts.
    ///   - selectionView: the painted rectangle of the selection handle that is held, in window pixels, which the
    ///     loupe does not cover. Nil if no handle is held.
    ///   - byFinger: whether a finger points to the point. The loupe then keeps clear of the area that the finger
    ///     covers.
    ///   - window: the magnified window. The loupe lies above it, within the monitor.
    ///   - style: the loupe's shape and magnification; nil for the standard style at the display's scale.
    public static func begin(
        at point: WindowPoint, caretRect: WindowRect? = nil, from selectionView: WindowRect? = nil,
        byFinger: Bool = false, in window: Window, style: LoupeStyle? = nil
    ) -> TextLoupeSession? {
        guard window.isShown, !window.isClosed, !window.display.isLost else { return nil }
        let style = style ?? LoupeStyle(theme: Theme(), scale: window.display.scale)
        let session = TextLoupeSession(window, style, lineHeight: caretRect?.height, at: point, byFinger)
        session.move(to: point, caretRect: caretRect, from: selectionView)
        return session.isValid ? session : nil
    }

    private init(_ window: Window, _ style: LoupeStyle, lineHeight: Double?, at point: WindowPoint, _ byFinger: Bool) {
        self.window = window
        self.style = style
        monitors = window.display.monitors
        let size = style.size(
            for: lineHeight, on: monitors.frame(at: point.converted(from: window.rootOrigin)).size)
        placement = LoupePlacement(
            size: size, distance: style.distance, pointDistance: byFinger ? style.fingerDistance : 0)
        let magnifierStyle = Magnifier.Style(
            zoom: style.zoom, outline: style.shape(of: size, inset: 0),
            glass: style.shape(of: size, inset: style.borderWidth), border: style.border,
            background: style.background)
        magnifier = try? Magnifier(
            of: window, style: magnifierStyle, frame: RootRect(origin: window.rootOrigin, size: size))
        magnifier?.onClose = { [weak self] in self?.didEnd() }
    }

    deinit { magnifier?.close() }

    /// Whether the session is still in progress.
    public var isValid: Bool { magnifier != nil }
    /// The loupe's frame, in root pixels; nil while the loupe is not shown, because it is hidden, the session has
    /// ended, or the screen has no room for it.
    public var frame: RootRect? { magnifier.flatMap { $0.isShown ? $0.frame : nil } }
    /// The X window ID of the loupe; nil after the session has ended.
    public var windowID: WindowID? { magnifier?.id }

    /// Moves the loupe to another point, or hides it if there is no room beside that point.
    ///
    /// - Parameters:
    ///   - point: the point to magnify, in window pixels.
    ///   - caretRect: the caret's rectangle, in window pixels, which the loupe does not cover. Nil if only the
    ///     point counts.
    ///   - selectionView: the painted rectangle of the selection handle that is held, in window pixels, which the
    ///     loupe does not cover. Nil for none.
    ///   - trackingCaret: whether the picture is centred vertically on the caret's line instead of on the point, so
    ///     that a trembling finger does not shake it.
    public func move(
        to point: WindowPoint, caretRect: WindowRect? = nil, from selectionView: WindowRect? = nil,
        trackingCaret: Bool = true
    ) {
        guard let magnifier else { return }
        var center = point
        if trackingCaret, let caretRect { center.y = caretRect.minY + caretRect.height / 2 }
        let origin = window.rootOrigin
        let screen = monitors.frame(at: center.converted(from: origin))
        // Keep the loupe clear only of those parts of the line and of the handle that are inside the window: the
        // other parts are not visible.
        let (line, handle) = (
            caretRect?.intersection(window.bounds), selectionView?.intersection(window.bounds)
        )
        guard
            let frame = placement.frame(
                for: point.converted(from: origin), line: line?.converted(from: origin),
                handle: handle.flatMap { $0.isEmpty ? nil : $0.converted(from: origin) }, on: screen)
        else { return magnifier.hide() }
        magnifier.show(center, at: frame.origin)
    }

    /// Hides the loupe until the next ``move(to:caretRect:from:trackingCaret:)``, for example while the caret is
    /// out of view.
    public func hide() { magnifier?.hide() }

    /// Ends the session. Does nothing if it has ended.
    public func invalidate() { magnifier?.close() }

    private func didEnd() {
        magnifier = nil
        onEnd?()
    }
}

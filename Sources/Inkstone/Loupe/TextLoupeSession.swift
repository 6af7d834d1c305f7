import InkstoneBase
import InkstoneView
import InkstoneX11

/// A live magnified picture of a window around a point: text typed, scrolled or painted there shows in it at once. Apple's
/// `UITextLoupeSession`.
///
/// A session works for any ``Window``: begin it where a finger or a button is held still, move it with each motion, and
/// invalidate it however the gesture ends. The loupe stands beside the point and the caret's line, within the monitor, and never receives pointer
/// or keys. A ``TextView`` has its own loupe for long presses and for the keyboard (`toggleLoupe`).
public final class TextLoupeSession {
    /// The magnified window.
    public let window: Window
    /// The loupe's style.
    public let style: LoupeStyle
    /// Called when the session has ended: by ``invalidate()``, because the window is no longer seen, or because another session has begun in it.
    public var onEnd: (() -> Void)?

    private var placement: LoupePlacement
    /// The monitors when the session began, kept because querying them takes a round trip, and the loupe moves with the pointer.
    private let monitors: MonitorLayout
    private var magnifier: Magnifier?

    /// Begins a session and shows its loupe; returns nil if the window is not on the screen, or the server has no more windows.
    ///
    /// - Parameters:
    ///   - point: the point to magnify, in window pixels.
    ///   - caretRect: the caret, in window pixels: the loupe's height suits its line, and the loupe does not cover it. Nil if only the point
    ///     counts.
    ///   - selectionView: the painted rectangle of the handle that is held, in window pixels, which the loupe does not cover. Nil if it does not
    ///     begin at one.
    ///   - byFinger: whether a finger points there. The loupe then stands farther off, beside the area that the finger covers.
    ///   - window: the magnified window; the loupe lies above it, within the monitor.
    ///   - style: the loupe's shape and magnification; nil for the usual one at the display's scale.
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
        let look = Magnifier.Look(
            zoom: style.zoom, outline: style.shape(of: size, inset: 0),
            glass: style.shape(of: size, inset: style.borderWidth), border: style.border,
            background: style.background)
        magnifier = try? Magnifier(
            of: window, look: look, frame: RootRect(origin: window.rootOrigin, size: size))
        magnifier?.onClose = { [weak self] in self?.didEnd() }
    }

    deinit { magnifier?.close() }

    /// Whether the session has not ended.
    public var isValid: Bool { magnifier != nil }
    /// The loupe's frame, in root pixels; nil while it is not shown: the session has ended, or the screen has no room for it.
    public var frame: RootRect? { magnifier.flatMap { $0.isShown ? $0.frame : nil } }
    /// The X number of the loupe's window; nil once the session has ended.
    public var windowID: WindowID? { magnifier?.id }

    /// Moves the loupe to another point.
    ///
    /// - Parameters:
    ///   - point: the point to magnify, in window pixels.
    ///   - caretRect: the caret, in window pixels, which the loupe does not cover. Nil if only the point counts.
    ///   - selectionView: the painted rectangle of the handle that is held, in window pixels, which the loupe does not cover. Nil for none.
    ///   - trackingCaret: whether the caret's line is shown whatever the height of the point, so that a trembling finger does not shake the
    ///     picture.
    public func move(
        to point: WindowPoint, caretRect: WindowRect? = nil, from selectionView: WindowRect? = nil,
        trackingCaret: Bool = true
    ) {
        guard let magnifier else { return }
        var center = point
        if trackingCaret, let caretRect { center.y = caretRect.minY + caretRect.height / 2 }
        let origin = window.rootOrigin
        let screen = monitors.frame(at: center.converted(from: origin))
        // Parts beyond the window's edge are not visible, so the loupe may cover them.
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

    /// Hides the loupe until its next move, for example while the caret is out of sight.
    public func hide() { magnifier?.hide() }

    /// Ends the session. Does nothing if it has ended.
    public func invalidate() { magnifier?.close() }

    private func didEnd() {
        magnifier = nil
        onEnd?()
    }
}

import InkstoneBase
import InkstoneView
import InkstoneX11

/// A magnified picture of what a window shows around a point, live: what is typed, scrolled or painted there is seen in it at once. Apple's
/// `UITextLoupeSession`.
///
/// It works for any ``Window``, whoever paints it: begin it where a finger or a button is held still, move it with each motion, and
/// invalidate it however the gesture ends. It stands beside the point and the caret's line, within the monitor, and neither the pointer nor
/// the keys ever come to it. A ``TextView`` has one of its own for long presses and for the keyboard (`toggleLoupe`).
public final class TextLoupeSession {
    /// What is magnified.
    public let window: Window
    /// How it looks.
    public let style: LoupeStyle
    /// It has ended: by ``invalidate()``, because the window is no longer seen, or because another session has begun in it.
    public var onEnd: (() -> Void)?

    private var placement: LoupePlacement
    /// As they lay when it began: asking takes a round trip, and it moves with the pointer.
    private let monitors: MonitorLayout
    private var magnifier: Magnifier?

    /// Shows a loupe; nil if the window is not on the screen, or the server has no more windows.
    ///
    /// - Parameters:
    ///   - point: what to magnify, in window pixels.
    ///   - caretRect: the caret, in window pixels: the loupe is as high as suits its line, and leaves it free. Nil if only the point
    ///     counts.
    ///   - selectionView: what is painted of the handle that is held, in window pixels: the loupe leaves it free. Nil if it does not
    ///     begin at one.
    ///   - byFinger: whether a finger points there. The loupe stands farther off then, beside what the finger covers.
    ///   - window: where it is; the loupe lies above it, and nowhere beyond the monitor.
    ///   - style: its shape and how much it magnifies; nil for the usual one at the display's scale.
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

    /// Whether it has not ended.
    public var isValid: Bool { magnifier != nil }
    /// Where it is seen, in root pixels; nil while it is not: it has ended, or there is no room for it on the screen.
    public var frame: RootRect? { magnifier.flatMap { $0.isShown ? $0.frame : nil } }
    /// The X number of its window; nil once it has ended.
    public var windowID: WindowID? { magnifier?.id }

    /// Magnifies what lies around another point.
    ///
    /// - Parameters:
    ///   - point: in window pixels.
    ///   - caretRect: the caret, in window pixels; the loupe leaves it free. Nil if only the point counts.
    ///   - selectionView: what is painted of the handle that is held, in window pixels; the loupe leaves it free. Nil for none.
    ///   - trackingCaret: whether the caret's line is shown whatever the height of the point, so that a finger that trembles does not
    ///     shake it.
    public func move(
        to point: WindowPoint, caretRect: WindowRect? = nil, from selectionView: WindowRect? = nil,
        trackingCaret: Bool = true
    ) {
        guard let magnifier else { return }
        var center = point
        if trackingCaret, let caretRect { center.y = caretRect.minY + caretRect.height / 2 }
        let origin = window.rootOrigin
        let screen = monitors.frame(at: center.converted(from: origin))
        // What lies beyond the window's edge is not seen, so it need not stay free.
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

    /// Takes it off the screen until it is moved again: while the caret is out of sight, say.
    public func hide() { magnifier?.hide() }

    /// Ends it. Nothing happens if it has ended.
    public func invalidate() { magnifier?.close() }

    private func didEnd() {
        magnifier = nil
        onEnd?()
    }
}

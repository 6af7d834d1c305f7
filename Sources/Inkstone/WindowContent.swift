import InkstoneBase

/// A part of a ``WidgetWindow``: it paints a rectangle of it and hears of the pointer there.
public protocol WindowContent: AnyObject {
    /// Where it lies, in window pixels.
    var frame: WindowRect { get }
    /// Paints the part of it inside `damage`, in window pixels.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Whether a press there ends what is being composed: a click into text does, one on a scroll bar does not.
    func pressEndsComposition(_ event: PointerEvent) -> Bool
    /// The pointer did something over it, or dragged out of it with a button down.
    func handlePointer(_ event: PointerEvent)
    /// The window has moved on the screen, or an ancestor of it has.
    func windowDidMove(to origin: RootPoint)
}

extension WindowContent {
    /// It does not.
    public func pressEndsComposition(_ event: PointerEvent) -> Bool { false }
    /// Nothing.
    public func handlePointer(_ event: PointerEvent) {}
    /// Nothing.
    public func windowDidMove(to origin: RootPoint) {}
}

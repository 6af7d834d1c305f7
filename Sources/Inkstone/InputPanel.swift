import InkstoneBase

/// The placement of an ``InputPanel``.
public enum InputPanelPlacement: Hashable, Sendable {
    /// The panel is placed along the lower edge of the view. The view makes room for it: no text is covered.
    case docked
    /// The panel has a window of its own below the view, or above it if there is no room below. Suitable for small
    /// views; the popup covers what is below it on the screen.
    case popup
}

/// A program's own panel or strip that is shown with a view while the view has the focus: the type of
/// ``TextView/inputView`` and ``TextView/inputAccessoryView``.
///
/// A panel never gets the focus, and a click in it does not end the composition: the view keeps both, and the panel
/// acts on the view. The panel has an X window of its own; coordinates are in pixels from its upper left corner.
public protocol InputPanel: AnyObject {
    /// The placement of the panel. ``InputPanelPlacement/docked`` by default.
    var placement: InputPanelPlacement { get }
    /// Returns the panel's size in pixels, at most `available`. A docked panel always gets the whole width.
    func size(fitting available: Size) -> Size
    /// Paints the part of the panel inside `damage`; `size` is the panel's size.
    func paint(on canvas: any Canvas, size: Size, damage: WindowRect)
    /// Handles a pointer event over the panel, after the keys struck before it were handled.
    func handlePointer(_ event: PointerEvent)
}

extension InputPanel {
    /// The default placement, ``InputPanelPlacement/docked``.
    public var placement: InputPanelPlacement { .docked }
    /// Does nothing: the default for a panel that only displays something.
    public func handlePointer(_ event: PointerEvent) {}
}

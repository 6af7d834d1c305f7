import InkstoneBase

/// The placement of an ``InputPanel``.
public enum InputPanelPlacement: Hashable, Sendable {
    /// Along the lower edge of the view, which gives up the room: no text is hidden.
    case docked
    /// In a window of its own below the view, or above it where the screen ends; over everything else, for small views.
    case popup
}

/// A panel or strip of a program's own that is shown with a view while that has the focus: the type of ``TextView/inputView`` and
/// ``TextView/inputAccessoryView``.
///
/// A panel never gets the focus, and a click in it ends no composition: it acts on the view that has both. Its pixels are those of an X window of
/// its own, counted from its upper left corner.
public protocol InputPanel: AnyObject {
    /// The placement of the panel. Docked by default.
    var placement: InputPanelPlacement { get }
    /// Returns the panel's extent in pixels, at most `available`; a docked panel always gets the whole width.
    func size(fitting available: Size) -> Size
    /// Paints the part of the panel inside `damage`; the panel's extent is `size`.
    func paint(on canvas: any Canvas, size: Size, damage: WindowRect)
    /// Handles an event of the pointer over the panel, in order with the keys before it.
    func handlePointer(_ event: PointerEvent)
}

extension InputPanel {
    /// Docked.
    public var placement: InputPanelPlacement { .docked }
    /// Does nothing.
    public func handlePointer(_ event: PointerEvent) {}
}

import InkstoneBase

/// Where an ``InputPanel`` goes.
public enum InputPanelPlacement: Hashable, Sendable {
    /// Along the lower edge of the view, which gives up the room: nothing of the text is hidden.
    case docked
    /// In a window of its own below the view, or above it where the screen ends; over all else, for views that are small.
    case popup
}

/// A panel or strip of a program's own that is shown with a view while that has the focus: what
/// ``TextView/inputView`` and ``TextView/inputAccessoryView`` are.
///
/// It never takes the focus, and a click in it ends no composition: it acts on the view that has both. Its pixels are those
/// of an X window of its own, counted from its upper left corner.
public protocol InputPanel: AnyObject {
    /// Where it goes. Docked unless said otherwise.
    var placement: InputPanelPlacement { get }
    /// The extent that it wants, in pixels, of `available` at most; a docked one gets all of the width.
    func size(fitting available: Size) -> Size
    /// Paints the part of it inside `damage`; its extent is `size`.
    func paint(on canvas: any Canvas, size: Size, damage: WindowRect)
    /// The pointer did something over it, in order with the keys before.
    func handlePointer(_ event: PointerEvent)
}

extension InputPanel {
    /// Docked.
    public var placement: InputPanelPlacement { .docked }
    /// Nothing.
    public func handlePointer(_ event: PointerEvent) {}
}

import InkstoneAccessibility
import InkstoneBase
import InkstoneX11

/// The object that ends the composition when a button is pressed on a ``WindowContent``.
public enum CompositionEnd: Hashable, Sendable {
    /// The composition continues, as during a press on a scroll bar.
    case none
    /// The window ends the composition before the content receives the press.
    case byWindow
    /// The content ends the composition itself, by `TextInputContext.discardMarkedText()`, once it knows that the
    /// press has an effect.
    case byContent
}

/// A part of a ``WidgetWindow``: it paints a rectangle of the window and receives the pointer's events there.
public protocol WindowContent: AnyObject {
    /// The frame of the content, in window pixels.
    var frame: WindowRect { get }
    /// The frame including the space that docked input views occupy at the lower edge, in window pixels.
    var outerFrame: WindowRect { get }
    /// Gives up `height` pixels at the lower edge to docked input views; 0 when no room is needed any more.
    func makeRoom(below height: Double)
    /// The parts inside of the content, which move with it and have pointer events and focus of their own.
    var children: [any WindowContent] { get }
    /// Returns the visible child at a point, which is in window pixels; nil for none.
    func child(at point: WindowPoint) -> (any WindowContent)?
    /// Called before the window is painted. Mark the areas that have changed.
    func windowWillPaint()
    /// Paints the part of the content inside `damage`, in window pixels. The canvas is already clipped to this
    /// rectangle.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Returns which object ends the composition at a press, keeping its text. A click into text ends the
    /// composition, a press on a scroll bar does not.
    func compositionEnd(of event: PointerEvent) -> CompositionEnd
    /// Returns the pointer's shape at a point, which is in window pixels.
    func cursor(at point: WindowPoint) -> Window.Cursor
    /// Handles a pointer event over the content, or one of a drag that started there.
    func handlePointer(_ event: PointerEvent)
    /// Handles a touch event of a finger that came down on the content.
    func handleTouch(_ event: TouchEvent)
    /// Called when the window, or an ancestor of it, has moved on the screen.
    func windowDidMove(to origin: RootPoint)
    /// Called when the display's scale or font settings have changed, before the window is laid out and painted again.
    func displaySettingsDidChange()
    /// The parts of the content for assistive technology. Text views are added automatically, unless they are among
    /// these parts.
    var accessibleParts: [AccessiblePart] { get }
}

extension WindowContent {
    /// Empty: no children.
    public var children: [any WindowContent] { [] }
    /// Returns nil: no children.
    public func child(at point: WindowPoint) -> (any WindowContent)? { nil }
    /// Empty: no accessible parts.
    public var accessibleParts: [AccessiblePart] { [] }
    /// The content's frame: the default for a content without docked input views.
    public var outerFrame: WindowRect { frame }
    /// Does nothing: the default content marks its changes when they happen.
    public func windowWillPaint() {}
    /// Does nothing: the docked input views cover the lower edge of the content.
    public func makeRoom(below height: Double) {}
    /// Returns the arrow: the default for a content other than text.
    public func cursor(at point: WindowPoint) -> Window.Cursor { .arrow }
    /// Returns `none`: the composition continues.
    public func compositionEnd(of event: PointerEvent) -> CompositionEnd { .none }
    /// Does nothing: the default for a content that ignores the pointer.
    public func handlePointer(_ event: PointerEvent) {}
    /// Treats the first touch as the primary pointer button and ignores further touches.
    public func handleTouch(_ event: TouchEvent) {
        if let pointer = event.pointerEvent { handlePointer(pointer) }
    }
    /// Does nothing: the default for a content that does not depend on its position on the screen.
    public func windowDidMove(to origin: RootPoint) {}
    /// Does nothing: the default for a content that does not depend on scale and fonts.
    public func displaySettingsDidChange() {}
}

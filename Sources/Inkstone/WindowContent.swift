import InkstoneAccessibility
import InkstoneBase
import InkstoneX11

/// The object that ends the composition when a button goes down on a ``WindowContent``.
public enum CompositionEnd: Hashable, Sendable {
    /// The composition continues, as during a press on a scroll bar.
    case none
    /// The window ends the composition before the content receives the press.
    case byWindow
    /// The content calls `TextInputContext.discardMarkedText()`, once it knows that the press has an effect.
    case byContent
}

/// A part of a ``WidgetWindow``: it paints a rectangle of the window and receives the pointer's events there.
public protocol WindowContent: AnyObject {
    /// The frame of the content, in window pixels.
    var frame: WindowRect { get }
    /// The frame without input views docked at the lower edge, in window pixels.
    var outerFrame: WindowRect { get }
    /// Gives up `height` pixels at the lower edge to docked input views; 0 takes them back.
    func makeRoom(below height: Double)
    /// The parts inside of the content, which move with it and get pointer events and focus of their own.
    var children: [any WindowContent] { get }
    /// Returns the child in sight at a point of the window; nil for none.
    func child(at point: WindowPoint) -> (any WindowContent)?
    /// Called before the window is painted: mark the parts that have changed.
    func windowWillPaint()
    /// Paints the part of the content inside `damage`, in window pixels, to which the canvas is clipped.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Returns who ends the composition, with its text kept, at a press there: a click into text ends it, one on a scroll bar does not.
    func compositionEnd(of event: PointerEvent) -> CompositionEnd
    /// Returns the pointer's shape at a point of the content, in window pixels.
    func cursor(at point: WindowPoint) -> Window.Cursor
    /// Handles an event of the pointer over the content, or of a drag that began there.
    func handlePointer(_ event: PointerEvent)
    /// Handles an event of a finger that came down on the content.
    func handleTouch(_ event: TouchEvent)
    /// Called when the window, or an ancestor of it, has moved on the screen.
    func windowDidMove(to origin: RootPoint)
    /// Called when the display's scale or font settings have changed, before the window is laid out and painted again.
    func displaySettingsDidChange()
    /// The present parts of the content for assistive technology. Text views are included by themselves, unless they are among these.
    var accessibleParts: [AccessiblePart] { get }
}

extension WindowContent {
    /// Empty: no children.
    public var children: [any WindowContent] { [] }
    /// Returns nil: no children.
    public func child(at point: WindowPoint) -> (any WindowContent)? { nil }
    /// Empty: no accessible parts.
    public var accessibleParts: [AccessiblePart] { [] }
    /// The content's frame.
    public var outerFrame: WindowRect { frame }
    /// Does nothing: changes are marked already.
    public func windowWillPaint() {}
    /// Does nothing: docked input views cover the lower edge.
    public func makeRoom(below height: Double) {}
    /// Returns an arrow.
    public func cursor(at point: WindowPoint) -> Window.Cursor { .arrow }
    /// Returns `none`: the composition continues.
    public func compositionEnd(of event: PointerEvent) -> CompositionEnd { .none }
    /// Does nothing.
    public func handlePointer(_ event: PointerEvent) {}
    /// Treats the first touch as the primary pointer button and ignores further touches.
    public func handleTouch(_ event: TouchEvent) {
        if let pointer = event.pointerEvent { handlePointer(pointer) }
    }
    /// Does nothing.
    public func windowDidMove(to origin: RootPoint) {}
    /// Does nothing.
    public func displaySettingsDidChange() {}
}

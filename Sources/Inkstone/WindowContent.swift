import InkstoneAccessibility
import InkstoneBase
import InkstoneX11

/// Who ends what is being composed when a button goes down on a ``WindowContent``.
public enum CompositionEnd: Hashable, Sendable {
    /// Nobody: the composition goes on, as during a press on a scroll bar.
    case none
    /// The window, before the content hears of the press.
    case byWindow
    /// The content, by `TextInputContext.discardMarkedText()`, once it knows that the press comes to something.
    case byContent
}

/// A part of a ``WidgetWindow``: it paints a rectangle of it and hears of the pointer there.
public protocol WindowContent: AnyObject {
    /// Where it lies, in window pixels.
    var frame: WindowRect { get }
    /// Where it would lie without input views docked at its lower edge, in window pixels.
    var outerFrame: WindowRect { get }
    /// Gives up `height` pixels at its lower edge to docked input views, or takes them back with 0.
    func makeRoom(below height: Double)
    /// The parts inside of it, which move with it and get pointer and focus of their own.
    var children: [any WindowContent] { get }
    /// The child in sight at a point of the window; nil for none.
    func child(at point: WindowPoint) -> (any WindowContent)?
    /// The window is about to be painted: where it looks different now it is to be marked.
    func windowWillPaint()
    /// Paints the part of it inside `damage`, in window pixels; what it paints elsewhere is cut off.
    func paint(on canvas: any Canvas, damage: WindowRect)
    /// Whether a press there ends what is being composed, with its text kept: a click into text does, one on a scroll bar does not.
    func compositionEnd(of event: PointerEvent) -> CompositionEnd
    /// The pointer's shape at a point of it, in window pixels.
    func cursor(at point: WindowPoint) -> Window.Cursor
    /// The pointer did something over it, or dragged out of it with a button down.
    func handlePointer(_ event: PointerEvent)
    /// A finger did something over it, or moved on from there.
    func handleTouch(_ event: TouchEvent)
    /// The window has moved on the screen, or an ancestor of it has.
    func windowDidMove(to origin: RootPoint)
    /// The display's scale or font settings have changed; the window is laid out and painted anew after that.
    func displaySettingsDidChange()
    /// The parts of it that assistive technology reads, as they are now. Text views are read by themselves, unless they are among these.
    var accessibleParts: [AccessiblePart] { get }
}

extension WindowContent {
    /// None.
    public var children: [any WindowContent] { [] }
    /// None.
    public func child(at point: WindowPoint) -> (any WindowContent)? { nil }
    /// None.
    public var accessibleParts: [AccessiblePart] { [] }
    /// Its frame.
    public var outerFrame: WindowRect { frame }
    /// Nothing: it is marked already.
    public func windowWillPaint() {}
    /// Nothing: they cover its lower edge.
    public func makeRoom(below height: Double) {}
    /// An arrow.
    public func cursor(at point: WindowPoint) -> Window.Cursor { .arrow }
    /// It does not.
    public func compositionEnd(of event: PointerEvent) -> CompositionEnd { .none }
    /// Nothing.
    public func handlePointer(_ event: PointerEvent) {}
    /// The first finger is the pointer with its primary button, the others are nothing.
    public func handleTouch(_ event: TouchEvent) {
        if let pointer = event.pointerEvent { handlePointer(pointer) }
    }
    /// Nothing.
    public func windowDidMove(to origin: RootPoint) {}
    /// Nothing.
    public func displaySettingsDidChange() {}
}

/// Times and distances that tell gestures of pointer and touch apart: the desktop's, or the user's. Distances are device pixels of a
/// display at scale 1, or of the one that ``scaled(by:)`` was asked for.
public struct PointerSettings: Hashable, Sendable {
    /// How long after a press the next one still counts on, in milliseconds (`Net/DoubleClickTime`).
    public var doubleClickTime: UInt32 = 400
    /// How far from the first press of a series a press still counts on, on each axis (`Net/DoubleClickDistance`).
    public var doubleClickDistance = 5.0
    /// How far the pointer has to move before a press becomes a drag of what is selected, on each axis (`Net/DndDragThreshold`).
    public var dragThreshold = 8.0
    /// How long a button is held still until that is a long press, in milliseconds; nil for never, as is usual with a mouse.
    public var longPressInterval: Int64?
    /// How long a finger is held still until that is a long press, in milliseconds.
    public var touchPressInterval: Int64 = 500
    /// How far from the first tap of a series a tap still counts on, on each axis.
    public var touchTapDistance = 10.0
    /// How far from the middle of a handle's knob a finger still means it, on each axis; and how far inside of the view's edge one
    /// scrolls that holds a handle or selects.
    public var handleReach = 20.0
    /// Whether a triple click selects the visual line, and a drag after it goes on by lines; if not, the paragraph.
    public var tripleClickSelectsLine = false
    /// Whether the middle button pastes PRIMARY (`Gtk/EnablePrimaryPaste`).
    public var pastesPrimary = true
    /// Whether a press beside the scroll bar's thumb goes there at once, not by a page (`Gtk/PrimaryButtonWarpsSlider`).
    public var warpsScrollBar = true
    /// How far inside of the view's edge a drag already scrolls: the edge of a maximised window is the screen's.
    public var autoscrollZone = 6.0
    /// Lines a second that a drag scrolls by where the zone begins.
    public var autoscrollSpeed = 8.0
    /// Lines a second more for each pixel that the pointer is farther out.
    public var autoscrollGain = 0.5

    /// What most desktops have.
    public init() {}

    /// The same for a display on which everything is `scale` times as large.
    public func scaled(by scale: Double) -> PointerSettings {
        var result = self
        result.doubleClickDistance *= scale
        result.dragThreshold *= scale
        result.touchTapDistance *= scale
        result.handleReach *= scale
        result.autoscrollZone *= scale
        result.autoscrollGain /= scale
        return result
    }
}

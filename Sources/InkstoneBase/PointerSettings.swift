/// Times and distances that distinguish gestures of pointer and touch: the desktop's, or the user's. Distances are device pixels of a
/// display at scale 1, or of the scale passed to ``scaled(by:)``.
public struct PointerSettings: Hashable, Sendable {
    /// Longest time between two presses of a series, in milliseconds (`Net/DoubleClickTime`).
    public var doubleClickTime: UInt32 = 400
    /// Longest distance of a press from the first press of its series, on each axis (`Net/DoubleClickDistance`).
    public var doubleClickDistance = 5.0
    /// Distance that the pointer has to move before a press on the selection becomes a drag, on each axis (`Net/DndDragThreshold`).
    public var dragThreshold = 8.0
    /// Time that a button is held still until the press is a long one, in milliseconds; nil for never, as is usual with a mouse.
    public var longPressInterval: Int64?
    /// Time that a finger is held still until the press is a long one, in milliseconds.
    public var touchPressInterval: Int64 = 500
    /// Longest distance of a tap from the first tap of its series, on each axis.
    public var touchTapDistance = 10.0
    /// Longest distance of a finger from the middle of a handle's knob that still grabs it, on each axis. Also the width of the zone inside
    /// the view's edge in which a finger that holds a handle or selects scrolls.
    public var handleReach = 20.0
    /// Whether a triple click selects the visual line, and a drag after it extends by lines; if not, both use the paragraph.
    public var tripleClickSelectsLine = false
    /// Whether the middle button pastes PRIMARY (`Gtk/EnablePrimaryPaste`).
    public var pastesPrimary = true
    /// Whether a press beside the scroll bar's thumb scrolls to that position at once, not by a page (`Gtk/PrimaryButtonWarpsSlider`).
    public var warpsScrollBar = true
    /// Width of the zone inside the view's edge in which a drag already scrolls: the edge of a maximised window is the screen's.
    public var autoscrollZone = 6.0
    /// Lines a second that a drag scrolls by at the start of the zone.
    public var autoscrollSpeed = 8.0
    /// Lines a second that each pixel farther out adds.
    public var autoscrollGain = 0.5

    /// The defaults of most desktops.
    public init() {}

    /// Returns the settings for a display on which everything is `scale` times as large.
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

/// Times and distances that distinguish gestures of the pointer and of fingers, as set by the desktop or the user.
/// Distances are in device pixels of a display at scale 1. In a value from ``scaled(by:)`` they are in those of the
/// display at that scale.
public struct PointerSettings: Hashable, Sendable {
    /// Longest time from one press of a double or triple click to the next, in milliseconds
    /// (`Net/DoubleClickTime`).
    public var doubleClickTime: UInt32 = 400
    /// Longest distance of a press from the first press of its double or triple click, on each axis
    /// (`Net/DoubleClickDistance`).
    public var doubleClickDistance = 5.0
    /// Distance that the pointer has to move before a press on the selection becomes a drag, on each axis
    /// (`Net/DndDragThreshold`).
    public var dragThreshold = 8.0
    /// Time for which a button has to be held still to make a long press, in milliseconds; nil for never, as is
    /// usual with a mouse.
    public var longPressInterval: Int64?
    /// Time for which a finger has to be held still to make a long press, in milliseconds.
    public var touchPressInterval: Int64 = 500
    /// Longest distance of a tap from the first tap of its double or triple tap, on each axis.
    public var touchTapDistance = 10.0
    /// Longest distance, on each axis, between a finger and the middle of a handle's knob at which the finger still
    /// grabs the handle. Also the width of a zone inside the view's edge: if a finger that drags a handle or
    /// selects text enters it, the view scrolls.
    public var handleReach = 20.0
    /// Whether a triple click selects the visual line, and a drag after it extends the selection by lines. If not,
    /// the click selects the paragraph, and the drag extends the selection by paragraphs.
    public var tripleClickSelectsLine = false
    /// Whether the middle button pastes PRIMARY (`Gtk/EnablePrimaryPaste`).
    public var pastesPrimary = true
    /// Whether a press beside the scroll bar's thumb scrolls to that position at once
    /// (`Gtk/PrimaryButtonWarpsSlider`). If not, it scrolls by a page.
    public var warpsScrollBar = true
    /// Width of the zone inside the view's edge in which a drag already scrolls. Without this zone, a drag in a
    /// maximised window could not scroll, because the pointer cannot leave the view.
    public var autoscrollZone = 6.0
    /// Speed of a scrolling drag at the inner edge of the zone, in lines a second.
    public var autoscrollSpeed = 8.0
    /// Speed that each pixel of distance from the inner edge of the zone adds, in lines a second.
    public var autoscrollGain = 0.5

    /// Creates settings with the defaults of most desktops.
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

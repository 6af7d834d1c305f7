/// Times and distances that distinguish gestures of pointer and touch, as set by the desktop or the user. Distances
/// are device pixels of a display at scale 1, or of the scale passed to ``scaled(by:)``.
public struct PointerSettings: Hashable, Sendable {
    /// Longest time between two presses of a double or triple click, in milliseconds (`Net/DoubleClickTime`).
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
    /// Longest distance, on each axis, at which a finger still grabs a handle, from the middle of the handle's
    /// knob. Also the width of the zone inside the view's edge in which a finger that drags a handle or selects
    /// text scrolls the view.
    public var handleReach = 20.0
    /// Whether a triple click selects the visual line, and a drag after it extends the selection by lines. If not,
    /// the click selects the paragraph, and the drag extends the selection by paragraphs.
    public var tripleClickSelectsLine = false
    /// Whether the middle button pastes PRIMARY (`Gtk/EnablePrimaryPaste`).
    public var pastesPrimary = true
    /// Whether a press beside the scroll bar's thumb scrolls to that position at once
    /// (`Gtk/PrimaryButtonWarpsSlider`). If not, it scrolls by a page.
    public var warpsScrollBar = true
    /// Width of the zone inside the view's edge in which a drag already scrolls: in a maximised window, the pointer
    /// cannot leave the view.
    public var autoscrollZone = 6.0
    /// Speed of a scrolling drag at the inner edge of the zone, in lines a second.
    public var autoscrollSpeed = 8.0
    /// Speed that each pixel of distance from the inner edge of the zone adds, in lines a second.
    public var autoscrollGain = 0.5

    /// Settings with the defaults of most desktops.
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

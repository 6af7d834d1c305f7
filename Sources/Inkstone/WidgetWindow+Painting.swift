import InkstoneBase
import InkstoneView
import InkstoneX11

/// The painting of the window: its background and its parts.
extension WidgetWindow {
    /// Lets every part mark what has changed, before painting.
    public func windowWillPaint(_ window: Window) {
        for content in contents { content.windowWillPaint() }
    }

    /// Paints the background and the parts that intersect the damaged rectangles.
    public func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        for rect in damage {
            paintBackground(of: rect, on: canvas)
            for content in contents where content.frame.intersects(rect) {
                let part = rect.intersection(content.frame)
                canvas.setClip(nil)
                canvas.setLimit(part)
                content.paint(on: canvas, damage: part)
            }
        }
        canvas.setLimit(nil)
        accessible?.setNeedsUpdate()
        // Update the spot: painting lays out lines whose heights were estimated, which may move the caret.
        setNeedsSpots()
    }

    /// Fills the background of a rectangle before the contents are painted, because contents need not cover it.
    private func paintBackground(of rect: WindowRect, on canvas: any Canvas) {
        // Skip the background under a text view, which paints its whole frame and usually fills the window.
        let isCovered = contents.contains { content in
            guard let view = content as? TextView, view.theme.background.alpha == 255 else { return false }
            return rect.intersection(view.frame) == rect
        }
        guard !isCovered else { return }
        canvas.setClip(nil)
        canvas.fill(rect, background ?? display.theme.panel.background)
    }
}

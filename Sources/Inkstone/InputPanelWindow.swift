import InkstoneBase
import InkstoneInput
import InkstoneX11

/// The X window of an ``InputPanel``: a child of the owner's window if the panel is docked, a popup otherwise.
final class InputPanelWindow {
    let panel: any InputPanel
    let placement: InputPanelPlacement
    let window: Window
    private unowned let owner: WidgetWindow
    private var frame: WindowRect?

    init(_ panel: any InputPanel, owner: WidgetWindow) throws(X11Error) {
        self.panel = panel
        self.owner = owner
        placement = panel.placement
        let nowhere = Size(width: 1, height: 1)
        switch placement {
        case .docked:
            window = try Window(
                owner.display, parent: owner.window.id, frame: WindowRect(x: 0, y: 0, width: 1, height: 1),
                takesKeys: false)
        case .popup:
            window = try Window(
                popup: owner.display, owner: owner.window.id,
                frame: RootRect(origin: RootPoint(x: 0, y: 0), size: nowhere))
        }
        window.delegate = self
        window.setCursor(.arrow)
    }

    /// Shows the panel in a frame, which is in pixels of the owner's window for a docked panel and in root pixels
    /// for a popup.
    func show(at frame: WindowRect) {
        if frame != self.frame {
            self.frame = frame
            window.setFrame(frame)
        }
        if !window.isShown { window.show() }
    }

    func hide() {
        if window.isShown { window.hide() }
    }

    func close() { window.close() }
}

extension InputPanelWindow: WindowDelegate {
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        for rect in damage {
            canvas.setClip([rect])
            panel.paint(on: canvas, size: window.size, damage: rect)
        }
        canvas.setClip(nil)
    }

    func window(_ window: Window, didReceivePointer event: PointerEvent) { owner.perform(event, on: panel) }

    /// Passes a key to the owner's window. Called only if no window has the focus, because keys then go to the
    /// window under the pointer.
    func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {
        owner.window(owner.window, didReceiveKey: key, raw: raw)
    }
}

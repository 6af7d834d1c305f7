import InkstoneBase
import InkstoneInput
import InkstoneX11

/// The input views of a window, and the content that has made room for them.
struct InputPanelDock {
    /// The windows of the panels shown, from the top to the bottom.
    var panels: [InputPanelWindow] = []
    /// The content that has given up room to docked panels.
    weak var host: (any WindowContent)?
    var isLayingOut = false
}

// MARK: Input views

extension WidgetWindow {
    /// Queries the first responder's input views again. Call after one of them was replaced, or its size has
    /// changed.
    public func reloadInputViews() { focusSystem.reloadInputViews() }

    /// Repaints an input view: all of it, or a rectangle in its own pixels. Does nothing if the input view is not
    /// shown.
    public func setNeedsDisplay(_ panel: any InputPanel, _ rect: WindowRect? = nil) {
        guard let shown = dock.panels.first(where: { $0.panel === panel }) else { return }
        shown.window.setNeedsDisplay(rect ?? shown.window.bounds)
    }

    /// Closes the input views.
    func closePanels() {
        for panel in dock.panels { panel.close() }
        dock.panels = []
    }

    /// Creates the X windows of the first responder's input views, and closes those of other input views. Closes
    /// all if the user has dismissed the keyboard.
    func updatePanels() {
        let responder = focusSystem.isKeyboardDismissed ? nil : firstResponder
        let wanted = [responder?.inputAccessoryView, responder?.inputView].compactMap { $0 as? any InputPanel }
        let old = dock.panels
        dock.panels = wanted.compactMap { panel in
            if let known = old.first(where: { $0.panel === panel && $0.placement == panel.placement }) { return known }
            // Continue without a panel whose window cannot be created. The display's error handler has reported the
            // error.
            return window.isClosed ? nil : try? InputPanelWindow(panel, owner: self)
        }
        for panel in old where !dock.panels.contains(where: { $0 === panel }) { panel.close() }
        if let host = dock.host, host !== responder || dock.panels.isEmpty {
            host.makeRoom(below: 0)
            dock.host = nil
        }
        layOutPanels()
        for panel in dock.panels { panel.window.setNeedsDisplay() }
    }

    /// Sets the frames of the input views. Docked ones are stacked along the lower edge of the view, the accessory
    /// view on top. Popups are stacked below the view in the same order, and are shown only while the window has
    /// the focus.
    func layOutPanels() {
        guard !dock.panels.isEmpty, !dock.isLayingOut, !window.isClosed else { return }
        dock.isLayingOut = true
        defer { dock.isLayingOut = false }
        let content = firstResponder as? any WindowContent
        let docked = dock.panels.filter { $0.placement == .docked }
        if !docked.isEmpty {
            let outer = content?.outerFrame ?? window.bounds
            // Leave at least half of the height to the text, even if the panels request more.
            var left = (outer.height / 2).rounded(.down)
            let heights = docked.map { panel in
                let wanted = panel.panel.size(fitting: Size(width: outer.width, height: left)).height
                let height = min(max(0, wanted.rounded(.up)), left)
                left -= height
                return height
            }
            var y = outer.maxY - heights.reduce(0, +)
            content?.makeRoom(below: outer.maxY - y)
            dock.host = content
            for (panel, height) in zip(docked, heights) {
                if height > 0, outer.width > 0 {
                    panel.show(at: WindowRect(x: outer.minX, y: y, width: outer.width, height: height))
                } else {
                    panel.hide()
                }
                y += height
            }
        }
        layOutPopups(dock.panels.filter { $0.placement == .popup }, around: content?.outerFrame ?? window.bounds)
    }

    private func layOutPopups(_ popups: [InputPanelWindow], around frame: WindowRect) {
        guard !popups.isEmpty else { return }
        guard focusSystem.isWindowFocused else { return popups.forEach { $0.hide() } }
        let view: RootRect = frame.converted(from: window.rootOrigin)
        let screen = display.monitors.frame(at: view.origin)
        let sizes = popups.map { $0.panel.size(fitting: Size(width: screen.width, height: screen.height / 2)) }
        let height = sizes.reduce(0) { $0 + $1.height }
        var y = view.maxY
        if y + height > screen.maxY {
            // Place the popups above the view if the room below is too small. If the room above is too small as well,
            // place them at the edge of the monitor that is farther from the caret.
            y = view.minY - height
            if y < screen.minY { y = caretIsLow(on: screen) ? screen.minY : screen.maxY - height }
        }
        for (popup, size) in zip(popups, sizes) {
            let x = min(max(screen.minX, view.minX), max(screen.minX, screen.maxX - size.width))
            let top = max(screen.minY, y.rounded())
            popup.show(at: WindowRect(x: x.rounded(), y: top, width: size.width, height: size.height))
            y += size.height
        }
    }

    /// Whether the caret is in the lower half of a monitor.
    private func caretIsLow(on screen: RootRect) -> Bool {
        guard let client = session.activeContext?.client as? any TextInputClient else { return false }
        return client.firstRect(forCharacterRange: client.selectedRange()).rect.maxY
            > screen.minY + screen.height / 2
    }

    /// Handles a pointer event over an input view. Does not end the composition. A press is handled after the keys
    /// struck before it, a release or a scroll after the input that is waiting already, and a motion at once.
    func perform(_ event: PointerEvent, on panel: any InputPanel) {
        switch event.kind {
        case .press: session.perform(.press, endsComposition: false) { panel.handlePointer(event) }
        case .release, .scroll: session.perform(.edit, endsComposition: false) { panel.handlePointer(event) }
        case .motion, .enter, .leave: panel.handlePointer(event)
        }
        afterInput()
    }
}

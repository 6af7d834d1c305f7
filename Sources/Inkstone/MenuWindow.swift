import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneWords
import InkstoneX11

/// The X window of a menu. It lies above all other windows and never takes the focus: the owner's window receives
/// the keys and passes them to the menu.
final class MenuWindow {
    let window: Window
    unowned let owner: WidgetWindow
    private(set) var state: MenuState
    private(set) var display: MenuDisplay
    /// The states of the menus that the present submenu has replaced, beginning with the outermost menu.
    private var replaced: [MenuState] = []
    /// The frame of the menu, in root pixels.
    private var frame: RootRect
    private let anchor: RootRect
    /// The view whose menu this is. The view may leave its window while the menu is open.
    let view: TextView
    private var wheelRemainder = ScrollRemainder()
    /// The timer for the next step of scrolling, and the direction, while the pointer is on a strip at an end of
    /// the menu that scrolls the lines; nil otherwise.
    private var hover: (timer: TimerID, direction: Double)?
    private let onClose: () -> Void
    /// The pointer's position when it opened the menu, in root pixels; nil if a key opened it. A release of the button
    /// near this position chooses no line, but sets it to nil, as a press in the menu does.
    private var opening: RootPoint?
    private var hasGrab = false
    /// The distance from ``opening``, in pixels, up to which a release of the button chooses no line.
    private let dragThreshold: Double

    /// Creates a menu and opens it.
    ///
    /// - Parameters:
    ///   - pointer: the pointer's position if it opened the menu, in root pixels; nil if a key did.
    ///   - anchor: the rectangle that the menu stands beside, in root pixels.
    init(
        _ items: [MenuItem], for view: TextView, in owner: WidgetWindow, pointer: RootPoint?, beside anchor: RootRect,
        timestamp: UInt32, onClose: @escaping () -> Void
    ) throws(X11Error) {
        self.owner = owner
        self.onClose = onClose
        opening = pointer
        state = MenuState(items)
        (self.anchor, self.view) = (anchor, view)
        let scale = owner.display.scale
        dragThreshold = owner.display.preferences.pointer.dragThreshold * scale
        (display, frame) = Self.layOut(state, in: owner, beside: anchor, sharing: view)
        if pointer == nil { state.goToFirst() }
        window = try Window(popup: owner.display, owner: owner.window.id, frame: frame)
        window.delegate = self
        window.setMenuType()
        window.setCursor(.arrow)
        window.show()
        // Continue without a grab if another client has grabbed the pointer. Clicks elsewhere then do not close this
        // menu, but a key or the loss of the focus does.
        hasGrab = window.grabPointer(timestamp: timestamp)
    }

    /// Lays out the lines for the monitor of the anchor, and returns them with their frame, in root pixels.
    private static func layOut(
        _ state: MenuState, in owner: WidgetWindow, beside anchor: RootRect, sharing view: TextView
    ) -> (MenuDisplay, RootRect) {
        let scale = owner.display.scale
        let font = FontDescriptor(family: "sans", size: (13 * scale).rounded())
        var display = MenuDisplay(state.items, font: font, sharing: view, scale: scale)
        let monitor = owner.display.monitors.frame(at: anchor.origin)
        display.fit(into: monitor.size)
        let origin = MenuDisplay.origin(
            of: display.size, openedAt: RootPoint(x: anchor.minX, y: anchor.maxY), beside: anchor.height,
            across: anchor.width, isRightToLeft: LibraryWords.language.isRightToLeft, on: monitor)
        return (display, RootRect(origin: origin, size: display.size))
    }

    /// Replaces the menu's lines, when a submenu opens or closes.
    private func show(_ state: MenuState) {
        scrollOn(nil)
        self.state = state
        (display, frame) = Self.layOut(state, in: owner, beside: anchor, sharing: view)
        window.setFrame(WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: frame.height))
        window.setNeedsDisplay()
    }

    /// Closes the menu without choosing a line.
    func close() {
        guard !window.isClosed else { return }
        if hasGrab { window.releasePointer() }
        window.close()
        end()
    }

    /// Ends the menu after its window was closed or destroyed. Otherwise the menu would continue to receive all keys.
    private func end() {
        scrollOn(nil)
        onClose()
        owner.accessible?.setNeedsUpdate()
    }

    /// Handles a key that the owner's window has received.
    func press(_ key: KeyEvent) {
        let old = state.current
        switch state.press(key) {
        case .moved:
            if let current = state.current, display.show(current) { window.setNeedsDisplay() } else { repaint(old) }
        case .chosen(let index): choose(index)
        case .cancelled: close()
        }
    }

    /// Handles a pointer event, whether it is over the menu, over another window of the program, or outside of
    /// both.
    func handle(_ event: PointerEvent, at point: RootPoint) {
        let place = WindowPoint(x: point.x - frame.minX, y: point.y - frame.minY)
        let isInside = WindowRect(origin: WindowPoint(x: 0, y: 0), size: frame.size).contains(place)
        switch event.kind {
        case .press:
            guard isInside else { return close() }
            opening = nil
            go(to: place)
        case .release:
            guard isInside else { return }
            if let opening, abs(opening.x - point.x) < dragThreshold, abs(opening.y - point.y) < dragThreshold {
                self.opening = nil
                return
            }
            if let index = display.index(at: place), state.items[index].isChoosable { choose(index) }
        case .motion:
            go(to: isInside ? place : nil)
            scrollOn(isInside ? display.end(at: place) : nil)
        case .scroll(let clicks):
            let lines = Vector(dx: 0, dy: clicks.dy * display.step)
            guard isInside, display.scroll(by: wheelRemainder.take(lines).dy) else { return }
            window.setNeedsDisplay()
            go(to: place)
        case .leave: scrollOn(nil)
        // Do not change the current line when the pointer enters: if a key has opened the menu under a resting pointer,
        // the line chosen by the keyboard stays current.
        case .enter: break
        }
    }

    /// Scrolls continuously up (negative) or down while the pointer is on the strip at that end of the menu; nil
    /// stops the scrolling.
    private func scrollOn(_ direction: Double?) {
        guard direction != hover?.direction else { return }
        owner.display.cancel(hover?.timer)
        hover = nil
        guard let direction, !window.isClosed else { return }
        hover = (
            owner.display.schedule(afterMilliseconds: 60) { [weak self] in
                guard let self else { return }
                hover = nil
                guard display.scroll(by: direction * display.step) else { return }
                window.setNeedsDisplay()
                scrollOn(direction)
            }, direction
        )
    }

    private func go(to place: WindowPoint?) {
        let old = state.current
        state.point(at: place.flatMap(display.index(at:)))
        repaint(old)
    }

    private func repaint(_ old: Int?) {
        guard old != state.current, !window.isClosed else { return }
        for index in [old, state.current] { if let index { window.setNeedsDisplay(display.frame(of: index)) } }
    }

    /// Chooses the line with an index if the line still has this title: a screen reader may choose a line after the
    /// lines were replaced.
    func choose(_ index: Int, named title: String) {
        if state.items.indices.contains(index), state.items[index].title == title { choose(index) }
    }

    /// Chooses a line: shows the lines of a submenu, returns from one, or closes the menu and performs the line's
    /// action.
    func choose(_ index: Int) {
        guard !window.isClosed else { return }
        let item = state.items[index]
        switch item.kind {
        case .submenu:
            replaced.append(state)
            var lines = MenuState(item.submenuLines)
            lines.goToFirst()
            show(lines)
        case .back: if let outer = replaced.popLast() { show(outer) }
        case .action, .choice, .note, .separator:
            close()
            item.action()
        }
    }
}

extension MenuWindow: WindowDelegate {
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        for rect in damage { display.paint(state, on: canvas, damage: rect) }
        owner.accessible?.setNeedsUpdate()
    }

    func windowDidResize(_ window: Window) { window.setNeedsDisplay() }

    func windowWasDestroyed(_ window: Window) { end() }

    func window(_ window: Window, didReceivePointer event: PointerEvent) {
        handle(event, at: event.location.converted(from: window.rootOrigin))
    }

    /// Passes a key to the owner. Called only where no window has the focus: keys then go to the window under the
    /// pointer.
    func window(_ window: Window, didReceiveKey key: KeyEvent, raw: RawKey) {
        owner.window(owner.window, didReceiveKey: key, raw: raw)
    }
}

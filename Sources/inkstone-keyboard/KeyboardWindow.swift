import Inkstone
import InkstoneWords

/// The window of the on-screen keyboard, which determines the pressed key and the duration of the press. It never gets
/// the focus.
final class KeyboardWindow {
    /// A step in the choice of a text that a held key offers.
    enum Choice: Hashable {
        /// A text is chosen. It would be typed if the key were released now.
        case shown(String)
        case taken(String)
        /// The press has ended without a choice.
        case dropped
    }

    var onKey: ((Key) -> Void)?
    var onChoice: ((Choice) -> Void)?
    var onWord: ((Int) -> Void)?
    var onClose: (() -> Void)?
    /// Called when the pointer enters the keyboard.
    var onEnter: (() -> Void)?
    /// Returns whether the pointer's button is down. A held key asks before each repetition, because another window
    /// may have got the release of the button.
    var isButtonDown: (() -> Bool)?

    /// The content that is shown. Setting it repaints the window.
    var face: KeyboardFace {
        didSet {
            if face.state.rows != oldValue.state.rows {
                cancel()
                place()
            }
            if face.notice != oldValue.notice { showsKeys = face.notice.isEmpty }
            window.setNeedsDisplay()
        }
    }

    /// Whether the keys below the bar are shown. While there is a notice, they are hidden, so as not to cover the
    /// question that the notice is about. A click shows them again.
    private var showsKeys = true { didSet { if showsKeys != oldValue { follow() } } }

    /// The press that is in progress.
    private enum Hold {
        /// The key will act when it is released. If it is held longer, it offers other texts.
        case key(Int)
        /// The key has acted already.
        case done(Int)
        case choosing(Int, AccentStrip, from: WindowPoint)
        case word(Int)
    }

    private let display: Display
    private let window: Window
    private var painter: KeyPainter
    private(set) var places: KeyPlaces
    private var hold: Hold?
    private var timer: TimerID?
    /// The time for which a key has to be held until it offers other texts, in milliseconds.
    private let longPress: Int
    /// The finger of the press and its location; nil for a press of the pointer. `isButtonDown` is not asked for a
    /// finger, because its release is always reported.
    private var finger: (id: UInt32, location: WindowPoint)?

    /// The time for which a key has to be held until it repeats, in milliseconds; ``nextRepetition`` is the time
    /// between two repetitions.
    private static let firstRepetition = 450
    private static let nextRepetition = 45

    init(_ display: Display, face: KeyboardFace, painter: KeyPainter, longPress: Int = 500) throws(X11Error) {
        (self.display, self.face, self.painter, self.longPress) = (display, face, painter, longPress)
        let frame = Self.frame(on: display, showsKeys: true)
        var properties = Window.Properties(title: localized("Inkstone Keyboard"))
        (properties.instanceName, properties.className) = ("inkstone-keyboard", "Inkstone-keyboard")
        window = try Window(dock: display, frame: frame, properties: properties)
        places = KeyPlaces(face.state.rows, size: frame.size, scale: display.scale)
        window.delegate = self
        window.setCursor(.arrow)
        window.show()
    }

    func close() {
        cancel()
        window.close()
    }

    /// Ends an offer of texts without a choice. Call when the offered text is not marked any more.
    func withdrawOffer() {
        if case .choosing = hold { end() }
    }

    /// Sets a painter with new colours, fonts and sizes.
    func restyle(_ painter: KeyPainter) {
        self.painter = painter
        follow()
    }

    /// Moves the window to the lower edge of the screen, as the monitors are now. Cancels a press in progress.
    func follow() {
        let frame = Self.frame(on: display, showsKeys: showsKeys)
        cancel()
        window.setFrame(WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: frame.height))
        place()
        window.setNeedsDisplay()
    }

    private static func frame(on display: Display, showsKeys: Bool) -> RootRect {
        let screen = display.screenSize
        let monitor = display.monitors.frame(at: RootPoint(x: screen.width / 2, y: screen.height - 1))
        let whole = KeyPlaces.frame(on: monitor, scale: display.scale)
        if showsKeys { return whole }
        let height = KeyPlaces.barHeight(of: whole.height)
        return RootRect(x: whole.minX, y: whole.maxY - height, width: whole.width, height: height)
    }

    private func place() {
        let rows = showsKeys ? face.state.rows : []
        places = KeyPlaces(rows, size: window.size, scale: display.scale)
    }

    // MARK: Handling a press

    private func press(at point: WindowPoint) {
        cancel()
        if !showsKeys { return showsKeys = true }
        if places.bar.contains(point) {
            let count = face.words.count
            hold = (0..<count).first { places.word($0, of: count).contains(point) }.map { .word($0) }
            return
        }
        guard let index = places.index(at: point) else { return }
        let key = places.keys[index]
        window.setNeedsDisplay(places.frames[index])
        let choices = face.state.choices(of: key)
        if choices.count > 1 {
            hold = .key(index)
            wait(longPress) { $0.offer(choices, index, from: point) }
        } else {
            hold = .done(index)
            onKey?(key)
            if key.repeats { wait(Self.firstRepetition) { $0.repeatKey(key) } }
        }
    }

    private func repeatKey(_ key: Key) {
        guard finger != nil || isButtonDown?() ?? true else { return cancel() }
        onKey?(key)
        wait(Self.nextRepetition) { $0.repeatKey(key) }
    }

    private func offer(_ choices: [String], _ index: Int, from point: WindowPoint) {
        let strip = AccentStrip(choices, above: places.frames[index], in: window.size)
        hold = .choosing(index, strip, from: point)
        window.setNeedsDisplay()
        onChoice?(.shown(strip.choices[strip.chosen]))
    }

    private func drag(to point: WindowPoint) {
        switch hold {
        case .choosing(let index, var strip, let start):
            // Choose another text only after the finger or pointer has moved away from the point of the press, or
            // into the row of texts.
            guard abs(point.x - start.x) > strip.cell(0).width / 2 || strip.frame.contains(point) else { return }
            let chosen = strip.index(at: point.x)
            guard chosen != strip.chosen else { return }
            strip.chosen = chosen
            hold = .choosing(index, strip, from: start)
            window.setNeedsDisplay()
            onChoice?(.shown(strip.choices[chosen]))
        case .key(let index), .done(let index):
            if !places.frames[index].contains(point) { cancel() }
        case .word, nil: break
        }
    }

    private func release(at point: WindowPoint) {
        let held = hold
        end()
        switch held {
        case .key(let index): onKey?(places.keys[index])
        case .choosing(let index, let strip, _):
            // Choose no text if the finger is released far from the row of texts.
            let near = strip.frame.insetBy(-2 * strip.frame.height)
            let isNear = near.contains(point) || places.frames[index].contains(point)
            onChoice?(isNear ? .taken(strip.choices[strip.chosen]) : .dropped)
        case .word(let index):
            if places.word(index, of: face.words.count).contains(point), index < face.words.count { onWord?(index) }
        case .done, nil: break
        }
    }

    /// Ends a press without a further action.
    private func cancel() {
        let held = hold
        end()
        if case .choosing = held { onChoice?(.dropped) }
    }

    private func end() {
        display.cancel(timer)
        (timer, finger) = (nil, nil)
        guard hold != nil else { return }
        hold = nil
        window.setNeedsDisplay()
    }

    private func wait(_ milliseconds: Int, then action: @escaping (KeyboardWindow) -> Void) {
        timer = display.schedule(afterMilliseconds: milliseconds) { [weak self] in
            guard let self else { return }
            timer = nil
            action(self)
        }
    }
}

extension KeyboardWindow: WindowDelegate {
    func window(_ window: Window, paint canvas: any Canvas, damage: [WindowRect]) {
        var (pressed, strip): (Int?, AccentStrip?)
        switch hold {
        case .key(let index), .done(let index): pressed = index
        case .choosing(let index, let shown, _): (pressed, strip) = (index, shown)
        case .word, nil: break
        }
        for rect in damage {
            painter.paint(face, places, pressed: pressed, strip: strip, on: canvas, damage: rect)
        }
    }

    func window(_ window: Window, didReceivePointer event: PointerEvent) {
        switch event.kind {
        case .press(.primary): press(at: event.location)
        case .release(.primary): release(at: event.location)
        case .motion: if event.isPrimaryDown { drag(to: event.location) } else { cancel() }
        // End the press here. If another client has grabbed the pointer, the button's release will go to that
        // client.
        case .leave: cancel()
        case .enter: onEnter?()
        case .press, .release, .scroll: break
        }
    }

    func window(_ window: Window, didReceiveTouch event: TouchEvent) {
        if event.phase == .began {
            // End the press of the first finger as if it were released, so that two fingers that overlap in time both
            // type.
            if let finger { release(at: finger.location) }
            press(at: event.location)
            finger = (event.id, event.location)
            return
        }
        guard finger?.id == event.id else { return }
        finger?.location = event.location
        switch event.phase {
        case .began: break
        case .moved: drag(to: event.location)
        case .ended: release(at: event.location)
        case .cancelled: cancel()
        }
    }

    func windowDidResize(_ window: Window) {
        cancel()
        place()
    }

    func windowShouldClose(_ window: Window) { onClose?() }

    func windowWasDestroyed(_ window: Window) { onClose?() }
}

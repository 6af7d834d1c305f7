import CX11
import InkstoneBase

extension Window: EventSink {
    func receive(_ event: inout XEvent) {
        guard !isClosed else { return }
        if event.type == GraphicsExpose { return lostCopy(event.xgraphicsexpose) }
        if event.type == NoExpose { return }
        guard event.xany.window == id.xid else { return ancestorChanged(&event) }
        if event.type != MotionNotify { display.flushMotion() }
        switch event.type {
        case KeyPress, KeyRelease: if plug == nil { handleKey(event.xkey) } else { handlePlugKey(event.xkey) }
        case ButtonPress, ButtonRelease:
            let button = event.xbutton
            handleButton(
                Int32(clamping: button.button), isDown: event.type == ButtonPress,
                pointerEvent(button.x, button.y, button.state, button.time))
        case MotionNotify:
            let motion = event.xmotion
            handleMotion(pointerEvent(motion.x, motion.y, motion.state, motion.time))
        case EnterNotify, LeaveNotify: handleCrossing(event.xcrossing)
        case FocusIn, FocusOut: handleFocus(event.xfocus)
        case Expose:
            display.windowWasSeen()
            let expose = event.xexpose
            self.expose(
                WindowRect(
                    x: Double(expose.x), y: Double(expose.y), width: Double(expose.width),
                    height: Double(expose.height)), serial: UInt(expose.serial))
        case ConfigureNotify: handleConfigure(event.xconfigure)
        case ReparentNotify: parentDidChange()
        case ClientMessage where receiveXEmbed(event.xclient): break
        case ClientMessage:
            if !display.dragAndDrop.receive(event.xclient, for: self) { handleMessage(&event) }
        case DestroyNotify where event.xdestroywindow.window == id.xid:
            detach()
            delegate?.windowWasDestroyed(self)
        default: break
        }
    }

    func handleKey(_ event: XKeyEvent, isHosted: Bool = false) {
        noteUserTime(event.time)
        // Take the key as a sign of focus. Without a window manager, the X focus is PointerRoot, and the server
        // sends no FocusIn.
        if !isFocused, event.type == KeyPress {
            isFocusImplied = !isHosted
            setFocused(true)
        }
        var raw = RawKey(event)
        display.keyboard.noteRepeat(&raw)
        delegate?.window(self, didReceiveKey: display.keyboard.translate(raw), raw: raw)
    }

    /// Hides the window, and then handles the keys that the server has sent to it before that. One round trip.
    package func receiveLastKeys() {
        guard !isClosed, !display.isLost else { return }
        hide()
        XSync(display.connection, 0)
        var event = XEvent()
        while !isClosed, XCheckWindowEvent(display.connection, id.xid, KeyPressMask | KeyReleaseMask, &event) != 0 {
            display.dispatch(&event)
        }
    }

    /// Returns the pointer state of a core event as a motion event.
    private func pointerEvent(_ x: Int32, _ y: Int32, _ state: UInt32, _ time: Time) -> PointerEvent {
        PointerEvent(
            kind: .motion, location: WindowPoint(x: Double(x), y: Double(y)),
            modifiers: display.keyboard.modifiers(state: state), isPrimaryDown: state & UInt32(Button1Mask) != 0,
            timestamp: UInt32(truncatingIfNeeded: time))
    }

    /// Handles the press or release of a button. `event` has the position and time. A press also gives the window
    /// the focus if the window takes the focus on a press.
    func handleButton(_ button: Int32, isDown: Bool, _ event: PointerEvent) {
        noteUserTime(Time(event.timestamp))
        var pointer = event
        switch button {
        case 4: pointer.kind = .scroll(Vector(dx: 0, dy: -1))
        case 5: pointer.kind = .scroll(Vector(dx: 0, dy: 1))
        case 6: pointer.kind = .scroll(Vector(dx: -1, dy: 0))
        case 7: pointer.kind = .scroll(Vector(dx: 1, dy: 0))
        default:
            let button = PointerButton(rawValue: UInt8(truncatingIfNeeded: button))
            pointer.kind = isDown ? .press(button) : .release(button)
        }
        if case .scroll = pointer.kind, !isDown { return }
        if isDown, plug?.isBlocked == true { return }
        if takesFocusOnPress, !isFocused || isFocusImplied, case .press = pointer.kind {
            focus(timestamp: pointer.timestamp)
        }
        delegate?.window(self, didReceivePointer: pointer)
    }

    func handleTouch(_ event: TouchEvent) {
        guard !isClosed, event.phase != .began || plug?.isBlocked != true else { return }
        if event.phase == .moved {
            if case .touch(let waiting) = pendingMotion, waiting.id == event.id { return pendingMotion = .touch(event) }
            display.flushMotion()
            return wait(.touch(event))
        }
        display.flushMotion()
        noteUserTime(Time(event.timestamp))
        if event.phase == .began, takesFocusOnPress, !isFocused || isFocusImplied { focus(timestamp: event.timestamp) }
        delegate?.window(self, didReceiveTouch: event)
    }

    /// Handles scrolling by a distance in wheel clicks. Zero means that fingers were lifted. `event` has the
    /// position and time.
    func handleScroll(_ distance: Vector, _ event: PointerEvent) {
        guard !isClosed, plug?.isBlocked != true else { return }
        noteUserTime(Time(event.timestamp))
        var pointer = event
        pointer.kind = .scroll(distance)
        delegate?.window(self, didReceivePointer: pointer)
    }

    func handleMotion(_ event: PointerEvent) {
        if display.turnWork.motionWindow !== self { display.flushMotion() }
        if case .touch = pendingMotion { display.flushMotion() }
        wait(.pointer(event))
    }

    private func wait(_ motion: PendingMotion) {
        pendingMotion = motion
        display.turnWork.motionWindow = self
        // Do not wait for another motion on a host program's connection: it cannot be seen there whether one is
        // queued.
        if display.isAdopted { display.flushMotion() }
    }

    func deliverMotion() {
        guard let motion = pendingMotion else { return }
        pendingMotion = nil
        switch motion {
        case .pointer(let event): delegate?.window(self, didReceivePointer: event)
        case .touch(let event): delegate?.window(self, didReceiveTouch: event)
        }
    }

    private func handleCrossing(_ event: XCrossingEvent) {
        delegate?.window(
            self,
            didReceivePointer: PointerEvent(
                kind: event.type == EnterNotify ? .enter : .leave,
                location: WindowPoint(x: Double(event.x), y: Double(event.y)),
                modifiers: display.keyboard.modifiers(state: event.state),
                isPrimaryDown: event.state & UInt32(Button1Mask) != 0,
                timestamp: UInt32(truncatingIfNeeded: event.time)))
        if event.type == LeaveNotify, isFocusImplied, !keepsImpliedFocus, event.mode == NotifyNormal,
            event.detail != NotifyInferior
        {
            setFocused(false)
        }
    }

    private func handleFocus(_ event: XFocusChangeEvent) {
        // Ignore changes that grabs cause, and changes that concern only the pointer (detail Pointer).
        guard event.mode == NotifyNormal || event.mode == NotifyWhileGrabbed else { return }
        switch event.detail {
        case NotifyAncestor, NotifyVirtual, NotifyNonlinear, NotifyNonlinearVirtual, NotifyInferior: break
        default: return
        }
        // Ignore focus that moves to or from a window inside this one, which has a Virtual detail.
        let isHere = event.detail != NotifyVirtual && event.detail != NotifyNonlinearVirtual
        guard isHere else { return }
        if plug != nil { return plugXFocusDidChange(event.type == FocusIn) }
        isFocusImplied = false
        setFocused(event.type == FocusIn)
    }

    /// Sets whether the window has the focus within its host. The host receives the keys, and forwards them with
    /// ``receiveKey(_:)``.
    public func setHostFocus(_ focused: Bool) {
        guard !isClosed else { return }
        isFocusImplied = false
        setFocused(focused)
    }

    func setFocused(_ focused: Bool) {
        guard focused != isFocused else { return }
        isFocused = focused
        if focused {
            isUrgent = false
            display.performAfterPainting { [unowned display] in display.keyboard.prepare() }
        } else {
            isFocusImplied = false
            display.keyboard.focusLost()
        }
        delegate?.windowDidChangeFocus(self)
    }

    private func handleConfigure(_ event: XConfigureEvent) {
        let newSize = Window.clamped(Size(width: Double(event.width), height: Double(event.height)))
        if newSize != size {
            size = newSize
            repaint.damage.waiting = []
            delegate?.windowDidResize(self)
            setNeedsDisplay()
        }
        configureMoved(event)
        if managed.sync?.awaited != nil { display.performAfterPainting { [weak self] in self?.sizeIsPainted() } }
    }
}

import CX11
import InkstoneBase

/// The pointer devices as reported by XInput 2, which gives more detail than the core protocol. Not used on a host
/// program's connection, because the host may use XInput itself. There, wheels are reported as buttons.
final class PointerDevices {
    /// The device to grab: the master pointer of the last button press or touch.
    private(set) var pointer: Int32 = 2
    /// The window that receives all events of the pointer and of touches during a grab; nil without a grab.
    private var grabbed: UInt?
    private unowned let display: Display
    private let opcode: Int32
    private var axes = ScrollAxes()
    /// The device and time of the last event that moved a scroll axis, if it moved the axis by an unknown distance;
    /// nil otherwise. The server's emulated wheel buttons are used instead of such an event.
    private var uncertain: (device: Int32, time: Time)?

    /// Creates the devices by querying XInput 2. Nil if the server lacks it, and on a host program's connection.
    init?(_ display: Display) {
        let connection = display.connection
        var (opcode, event, error): (Int32, Int32, Int32) = (0, 0, 0)
        guard !display.isAdopted, XQueryExtension(connection, "XInputExtension", &opcode, &event, &error) != 0 else {
            return nil
        }
        var (major, minor): (Int32, Int32) = (2, 2)
        let isKnown = XIQueryVersion(connection, &major, &minor) == Success && major >= 2
        cx11_handlers_refuse_sent(connection)
        guard isKnown else { return nil }
        self.display = display
        self.opcode = opcode
    }

    /// Selects buttons, motions, scroll axes and touches by XInput 2 on a window. From then on, the window gets no
    /// core events for them.
    func select(on window: UInt) {
        Self.withMask(
            Self.pointerEvents + Self.touchEvents + [XI_Enter, XI_DeviceChanged], device: XIAllMasterDevices
        ) {
            _ = XISelectEvents(display.connection, window, $0, 1)
        }
    }

    private static let pointerEvents = [XI_Motion, XI_ButtonPress, XI_ButtonRelease]

    /// The touch events. The server accepts only all three together.
    private static let touchEvents = [XI_TouchBegin, XI_TouchUpdate, XI_TouchEnd]

    private static func withMask(
        _ events: [Int32], device: Int32, _ body: (UnsafeMutablePointer<XIEventMask>) -> Void
    ) {
        var bits = [UInt8](repeating: 0, count: 4)
        for event in events { bits[Int(event) / 8] |= 1 << UInt8(event % 8) }
        bits.withUnsafeMutableBufferPointer { bits in
            var mask = XIEventMask(deviceid: device, mask_len: Int32(bits.count), mask: bits.baseAddress)
            body(&mask)
        }
    }

    // MARK: Grabs

    /// Grabs the pointer as ``Window/grabPointer(timestamp:)`` does, but through XInput 2. Needed because the
    /// server refuses a core grab while a button is down whose press XInput 2 has reported. Returns whether the
    /// server has granted the grab.
    func grab(_ window: UInt, timestamp: UInt32) -> Bool {
        var result = GrabSuccess
        Self.withMask(Self.pointerEvents + Self.touchEvents + [XI_Enter, XI_Leave], device: pointer) {
            result = XIGrabDevice(
                display.connection, pointer, window, UInt(timestamp), 0, GrabModeAsync, GrabModeAsync, 0, $0)
        }
        if result == GrabSuccess { grabbed = window }
        return result == GrabSuccess
    }

    func ungrab() {
        XIUngrabDevice(display.connection, pointer, 0)
        grabbed = nil
    }

    // MARK: Events

    /// Handles an event of the extension. Returns whether it concerned only this package.
    func receive(_ event: inout XEvent) -> Bool {
        guard event.xcookie.extension == opcode, XGetEventData(display.connection, &event.xcookie) != 0 else {
            return false
        }
        defer { XFreeEventData(display.connection, &event.xcookie) }
        guard let data = event.xcookie.data else { return false }
        switch event.xcookie.evtype {
        case XI_Motion, XI_ButtonPress, XI_ButtonRelease:
            deviceEvent(data.assumingMemoryBound(to: XIDeviceEvent.self).pointee)
        case XI_TouchBegin, XI_TouchUpdate, XI_TouchEnd:
            touchEvent(data.assumingMemoryBound(to: XIDeviceEvent.self).pointee)
        case XI_Enter:
            entered(data.assumingMemoryBound(to: XIEnterEvent.self).pointee)
        case XI_DeviceChanged:
            let change = data.assumingMemoryBound(to: XIDeviceChangedEvent.self).pointee
            axes.setAxes(Self.axes(change.classes, count: change.num_classes), of: change.sourceid)
        default: break
        }
        return true
    }

    private func deviceEvent(_ event: XIDeviceEvent) {
        display.noteTime(event.time)
        if !axes.knows(event.sourceid) { query(event.sourceid) }
        let isMotion = event.evtype == XI_Motion
        var values: [Int: Double] = [:]
        var next = 0
        for number in 0..<(8 * Int(event.valuators.mask_len)) where Self.isSet(number, event.valuators.mask) {
            values[number] = event.valuators.values[next]
            next += 1
        }
        let step = isMotion ? axes.take(values, of: event.sourceid, serial: event.serial) : nil
        // If the distance is unknown, use the emulated buttons of this event. If a second axis reports a known distance
        // in the same millisecond, ignore the emulated buttons.
        if let step { uncertain = step.isUncertain ? (event.sourceid, event.time) : nil }
        if event.evtype == XI_ButtonPress, !(4...7).contains(event.detail) { pointer = event.deviceid }
        guard let window = display.windows[event.event] else { return }
        let pointer = PointerEvent(
            kind: .motion, location: WindowPoint(x: event.event_x, y: event.event_y),
            modifiers: modifiers(of: event),
            isPrimaryDown: event.buttons.mask_len > 0 && Self.isSet(1, event.buttons.mask),
            timestamp: UInt32(truncatingIfNeeded: event.time))
        guard isMotion else {
            display.flushMotion()
            // Ignore emulated wheel buttons if the device's scroll axis has already reported the distance.
            if (4...7).contains(event.detail), axes.hasAxis(event.sourceid, isVertical: event.detail < 6),
                uncertain?.device != event.sourceid || uncertain?.time != event.time
            {
                return
            }
            return window.handleButton(event.detail, isDown: event.evtype == XI_ButtonPress, pointer)
        }
        // At a touch, the server moves the pointer to the finger. Do not report that as a motion of the pointer.
        if step == nil, event.flags & XIPointerEmulated != 0 { return }
        // Handle the event also as a pointer motion if it contains a position.
        if step == nil || values[0] != nil || values[1] != nil { window.handleMotion(pointer) }
        if let step, !step.isUncertain || step.distance != Vector(dx: 0, dy: 0) {
            display.flushMotion()
            window.handleScroll(step.distance, pointer)
        }
    }

    /// Handles a touch event. All events of a touch go to the window in which it began.
    private func touchEvent(_ event: XIDeviceEvent) {
        display.noteTime(event.time)
        if event.evtype == XI_TouchBegin { pointer = event.deviceid }
        // Accept the touch. Otherwise, when the grab ends, the server would pass the touch to the window below: the
        // finger that closes a menu would also press there.
        if event.evtype == XI_TouchBegin, event.event == grabbed {
            _ = display.tolerating {
                XIAllowTouchEvents(
                    display.connection, event.deviceid, UInt32(bitPattern: event.detail), event.event, XIAcceptTouch)
            }
        }
        guard let window = display.windows[event.event] else { return }
        // If the window is unmapped, the end of the touch may mean that the touch was cancelled.
        let end = window.isShown ? TouchEvent.Phase.ended : .cancelled
        window.handleTouch(
            TouchEvent(
                event.evtype == XI_TouchBegin ? .began : event.evtype == XI_TouchUpdate ? .moved : end,
                id: UInt32(bitPattern: event.detail), isPointer: event.flags & XITouchEmulatingPointer != 0,
                location: WindowPoint(x: event.event_x, y: event.event_y), modifiers: modifiers(of: event),
                timestamp: UInt32(truncatingIfNeeded: event.time)))
    }

    private func modifiers(of event: XIDeviceEvent) -> KeyModifiers {
        display.keyboard.modifiers(
            state: UInt32(truncatingIfNeeded: event.mods.effective & 0xff | event.group.effective << 13))
    }

    /// Queries the scroll axes again when the pointer enters: their accumulated values have changed while the pointer
    /// was in other windows.
    private func entered(_ event: XIEnterEvent) {
        display.noteTime(event.time)
        // If the pointer comes from a child window, or if a grab by a button begins, there was no scrolling in
        // another window, and the axes are unchanged.
        guard event.detail != XINotifyInferior, event.mode == XINotifyNormal || event.mode == XINotifyUngrab else {
            return
        }
        learnAxes()
    }

    /// Queries the axes of all devices with their current values. One round trip.
    func learnAxes() { query(XIAllDevices) }

    /// Queries the axes of one device, or of all, with their current values. One round trip.
    private func query(_ device: Int32) {
        var count: Int32 = 0
        let serial = UInt(XNextRequest(display.connection))
        guard let found = display.tolerating({ XIQueryDevice(display.connection, device, &count) }) else {
            // Remove the axes of a queried device that does not exist any more.
            if device != XIAllDevices { axes.setAxes([], of: device) }
            return
        }
        defer { XIFreeDeviceInfo(found) }
        for info in UnsafeBufferPointer(start: found, count: Int(count)) {
            axes.rebase(Self.axes(info.classes, count: info.num_classes), of: info.deviceid, serial: serial)
        }
    }

    private static func axes(
        _ classes: UnsafeMutablePointer<UnsafeMutablePointer<XIAnyClassInfo>?>?, count: Int32
    ) -> [ScrollAxes.Axis] {
        guard let classes else { return [] }
        let all = UnsafeBufferPointer(start: classes, count: Int(count)).compactMap { $0.map(UnsafeRawPointer.init) }
        var sums: [Int32: Double] = [:]
        var found: [ScrollAxes.Axis] = []
        for raw in all {
            switch raw.assumingMemoryBound(to: XIAnyClassInfo.self).pointee.type {
            case XIValuatorClass:
                let valuator = raw.assumingMemoryBound(to: XIValuatorClassInfo.self).pointee
                sums[valuator.number] = valuator.value
            case XIScrollClass:
                let scroll = raw.assumingMemoryBound(to: XIScrollClassInfo.self).pointee
                found.append(
                    ScrollAxes.Axis(
                        number: Int(scroll.number), isVertical: scroll.scroll_type == XIScrollTypeVertical,
                        increment: scroll.increment, sum: nil))
            default: break
            }
        }
        return found.map { axis in
            var axis = axis
            axis.sum = sums[Int32(axis.number)]
            return axis
        }
    }

    private static func isSet(_ bit: Int, _ mask: UnsafeMutablePointer<UInt8>?) -> Bool {
        mask.map { $0[bit >> 3] & 1 << UInt8(bit & 7) != 0 } ?? false
    }
}

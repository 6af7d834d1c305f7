import CX11
import InkstoneBase

/// Translates key events by the server's keyboard layout. Xlib keeps a copy of the layout. So translating a key
/// takes no round trip.
public final class Keyboard {
    private unowned let display: Display
    /// The event type of the XKB extension; nil before the extension was queried, -1 if the server has none.
    private(set) var events: Int32?
    /// The keycode of the key pressed last, the only one that can repeat; nil once it is released.
    private var held: UInt8?
    private var lastRelease: (keycode: UInt8, time: UInt32)?
    private var masks: [(mask: UInt32, modifier: KeyModifiers)]?
    private var group: Int?
    /// Whether each group types right-to-left letters, for the groups asked about so far.
    var directions: [Int: Bool] = [:]
    var connection: OpaquePointer { display.connection }

    init(_ display: Display) { self.display = display }

    /// Makes Xlib use the server's XKB extension. On our own connection, the first call takes two round trips, so make
    /// it only when a first window is visible or a key is pressed.
    func takeUpExtension() {
        guard events == nil, !display.isLost else { return }
        var first: Int32 = -1
        let isThere = cx11_use_xkb(connection, !display.isAdopted, &first)
        events = isThere ? first : -1
        guard isThere else { return }
        let mask = UInt32(XkbNewKeyboardNotifyMask | XkbMapNotifyMask)
        XkbSelectEvents(connection, UInt32(XkbUseCoreKbd), mask, mask)
        // Select only changes of the group: other changes of the state come with many keys.
        let group = UInt(XkbGroupStateMask)
        XkbSelectEventDetails(connection, UInt32(XkbUseCoreKbd), UInt32(XkbStateNotify), group, group)
    }

    /// Translates a key event by the current layout.
    package func translate(_ key: RawKey) -> KeyEvent {
        takeUpExtension()
        var event = XEvent()
        event.xkey = key.event(display: display.connection, window: key.window)
        var keysym: KeySym = 0
        var consumed: UInt32 = 0
        XkbLookupKeySym(display.connection, KeyCode(key.keycode), key.state, &consumed, &keysym)
        let symbol = Keysym(rawValue: UInt32(truncatingIfNeeded: keysym))
        return KeyEvent(
            phase: key.isPress ? (key.isRepeat ? .repeat : .down) : .up, keycode: key.keycode, keysym: symbol,
            latinKeysym: latinKeysym(for: key, keysym: symbol), characters: Self.characters(for: symbol),
            modifiers: modifiers(state: key.state), timestamp: key.time)
    }

    /// Returns the keysyms of a key without and with Shift, first in the active group and then in the others; empty
    /// if there is no such key.
    public func symbols(of keycode: UInt8) -> [Keysym] {
        guard keycode >= 8, !display.isLost else { return [] }
        let current = UInt32(currentGroup)
        var result: [Keysym] = []
        for offset: UInt32 in 0..<4 {
            let group = (current + offset) & 3
            for shift: UInt32 in [0, UInt32(ShiftMask)] {
                var symbol: KeySym = 0
                var consumed: UInt32 = 0
                let state: UInt32 = shift | group << 13
                if XkbLookupKeySym(connection, KeyCode(keycode), state, &consumed, &symbol) != 0 {
                    result.append(Keysym(rawValue: UInt32(truncatingIfNeeded: symbol)))
                }
            }
        }
        return result
    }

    /// Returns the modifiers for the bits of an event's state.
    package func modifiers(state: UInt32) -> KeyModifiers {
        var result: KeyModifiers = []
        for (mask, modifier) in modifierMasks where state & mask != 0 { result.insert(modifier) }
        return result
    }

    /// Returns the character that a keysym stands for; empty for function keys and control characters.
    public static func characters(for keysym: Keysym) -> String {
        let scalar = xkb_keysym_to_utf32(keysym.rawValue)
        guard scalar >= 0x20, scalar != 0x7f, !(0x80..<0xa0).contains(scalar), let value = Unicode.Scalar(scalar)
        else { return "" }
        return String(Character(value))
    }

    /// Fetches the layout from the server, so that the first key need not wait for it.
    func prepare() {
        guard masks == nil, !display.isLost else { return }
        takeUpExtension()
        var keysym: KeySym = 0
        var consumed: UInt32 = 0
        XkbLookupKeySym(display.connection, KeyCode(38), 0, &consumed, &keysym)
        _ = modifierMasks
    }

    /// Sets `isRepeat` of a key event if its key was already down. Call it for each event, in order.
    func noteRepeat(_ key: inout RawKey) {
        if key.isPress {
            let isSameInstant = lastRelease.map { $0.keycode == key.keycode && $0.time == key.time } ?? false
            key.isRepeat = held == key.keycode || isSameInstant
            held = key.keycode
            lastRelease = nil
        } else {
            if held == key.keycode { held = nil }
            // Remember this release. Without detectable auto-repeat, the server sends a release before each
            // repetition, with the same time. A press of the same key with this time is therefore a repetition.
            if !display.repeatsDetectably { lastRelease = (key.keycode, key.time) }
        }
    }

    /// Forgets which keys are down. Their releases will go to another window.
    func focusLost() {
        held = nil
        lastRelease = nil
    }

    func mappingChanged(_ event: inout XMappingEvent) {
        XRefreshKeyboardMapping(&event)
        forgetLayout()
    }

    private func forgetLayout() {
        masks = nil
        directions = [:]
        group = nil
        display.notify(.keyboardLayout)
    }

    /// The index of the active group, from 0.
    var currentGroup: Int {
        if let group { return group }
        takeUpExtension()
        var state = XkbStateRec()
        guard !display.isLost, XkbGetState(connection, UInt32(XkbUseCoreKbd), &state) == 0 else { return 0 }
        group = Int(state.group)
        return Int(state.group)
    }

    /// Handles events of the XKB extension. Returns whether the event is one.
    func receive(_ event: inout XEvent) -> Bool {
        guard event.type == events else { return false }
        let kind = withUnsafeBytes(of: event) { $0.load(as: XkbAnyEvent.self).xkb_type }
        if kind == XkbMapNotify {
            withUnsafeMutableBytes(of: &event) {
                _ = XkbRefreshKeyboardMapping($0.assumingMemoryBound(to: XkbMapNotifyEvent.self).baseAddress)
            }
        } else if kind == XkbNewKeyboardNotify {
            var mapping = XMappingEvent()
            mapping.type = MappingNotify
            mapping.display = display.connection
            mapping.request = MappingKeyboard
            mapping.first_keycode = 8
            mapping.count = 248
            XRefreshKeyboardMapping(&mapping)
        } else if kind == XkbStateNotify {
            group = withUnsafeBytes(of: event) { Int($0.load(as: XkbStateNotifyEvent.self).group) }
            display.notify(.keyboardLayout)
            return true
        }
        forgetLayout()
        return true
    }

    private func latinKeysym(for key: RawKey, keysym: Keysym) -> Keysym {
        // Return function keys and Latin-1 characters unchanged, without searching another group.
        if keysym.rawValue < 0x100 || keysym.rawValue >= 0xfd00 && keysym.rawValue < 0x1000000 { return keysym }
        let state = key.state & 0x1fff
        for group: UInt32 in 0..<4 {
            var candidate: KeySym = 0
            var consumed: UInt32 = 0
            XkbLookupKeySym(display.connection, KeyCode(key.keycode), state | group << 13, &consumed, &candidate)
            if candidate >= 0x20, candidate < 0x7f { return Keysym(rawValue: UInt32(candidate)) }
        }
        return Self.latinPlaces[key.keycode] ?? keysym
    }

    /// The characters of a US keyboard by evdev's keycodes, for layouts without a Latin group.
    private static let latinPlaces: [UInt8: Keysym] = {
        var places: [UInt8: Keysym] = [:]
        for (first, letters) in [
            (10, "1234567890-="), (24, "qwertyuiop[]"), (38, "asdfghjkl;'`"), (51, "\\zxcvbnm,./"),
        ] {
            for (index, letter) in letters.unicodeScalars.enumerated() {
                places[UInt8(first + index)] = Keysym(rawValue: letter.value)
            }
        }
        return places
    }()

    private var modifierMasks: [(mask: UInt32, modifier: KeyModifiers)] {
        if let masks { return masks }
        takeUpExtension()
        var result: [(mask: UInt32, modifier: KeyModifiers)] = [
            (UInt32(ShiftMask), .shift), (UInt32(LockMask), .capsLock), (UInt32(ControlMask), .control),
        ]
        let meanings: [(keysyms: [KeySym], modifier: KeyModifiers)] = [
            ([0xffe9, 0xffea, 0xffe7, 0xffe8], .alt), ([0xff7f], .numLock), ([0xffeb, 0xffec], .super),
            ([0xfe03, 0xff7e], .level3),
        ]
        for (keysyms, modifier) in meanings {
            let mask = keysyms.reduce(0) { $0 | XkbKeysymToModifiers(display.connection, $1) }
            // Leave out Shift, Lock and Control, whose bits keep their meaning whatever keys are mapped to them.
            let bits = mask & ~UInt32(ShiftMask | LockMask | ControlMask)
            if bits != 0 { result.append((bits, modifier)) }
        }
        masks = result
        return result
    }
}

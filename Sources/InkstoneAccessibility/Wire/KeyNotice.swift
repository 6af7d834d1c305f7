import InkstoneBase
import InkstoneBus

/// A key event in the form in which the registry passes it on to screen readers. Orca receives keys in this way up
/// to version 44.
struct KeyNotice: Equatable {
    private let key: KeyEvent

    init(_ key: KeyEvent) { self.key = key }

    /// The argument of `NotifyListenersSync`, of type `(uinnisb)`. The registry accepts this type, although its
    /// introspection data names another one.
    var value: BusValue {
        // The modifier bits of GDK, which are those of X11.
        let bits: [(KeyModifiers, Int16)] = [
            (.shift, 1), (.capsLock, 2), (.control, 4), (.alt, 8), (.numLock, 16), (.super, 64), (.level3, 128),
        ]
        let modifiers = bits.reduce(Int16(0)) { key.modifiers.contains($1.0) ? $0 | $1.1 : $0 }
        let isText = !key.characters.isEmpty && key.characters != " " && key.modifiers.isDisjoint(with: .commanding)
        return .structure([
            .uint32(key.phase == .up ? 1 : 0), .int32(Int32(bitPattern: key.keysym.rawValue)),
            .int16(Int16(key.keycode)), .int16(modifiers), .int32(Int32(bitPattern: key.timestamp)),
            .text(name), .boolean(isText),
        ])
    }

    /// The name of the key in ``names``; else the text that it types, the name of a function key, or the character
    /// that the keysym stands for. Empty if there is none of these.
    private var name: String {
        if let name = Self.names[key.keysym.rawValue] { return name }
        if !key.characters.isEmpty { return key.characters }
        let value = key.keysym.rawValue
        if (0xffbe...0xffe0).contains(value) { return "F\(value - 0xffbd)" }
        let scalar = value >= 0x100_0000 ? value - 0x100_0000 : value < 0x100 ? value : 0
        return Unicode.Scalar(scalar).flatMap { $0.value < 0x20 ? nil : String($0) } ?? ""
    }

    /// The names of keys by their keysyms (X11's `<X11/keysymdef.h>`).
    private static let names: [UInt32: String] = [
        0x20: "space", 0xff08: "BackSpace", 0xff09: "Tab", 0xff0d: "Return", 0xff1b: "Escape", 0xffff: "Delete",
        0xff50: "Home", 0xff51: "Left", 0xff52: "Up", 0xff53: "Right", 0xff54: "Down", 0xff55: "Page_Up",
        0xff56: "Page_Down", 0xff57: "End", 0xff63: "Insert", 0xff67: "Menu", 0xff13: "Pause", 0xff14: "Scroll_Lock",
        0xff61: "Print", 0xff7f: "Num_Lock", 0xff8d: "KP_Enter", 0xff95: "KP_Home", 0xff96: "KP_Left",
        0xff97: "KP_Up", 0xff98: "KP_Right", 0xff99: "KP_Down", 0xff9a: "KP_Page_Up", 0xff9b: "KP_Page_Down",
        0xff9c: "KP_End", 0xff9d: "KP_Begin", 0xff9e: "KP_Insert", 0xff9f: "KP_Delete", 0xffaa: "KP_Multiply",
        0xffab: "KP_Add", 0xffad: "KP_Subtract", 0xffaf: "KP_Divide", 0xffe1: "Shift_L", 0xffe2: "Shift_R",
        0xffe3: "Control_L", 0xffe4: "Control_R", 0xffe5: "Caps_Lock", 0xffe7: "Meta_L", 0xffe8: "Meta_R",
        0xffe9: "Alt_L", 0xffea: "Alt_R", 0xffeb: "Super_L", 0xffec: "Super_R", 0xfe03: "ISO_Level3_Shift",
        0xfe20: "ISO_Left_Tab",
    ]
}

/// The rule for the time that each key waits for the screen readers' answer.
struct ReaderWait {
    /// The key that is held as the screen readers' modifier: Insert or Caps Lock. Nil if neither is held.
    private var held: (keysym: UInt32, keycode: UInt8)?

    /// Whether Insert is held. The next key is then a screen reader's command, not text.
    var expectsCommand: Bool { held.map { $0.keysym == 0xff63 || $0.keysym == 0xff9e } ?? false }

    /// The time for which an ordinary key waits for the screen readers' answer, in milliseconds.
    static let usual: Int64 = 100
    /// The time for which a key that may be a screen reader's command waits for the answer, in milliseconds, as in GTK.
    /// It is longer than `usual`, because such a key would move the caret if it reached the text as well.
    static let forCommands: Int64 = 500

    /// Returns the time for which a key waits for the screen readers, in milliseconds. Also updates the key that is
    /// held.
    mutating func wait(for key: KeyEvent) -> Int64 {
        // Compare key codes, not keysyms: the keysym of the keypad's Insert changes if Shift is pressed meanwhile.
        if key.phase == .up, let held, key.keycode == held.keycode {
            self.held = nil
            return Self.forCommands
        }
        switch key.keysym.rawValue {
        case 0xff63, 0xff9e, 0xffe5:
            // Record each press, also if it is an auto-repeat of the key that is held already.
            if key.phase != .up { held = (key.keysym.rawValue, key.keycode) }
            return Self.forCommands
        // The keys of the keypad except its digits, which may be commands of a screen reader.
        case 0xff8d, 0xff95...0xff9d, 0xff9f, 0xffaa...0xffaf: return Self.forCommands
        default: return held != nil ? Self.forCommands : Self.usual
        }
    }
}

extension ReaderWait {
    /// Forgets the held key. Its release may go to another window.
    mutating func focusWasLost() { held = nil }
}

extension AccessibilityLink {
    /// Records that a window has lost the focus. Call it after handling the keys that the window received before.
    package func focusWasLost() { readerWait.focusWasLost() }

    /// Returns the form in which screen readers may see a key of a secure view: the key itself if it types nothing or
    /// is a screen reader's command, else a bullet. Without the bullet, screen readers would attribute the effect of
    /// this key to the previous one.
    package func hidden(_ key: KeyEvent) -> KeyEvent {
        if Self.typesNothing(key.keysym) || readerWait.expectsCommand { return key }
        return KeyEvent(phase: key.phase, keysym: 0x0100_2022, characters: "•", timestamp: key.timestamp)
    }

    /// Whether a key never types a visible character, nor a part of one. Screen readers may see such a key of a
    /// secure view.
    static func typesNothing(_ keysym: Keysym) -> Bool {
        if keysym.isModifier { return true }
        switch keysym.rawValue {
        // BackSpace, Tab, Shift+Tab, Return, Escape, Delete; the cursor keys; Insert and Menu.
        case 0xff08, 0xff09, 0xfe20, 0xff0d, 0xff1b, 0xffff, 0xff50...0xff58, 0xff63, 0xff67: return true
        // Enter, the cursor keys, Insert and Delete of the keypad; the function keys.
        case 0xff8d, 0xff95...0xff9f, 0xffbe...0xffe0: return true
        default: return false
        }
    }

    /// The time, in milliseconds, for which the screen readers can still answer a key that the program does not hold
    /// back for them.
    private static let longestWait: Int64 = 10_000
    /// The largest number of keys that screen readers have not answered yet. While there are so many, further keys
    /// are not shown to screen readers.
    private static let mostUnanswered = 64

    /// Whether keys are to be shown to screen readers before the program handles them.
    package var wantsKeys: Bool {
        state == .registered && server.tree.isReporting && unanswered < Self.mostUnanswered
    }

    /// Shows a key to the screen readers. The handler is called exactly once, at the latest when the key's wait is
    /// over. It receives whether a screen reader has consumed the key.
    ///
    /// After a key that was not answered in time, keys do not wait: the handler receives false at once. Keys wait
    /// again as soon as one is answered. All keys are shown, because screen readers speak differently without them.
    package func show(_ key: KeyEvent, then handler: @escaping (Bool) -> Void) {
        let waits = !isLate
        let readerWait = readerWait.wait(for: key)
        let sent = ask(
            Self.registry, path: "/org/a11y/atspi/registry/deviceeventcontroller",
            interface: "org.a11y.atspi.DeviceEventController", member: "NotifyListenersSync", [KeyNotice(key).value],
            timeout: waits ? readerWait : Self.longestWait
        ) { [weak self] answer in
            self?.unanswered -= 1
            if case .failure(.timedOut) = answer { self?.isLate = true } else { self?.isLate = false }
            if waits { handler((try? answer.get())?.first == .boolean(true)) }
        }
        if sent { unanswered += 1 }
        if !sent || !waits { handler(false) }
    }
}

public import InkstoneBase

/// The keysyms of keys that bindings use, by X11's names (`<X11/keysymdef.h>`).
extension Keysym {
    /// The BackSpace key.
    public static let backSpace: Keysym = 0xff08
    /// The Tab key.
    public static let tab: Keysym = 0xff09
    /// The Tab key with Shift (`ISO_Left_Tab`).
    public static let leftTab: Keysym = 0xfe20
    /// The Return key.
    public static let `return`: Keysym = 0xff0d
    /// The Escape key.
    public static let escape: Keysym = 0xff1b
    /// The Delete key, which deletes forwards.
    public static let delete: Keysym = 0xffff
    /// The Home key.
    public static let home: Keysym = 0xff50
    /// The left arrow key.
    public static let left: Keysym = 0xff51
    /// The up arrow key.
    public static let up: Keysym = 0xff52
    /// The right arrow key.
    public static let right: Keysym = 0xff53
    /// The down arrow key.
    public static let down: Keysym = 0xff54
    /// The Page Up key (`Prior`).
    public static let pageUp: Keysym = 0xff55
    /// The Page Down key (`Next`).
    public static let pageDown: Keysym = 0xff56
    /// The End key.
    public static let end: Keysym = 0xff57
    /// The Insert key.
    public static let insert: Keysym = 0xff63
    /// The Menu key, which opens a context menu.
    public static let menu: Keysym = 0xff67
    /// The space bar.
    public static let space: Keysym = 0x20

    /// Creates the keysym of a character. For Latin-1 it is the character's own code, for others X11's Unicode
    /// keysym.
    public init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x20...0x7e, 0xa0...0xff: self.init(rawValue: scalar.value)
        default: self.init(rawValue: 0x0100_0000 | scalar.value)
        }
    }
}

/// The names and the normalisation of keysyms.
enum KeysymNames {
    private static let named: [(String, Keysym)] = [
        ("BackSpace", .backSpace), ("Tab", .tab), ("Return", .return), ("Escape", .escape), ("Delete", .delete),
        ("Home", .home), ("Left", .left), ("Up", .up), ("Right", .right), ("Down", .down),
        ("PageUp", .pageUp), ("PageDown", .pageDown), ("End", .end), ("Insert", .insert), ("Menu", .menu),
        ("space", .space), ("Pause", 0xff13), ("Print", 0xff61), ("Undo", 0xff65), ("Redo", 0xff66),
        ("Find", 0xff68), ("Cancel", 0xff69), ("Help", 0xff6a), ("XF86Copy", 0x1008_ff57),
        ("XF86Cut", 0x1008_ff58), ("XF86Paste", 0x1008_ff6d),
        ("plus", 0x2b), ("minus", 0x2d), ("comma", 0x2c), ("period", 0x2e), ("slash", 0x2f), ("equal", 0x3d),
        ("semicolon", 0x3b), ("colon", 0x3a), ("less", 0x3c), ("greater", 0x3e), ("question", 0x3f), ("at", 0x40),
        ("underscore", 0x5f), ("numbersign", 0x23), ("bracketleft", 0x5b), ("bracketright", 0x5d),
        ("backslash", 0x5c), ("grave", 0x60), ("apostrophe", 0x27), ("quotedbl", 0x22), ("asciitilde", 0x7e),
        ("bar", 0x7c), ("ampersand", 0x26), ("asterisk", 0x2a), ("percent", 0x25), ("dollar", 0x24),
        ("exclam", 0x21), ("parenleft", 0x28), ("parenright", 0x29), ("braceleft", 0x7b), ("braceright", 0x7d),
        ("asciicircum", 0x5e),
    ]
    private static let aliases: [String: Keysym] = [
        "prior": .pageUp, "next": .pageDown, "page_up": .pageUp, "page_down": .pageDown, "enter": .return,
        "esc": .escape, "del": .delete, "ins": .insert, "spc": .space, "iso_left_tab": .tab, "backtab": .tab,
    ]
    private static let byName: [String: Keysym] = {
        var table = aliases
        for (name, keysym) in named { table[name.lowercased()] = keysym }
        for number in 1...35 { table["f\(number)"] = Keysym(rawValue: 0xffbd + UInt32(number)) }
        return table
    }()
    private static let byKeysym: [Keysym: String] = {
        var table: [Keysym: String] = [:]
        for (name, keysym) in named { table[keysym] = name }
        for number in 1...35 { table[Keysym(rawValue: 0xffbd + UInt32(number))] = "F\(number)" }
        return table
    }()

    /// Returns the keysym of a name, or of a single character; nil if there is none.
    static func keysym(named name: String) -> Keysym? {
        if name.unicodeScalars.count == 1, let scalar = name.unicodeScalars.first, scalar.value > 0x20 {
            return Keysym(scalar)
        }
        if let keysym = byName[name.lowercased()] { return keysym }
        guard name.first == "U", let value = UInt32(name.dropFirst(), radix: 16),
            let scalar = Unicode.Scalar(value)
        else { return nil }
        return Keysym(scalar)
    }

    /// Returns a name that ``keysym(named:)`` can parse. If the keysym has neither a known name nor a character,
    /// returns its number in hexadecimal, which cannot be parsed.
    static func name(of keysym: Keysym) -> String {
        if let name = byKeysym[keysym] { return name }
        if let scalar = scalar(of: keysym), scalar.value > 0x20 {
            let character = String(Character(scalar))
            return isLetter(keysym) ? character.uppercased() : character
        }
        return "0x" + String(keysym.rawValue, radix: 16)
    }

    /// Returns the character of a Latin-1 or Unicode keysym; nil for others.
    static func scalar(of keysym: Keysym) -> Unicode.Scalar? {
        switch keysym.rawValue {
        case 0x20...0x7e, 0xa0...0xff: Unicode.Scalar(keysym.rawValue)
        case 0x0100_0000...0x0110_ffff: Unicode.Scalar(keysym.rawValue & 0x00ff_ffff)
        default: nil
        }
    }

    private static func isLetter(_ keysym: Keysym) -> Bool {
        scalar(of: keysym)?.properties.isAlphabetic ?? false
    }

    /// Returns the keysym of the key that a keypad key duplicates. Keypad digits and signs become characters, and
    /// `ISO_Left_Tab` becomes Tab. Any other keysym is returned unchanged.
    static func normalised(_ keysym: Keysym) -> Keysym {
        switch keysym.rawValue {
        case 0xfe20, 0xff89: .tab
        case 0xff8d: .return
        case 0xff80: .space
        case 0xff95: .home
        case 0xff96: .left
        case 0xff97: .up
        case 0xff98: .right
        case 0xff99: .down
        case 0xff9a: .pageUp
        case 0xff9b: .pageDown
        case 0xff9c: .end
        case 0xff9e: .insert
        case 0xff9f: .delete
        case 0xffaa...0xffb9: Keysym(rawValue: keysym.rawValue - 0xff80)  // KP_Multiply…KP_9 are ASCII + 0xff80
        case 0xffbd: 0x3d
        default: keysym
        }
    }

    /// Returns the lower case of a letter. Any other keysym is returned unchanged. Both Latin-1 letters and Unicode
    /// keysyms are converted.
    static func lowercased(_ keysym: Keysym) -> Keysym {
        switch keysym.rawValue {
        case 0x41...0x5a: return Keysym(rawValue: keysym.rawValue + 0x20)
        case 0xc0...0xd6, 0xd8...0xde: return Keysym(rawValue: keysym.rawValue + 0x20)
        case 0x0100_0000...:
            let lower = scalar(of: keysym)?.properties.lowercaseMapping.unicodeScalars
            guard let lower, lower.count == 1, let first = lower.first else { return keysym }
            return Keysym(first)
        default: return keysym
        }
    }

    /// Whether a keysym is a visible character other than a letter. If Shift was held, it was needed to select this
    /// character. So Shift does not count as a modifier of the key.
    static func shiftIsUsedUp(by keysym: Keysym) -> Bool {
        guard let scalar = scalar(of: keysym), scalar.value > 0x20 else { return false }
        return !scalar.properties.isAlphabetic
    }
}

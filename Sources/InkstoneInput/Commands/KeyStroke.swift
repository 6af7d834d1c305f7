public import InkstoneBase

/// A key with its modifiers, as written in bindings: `Ctrl+Shift+Left`.
///
/// Locks and the third-level chooser are ignored. Letters are lower case. With letters and Space, Shift is a
/// modifier. Other visible characters imply Shift (`Ctrl+plus`), so Shift need not be named. Keypad keys count as
/// the keys that they duplicate.
public struct KeyStroke: Hashable, Sendable, CustomStringConvertible {
    /// The keysym of the key, normalised.
    public let keysym: Keysym
    /// The modifiers: Shift, Control, Alt and Super only.
    public let modifiers: KeyModifiers

    /// The modifiers that a stroke may have; any others are ignored.
    private static let counted: KeyModifiers = [.shift, .control, .alt, .super]

    /// Creates a stroke from a keysym and modifiers, which are normalised.
    public init(_ keysym: Keysym, _ modifiers: KeyModifiers = []) {
        let named = KeysymNames.normalised(keysym)
        self.keysym = KeysymNames.lowercased(named)
        var kept = modifiers.intersection(Self.counted)
        if named == .tab, keysym == .leftTab { kept.insert(.shift) }
        self.modifiers = kept
    }

    /// Returns the strokes that a key event may match, the likeliest first. These are the event's keysym; then the
    /// key's keysym in the Latin group of the layout; then both without Shift, if the keysym implies Shift; and,
    /// for a key of the digits' row that is pressed with Shift and a command modifier, its digit.
    package static func candidates(for event: KeyEvent) -> Candidates { Candidates(event) }

    /// The strokes that a key event may match, the likeliest first. This sequence allocates no memory, because it
    /// is used for each key. It contains a stroke twice if two keysyms of the event make the same stroke.
    package struct Candidates: Sequence, IteratorProtocol, Sendable {
        private let keysym: Keysym
        private let latinKeysym: Keysym
        private let modifiers: KeyModifiers
        private let keycode: UInt8
        private var step = 0

        fileprivate init(_ event: KeyEvent) {
            (keysym, latinKeysym, modifiers) = (event.keysym, event.latinKeysym, event.modifiers)
            keycode = event.keycode
        }

        /// Returns the next stroke; nil after the last one.
        package mutating func next() -> KeyStroke? {
            while step < 4 {
                let (isLatin, isShiftUsedUp) = (step & 1 == 1, step >= 2)
                step += 1
                if isLatin, latinKeysym == keysym { continue }
                let keysym = isLatin ? latinKeysym : keysym
                guard isShiftUsedUp else { return KeyStroke(keysym, modifiers) }
                guard modifiers.contains(.shift) else { return nil }
                if KeysymNames.shiftIsUsedUp(by: keysym) {
                    return KeyStroke(keysym, modifiers.subtracting(.shift))
                }
            }
            guard step == 4 else { return nil }
            step += 1
            return digit.map { KeyStroke($0, modifiers) }
        }

        /// The digit of a key in the digits' row, if the key types another symbol with Shift: for example, 5 for the
        /// key with `%`. The digits' row has the same keycodes on all keyboards. Nil for any other key, and unless
        /// Shift and a command modifier are held.
        private var digit: Keysym? {
            guard modifiers.contains(.shift), !modifiers.isDisjoint(with: .commanding), (10...19).contains(keycode),
                KeysymNames.shiftIsUsedUp(by: keysym), !(0x30...0x39).contains(keysym.rawValue)
            else { return nil }
            return Keysym(rawValue: 0x30 + UInt32(keycode - 9) % 10)
        }
    }

    /// Whether the key types text unless it is bound.
    var isTyped: Bool { modifiers.isDisjoint(with: .commanding) && !keysym.isFunction }

    /// Creates a stroke from its name: modifiers and a key, joined by `+` or `-` (`Ctrl+Shift+Z`, `C-M-Left`,
    /// `Ctrl++`). Nil if a modifier or the key is unknown.
    public init?(_ name: some StringProtocol) {
        var modifiers: KeyModifiers = []
        var rest = Substring(name)
        while let end = rest.dropFirst().firstIndex(where: { $0 == "+" || $0 == "-" }),
            rest.index(after: end) < rest.endIndex
        {
            guard let modifier = Self.modifierNames[rest[..<end].lowercased()] else { return nil }
            modifiers.insert(modifier)
            rest = rest[rest.index(after: end)...]
        }
        guard let keysym = KeysymNames.keysym(named: String(rest)) else { return nil }
        self.init(keysym, modifiers)
    }

    private static let modifierNames: [String: KeyModifiers] = [
        "ctrl": .control, "control": .control, "c": .control, "shift": .shift, "s": .shift, "alt": .alt,
        "meta": .alt, "m": .alt, "a": .alt, "super": .super, "logo": .super, "win": .super,
    ]

    /// The name of the stroke, such as `Ctrl+Shift+Left`. It can be parsed unless the keysym has neither a known
    /// name nor a character.
    public var description: String {
        var parts: [String] = []
        if modifiers.contains(.control) { parts.append("Ctrl") }
        if modifiers.contains(.alt) { parts.append("Alt") }
        if modifiers.contains(.super) { parts.append("Super") }
        if modifiers.contains(.shift) { parts.append("Shift") }
        parts.append(KeysymNames.name(of: keysym))
        return parts.joined(separator: "+")
    }
}

public import InkstoneBase

/// A key with its modifiers, as bindings name it: `Ctrl+Shift+Left`.
///
/// Locks and the third-level chooser do not count. Letters are lower case with Shift as a modifier; of other keys that
/// type something Shift is already part of the symbol (`Ctrl+plus`) and need not be named. Keypad keys count as the keys
/// they stand for.
public struct KeyStroke: Hashable, Sendable, CustomStringConvertible {
    /// The key, normalised.
    public let keysym: Keysym
    /// Shift, Control, Alt and Super only.
    public let modifiers: KeyModifiers

    /// Modifiers that count in a stroke.
    private static let counted: KeyModifiers = [.shift, .control, .alt, .super]

    /// A stroke, normalised.
    public init(_ keysym: Keysym, _ modifiers: KeyModifiers = []) {
        let named = KeysymNames.normalised(keysym)
        self.keysym = KeysymNames.lowercased(named)
        var kept = modifiers.intersection(Self.counted)
        if named == .tab, keysym == .leftTab { kept.insert(.shift) }
        self.modifiers = kept
    }

    /// The strokes that a key event can be taken for, likeliest first: as it is, by its layout's Latin group, and with
    /// Shift used up by the symbol.
    public static func candidates(for event: KeyEvent) -> [KeyStroke] {
        var result = [KeyStroke(event.keysym, event.modifiers)]
        func add(_ stroke: KeyStroke) {
            if !result.contains(stroke) { result.append(stroke) }
        }
        if event.latinKeysym != event.keysym { add(KeyStroke(event.latinKeysym, event.modifiers)) }
        if event.modifiers.contains(.shift) {
            for keysym in [event.keysym, event.latinKeysym] where KeysymNames.shiftIsUsedUp(by: keysym) {
                add(KeyStroke(keysym, event.modifiers.subtracting(.shift)))
            }
        }
        return result
    }

    /// Whether the key types something unless it is bound.
    var isTyped: Bool { modifiers.isDisjoint(with: .commanding) && !keysym.isFunction }

    /// A stroke from its name: modifiers and a key joined by `+` or `-` (`Ctrl+Shift+Z`, `C-M-Left`, `Ctrl++`).
    /// Nil if a modifier or the key is not known.
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

    /// The name, which can be read back: `Ctrl+Shift+Left`.
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

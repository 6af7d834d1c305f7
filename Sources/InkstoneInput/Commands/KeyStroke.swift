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
    public static func candidates(for event: KeyEvent) -> Candidates { Candidates(event) }

    /// The strokes that a key event can be taken for, likeliest first: a sequence that takes no memory, since it is asked for with each
    /// key. Of two keysyms of the event that make the same stroke it has both.
    public struct Candidates: Sequence, IteratorProtocol, Sendable {
        private let keysym: Keysym
        private let latinKeysym: Keysym
        private let modifiers: KeyModifiers
        private var step = 0

        fileprivate init(_ event: KeyEvent) {
            (keysym, latinKeysym, modifiers) = (event.keysym, event.latinKeysym, event.modifiers)
        }

        /// The next stroke.
        public mutating func next() -> KeyStroke? {
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
            return nil
        }
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

import InkstoneBase
import InkstoneInput

extension KeyBindingTable {
    /// Returns the command that is bound to a single key; nil if none or several are.
    package func command(for key: KeyEvent) -> EditCommand? {
        guard mayBegin(with: key) else { return nil }
        for stroke in KeyStroke.candidates(for: key) {
            guard case .commands(let commands) = match([stroke]) else { continue }
            return commands.count == 1 ? commands[0] : nil
        }
        return nil
    }

    /// Whether a key is bound as a later key of some chord. Whether it continues a chord also depends on the keys
    /// before it.
    package func mayGoOn(with key: KeyEvent) -> Bool {
        let strokes = KeyStroke.candidates(for: key)
        return hasChords && bindings.contains { $0.strokes.dropFirst().contains(where: strokes.contains) }
    }
}

extension KeyEvent {
    /// Whether the key cancels: Escape without modifiers, or the key that a table binds to `cancelOperation`.
    package func isCancel(in table: KeyBindingTable) -> Bool {
        guard keysym == .escape else { return table.command(for: self) == .cancelOperation }
        return modifiers.isDisjoint(with: KeyModifiers.commanding.union(.shift))
    }
}

extension Keysym {
    /// The ASCII character of a keysym; nil for other keysyms. Matching by this character keeps shortcuts the same on
    /// all layouts.
    package var character: Character? {
        (0x20...0x7e).contains(rawValue) ? Unicode.Scalar(rawValue).map(Character.init) : nil
    }
}

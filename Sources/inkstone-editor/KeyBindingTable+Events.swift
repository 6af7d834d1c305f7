import Inkstone

extension KeyBindingTable {
    /// The command that a key alone is bound to, if it is one; nil for several and for none.
    func command(for key: KeyEvent) -> EditCommand? {
        guard mayBegin(with: key) else { return nil }
        for stroke in KeyStroke.candidates(for: key) {
            guard case .commands(let commands) = match([stroke]) else { continue }
            return commands.count == 1 ? commands[0] : nil
        }
        return nil
    }

    /// Whether a key may go on with a chord, which is known only when its turn has come.
    func mayGoOn(with key: KeyEvent) -> Bool {
        let strokes = KeyStroke.candidates(for: key)
        return hasChords && bindings.contains { $0.strokes.dropFirst().contains(where: strokes.contains) }
    }
}

extension KeyEvent {
    /// Whether it gives up what is going on: Escape, or what a table has for that.
    func isCancel(in table: KeyBindingTable) -> Bool {
        guard keysym == .escape else { return table.command(for: self) == .cancelOperation }
        return modifiers.isDisjoint(with: KeyModifiers.commanding.union(.shift))
    }
}

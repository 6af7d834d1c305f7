import InkstoneBase
public import InkstoneInput
import InkstoneWords

extension KeyStroke {
    /// Returns the keyboard's name, in the program's language, for a modifier or key of ``description``; a name that all keyboards share is
    /// returned unchanged.
    public static func keyboardName(_ name: String) -> String {
        switch name {
        case "Ctrl": localized("Ctrl")
        case "Shift": localized("Shift")
        case "BackSpace": localized("Backspace")
        case "Return": localized("Enter")
        case "Escape": localized("Escape")
        case "Delete": localized("Delete")
        case "Insert": localized("Insert")
        case "Home": localized("Home")
        case "End": localized("End")
        case "PageUp": localized("PageUp")
        case "PageDown": localized("PageDown")
        case "Left": localized("Left")
        case "Right": localized("Right")
        case "Up": localized("Up")
        case "Down": localized("Down")
        case "Menu": localized("Menu")
        case "space": localized("Space")
        default: name
        }
    }
}

extension KeyStroke {
    /// The stroke in the keyboard's names, in the program's language: `Ctrl+]` for `Ctrl+bracketright`. Letters are upper case, and signs stand for
    /// themselves, except for the minus sign, which is longer than the hyphen of its key.
    public var keyboardText: String {
        var parts = description.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        let last = parts.count - 1
        let value = keysym.rawValue
        if 0x21...0x7e ~= value, let scalar = Unicode.Scalar(value) {
            parts[last] = value == 0x2d ? "−" : String(scalar).uppercased()
        } else {
            parts[last] = parts[last].count == 1 ? parts[last].uppercased() : Self.keyboardName(parts[last])
        }
        return (parts.dropLast().map(Self.keyboardName) + [parts[last]]).joined(separator: "+")
    }
}

extension KeyBindingTable {
    /// Returns the key of a command in menu notation, such as `Ctrl+C`, among the keys that perform this command alone: preferably one with a
    /// letter, else the shortest; empty if there is none.
    public func shortcutText(of command: EditCommand) -> String {
        func rank(_ binding: KeyBinding) -> (Int, Int) {
            let names = binding.strokes.map(\.keyboardText)
            let isSign = names.last.map { $0.last == "+" || $0.split(separator: "+").last?.count == 1 } ?? false
            return (isSign ? 0 : 1, names.joined(separator: " ").count)
        }
        return bindings.filter { $0.commands == [command] }.min { rank($0) < rank($1) }?
            .strokes.map(\.keyboardText).joined(separator: " ") ?? ""
    }
}

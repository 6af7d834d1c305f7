import InkstoneBase
public import InkstoneInput
import InkstoneWords

extension KeyStroke {
    /// Returns the name of a modifier or key as it is printed on keyboards, in the program's language. `name` is the
    /// name that the ``description`` of a stroke has, such as `BackSpace`; other names are returned unchanged.
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
    /// The stroke as printed on keyboards, in the program's language: `Ctrl+]` for `Ctrl+bracketright`. Letters are
    /// upper case. Punctuation stands for itself, except that the hyphen key is shown as a minus sign.
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
    /// Returns the keyboard shortcut of a command in menu notation, such as `Ctrl+C`; empty if there is none. Of
    /// the shortcuts that perform this command alone, one with a letter or sign is preferred, and then the
    /// shortest.
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

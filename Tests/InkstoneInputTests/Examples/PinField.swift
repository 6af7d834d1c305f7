import InkstoneInput

/// Example: all that a view of digits needs to be typed into. It gets plain keys and never an input method.
final class PinField: KeyInput, Responder {
    private(set) var digits = ""
    var hasText: Bool { !digits.isEmpty }
    func insertText(_ text: String) { digits += text.filter(\.isNumber) }
    func deleteBackward() { _ = digits.popLast() }
    var canBecomeFirstResponder: Bool { true }
}

import InkstoneInput

/// Example: the minimum for a view of digits to be typed into. It receives plain keys without an input method.
final class PinField: KeyInput, Responder {
    private(set) var digits = ""
    var hasText: Bool { !digits.isEmpty }
    func insertText(_ text: String) { digits += text.filter(\.isNumber) }
    func deleteBackward() { _ = digits.popLast() }
    var canBecomeFirstResponder: Bool { true }
}

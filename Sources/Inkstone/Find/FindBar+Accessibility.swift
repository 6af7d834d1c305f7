import InkstoneAccessibility
import InkstoneBase
import InkstoneInput
import InkstoneView
import InkstoneWords

extension FindBar {
    /// The fields, buttons and message of the bar; empty while it is closed.
    public var accessibleParts: [AccessiblePart] {
        guard isOpen, let fields else { return [] }
        var parts = [AccessiblePart(fields.find, name: FindWords.findTitle)]
        if fields.replace.frame.minX >= 0 { parts.append(AccessiblePart(fields.replace, name: FindWords.replaceWith)) }
        for button in buttons {
            guard let place = button.frame else { continue }
            let action = button.action
            let kind: AccessiblePart.Kind = action.isSwitch ? .toggle(isOn: button.isOn) : .button
            parts.append(
                AccessiblePart(kind, name: action.words, frame: place) { [weak self] in self?.press(action) })
        }
        if !message.isEmpty { parts.append(AccessiblePart(.label, name: message, frame: frame)) }
        return [AccessiblePart(.group, name: FindWords.findTitle, frame: frame, parts: parts)]
    }
}

extension FindBarLayout.Action {
    /// Whether the button toggles an option.
    var isSwitch: Bool { self == .ignoreCase || self == .wholeWords || self == .expression }

    /// The name of a button that shows a symbol.
    var words: String {
        switch self {
        case .ignoreCase: FindWords.matchCase
        case .wholeWords: FindWords.wholeWords
        case .expression: FindWords.regularExpression
        case .previous: FindWords.previousMatch
        case .next: FindWords.nextMatch
        case .close: FindWords.close
        case .replace: FindWords.replaceTitle
        case .replaceAll: FindWords.replaceAll
        case .replaceInSelection: FindWords.replaceAllInSelection
        }
    }

    /// The key with the same action as the button.
    private var key: KeyStroke {
        switch self {
        case .ignoreCase: KeyStroke(Keysym("c"), .alt)
        case .wholeWords: KeyStroke(Keysym("w"), .alt)
        case .expression: KeyStroke(Keysym("r"), .alt)
        case .previous: KeyStroke(.return, .shift)
        case .next, .replace: KeyStroke(.return)
        case .close: KeyStroke(.escape)
        case .replaceAll: KeyStroke(.return, .control)
        case .replaceInSelection: KeyStroke(.return, [.control, .shift])
        }
    }

    /// The name of the button, and the key with the same action.
    package var hint: String { localized("\(words) (\(key.keyboardText))") }
}

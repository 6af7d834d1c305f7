import Inkstone

/// The parts of the status line for assistive technology.
extension StatusLine {
    var accessibleParts: [AccessiblePart] {
        let texts = content.message.map { [$0] } ?? (content.left + content.right).map(\.text)
        let words = (texts + [content.detail ?? ""]).filter { !$0.isEmpty }.joined(separator: ". ")
        var buttons: [AccessiblePart] = []
        if content.hasMenu {
            let corner = menuButton.origin
            buttons.append(
                AccessiblePart(.button, name: Words.menu, frame: menuButton) { [weak self] in self?.onMenu?(corner) })
        }
        for place in shownParts where place.part.isButton {
            buttons.append(
                AccessiblePart(.button, name: place.text, frame: place.frame) { [weak self] in
                    guard let self, shownParts.contains(where: { $0.part == place.part }) else { return }
                    onPart?(place.part, place.frame, place.frame.origin)
                })
        }
        // A screen reader may press a button when another question is shown already: remember the question of the
        // buttons, to check for that.
        let (question, answers) = (content.message, content.answers)
        buttons += answers.enumerated().map { index, answer in
            AccessiblePart(.button, name: answer, frame: answerFrame(index)) { [weak self] in
                guard let self, content.message == question, content.answers == answers else { return }
                onAnswer?(index)
            }
        }
        return [AccessiblePart(content.answers.isEmpty ? .status : .alert, name: words, frame: frame, parts: buttons)]
    }
}

extension OfferBar {
    var accessibleParts: [AccessiblePart] {
        guard let offer else { return [] }
        let buttons = offer.answers.enumerated().map { index, answer in
            AccessiblePart(.button, name: answer.label, frame: answerFrame(index)) { [weak self] in
                if let self, self.offer?.text == offer.text { press(index) }
            }
        }
        return [AccessiblePart(.group, name: offer.text, frame: frame, parts: buttons)]
    }
}

extension FindBar {
    var accessibleParts: [AccessiblePart] {
        guard isOpen, let fields else { return [] }
        var parts = [AccessiblePart(fields.find, name: Words.findTitle)]
        if fields.replace.frame.minX >= 0 { parts.append(AccessiblePart(fields.replace, name: Words.replaceWith)) }
        for button in buttons {
            guard let place = button.frame else { continue }
            let action = button.action
            let kind: AccessiblePart.Kind = action.isSwitch ? .toggle(isOn: button.isOn) : .button
            parts.append(
                AccessiblePart(kind, name: action.words, frame: place) { [weak self] in self?.press(action) })
        }
        if !message.isEmpty { parts.append(AccessiblePart(.label, name: message, frame: frame)) }
        return [AccessiblePart(.group, name: Words.findTitle, frame: frame, parts: parts)]
    }
}

extension FindBarLayout.Action {
    /// Whether the button toggles an option.
    var isSwitch: Bool { self == .ignoreCase || self == .wholeWords || self == .expression }

    /// The name of a button that shows a symbol.
    var words: String {
        switch self {
        case .ignoreCase: Words.matchCase
        case .wholeWords: Words.wholeWords
        case .expression: Words.regularExpression
        case .previous: Words.previousMatch
        case .next: Words.nextMatch
        case .close: Words.close
        case .replace: Words.replaceTitle
        case .replaceAll: Words.replaceAll
        case .replaceInSelection: Words.replaceAllInSelection
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
    var hint: String { Words.hint(words, key: key.keyboardText) }
}

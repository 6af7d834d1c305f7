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

import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Web and mail addresses that become links when a space or Return is typed after them.
extension EditorState {
    /// Makes a link of the address before the space that has just been typed. The transaction is an undo step of
    /// its own: undo leaves the address as plain text. Nil if there is no address, if it is a link already, in code
    /// and HTML, or in a view that does not make links.
    func linkingAddressBeforeSpace() -> Transaction? {
        guard let caret = linkingCaret, caret > 0, string(in: (caret - 1)..<caret) == " " else { return nil }
        return linkingAddress(endingAt: caret - 1)
    }

    /// Makes a link of the address before the line end that Return has just inserted before the caret. Indentation
    /// may follow the line end. Nil if the change has inserted no line end (Return in an empty item, for example,
    /// only leaves the list), if there is no address before the line end, if it is a link already, in code and HTML,
    /// or in a view that does not make links.
    func linkingAddress(beforeLineEndOf made: AppliedTransaction) -> Transaction? {
        guard let caret = linkingCaret,
            let start = made.changes.changeMap.first(where: { $0.newRange.upperBound >= caret })?.newRange.lowerBound,
            start < caret
        else { return nil }
        let typed = string(in: start..<caret)
        guard let lineEnd = typed.lastIndex(where: \.isNewline) else { return nil }
        return linkingAddress(endingAt: start + typed[..<lineEnd].utf16.count)
    }

    /// The caret, if a typed address may end before it. Nil if the view does not make links, if the text cannot be
    /// edited, during a composition, or if there is not exactly one caret.
    private var linkingCaret: UTF16Offset? {
        guard options.makesLinks, options.takesStyles, options.isEditable, composition == nil,
            let selection, selection.count == 1, selection.isCaret
        else { return nil }
        return selection.primary.head
    }

    private func linkingAddress(endingAt end: UTF16Offset) -> Transaction? {
        let content = contentOfParagraph(at: end)
        let typed = string(in: max(content.lowerBound, end - Self.longestAddress)..<end)
        // Compute the start from the length of the string: at its start, a surrogate pair is included as a whole.
        let start = end - typed.utf16.count
        let word = typed.lastIndex(where: \.isWhitespace).map { typed[typed.index(after: $0)...] } ?? typed[...]
        // Ignore a word whose start was not read because the word is too long. The part that was read might be
        // another address.
        guard word.startIndex > typed.startIndex || start == content.lowerBound,
            let address = Self.withoutPunctuation(word.drop { "([{<\"'“‘«".contains($0) }).address
        else { return nil }
        let low = start + typed[..<address.startIndex].utf16.count
        let range = low..<low + address.utf16.count
        guard styledText.attributes(in: range).allSatisfy({ Self.takesLink($0.attributes) }) else { return nil }
        var result = transaction(TextChangeSet(none: text), origin: .styling, undo: .step, selection: .mapped)
        var restyling = Restyling()
        restyling.set(String(address), of: LinkAttribute.self, in: range)
        result.restyling = restyling
        return result
    }

    /// Whether text may become a link: it is not a link already, and neither code nor HTML.
    private static func takesLink(_ attributes: TextAttributes) -> Bool {
        guard attributes[LinkAttribute.self] == nil else { return false }
        if let roles = attributes[InlinePresentationIntentAttribute.self],
            !roles.isDisjoint(with: [.code, .inlineHTML, .blockHTML])
        {
            return false
        }
        return attributes[PresentationIntentAttribute.self]?.components.contains {
            if case .codeBlock = $0.kind { true } else { false }
        } != true
    }

    /// The length of the text before a caret that is searched for an address, in UTF-16 units. A longer address does
    /// not become a link.
    private static let longestAddress = 2048

    /// Returns an address without the punctuation or closing bracket after it.
    static func withoutPunctuation(_ word: Substring) -> Substring {
        var word = word
        while let last = word.last {
            let isOpen = last == ")" && word.count { $0 == ")" } <= word.count { $0 == "(" }
            guard ".,;:!?\"'”’»>]})".contains(last), !isOpen else { return word }
            word.removeLast()
        }
        return word
    }
}

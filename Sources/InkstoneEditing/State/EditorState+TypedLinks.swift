import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Addresses that become links once a space or Return is typed behind them.
extension EditorState {
    /// Makes a link of the address before the space or line end that has just been typed, as a step of its own: taking it back leaves the
    /// address as text. Nil where there is none, or one that is a link, and in a view that makes no links.
    func linkingTypedAddress() -> Transaction? {
        guard options.makesLinks, options.takesStyles, options.isEditable, composition == nil,
            let selection, selection.count == 1, selection.isCaret
        else { return nil }
        let caret = selection.primary.head
        var paragraph = text.paragraphIndex(at: caret)
        var content = text.utf16ContentRange(of: paragraph)
        let end: UTF16Offset
        if caret == content.lowerBound {
            guard paragraph.value > 0 else { return nil }
            paragraph = ParagraphIndex(paragraph.value - 1)
            content = text.utf16ContentRange(of: paragraph)
            end = content.upperBound
        } else {
            end = caret - 1
            guard string(in: end..<caret) == " " else { return nil }
        }
        let start = max(content.lowerBound, end - Self.longestAddress)
        let typed = string(in: start..<end)
        let word = typed.lastIndex(where: \.isWhitespace).map { typed[typed.index(after: $0)...] } ?? typed[...]
        // Of a word that is too long a part leads elsewhere.
        guard word.startIndex > typed.startIndex || start == content.lowerBound,
            let address = Self.withoutPunctuation(word.drop { "([{<\"'“‘«".contains($0) }).address
        else { return nil }
        let low = start + typed[..<address.startIndex].utf16.count
        let range = low..<low + address.utf16.count
        guard
            styledText.attributes(in: range).allSatisfy({
                $0.attributes[LinkAttribute.self] == nil && !$0.attributes.hasRole(.code)
            })
        else { return nil }
        var result = transaction(TextChangeSet(none: text), origin: .styling, undo: .step, selection: .mapped)
        var restyling = Restyling()
        restyling.set(String(address), of: LinkAttribute.self, in: range)
        result.restyling = restyling
        return result
    }

    /// UTF-16 units before a caret that an address is looked for in.
    private static let longestAddress = 2048

    /// An address without what ends the sentence or the bracket that it stands in.
    private static func withoutPunctuation(_ word: Substring) -> Substring {
        var word = word
        while let last = word.last {
            let isOpen = last == ")" && word.count { $0 == ")" } <= word.count { $0 == "(" }
            guard ".,;:!?\"'”’»>]})".contains(last), !isOpen else { return word }
            word.removeLast()
        }
        return word
    }
}

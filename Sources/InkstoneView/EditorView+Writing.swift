import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// What the keys of Emacs and of shells do beyond moving and deleting: a mark, letters and words exchanged, letters in
/// another case.
extension EditorView {
    static let writingActions: [EditCommand: @Sendable (EditorView) -> Void] = [
        .setMark: { $0.mark = $0.store.makeAnchor(at: $0.primary.head) },
        .selectToMark: { $0.selectToMark() },
        .swapWithMark: { $0.swapWithMark() },
        .deleteToMark: { $0.deleteToMark() },
        .deleteBackwardByDecomposingPreviousCharacter: { $0.deleteScalarBackward() },
        .transpose: { $0.transposeCharacters() },
        .transposeWords: { $0.transposeWords() },
        .uppercaseWord: { view in view.rewriteWord { $0.uppercased() } },
        .lowercaseWord: { view in view.rewriteWord { $0.lowercased() } },
        .capitalizeWord: { view in view.rewriteWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() } },
    ]

    // MARK: Mark

    private func selectToMark() {
        guard primary.isCaret, let mark else { return }
        select(Selection(anchor: mark.offset, head: primary.head))
    }

    private func swapWithMark() {
        guard let mark else { return }
        let place = mark.offset
        self.mark = store.makeAnchor(at: primary.head)
        select(Selection(caret: place))
    }

    private func deleteToMark() {
        guard let place = mark?.offset else { return }
        kill(
            min(place, primary.head)..<max(place, primary.head),
            from: place < primary.head ? .backward : .forward)
    }

    // MARK: Letters and words

    /// Takes the last scalar of the cluster before the caret: the accent off a letter, a member of an emoji family.
    private func deleteScalarBackward() {
        guard primary.isCaret else { return delete(to: primary.head) }
        let cluster = store.text.graphemeBoundary(before: primary.head)..<primary.head
        guard let last = string(in: cluster).unicodeScalars.last else { return }
        userReplace((primary.head - last.utf16.count)..<primary.head, with: "", kind: .deleting)
    }

    /// The clusters around the caret change places, at the end of a paragraph the two before it; the caret goes on.
    private func transposeCharacters() {
        guard primary.isCaret else { return }
        var middle = primary.head
        let paragraph = layout.paragraphStart(primary.place).offset...layout.paragraphEnd(primary.place).offset
        if middle == paragraph.upperBound { middle = store.text.graphemeBoundary(before: middle) }
        guard middle > paragraph.lowerBound, middle < paragraph.upperBound else { return }
        let first = store.text.graphemeBoundary(before: middle)..<middle
        let second = middle..<store.text.graphemeBoundary(after: middle)
        exchange(first, second)
    }

    /// The word that the caret is in or behind and the next one change places; the caret goes behind both.
    private func transposeWords() {
        guard primary.isCaret else { return }
        let secondEnd = geometry.wordEnd(after: primary.place)
        let secondStart = geometry.wordStart(before: secondEnd)
        let firstStart = geometry.wordStart(before: secondStart)
        let firstEnd = geometry.wordEnd(after: firstStart)
        let first = firstStart.offset..<firstEnd.offset
        let second = secondStart.offset..<secondEnd.offset
        guard first.upperBound <= second.lowerBound, !first.isEmpty, !second.isEmpty else { return }
        exchange(first, second)
    }

    /// As one edit, so that it is one step of undo.
    private func exchange(_ first: Range<UTF16Offset>, _ second: Range<UTF16Offset>) {
        let whole = first.lowerBound..<second.upperBound
        guard isValid(in: whole) else { return }
        let between = string(in: first.upperBound..<second.lowerBound)
        userReplace(whole, with: string(in: second) + between + string(in: first), kind: .other)
    }

    /// Whether all bytes there are valid: a string cannot hold others, and they are to stay as they are.
    private func isValid(in range: Range<UTF16Offset>) -> Bool {
        string(in: range).utf8.elementsEqual(store.text.bytes(in: store.text.byteRange(of: range)))
    }

    /// Rewrites each selected word, or the rest of the word at or behind the caret, which goes behind it.
    private func rewriteWord(_ rewrite: (String) -> String) {
        var range = primary.range
        if primary.isCaret { range = primary.head..<geometry.wordEnd(after: primary.place).offset }
        guard isValid(in: range) else { return }
        let text = string(in: range)
        var result = ""
        var word = ""
        for character in text {
            if character.isLetter || character.isNumber || word.last?.isLetter == true && character == "'" {
                word.append(character)
            } else {
                result += rewrite(word)
                word = ""
                result.append(character)
            }
        }
        result += rewrite(word)
        guard result != text else { return select(Selection(caret: range.upperBound)) }
        userReplace(range, with: result, kind: .other)
    }
}

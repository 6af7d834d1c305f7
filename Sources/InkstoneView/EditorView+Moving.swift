import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorSelection {
    /// The moving end as layout's navigation takes it.
    var place: CaretPlace { CaretPlace(head, affinity: affinity, goalX: goalX) }
}

extension EditorView {
    /// Moves the caret, or with `extending` only the selection's moving end. The composition ends first.
    func move(extending: Bool, _ target: (CaretPlace) -> CaretPlace) {
        endComposition()
        store.breakUndoCoalescing()
        let target = target(selection.place)
        var new = EditorSelection(
            anchor: extending ? selection.anchor : target.offset, head: target.offset, affinity: target.affinity)
        new.goalX = target.goalX
        select(new)
    }

    /// One place to the left or right as it looks on the screen; without `extending` a selection collapses to its end.
    func moveVisually(_ direction: TextLayoutDirection, extending: Bool) {
        move(extending: extending) { place in
            guard extending || selection.isCaret else {
                let isLeft = (direction == .left) != layout.isParagraphRightToLeft(at: selection.head)
                return CaretPlace(isLeft ? selection.range.lowerBound : selection.range.upperBound)
            }
            return layout.moveVisually(place, toRight: direction == .right)
        }
    }

    /// One grapheme cluster on or back in the text's order.
    func moveLogically(_ direction: TextStorageDirection, extending: Bool) {
        move(extending: extending) { layout.moveLogically($0, forward: direction == .forward) }
    }

    /// `lines` visual lines down (up if negative), keeping the column.
    func moveVertically(lines: Int, extending: Bool) {
        move(extending: extending) { layout.moveVertically($0, lines: lines) }
    }

    /// About a view's height down (1) or up (-1), keeping the column; the view scrolls as far.
    func movePage(_ direction: Int, extending: Bool) {
        let lines = max(1, Int(pageStep / lineStep))
        scroll(by: Double(direction * lines) * lineStep)
        moveVertically(lines: direction * lines, extending: extending)
    }

    /// To the start or end of the visual line.
    func moveToLineEnd(_ direction: TextStorageDirection, extending: Bool) {
        move(extending: extending) { direction == .forward ? layout.lineEnd($0) : layout.lineStart($0) }
    }

    /// To the start or end of the paragraph.
    func moveToParagraphEnd(_ direction: TextStorageDirection, extending: Bool) {
        move(extending: extending) { direction == .forward ? layout.paragraphEnd($0) : layout.paragraphStart($0) }
    }

    /// To the end of this paragraph or, at it, of the next; back likewise to a start.
    func moveByParagraph(_ direction: TextStorageDirection, extending: Bool) {
        move(extending: extending) { place in
            let isForward = direction == .forward
            let here = isForward ? layout.paragraphEnd(place) : layout.paragraphStart(place)
            guard here.offset == place.offset else { return here }
            let beyond = CaretPlace(
                isForward
                    ? store.text.graphemeBoundary(after: place.offset)
                    : store.text.graphemeBoundary(before: place.offset))
            return isForward ? layout.paragraphEnd(beyond) : layout.paragraphStart(beyond)
        }
    }

    /// To the start or end of the text.
    func moveToDocumentEnd(_ direction: TextStorageDirection, extending: Bool) {
        move(extending: extending) { _ in direction == .forward ? layout.documentEnd : layout.documentStart }
    }

    /// To the next end of a word, or back to the start of one, in the text's order.
    func moveByWord(_ direction: TextStorageDirection, extending: Bool) {
        move(extending: extending) { direction == .forward ? wordEnd(after: $0) : wordStart(before: $0) }
    }

    /// To the next word on the left or right as it looks on the screen.
    func moveByWordVisually(_ direction: TextLayoutDirection, extending: Bool) {
        let isForward = (direction == .right) != layout.isParagraphRightToLeft(at: selection.head)
        moveByWord(isForward ? .forward : .backward, extending: extending)
    }

    /// The end of the next word, or of the one that a place is in. Secret text is one word, so that nobody learns where
    /// its blanks are.
    func wordEnd(after place: CaretPlace) -> CaretPlace {
        if isSecureTextEntry { return layout.documentEnd }
        return wordStyle == .natural ? layout.wordEnd(after: place) : codeWordBoundary(place, .forward)
    }

    /// The start of the word that a place is in or behind.
    func wordStart(before place: CaretPlace) -> CaretPlace {
        if isSecureTextEntry { return layout.documentStart }
        return wordStyle == .natural ? layout.wordStart(before: place) : codeWordBoundary(place, .backward)
    }

    private func codeWordBoundary(_ place: CaretPlace, _ direction: TextStorageDirection) -> CaretPlace {
        let found = ownTokenizer.position(
            from: position(place.offset), toBoundary: .word, inDirection: .storage(direction))
        guard let found else { return direction == .forward ? layout.documentEnd : layout.documentStart }
        return CaretPlace(store.offset(of: found))
    }

    private func wordRange(at place: CaretPlace) -> Range<UTF16Offset> {
        if isSecureTextEntry { return textRange }
        let side: TextStorageDirection = place.affinity == .upstream ? .backward : .forward
        guard wordStyle == .code,
            let found = ownTokenizer.rangeEnclosingPosition(
                position(place.offset), with: .word, inDirection: .storage(side))
        else { return layout.wordRange(at: place) }
        return offsets(found)
    }

    // MARK: Stretches of text

    /// What the visual line of the caret holds, without a newline at its end.
    var visualLineRange: Range<UTF16Offset> {
        let start = layout.lineStart(selection.place).offset
        return start..<max(start, layout.lineEnd(selection.place).offset)
    }

    /// The stretch of a granularity at a place: what double and triple clicks select.
    func range(of granularity: TextGranularity, at place: CaretPlace) -> Range<UTF16Offset> {
        switch granularity {
        case .word: wordRange(at: place)
        case .sentence: layout.sentenceRange(at: place)
        case .paragraph: layout.paragraphRange(at: place)
        case .line: layout.lineFragment(at: place.offset, affinity: place.affinity).utf16Range
        case .document: textRange
        case .character: place.offset..<place.offset
        }
    }
}

import InkstoneBase
import InkstoneText

/// The moves of the caret, by destination and direction.
///
/// | Destination | forward, backward | left, right | up, down |
/// |---|---|---|---|
/// | character | next cluster in the text | next cluster on the screen | visual line at the goal x |
/// | word | end of a word, start of a word | edge of the next word on the screen | as forward and backward |
/// | sentence | end, start | by the direction of the text at the caret | as forward and backward |
/// | line | end, start of the visual line | edge on the screen | as forward and backward |
/// | paragraph, nextParagraph, document | end, start | by the paragraph's direction | as forward and backward |
/// | page | down, up | by the paragraph's direction | a page at the goal x |
///
/// If a paragraph's first text runs against the paragraph's direction, a caret at the start of its first line has
/// upstream affinity, so that it is shown at the line's edge.
extension TextGeometry {
    /// Returns the position to which a move in a direction takes a caret.
    package func place(
        from place: CaretPlace, _ direction: TextDirection, _ destination: Selection.Destination
    ) -> CaretPlace {
        switch (destination, direction) {
        case (.character, .layout(.up)): return moveVertically(place, lines: -1)
        case (.character, .layout(.down)): return moveVertically(place, lines: 1)
        case (.character, .layout(let side)): return moveVisually(place, toRight: side == .right)
        case (.word, .layout(.left)): return wordEdge(from: place, toRight: false)
        case (.word, .layout(.right)): return wordEdge(from: place, toRight: true)
        case (.line, .layout(.left)): return lineEdge(place, toRight: false)
        case (.line, .layout(.right)): return lineEdge(place, toRight: true)
        default: break
        }
        let isForward: Bool
        switch direction {
        case .storage(let side): isForward = side == .forward
        case .layout(.up): isForward = false
        case .layout(.down): isForward = true
        case .layout(let side):
            let runs =
                destination == .sentence
                ? isRightToLeft(at: place.offset, affinity: place.affinity)
                : isParagraphRightToLeft(at: place.offset)
            isForward = (side == .right) != runs
        }
        switch destination {
        case .character: return moveLogically(place, forward: isForward)
        case .word: return isForward ? wordEnd(after: place) : wordStart(before: place)
        case .sentence: return sentenceEdge(place, isForward)
        case .line: return isForward ? lineEnd(place) : lineStart(place)
        case .paragraph: return isForward ? paragraphEnd(place) : paragraphStart(place)
        case .nextParagraph: return nextParagraphEdge(place, isForward)
        case .page: return moveVertically(place, lines: isForward ? linesPerPage : -linesPerPage)
        case .document: return isForward ? documentEnd : documentStart
        }
    }

    private func sentenceEdge(_ place: CaretPlace, _ isForward: Bool) -> CaretPlace {
        let range = sentenceRange(at: CaretPlace(place.offset))
        if isForward {
            return CaretPlace(
                range.upperBound > place.offset ? range.upperBound : moveLogically(place, forward: true).offset)
        }
        if range.lowerBound < place.offset { return CaretPlace(range.lowerBound) }
        let before = moveLogically(place, forward: false)
        return CaretPlace(min(before.offset, sentenceRange(at: before).lowerBound))
    }

    private func nextParagraphEdge(_ place: CaretPlace, _ isForward: Bool) -> CaretPlace {
        let edge = isForward ? paragraphEnd(place) : paragraphStart(place)
        if edge.offset != place.offset { return edge }
        let beyond = moveLogically(place, forward: isForward)
        return isForward ? paragraphEnd(beyond) : paragraphStart(beyond)
    }

    /// Returns the range after a move; see ``InkstoneText/Selection/moved(_:_:extending:in:)``.
    func moved(
        _ range: SelectionRange, _ direction: TextDirection, _ destination: Selection.Destination, extending: Bool
    ) -> SelectionRange {
        if !extending, !range.isCaret, destination == .character {
            switch direction {
            case .storage(.backward): return SelectionRange(CaretPlace(range.range.lowerBound))
            case .storage(.forward):
                return SelectionRange(canonical(CaretPlace(range.range.upperBound, affinity: .upstream)))
            case .layout(.left): return SelectionRange(edge(of: range, toRight: false))
            case .layout(.right): return SelectionRange(edge(of: range, toRight: true))
            case .layout: break
            }
        }
        return range.moved(to: place(from: range.place, direction, destination), extending: extending)
    }

    // MARK: Drags and deletions

    /// Returns the range selected by a drag from `origin`, the text that was selected when the drag began, to a
    /// position. `origin` stays selected. By units larger than characters, such as the words after a double click, whole
    /// units are added up to the position.
    package func extending(
        _ origin: Range<UTF16Offset>, to place: CaretPlace, by granularity: TextGranularity
    ) -> SelectionRange {
        SelectionRange(
            extending: origin, to: place.offset, affinity: place.affinity, in: range(granularity, enclosing: place),
            by: granularity)
    }

    /// Returns the range that a deletion removes: the selected text or, for a caret, the text between the caret and
    /// the destination of a move.
    package func deletionRange(
        for range: SelectionRange, _ direction: TextDirection, _ destination: Selection.Destination
    ) -> Range<UTF16Offset> {
        guard range.isCaret else { return range.range }
        let other = place(from: range.place, direction, destination).offset
        return min(range.head, other)..<max(range.head, other)
    }
}

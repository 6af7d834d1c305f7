import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Commands that add ranges to the selection, or remove some.
extension EditorState {
    static let caretCommands: [EditCommand: Command] = [
        .addCaretAbove: Command { state, geometry in CommandOutcome(state.addingCaret(below: false, geometry)) },
        .addCaretBelow: Command { state, geometry in CommandOutcome(state.addingCaret(below: true, geometry)) },
        .selectNextMatch: Command { state, geometry in CommandOutcome(state.selectingNextMatch(geometry)) },
        .splitSelectionIntoLines: Command { state, _ in CommandOutcome(state.splittingIntoLines()) },
    ]

    // MARK: Carets above and below

    /// Adds a caret in the paragraph above or below that of the primary caret. The new caret becomes the primary
    /// one. Nil if there is no such paragraph.
    ///
    /// The carets added one after another form a column. The new caret is placed on the same visual line of its
    /// paragraph as the first caret of the column, and at the same x; if the paragraph is too short, at its end. If
    /// the primary caret was added in the opposite direction, the primary caret is removed instead.
    func addingCaret(below: Bool, _ geometry: TextGeometry) -> Transaction? {
        guard let selection else { return nil }
        if let shorter = withoutPrimaryOfColumn(selection, below: below) { return selecting(shorter) }
        let from = selection.primary
        let number = text.paragraphIndex(at: from.head).value + (below ? 1 : -1)
        guard number >= 0, number < text.paragraphCount else { return nil }
        let goal = from.goalX ?? geometry.caretRect(at: from.head, affinity: from.affinity).minX
        let column = selection.ranges.filter { $0.goalX == goal || $0 == from }
        let row = column.map { self.row(of: $0, geometry) }.max() ?? 0
        var kept = from
        kept.goalX = goal
        let added = place(x: goal, row: row, inParagraph: ParagraphIndex(number), geometry)
        let others = selection.ranges.filter { $0 != from }
        return selecting(Selection(others + [kept, SelectionRange(added)]))
    }

    /// Returns the selection without the primary caret, if that is the end of a column of carets that was built in the
    /// opposite direction: upwards if `below` is true, otherwise downwards. Nil if the primary caret does not end such
    /// a column.
    private func withoutPrimaryOfColumn(_ selection: Selection, below: Bool) -> Selection? {
        let index = selection.primaryIndex
        let next = below ? index + 1 : index - 1
        let ranges = selection.ranges
        guard selection.primary.isCaret, let goal = selection.primary.goalX, ranges.indices.contains(next),
            ranges[next].goalX == goal,
            abs(text.paragraphIndex(at: ranges[next].head).value - text.paragraphIndex(at: selection.head).value) == 1
        else { return nil }
        var fewer = ranges
        fewer.remove(at: index)
        return Selection(fewer, primary: below ? index : next)
    }

    /// Returns the number of the visual line that contains a range's head. Counts from 0 within the paragraph, up to
    /// ``greatestRow``.
    private func row(of range: SelectionRange, _ geometry: TextGeometry) -> Int {
        let start = contentOfParagraph(at: range.head).lowerBound
        var place = geometry.lineStart(range.place)
        var row = 0
        while place.offset > start, row < Self.greatestRow {
            place = geometry.lineStart(CaretPlace(place.offset - 1))
            row += 1
        }
        return row
    }

    /// The largest index that ``row(of:_:)`` returns. It is limited because the lines above the caret's line are
    /// counted one by one.
    private static let greatestRow = 1000

    private func place(
        x: Double, row: Int, inParagraph paragraph: ParagraphIndex, _ geometry: TextGeometry
    ) -> CaretPlace {
        let content = text.utf16ContentRange(of: paragraph)
        var line = geometry.lineFragment(at: content.lowerBound)
        for _ in 0..<row {
            let end = line.utf16Range.upperBound
            guard end < content.upperBound else { return CaretPlace(content.upperBound, goalX: x) }
            line = geometry.lineFragment(at: end)
        }
        let caret = geometry.caretRect(at: line.utf16Range.lowerBound)
        let found = geometry.place(closestTo: DocumentPoint(x: x, y: caret.minY + caret.height / 2))
        let offset = min(max(found.offset, content.lowerBound), content.upperBound)
        return CaretPlace(offset, affinity: found.affinity, goalX: x)
    }

    // MARK: Selecting the next match

    /// Selects the word at each caret, if any range is a caret. Otherwise searches forward from the primary range
    /// for its text, and continues from the start of the document. The first match that is not selected yet is
    /// added as the new primary range. Nil if the selection would not change. O(n).
    ///
    /// If the primary range was selected as a word, only whole words match.
    func selectingNextMatch(_ geometry: TextGeometry) -> Transaction? {
        guard let selection else { return nil }
        if selection.ranges.contains(where: \.isCaret) {
            let words = selection.map { range in
                guard range.isCaret else { return range }
                let word = word(at: range.place, geometry)
                return SelectionRange(anchor: word.lowerBound, head: word.upperBound, granularity: .word)
            }
            return words == selection ? nil : selecting(words)
        }
        return selectingNextMatch()
    }

    /// Adds the next match of the primary range's text to the selection, if no range is a caret. Nil if there is no
    /// match. Also nil if `isCancelled` returns true, which is called about every 64 KB of searched text. O(n): for a
    /// large text, call on a background thread.
    package func selectingNextMatch(isCancelled: () -> Bool = { false }) -> Transaction? {
        guard let selection, !selection.ranges.contains(where: \.isCaret) else { return nil }
        let primary = selection.primary
        let wanted = string(in: primary.range)
        guard
            let search = try? TextSearch(
                wanted, matchingWholeWords: primary.granularity == .word)
        else { return nil }
        let start = text.byteRange(of: primary.range)
        func next(from: ByteOffset, before end: ByteOffset) -> Range<UTF16Offset>? {
            var found: Range<UTF16Offset>?
            try? search.forEachMatch(in: text, from..<end, isCancelled: isCancelled) { match, stop in
                let range = text.utf16Range(of: match.range)
                guard !selection.overlaps(range) else { return }
                found = range
                stop = true
            }
            return found
        }
        let end = text.byteRange.upperBound
        guard let found = next(from: start.upperBound, before: end) ?? next(from: 0, before: start.lowerBound),
            !isCancelled()
        else { return nil }
        let isForward = primary.anchor <= primary.head
        return selecting(
            selection.adding(
                SelectionRange(
                    anchor: isForward ? found.lowerBound : found.upperBound,
                    head: isForward ? found.upperBound : found.lowerBound, granularity: primary.granularity)))
    }

    /// Returns the range of the word around a position, or else of the word that ends there. If there is neither,
    /// returns the range of the spaces and signs around the position.
    private func word(at place: CaretPlace, _ geometry: TextGeometry) -> Range<UTF16Offset> {
        let after = geometry.wordRange(at: place)
        let before = geometry.wordRange(at: CaretPlace(place.offset, affinity: .upstream))
        func isWord(_ range: Range<UTF16Offset>) -> Bool { string(in: range).contains { $0.isLetter || $0.isNumber } }
        return !isWord(after) && isWord(before) ? before : after
    }

    // MARK: Splitting into paragraphs

    /// Splits each range into one range for each of its paragraphs. A paragraph at whose start a range ends is not
    /// included, and an empty paragraph gets a caret. Nil if no range has more than one paragraph.
    func splittingIntoLines() -> Transaction? {
        guard let selection else { return nil }
        var ranges: [SelectionRange] = []
        var primary = 0
        for (index, range) in selection.ranges.enumerated() {
            let whole = range.range
            let last = text.paragraphIndex(at: whole.upperBound)
            for number in text.paragraphIndex(at: whole.lowerBound).value...last.value {
                let content = text.utf16ContentRange(of: ParagraphIndex(number))
                if number == last.value, !range.isCaret, content.lowerBound == whole.upperBound { continue }
                let part = content.clamped(to: whole)
                ranges.append(
                    range.anchor <= range.head
                        ? SelectionRange(anchor: part.lowerBound, head: part.upperBound)
                        : SelectionRange(anchor: part.upperBound, head: part.lowerBound))
            }
            if index == selection.primaryIndex { primary = ranges.count - 1 }
        }
        guard ranges.count > selection.count else { return nil }
        return selecting(Selection(ranges, primary: primary), reveal: false)
    }
}

extension Selection {
    /// Whether a range overlaps a selected range. O(log n + k) for n selected ranges, k of them beside the range.
    fileprivate func overlaps(_ range: Range<UTF16Offset>) -> Bool {
        ranges(touching: range).contains { $0.range.overlaps(range) }
    }
}

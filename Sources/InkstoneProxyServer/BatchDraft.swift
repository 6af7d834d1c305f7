import InkstoneBase
import InkstoneEditing
import InkstoneProxy
import InkstoneText

/// The result of a keyboard's batch of operations, computed on a copy of a text: one change, with the new selection
/// and marked text.
///
/// A draft is a value. If an operation fails, discard the draft: the text itself has not changed. Counts of an
/// operation are grapheme clusters, and offsets are UTF-16 units. Both refer to the text that the operations before
/// it have made.
struct BatchDraft {
    private(set) var text: Rope
    /// The change from the text before the batch to the present text of the draft.
    private(set) var changes: TextChangeSet
    private(set) var selection: SelectionRange
    private(set) var marked: Range<UTF16Offset>?
    /// The caret before the preceding operation, if that operation moved the caret forwards; nil otherwise. A deletion
    /// backwards stops at this offset.
    private var passed: UTF16Offset?
    private let newline: String
    /// Whether computing the draft has taken too long, for example because of a long run of regional indicators.
    /// Such a batch must not be applied.
    private(set) var isTooSlow = false
    /// Returns whether the time for computing the draft is over.
    private let isLate: () -> Bool

    /// Creates a draft without changes.
    ///
    /// - Parameters:
    ///   - marked: the range of the text that this keyboard has marked; nil for none.
    ///   - newline: the line end that replaces each newline of inserted text.
    ///   - isLate: returns whether the time for computing the draft is over.
    init(
        _ text: Rope, selection: SelectionRange, marked: Range<UTF16Offset>?, newline: String,
        isLate: @escaping () -> Bool = { false }
    ) {
        self.isLate = isLate
        self.text = text
        self.selection = selection
        self.marked = marked
        self.newline = newline
        changes = TextChangeSet(none: text)
    }

    /// Applies an operation. Returns false if the operation expects another text, if it needs a caret but text is
    /// selected or marked, or if the time was over before. If ``isTooSlow`` is true after the call, discard the draft
    /// even if the result is true.
    mutating func apply(_ operation: ProxyOperation) -> Bool {
        guard !isTimeUp() else { return false }
        let passed = passed
        self.passed = nil
        switch operation {
        case .insert(let new): insert(lines(new))
        case .deleteBackward(let count):
            guard !deleteChosen() else { break }
            let start = offset(from: selection.head, by: -Int(count))
            replace(max(start, passed ?? start)..<selection.head, with: "")
        case .deleteForward(let count):
            guard !deleteChosen() else { break }
            replace(selection.head..<offset(from: selection.head, by: Int(count)), with: "")
        case .adjust(let count): adjust(by: Int(count))
        case .setMarked(let new): mark(new)
        case .unmark: unmark()
        case .replaceBefore(let expected, let new):
            guard isCaret, let range = range(of: expected, endingAt: selection.head) else { return false }
            replace(range, with: lines(new))
        case .replaceSelection(let expected, let new):
            let chosen = chosen
            // Compare the lengths first: the selection may cover a large text.
            guard chosen.upperBound - chosen.lowerBound == expected.utf16.count, isText(chosen, expected) else {
                return false
            }
            insert(lines(new))
        case .replaceAfter(let expected, let new):
            guard isCaret, let range = range(of: expected, startingAt: selection.head) else { return false }
            let caret = selection.head
            replace(range, with: lines(new))
            selection = SelectionRange(caret: caret)
        case .select(let count):
            unmark()
            let caret = selection.range.upperBound
            selection = SelectionRange(anchor: caret, head: offset(from: caret, by: Int(count)))
        }
        return true
    }

    /// Whether nothing is selected or marked.
    private var isCaret: Bool { selection.isCaret && marked == nil }

    /// The selected range. If text is marked, only the part of the selection within the marked text: other input
    /// may have moved the selection out of it.
    private var chosen: Range<UTF16Offset> {
        marked.map { selection.range.clamped(into: $0) } ?? selection.range
    }

    private func lines(_ new: String) -> String {
        newline == "\n" || !new.utf8.contains(UInt8(ascii: "\n"))
            ? new : new.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline)
    }

    /// Replaces the selection. If there is marked text, the new text replaces its selected part (for example an
    /// inline completion). If no part is selected, as in a pending accent, it replaces all of the marked text.
    private mutating func insert(_ new: String) {
        let chosen = chosen
        guard let marked, !chosen.isEmpty else {
            replace(marked ?? selection.range, with: new)
            return
        }
        // Replace all of the marked text, not only its selected part: it becomes ordinary text now, and transaction
        // filters must receive all of it.
        let before = text.string(in: marked.lowerBound..<chosen.lowerBound) + new
        let after = text.string(in: chosen.upperBound..<marked.upperBound)
        let start = replace(marked, with: before + after)
        selection = SelectionRange(caret: start + before.utf16.count)
    }

    /// Deletes the marked text, or else the selected text. Returns false if there is neither.
    private mutating func deleteChosen() -> Bool {
        guard !isCaret else { return false }
        replace(marked ?? selection.range, with: "")
        return true
    }

    private mutating func mark(_ new: ProxyMarkedText) {
        let new = ProxyMarkedText(before: lines(new.before), selected: lines(new.selected), after: lines(new.after))
        let first = (marked ?? selection.range).lowerBound
        let start = replace(marked ?? selection.range, with: new.text)
        guard !new.text.isEmpty else { return }
        // Include in the marked range a character that was inserted to keep the first line end of the new text separate
        // from the text before.
        marked = first..<selection.head
        let selected = start + new.before.utf16.count
        selection = SelectionRange(anchor: selected, head: selected + new.selected.utf16.count)
    }

    /// Turns the marked text into ordinary text, and puts the caret at the end of its selected part.
    private mutating func unmark() {
        guard let marked else { return }
        let caret = selection.range.upperBound
        replace(marked, with: text.string(in: marked), isKept: true)
        selection = SelectionRange(caret: caret)
    }

    private mutating func adjust(by count: Int) {
        unmark()
        guard selection.isCaret || count == 0 else {
            // Collapse a selection first, to its end in the direction of the movement.
            let range = selection.range
            return selection = SelectionRange(caret: count > 0 ? range.upperBound : range.lowerBound)
        }
        let caret = selection.range.lowerBound
        if count > 0 { passed = caret }
        selection = SelectionRange(caret: offset(from: caret, by: count))
    }

    /// Replaces a range. After that no text is marked, and the caret is after the new text. Returns the start of the
    /// new text: the start of the range, or one unit later if a character had to be inserted to keep a line end
    /// separate from the text before.
    ///
    /// - Parameter isKept: whether the new text is the text that the range has already.
    @discardableResult
    private mutating func replace(
        _ range: Range<UTF16Offset>, with given: String, isKept: Bool = false
    ) -> UTF16Offset {
        let new = isKept ? given : text.keepingLineEndsApart(given, replacing: range)
        let start = range.lowerBound + (new.utf8.first == given.utf8.first ? 0 : 1)
        marked = nil
        selection = SelectionRange(caret: range.lowerBound + new.utf16.count)
        guard !range.isEmpty || !new.isEmpty else { return start }
        // Keep the bytes of invalid UTF-8 in a part of the range that the keyboard returns unchanged.
        let content = AdmittedText(new, replacing: range, of: text, newline: nil).content
        let change = TextChangeSet(replacing: range, with: content, in: text)
        text.apply(change)
        changes = changes.composed(with: change)
        return start
    }

    /// Returns the offset that is `count` grapheme clusters away, or the end of the text in that direction. Stops
    /// early if the time is over.
    private mutating func offset(from start: UTF16Offset, by count: Int) -> UTF16Offset {
        var offset = start
        // Check the time before each boundary, because finding one may scan a run of a million scalars.
        for _ in 0..<count.magnitude {
            if isTimeUp() { break }
            let next = count > 0 ? text.graphemeBoundary(after: offset) : text.graphemeBoundary(before: offset)
            if next == offset { break }
            offset = next
        }
        return offset
    }

    /// Returns whether the time for the draft is over; if so, sets ``isTooSlow``.
    private mutating func isTimeUp() -> Bool {
        if !isTooSlow { isTooSlow = isLate() }
        return isTooSlow
    }

    /// Returns the range of an expected text that ends at an offset; nil if there is another text, or if the range
    /// would begin within a grapheme cluster.
    private func range(of expected: String, endingAt end: UTF16Offset) -> Range<UTF16Offset>? {
        let length = expected.utf16.count
        guard length <= end.value else { return nil }
        let start = end - length
        return isText(start..<end, expected) && text.roundedDown(toGrapheme: start) == start ? start..<end : nil
    }

    /// Returns the range of an expected text that starts at an offset; nil if there is another text, or if the
    /// range would end within a grapheme cluster.
    private func range(of expected: String, startingAt start: UTF16Offset) -> Range<UTF16Offset>? {
        let end = start + expected.utf16.count
        guard end <= text.utf16Range.upperBound else { return nil }
        return isText(start..<end, expected) && text.roundedDown(toGrapheme: end) == end ? start..<end : nil
    }

    private func isText(_ range: Range<UTF16Offset>, _ expected: String) -> Bool {
        text.string(in: range).hasSameScalars(as: expected)
    }
}

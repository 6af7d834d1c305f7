import InkstoneBase
import InkstoneEditing
import InkstoneProxy
import InkstoneText

/// A batch worked out on a copy of a text: all that its operations replace, select and mark, as one change.
///
/// A value, so that a batch which fails at its last operation has done nothing. Counts are grapheme clusters of the text as the operations
/// before have left it; offsets are UTF-16 units of the same.
struct BatchDraft {
    private(set) var text: Rope
    /// The change from the first text to the present one.
    private(set) var changes: TextChangeSet
    private(set) var selection: SelectionRange
    private(set) var marked: Range<UTF16Offset>?
    /// The start of what the adjustment right before has passed forwards; nil if something else came before.
    private var passed: UTF16Offset?
    private let newline: String
    /// Whether the clusters that it passes took too long to be found, as in a long run of regional indicators: then nothing of it is made.
    private(set) var isTooSlow = false
    /// Returns whether the time for it is up.
    private let isLate: () -> Bool

    /// - Parameters:
    ///   - marked: the text that this keyboard has marked.
    ///   - newline: the line end that takes the place of each newline.
    ///   - isLate: whether the time for it is up.
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

    /// Does one operation. Returns false if the text that it expects is not there.
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
            // The selection may be all of a large text.
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

    /// Whether there is nothing but a caret.
    private var isCaret: Bool { selection.isCaret && marked == nil }

    /// The selection, or as much of it as is marked: others may have moved it out of the marked text.
    private var chosen: Range<UTF16Offset> {
        marked.map { selection.range.clamped(into: $0) } ?? selection.range
    }

    private func lines(_ new: String) -> String {
        newline == "\n" || !new.utf8.contains(UInt8(ascii: "\n"))
            ? new : new.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: newline)
    }

    /// Replaces the selection, the selected part of marked text (an inline completion), or marked text without one (an accent).
    private mutating func insert(_ new: String) {
        let chosen = chosen
        guard let marked, !chosen.isEmpty else {
            replace(marked ?? selection.range, with: new)
            return
        }
        // All of it, so that filters see what becomes of the marked text.
        let before = text.string(in: marked.lowerBound..<chosen.lowerBound) + new
        let after = text.string(in: chosen.upperBound..<marked.upperBound)
        let start = replace(marked, with: before + after)
        selection = SelectionRange(caret: start + before.utf16.count)
    }

    /// Deletes the marked text or the selection; returns false if there is neither.
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
        // With what keeps its line ends apart from others.
        marked = first..<selection.head
        let selected = start + new.before.utf16.count
        selection = SelectionRange(anchor: selected, head: selected + new.selected.utf16.count)
    }

    /// Turns the marked text into ordinary text, and puts the caret at the end of the part of it that was selected.
    private mutating func unmark() {
        guard let marked else { return }
        let caret = selection.range.upperBound
        replace(marked, with: text.string(in: marked), isKept: true)
        selection = SelectionRange(caret: caret)
    }

    private mutating func adjust(by count: Int) {
        unmark()
        guard selection.isCaret || count == 0 else {
            // A selection collapses in the direction.
            let range = selection.range
            return selection = SelectionRange(caret: count > 0 ? range.upperBound : range.lowerBound)
        }
        let caret = selection.range.lowerBound
        if count > 0 { passed = caret }
        selection = SelectionRange(caret: offset(from: caret, by: count))
    }

    /// Replaces a range, after which nothing is marked and the caret stands behind the new text. Returns where that begins: not at the range's
    /// start if its first line end has to be kept apart from one before it.
    ///
    /// - Parameter isKept: whether it is the text that stands there.
    @discardableResult
    private mutating func replace(
        _ range: Range<UTF16Offset>, with given: String, isKept: Bool = false
    ) -> UTF16Offset {
        let new = isKept ? given : text.keepingLineEndsApart(given, replacing: range)
        let start = range.lowerBound + (new.utf8.first == given.utf8.first ? 0 : 1)
        marked = nil
        selection = SelectionRange(caret: range.lowerBound + new.utf16.count)
        guard !range.isEmpty || !new.isEmpty else { return start }
        // What a keyboard marks or keeps of a text with bytes that are no UTF-8 leaves them.
        let content = AdmittedText(new, replacing: range, of: text, newline: nil).content
        let change = TextChangeSet(replacing: range, with: content, in: text)
        text.apply(change)
        changes = changes.composed(with: change)
        return start
    }

    /// The offset some clusters away, or the end of the text in that direction.
    private mutating func offset(from start: UTF16Offset, by count: Int) -> UTF16Offset {
        var offset = start
        // One look may go through a run of a million: the time is asked before each.
        for _ in 0..<count.magnitude {
            if isTimeUp() { break }
            let next = count > 0 ? text.graphemeBoundary(after: offset) : text.graphemeBoundary(before: offset)
            if next == offset { break }
            offset = next
        }
        return offset
    }

    /// Returns whether the time for the draft is up, and keeps that.
    private mutating func isTimeUp() -> Bool {
        if !isTooSlow { isTooSlow = isLate() }
        return isTooSlow
    }

    /// The range of a text that ends at an offset; nil if another stands there, or it begins within a cluster.
    private func range(of expected: String, endingAt end: UTF16Offset) -> Range<UTF16Offset>? {
        let length = expected.utf16.count
        guard length <= end.value else { return nil }
        let start = end - length
        return isText(start..<end, expected) && text.roundedDown(toGrapheme: start) == start ? start..<end : nil
    }

    /// The range of a text that starts at an offset; nil if another stands there, or it ends within a cluster.
    private func range(of expected: String, startingAt start: UTF16Offset) -> Range<UTF16Offset>? {
        let end = start + expected.utf16.count
        guard end <= text.utf16Range.upperBound else { return nil }
        return isText(start..<end, expected) && text.roundedDown(toGrapheme: end) == end ? start..<end : nil
    }

    private func isText(_ range: Range<UTF16Offset>, _ expected: String) -> Bool {
        text.string(in: range).hasSameScalars(as: expected)
    }
}

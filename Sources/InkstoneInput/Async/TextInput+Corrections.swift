public import InkstoneBase
public import InkstoneText
import InkstoneUnicode

// Operations for corrections and keyboards. They use only positions and a tokenizer, so every text view has them.
// They are the defaults of ``AsyncTextInput``.
extension TextInput {
    // MARK: Insertion points

    /// Returns the number of insertion points from one position to another: the number of grapheme clusters between
    /// them or, in a secure view, of UTF-16 units. Negative if `toPosition` comes first. O(n) in the text between.
    public func insertionOffset(from: TextPosition, to toPosition: TextPosition) -> Int {
        let isForward = compare(from, to: toPosition) != .orderedDescending
        guard let range = textRange(from: from, to: toPosition) else { return 0 }
        // A secure view reveals its length, but not its text. So return the number of UTF-16 units, not of
        // clusters.
        guard let string = text(in: range) else { return offset(from: from, to: toPosition) }
        let count = TextBreaker.withShared(.grapheme) { breaker in
            breaker.setText(Array(string.utf16))
            return max(0, breaker.boundaries().count - 1)
        }
        return isForward ? count : -count
    }

    /// Returns the position that is a number of insertion points further on; further back if the number is
    /// negative. Nil beyond the ends of the text. O(n) in the number.
    public func position(from position: TextPosition, insertionOffset: Int) -> TextPosition? {
        var here = position
        // Return nil at once for a greater number: a text has at most as many insertion points as UTF-16 units.
        let length = offset(from: beginningOfDocument, to: endOfDocument)
        guard insertionOffset.magnitude <= UInt(max(0, length)) else { return nil }
        for _ in 0..<insertionOffset.magnitude {
            guard
                let next = tokenizer.position(
                    from: here, toBoundary: .character, inDirection: insertionOffset > 0 ? .forward : .backward)
            else { return nil }
            here = next
        }
        return here
    }

    // MARK: Selection

    /// The selected text, as ``TextInput/text(in:)`` returns it. Nil for a caret, without a selection, and in a secure
    /// view.
    public var selectedText: String? {
        selectedTextRange.flatMap { $0.isEmpty ? nil : text(in: $0) }
    }

    /// Whether the caret, or the start of the selection, is at the start of the document.
    public var isSelectionAtDocumentStart: Bool {
        selectedTextRange.map { compare($0.start, to: beginningOfDocument) == .orderedSame } ?? false
    }

    /// Extends the selection to a point of the view, up to the boundary of the unit there. If the point is before
    /// the selection, the selection's end stays; otherwise its start stays. Calls `completion` with whether a unit
    /// was found.
    public func updateSelection(
        extent point: ViewPoint, boundary: TextGranularity, completion: @escaping (_ isAtBoundary: Bool) -> Void
    ) {
        guard let selection = selectedTextRange, let extent = closestPosition(to: point) else {
            return completion(false)
        }
        let isBackward = compare(extent, to: selection.start) == .orderedAscending
        let unit = tokenizer.rangeEnclosingPosition(
            extent, with: boundary, inDirection: isBackward ? .backward : .forward)
        let end = boundary == .character ? extent : unit.map { isBackward ? $0.start : $0.end } ?? extent
        selectedTextRange = textRange(from: isBackward ? selection.end : selection.start, to: end)
        completion(boundary == .character || unit != nil)
    }

    /// Moves the caret to the next boundary of a unit in a direction. Calls `completion` with whether the caret has
    /// moved or a selection has become a caret.
    public func moveSelection(
        atBoundary granularity: TextGranularity, in direction: TextStorageDirection,
        completion: @escaping (_ hasMoved: Bool) -> Void
    ) {
        guard let selection = selectedTextRange else { return completion(false) }
        let from = direction == .forward ? selection.end : selection.start
        let side = TextDirection.storage(direction)
        let target = tokenizer.position(from: from, toBoundary: granularity, inDirection: side) ?? from
        let hasMoved = !selection.isEmpty || compare(from, to: target) != .orderedSame
        selectedTextRange = TextRange(start: target, end: target)
        completion(hasMoved)
    }

    /// Moves the caret by insertion points. A selection first collapses to its end in the direction of the move.
    /// The caret stops at the ends of the text.
    public func move(byInsertionOffset offset: Int) {
        guard let selection = selectedTextRange else { return }
        let from = offset > 0 ? selection.end : selection.start
        let target =
            position(from: from, insertionOffset: offset) ?? (offset > 0 ? endOfDocument : beginningOfDocument)
        selectedTextRange = TextRange(start: target, end: target)
    }

    /// Moves the start of the selection and changes its length, in insertion points, within the text. O(n) in the
    /// offset and in the old and the new length of the selection.
    public func adjustSelection(by range: DirectionalTextRange) {
        guard let selection = selectedTextRange else { return }
        func moved(_ position: TextPosition, by offset: Int) -> TextPosition {
            self.position(from: position, insertionOffset: offset) ?? (offset > 0 ? endOfDocument : beginningOfDocument)
        }
        let (length, overflow) = insertionOffset(from: selection.start, to: selection.end).addingReportingOverflow(
            range.length)
        let start = moved(selection.start, by: range.offset)
        selectedTextRange = textRange(from: start, to: moved(start, by: overflow ? range.length : max(0, length)))
    }

    /// Selects the unit at a point of the view. Changes nothing if there is none.
    public func selectText(in granularity: TextGranularity, at point: ViewPoint) {
        guard let position = characterRange(at: point)?.start ?? closestPosition(to: point) else { return }
        let found = [TextDirection.forward, .backward].lazy.compactMap {
            self.tokenizer.rangeEnclosingPosition(position, with: granularity, inDirection: $0)
        }.first
        if let found { selectedTextRange = found }
    }

    /// Moves the caret to a point of the view.
    public func selectPosition(at point: ViewPoint) {
        if let position = closestPosition(to: point) { selectedTextRange = TextRange(start: position, end: position) }
    }

    // MARK: Editing

    /// Deletes the selection, whatever the arguments. With a caret, deletes the text from the caret to the boundary
    /// of a unit.
    public func delete(in direction: TextStorageDirection, to granularity: TextGranularity) {
        guard let selection = selectedTextRange else { return }
        StandardCommands.delete(in: direction, to: granularity, selection, self)
    }

    /// Exchanges the grapheme clusters before and after the caret. Does nothing with a selection or at the ends of
    /// the text.
    public func transposeCharactersAroundSelection() {
        guard isEditable, let caret = selectedTextRange, caret.isEmpty,
            let start = position(from: caret.start, insertionOffset: -1),
            let end = position(from: caret.start, insertionOffset: 1),
            let before = textRange(from: start, to: caret.start).flatMap({ text(in: $0) }),
            let after = textRange(from: caret.start, to: end).flatMap({ text(in: $0) }),
            let both = textRange(from: start, to: end), shouldChangeText(in: both, replacementText: after + before)
        else { return }
        replace(both, withText: after + before)
    }

    /// Replaces text for a correction; see ``AsyncTextInput/replaceSelectedText(_:withText:)``. Also returns false,
    /// and changes nothing, in a secure view and if the user may not make the change.
    @discardableResult
    public func replaceSelectedText(_ original: String, withText replacement: String) -> Bool {
        guard isEditable, !isSecureTextEntry, !original.isEmpty, let range = range(ofCorrected: original),
            shouldChangeText(in: range, replacementText: replacement)
        else { return false }
        replace(range, withText: replacement)
        return true
    }

    private func range(ofCorrected original: String) -> TextRange? {
        guard let selection = selectedTextRange else { return nil }
        func holds(_ range: TextRange?) -> Bool {
            range.flatMap { text(in: $0) }.map { $0.utf16.elementsEqual(original.utf16) } ?? false
        }
        guard selection.isEmpty else { return holds(selection) ? selection : nil }
        let length = original.utf16.count
        let caret = selection.start
        if isSelectionAtDocumentStart {
            let after = position(from: caret, offset: length).flatMap { textRange(from: caret, to: $0) }
            return holds(after) && after.map { isBorder($0.end) } == true ? after : nil
        }
        let before = position(from: caret, offset: -length).flatMap { textRange(from: $0, to: caret) }
        if holds(before), before.map({ isBorder($0.start) }) == true { return before }
        // White space and punctuation may have been typed after the word. So look for the last word before the
        // caret.
        guard let start = tokenizer.position(from: caret, toBoundary: .word, inDirection: .backward),
            let word = tokenizer.rangeEnclosingPosition(start, with: .word, inDirection: .forward)
        else { return nil }
        return holds(word) && compare(word.end, to: caret) != .orderedDescending ? word : nil
    }

    /// Whether a position is at a boundary of a word, or outside of all words.
    private func isBorder(_ position: TextPosition) -> Bool {
        !(tokenizer.isPosition(position, withinTextUnit: .word, inDirection: .backward)
            && tokenizer.isPosition(position, withinTextUnit: .word, inDirection: .forward))
            || tokenizer.isPosition(position, atBoundary: .word, inDirection: .backward)
            || tokenizer.isPosition(position, atBoundary: .word, inDirection: .forward)
    }

    /// Inserts a suggestion. Has no effect if the text that it replaces has changed, or if the user may not edit.
    public func insert(_ suggestion: TextSuggestion) {
        if suggestion.replacedText.isEmpty {
            if isEditable, selectedTextRange != nil { insertText(suggestion.inputText) }
        } else {
            replaceSelectedText(suggestion.replacedText, withText: suggestion.inputText)
        }
    }

    // MARK: Context

    /// Returns the sentences that the selection touches, and the sentence before them; at most 64 Ki UTF-16 units
    /// on each side. Nil in a secure view and without a selection. O(n) in the length of the result.
    public func textContextForAutocorrection() -> TextDocumentContext? {
        guard !isSecureTextEntry, let selection = selectedTextRange else { return nil }
        var start = sentence(at: selection.start, .backward)?.start ?? selection.start
        if let previous = tokenizer.position(from: start, toBoundary: .sentence, inDirection: .backward) {
            start = previous
        }
        let end = sentence(at: selection.end, .forward)?.end ?? selection.end
        var result = TextDocumentContext(selectedText: selectedText)
        if compare(selection.start, to: beginningOfDocument) != .orderedSame {
            result.contextBefore = string(from: bounded(start, from: selection.start), to: selection.start) ?? ""
        }
        if compare(selection.end, to: endOfDocument) != .orderedSame {
            result.contextAfter = string(from: selection.end, to: bounded(end, from: selection.end)) ?? ""
        }
        if let marked = markedTextRange {
            result.markedText = text(in: marked)
            result.selectedRangeInMarkedText = UTF16Range(
                location: max(0, offset(from: marked.start, to: selection.start)),
                length: offset(from: selection.start, to: selection.end))
        }
        return result
    }

    /// Returns the sentence on one side of a position. If there is none, returns the one on the other side. Nil if
    /// there is no sentence on either side.
    private func sentence(at position: TextPosition, _ side: TextStorageDirection) -> TextRange? {
        tokenizer.rangeEnclosingPosition(position, with: .sentence, inDirection: .storage(side))
            ?? tokenizer.rangeEnclosingPosition(
                position, with: .sentence, inDirection: .storage(side == .forward ? .backward : .forward))
    }

    /// Returns a position if it is at most 64 Ki units away from another one; otherwise a word boundary at about that
    /// distance.
    private func bounded(_ position: TextPosition, from other: TextPosition) -> TextPosition {
        let limit = 65_536
        let distance = offset(from: other, to: position)
        guard abs(distance) > limit, let cut = self.position(from: other, offset: distance > 0 ? limit : -limit) else {
            return position
        }
        return tokenizer.position(from: cut, toBoundary: .word, inDirection: distance > 0 ? .backward : .forward) ?? cut
    }

    private func string(from start: TextPosition, to end: TextPosition) -> String? {
        textRange(from: start, to: end).flatMap { text(in: $0) }
    }
}

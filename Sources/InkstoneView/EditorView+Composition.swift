import InkstoneBase
import InkstoneInput
import InkstoneText

extension EditorView {
    /// Marks text in place of `range` and selects inside it, and opens the composition's undo step.
    ///
    /// Options and delegate are not asked before it is committed: a text other than the input method's would leave the two
    /// with different ideas of it.
    ///
    /// - Parameter selected: in UTF-16 units from the start of the marked text; clamped to it, and its end if `notFound`.
    func mark(_ text: InputText, replacing range: Range<UTF16Offset>, selected: UTF16Range) {
        guard isEditable else { return }
        guard !text.string.isEmpty else { return removeMarkedText(replacing: range) }
        let old = markedText
        changes.markingDidChange(true)
        compositionDidBegin()
        var new = range
        if !string(in: range).hasSameScalars(as: text.string) {
            new = replace(range, with: text.string, kind: .other, marking: true).insertedUTF16Range
            // Where CR and LF join at its ends the edit is wider than the text.
            let length = text.string.utf16.count
            if new.length() != length { new = range.lowerBound..<(range.lowerBound + length) }
        }
        markedText = MarkedText(range: new, clauses: text.clauses)
        if let old { setNeedsDisplay(offsets: old.range) }
        setNeedsDisplay(offsets: new)
        caretIsHidden = text.isCaretHidden
        let length = UTF16Offset(new.length())
        let inner = selected.clamped(to: 0..<length) ?? length..<length
        func stop(_ offset: UTF16Offset) -> UTF16Offset {
            max(new.lowerBound, store.text.roundedDown(toGrapheme: new.lowerBound + offset.value))
        }
        select(Selection(anchor: stop(inner.lowerBound), head: stop(inner.upperBound)))
    }

    /// Removes the marked text, and what is in `range` as well.
    private func removeMarkedText(replacing range: Range<UTF16Offset>) {
        guard let marked = markedText?.range else {
            if !range.isEmpty { userReplace(range, with: "", kind: .other) }
            return
        }
        deleteMarkedText(in: marked)
        if range != marked, !range.isEmpty { userReplace(range, with: "", kind: .other) }
    }

    /// Deletes a part of the marked text, which stays marked unless nothing is left.
    func deleteMarkedText(in range: Range<UTF16Offset>) {
        guard let marked = markedText else { return }
        let edit = replace(range, with: "", kind: .deleting, marking: true)
        markedText = marked.removing(edit.utf16Range)
        setNeedsDisplay(offsets: range.lowerBound..<range.lowerBound)
        select(Selection(caret: range.lowerBound))
        guard markedText == nil else { return }
        caretIsHidden = false
        compositionDidEnd()
        hasLostComposition = true
    }

    /// Ends the composition with `text` in place of `range`, which lies in the marked text: what is marked around it stays
    /// as ordinary text, all as far as the options and the delegate take it. The caret goes after the text. What stands
    /// behind the marked text goes as far as `end`, if that is taken.
    func finishComposition(
        with text: String, replacing range: Range<UTF16Offset>, overwritingTo end: UTF16Offset? = nil
    ) {
        guard let marked = markedText?.range else { return }
        let end = max(marked.upperBound, end ?? 0)
        let before = string(in: marked.lowerBound..<range.lowerBound)
        let all = before + text + string(in: range.upperBound..<marked.upperBound)
        let accepted = accepted(all, replacing: marked.lowerBound..<end)
        let taken = accepted ?? ""
        markedText = nil
        caretIsHidden = false
        if accepted != nil, end > marked.upperBound { replace(marked.upperBound..<end, with: "", kind: .other) }
        let caret = marked.lowerBound + min((before + text).utf16.count, taken.utf16.count)
        if !taken.hasSameScalars(as: all) {
            replace(marked, with: taken, kind: .other)
        } else if !string(in: range).hasSameScalars(as: text) {
            replace(range, with: text, kind: .other)
        }
        setNeedsDisplay(offsets: marked)
        select(Selection(caret: caret))
        compositionDidEnd()
    }

    /// Ends the composition with its text as it is, as far as the options and the delegate take it.
    func keepMarkedText() {
        guard let marked = markedText?.range else { return }
        markedText = nil
        caretIsHidden = false
        var caret = primary.isCaret ? primary.head : marked.upperBound
        let all = string(in: marked)
        // A view that has just become read-only keeps what was typed before.
        let taken = isEditable ? accepted(all, replacing: marked) ?? "" : all
        if !taken.hasSameScalars(as: all) {
            caret = replace(marked, with: taken, kind: .other).insertedUTF16Range.upperBound
        }
        setNeedsDisplay(offsets: marked)
        // A composition that ends out of sight stays there: the text would move away under the click that ends it.
        select(Selection(caret: caret), scrolling: false)
        compositionDidEnd()
    }

    /// Ends a composition from this side: the text stays, and the input method has to forget it.
    func endComposition() {
        if markedText != nil { inputContext.discardMarkedText() }
    }

    /// What is edited from now on is one step of undo, until the composition ends; once for several calls.
    public func compositionDidBegin() {
        guard compositionGroup == nil else { return }
        compositionGroup = UndoGroupID()
        selectionAtComposition = (store.version, primary.range)
    }

    /// What is edited from now on is another step of undo.
    public func compositionDidEnd() {
        compositionGroup = nil
        selectionAtComposition = nil
    }
}

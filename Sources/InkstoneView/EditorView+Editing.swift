import InkstoneBase
import InkstoneInput
import InkstoneText

extension EditorView {
    /// Replaces text as the user's own edit, as far as the options and the delegate take it, and puts the caret after it.
    /// The range is clamped. Nothing may be marked in it.
    func userReplace(_ range: Range<UTF16Offset>, with text: String, kind: EditKind) {
        let range = range.clamped(into: textRange)
        guard !(range.isEmpty && text.isEmpty), let taken = accepted(text, replacing: range) else { return }
        asOutsideChange(of: .text) {
            let edit = replace(range, with: taken, kind: kind)
            select(Selection(caret: present(edit.map(range.upperBound, leaning: .downstream), after: edit)))
        }
    }

    /// The one way from this view into the store: an edit whose selection the caller sets afterwards, and the marked text
    /// as well with `marking`.
    @discardableResult
    func replace(
        _ range: Range<UTF16Offset>, with text: String, kind: EditKind, marking: Bool = false
    ) -> TextEdit {
        isWithinOwnEdit = true
        isWithinMarking = marking
        defer {
            isWithinOwnEdit = false
            isWithinMarking = false
        }
        var selectionBefore = primary.range
        // Where a composition began, also if the input method selected something else before its first edit.
        if let start = selectionAtComposition, start.version == store.version { selectionBefore = start.range }
        return store.replace(
            range, with: text, kind: kind, undo: compositionGroup.map { .group($0) }, selectionBefore: selectionBefore,
            view: id)
    }

    /// Types text over the selection, also one inside marked text; what was marked around it becomes ordinary text.
    public func insertText(_ text: String) {
        asInputSystem {
            guard isEditable, selection != nil else { return }
            if let marked = markedText?.range, marked.holds(primary.range) {
                return finishComposition(with: text, replacing: primary.range)
            }
            keepMarkedText()
            type(text)
        }
    }

    /// Types over the selection, or over what stands behind the caret if the view ``isOverwriting``.
    func type(_ text: String) {
        let range = primary.isCaret ? overwritten(by: text, at: primary.head) : primary.range
        userReplace(range, with: text, kind: .typing)
    }

    /// Deletes the selection, or one grapheme cluster before the caret; at the start nothing happens.
    ///
    /// Marked text stays marked as long as any is left of it, and a cluster that it shares with the letter before it loses
    /// only the marked part.
    public func deleteBackward() {
        asInputSystem {
            var range = primary.range
            if range.isEmpty {
                range = store.text.graphemeBoundary(before: primary.head)..<primary.head
                if let marked = markedText?.range, marked.lowerBound < primary.head {
                    range = max(range.lowerBound, min(marked.lowerBound, range.upperBound))..<range.upperBound
                }
            }
            guard isEditable, selection != nil, !range.isEmpty else { return }
            if let marked = markedText?.range, marked.holds(range) { return deleteMarkedText(in: range) }
            if let marked = markedText?.range, marked.overlaps(range) { endComposition() }
            userReplace(range, with: "", kind: .deleting)
        }
    }

    /// Deletes the selection, or one grapheme cluster after the caret.
    public func deleteForward() {
        endComposition()
        delete(to: store.text.graphemeBoundary(after: primary.head))
    }

    /// Deletes the selection, or what lies between the caret and `other`.
    func delete(to other: UTF16Offset) {
        let range = primary.isCaret ? min(primary.head, other)..<max(primary.head, other) : primary.range
        userReplace(range, with: "", kind: .deleting)
    }

    /// Puts text from outside over the selection, as one undo step. Line ends become those of the text. A composition ends
    /// first, with its text kept.
    public func paste(_ text: String) {
        endComposition()
        guard selection != nil else { return }
        userReplace(primary.range, with: normalizingNewlines(of: text), kind: .other)
    }

    /// Text from outside with its line ends as ``newline``. O(n).
    func normalizingNewlines(of text: String) -> String {
        guard text.utf8.contains(0x0d) || newline != "\n" else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case 0x0a where last == 0x0d: break
            case 0x0a, 0x0d: bytes += newline.utf8
            default: bytes.append(byte)
            }
            last = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Puts text from outside at a place and the caret after it. A composition ends first, with its text kept.
    public func paste(_ text: String, at offset: UTF16Offset) {
        endComposition()
        userReplace(offset..<offset, with: normalizingNewlines(of: text), kind: .other)
    }

    /// Puts text from outside over what an anchor covers: where the user asked for it. A composition ends first, with its
    /// text kept.
    public func paste(_ text: String, at anchor: any InputAnchor) {
        endComposition()
        asOutsideChange(of: .text) { place(normalizingNewlines(of: text), over: anchor) }
    }

    /// Replaces what an anchor covers, as far as the options and the delegate take it; the user's selection keeps its text.
    func place(_ text: String, over anchor: any InputAnchor) {
        guard let range = anchor.range.clamped(to: textRange), !string(in: range).hasSameScalars(as: text),
            let taken = accepted(text, replacing: range)
        else { return }
        let edit = store.replace(range, with: taken, kind: .other, selectionBefore: primary.range, view: id)
        let start = present(edit.insertedUTF16Range.lowerBound, after: edit)
        (anchor as? RangeAnchor)?.cover(start..<max(start, present(edit.insertedUTF16Range.upperBound, after: edit)))
    }

    /// The text that is selected, for the clipboard and others; nil for a caret and in a secure view.
    public var selectedText: String? {
        primary.isCaret || isSecureTextEntry ? nil : string(in: primary.range)
    }

    /// The text of a range, which is clamped.
    func string(in range: Range<UTF16Offset>) -> String {
        store.text.string(in: range.clamped(into: textRange))
    }

    /// Takes the last step back; a composition that is going on ends first, with its text kept, and is that step.
    public func undo() {
        endComposition()
        guard isEditable, store.canUndo else { return }
        restore { store.undo(in: id) }
    }

    /// Does again what was taken back.
    public func redo() {
        endComposition()
        guard isEditable, store.canRedo else { return }
        restore { store.redo(in: id) }
    }

    private func restore(_ step: () -> Range<UTF16Offset>?) {
        asOutsideChange(of: .text) {
            guard let restored = step() else { return }
            select(Selection(anchor: restored.lowerBound, head: restored.upperBound))
        }
    }
}

extension Range {
    /// Whether all of another range lies within this one; an empty one may lie at an end.
    func holds(_ other: Self) -> Bool { lowerBound <= other.lowerBound && other.upperBound <= upperBound }
}

extension String {
    /// Whether it is the same text scalar by scalar. `==` also holds for "é" in one and in two scalars, whose offsets
    /// differ. O(n).
    func hasSameScalars(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The input protocols implemented with an ``EditingSession``, except for geometry. Used by views and by fields
/// that draw themselves.
///
/// An adopting type implements geometry, such as ``TextInput/caretRect(for:)``, and performs commands.
public protocol SessionTextInput: TextInput, TextInputClient, AnchoredTextInput {
    /// The session that makes the edits.
    var session: EditingSession { get }
}

extension SessionTextInput {
    // MARK: Text

    /// Whether there is any text.
    public var hasText: Bool { !session.store.text.isEmpty }

    /// Types text over the selection, even within marked text. The marked text around the selection then becomes
    /// ordinary text. Does nothing without a selection, or if the text cannot be edited.
    public func insertText(_ text: String) {
        if isEditable, session.selection != nil { session.insert(text) }
    }

    /// Deletes the selection, or the last typed character before the caret.
    public func deleteBackward() { session.deleteBackward() }

    /// Returns the text of a range; nil if it is secret.
    public func text(in range: TextRange) -> String? {
        isSecureTextEntry ? nil : session.state.string(in: session.offsets(range))
    }

    /// Replaces a range as an edit by a key or an input method: input delegates are not notified. A selection within
    /// the range moves after the new text; any other selection keeps its text. A composition continues if the range and
    /// the marked text do not overlap; otherwise it ends, with its text kept.
    public func replace(_ range: TextRange, withText text: String) {
        session.insert(text, over: .beside(session.offsets(range)))
    }

    /// Returns whether the user may replace a range by a text now, according to `isEditable` and the session's
    /// delegate.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool {
        guard isEditable else { return false }
        let offsets = session.offsets(range)
        return session.delegate?.session(session, shouldChangeTextIn: offsets, replacementText: text) ?? true
    }

    // MARK: Positions

    /// The start of the text.
    public var beginningOfDocument: TextPosition { session.position(at: 0) }
    /// The end of the text.
    public var endOfDocument: TextPosition { session.position(at: session.textRange.upperBound) }

    /// Returns the position that is `offset` UTF-16 units further on, or further back if it is negative; nil beyond
    /// the ends of the text.
    public func position(from position: TextPosition, offset: Int) -> TextPosition? {
        let (target, overflow) = session.store.offset(of: position).value.addingReportingOverflow(offset)
        guard !overflow, target >= 0, target <= session.textRange.upperBound.value else { return nil }
        return session.position(at: UTF16Offset(target))
    }

    /// Returns the distance between two positions in UTF-16 units; negative if `toPosition` comes first.
    public func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        session.store.offset(of: toPosition) - session.store.offset(of: from)
    }

    // MARK: Selection and marked text

    /// The primary range of the selection; nil without a selection. Setting it moves the caret and does not end a
    /// composition.
    public var selectedTextRange: TextRange? {
        get {
            session.selection.map {
                TextRange(
                    start: session.position(at: $0.range.lowerBound, affinity: $0.affinity),
                    end: session.position(at: $0.range.upperBound, affinity: $0.affinity))
            }
        }
        set {
            session.selectByInput(newValue.map { (session.offsets($0), $0.end.affinity) })
        }
    }

    /// The visual line on which the caret is displayed at a soft wrap: `upstream` is the end of the line before the
    /// wrap, `downstream` the start of the line after it.
    public var selectionAffinity: TextAffinity { session.state.primary.affinity }

    /// Returns the primary range of the selection, in UTF-16 units; `notFound` without a selection.
    @inlinable
    public func selectedRange() -> UTF16Range { session.selection.map { UTF16Range($0.range) } ?? .notFound }

    /// The range of the text being composed; nil for none.
    public var markedTextRange: TextRange? { session.markedText.map { session.range($0.range) } }

    /// Returns the marked range in UTF-16 units; `notFound` if no text is marked.
    @inlinable
    public func markedRange() -> UTF16Range { session.markedText.map { UTF16Range($0.range) } ?? .notFound }

    /// Whether any text is marked.
    @inlinable
    public func hasMarkedText() -> Bool { session.markedText != nil }

    /// Inserts final text in place of `replacementRange` or, if that is `notFound`, of the marked text or the
    /// selection. Does nothing if the text cannot be edited.
    @inlinable
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        guard isEditable else { return }
        session.insert(string, over: session.state.insertionTarget(replacementRange))
    }

    /// Marks text in place of `replacementRange` or, if that is `notFound`, of the marked text or the selection.
    @inlinable
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        session.mark(string, over: session.state.insertionTarget(replacementRange), selected: selectedRange)
    }

    /// Marks text in place of the marked text or, if there is none, of the selection.
    public func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        session.mark(markedText ?? "", over: .composed, selected: selectedRange)
    }

    /// Ends the composition and keeps its text. The input method is not notified.
    public func unmarkText() { session.unmark() }

    /// Begins a composition. The edits until its end are one undo step. Further calls have no effect.
    public func compositionDidBegin() { session.compositionDidBegin() }

    /// Ends the undo step of a composition, if no text is marked. The edits that follow belong to another undo
    /// step.
    public func compositionDidEnd() { session.compositionDidEnd() }

    /// The delegate that is notified before and after changes that the input system did not make itself:
    /// ``EditingSession/inputDelegate``.
    public var inputDelegate: (any TextInputDelegate)? {
        get { session.inputDelegate }
        set {
            session.textInput = self
            session.inputDelegate = newValue
        }
    }

    // MARK: Anchors

    /// Returns an anchor for a range, which is clamped to the text; for the primary range of the selection if the range
    /// is `notFound`. The anchor does not grow when other edits insert text at its ends. Text inserted at an empty
    /// anchor stays after the anchor.
    public func makeInputAnchor(for range: UTF16Range) -> any InputAnchor {
        RangeAnchor(session.store, range.clamped(to: session.textRange) ?? session.state.primary.range)
    }

    /// Anchors all ranges of the selection. Returns a function that selects the anchors' present ranges without
    /// scrolling; nil without a selection.
    public func makeSelectionAnchor() -> (() -> Void)? { session.makeSelectionAnchor() }

    /// Replaces the text of an anchor. The user's selection keeps its text, and other marked text stays marked.
    public func replaceText(at anchor: any InputAnchor, with text: String) {
        session.replaceText(at: anchor, with: text)
    }
}

// Positions in the text of a session, for the input protocols.
extension EditingSession {
    /// Returns a position in the present text. The offset is clamped to the text.
    package func position(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextPosition {
        store.position(at: min(max(0, offset), textRange.upperBound), affinity: affinity)
    }

    /// Returns the positions of a range.
    package func range(_ offsets: Range<UTF16Offset>) -> TextRange {
        TextRange(start: position(at: offsets.lowerBound), end: position(at: offsets.upperBound))
    }

    /// Returns the offsets of a range of positions, in order. Positions in older versions are mapped through the
    /// changes since.
    package func offsets(_ range: TextRange) -> Range<UTF16Offset> {
        let start = store.offset(of: range.start)
        let end = store.offset(of: range.end)
        return min(start, end)..<max(start, end)
    }

    /// Selects a range for a key or an input method; nil removes the selection. Input delegates are not notified. Both
    /// ends are moved to the start of their cluster.
    func selectByInput(_ new: (range: Range<UTF16Offset>, affinity: TextAffinity)?) {
        let new = new.map {
            Selection(
                anchor: store.text.roundedDown(toGrapheme: $0.range.lowerBound),
                head: store.text.roundedDown(toGrapheme: $0.range.upperBound), affinity: $0.affinity)
        }
        dispatch(state.selecting(new, origin: .inputSelection))
    }

    fileprivate func makeSelectionAnchor() -> (() -> Void)? {
        guard let selection else { return nil }
        let anchors = selection.ranges.map { (RangeAnchor(store, $0.range), $0.head < $0.anchor) }
        return { [weak self] in
            guard let self else { return }
            let ranges = anchors.map { anchor, isBackward in
                let range = anchor.range.clamped(to: textRange) ?? 0..<0
                return isBackward
                    ? SelectionRange(anchor: range.upperBound, head: range.lowerBound)
                    : SelectionRange(anchor: range.lowerBound, head: range.upperBound)
            }
            dispatch(
                state.selecting(
                    Selection(ranges, primary: selection.primaryIndex), reveal: false, origin: .inputSelection))
        }
    }

    fileprivate func replaceText(at anchor: any InputAnchor, with text: String) {
        guard let range = anchor.range.clamped(to: textRange), !state.string(in: range).hasSameScalars(as: text),
            let applied = dispatch(state.replacing(range, withLateText: text)),
            let new = applied.changes.changeMap.first?.newRange
        else { return }
        (anchor as? RangeAnchor)?.cover(store.presentRange(new, after: applied))
    }
}

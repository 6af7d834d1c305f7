public import InkstoneBase
public import InkstoneInput
public import InkstoneText

/// The input contracts over an ``EditingSession``, except for geometry. Views and fields that draw themselves share it.
///
/// An adopting type implements geometry (``TextInput/caretRect(for:)`` and the like) and performs commands.
public protocol SessionTextInput: TextInput, TextInputClient, AnchoredTextInput {
    /// The session that input edits.
    var session: EditingSession { get }
}

extension SessionTextInput {
    // MARK: Text

    /// Whether there is any text.
    public var hasText: Bool { !session.store.text.isEmpty }

    /// Types text over the selection, even inside marked text; the marked text around it becomes ordinary text.
    public func insertText(_ text: String) {
        if isEditable, session.selection != nil { session.insert(text) }
    }

    /// Deletes the selection, or the text typed last before the caret.
    public func deleteBackward() { session.deleteBackward() }

    /// Returns the text of a range; nil if it is secret.
    public func text(in range: TextRange) -> String? {
        isSecureTextEntry ? nil : session.state.string(in: session.offsets(range))
    }

    /// Replaces a range as the input system's own edit: a selection within it goes after the text, another keeps its text. A composition beside the
    /// range continues; one that it touches ends, with its text kept.
    public func replace(_ range: TextRange, withText text: String) {
        session.insert(text, over: .beside(session.offsets(range)))
    }

    /// Whether the user may replace a range by a text now: by `isEditable` and the session's delegate.
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

    /// Returns the position `offset` UTF-16 units on; nil beyond the ends.
    public func position(from position: TextPosition, offset: Int) -> TextPosition? {
        let (target, overflow) = session.store.offset(of: position).value.addingReportingOverflow(offset)
        guard !overflow, target >= 0, target <= session.textRange.upperBound.value else { return nil }
        return session.position(at: UTF16Offset(target))
    }

    /// Returns the distance in UTF-16 units; negative if `toPosition` comes first.
    public func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        session.store.offset(of: toPosition) - session.store.offset(of: from)
    }

    // MARK: Selection and marked text

    /// The primary range of the selection; nil without a selection. Setting it moves the caret without ending a composition.
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

    /// The side of a soft wrap on which the caret shows.
    public var selectionAffinity: TextAffinity { session.state.primary.affinity }

    /// Returns the primary range of the selection, in UTF-16 units.
    @inlinable
    public func selectedRange() -> UTF16Range { session.selection.map { UTF16Range($0.range) } ?? .notFound }

    /// The range of the text being composed; nil for none.
    public var markedTextRange: TextRange? { session.markedText.map { session.range($0.range) } }

    /// Returns the marked range in UTF-16 units.
    @inlinable
    public func markedRange() -> UTF16Range { session.markedText.map { UTF16Range($0.range) } ?? .notFound }

    /// Whether any text is marked.
    @inlinable
    public func hasMarkedText() -> Bool { session.markedText != nil }

    /// Inserts final text over `replacementRange`, the marked text or the selection, in this order.
    @inlinable
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        guard isEditable else { return }
        session.insert(string, over: session.state.insertionTarget(replacementRange))
    }

    /// Marks text over `replacementRange`, the marked text or the selection, in this order.
    @inlinable
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        session.mark(string, over: session.state.insertionTarget(replacementRange), selected: selectedRange)
    }

    /// Marks text in place of the marked text, or of the selection; see the contract.
    public func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        session.mark(markedText ?? "", over: .composed, selected: selectedRange)
    }

    /// Ends the composition and keeps its text.
    public func unmarkText() { session.unmark() }

    /// Begins a composition: the following edits are one undo step, until it ends. Further calls have no effect.
    public func compositionDidBegin() { session.compositionDidBegin() }

    /// Ends a composition's undo step: the following edits belong to another one.
    public func compositionDidEnd() { session.compositionDidEnd() }

    /// The delegate notified before and after changes that the input system did not make itself: ``EditingSession/inputDelegate``.
    public var inputDelegate: (any TextInputDelegate)? {
        get { session.inputDelegate }
        set {
            session.textInput = self
            session.inputDelegate = newValue
        }
    }

    // MARK: Anchors

    /// Returns an anchor over a range; text that others insert at its ends stays outside, and behind an empty one.
    public func makeInputAnchor(for range: UTF16Range) -> any InputAnchor {
        RangeAnchor(session.store, range.clamped(to: session.textRange) ?? session.state.primary.range)
    }

    /// Anchors all ranges of the selection, and returns a function that selects their present text without scrolling.
    public func makeSelectionAnchor() -> (() -> Void)? { session.makeSelectionAnchor() }

    /// Replaces an anchor's text; the user's selection keeps its text, and other marked text stays marked.
    public func replaceText(at anchor: any InputAnchor, with text: String) {
        session.replaceText(at: anchor, with: text)
    }
}

// Positions of a session, for the contracts.
extension EditingSession {
    /// Returns a position in the present text; the offset is clamped.
    package func position(at offset: UTF16Offset, affinity: TextAffinity = .downstream) -> TextPosition {
        store.position(at: min(max(0, offset), textRange.upperBound), affinity: affinity)
    }

    /// Returns the positions of a range.
    package func range(_ offsets: Range<UTF16Offset>) -> TextRange {
        TextRange(start: position(at: offsets.lowerBound), end: position(at: offsets.upperBound))
    }

    /// Returns the offsets of a range of positions, in order; older positions are mapped forward.
    package func offsets(_ range: TextRange) -> Range<UTF16Offset> {
        let start = store.offset(of: range.start)
        let end = store.offset(of: range.end)
        return min(start, end)..<max(start, end)
    }

    /// Selects a range as an action of the input system, with both ends rounded down to the start of their cluster; nil for none.
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

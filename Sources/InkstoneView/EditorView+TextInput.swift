import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneText

extension EditorView: TextInput {
    // MARK: Positions

    func position(_ offset: UTF16Offset, _ affinity: TextAffinity = .downstream) -> TextPosition {
        store.position(at: min(max(0, offset), textRange.upperBound), affinity: affinity)
    }

    func range(_ offsets: Range<UTF16Offset>) -> TextRange {
        TextRange(start: position(offsets.lowerBound), end: position(offsets.upperBound))
    }

    func place(_ position: TextPosition) -> CaretPlace {
        CaretPlace(store.offset(of: position), affinity: position.affinity)
    }

    /// The offsets of a range of positions, in order; older positions are mapped forward.
    func offsets(_ range: TextRange) -> Range<UTF16Offset> {
        let start = store.offset(of: range.start)
        let end = store.offset(of: range.end)
        return min(start, end)..<max(start, end)
    }

    /// The start of the text.
    public var beginningOfDocument: TextPosition { position(0) }
    /// The end of the text.
    public var endOfDocument: TextPosition { position(textRange.upperBound) }

    /// The position `offset` UTF-16 units on; nil beyond the ends.
    public func position(from position: TextPosition, offset: Int) -> TextPosition? {
        let (target, overflow) = store.offset(of: position).value.addingReportingOverflow(offset)
        guard !overflow, target >= 0, target <= textRange.upperBound.value else { return nil }
        return self.position(UTF16Offset(target))
    }

    /// The position `offset` places to the left or right, or lines up or down, as they look; nil beyond the ends.
    public func position(
        from position: TextPosition, in direction: TextLayoutDirection, offset: Int
    ) -> TextPosition? {
        var place = place(position)
        if direction == .up || direction == .down {
            let most = textRange.upperBound.value + 1
            let lines = min(max(-most, offset), most)
            place = layout.geometry.moveVertically(place, lines: direction == .down ? lines : -lines)
            return self.position(place.offset, place.affinity)
        }
        // More steps than there are places lead nowhere.
        for _ in 0..<min(offset.magnitude, UInt(textRange.upperBound.value) + 1) {
            let next = layout.geometry.moveVisually(place, toRight: (direction == .right) == (offset > 0))
            if next == place { return nil }
            place = next
        }
        return self.position(place.offset, place.affinity)
    }

    /// The distance in UTF-16 units; negative if `toPosition` comes first.
    public func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        store.offset(of: toPosition) - store.offset(of: from)
    }

    // MARK: Text

    /// Types text over the selection, also one inside marked text; what was marked around it becomes ordinary text.
    public func insertText(_ text: String) {
        if isEditable, selection != nil { session.insert(text) }
    }

    /// Deletes the selection, or one grapheme cluster before the caret.
    public func deleteBackward() { session.deleteBackward() }

    /// The text of a range; nil in a secure view.
    public func text(in range: TextRange) -> String? { isSecureTextEntry ? nil : state.string(in: offsets(range)) }

    /// Replaces a range, as the input system's own edit: a selection within it goes after the text, another keeps its
    /// text. A composition goes on beside the range; one that it touches ends, with its text kept.
    public func replace(_ range: TextRange, withText text: String) {
        session.insert(text, over: .beside(offsets(range)))
    }

    /// Whether there is any text.
    public var hasText: Bool { !store.text.isEmpty }

    // MARK: Selection and marked text

    /// The primary range of the selection, nil if nothing is selected; setting it moves the caret without ending a
    /// composition.
    public var selectedTextRange: TextRange? {
        get {
            selection.map {
                TextRange(
                    start: position($0.range.lowerBound, $0.affinity), end: position($0.range.upperBound, $0.affinity))
            }
        }
        set {
            let new = newValue.map { value in
                let range = offsets(value)
                return Selection(
                    anchor: store.text.roundedDown(toGrapheme: range.lowerBound),
                    head: store.text.roundedDown(toGrapheme: range.upperBound), affinity: value.end.affinity)
            }
            session.dispatch(state.selecting(new, origin: .inputSelection))
        }
    }

    /// Which side of a soft wrap the caret shows on.
    public var selectionAffinity: TextAffinity { primary.affinity }

    /// What is being composed; nil if nothing.
    public var markedTextRange: TextRange? { markedText.map { range($0.range) } }

    /// Marks text in place of what was marked, or of the selection; see the contract.
    public func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        session.mark(markedText ?? "", over: .composed, selected: selectedRange)
    }

    /// Ends the composition; its text stays.
    public func unmarkText() { session.unmark() }

    /// What is edited from now on is one step of undo, until the composition ends; once for several calls.
    public func compositionDidBegin() { session.compositionDidBegin() }

    /// What is edited from now on is another step of undo.
    public func compositionDidEnd() { session.compositionDidEnd() }

    // MARK: Geometry

    /// Where the caret shows at a position, in view pixels.
    public func caretRect(for position: TextPosition) -> ViewRect {
        var rect = viewRect(layout.geometry.caretRect(at: store.offset(of: position), affinity: position.affinity))
        rect.size.width = theme.caretWidth
        return rect
    }

    /// The other place of a caret where directions meet, in view pixels; nil where there is one only.
    public func secondaryCaretRect(for position: TextPosition) -> ViewRect? {
        let rect = layout.geometry.secondaryCaretRect(at: store.offset(of: position), affinity: position.affinity)
        return rect.map {
            var rect = viewRect($0)
            rect.size.width = theme.caretWidth
            return rect
        }
    }

    /// What a range covers on its first visual line, in view pixels.
    public func firstRect(for range: TextRange) -> ViewRect {
        firstLine(of: offsets(range)).rect
    }

    private func firstLine(of range: Range<UTF16Offset>) -> (rect: ViewRect, part: Range<UTF16Offset>) {
        // What lies between the top edge and the range may only be estimated yet.
        layout.ensureLayout(around: viewport.scroll.anchor, above: 0, below: frame.height)
        let first = layout.geometry.firstRect(for: range)
        return (viewRect(first.rect), first.actual)
    }

    /// One rectangle for each visual line and direction run of a range, in view pixels. Lays out all of the range and nothing
    /// else: O(n) in its length. ``selectionRects(for:within:)`` answers for what is seen of it.
    public func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let offsets = offsets(range)
        let top = layout.geometry.lineFragment(at: offsets.lowerBound, affinity: .downstream).typographicBounds
        let bottom = layout.geometry.lineFragment(at: offsets.upperBound, affinity: .upstream).typographicBounds
        return selectionRects(
            for: offsets,
            within: DocumentRect(x: -1e15, y: top.minY, width: 2e15, height: max(top.height, bottom.maxY - top.minY)))
    }

    /// The rectangles of a range that lie in or touch a part of the view, in view pixels; ``bounds`` is what is seen. Lays out
    /// that part, however long the range is.
    public func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect] {
        selectionRects(
            for: offsets(range), within: DocumentRect(origin: documentPoint(area.origin), size: area.size))
    }

    private func selectionRects(
        for range: Range<UTF16Offset>, within area: DocumentRect
    ) -> [TextSelectionRect] {
        layout.geometry.selectionRects(for: range, within: area).map {
            TextSelectionRect(
                rect: viewRect($0.rect), writingDirection: $0.isRightToLeft ? .rightToLeft : .leftToRight,
                containsStart: $0.containsStart, containsEnd: $0.containsEnd)
        }
    }

    /// The position of a range that lies farthest in a direction on the screen. Of a range on several lines it is the end on
    /// that side.
    public func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition? {
        let place = geometry.place(in: offsets(range), farthest: direction)
        return position(place.offset, place.affinity)
    }

    /// From a position to the start or end of its visual line: up to the start, down to the end, left and right by the
    /// direction of the line.
    public func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange? {
        range(geometry.range(extending: place(position), to: direction))
    }

    /// The position nearest to a point of the view.
    public func closestPosition(to point: ViewPoint) -> TextPosition? {
        let place = layout.geometry.location(closestTo: documentPoint(point))
        return position(place.offset, place.affinity)
    }

    /// The grapheme cluster under a point of the view; nil in the blank beside a line.
    public func characterRange(at point: ViewPoint) -> TextRange? {
        layout.geometry.characterRange(at: documentPoint(point)).map { range($0) }
    }

    /// The direction that the paragraph at a position is written in.
    public func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection {
        layout.geometry.isParagraphRightToLeft(at: store.offset(of: position)) ? .rightToLeft : .leftToRight
    }

    /// Sets the direction of all paragraphs, whatever the range: a plain text has one for all.
    public func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {
        options.baseWritingDirection = writingDirection
    }

    /// Told before and after changes that the input system did not make itself: ``EditingSession/inputDelegate``.
    public var inputDelegate: (any TextInputDelegate)? {
        get { session.inputDelegate }
        set { session.inputDelegate = newValue }
    }

    /// Words, lines and the like of this view.
    public var tokenizer: any TextInputTokenizer { ownTokenizer }
}

extension EditorView: TextInputClient {
    /// The view's origin on the root window.
    public var textInputViewOrigin: RootPoint { viewport.rootOrigin }

    /// What a range covers on its first visual line, on the root window, and that part of it.
    public func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
        guard let wanted = range.clamped(to: textRange) ?? selection?.range else {
            return (RootRect(origin: textInputViewOrigin, size: Size(width: 1, height: 1)), .notFound)
        }
        let positions = self.range(wanted)
        guard !wanted.isEmpty else {
            return (caretRect(for: positions.start).converted(from: textInputViewOrigin), UTF16Range(wanted))
        }
        let (rect, part) = firstLine(of: wanted)
        return (rect.converted(from: textInputViewOrigin), UTF16Range(part))
    }

    /// From the top of the line to its baseline, in pixels.
    public func baselineDeltaForCharacter(at index: Int) -> Double {
        let offset = min(max(0, UTF16Offset(index)), textRange.upperBound)
        let line = layout.geometry.lineFragment(at: offset, affinity: .downstream)
        return line.baseline - line.typographicBounds.minY
    }

    /// Inserts finished text: over `replacementRange`, the marked text or the selection, in this order.
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        guard isEditable else { return }
        session.insert(string, over: state.insertionTarget(replacementRange))
    }

    /// Marks text over `replacementRange`, the marked text or the selection, in this order.
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        session.mark(string, over: state.insertionTarget(replacementRange), selected: selectedRange)
    }

    /// Does what a key that typed nothing is bound to.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { perform(command) }
}

extension EditorView: AnchoredTextInput {
    /// An anchor over a range; what others insert at its ends stays outside, and behind an empty one.
    public func makeInputAnchor(for range: UTF16Range) -> any InputAnchor {
        RangeAnchor(store, range.clamped(to: textRange) ?? primary.range)
    }

    /// Remembers all ranges of the selection; the result selects what has become of them, without scrolling there.
    public func makeSelectionAnchor() -> (() -> Void)? {
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
            session.dispatch(
                state.selecting(
                    Selection(ranges, primary: selection.primaryIndex), reveal: false, origin: .inputSelection))
        }
    }

    /// Replaces what an anchor covers; the user's selection keeps its text, and what is marked elsewhere stays marked.
    public func replaceText(at anchor: any InputAnchor, with text: String) {
        guard let range = anchor.range.clamped(to: textRange), !state.string(in: range).hasSameScalars(as: text),
            let applied = session.dispatch(state.replacing(range, withLateText: text)),
            let new = applied.changes.changeMap.first?.newRange
        else { return }
        (anchor as? RangeAnchor)?.cover(store.presentRange(new, after: applied))
    }
}

import InkstoneBase
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
        var place = CaretPlace(store.offset(of: position), affinity: position.affinity)
        if direction == .up || direction == .down {
            let most = textRange.upperBound.value + 1
            let lines = min(max(-most, offset), most)
            place = layout.moveVertically(place, lines: direction == .down ? lines : -lines)
            return self.position(place.offset, place.affinity)
        }
        // More steps than there are places lead nowhere.
        for _ in 0..<min(offset.magnitude, UInt(textRange.upperBound.value) + 1) {
            let next = layout.moveVisually(place, toRight: (direction == .right) == (offset > 0))
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

    /// The text of a range; nil in a secure view.
    public func text(in range: TextRange) -> String? { isSecureTextEntry ? nil : string(in: offsets(range)) }

    /// Replaces a range, as the input system's own edit: a selection within it goes after the text, another keeps its
    /// text. A composition goes on beside the range; one that it touches ends, with its text kept.
    public func replace(_ range: TextRange, withText text: String) {
        asInputSystem {
            let target = offsets(range)
            if let marked = markedText?.range, marked.overlaps(target) || target == marked { keepMarkedText() }
            guard let taken = accepted(text, replacing: target) else { return }
            let isInside = target.holds(selection.range)
            let edit = store.replace(target, with: taken)
            if isInside { select(EditorSelection(caret: edit.insertedUTF16Range.upperBound)) }
        }
    }

    /// Whether there is any text.
    public var hasText: Bool { !store.text.isEmpty }

    // MARK: Selection and marked text

    /// The selection; setting it moves the caret without ending a composition.
    public var selectedTextRange: TextRange? {
        get {
            let range = selection.range
            return TextRange(
                start: position(range.lowerBound, selection.affinity),
                end: position(range.upperBound, selection.affinity)
            )
        }
        set {
            guard let newValue else { return }
            let range = offsets(newValue)
            asInputSystem {
                select(
                    EditorSelection(
                        anchor: store.text.roundedDown(toGrapheme: range.lowerBound),
                        head: store.text.roundedDown(toGrapheme: range.upperBound),
                        affinity: newValue.end.affinity))
            }
        }
    }

    /// Which side of a soft wrap the caret shows on.
    public var selectionAffinity: TextAffinity { selection.affinity }

    /// What is being composed; nil if nothing.
    public var markedTextRange: TextRange? { markedText.map { range($0.range) } }

    /// Marks text in place of what was marked, or of the selection; see the contract.
    public func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        asInputSystem {
            // Nothing marked and nothing to mark: the selection stays.
            guard let marked = self.markedText?.range ?? (markedText?.string.isEmpty ?? true ? nil : selection.range)
            else { return }
            mark(markedText ?? "", replacing: marked, selected: selectedRange)
        }
    }

    /// Ends the composition; its text stays.
    public func unmarkText() { asInputSystem { keepMarkedText() } }

    // MARK: Geometry

    /// Where the caret shows at a position, in view pixels.
    public func caretRect(for position: TextPosition) -> ViewRect {
        var rect = viewRect(layout.caretRect(at: store.offset(of: position), affinity: position.affinity))
        rect.size.width = theme.caretWidth
        return rect
    }

    /// What a range covers on its first visual line, in view pixels.
    public func firstRect(for range: TextRange) -> ViewRect {
        // What lies between the top edge and the range may only be estimated yet.
        layout.ensureLayout(around: scroll.anchor, above: 0, below: frame.height)
        return viewRect(layout.firstRect(for: offsets(range)).rect)
    }

    /// One rectangle for each visual line and direction run of a range, in view pixels; lines far out of sight are
    /// not laid out for it.
    public func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let offsets = offsets(range)
        let top = layout.lineFragment(at: offsets.lowerBound, affinity: .downstream).typographicBounds
        let bottom = layout.lineFragment(at: offsets.upperBound, affinity: .upstream).typographicBounds
        let area = DocumentRect(
            x: 0, y: top.minY, width: .greatestFiniteMagnitude, height: max(top.height, bottom.maxY - top.minY))
        return layout.selectionRects(for: offsets, within: area).map {
            TextSelectionRect(
                rect: viewRect($0.rect), writingDirection: $0.isRightToLeft ? .rightToLeft : .leftToRight,
                containsStart: $0.containsStart, containsEnd: $0.containsEnd)
        }
    }

    /// The position nearest to a point of the view.
    public func closestPosition(to point: ViewPoint) -> TextPosition? {
        let place = layout.location(closestTo: documentPoint(point))
        return position(place.offset, place.affinity)
    }

    /// The direction that the paragraph at a position is written in.
    public func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection {
        layout.isParagraphRightToLeft(at: store.offset(of: position)) ? .rightToLeft : .leftToRight
    }

    /// Sets the direction of all paragraphs, whatever the range: a plain text has one for all.
    public func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {
        options.baseWritingDirection = writingDirection
    }

    /// Words, lines and the like of this view.
    public var tokenizer: any TextInputTokenizer { ownTokenizer }
}

extension EditorView: TextInputClient {
    /// The view's origin on the root window.
    public var textInputViewOrigin: RootPoint {
        RootPoint(x: windowOrigin.x + frame.minX, y: windowOrigin.y + frame.minY)
    }

    /// From the top of the line to its baseline, in pixels.
    public func baselineDeltaForCharacter(at index: Int) -> Double {
        let offset = min(max(0, UTF16Offset(index)), textRange.upperBound)
        let line = layout.lineFragment(at: offset, affinity: .downstream)
        return line.baseline - line.typographicBounds.minY
    }

    /// Inserts finished text: over `replacementRange`, the marked text or the selection, in this order.
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        asInputSystem {
            guard isEditable else { return }
            let marked = markedText?.range
            let target = replacementRange.clamped(to: textRange)
            if let marked, target ?? marked == marked {
                let end = target == nil ? overwritten(by: string, at: marked.upperBound).upperBound : marked.upperBound
                return finishComposition(with: string, replacing: marked, overwritingTo: end)
            }
            keepMarkedText()
            if let target { userReplace(target, with: string, kind: .other) } else { type(string) }
        }
    }

    /// Marks text over `replacementRange`, the marked text or the selection, in this order.
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        guard let range = replacementRange.clamped(to: textRange), range != markedText?.range else {
            return setAttributedMarkedText(string, selectedRange: selectedRange)
        }
        asInputSystem {
            keepMarkedText()
            mark(string, replacing: range, selected: selectedRange)
        }
    }

    /// Does what a key that typed nothing is bound to.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { perform(command) }
}

/// A stretch of the view's text that moves with edits; what others insert at its ends stays outside.
final class StoreAnchor: InputAnchor {
    private var start: TextAnchor
    private var end: TextAnchor

    init(over range: Range<UTF16Offset>, in store: TextStore) {
        start = store.makeAnchor(at: range.lowerBound, gravity: .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }

    var offsets: Range<UTF16Offset> { start.offset..<max(start.offset, end.offset) }
    var range: UTF16Range { UTF16Range(offsets) }

    func move(over range: Range<UTF16Offset>, in store: TextStore) {
        start = store.makeAnchor(at: range.lowerBound, gravity: .downstream)
        end = store.makeAnchor(at: range.upperBound, gravity: .upstream)
    }
}

extension EditorView: AnchoredTextInput {
    /// An anchor over a range; what others insert at its ends stays outside.
    public func makeInputAnchor(for range: UTF16Range) -> any InputAnchor {
        StoreAnchor(over: range.clamped(to: textRange) ?? selection.range, in: store)
    }

    /// Replaces what an anchor covers; the user's selection keeps its text, and what is marked elsewhere stays marked.
    public func replaceText(at anchor: any InputAnchor, with text: String) {
        asInputSystem { place(text, over: anchor) }
    }
}

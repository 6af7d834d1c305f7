import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A text view that offers more to a ``TextInteraction`` than a plain `TextInput` does: several selected ranges,
/// the moving end of a range, and units of text.
public protocol PointerTextInput: TextInput {
    /// The selection; nil if nothing is selected and there is no caret.
    var selection: Selection? { get }
    /// Selects as an action of the user. If `scrolling` is true, scrolls so that the selection is visible.
    func select(_ new: Selection?, scrolling: Bool)
    /// Returns the caret position closest to a point of the view.
    func place(closestTo point: ViewPoint) -> CaretPlace
    /// Returns the unit of text around a caret position, in UTF-16 units. The range is empty for characters, and
    /// includes the newline for a paragraph. For words it is the gap between two words if the position lies there.
    func unit(_ granularity: TextGranularity, enclosing place: CaretPlace) -> Range<UTF16Offset>
    /// Returns the range of the object under a point, such as an attachment, which a click selects; nil for text.
    func object(at point: ViewPoint) -> Range<UTF16Offset>?
    /// Converts a point of the view to document pixels, which do not change when the view scrolls.
    func documentPoint(_ point: ViewPoint) -> DocumentPoint
    /// Returns the selection of the text in a rectangle between a fixed corner and the corner that follows the
    /// pointer.
    func selection(inRectangleFrom corner: DocumentPoint, to head: DocumentPoint) -> Selection
    /// Whether an offset may be visible. Does not lay out text that is out of view.
    func mayShow(_ offset: UTF16Offset) -> Bool
    /// Called before a press selects. Ends a composition, keeping its text, and makes typing after the press an
    /// undo step of its own.
    func pointerWillSelect()
    /// Performs the action of a control beside the text, such as a check box, at a pressed point. Returns false if
    /// there is no control; the press then applies to the text.
    func press(besideTextAt point: ViewPoint) -> Bool
    /// Returns the rectangle of the second caret for a position between text of different directions, in view
    /// pixels; nil for other positions.
    func secondaryCaretRect(for position: TextPosition) -> ViewRect?
    /// Whether the keyboard types right-to-left letters. A split caret shows this.
    var keyboardIsRightToLeft: Bool { get }
}

extension PointerTextInput {
    /// Returns nil: no objects.
    public func object(at point: ViewPoint) -> Range<UTF16Offset>? { nil }
    /// Returns false: no controls beside the text.
    public func press(besideTextAt point: ViewPoint) -> Bool { false }
    /// Returns nil: carets are never split.
    public func secondaryCaretRect(for position: TextPosition) -> ViewRect? { nil }
    /// False: the keyboard's direction is not known.
    public var keyboardIsRightToLeft: Bool { false }
}

/// A text view that a ``TextInteraction`` can scroll while a drag is held at its edge.
public protocol ScrollableTextInput: TextInput {
    /// The area that shows text, and how it scrolls.
    var autoscrollArea: Autoscroll.Area { get }
    /// Scrolls by a distance in pixels, down and to the right if positive; stops at the ends.
    func scroll(by dy: Double, dx: Double)
}

/// An adapter that gives a `TextInput` the UTF-16 offsets that the pointer's handling uses.
struct PointedText {
    let input: any TextInput
    /// The view as a ``PointerTextInput``; nil if it does not adopt this protocol.
    let several: (any PointerTextInput)?
    /// The range selected last by this interaction, for a view that does not remember the moving end.
    private let last: SelectionRange?

    init(_ input: any TextInput, last: SelectionRange?) {
        self.input = input
        several = input as? any PointerTextInput
        self.last = last
    }

    // MARK: Positions of carets

    /// Returns the caret position closest to a point of the view; nil if the view shows no text.
    func place(closestTo point: ViewPoint) -> CaretPlace? {
        if let several { return several.place(closestTo: point) }
        return input.closestPosition(to: point).map { CaretPlace(offset($0), affinity: $0.affinity) }
    }

    /// Returns the caret position for the unit of text at a point. For words it lies at the letter under the point,
    /// whichever edge of the letter is closer. If there is no letter, as in the blank area beside a line, the
    /// closest position is returned.
    func place(closestTo point: ViewPoint, by granularity: TextGranularity) -> CaretPlace? {
        guard granularity == .word, let cluster = letter(at: point) else { return place(closestTo: point) }
        return CaretPlace(offset(cluster.start))
    }

    /// Returns the grapheme cluster under a point. Nil if there is none, or if it is a newline.
    private func letter(at point: ViewPoint) -> TextRange? {
        guard let cluster = input.characterRange(at: point),
            input.text(in: cluster)?.contains(where: \.isNewline) != true
        else { return nil }
        return cluster
    }

    private func offset(_ position: TextPosition) -> UTF16Offset {
        UTF16Offset(input.offset(from: input.beginningOfDocument, to: position))
    }

    /// Returns the position at an offset, which is clamped to the text.
    func position(_ offset: UTF16Offset, _ affinity: TextAffinity = .downstream) -> TextPosition {
        var position = input.position(from: input.beginningOfDocument, offset: offset.value) ?? input.endOfDocument
        position.affinity = affinity
        return position
    }

    private func offsets(_ range: TextRange) -> Range<UTF16Offset> { offset(range.start)..<offset(range.end) }

    /// Returns the unit of text around a caret position; see ``PointerTextInput/unit(_:enclosing:)``.
    func unit(_ granularity: TextGranularity, enclosing place: CaretPlace) -> Range<UTF16Offset> {
        if let several { return several.unit(granularity, enclosing: place) }
        let tokenizer = input.tokenizer
        let here = position(place.offset, place.affinity)
        func unit(_ granularity: TextGranularity) -> Range<UTF16Offset>? {
            let sides: [TextDirection] = place.affinity == .upstream ? [.backward, .forward] : [.forward, .backward]
            for side in sides {
                if let found = tokenizer.rangeEnclosingPosition(here, with: granularity, inDirection: side) {
                    return offsets(found)
                }
            }
            return nil
        }
        switch granularity {
        case .character: return place.offset..<place.offset
        case .paragraph:
            let content = unit(.paragraph) ?? place.offset..<place.offset
            return content.lowerBound..<endOfNewline(at: content.upperBound)
        case .word:
            let paragraph = unit(.paragraph) ?? place.offset..<place.offset
            // At the end of a paragraph, and at the end of a wrapped line (upstream affinity), use the word before
            // the position.
            let isBefore = place.affinity == .upstream || place.offset >= paragraph.upperBound
            let searchesBackward = isBefore && place.offset > paragraph.lowerBound
            if let word = tokenizer.rangeEnclosingPosition(
                here, with: .word, inDirection: searchesBackward ? .backward : .forward)
            {
                return offsets(word)
            }
            return gap(at: searchesBackward ? UTF16Offset(place.offset.value - 1) : place.offset, within: paragraph)
        default: return unit(granularity) ?? place.offset..<place.offset
        }
    }

    /// Returns the gap between two words at an offset: consecutive white space, or one other character.
    private func gap(at offset: UTF16Offset, within paragraph: Range<UTF16Offset>) -> Range<UTF16Offset> {
        func character(at offset: UTF16Offset, _ side: TextDirection) -> (range: Range<UTF16Offset>, isBlank: Bool)? {
            guard
                let found = input.tokenizer.rangeEnclosingPosition(
                    position(offset), with: .character, inDirection: side)
            else { return nil }
            let range = offsets(found)
            guard range.lowerBound >= paragraph.lowerBound, range.upperBound <= paragraph.upperBound else { return nil }
            return (range, input.text(in: found)?.allSatisfy(\.isWhitespace) ?? false)
        }
        guard let here = character(at: offset, .forward) else { return offset..<offset }
        guard here.isBlank else { return here.range }
        var (low, high) = (here.range.lowerBound, here.range.upperBound)
        while let before = character(at: low, .backward), before.isBlank { low = before.range.lowerBound }
        while let behind = character(at: high, .forward), behind.isBlank { high = behind.range.upperBound }
        return low..<high
    }

    /// Returns the offset after the newline at an offset; the offset itself if there is none.
    private func endOfNewline(at offset: UTF16Offset) -> UTF16Offset {
        let start = position(offset)
        guard
            let next = input.tokenizer.rangeEnclosingPosition(start, with: .character, inDirection: .forward),
            input.text(in: next)?.contains(where: \.isNewline) == true
        else { return offset }
        return self.offset(next.end)
    }

    // MARK: Selection

    /// The selection of the view; nil if nothing is selected and there is no caret.
    var selection: Selection? {
        if let several { return several.selection }
        guard let selected = input.selectedTextRange else { return nil }
        let range = offsets(selected)
        if let last, last.range == range { return Selection(last) }
        return Selection(anchor: range.lowerBound, head: range.upperBound, affinity: input.selectionAffinity)
    }

    /// Whether a point lies on selected text. The blank area beside a line does not count, although it represents
    /// the newline.
    func isSelected(at point: ViewPoint) -> Bool {
        guard let selection, !selection.isEmpty, let cluster = letter(at: point) else { return false }
        return selection.contains(offset(cluster.start))
    }

    /// Whether the caret position closest to a point is in a selected range or at an end of one. Unlike
    /// ``isSelected(at:)``, also true in the blank area beside such a position.
    func isInSelection(_ point: ViewPoint) -> Bool {
        guard let selection, !selection.isEmpty, let place = place(closestTo: point) else { return false }
        return selection.ranges.contains {
            !$0.isCaret && ($0.range.lowerBound...$0.range.upperBound).contains(place.offset)
        }
    }

    /// Returns the index of the range that contains a caret position or ends at it; nil if there is none.
    static func index(of place: CaretPlace, in selection: Selection) -> Int? {
        selection.ranges.firstIndex { $0.range.contains(place.offset) || $0.range.upperBound == place.offset }
    }

    // MARK: Handles

    /// Returns the grapheme cluster before or after an offset; nil at the ends of the text.
    func character(at offset: UTF16Offset, _ side: TextDirection) -> Range<UTF16Offset>? {
        input.tokenizer.rangeEnclosingPosition(position(offset), with: .character, inDirection: side).map(offsets)
    }

    /// Returns a handle of a selected range; nil if the handle is far out of view. The handle is placed at the edge
    /// of the first or last selected character; if this is a newline, at the caret position.
    func handle(_ role: TextSelectionHandle.Role, of range: SelectionRange) -> TextSelectionHandle? {
        let offset = role == .start ? range.range.lowerBound : range.range.upperBound
        guard several?.mayShow(offset) ?? true else { return nil }
        let affinity: TextAffinity = role == .caret ? range.affinity : role == .start ? .downstream : .upstream
        var handle = TextSelectionHandle(
            edge: input.caretRect(for: position(offset, affinity)), role: role, isLeft: role == .start)
        handle.edge.size.width = 1
        guard role != .caret, let cluster = character(at: offset, role == .start ? .forward : .backward) else {
            return handle
        }
        let inside = TextRange(start: position(cluster.lowerBound), end: position(cluster.upperBound))
        guard input.text(in: inside)?.contains(where: \.isNewline) != true,
            let piece = input.selectionRects(for: inside).first
        else { return handle }
        handle.isLeft = (role == .start) != (piece.writingDirection == .rightToLeft)
        handle.edge = ViewRect(
            x: handle.isLeft ? piece.rect.minX : piece.rect.maxX, y: piece.rect.minY, width: 1,
            height: piece.rect.height)
        return handle
    }

    // MARK: Selecting

    /// Selects as an action of the user, and notifies the view's input delegate.
    func select(_ new: Selection) {
        if let several { return several.select(new, scrolling: false) }
        guard new != selection else { return }
        let range = new.range
        input.inputDelegate?.selectionWillChange(input)
        input.selectedTextRange = TextRange(
            start: position(range.lowerBound), end: position(range.upperBound, new.affinity))
        input.inputDelegate?.selectionDidChange(input)
    }

    /// Ends the composition, keeping its text, before a selection.
    func willSelect() {
        if let several { several.pointerWillSelect() } else { input.unmarkText() }
    }
}

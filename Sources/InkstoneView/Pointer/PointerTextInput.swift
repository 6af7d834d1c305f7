import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A text view that a ``TextInteraction`` can do more with than with any `TextInput`: it selects several ranges, remembers which end
/// of a range moves, and knows its units of text itself.
public protocol PointerTextInput: TextInput {
    /// Where the user is; nil if nothing is selected and there is no caret.
    var selection: Selection? { get }
    /// Selects something as the user's own doing, and brings it into sight if `scrolling`.
    func select(_ new: Selection?, scrolling: Bool)
    /// The place for a caret nearest to a point of the view.
    func place(closestTo point: ViewPoint) -> CaretPlace
    /// The unit of text around a place, in UTF-16 code units: empty for characters, with its newline for a paragraph, and what stands
    /// between two words where a place is there.
    func unit(_ granularity: TextGranularity, enclosing place: CaretPlace) -> Range<UTF16Offset>
    /// The character under a point that is an object, which a click selects; nil for text.
    func object(at point: ViewPoint) -> Range<UTF16Offset>?
    /// A point of the view in the document: where it stays when the text is scrolled.
    func documentPoint(_ point: ViewPoint) -> DocumentPoint
    /// What a rectangle selects between a corner that stays and one that follows the pointer.
    func selection(inRectangleFrom corner: DocumentPoint, to head: DocumentPoint) -> Selection
    /// Whether an offset may lie in sight; told without laying out what does not.
    func mayShow(_ offset: UTF16Offset) -> Bool
    /// A press is about to select: what is being composed ends, with its text kept, and what is typed next is a step of undo of its
    /// own.
    func pointerWillSelect()
    /// Does what a press on something that stands beside the text does there, such as a box to check; false where there is none, and the
    /// press means the text.
    func press(besideTextAt point: ViewPoint) -> Bool
    /// The other place of a caret where directions meet, for text of the other direction, in view pixels; nil where there is one only.
    func secondaryCaretRect(for position: TextPosition) -> ViewRect?
    /// Whether the keyboard types letters that are written from right to left: a caret tells it where directions meet.
    var keyboardIsRightToLeft: Bool { get }
}

extension PointerTextInput {
    /// No objects.
    public func object(at point: ViewPoint) -> Range<UTF16Offset>? { nil }
    /// Takes no press.
    public func press(besideTextAt point: ViewPoint) -> Bool { false }
    /// One caret everywhere.
    public func secondaryCaretRect(for position: TextPosition) -> ViewRect? { nil }
    /// Not known.
    public var keyboardIsRightToLeft: Bool { false }
}

/// A text view that a ``TextInteraction`` can scroll while a drag is held at its edge.
public protocol ScrollableTextInput: TextInput {
    /// Where text is seen, and how it scrolls.
    var autoscrollArea: Autoscroll.Area { get }
    /// Scrolls by a distance in pixels, down and to the right if positive; stops at the ends.
    func scroll(by dy: Double, dx: Double)
}

/// A `TextInput` as the pointer works on it, in UTF-16 offsets.
struct PointedText {
    let input: any TextInput
    /// The same, if it can do more.
    let several: (any PointerTextInput)?
    /// What was selected last in a view that does not remember which end moves.
    private let last: SelectionRange?

    init(_ input: any TextInput, last: SelectionRange?) {
        self.input = input
        several = input as? any PointerTextInput
        self.last = last
    }

    // MARK: Places

    /// The place for a caret nearest to a point of the view; nil if the view shows no text.
    func place(closestTo point: ViewPoint) -> CaretPlace? {
        if let several { return several.place(closestTo: point) }
        return input.closestPosition(to: point).map { CaretPlace(offset($0), affinity: $0.affinity) }
    }

    /// The place whose unit of text is meant at a point. Of words that is the one of the letter under the point, whichever of its edges
    /// is nearer; in the blank beside a line there is no letter.
    func place(closestTo point: ViewPoint, by granularity: TextGranularity) -> CaretPlace? {
        guard granularity == .word, let cluster = letter(at: point) else { return place(closestTo: point) }
        return CaretPlace(offset(cluster.start))
    }

    /// The grapheme cluster under a point that is no newline.
    private func letter(at point: ViewPoint) -> TextRange? {
        guard let cluster = input.characterRange(at: point),
            input.text(in: cluster)?.contains(where: \.isNewline) != true
        else { return nil }
        return cluster
    }

    private func offset(_ position: TextPosition) -> UTF16Offset {
        UTF16Offset(input.offset(from: input.beginningOfDocument, to: position))
    }

    /// The position at an offset, which is clamped.
    func position(_ offset: UTF16Offset, _ affinity: TextAffinity = .downstream) -> TextPosition {
        var position = input.position(from: input.beginningOfDocument, offset: offset.value) ?? input.endOfDocument
        position.affinity = affinity
        return position
    }

    private func offsets(_ range: TextRange) -> Range<UTF16Offset> { offset(range.start)..<offset(range.end) }

    /// The unit of text around a place; see ``PointerTextInput/unit(_:enclosing:)``.
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
            // At the end of a paragraph what stands before it.
            let isBefore = place.affinity == .upstream || place.offset >= paragraph.upperBound
            let looksBack = isBefore && place.offset > paragraph.lowerBound
            if let word = tokenizer.rangeEnclosingPosition(
                here, with: .word, inDirection: looksBack ? .backward : .forward)
            {
                return offsets(word)
            }
            return gap(at: looksBack ? UTF16Offset(place.offset.value - 1) : place.offset, within: paragraph)
        default: return unit(granularity) ?? place.offset..<place.offset
        }
    }

    /// What stands between two words at an offset: a run of blanks, or one character.
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

    /// Behind the newline at an offset; the offset itself if there is none.
    private func endOfNewline(at offset: UTF16Offset) -> UTF16Offset {
        let start = position(offset)
        guard
            let next = input.tokenizer.rangeEnclosingPosition(start, with: .character, inDirection: .forward),
            input.text(in: next)?.contains(where: \.isNewline) == true
        else { return offset }
        return self.offset(next.end)
    }

    // MARK: Selection

    /// What is selected; nil for nothing and no caret.
    var selection: Selection? {
        if let several { return several.selection }
        guard let selected = input.selectedTextRange else { return nil }
        let range = offsets(selected)
        if let last, last.range == range { return Selection(last) }
        return Selection(anchor: range.lowerBound, head: range.upperBound, affinity: input.selectionAffinity)
    }

    /// Whether a point lies on selected text; the blank beside a line does not, though it stands for the newline.
    func isSelected(at point: ViewPoint) -> Bool {
        guard let selection, !selection.isEmpty, let cluster = letter(at: point) else { return false }
        return selection.contains(offset(cluster.start))
    }

    /// Whether a point lies on selected text, or in the blank beside a line whose end is selected.
    func isInSelection(_ point: ViewPoint) -> Bool {
        guard let selection, !selection.isEmpty, let place = place(closestTo: point) else { return false }
        return selection.ranges.contains {
            !$0.isCaret && ($0.range.lowerBound...$0.range.upperBound).contains(place.offset)
        }
    }

    /// The range whose text or end a place is.
    static func index(of place: CaretPlace, in selection: Selection) -> Int? {
        selection.ranges.firstIndex { $0.range.contains(place.offset) || $0.range.upperBound == place.offset }
    }

    // MARK: Handles

    /// The grapheme cluster before or behind an offset; nil at the ends.
    func character(at offset: UTF16Offset, _ side: TextDirection) -> Range<UTF16Offset>? {
        input.tokenizer.rangeEnclosingPosition(position(offset), with: .character, inDirection: side).map(offsets)
    }

    /// A handle of a range; nil if it is far out of sight. At the edge of the text that is selected, where that is not a newline.
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

    /// Selects, as the user's own doing: who feeds the view hears of it.
    func select(_ new: Selection) {
        if let several { return several.select(new, scrolling: false) }
        guard new != selection else { return }
        let range = new.range
        input.inputDelegate?.selectionWillChange(input)
        input.selectedTextRange = TextRange(
            start: position(range.lowerBound), end: position(range.upperBound, new.affinity))
        input.inputDelegate?.selectionDidChange(input)
    }

    /// What is being composed ends.
    func willSelect() {
        if let several { several.pointerWillSelect() } else { input.unmarkText() }
    }
}

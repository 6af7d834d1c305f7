public import InkstoneBase
public import InkstoneText

extension TextInput {
    /// Every change is allowed.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool { true }
    /// The text may be edited.
    public var isEditable: Bool { true }
    /// The text is no secret.
    public var isSecureTextEntry: Bool { false }
    /// The affinity of the selection's end.
    public var selectionAffinity: TextAffinity { selectedTextRange?.end.affinity ?? .downstream }

    /// Whether the document has any text.
    public var hasText: Bool { offset(from: beginningOfDocument, to: endOfDocument) > 0 }

    /// Replaces the selection; what was marked becomes ordinary text.
    public func insertText(_ text: String) {
        guard let range = selectedTextRange else { return }
        replace(range, withText: text)
        unmarkText()
    }

    /// Deletes the selection or the cluster before the caret.
    public func deleteBackward() {
        guard let range = selectedTextRange else { return }
        guard range.isEmpty else { return replace(range, withText: "") }
        guard
            let cluster = tokenizer.rangeEnclosingPosition(range.start, with: .character, inDirection: .backward)
        else { return }
        replace(cluster, withText: "")
    }

    /// Marks text without clauses.
    public func setMarkedText(_ markedText: String?, selectedRange: UTF16Range) {
        setAttributedMarkedText(markedText.map { InputText($0) }, selectedRange: selectedRange)
    }

    /// The range between two positions, in either order.
    public func textRange(from fromPosition: TextPosition, to toPosition: TextPosition) -> TextRange? {
        compare(fromPosition, to: toPosition) == .orderedDescending
            ? TextRange(start: toPosition, end: fromPosition) : TextRange(start: fromPosition, end: toPosition)
    }

    /// By the sign of the offset between the two.
    public func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison {
        let distance = offset(from: position, to: other)
        return distance > 0 ? .orderedAscending : distance < 0 ? .orderedDescending : .orderedSame
    }

    /// The start of the range to the left and up, its end to the right and down: right for left-to-right text only.
    public func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition? {
        switch direction {
        case .left, .up: range.start
        case .right, .down: range.end
        }
    }

    /// From the position to its line's end on that side: right for left-to-right text only.
    public func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange? {
        let line = tokenizer.rangeEnclosingPosition(position, with: .line, inDirection: .forward)
        switch direction {
        case .left, .up: return textRange(from: line?.start ?? beginningOfDocument, to: position)
        case .right, .down: return textRange(from: position, to: line?.end ?? endOfDocument)
        }
    }

    /// Natural.
    public func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection { .natural }

    /// Does nothing: a view without paragraph attributes keeps the natural direction.
    public func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {}

    /// The first of the selection's rectangles, widened to all that lie on its line; the caret's without any.
    public func firstRect(for range: TextRange) -> ViewRect {
        let pieces = selectionRects(for: range).map(\.rect)
        guard let first = pieces.first else { return caretRect(for: range.start) }
        return pieces.prefix { $0.minY < first.maxY && $0.maxY > first.minY }.reduce(first) { $0.union($1) }
    }

    /// The caret position nearest to the point, moved into the range.
    public func closestPosition(to point: ViewPoint, within range: TextRange) -> TextPosition? {
        guard let position = closestPosition(to: point) else { return nil }
        if compare(position, to: range.start) == .orderedAscending { return range.start }
        if compare(position, to: range.end) == .orderedDescending { return range.end }
        return position
    }

    /// The cluster beside the nearest caret position whose rectangle holds the point.
    public func characterRange(at point: ViewPoint) -> TextRange? {
        guard let position = closestPosition(to: point) else { return nil }
        for direction in [TextDirection.forward, .backward] {
            if let range = tokenizer.rangeEnclosingPosition(position, with: .character, inDirection: direction),
                selectionRects(for: range).contains(where: { $0.rect.contains(point) })
            {
                return range
            }
        }
        return nil
    }

    /// The view itself.
    public var textInputView: AnyObject { self }
}

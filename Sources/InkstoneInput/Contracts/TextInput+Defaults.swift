public import InkstoneBase
public import InkstoneText
import InkstoneUnicode

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

    /// Deletes the selection or what was typed last before the caret: of a cluster whose marks are typed one by one the last code point.
    public func deleteBackward() {
        guard let range = selectedTextRange else { return }
        guard range.isEmpty else { return replace(range, withText: "") }
        guard
            let cluster = tokenizer.rangeEnclosingPosition(range.start, with: .character, inDirection: .backward)
        else { return }
        // A view that shows no text of its own, such as a secure one, deletes clusters.
        let length = self.text(in: cluster).map(BackspaceRule.length(ofLastIn:)) ?? 0
        guard length > 0, let start = position(from: cluster.end, offset: -length),
            compare(cluster.start, to: start) == .orderedAscending, let last = textRange(from: start, to: cluster.end)
        else { return replace(cluster, withText: "") }
        replace(last, withText: "")
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

    /// The end of the range that lies up or down. To the left and right on one line the edge of what the range covers there,
    /// of several lines the end on that side by the base direction. O(n) in the range.
    public func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition? {
        switch direction {
        case .up: return range.start
        case .down: return range.end
        case .left, .right: break
        }
        var end = range.end
        end.affinity = .upstream
        if !range.isEmpty, caretRect(for: range.start).minY == caretRect(for: end).minY {
            let covered = selectionRects(for: range).map(\.rect)
            let edge = direction == .left ? covered.map(\.minX).min() : covered.map(\.maxX).max()
            // Just inside, so that the text beside it is not hit.
            if let edge, let first = covered.first {
                let point = ViewPoint(x: edge + (direction == .left ? 0.25 : -0.25), y: first.minY + first.height / 2)
                return closestPosition(to: point, within: range)
            }
        }
        let isRightToLeft = baseWritingDirection(for: range.start, in: .forward) == .rightToLeft
        return (direction == .right) != isRightToLeft ? range.end : range.start
    }

    /// From the position to the start or end of its line: up to the start and down to the end, left and right by the base
    /// direction.
    public func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange? {
        let line = tokenizer.rangeEnclosingPosition(position, with: .line, inDirection: .forward)
        let isRightToLeft = baseWritingDirection(for: position, in: .forward) == .rightToLeft
        let isForward =
            switch direction {
            case .up: false
            case .down: true
            case .left: isRightToLeft
            case .right: !isRightToLeft
            }
        return isForward
            ? textRange(from: position, to: line?.end ?? endOfDocument)
            : textRange(from: line?.start ?? beginningOfDocument, to: position)
    }

    /// Those of all the range's rectangles that meet `area`. A view that lays out what is seen does better.
    public func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect] {
        selectionRects(for: range).filter { $0.rect.intersects(area) }
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

    /// The cluster beside the nearest caret position whose carets stand on both sides of the point. The rectangle of a selection
    /// reaches further: to the edge where the range goes on behind a line.
    public func characterRange(at point: ViewPoint) -> TextRange? {
        guard let position = closestPosition(to: point) else { return nil }
        for direction in [TextDirection.forward, .backward] {
            if let range = tokenizer.rangeEnclosingPosition(position, with: .character, inDirection: direction),
                selectionRects(for: range).contains(where: { $0.rect.contains(point) }),
                isBetweenCarets(point, of: range)
            {
                return range
            }
        }
        return nil
    }

    private func isBetweenCarets(_ point: ViewPoint, of range: TextRange) -> Bool {
        var (start, end) = (range.start, range.end)
        (start.affinity, end.affinity) = (.downstream, .upstream)
        let (first, last) = (caretRect(for: start), caretRect(for: end))
        // A newline ends on another line: there is nothing of it to be seen.
        guard first.minY < last.maxY, last.minY < first.maxY else { return false }
        return point.x >= min(first.minX, last.minX) && point.x < max(first.minX, last.minX)
    }

    /// The view itself.
    public var textInputView: AnyObject { self }
}

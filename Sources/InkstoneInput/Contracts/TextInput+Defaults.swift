public import InkstoneBase
public import InkstoneText
import InkstoneUnicode

extension TextInput {
    /// Returns true: every change is allowed.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool { true }
    /// True: the text may be edited.
    public var isEditable: Bool { true }
    /// False: the text is not secret.
    public var isSecureTextEntry: Bool { false }
    /// The affinity of the selection's end; downstream without a selection.
    public var selectionAffinity: TextAffinity { selectedTextRange?.end.affinity ?? .downstream }

    /// Whether the document has any text.
    public var hasText: Bool { offset(from: beginningOfDocument, to: endOfDocument) > 0 }

    /// Replaces the selection by the text; marked text becomes ordinary text. Does nothing without a selection.
    public func insertText(_ text: String) {
        guard let range = selectedTextRange else { return }
        replace(range, withText: text)
        unmarkText()
    }

    /// Deletes the selection, or else the last typed unit before the caret. In scripts whose marks are typed one by
    /// one, the unit is the last code point of a cluster; in all others, and in a secure view, it is the whole
    /// cluster. Does nothing without a selection.
    public func deleteBackward() {
        guard let range = selectedTextRange else { return }
        guard range.isEmpty else { return replace(range, withText: "") }
        guard
            let cluster = tokenizer.rangeEnclosingPosition(range.start, with: .character, inDirection: .backward)
        else { return }
        // A view that does not reveal its text, such as a secure view, returns no text for the cluster. Delete the
        // whole cluster then.
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

    /// Returns the range between two positions, in either order. Never nil.
    public func textRange(from fromPosition: TextPosition, to toPosition: TextPosition) -> TextRange? {
        compare(fromPosition, to: toPosition) == .orderedDescending
            ? TextRange(start: toPosition, end: fromPosition) : TextRange(start: fromPosition, end: toPosition)
    }

    /// Compares two positions by the sign of the offset between them.
    public func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison {
        let distance = offset(from: position, to: other)
        return distance > 0 ? .orderedAscending : distance < 0 ? .orderedDescending : .orderedSame
    }

    /// For up, returns the start of the range; for down, its end. For left and right, returns the position at that
    /// edge of the range if the range is on one line. If the range is on several lines, returns its start or end,
    /// depending on the base direction. O(n) in the length of the range.
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
            // Use a point just inside the edge. At the edge itself, the hit test would find the text beside it.
            if let edge, let first = covered.first {
                let point = ViewPoint(x: edge + (direction == .left ? 0.25 : -0.25), y: first.minY + first.height / 2)
                return closestPosition(to: point, within: range)
            }
        }
        let isRightToLeft = baseWritingDirection(for: range.start, in: .forward) == .rightToLeft
        return (direction == .right) != isRightToLeft ? range.end : range.start
    }

    /// Returns the range from the position to the start or end of its line. The direction `up` means the start and
    /// `down` the end; `left` and `right` depend on the base direction.
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

    /// Returns those rectangles of the range that intersect `area`. A view that lays out only visible text should
    /// override this method.
    public func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect] {
        selectionRects(for: range).filter { $0.rect.intersects(area) }
    }

    /// Returns ``WritingDirection/natural``: the default for a view without paragraph attributes.
    public func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection { .natural }

    /// Does nothing: a view without paragraph attributes keeps the natural direction.
    public func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {}

    /// Returns the union of the range's rectangles on its first line; for an empty range, the caret's rectangle.
    public func firstRect(for range: TextRange) -> ViewRect {
        let pieces = selectionRects(for: range).map(\.rect)
        guard let first = pieces.first else { return caretRect(for: range.start) }
        return pieces.prefix { $0.minY < first.maxY && $0.maxY > first.minY }.reduce(first) { $0.union($1) }
    }

    /// Returns the caret position closest to the point, clamped to the range. Nil only if the view shows no text.
    public func closestPosition(to point: ViewPoint, within range: TextRange) -> TextPosition? {
        guard let position = closestPosition(to: point) else { return nil }
        if compare(position, to: range.start) == .orderedAscending { return range.start }
        if compare(position, to: range.end) == .orderedDescending { return range.end }
        return position
    }

    /// Returns the cluster under the point: the cluster before or after the closest caret position, if the point lies
    /// between the carets at both of its ends. Nil if there is none. The rectangles of a selection are not enough to
    /// find the cluster: they extend to the edge of the view if the range continues after a line.
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
        // If the carets at both ends are on different lines, the cluster is a newline. A newline has no visible
        // extent.
        guard first.minY < last.maxY, last.minY < first.maxY else { return false }
        return point.x >= min(first.minX, last.minX) && point.x < max(first.minX, last.minX)
    }

    /// The view itself: the default for a view whose geometry is in its own coordinates.
    public var textInputView: AnyObject { self }
}

import InkstoneBase
import InkstoneLayout
import InkstoneText

/// Where the caret is and how it looks.
///
/// Where directions meet, one place in the text has two on the screen: the caret stands at one of them and a half-height
/// one at the other; a flag at the caret's top points to where the keyboard's letters go, right or left.
extension EditorView {
    /// The caret where it was painted and where it belongs now.
    func damageCaret() {
        for rect in shownCarets { setNeedsDisplay(rect) }
        for part in caretPartsInSight { setNeedsDisplay(part) }
    }

    /// Whether a caret stands anywhere.
    var showsCaret: Bool {
        guard let selection else { return false }
        return selection.count == 1 ? selection.isCaret : selection.ranges.contains(where: \.isCaret)
    }

    /// What is painted for each caret in sight, in view pixels: carets out of sight are not laid out for. A key asks several
    /// times, so the parts of a single caret are kept as long as all stays that they come from.
    var caretPartsInSight: [ViewRect] {
        guard showsCaret, let selection else { return [] }
        let visible = visibleDocumentRect
        if selection.count > 1 {
            return selection.ranges(touching: visibleRange).filter(\.isCaret).flatMap { caretParts(of: $0) }
        }
        func key() -> CaretKey {
            CaretKey(
                generation: layout.generation, head: primary.head, affinity: primary.affinity, visible: visible,
                width: theme.caretWidth, keyboardIsRightToLeft: keyboardIsRightToLeft, isOverwriting: isOverwriting)
        }
        if let knownCaret, knownCaret.key == key() { return knownCaret.parts }
        let parts = layout.mayShow(primary.head, in: visible) ? caretParts(of: primary) : []
        // Of the time after asking, which may have laid out. Where a caret covers a letter it depends on more.
        knownCaret = isOverwriting ? nil : (key(), parts)
        return parts
    }

    /// All that is painted for a caret, in view pixels: the caret first, then flag and second caret if it is split.
    private func caretParts(of range: SelectionRange) -> [ViewRect] {
        let caret = caretBar(layout.caretRect(at: range.head, affinity: range.affinity))
        if let line = overwritingCaret(at: range.head) { return [caret, line] }
        guard let other = layout.secondaryCaretRect(at: range.head, affinity: range.affinity) else {
            return [caret]
        }
        var second = caretBar(other)
        second.size.height = (second.height / 2).rounded()
        second.origin.y = caret.maxY - second.height
        // A triangle as high as wide, of bars that get shorter downwards.
        let width = theme.caretWidth
        var parts = [caret, second]
        let length = max(3, (lineStep / 5).rounded())
        let step = max(1, (length / 4).rounded())
        var y = 0.0
        while y < length {
            let reach = length - y
            parts.append(
                ViewRect(
                    x: keyboardIsRightToLeft ? caret.minX - reach : caret.minX + width, y: caret.minY + y, width: reach,
                    height: step))
            y += step
        }
        return parts
    }

    private func caretBar(_ rect: DocumentRect) -> ViewRect {
        var rect = viewRect(rect)
        rect.origin.x = max(0, rect.origin.x.rounded() - (theme.caretWidth / 2).rounded(.down))
        rect.size.width = theme.caretWidth
        return rect
    }

    func paintCaret(on canvas: any Canvas, within visible: ViewRect) {
        shownCarets = []
        guard !caretIsHidden else { return }
        shownCarets = caretPartsInSight
        if isFocused, !blink.isVisible(at: clock()) { return }
        let color = isFocused ? theme.caret : theme.caret.withAlpha(90)
        for part in shownCarets where part.intersects(visible) { canvas.fill(windowRect(part), color) }
    }
}

/// What the caret's place on the screen comes from.
struct CaretKey: Equatable {
    var generation: Int
    var head: UTF16Offset
    var affinity: TextAffinity
    var visible: DocumentRect
    var width: Double
    var keyboardIsRightToLeft: Bool
    var isOverwriting: Bool
}

import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A step of updating the screen after a change.
enum Repaint: Hashable {
    /// Paints a rectangle of the view, in view pixels.
    case paint(ViewRect)
    /// Moves the pixels of a rectangle down within it by a whole number of pixels, up if negative, and paints the
    /// uncovered strip.
    case move(ViewRect, by: Double)
}

/// Computation of the damage after a change. The damage is as small as possible, but includes ink that extends
/// beyond lines.
extension Painter {
    typealias Report = (Repaint) -> Void

    /// Damages the visible lines of a range. Pass `includingInk` if the glyphs have changed, not only their
    /// background.
    func damage(
        _ offsets: Range<UTF16Offset>, includingInk: Bool = false, in scene: TextScene, _ report: Report
    ) {
        let range = offsets.clamped(into: scene.visibleRange)
        let top = scene.layout.geometry.lineFragment(at: range.lowerBound, affinity: .upstream).typographicBounds
        let bottom = scene.layout.geometry.lineFragment(at: range.upperBound, affinity: .downstream).typographicBounds
        let reach = includingInk ? inkReach : 0
        report(
            .paint(scene.viewport.textBand(from: top.minY - reach, to: max(top.maxY, bottom.maxY) + reach)))
    }

    /// Damages the lines that an edit has changed, including the ink that extended beyond them before and after the
    /// edit, and moves the pixels below.
    ///
    /// - Parameter oldY: the scroll position before the edit.
    func damage(_ change: LayoutChange, scrolledFrom oldY: Double, in scene: TextScene, _ report: Report) {
        let viewport = scene.viewport
        let shown = viewport.visibleDocumentRect
        let band = change.band
        if viewport.scroll.y != oldY {
            // The scroll position has changed with the edit. If all changed lines are above the view, the visible
            // pixels stay where they are. Otherwise the first visible line has moved: repaint everything.
            let isAbove =
                band.maxY + inkReach <= shown.minY && viewport.scroll.y - oldY == change.heightDelta
            return isAbove ? () : report(.paint(viewport.textArea))
        }
        let limit = scene.inkLimit
        let low = max(band.minY, shown.minY - limit)
        let high = min(band.maxY, shown.maxY + limit)
        noteInk(from: low, to: high, in: scene, limit: limit)
        let top = low - inkReach
        guard change.heightDelta != 0 else {
            return report(.paint(changedPart(of: change, from: top, to: high + inkReach, in: scene)))
        }
        // The pixels below the changed lines move. The scroll bar at the lower edge of the view does not.
        let newBottom = change.heightDelta > 0 ? band.maxY : band.maxY + change.heightDelta
        let below = viewport.textBand(from: min(newBottom, newBottom - change.heightDelta), to: shown.maxY)
            .intersection(viewport.textArea)
        guard below.minY > 0, below.height > abs(change.heightDelta) + scene.layout.lineHeight else {
            return report(.paint(viewport.textBand(from: top, to: shown.maxY)))
        }
        moveCarets(below: below.minY, by: change.heightDelta)
        report(.move(below, by: change.heightDelta))
        report(.paint(viewport.textBand(from: top, to: newBottom + inkReach)))
    }

    /// Returns the rectangle to repaint for a band of lines that an edit has changed. If `change` concerns only a
    /// part of one line, this is that part; otherwise the whole lines.
    private func changedPart(
        of change: LayoutChange, from top: Double, to bottom: Double, in scene: TextScene
    ) -> ViewRect {
        let band = change.band
        var rect = scene.viewport.textBand(from: top, to: bottom)
        // The changed part was measured by glyphs alone. Underlines, backgrounds and white-space symbols may extend
        // beyond it. If there are any, repaint the whole lines.
        guard band.width < scene.layout.container.width, scene.markedText == nil, !guides.contains(.whiteSpace),
            scene.layout.decoratedRuns(in: change.utf16Range).isEmpty
        else { return rect }
        let part = scene.viewport.viewRect(band).insetBy(-1).integral
        rect.size.width = min(rect.maxX, part.maxX) - max(0, part.minX)
        rect.origin.x = max(0, part.minX)
        return rect
    }

    /// Damages the text that is selected in only one of two selections; if either has several ranges, all text that is
    /// selected in either. Carets are not included.
    func damage(from old: Selection?, to new: Selection?, in scene: TextScene, _ report: Report) {
        guard let old, let new, old.count == 1, new.count == 1 else {
            let visible = scene.visibleRange
            for selection in [old, new] {
                for range in selection?.ranges(touching: visible) ?? [] where !range.isCaret {
                    damage(range.range, in: scene, report)
                }
            }
            return
        }
        guard !(old.isCaret && new.isCaret) else { return }
        damage(min(old.anchor, new.anchor)..<max(old.anchor, new.anchor), in: scene, report)
        damage(min(old.head, new.head)..<max(old.head, new.head), in: scene, report)
        guard old.isCaret != new.isCaret else { return }
        damage(new.range, in: scene, report)
        damage(old.range, in: scene, report)
    }

    /// Damages the carets' rectangles as last painted (``shownCarets``) and as they are now.
    func damageCarets(now carets: [ColoredRect], _ report: Report) {
        for part in shownCarets { report(.paint(part.rect)) }
        for part in carets { report(.paint(part.rect)) }
    }

    /// Damages the thumbs of the scroll bars that have changed, at their old and their new rectangles. Records the new
    /// thumbs, which are painted until the next call. Thumbs must not be computed again at painting: estimated heights
    /// may have become exact by then, and a thumb would lie outside of the damage.
    func damageThumbs(now thumbs: ScrollThumbs, _ report: Report) {
        guard thumbs != shownThumbs else { return }
        for axis in ScrollAxis.allCases where thumbs[axis] != shownThumbs[axis] {
            for rect in [thumbs[axis], shownThumbs[axis]] { if let rect { report(.paint(rect)) } }
        }
        shownThumbs = thumbs
    }

    /// Damages the handles' rectangles as last painted (``shownHandles``) and as they are now. Records the new ones.
    func damageHandles(now handles: [[ColoredRect]], _ report: Report) {
        guard handles != shownHandles else { return }
        for parts in shownHandles + handles {
            if let first = parts.first { report(.paint(parts.reduce(first.rect) { $0.union($1.rect) })) }
        }
        shownHandles = handles
    }

    /// Moves the recorded rectangles of carets, their lines, handles and fading pictures that lie below `y`, in view
    /// pixels, down by `dy` pixels.
    func moveCarets(below y: Double = -.infinity, by dy: Double) {
        moveFades(below: y, by: dy)
        for handle in shownHandles.indices {
            for i in shownHandles[handle].indices where shownHandles[handle][i].rect.minY >= y {
                shownHandles[handle][i].rect.origin.y += dy
            }
        }
        for i in shownCarets.indices where shownCarets[i].rect.minY >= y { shownCarets[i].rect.origin.y += dy }
        for i in shownCaretLines.indices where shownCaretLines[i].minY >= y { shownCaretLines[i].origin.y += dy }
    }

    // MARK: Ink outside of lines

    /// Records how far the ink of the lines in a band of the document extends beyond them.
    private func noteInk(from top: Double, to bottom: Double, in scene: TextScene, limit: Double) {
        guard top < bottom else { return }
        let viewport = scene.viewport
        let band = DocumentRect(
            x: viewport.visibleDocumentRect.minX, y: top, width: max(1, viewport.frame.width), height: bottom - top)
        inkReach = max(inkReach, scene.layout.inkReach(in: band, limit: limit))
    }
}

import InkstoneBase
import InkstoneText

/// What an edit did to the layout.
public struct LayoutChange: Sendable {
    /// Top and bottom of what has to be painted anew where it was and where it is, in pixels of the document: the lines
    /// that changed. As wide as the container. Below it nothing changed but that it may have moved.
    public var band: DocumentRect
    /// How far everything below the band moved down, in pixels; negative upwards.
    public var heightDelta: Double
    /// The paragraphs that were laid out anew, in UTF-16 units of the new text.
    public var utf16Range: Range<UTF16Offset>
}

extension TextLayoutManager {
    /// Follows an edit of the store: call it for each, in order. Only the paragraphs touched are laid out anew.
    ///
    /// O(log n) and the paragraphs' own length; large insertions are left until they are asked for.
    @discardableResult
    public func apply(_ edit: TextEdit) -> LayoutChange {
        if store.version == edit.after { text = store.text } else { text.replace(edit.range, with: edit.inserted) }
        rendering.apply(edit)
        let low = edit.utf16Range.lowerBound.value
        let high = edit.utf16Range.upperBound.value
        let delta = edit.delta.utf16

        var (first, before) = tree.piece(at: low)
        let startsParagraph = before.units == 0 || tree.piece(at: before.units - 1).piece.paragraphs > 0
        if !startsParagraph, !first.isGap, !isUnwrapped, low - before.units < 64 {
            // What was typed may fit the line above.
            (first, before) = tree.piece(at: before.units - 1)
        }
        var (last, beforeLast) = high == low ? (first, before) : tree.piece(at: high)
        if high == low, before.units + first.units <= low { (last, beforeLast) = tree.piece(at: low) }
        let old = before.units..<beforeLast.units + last.units
        let oldParagraphs = beforeLast.paragraphs + last.paragraphs - before.paragraphs
        let oldTop = top(of: before)
        var sumToEnd = beforeLast
        sumToEnd += PieceSum(last)
        let oldBottom = top(of: sumToEnd)
        let oldLayout = old.upperBound - old.lowerBound == first.units ? first.layout : nil

        let units = old.count + delta
        let paragraphs = oldParagraphs + edit.delta.newlines
        if first.isGap, last.isGap, old.count > 1 << 16 || first.units != old.count {
            tree.replace(
                old, with: [Piece(units: units, paragraphs: paragraphs, height: 0, isGap: true, layout: nil)])
        } else {
            relayOut(old, units: units, paragraphs: paragraphs)
        }
        let end = min(old.lowerBound + units, text.metrics.utf16)
        let newBottom = top(of: prefix(through: old.lowerBound + units))
        var change = LayoutChange(
            band: DocumentRect(
                x: 0, y: oldTop, width: container.width,
                height: max(oldBottom, newBottom, oldTop + (isUnwrapped ? lineHeight : 0)) - oldTop),
            heightDelta: newBottom - oldBottom,
            utf16Range: UTF16Offset(old.lowerBound)..<UTF16Offset(max(old.lowerBound, end)))
        if let oldLayout, let new = tree.piece(at: old.lowerBound).piece.layout {
            narrow(&change, from: oldLayout, to: new, top: oldTop, edit: low - old.lowerBound, delta: delta)
        }
        if let old = first.layout, let new = tree.piece(at: before.units).piece.layout,
            old.shaped.baseLevel != new.shaped.baseLevel, !(new.startsParagraph && new.endsParagraph)
        {
            // The first strong letter of a long paragraph changed: all its segments turn round.
            let paragraph = Paragraph(text, holding: min(before.units, text.metrics.utf16))
            let above = usageHeight
            invalidateLayout(for: UTF16Offset(paragraph.start)..<UTF16Offset(paragraph.contentEnd))
            change.heightDelta += usageHeight - above
            let top = top(of: tree.piece(at: paragraph.start).before)
            change.band = DocumentRect(x: 0, y: top, width: container.width, height: max(0, usageHeight - top))
        }
        evict()
        return change
    }

    /// The lengths before a unit that a piece starts at.
    private func prefix(through unit: Int) -> PieceSum {
        if unit >= tree.total.units { return tree.total }
        return tree.piece(at: unit).before
    }

    /// Replaces a range of pieces by the new text's paragraphs: laid out if they are few, else a gap.
    ///
    /// Lines of a long paragraph may come to end elsewhere than those of the segment before: then the next segments are
    /// laid out too until their ends agree, and after some tries the rest of the paragraph is forgotten.
    private func relayOut(_ old: Range<Int>, units: Int, paragraphs: Int) {
        var pieces: [Piece] = []
        var replacedEnd = old.upperBound
        let delta = units - old.count
        var at = old.lowerBound
        var missing = paragraphs
        var absorbed = 0
        let small = units <= 1 << 15 && paragraphs <= 64
        while small, at < replacedEnd + delta {
            let paragraph = Paragraph(text, holding: min(at, text.metrics.utf16))
            let made = layOutNext(from: at, in: paragraph, limit: replacedEnd + delta, passesLimit: true)
            pieces.append(made)
            at += made.units
            missing -= made.paragraphs
            while at > replacedEnd + delta {
                let next = tree.piece(at: replacedEnd).piece
                replacedEnd += next.units
                missing += next.paragraphs
                absorbed = next.isGap ? .max : absorbed + 1
            }
            if absorbed > 1 { break }
        }
        if absorbed > 1, absorbed < .max, at < replacedEnd + delta {
            // Give up the rest of the paragraph.
            while missing == 0, replacedEnd < tree.total.units {
                let next = tree.piece(at: replacedEnd).piece
                replacedEnd += next.units
                missing += next.paragraphs
            }
        }
        let end = replacedEnd + delta
        if at < end {
            pieces.append(Piece(units: end - at, paragraphs: missing, height: 0, isGap: true, layout: nil))
        }
        tree.replace(old.lowerBound..<replacedEnd, with: pieces)
    }

    /// Cuts a change down to the lines that differ, where one piece took the place of one.
    private func narrow(
        _ change: inout LayoutChange, from old: LaidPiece, to new: LaidPiece, top: Double, edit: Int, delta: Int
    ) {
        guard old.shaped.baseLevel == new.shaped.baseLevel else { return }
        var head = 0
        while head < min(old.lines.count, new.lines.count), same(old.lines[head], new.lines[head], 0),
            Int(new.lines[head].end) < edit
        {
            head += 1
        }
        var oldTail = old.lines.count
        var newTail = new.lines.count
        while oldTail > head, newTail > head, same(old.lines[oldTail - 1], new.lines[newTail - 1], Int32(delta)),
            Int(new.lines[newTail - 1].start) > edit + max(0, delta),
            old.lines[oldTail - 1].y == new.lines[newTail - 1].y
        {
            oldTail -= 1
            newTail -= 1
        }
        let upper = head < new.lines.count ? Double(new.lines[head].y) : Double(new.height)
        let oldLower = oldTail > 0 ? Double(old.lines[oldTail - 1].y + old.lines[oldTail - 1].height) : 0
        let newLower = newTail > 0 ? Double(new.lines[newTail - 1].y + new.lines[newTail - 1].height) : 0
        let lower = max(oldLower, newLower, upper)
        change.band = DocumentRect(x: 0, y: top + upper, width: container.width, height: lower - upper)
    }

    private func same(_ a: LineRecord, _ b: LineRecord, _ delta: Int32) -> Bool {
        a.start + delta == b.start && a.end + delta == b.end && a.width == b.width && a.roomX == b.roomX
            && a.height == b.height && a.isWrapped == b.isWrapped
    }

    /// Drops the lines of pieces that were not used for long; their heights stay.
    func evict() {
        guard live.count > 1024 else { return }
        live.sort { $0.lastUse > $1.lastUse }
        let kept = Set(live.prefix(512).map { ObjectIdentifier($0) })
        live.removeSubrange(512...)
        tree.dropLayouts { !kept.contains(ObjectIdentifier($0)) }
    }
}

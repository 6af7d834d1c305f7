import InkstoneBase
import InkstoneText

/// What an edit did to the layout.
public struct LayoutChange: Sendable {
    /// What has to be painted anew where it was and where it is, in pixels of the document: the lines that changed, and
    /// of a single line only the part that changed, ink beyond the glyphs' boxes included. It may be wider than the
    /// container where text hangs over. Below it nothing changed but that it may have moved; where the lines that follow
    /// are not known any more, it reaches to the end of the text. Custom fragments are within it as a whole, and all of
    /// them below if paragraphs came or went.
    public var band: DocumentRect
    /// How far everything below the band moved down, in pixels; negative upwards.
    public var heightDelta: Double
    /// What was laid out anew, in UTF-16 units of the new text.
    public var utf16Range: Range<UTF16Offset>
}

extension TextLayoutManager {
    /// Follows an edit of the store: call it for each, in order. Only the paragraphs touched are laid out anew.
    ///
    /// O(log n) and the paragraphs' own length; large insertions are left until they are asked for.
    @discardableResult
    public func apply(_ edit: TextEdit) -> LayoutChange {
        if store.version == edit.after { text = store.text } else { text.replace(edit.range, with: edit.inserted) }
        decorations.apply(edit)
        return follow(edit)
    }

    /// Follows a transaction of the store: call it for each, in order. What lies between the first and the last of several
    /// sections is laid out anew, or left until it is asked for if it is much.
    @discardableResult
    package func apply(_ applied: AppliedTransaction) -> LayoutChange {
        text = applied.text
        decorations.apply(applied.changes.changeMap)
        return follow(applied.coveringEdit)
    }

    /// Has the lines follow an edit that ``text`` and decorations have followed.
    private func follow(_ edit: TextEdit) -> LayoutChange {
        let low = edit.utf16Range.lowerBound.value
        if let lastDirection, low <= lastDirection.knownAt { self.lastDirection = nil }
        let high = edit.utf16Range.upperBound.value
        let delta = edit.delta.utf16

        var (first, before) = tree.piece(at: low)
        let startsParagraph = before.units == 0 || tree.piece(at: before.units - 1).piece.paragraphs > 0
        if !startsParagraph, !first.isGap, !isUnwrapped, low - before.units < 64, !hasWholeWord(first, before, low) {
            // What was typed may fit the line above.
            (first, before) = tree.piece(at: before.units - 1)
        }
        var (last, beforeLast) = high == low ? (first, before) : tree.piece(at: high)
        if high == low, before.units + first.units <= low { (last, beforeLast) = tree.piece(at: low) }
        let old = before.units..<beforeLast.units + last.units
        let oldParagraphs = beforeLast.paragraphs + last.paragraphs - before.paragraphs
        let oldTop = top(of: before)
        let units = old.count + delta
        let paragraphs = oldParagraphs + edit.delta.newlines
        let replaced: Replaced
        if first.isGap, last.isGap, old.count > 1 << 16 || first.units != old.count {
            var through = beforeLast
            through += PieceSum(last)
            replaced = Replaced(end: old.upperBound, bottom: top(of: through), lines: [nil])
            tree.replace(
                old, with: [Piece(units: units, paragraphs: paragraphs, height: 0, isGap: true, layout: nil)])
        } else {
            // Typing within a paragraph leaves its newlines where they are.
            var known: Paragraph?
            if old.count == first.units, let layout = first.layout, layout.startsParagraph, layout.endsParagraph,
                edit.delta.newlines == 0, edit.inserted.metrics.newlines == 0, units <= Self.longParagraph
            {
                known = Paragraph(
                    text, ParagraphIndex(before.paragraphs), start: old.lowerBound, end: old.lowerBound + units)
            }
            replaced = relayOut(old, units: units, paragraphs: paragraphs, known: known)
        }
        let newEnd = replaced.end + delta
        let newBottom = top(of: prefix(through: newEnd))
        var change = LayoutChange(
            band: DocumentRect(x: 0, y: oldTop, width: container.width, height: 0),
            heightDelta: newBottom - replaced.bottom,
            utf16Range: UTF16Offset(
                old.lowerBound)..<UTF16Offset(
                    max(old.lowerBound, min(newEnd, text.metrics.utf16))))
        let lines = lines(inPieces: old.lowerBound..<newEnd)
        if isUnwrapped {
            change.band = unwrappedBand(
                from: replaced.lines, to: lines, edit: edit, top: oldTop, bottom: max(replaced.bottom, newBottom))
        } else {
            change.band = changedBand(
                from: replaced.lines, to: lines, edit: low, insertedEnd: edit.insertedUTF16Range.upperBound.value,
                top: oldTop, oldBottom: replaced.bottom, newBottom: newBottom)
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
            change.band = DocumentRect(x: 0, y: top, width: Self.endless, height: Self.endless)
        }
        if delegate != nil, edit.delta.newlines != 0 || edit.inserted.metrics.newlines > 0 {
            // Custom fragments below may show which paragraph they are.
            change.band = DocumentRect(x: 0, y: oldTop, width: Self.endless, height: Self.endless)
        }
        relayOutBesideExclusions(below: newEnd, oldBottom: replaced.bottom, &change)
        evict()
        return change
    }

    /// Whether a word ends between a segment's start and an edit in it, with a space where any line may end (UAX #14, LB18):
    /// then the edit changes nothing about where the line before the segment ends.
    private func hasWholeWord(_ piece: Piece, _ before: PieceSum, _ edit: Int) -> Bool {
        guard let shaped = piece.layout?.shaped, shaped.isNarrow, edit - before.units < shaped.text.count,
            let space = shaped.text[..<max(0, edit - before.units)].firstIndex(of: 0x20)
        else { return false }
        // Behind brackets and quotation marks a space may be none such.
        let last = space > 0 ? shaped.text[space - 1] | 0x20 : 0
        return last >= 0x61 && last <= 0x7a && before.units + space + 1 < edit
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
    /// `known` is the paragraph that they start with, if it was looked up.
    private func relayOut(_ old: Range<Int>, units: Int, paragraphs: Int, known: Paragraph?) -> Replaced {
        var known = known
        var pieces: [Piece] = []
        var replacedEnd = old.upperBound
        let delta = units - old.count
        var at = old.lowerBound
        var missing = paragraphs
        var absorbed = 0
        var patience = 2
        pieceTop = top(of: tree.piece(at: old.lowerBound).before)
        let small = units <= 1 << 15 && paragraphs <= 64
        while small, at < replacedEnd + delta {
            let paragraph = known ?? Paragraph(text, holding: min(at, text.metrics.utf16))
            known = nil
            let made = layOutNext(from: at, in: paragraph, limit: replacedEnd + delta, passesLimit: true)
            pieces.append(made)
            pieceTop += Double(made.height)
            at += made.units
            missing -= made.paragraphs
            while at > replacedEnd + delta {
                let next = tree.piece(at: replacedEnd).piece
                replacedEnd += next.units
                missing += next.paragraphs
                absorbed = next.isGap ? .max : absorbed + 1
            }
            // Lines of narrow text cost little and agree before long; those of Japanese may never do.
            patience = made.layout?.shaped.isNarrow ?? false ? 12 : 2
            if absorbed > patience { break }
        }
        if absorbed > patience, absorbed < .max, at < replacedEnd + delta {
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
        let replaced = Replaced(
            end: replacedEnd, bottom: top(of: prefix(through: replacedEnd)),
            lines: lines(inPieces: old.lowerBound..<replacedEnd))
        tree.replace(old.lowerBound..<replacedEnd, with: pieces)
        return replaced
    }

    /// Farther than any line reaches, in pixels.
    static let endless = 1e12

    /// What stood where something was laid out anew.
    private struct Replaced {
        /// Unit of the old text that it ended before.
        var end: Int
        /// Its bottom edge in pixels of the document.
        var bottom: Double
        var lines: [ChangedLine?]
    }

    /// What changed where paragraphs are single lines: from the edit on to the end of its line, if the line starts left.
    private func unwrappedBand(
        from old: [ChangedLine?], to new: [ChangedLine?], edit: TextEdit, top: Double, bottom: Double
    ) -> DocumentRect {
        var band = DocumentRect(
            x: 0, y: top, width: Self.endless, height: max(lineHeight, bottom - top))
        // Where a line was cut or joined, its other part is the line below.
        if edit.delta.newlines != 0 || edit.inserted.metrics.newlines > 0 { band.size.height += lineHeight }
        guard edit.delta.newlines == 0, let a = old.first ?? nil, let b = new.first ?? nil,
            a.piece.custom == nil, b.piece.custom == nil, a.piece.shaped.baseLevel & 1 == 0,
            b.piece.startsParagraph == a.piece.startsParagraph,
            let extent = b.extent(changedFrom: a, edit: edit.utf16Range.lowerBound.value, tools: tools)
        else { return band }
        let left = max(0, placedPiece(at: b.pieceStart).x + extent.left)
        // A paragraph of one piece has nothing behind it that could move.
        let isAll = old.count == 1 && new.count == 1 && !b.piece.isSideways
        band.size.width = max(0, (isAll ? extent.right : band.maxX) - left)
        band.origin.x = left
        return band
    }

    /// Units of text whose lines are kept at most: some screens full.
    static let kept = 1 << 17

    /// Drops the lines of pieces that were not used for long; their heights stay.
    func evict() {
        guard liveUnits > Self.kept else { return }
        live.sort { $0.lastUse > $1.lastUse }
        var units = 0
        let end = live.firstIndex { piece in
            units += piece.memoryUnits
            return units > Self.kept / 2
        }
        // What was used last stays, however long it is.
        let keep = max(1, end ?? live.count)
        let kept = Set(live.prefix(keep).map { ObjectIdentifier($0) })
        live.removeSubrange(keep...)
        liveUnits = live.reduce(0) { $0 + $1.memoryUnits }
        lastPlaced = nil
        tree.dropLayouts { !kept.contains(ObjectIdentifier($0)) }
    }
}

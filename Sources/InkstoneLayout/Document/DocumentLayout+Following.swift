import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// The effect of an edit on the layout.
public struct LayoutChange: Sendable {
    /// The area to repaint, in pixels of the document: the changed lines' areas before and after the edit. If only
    /// one line changed, the area is its changed part, with ink beyond the glyphs' boxes.
    ///
    /// The band may be wider than the container, because text may overhang. Text below the band is unchanged but
    /// may have moved by ``heightDelta``. If the lines after the edit are not laid out, the band extends to the end
    /// of the text. Custom fragments are included as a whole. If paragraphs were added or removed, all custom
    /// fragments below are included too.
    public var band: DocumentRect
    /// Distance by which everything below the band moved down, in pixels; negative upwards.
    public var heightDelta: Double
    /// The range of text that was laid out anew, in UTF-16 units of the text after the edit.
    public var utf16Range: Range<UTF16Offset>
}

extension LayoutChange {
    /// The change of an edit that alters nothing on the screen.
    static let none = LayoutChange(band: .zero, heightDelta: 0, utf16Range: 0..<0)

    /// Returns a change that repaints the whole document, for a text of `length` UTF-16 units.
    static func everything(length: Int) -> LayoutChange {
        let endless = DocumentLayout.endless
        return LayoutChange(
            band: DocumentRect(x: 0, y: 0, width: endless, height: endless), heightDelta: 0,
            utf16Range: 0..<UTF16Offset(length))
    }

    /// Combines this change with a later change that lies above it. `units` is the number of UTF-16 units by which
    /// the later change lengthened the text.
    func followed(byOneAbove other: LayoutChange, units: Int) -> LayoutChange {
        // The lower edge of each area is the bottom of the changed lines before or after its change, whichever is
        // lower.
        let bottom = max(other.band.maxY, band.maxY + max(0, other.heightDelta))
        let top = min(band.minY, other.band.minY)
        let isInPlace = heightDelta == 0 && other.heightDelta == 0
        let left = isInPlace ? min(band.minX, other.band.minX) : 0
        let right = max(band.maxX, other.band.maxX)
        return LayoutChange(
            band: DocumentRect(x: left, y: top, width: right - left, height: bottom - top),
            heightDelta: heightDelta + other.heightDelta,
            utf16Range: other.utf16Range.lowerBound..<max(other.utf16Range.upperBound, utf16Range.upperBound + units))
    }

    /// Combines this change with an earlier change that lies above it.
    func followed(afterOneAbove other: LayoutChange) -> LayoutChange {
        // Combine both changes in the other order: this change first, moved back to where its text was before the
        // earlier change.
        var first = self
        first.band.origin.y -= other.heightDelta
        return first.followed(byOneAbove: other, units: 0)
    }
}

/// A replacement to apply to the layout: the old text's UTF-16 units `low..<high` became the new text's units
/// `low..<insertedEnd`.
struct FollowedChange {
    var low: Int
    var high: Int
    var insertedEnd: Int
    /// The number of inserted newlines minus the number of removed newlines.
    var newlines: Int
    /// Whether any newline was inserted, or the style may have changed.
    var insertsNewline: Bool

    var delta: Int { insertedEnd - high }

    /// Creates a replacement without newlines.
    init(replacing range: Range<Int>, insertedEnd: Int) {
        (low, high, self.insertedEnd) = (range.lowerBound, range.upperBound, insertedEnd)
        (newlines, insertsNewline) = (0, false)
    }

    /// Creates a change that only restyles a range of the new text.
    init(restyled range: Range<UTF16Offset>) {
        low = range.lowerBound.value
        high = range.upperBound.value
        insertedEnd = high
        newlines = 0
        insertsNewline = true
    }

    /// Extends the change to a range of the new text whose style changed.
    mutating func add(restyled range: Range<UTF16Offset>) {
        let end = max(insertedEnd, range.upperBound.value)
        high = end - delta
        insertedEnd = end
        low = min(low, range.lowerBound.value)
        insertsNewline = true
    }

    /// Extends the change to a range of the new text whose bidi levels changed.
    mutating func add(relevelled range: Range<Int>) {
        let end = max(insertedEnd, range.upperBound)
        high = end - delta
        insertedEnd = end
        low = min(low, range.lowerBound)
    }

    /// Creates one replacement of all text from the first to the last of some sections of a transaction. `shift` is
    /// the number of UTF-16 units by which sections before them have lengthened the text already.
    init(_ first: TextChangeMap.Section, through last: TextChangeMap.Section, shiftedBy shift: Int = 0) {
        let (removed, inserted) = (last.oldEnd - first.oldStart, last.newEnd - first.newStart)
        low = first.oldStart.utf16 + shift
        high = low + removed.utf16
        insertedEnd = low + inserted.utf16
        newlines = inserted.newlines - removed.newlines
        insertsNewline = inserted.newlines > 0
    }
}

extension DocumentLayout {
    /// The largest number of sections of a transaction for which the layout is updated one by one. For a transaction
    /// with more, all text from the first to the last section is laid out anew. If that text is long, it is laid out
    /// only when it is requested.
    static let sectionLimit = 64

    /// Updates the layout for a transaction. Large insertions are not laid out until they are requested. Usually
    /// only the affected paragraphs are laid out anew: O(log n) plus their length, for each section.
    ///
    /// In some cases all text from the first to the last section is laid out anew: if there are more than
    /// ``sectionLimit`` sections, if the style of kept text changes, or if a delegate may be called for a text beside
    /// exclusion paths.
    func follow(_ applied: AppliedTransaction) -> LayoutChange {
        var change = followSections(of: applied)
        followLength(&change)
        return change
    }

    /// Recomputes the height estimate if the text has become more than twice as long or less than half as long, and
    /// the difference is large. For example, an estimate made for an empty view does not fit the text set later.
    private func followLength(_ change: inout LayoutChange) {
        let length = text.metrics.utf16
        guard max(length, estimatedLength) > 2 * min(length, estimatedLength) + Self.longParagraph else { return }
        estimatedLength = length
        var new = setting.firstEstimate(of: text)
        if isAdvanceMeasured { new.advance = estimate.advance }
        guard new != estimate else { return }
        let old = height
        estimate = new
        guard tree.total.gapUnits > 0 else { return }
        change.heightDelta += height - old
        change.band = DocumentRect(x: 0, y: 0, width: Self.endless, height: Self.endless)
    }

    private func followSections(of applied: AppliedTransaction) -> LayoutChange {
        let map = applied.changes.changeMap
        let restyled = runs == nil && applied.runs == nil ? [] : applied.relaidRanges(setting.styles)
        guard let first = map.first, let last = map.last else {
            (text, runs) = (applied.text, applied.runs)
            return follow(restyled: restyled)
        }
        // Whether delegates may be called with positions, which must be those of the finished text. Sections must then
        // be applied from the first to the last: in the opposite order, positions would lack the changes before them.
        let isAskedAbout = setting.elements.mayAskAboutPositions(isStyled: runs != nil || applied.runs != nil)
        // Text beside exclusion paths moves with each section before it. Apply all sections at once there, so that
        // delegates are called only for the finished text.
        let isSpread = isAskedAbout && exclusions != nil
        if map.count == 1 || map.count > Self.sectionLimit || !restyled.isEmpty || isSpread {
            let before = text
            unfollowed = (text, runs)
            (text, runs) = (applied.text, applied.runs)
            var edit = FollowedChange(first, through: last)
            followLevels(&edit, from: before)
            for range in restyled { edit.add(restyled: range) }
            return Self.wide(follow(edit), if: !restyled.isEmpty)
        }
        if isAskedAbout { return followInOrder(applied) }
        // Apply sections from the last to the first. Positions before a section are then the same in both texts.
        text = applied.textBefore
        var change: LayoutChange?
        var end = map.count
        while end > 0 {
            let last = map[end - 1]
            var first = last
            end -= 1
            // Combine adjacent sections. Otherwise the old text of one section and the new text of the next might
            // form a cluster that never existed.
            while end > 0, map[end - 1].oldEnd == first.oldStart {
                first = map[end - 1]
                end -= 1
            }
            unfollowed = (text, runs)
            replaceRuns(
                first.oldRange.lowerBound..<last.oldRange.upperBound,
                by: first.newRange.lowerBound..<last.newRange.upperBound, of: applied)
            let before = levels.isEmpty && lastDirection == nil ? Rope() : text
            text.replace(
                first.oldByteRange.lowerBound..<last.oldByteRange.upperBound,
                with: applied.text.slice(first.newByteRange.lowerBound..<last.newByteRange.upperBound))
            var edit = FollowedChange(first, through: last)
            followLevels(&edit, from: before)
            let own = follow(edit)
            change = change?.followed(byOneAbove: own, units: edit.delta) ?? own
        }
        (text, runs) = (applied.text, applied.runs)
        return change ?? .none
    }

    /// Updates the layout for the sections of a transaction from the first to the last. The paragraphs of a section lie
    /// before the later sections, so that delegates are called with positions of the finished text only.
    private func followInOrder(_ applied: AppliedTransaction) -> LayoutChange {
        let map = applied.changes.changeMap
        text = applied.textBefore
        var change: LayoutChange?
        var start = 0
        while start < map.count {
            let first = map[start]
            let shift = first.newStart - first.oldStart
            var end = start + 1
            while end < map.count, isLaidOutTogether(map[end - 1], map[end], shift: shift.utf16) { end += 1 }
            let last = map[end - 1]
            let (low, high) = (first.newStart, last.oldEnd + shift)
            unfollowed = (text, runs)
            replaceRuns(
                UTF16Offset(low.utf16)..<UTF16Offset(high.utf16),
                by: first.newRange.lowerBound..<last.newRange.upperBound, of: applied)
            let before = levels.isEmpty && lastDirection == nil ? Rope() : text
            text.replace(
                ByteOffset(low.bytes)..<ByteOffset(high.bytes),
                with: applied.text.slice(first.newByteRange.lowerBound..<last.newByteRange.upperBound))
            var edit = FollowedChange(first, through: last, shiftedBy: shift.utf16)
            followLevels(&edit, from: before)
            let own = follow(edit)
            change = change.map { own.followed(afterOneAbove: $0) } ?? own
            start = end
        }
        (text, runs) = (applied.text, applied.runs)
        return change ?? .none
    }

    /// Whether the layout has to handle a section and the next one as a single change: if they are in the same
    /// paragraph, or in the same text that is not laid out. `shift` is the number of UTF-16 units by which earlier
    /// sections have lengthened the text.
    private func isLaidOutTogether(
        _ section: TextChangeMap.Section, _ next: TextChangeMap.Section, shift: Int
    ) -> Bool {
        if next.oldStart.newlines == section.oldEnd.newlines { return true }
        let (last, before) = tree.fragment(at: section.oldEnd.utf16 + shift)
        return before.units + last.units > next.oldStart.utf16 + shift
    }

    /// Updates the direction and bidi levels of long paragraphs for a replacement. Extends the replacement to text
    /// whose levels changed, and to adjacent letters that join across the boundary of two fragments.
    private func followLevels(_ edit: inout FollowedChange, from before: Rope) {
        followDirection(edit, from: before)
        guard !levels.isEmpty else { return }
        let inserted = edit.low..<edit.insertedEnd
        let changed = levels.follow(edit, from: before, to: text)
        if let changed { edit.add(relevelled: changed) }
        guard edit.newlines == 0, levels.mayJoin(at: inserted.lowerBound) else { return }
        if joins(inserted.upperBound) { edit.add(relevelled: inserted.upperBound..<inserted.upperBound + 1) }
        if joins(inserted.lowerBound - 1) { edit.add(relevelled: inserted.lowerBound - 1..<inserted.lowerBound) }
    }

    /// Returns whether the letter at a UTF-16 unit may join the letters next to it, as Arabic letters do.
    private func joins(_ unit: Int) -> Bool {
        guard unit >= 0, unit < text.metrics.utf16 else { return false }
        // Read from the start of a surrogate pair: a scalar cannot be read from one half of it.
        let start = text.scalarBoundary(unit)
        return text.utf16(in: UTF16Offset(start)..<UTF16Offset(start + 2)).first.map(Shaper.mayJoin) ?? false
    }

    /// Keeps the cached direction of a paragraph if an edit cannot change it. That is so if the edit lies behind the
    /// UTF-16 units that were searched for the direction. It is also so if a short edit among these units replaces and
    /// inserts only characters that cannot decide the direction. Any other edit drops the direction.
    private func followDirection(_ edit: FollowedChange, from before: Rope) {
        guard let known = lastDirection, edit.low <= known.knownAt else { return }
        lastDirection = nil
        guard edit.low >= known.start, edit.high <= known.knownAt, edit.newlines == 0, !edit.insertsNewline,
            edit.high - edit.low < 64, edit.insertedEnd - edit.low < 64
        else { return }
        let removed = before.utf16(in: UTF16Offset(edit.low)..<UTF16Offset(edit.high))
        let inserted = text.utf16(in: UTF16Offset(edit.low)..<UTF16Offset(edit.insertedEnd))
        guard !BidiProperties.mayDecideDirection(removed), !BidiProperties.mayDecideDirection(inserted) else { return }
        lastDirection = (known.start, known.direction, known.knownAt + edit.delta)
    }

    /// Replaces the attributes of a range by the attributes of a range of the text after a transaction.
    private func replaceRuns(
        _ range: Range<UTF16Offset>, by new: Range<UTF16Offset>, of applied: AppliedTransaction
    ) {
        guard runs != nil || applied.runs != nil else { return }
        var changed = runs ?? AttributeRuns(length: text.metrics.utf16, TextAttributes())
        runs = nil
        changed.replace(range, with: applied.runs?.slice(new) ?? AttributeRuns(length: new.count, TextAttributes()))
        runs = changed
    }

    /// Updates the layout for ranges whose style changed.
    private func follow(restyled ranges: [Range<UTF16Offset>]) -> LayoutChange {
        guard let first = ranges.first, let last = ranges.last else { return .none }
        guard ranges.count <= Self.sectionLimit else {
            return Self.wide(follow(FollowedChange(restyled: first.lowerBound..<last.upperBound)))
        }
        var change: LayoutChange?
        for range in ranges.reversed() {
            let own = follow(FollowedChange(restyled: range))
            change = change?.followed(byOneAbove: own, units: 0) ?? own
        }
        return change.map { Self.wide($0) } ?? .none
    }

    /// Returns the change with its area to repaint widened to whole lines, if `isWide`. Needed after a change of
    /// style: the changed part of a line is found by comparing glyph indices, and equal indices in different fonts
    /// are different glyphs.
    private static func wide(_ change: LayoutChange, if isWide: Bool = true) -> LayoutChange {
        var change = change
        if isWide { (change.band.origin.x, change.band.size.width) = (0, endless) }
        return change
    }

    /// Updates the layout for a replacement that was already applied to ``text``.
    func follow(_ edit: FollowedChange) -> LayoutChange {
        let (low, high, delta) = (edit.low, edit.high, edit.delta)
        let isRenumbered = followNumbers(edit)
        var (first, before) = tree.fragment(at: low)
        let startsParagraph = before.units == 0 || tree.fragment(at: before.units - 1).fragment.paragraphs > 0
        if !startsParagraph, !first.isGap, !isUnwrapped, low - before.units < 64, !hasWholeWord(first, before, low) {
            // The first word of this line may now fit on the line above. Lay out that line too.
            (first, before) = tree.fragment(at: before.units - 1)
        }
        var (last, beforeLast) = high == low ? (first, before) : tree.fragment(at: high)
        if high == low, before.units + first.units <= low { (last, beforeLast) = tree.fragment(at: low) }
        let old = before.units..<beforeLast.units + last.units
        let oldParagraphs = beforeLast.paragraphs + last.paragraphs - before.paragraphs
        let oldTop = top(of: before)
        // If all of the text is replaced, the widest line is gone too. Find the largest width anew.
        if isUnwrapped, tree.total.paragraphs == 1 || old.count == tree.total.units { widest = 0 }
        let units = old.count + delta
        let paragraphs = oldParagraphs + edit.newlines
        let replaced: Replaced
        if first.isGap, last.isGap, old.count > 1 << 16 || first.units != old.count {
            var through = beforeLast
            through += FragmentSum(last)
            // If all of the replaced text was one gap, none of it was laid out. Otherwise there may be painted
            // lines in it: pass nil, because they are not compared with the new ones.
            replaced = Replaced(
                end: old.upperBound, bottom: top(of: through), lines: first.units == old.count ? [nil] : nil)
            tree.replace(old, with: [Fragment(gap: units, paragraphs: paragraphs)])
            unfollowed = nil
        } else {
            // If an edit of a single paragraph neither removes nor inserts a newline, the new end of the paragraph
            // follows from the old one, without a search.
            var known: Paragraph?
            if old.count == first.units, let layout = first.layout, layout.startsParagraph, layout.endsParagraph,
                edit.newlines == 0, !edit.insertsNewline, units <= Self.longParagraph
            {
                known = Paragraph(
                    text, ParagraphIndex(before.paragraphs), start: old.lowerBound, end: old.lowerBound + units)
            }
            replaced = relayOut(old, units: units, paragraphs: paragraphs, known: known)
        }
        let newEnd = replaced.end + delta
        let newBottom = top(of: prefix(through: newEnd))
        var change = LayoutChange(
            band: DocumentRect(x: 0, y: oldTop, width: setting.options.container.width, height: 0),
            heightDelta: newBottom - replaced.bottom,
            utf16Range: UTF16Offset(
                old.lowerBound)..<UTF16Offset(
                    max(old.lowerBound, min(newEnd, text.metrics.utf16))))
        let lines = lines(inFragments: old.lowerBound..<newEnd)
        if isUnwrapped {
            change.band = unwrappedBand(
                from: replaced.lines ?? [nil], to: lines ?? [nil], edit: edit, top: oldTop,
                bottom: max(replaced.bottom, newBottom))
        } else if let oldLines = replaced.lines, let lines {
            change.band = changedBand(
                from: oldLines, to: lines, edit: low, insertedEnd: edit.insertedEnd,
                top: oldTop, oldBottom: replaced.bottom, newBottom: newBottom)
        } else {
            // The lines from here on are not compared, so any of them may have changed: repaint everything below.
            change.band.size = Size(width: Self.endless, height: Self.endless)
        }
        // The start of the text below the edit if empty paragraphs there may now inherit another direction; otherwise
        // nil.
        var heirs = first.layout == nil || edit.newlines != 0 || edit.insertsNewline ? newEnd : nil
        if let old = first.layout, let new = tree.fragment(at: before.units).fragment.layout,
            old.shaped.baseLevel != new.shaped.baseLevel
        {
            heirs = newEnd
            if !(new.startsParagraph && new.endsParagraph) {
                // The first strong letter of a long paragraph changed, and so the direction of all its fragments:
                // lay all of them out anew.
                let paragraph = Paragraph(text, holding: min(before.units, text.metrics.utf16))
                let above = height
                invalidate(UTF16Offset(paragraph.start)..<UTF16Offset(paragraph.contentEnd))
                change.heightDelta += height - above
                let top = top(of: tree.fragment(at: paragraph.start).before)
                change.band = DocumentRect(x: 0, y: top, width: Self.endless, height: Self.endless)
                heirs = paragraph.end
            }
        }
        if let heirs, turnEmptyParagraphs(at: heirs) {
            (change.band.origin.x, change.band.size) = (0, Size(width: Self.endless, height: Self.endless))
        }
        if let old = replaced.lines?.first??.fragment.marker, !old.isPaintedLike(lines?.first??.fragment.marker) {
            (change.band.origin.x, change.band.size.width) = (0, Self.endless)
        }
        if isRenumbered {
            change.band = DocumentRect(x: 0, y: oldTop, width: Self.endless, height: Self.endless)
        }
        if setting.elements.delegate != nil, edit.newlines != 0 || edit.insertsNewline {
            // Custom fragments below the edit may show the numbers of their paragraphs, which have changed: repaint
            // them.
            change.band = DocumentRect(x: 0, y: oldTop, width: Self.endless, height: Self.endless)
        }
        relayOutBesideExclusions(below: newEnd, oldBottom: replaced.bottom, &change)
        evict()
        return change
    }

    /// Returns whether a whole word, and a space at which a line may always break (UAX #14, LB18), lie between a
    /// fragment's start and an edit. If so, the edit does not change the first word of the line, and the line above
    /// ends where it did.
    private func hasWholeWord(_ fragment: Fragment, _ before: FragmentSum, _ edit: Int) -> Bool {
        guard let shaped = fragment.layout?.shaped, shaped.isNarrow, edit - before.units < shaped.text.count,
            let space = shaped.text[..<max(0, edit - before.units)].firstIndex(of: 0x20)
        else { return false }
        // After an ASCII letter, a space always allows a break; after a bracket or quotation mark, it may not.
        let last = space > 0 ? shaped.text[space - 1] | 0x20 : 0
        return last >= 0x61 && last <= 0x7a && before.units + space + 1 < edit
    }

    /// Returns the summed lengths of all fragments before a UTF-16 unit, at which a fragment starts.
    private func prefix(through unit: Int) -> FragmentSum {
        if unit >= tree.total.units { return tree.total }
        return tree.fragment(at: unit).before
    }

    /// Replaces a range of fragments by the new text's paragraphs: lays them out if the range is small, otherwise
    /// leaves a gap (text to be laid out when requested).
    ///
    /// Lines of a long paragraph may now end at other units. Then the text of the fragments that follow is laid out
    /// anew too, until a line ends where one of them starts. That fragment and all later ones stay valid. After
    /// some tries without such a line, the rest of the paragraph becomes a gap. `known` is the first paragraph, if
    /// the caller has already looked it up.
    private func relayOut(_ old: Range<Int>, units: Int, paragraphs: Int, known: Paragraph?) -> Replaced {
        var known = known
        var fragments: [Fragment] = []
        var replacedEnd = old.upperBound
        let delta = units - old.count
        var at = old.lowerBound
        var missing = paragraphs
        var absorbed = 0
        var tries = 2
        var edge = top(of: tree.fragment(at: old.lowerBound).before)
        let small = units <= 1 << 15 && paragraphs <= 64
        while small, at < replacedEnd + delta {
            let paragraph = known ?? Paragraph(text, holding: min(at, text.metrics.utf16))
            known = nil
            let made = layOutNext(from: at, in: paragraph, limit: replacedEnd + delta, top: edge, passesLimit: true)
            fragments.append(made)
            edge += Double(made.height)
            at += made.units
            missing -= made.paragraphs
            while at > replacedEnd + delta {
                let next = tree.fragment(at: replacedEnd).fragment
                replacedEnd += next.units
                missing += next.paragraphs
                absorbed = next.isGap || absorbed == .max ? .max : absorbed + 1
            }
            // Give up once more than this many of the following fragments were replaced without a line ending where
            // one of them starts. In Latin text this happens soon, and its lines are quick to lay out. In Japanese
            // text it may never happen.
            tries = made.layout?.shaped.isNarrow ?? false ? 12 : 2
            if absorbed > tries { break }
        }
        if absorbed > tries, absorbed < .max, at < replacedEnd + delta {
            // Mark the rest of the paragraph as not laid out.
            while missing == 0, replacedEnd < tree.total.units {
                let next = tree.fragment(at: replacedEnd).fragment
                replacedEnd += next.units
                missing += next.paragraphs
            }
        }
        let end = replacedEnd + delta
        if at < end {
            fragments.append(Fragment(gap: end - at, paragraphs: missing))
        }
        let replaced = Replaced(
            end: replacedEnd, bottom: top(of: prefix(through: replacedEnd)),
            lines: lines(inFragments: old.lowerBound..<replacedEnd))
        tree.replace(old.lowerBound..<replacedEnd, with: fragments)
        unfollowed = nil
        return replaced
    }

    /// A length in pixels greater than any document's width or height.
    static let endless = 1e12

    /// The result of replacing fragments: the replaced range, and the lines that it had before.
    private struct Replaced {
        /// End of the replaced range, in units of the old text.
        var end: Int
        /// Bottom edge of the replaced range in pixels of the document.
        var bottom: Double
        /// The lines of the range before the edit; nil if they are not compared with the new lines.
        var lines: [ChangedLine?]?
    }

    /// Returns the area to repaint after an edit in a layout without wrapping, where each paragraph is one line. If
    /// the line runs from left to right, the area is its part from the edit to its end, or only the changed part if
    /// the text after that has not moved. For any other line, the area is the whole line.
    private func unwrappedBand(
        from old: [ChangedLine?], to new: [ChangedLine?], edit: FollowedChange, top: Double, bottom: Double
    ) -> DocumentRect {
        var band = DocumentRect(
            x: 0, y: top, width: Self.endless, height: max(setting.lineHeight, bottom - top))
        // Splitting or joining a line also changes the line below.
        if edit.newlines != 0 || edit.insertsNewline { band.size.height += setting.lineHeight }
        guard edit.newlines == 0, let a = old.first ?? nil, let b = new.first ?? nil,
            a.fragment.custom == nil, b.fragment.custom == nil, a.fragment.shaped.baseLevel & 1 == 0,
            b.fragment.startsParagraph == a.fragment.startsParagraph,
            let extent = b.extent(changedFrom: a, edit: edit.low, tools: tools)
        else { return band }
        let left = max(0, placedFragment(at: b.fragmentStart).x + extent.left)
        // If the line is one fragment, the text right of the changed part has not moved; if there are fragments
        // beside it, they may have.
        let isAll = old.count == 1 && new.count == 1 && !b.fragment.isSideways
        band.size.width = max(0, (isAll ? extent.right : band.maxX) - left)
        band.origin.x = left
        return band
    }
}

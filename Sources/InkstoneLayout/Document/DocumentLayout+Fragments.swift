import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Creation of fragments: replaces gaps in the tree, which are text not laid out, by laid-out paragraphs or parts
/// of long paragraphs.
extension DocumentLayout {
    /// Lays out the text at a UTF-16 unit. `fragment` holds the unit: it is a gap (text not laid out), or its lines
    /// were dropped from the cache.
    func layOut(at unit: Int, in fragment: Fragment, _ before: FragmentSum) {
        if !fragment.isGap {
            // The fragment was laid out before and its lines were dropped: lay out the same units again.
            let paragraph = Paragraph(text, holding: before.units)
            let end = before.units + fragment.units
            let made = layOutExactly(
                before.units..<min(end, paragraph.contentEnd), paragraph, endsAt: end, top: top(of: before))
            tree.replace(before.units..<end, with: [entry(made, units: fragment.units)])
            return
        }
        let gap = before.units..<before.units + fragment.units
        // If the gap (text not laid out) and a paragraph both begin at the UTF-16 unit, the tree gives the paragraph's
        // index without a search in the text.
        let atStart =
            unit == before.units && (unit == 0 || tree.fragment(at: unit - 1).before.paragraphs < before.paragraphs)
        let paragraph =
            atStart
            ? Paragraph(text, ParagraphIndex(before.paragraphs))
            : Paragraph(text, holding: min(unit, text.metrics.utf16))
        let from = max(paragraph.start, gap.lowerBound)
        let jump = isUnwrapped ? Self.sidewaysJump : Self.jump
        if isUnwrapped, paragraph.isLong, gap.lowerBound <= paragraph.start, unit - from > jump {
            // The first fragment of a line provides the estimate of the other fragments' width. Lay it out first,
            // because a later measurement would move the other fragments.
            let first = placed(at: paragraph.start).fragment
            if !isAdvanceMeasured, first.contentLength > 0 {
                isAdvanceMeasured = true
                estimate.advance = max(0.01, Double(first.lines[0].fullWidth) / 64 / Double(first.contentLength))
            }
            let (rest, beforeRest) = tree.fragment(at: unit)
            if rest.isGap { layOut(at: unit, in: rest, beforeRest) }
            return
        }
        let limit = min(paragraph.end, gap.upperBound)
        var start = from
        var fragments: [Fragment] = []
        if paragraph.isLong, unit - from > jump {
            if !isUnwrapped, limit - unit <= usualLength {
                fragments = layOutBackwards(from: limit, to: unit, in: paragraph, notBefore: from)
                start = limit - fragments.reduce(0) { $0 + $1.units }
            } else {
                start = guessedLineStart(before: unit, notBefore: from)
            }
        }
        if fragments.isEmpty {
            // After skipped text the top edge is unknown. Infinity stands for a position below all exclusion paths:
            // the text beside the paths is laid out from the top, without skipping.
            var top = start > gap.lowerBound ? .infinity : self.top(of: before)
            var at = start
            repeat {
                let made = layOutNext(from: at, in: paragraph, limit: limit, top: top)
                fragments.append(made)
                top += Double(made.height)
                at += made.units
            } while at <= unit && at < limit
        }
        var laid = FragmentSum()
        for made in fragments { laid.add(made) }
        let end = start + laid.units
        let paragraphsAbove = paragraph.index - before.paragraphs
        if start > gap.lowerBound {
            fragments.insert(Fragment(gap: start - gap.lowerBound, paragraphs: paragraphsAbove), at: 0)
        }
        if end < gap.upperBound {
            fragments.append(
                Fragment(
                    gap: gap.upperBound - end, paragraphs: fragment.paragraphs - paragraphsAbove - laid.paragraphs))
        }
        tree.replace(gap, with: fragments)
    }

    /// Lays out the end of a long paragraph, or the part of it before a fragment that is laid out already: from a
    /// line that holds `unit` up to `end`. Returns fragments of one line each. The ends of earlier lines are
    /// unknown. Each line is therefore filled from its own end backwards.
    private func layOutBackwards(
        from end: Int, to unit: Int, in paragraph: Paragraph, notBefore low: Int
    ) -> [Fragment] {
        var reversed: [Fragment] = []
        var at = end
        repeat {
            let contentEnd = min(at, paragraph.contentEnd)
            let start = lineStart(endingAt: contentEnd, in: paragraph, notBefore: low)
            let made = layOutExactly(start..<contentEnd, paragraph, endsAt: at, top: .infinity)
            reversed.append(entry(made, units: at - start))
            at = start
        } while at > unit
        return reversed.reversed()
    }

    /// Returns the start of the longest line that fits the width and ends at `end`, in a long paragraph.
    private func lineStart(endingAt end: Int, in paragraph: Paragraph, notBefore low: Int) -> Int {
        var window = usualLength + Self.lookAhead
        while true {
            let start = end - window > low ? text.graphemeBoundary(roundedDown: end - window, notBefore: low) : low
            let whole = layOutExactly(start..<end, paragraph, endsAt: end, top: .infinity)
            if whole.isHidden { return start }
            let room = whole.lines[whole.lines.count - 1].room
            if let found = tools.breaker.startOfLastLine(of: whole.shaped, room: room * 64) { return start + found }
            if start == low || window > Self.longestFragment { return start }
            window *= 2
        }
    }

    /// Returns a UTF-16 unit shortly before `unit` in a long paragraph at which a line may start: after a space, an
    /// ideographic space or an ideographic full stop, or else between grapheme clusters. The unit is a guess, because
    /// the ends of the lines before are unknown.
    private func guessedLineStart(before unit: Int, notBefore low: Int) -> Int {
        // Do not start within a surrogate pair. The rope would return the pair's first unit too, and indices in
        // `units` would be off by one.
        let start = max(low, text.scalarBoundary(unit - 256))
        let units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(unit))
        if let space = units.lastIndex(where: { $0 == 0x20 || $0 == 0x3000 || $0 == 0x3002 }) {
            return start + space + 1
        }
        return text.graphemeBoundary(roundedDown: unit, notBefore: start)
    }

    /// Lays out the next fragment of a paragraph from a line start. If lines wrap, the fragment of a short paragraph
    /// extends to the paragraph's end. In a long paragraph, `limit` is the start of the next fragment that is laid
    /// out already; the new fragment extends beyond it only if no line ends there and `passesLimit` is set.
    func layOutNext(
        from start: Int, in paragraph: Paragraph, limit: Int, top: Double, passesLimit: Bool = false
    ) -> Fragment {
        if isUnwrapped, paragraph.isLong || start > paragraph.start || limit < paragraph.contentEnd {
            return layOutSideways(from: start, in: paragraph, limit: limit)
        }
        if !paragraph.isLong {
            let made = layOutExactly(start..<paragraph.contentEnd, paragraph, endsAt: paragraph.end, top: top)
            return entry(made, units: paragraph.end - start)
        }
        let goesOn = limit < paragraph.contentEnd && passesLimit
        let stop = goesOn ? paragraph.contentEnd : min(paragraph.contentEnd, limit)
        // A word or two after `limit` is enough to detect whether a line ends at `limit`.
        var window = (goesOn ? max(usualLength / 2, limit - start) : usualLength) + Self.lookAhead + 16
        while true {
            // If the range ends within a surrogate pair, the rope returns one unit less. So compute the end from the
            // number of UTF-16 units returned.
            let content = text.utf16(in: UTF16Offset(start)..<UTF16Offset(min(start + window, stop)))
            let end = start + content.count
            if end >= stop {
                let full = stop == paragraph.contentEnd ? paragraph.end : limit
                let made = layOutExactly(start..<stop, paragraph, endsAt: full, top: top, content: content)
                return entry(made, units: full - start)
            }
            let whole = layOutExactly(start..<end, paragraph, endsAt: end, top: top, content: content)
            // Keep only the lines that end `lookAhead` units before the window's end: text after the window might
            // change the last lines.
            let safe = Int32(end - start - Self.lookAhead)
            let kept = whole.lines.prefix { $0.end <= safe && $0.isWrapped }
            let agreed = goesOn ? kept.firstIndex { start + Int($0.end) == limit } : nil
            // If no line ends at `limit`, keep the usual fragment size, because otherwise the fragment would grow
            // with each key. Lines side by side at one height belong to one fragment.
            let ends = kept.indices.filter { $0 + 1 == whole.lines.count || whole.lines[$0 + 1].y != whole.lines[$0].y }
            let usual = ends.last { Int(kept[$0].end) <= usualLength * 3 / 2 } ?? ends.first
            if let last = agreed ?? usual,
                agreed != nil || Int(kept[last].end) >= usualLength / 2 || window > Self.longestFragment
            {
                let cut = whole.prefix(lines: last + 1)
                return entry(cut, units: cut.contentLength)
            }
            if window > Self.longestFragment { return entry(whole, units: end - start) }
            window = max(window * 2, endOfMarks(from: end, to: min(stop, start + Self.longestFragment)) - start + 256)
        }
    }

    /// The number of UTF-16 units after a line's end that may affect where the line ends. For example, dictionary-based
    /// segmentation (Thai, Japanese) uses this context.
    private static let lookAhead = 64
    /// The largest length of a fragment in UTF-16 units. A longer line is cut.
    private static let longestFragment = 1 << 15

    /// Returns the end of the combining marks that continue from a UTF-16 unit. No line may end inside a cluster, even
    /// one of thousands of marks.
    private func endOfMarks(from start: Int, to limit: Int) -> Int {
        var at = start
        while at < limit {
            let units = text.utf16(in: UTF16Offset(at)..<UTF16Offset(min(limit, at + 1024)))
            // If no UTF-16 unit was read, the limit is within a surrogate pair. Half a pair is no mark, so the marks
            // end here.
            guard !units.isEmpty else { return at }
            guard let other = units.firstIndex(where: { !tools.shaper.isMark($0) }) else {
                at += units.count
                continue
            }
            return at + other
        }
        return at
    }

    /// Lays out units of a paragraph as one fragment that ends at `end`, including the terminator if `end` is after
    /// it. `top` is the fragment's top edge, needed only for exclusion paths. `content` is the text of `units`; if
    /// it is nil, the text is read from the document.
    func layOutExactly(
        _ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int, top: Double, content: [UInt16]? = nil
    ) -> LaidFragment {
        asking { layOut(units, paragraph, endsAt: end, top: top, content: content) }
    }

    private func layOut(
        _ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int, top: Double, content read: [UInt16]?
    ) -> LaidFragment {
        let isWhole = units.lowerBound == paragraph.start && units.upperBound == paragraph.contentEnd
        let content =
            read
            ?? (isWhole && !paragraph.isLong
                ? paragraph.units : text.utf16(in: UTF16Offset(units.lowerBound)..<UTF16Offset(units.upperBound)))
        let endsParagraph = end >= paragraph.end
        let terminator = endsParagraph ? max(0, min(paragraph.end, text.metrics.utf16) - units.upperBound) : 0
        guard
            var input = setting.input(
                units, of: paragraph, length: text.metrics.utf16, content: content, runs: runs,
                endsParagraph: endsParagraph, direction: { direction(of: paragraph) })
        else {
            let hidden = ParagraphInput(
                units: [], spans: [], stack: setting.stack, style: setting.options.paragraphStyle,
                direction: .leftToRight, room: setting.room, startsParagraph: units.lowerBound == paragraph.start,
                endsParagraph: endsParagraph)
            return LaidFragment(
                hidden, ParagraphLayout(hiding: units.count, roomX: setting.room.x), terminator: terminator,
                isHidden: true)
        }
        if isWhole, content.isEmpty, input.direction == .natural {
            input.direction = inheritedDirection(of: paragraph.index)
        }
        // If the displayed text differs from the document's own, leave out the bidi levels and the adjacent text, which
        // belong to the document's own text.
        if !isWhole, !setting.options.masksCharacters, input.units == content {
            input.levels = levels.levels(
                units, of: paragraph, base: input.direction == .rightToLeft ? 1 : 0, in: text)
            input.seams = seams(of: content, at: units, in: paragraph)
        }
        if let exclusions, top < exclusions.bottom {
            let top = top + Double(input.margins.above)
            input.room.intervals = { y, height in
                exclusions.free(from: top + Double(y), to: top + Double(y + height))
            }
        }
        var marker = marker(for: input, of: paragraph.index)
        if let marker { input.style.firstLineIndent = Double(marker.neededIndent) }
        let made = ParagraphLayout(input, setting.tools)
        if made.shaped.baseLevel & 1 == 1 {
            marker = marker?.with(number: marker?.number ?? 0, revision: numbers.revision, isRightToLeft: true, tools)
        }
        for line in made.lines { widest = max(widest, (line.fullWidth + 63) >> 6) }
        return LaidFragment(input, made, terminator: terminator, marker: marker)
    }

    /// Returns the text before and after some UTF-16 units of a paragraph. The text of a side is left empty if letters
    /// cannot join across that boundary.
    private func seams(of content: [UInt16], at units: Range<Int>, in paragraph: Paragraph) -> Seams {
        var seams = Seams()
        if let first = content.first, Shaper.mayJoin(first) {
            let start = text.scalarBoundary(max(paragraph.start, units.lowerBound - Seams.length))
            let before = text.utf16(in: UTF16Offset(start)..<UTF16Offset(units.lowerBound))
            if let letter = before.last, Shaper.mayJoin(letter) { seams.before = before }
        }
        if let last = content.last, Shaper.mayJoin(last) {
            let end = text.scalarBoundary(min(paragraph.contentEnd, units.upperBound + Seams.length))
            let behind = text.utf16(in: UTF16Offset(units.upperBound)..<UTF16Offset(end))
            if let letter = behind.first, Shaper.mayJoin(letter) { seams.behind = behind }
        }
        return seams
    }

    /// Returns the natural direction of a paragraph; the last result is cached.
    private func direction(of paragraph: Paragraph) -> BidiBaseDirection {
        if let lastDirection, lastDirection.start == paragraph.start { return lastDirection.direction }
        let found = paragraph.direction(in: text)
        lastDirection = (paragraph.start, found.direction, found.knownAt)
        return found.direction
    }

    /// The largest number of paragraphs that are searched backwards for the direction of an empty paragraph.
    static let inheritance = 100

    /// Returns the direction of an empty paragraph: the direction of the last nonempty paragraph before it. The
    /// caret is then where text of the same language starts. Left to right if none of the ``inheritance``
    /// paragraphs before it has text.
    ///
    /// The result is cached for a row of empty paragraphs, and extended when the next one is requested.
    func inheritedDirection(of index: Int) -> BidiBaseDirection {
        let least = max(0, index - Self.inheritance)
        var row = EmptyParagraphs(numbers: index..<index + 1)
        while row.numbers.lowerBound > least, row.direction == nil {
            let number = row.numbers.lowerBound - 1
            if let known = emptyParagraphs, known.numbers.contains(number) {
                row = EmptyParagraphs(
                    numbers: known.numbers.lowerBound..<row.numbers.upperBound, direction: known.direction)
                continue
            }
            let paragraph = Paragraph(text, ParagraphIndex(number))
            if paragraph.contentEnd > paragraph.start {
                row.direction = paragraph.direction(in: text).direction
            } else {
                row.numbers = number..<row.numbers.upperBound
            }
        }
        emptyParagraphs = row
        return row.numbers.lowerBound > least ? row.direction ?? .leftToRight : .leftToRight
    }

    /// Drops the lines of each empty paragraph whose inherited direction has changed, so that the paragraph is laid
    /// out anew. Called after an edit. Begins with the paragraph that starts at `unit`, and ends at the first
    /// paragraph with text, or after ``inheritance`` paragraphs. The heights do not change. Returns whether any
    /// direction changed.
    func turnEmptyParagraphs(at unit: Int) -> Bool {
        var (at, hasTurned) = (unit, false)
        var level: UInt8?
        for _ in 0..<Self.inheritance where at < tree.total.units {
            let number = text.paragraphIndex(at: UTF16Offset(at))
            let range = text.utf16Range(of: number)
            guard range.lowerBound.value == at, text.utf16ContentRange(of: number).isEmpty else { break }
            // A paragraph that is not laid out gets its direction later, when it is laid out.
            let (fragment, before) = tree.fragment(at: at)
            if before.units == at, !fragment.isGap, let layout = fragment.layout, !layout.isHidden,
                layout.style.baseDirection == .natural
            {
                let wanted = level ?? (inheritedDirection(of: number.value) == .rightToLeft ? 1 : 0)
                level = wanted
                if layout.shaped.baseLevel != wanted {
                    fragment.lines?.layout = nil
                    hasTurned = true
                }
            }
            if number.value + 1 >= text.paragraphCount { break }
            at = range.upperBound.value
        }
        return hasTurned
    }

    /// Returns the tree entry for a new fragment, and adds the fragment's lines to the cache.
    func entry(_ laid: LaidFragment, units: Int) -> Fragment {
        Fragment(
            units: units, paragraphs: laid.endsParagraph ? 1 : 0,
            height: laid.isSideways && !laid.endsParagraph ? 0 : Float(laid.height), isGap: false,
            lines: cache.add(laid), width: laid.isSideways ? Float(laid.lines[0].fullWidth) / 64 : 0,
            isHidden: laid.isHidden)
    }
}

/// Consecutive paragraphs without text, which inherit one direction.
struct EmptyParagraphs {
    /// The indices of the empty paragraphs.
    var numbers: Range<Int>
    /// The direction of the paragraph before these empty paragraphs; nil until it is known.
    var direction: BidiBaseDirection?
}

import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Making pieces: from a gap in the tree to paragraphs and segments with lines.
extension TextLayoutManager {
    /// The laid-out piece that holds a unit; lays it out if needed. O(log n) if it is there.
    func placedPiece(at unit: Int) -> PlacedPiece {
        layOutBesideExclusions()
        // One key asks for the same piece twenty times.
        if let lastPlaced, lastPlaced.generation == generation, lastPlaced.piece.holds(unit) {
            clock += 1
            lastPlaced.piece.piece.lastUse = clock
            return lastPlaced.piece
        }
        let (piece, before) = tree.piece(at: unit)
        if !piece.isGap, let layout = piece.layout {
            return place(layout, piece, before)
        }
        layOut(at: unit, in: piece, before)
        let (made, beforeMade) = tree.piece(at: unit)
        guard let layout = made.layout else { preconditionFailure("a piece was just laid out") }
        return place(layout, made, beforeMade)
    }

    private func place(_ layout: LaidPiece, _ piece: Piece, _ before: PieceSum) -> PlacedPiece {
        clock += 1
        layout.lastUse = clock
        let placed = PlacedPiece(
            piece: layout, start: before.units, paragraph: before.paragraphs, units: piece.units, y: top(of: before),
            x: layout.isSideways ? sidewaysX(of: layout, piece, before) : 0)
        lastPlaced = (generation, placed)
        return placed
    }

    private func layOut(at unit: Int, in piece: Piece, _ before: PieceSum) {
        if !piece.isGap {
            // It was laid out before and dropped: the same units again.
            let paragraph = Paragraph(text, holding: before.units)
            let end = before.units + piece.units
            pieceTop = top(of: before)
            let made = layOutExactly(before.units..<min(end, paragraph.contentEnd), paragraph, endsAt: end)
            tree.replace(before.units..<end, with: [entry(made, units: piece.units)])
            return
        }
        let gap = before.units..<before.units + piece.units
        // A gap that starts with the unit starts with its paragraph, unless lines before it are known.
        let atStart =
            unit == before.units && (unit == 0 || tree.piece(at: unit - 1).before.paragraphs < before.paragraphs)
        let paragraph =
            atStart
            ? Paragraph(text, ParagraphIndex(before.paragraphs))
            : Paragraph(text, holding: min(unit, text.metrics.utf16))
        let from = max(paragraph.start, gap.lowerBound)
        if isUnwrapped, paragraph.isLong, gap.lowerBound <= paragraph.start, unit - from > Self.jump {
            // A line's first segment says how wide its text is; known later it would move all the others.
            let first = placedPiece(at: paragraph.start).piece
            if !isAdvanceMeasured, first.contentLength > 0 {
                isAdvanceMeasured = true
                estimate.advance = max(0.01, Double(first.lines[0].fullWidth) / 64 / Double(first.contentLength))
            }
            let (rest, beforeRest) = tree.piece(at: unit)
            if rest.isGap { layOut(at: unit, in: rest, beforeRest) }
            return
        }
        var pieces: [Piece] = []
        let start: Int
        if unit - from <= Self.jump || !paragraph.isLong {
            start = from
        } else {
            start = guessedLineStart(before: unit, notBefore: from)
        }
        if start > gap.lowerBound {
            pieces.append(
                Piece(
                    units: start - gap.lowerBound, paragraphs: paragraph.index - before.paragraphs, height: 0,
                    isGap: true, layout: nil))
        }
        var at = start
        var done = paragraph.index
        // Behind a gap nobody knows it, but there no paths are either.
        pieceTop = start > gap.lowerBound ? .infinity : top(of: before)
        let limit = min(paragraph.end, gap.upperBound)
        repeat {
            let made = layOutNext(from: at, in: paragraph, limit: limit)
            pieces.append(made)
            pieceTop += Double(made.height)
            at += made.units
            done += made.paragraphs
        } while at <= unit && at < limit
        if at < gap.upperBound {
            pieces.append(
                Piece(
                    units: gap.upperBound - at, paragraphs: before.paragraphs + piece.paragraphs - done, height: 0,
                    isGap: true, layout: nil))
        }
        tree.replace(gap, with: pieces)
    }

    /// A place shortly before a unit of a long paragraph where a line may as well start: nobody knows where the lines
    /// before it end.
    private func guessedLineStart(before unit: Int, notBefore low: Int) -> Int {
        let start = max(low, unit - 256)
        let units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(unit))
        if let space = units.lastIndex(where: { $0 == 0x20 || $0 == 0x3000 || $0 == 0x3002 }) {
            return start + space + 1
        }
        return text.graphemeBoundary(roundedDown: unit, notBefore: start)
    }

    /// The next piece of a paragraph from a unit where a line starts. `limit` is where something known follows, which
    /// may only be passed if lines do not end there of themselves and `passesLimit` says so.
    func layOutNext(from start: Int, in paragraph: Paragraph, limit: Int, passesLimit: Bool = false) -> Piece {
        if container.room.width == nil, paragraph.isLong || start > paragraph.start || limit < paragraph.contentEnd {
            return layOutSideways(from: start, in: paragraph, limit: limit)
        }
        if !paragraph.isLong {
            let made = layOutExactly(start..<paragraph.contentEnd, paragraph, endsAt: paragraph.end)
            return entry(made, units: paragraph.end - start)
        }
        let goesOn = limit < paragraph.contentEnd && passesLimit
        let stop = goesOn ? paragraph.contentEnd : min(paragraph.contentEnd, limit)
        // A word or two beyond the place where lines should agree again is enough to see that they do.
        var window = (goesOn ? max(segment / 2, limit - start) : segment) + Self.lookAhead + 16
        while true {
            // Where it would cut a surrogate pair it gives a unit less.
            let content = text.utf16(in: UTF16Offset(start)..<UTF16Offset(min(start + window, stop)))
            let end = start + content.count
            if end >= stop {
                let full = stop == paragraph.contentEnd ? paragraph.end : limit
                let made = layOutExactly(start..<stop, paragraph, endsAt: full, content: content)
                return entry(made, units: full - start)
            }
            let whole = layOutExactly(start..<end, paragraph, endsAt: end, content: content)
            // The last lines might change with what follows; a segment needs one that does not.
            let safe = Int32(end - start - Self.lookAhead)
            let kept = whole.lines.prefix { $0.end <= safe && $0.isWrapped }
            let agreed = goesOn ? kept.firstIndex { start + Int($0.end) == limit } : nil
            // Where lines end elsewhere than before, segments keep their size instead of growing with each key.
            // Fragments side by side belong to one segment.
            let ends = kept.indices.filter { $0 + 1 == whole.lines.count || whole.lines[$0 + 1].y != whole.lines[$0].y }
            let usual = ends.last { Int(kept[$0].end) <= segment * 3 / 2 } ?? ends.first
            if let last = agreed ?? usual,
                agreed != nil || Int(kept[last].end) >= segment / 2 || window > Self.longestSegment
            {
                let cut = whole.prefix(lines: last + 1)
                return entry(cut, units: cut.contentLength)
            }
            if window > Self.longestSegment { return entry(whole, units: end - start) }
            window = max(window * 2, endOfMarks(from: end, to: min(stop, start + Self.longestSegment)) - start + 256)
        }
    }

    /// Units behind a line's end that may decide where it is: the words that a dictionary looks at together.
    private static let lookAhead = 64
    /// A segment in which no line ends is not made longer than this, in UTF-16 units.
    private static let longestSegment = 1 << 15

    /// Where marks that go on from a unit end: a cluster of thousands is one line whatever comes behind it.
    private func endOfMarks(from start: Int, to limit: Int) -> Int {
        var at = start
        while at < limit {
            let units = text.utf16(in: UTF16Offset(at)..<UTF16Offset(min(limit, at + 1024)))
            guard let other = units.firstIndex(where: { !tools.shaper.isMark($0) }) else {
                at += units.count
                continue
            }
            return at + other
        }
        return at
    }

    /// Lays out units of a paragraph as one piece that ends at `end`, where its terminator ends if it has it. `content` are
    /// the units, if the caller has them.
    func layOutExactly(
        _ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int, content read: [UInt16]? = nil
    ) -> LaidPiece {
        let isWhole = units.lowerBound == paragraph.start && units.upperBound == paragraph.contentEnd
        var content =
            read
            ?? (isWhole && !paragraph.isLong
                ? paragraph.units : text.utf16(in: UTF16Offset(units.lowerBound)..<UTF16Offset(units.upperBound)))
        if masksCharacters { content = masked(content) }
        var style = paragraphStyle
        var stack = stack
        var spans: [StyleSpan]?
        var custom: (any CustomTextLayoutFragment)?
        if mayDiffer || delegate != nil {
            let element = TextParagraph(paragraph, length: text.metrics.utf16, content: units)
            guard let shown = textContentManager.textParagraph(element) else {
                return hidden(units, paragraph, endsAt: end)
            }
            style = shown.paragraphStyle ?? style
            stack = shown.font.map { tools.context.stack(for: $0) } ?? stack
            content = shown.display(content)
            spans = shown.spans(stack, tools.context)
            custom = delegate?.textLayoutManager(
                self, textLayoutFragmentFor: UTF16Offset(units.lowerBound), in: shown)
        }
        var direction = style.baseDirection
        if !isWhole, direction == .natural { direction = self.direction(of: paragraph) }
        if units.lowerBound > paragraph.start { style.firstLineIndent = style.indent }
        var shaped = tools.shaper.shape(
            content, styles: spans ?? [StyleSpan(range: 0..<content.count, stack: stack)], direction: direction)
        var room = container.room
        let isSideways = room.width == nil && !(isWhole && end >= paragraph.end)
        if isSideways {
            room.isSideways = true
            (room.x, room.alignmentWidth) = (0, 0)
            style.alignment = .left
            (style.indent, style.firstLineIndent) = (0, 0)
        }
        let margin = custom.map { margins(of: $0, units, paragraph, endsAt: end) } ?? (0, 0)
        if let exclusions, pieceTop < exclusions.bottom {
            let top = pieceTop + Double(margin.0)
            room.intervals = { y, height in
                exclusions.free(from: top + Double(y), to: top + Double(y + height))
            }
        }
        if let custom, !isSideways { room.pad(custom, rtl: shaped.baseLevel & 1 == 1) }
        var (lines, height) = tools.breaker.lines(of: &shaped, style: style, stack: stack, room: room)
        let endsParagraph = end >= paragraph.end
        for i in lines.indices { lines[i].y += margin.0 }
        height += margin.0 + margin.1
        if !endsParagraph, !lines.isEmpty { lines[lines.count - 1].isWrapped = true }
        if endsParagraph { height += Int32(pixels: style.spacingAfter) }
        for line in lines { widest = max(widest, (line.fullWidth + 63) >> 6) }
        return LaidPiece(
            shaped: shaped, lines: lines, height: height,
            terminator: endsParagraph ? max(0, min(paragraph.end, text.metrics.utf16) - units.upperBound) : 0,
            startsParagraph: units.lowerBound == paragraph.start, endsParagraph: endsParagraph, style: style,
            stack: stack, isSideways: isSideways, custom: custom)
    }

    /// The natural direction of a paragraph, remembered for the one that was asked about last.
    private func direction(of paragraph: Paragraph) -> BidiBaseDirection {
        if let lastDirection, lastDirection.start == paragraph.start { return lastDirection.direction }
        let found = paragraph.direction(in: text)
        lastDirection = (paragraph.start, found.direction, found.knownAt)
        return found.direction
    }

    /// Room above and below the lines of a custom fragment, whole pixels.
    private func margins(
        of custom: any CustomTextLayoutFragment, _ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int
    ) -> (Int32, Int32) {
        (
            units.lowerBound == paragraph.start ? max(0, Int32(pixels: custom.topMargin)) : 0,
            end >= paragraph.end ? max(0, Int32(pixels: custom.bottomMargin)) : 0
        )
    }

    /// Units that are not shown: one line without height and glyphs.
    private func hidden(_ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int) -> LaidPiece {
        let shaped = ShapedText(
            text: [UInt16](repeating: 0x20, count: units.count), baseLevel: 0, isPlain: true, isNarrow: true,
            glyphs: [], runs: [], levels: [])
        let line = LineRecord(
            start: 0, end: Int32(units.count), glyphStart: 0, glyphEnd: 0, width: 0, fullWidth: 0,
            roomX: container.room.x, room: 0, y: 0, height: 0, baseline: 0)
        let endsParagraph = end >= paragraph.end
        return LaidPiece(
            shaped: shaped, lines: [line], height: 0,
            terminator: endsParagraph ? max(0, min(paragraph.end, text.metrics.utf16) - units.upperBound) : 0,
            startsParagraph: units.lowerBound == paragraph.start, endsParagraph: endsParagraph, style: paragraphStyle,
            stack: stack)
    }

    func entry(_ laid: LaidPiece, units: Int) -> Piece {
        live.append(laid)
        liveUnits += laid.memoryUnits
        clock += 1
        laid.lastUse = clock
        return Piece(
            units: units, paragraphs: laid.endsParagraph ? 1 : 0,
            height: laid.isSideways && !laid.endsParagraph ? 0 : Float(laid.height), isGap: false, layout: laid,
            width: laid.isSideways ? Float(laid.lines[0].fullWidth) / 64 : 0)
    }
}

/// A paragraph of a text, in UTF-16 units.
struct Paragraph {
    var index: Int
    var start: Int
    /// End without the terminator.
    var contentEnd: Int
    /// End with the terminator; the last paragraph's is one beyond the text.
    var end: Int
    var isLong: Bool { contentEnd - start > TextLayoutManager.longParagraph }
    /// The content, if the paragraph is not long.
    var units: [UInt16] = []

    /// The paragraph that holds a unit. O(log n).
    init(_ text: Rope, holding unit: Int) {
        let index = text.paragraphIndex(at: UTF16Offset(unit))
        self.init(text, index)
    }

    init(_ text: Rope, _ index: ParagraphIndex) {
        let (before, through) = text.metrics(around: index)
        let isLast = index.value + 1 >= text.paragraphCount
        self.index = index.value
        start = before.utf16
        end = isLast ? text.metrics.utf16 + 1 : through.utf16
        contentEnd = through.utf16
        if through.utf16 - before.utf16 <= TextLayoutManager.longParagraph {
            units = text.utf16(in: ByteOffset(before.bytes)..<ByteOffset(through.bytes))
            if !isLast {
                let newline = text.metrics.newlines > 0 ? Self.newlineLength(units) : 0
                units.removeLast(newline)
                contentEnd -= newline
            }
        } else if !isLast {
            let last = ByteOffset(through.bytes - 3)..<ByteOffset(through.bytes)
            contentEnd -= Self.newlineLength(text.utf16(in: last))
            // With its newline alone it is longer.
            if !isLong { units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(contentEnd)) }
        }
    }

    /// A paragraph of which is known where it starts and ends, and that it is not long; `end` is one beyond the text for the last.
    /// O(log n), and quicker than looking for its newlines.
    init(_ text: Rope, _ index: ParagraphIndex, start: Int, end: Int) {
        self.index = index.value
        self.start = start
        self.end = end
        contentEnd = min(end, text.metrics.utf16)
        units = text.utf16(in: UTF16Offset(start)..<UTF16Offset(contentEnd))
        if index.value + 1 < text.paragraphCount {
            let newline = Self.newlineLength(units)
            units.removeLast(newline)
            contentEnd -= newline
        }
    }

    /// Units of the newline at the end of a paragraph that has one: 2 for CR LF.
    private static func newlineLength(_ units: [UInt16]) -> Int {
        guard let last = units.last else { return 0 }
        return last == 0x0a && units.count > 1 && units[units.count - 2] == 0x0d ? 2 : 1
    }

    /// The direction of the first strong character in the paragraph's first 64 K units (UAX #9, P2 and P3), and a unit
    /// before which that stands.
    func direction(in text: Rope) -> (direction: BidiBaseDirection, knownAt: Int) {
        var at = start
        var length = 64
        while at < contentEnd, at - start < 1 << 16 {
            let end = min(contentEnd, at + length)
            switch BidiProperties.firstStrong(text.utf16(in: UTF16Offset(at)..<UTF16Offset(end))) {
            case 0?: return (.leftToRight, end)
            case 1?: return (.rightToLeft, end)
            default: break
            }
            at = end
            length *= 4
        }
        return (.leftToRight, at)
    }
}

extension Rope {
    /// A unit, or the one before it where it would cut a surrogate pair.
    func scalarBoundary(_ unit: Int) -> Int {
        guard unit > 0, unit < metrics.utf16 else { return unit }
        return utf16Offset(at: byteOffset(at: UTF16Offset(unit))).value
    }

    /// The last grapheme boundary at or before a unit, but not before another; then the scalar's start.
    func graphemeBoundary(roundedDown unit: Int, notBefore low: Int) -> Int {
        let found = roundedDown(toGrapheme: UTF16Offset(unit)).value
        return found > low ? found : scalarBoundary(unit)
    }
}

import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Making pieces: from a gap in the tree to paragraphs and segments with lines.
extension TextLayoutManager {
    /// The laid-out piece that holds a unit; lays it out if needed. O(log n) if it is there.
    func placedPiece(at unit: Int) -> PlacedPiece {
        layOutBesideExclusions()
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
        return PlacedPiece(
            piece: layout, start: before.units, paragraph: before.paragraphs, units: piece.units, y: top(of: before),
            x: layout.isSideways ? sidewaysX(of: layout, piece, before) : 0)
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
        if isUnwrapped, paragraph.isLong, gap.lowerBound <= paragraph.start, unit - from > 4 * Self.segment {
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
        if unit - from <= 4 * Self.segment || !paragraph.isLong {
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
        var window = Self.segment + Self.segment / 2
        // A line's length beyond the place where lines should agree again is enough to see that they do.
        if goesOn { window = max(Self.segment / 2, limit - start) + 256 }
        while true {
            let end = text.scalarBoundary(min(start + window, stop))
            if end >= stop {
                let full = stop == paragraph.contentEnd ? paragraph.end : limit
                return entry(layOutExactly(start..<stop, paragraph, endsAt: full), units: full - start)
            }
            let whole = layOutExactly(start..<end, paragraph, endsAt: end)
            // The last lines might change with what follows; a segment needs one that does not.
            let safe = Int32(end - start - 128)
            let kept = whole.lines.prefix { $0.end <= safe && $0.isWrapped }
            let agreed = goesOn ? kept.firstIndex { start + Int($0.end) == limit } : nil
            // Where lines end elsewhere than before, segments keep their size instead of growing with each key.
            let usual = kept.lastIndex { Int($0.end) <= Self.segment * 3 / 2 } ?? kept.indices.first
            if let last = agreed ?? usual,
                agreed != nil || Int(kept[last].end) >= Self.segment / 2 || window > 64 * Self.segment
            {
                let cut = whole.prefix(lines: last + 1)
                return entry(cut, units: cut.contentLength)
            }
            if window > 64 * Self.segment { return entry(whole, units: end - start) }
            window *= 2
        }
    }

    /// Lays out units of a paragraph as one piece that ends at `end`, where its terminator ends if it has it.
    func layOutExactly(_ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int) -> LaidPiece {
        let isWhole = units.lowerBound == paragraph.start && units.upperBound == paragraph.contentEnd
        var content =
            isWhole && !paragraph.isLong
            ? paragraph.units : text.utf16(in: UTF16Offset(units.lowerBound)..<UTF16Offset(units.upperBound))
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
        if !isWhole, direction == .natural { direction = paragraph.direction(in: text) }
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
        if endsParagraph { height += Int32(style.spacingAfter.rounded()) }
        for line in lines { widest = max(widest, (line.fullWidth + 63) >> 6) }
        return LaidPiece(
            shaped: shaped, lines: lines, height: height,
            terminator: endsParagraph ? max(0, min(paragraph.end, text.metrics.utf16) - units.upperBound) : 0,
            startsParagraph: units.lowerBound == paragraph.start, endsParagraph: endsParagraph, style: style,
            stack: stack, isSideways: isSideways, custom: custom)
    }

    /// Room above and below the lines of a custom fragment, whole pixels.
    private func margins(
        of custom: any CustomTextLayoutFragment, _ units: Range<Int>, _ paragraph: Paragraph, endsAt end: Int
    ) -> (Int32, Int32) {
        (
            units.lowerBound == paragraph.start ? Int32(max(0, custom.topMargin.rounded())) : 0,
            end >= paragraph.end ? Int32(max(0, custom.bottomMargin.rounded())) : 0
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
        let before = text.metrics(before: index)
        let isLast = index.value + 1 >= text.paragraphCount
        let through = isLast ? text.metrics : text.metrics(before: index + 1)
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
            contentEnd = text.utf16ContentRange(of: index).upperBound.value
        }
    }

    /// Units of the newline at the end of a paragraph that has one: 2 for CR LF.
    private static func newlineLength(_ units: [UInt16]) -> Int {
        guard let last = units.last else { return 0 }
        return last == 0x0a && units.count > 1 && units[units.count - 2] == 0x0d ? 2 : 1
    }

    /// The direction of the first strong character in the paragraph's first 64 K units (UAX #9, P2 and P3).
    func direction(in text: Rope) -> BidiBaseDirection {
        var at = start
        var length = 256
        while at < contentEnd, at - start < 1 << 16 {
            let end = min(contentEnd, at + length)
            switch BidiProperties.firstStrong(text.utf16(in: UTF16Offset(at)..<UTF16Offset(end))) {
            case 0?: return .leftToRight
            case 1?: return .rightToLeft
            default: break
            }
            at = end
            length *= 4
        }
        return .leftToRight
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

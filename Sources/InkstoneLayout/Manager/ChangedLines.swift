import CShaping
import InkstoneBase

/// A line as it stood before or after an edit, to tell which lines an edit changed.
struct ChangedLine {
    var piece: LaidPiece
    var index: Int
    /// Unit of the document that its piece starts at.
    var pieceStart: Int
    /// Top edge in pixels of the document.
    var top: Double

    var record: LineRecord { piece.lines[index] }
    var start: Int { pieceStart + Int(record.start) }
    var end: Int { pieceStart + Int(record.end) }
    var bottom: Double { top + Double(record.height) }

    /// Whether the other line looks the same, wherever its text starts. O(n) for n glyphs.
    func looksLike(_ other: ChangedLine) -> Bool {
        let (a, b) = (record, other.record)
        guard a.end - a.start == b.end - b.start, a.width == b.width, a.fullWidth == b.fullWidth, a.roomX == b.roomX,
            a.room == b.room, a.height == b.height, a.baseline == b.baseline, a.isWrapped == b.isWrapped,
            a.hasHyphen == b.hasHyphen, piece.shaped.baseLevel == other.piece.shaped.baseLevel,
            piece.style == other.piece.style, a.glyphEnd - a.glyphStart == b.glyphEnd - b.glyphStart
        else { return false }
        let (mine, theirs) = (piece.shaped, other.piece.shaped)
        for i in 0..<Int(a.glyphEnd - a.glyphStart) {
            let (x, y) = (mine.glyphs[Int(a.glyphStart) + i], theirs.glyphs[Int(b.glyphStart) + i])
            if x.glyph != y.glyph || x.advance != y.advance || x.dx != y.dx || x.dy != y.dy { return false }
        }
        return runs == other.runs
    }

    /// Fonts and levels along the line, counted from its start.
    private var runs: [Run] {
        let (shaped, record) = (piece.shaped, record)
        return shaped.runs.compactMap { run in
            guard run.start < record.end, run.end > record.start else { return nil }
            return Run(
                start: max(run.start, record.start) - record.start, face: run.face, level: run.level, kind: run.kind)
        }
    }

    private struct Run: Equatable {
        var start: Int32
        var face: Int32
        var level: UInt8
        var kind: ShapedText.Kind
    }

    /// Left and right end of what differs from the same line before an edit at a unit of the document, in pixels from
    /// the piece's left edge; nil if everything may differ. Ink that reaches beyond its glyph's box is within it. O(n).
    func extent(changedFrom old: ChangedLine, edit: Int, tools: LayoutTools) -> (left: Double, right: Double)? {
        guard record.height == old.record.height, record.baseline == old.record.baseline,
            piece.shaped.baseLevel == old.piece.shaped.baseLevel,
            piece.style == old.piece.style
        else { return nil }
        let (now, before) = (piece.line(index, tools), old.piece.line(old.index, tools))
        let (new, was) = (marks(now), old.marks(before))
        var head = 0
        while head < min(new.count, was.count), new[head] == was[head] { head += 1 }
        var tail = 0
        while tail < min(new.count, was.count) - head, new[new.count - 1 - tail] == was[was.count - 1 - tail] {
            tail += 1
        }
        var left = Int32.max
        var right = Int32.min
        for mark in [new[head..<(new.count - tail)], was[head..<(was.count - tail)]].joined() {
            left = min(left, mark.left)
            right = max(right, mark.right)
        }
        for (line, side) in [(now, self), (before, old)] {
            let unit = Int32(min(max(0, edit - side.pieceStart), side.piece.contentLength))
            for upstream in [true, false] {
                let x = line.caretX(at: unit, upstream: upstream)
                left = min(left, x)
                right = max(right, x)
            }
        }
        // What hangs has no glyphs, but may have something painted behind it.
        if now.contentLeft != before.contentLeft { left = min(left, now.contentLeft, before.contentLeft) }
        if now.contentRight != before.contentRight { right = max(right, now.contentRight, before.contentRight) }
        if record.hasHyphen || old.record.hasHyphen { return nil }
        let overhang = Int(record.height)
        let edge = clearEdge(before: Int(left >> 6) - overhang, in: new, tools)
        return (Double(edge), Double(Int((right + 63) >> 6) + overhang))
    }

    /// A whole pixel at x or a few glyphs before it, so that no glyph's ink reaches over the pixel's left neighbour: who paints
    /// from there on, the neighbour included, cuts through none and need not tell a server where to cut. Where there is none
    /// nearby, x.
    private func clearEdge(before x: Int, in marks: [Mark], _ tools: LayoutTools) -> Int {
        guard var index = marks.lastIndex(where: { $0.left >> 6 < x }) else { return x }
        let last = max(0, index - 20)
        var next = x - 1
        if index + 1 < marks.count, let ink = ink(of: marks[index + 1], tools) { next = min(next, ink.left) }
        while index >= last {
            if let ink = ink(of: marks[index], tools) {
                if ink.right <= next { return (ink.right + next) / 2 + 1 }
                next = min(next, ink.left)
            }
            index -= 1
        }
        return last == 0 ? min(0, next) : x
    }

    /// Where a glyph's ink starts and ends, in whole pixels, unless it is smoothed for the colours of a flat screen; nil if it
    /// has none.
    private func ink(of mark: Mark, _ tools: LayoutTools) -> (left: Int, right: Int)? {
        var ink: (Int16, Int16, Int16, Int16) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &ink) {
            cshaping_font_ink(
                tools.context.faces[Int(mark.face)].handle, mark.glyph, $0.bindMemory(to: Int16.self).baseAddress)
        }
        guard ink.0 != ink.2 else { return nil }
        let pen = Int((mark.left &+ mark.dx &+ 32) >> 6)
        // A pixel on each side is for the smoothing.
        return (pen + Int(ink.0) + 1, pen + Int(ink.2) - 1)
    }

    /// A glyph or box in its place.
    private struct Mark: Equatable {
        var glyph: UInt32
        var face: Int32
        var left: Int32
        var right: Int32
        var dx: Int32
        var dy: Int32
    }

    private func marks(_ line: PositionedLine) -> [Mark] {
        var found: [Mark] = []
        found.reserveCapacity(Int(record.glyphEnd - record.glyphStart))
        for run in line.runs {
            let rtl = run.level & 1 == 1
            var pen = rtl ? run.right : run.left
            for i in Int(run.glyphStart)..<Int(run.glyphEnd) {
                let glyph = piece.shaped.glyphs[i]
                let extra = line.extra.isEmpty ? 0 : line.extra[i - Int(record.glyphStart)]
                let from = pen
                pen &+= (glyph.advance &+ extra) &* (rtl ? -1 : 1)
                // A box shows its code point, which its glyph does not tell.
                let id = run.kind == .missing ? UInt32(piece.shaped.text[Int(glyph.cluster)]) : glyph.glyph
                found.append(
                    Mark(
                        glyph: id, face: run.face, left: min(from, pen), right: max(from, pen), dx: glyph.dx,
                        dy: glyph.dy))
            }
        }
        return found
    }
}

extension TextLayoutManager {
    /// The lines of the pieces that make up a range of the tree, nil standing for pieces whose lines are not known.
    func lines(inPieces range: Range<Int>) -> [ChangedLine?] {
        guard range.count <= 1 << 16 else { return [nil] }
        var found: [ChangedLine?] = []
        var unit = range.lowerBound
        while unit < range.upperBound {
            let (piece, before) = tree.piece(at: unit)
            if let layout = piece.layout, !piece.isGap {
                let y = top(of: before)
                for index in layout.lines.indices {
                    found.append(
                        ChangedLine(
                            piece: layout, index: index, pieceStart: unit, top: y + Double(layout.lines[index].y)))
                }
            } else {
                found.append(nil)
            }
            unit = before.units + piece.units
        }
        return found
    }

    /// The part of the document that has to be painted anew after an edit: where the changed lines were and are.
    ///
    /// `old` and `new` are the lines of what was laid out anew, from `top` to `oldBottom` and `newBottom`. Lines before
    /// and after those that changed are left out, and of a single line what stands where it stood.
    func changedBand(
        from old: [ChangedLine?], to new: [ChangedLine?], edit: Int, insertedEnd: Int, top: Double,
        oldBottom: Double, newBottom: Double
    ) -> DocumentRect {
        var (old, new, oldBottom, newBottom) = (old, new, oldBottom, newBottom)
        var slack = 0.0
        let isKnown = !(old + new).contains { $0 == nil }
        if let last = old.last, last == nil, let other = new.last, other == nil {
            // What was never laid out was never painted; nor do estimates below say how anything seen has moved.
            slack = max(0, oldBottom - newBottom)
            old.removeLast()
            new.removeLast()
            if let known = old.last { oldBottom = known?.bottom ?? oldBottom } else { oldBottom = top }
            if let known = new.last { newBottom = known?.bottom ?? newBottom } else { newBottom = top }
        }
        if (old + new).contains(where: { $0?.piece.custom != nil }) {
            // What a custom fragment paints may depend on all of its text.
            return DocumentRect(
                x: 0, y: top, width: container.width,
                height: isKnown ? max(oldBottom, newBottom) - top : Self.endless)
        }
        var head = 0
        while head < min(old.count, new.count), let a = old[head], let b = new[head], b.end < edit, a.top == b.top,
            a.start == b.start, b.looksLike(a)
        {
            head += 1
        }
        var tail = 0
        let shift = newBottom - oldBottom
        while tail < min(old.count, new.count) - head, let a = old[old.count - 1 - tail],
            let b = new[new.count - 1 - tail], b.start > insertedEnd, b.top - a.top == shift, b.looksLike(a)
        {
            tail += 1
        }
        let upper = head < new.count ? new[head]?.top : nil
        let y = upper ?? (head < old.count ? old[head]?.top : nil) ?? top
        // Where nothing below is known to have stayed, all of it may have changed.
        let oldEdge = tail == 0 ? oldBottom : head + tail < old.count ? old[old.count - tail - 1]?.bottom : y
        let newEdge = tail == 0 ? newBottom : head + tail < new.count ? new[new.count - tail - 1]?.bottom : y
        var band = DocumentRect(
            x: 0, y: y, width: container.width,
            height: max(0, max(oldEdge ?? oldBottom, newEdge ?? newBottom) - y) + slack)
        if new[head..<(new.count - tail)].contains(where: { $0 == nil }) {
            band.size.height = Self.endless
        } else if old.count == new.count, head + tail + 1 == new.count, let a = old[head], let b = new[head],
            let extent = b.extent(changedFrom: a, edit: edit, tools: tools), a.top == b.top
        {
            let left = max(0, extent.left)
            band.origin.x = left
            band.size.width = max(0, extent.right - left)
        }
        return band
    }
}

import CShaping
import InkstoneBase
import InkstoneText

/// A line as it was before an edit, or as it is after the edit. Comparing the lines before with the lines after
/// shows which lines the edit changed.
struct ChangedLine {
    var fragment: LaidFragment
    var index: Int
    /// Start of the line's fragment, in UTF-16 units of the document.
    var fragmentStart: Int
    /// Top edge of the line, in pixels of the document.
    var top: Double

    var record: LineRecord { fragment.lines[index] }
    var start: Int { fragmentStart + Int(record.start) }
    var end: Int { fragmentStart + Int(record.end) }
    var bottom: Double { top + Double(record.height) }

    /// Whether another line is painted the same; the lines' offsets in the text may differ. O(n) for n glyphs.
    func isPaintedLike(_ other: ChangedLine) -> Bool {
        let (a, b) = (record, other.record)
        guard a.end - a.start == b.end - b.start, a.width == b.width, a.fullWidth == b.fullWidth, a.roomX == b.roomX,
            a.room == b.room, a.height == b.height, a.baseline == b.baseline, a.isWrapped == b.isWrapped,
            a.hasHyphen == b.hasHyphen, fragment.shaped.baseLevel == other.fragment.shaped.baseLevel,
            fragment.style == other.fragment.style, a.glyphEnd - a.glyphStart == b.glyphEnd - b.glyphStart
        else { return false }
        let areSame = fragment.shaped.glyphs.withUnsafeBufferPointer { mine in
            other.fragment.shaped.glyphs.withUnsafeBufferPointer { theirs in
                for i in 0..<Int(a.glyphEnd - a.glyphStart)
                where !Self.isSame(mine[Int(a.glyphStart) + i], theirs[Int(b.glyphStart) + i]) { return false }
                return true
            }
        }
        return areSame && runs.elementsEqual(other.runs)
    }

    /// Copies the ink reach (how far ink extends beyond the line's box) of another line that is painted the same. Does
    /// nothing if it was not computed for that line.
    func takeInkReach(of other: ChangedLine) {
        guard let known = other.fragment.inkReach(ofLine: other.index) else { return }
        fragment.setInkReach(known, ofLine: index)
    }

    /// Computes the ink reach (how far ink extends beyond the line's box) by adding the ink of the changed glyphs to
    /// that of the line before the edit, which has the same height and font. Ink of removed glyphs stays counted.
    /// Does nothing if that reach is not known, or if the run or a changed glyph is raised or lowered.
    private func takeInkReach(
        of other: ChangedLine, changing changed: Range<Int>, of run: PositionedLine.VisualRun, _ tools: LayoutTools
    ) {
        guard var reach = other.fragment.inkReach(ofLine: other.index),
            record.inkLimit(0, raisedBy: run.raise) == 0,
            !fragment.shaped.glyphs[changed].contains(where: { $0.dy != 0 })
        else { return }
        let face = tools.context.faces[Int(run.face)]
        let ink = face.inkReach(of: fragment.shaped.glyphs[changed], limit: 0)
        reach.add(ink, raisedBy: run.raise, beyond: record)
        fragment.setInkReach(reach, ofLine: index)
    }

    /// Returns whether two glyphs have the same shape, offset and advance; their text positions may differ.
    @inline(__always)
    private static func isSame(_ a: cshaping_glyph, _ b: cshaping_glyph) -> Bool {
        a.glyph == b.glyph && a.advance == b.advance && a.dx == b.dx && a.dy == b.dy
    }

    /// The font, level and kind of each run of the line; run starts are relative to the line's start.
    private var runs: some Sequence<Run> {
        let (shaped, record) = (fragment.shaped, record)
        return shaped.runs(in: record.start..<record.end).lazy.map { run in
            Run(
                start: max(run.start, record.start) - record.start, face: run.face, level: run.level, kind: run.kind,
                raise: run.raise)
        }
    }

    private struct Run: Equatable {
        var start: Int32
        var face: Int32
        var level: UInt8
        var kind: ShapedText.Kind
        var raise: Int16
    }

    /// Returns the left and right end of the part in which this line differs from `old`, the same line before an
    /// edit; nil if the whole line may differ. `edit` is the edit's offset in the document. The ends are in pixels
    /// from the fragment's left edge; ink beyond the glyphs' boxes is included. O(n).
    func extent(changedFrom old: ChangedLine, edit: Int, tools: LayoutTools) -> (left: Double, right: Double)? {
        guard record.height == old.record.height, record.baseline == old.record.baseline,
            fragment.shaped.baseLevel == old.fragment.shaped.baseLevel,
            fragment.style == old.fragment.style
        else { return nil }
        if record.hasHyphen || old.record.hasHyphen { return nil }
        return plainExtent(changedFrom: old, edit: edit, tools: tools)
            ?? markedExtent(changedFrom: old, edit: edit, tools: tools)
    }

    /// Returns the changed part of a line that is one left-to-right run of text. Nil for other lines, and if the part
    /// cannot be determined from the glyphs around the change. Faster than ``markedExtent(changedFrom:edit:tools:)``,
    /// which creates the marks of the whole line.
    func plainExtent(changedFrom old: ChangedLine, edit: Int, tools: LayoutTools) -> (left: Double, right: Double)? {
        let (now, before) = (fragment.line(index, tools), old.fragment.line(old.index, tools))
        guard let plain = plainDifference(now, from: old, before) else { return nil }
        takeInkReach(of: old, changing: plain.changed, of: now.runs[0], tools)
        let (left, right) = widened(plain.left, plain.right, now, old, before, edit: edit)
        let x = Int(left >> 6) - Int(record.height)
        // Read 40 glyphs before the first difference: they usually suffice to find a pixel column from which to
        // repaint.
        let edge = withMarks(now, from: max(0, plain.head - 40), to: plain.head, at: plain.pen) {
            clearEdge(before: x, in: $0, from: max(0, plain.head - 40), tools)
        }
        return edge.map { (Double($0), Double(Int((right + 63) >> 6) + Int(record.height))) }
    }

    /// Returns the changed part of any line whose height is unchanged, by comparing all glyphs, boxes and attachments
    /// of the line before and after.
    func markedExtent(changedFrom old: ChangedLine, edit: Int, tools: LayoutTools) -> (left: Double, right: Double) {
        let (now, before) = (fragment.line(index, tools), old.fragment.line(old.index, tools))
        return withMarks(now) { new in
            old.withMarks(before) { was in
                let differs = Self.difference(new, was)
                let (left, right) = widened(differs.left, differs.right, now, old, before, edit: edit)
                let x = Int(left >> 6) - Int(record.height)
                let edge = clearEdge(before: x, in: new, tools) ?? x
                return (Double(edge), Double(Int((right + 63) >> 6) + Int(record.height)))
            }
        }
    }

    /// Widens the changed part, in 26.6 pixels, to include the edit's own position and any change of the spaces
    /// that hang over a line's ends.
    private func widened(
        _ left: Int32, _ right: Int32, _ now: PositionedLine, _ old: ChangedLine, _ before: PositionedLine, edit: Int
    ) -> (left: Int32, right: Int32) {
        var (left, right) = (left, right)
        func add(_ line: PositionedLine, _ side: ChangedLine) {
            let unit = Int32(min(max(0, edit - side.fragmentStart), side.fragment.contentLength))
            if line.isPlain {
                let x = side.pen(at: unit, on: line)
                (left, right) = (min(left, x), max(right, x))
                return
            }
            for upstream in [true, false] {
                let x = line.caretX(at: unit, upstream: upstream)
                (left, right) = (min(left, x), max(right, x))
            }
        }
        add(now, self)
        add(before, old)
        // Spaces that hang over a line's end have no glyphs, but may have a background: repaint if the text's end
        // has moved.
        if now.contentLeft != before.contentLeft { left = min(left, now.contentLeft, before.contentLeft) }
        if now.contentRight != before.contentRight { right = max(right, now.contentRight, before.contentRight) }
        return (left, right)
    }

    /// Returns the result of ``difference(_:_:)`` for two lines that are each one left-to-right run of text,
    /// without building all their marks. Nil for other lines, and if one of the glyphs after the first difference
    /// has a negative advance.
    ///
    /// The equal glyphs at the start of both lines are not part of the difference, nor are those at the end. `head`
    /// is the number of equal glyphs at the start, and `pen` the x of the first glyph after them. `changed` are the
    /// indices, in the fragment's glyphs, of the new line's glyphs that are part of the difference.
    private func plainDifference(
        _ now: PositionedLine, from old: ChangedLine, _ before: PositionedLine
    ) -> (left: Int32, right: Int32, head: Int, pen: Int32, changed: Range<Int>)? {
        guard now.isPlain, before.isPlain, now.runs.count == 1, before.runs.count == 1, now.extra.isEmpty,
            before.extra.isEmpty
        else { return nil }
        let (a, b) = (now.runs[0], before.runs[0])
        guard a.kind == .text, b.kind == .text, a.face == b.face, a.raise == b.raise, a.left == b.left else {
            return nil
        }
        return fragment.shaped.glyphs.withUnsafeBufferPointer { all in
            old.fragment.shaped.glyphs.withUnsafeBufferPointer { others in
                let new = UnsafeBufferPointer(rebasing: all[Int(a.glyphStart)..<Int(a.glyphEnd)])
                let was = UnsafeBufferPointer(rebasing: others[Int(b.glyphStart)..<Int(b.glyphEnd)])
                let count = min(new.count, was.count)
                var (head, left) = (0, a.left)
                while head < count, Self.isSame(new[head], was[head]) {
                    left &+= new[head].advance
                    head += 1
                }
                var tail = 0
                while tail < count - head, Self.isSame(new[new.count - 1 - tail], was[was.count - 1 - tail]) {
                    tail += 1
                }
                let changed = (Int(a.glyphStart) + head)..<(Int(a.glyphEnd) - tail)
                var right = max(a.right, b.right)
                if a.right == b.right {
                    for glyph in new[(new.count - tail)...] { right &-= glyph.advance }
                } else {
                    // The line's end has moved, so all glyphs after the change have moved too: none of them counts as
                    // unchanged.
                    tail = 0
                }
                // After a negative advance, a later glyph may be painted to the left of the first difference. Return
                // nil then, so that the caller compares all marks.
                for i in head..<new.count where new[i].advance < 0 { return nil }
                for i in head..<was.count where was[i].advance < 0 { return nil }
                if head + tail == new.count, head + tail == was.count { return (.max, .min, head, left, changed) }
                return (left, right, head, left, changed)
            }
        }
    }

    /// Returns the left and right end of the marks (glyphs and boxes) in which two lines differ; (`.max`, `.min`) if
    /// the lines are equal.
    private static func difference(
        _ new: UnsafeBufferPointer<Mark>, _ was: UnsafeBufferPointer<Mark>
    ) -> (left: Int32, right: Int32) {
        let count = min(new.count, was.count)
        var head = 0
        while head < count, new[head] == was[head] { head += 1 }
        var tail = 0
        while tail < count - head, new[new.count - 1 - tail] == was[was.count - 1 - tail] { tail += 1 }
        var (left, right) = (Int32.max, Int32.min)
        for marks in [new, was] {
            for i in head..<(marks.count - tail) {
                left = min(left, marks[i].left)
                right = max(right, marks[i].right)
            }
        }
        return (left, right)
    }

    /// Returns the x, in 26.6 pixels, of the first glyph at or after a UTF-16 unit of a line that runs from left to
    /// right.
    private func pen(at unit: Int32, on line: PositionedLine) -> Int32 {
        guard let run = line.runs.last(where: { $0.start <= unit }) ?? line.runs.first else { return line.startEdge }
        return fragment.shaped.glyphs.withUnsafeBufferPointer { glyphs in
            var pen = run.left
            var i = Int(run.glyphStart)
            while i < run.glyphEnd, glyphs[i].cluster < unit {
                pen &+= glyphs[i].advance
                i += 1
            }
            if line.extra.isEmpty { return pen }
            let first = Int(record.glyphStart)
            return line.extra[(Int(run.glyphStart) - first)..<(i - first)].reduce(pen, &+)
        }
    }

    /// Returns the x of a pixel column from which the line can be repainted. No glyph's ink extends both into this
    /// column and into the one to its left. So painting from here on cuts no glyph, and needs no clip on the
    /// server. The column is at `x` or a few glyphs before it.
    ///
    /// If no such column is near, returns `x`, or the line's left end if that is near. `marks` are the line's marks
    /// from index `first` on. Returns nil if earlier marks are needed.
    private func clearEdge(
        before x: Int, in marks: UnsafeBufferPointer<Mark>, from first: Int = 0, _ tools: LayoutTools
    ) -> Int? {
        guard var index = marks.lastIndex(where: { $0.left >> 6 < x }) else { return first == 0 ? x : nil }
        if first > 0, index <= 20 { return nil }
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
        return last == 0 && first == 0 ? min(0, next) : x
    }

    /// Returns the left and right end of a glyph's ink, in whole pixels, for fonts without subpixel smoothing; nil
    /// if the glyph has no ink.
    private func ink(of mark: Mark, _ tools: LayoutTools) -> (left: Int, right: Int)? {
        var ink: (Int16, Int16, Int16, Int16) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &ink) {
            cshaping_font_ink(
                tools.context.faces[Int(mark.face)].handle, mark.glyph, $0.bindMemory(to: Int16.self).baseAddress)
        }
        guard ink.0 != ink.2 else { return nil }
        let pen = Int((mark.left &+ mark.dx &+ 32) >> 6)
        // The font's ink bounds include one pixel of antialiasing on each side; leave these pixels out.
        return (pen + Int(ink.0) + 1, pen + Int(ink.2) - 1)
    }

    /// A glyph, attachment or box for a missing glyph, with its position in 26.6 pixels.
    private struct Mark: Equatable {
        var glyph: UInt32
        var face: Int32
        var left: Int32
        var right: Int32
        var dx: Int32
        var dy: Int32
    }

    /// Calls `body` with some marks (glyphs and boxes) of a line that is one left-to-right run: from the mark at index
    /// `first` to the one after the mark at index `known`. `pen` is the x of the mark at `known`, in 26.6 pixels.
    private func withMarks<R>(
        _ line: PositionedLine, from first: Int, to known: Int, at pen: Int32,
        _ body: (UnsafeBufferPointer<Mark>) -> R
    ) -> R {
        let run = line.runs[0]
        let last = min(known + 2, Int(run.glyphEnd - run.glyphStart))
        return withUnsafeTemporaryAllocation(of: Mark.self, capacity: last - first) { marks in
            fragment.shaped.glyphs.withUnsafeBufferPointer { all in
                let glyphs = UnsafeBufferPointer(rebasing: all[Int(run.glyphStart)..<Int(run.glyphEnd)])
                var pen = pen
                for i in first..<known { pen &-= glyphs[i].advance }
                for i in first..<last {
                    let glyph = glyphs[i]
                    let from = pen
                    pen &+= glyph.advance
                    marks.initializeElement(
                        at: i - first,
                        to: Mark(
                            glyph: glyph.glyph, face: run.face, left: min(from, pen), right: max(from, pen),
                            dx: glyph.dx, dy: glyph.dy &+ Int32(run.raise) << 6))
                }
            }
            return body(UnsafeBufferPointer(marks))
        }
    }

    /// Calls `body` with the marks of all glyphs and boxes of a line, run by run from left to right. The buffer is
    /// valid only during the call.
    private func withMarks<R>(_ line: PositionedLine, _ body: (UnsafeBufferPointer<Mark>) -> R) -> R {
        let first = Int(record.glyphStart)
        let room = Int(record.glyphEnd) - first
        return withUnsafeTemporaryAllocation(of: Mark.self, capacity: room) { marks in
            var count = 0
            fragment.shaped.glyphs.withUnsafeBufferPointer { glyphs in
                for run in line.runs {
                    let rtl = run.level & 1 == 1
                    var pen = rtl ? run.right : run.left
                    for i in Int(run.glyphStart)..<Int(run.glyphEnd) where count < room {
                        let glyph = glyphs[i]
                        let advance = line.extra.isEmpty ? glyph.advance : glyph.advance &+ line.extra[i - first]
                        let from = pen
                        pen &+= rtl ? 0 &- advance : advance
                        // The box for a missing glyph shows its code point, so compare the code points: the glyph
                        // index is the same for all such boxes.
                        let id =
                            switch run.kind {
                            case .missing: UInt32(fragment.shaped.text[Int(glyph.cluster)])
                            case .attachment:
                                UInt32(
                                    truncatingIfNeeded: fragment.shaped.attachments[glyph.cluster]?.attachment.hashValue
                                        ?? 0)
                            case .text, .tab: glyph.glyph
                            }
                        marks.initializeElement(
                            at: count,
                            to: Mark(
                                glyph: id, face: run.face, left: min(from, pen), right: max(from, pen), dx: glyph.dx,
                                dy: glyph.dy &+ Int32(run.raise) << 6))
                        count += 1
                    }
                }
            }
            return body(UnsafeBufferPointer(rebasing: marks[..<count]))
        }
    }
}

extension DocumentLayout {
    /// Returns the lines of the fragments that make up a range of the tree; nil if the range is too long to compare
    /// its lines. A nil element stands for a fragment that has not been laid out.
    func lines(inFragments range: Range<Int>) -> [ChangedLine?]? {
        if range.count > 1 << 16 {
            let (first, before) = tree.fragment(at: range.lowerBound)
            return first.isGap && before.units + first.units >= range.upperBound ? [nil] : nil
        }
        var found: [ChangedLine?] = []
        var unit = range.lowerBound
        while unit < range.upperBound {
            let (fragment, before) = tree.fragment(at: unit)
            if let layout = fragment.layout, !fragment.isGap {
                let y = top(of: before)
                found.reserveCapacity(layout.lines.count)
                for index in layout.lines.indices {
                    found.append(
                        ChangedLine(
                            fragment: layout, index: index, fragmentStart: unit, top: y + Double(layout.lines[index].y))
                    )
                }
            } else {
                found.append(nil)
            }
            unit = before.units + fragment.units
        }
        return found
    }

    /// Returns the part of the document to repaint after an edit: the areas of the changed lines before and after
    /// it.
    ///
    /// `old` and `new` are the lines of the replaced fragments before and after; they extend from `top` to
    /// `oldBottom` and `newBottom`. Unchanged lines at both ends are left out. If only one line changed, its
    /// unchanged part is left out too.
    func changedBand(
        from old: [ChangedLine?], to new: [ChangedLine?], edit: Int, insertedEnd: Int, top: Double,
        oldBottom: Double, newBottom: Double
    ) -> DocumentRect {
        var (old, new, oldBottom, newBottom) = (old, new, oldBottom, newBottom)
        var slack = 0.0
        let isKnown = !old.contains { $0 == nil } && !new.contains { $0 == nil }
        if let last = old.last, last == nil, let other = new.last, other == nil {
            // The last replaced fragment was not laid out before the edit, so it was never painted. If the estimate of
            // its height has become smaller, no visible pixels move: extend the band by the difference.
            slack = max(0, oldBottom - newBottom)
            old.removeLast()
            new.removeLast()
            if let known = old.last { oldBottom = known?.bottom ?? oldBottom } else { oldBottom = top }
            if let known = new.last { newBottom = known?.bottom ?? newBottom } else { newBottom = top }
            if new.isEmpty, !old.isEmpty {
                // No new line is laid out, so the heights are not known: repaint everything below.
                return DocumentRect(x: 0, y: top, width: setting.options.container.width, height: Self.endless)
            }
        }
        func isCustom(_ line: ChangedLine?) -> Bool { line?.fragment.custom != nil }
        if old.contains(where: isCustom) || new.contains(where: isCustom) {
            // Repaint the whole fragment: the painting of a custom fragment may depend on all of its text.
            return DocumentRect(
                x: 0, y: top, width: setting.options.container.width,
                height: isKnown ? max(oldBottom, newBottom) - top : Self.endless)
        }
        var head = 0
        while head < min(old.count, new.count), let a = old[head], let b = new[head], b.end < edit, a.top == b.top,
            a.start == b.start, b.isPaintedLike(a)
        {
            b.takeInkReach(of: a)
            head += 1
        }
        var tail = 0
        let shift = newBottom - oldBottom
        while tail < min(old.count, new.count) - head, let a = old[old.count - 1 - tail],
            let b = new[new.count - 1 - tail], b.start > insertedEnd, b.top - a.top == shift, b.isPaintedLike(a)
        {
            b.takeInkReach(of: a)
            tail += 1
        }
        let newTop = head < new.count ? new[head]?.top : nil
        let oldTop = head < old.count ? old[head]?.top : nil
        // If the space above a paragraph has changed, the paragraph's first line has moved. Begin at its old or its
        // new top edge, whichever is higher.
        let y = min(newTop ?? oldTop ?? top, oldTop ?? newTop ?? top)
        // If no unchanged line was found at the end, everything down to the bottom may have changed.
        let oldEdge = tail == 0 ? oldBottom : head + tail < old.count ? old[old.count - tail - 1]?.bottom : y
        let newEdge = tail == 0 ? newBottom : head + tail < new.count ? new[new.count - tail - 1]?.bottom : y
        var band = DocumentRect(
            x: 0, y: y, width: setting.options.container.width,
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

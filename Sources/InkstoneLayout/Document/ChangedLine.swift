import CShaping
import InkstoneBase
import InkstoneText

/// A line as it was before or after an edit, to detect which lines an edit changed.
struct ChangedLine {
    var fragment: LaidFragment
    var index: Int
    /// Unit of the document at the start of its fragment.
    var fragmentStart: Int
    /// Top edge in pixels of the document.
    var top: Double

    var record: LineRecord { fragment.lines[index] }
    var start: Int { fragmentStart + Int(record.start) }
    var end: Int { fragmentStart + Int(record.end) }
    var bottom: Double { top + Double(record.height) }

    /// Returns whether another line looks the same, wherever its text starts. O(n) for n glyphs.
    func looksLike(_ other: ChangedLine) -> Bool {
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

    /// Copies the known ink reach of a line that looks the same.
    func takeInkReach(of other: ChangedLine) {
        guard let known = other.fragment.inkReach(ofLine: other.index) else { return }
        fragment.setInkReach(known, ofLine: index)
    }

    /// Derives the ink reach from a line of the same height and font in which only some glyphs differ. Ink of removed glyphs is still counted.
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

    /// Returns whether two glyphs look the same and have the same advance.
    @inline(__always)
    private static func isSame(_ a: cshaping_glyph, _ b: cshaping_glyph) -> Bool {
        a.glyph == b.glyph && a.advance == b.advance && a.dx == b.dx && a.dy == b.dy
    }

    /// Fonts and levels along the line, by distance from its start.
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

    /// Returns the left and right end of the difference from the same line before an edit at a unit of the document, in pixels from
    /// the fragment's left edge; nil if everything may differ. Ink beyond the glyphs' boxes is included. O(n).
    func extent(changedFrom old: ChangedLine, edit: Int, tools: LayoutTools) -> (left: Double, right: Double)? {
        guard record.height == old.record.height, record.baseline == old.record.baseline,
            fragment.shaped.baseLevel == old.fragment.shaped.baseLevel,
            fragment.style == old.fragment.style
        else { return nil }
        if record.hasHyphen || old.record.hasHyphen { return nil }
        return plainExtent(changedFrom: old, edit: edit, tools: tools)
            ?? markedExtent(changedFrom: old, edit: edit, tools: tools)
    }

    /// Returns the extent of the difference for lines that are one left-to-right run of text, if the change has only local effect; nil for
    /// others. Does not build the marks of the whole lines.
    func plainExtent(changedFrom old: ChangedLine, edit: Int, tools: LayoutTools) -> (left: Double, right: Double)? {
        let (now, before) = (fragment.line(index, tools), old.fragment.line(old.index, tools))
        guard let plain = plainDifference(now, from: old, before) else { return nil }
        takeInkReach(of: old, changing: plain.changed, of: now.runs[0], tools)
        let (left, right) = widened(plain.left, plain.right, now, old, before, edit: edit)
        let x = Int(left >> 6) - Int(record.height)
        // A few glyphs before the first difference usually contain a clear edge.
        let edge = withMarks(now, from: max(0, plain.head - 40), to: plain.head, at: plain.pen) {
            clearEdge(before: x, in: $0, from: max(0, plain.head - 40), tools)
        }
        return edge.map { (Double($0), Double(Int((right + 63) >> 6) + Int(record.height))) }
    }

    /// Returns the extent of the difference for any two lines of one height, from the marks of both.
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

    /// Widens the difference of the glyphs by the positions of the edit and the ends of hanging spaces; 26.6.
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
        // Hanging spaces have no glyphs, but may have a background.
        if now.contentLeft != before.contentLeft { left = min(left, now.contentLeft, before.contentLeft) }
        if now.contentRight != before.contentRight { right = max(right, now.contentRight, before.contentRight) }
        return (left, right)
    }

    /// Returns the result of ``difference(_:_:)`` for lines that are one left-to-right run of text, without building the marks of the whole
    /// lines; nil for others.
    ///
    /// `head` is the number of equal glyphs at the start, `pen` the position of the first glyph after them. `changed` are this line's glyphs,
    /// as indices in the fragment, that have no counterpart at the same distance from the other line's start or end.
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
                    // All following glyphs have moved.
                    tail = 0
                }
                // A pen that moves back may paint left of the first difference.
                for i in head..<new.count where new[i].advance < 0 { return nil }
                for i in head..<was.count where was[i].advance < 0 { return nil }
                if head + tail == new.count, head + tail == was.count { return (.max, .min, head, left, changed) }
                return (left, right, head, left, changed)
            }
        }
    }

    /// Returns the left and right end of the marks in which two lines differ; (`.max`, `.min`) if none differ.
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

    /// Returns the x of the first glyph at or after a unit, for a line whose text runs from left to right; 26.6.
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

    /// Returns a whole pixel at x or a few glyphs before it at which no glyph's ink crosses the pixel's left neighbour, so that painting from
    /// that neighbour on cuts no glyph and needs no clip on the server.
    ///
    /// Without such a pixel nearby, returns x. The marks are the line's from `first` on; returns nil if more are needed.
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

    /// Returns the start and end of a glyph's ink, in whole pixels, assuming no subpixel smoothing; nil if the glyph has no ink.
    private func ink(of mark: Mark, _ tools: LayoutTools) -> (left: Int, right: Int)? {
        var ink: (Int16, Int16, Int16, Int16) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &ink) {
            cshaping_font_ink(
                tools.context.faces[Int(mark.face)].handle, mark.glyph, $0.bindMemory(to: Int16.self).baseAddress)
        }
        guard ink.0 != ink.2 else { return nil }
        let pen = Int((mark.left &+ mark.dx &+ 32) >> 6)
        // One pixel on each side is antialiasing.
        return (pen + Int(ink.0) + 1, pen + Int(ink.2) - 1)
    }

    /// A positioned glyph or box.
    private struct Mark: Equatable {
        var glyph: UInt32
        var face: Int32
        var left: Int32
        var right: Int32
        var dx: Int32
        var dy: Int32
    }

    /// Calls `body` with the marks of a line that is one left-to-right run of text, from an index to two beyond another index, where
    /// the pen is known; 26.6.
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

    /// Calls `body` with the line's glyphs and boxes, run by run from left to right. The marks are borrowed for the call.
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
                        // A box shows its code point, which the glyph index does not identify.
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
    /// Returns the lines of the fragments that make up a range of the tree; nil represents fragments whose lines are not known.
    func lines(inFragments range: Range<Int>) -> [ChangedLine?] {
        guard range.count <= 1 << 16 else { return [nil] }
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

    /// Returns the part of the document to repaint after an edit: the previous and current area of the changed lines.
    ///
    /// `old` and `new` are the lines before and after, from `top` to `oldBottom` and `newBottom`. Unchanged lines before and after the
    /// change are left out; of a single changed line, its unchanged part too.
    func changedBand(
        from old: [ChangedLine?], to new: [ChangedLine?], edit: Int, insertedEnd: Int, top: Double,
        oldBottom: Double, newBottom: Double
    ) -> DocumentRect {
        var (old, new, oldBottom, newBottom) = (old, new, oldBottom, newBottom)
        var slack = 0.0
        let isKnown = !old.contains { $0 == nil } && !new.contains { $0 == nil }
        if let last = old.last, last == nil, let other = new.last, other == nil {
            // Text that was never laid out was never painted, and estimates below do not move anything visible.
            slack = max(0, oldBottom - newBottom)
            old.removeLast()
            new.removeLast()
            if let known = old.last { oldBottom = known?.bottom ?? oldBottom } else { oldBottom = top }
            if let known = new.last { newBottom = known?.bottom ?? newBottom } else { newBottom = top }
        }
        func isCustom(_ line: ChangedLine?) -> Bool { line?.fragment.custom != nil }
        if old.contains(where: isCustom) || new.contains(where: isCustom) {
            // A custom fragment's painting may depend on all of its text.
            return DocumentRect(
                x: 0, y: top, width: setting.options.container.width,
                height: isKnown ? max(oldBottom, newBottom) - top : Self.endless)
        }
        var head = 0
        while head < min(old.count, new.count), let a = old[head], let b = new[head], b.end < edit, a.top == b.top,
            a.start == b.start, b.looksLike(a)
        {
            b.takeInkReach(of: a)
            head += 1
        }
        var tail = 0
        let shift = newBottom - oldBottom
        while tail < min(old.count, new.count) - head, let a = old[old.count - 1 - tail],
            let b = new[new.count - 1 - tail], b.start > insertedEnd, b.top - a.top == shift, b.looksLike(a)
        {
            b.takeInkReach(of: a)
            tail += 1
        }
        let newTop = head < new.count ? new[head]?.top : nil
        let oldTop = head < old.count ? old[head]?.top : nil
        // Space above a paragraph that is no longer as it was moves its first line.
        let y = min(newTop ?? oldTop ?? top, oldTop ?? newTop ?? top)
        // Without a known unchanged line below, everything below may have changed.
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

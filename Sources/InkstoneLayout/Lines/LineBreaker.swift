import CShaping
import InkstoneBase
import InkstoneUnicode

/// Breaks shaped paragraphs into lines, greedily. A line ends at the last break opportunity (UAX #14) that fits;
/// trailing spaces hang over the edge. If no opportunity fits, it ends between grapheme clusters.
final class LineBreaker {
    private let context: FontContext
    @exclusivity(unchecked) private var lineBreaker: TextBreaker?
    @exclusivity(unchecked) private var graphemeBreaker: TextBreaker?
    /// For each UTF-16 unit of the current text, whether a line may end before that unit: 0 no, 1 yes, 2 it must.
    @exclusivity(unchecked) private var opportunities: [UInt8] = []
    /// For each UTF-16 unit of the current text, the start of its grapheme cluster; empty until needed.
    @exclusivity(unchecked) private var graphemeStarts: [Int32] = []

    init(context: FontContext) { self.context = context }

    /// The state of breaking one paragraph into lines.
    private struct Work {
        var room: LineRoom
        var heights: LineHeights
        var tabs: TabStops
        var lines: [LineRecord] = []
        var y: Int32 = 0
        /// Free intervals at height `y`, in the order in which they are filled. Lines side by side in these intervals
        /// are a row.
        var intervals: [Range<Int32>] = []
        /// Index in `intervals` of the next interval to fill with a line.
        var interval = 0
        /// Index of the first line of the current row of lines side by side.
        var rowStart = 0
        /// Whether any row of lines was started.
        var hasRow = false
        /// Number of intervals left empty so far because no word fitted.
        var skipped = 0
        /// The indents of the next lines after forced breaks, in pixels.
        var columnIndents: ArraySlice<Double> = []
    }

    /// The largest number of intervals beside exclusion paths that may stay empty in one paragraph because no word
    /// fits. When it is reached, words are cut to fit the intervals.
    private static let maximumSkips = 10_000

    /// Breaks a paragraph into lines. Returns the lines and their total height in pixels, and sets the advances of
    /// tabs in `shaped`.
    ///
    /// O(n). ICU is not called if the whole paragraph fits on one line.
    func lines(
        of shaped: inout ShapedText, style: ParagraphStyle, stack: FontStack, room: LineRoom,
        growsWithFonts: Bool = false
    ) -> (lines: [LineRecord], height: Int32) {
        var work = Work(
            room: room, heights: LineHeights(style, stack.primary, context, growsWithFonts: growsWithFonts),
            tabs: TabStops(style, stack.primary))
        work.columnIndents = style.columnIndents?[...] ?? []
        let indent = (Int32(pixels: style.firstLineIndent), Int32(pixels: style.indent))
        if room.intervals == nil, fitsOneLine(&shaped, &work, indent.0) {
            return (work.lines, work.y)
        }
        graphemeStarts.removeAll(keepingCapacity: true)
        findOpportunities(shaped, wraps: room.width != nil)
        wrap(&shaped, opportunities, &work, indent)
        if room.intervals != nil { endRow(&work) }
        return (work.lines, work.y)
    }

    /// Makes the whole text one line if it fits and has no forced break; otherwise returns false. Forced breaks are
    /// ignored in a fragment that lies beside others on one line.
    private func fitsOneLine(_ shaped: inout ShapedText, _ work: inout Work, _ indent: Int32) -> Bool {
        if !work.room.isSideways, Self.holdsForcedBreak(shaped.text) { return false }
        var pen: Int32 = 0
        var visible: Int32 = 0
        let limit = work.room.width.map { ($0 - indent) * 64 } ?? Int32.max
        for run in shaped.runs {
            if run.kind == .tab {
                let i = Int(run.glyphStart)
                let width = shaped.glyphs.withUnsafeBufferPointer { glyphs in
                    shaped.text.withUnsafeBufferPointer { text in
                        work.tabs.advance(at: pen, indent: indent, limit: work.room.width == nil ? nil : limit) {
                            Self.room(behind: i, glyphs, text, before: $0)
                        }
                    }
                }
                shaped.glyphs[i].advance = width
                pen &+= shaped.glyphs[i].advance
                // If the line's end is passed, stop adding up tabs: thousands may follow.
                if pen > limit { return false }
                continue
            }
            let fits = shaped.glyphs.withUnsafeBufferPointer { glyphs in
                shaped.text.withUnsafeBufferPointer { text in
                    // Trailing spaces hang over the edge, so they count only if more text follows.
                    var end = Int(run.glyphEnd)
                    while end > run.glyphStart, Self.hangs(text[Int(glyphs[end - 1].cluster)]) { end -= 1 }
                    var widest = Int32.min
                    for i in Int(run.glyphStart)..<end {
                        pen &+= glyphs[i].advance
                        widest = max(widest, pen)
                    }
                    if end > run.glyphStart { visible = pen }
                    for i in end..<Int(run.glyphEnd) { pen &+= glyphs[i].advance }
                    return widest <= limit
                }
            }
            if !fits { return false }
        }
        if work.room.isSideways { visible = pen }
        place(
            &work, shaped, start: 0, end: shaped.text.count, glyphs: (0, shaped.glyphs.count), visible: visible,
            full: pen, indent: indent)
        return true
    }

    /// Returns how much of the text after a tab is placed before the tab stop, in 26.6 pixels. By the stop's
    /// alignment, this is the text's whole advance, half of it, or the part before a decimal separator. Spaces at the
    /// text's end do not count. The text ends at the next tab or forced break. Examines some thousand glyphs at most,
    /// which is more than a line has.
    private static func room(
        behind tab: Int, _ glyphs: UnsafeBufferPointer<cshaping_glyph>, _ text: UnsafeBufferPointer<UInt16>,
        before alignment: TabStop.Alignment
    ) -> Int32 {
        var (width, visible) = (Int32(0), Int32(0))
        var last: UInt16 = 0
        for glyph in glyphs[(tab + 1)...].prefix(4096) {
            let unit = text[Int(glyph.cluster)]
            if unit == 0x09 || forcesBreak(unit) { break }
            if alignment == .decimal, unit == 0x2e || unit == 0x2c || unit == 0x66b, isDigit(last) { return width }
            width &+= glyph.advance
            if !hangs(unit) { visible = width }
            last = unit
        }
        return alignment == .center ? visible / 2 & ~63 : visible
    }

    private static func isDigit(_ unit: UInt16) -> Bool {
        (0x30...0x39).contains(unit) || (0x660...0x669).contains(unit) || (0x6f0...0x6f9).contains(unit)
    }

    /// Returns whether a UTF-16 unit forces a line break within a paragraph (UAX #14, classes BK and NL).
    private static func forcesBreak(_ unit: UInt16) -> Bool {
        unit == 0x0b || unit == 0x0c || unit == 0x85 || unit == 0x2028 || unit == 0x2029
    }

    private static func holdsForcedBreak(_ text: [UInt16]) -> Bool {
        text.withUnsafeBufferPointer { units in
            // Test the range of most letters first, for speed.
            for unit in units where unit < 0x20 || unit >= 0x85 {
                if forcesBreak(unit) { return true }
            }
            return false
        }
    }

    /// Returns whether a UTF-16 unit hangs over the line's edge if it is at the line's end: breaking spaces and forced
    /// breaks.
    @inline(__always)
    static func hangs(_ unit: UInt16) -> Bool {
        // Test the range of most letters first, for speed.
        if unit > 0x20, unit < 0x85 { return false }
        return hangsRarely(unit)
    }

    private static func hangsRarely(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x20, 0x1680, 0x2000...0x2006, 0x2008...0x200b, 0x205f, 0x3000: true
        case 0x0b, 0x0c, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Returns the advance, in 26.6 pixels, of the hyphen shown for a soft hyphen in a run.
    private func hyphenWidth(in run: ShapedText.Run) -> Int32 {
        let face = context.faces[Int(run.primary)]
        return cshaping_font_advance(face.handle, hyphenGlyph(face)) * 64
    }

    /// Returns the glyph of the hyphen shown at a line's end for a soft hyphen: U+2010, or else the ASCII hyphen.
    func hyphenGlyph(_ face: FontFace) -> UInt32 {
        let proper = cshaping_font_glyph(face.handle, 0x2010)
        return proper != 0 ? proper : cshaping_font_glyph(face.handle, 0x2d)
    }

    private func findOpportunities(_ shaped: ShapedText, wraps: Bool) {
        if shaped.isNarrow, wraps, Self.findPlainOpportunities(shaped.text, &opportunities) { return }
        opportunities.reset(count: shaped.text.count + 1)
        let breaker = lineBreaker ?? TextBreaker(.line)
        lineBreaker = breaker
        breaker.setText(shaped.text)
        var at = 0
        while let next = breaker.following(at) {
            let mandatory = breaker.isMandatory && Self.forcesBreak(shaped.text[next - 1])
            opportunities[next] = mandatory ? 2 : wraps && !splitsGrapheme(next, shaped) ? 1 : 0
            at = next
        }
    }

    /// Returns whether a line break before a UTF-16 unit would split a grapheme cluster. UAX #14 allows a break before
    /// an emoji modifier unless an emoji precedes it, but no caret could be shown at such a line's start.
    private func splitsGrapheme(_ unit: Int, _ shaped: ShapedText) -> Bool {
        guard unit + 1 < shaped.text.count, shaped.text[unit] == 0xd83c, shaped.text[unit + 1] >= 0xdffb else {
            return false
        }
        return graphemeStart(of: unit, shaped) != unit
    }

    /// Finds break opportunities without ICU in text of plain words: ASCII letters, digits and spaces; hyphens in
    /// words; commas, full stops, colons and semicolons in or after a word; question and exclamation marks after a
    /// word.
    ///
    /// In such text a line may end only after spaces, and after a hyphen before a letter (UAX #14, LB7, LB18, LB13,
    /// LB21, LB25, LB29). For any other text, returns false; `flags` are then not valid. A test compares the
    /// results with ICU.
    static func findPlainOpportunities(_ text: [UInt16], _ flags: inout [UInt8]) -> Bool {
        enum Last { case start, letter, digit, separator, mark, hyphen, space }
        flags.reset(count: text.count + 1)
        return text.withUnsafeBufferPointer { text in
            flags.withUnsafeMutableBufferPointer { flags in
                var last = Last.start
                for i in 0..<text.count {
                    let unit = text[i]
                    let folded = unit | 0x20
                    if folded >= 0x61 && folded <= 0x7a {
                        if last == .space || last == .hyphen { flags[i] = 1 }
                        if last == .mark { return false }
                        last = .letter
                    } else if unit == 0x20 {
                        last = .space
                    } else if unit >= 0x30 && unit <= 0x39 {
                        if last == .space { flags[i] = 1 }
                        if last == .mark { return false }
                        last = .digit
                    } else {
                        guard last == .letter || last == .digit else { return false }
                        switch unit {
                        case 0x2c, 0x2e, 0x3a, 0x3b: last = .separator
                        case 0x21, 0x3f: last = .mark
                        case 0x2d: last = .hyphen
                        default: return false
                        }
                    }
                }
                if !text.isEmpty { flags[text.count] = 1 }
                return true
            }
        }
    }

    /// Returns the start of the grapheme cluster that holds a UTF-16 unit. O(n) for the first call on a text of n
    /// units, then O(1).
    private func graphemeStart(of unit: Int, _ shaped: ShapedText) -> Int {
        if shaped.isNarrow { return unit }
        if graphemeStarts.isEmpty { findGraphemes(shaped.text) }
        return Int(graphemeStarts[unit])
    }

    private func findGraphemes(_ text: [UInt16]) {
        let breaker = graphemeBreaker ?? TextBreaker(.grapheme)
        graphemeBreaker = breaker
        breaker.setText(text)
        graphemeStarts.reserveCapacity(text.count + 1)
        var at = 0
        while let next = breaker.following(at) {
            graphemeStarts.append(contentsOf: repeatElement(Int32(at), count: next - at))
            at = next
        }
        graphemeStarts.append(contentsOf: repeatElement(Int32(at), count: text.count + 1 - at))
    }

    /// Returns the start of the text's last line, for lines that are filled from the text's end backwards: the
    /// first unit at which a line may start so that the text after it fits into `room` (26.6 pixels). Nil if all of
    /// the text fits. O(n).
    func startOfLastLine(of shaped: ShapedText, room: Int32) -> Int? {
        graphemeStarts.removeAll(keepingCapacity: true)
        findOpportunities(shaped, wraps: true)
        var width: Int32 = 0
        var isAtEnd = true
        var start: Int?
        var clusterStart: Int?
        var glyph = shaped.glyphs.count
        while glyph > 0 {
            let unit = Int(shaped.glyphs[glyph - 1].cluster)
            var advance: Int32 = 0
            while glyph > 0, Int(shaped.glyphs[glyph - 1].cluster) == unit {
                glyph -= 1
                advance &+= shaped.glyphs[glyph].advance
            }
            // Trailing spaces hang over the edge and take no room.
            isAtEnd = isAtEnd && Self.hangs(shaped.text[unit])
            if !isAtEnd { width &+= advance }
            if width > room { return start ?? clusterStart ?? graphemeStart(of: unit, shaped) }
            switch opportunities[unit] {
            case 0: if graphemeStart(of: unit, shaped) == unit { clusterStart = unit }
            case 1: start = unit
            default: return unit
            }
        }
        return nil
    }

    private func wrap(
        _ shaped: inout ShapedText, _ opportunities: [UInt8], _ work: inout Work, _ indent: (Int32, Int32)
    ) {
        var glyphs = shaped.glyphs
        shaped.glyphs = []
        glyphs.withUnsafeMutableBufferPointer { glyphs in
            opportunities.withUnsafeBufferPointer { opportunities in
                shaped.text.withUnsafeBufferPointer { text in
                    shaped.runs.withUnsafeBufferPointer { runs in
                        wrap(shaped, glyphs, text, runs, opportunities, &work, indent)
                    }
                }
            }
        }
        shaped.glyphs = glyphs
    }

    /// Breaks a paragraph into lines, reading text, glyphs and runs from buffers. `glyphs` are the glyphs of
    /// `shaped`, taken out of it for the call so that they can be changed without a copy.
    private func wrap(
        _ shaped: ShapedText, _ glyphs: UnsafeMutableBufferPointer<cshaping_glyph>,
        _ text: UnsafeBufferPointer<UInt16>, _ runs: UnsafeBufferPointer<ShapedText.Run>,
        _ opportunities: UnsafeBufferPointer<UInt8>, _ work: inout Work, _ indent: (Int32, Int32)
    ) {
        let count = glyphs.count
        let unwrapped = work.room.width == nil
        var line = (start: 0, glyph: 0)
        var pen: Int32 = 0
        var visible: Int32 = 0
        var best: (unit: Int, glyph: Int, visible: Int32, full: Int32)?
        let rtl = shaped.baseLevel & 1 == 1
        /// The indent of the line that is being filled.
        var own = indent.0
        var limit = room(&work, own, rtl)
        var run = 0
        var i = 0
        /// Moves `run` back to the run that holds glyph `i`.
        func goBack() { while run > 0, i < Int(runs[run].glyphStart) { run -= 1 } }
        /// Returns the advance of the hyphen shown if a line ends at a UTF-16 unit: 0 unless a soft hyphen precedes
        /// that unit.
        func hyphen(at unit: Int) -> Int32 {
            guard unit > 0, text[unit - 1] == 0xad else { return 0 }
            var last = run
            while last > 0, Int(runs[last].start) >= unit { last -= 1 }
            return hyphenWidth(in: runs[last])
        }
        while i < count {
            while i >= Int(runs[run].glyphEnd) { run += 1 }
            let kind = runs[run].kind
            if kind == .text, !unwrapped {
                i = passLetters(
                    from: i, to: Int(runs[run].glyphEnd), glyphs, text, opportunities, limit, &pen, &visible)
            }
            let unit = Int(glyphs[i].cluster)
            if unit > line.start, opportunities[unit] != 0 {
                if opportunities[unit] == 2 {
                    place(
                        &work, shaped, start: line.start, end: unit, glyphs: (line.glyph, i), visible: visible,
                        full: pen, indent: own)
                    work.lines[work.lines.count - 1].endsByBreak = true
                    line = (unit, i)
                    (pen, visible, best) = (0, 0, nil)
                    own = work.columnIndents.popFirst().map { Int32(pixels: $0) } ?? indent.1
                    limit = room(&work, own, rtl)
                } else if text[unit - 1] != 0xad || visible + hyphen(at: unit) <= limit {
                    best = (unit, i, visible, pen)
                }
            }
            var width: Int32 = 0
            var next = i
            if kind == .tab {
                width = work.tabs.advance(at: pen, indent: own, limit: unwrapped ? nil : limit) {
                    Self.room(behind: i, UnsafeBufferPointer(glyphs), text, before: $0)
                }
                if !unwrapped { width = max(0, min(width, limit - pen)) }
                glyphs[i].advance = width
                next += 1
            } else {
                while next < Int(runs[run].glyphEnd), Int(glyphs[next].cluster) == unit {
                    width &+= glyphs[next].advance
                    next += 1
                }
            }
            let hangs = kind == .tab || Self.hangs(text[unit])
            if hangs || unwrapped || pen &+ width <= limit {
                pen &+= width
                if !hangs { visible = pen }
                i = next
                continue
            }
            // The line is full: end it at the last opportunity, or else between clusters, with at least one cluster
            // on each line.
            let end: (unit: Int, glyph: Int, visible: Int32, full: Int32)
            if let best {
                end = best
            } else if isNarrowed(work), work.skipped < Self.maximumSkips,
                fitsElsewhere(line, glyphs, opportunities, work, own)
            {
                // Beside an exclusion path, move the word to the next interval in which it fits.
                work.skipped += 1
                limit = room(&work, own, rtl)
                i = line.glyph
                goBack()
                (pen, visible) = (0, 0)
                continue
            } else {
                let cut = graphemeStart(of: unit, shaped)
                if cut <= line.start {
                    // The first cluster alone is too wide. Beside an exclusion path try the next interval;
                    // otherwise put the cluster on the line anyway.
                    if isNarrowed(work), unit == line.start, work.skipped < Self.maximumSkips {
                        work.skipped += 1
                        limit = room(&work, indent.1, rtl)
                        continue
                    }
                    pen &+= width
                    visible = pen
                    i = next
                    // The cluster may have more glyphs: allow a line end only at the next grapheme cluster.
                    if i < count, runs[run].kind != .tab {
                        let follower = Int(glyphs[i].cluster)
                        if follower > unit, graphemeStart(of: follower, shaped) == follower {
                            best = (follower, i, visible, pen)
                        }
                    }
                    continue
                }
                var glyph = i
                var back: Int32 = 0
                while glyph > line.glyph, Int(glyphs[glyph - 1].cluster) >= cut {
                    glyph -= 1
                    back &+= glyphs[glyph].advance
                }
                end = (cut, glyph, pen - back, pen - back)
            }
            let soft = end.unit > 0 && text[end.unit - 1] == 0xad
            place(
                &work, shaped, start: line.start, end: end.unit, glyphs: (line.glyph, end.glyph),
                visible: end.visible + hyphen(at: end.unit), full: end.full,
                indent: own, hyphen: soft, wrapped: true)
            line = (end.unit, end.glyph)
            i = end.glyph
            goBack()
            (pen, visible, best) = (0, 0, nil)
            own = indent.1
            limit = room(&work, own, rtl)
        }
        place(
            &work, shaped, start: line.start, end: text.count, glyphs: (line.glyph, count), visible: visible,
            full: pen, indent: own)
        if opportunities[text.count] == 2, !text.isEmpty {
            work.lines[work.lines.count - 1].isWrapped = false
            work.lines[work.lines.count - 1].endsByBreak = true
            own = work.columnIndents.popFirst().map { Int32(pixels: $0) } ?? indent.1
            _ = self.room(&work, own, rtl)
            place(
                &work, shaped, start: text.count, end: text.count, glyphs: (count, count), visible: 0,
                full: 0, indent: own)
        }
    }

    /// Skips the glyphs of a run that need no decision: each is a whole cluster that is not a space, has no break
    /// opportunity before it, and fits. Returns the index of the first glyph that may need one.
    @inline(__always)
    private func passLetters(
        from start: Int, to end: Int, _ glyphs: UnsafeMutableBufferPointer<cshaping_glyph>,
        _ text: UnsafeBufferPointer<UInt16>, _ opportunities: UnsafeBufferPointer<UInt8>, _ limit: Int32,
        _ pen: inout Int32, _ visible: inout Int32
    ) -> Int {
        var i = start
        // Do not skip the last glyph, because the next run's first glyph may continue its cluster.
        while i + 1 < end {
            let unit = Int(glyphs[i].cluster)
            let after = pen &+ glyphs[i].advance
            guard opportunities[unit] == 0, Int(glyphs[i + 1].cluster) != unit, !Self.hangs(text[unit]), after <= limit
            else { break }
            pen = after
            visible = after
            i += 1
        }
        return i
    }

    /// Returns whether an exclusion path makes the current line narrower than the container.
    private func isNarrowed(_ work: Work) -> Bool {
        guard let width = work.room.width, work.hasRow, work.interval > 0 else { return false }
        return work.intervals[work.interval - 1].count < Int(width)
    }

    /// Returns whether the text from a line's start to its first break opportunity would fit on a line of full
    /// width.
    private func fitsElsewhere(
        _ line: (start: Int, glyph: Int), _ glyphs: UnsafeMutableBufferPointer<cshaping_glyph>,
        _ opportunities: UnsafeBufferPointer<UInt8>, _ work: Work, _ indent: Int32
    ) -> Bool {
        let limit = ((work.room.width ?? 0) - indent) * 64
        var width: Int32 = 0
        for glyph in glyphs[line.glyph...] {
            if Int(glyph.cluster) > line.start, opportunities[Int(glyph.cluster)] != 0 { break }
            width &+= glyph.advance
            if width > limit { return false }
        }
        return true
    }

    /// Returns the width available for the next line, in 26.6 pixels. Beside exclusion paths it is the width of the
    /// next free interval; intervals are used in the paragraph's direction.
    private func room(_ work: inout Work, _ indent: Int32, _ rtl: Bool) -> Int32 {
        guard let width = work.room.width else { return .max / 2 }
        guard let free = work.room.intervals else { return max(0, width - indent) * 64 }
        while work.interval >= work.intervals.count {
            if work.hasRow {
                if work.rowStart == work.lines.count { work.skipped += 1 }
                endRow(&work)
            }
            let found = free(work.y, work.heights.natural)
            work.intervals = work.skipped < Self.maximumSkips ? rtl ? found.reversed() : found : [0..<width]
            work.interval = 0
            work.hasRow = true
        }
        let interval = work.intervals[work.interval]
        work.interval += 1
        return max(0, Int32(interval.count) - indent) * 64
    }

    /// Gives all lines of the current row the same height and baseline, and moves to the row below.
    private func endRow(_ work: inout Work) {
        var (above, below) = (Int32(0), Int32(0))
        for line in work.lines[work.rowStart...] {
            above = max(above, line.baseline)
            below = max(below, line.height - line.baseline)
        }
        for i in work.rowStart..<work.lines.count {
            work.lines[i].height = above + below
            work.lines[i].baseline = above
        }
        work.y += work.rowStart < work.lines.count ? above + below : work.heights.natural
        work.rowStart = work.lines.count
    }

    private func place(
        _ work: inout Work, _ shaped: ShapedText, start: Int, end: Int, glyphs: (Int, Int), visible: Int32,
        full: Int32, indent: Int32, hyphen: Bool = false, wrapped: Bool = false
    ) {
        var x = work.room.x
        var room = work.room.width ?? max(work.room.alignmentWidth, (visible + 63) >> 6)
        if work.room.intervals != nil, work.interval > 0 {
            let interval = work.intervals[work.interval - 1]
            x += interval.lowerBound
            room = Int32(interval.count)
            // After a forced break, leave the other intervals of the row empty.
            if !wrapped { work.interval = work.intervals.count }
        }
        if shaped.baseLevel & 1 == 0 { x += indent }
        let (height, baseline) = work.heights.measure(shaped, Int32(start)..<Int32(end))
        work.lines.append(
            LineRecord(
                start: Int32(start), end: Int32(end), glyphStart: Int32(glyphs.0), glyphEnd: Int32(glyphs.1),
                width: visible, fullWidth: max(full, visible), roomX: x, room: max(0, room - indent), y: work.y,
                height: height, baseline: baseline, hasHyphen: hyphen, isWrapped: wrapped))
        if work.room.intervals == nil { work.y += height }
    }
}

extension [UInt8] {
    /// Fills the array with `count` zeros, reusing its capacity.
    fileprivate mutating func reset(count: Int) {
        removeAll(keepingCapacity: true)
        append(contentsOf: repeatElement(0, count: count))
    }
}

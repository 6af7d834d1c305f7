import CShaping
import InkstoneBase
import InkstoneUnicode

/// Breaks shaped paragraphs into lines: greedily, at UAX #14 opportunities, with hanging trailing spaces, and between grapheme
/// clusters where nothing else fits.
final class LineBreaker {
    private let context: FontContext
    @exclusivity(unchecked) private var lineBreaker: TextBreaker?
    @exclusivity(unchecked) private var graphemeBreaker: TextBreaker?
    /// Break opportunity before each unit of the text being broken: 1 if a line may end there, 2 if it must.
    @exclusivity(unchecked) private var opportunities: [UInt8] = []
    /// Start of the grapheme cluster of each unit of the text being broken; empty until first used.
    @exclusivity(unchecked) private var graphemeStarts: [Int32] = []

    init(context: FontContext) { self.context = context }

    /// Working state while one paragraph is broken.
    private struct Work {
        var room: LineRoom
        var heights: LineHeights
        var tabs: TabStops
        var lines: [LineRecord] = []
        var y: Int32 = 0
        /// Free intervals of the row at `y`, in the order they are filled, and the index of the next one.
        var intervals: [Range<Int32>] = []
        var interval = 0
        /// Index of the row's first line, and whether a row has been started.
        var rowStart = 0
        var hasRow = false
        /// Number of intervals left empty because no word fits.
        var skipped = 0
    }

    /// Largest number of intervals beside exclusion paths that stay empty in one paragraph before words are cut to fit them.
    private static let patience = 10_000

    /// Breaks a paragraph into lines, sets the advances of tabs, and returns the lines with their total height in pixels.
    ///
    /// O(n); ICU is not called if everything fits one line.
    func lines(
        of shaped: inout ShapedText, style: ParagraphStyle, stack: FontStack, room: LineRoom,
        growsWithFonts: Bool = false
    ) -> (lines: [LineRecord], height: Int32) {
        var work = Work(
            room: room, heights: LineHeights(style, stack.primary, context, growsWithFonts: growsWithFonts),
            tabs: TabStops(style, stack.primary))
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

    /// Puts the whole paragraph on one line if it fits and nothing forces a break. Returns false otherwise.
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
                        work.tabs.advance(at: pen, limit: work.room.width == nil ? nil : limit) {
                            Self.room(behind: i, glyphs, text, before: $0)
                        }
                    }
                }
                shaped.glyphs[i].advance = width
                pen &+= shaped.glyphs[i].advance
                // Tabs beyond the edge have no width, so thousands of them need not be added up.
                if pen > limit { return false }
                continue
            }
            let fits = shaped.glyphs.withUnsafeBufferPointer { glyphs in
                shaped.text.withUnsafeBufferPointer { text in
                    // Hanging spaces count if other text follows them.
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

    /// Returns the advance of the text after a tab, up to the next tab or the end of its line, that goes before a tab stop of an alignment;
    /// 26.6. Examines at most some thousand glyphs: no line has more.
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

    /// Returns whether a unit ends a line but not a paragraph (UAX #14, BK and NL).
    private static func forcesBreak(_ unit: UInt16) -> Bool {
        unit == 0x0b || unit == 0x0c || unit == 0x85 || unit == 0x2028 || unit == 0x2029
    }

    private static func holdsForcedBreak(_ text: [UInt16]) -> Bool {
        text.withUnsafeBufferPointer { units in
            // Check for letters first: they are the most frequent.
            for unit in units where unit < 0x20 || unit >= 0x85 {
                if forcesBreak(unit) { return true }
            }
            return false
        }
    }

    /// Returns whether a unit hangs over the edge at the end of a line: breaking spaces.
    @inline(__always)
    static func hangs(_ unit: UInt16) -> Bool {
        // Check for letters first: they are the most frequent.
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

    /// Returns the advance of the hyphen for a soft hyphen in a run, 26.6.
    private func hyphenWidth(in run: ShapedText.Run) -> Int32 {
        let face = context.faces[Int(run.primary)]
        return cshaping_font_advance(face.handle, hyphenGlyph(face)) * 64
    }

    /// Returns the glyph to show where a line ends at a soft hyphen.
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

    /// Returns whether a line break would split a grapheme cluster: UAX #14 allows a break before an emoji modifier after anything but an
    /// emoji. No caret could be shown at the start of such a line.
    private func splitsGrapheme(_ unit: Int, _ shaped: ShapedText) -> Bool {
        guard unit + 1 < shaped.text.count, shaped.text[unit] == 0xd83c, shaped.text[unit + 1] >= 0xdffb else {
            return false
        }
        return graphemeStart(of: unit, shaped) != unit
    }

    /// Finds break opportunities without ICU in plain words: ASCII letters and digits, spaces, hyphens within words, commas, full stops,
    /// colons and semicolons after or within a word, question and exclamation marks after one.
    ///
    /// In such text a line may end after spaces and after a hyphen before a letter, and nowhere else (UAX #14, LB7, LB18, LB13, LB21, LB25,
    /// LB29). Returns false, with nothing found, for any other text. A test compares the results with ICU.
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

    /// Returns the start of the grapheme cluster that holds a unit; O(n) for the first call about a text of n units.
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

    /// Returns the start of a line that ends with the text and is as long as fits: the first unit at which a line may
    /// start so that the rest fits into `room`, 26.6. Nil if all of the text fits. O(n).
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
            // Spaces that hang over the edge take no room.
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

    /// Breaks into lines, with the texts and glyphs in buffers; the glyphs of `shaped` are in one of them.
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
        var limit = room(&work, indent.0, rtl)
        var run = 0
        var i = 0
        /// Moves back to the run that holds the current glyph.
        func goBack() { while run > 0, i < Int(runs[run].glyphStart) { run -= 1 } }
        /// Returns the advance of the hyphen of a line that ends at a unit: 0 unless the unit follows a soft hyphen.
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
                        full: pen, indent: work.lines.isEmpty ? indent.0 : indent.1)
                    line = (unit, i)
                    (pen, visible, best) = (0, 0, nil)
                    limit = room(&work, indent.1, rtl)
                } else if text[unit - 1] != 0xad || visible + hyphen(at: unit) <= limit {
                    best = (unit, i, visible, pen)
                }
            }
            var width: Int32 = 0
            var next = i
            if kind == .tab {
                width = work.tabs.advance(at: pen, limit: unwrapped ? nil : limit) {
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
            // Too wide: back to the last opportunity, else between clusters, and at least one cluster on each line.
            let end: (unit: Int, glyph: Int, visible: Int32, full: Int32)
            if let best {
                end = best
            } else if isNarrowed(work), work.skipped < Self.patience,
                fitsElsewhere(line, glyphs, opportunities, work, work.lines.isEmpty ? indent.0 : indent.1)
            {
                // Beside an exclusion path, move a word that does not fit to the next interval in which it fits.
                work.skipped += 1
                limit = room(&work, work.lines.isEmpty ? indent.0 : indent.1, rtl)
                i = line.glyph
                goBack()
                (pen, visible) = (0, 0)
                continue
            } else {
                let cut = graphemeStart(of: unit, shaped)
                if cut <= line.start {
                    // The first cluster alone is too wide: leave an interval empty for it, but never a line.
                    if isNarrowed(work), unit == line.start, work.skipped < Self.patience {
                        work.skipped += 1
                        limit = room(&work, indent.1, rtl)
                        continue
                    }
                    pen &+= width
                    visible = pen
                    i = next
                    // Keep the parts of one grapheme cluster together.
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
                indent: work.lines.isEmpty ? indent.0 : indent.1, hyphen: soft, wrapped: true)
            line = (end.unit, end.glyph)
            i = end.glyph
            goBack()
            (pen, visible, best) = (0, 0, nil)
            limit = room(&work, indent.1, rtl)
        }
        place(
            &work, shaped, start: line.start, end: text.count, glyphs: (line.glyph, count), visible: visible,
            full: pen, indent: work.lines.isEmpty ? indent.0 : indent.1)
        if opportunities[text.count] == 2, !text.isEmpty {
            work.lines[work.lines.count - 1].isWrapped = false
            _ = self.room(&work, indent.1, rtl)
            place(
                &work, shaped, start: text.count, end: text.count, glyphs: (count, count), visible: 0,
                full: 0, indent: indent.1)
        }
    }

    /// Skips the glyphs of a run that need no decision: each is a cluster of its own that does not hang, with no line break before it and
    /// enough room. Returns the first glyph for which that is not true.
    @inline(__always)
    private func passLetters(
        from start: Int, to end: Int, _ glyphs: UnsafeMutableBufferPointer<cshaping_glyph>,
        _ text: UnsafeBufferPointer<UInt16>, _ opportunities: UnsafeBufferPointer<UInt8>, _ limit: Int32,
        _ pen: inout Int32, _ visible: inout Int32
    ) -> Int {
        var i = start
        // Leave the last glyph to the caller: the next one may continue its cluster.
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

    /// Returns whether the current line is narrower than the container because of an exclusion path.
    private func isNarrowed(_ work: Work) -> Bool {
        guard let width = work.room.width, work.hasRow, work.interval > 0 else { return false }
        return work.intervals[work.interval - 1].count < Int(width)
    }

    /// Returns whether the text from a line's start to its first break opportunity would fit a line of full width.
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

    /// Returns the room for the next line, 26.6. Uses the next free interval where exclusion paths leave several, from the side
    /// that the paragraph starts at.
    private func room(_ work: inout Work, _ indent: Int32, _ rtl: Bool) -> Int32 {
        guard let width = work.room.width else { return .max / 2 }
        guard let free = work.room.intervals else { return max(0, width - indent) * 64 }
        while work.interval >= work.intervals.count {
            if work.hasRow {
                if work.rowStart == work.lines.count { work.skipped += 1 }
                endRow(&work)
            }
            let found = free(work.y, work.heights.natural)
            work.intervals = work.skipped < Self.patience ? rtl ? found.reversed() : found : [0..<width]
            work.interval = 0
            work.hasRow = true
        }
        let interval = work.intervals[work.interval]
        work.interval += 1
        return max(0, Int32(interval.count) - indent) * 64
    }

    /// Gives the lines side by side in a row the same height and baseline, and continues below them.
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
            // After a forced break, the rest of the row stays empty.
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

import CShaping
import InkstoneBase

/// A glyph of a line with its position, ready for painting.
package struct LineGlyph: Hashable, Sendable {
    /// The font that the glyph index belongs to.
    package var font: FontID
    /// Index of the glyph in the font.
    package var glyph: UInt32
    /// x of the pen, in whole pixels of the document.
    package var x: Int32
    /// y of the baseline, with the glyph's vertical offset included, in whole pixels below the line's top.
    package var y: Int32
    /// The UTF-16 unit of the document that the glyph shows.
    package var offset: Int
    /// Whether the glyph's font is a colour font.
    package var isColor: Bool
}

/// A cluster that no font can show. It is painted as a box with the hexadecimal digits of its code point.
package struct MissingGlyph: Hashable, Sendable {
    /// Left edge of the box, in whole pixels of the document.
    package var x: Int32
    /// Top edge of the box, in whole pixels below the line's top.
    package var y: Int32
    package var box: HexBox
    /// The code point shown in the box, or a lone surrogate.
    package var scalar: UInt32
    /// The UTF-16 unit of the document that the box stands for.
    package var offset: Int
}

/// A visual line: its position, text range and glyphs. Immutable.
public struct TextLineFragment {
    let fragment: LaidFragment
    let index: Int
    let fragmentStart: Int
    let fragmentY: Double
    let fragmentX: Double
    let tools: LayoutTools

    var record: LineRecord { fragment.lines[index] }

    /// Range of the line in UTF-16 units of the document. The last line of a paragraph includes the newline.
    public var utf16Range: Range<UTF16Offset> {
        let line = record
        let end = Int(line.end) + (index == fragment.lines.count - 1 ? fragment.terminator : 0)
        return UTF16Offset(fragmentStart + Int(line.start))..<UTF16Offset(fragmentStart + end)
    }

    /// The line's box in pixels of the document: the line's height, and the width of its text with hanging spaces.
    public var typographicBounds: DocumentRect {
        let line = fragment.line(index, tools)
        let left = line.contentLeft >> 6
        return DocumentRect(
            x: fragmentX + Double(left), y: top, width: Double(((line.contentRight + 63) >> 6) - left),
            height: Double(record.height))
    }

    /// Top edge of the line in pixels of the document.
    public var top: Double { fragmentY + Double(record.y) }

    /// Bottom edge of the line in pixels of the document.
    public var bottom: Double { top + Double(record.height) }

    /// The y of the baseline in pixels of the document.
    public var baseline: Double { top + Double(record.baseline) }

    /// Whether the line ends because it was full. Text of the same paragraph then continues on the next line.
    public var isWrapped: Bool { record.isWrapped }

    /// Whether the line ends because of a forced break, which is then its last UTF-16 unit.
    package var endsByBreak: Bool { record.endsByBreak }

    /// Calls `body` with the line's glyphs in batches, from left to right, and `missing` with each box for a
    /// missing glyph.
    ///
    /// Glyphs whose advance lies outside of `span` (whole pixels of the document) are left out. So are glyphs that
    /// are offset from the baseline by more than `limit` pixels, and boxes that are raised out of the line by more
    /// than that.
    package func withGlyphs(
        within span: ClosedRange<Int32> = .min ... .max, limit: Int32 = .max,
        _ body: (UnsafeBufferPointer<LineGlyph>) -> Void, missing: (MissingGlyph) -> Void = { _ in }
    ) {
        let line = fragment.line(index, tools)
        let record = record
        for run in line.runs {
            let limit = record.inkLimit(limit, raisedBy: run.raise)
            guard limit >= 0 else { continue }
            switch run.kind {
            case .tab: emitLeader(run, line, record, span, body)
            case .attachment: continue
            case .missing: emitBox(run, missing)
            case .text: emit(run, line, record, span, limit, body)
            }
        }
        if record.hasHyphen { emitHyphen(line, record, limit, body) }
        if let marker { emitMarker(marker, line, record, span, body, missing: missing) }
    }

    package var glyphs: [LineGlyph] {
        var all: [LineGlyph] = []
        all.reserveCapacity(Int(record.glyphEnd - record.glyphStart))
        withGlyphs { all.append(contentsOf: $0) }
        return all
    }

    /// Number of glyphs in a batch, which is allocated on the stack.
    private static let glyphsAtOnce = 1024 / MemoryLayout<LineGlyph>.stride

    private func emit(
        _ run: PositionedLine.VisualRun, _ line: PositionedLine, _ record: LineRecord, _ span: ClosedRange<Int32>,
        _ limit: Int32, _ body: (UnsafeBufferPointer<LineGlyph>) -> Void
    ) {
        let face = tools.context.faces[Int(run.face)]
        let (font, isColor, space) = (face.id, face.metrics.color, face.spaceGlyph)
        let rtl = run.level & 1 == 1
        var pen = rtl ? run.right : run.left
        let shift = Int32(clamping: Int(fragmentX))
        let low = Int32(clamping: Int(span.lowerBound) - Int(shift))
        let high = Int32(clamping: Int(span.upperBound) - Int(shift))
        let isJustified = !line.extra.isEmpty
        let baseline = record.baseline &- Int32(run.raise)
        withUnsafeTemporaryAllocation(of: LineGlyph.self, capacity: Self.glyphsAtOnce) { placed in
            fragment.shaped.glyphs.withUnsafeBufferPointer { glyphs in
                var count = 0
                var first = Int(run.glyphStart)
                if !rtl, !isJustified {
                    // Skip the glyphs left of the span quickly, since after an edit a line is usually painted from
                    // the change on.
                    while first < run.glyphEnd, pen >> 6 &+ glyphs[first].advance >> 6 < low {
                        pen &+= glyphs[first].advance
                        first += 1
                    }
                }
                for i in first..<Int(run.glyphEnd) {
                    let glyph = glyphs[i]
                    let advance =
                        isJustified ? glyph.advance &+ line.extra[i - Int(record.glyphStart)] : glyph.advance
                    if rtl { pen &-= advance }
                    let left = pen >> 6
                    let rise = (glyph.dy &+ 32) >> 6
                    if left &+ advance >> 6 >= low, left <= high, glyph.glyph != space, abs(rise) <= limit {
                        placed.initializeElement(
                            at: count,
                            to: LineGlyph(
                                font: font, glyph: glyph.glyph, x: shift &+ (pen &+ glyph.dx &+ 32) >> 6,
                                y: baseline &- rise,
                                offset: fragmentStart &+ Int(glyph.cluster), isColor: isColor))
                        count += 1
                        if count == placed.count {
                            body(UnsafeBufferPointer(placed))
                            count = 0
                        }
                    }
                    if !rtl { pen &+= advance }
                }
                if count > 0 { body(UnsafeBufferPointer(rebasing: placed[..<count])) }
            }
        }
    }

    /// Returns the leader character that fills the width of a tab; nil for none.
    func leader(of tab: PositionedLine.VisualRun, _ line: PositionedLine) -> Unicode.Scalar? {
        guard fragment.style.tabStops.contains(where: { $0.leader != nil }) else { return nil }
        let pen = line.baseLevel & 1 == 0 ? tab.left - line.contentLeft : line.contentRight - tab.right
        return TabStops(fragment.style, fragment.stack.primary).stop(after: pen)?.leader
    }

    /// Passes the leader characters of a tab to `body`, positioned at multiples of their advance, so that the leaders
    /// of several lines are aligned.
    func emitLeader(
        _ run: PositionedLine.VisualRun, _ line: PositionedLine, _ record: LineRecord, _ span: ClosedRange<Int32>,
        _ body: (UnsafeBufferPointer<LineGlyph>) -> Void
    ) {
        guard let leader = leader(of: run, line) else { return }
        let face = tools.context.faces[Int(run.face)]
        let glyph = cshaping_font_glyph(face.handle, leader.value)
        let advance = max(1, cshaping_font_advance(face.handle, glyph))
        let shift = Int32(clamping: Int(fragmentX))
        let low = max((run.left + 63) >> 6, span.lowerBound == .min ? .min : span.lowerBound - shift - advance)
        let high = min(run.right >> 6, span.upperBound == .max ? .max : span.upperBound - shift + advance)
        guard glyph != 0, low < high else { return }
        var x = (low + advance - 1) / advance * advance
        while x + advance <= high {
            let placed = LineGlyph(
                font: face.id, glyph: glyph, x: shift &+ x, y: record.baseline &- Int32(run.raise),
                offset: fragmentStart &+ Int(run.start), isColor: face.metrics.color)
            withUnsafePointer(to: placed) { body(UnsafeBufferPointer(start: $0, count: 1)) }
            x += advance
        }
    }

    func emitBox(_ run: PositionedLine.VisualRun, _ body: (MissingGlyph) -> Void) {
        let scalar = fragment.shaped.text.withUnsafeBufferPointer {
            ShapedText.scalar($0, Int(run.start), Int(run.end))
        }
        let metrics = tools.context.faces[Int(run.face)].metrics
        let box = HexBox(scalar: scalar, ascent: metrics.ascent, descent: metrics.descent)
        let slack = metrics.ascent + metrics.descent - box.height
        let top = record.baseline - Int32(run.raise) - metrics.ascent + max(0, box.dot == 0 ? 1 : slack / 2)
        body(
            MissingGlyph(
                x: Int32(clamping: Int(fragmentX)) &+ run.left >> 6 &+ HexBox.gap, y: top, box: box, scalar: scalar,
                offset: fragmentStart + Int(run.start)))
    }

    /// Passes the hyphen at the line's end to `body`, in the style of the soft hyphen that it stands for.
    func emitHyphen(
        _ line: PositionedLine, _ record: LineRecord, _ limit: Int32,
        _ body: (UnsafeBufferPointer<LineGlyph>) -> Void
    ) {
        guard let run = fragment.shaped.runs(in: record.start..<record.end).last,
            record.inkLimit(limit, raisedBy: run.raise) >= 0
        else { return }
        let face = tools.context.faces[Int(run.primary)]
        let glyph = tools.breaker.hyphenGlyph(face)
        let rtl = line.baseLevel & 1 == 1
        let x = rtl ? line.contentLeft - cshaping_font_advance(face.handle, glyph) * 64 : line.contentRight
        let placed = LineGlyph(
            font: face.id, glyph: glyph, x: Int32(clamping: Int(fragmentX)) &+ (x + 32) >> 6,
            y: record.baseline &- Int32(run.raise), offset: fragmentStart + max(0, Int(record.end) - 1), isColor: false)
        withUnsafePointer(to: placed) { body(UnsafeBufferPointer(start: $0, count: 1)) }
    }
}

/// A laid-out paragraph, or a part of a very long one, with its position and lines. Immutable.
public struct TextLayoutFragment {
    /// Index of the paragraph at the time the fragment was requested.
    public let paragraph: ParagraphIndex
    /// Range of the fragment in UTF-16 units of the document, newline included.
    public let utf16Range: Range<UTF16Offset>
    /// The fragment's frame, in pixels of the document.
    public let layoutFragmentFrame: DocumentRect
    /// The fragment's lines from top to bottom; at least one.
    public let textLineFragments: [TextLineFragment]
    /// The delegate's custom fragment, which takes more room or paints more than the lines; nil for a standard
    /// fragment.
    public let custom: (any CustomTextLayoutFragment)?
    /// Whether an earlier fragment belongs to the same paragraph. Paragraphs of more than some thousand units have
    /// several fragments.
    public let continuesParagraph: Bool

    init(_ placed: PlacedFragment, tools: LayoutTools, width: Double, length: Int) {
        let fragment = placed.fragment
        paragraph = ParagraphIndex(placed.paragraph)
        utf16Range = UTF16Offset(placed.start)..<UTF16Offset(min(length, placed.start + placed.units))
        layoutFragmentFrame = DocumentRect(
            x: placed.x, y: placed.y,
            width: fragment.isSideways ? Double((fragment.lines[0].fullWidth + 63) >> 6) : width,
            height: Double(fragment.height)
        )
        textLineFragments = fragment.lines.indices.map {
            TextLineFragment(
                fragment: fragment, index: $0, fragmentStart: placed.start, fragmentY: placed.y, fragmentX: placed.x,
                tools: tools)
        }
        custom = fragment.custom
        continuesParagraph = !fragment.startsParagraph
    }

    /// The union of the fragment's frame, the ink of its lines, and the bounds that a custom fragment reports, in
    /// pixels of the document. O(n log n) for n glyphs.
    public var renderingSurfaceBounds: DocumentRect {
        var bounds = layoutFragmentFrame
        for line in textLineFragments { bounds = bounds.union(line.inkBounds) }
        if let custom { bounds = bounds.union(custom.renderingSurfaceBounds(of: self)) }
        return bounds
    }
}

extension TextLineFragment {
    /// The union of the line's typographic bounds, its list marker and the ink of its glyphs, in pixels of the
    /// document. O(n log n) for n glyphs.
    public var inkBounds: DocumentRect {
        var bounds = typographicBounds
        if let markerFrame { bounds = bounds.union(markerFrame) }
        let line = fragment.line(index, tools)
        let record = record
        for run in line.runs where run.kind == .text {
            let face = tools.context.faces[Int(run.face)]
            let rtl = run.level & 1 == 1
            var pen = rtl ? run.right : run.left
            for i in Int(run.glyphStart)..<Int(run.glyphEnd) {
                let glyph = fragment.shaped.glyphs[i]
                let extra = line.extra.isEmpty ? 0 : line.extra[i - Int(record.glyphStart)]
                if rtl { pen &-= glyph.advance &+ extra }
                var ink: (Int16, Int16, Int16, Int16) = (0, 0, 0, 0)
                withUnsafeMutableBytes(of: &ink) {
                    cshaping_font_ink(face.handle, glyph.glyph, $0.bindMemory(to: Int16.self).baseAddress)
                }
                if ink.0 != ink.2 {
                    let x = (pen &+ glyph.dx &+ 32) >> 6
                    let y = Double((glyph.dy &+ 32) >> 6) + Double(run.raise)
                    bounds = bounds.union(
                        DocumentRect(
                            x: fragmentX + Double(x + Int32(ink.0)), y: baseline - y - Double(ink.1),
                            width: Double(ink.2) - Double(ink.0), height: Double(ink.1) - Double(ink.3)))
                }
                if !rtl { pen &+= glyph.advance &+ extra }
            }
        }
        return bounds
    }
}

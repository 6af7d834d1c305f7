import CCairo
import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneView

/// A writer that draws the lines of a text on pages, one after the other.
///
/// The layout uses ``unitsPerPoint`` pixels for each point. Its rounding to whole pixels is then invisible in
/// print.
final class PageWriter {
    /// The number of the layout's pixels in a point.
    static let unitsPerPoint = 10.0
    /// The number of the layout's pixels in a pixel of 1/96 inch.
    static let unitsPerPixel = unitsPerPoint * 72 / 96

    let layout: TextLayoutManager
    /// The number of finished pages.
    private(set) var pageCount = 0

    private let setup: PageSetup
    private let pdf: PDFDocument
    private let labels: LabelLayout
    private let header: LaidLabel?
    private let isStyled: Bool
    /// The left and top edge of the text on the page, and its height, in pixels of the layout.
    private let left: Double
    private let top: Double
    private let height: Double
    private let metrics: DecorationMetrics
    private let attachmentRoom: AttachmentRoom
    /// The result of the printer's preparation of the layout, kept for the layout's delegates.
    private let preparation: AnyObject?
    /// The canvas for what custom fragments paint behind their text.
    private let canvas: PageCanvas
    /// The height used by the lines on the current page.
    private var used = 0.0
    private var hasLines = false
    /// The glyphs collected to be shown next; may be empty.
    private var run = GlyphText(font: FontID(rawValue: 0), color: .black, isRightToLeft: false)
    private var text: [UInt8] = []

    /// The font size of headers and numbers, in pixels of the layout.
    private static let labelSize = 8.5 * unitsPerPoint
    private static let gray = Color(rgb: 0x666666)
    private static let linkColor = Theme().link

    init(_ printer: PagePrinter, sink: @escaping PDFDocument.Sink) throws(PrintError) {
        let scale = Self.unitsPerPoint
        let setup = printer.setup
        self.setup = setup
        isStyled = printer.text.runs != nil
        // Turn off hinting: printed glyphs are not fitted to pixels.
        let settings = FontSettings(["hinting": "false", "hintstyle": "hintnone", "rgba": "none"])
        // The container's width is set below, when the width of the line numbers is known.
        let font = printer.font.scaled(by: Self.unitsPerPixel)
        let layout = TextLayoutManager(
            store: TextStore(printer.text), container: TextContainer(width: 1), font: font, settings: settings,
            paragraphStyle: printer.paragraphStyle.scaled(by: Self.unitsPerPixel))
        self.layout = layout
        layout.attributeScale = Self.unitsPerPixel
        labels = LabelLayout(font: FontDescriptor(family: "sans-serif", size: Self.labelSize), sharing: layout)
        let digits = labels.layOut("0", width: nil)
        var gutter = 0.0
        if setup.numbersLines {
            let most = setup.firstLineNumber + printer.text.rope.paragraphCount
            gutter = Double(String(most).count + 1) * digits.size.width
        }
        let margins = setup.margins
        let width = (setup.paper.width - margins.left - margins.right) * scale
        left = margins.left * scale + gutter
        if let header = setup.header, !header.isEmpty {
            self.header = labels.layOut(Self.oneLine(header), width: max(1, width))
        } else {
            header = nil
        }
        let strip = (1.8 * digits.lineHeight).rounded()
        top = margins.top * scale + (header == nil ? 0 : strip)
        height = (setup.paper.height - margins.bottom) * scale - top - (setup.numbersPages ? strip : 0)
        // Require room for a word and a line; otherwise each character could get a page of its own.
        guard width - gutter >= 28 * scale, height >= max(20 * scale, layout.lineHeight) else { throw .noRoom }
        layout.container = TextContainer(width: width - gutter)
        preparation = printer.preparation?(layout)
        attachmentRoom = AttachmentRoom(height: height - layout.lineHeight, fragments: layout.delegate)
        // Plain text has no attachments, so avoid calling the delegate for each paragraph.
        if isStyled { layout.delegate = attachmentRoom }
        metrics = layout.decorationMetrics
        pdf = try PDFDocument(
            width: setup.paper.width, height: setup.paper.height, scale: 1 / scale, sink: sink)
        pdf.setTitle(setup.title, creator: "Inkstone")
        canvas = PageCanvas(pdf, Size(width: setup.paper.width * scale, height: setup.paper.height * scale))
    }

    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    // MARK: Pages

    /// Adds the lines of a fragment. Returns true if a page was finished meanwhile.
    func append(_ fragment: TextLayoutFragment) throws(PrintError) -> Bool {
        let frame = fragment.layoutFragmentFrame
        let pages = pageCount
        var shift = used - frame.minY
        let lines = fragment.textLineFragments
        var next = 0
        while next < lines.count {
            let end = firstLineOfNextPage(lines, from: next, shift, startsParagraph: !fragment.continuesParagraph)
            drawBackground(of: fragment, next..<(end ?? lines.count), shift)
            for index in next..<(end ?? lines.count) {
                let line = lines[index]
                if index == 0, !fragment.continuesParagraph, setup.numbersLines {
                    number(line, fragment.paragraph.value + setup.firstLineNumber, at: line.top + shift)
                }
                draw(line, x: left, y: top + line.top + shift)
                hasLines = true
            }
            guard let end else { break }
            try endPage()
            (next, shift) = (end, -lines[end].top)
        }
        used = max(0, frame.maxY + shift)
        return pageCount > pages
    }

    /// Draws what a custom fragment paints behind the lines `shown`, which are on this page. `shift` converts a y of
    /// the document to a y of the text on the page. The space above the fragment's first line and below its last one
    /// belongs to these lines, as far as it is on this page.
    private func drawBackground(of fragment: TextLayoutFragment, _ shown: Range<Int>, _ shift: Double) {
        guard let custom = fragment.custom, !shown.isEmpty else { return }
        let (lines, frame) = (fragment.textLineFragments, fragment.layoutFragmentFrame)
        let start = max(0, (shown.lowerBound == 0 ? frame.minY : lines[shown.lowerBound].top) + shift)
        let end = min(height, (shown.upperBound == lines.count ? frame.maxY : lines[shown.upperBound].top) + shift)
        guard start < end else { return }
        canvas.setLimit(WindowRect(x: 0, y: top + start, width: canvas.size.width, height: end - start))
        custom.draw(fragment, at: WindowPoint(x: left, y: top + shift), on: canvas)
        canvas.setClip(nil)
    }

    /// Returns the index of the line with which the next page begins, among a fragment's lines from `start` on; nil if
    /// all of these fit on this page. `shift` converts a y of the document to a y of the text on the page.
    private func firstLineOfNextPage(
        _ lines: [TextLineFragment], from start: Int, _ shift: Double, startsParagraph: Bool
    ) -> Int? {
        let full = lines[start...].indices.first {
            lines[$0].bottom + shift > height && ($0 > start || hasLines)
        }
        guard let full, let last = lines.last else { return nil }
        var first = full
        if !last.isWrapped { first = min(first, lines.count - setup.linesTogether) }
        if startsParagraph, first < setup.linesTogether { first = 0 }
        return first > start || first == start && hasLines ? first : full
    }

    /// Finishes the last page and the document.
    func finish() throws(PrintError) {
        if hasLines || pageCount == 0 { try endPage() }
        try pdf.finish()
    }

    private func endPage() throws(PrintError) {
        if let header {
            draw(
                header, x: setup.margins.left * Self.unitsPerPoint, y: setup.margins.top * Self.unitsPerPoint, Self.gray
            )
        }
        if setup.numbersPages {
            let label = labels.layOut(String(pageCount + 1), width: nil)
            draw(
                label, x: (setup.paper.width * Self.unitsPerPoint - label.size.width) / 2,
                y: (setup.paper.height - setup.margins.bottom) * Self.unitsPerPoint - label.lineHeight, Self.gray)
        }
        try pdf.showPage()
        pageCount += 1
        (used, hasLines) = (0, false)
    }

    private func number(_ line: TextLineFragment, _ number: Int, at y: Double) {
        let label = labels.layOut(String(number), width: nil)
        let gap = label.size.width / Double(String(number).count)
        let baseline = top + y + line.baseline - line.top
        draw(
            label, x: left - gap - label.size.width, y: baseline - label.fragment.textLineFragments[0].baseline,
            Self.gray)
    }

    private func draw(_ label: LaidLabel, x: Double, y: Double, _ color: Color) {
        draw(label.fragment.textLineFragments[0], x: x, y: y, [], color)
    }

    // MARK: Lines

    /// Draws a line of the text with its decorations and attachments. The line's box is at the given position on
    /// the page, in pixels of the layout.
    private func draw(_ line: TextLineFragment, x: Double, y: Double) {
        let runs = isStyled ? layout.decoratedRuns(in: line.utf16Range) : []
        drawAttachments(of: line, x: x, y: y)
        guard !runs.isEmpty else { return draw(line, x: x, y: y, [], .black) }
        var segments: [Segment] = []
        line.forEachCluster { cluster, _, _ in
            guard let appearance = Self.appearance(at: cluster.offset, runs) else { return }
            let link =
                appearance.isLink
                ? layout.store.styledText.attributes(at: UTF16Offset(cluster.offset))[LinkAttribute.self] : nil
            if let last = segments.indices.last, segments[last].appearance == appearance, segments[last].link == link,
                abs(segments[last].right - cluster.x) < 0.5
                    || abs(segments[last].left - cluster.x - cluster.width) < 0.5
            {
                segments[last].left = min(segments[last].left, cluster.x)
                segments[last].right = max(segments[last].right, cluster.x + cluster.width)
            } else {
                let metrics = appearance.font.map { layout.decorationMetrics(of: $0) } ?? metrics
                segments.append(
                    Segment(
                        appearance: appearance, link: link, metrics: metrics, left: cluster.x,
                        right: cluster.x + cluster.width))
            }
        } missing: { _ in
        }
        for segment in segments { fillBackground(of: segment, line, x: x, y: y) }
        draw(line, x: x, y: y, runs, .black)
        joinUnderlines(of: &segments)
        for segment in segments {
            drawLines(of: segment, line, x: x, y: y)
            if let link = segment.link {
                let scale = Self.unitsPerPoint
                pdf.addLink(
                    to: link, x: (x + segment.left) / scale, y: y / scale,
                    width: (segment.right - segment.left) / scale, height: (line.bottom - line.top) / scale)
            }
        }
    }

    /// Draws the images of attachments, or a frame for an attachment without an image.
    private func drawAttachments(of line: TextLineFragment, x: Double, y: Double) {
        let scale = Self.unitsPerPoint
        for placed in line.attachments {
            let (left, top) = (x + placed.frame.minX, y + placed.frame.minY - line.top)
            let (width, height) = (placed.frame.width, placed.frame.height)
            let isShown = pdf.showImage(
                of: placed.attachment, x: left / scale, y: top / scale, width: width / scale, height: height / scale)
            if isShown { continue }
            let thickness = min(metrics.thickness, width / 2, height / 2)
            for edge in [top, top + height - thickness] {
                fill(x: left, y: edge, width: width, height: thickness, Self.gray)
            }
            for edge in [left, left + width - thickness] {
                fill(x: edge, y: top, width: thickness, height: height, Self.gray)
            }
        }
    }

    /// A part of a line that is decorated, in pixels of the layout.
    private struct Segment {
        var appearance: RenderingAttributes
        var link: String?
        var metrics: DecorationMetrics
        var left: Double
        var right: Double

        /// Whether this part and another part share one line under the text: both have equal underlines on the same
        /// baseline, and they touch.
        func sharesUnderline(with other: Segment) -> Bool {
            appearance.underline != nil && appearance.underline == other.appearance.underline
                && appearance.baselineOffset == other.appearance.baselineOffset
                && (abs(right - other.left) < 0.5 || abs(left - other.right) < 0.5)
        }
    }

    /// Fills the background of a part, as high as the line or, if the text has its own font, as high as that font.
    private func fillBackground(of segment: Segment, _ line: TextLineFragment, x: Double, y: Double) {
        guard let color = segment.appearance.background else { return }
        var (top, bottom) = (0.0, line.bottom - line.top)
        if segment.appearance.font != nil {
            let baseline = line.baseline - line.top - segment.appearance.baselineOffset
            top = max(top, baseline - segment.metrics.ascent)
            bottom = min(bottom, baseline + segment.metrics.descent)
        }
        guard top < bottom else { return }
        fill(x: x + segment.left, y: y + top, width: segment.right - segment.left, height: bottom - top, color)
    }

    /// Gives adjacent underlines the same position and thickness: the lowest position and the greatest thickness among
    /// them.
    private func joinUnderlines(of segments: inout [Segment]) {
        var first = 0
        while first < segments.count {
            var end = first + 1
            while end < segments.count, segments[end].sharesUnderline(with: segments[end - 1]) { end += 1 }
            let offset = segments[first..<end].map(\.metrics.underlineOffset).max() ?? 0
            let thickness = segments[first..<end].map(\.metrics.thickness).max() ?? 1
            for index in first..<end where end > first + 1 {
                (segments[index].metrics.underlineOffset, segments[index].metrics.thickness) = (offset, thickness)
            }
            first = end
        }
    }

    private func drawLines(of segment: Segment, _ line: TextLineFragment, x: Double, y: Double) {
        let (appearance, metrics) = (segment.appearance, segment.metrics)
        let baseline = line.baseline - line.top - appearance.baselineOffset
        let color = Self.foreground(of: appearance) ?? .black
        func draw(_ style: RenderingAttributes.LineStyle, at distance: Double, staysInLine: Bool, _ color: Color) {
            let shape = LineShape(style: style, thickness: metrics.thickness)
            var place = baseline + distance
            if staysInLine { place = max(baseline + 1, min(place, line.bottom - line.top - shape.height)) }
            let everywhere = DocumentRect(x: segment.left, y: 0, width: segment.right - segment.left, height: 1)
            shape.forEachPart(from: segment.left, to: segment.right, y: place, within: everywhere) {
                fill(x: x + $0.minX, y: y + $0.minY, width: $0.width, height: $0.height, color)
            }
        }
        if let style = appearance.underline {
            draw(style, at: metrics.underlineOffset, staysInLine: true, appearance.underlineColor ?? color)
        }
        if let style = appearance.strikethrough {
            draw(style, at: -metrics.strikethroughOffset, staysInLine: false, appearance.strikethroughColor ?? color)
        }
    }

    /// Returns the text colour that attributes set; nil for the default colour.
    private static func foreground(of appearance: RenderingAttributes) -> Color? {
        appearance.foreground ?? (appearance.isLink ? linkColor : nil)
    }

    private func fill(x: Double, y: Double, width: Double, height: Double, _ color: Color) {
        let scale = Self.unitsPerPoint
        pdf.fill(x: x / scale, y: y / scale, width: width / scale, height: height / scale, color)
    }

    /// Returns the attributes of the run that contains an offset of the document, in UTF-16 units; nil if there is
    /// none. The runs are in order and without overlap.
    private static func appearance(at offset: Int, _ runs: [RenderingRun]) -> RenderingAttributes? {
        let index = runs.partitioningIndex { $0.range.upperBound.value > offset }
        guard index < runs.count, runs[index].range.lowerBound.value <= offset else { return nil }
        return runs[index].attributes
    }

    private func draw(
        _ line: TextLineFragment, x: Double, y: Double, _ runs: [RenderingRun], _ color: Color
    ) {
        let scale = Self.unitsPerPoint
        let size = (line.bottom - line.top) / scale
        let baseline = line.baseline - line.top
        var boxColor = color
        var blanks = BlankText(width: 0, size: size)
        func flushBlanks() {
            guard !blanks.text.isEmpty else { return }
            pdf.show(&blanks)
            blanks = BlankText(width: 0, size: size)
        }
        line.forEachCluster { cluster, glyphs, units in
            let color = Self.appearance(at: cluster.offset, runs).flatMap(Self.foreground) ?? color
            boxColor = color
            if cluster.startsRun || run.font != cluster.font || run.color != color { flush(size) }
            func blank() {
                flush(size)
                text.removeAll(keepingCapacity: true)
                PrintedText.append(units, isRightToLeft: false, glyphs: 0, to: &text)
                let isTab = units.count == 1 && units[0] == 0x09
                // Collect blanks of equal width and write them together, because each width needs a font of its own.
                // The width of a tab counts as 0.
                let width = isTab ? 0 : cluster.width / scale
                if width != blanks.width || blanks.text.count > 4096 { flushBlanks() }
                blanks.width = width
                blanks.append(
                    text, number: pdf.blankNumber(of: text), x: (x + cluster.x) / scale, y: (y + baseline) / scale)
            }
            guard cluster.kind == .text else { return blank() }
            if cluster.isColor {
                let pictures = glyphs.filter {
                    pdf.showPicture($0.glyph, of: cluster.font, x: (x + $0.x) / scale, y: (y + $0.y) / scale)
                }
                if !pictures.isEmpty { return blank() }
            }
            flushBlanks()
            append(cluster, glyphs, units, x: x, y: y, baseline: baseline, color)
        } missing: { missing in
            missing.box.forEachPart(of: missing.scalar) { dx, dy, width, height in
                pdf.addRectangle(
                    x: (x + Double(missing.x + dx)) / scale, y: (y + Double(missing.y + dy)) / scale,
                    width: Double(width) / scale, height: Double(height) / scale)
            }
            pdf.fillRectangles(boxColor)
        }
        flush(size)
        flushBlanks()
    }

    private func append(
        _ cluster: LineCluster, _ glyphs: UnsafeBufferPointer<ClusterGlyph>, _ units: UnsafeBufferPointer<UInt16>,
        x: Double, y: Double,
        baseline: Double, _ color: Color
    ) {
        let scale = Self.unitsPerPoint
        if run.glyphs.isEmpty { run.start(cluster.font, color, isRightToLeft: cluster.isRightToLeft) }
        let start = run.text.count
        PrintedText.append(units, isRightToLeft: cluster.isRightToLeft, glyphs: glyphs.count, to: &run.text)
        var count = Int32(glyphs.count)
        for glyph in glyphs {
            run.glyphs.append(
                ccairo_glyph(glyph: UInt(glyph.glyph), x: (x + glyph.x) / scale, y: (y + glyph.y) / scale))
        }
        if cluster.joiner != 0 {
            // Add an invisible glyph at the end: programs that extract text take the width of a cluster to be from
            // its first glyph to its last.
            run.glyphs.append(
                ccairo_glyph(
                    glyph: UInt(cluster.joiner), x: (x + cluster.x + cluster.width) / scale, y: (y + baseline) / scale))
            count += 1
        }
        run.clusters.append(ccairo_cluster(bytes: Int32(run.text.count - start), glyphs: count))
    }

    /// Shows the collected glyphs, from left to right. `size` is the height of the line in points.
    private func flush(_ size: Double) {
        guard !run.glyphs.isEmpty else { return }
        if run.isRightToLeft { run.glyphs.reverse() }
        pdf.show(&run, size: size)
        run.glyphs.removeAll(keepingCapacity: true)
    }
}

/// The canvas of a page for custom fragments, in pixels of the layout. It only fills rectangles.
private final class PageCanvas: Canvas {
    let size: Size
    private(set) var limit: WindowRect?
    private var clip: [WindowRect]?
    private let pdf: PDFDocument

    init(_ pdf: PDFDocument, _ size: Size) { (self.pdf, self.size) = (pdf, size) }

    func setClip(_ rects: [WindowRect]?) { clip = rects }

    func setLimit(_ rect: WindowRect?) { limit = rect }

    func fill(_ rect: WindowRect, _ color: Color) {
        let limited = limit.map { rect.intersection($0) } ?? rect
        let scale = PageWriter.unitsPerPoint
        for part in clip ?? [limited] {
            let part = part.intersection(limited)
            guard part.width > 0, part.height > 0 else { continue }
            pdf.addRectangle(
                x: part.minX / scale, y: part.minY / scale, width: part.width / scale, height: part.height / scale)
        }
        pdf.fillRectangles(color)
    }

    func draw(_: [CanvasGlyph], _: Color) {}

    func draw(_: CanvasImage, in _: WindowRect) {}

    func copy(_: WindowRect, to _: WindowPoint) {}
}

/// A layout delegate that reduces attachments that are too high for a page.
private final class AttachmentRoom: TextLayoutManagerDelegate {
    /// The greatest height, in pixels of the layout.
    private let height: Double
    /// The delegate that provides custom fragments; nil for none.
    private let fragments: (any TextLayoutManagerDelegate)?

    init(height: Double, fragments: (any TextLayoutManagerDelegate)?) {
        (self.height, self.fragments) = (max(1, height), fragments)
    }

    func textLayoutManager(
        _ manager: TextLayoutManager, textLayoutFragmentFor location: UTF16Offset, in element: any TextElement
    ) -> (any CustomTextLayoutFragment)? {
        fragments?.textLayoutManager(manager, textLayoutFragmentFor: location, in: element)
    }

    func textLayoutManager(
        _ manager: TextLayoutManager, attachmentBoundsFor attachment: TextAttachment, at _: UTF16Offset,
        lineWidth: Double
    ) -> AttachmentBounds? {
        let usual = AttachmentBounds(of: attachment, scale: manager.attributeScale, width: lineWidth)
        guard usual.size.height > height else { return nil }
        let width = max(1, (usual.size.width * height / usual.size.height).rounded())
        return AttachmentBounds(size: Size(width: width, height: height.rounded(.down)))
    }
}

import InkstoneBase
import InkstoneUnicode

/// The laid-out marker of a list item, in the font of the item's first character. It is painted within the indent
/// before the item's first line.
struct LaidMarker {
    let item: ListItem
    let font: FontDescriptor
    let number: Int
    /// The marker's text, laid out as a paragraph of its own.
    let label: LaidFragment
    /// Indent of the item's first line according to its paragraph style, in whole pixels.
    let indent: Int32
    /// The revision of ``ListNumbers`` for which the marker's number is valid.
    var revision: Int

    /// The marker's width in whole pixels.
    var width: Int32 { (label.lines[0].fullWidth + 63) >> 6 }
    /// The distance between the marker and the item's text, in whole pixels.
    private var gap: Int32 { max(2, Int32(pixels: font.size * 0.4)) }

    /// Indent that the first line needs. It exceeds ``indent`` if the marker is too wide.
    var neededIndent: Int32 { max(indent, width + gap) }

    /// Creates the marker of a list item and lays it out. Of the marker's alternative texts, uses the first one whose
    /// characters the fonts have, or else the first of all.
    init(
        _ item: ListItem, number: Int, font: FontDescriptor, indent: Int32, revision: Int, isRightToLeft: Bool,
        _ tools: LayoutTools
    ) {
        (self.item, self.number, self.font, self.indent, self.revision) = (item, number, font, indent, revision)
        let stack = tools.context.stack(for: font)
        let texts = item.list?.shownMarkers(number: number, isChecked: item.isChecked) ?? [""]
        let labels = texts.lazy.map { text in
            let units = Array(text.utf16)
            let input = ParagraphInput(
                units: units, spans: [StyleSpan(range: 0..<units.count, stack: stack)], stack: stack,
                style: ParagraphStyle(), direction: isRightToLeft ? .rightToLeft : .leftToRight,
                room: LineRoom(width: nil, alignmentWidth: 0, x: 0))
            return LaidFragment(input, ParagraphLayout(input, tools), terminator: 0)
        }
        label = labels.first { $0.shaped.runs.allSatisfy { $0.kind == .text } } ?? labels[0]
    }

    /// Returns a copy of the marker with another number or direction.
    func with(number: Int, revision: Int, isRightToLeft: Bool, _ tools: LayoutTools) -> LaidMarker {
        LaidMarker(
            item, number: number, font: font, indent: indent, revision: revision, isRightToLeft: isRightToLeft, tools)
    }

    /// Returns the x of the marker's left edge on the item's first line, in whole pixels from the container's left
    /// edge.
    func x(on line: PositionedLine) -> Int32 {
        line.baseLevel & 1 == 0 ? line.left >> 6 - gap - width : (line.right + 63) >> 6 + gap
    }

    /// Returns whether another marker has the same item, number, font and text direction. The markers' distances from
    /// the line are not compared.
    func isPaintedLike(_ other: LaidMarker?) -> Bool {
        number == other?.number && item == other?.item && font == other?.font
            && label.shaped.baseLevel == other?.label.shaped.baseLevel
    }
}

extension TextLineFragment {
    /// Passes the glyphs of the marker to `body`, positioned before the line. The glyphs get the text offset of the
    /// paragraph's first character.
    func emitMarker(
        _ marker: LaidMarker, _ line: PositionedLine, _ record: LineRecord, _ span: ClosedRange<Int32>,
        _ body: (UnsafeBufferPointer<LineGlyph>) -> Void, missing: (MissingGlyph) -> Void
    ) {
        let label = label(of: marker)
        let x = Int32(clamping: Int(fragmentX)) &+ marker.x(on: line)
        guard x &+ marker.width >= span.lowerBound, x <= span.upperBound else { return }
        let y = record.baseline &- label.record.baseline
        label.withGlyphs { glyphs in
            let placed = glyphs.map { glyph in
                var glyph = glyph
                (glyph.x, glyph.y, glyph.offset) = (glyph.x &+ x, glyph.y &+ y, fragmentStart)
                return glyph
            }
            placed.withUnsafeBufferPointer(body)
        } missing: { box in
            var box = box
            (box.x, box.y, box.offset) = (box.x &+ x, box.y &+ y, fragmentStart)
            missing(box)
        }
    }

    /// Calls `body` with the clusters of the marker, positioned before the line. The clusters get the text offset
    /// of the paragraph's first character.
    func forEachCluster(
        of marker: LaidMarker, _ line: PositionedLine,
        _ body: (LineCluster, _ glyphs: UnsafeBufferPointer<ClusterGlyph>, _ text: UnsafeBufferPointer<UInt16>) -> Void,
        missing: (MissingGlyph) -> Void
    ) {
        let label = label(of: marker)
        let x = Int32(clamping: Int(fragmentX)) &+ marker.x(on: line)
        let y = record.baseline &- label.record.baseline
        label.forEachCluster { cluster, glyphs, text in
            var cluster = cluster
            (cluster.x, cluster.offset) = (cluster.x + Double(x), fragmentStart)
            let placed = glyphs.map {
                ClusterGlyph(glyph: $0.glyph, x: $0.x + Double(x), y: $0.y + Double(y))
            }
            placed.withUnsafeBufferPointer { body(cluster, $0, text) }
        } missing: { box in
            var box = box
            (box.x, box.y, box.offset) = (box.x &+ x, box.y &+ y, fragmentStart)
            missing(box)
        }
    }

    private func label(of marker: LaidMarker) -> TextLineFragment {
        TextLineFragment(
            fragment: marker.label, index: 0, fragmentStart: 0, fragmentY: 0, fragmentX: 0, tools: tools)
    }

    /// The marker painted before the line; nil if the line has no marker.
    var marker: LaidMarker? { index == 0 ? fragment.marker : nil }

    /// Rectangle of the marker before the line, as high as the line, in pixels of the document; nil if there is no
    /// marker.
    var markerFrame: DocumentRect? {
        marker.map {
            DocumentRect(
                x: fragmentX + Double($0.x(on: fragment.line(index, tools))), y: top, width: Double($0.width),
                height: Double(record.height))
        }
    }
}

extension TextLayoutFragment {
    /// The list item whose marker is shown at the fragment; nil for a paragraph without a marker, and for a
    /// fragment that does not start a paragraph.
    public var listItem: ListItem? { textLineFragments[0].marker?.item }
    /// The number of ``listItem``, also if the marker does not show numbers; nil if there is no item.
    public var itemNumber: Int? { textLineFragments[0].marker?.number }
    /// Rectangle of the marker of ``listItem``, as high as the first line, in pixels of the document; nil if there
    /// is no marker.
    public var markerFrame: DocumentRect? { textLineFragments[0].markerFrame }
}

import InkstoneBase
import InkstoneText

/// Long paragraphs where lines do not wrap: one line of segments side by side, of which only those in view are laid
/// out. Where they stand is a sum of widths in the tree, like heights elsewhere.
extension TextLayoutManager {
    /// Whether paragraphs are single lines, so that heights are exact by counting.
    var isUnwrapped: Bool { container.room.width == nil }

    /// The next segment of a paragraph on one line; it ends at a space, else between grapheme clusters.
    func layOutSideways(from start: Int, in paragraph: Paragraph, limit: Int) -> Piece {
        let stop = min(paragraph.contentEnd, limit)
        var end = stop
        if stop - start > Self.sidewaysSegment * 3 / 2 {
            let low = start + Self.sidewaysSegment / 2
            end = start + Self.sidewaysSegment
            let units = text.utf16(in: UTF16Offset(low)..<UTF16Offset(end))
            if let space = units.lastIndex(of: 0x20) {
                end = low + space + 1
            } else {
                end = text.graphemeBoundary(roundedDown: end, notBefore: low)
            }
        }
        let full = end == paragraph.contentEnd && limit >= paragraph.end ? paragraph.end : end
        return entry(layOutExactly(start..<end, paragraph, endsAt: full), units: full - start)
    }

    /// Distance along the line where a unit stands, and where its paragraph starts and ends.
    private func width(before unit: Int) -> Double {
        if unit >= tree.total.units { return estimate.width(of: tree.total) }
        let (piece, before) = tree.piece(at: unit)
        return estimate.width(of: before) + (piece.isGap ? Double(unit - before.units) * estimate.advance : 0)
    }

    /// Left edge of a segment, whole pixels. From right to left the first segment is the rightmost.
    func sidewaysX(of layout: LaidPiece, _ piece: Piece, _ before: PieceSum) -> Double {
        let paragraph = Paragraph(text, holding: min(before.units, text.metrics.utf16))
        let start = width(before: paragraph.start)
        let extent = (width(before: paragraph.end) - start).rounded(.up)
        widest = max(widest, Int32(clamping: Int(extent)))
        let offset = estimate.width(of: before) - start
        let padding = Double(container.room.x)
        if layout.shaped.baseLevel & 1 == 0 { return padding + offset.rounded() }
        let room = max(extent, Double(container.room.alignmentWidth))
        return padding + (room - offset - Double(piece.width)).rounded()
    }

    /// The paragraph at a height, where all paragraphs are single lines.
    func paragraph(atY y: Double) -> Paragraph {
        let (piece, before) = tree.piece(atY: max(0, y), estimate)
        var index = before.paragraphs
        if piece.isGap, estimate.perParagraph > 0 {
            let lines = Int(min(1e9, max(0, y - estimate.height(of: before)) / estimate.perParagraph))
            index += min(lines, max(0, piece.paragraphs - 1))
        }
        return Paragraph(text, ParagraphIndex(min(index, text.paragraphCount - 1)))
    }

    /// The piece of a paragraph at an x of the document.
    func placedPiece(in paragraph: Paragraph, atX x: Double) -> PlacedPiece {
        let first = placedPiece(at: paragraph.start)
        guard first.piece.isSideways else { return first }
        let start = width(before: paragraph.start)
        var along = x - Double(container.room.x)
        if first.piece.shaped.baseLevel & 1 == 1 {
            let extent = width(before: paragraph.end) - start
            along = max(extent, Double(container.room.alignmentWidth)) - along
        }
        // Edges were rounded to pixels: on an edge, the segment that starts there is meant, not a gap before it.
        let target = start + max(0, along) + 0.5
        let (piece, before) = tree.piece(atWidth: target, estimate)
        var unit = before.units
        if piece.isGap {
            unit += Int(max(0, min(1e12, (target - estimate.width(of: before)) / estimate.advance)))
        }
        return placedPiece(at: min(max(unit, paragraph.start), paragraph.contentEnd))
    }

    /// Calls `body` with the pieces that a rectangle shows, top to bottom, each line's in the order of the text; with `units`
    /// only with those that hold any of them, an end included. No others are laid out, but for the first of a line.
    func forEachUnwrapped(in band: DocumentRect, units: Range<Int>? = nil, _ body: (PlacedPiece) -> Void) {
        var paragraph = paragraph(atY: band.minY)
        if let units {
            let first = Paragraph(text, holding: units.lowerBound)
            if first.index > paragraph.index { paragraph = first }
        }
        while true {
            if let units, paragraph.start > units.upperBound { return }
            var placed = placedPiece(at: paragraph.start)
            if placed.y >= band.maxY { return }
            if placed.piece.isSideways {
                let rtl = placed.piece.shaped.baseLevel & 1 == 1
                placed = placedPiece(in: paragraph, atX: rtl ? band.maxX : band.minX)
                if let units, placed.start + placed.units <= units.lowerBound {
                    placed = placedPiece(at: min(units.lowerBound, paragraph.contentEnd))
                }
                while true {
                    if let units, placed.start > units.upperBound { break }
                    let edge = Double(placed.piece.lines[0].fullWidth) / 64
                    if rtl ? placed.x + edge < band.minX : placed.x > band.maxX { break }
                    body(placed)
                    if placed.piece.endsParagraph { break }
                    placed = placedPiece(at: placed.start + placed.units)
                }
            } else {
                body(placed)
            }
            if paragraph.index + 1 >= text.paragraphCount { return }
            paragraph = Paragraph(text, ParagraphIndex(paragraph.index + 1))
        }
    }
}

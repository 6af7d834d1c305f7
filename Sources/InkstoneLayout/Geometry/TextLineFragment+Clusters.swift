import CShaping
import InkstoneBase
import InkstoneText

/// A piece of a line's text that is shown by certain glyphs. Printing stores the text beside the glyphs: it can
/// then be copied and searched.
package struct LineCluster: Hashable, Sendable {
    /// The kind of content that represents a cluster.
    package enum Kind: Hashable, Sendable {
        /// Glyphs of a font.
        case text
        /// No glyph: a tab, an invisible character or an attachment.
        case blank
        /// A box with hexadecimal digits, because no font has the character.
        case missing
    }

    package var kind: Kind
    /// The font of the cluster's glyphs.
    package var font: FontID
    /// Whether the font is a colour font.
    package var isColor: Bool
    package var isRightToLeft: Bool
    /// Whether the cluster is the first of a run of glyphs. Runs are ordered from left to right, the clusters in a
    /// run in text order.
    package var startsRun: Bool
    /// The UTF-16 unit of the document at which the cluster starts.
    package var offset: Int
    /// Left edge of the cluster, in pixels of the document; not rounded.
    package var x: Double
    /// Advance of the cluster, in pixels; not rounded.
    package var width: Double
    /// A glyph of the font without ink and width, which printing adds at the end of a cluster with marks. 0 if the font
    /// has none, and for clusters that need none.
    package var joiner: UInt32 = 0
}

package struct ClusterGlyph: Hashable, Sendable {
    package var glyph: UInt32
    /// Pen position: x in pixels of the document, y in pixels below the line's top; not rounded.
    package var x: Double
    package var y: Double
}

extension TextLineFragment {
    /// Calls `body` with each cluster of the line, its glyphs and its UTF-16 units; the buffers are valid only
    /// during the call. For a missing glyph, `missing` is called with its box directly after `body`. A mark on a
    /// left-to-right letter belongs to the letter's cluster, and a zero-width joiner to the cluster before it.
    package func forEachCluster(
        _ body: (LineCluster, _ glyphs: UnsafeBufferPointer<ClusterGlyph>, _ text: UnsafeBufferPointer<UInt16>) -> Void,
        missing: (MissingGlyph) -> Void
    ) {
        let line = fragment.line(index, tools)
        if let marker { forEachCluster(of: marker, line, body, missing: missing) }
        var glyphs: [ClusterGlyph] = []
        fragment.shaped.text.withUnsafeBufferPointer { text in
            for run in line.runs {
                switch run.kind {
                case .text: forEachCluster(of: run, line, text, &glyphs, body)
                case .tab, .attachment, .missing:
                    let cluster = cluster(
                        run.kind == .missing ? .missing : .blank, run, at: run.start, left: run.left, width: run.width)
                    body(
                        cluster, UnsafeBufferPointer(start: nil, count: 0),
                        UnsafeBufferPointer(rebasing: text[Int(run.start)..<Int(run.end)]))
                    if run.kind == .missing { emitBox(run, missing) }
                    if run.kind == .tab { forEachLeader(of: run, line, body) }
                }
            }
        }
        if record.hasHyphen {
            emitHyphen(line, record, .max) { placed in
                guard let hyphen = placed.first else { return }
                let cluster = LineCluster(
                    kind: .text, font: hyphen.font, isColor: false, isRightToLeft: line.baseLevel & 1 == 1,
                    startsRun: true, offset: hyphen.offset, x: Double(hyphen.x), width: 0)
                let glyph = ClusterGlyph(glyph: hyphen.glyph, x: Double(hyphen.x), y: Double(hyphen.y))
                [0xad].withUnsafeBufferPointer { text in
                    withUnsafePointer(to: glyph) { body(cluster, UnsafeBufferPointer(start: $0, count: 1), text) }
                }
            }
        }
    }

    /// Calls `body` with the leader characters that fill the width of a tab, each as a cluster of its own.
    private func forEachLeader(
        of tab: PositionedLine.VisualRun, _ line: PositionedLine,
        _ body: (LineCluster, UnsafeBufferPointer<ClusterGlyph>, UnsafeBufferPointer<UInt16>) -> Void
    ) {
        guard let leader = leader(of: tab, line) else { return }
        let face = tools.context.faces[Int(tab.face)]
        let advance = cshaping_font_advance(face.handle, cshaping_font_glyph(face.handle, leader.value))
        let units = Array(String(leader).utf16)
        var isFirst = true
        emitLeader(tab, line, record, .min ... .max) { placed in
            guard let one = placed.first else { return }
            let cluster = LineCluster(
                kind: .text, font: one.font, isColor: one.isColor, isRightToLeft: false, startsRun: isFirst,
                offset: one.offset, x: Double(one.x), width: Double(advance))
            let glyph = ClusterGlyph(glyph: one.glyph, x: Double(one.x), y: Double(one.y))
            isFirst = false
            units.withUnsafeBufferPointer { units in
                withUnsafePointer(to: glyph) { body(cluster, UnsafeBufferPointer(start: $0, count: 1), units) }
            }
        }
    }

    private func forEachCluster(
        of run: PositionedLine.VisualRun, _ line: PositionedLine, _ text: UnsafeBufferPointer<UInt16>,
        _ placed: inout [ClusterGlyph],
        _ body: (LineCluster, _ glyphs: UnsafeBufferPointer<ClusterGlyph>, _ text: UnsafeBufferPointer<UInt16>) -> Void
    ) {
        let face = tools.context.faces[Int(run.face)]
        let rtl = run.level & 1 == 1
        let baseline = Double(record.baseline - Int32(run.raise))
        let firstOfLine = Int(record.glyphStart)
        let last = Int(run.glyphEnd)
        var pen = rtl ? run.right : run.left
        var i = Int(run.glyphStart)
        fragment.shaped.glyphs.withUnsafeBufferPointer { glyphs in
            while i < last {
                let start = glyphs[i].cluster
                let edge = pen
                var hasMarks = false
                placed.removeAll(keepingCapacity: true)
                func append(_ cluster: Int32) {
                    while i < last, glyphs[i].cluster == cluster {
                        let glyph = glyphs[i]
                        let advance = glyph.advance &+ (line.extra.isEmpty ? 0 : line.extra[i - firstOfLine])
                        if rtl { pen &-= advance }
                        // Leave out invisible characters, which are shaped as a space of zero width.
                        if glyph.glyph != face.spaceGlyph || advance != 0 {
                            placed.append(
                                ClusterGlyph(
                                    glyph: glyph.glyph, x: fragmentX + Double(pen &+ glyph.dx) / 64,
                                    y: baseline - Double(glyph.dy) / 64))
                            if advance == 0 { hasMarks = true }
                        }
                        if !rtl { pen &+= advance }
                        i += 1
                    }
                }
                append(start)
                while i < last, rtl ? isJoiner(at: i, text, glyphs) : isMark(at: i, last, glyphs) {
                    append(glyphs[i].cluster)
                }
                let end = i < last ? glyphs[i].cluster : run.end
                let isSpace = end == start + 1 && text[Int(start)] == 0x20
                let isBlank = !isSpace && placed.allSatisfy { $0.glyph == face.spaceGlyph }
                var cluster = cluster(
                    isBlank ? .blank : .text, run, at: start, left: min(edge, pen), width: abs(pen &- edge))
                if hasMarks, !rtl { cluster.joiner = joiner(of: face) }
                // Do not report a soft hyphen at the line's end if the line's hyphen was reported in its place.
                if isBlank, record.hasHyphen, end == record.end, text[Int(start)] == 0xad { continue }
                placed.withUnsafeBufferPointer {
                    body(cluster, $0, UnsafeBufferPointer(rebasing: text[Int(start)..<Int(end)]))
                }
            }
        }
    }

    private func cluster(
        _ kind: LineCluster.Kind, _ run: PositionedLine.VisualRun, at unit: Int32, left: Int32, width: Int32
    ) -> LineCluster {
        let face = tools.context.faces[Int(run.face)]
        return LineCluster(
            kind: kind, font: face.id, isColor: face.metrics.color, isRightToLeft: run.level & 1 == 1,
            startsRun: unit == run.start, offset: fragmentStart + Int(unit), x: fragmentX + Double(left) / 64,
            width: Double(width) / 64)
    }

    /// Returns whether the cluster at a glyph has no width. That is so for marks on the cluster before it, and for
    /// invisible characters.
    private func isMark(at first: Int, _ last: Int, _ glyphs: UnsafeBufferPointer<cshaping_glyph>) -> Bool {
        var i = first
        while i < last, glyphs[i].cluster == glyphs[first].cluster {
            if glyphs[i].advance != 0 { return false }
            i += 1
        }
        return true
    }

    /// Returns whether the cluster at a glyph is a zero-width joiner or non-joiner. Such a character is added to
    /// the cluster of the letter before it: as a cluster of its own it would separate the letters for programs that
    /// extract text.
    private func isJoiner(
        at index: Int, _ text: UnsafeBufferPointer<UInt16>, _ glyphs: UnsafeBufferPointer<cshaping_glyph>
    ) -> Bool {
        glyphs[index].advance == 0 && 0x200c...0x200d ~= text[Int(glyphs[index].cluster)]
    }

    private func joiner(of face: FontFace) -> UInt32 {
        for scalar in [0x200b, 0x200d, 0x200c] as [UInt32] {
            let glyph = cshaping_font_glyph(face.handle, scalar)
            if glyph != 0, glyph != face.spaceGlyph { return glyph }
        }
        return 0
    }
}

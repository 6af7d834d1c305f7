import CShaping
import InkstoneBase
import InkstoneUnicode

/// The glyphs of a paragraph, or of a fragment of a long one: the part of the layout that does not depend on the
/// width.
///
/// Glyphs are in logical order, also in right-to-left runs. In these, the pen first moves left by a glyph's
/// advance, and then the glyph is drawn. Clusters are UTF-16 units from the start of `text`. The positions and
/// advances of glyphs are in 26.6 pixels; ``Run/raise`` is in whole pixels.
struct ShapedText {
    /// A run of glyphs of one font, level and kind.
    struct Run {
        /// Start and end of the run in UTF-16 units of the text, and then those of its glyphs.
        var start: Int32
        var end: Int32
        var glyphStart: Int32
        var glyphEnd: Int32
        /// Index of the run's font face in ``FontContext/faces``.
        var face: Int32
        var level: UInt8
        var kind: Kind
        /// Distance of the run's baseline above the line's baseline, in pixels.
        var raise: Int16
        /// Index of the primary face of the run's style; `face` differs from it where a fallback font is used.
        var primary: Int32
    }

    /// The kind of a run's content.
    enum Kind: UInt8 {
        case text
        /// A single tab. Line breaking sets its advance.
        case tab
        /// Text that no font has glyphs for, shown as a box.
        case missing
        /// A unit that is shown as an attachment.
        case attachment
    }

    /// The shaped text in UTF-16 units, without its terminator.
    var text: [UInt16]
    var baseLevel: UInt8
    /// Whether every run has level 0. Logical order is then visual order.
    var isPlain: Bool
    /// Whether no UTF-16 unit is above U+02FF. Each unit except in CR LF is then a grapheme cluster.
    var isNarrow: Bool
    var glyphs: [cshaping_glyph]
    var runs: [Run]
    /// Bidi level of each unit; empty if all units have the base level.
    var levels: [UInt8]
    /// Attachments, by the index of the UTF-16 unit that stands for them.
    var attachments: [Int32: AttachmentBox] = [:]

    /// Returns the runs that overlap a range of UTF-16 units. O(log n) in the runs.
    func runs(in units: Range<Int32>) -> ArraySlice<Run> {
        let rest = runs[runs.partitioningIndex { $0.end > units.lowerBound }...]
        return rest[..<rest.partitioningIndex { $0.start >= units.upperBound }]
    }

    /// Returns the first `units` units with their glyphs. A cluster must start at the cut.
    func prefix(_ units: Int) -> ShapedText {
        var kept: [Run] = []
        for var run in runs where run.start < Int32(units) {
            run.end = min(run.end, Int32(units))
            kept.append(run)
        }
        var end = 0
        if let last = kept.indices.last {
            end = Int(kept[last].glyphEnd)
            while end > Int(kept[last].glyphStart), glyphs[end - 1].cluster >= Int32(units) { end -= 1 }
            kept[last].glyphEnd = Int32(end)
        }
        return ShapedText(
            text: Array(text[..<units]), baseLevel: baseLevel, isPlain: isPlain, isNarrow: isNarrow,
            glyphs: Array(glyphs[..<end]), runs: kept, levels: levels.isEmpty ? [] : Array(levels[..<units]),
            attachments: attachments)
    }
}

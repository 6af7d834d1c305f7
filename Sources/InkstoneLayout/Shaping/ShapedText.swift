import CShaping
import InkstoneBase
import InkstoneUnicode

/// The glyphs of a paragraph, or of a fragment of a long one: everything that does not depend on a width.
///
/// Glyphs are in logical order, right-to-left runs included: in these the pen moves left, and a glyph is drawn after
/// the pen has moved by its advance. Clusters are UTF-16 units from the start of `text`. All lengths are 26.6 pixels.
struct ShapedText {
    /// A run of glyphs with common properties.
    struct Run {
        /// UTF-16 units of the text.
        var start: Int32
        var end: Int32
        var glyphStart: Int32
        var glyphEnd: Int32
        /// Index of the face in the context.
        var face: Int32
        var level: UInt8
        var kind: Kind
        /// Distance of the run's baseline above the line's baseline, in pixels.
        var raise: Int16
        /// Index of the style's primary face, which differs from `face` for fallback fonts.
        var primary: Int32
    }

    /// The kind of a run's content.
    enum Kind: UInt8 {
        case text
        /// A single tab; line breaking sets its advance.
        case tab
        /// Clusters that no font has, shown as boxes.
        case missing
        /// A cluster that is shown as an object.
        case attachment
    }

    /// The text without its terminator.
    var text: [UInt16]
    var baseLevel: UInt8
    /// Whether every run is on level 0, so that logical order is visual order.
    var isPlain: Bool
    /// Whether no unit is above U+02FF, so that each unit but CR LF is a grapheme cluster.
    var isNarrow: Bool
    var glyphs: [cshaping_glyph]
    var runs: [Run]
    /// Level of each unit; empty if all are on the base level.
    var levels: [UInt8]
    /// Attachments by the units that they replace.
    var attachments: [Int32: AttachmentBox] = [:]

    /// Returns the runs that have units of a range. O(log n) in the runs.
    func runs(in units: Range<Int32>) -> ArraySlice<Run> {
        func firstIndex(from start: Int, where isReached: (Run) -> Bool) -> Int {
            var (low, high) = (start, runs.count)
            while low < high {
                let middle = (low + high) / 2
                if isReached(runs[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        let first = firstIndex(from: 0) { $0.end > units.lowerBound }
        return runs[first..<firstIndex(from: first) { $0.start >= units.upperBound }]
    }

    /// Returns the part before a unit at which a cluster starts.
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

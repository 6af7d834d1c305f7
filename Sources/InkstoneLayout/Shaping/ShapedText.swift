import CShaping
import InkstoneBase
import InkstoneUnicode

/// A paragraph, or a fragment of a long one, turned into glyphs: everything about it that does not depend on a width.
///
/// Glyphs stand in logical order, also those from right to left: there the pen moves left, and a glyph is drawn after
/// the pen has moved by its advance. Clusters are UTF-16 units from the start of `text`. All lengths are 26.6 pixels.
struct ShapedText {
    /// What a run of glyphs has in common.
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
        /// Distance of its baseline above that of its line, in pixels.
        var raise: Int16
        /// Index of the face that its style asks for first, which is another where that lacks its letters.
        var primary: Int32
    }

    /// What stands in a run.
    enum Kind: UInt8 {
        case text
        /// One tab; its advance is set when lines are broken.
        case tab
        /// Clusters that no font has: boxes.
        case missing
        /// A cluster that an object stands for.
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
    /// Attachments by the units that they stand on.
    var attachments: [Int32: AttachmentBox] = [:]

    /// The runs that have units of a range. O(log n) in the runs.
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

    /// The part before a unit at which a cluster starts.
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

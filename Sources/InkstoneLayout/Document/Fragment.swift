import InkstoneText

/// The layout of one paragraph or of a part of a long one; or a gap, which is text that was not laid out.
struct Fragment {
    /// UTF-16 units of the fragment, paragraph terminators included; the end of the document counts as a terminator
    /// of one unit.
    var units: Int
    /// Number of paragraphs that end in the fragment: 0 or 1 unless it is a gap (text not laid out).
    var paragraphs: Int
    /// Height in pixels; meaningless for a gap, which is not laid out.
    var height: Float
    /// Whether the fragment was not laid out. Only its lengths are then known.
    var isGap: Bool
    /// The box for the laid-out lines; nil for a gap.
    var lines: KeptLines?
    /// Width in pixels of a fragment that lies beside other fragments on one line; 0 for any other fragment.
    var width: Float = 0
    /// Whether a content manager hides the fragment.
    var isHidden = false

    /// The laid-out lines; nil for a gap (text not laid out), or if the cache dropped them.
    var layout: LaidFragment? { lines?.layout }
}

/// A box for the lines of a fragment, shared by tree and cache. The cache empties the box to drop the lines,
/// without searching the tree.
final class KeptLines {
    @exclusivity(unchecked) var layout: LaidFragment?

    init(_ layout: LaidFragment) { self.layout = layout }
}

extension Fragment {
    /// Creates a gap: text that was not laid out, with known lengths.
    init(gap units: Int, paragraphs: Int) {
        self.init(units: units, paragraphs: paragraphs, height: 0, isGap: true, lines: nil)
    }
}

/// The summed sizes of consecutive fragments.
struct FragmentSum: TreeSummary {
    var units = 0
    var paragraphs = 0
    /// Height of the laid-out fragments, in pixels.
    var height = 0.0
    /// Width of the fragments side by side, in pixels.
    var width = 0.0
    /// UTF-16 units that are not laid out (in gaps); their height is estimated.
    var gapUnits = 0
    /// Paragraphs that are not laid out (in gaps); their height is estimated.
    var gapParagraphs = 0
    /// Number of fragments that are not hidden, gaps included.
    var shown = 0

    init() {}

    init(_ fragment: Fragment) { add(fragment) }

    @inline(__always)
    mutating func add(_ fragment: borrowing Fragment) {
        units += fragment.units
        paragraphs += fragment.paragraphs
        if !fragment.isHidden { shown += 1 }
        if fragment.isGap {
            gapUnits += fragment.units
            gapParagraphs += fragment.paragraphs
        } else {
            height += Double(fragment.height)
            width += Double(fragment.width)
        }
    }

    @inline(__always)
    static func += (a: inout Self, b: Self) {
        a.units += b.units
        a.paragraphs += b.paragraphs
        a.height += b.height
        a.width += b.width
        a.gapUnits += b.gapUnits
        a.gapParagraphs += b.gapParagraphs
        a.shown += b.shown
    }

    @inline(__always)
    static func -= (a: inout Self, b: Self) {
        a.units -= b.units
        a.paragraphs -= b.paragraphs
        a.height -= b.height
        a.width -= b.width
        a.gapUnits -= b.gapUnits
        a.gapParagraphs -= b.gapParagraphs
        a.shown -= b.shown
    }
}

/// An estimate of the height of text that was not laid out. It is linear in paragraphs and units, so that the total
/// does not depend on how the text is divided into gaps.
struct HeightEstimate: Equatable {
    /// Estimated pixels for each paragraph. The height of a text also includes ``perUnit``.
    var perParagraph: Double
    /// Estimated pixels for each UTF-16 unit, in addition to ``perParagraph``.
    var perUnit: Double
    /// Estimated width of a UTF-16 unit in pixels, for paragraphs that are one line.
    var advance = 8.0

    /// Returns the width of fragments put side by side, in pixels; only differences within one paragraph are
    /// meaningful.
    func width(of sum: FragmentSum) -> Double { sum.width + Double(sum.gapUnits) * advance }

    func height(of sum: FragmentSum) -> Double {
        sum.height + Double(sum.gapParagraphs) * perParagraph + Double(sum.gapUnits) * perUnit
    }
}

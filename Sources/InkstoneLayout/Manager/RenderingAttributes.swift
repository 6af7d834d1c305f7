import CShaping
import InkstoneBase
import InkstoneText

/// How a stretch of text is painted beyond its own style: no part of the text, of undo or of copies, and no reason to
/// lay anything out anew.
public struct RenderingAttributes: Hashable, Sendable {
    /// The shape of a line under or through text.
    public enum LineStyle: Sendable, Hashable {
        /// One line.
        case single
        /// One line of double thickness: an input method's target clause.
        case thick
        /// Two lines.
        case double
        /// Dots.
        case dotted
        /// Dashes.
        case dashed
        /// A wave: misspelled words.
        case wavy
    }

    /// Colour of the glyphs; nil for the usual one.
    public var foreground: Color?
    /// Colour behind the text; nil for none.
    public var background: Color?
    /// Line under the text; nil for none.
    public var underline: LineStyle?
    /// Its colour; nil for that of the glyphs.
    public var underlineColor: Color?
    /// Line through the text; nil for none.
    public var strikethrough: LineStyle?

    /// Nothing special.
    public init(
        foreground: Color? = nil, background: Color? = nil, underline: LineStyle? = nil, underlineColor: Color? = nil,
        strikethrough: LineStyle? = nil
    ) {
        self.foreground = foreground
        self.background = background
        self.underline = underline
        self.underlineColor = underlineColor
        self.strikethrough = strikethrough
    }

    /// These attributes with those that `other` sets taking their place.
    public func merging(_ other: Self) -> Self {
        Self(
            foreground: other.foreground ?? foreground, background: other.background ?? background,
            underline: other.underline ?? underline, underlineColor: other.underlineColor ?? underlineColor,
            strikethrough: other.strikethrough ?? strikethrough)
    }
}

/// A stretch of text painted in one way.
public struct RenderingRun: Hashable, Sendable {
    /// UTF-16 units of the document; not empty.
    public var range: Range<UTF16Offset>
    /// How it is painted.
    public var attributes: RenderingAttributes

    /// A stretch and its look.
    public init(range: Range<UTF16Offset>, attributes: RenderingAttributes) {
        self.range = range
        self.attributes = attributes
    }
}

/// The runs of a document in order, without overlap: they move with edits.
struct RenderingRuns {
    private(set) var runs: [RenderingRun] = []

    /// Index of the first run that ends behind an offset. O(log n).
    private func first(endingAfter offset: UTF16Offset) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].range.upperBound <= offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The runs that meet a range.
    func meeting(_ range: Range<UTF16Offset>) -> ArraySlice<RenderingRun> {
        let low = first(endingAfter: range.lowerBound)
        var high = low
        while high < runs.count, runs[high].range.lowerBound < range.upperBound { high += 1 }
        return runs[low..<high]
    }

    /// Changes the attributes of a range; nil from `change` removes them. O(n).
    mutating func update(_ range: Range<UTF16Offset>, _ change: (RenderingAttributes) -> RenderingAttributes?) {
        guard !range.isEmpty else { return }
        let old = meeting(range)
        var new: [RenderingRun] = []
        func add(_ part: Range<UTF16Offset>, _ attributes: RenderingAttributes?) {
            guard !part.isEmpty, let attributes, attributes != RenderingAttributes() else { return }
            if let last = new.last, last.range.upperBound == part.lowerBound, last.attributes == attributes {
                new[new.count - 1].range = last.range.lowerBound..<part.upperBound
            } else {
                new.append(RenderingRun(range: part, attributes: attributes))
            }
        }
        var at = range.lowerBound
        for run in old {
            let (low, high) = (run.range.lowerBound, run.range.upperBound)
            if low < range.lowerBound { add(low..<range.lowerBound, run.attributes) }
            if at < low { add(at..<low, change(RenderingAttributes())) }
            let inner = max(low, range.lowerBound)..<min(high, range.upperBound)
            add(inner, change(run.attributes))
            at = inner.upperBound
            if high > range.upperBound {
                add(range.upperBound..<high, run.attributes)
            }
        }
        if at < range.upperBound {
            let tail = new.last.flatMap { $0.range.lowerBound >= range.upperBound ? new.popLast() : nil }
            add(at..<range.upperBound, change(RenderingAttributes()))
            if let tail { add(tail.range, tail.attributes) }
        }
        runs.replaceSubrange(old.startIndex..<old.endIndex, with: new)
    }

    /// Moves runs with an edit: text typed inside a run belongs to it, text typed at its ends does not. O(n).
    mutating func apply(_ edit: TextEdit) {
        guard !runs.isEmpty else { return }
        let index = first(endingAfter: edit.utf16Range.lowerBound)
        for i in index..<runs.count {
            let low = edit.map(runs[i].range.lowerBound, leaning: .downstream)
            let high = edit.map(runs[i].range.upperBound, leaning: .upstream)
            runs[i].range = low..<max(low, high)
        }
        runs.removeAll { $0.range.isEmpty }
    }
}

extension TextLayoutManager {
    /// Sets attributes of a range on top of those it has. O(n) for n runs; nothing is laid out anew.
    public func addRenderingAttributes(_ attributes: RenderingAttributes, for range: Range<UTF16Offset>) {
        rendering.update(clamped(range)) { $0.merging(attributes) }
    }

    /// Sets attributes of a range in place of those it has; nil removes them all.
    public func setRenderingAttributes(_ attributes: RenderingAttributes?, for range: Range<UTF16Offset>) {
        rendering.update(clamped(range)) { _ in attributes }
    }

    /// The runs of special attributes that meet a range, in order; text between them has none. O(log n).
    public func renderingRuns(in range: Range<UTF16Offset>) -> [RenderingRun] {
        Array(rendering.meeting(clamped(range)))
    }

    private func clamped(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let low = UTF16Offset(clampedUnit(range.lowerBound))
        return low..<max(low, UTF16Offset(clampedUnit(range.upperBound)))
    }

    /// Where lines under and through text of the primary font go, whole pixels: the distance of the underline's top
    /// below the baseline, the distance of the strikethrough's top above it, and the thickness of both (at least 1).
    public var decorationMetrics: (underlineOffset: Double, strikethroughOffset: Double, thickness: Double) {
        let metrics = stack.primary.metrics
        let thickness = max(1, Double((metrics.underline_thickness + 32) >> 6))
        let below = metrics.underline_thickness > 0 ? Double((metrics.underline_offset + 32) >> 6) : 1
        let strike = metrics.strike_offset > 0 ? metrics.strike_offset >> 6 : metrics.ascent * 3 / 10
        return (
            min(max(1, below), max(1, Double(metrics.descent) - thickness)),
            Double(strike) + (thickness / 2).rounded(.up),
            thickness
        )
    }
}

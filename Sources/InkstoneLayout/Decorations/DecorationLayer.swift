import InkstoneBase
import InkstoneText

/// Decorations of one kind with what each looks like.
///
/// Each look is kept once, however many ranges have it. Complexities are those of ``DecorationSet``.
public struct DecorationLayer {
    private var ranges = DecorationSet()
    /// The looks by tag, and their tags.
    private var looks: [RenderingAttributes] = []
    private var tags: [RenderingAttributes: UInt16] = [:]

    /// No decorations.
    public init() {}

    /// Number of decorations.
    public var count: Int { ranges.count }
    /// Whether there are none.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Adds decorations of one look, in any order, beside those that are there. Empty ranges are left out.
    public mutating func add(
        _ new: some Sequence<Range<UTF16Offset>>, looking look: RenderingAttributes,
        behavior: DecorationBehavior = []
    ) {
        let tag = tag(of: look)
        ranges.insert(contentsOf: new.map { Decoration(range: $0, tag: tag, behavior: behavior) })
    }

    /// Where decorations stand without text in a range or at its ends, with their looks, in order.
    func places(in range: Range<UTF16Offset>) -> [RenderingRun] {
        var places: [RenderingRun] = []
        ranges.forEach(in: range) {
            if $0.range.isEmpty { places.append(RenderingRun(range: $0.range, attributes: looks[Int($0.tag)])) }
            return true
        }
        return places
    }

    /// Removes all decorations.
    public mutating func removeAll() { self = DecorationLayer() }

    /// Removes the decorations that share text with a range.
    public mutating func removeAll(in range: Range<UTF16Offset>) { ranges.removeAll(in: range) }

    /// The decorations that share text with a range, in order of their starts, whole and none empty. They may overlap.
    public func runs(in range: Range<UTF16Offset>) -> [RenderingRun] {
        var runs: [RenderingRun] = []
        guard !range.isEmpty else { return runs }
        ranges.forEach(in: range) {
            if !$0.range.isEmpty { runs.append(RenderingRun(range: $0.range, attributes: looks[Int($0.tag)])) }
            return true
        }
        return runs
    }

    /// Number of decorations that start before an offset: the ordinal, from 0, of the first that does not.
    public func count(startingBefore offset: UTF16Offset) -> Int { ranges.count(startingBefore: offset) }

    /// The range of a decoration by its ordinal in order of starts, from 0. Traps if there is none.
    public func range(_ ordinal: Int) -> Range<UTF16Offset> { ranges[ordinal].range }

    /// Follows replacements made at once: ordered, disjoint ranges of the text before them, and the UTF-16 length of what took
    /// their place.
    mutating func apply(_ replacements: ArraySlice<(range: Range<UTF16Offset>, length: Int)>) {
        guard let one = replacements.first, replacements.count == 1 else { return ranges.replace(replacements) }
        ranges.replace(one.range, byUTF16Length: one.length)
    }

    /// Changes the looks of all text of a range, so that no two decorations overlap in it. `change` gets the look of each part, which
    /// sets nothing where there is no decoration; with nil from it the part has none. Decorations that reach beyond the range are cut, and
    /// neighbours that come to look the same become one. O(log n + k) for k decorations in the range.
    public mutating func update(_ range: Range<UTF16Offset>, _ change: (RenderingAttributes) -> RenderingAttributes?) {
        guard !range.isEmpty else { return }
        var new: [RenderingRun] = []
        func add(_ part: Range<UTF16Offset>, _ look: RenderingAttributes?) {
            guard !part.isEmpty, let look, look != RenderingAttributes() else { return }
            if let last = new.last, last.range.upperBound == part.lowerBound, last.attributes == look {
                new[new.count - 1].range = last.range.lowerBound..<part.upperBound
            } else {
                new.append(RenderingRun(range: part, attributes: look))
            }
        }
        var at = range.lowerBound
        for run in runs(in: range) {
            let inner = run.range.clamped(to: range)
            add(run.range.lowerBound..<inner.lowerBound, run.attributes)
            add(at..<max(at, inner.lowerBound), change(RenderingAttributes()))
            add(inner, change(run.attributes))
            at = max(at, inner.upperBound)
            guard run.range.upperBound > range.upperBound else { continue }
            add(range.upperBound..<run.range.upperBound, run.attributes)
        }
        add(at..<max(at, range.upperBound), change(RenderingAttributes()))
        ranges.removeAll(in: range)
        for run in new { ranges.insert(Decoration(range: run.range, tag: tag(of: run.attributes))) }
    }

    private mutating func tag(of look: RenderingAttributes) -> UInt16 {
        if let tag = tags[look] { return tag }
        if looks.count > Int(UInt16.max) { dropUnusedLooks() }
        // With 65,536 looks in use at once the last one serves for more.
        let tag = UInt16(clamping: looks.count)
        if Int(tag) == looks.count { looks.append(look) } else { looks[Int(tag)] = look }
        tags[look] = tag
        return tag
    }

    private mutating func dropUnusedLooks() {
        let old = looks
        let all = ranges.all
        looks = []
        tags = [:]
        ranges = DecorationSet(
            all.map { decoration in
                var new = decoration
                let look = old[Int(decoration.tag)]
                if let tag = tags[look] {
                    new.tag = tag
                } else {
                    new.tag = UInt16(looks.count)
                    tags[look] = new.tag
                    looks.append(look)
                }
                return new
            })
    }
}

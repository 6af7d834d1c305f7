import InkstoneBase
import InkstoneText

/// Decorations of one kind, such as search matches, each with rendering attributes.
///
/// Equal attributes are stored once for all ranges. Complexities are those of `DecorationSet`.
public struct DecorationLayer {
    private var ranges = DecorationSet()
    /// The sets of rendering attributes, indexed by the tag that the decorations store.
    private var appearances: [RenderingAttributes] = []
    /// The tag of each set of rendering attributes: the reverse of `appearances`.
    private var tags: [RenderingAttributes: UInt16] = [:]

    /// Creates a layer without decorations.
    package init() {}

    /// Number of decorations in the layer.
    public var count: Int { ranges.count }
    /// Whether the layer has no decorations.
    public var isEmpty: Bool { ranges.isEmpty }

    /// Adds decorations that all have the same attributes to the existing ones. The ranges may be in any order.
    /// Empty ranges are left out unless `behavior` keeps them.
    package mutating func add(
        _ new: some Sequence<Range<UTF16Offset>>, attributes appearance: RenderingAttributes,
        behavior: DecorationBehavior = []
    ) {
        let tag = tag(of: appearance)
        ranges.insert(contentsOf: new.map { Decoration(range: $0, tag: tag, behavior: behavior) })
    }

    /// Returns the decorations of empty ranges that lie within a range or at its ends, with their attributes, in
    /// order.
    func places(in range: Range<UTF16Offset>) -> [RenderingRun] {
        var places: [RenderingRun] = []
        ranges.forEach(in: range) {
            if $0.range.isEmpty { places.append(RenderingRun(range: $0.range, attributes: appearances[Int($0.tag)])) }
            return true
        }
        return places
    }

    package mutating func removeAll() { self = DecorationLayer() }

    /// Removes the decorations that overlap a range, and the empty ones in the range or at its ends.
    package mutating func removeAll(in range: Range<UTF16Offset>) { ranges.removeAll(in: range) }

    /// Returns the decorations that overlap a range, in order of their starts, with their whole ranges; decorations
    /// of empty ranges are left out. The returned ranges may overlap each other.
    public func runs(in range: Range<UTF16Offset>) -> [RenderingRun] {
        var runs: [RenderingRun] = []
        guard !range.isEmpty else { return runs }
        ranges.forEach(in: range) {
            if !$0.range.isEmpty { runs.append(RenderingRun(range: $0.range, attributes: appearances[Int($0.tag)])) }
            return true
        }
        return runs
    }

    /// Returns the number of decorations that start before an offset. The result is also the index of the first
    /// decoration that starts at or after the offset.
    public func count(startingBefore offset: UTF16Offset) -> Int { ranges.count(startingBefore: offset) }

    /// Returns the range of a decoration by its index in order of starts. Traps if there is none.
    public func range(_ ordinal: Int) -> Range<UTF16Offset> { ranges[ordinal].range }

    /// Applies simultaneous replacements to the decorations' ranges. A replacement is a range of the old text with
    /// the UTF-16 length of the new text; the replacements are ordered and disjoint.
    mutating func apply(_ replacements: ArraySlice<(range: Range<UTF16Offset>, length: Int)>) {
        guard let one = replacements.first, replacements.count == 1 else { return ranges.replace(replacements) }
        ranges.replace(one.range, byUTF16Length: one.length)
    }

    /// Changes the attributes of all text in a range. `change` receives the attributes of each part, or empty ones
    /// where there is no decoration; if it returns nil, the part gets no decoration. Decorations that extend beyond
    /// the range are split. Adjacent parts whose attributes become equal are joined. Decorations that overlap each
    /// other still do afterwards, in the same order, and empty decorations in the range are removed. O((k + 1) log n)
    /// for k decorations in the range, or with the same start as one of them or as the text after the range.
    public mutating func update(_ range: Range<UTF16Offset>, _ change: (RenderingAttributes) -> RenderingAttributes?) {
        guard !range.isEmpty else { return }
        var new: [RenderingRun] = []
        func add(_ part: Range<UTF16Offset>, _ appearance: RenderingAttributes?) {
            guard !part.isEmpty, let appearance, appearance != RenderingAttributes() else { return }
            if let last = new.last, last.range.upperBound == part.lowerBound, last.attributes == appearance {
                new[new.count - 1].range = last.range.lowerBound..<part.upperBound
            } else {
                new.append(RenderingRun(range: part, attributes: appearance))
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
        replace(decorationsIn: range, by: new)
    }

    /// Replaces the decorations that overlap a range by `runs`: their parts before, in and after the range, in the order
    /// of the decorations. Decorations that only start where one of these parts starts keep their order among them.
    private mutating func replace(decorationsIn range: Range<UTF16Offset>, by runs: [RenderingRun]) {
        var result: [(run: RenderingRun, behavior: DecorationBehavior)] = []
        for (start, parts) in Dictionary(grouping: runs, by: \.range.lowerBound) {
            var rest = parts[...]
            // A decoration is inserted after those with the same start: insert those beside the range anew as well.
            if start < range.lowerBound || start >= range.upperBound {
                if start >= range.upperBound { result += rest.map { ($0, []) } }
                ranges.forEach(in: start..<start + 1) { decoration in
                    guard decoration.range.lowerBound == start else { return true }
                    let appearance = appearances[Int(decoration.tag)]
                    if start < range.lowerBound, decoration.range.upperBound > range.lowerBound {
                        if appearance != RenderingAttributes(), let part = rest.popFirst() { result.append((part, [])) }
                    } else if start < range.lowerBound || !decoration.range.isEmpty {
                        result.append(
                            (RenderingRun(range: decoration.range, attributes: appearance), decoration.behavior))
                    }
                    return true
                }
                ranges.removeAll(in: start..<start + 1) { $0.range.lowerBound == start }
            } else {
                result += rest.map { ($0, []) }
            }
        }
        ranges.removeAll(in: range)
        for (run, behavior) in result {
            ranges.insert(Decoration(range: run.range, tag: tag(of: run.attributes), behavior: behavior))
        }
    }

    private mutating func tag(of appearance: RenderingAttributes) -> UInt16 {
        if let tag = tags[appearance] { return tag }
        if appearances.count > Int(UInt16.max) { dropUnusedAppearances() }
        // Tags have 16 bits. If 65,536 sets of attributes are in use, all further sets share the last tag, which
        // then gets the attributes of the newest set.
        let tag = UInt16(clamping: appearances.count)
        if Int(tag) == appearances.count { appearances.append(appearance) } else { appearances[Int(tag)] = appearance }
        tags[appearance] = tag
        return tag
    }

    private mutating func dropUnusedAppearances() {
        let old = appearances
        let all = ranges.all
        appearances = []
        tags = [:]
        ranges = DecorationSet(
            all.map { decoration in
                var new = decoration
                let appearance = old[Int(decoration.tag)]
                if let tag = tags[appearance] {
                    new.tag = tag
                } else {
                    new.tag = UInt16(appearances.count)
                    tags[appearance] = new.tag
                    appearances.append(appearance)
                }
                return new
            })
    }
}

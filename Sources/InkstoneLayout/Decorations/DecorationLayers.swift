import InkstoneBase
import InkstoneText

/// Which decorations of a text: where layers set the same of a range's look, the one with the greatest number is seen.
public struct DecorationLayerID: Hashable, Comparable, Sendable {
    /// Its rank among the layers.
    public let rawValue: Int

    /// A layer by its rank; those of the library are multiples of 100.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// What ``TextLayoutManager/addRenderingAttributes(_:for:)`` sets: the program's own.
    public static let rendering = DecorationLayerID(rawValue: 100)
    /// Words that a spelling engine does not know.
    public static let spelling = DecorationLayerID(rawValue: 200)
    /// Matches of a search.
    public static let search = DecorationLayerID(rawValue: 300)

    /// Lower layers come first.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The decorations of a text in layers. They follow edits and are no part of the text, of undo or of copies.
public struct DecorationLayers {
    private var layers: [(id: DecorationLayerID, layer: DecorationLayer)] = []

    /// No decorations.
    public init() {}

    /// A layer; an empty one if nothing was put into it yet.
    public subscript(id: DecorationLayerID) -> DecorationLayer {
        get { layers.first { $0.id == id }?.layer ?? DecorationLayer() }
        _modify {
            let index: Int
            if let found = layers.firstIndex(where: { $0.id >= id }) {
                index = found
                if layers[found].id != id { layers.insert((id, DecorationLayer()), at: found) }
            } else {
                index = layers.count
                layers.append((id, DecorationLayer()))
            }
            yield &layers[index].layer
        }
    }

    /// Whether there are no decorations at all.
    public var isEmpty: Bool { layers.allSatisfy(\.layer.isEmpty) }

    mutating func apply(_ edit: TextEdit) {
        for index in layers.indices { layers[index].layer.apply(edit) }
    }

    mutating func apply(_ changes: TextChangeMap) {
        for index in layers.indices { layers[index].layer.apply(changes) }
    }

    /// What is painted in a range: in order and without overlap, higher layers over lower ones and later decorations of a layer over
    /// earlier ones. Runs that reach beyond the range are given whole. O(log n + k log k) for k in the range.
    func runs(in range: Range<UTF16Offset>) -> [RenderingRun] {
        var runs: [RenderingRun] = []
        for (_, layer) in layers where !layer.isEmpty { runs += layer.runs(in: range) }
        return Self.flattened(runs)
    }

    /// Runs that may overlap, made disjoint: where several meet, each adds to those before it in the array.
    static func flattened(_ runs: [RenderingRun]) -> [RenderingRun] {
        let isDisjoint = zip(runs, runs.dropFirst()).allSatisfy { $0.range.upperBound <= $1.range.lowerBound }
        if isDisjoint { return runs }
        var bounds = runs.flatMap { [$0.range.lowerBound, $0.range.upperBound] }
        bounds.sort()
        let starts = runs.indices.sorted { (runs[$0].range.lowerBound, $0) < (runs[$1].range.lowerBound, $1) }
        var result: [RenderingRun] = []
        var open: [Int] = []
        var next = 0
        for (low, high) in zip(bounds, bounds.dropFirst()) where low < high {
            open.removeAll { runs[$0].range.upperBound <= low }
            while next < starts.count, runs[starts[next]].range.lowerBound <= low {
                open.append(starts[next])
                next += 1
            }
            guard !open.isEmpty else { continue }
            open.sort()
            let look = open.reduce(RenderingAttributes()) { $0.merging(runs[$1].attributes) }
            if let last = result.last, last.range.upperBound == low, last.attributes == look {
                result[result.count - 1].range = last.range.lowerBound..<high
            } else {
                result.append(RenderingRun(range: low..<high, attributes: look))
            }
        }
        return result
    }
}

import InkstoneBase
import InkstoneText

/// Which decorations of a text: where layers set the same of a range's look, the one with the greatest number is seen.
public struct DecorationLayerID: Hashable, Comparable, Sendable {
    /// Its rank among the layers.
    public let rawValue: Int

    /// A layer by its rank; those of the library are multiples of 100.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The program's own.
    public static let rendering = DecorationLayerID(rawValue: 100)
    /// Words that a spelling engine does not know.
    public static let spelling = DecorationLayerID(rawValue: 200)
    /// The bracket beside the caret and its counterpart.
    public static let brackets = DecorationLayerID(rawValue: 250)
    /// Matches of a search.
    public static let search = DecorationLayerID(rawValue: 300)
    /// The match of a search that one has gone to. A selection of just this text shows as the match alone.
    public static let currentMatch = DecorationLayerID(rawValue: 400)

    /// Lower layers come first.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The decorations of a text in layers. They follow edits and are no part of the text, of undo or of copies.
///
/// An edit is only noted. A layer follows those that it has not seen when it is read or changed, or when so many have come that
/// keeping them would cost more.
public struct DecorationLayers {
    private struct Entry {
        var id: DecorationLayerID
        var layer: DecorationLayer
        /// How many of the changes that are kept it has followed.
        var followed: Int
    }

    private var entries: [Entry] = []
    private var log = ChangeLog()
    /// Sections of changes that are kept at most.
    private static let longestLog = 4096

    /// No decorations.
    public init() {}

    /// A layer; an empty one if nothing was put into it yet.
    public subscript(id: DecorationLayerID) -> DecorationLayer {
        mutating get {
            guard let index = entries.firstIndex(where: { $0.id == id }) else { return DecorationLayer() }
            catchUp(index)
            return entries[index].layer
        }
        _modify {
            let index = entries.firstIndex { $0.id >= id } ?? entries.count
            if index == entries.count || entries[index].id != id {
                entries.insert(Entry(id: id, layer: DecorationLayer(), followed: log.count), at: index)
            }
            catchUp(index)
            yield &entries[index].layer
        }
    }

    /// Whether there are no decorations at all.
    public var isEmpty: Bool {
        mutating get {
            catchUp()
            return entries.allSatisfy(\.layer.isEmpty)
        }
    }

    /// Number of changes of the text that some layer has yet to follow.
    var pendingChanges: Int { log.count }

    mutating func apply(_ changes: TextChangeMap) {
        note(changes.lazy.map { (range: $0.oldRange, length: $0.inserted.utf16) })
    }

    /// Takes note of replacements made at once. O(m) for m of them.
    private mutating func note(_ replacements: some Sequence<ChangeLog.Section>) {
        // Without decorations nothing is kept.
        guard entries.contains(where: { !$0.layer.isEmpty }) else { return }
        log.append(replacements)
        if log.sections.count >= Self.longestLog { catchUp() }
    }

    /// Has all layers follow what was noted.
    private mutating func catchUp() {
        for index in entries.indices { catchUp(index) }
    }

    /// Has a layer follow what was noted; what all have followed is forgotten.
    private mutating func catchUp(_ index: Int) {
        guard entries[index].followed < log.count else { return }
        for change in entries[index].followed..<log.count { entries[index].layer.apply(log[change]) }
        entries[index].followed = log.count
        guard entries.allSatisfy({ $0.followed == log.count || $0.layer.isEmpty }) else { return }
        log.removeAll()
        for index in entries.indices { entries[index].followed = 0 }
    }

    /// What is painted in a range: in order and without overlap, higher layers over lower ones and later decorations of a layer over
    /// earlier ones. Runs that reach beyond the range are given whole. O(log n + k log k) for k in the range.
    mutating func runs(in range: Range<UTF16Offset>) -> [RenderingRun] {
        catchUp()
        var runs: [RenderingRun] = []
        for entry in entries where !entry.layer.isEmpty { runs += entry.layer.runs(in: range) }
        return Self.flattened(runs)
    }

    /// The decorations of all layers without text in a range or at its ends, those of higher layers behind those of lower ones.
    mutating func places(in range: Range<UTF16Offset>) -> [RenderingRun] {
        catchUp()
        return entries.flatMap { $0.layer.isEmpty ? [] : $0.layer.places(in: range) }
    }

    /// Runs that may overlap, made disjoint: where several meet, each adds to those before it in the array.
    package static func flattened(_ runs: [RenderingRun]) -> [RenderingRun] {
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

/// Changes of a text, each of some sections, one behind the other in one array.
private struct ChangeLog {
    /// A range of the text before the change, in UTF-16 units, and the length of what took its place.
    typealias Section = (range: Range<UTF16Offset>, length: Int)

    private(set) var sections: [Section] = []
    /// Where the sections of each change end.
    private var ends: [Int] = []

    /// Number of changes.
    var count: Int { ends.count }

    /// The sections of a change, ordered and disjoint.
    subscript(change: Int) -> ArraySlice<Section> { sections[(change > 0 ? ends[change - 1] : 0)..<ends[change]] }

    mutating func append(_ change: some Sequence<Section>) {
        sections.append(contentsOf: change)
        ends.append(sections.count)
    }

    mutating func removeAll() {
        // The room of one large change is not kept.
        sections.removeAll(keepingCapacity: sections.count <= 64)
        ends.removeAll(keepingCapacity: ends.count <= 64)
    }
}

import InkstoneBase
import InkstoneText

/// Identity and rank of a layer of decorations: where layers set the same attribute of a range, the highest rank is shown.
public struct DecorationLayerID: Hashable, Comparable, Sendable {
    /// The rank among the layers.
    public let rawValue: Int

    /// Creates a layer identity of a rank; the library's ranks are multiples of 100.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The program's own decorations.
    public static let rendering = DecorationLayerID(rawValue: 100)
    /// Words that a spelling engine does not know.
    public static let spelling = DecorationLayerID(rawValue: 200)
    /// The bracket beside the caret and its counterpart.
    public static let brackets = DecorationLayerID(rawValue: 250)
    /// Matches of a search.
    public static let search = DecorationLayerID(rawValue: 300)
    /// The current match of a search. A selection of exactly this text is shown as the match alone.
    public static let currentMatch = DecorationLayerID(rawValue: 400)

    /// Lower layers come first.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The decorations of a text in layers. They follow edits and are no part of the text, of undo or of copies.
///
/// An edit is only logged. A layer applies its pending edits when it is read or changed, or when the log has grown so long that
/// keeping it would cost more.
public struct DecorationLayers {
    private struct Entry {
        var id: DecorationLayerID
        var layer: DecorationLayer
        /// Number of logged changes that the layer has applied.
        var followed: Int
    }

    private var entries: [Entry] = []
    private var log = ChangeLog()
    /// Largest number of logged sections.
    private static let longestLog = 4096

    /// Creates layers without decorations.
    public init() {}

    /// The layer of an identity; an empty one if nothing was added to it yet.
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

    /// Number of changes of the text that some layer has yet to apply.
    var pendingChanges: Int { log.count }

    mutating func apply(_ changes: TextChangeMap) {
        note(changes.lazy.map { (range: $0.oldRange, length: $0.inserted.utf16) })
    }

    /// Logs simultaneous replacements. O(m) for m of them.
    private mutating func note(_ replacements: some Sequence<ChangeLog.Section>) {
        // Without decorations no log is needed.
        guard entries.contains(where: { !$0.layer.isEmpty }) else { return }
        log.append(replacements)
        if log.sections.count >= Self.longestLog { catchUp() }
    }

    /// Applies the logged changes to all layers.
    private mutating func catchUp() {
        for index in entries.indices { catchUp(index) }
    }

    /// Applies the logged changes to a layer and drops those that all layers have applied.
    private mutating func catchUp(_ index: Int) {
        guard entries[index].followed < log.count else { return }
        for change in entries[index].followed..<log.count { entries[index].layer.apply(log[change]) }
        entries[index].followed = log.count
        guard entries.allSatisfy({ $0.followed == log.count || $0.layer.isEmpty }) else { return }
        log.removeAll()
        for index in entries.indices { entries[index].followed = 0 }
    }

    /// Returns the runs to paint in a range: in order and without overlap, higher layers over lower ones and later decorations of a layer over
    /// earlier ones. Runs that reach beyond the range are not clipped. O(log n + k log k) for k in the range.
    mutating func runs(in range: Range<UTF16Offset>) -> [RenderingRun] {
        catchUp()
        var runs: [RenderingRun] = []
        for entry in entries where !entry.layer.isEmpty { runs += entry.layer.runs(in: range) }
        return Self.flattened(runs)
    }

    /// Returns the decorations of all layers that have no text and lie in a range or at its ends, higher layers after lower ones.
    mutating func places(in range: Range<UTF16Offset>) -> [RenderingRun] {
        catchUp()
        return entries.flatMap { $0.layer.isEmpty ? [] : $0.layer.places(in: range) }
    }

    /// Makes overlapping runs disjoint: where several meet, the attributes of each are merged over those before it in the array.
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

/// Changes of a text, each of some sections, stored one after the other in one array.
private struct ChangeLog {
    /// A range of the text before the change, in UTF-16 units, and the length of its replacement.
    typealias Section = (range: Range<UTF16Offset>, length: Int)

    private(set) var sections: [Section] = []
    /// The end of each change's sections.
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
        // Do not keep the capacity that one large change needed.
        sections.removeAll(keepingCapacity: sections.count <= 64)
        ends.removeAll(keepingCapacity: ends.count <= 64)
    }
}

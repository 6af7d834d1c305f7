import InkstoneBase
import InkstoneText

/// The identity and rank of a decoration layer. If several layers set the same attribute of a range, the layer of
/// the highest rank is shown.
public struct DecorationLayerID: Hashable, Comparable, Sendable {
    /// The rank of the layer.
    public let rawValue: Int

    /// Creates a layer identity with a rank. The library's own ranks are multiples of 100 or 50.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The link that a click would open.
    package static let hoveredLink = DecorationLayerID(rawValue: 50)
    /// Decorations that the program adds.
    public static let rendering = DecorationLayerID(rawValue: 100)
    /// Words that a spell checker does not know.
    public static let spelling = DecorationLayerID(rawValue: 200)
    /// The bracket beside the caret and its counterpart.
    public static let brackets = DecorationLayerID(rawValue: 250)
    /// Matches of a search.
    public static let search = DecorationLayerID(rawValue: 300)
    /// The current match of a search. If exactly this text is selected, the match is shown and not the selection.
    public static let currentMatch = DecorationLayerID(rawValue: 400)

    /// Compares the ranks of two layers.
    public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The decorations of a text, in layers. Their ranges move when the text is edited. They are not part of the text,
/// and are neither undone nor copied.
///
/// An edit is only recorded in a log. A layer applies the edits that it has not applied yet when it is read or
/// changed, or when the log becomes long.
package struct DecorationLayers {
    private struct Entry {
        var id: DecorationLayerID
        var layer: DecorationLayer
        /// Number of logged changes that the layer has applied.
        var followed: Int
    }

    private var entries: [Entry] = []
    private var log = ChangeLog()
    /// The largest number of sections in the log. When it is reached, all layers apply the log.
    private static let longestLog = 4096

    /// Creates layers without decorations.
    package init() {}

    /// The layer with an identity; an empty layer if no decoration was added to it yet.
    package subscript(id: DecorationLayerID) -> DecorationLayer {
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

    package var isEmpty: Bool {
        mutating get {
            catchUp()
            return entries.allSatisfy(\.layer.isEmpty)
        }
    }

    /// Number of changes of the text that some layer has not applied yet.
    var pendingChanges: Int { log.count }

    mutating func apply(_ changes: TextChangeMap) {
        note(changes.lazy.map { (range: $0.oldRange, length: $0.inserted.utf16) })
    }

    /// Adds a change to the log. O(m) for its m replacements.
    private mutating func note(_ replacements: some Sequence<ChangeLog.Section>) {
        // Without decorations there is nothing to update later.
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

    /// Returns the runs to paint in a range, in order and without overlap. Attributes of higher layers override those
    /// of lower ones, and in one layer later decorations override earlier ones. Runs that extend beyond the range are
    /// not clipped. O(log n + k log k) for k decorations in the range, if few of them overlap.
    mutating func runs(in range: Range<UTF16Offset>) -> [RenderingRun] {
        catchUp()
        var runs: [RenderingRun] = []
        for entry in entries where !entry.layer.isEmpty { runs += entry.layer.runs(in: range) }
        return Self.flattened(runs)
    }

    /// Returns the decorations of empty ranges in all layers that lie within a range or at its ends, higher layers
    /// after lower ones.
    mutating func places(in range: Range<UTF16Offset>) -> [RenderingRun] {
        catchUp()
        return entries.flatMap { $0.layer.isEmpty ? [] : $0.layer.places(in: range) }
    }

    /// Makes overlapping runs disjoint. Where several overlap, the attributes of a later run in the array override
    /// those of earlier runs.
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
            let appearance = open.reduce(RenderingAttributes()) { $0.merging(runs[$1].attributes) }
            if let last = result.last, last.range.upperBound == low, last.attributes == appearance {
                result[result.count - 1].range = last.range.lowerBound..<high
            } else {
                result.append(RenderingRun(range: low..<high, attributes: appearance))
            }
        }
        return result
    }
}

/// A log of text changes. A change consists of sections; the sections of all changes are in one array.
private struct ChangeLog {
    /// A replacement: a range of the text before the change, in UTF-16 units, and the new text's length.
    typealias Section = (range: Range<UTF16Offset>, length: Int)

    private(set) var sections: [Section] = []
    /// For each change, the index in `sections` after its last section.
    private var ends: [Int] = []

    /// Number of text changes in the log.
    var count: Int { ends.count }

    /// The sections of a change, in order and disjoint.
    subscript(change: Int) -> ArraySlice<Section> { sections[(change > 0 ? ends[change - 1] : 0)..<ends[change]] }

    mutating func append(_ change: some Sequence<Section>) {
        sections.append(contentsOf: change)
        ends.append(sections.count)
    }

    mutating func removeAll() {
        // Free the memory that a single large change needed.
        sections.removeAll(keepingCapacity: sections.count <= 64)
        ends.removeAll(keepingCapacity: ends.count <= 64)
    }
}

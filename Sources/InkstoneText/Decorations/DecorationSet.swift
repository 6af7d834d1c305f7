import InkstoneBase

/// Decorations of a text, ordered by their starts; they may overlap. They move with edits, and are not part of the
/// text, of undo or of copies.
///
/// A tree whose nodes each cover a section of the text: an edit changes the offsets of one leaf and the lengths on
/// the path to it, so a million decorations add less than a microsecond to a key press. **Complexity**, n being the
/// number of decorations and k those that an operation touches: an edit, adding and removing O(log n + k), reading
/// a range O(log n + k). About 17 bytes a decoration.
///
/// Each edit of the text must be reported once, in order, with ``replace(_:byUTF16Length:)``; the edits of one
/// transaction may be reported together with ``replace(_:)``. Offsets are UTF-16 units of the text after the edits
/// reported so far. A decoration that ends beyond 2³² − 1 is not added; a decoration that an edit moves there may
/// be cut short. Copying is O(1), and the first change of a copy O(n).
package struct DecorationSet {
    private var root = DecorationNode(height: 0)
    /// Divisor of a threshold. If one call adds more decorations than `count` divided by this number, or reports more
    /// replacements than that and more than 32, all decorations are processed at once and the tree is rebuilt.
    private static let rebuildFraction = 16

    /// Creates an empty set.
    package init() {}

    /// Creates a set of decorations, given in any order; those that ``insert(_:)`` would not add are left out. O(n log
    /// n), O(n) if they are ordered by start.
    package init(_ decorations: some Sequence<Decoration>) {
        root = Self.build(Self.sorted(decorations.filter(Self.isKept)))
    }

    package var count: Int { root.count }
    package var isEmpty: Bool { root.count == 0 }

    // MARK: Adding and removing

    /// Adds a decoration, after those with the same start. Does nothing if the decoration starts before 0 or ends
    /// beyond 2³² − 1, or if it is empty and does not have ``DecorationBehavior/staysWhenEmpty``.
    package mutating func insert(_ decoration: Decoration) {
        guard Self.isKept(decoration) else { return }
        makeUnique()
        add(decoration)
    }

    /// Adds decorations in any order; leaves out those that ``insert(_:)`` would not add. O(m log(n + m)) for m of
    /// them; O(n + m) for many that are ordered by start.
    package mutating func insert(contentsOf decorations: [Decoration]) {
        guard decorations.count > count / Self.rebuildFraction else {
            makeUnique()
            for decoration in decorations where Self.isKept(decoration) { add(decoration) }
            return
        }
        root = Self.build(Self.sorted(all + decorations.filter(Self.isKept)))
    }

    package mutating func removeAll() { root = DecorationNode(height: 0) }

    /// Removes the decorations that overlap a range, and empty ones in the range or at its ends, if `isRemoved` returns
    /// true for them. If the range is empty, also the decorations that it touches.
    package mutating func removeAll(
        in range: Range<UTF16Offset>, where isRemoved: (Decoration) -> Bool = { _ in true }
    ) {
        guard !isEmpty else { return }
        makeUnique()
        root.remove(meeting: range.lowerBound.value, range.upperBound.value, at: 0) {
            $0.meets(range) && isRemoved($0)
        }
        shrink()
    }

    // MARK: Following edits

    /// Moves the decorations through a replacement of text. O(log n + k).
    package mutating func replace(_ range: Range<UTF16Offset>, byUTF16Length length: Int) {
        guard !isEmpty else { return }
        makeUnique()
        follow(DecorationEdit(start: range.lowerBound.value, removed: range.length(), inserted: length))
        shrink()
    }

    /// Moves the decorations through replacements made at once: ordered, disjoint ranges of the text before all of
    /// them, with the UTF-16 lengths of the new texts. O(m log n + k) for m replacements, and never more than O(n
    /// log m + k).
    package mutating func replace(_ replacements: some RandomAccessCollection<(range: Range<UTF16Offset>, length: Int)>)
    {
        guard !isEmpty else { return }
        guard replacements.count > max(32, count / Self.rebuildFraction) else {
            makeUnique()
            for one in replacements.reversed() {
                follow(
                    DecorationEdit(start: one.range.lowerBound.value, removed: one.range.length(), inserted: one.length)
                )
            }
            return shrink()
        }
        let map = DecorationMap(replacements)
        root = Self.build(Self.sorted(all.compactMap(map.callAsFunction)))
    }

    // MARK: Reading

    /// Calls `body` with the decorations that overlap a range, in order of their starts; also with empty decorations in
    /// the range or at its ends. If the range is empty, also with decorations that it touches. Stops if `body` returns
    /// false.
    package func forEach(in range: Range<UTF16Offset>, _ body: (Decoration) -> Bool) {
        _ = root.forEach(meeting: range.lowerBound.value, range.upperBound.value, at: 0) {
            $0.meets(range) ? body($0) : true
        }
    }

    /// Returns the decorations with which ``forEach(in:_:)`` calls its closure for a range, in order of their
    /// starts.
    package func decorations(in range: Range<UTF16Offset>) -> [Decoration] {
        var found: [Decoration] = []
        forEach(in: range) {
            found.append($0)
            return true
        }
        return found
    }

    /// All decorations in order of their starts. O(n).
    package var all: [Decoration] {
        var found: [Decoration] = []
        found.reserveCapacity(count)
        _ = root.forEach(meeting: 0, .max, at: 0) {
            found.append($0)
            return true
        }
        return found
    }

    /// Returns the number of decorations that start before an offset. The same number is the ordinal, from 0, of
    /// the first decoration that starts at or after the offset. O(log n).
    package func count(startingBefore offset: UTF16Offset) -> Int { root.count(startingBefore: offset.value) }

    /// Returns the decoration with an ordinal, from 0, in order of starts. O(log n). Traps if there is no such
    /// decoration.
    package subscript(ordinal: Int) -> Decoration {
        precondition((0..<count).contains(ordinal), "no decoration has the ordinal \(ordinal) of \(count)")
        return root.decoration(ordinal, at: 0)
    }

    /// Returns the violated invariants of the tree, in words; empty if there are none. O(n).
    package func checkInvariants() -> [String] {
        var problems: [String] = []
        root.check(&problems)
        return problems
    }

    // MARK: Changing the tree

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&root) { root = root.copy() }
    }

    private mutating func add(_ decoration: Decoration) {
        guard let right = root.insert(decoration, at: decoration.range.lowerBound.value) else { return }
        let top = DecorationNode(height: root.height + 1)
        top.children = [DecorationNode.Child(root), DecorationNode.Child(right)]
        top.refresh()
        root = top
    }

    private mutating func follow(_ edit: DecorationEdit) {
        var evicted: [Decoration] = []
        root.follow(edit, owns: true, at: 0, &evicted)
        for decoration in evicted { add(decoration) }
    }

    private mutating func shrink() {
        while root.height > 0, root.children.count == 1 { root = root.children[0].node }
        if root.count == 0 { root = DecorationNode(height: 0) }
    }

    private static func isKept(_ decoration: Decoration) -> Bool {
        decoration.range.lowerBound >= 0 && decoration.range.upperBound.value <= UInt32.max
            && (!decoration.range.isEmpty || decoration.behavior.contains(.staysWhenEmpty))
    }

    /// Sorts decorations by their starts; decorations with equal starts keep their order.
    private static func sorted(_ decorations: [Decoration]) -> [Decoration] {
        let isSorted = zip(decorations, decorations.dropFirst()).allSatisfy {
            $0.range.lowerBound <= $1.range.lowerBound
        }
        if isSorted { return decorations }
        return decorations.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }.map(\.element)
    }

    private static func build(_ sorted: [Decoration]) -> DecorationNode {
        // Leave room, so that later insertions do not split nodes at once.
        let fill = DecorationNode.leafLimit * 7 / 8
        var level: [DecorationNode] = []
        var start = 0
        for first in stride(from: 0, to: sorted.count, by: fill) {
            let end = min(first + fill, sorted.count)
            let next = end < sorted.count ? sorted[end].range.lowerBound.value : sorted[end - 1].range.lowerBound.value
            level.append(
                DecorationNode(
                    span: next - start,
                    entries: sorted[first..<end].map {
                        DecorationNode.Entry($0, at: $0.range.lowerBound.value - start)
                    }))
            start = next
        }
        var height = 0
        while level.count > 1 {
            height += 1
            let fill = DecorationNode.fanOut * 7 / 8
            level = stride(from: 0, to: level.count, by: fill).map { first in
                let node = DecorationNode(height: height)
                node.children = level[first..<min(first + fill, level.count)].map { DecorationNode.Child($0) }
                node.refresh()
                return node
            }
        }
        return level.first ?? DecorationNode(height: 0)
    }
}

/// Many replacements made at once, as a function that maps decorations. Has the same result as applying the
/// replacements one by one, from the last to the first.
private struct DecorationMap {
    private let edits: [DecorationEdit]
    /// The growth of the text before each replacement.
    private let shifts: [Int]

    init(_ replacements: some Sequence<(range: Range<UTF16Offset>, length: Int)>) {
        edits = replacements.map {
            DecorationEdit(start: $0.range.lowerBound.value, removed: $0.range.length(), inserted: $0.length)
        }
        var sum = 0
        shifts =
            edits.map { edit in
                defer { sum += edit.delta }
                return sum
            } + [edits.reduce(0) { $0 + $1.delta }]
    }

    func callAsFunction(_ decoration: Decoration) -> Decoration? {
        var low = decoration.range.lowerBound.value
        var high = decoration.range.upperBound.value
        var next = edits.partitioningIndex { $0.start > high }
        while next > 0, edits[next - 1].end >= low {
            next -= 1
            guard let new = edits[next].map(low, high, decoration.behavior) else { return nil }
            (low, high) = new
        }
        let shift = shifts[next]
        var result = decoration
        result.range = UTF16Offset(low + shift)..<UTF16Offset(high + shift)
        return result
    }
}

extension Decoration {
    /// Whether the decoration overlaps a range. If either of the two is empty, it is enough that they touch.
    fileprivate func meets(_ other: Range<UTF16Offset>) -> Bool {
        if range.isEmpty || other.isEmpty {
            return range.lowerBound <= other.upperBound && range.upperBound >= other.lowerBound
        }
        return range.overlaps(other)
    }
}

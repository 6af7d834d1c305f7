import InkstoneBase

/// A node of a ``DecorationSet``. It covers a section of the text, and owns the decorations that start in the
/// section.
///
/// Offsets count from the start of the node's section, so that an edit before the section changes nothing in the
/// node.
final class DecorationNode {
    struct Entry {
        /// Start of the decoration from the start of the node's section, at most 2³² − 1.
        var offset: UInt32
        /// Length of the decoration, at most 2³² − 1.
        var length: UInt32
        var tag: UInt16
        var behavior: DecorationBehavior

        var low: Int { Int(offset) }
        var high: Int { Int(offset) + Int(length) }
    }

    /// The largest number of entries of a leaf.
    static let leafLimit = 64
    /// The largest number of children of an inner node.
    static let fanOut = 32

    /// Number of levels below the node; 0 for a leaf.
    let height: Int
    /// Length of the node's section of the text, in UTF-16 units.
    var span = 0
    /// Number of decorations in the subtree.
    var count = 0
    /// The greatest end of a decoration in the subtree, from the start of the section. May be greater than
    /// ``span``; -1 without decorations.
    var reach = -1
    /// The decorations of a leaf, ordered by start; those with equal starts are in order of insertion.
    var entries: [Entry] = []
    /// The children of an inner node, with adjacent sections.
    var children: [Child] = []

    /// A child with copies of its span, count and reach, so that skipping the child does not touch its memory.
    struct Child {
        var span: Int
        var count: Int
        var reach: Int
        var node: DecorationNode

        init(_ node: DecorationNode) {
            self.node = node
            span = node.span
            count = node.count
            reach = node.reach
        }

        /// Copies span, count and reach again after the node has changed.
        mutating func refresh() {
            span = node.span
            count = node.count
            reach = node.reach
        }
    }

    init(height: Int) { self.height = height }

    /// Creates a leaf with entries whose offsets count from the start of its section.
    init(span: Int, entries: [Entry]) {
        height = 0
        self.span = span
        self.entries = entries
        refresh()
    }

    /// Computes ``count`` and ``reach`` from the entries or the children; in an inner node, also ``span``.
    func refresh() {
        if height == 0 {
            count = entries.count
            reach = entries.reduce(-1) { max($0, $1.high) }
            return
        }
        var at = 0
        count = 0
        reach = -1
        for index in children.indices {
            let child = (span: children[index].span, count: children[index].count, reach: children[index].reach)
            if child.reach >= 0 { reach = max(reach, at + child.reach) }
            count += child.count
            at += child.span
        }
        span = at
    }

    func copy() -> DecorationNode {
        let new = DecorationNode(height: height)
        new.span = span
        new.count = count
        new.reach = reach
        new.entries = entries
        new.children = children.map { Child($0.node.copy()) }
        return new
    }

    // MARK: Adding decorations

    /// Adds an entry after those with the same start. If the node is split, returns the new right half.
    func insert(_ entry: Decoration, at low: Int) -> DecorationNode? {
        if height == 0 {
            var index = entries.endIndex
            while index > 0, entries[index - 1].low > low { index -= 1 }
            entries.insert(Entry(entry, at: low), at: index)
            span = max(span, low)
            count += 1
            reach = max(reach, low + entry.range.length())
            return entries.count > Self.leafLimit ? splitLeaf() : nil
        }
        var start = 0
        var index = 0
        while index < children.count - 1, start + children[index].span <= low {
            start += children[index].span
            index += 1
        }
        let new = children[index].node.insert(entry, at: low - start)
        children[index].refresh()
        if let new { children.insert(Child(new), at: index + 1) }
        refresh()
        return children.count > Self.fanOut ? splitChildren() : nil
    }

    private func splitLeaf() -> DecorationNode {
        let half = entries.count / 2
        let at = entries[half].low
        let right = DecorationNode(
            span: span - at, entries: entries[half...].map { $0.moved(by: -at) })
        entries.removeSubrange(half...)
        span = at
        refresh()
        return right
    }

    private func splitChildren() -> DecorationNode {
        let half = children.count / 2
        let right = DecorationNode(height: height)
        right.children = Array(children[half...])
        children.removeSubrange(half...)
        refresh()
        right.refresh()
        return right
    }

    // MARK: Following edits

    /// Moves the decorations through an edit whose offsets count from the start of this section. The edit must
    /// touch the section, or a decoration of the section must reach the edit.
    ///
    /// - Parameters:
    ///   - owns: whether the inserted text belongs to this section: true for the first section that the edit
    ///     touches.
    ///   - start: the start of the section in the document, for `evicted`.
    ///   - evicted: receives decorations that now start outside of the section, in document offsets.
    func follow(_ edit: DecorationEdit, owns: Bool, at start: Int, _ evicted: inout [Decoration]) {
        if height == 0 { return followInLeaf(edit, owns: owns, at: start, &evicted) }
        var at = 0
        var isOwned = owns
        var hasEmptied = false
        // `at` counts in the text before the edit, so add a child's span before the edit changes that span.
        for index in children.indices {
            let low = at
            at += children[index].span
            if low > edit.end { break }
            let isTouched = at >= edit.start
            guard isTouched || children[index].reach >= edit.start - low else { continue }
            children[index].node.follow(
                edit.moved(by: -low), owns: isTouched && isOwned, at: start + low, &evicted)
            children[index].refresh()
            if isTouched { isOwned = false }
            if children[index].count == 0 { hasEmptied = true }
        }
        if hasEmptied { dropEmptyChildren() }
        refresh()
    }

    private func followInLeaf(_ edit: DecorationEdit, owns: Bool, at start: Int, _ evicted: inout [Decoration]) {
        let isTouched = span >= edit.start
        let taken = isTouched ? max(0, min(edit.end, span) - max(edit.start, 0)) : 0
        // If the inserted text belongs to an earlier section, this section now begins after that text.
        let shift = isTouched && !owns ? edit.start + edit.inserted : 0
        span += (owns ? edit.inserted : 0) - taken
        var kept = 0
        var last = 0
        var isSorted = true
        reach = -1
        for index in entries.indices {
            var entry = entries[index]
            if entry.high >= edit.start || entry.low >= edit.start {
                guard let new = edit.map(entry.low, entry.high, entry.behavior) else { continue }
                let low = new.low - shift
                guard low >= 0, low <= span else {
                    evicted.append(
                        Decoration(
                            range: UTF16Offset(start + new.low)..<UTF16Offset(start + new.high), tag: entry.tag,
                            behavior: entry.behavior))
                    continue
                }
                entry.offset = UInt32(clamping: low)
                entry.length = UInt32(clamping: new.high - new.low)
            }
            if entry.low < last { isSorted = false }
            last = entry.low
            reach = max(reach, entry.high)
            entries[kept] = entry
            kept += 1
        }
        entries.removeSubrange(kept...)
        count = kept
        // An edit at the ends of decorations may change the order of their starts, which is rare. Sort the entries
        // then.
        if !isSorted { entries = Self.sortedStably(entries) }
    }

    private static func sortedStably(_ entries: [Entry]) -> [Entry] {
        entries.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }.map(\.element)
    }

    // MARK: Removing decorations

    /// Removes the decorations that overlap or touch a range and for which `isRemoved` returns true. The range counts
    /// from the start of this section.
    func remove(meeting low: Int, _ high: Int, at start: Int, where isRemoved: (Decoration) -> Bool) {
        if height == 0 {
            entries.removeAll {
                $0.low <= high && $0.high >= low && isRemoved($0.decoration(at: start))
            }
            return refresh()
        }
        var at = 0
        for index in children.indices {
            let childStart = at
            at += children[index].span
            if childStart > high { break }
            guard children[index].reach >= low - childStart else { continue }
            children[index].node.remove(
                meeting: low - childStart, high - childStart, at: start + childStart, where: isRemoved)
            children[index].refresh()
        }
        dropEmptyChildren()
        refresh()
    }

    /// Adds the text of children without decorations to the children before them, and merges small neighbouring
    /// children.
    private func dropEmptyChildren() {
        var kept: [Child] = []
        kept.reserveCapacity(children.count)
        for child in children {
            guard let last = kept.indices.last else {
                kept.append(child)
                continue
            }
            if child.count == 0 {
                kept[last].node.extend(by: child.span)
                kept[last].refresh()
            } else if kept[last].node.join(child.node) {
                kept[last].refresh()
            } else {
                kept.append(child)
            }
        }
        children = kept
    }

    /// Extends the section by text without decorations, at its end.
    private func extend(by length: Int) {
        span += length
        guard let last = children.indices.last else { return }
        children[last].node.extend(by: length)
        children[last].refresh()
    }

    /// Merges the right neighbour into this node if both together are small. Returns whether they were merged.
    private func join(_ other: DecorationNode) -> Bool {
        if height == 0 {
            guard entries.count + other.entries.count <= Self.leafLimit / 2 else { return false }
            let at = span
            entries += other.entries.map { $0.moved(by: at) }
        } else {
            guard children.count + other.children.count <= Self.fanOut / 2 else { return false }
            children += other.children
        }
        span += other.span
        refresh()
        return true
    }

    // MARK: Reading decorations

    /// Calls `body` with the decorations that overlap or touch a range, in order of their starts, until it returns
    /// false. The range counts from the start of this section.
    func forEach(meeting low: Int, _ high: Int, at start: Int, _ body: (Decoration) -> Bool) -> Bool {
        if height == 0 {
            for entry in entries {
                if entry.low > high { return true }
                if entry.high >= low, !body(entry.decoration(at: start)) { return false }
            }
            return true
        }
        var at = 0
        for index in children.indices {
            if at > high { return true }
            if children[index].reach >= low - at,
                !children[index].node.forEach(meeting: low - at, high - at, at: start + at, body)
            {
                return false
            }
            at += children[index].span
        }
        return true
    }

    /// Returns the number of decorations that start before an offset from the start of this section.
    func count(startingBefore offset: Int) -> Int {
        if height == 0 { return entries.prefix { $0.low < offset }.count }
        var at = 0
        var sum = 0
        for child in children {
            if at >= offset { break }
            // If a child ends exactly at the offset, search the child too: a decoration that starts at the very end of
            // a section may belong to that section.
            sum += at + child.span < offset ? child.count : child.node.count(startingBefore: offset - at)
            at += child.span
        }
        return sum
    }

    /// Returns the decoration with an ordinal, from 0, in order of starts.
    func decoration(_ ordinal: Int, at start: Int) -> Decoration {
        if height == 0 { return entries[ordinal].decoration(at: start) }
        var at = start
        var left = ordinal
        for child in children {
            if left < child.count { return child.node.decoration(left, at: at) }
            left -= child.count
            at += child.span
        }
        preconditionFailure("an ordinal that is not in the set")
    }

    /// Checks the subtree, and appends a description of each violated invariant to `problems`.
    func check(_ problems: inout [String]) {
        let old = (span, count, reach)
        refresh()
        if old != (span, count, reach) { problems.append("sums \(old), should be \((span, count, reach))") }
        if height == 0 {
            if entries.count > Self.leafLimit { problems.append("a leaf of \(entries.count)") }
            var last = 0
            for entry in entries {
                if entry.low < last || entry.low > span { problems.append("entry \(entry) after \(last) of \(span)") }
                last = entry.low
            }
            return
        }
        if children.isEmpty || children.count > Self.fanOut { problems.append("a node of \(children.count)") }
        for child in children {
            let node = child.node
            if node.height != height - 1 { problems.append("uneven heights") }
            if (child.span, child.count, child.reach) != (node.span, node.count, node.reach) {
                problems.append("sums of a child that are not its own")
            }
            node.check(&problems)
        }
    }
}

extension DecorationNode.Entry {
    init(_ decoration: Decoration, at low: Int) {
        offset = UInt32(clamping: low)
        length = UInt32(clamping: decoration.range.length())
        tag = decoration.tag
        behavior = decoration.behavior
    }

    func moved(by distance: Int) -> Self {
        var moved = self
        moved.offset = UInt32(clamping: low + distance)
        return moved
    }

    func decoration(at start: Int) -> Decoration {
        Decoration(
            range: UTF16Offset(start + low)..<UTF16Offset(start + high), tag: tag, behavior: behavior)
    }
}

extension DecorationEdit {
    func moved(by distance: Int) -> Self {
        DecorationEdit(start: start + distance, removed: removed, inserted: inserted)
    }
}

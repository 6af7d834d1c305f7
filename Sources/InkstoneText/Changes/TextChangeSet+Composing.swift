import InkstoneBase

extension TextChangeSet {
    /// Returns this change followed by another, as one change. O(a + b) for a and b sections, and the size of the
    /// texts where the sections meet.
    ///
    /// Sections of one change that touch sections of the other become one section. Mapping an offset through the
    /// composed change may therefore differ from mapping it through both changes. An offset at or in a composed
    /// section that removes and inserts text is mapped to an end of the inserted text. Mapping step by step may
    /// lead inside that text. Keep the separate changes for mapping offsets of older versions of the text.
    ///
    /// `next` must be a change of this one's new text. Traps if the lengths of these texts differ; nothing else is
    /// checked.
    public func composed(with next: TextChangeSet) -> TextChangeSet {
        var whole = self
        whole.append(next)
        return whole
    }

    /// Composes this change with a following one; see ``composed(with:)``. If both have a single section, and the
    /// sections touch, as in typing, their texts are joined in place.
    public mutating func append(_ next: TextChangeSet) {
        precondition(newLength == next.oldLength, "a change that follows is of another text")
        if next.isEmpty { return }
        if isEmpty {
            self = next
            return
        }
        guard patch != nil || next.patch != nil else { return appendText(next) }
        let whole = AttributePatch.composed(
            patch ?? AttributePatch(plain: changeMap), next.patch ?? AttributePatch(plain: next.changeMap))
        patch = nil
        appendText(next)
        patch = whole
    }

    /// Composes this change with a following one, without changes of attributes.
    private mutating func appendText(_ next: TextChangeSet) {
        if next.changeMap.isEmpty { return }
        if changeMap.isEmpty {
            self = TextChangeSet(next.changeMap, next.texts)
            return
        }
        if let a = changeMap.only, let b = next.changeMap.only, a.newStart.bytes <= b.oldEnd.bytes,
            b.oldStart.bytes <= a.newEnd.bytes
        {
            join(a, b, next)
            return
        }
        var composer = TextChangeComposer(self, next)
        self = composer.run()
    }

    /// Composes successive changes to one; nil if there are none. Composes each half first. The cost is therefore
    /// O(n log n) for n sections in all.
    public static func composing(_ changes: [TextChangeSet]) -> TextChangeSet? {
        guard !changes.isEmpty else { return nil }
        return composing(changes[...])
    }

    private static func composing(_ changes: ArraySlice<TextChangeSet>) -> TextChangeSet {
        guard changes.count > 1 else { return changes[changes.startIndex] }
        let middle = changes.startIndex + changes.count / 2
        var whole = composing(changes[..<middle])
        whole.append(composing(changes[middle...]))
        return whole
    }

    /// Joins the only section of `next`, `b`, to the only section of this change, `a`, which it touches. The texts
    /// are edited in place where they are not shared.
    private mutating func join(_ a: TextChangeMap.Section, _ b: TextChangeMap.Section, _ next: TextChangeSet) {
        guard case .one(var removed, var inserted) = texts, case .one(let taken, let added) = next.texts else { return }
        let length = oldLength
        // Drop this set's own references to the texts. Then `removed` and `inserted` are the only ones and are
        // edited in place.
        self = TextChangeSet(none: length)
        let low = b.oldStart.bytes - a.newStart.bytes
        let high = b.oldEnd.bytes - a.newStart.bytes
        var start = a.oldStart
        let end = a.inserted.bytes
        if low < 0 {
            start = b.oldStart
            removed = Rope.concatenate(taken.slice(0..<ByteOffset(-low)), removed)
        }
        if high > end { removed.append(taken.slice(ByteOffset(end - low)..<ByteOffset(taken.metrics.bytes))) }
        inserted.replace(ByteOffset(max(0, low))..<ByteOffset(min(end, high)), with: added)
        if removed.isEmpty, inserted.isEmpty { return }
        self = TextChangeSet(replacing: removed, at: start, with: inserted, length: length)
    }
}

extension TextChangeMap {
    /// The section of a map of a single section; nil for any other map.
    fileprivate var only: Section? {
        if case .one(let section) = storage { return section.at(.zero) }
        return nil
    }
}

/// A composer of two change sets. It walks once over the sections of both, in the order of the text between the two
/// changes: the text that the first change results in and the second changes.
struct TextChangeComposer {
    /// A change set to compose, as an iterator over its sections that shows the next section in advance.
    private struct Input {
        let set: TextChangeSet
        var sections: TextChangeMap.Iterator
        var next: TextChangeMap.Section?
        /// The index of `next` among the sections of `set`.
        var index = 0

        init(_ set: TextChangeSet) {
            self.set = set
            sections = set.changeMap.makeIterator()
            next = sections.next()
        }

        mutating func take() -> (index: Int, section: TextChangeMap.Section)? {
            guard let section = next else { return nil }
            defer {
                index += 1
                next = sections.next()
            }
            return (index, section)
        }
    }

    private var first: Input
    private var second: Input
    private let length: TextPoint
    /// Number of times that a section of one set was compared with a gap between sections of the other set.
    private(set) var steps = 0
    private var writer = TextChangeWriter()
    // The sections of the first set that are being merged to one section.
    private var firsts: [(index: Int, section: TextChangeMap.Section)] = []
    // The sections of the second set that are being merged to one section.
    private var seconds: [(index: Int, section: TextChangeMap.Section)] = []

    init(_ a: TextChangeSet, _ b: TextChangeSet) {
        first = Input(a)
        second = Input(b)
        length = a.oldLength
    }

    mutating func run() -> TextChangeSet {
        /// The growth of the text by the sections of the first set that were already written.
        var shift = TextPoint.zero
        while true {
            gather()
            let a = firsts.first?.section.newStart
            let b = seconds.first?.section.oldStart
            guard let either = a ?? b else { break }
            let start = (b ?? either).bytes < either.bytes ? b ?? either : either
            writeRemoved(from: start.bytes)
            writeInserted(from: start.bytes)
            writer.finishSection(at: start - shift)
            if let last = firsts.last?.section { shift = last.newEnd - last.oldEnd }
        }
        return writer.finish(length: length)
    }

    /// Collects the next section, and all sections of either set that touch the sections collected so far.
    private mutating func gather() {
        firsts.removeAll(keepingCapacity: true)
        seconds.removeAll(keepingCapacity: true)
        let a = first.next?.newStart.bytes
        let b = second.next?.oldStart.bytes
        if let a, a <= b ?? a {
            if let taken = first.take() { firsts.append(taken) }
        } else if let taken = second.take() {
            seconds.append(taken)
        }
        while true {
            if let end = seconds.last?.section.oldEnd.bytes, let next = first.next, next.newStart.bytes <= end,
                let taken = first.take()
            {
                firsts.append(taken)
            } else if let end = firsts.last?.section.newEnd.bytes, let next = second.next, next.oldStart.bytes <= end,
                let taken = second.take()
            {
                seconds.append(taken)
            } else {
                return
            }
        }
    }

    /// Writes all of the text that the collected sections remove: the text removed by the first set's sections, and
    /// around them the text removed by the second set's.
    private mutating func writeRemoved(from start: Int) {
        var at = start
        var next = 0
        for (index, section) in firsts {
            writeRemovedBySecond(at..<section.newStart.bytes, &next)
            first.set.appendRemoved(index, 0..<section.removed.bytes, to: &writer.removed)
            at = section.newEnd.bytes
        }
        let end = seconds.last?.section.oldEnd.bytes ?? at
        if at < end { writeRemovedBySecond(at..<end, &next) }
    }

    /// Writes the text that the second set removes from a range. `next` is the index in `seconds` of the first
    /// section that may overlap the range. It is moved past the sections that end in the range: calls must pass
    /// ranges in order.
    private mutating func writeRemovedBySecond(_ range: Range<Int>, _ next: inout Int) {
        while next < seconds.count {
            steps += 1
            let (index, section) = seconds[next]
            let low = section.oldStart.bytes
            let part = range.clamped(to: low..<section.oldEnd.bytes)
            if !part.isEmpty {
                second.set.appendRemoved(index, part.lowerBound - low..<part.upperBound - low, to: &writer.removed)
            }
            if section.oldEnd.bytes > range.upperBound { return }
            next += 1
        }
    }

    /// Writes all of the text that the collected sections insert: the text inserted by the second set's sections,
    /// and around them the text inserted by the first set's.
    private mutating func writeInserted(from start: Int) {
        var at = start
        var next = 0
        for (index, section) in seconds {
            writeInsertedByFirst(at..<section.oldStart.bytes, &next)
            second.set.appendInserted(index, 0..<section.inserted.bytes, to: &writer.inserted)
            at = section.oldEnd.bytes
        }
        let end = firsts.last?.section.newEnd.bytes ?? at
        if at < end { writeInsertedByFirst(at..<end, &next) }
    }

    /// Writes the text that the first set inserts in a range. `next` is the index in `firsts` of the first section
    /// that may overlap the range. It is moved past the sections that end in the range: calls must pass ranges in
    /// order.
    private mutating func writeInsertedByFirst(_ range: Range<Int>, _ next: inout Int) {
        while next < firsts.count {
            steps += 1
            let (index, section) = firsts[next]
            let low = section.newStart.bytes
            let part = range.clamped(to: low..<section.newEnd.bytes)
            if !part.isEmpty {
                first.set.appendInserted(index, part.lowerBound - low..<part.upperBound - low, to: &writer.inserted)
            }
            if section.newEnd.bytes > range.upperBound { return }
            next += 1
        }
    }
}

extension TextChangeSet {
    /// Appends a range of bytes of the text that a section removes.
    fileprivate func appendRemoved(_ index: Int, _ range: Range<Int>, to pieces: inout TextPieces) {
        switch texts {
        case .none: break
        case .one(let removed, _):
            pieces.append(removed, in: ByteOffset(range.lowerBound)..<ByteOffset(range.upperBound))
        case .many(let pair, let isInverted):
            pieces.append(isInverted ? pair.inserted : pair.removed, index, in: range)
        }
    }

    /// Appends a range of bytes of the text that a section inserts.
    fileprivate func appendInserted(_ index: Int, _ range: Range<Int>, to pieces: inout TextPieces) {
        inverted.appendRemoved(index, range, to: &pieces)
    }
}

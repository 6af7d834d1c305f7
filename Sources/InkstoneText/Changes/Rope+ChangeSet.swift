import InkstoneBase

extension Rope {
    /// Number of sections from which a text is rebuilt instead of edited section by section.
    static let rebuildThreshold = 30_000

    /// Applies a change of this text. O(k log n + m) for k sections with m bytes of new text, O(n + m) for very many, O(1) for a change that
    /// was prepared for exactly this text.
    ///
    /// Traps if it is a change of a text of another length.
    package mutating func apply(_ changes: TextChangeSet) {
        precondition(TextPoint(metrics) == changes.oldLength, "a change of another text")
        switch changes.texts {
        case .none: return
        case .one(_, let inserted):
            replace(changes.changeMap[0].oldByteRange, with: inserted)
        case .many(let pair, let isInverted):
            let inserted = isInverted ? pair.removed : pair.inserted
            if let known = pair.text(from: self, isInverted: isInverted) {
                self = known
            } else if changes.count < Self.rebuildThreshold {
                edit(changes.changeMap, inserted)
            } else {
                rebuild(changes.changeMap, inserted)
            }
        }
        assert(TextPoint(metrics) == changes.newLength, "the lengths of a change do not add up")
    }

    /// Replaces section by section, in order: text before a section is already new, text after it still old.
    mutating func edit(_ map: TextChangeMap, _ inserted: TextPieces) {
        var index = 0
        for section in map {
            let start = ByteOffset(section.newStart.bytes)
            let range = start..<(start + section.removed.bytes)
            inserted.read(index) {
                replace(range, with: $0)
            } long: {
                replace(range, with: $0)
            }
            index += 1
        }
    }

    /// Rebuilds the text from kept and inserted parts in turn.
    mutating func rebuild(_ map: TextChangeMap, _ inserted: TextPieces) {
        var builder = RopeBuilder()
        var leaf = RopeLeafCursor(self, at: 0)
        var at = 0
        func copy(upTo end: Int) {
            while at < end {
                if at >= leaf.start + leaf.count, !leaf.moveToNext() { return }
                let stop = Swift.min(end, leaf.start + leaf.count)
                builder.append(UnsafeRawBufferPointer(start: leaf.bytes + (at - leaf.start), count: stop - at))
                at = stop
            }
        }
        func skip(to end: Int) {
            at = end
            while at >= leaf.start + leaf.count, leaf.moveToNext() {}
        }
        var index = 0
        for section in map {
            copy(upTo: section.oldStart.bytes)
            skip(to: section.oldEnd.bytes)
            inserted.read(index) {
                builder.append($0)
            } long: { text in
                text.forEachChunk(in: text.byteRange) { chunk, _ in builder.append(chunk) }
            }
            index += 1
        }
        copy(upTo: metrics.bytes)
        self = builder.finish()
    }
}

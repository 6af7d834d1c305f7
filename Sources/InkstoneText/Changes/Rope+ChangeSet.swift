import InkstoneBase

extension Rope {
    /// A change of at least this many sections rebuilds the whole text. With fewer sections, the text is edited
    /// section by section.
    static let rebuildThreshold = 30_000

    /// Applies a change that was made for this text. O(k log n + m) for k sections with m bytes of new text. O(n +
    /// m) for very many sections. O(1) for a change that was prepared for exactly this text.
    ///
    /// Traps if the change is of a text of another length.
    ///
    /// - Parameter isCancelled: called now and then; once it returns true, the method stops, leaves this text in an
    ///   undefined state and returns false.
    @discardableResult
    package mutating func apply(_ changes: TextChangeSet, isCancelled: () -> Bool = { false }) -> Bool {
        precondition(TextPoint(metrics) == changes.oldLength, "a change of another text")
        switch changes.texts {
        case .none: return true
        case .one(_, let inserted):
            replace(changes.changeMap[0].oldByteRange, with: inserted)
        case .many(let pair, let isInverted):
            let inserted = isInverted ? pair.removed : pair.inserted
            if let known = pair.text(from: self, isInverted: isInverted) {
                self = known
            } else if changes.count < Self.rebuildThreshold {
                guard edit(changes.changeMap, inserted, isCancelled) else { return false }
            } else {
                guard rebuild(changes.changeMap, inserted, isCancelled) else { return false }
            }
        }
        assert(TextPoint(metrics) == changes.newLength, "the lengths of a change do not add up")
        return true
    }

    /// `isCancelled` is called again after this many sections, or after this many bytes between sections.
    private static let (sectionsOfTurn, bytesOfTurn) = (4096, 16 << 20)

    /// Makes the replacements section by section, in order: the text before the present section is already new, the
    /// text after it still old. Returns false if cancelled.
    @discardableResult
    mutating func edit(
        _ map: TextChangeMap, _ inserted: TextPieces, _ isCancelled: () -> Bool = { false }
    ) -> Bool {
        var index = 0
        for section in map {
            if index % Self.sectionsOfTurn == 0, isCancelled() { return false }
            let start = ByteOffset(section.newStart.bytes)
            let range = start..<(start + section.removed.bytes)
            inserted.read(index) {
                replace(range, with: $0)
            } long: {
                replace(range, with: $0)
            }
            index += 1
        }
        return true
    }

    /// Rebuilds the text from kept and inserted parts, alternately. Returns false if cancelled.
    @discardableResult
    mutating func rebuild(
        _ map: TextChangeMap, _ inserted: TextPieces, _ isCancelled: () -> Bool = { false }
    ) -> Bool {
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
        var (index, asked) = (0, 0)
        for section in map {
            if index % Self.sectionsOfTurn == 0 || section.oldStart.bytes - asked >= Self.bytesOfTurn {
                if isCancelled() { return false }
                asked = section.oldStart.bytes
            }
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
        return true
    }
}

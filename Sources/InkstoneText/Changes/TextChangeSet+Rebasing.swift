import InkstoneBase

extension TextChangeSet {
    /// This change made after another of the same text: of two changes that were made at once, either may go first.
    ///
    /// What either inserts is in the result exactly once, also inside what the other removes; what either removes is gone.
    /// `a` followed by `b.mapped(over: a, …, isFirst: false)` gives the same text as `b` followed by
    /// `a.mapped(over: b, …, isFirst: true)`. O(k log n + m) for k and m sections.
    ///
    /// - Parameters:
    ///   - other: another change of the same text.
    ///   - text: the text after it.
    ///   - isFirst: whether what this one inserts comes before what the other inserts at the same place.
    public func mapped(over other: TextChangeSet, in text: Rope, isFirst: Bool) -> TextChangeSet {
        mapped(over: [other.changeMap], in: StyledText(text), isFirst: isFirst)
    }

    /// This change made after another of the same text, with attributes: where both change the same key of the same text, it is
    /// as this one says.
    public func mapped(over other: TextChangeSet, in text: StyledText, isFirst: Bool) -> TextChangeSet {
        mapped(over: [other.changeMap], in: text, isFirst: isFirst)
    }

    /// This change made after several others, of which the first is of the same text and each is of the text after the one
    /// before it.
    func mapped(over others: [TextChangeMap], in text: StyledText, isFirst: Bool) -> TextChangeSet {
        placed(over: others, in: text, isFirst: isFirst).changes
    }

    /// The change made after several others, and for each of its sections the place of what that inserts, in UTF-16 units of the text after
    /// all of them.
    func placed(
        over others: [TextChangeMap], in text: StyledText, isFirst: Bool
    ) -> (changes: TextChangeSet, starts: [UTF16Offset]) {
        precondition(oldLength == others.first?.oldLength ?? oldLength, "changes of different texts")
        precondition(
            (others.last?.newLength ?? oldLength) == TextPoint(text.rope.metrics), "not the text after the other change"
        )
        let others = others.filter { !$0.isEmpty }
        if others.isEmpty, patch == nil { return (self, changeMap.map(\.newRange.lowerBound)) }
        var replacements = changeMap.enumerated().map { index, section in
            PlacedReplacement(
                low: section.oldStart.bytes, high: section.oldEnd.bytes, new: insertedText(index), origin: index)
        }
        for other in others { replacements = PlacedReplacement.mapped(replacements, over: other, isFirst: isFirst) }
        var builder = Builder(over: text.rope)
        builder.reserve(replacements.count)
        for replacement in replacements {
            builder.replace(ByteOffset(replacement.low)..<ByteOffset(replacement.high), with: replacement.new)
        }
        let changes = builder.finish()
        let starts = PlacedReplacement.starts(replacements, of: count, in: text.rope)
        guard let patch else { return (changes, starts) }
        var restyling = Restyling()
        let parts = AttributePatchParts(patch, changeMap)
        placeInserted(parts, replacements, changes.changeMap, text.rope, &restyling)
        parts.placeKept(over: others, changes.changeMap, text.runs, &restyling)
        return (text.resolved(changes, restyling: restyling), starts)
    }

    /// Says what inserted texts have, now that they are placed. Where sections had to be joined, these take after their
    /// surroundings.
    private func placeInserted(
        _ parts: AttributePatchParts, _ replacements: [PlacedReplacement], _ map: TextChangeMap, _ text: Rope,
        _ restyling: inout Restyling
    ) {
        let placed = replacements.filter { $0.low < $0.high || !$0.new.isEmpty }
            .sorted { ($0.low, $0.high) < ($1.low, $1.high) }
        guard placed.count == map.count else { return }
        for (replacement, section) in zip(placed, map) where !replacement.new.isEmpty {
            let place = text.utf16Offset(at: ByteOffset(replacement.low)).value
            // Behind what the section was widened by.
            let low = section.newRange.lowerBound + (place - section.oldStart.utf16)
            let high = min(low + replacement.new.metrics.utf16, section.newRange.upperBound)
            if low < high { restyling.set(parts.inserted[replacement.origin], in: low..<high) }
        }
    }
}

/// What a patch does beside the texts that sections insert, and what these have.
private struct AttributePatchParts {
    /// A range of the old text that stays, in UTF-16 units, with its runs before and after.
    struct Kept {
        var range: Range<Int>
        var old: AttributeRuns
        var new: AttributeRuns
    }

    private(set) var kept: [Kept] = []
    /// For each section of the text.
    private(set) var inserted: [AttributeRuns] = []

    init(_ patch: AttributePatch, _ map: TextChangeMap) {
        var next = map.startIndex
        for index in 0..<patch.count {
            let section = patch[index]
            var at = (old: section.oldStart, new: section.newStart)
            func keep(upTo end: Int) {
                guard at.old < end else { return }
                let newEnd = at.new + end - at.old
                kept.append(
                    Kept(
                        range: at.old..<end,
                        old: section.old.slice(at.old - section.oldStart..<end - section.oldStart),
                        new: section.new.slice(at.new - section.newStart..<newEnd - section.newStart)))
            }
            while next < map.endIndex {
                let text = map[next]
                guard text.oldEnd.utf16 <= section.oldRange.upperBound,
                    text.newEnd.utf16 <= section.newRange.upperBound
                else { break }
                keep(upTo: text.oldStart.utf16)
                let low = text.newStart.utf16 - section.newStart
                inserted.append(section.new.slice(low..<low + text.inserted.utf16))
                at = (text.oldEnd.utf16, text.newEnd.utf16)
                next += 1
            }
            keep(upTo: section.oldRange.upperBound)
        }
        assert(inserted.count == map.count, "a section of the text in no section of the patch")
    }

    /// Makes the changes of attributes where the text is now: after others, and then after `map`.
    func placeKept(
        over others: [TextChangeMap], _ map: TextChangeMap, _ runs: AttributeRuns?, _ restyling: inout Restyling
    ) {
        for part in kept {
            var pieces = [(from: 0, range: part.range)]
            for other in others {
                var left: [(from: Int, range: Range<Int>)] = []
                for (from, range) in pieces {
                    other.forEachKept(of: range, .utf16) { part, shift in
                        let start = from + part.lowerBound - range.lowerBound
                        left.append((start, part.lowerBound + shift..<part.upperBound + shift))
                    }
                }
                pieces = left
            }
            for (from, range) in pieces {
                let present = runs?.slice(range) ?? AttributeRuns(length: range.count, .none)
                let old = part.old.slice(from..<from + range.count)
                let new = part.new.slice(from..<from + range.count)
                let low = map.map(UTF16Offset(range.lowerBound), bias: .downstream)
                let high = map.map(UTF16Offset(range.upperBound), bias: .upstream)
                guard low < high else { continue }
                restyling.set(present.changed(as: old, to: new), in: low..<high)
            }
        }
    }
}

extension AttributeRuns {
    /// Runs with the differences between two others of the same length made to them.
    package func changed(as old: AttributeRuns, to new: AttributeRuns) -> AttributeRuns {
        var result: [(length: Int, id: AttributeID)] = []
        var at = 0
        while let mine = idRun(at: at), let before = old.idRun(at: at), let after = new.idRun(at: at) {
            let end = min(mine.range.upperBound, before.range.upperBound, after.range.upperBound)
            result.append((end - at, mine.id.changed(as: before.id, to: after.id)))
            at = end
        }
        return AttributeRuns(result)
    }
}

/// A replacement of a range of bytes. Its ends may cut what joins in the text that it is moved to.
private struct PlacedReplacement {
    var low: Int
    var high: Int
    var new: Rope
    /// Which of the sections that it comes from.
    var origin: Int
    /// Whether what its section inserts, if anything, is placed here: so it is of one replacement of each section.
    var isPlace = true

    /// For each section, where what it inserts starts once all replacements of a text, in order, are made.
    static func starts(_ replacements: [PlacedReplacement], of count: Int, in text: Rope) -> [UTF16Offset] {
        var result = [UTF16Offset](repeating: 0, count: count)
        var shift = 0
        for replacement in replacements {
            let low = text.utf16Offset(at: ByteOffset(replacement.low))
            if replacement.isPlace { result[replacement.origin] = low + shift }
            shift += replacement.new.metrics.utf16
            if replacement.low < replacement.high {
                shift -= text.utf16Offset(at: ByteOffset(replacement.high)) - low
            }
        }
        return result
    }

    /// Moves replacements in order over other changes of the same text; one that others split becomes several.
    static func mapped(
        _ replacements: [PlacedReplacement], over map: TextChangeMap, isFirst: Bool
    ) -> [PlacedReplacement] {
        let others = Array(map)
        var result: [PlacedReplacement] = []
        result.reserveCapacity(replacements.count)
        /// Index of the first of the others that comes behind what is inserted.
        var behind = 0
        for replacement in replacements {
            let low = replacement.low
            while behind < others.count, others[behind].oldStart.bytes < (isFirst ? low : low + 1) { behind += 1 }
            var place = low
            if behind > 0 {
                let last = others[behind - 1]
                place = last.newEnd.bytes + max(0, low - last.oldEnd.bytes)
            }
            var isPlaced = !replacement.isPlace
            let start = result.count
            others[max(0, behind - 1)...].forEachKept(of: low..<replacement.high, .bytes, shift: 0) { part, shift in
                let isBehind = !isPlaced && part.lowerBound + shift == place
                result.append(
                    PlacedReplacement(
                        low: part.lowerBound + shift, high: part.upperBound + shift,
                        new: isBehind ? replacement.new : Rope(), origin: replacement.origin, isPlace: isBehind))
                if isBehind { isPlaced = true }
            }
            if !isPlaced {
                // What it removes may lie on either side of what others insert there.
                let index = result[start...].firstIndex { $0.low >= place } ?? result.count
                result.insert(
                    PlacedReplacement(
                        low: place, high: place, new: replacement.new, origin: replacement.origin), at: index)
            }
        }
        return result
    }
}

import InkstoneBase

extension TextChangeSet {
    /// Rebases this change on another change of the same text: of two concurrent changes, either may be applied
    /// first.
    ///
    /// Text inserted by either change is in the result exactly once, even inside text removed by the other; text
    /// removed by either change is gone. `a` followed by `b.mapped(over: a, …, isFirst: false)` gives the same text
    /// as `b` followed by `a.mapped(over: b, …, isFirst: true)`. O(k log n + m) for k and m sections. Traps if the
    /// lengths show that the two changes are of different texts, or that `text` is not the text after the other
    /// change.
    ///
    /// - Parameters:
    ///   - other: another change of the same text.
    ///   - text: the text after the other change.
    ///   - isFirst: whether text inserted by this change comes before text that the other inserts at the same
    ///     offset.
    public func mapped(over other: TextChangeSet, in text: Rope, isFirst: Bool) -> TextChangeSet {
        mapped(over: [other.changeMap], in: StyledText(text), isFirst: isFirst)
    }

    /// Rebases this change on another change of the same text, including attributes. If both changes set the same
    /// attribute of the same text, this change's value is kept.
    public func mapped(over other: TextChangeSet, in text: StyledText, isFirst: Bool) -> TextChangeSet {
        mapped(over: [other.changeMap], in: text, isFirst: isFirst)
    }

    /// Rebases this change on several others. The first of them is a change of the same text; each further one is a
    /// change of the text after the one before it.
    func mapped(over others: [TextChangeMap], in text: StyledText, isFirst: Bool) -> TextChangeSet {
        placed(over: others, in: text, isFirst: isFirst).changes
    }

    /// Rebases the change on several others. Also returns the start of each section's inserted text, in UTF-16
    /// units of the text after the others and the rebased change.
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

    /// Sets the attributes of inserted texts at their new positions. If sections had to be merged, inserted texts
    /// inherit attributes from their surroundings instead.
    private func placeInserted(
        _ parts: AttributePatchParts, _ replacements: [PlacedReplacement], _ map: TextChangeMap, _ text: Rope,
        _ restyling: inout Restyling
    ) {
        let placed = replacements.filter { $0.low < $0.high || !$0.new.isEmpty }
            .sorted { ($0.low, $0.high) < ($1.low, $1.high) }
        guard placed.count == map.count else { return }
        for (replacement, section) in zip(placed, map) where !replacement.new.isEmpty {
            let place = text.utf16Offset(at: ByteOffset(replacement.low)).value
            // Skip the text by which the start of the section was widened.
            let low = section.newRange.lowerBound + (place - section.oldStart.utf16)
            let high = min(low + replacement.new.metrics.utf16, section.newRange.upperBound)
            if low < high { restyling.set(parts.inserted[replacement.origin], in: low..<high) }
        }
    }
}

/// The content of an attribute patch, split at the sections of the text: changes of the attributes of kept text,
/// and attributes of inserted texts.
private struct AttributePatchParts {
    /// A range of the old text that is kept, in UTF-16 units, with its attribute runs before and after the change.
    struct Kept {
        var range: Range<Int>
        var old: AttributeRuns
        var new: AttributeRuns
    }

    private(set) var kept: [Kept] = []
    /// The attribute runs of each section's inserted text.
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

    /// Applies the changes of attributes to the kept text that still exists after `others` and then `map`, at its new
    /// position.
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
    /// Returns these runs with each attribute that differs between `old` and `new` set to its value in `new`. All three
    /// have the same length.
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

/// A replacement of a range of bytes. In the text on which it is rebased, its ends may lie inside a scalar or a CR
/// LF.
private struct PlacedReplacement {
    var low: Int
    var high: Int
    var new: Rope
    /// Index of the section of the original change that this replacement comes from.
    var origin: Int
    /// Whether this replacement inserts the new text of its original section. If the section was split into several
    /// replacements, exactly one of them inserts the text.
    var isPlace = true

    /// Returns the start of each section's inserted text, in the text after all replacements. The replacements must
    /// be in order.
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

    /// Rebases ordered replacements on another change of the same text. A replacement whose range the other change
    /// splits becomes several.
    static func mapped(
        _ replacements: [PlacedReplacement], over map: TextChangeMap, isFirst: Bool
    ) -> [PlacedReplacement] {
        let others = Array(map)
        var result: [PlacedReplacement] = []
        result.reserveCapacity(replacements.count)
        /// Index of the first of the other change's sections that comes after the inserted text.
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
                // The position of the new text may lie between kept parts of the removed text, because the other change
                // inserts text among them: insert the new text in order among these parts.
                let index = result[start...].firstIndex { $0.low >= place } ?? result.count
                result.insert(
                    PlacedReplacement(
                        low: place, high: place, new: replacement.new, origin: replacement.origin), at: index)
            }
        }
        return result
    }
}

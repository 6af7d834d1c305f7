/// A model of a change set without its texts: the replaced ranges, and the lengths of the replacements.
package struct ChangeSectionsModel: Equatable {
    package struct Section: Equatable {
        /// The start of the replaced range in the old text.
        package var low: Int
        package var high: Int
        /// The length of the replacement.
        package var inserted: Int

        package init(low: Int, high: Int, inserted: Int) {
            (self.low, self.high, self.inserted) = (low, high, inserted)
        }
    }

    /// In order; two may touch.
    package var sections: [Section]

    package init(_ sections: [Section]) { self.sections = sections.filter { $0.low < $0.high || $0.inserted > 0 } }

    /// The ranges of the replacements in the new text.
    package var newRanges: [Range<Int>] {
        var shift = 0
        return sections.map { section in
            defer { shift += section.inserted - (section.high - section.low) }
            return section.low + shift..<section.low + shift + section.inserted
        }
    }

    /// The inverse change.
    package var inverted: ChangeSectionsModel {
        ChangeSectionsModel(
            zip(sections, newRanges).map {
                Section(low: $1.lowerBound, high: $1.upperBound, inserted: $0.high - $0.low)
            })
    }

    /// Maps an offset of the old text to the new one.
    package func map(_ place: Int, goesBehind: Bool) -> Int {
        var result = place
        for (section, new) in zip(sections, newRanges) where section.low <= place {
            if section.high < place {
                result = place - section.high + new.upperBound
            } else if section.low == section.high {
                result = goesBehind ? new.upperBound : new.lowerBound
                if !goesBehind { return result }
            } else if place == section.low {
                return new.lowerBound
            } else if place == section.high {
                result = new.upperBound
            } else {
                return goesBehind ? new.upperBound : new.lowerBound
            }
        }
        return result
    }

    /// Composes this change and the next one; touching sections of both are merged.
    package func followed(by next: ChangeSectionsModel) -> ChangeSectionsModel {
        /// Sections that become one, in the text between, and how much longer the old and the new text are there.
        struct Group {
            var ofFirst: [Range<Int>] = []
            var ofNext: [Range<Int>] = []
            var old = 0
            var new = 0

            var low: Int { (ofFirst + ofNext).map(\.lowerBound).min() ?? 0 }
            var high: Int { (ofFirst + ofNext).map(\.upperBound).max() ?? 0 }

            func touches(_ other: Group) -> Bool {
                func meet(_ a: [Range<Int>], _ b: [Range<Int>]) -> Bool {
                    a.contains { a in b.contains { a.lowerBound <= $0.upperBound && $0.lowerBound <= a.upperBound } }
                }
                return meet(ofFirst, other.ofNext) || meet(ofNext, other.ofFirst)
            }
        }
        var groups = zip(sections, newRanges).map { section, range in
            Group(ofFirst: [range], old: section.high - section.low - section.inserted)
        }
        groups += next.sections.map { Group(ofNext: [$0.low..<$0.high], new: $0.inserted - ($0.high - $0.low)) }
        func touchingPair() -> (Int, Int)? {
            for (i, a) in groups.enumerated() {
                for (j, b) in groups.enumerated().dropFirst(i + 1) where a.touches(b) { return (i, j) }
            }
            return nil
        }
        while let (i, j) = touchingPair() {
            let other = groups.remove(at: j)
            groups[i].ofFirst += other.ofFirst
            groups[i].ofNext += other.ofNext
            groups[i].old += other.old
            groups[i].new += other.new
        }
        groups.sort { ($0.low, $0.high) < ($1.low, $1.high) }
        var shift = 0
        return ChangeSectionsModel(
            groups.map { group in
                let low = group.low + shift
                shift += group.old
                return Section(
                    low: low, high: group.high + shift, inserted: group.high - group.low + group.new)
            })
    }
}

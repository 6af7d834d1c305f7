import InkstoneBase

/// The changes of the attributes of a text as a value: positions, old runs and new runs.
///
/// Each replacement of text lies in a section of the patch. A section in which no text is replaced has the same
/// length before and after the change. Immutable. Inversion is O(1) and shares the runs.
struct AttributePatch: Sendable {
    /// A range whose attributes change. Offsets are UTF-16 units of the old and of the new text.
    struct Section: Equatable, Sendable {
        var oldStart: Int
        var newStart: Int
        var old: AttributeRuns
        var new: AttributeRuns

        var oldRange: Range<Int> { oldStart..<oldStart + old.length }
        var newRange: Range<Int> { newStart..<newStart + new.length }

        /// The runs whose attributes have changed, in order, with their ranges in the new text. Only for a section
        /// whose old and new lengths are equal.
        fileprivate var changedRuns: [(old: AttributeID, new: AttributeID, range: Range<Int>)] {
            var result: [(old: AttributeID, new: AttributeID, range: Range<Int>)] = []
            var olds = old.idList[...]
            var (before, oldEnd) = (AttributeID.none, newStart)
            var at = newStart
            for (length, after) in new.idList {
                let end = at + length
                while at < end {
                    while oldEnd <= at, let next = olds.popFirst() {
                        before = next.id
                        oldEnd += next.length
                    }
                    let stop = Swift.max(at + 1, Swift.min(end, oldEnd))
                    if before != after { result.append((before, after, at..<stop)) }
                    at = stop
                }
            }
            return result
        }

        fileprivate var inverted: Section { Section(oldStart: newStart, newStart: oldStart, old: new, new: old) }
    }

    private let stored: [Section]
    private let isInverted: Bool
    /// The sizes in bytes of attachment contents, by identity. `old` lists contents that only the old runs of `stored`
    /// have, `new` those that only its new runs have.
    private let contents: (old: [ObjectIdentifier: Int], new: [ObjectIdentifier: Int])

    /// Creates a patch of ordered, disjoint sections.
    init(_ sections: [Section]) { self.init(sections, isInverted: false, contents: Self.contents(of: sections)) }

    private init(
        _ sections: [Section], isInverted: Bool,
        contents: (old: [ObjectIdentifier: Int], new: [ObjectIdentifier: Int])
    ) {
        stored = sections
        self.isInverted = isInverted
        self.contents = contents
    }

    /// Creates a patch for a change of the text alone, where neither the old nor the new text has attributes.
    init(plain map: TextChangeMap) {
        self.init(
            map.map {
                Section(
                    oldStart: $0.oldStart.utf16, newStart: $0.newStart.utf16,
                    old: AttributeRuns(length: $0.removed.utf16, .none),
                    new: AttributeRuns(length: $0.inserted.utf16, .none))
            })
    }

    var count: Int { stored.count }

    subscript(index: Int) -> Section { isInverted ? stored[index].inverted : stored[index] }

    var sections: [Section] { isInverted ? stored.map(\.inverted) : stored }

    var inverted: AttributePatch { AttributePatch(stored, isInverted: !isInverted, contents: contents) }

    /// Whether the patch leaves the attributes of the text as they are.
    var isIdentity: Bool { stored.allSatisfy { $0.old == $0.new } }

    /// Approximate memory use in bytes, without ``heldContents``.
    var cost: Int { stored.reduce(0) { $0 + 48 + $1.old.cost + $1.new.cost } }

    /// The sizes in bytes of the attachment contents that the patch removes, by identity. Added contents are not
    /// counted here, because the text itself holds them.
    var heldContents: [ObjectIdentifier: Int] { isInverted ? contents.new : contents.old }

    /// Applies the patch to a text's attribute runs; nil runs are those of a text without attributes. O(k log n)
    /// for k sections.
    func apply(to runs: inout AttributeRuns?, oldLength: Int) {
        var changed = runs ?? AttributeRuns(length: oldLength, .none)
        runs = nil
        for index in stride(from: count - 1, through: 0, by: -1) {
            let section = self[index]
            changed.replace(section.oldRange, with: section.new)
        }
        runs = changed.isPlain ? nil : changed
    }

    /// The ranges of the new text that the patch changes, in UTF-16 units: restyled or inserted text, and an empty
    /// range where text was only deleted.
    var newRanges: [Range<UTF16Offset>] {
        sections.map { UTF16Offset($0.newRange.lowerBound)..<UTF16Offset($0.newRange.upperBound) }
    }
}

extension TextChangeSet {
    /// Returns the ranges of kept text whose attributes have changed in a way that `differ` accepts. They are in
    /// UTF-16 units of the new text, in order and without overlap. If the change was composed of several, the
    /// ranges may also include text whose attributes are the same. O(k) for k runs in the changed sections.
    ///
    /// - Parameter limit: the number of accepted runs after which each section of the change is only searched for
    ///   its last such run, from the end. All text up to that run is then included, so that `differ` is not called
    ///   for each of very many runs.
    package func restyledRanges(
        askingFor limit: Int, where differ: (_ old: AttributeID, _ new: AttributeID) -> Bool
    ) -> [Range<UTF16Offset>] {
        guard let patch else { return [] }
        var result: [Range<UTF16Offset>] = []
        var count = 0
        func add(_ range: Range<Int>) {
            let range = UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound)
            if let last = result.last, last.upperBound == range.lowerBound {
                result[result.count - 1] = last.lowerBound..<range.upperBound
            } else {
                result.append(range)
            }
        }
        var sections = changeMap.makeIterator()
        var next = sections.next()
        for section in patch.sections {
            while let text = next, text.newEnd.utf16 < section.newRange.upperBound { next = sections.next() }
            // Skip a section that replaces the text itself, because only kept text is wanted.
            if let text = next, text.newStart.utf16 == section.newStart, text.inserted.utf16 == section.new.length {
                continue
            }
            guard section.old.length == section.new.length else {
                if section.new.length > 0 { add(section.newRange) }
                continue
            }
            var rest = section.changedRuns[...]
            while count < limit, let run = rest.popFirst() {
                guard differ(run.old, run.new) else { continue }
                add(run.range)
                count += 1
            }
            if let first = rest.first, let last = rest.last(where: { differ($0.old, $0.new) }) {
                add(first.range.lowerBound..<last.range.upperBound)
            }
        }
        return result
    }

    /// The ranges that were replaced or restyled, in the old and in the new text, in UTF-16 units, in order.
    package var sectionsWithAttributes: [(old: Range<UTF16Offset>, new: Range<UTF16Offset>)] {
        guard let patch else { return changeMap.map { ($0.oldRange, $0.newRange) } }
        return patch.sections.map { section in
            (
                UTF16Offset(section.oldRange.lowerBound)..<UTF16Offset(section.oldRange.upperBound),
                UTF16Offset(section.newRange.lowerBound)..<UTF16Offset(section.newRange.upperBound)
            )
        }
    }

    /// Whether the change only inserts text at the end.
    var isAppend: Bool { changeMap.isAppend && patch?.count ?? 1 == 1 }
}

extension AttributePatch: Equatable {
    static func == (a: Self, b: Self) -> Bool { a.sections == b.sections }
}

extension AttributePatch {
    /// Composes two successive patches to one patch.
    static func composed(_ first: AttributePatch, _ second: AttributePatch) -> AttributePatch {
        var composer = AttributePatchComposer(first.sections, second.sections)
        return AttributePatch(composer.run())
    }
}

/// A composer of two patches. It walks once over the sections of both, in the order of the text between the two
/// patches: the text that the first patch results in and the second changes. Sections that touch are merged.
private struct AttributePatchComposer {
    private let first: [AttributePatch.Section]
    private let second: [AttributePatch.Section]
    private var nextFirst = 0
    private var nextSecond = 0
    // The sections of the first patch that are being merged to one section.
    private var firsts: ArraySlice<AttributePatch.Section> = []
    // The sections of the second patch that are being merged to one section.
    private var seconds: ArraySlice<AttributePatch.Section> = []

    init(_ first: [AttributePatch.Section], _ second: [AttributePatch.Section]) {
        self.first = first
        self.second = second
    }

    mutating func run() -> [AttributePatch.Section] {
        var result: [AttributePatch.Section] = []
        /// The number of UTF-16 units by which each patch has lengthened the text before the sections that are being
        /// merged.
        var gained = (first: 0, second: 0)
        while nextFirst < first.count || nextSecond < second.count {
            gather()
            let start = min(firsts.first?.newStart ?? .max, seconds.first?.oldStart ?? .max)
            let end = max(firsts.last?.newRange.upperBound ?? 0, seconds.last?.oldRange.upperBound ?? 0)
            let section = AttributePatch.Section(
                oldStart: start - gained.first, newStart: start + gained.second, old: old(start..<end),
                new: new(start..<end))
            if section.old.length > 0 || section.new.length > 0 { result.append(section) }
            if let last = firsts.last { gained.first = last.newRange.upperBound - last.oldRange.upperBound }
            if let last = seconds.last { gained.second = last.newRange.upperBound - last.oldRange.upperBound }
        }
        return result
    }

    private mutating func gather() {
        let starts = (nextFirst, nextSecond)
        let a = nextFirst < first.count ? first[nextFirst].newStart : .max
        let b = nextSecond < second.count ? second[nextSecond].oldStart : .max
        var end: Int
        if a <= b {
            end = first[nextFirst].newRange.upperBound
            nextFirst += 1
        } else {
            end = second[nextSecond].oldRange.upperBound
            nextSecond += 1
        }
        while true {
            if nextFirst < first.count, first[nextFirst].newStart <= end {
                end = max(end, first[nextFirst].newRange.upperBound)
                nextFirst += 1
            } else if nextSecond < second.count, second[nextSecond].oldStart <= end {
                end = max(end, second[nextSecond].oldRange.upperBound)
                nextSecond += 1
            } else {
                break
            }
        }
        firsts = first[starts.0..<nextFirst]
        seconds = second[starts.1..<nextSecond]
    }

    /// Returns the runs before both patches: the old runs of the first patch's sections, and for the rest of the
    /// range the old runs of the second patch's sections.
    private func old(_ range: Range<Int>) -> AttributeRuns {
        runs(range, \.old, of: firsts, at: \.newRange, between: seconds, at: \.oldRange)
    }

    /// Returns the runs after both patches: the new runs of the second patch's sections, and for the rest of the
    /// range the new runs of the first patch's sections.
    private func new(_ range: Range<Int>) -> AttributeRuns {
        runs(range, \.new, of: seconds, at: \.oldRange, between: firsts, at: \.newRange)
    }

    /// Returns the old or the new runs (`side`) of two patches' sections, for a range of the text between the two
    /// patches: the runs of `sections` where these lie, and the runs of `others` elsewhere.
    private func runs(
        _ range: Range<Int>, _ side: (AttributePatch.Section) -> AttributeRuns,
        of sections: ArraySlice<AttributePatch.Section>, at place: (AttributePatch.Section) -> Range<Int>,
        between others: ArraySlice<AttributePatch.Section>, at otherPlace: (AttributePatch.Section) -> Range<Int>
    ) -> AttributeRuns {
        var runs = AttributeRuns()
        var at = range.lowerBound
        for section in sections {
            append(at..<place(section).lowerBound, of: others, by: otherPlace, side, to: &runs)
            runs.append(side(section))
            at = place(section).upperBound
        }
        append(at..<range.upperBound, of: others, by: otherPlace, side, to: &runs)
        return runs
    }

    private func append(
        _ range: Range<Int>, of sections: ArraySlice<AttributePatch.Section>,
        by place: (AttributePatch.Section) -> Range<Int>, _ side: (AttributePatch.Section) -> AttributeRuns,
        to runs: inout AttributeRuns
    ) {
        guard !range.isEmpty else { return }
        let first = sections.partitioningIndex { place($0).upperBound > range.lowerBound }
        for section in sections[first...] {
            let whole = place(section)
            if whole.lowerBound >= range.upperBound { return }
            let part = whole.clamped(to: range)
            runs.append(side(section).slice(part.lowerBound - whole.lowerBound..<part.upperBound - whole.lowerBound))
        }
    }
}

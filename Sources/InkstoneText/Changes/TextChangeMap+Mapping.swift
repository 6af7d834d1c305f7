import InkstoneBase

// The new position of an offset at or in a section, by its bias:
//
//     offset                              upstream                downstream
//     at an insertion                     before the new text     after the new text
//     strictly inside removed text        start of the new text   end of the new text
//     at an end of removed text           that end of the new text, with either bias
extension TextChangeMap {
    /// Maps an offset at or in a replaced range, in any unit, by the table in the comment of this extension.
    @inline(__always)
    static func place(_ offset: Int, in old: Range<Int>, as new: Range<Int>, _ bias: TextAffinity) -> Int {
        if !old.isEmpty {
            if offset == old.lowerBound { return new.lowerBound }
            if offset == old.upperBound { return new.upperBound }
        }
        return bias == .upstream ? new.lowerBound : new.upperBound
    }

    /// Maps an offset of the old text to the new text, in UTF-16 units. O(log n).
    public func map(_ offset: UTF16Offset, bias: TextAffinity) -> UTF16Offset {
        UTF16Offset(map(offset.value, .utf16, bias))
    }

    /// Maps an offset of the old text to the new text, in bytes. O(log n).
    public func map(_ offset: ByteOffset, bias: TextAffinity) -> ByteOffset {
        ByteOffset(map(offset.value, .bytes, bias))
    }

    /// Maps a range of the old text to the new text: text inserted at the range's ends stays outside. A range whose
    /// text was removed becomes empty; an empty range stays before text inserted at it. O(log n).
    public func map(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        let end = map(range.upperBound, bias: .upstream)
        if range.isEmpty { return end..<end }
        let start = map(range.lowerBound, bias: .downstream)
        return Swift.min(start, end)..<end
    }

    private func map(_ offset: Int, _ unit: TextPointUnit, _ bias: TextAffinity) -> Int {
        switch storage {
        case .none: return offset
        case .one(let section):
            var state = PointMapping(offset, unit, bias)
            _ = state.pass(section.at(.zero))
            return state.result
        case .many(let list, let isInverted):
            var (index, shift) = list.searchStart(offset, unit, isInverted: isInverted)
            let sections = list.sections
            var state = PointMapping(offset, unit, bias)
            state.shift = isInverted ? -shift[unit] : shift[unit]
            while index < sections.count {
                let packed = sections[index]
                let section = packed.at(shift)
                guard state.pass(isInverted ? section.inverted : section) else { break }
                shift += packed.inserted - packed.removed
                index += 1
            }
            return state.result
        }
    }

    /// The sides of an offset on which text was removed.
    package struct Deletion: OptionSet, Hashable, Sendable {
        /// The sides of the offset as bits; see ``before``, ``after`` and ``across``.
        package let rawValue: UInt8

        /// Creates a set with the given bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The text right before the offset was removed.
        package static let before = Deletion(rawValue: 1)
        /// The text right after the offset was removed.
        package static let after = Deletion(rawValue: 2)
        /// A single section removed text on both sides of the offset.
        package static let across = Deletion(rawValue: 4)
    }

    /// Maps an offset of the old text to the new text, and returns on which sides of the offset text was removed.
    /// O(log n).
    package func mapReporting(
        _ offset: UTF16Offset, bias: TextAffinity
    ) -> (offset: UTF16Offset, deletion: Deletion) {
        var deletion = Deletion()
        let at = offset.value
        forEachSection(endingFrom: at) { section in
            guard section.oldStart.utf16 <= at else { return false }
            if section.removed.utf16 > 0 {
                let isBefore = section.oldStart.utf16 < at
                let isAfter = section.oldEnd.utf16 > at
                if isBefore { deletion.insert(.before) }
                if isAfter { deletion.insert(.after) }
                if isBefore && isAfter { deletion.insert(.across) }
            }
            return true
        }
        return (map(offset, bias: bias), deletion)
    }

    /// Whether a section overlaps a range of the old text, or touches an end of the range. O(log n).
    public func touches(_ range: Range<UTF16Offset>) -> Bool {
        var isTouched = false
        forEachSection(endingFrom: range.lowerBound.value) { section in
            isTouched = section.oldStart.utf16 <= range.upperBound.value
            return false
        }
        return isTouched
    }

    /// Whether a section removes text from a range of the old text, or inserts text strictly inside the range.
    /// O(log n).
    public func overlaps(_ range: Range<UTF16Offset>) -> Bool {
        var isOverlapped = false
        forEachSection(endingFrom: range.lowerBound.value) { section in
            if section.oldEnd.utf16 == range.lowerBound.value { return true }
            isOverlapped = section.oldStart.utf16 < range.upperBound.value
            return false
        }
        return isOverlapped
    }

    /// Calls `body` with the sections that end at or after a UTF-16 offset of the old text, until `body` returns
    /// false.
    private func forEachSection(endingFrom offset: Int, _ body: (Section) -> Bool) {
        var index = 0
        if case .many(let list, let isInverted) = storage {
            index = list.searchStart(offset, .utf16, isInverted: isInverted).index
        }
        while index < count {
            let section = self[index]
            if section.oldEnd.utf16 >= offset, !body(section) { return }
            index += 1
        }
    }
}

extension Sequence<TextChangeMap.Section> {
    /// Calls `body` with the parts of a range that no section removes, in order: each part's range in the old text,
    /// and its shift to the new text.
    ///
    /// - Parameters:
    ///   - unit: the unit of the range.
    ///   - shift: the shift from the old to the new text before the first section of this sequence.
    @inline(__always)
    func forEachKept(
        of range: Range<Int>, _ unit: TextPointUnit, shift: Int, _ body: (_ part: Range<Int>, _ shift: Int) -> Void
    ) {
        var (at, shift) = (range.lowerBound, shift)
        for section in self {
            let start = section.oldStart[unit]
            guard start < range.upperBound else { break }
            if start > at { body(at..<start, shift) }
            at = Swift.max(at, section.oldEnd[unit])
            shift = section.newEnd[unit] - section.oldEnd[unit]
        }
        if at < range.upperBound { body(at..<range.upperBound, shift) }
    }
}

extension TextChangeMap {
    /// Calls `body` with the parts of a range that no section removes, in order: each part's range in the old text,
    /// and its shift to the new text. O(log n + k) for k sections in the range.
    func forEachKept(
        of range: Range<Int>, _ unit: TextPointUnit, _ body: (_ part: Range<Int>, _ shift: Int) -> Void
    ) {
        guard case .many(let list, let isInverted) = storage else {
            return IteratorSequence(makeIterator()).forEachKept(of: range, unit, shift: 0, body)
        }
        let (index, shift) = list.searchStart(range.lowerBound, unit, isInverted: isInverted)
        IteratorSequence(Iterator(self, from: index, shift: shift)).forEachKept(
            of: range, unit, shift: isInverted ? -shift[unit] : shift[unit], body)
    }

    /// Returns the parts of a range of the old text that no section removes, by their ranges in the new text, in
    /// UTF-16 units. Text inserted between the parts is left out. O(log n + k) for k sections in the range.
    package func remains(of range: Range<UTF16Offset>) -> [Range<UTF16Offset>] {
        var result: [Range<UTF16Offset>] = []
        forEachKept(of: range.lowerBound.value..<range.upperBound.value, .utf16) { part, shift in
            result.append(UTF16Offset(part.lowerBound + shift)..<UTF16Offset(part.upperBound + shift))
        }
        return result
    }
}

/// The state of mapping one offset of the old text, while the sections of the change are processed in order.
private struct PointMapping {
    let offset: Int
    let unit: TextPointUnit
    let bias: TextAffinity
    /// The shift from the old to the new text after the sections processed so far.
    var shift = 0
    /// The mapped offset; nil until a section that contains or touches the offset was processed.
    private var place: Int?

    init(_ offset: Int, _ unit: TextPointUnit, _ bias: TextAffinity) {
        self.offset = offset
        self.unit = unit
        self.bias = bias
    }

    var result: Int { place ?? offset + shift }

    /// Processes the next section of the change: determines how it moves the offset. Returns false if no later section
    /// can affect the offset.
    @inline(__always)
    mutating func pass(_ section: TextChangeMap.Section) -> Bool {
        let start = section.oldStart[unit]
        guard start <= offset else { return false }
        let end = section.oldEnd[unit]
        if end < offset {
            shift = section.newEnd[unit] - end
            return true
        }
        let newEnd = section.newEnd[unit]
        place = TextChangeMap.place(offset, in: start..<end, as: section.newStart[unit]..<newEnd, bias)
        // After an insertion at the offset, another section may start at the same offset. Process that section too only
        // if the offset is moved behind all insertions.
        return start == end ? bias == .downstream : offset == end
    }
}

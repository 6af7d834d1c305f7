import InkstoneBase

/// The positions and lengths of a change set's replacements, without their texts. Maps offsets of the old text to
/// the new text.
///
/// Without texts it is small, so that logs can keep many maps. An immutable value; copies and inversion are O(1).
public struct TextChangeMap: Sendable {
    /// A replacement: a range of the old text and the range that replaces it in the new text.
    ///
    /// The two starts and the two lengths are each in bytes, UTF-16 units and newlines. One of the two lengths may
    /// be zero; rarely both are.
    public struct Section: Hashable, Sendable {
        /// The start of the removed text, in the old text.
        public var oldStart: TextPoint
        /// The start of the inserted text, in the new text.
        public var newStart: TextPoint
        /// The length of the removed text.
        public var removed: TextPoint
        /// The length of the inserted text.
        public var inserted: TextPoint

        /// The end of the removed text, in the old text.
        public var oldEnd: TextPoint { oldStart + removed }
        /// The end of the inserted text, in the new text.
        public var newEnd: TextPoint { newStart + inserted }

        /// The replaced range, in UTF-16 units of the old text.
        public var oldRange: Range<UTF16Offset> { UTF16Offset(oldStart.utf16)..<UTF16Offset(oldEnd.utf16) }
        /// The range of the inserted text, in UTF-16 units of the new text.
        public var newRange: Range<UTF16Offset> { UTF16Offset(newStart.utf16)..<UTF16Offset(newEnd.utf16) }
        /// The replaced range, in bytes of the old text.
        public var oldByteRange: Range<ByteOffset> { ByteOffset(oldStart.bytes)..<ByteOffset(oldEnd.bytes) }
        /// The range of the inserted text, in bytes of the new text.
        public var newByteRange: Range<ByteOffset> { ByteOffset(newStart.bytes)..<ByteOffset(newEnd.bytes) }

        var inverted: Section {
            Section(oldStart: newStart, newStart: oldStart, removed: inserted, inserted: removed)
        }
    }

    enum Storage: Sendable {
        case none
        case one(TextSectionList.Packed)
        case many(TextSectionList, isInverted: Bool)
    }

    let storage: Storage
    /// The length of the old text, in all three units.
    package let oldLength: TextPoint

    /// Creates an empty change of a text with the given length.
    init(none length: TextPoint) {
        self.init(.none, oldLength: length)
    }

    /// Creates a single replacement.
    init(_ section: TextSectionList.Packed, oldLength: TextPoint) {
        self.init(.one(section), oldLength: oldLength)
    }

    /// Creates a change of several replacements.
    init(_ list: TextSectionList, oldLength: TextPoint) {
        self.init(.many(list, isInverted: false), oldLength: oldLength)
    }

    /// Returns the same change for the old text with more text at its end; `length` is the length of the additional
    /// text.
    func extended(by length: TextPoint) -> TextChangeMap {
        TextChangeMap(storage, oldLength: oldLength + length)
    }

    /// Whether the change only inserts text at the end.
    var isAppend: Bool {
        guard case .one(let section) = storage else { return false }
        return section.removed == .zero && section.start == oldLength
    }

    private init(_ storage: Storage, oldLength: TextPoint) {
        self.storage = storage
        self.oldLength = oldLength
    }

    /// The length of the new text, in all three units.
    package var newLength: TextPoint { oldLength + delta }

    /// The change that turns the new text back into the old one. O(1).
    public var inverted: TextChangeMap {
        let inverse: Storage =
            switch storage {
            case .none: .none
            case .one(let section): .one(section.inverted)
            case .many(let list, let isInverted): .many(list, isInverted: !isInverted)
            }
        return TextChangeMap(inverse, oldLength: newLength)
    }

    /// The growth of the text by the change; negative in a unit in which the text shrinks.
    package var delta: TextPoint {
        switch storage {
        case .none: .zero
        case .one(let section): section.inserted - section.removed
        case .many(let list, let isInverted): isInverted ? .zero - list.shift : list.shift
        }
    }
}

/// The sections in text order. They do not overlap, but may touch. Access by index is O(1), with up to 31
/// additions.
extension TextChangeMap: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }

    /// Number of sections, each of which is one replacement.
    public var endIndex: Int {
        switch storage {
        case .none: 0
        case .one: 1
        case .many(let list, _): list.sections.count
        }
    }

    /// The section at an index.
    public subscript(position: Int) -> Section {
        switch storage {
        case .none: preconditionFailure("no section")
        case .one(let section):
            precondition(position == 0, "one section")
            return section.at(.zero)
        case .many(let list, let isInverted):
            let section = list[position]
            return isInverted ? section.inverted : section
        }
    }

    /// An iterator over the sections. Each step costs one addition, less than access by index.
    public struct Iterator: IteratorProtocol {
        private let map: TextChangeMap
        private var index: Int
        private var shift: TextPoint

        /// Creates an iterator.
        ///
        /// - Parameters:
        ///   - index: the section to start from.
        ///   - shift: the growth of the text before that section.
        init(_ map: TextChangeMap, from index: Int = 0, shift: TextPoint = .zero) {
            (self.map, self.index, self.shift) = (map, index, shift)
        }

        /// Returns the next section; nil after the last.
        public mutating func next() -> Section? {
            switch map.storage {
            case .none: return nil
            case .one(let section):
                defer { index = 1 }
                return index == 0 ? section.at(.zero) : nil
            case .many(let list, let isInverted):
                guard index < list.sections.count else { return nil }
                let packed = list.sections[index]
                let section = packed.at(shift)
                shift += packed.inserted - packed.removed
                index += 1
                return isInverted ? section.inverted : section
            }
        }
    }

    /// Returns an iterator over all sections.
    public func makeIterator() -> Iterator { Iterator(self) }
}

extension TextChangeMap: Equatable {
    /// Whether both maps replace the same ranges by texts of the same lengths. O(n).
    public static func == (a: Self, b: Self) -> Bool {
        a.oldLength == b.oldLength && a.elementsEqual(b)
    }
}

/// Sections in order, with the growth of the text before every 32nd section, by which any section can be reached
/// quickly. Immutable.
final class TextSectionList: Sendable {
    /// A section with its start in the old text only. Its start in the new text follows from the growth by earlier
    /// sections.
    struct Packed: Sendable {
        var start: TextPoint
        var removed: TextPoint
        var inserted: TextPoint

        /// The inverse of the section. Correct only for the first section of a list, whose start is the same in the old
        /// and in the new text because no earlier section has changed the length.
        var inverted: Packed { Packed(start: start, removed: inserted, inserted: removed) }

        @inline(__always)
        func at(_ shift: TextPoint) -> TextChangeMap.Section {
            TextChangeMap.Section(oldStart: start, newStart: start + shift, removed: removed, inserted: inserted)
        }
    }

    /// Number of sections between two checkpoints.
    static let stride = 32

    let sections: [Packed]
    /// The growth of the text before sections 0, 32, 64 and so on.
    let checkpoints: [TextPoint]
    /// The growth of the text by all sections.
    let shift: TextPoint

    init(_ sections: [Packed]) {
        self.sections = sections
        var checkpoints: [TextPoint] = []
        checkpoints.reserveCapacity(sections.count / Self.stride + 1)
        var shift = TextPoint.zero
        for (i, section) in sections.enumerated() {
            if i % Self.stride == 0 { checkpoints.append(shift) }
            shift += section.inserted - section.removed
        }
        self.checkpoints = checkpoints
        self.shift = shift
    }

    /// Returns the growth of the text by the sections before an index.
    func shift(before index: Int) -> TextPoint {
        let block = index / Self.stride
        var shift = checkpoints[block]
        for i in (block * Self.stride)..<index { shift += sections[i].inserted - sections[i].removed }
        return shift
    }

    subscript(index: Int) -> TextChangeMap.Section { sections[index].at(shift(before: index)) }

    /// Returns the index of a section at or before the first section that ends at or after an offset, for a search
    /// from there, and the growth of the text before that section.
    func searchStart(_ offset: Int, _ unit: TextPointUnit, isInverted: Bool) -> (index: Int, shift: TextPoint) {
        // Find the last checkpoint whose section starts before the offset: all sections before it end before the
        // offset.
        var low = 0
        var high = checkpoints.count
        while high - low > 1 {
            let middle = (low + high) / 2
            let shift = isInverted ? checkpoints[middle][unit] : 0
            if sections[middle * Self.stride].start[unit] + shift < offset { low = middle } else { high = middle }
        }
        return (low * Self.stride, checkpoints.isEmpty ? .zero : checkpoints[low])
    }
}

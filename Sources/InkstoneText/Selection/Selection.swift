import InkstoneBase

/// The selection of a user in a text: one or more ranges, one of them primary. A plain value.
///
/// The ranges are sorted and do not overlap. Two selected ranges may touch, but no caret lies in or at the edge of
/// another range. There is always at least one range: a text without a selection has a nil `Selection?`. A
/// selection of one range allocates no storage of its own.
///
/// Moves are functions of a selection and the geometry of its text: `selection.moved(_:_:extending:in:)`.
public struct Selection: Hashable, Sendable {
    // The only range, or the primary one of several.
    private var main: SelectionRange
    // All ranges if there are several, else empty.
    private var several: [SelectionRange] = []

    /// Index of the primary range among ``ranges``.
    public private(set) var primaryIndex = 0

    /// Creates a selection of one range.
    public init(_ range: SelectionRange) { main = range }

    /// Creates a selection of one caret.
    public init(caret: UTF16Offset, affinity: TextAffinity = .downstream) {
        self.init(SelectionRange(caret: caret, affinity: affinity))
    }

    /// Creates a selection of one range, from its fixed to its moving end. The moving end may come first in the text.
    public init(
        anchor: UTF16Offset, head: UTF16Offset, affinity: TextAffinity = .downstream,
        granularity: TextGranularity = .character
    ) {
        self.init(SelectionRange(anchor: anchor, head: head, affinity: affinity, granularity: granularity))
    }

    /// Creates a selection of several ranges, in any order; nil without any. Overlapping ranges are merged, and so is a
    /// caret with a range that it touches. A range merged from the primary range is primary. O(n log n).
    ///
    /// - Parameter primary: index of the primary range in `ranges`, clamped; nil for the last.
    public init?(_ ranges: [SelectionRange], primary: Int? = nil) {
        guard let last = ranges.last else { return nil }
        guard ranges.count > 1 else {
            main = last
            return
        }
        let primary = min(max(0, primary ?? ranges.count - 1), ranges.count - 1)
        let order = ranges.indices.sorted {
            let (a, b) = (ranges[$0], ranges[$1])
            return (a.lowerBound, a.upperBound, $0) < (b.lowerBound, b.upperBound, $1)
        }
        var result: [SelectionRange] = []
        result.reserveCapacity(ranges.count)
        var primaryIndex = 0
        // Whether the last range of `result` is or includes the primary range.
        var endIsPrimary = false
        for index in order {
            let next = ranges[index]
            if let end = result.last, Self.join(end, next) {
                result[result.count - 1] = Self.union(end, next, prefersFirst: endIsPrimary || index != primary)
            } else {
                result.append(next)
                endIsPrimary = false
            }
            if index == primary {
                primaryIndex = result.count - 1
                endIsPrimary = true
            }
        }
        main = result[primaryIndex]
        guard result.count > 1 else { return }
        several = result
        self.primaryIndex = primaryIndex
    }

    /// Whether two ranges, the first not after the second, have to be merged.
    private static func join(_ a: SelectionRange, _ b: SelectionRange) -> Bool {
        a.isCaret || b.isCaret ? b.lowerBound <= a.upperBound : b.lowerBound < a.upperBound
    }

    /// Merges two ranges, with the direction, affinity and goal column of the preferred one.
    private static func union(_ a: SelectionRange, _ b: SelectionRange, prefersFirst: Bool) -> SelectionRange {
        let low = min(a.lowerBound, b.lowerBound)
        let high = max(a.upperBound, b.upperBound)
        let kept = prefersFirst ? a : b
        // A caret has no direction: use the other range's direction.
        let direction = kept.isCaret ? (prefersFirst ? b : a) : kept
        var result = kept
        result.anchor = direction.anchor <= direction.head ? low : high
        result.head = direction.anchor <= direction.head ? high : low
        if result.head != kept.head {
            result.place.forgetMoves()
            result.affinity = direction.head == result.head ? direction.affinity : .downstream
        }
        return result
    }

    // MARK: Reading

    /// The range used by scrolling, input methods and commands that act at one position.
    public var primary: SelectionRange { main }

    /// Number of ranges, at least 1.
    public var count: Int { several.isEmpty ? 1 : several.count }

    /// All ranges in the order of the text. Allocates an array if there is only one: see ``count`` and ``primary``.
    public var ranges: [SelectionRange] { several.isEmpty ? [main] : several }

    /// The fixed end of the primary range, in UTF-16 code units.
    public var anchor: UTF16Offset { main.anchor }
    /// The moving end of the primary range, in UTF-16 code units.
    public var head: UTF16Offset { main.head }
    /// The neighbouring character that the moving end of the primary range belongs to.
    public var affinity: TextAffinity { main.affinity }
    /// The extent of the primary range; empty for a caret.
    public var range: Range<UTF16Offset> { main.range }
    /// Whether the primary range is a caret.
    public var isCaret: Bool { main.isCaret }

    /// Whether no text is selected, because all ranges are carets.
    public var isEmpty: Bool { several.isEmpty ? main.isCaret : several.allSatisfy(\.isCaret) }

    /// Whether an offset lies in a selected range. A range's end is outside the range. O(log n).
    public func contains(_ offset: UTF16Offset) -> Bool {
        guard !several.isEmpty else { return main.range.contains(offset) }
        let next = several.partitioningIndex { $0.upperBound > offset }
        return next < several.count && several[next].range.contains(offset)
    }

    /// Returns the ranges that lie in or touch a part of the text, in order. O(log n + k).
    public func ranges(touching part: Range<UTF16Offset>) -> ArraySlice<SelectionRange> {
        guard !several.isEmpty else {
            return main.lowerBound <= part.upperBound && main.upperBound >= part.lowerBound ? [main] : []
        }
        let first = several.partitioningIndex { $0.upperBound >= part.lowerBound }
        let end = max(first, several.partitioningIndex { $0.lowerBound > part.upperBound })
        return several[first..<end]
    }

    // MARK: Selections derived from this one

    /// A selection of the primary range only.
    public var onlyPrimary: Selection { Selection(main) }

    /// Returns the selection with one more range, which becomes the primary one. O(n log n).
    public func adding(_ range: SelectionRange) -> Selection {
        Selection(ranges + [range]) ?? Selection(range)
    }

    /// Replaces each range by the result of `transform`. Ranges that overlap afterwards are merged. O(n log n).
    public func map(_ transform: (SelectionRange) -> SelectionRange) -> Selection {
        guard !several.isEmpty else { return Selection(transform(main)) }
        return Selection(several.map(transform), primary: primaryIndex) ?? self
    }

    /// Returns the selection with all ends moved into `bounds`, in UTF-16 code units.
    public func clamped(into bounds: Range<UTF16Offset>) -> Selection { map { $0.clamped(into: bounds) } }

    /// Returns the selection after a change of the text.
    ///
    /// The first end of a range maps `downstream` and its last end `upstream`: text inserted by others at an end is
    /// not selected. A range whose text was deleted becomes a caret. The number of ranges never grows, and no range
    /// is inverted.
    ///
    /// - Parameters:
    ///   - caret: the side to which carets map: after text inserted at them, or before it while a file's text is
    ///     loaded.
    ///   - map: maps an offset of the old text with a bias; monotone, and `upstream` never after `downstream`.
    public func mapped(
        caret: TextAffinity = .downstream, through map: (UTF16Offset, TextAffinity) -> UTF16Offset
    ) -> Selection {
        self.map { $0.mapped(caret: caret, map) }
    }
}

extension Selection: CustomStringConvertible {
    /// Each range as `anchor→head`, a caret as its offset. Of several ranges, the primary one is marked by `*`.
    public var description: String {
        let parts = ranges.enumerated().map { index, range in
            let text = range.isCaret ? "\(range.head)" : "\(range.anchor)→\(range.head)"
            return count > 1 && index == primaryIndex ? text + "*" : text
        }
        return parts.joined(separator: " ")
    }
}

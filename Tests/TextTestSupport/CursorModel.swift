import InkstoneBase
import InkstoneText

/// A model of a selection: directed ranges, normalized one by one.
package struct CursorModel: Equatable {
    /// A range from its fixed to its moving end; a caret if they are equal.
    package struct Range: Equatable {
        package var anchor: Int
        package var head: Int

        package init(_ anchor: Int, _ head: Int) { (self.anchor, self.head) = (anchor, head) }

        package var low: Int { min(anchor, head) }
        package var high: Int { max(anchor, head) }
        package var isCaret: Bool { anchor == head }
    }

    package var ranges: [Range]
    package var primary: Int

    /// Ranges in any order: they are sorted, and those that overlap or touch a caret become one.
    package init(_ unsorted: [Range], primary wanted: Int) {
        var parts = unsorted.enumerated().map { (range: $1, isPrimary: $0 == wanted) }
        parts.sort { ($0.range.low, $0.range.high) < ($1.range.low, $1.range.high) }
        var index = 0
        while index + 1 < parts.count {
            let (a, b) = (parts[index], parts[index + 1])
            let touch = a.range.isCaret || b.range.isCaret
            guard touch ? b.range.low <= a.range.high : b.range.low < a.range.high else {
                index += 1
                continue
            }
            // The primary one's direction, or the first one's; a caret has none.
            var leading = b.isPrimary && !a.isPrimary ? b.range : a.range
            if leading.isCaret { leading = leading == a.range ? b.range : a.range }
            let low = a.range.low
            let high = max(a.range.high, b.range.high)
            parts[index] = (
                leading.anchor <= leading.head ? Range(low, high) : Range(high, low), a.isPrimary || b.isPrimary
            )
            parts.remove(at: index + 1)
        }
        ranges = parts.map(\.range)
        primary = parts.firstIndex { $0.isPrimary } ?? 0
    }

    package init(caret: Int) { self.init([Range(caret, caret)], primary: 0) }

    /// Creates the model of a selection.
    package init(_ selection: Selection) {
        ranges = selection.ranges.map { Range($0.anchor.value, $0.head.value) }
        primary = selection.primaryIndex
    }

    /// The same as a value of the library.
    package var selection: Selection? {
        Selection(
            ranges.map { SelectionRange(anchor: .init($0.anchor), head: .init($0.head)) }, primary: primary)
    }

    /// Maps each end as a selection does: text inserted at the ends of a range stays outside; carets move or stay
    /// as given.
    package func mapped(_ change: ChangeSectionsModel, caretsStay: Bool = false) -> CursorModel {
        CursorModel(ranges.map { Self.map($0, change, caretsStay: caretsStay) }, primary: primary)
    }

    private static func map(_ range: Range, _ change: ChangeSectionsModel, caretsStay: Bool = false) -> Range {
        let low = change.map(range.low, goesBehind: true)
        let high = change.map(range.high, goesBehind: false)
        if range.isCaret || low >= high {
            let caret = change.map(range.low, goesBehind: !caretsStay)
            return Range(caret, caret)
        }
        return range.anchor < range.head ? Range(low, high) : Range(high, low)
    }

    /// Maps ranges so that they include text inserted at their ends.
    package func grown(_ change: ChangeSectionsModel) -> CursorModel {
        CursorModel(
            ranges.map { range in
                if range.isCaret { return Self.map(range, change) }
                let low = change.map(range.low, goesBehind: false)
                let high = change.map(range.high, goesBehind: true)
                return range.anchor < range.head ? Range(low, high) : Range(high, low)
            }, primary: primary)
    }

    /// Carets behind all that is inserted, with the ranges that nothing is done to.
    package func afterInserted(_ change: ChangeSectionsModel) -> CursorModel {
        let ends = change.newRanges.map(\.upperBound)
        if ends.count == 1, ranges.count == 1 { return CursorModel(caret: ends[0]) }
        var result = ends.map { Range($0, $0) }
        var primary = result.count - 1
        for (index, range) in ranges.enumerated() {
            let touched = change.sections.firstIndex { $0.low <= range.high && $0.high >= range.low }
            if index == self.primary { primary = touched ?? result.count }
            if touched == nil { result.append(Self.map(range, change)) }
        }
        return CursorModel(result, primary: primary)
    }
}

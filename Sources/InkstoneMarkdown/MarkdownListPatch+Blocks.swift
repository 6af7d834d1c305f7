/// The source of blocks that replace a list or several blocks. For example, if an item leaves a list, two lists and a
/// paragraph between them replace the list. Items and blocks that were not edited keep their bytes.
struct MarkdownRegrouping {
    /// An item of an outermost list, or another outermost block.
    private enum Unit: Equatable {
        case item(MarkdownItem, isNumbered: Bool)
        case block(MarkdownBlock)
    }

    /// A unit of the old source: its lines and, for an item, its list and its index in the list.
    private struct OldUnit {
        var unit: Unit
        var lines: Range<Int>
        var item: (list: MarkdownListPatch, index: Int)?
        /// The spelling of the item's marker; nil for another block.
        var marker: MarkdownListPatch.Marker? { item.map { $0.list.markers[$0.index] } }
    }

    private let bytes: [UInt8]
    private var old: [OldUnit] = []
    private let newline: String

    init(_ bytes: [UInt8], _ newline: String) { (self.bytes, self.newline) = (bytes, newline) }

    /// Adds the next block of the old source.
    ///
    /// - Parameters:
    ///   - lines: the lines of the block.
    ///   - list: its items in the source, if it is a list. Nil for another block, or if they are not known: the list
    ///     is then kept or written anew as a whole.
    mutating func add(_ block: MarkdownBlock, _ lines: Range<Int>, _ list: MarkdownListPatch?) {
        guard let list else { return old.append(OldUnit(unit: .block(block), lines: lines)) }
        for index in list.items.indices {
            old.append(
                OldUnit(
                    unit: .item(list.items[index], isNumbered: list.start != nil),
                    lines: list.starts[index]..<list.starts[index + 1], item: (list, index)))
        }
    }

    /// Returns the sources of new blocks, each but the last one followed by a blank line. Nil if no item of the old
    /// lists is kept, if a new item has no neighbour from the old source whose marker it can copy, or if a kept item
    /// that begins a list cannot get its new number; see `kept(_:_:_:isFirst:)`.
    func sources(for new: ArraySlice<MarkdownBlock>) -> [[UInt8]]? {
        let units = new.flatMap { block in
            guard case .list(let start, let items) = block else { return [Unit.block(block)] }
            return items.map { .item($0, isNumbered: start != nil) }
        }
        let most = min(old.count, units.count)
        let low = zip(old, units).prefix { $0.unit == $1 }.count
        let tail = zip(old.reversed(), units.reversed()).prefix(most - low).prefix { $0.unit == $1 }.count
        var places = (0..<low).map { Optional($0) }
        places += Self.places(
            of: units[low..<units.count - tail], in: old[low..<old.count - tail].map(\.unit), from: low)
        places += (old.count - tail..<old.count).map { Optional($0) }
        /// Returns the old unit that a new unit is equal to; nil if the new unit must be written anew.
        func source(of unit: Int) -> OldUnit? {
            places.indices.contains(unit) ? places[unit].map { old[$0] } : nil
        }
        guard units.indices.contains(where: { source(of: $0)?.item != nil }) else { return nil }
        var result: [[UInt8]] = []
        var unit = 0
        for block in new {
            if let last = result.indices.last { end(&result[last], withBlankLine: true) }
            var written: [UInt8] = []
            if case .list(let start, let items) = block {
                // All items of a list have the sign of its first one: with another sign, another list would begin.
                var sign: UInt8?
                for (index, item) in items.enumerated() {
                    let known = source(of: unit + index)
                    // A new item gets the same kind of marker as an adjacent item of the old source.
                    let near = [-1, 1].lazy.compactMap { source(of: unit + index + $0)?.item }.first
                    if index > 0 { end(&written, withBlankLine: (known?.item ?? near)?.list.isLoose == true) }
                    let number = start.map { $0 + index }
                    if let known {
                        sign = sign ?? known.marker?.sign
                        guard let kept = kept(known, number, sign, isFirst: index == 0) else { return nil }
                        written += kept
                    } else {
                        guard let near, (near.list.start == nil) == (start == nil) else { return nil }
                        var marker = near.list.markers[near.index]
                        marker.sign = sign ?? marker.sign
                        sign = marker.sign
                        written += MarkdownListPatch.written(item, like: marker, number: number, newline)
                    }
                }
                unit += items.count
            } else {
                written = source(of: unit).map { Array(bytes[$0.lines]) } ?? block.lines(newline)
                unit += 1
            }
            result.append(written)
        }
        return result
    }

    /// Returns the indices of the old units that are equal to new ones, in order; nil for a new unit without an equal
    /// one. The comparison takes quadratic time, so all results are nil if there are many units.
    private static func places(of new: ArraySlice<Unit>, in old: [Unit], from low: Int) -> [Int?] {
        guard max(new.count, old.count) <= 256 else { return Array(repeating: nil, count: new.count) }
        var (gone, added): (Set<Int>, Set<Int>) = ([], [])
        for change in Array(new).difference(from: old) {
            switch change {
            case .remove(let offset, _, _): gone.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var kept = old.indices.filter { !gone.contains($0) }[...]
        return (0..<new.count).map { added.contains($0) ? nil : kept.popFirst().map { low + $0 } }
    }

    /// Ends the last line and, if `withBlankLine`, adds a blank line unless there is one.
    private func end(_ source: inout [UInt8], withBlankLine: Bool) {
        if source.last != 0xa { source += newline.utf8 }
        if withBlankLine, !MarkdownListPatch.endsWithBlankLine(source[...]) { source += newline.utf8 }
    }

    /// Returns the lines of a kept item with its new number and sign. An item other than the first of a new list keeps
    /// its number if it was not numbered consecutively, or if a line has tabs and the number of digits changes. In the
    /// latter case, returns nil for the first item.
    private func kept(_ unit: OldUnit, _ number: Int?, _ sign: UInt8?, isFirst: Bool) -> [UInt8]? {
        var result = Array(bytes[unit.lines])
        if let marker = unit.marker, let sign, marker.sign != sign {
            let place = marker.indent + marker.digits.count
            if result.indices.contains(place), result[place] == marker.sign { result[place] = sign }
        }
        guard let number, let (list, index) = unit.item, let start = list.start, list.number(index) != number,
            isFirst || list.number(index) == start + index
        else { return result }
        return MarkdownListPatch.numbered(result, number, list.markers[index]) ?? (isFirst ? nil : result)
    }
}

extension MarkdownBlock {
    /// The source of the block in the standard style.
    fileprivate func lines(_ newline: String) -> [UInt8] {
        MarkdownWriter.lines([self], isPlain: true).flatMap { Array(($0 + newline).utf8) }
    }
}

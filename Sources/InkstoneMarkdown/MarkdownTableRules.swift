import InkstoneBase

/// The lines of dashes below the headers of tables (here: rules) that have fewer than three dashes for a column, as in
/// `|-|:-:|`. GitHub accepts such a rule but md4c does not, so md4c parses a copy of the source with more dashes.
struct MarkdownTableRules {
    /// The source with the added dashes.
    private(set) var bytes: [UInt8] = []
    /// The offsets of the added dashes in ``bytes``, in order.
    private(set) var added: [Int] = []

    /// Creates a copy of a source with dashes added to the rules after the front matter. Nil if no rule needs any, as
    /// in most sources. O(n).
    init?(_ source: UnsafeBufferPointer<UInt8>, behind front: Int) {
        var start = source.startIndex + front
        var above = start..<start
        var copied = source.startIndex
        while start < source.endIndex {
            let end = source[start...].firstIndex { $0 == 0xa || $0 == 0xd } ?? source.endIndex
            let line = start..<end
            if let places = Self.missingDashes(in: source[line], below: source[above]) {
                for place in places {
                    bytes += source[copied..<place.at]
                    copied = place.at
                    for _ in 0..<place.count {
                        added.append(bytes.count)
                        bytes.append(0x2d)
                    }
                }
            }
            above = line
            start = end + 1
            if end < source.endIndex, source[end] == 0xd, start < source.endIndex, source[start] == 0xa { start += 1 }
        }
        guard !added.isEmpty else { return nil }
        bytes += source[copied...]
    }

    /// Returns the offset in the source that corresponds to an offset in ``bytes``.
    func place(of offset: Int) -> Int { offset - count(before: offset) }

    /// Whether dashes were added in a range of ``bytes``.
    func isChanged(_ range: Range<Int>) -> Bool { count(before: range.upperBound) > count(before: range.lowerBound) }

    /// Returns the offsets in a range of ``bytes`` that are not those of added dashes.
    func kept(in range: Range<Int>) -> [Int] {
        var next = count(before: range.lowerBound)
        return range.filter { offset in
            guard next < added.count, added[next] == offset else { return true }
            next += 1
            return false
        }
    }

    private func count(before offset: Int) -> Int { added.partitioningIndex { $0 >= offset } }

    /// Returns the offsets at which dashes are to be added in a line, and how many at each. Nil if the line is not a
    /// table's line of dashes, needs no more dashes, or has a different number of cells from the line above it.
    private static func missingDashes(
        in line: Slice<UnsafeBufferPointer<UInt8>>, below above: Slice<UnsafeBufferPointer<UInt8>>
    ) -> [(at: Int, count: Int)]? {
        let text = line.drop { $0 == 0x20 }
        guard line.count - text.count < 4, let first = text.first, first == 0x7c || first == 0x2d || first == 0x3a,
            text.contains(0x7c)
        else { return nil }
        var places: [(at: Int, count: Int)] = []
        var cells = 0
        var at = text.startIndex
        func skipBlanks() { while at < text.endIndex, text[at] == 0x20 || text[at] == 0x9 { at += 1 } }
        if first == 0x7c { at += 1 }
        while true {
            skipBlanks()
            guard at < text.endIndex else { break }
            if text[at] == 0x3a { at += 1 }
            let start = at
            while at < text.endIndex, text[at] == 0x2d { at += 1 }
            guard at > start else { return nil }
            if at - start < 3 { places.append((at, 3 - (at - start))) }
            if at < text.endIndex, text[at] == 0x3a { at += 1 }
            cells += 1
            skipBlanks()
            guard at < text.endIndex else { break }
            guard text[at] == 0x7c else { return nil }
            at += 1
        }
        return places.isEmpty || cells != self.cells(of: above) ? nil : places
    }

    /// Returns the number of cells of a row; 0 for a line without a vertical bar, which is no row of a table.
    private static func cells(of line: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }
        var text = line.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        guard text.contains(0x7c) else { return 0 }
        if text.first == 0x7c { text.removeFirst() }
        if text.last == 0x7c, text.dropLast().last != 0x5c { text.removeLast() }
        var count = 1
        var isEscaped = false
        for byte in text {
            if byte == 0x7c, !isEscaped { count += 1 }
            isEscaped = byte == 0x5c && !isEscaped
        }
        return count
    }
}

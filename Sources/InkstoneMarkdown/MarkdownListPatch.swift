import InkstoneText

/// The source of an edited list. Items that were not edited keep their bytes; the others are written with the same kind
/// of marker as the list's items.
struct MarkdownListPatch {
    /// The spelling of an item's marker.
    struct Marker {
        /// The number of spaces before the marker.
        var indent: Int
        /// The byte range of the digits in the source; empty for a bullet.
        var digits: Range<Int>
        /// The bullet, or the sign after the number.
        var sign: UInt8
        /// The number of spaces to write between the marker and the item's text: as in the source, or 1 if the item
        /// has no text or begins with indented code.
        var blanks: Int
    }

    let bytes: [UInt8]
    let start: Int?
    let items: [MarkdownItem]
    /// The starts of the items' first lines, and the end of the last item's lines.
    let starts: [Int]
    let markers: [Marker]
    /// Whether there are blank lines between items.
    let isLoose: Bool
    private let pieces: ArraySlice<Range<Int>>

    /// The end of the list's lines, including items without text at its end.
    var end: Int { starts.last ?? 0 }

    /// Creates the patch of a list; nil for any other block, and if the start of some item is not known.
    ///
    /// - Parameters:
    ///   - known: the first byte that the parser has reported for each item of the list itself, in its text or task
    ///     mark; nil for an item without text.
    ///   - range: the lines of the list, up to its last text.
    ///   - pieces: the byte ranges of the list's texts.
    ///   - mostEnd: the start of the next block. Items without text may be between the last text and this offset.
    init?(
        _ block: MarkdownBlock, _ known: [Int?], _ bytes: [UInt8], _ range: Range<Int>,
        _ pieces: ArraySlice<Range<Int>>,
        mostEnd: Int
    ) {
        guard case .list(let start, let items) = block, known.count == items.count, !items.isEmpty else { return nil }
        var starts: [Int] = []
        var markers: [Marker] = []
        var end = range.upperBound
        for place in known {
            let first = starts.last.map { $0 + 1 } ?? range.lowerBound
            guard let place else {
                guard
                    let (line, marker) = Self.next(
                        in: first..<mostEnd, behind: markers.last, isNumbered: start != nil, bytes)
                else { return nil }
                starts.append(line)
                markers.append(marker)
                end = max(end, Self.endOfLines(from: line, bytes[..<mostEnd]))
                continue
            }
            guard place >= first, place < range.upperBound else { return nil }
            var line = Self.lineStart(place, bytes)
            // The marker may be on a line above the first known byte, for example if the item begins with a fence.
            while line >= first, Self.marker(at: line, isNumbered: start != nil, bytes) == nil {
                guard line > first else { return nil }
                line = Self.lineStart(line - 1, bytes)
            }
            guard line >= first, let marker = Self.marker(at: line, isNumbered: start != nil, bytes) else { return nil }
            starts.append(line)
            markers.append(marker)
        }
        (self.bytes, self.start, self.items, self.markers) = (bytes, start, items, markers)
        self.starts = starts + [end]
        self.pieces = pieces
        isLoose = starts.dropFirst().contains { Self.endsWithBlankLine(bytes[..<$0]) }
    }

    /// Returns the source of the list's lines with the items of another block. Nil if that block is no list, has no
    /// items, or is a list with another start. Also nil if items with definitions were removed and no item is written
    /// anew that could have them.
    ///
    /// - Parameter inner: returns the source of an edited item's blocks, given that of the old ones; nil if they must be
    ///   written anew.
    func source(for block: MarkdownBlock, _ newline: String, inner: Inner? = nil) -> [UInt8]? {
        guard case .list(let start, let new) = block, start == self.start, !new.isEmpty else { return nil }
        let most = min(items.count, new.count)
        let low = zip(items, new).prefix { $0 == $1 }.count
        let tail = zip(items.reversed(), new.reversed()).prefix(most - low).prefix { $0 == $1 }.count
        let oldEnd = items.count - tail
        var result = Array(bytes[starts[0]..<starts[low]])
        func separate() {
            guard !result.isEmpty else { return }
            if result.last != 0xa { result += newline.utf8 }
            if isLoose, !Self.endsWithBlankLine(result[...]) { result += newline.utf8 }
        }
        let known = sources(for: new, low..<new.count - tail, in: low..<oldEnd, inner)
        // Definitions in the old items are written into the new items with the same indices; those of the remaining old
        // items into the last new one.
        var definitions = (low..<oldEnd).map {
            known.used.contains($0) ? [] : MarkdownUnread.definitions(in: starts[$0]..<starts[$0 + 1], bytes, pieces)
        }
        if low == new.count - tail, !definitions.allSatisfy(\.isEmpty) { return nil }
        for index in low..<new.count - tail {
            separate()
            let old = markers[min(index, items.count - 1)]
            let number = start.map { $0 + index }
            result += known.sources[index] ?? Self.written(new[index], like: old, number: number, newline)
            let isLast = index == new.count - tail - 1
            let count = isLast ? definitions.count : min(1, definitions.count)
            let own = definitions[..<count].joined()
            definitions.removeFirst(count)
            if !own.isEmpty {
                if result.last != 0xa { result += newline.utf8 }
                result += newline.utf8
            }
            let indent = String(repeating: " ", count: Self.marker(like: old, number: number).utf8.count + old.blanks)
            for line in own { result += indent.utf8 + line + newline.utf8 }
        }
        if tail > 0, low < new.count - tail { separate() }
        // An item that was moved to the end may have brought a blank line, and another one follows the list.
        while tail == 0, Self.endsWithBlankLine(result[...]), result.reversed().starts(with: newline.utf8.reversed()) {
            result.removeLast(newline.utf8.count)
        }
        for index in oldEnd..<items.count {
            var item = Array(bytes[starts[index]..<starts[index + 1]])
            let place = new.count - items.count + index
            // If the items after the change were numbered consecutively, update their numbers.
            if let start, markers[index].digits.count > 0, number(index) == start + index {
                item = Self.numbered(item, start + place, markers[index]) ?? item
            }
            result += item
        }
        return result
    }

    /// Returns the marker of a new item, with the indentation and the kind of marker of another item.
    private static func marker(like old: Marker, number: Int?) -> String {
        String(repeating: " ", count: old.indent) + (number.map { "\($0)" } ?? "") + String(UnicodeScalar(old.sign))
    }

    /// Returns the lines of an item with another number. If that has more or fewer digits than the old one, the item's
    /// other lines are indented more or less. Nil if the number of digits changes, and a line has tabs.
    static func numbered(_ item: [UInt8], _ number: Int, _ marker: Marker) -> [UInt8]? {
        let digits = Array("\(number)".utf8)
        let added = digits.count - marker.digits.count
        guard added == 0 || !item.contains(0x9) else { return nil }
        let indent = marker.indent + marker.digits.count + 1 + marker.blanks
        var result = Array(item[..<marker.indent]) + digits
        var rest = item[(marker.indent + marker.digits.count)...]
        while let end = rest.firstIndex(of: 0xa) {
            result += rest[...end]
            rest = rest[(end + 1)...]
            guard added != 0, rest.prefix(while: { $0 == 0x20 }).count >= indent else { continue }
            if added > 0 { result += [UInt8](repeating: 0x20, count: added) } else { rest = rest.dropFirst(-added) }
        }
        return result + rest
    }

    /// Returns the lines of an item that is written anew, with another item's kind of marker.
    static func written(_ item: MarkdownItem, like old: Marker, number: Int?, _ newline: String) -> [UInt8] {
        let first = marker(like: old, number: number)
        let blanks = String(repeating: " ", count: old.blanks)
        let indent = String(repeating: " ", count: first.utf8.count + old.blanks)
        return MarkdownWriter.lines(of: item, isPlain: true).enumerated().flatMap { at, line in
            let text = at == 0 ? first + (line.isEmpty ? "" : blanks + line) : line.isEmpty ? "" : indent + line
            return Array((text + newline).utf8)
        }
    }

    func number(_ index: Int) -> Int? {
        Int(String(decoding: bytes[markers[index].digits], as: UTF8.self))
    }

    /// Returns the first line that starts in a range and begins with a marker. The marker must not be indented so far
    /// that it belongs to an item of an inner list. Nil if there is none.
    private static func next(
        in range: Range<Int>, behind last: Marker?, isNumbered: Bool, _ bytes: [UInt8]
    ) -> (line: Int, Marker)? {
        var line = range.lowerBound
        while line < range.upperBound {
            if line == 0 || bytes[line - 1] == 0xa || bytes[line - 1] == 0xd,
                let marker = marker(at: line, isNumbered: isNumbered, bytes)
            {
                let indent = last.map { $0.indent + $0.digits.count + 1 + $0.blanks }
                if marker.indent < indent ?? 4 { return (line, marker) }
            }
            line = bytes[line...].firstIndex { $0 == 0xa || $0 == 0xd }.map { $0 + 1 } ?? bytes.endIndex
        }
        return nil
    }

    /// Returns the end of the nonblank lines that begin at a line.
    private static func endOfLines(from line: Int, _ bytes: ArraySlice<UInt8>) -> Int {
        var end = line
        while end < bytes.endIndex {
            let text = bytes[end...].prefix { $0 != 0xa }
            if text.allSatisfy({ [0x20, 0x9, 0xd].contains($0) }) { break }
            end = min(bytes.endIndex, text.endIndex + 1)
        }
        return end
    }

    private static func lineStart(_ offset: Int, _ bytes: [UInt8]) -> Int {
        bytes[..<offset].lastIndex { $0 == 0xa || $0 == 0xd }.map { $0 + 1 } ?? 0
    }

    static func endsWithBlankLine(_ text: ArraySlice<UInt8>) -> Bool {
        var newlines = 0
        for byte in text.reversed() {
            if byte == 0xa { newlines += 1 } else if ![0x20, 0x9, 0xd].contains(byte) { break }
            if newlines == 2 { return true }
        }
        return false
    }

    /// Returns the marker with which the line at an offset begins; nil if there is none.
    private static func marker(at line: Int, isNumbered: Bool, _ bytes: [UInt8]) -> Marker? {
        var at = line
        func skip(_ isWanted: (UInt8) -> Bool) -> Range<Int> {
            let start = at
            while at < bytes.count, isWanted(bytes[at]) { at += 1 }
            return start..<at
        }
        let indent = skip { $0 == 0x20 }.count
        let digits = skip { (0x30...0x39).contains($0) }
        guard indent < 4, isNumbered == !digits.isEmpty, at < bytes.count else { return nil }
        let sign = bytes[at]
        guard (isNumbered ? [0x2e, 0x29] : [0x2a, 0x2b, 0x2d]).contains(sign) else { return nil }
        at += 1
        // Count the blanks in columns: a tab ends at the next column that is a multiple of four.
        let column = at - line
        let blanks =
            skip { $0 == 0x20 || $0 == 0x9 }.reduce(column) { bytes[$1] == 0x9 ? ($0 / 4 + 1) * 4 : $0 + 1 } - column
        guard at == bytes.count || blanks > 0 || [0xa, 0xd].contains(bytes[at]) else { return nil }
        let isText = at < bytes.count && ![0xa, 0xd].contains(bytes[at])
        return Marker(indent: indent, digits: digits, sign: sign, blanks: isText && blanks < 5 ? max(1, blanks) : 1)
    }
}

/// The sources of items that were moved, or whose blocks were edited.
extension MarkdownListPatch {
    /// A function that returns the source of new blocks, given the source of other blocks and these; nil if all of the new
    /// ones must be written anew.
    typealias Inner = (_ source: [UInt8], _ old: [MarkdownBlock], _ new: [MarkdownBlock]) -> [UInt8]?

    /// The maximum number of changed items that are compared with each other, which takes quadratic time.
    private static let mostCompared = 256

    /// Returns the sources of new items that have one in the old list, by index, and the indices of the old items that these
    /// come from. An item that is equal to an old one has its source, and is numbered anew. The source of an edited item
    /// is that of the old one at its place, with the edits of its blocks.
    ///
    /// - Parameters:
    ///   - range: the indices of the changed items in `new`.
    ///   - old: the indices of the old items that they replace.
    func sources(
        for new: [MarkdownItem], _ range: Range<Int>, in old: Range<Int>, _ inner: Inner?
    ) -> (sources: [Int: [UInt8]], used: Set<Int>) {
        var (sources, used): ([Int: [UInt8]], Set<Int>) = ([:], [])
        guard let inner, max(range.count, old.count) <= Self.mostCompared else { return (sources, used) }
        for index in range {
            guard let place = old.first(where: { !used.contains($0) && items[$0] == new[index] }) else { continue }
            var item: [UInt8]? = Array(bytes[starts[place]..<starts[place + 1]])
            if let start, index != place, number(place) == start + place {
                item = item.flatMap { Self.numbered($0, start + index, markers[place]) }
            }
            guard let item else { continue }
            sources[index] = item
            used.insert(place)
        }
        for index in range where sources[index] == nil && old.contains(index) && !used.contains(index) {
            guard range.count == old.count || index == range.lowerBound,
                let source = edited(index, as: new[index], inner)
            else { continue }
            sources[index] = source
            used.insert(index)
        }
        return (sources, used)
    }

    /// Returns the source of an item with the edits of its blocks. Nil if a line of it is not indented like its text, if it
    /// has tabs, and if its blocks must be written anew.
    private func edited(_ index: Int, as new: MarkdownItem, _ inner: Inner) -> [UInt8]? {
        let (marker, old) = (markers[index], items[index])
        let indent = marker.indent + marker.digits.count + 1 + marker.blanks
        let source = bytes[starts[index]..<starts[index + 1]]
        guard !source.contains(0x9), source.prefix(indent).count == indent,
            source.prefix(indent).last == 0x20, (old.isDone == nil) == (new.isDone == nil)
        else { return nil }
        var first = Array(source.prefix(indent))
        var lines = source.dropFirst(indent).split(separator: 0xa, omittingEmptySubsequences: false)[...]
        guard let text = lines.first, let byte = text.first, byte != 0x20, byte != 0xd else { return nil }
        if let isDone = new.isDone {
            guard text.count > 3, text[text.startIndex] == 0x5b, text[text.startIndex + 3] == 0x20 else { return nil }
            first += isDone == old.isDone ? Array(text.prefix(4)) : Array((isDone ? "[x] " : "[ ] ").utf8)
            lines[lines.startIndex] = text.dropFirst(4)
        }
        var outdented = Array(lines[lines.startIndex])
        for line in lines.dropFirst() {
            let blanks = line.prefix { $0 == 0x20 }.count
            let isBlank = line.allSatisfy { $0 == 0x20 || $0 == 0xd }
            guard isBlank ? blanks == 0 : blanks >= indent else { return nil }
            outdented += [0xa] + line.dropFirst(isBlank ? 0 : indent)
        }
        guard let written = inner(outdented, old.blocks, new.blocks) else { return nil }
        let indentation = [UInt8](repeating: 0x20, count: indent)
        let result = written.split(separator: 0xa, omittingEmptySubsequences: false).enumerated().map { at, line in
            at == 0 ? first + line : line.isEmpty || line.first == 0xd ? Array(line) : indentation + line
        }
        return Array(result.joined(separator: [0xa]))
    }
}

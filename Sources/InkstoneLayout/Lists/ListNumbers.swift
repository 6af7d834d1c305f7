/// The list of each paragraph of a text, for numbering list items. Known for the paragraphs from the first up to
/// the last requested. The paragraphs are kept in blocks, each with the number of items of each list. So an edit,
/// or a request near the last request, reads about one block of paragraphs.
struct ListNumbers {
    /// A short number that stands for a list; 0 for paragraphs without a list.
    typealias Name = UInt32

    private struct Block {
        var lists: [Name]
        var counts: [Name: Int] = [:]

        init(_ lists: ArraySlice<Name>) {
            self.lists = Array(lists)
            for name in lists where name != 0 { counts[name, default: 0] += 1 }
        }
    }

    /// A position between two blocks: the paragraph at which the next block starts, and the number of a list's items
    /// before it.
    private struct Place {
        var block = 0
        var start = 0
        var count = 0
    }

    /// Number of known paragraphs: those from the first on whose list is stored here.
    private(set) var known = 0
    /// Number of changes so far that may have renumbered items.
    private(set) var revision = 0
    private var blocks: [Block] = []
    private var names: [TextList.ID: Name] = [:]
    /// For each list, the block at which its last count ended, and the count up to there. The next count starts
    /// there.
    private var places: [Name: Place] = [:]

    /// The usual number of paragraphs of a block.
    private static let blockLength = 256
    /// The number of blocks in which the known paragraphs are kept, for tests.
    var blockCount: Int { blocks.count }

    /// Returns the short number of a list, assigning one if it is new.
    mutating func name(of list: TextList.ID) -> Name {
        if let known = names[list] { return known }
        let new = Name(truncatingIfNeeded: names.count + 1)
        names[list] = new
        return new
    }

    /// Stores the lists of the paragraphs that follow the known ones, which then are known too.
    mutating func append(_ lists: [Name]) {
        known += lists.count
        var rest = lists[...]
        if let last = blocks.last, last.lists.count + rest.count <= Self.blockLength {
            blocks[blocks.count - 1] = Block(last.lists + rest)
            return
        }
        while !rest.isEmpty {
            blocks.append(Block(rest.prefix(Self.blockLength)))
            rest = rest.dropFirst(Self.blockLength)
        }
    }

    /// Returns the number of a list's items before a paragraph. The list of that paragraph, or of the paragraph before
    /// it, must be stored here. O(1) near the last request for the list; otherwise O(n) in the number of blocks.
    mutating func count(of list: Name, before paragraph: Int) -> Int {
        var place = places[list] ?? Place()
        while place.start > paragraph {
            place.block -= 1
            place.start -= blocks[place.block].lists.count
            place.count -= blocks[place.block].counts[list] ?? 0
        }
        // Do not go beyond the last block, even if the paragraph is after it, because paragraphs may still be added
        // to this block.
        while place.block + 1 < blocks.count, place.start + blocks[place.block].lists.count <= paragraph {
            place.count += blocks[place.block].counts[list] ?? 0
            place.start += blocks[place.block].lists.count
            place.block += 1
        }
        places[list] = place
        guard place.block < blocks.count, blocks[place.block].counts[list] != nil else { return place.count }
        var count = place.count
        for name in blocks[place.block].lists.prefix(paragraph - place.start) where name == list { count += 1 }
        return count
    }

    /// Applies an edit that replaced the paragraphs `old`; `new` are the lists of the paragraphs that replaced
    /// them. Returns whether items after these paragraphs have other numbers now, as far as their lists are stored
    /// here.
    mutating func replace(_ old: Range<Int>, with new: [Name]) -> Bool {
        guard old.lowerBound < known else { return false }
        var (first, start) = (0, 0)
        while start + blocks[first].lists.count <= old.lowerBound {
            start += blocks[first].lists.count
            first += 1
        }
        guard old.upperBound <= known else {
            // The lists of some of the replaced paragraphs are not stored here. Drop the lists of all paragraphs
            // from the edit's start on; they are read again when requested.
            let kept = blocks[first].lists.prefix(old.lowerBound - start)
            blocks[first...] = kept.isEmpty ? [] : [Block(kept)]
            known = old.lowerBound
            revision += 1
            places = [:]
            return false
        }
        var (last, end) = (first, start + blocks[first].lists.count)
        while end < old.upperBound {
            last += 1
            end += blocks[last].lists.count
        }
        let all = blocks[first...last].flatMap(\.lists)
        let replaced = all[(old.lowerBound - start)..<(old.upperBound - start)]
        if replaced.elementsEqual(new) { return false }
        var changes: [Name: Int] = [:]
        for name in replaced where name != 0 { changes[name, default: 0] -= 1 }
        for name in new where name != 0 { changes[name, default: 0] += 1 }
        let rest = all[(old.upperBound - start)...]
        let isRenumbered = changes.contains { name, change in
            change != 0 && (rest.contains(name) || blocks[(last + 1)...].contains { $0.counts[name] != nil })
        }
        var lists = Array(all[..<(old.lowerBound - start)]) + new + rest
        // Merge short blocks: if paragraphs are removed one by one, many short blocks would be left, and each
        // request would have to search them all.
        if lists.count < Self.blockLength / 2 {
            if last + 1 < blocks.count, lists.count + blocks[last + 1].lists.count <= Self.blockLength {
                last += 1
                lists += blocks[last].lists
            }
            if first > 0, lists.count + blocks[first - 1].lists.count <= Self.blockLength {
                first -= 1
                lists = blocks[first].lists + lists
            }
        }
        blocks[first...last] = ArraySlice(
            stride(from: 0, to: lists.count, by: Self.blockLength).map {
                Block(lists[$0..<min(lists.count, $0 + Self.blockLength)])
            })
        known += new.count - old.count
        places = places.filter { $0.value.block <= first }
        revision += 1
        return isRenumbered
    }
}

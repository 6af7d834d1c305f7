import InkstoneBase
import InkstoneText

/// An entry handed to the thread that writes a journal. Transactions are numbered from 0 as they are made; `number` is that of
/// the transaction, or of the next one.
enum JournalEntry {
    /// The edits of a transaction, which count together or not at all; with `isOpen` they count only together with those of the next one.
    case edits([JournalEdit], number: Int, isOpen: Bool = false)
    /// The same, of a transaction of many sections: the thread makes edits of them.
    case changes(TextChangeSet, number: Int, isOpen: Bool)
    /// The edits of another journal, by its name, are in the next transaction.
    case replaced(FilePath, number: Int)
    /// A file that is about to take the place of the base: the transactions from `kept` on come after it.
    case coming(JournalBase, FileContents, kept: Int, number: Int)
    /// The content of the file with this identity, which is the base, and its bytes if they are few.
    case contents(FileContents, [UInt8]?, FileIdentity, number: Int)
    /// The format that the text is to be saved in.
    case format(TextFileFormat, number: Int)
    /// The text as it is now goes to a file: a base may follow that keeps the edits from here on.
    case mark(StyledText, number: Int)
    /// The text as it is now, for a file that has grown and is to be written anew with what the edits come to.
    case fold(StyledText, number: Int)
    /// A new base; the edits from `kept` on still come after it.
    case base(JournalBase, kept: Int, number: Int)

    var number: Int {
        switch self {
        case .edits(_, let number, _), .mark(_, let number), .base(_, _, let number), .replaced(_, let number),
            .changes(_, let number, _), .coming(_, _, _, let number), .contents(_, _, _, let number),
            .fold(_, let number),
            .format(_, let number):
            number
        }
    }

    /// The same without the copy of a file, of which the content is known still.
    var withoutCopy: JournalEntry {
        if case .contents(let contents, _, let identity, let number) = self {
            return .contents(contents, nil, identity, number: number)
        }
        return self
    }

    /// Changes as edits; any other entry as it is. O(n) for n sections.
    var withEdits: JournalEntry {
        guard case .changes(let changes, let number, let isOpen) = self else { return self }
        return .edits(JournalEdit.edits(of: changes), number: number, isOpen: isOpen)
    }

    /// Whether it makes another text.
    var isEdit: Bool {
        switch self {
        case .edits, .changes: true
        default: false
        }
    }

    /// About what it costs to keep, in bytes, but for a copy of the base's file, which the journal keeps anyway.
    var cost: Int {
        switch self {
        case .edits(let edits, _, _):
            edits.reduce(0) { cost, edit in
                let styles = edit.styles.reduce(0) { $0 + 64 + $1.runs.cost + $1.runs.contentsSize }
                return cost + 128 + edit.inserted.metrics.bytes + styles
            }
        case .changes(let changes, _, _): changes.changeMap.reduce(0) { $0 + 128 + $1.inserted.bytes }
        case .mark, .fold: 4096
        case .base, .replaced, .coming, .contents, .format: 512
        }
    }
}

extension [JournalEntry] {
    /// Adds an entry that comes after these. Copies of files that a new base makes out of date go: they are large, and each save brings one.
    mutating func enqueue(_ entry: JournalEntry) {
        if case .base = entry {
            for index in indices { self[index] = self[index].withoutCopy }
        }
        append(entry)
    }
}

/// What a journal could not take, as stretches of the text that differ instead of edit by edit: so it takes no more
/// memory however long one types, and can be caught up on in one edit.
///
/// There is one stretch up to the last mark and one since, because a save may have taken place at the mark.
///
/// Another such value spans all edits since the journal's base, from which the journal is written anew when it is folded.
struct JournalGap {
    /// Bytes `low..<oldHigh` of the text before became `low..<newHigh` of the text after.
    struct Stretch: Equatable {
        var low: Int
        var oldHigh: Int
        var newHigh: Int

        /// Takes in a replacement of bytes `nextLow..<high` of the text after by so many bytes.
        mutating func add(low nextLow: Int, high: Int, inserted: Int) {
            let reach = max(newHigh, high)
            oldHigh += reach - newHigh
            newHigh = reach + inserted - (high - nextLow)
            low = min(low, nextLow)
        }
    }

    /// The edits with the numbers `first..<upTo`.
    struct Segment {
        var first: Int
        var upTo: Int
        /// Whether there is a mark at its start.
        var isMarked = false
        /// What they come to; nil if there are none.
        var stretch: Stretch?
        /// The text after them; nil while it is not known.
        var text: StyledText?

        /// The edits as one.
        var edit: JournalEdit? {
            guard let stretch, let text else { return nil }
            let range = ByteOffset(stretch.low)..<ByteOffset(stretch.newHigh)
            let units = text.rope.utf16Range(of: range)
            let styles = text.runs.map { [JournaledRuns(start: units.lowerBound, runs: $0.slice(units))] } ?? []
            return JournalEdit(
                low: stretch.low, high: stretch.oldHigh, inserted: text.rope.slice(range), styles: styles)
        }

        mutating func add(_ low: Int, _ high: Int, inserted: Int, upTo: Int) {
            var stretch = stretch ?? Stretch(low: low, oldHigh: low, newHigh: low)
            stretch.add(low: low, high: high, inserted: inserted)
            self.stretch = stretch
            self.upTo = upTo
            text = nil
        }
    }

    /// One or two; none only if edits are lost.
    private(set) var segments: [Segment]
    /// What the journal has to start from before the segments come, and from which edit on it keeps what it has.
    private(set) var base: (base: JournalBase, kept: Int)?
    /// The content of the base, as far as it came since that.
    private(set) var contents: (FileContents, [UInt8]?, FileIdentity)?
    /// The format that was chosen last since that; nil if none was.
    private(set) var format: TextFileFormat?
    /// The names of journals whose edits are in the segments.
    private(set) var replaced: [FilePath] = []
    /// Whether edits are missing that nothing can bring back: nothing can be written before the next save.
    private(set) var isLost = false

    /// A gap that starts before the edit with that number.
    init(first: Int) { segments = [Segment(first: first, upTo: first)] }

    /// What is left when edits are missing.
    static var lost: JournalGap {
        var gap = JournalGap(first: 0)
        gap.lose()
        return gap
    }

    private mutating func lose() {
        segments = []
        isLost = true
    }

    /// Whether there are edits in it, or were some that are lost.
    var hasEdits: Bool { isLost || segments.contains { $0.stretch != nil } }

    /// The edit of each segment, in order, without segments that have none, and the numbers of the edits it is made of.
    var edits: [(edit: JournalEdit, numbers: Range<Int>)] {
        segments.compactMap { segment in segment.edit.map { ($0, segment.first..<segment.upTo) } }
    }

    /// Whether all of the segments can be written.
    var isKnown: Bool { !isLost && segments.allSatisfy { $0.stretch == nil || $0.text != nil } }

    /// Whether there is something to write that can be written.
    var isMendable: Bool {
        base != nil || isKnown
    }

    /// The same when the base has been written.
    var withoutBase: JournalGap {
        var gap = self
        gap.base = nil
        return gap
    }

    mutating func take(_ entry: JournalEntry) {
        switch entry {
        case .edits(let edits, let number, _):
            guard let last = segments.indices.last else { return }
            for edit in edits {
                if edit.low < edit.high || !edit.inserted.isEmpty {
                    segments[last].add(edit.low, edit.high, inserted: edit.inserted.metrics.bytes, upTo: number + 1)
                }
                // Text that got other attributes counts as replaced by itself.
                if let range = edit.restyled {
                    segments[last].add(range.lowerBound, range.upperBound, inserted: range.count, upTo: number + 1)
                }
            }
        case .changes(let changes, let number, _):
            guard let segment = segments.indices.last, let first = changes.changeMap.first,
                let last = changes.changeMap.last
            else { return }
            segments[segment].add(
                first.oldStart.bytes, last.oldEnd.bytes, inserted: last.newEnd.bytes - first.newStart.bytes,
                upTo: number + 1)
        case .replaced(let name, _): replaced.append(name)
        case .contents(let contents, let bytes, let identity, _): self.contents = (contents, bytes, identity)
        case .format(let format, _): self.format = format
        // Only hints, which the next base makes out of date.
        case .coming, .fold: break
        case .mark(let text, let number): mark(number, text)
        case .base(let base, let kept, let number): rebase(base, kept, number)
        }
    }

    /// Says what the text is after the last edit.
    mutating func setText(_ text: StyledText?) {
        guard let last = segments.indices.last else { return }
        segments[last].text = text
    }

    private mutating func mark(_ number: Int, _ text: StyledText?) {
        let fresh = Segment(first: number, upTo: number, isMarked: true)
        guard let last = segments.indices.last, segments[last].stretch != nil else {
            segments = segments.dropLast() + [fresh]
            return
        }
        if let text { segments[last].text = text }
        guard !isLost else {
            segments = [fresh]
            return
        }
        segments.append(fresh)
        guard segments.count > 2, let middle = segments[1].stretch else { return }
        segments[0].add(
            middle.low, middle.oldHigh, inserted: middle.newHigh - middle.low, upTo: segments[1].upTo)
        segments[0].text = segments[1].text
        segments.remove(at: 1)
    }

    private mutating func rebase(_ base: JournalBase, _ kept: Int, _ number: Int) {
        self.base = (base, kept)
        (contents, format) = (nil, nil)
        if let index = segments.firstIndex(where: { $0.first == kept }) {
            segments.removeFirst(index)
            isLost = false
        } else if kept == number {
            segments = [Segment(first: kept, upTo: kept)]
            isLost = false
        } else if isLost || segments.contains(where: { $0.first < kept }) {
            lose()
            // None of what the journal has goes with this base.
            self.base = (base, .max)
        }
    }

    /// Takes in what came later.
    mutating func append(_ later: JournalGap, number: Int) {
        if let (base, kept) = later.base { rebase(base, kept, later.segments.first?.first ?? number) }
        contents = later.contents ?? contents
        format = later.format ?? format
        guard !later.isLost else { return lose() }
        replaced += later.replaced
        for segment in later.segments {
            if segment.isMarked { mark(segment.first, nil) }
            guard let stretch = segment.stretch, let last = segments.indices.last else { continue }
            segments[last].add(
                stretch.low, stretch.oldHigh, inserted: stretch.newHigh - stretch.low, upTo: segment.upTo)
            segments[last].text = segment.text
        }
    }
}

import InkstoneBase
import InkstoneText

/// An entry for the thread that writes a journal. Transactions are numbered from 0, in the order in which they are
/// made. `number` is the number of the entry's transaction. An entry that is no transaction has the number of the
/// next transaction.
enum JournalEntry {
    /// The edits of a transaction. They are recovered together or not at all. If `isOpen`, they are recovered only
    /// together with those of the next transaction.
    case edits([JournalEdit], number: Int, isOpen: Bool = false)
    /// The changes of a transaction with many sections. The writer's thread converts them to edits.
    case changes(TextChangeSet, number: Int, isOpen: Bool)
    /// The next transaction contains the edits of the journal with this name.
    case replaced(FilePath, number: Int)
    /// An announcement: a file is being saved, without the transactions from number `kept` on. If the save succeeds,
    /// these transactions apply to the file.
    case coming(JournalBase, FileContents, kept: Int, number: Int)
    /// The content of the document's file as last read or saved; also its bytes, if they are few. Ignored if that file
    /// does not have this identity.
    case contents(FileContents, [UInt8]?, FileIdentity, number: Int)
    /// The format in which the text is to be saved.
    case format(JournaledFormat, number: Int)
    /// A snapshot of the text, which is being written to a file. If a base follows, it may keep the edits from here
    /// on.
    case mark(StyledText, number: Int)
    /// A snapshot of the text. It is used to collapse the edits of a journal that has grown.
    case collapse(StyledText, number: Int)
    /// A new base: the edits from number `kept` on apply to this text, and the earlier ones are contained in it.
    case base(JournalBase, kept: Int, number: Int)

    var number: Int {
        switch self {
        case .edits(_, let number, _), .mark(_, let number), .base(_, _, let number), .replaced(_, let number),
            .changes(_, let number, _), .coming(_, _, _, let number), .contents(_, _, _, let number),
            .collapse(_, let number),
            .format(_, let number):
            number
        }
    }

    /// The entry without the copy of the document's file. The size and hash of the file's content stay.
    var withoutCopy: JournalEntry {
        if case .contents(let contents, _, let identity, let number) = self {
            return .contents(contents, nil, identity, number: number)
        }
        return self
    }

    /// The entry with its changes converted to edits. O(n) for n sections.
    var withEdits: JournalEntry {
        guard case .changes(let changes, let number, let isOpen) = self else { return self }
        return .edits(JournalEdit.edits(of: changes), number: number, isOpen: isOpen)
    }

    /// Whether the entry changes the text.
    var isEdit: Bool {
        switch self {
        case .edits, .changes: true
        default: false
        }
    }

    /// The approximate memory use in bytes, without the copy of the document's file, which the journal keeps anyway.
    var cost: Int {
        switch self {
        case .edits(let edits, _, _):
            edits.reduce(0) { cost, edit in
                let styles = edit.styles.reduce(0) { $0 + 64 + $1.runs.cost + $1.runs.contentsSize }
                return cost + 128 + edit.inserted.metrics.bytes + styles
            }
        case .changes(let changes, _, _): changes.count * 128 + changes.insertedCost
        case .mark, .collapse: 4096
        case .base, .replaced, .coming, .contents, .format: 512
        }
    }
}

extension [JournalEntry] {
    /// Appends an entry. If the entry is a new base, such as a saved file, discards the copies of earlier files from
    /// the queue. These bytes are many, and each save adds more.
    mutating func enqueue(_ entry: JournalEntry) {
        if case .base = entry {
            for index in indices { self[index] = self[index].withoutCopy }
        }
        append(entry)
    }
}

/// The changes that a journal could not write, stored as changed ranges of the text instead of single edits: memory use
/// does not grow with the number of edits, and one edit is enough to write them.
///
/// The text may have been saved at the last mark, so one range covers the edits up to that mark, and another one the
/// edits since.
///
/// Another value of this type covers all edits since the document's file was last read or saved. When the journal's
/// edits are collapsed, the journal is rewritten from that value.
struct JournalGap {
    /// A changed range. The bytes `low..<oldHigh` of the text before the edits have become the bytes
    /// `low..<newHigh` of the text after them.
    struct ChangedRange: Equatable {
        var low: Int
        var oldHigh: Int
        var newHigh: Int

        /// Adds an edit that replaces bytes `nextLow..<high` by `inserted` bytes. The range is one of the text
        /// after the earlier edits.
        mutating func add(low nextLow: Int, high: Int, inserted: Int) {
            let reach = max(newHigh, high)
            oldHigh += reach - newHigh
            newHigh = reach + inserted - (high - nextLow)
            low = min(low, nextLow)
        }
    }

    /// The edits of the transactions with the numbers `first..<upTo`, collapsed.
    struct Segment {
        var first: Int
        var upTo: Int
        /// Whether the segment starts at a mark, a position at which the text was being saved.
        var isMarked = false
        /// The range of the text that the segment's edits changed; nil if it has no edits.
        var changedRange: ChangedRange?
        /// The document's text after the segment's edits; nil while it is unknown.
        var text: StyledText?

        /// The edits of the segment, collapsed into one edit. Nil if there are none, or if the text is not known.
        var edit: JournalEdit? {
            guard let changedRange, let text else { return nil }
            let range = ByteOffset(changedRange.low)..<ByteOffset(changedRange.newHigh)
            let units = text.rope.utf16Range(of: range)
            let styles = text.runs.map { [JournaledRuns(start: units.lowerBound, runs: $0.slice(units))] } ?? []
            return JournalEdit(
                low: changedRange.low, high: changedRange.oldHigh, inserted: text.rope.slice(range), styles: styles)
        }

        /// Adds an edit to the segment: `low..<high` are bytes of the text after the segment's earlier edits, and
        /// `upTo` is the new end of the segment's transaction numbers.
        mutating func add(_ low: Int, _ high: Int, inserted: Int, upTo: Int) {
            var changedRange = changedRange ?? ChangedRange(low: low, oldHigh: low, newHigh: low)
            changedRange.add(low: low, high: high, inserted: inserted)
            self.changedRange = changedRange
            self.upTo = upTo
            text = nil
        }
    }

    /// The segments, at most two. If edits are lost, there is none, or one that starts at the last mark.
    private(set) var segments: [Segment]
    /// The new base, the text to which the segments apply, to be written before them; `kept` is the number of the first
    /// transaction that the text does not contain. Nil for none.
    private(set) var base: (base: JournalBase, kept: Int)?
    /// The content of the document's file, if it became known after ``base`` was set or, without a base, after the
    /// first transaction of this gap.
    private(set) var contents: (FileContents, [UInt8]?, FileIdentity)?
    /// The last format chosen since the base; nil if none was chosen.
    private(set) var format: JournaledFormat?
    /// The names of journals whose edits are also in the segments.
    private(set) var replaced: [FilePath] = []
    /// Whether edits are permanently lost. If so, no edits can be written before the next save.
    private(set) var isLost = false

    /// Creates an empty gap, to which the changes from the transaction with the given number on can be added.
    init(first: Int) { segments = [Segment(first: first, upTo: first)] }

    /// A gap in a journal whose edits are lost: none of them can be written before the next save.
    static var lost: JournalGap {
        var gap = JournalGap(first: 0)
        gap.lose()
        return gap
    }

    private mutating func lose() {
        segments = []
        isLost = true
    }

    /// Whether there are edits in the segments, or edits are lost.
    var hasEdits: Bool { isLost || segments.contains { $0.changedRange != nil } }

    /// A collapsed edit for each segment that has edits and whose text is known, in order; and the numbers of the
    /// transactions whose edits it replaces.
    var edits: [(edit: JournalEdit, numbers: Range<Int>)] {
        segments.compactMap { segment in segment.edit.map { ($0, segment.first..<segment.upTo) } }
    }

    /// Whether the edits of all segments can be written. This is so if no edits are lost, and if the text after
    /// each segment with edits is known.
    var isKnown: Bool { !isLost && segments.allSatisfy { $0.changedRange == nil || $0.text != nil } }

    /// Whether at least a part of these changes can be written: ``base``, or the edits of all segments.
    var isWritable: Bool {
        base != nil || isKnown
    }

    /// The gap as it is after ``base`` has been written.
    var withoutBase: JournalGap {
        var gap = self
        gap.base = nil
        return gap
    }

    /// Adds an entry. Entries are added in the order in which they were made.
    mutating func take(_ entry: JournalEntry) {
        switch entry {
        case .edits(let edits, let number, _):
            guard let last = segments.indices.last else { return }
            for edit in edits {
                if edit.low < edit.high || !edit.inserted.isEmpty {
                    segments[last].add(edit.low, edit.high, inserted: edit.inserted.metrics.bytes, upTo: number + 1)
                }
                // Count text whose attributes have changed as replaced by itself, so that the collapsed edit includes
                // it.
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
        // Ignore announced saves and requests to collapse edits: they only help to recover more, and the next save
        // makes them obsolete.
        case .coming, .collapse: break
        case .mark(let text, let number): mark(number, text)
        case .base(let base, let kept, let number): rebase(base, kept, number)
        }
    }

    /// Sets the document's text as it is after the last edit of the gap.
    mutating func setText(_ text: StyledText?) {
        guard let last = segments.indices.last else { return }
        segments[last].text = text
    }

    private mutating func mark(_ number: Int, _ text: StyledText?) {
        let fresh = Segment(first: number, upTo: number, isMarked: true)
        guard let last = segments.indices.last, segments[last].changedRange != nil else {
            segments = segments.dropLast() + [fresh]
            return
        }
        if let text { segments[last].text = text }
        guard !isLost else {
            segments = [fresh]
            return
        }
        segments.append(fresh)
        guard segments.count > 2, let middle = segments[1].changedRange else { return }
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
            // Mark the saved text as one to which no edit of the journal applies, because the edits after the save
            // cannot be separated from the earlier ones.
            self.base = (base, .max)
        }
    }

    /// Appends a later gap, whose edits follow those of this gap.
    mutating func append(_ later: JournalGap, number: Int) {
        if let (base, kept) = later.base { rebase(base, kept, later.segments.first?.first ?? number) }
        contents = later.contents ?? contents
        format = later.format ?? format
        guard !later.isLost else { return lose() }
        replaced += later.replaced
        for segment in later.segments {
            if segment.isMarked { mark(segment.first, nil) }
            guard let changedRange = segment.changedRange, let last = segments.indices.last else { continue }
            segments[last].add(
                changedRange.low, changedRange.oldHigh, inserted: changedRange.newHigh - changedRange.low,
                upTo: segment.upTo)
            segments[last].text = segment.text
        }
    }
}

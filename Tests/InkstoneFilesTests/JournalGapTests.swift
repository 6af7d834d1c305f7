import InkstoneBase
import InkstoneText
import InkstoneTesting
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// The record of edits that a journal could not write.
@Suite(.timeLimit(.minutes(5))) struct JournalGapTests {
    /// The text that a gap's segments make of another.
    private func apply(_ gap: JournalGap, to text: StyledText) -> StyledText? {
        var text = text
        for segment in gap.segments {
            guard let edit = segment.edit else {
                if segment.changedRange == nil { continue } else { return nil }
            }
            _ = text.replay(
                ByteOffset(edit.low)..<ByteOffset(edit.high), with: edit.inserted, runs: edit.styles)
        }
        return text
    }

    /// While the journal's disk hangs, each save to another disk would queue a copy of the file; only the latest is
    /// needed.
    @Test func noCopyIsQueuedOfAFileThatIsNoBaseAnyMore() throws {
        let identity = FileIdentity(device: 1, inode: 2, size: 3, seconds: 4, nanoseconds: 5)
        let base = JournalBase(path: "/file", identity: identity)
        var queue: [JournalEntry] = []
        for number in 0..<3 {
            queue.enqueue(.base(base, kept: number, number: number))
            queue.enqueue(.contents(FileContents([1, 2, 3]), [1, 2, 3], identity, number: number))
        }
        let copies = queue.map { entry in
            if case .contents(let contents, let bytes, _, _) = entry, contents == FileContents([1, 2, 3]) {
                bytes?.count ?? 0
            } else {
                -1
            }
        }
        #expect(copies == [-1, 0, -1, 0, -1, 3])
    }

    /// Changes of many sections cost about what their edits do, and come to one that spans them.
    @Test func changesThatAreNoEditsYetCountAsThese() throws {
        let store = TextStore("one two three four")
        let start = store.styledText
        var builder = TextChangeSet.Builder(over: store.text)
        for (low, high, new) in [(0, 3, "1"), (7, 7, "+"), (8, 13, "")] {
            builder.replace(ByteOffset(low)..<ByteOffset(high), with: new)
        }
        let applied = try #require(store.apply(Transaction(on: store, builder.finish())))
        let changes = JournalEntry.changes(applied.changes, number: 5, isOpen: false)
        let edits = JournalEntry.edits(JournalEdit.entries(of: applied), number: 5)
        // Where each text ends is counted as well, and no text is read for it.
        #expect((edits.cost...2 * edits.cost).contains(changes.cost))
        #expect(changes.withEdits.cost == edits.cost && changes.isEdit)
        for entry in [changes, edits] {
            var gap = JournalGap(first: 5)
            gap.take(entry)
            gap.setText(store.styledText)
            #expect(apply(gap, to: start)?.rope == store.text)
        }
    }

    @Test(arguments: UInt64(1)...8)
    func anyEditsComeToOneOrTwo(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for round in 0..<200 {
            let store = TextStore(Rope(bytes: randomBytes(&random, about: 200)))
            let start = store.styledText
            var number = random.below(100)
            var gap = JournalGap(first: number)
            var entries: [JournalEntry] = []
            var marks: [(number: Int, text: StyledText)] = []
            var base = start
            let observation = store.observeTransactions { applied in
                for entry in JournalEdit.entries(of: applied) {
                    entries.append(.edits([entry], number: number))
                    gap.take(entries[entries.count - 1])
                    number += 1
                }
            }
            func edit() {
                for _ in 0..<random.below(12) {
                    let n = store.text.metrics.bytes
                    let low = random.below(n + 1)
                    let high = min(n, low + random.below(20))
                    store.replace(
                        ByteOffset(low)..<ByteOffset(high),
                        with: Rope(bytes: randomBytes(&random, about: random.below(9))))
                    if random.once(in: 3) {
                        let start = UTF16Offset(random.below(store.text.metrics.utf16 + 1))
                        store.restyle { $0.set(random.below(3), of: TestKeys.Weight.self, in: start..<start + 9) }
                    }
                    gap.setText(store.styledText)
                }
            }
            edit()
            for _ in 0..<random.below(4) {
                marks.append((number, store.styledText))
                entries.append(.mark(store.styledText, number: number))
                gap.take(entries[entries.count - 1])
                edit()
            }
            let isSaved = random.once(in: 2)
            if isSaved, let mark = marks.last {
                let entry = JournalEntry.base(JournalBase(path: nil, identity: nil), kept: mark.number, number: number)
                entries.append(entry)
                gap.take(entry)
                base = mark.text
                edit()
            }
            guard !gap.isLost, apply(gap, to: base) == store.styledText else {
                Issue.record("seed \(seed), round \(round): another text, lost: \(gap.isLost)")
                return
            }
            #expect(gap.segments.count <= 2)
            // The same edits in two consecutive parts.
            let cut = random.below(entries.count + 1)
            guard let first = entries.first?.number else { continue }
            var whole = JournalGap(first: first)
            for entry in entries[..<cut] { whole.take(entry) }
            if cut < entries.count {
                var later = JournalGap(first: entries[cut].number)
                for entry in entries[cut...] { later.take(entry) }
                later.setText(store.styledText)
                whole.append(later, number: number)
            }
            whole.setText(store.styledText)
            // A mark's text is not known to a gap that it is the start of; then only the whole can be compared.
            guard let text = apply(whole, to: base) else { continue }
            #expect(!whole.isLost && text == store.styledText, "seed \(seed), round \(round), cut at \(cut)")
            withExtendedLifetime(observation) {}
        }
    }

    @Test func aSaveOfAnOlderMarkThanTheGapKnowsIsNotMixedUp() {
        var gap = JournalGap(first: 0)
        let text = StyledText("abc")
        for i in 0..<4 {
            gap.take(.edits([JournalEdit(low: 0, high: 0, inserted: "x")], number: i))
            gap.take(.mark(text, number: i + 1))
        }
        gap.take(.edits([JournalEdit(low: 0, high: 0, inserted: "x")], number: 4))
        gap.take(.base(JournalBase(path: nil, identity: nil), kept: 2, number: 5))
        #expect(gap.isLost && gap.isWritable && !gap.withoutBase.isWritable)
        // The next save is whole again.
        gap.take(.mark(text, number: 5))
        gap.take(.edits([JournalEdit(low: 0, high: 0, inserted: "y")], number: 5))
        gap.setText(StyledText("yabc"))
        gap.take(.base(JournalBase(path: nil, identity: nil), kept: 5, number: 6))
        #expect(!gap.isLost && gap.segments.count == 1 && gap.segments[0].edit?.inserted == "y")
    }
}

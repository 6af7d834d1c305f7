import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// A disk whose calls hang until it is released, like one behind a dead network.
private final class HungDisk: Sendable {
    private let isHung = Atomic(false)
    private let ends: [Int32] = {
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        return ends
    }()
    private let reached = Atomic(0)

    /// The number of calls that have reached the hanging disk.
    var waiting: Int { reached.load(ordering: .acquiring) }

    func hang() { isHung.store(true, ordering: .releasing) }

    func goOn() {
        isHung.store(false, ordering: .releasing)
        close(ends[1])
    }

    func wait() {
        guard isHung.load(ordering: .acquiring) else { return }
        reached.add(1, ordering: .acquiringAndReleasing)
        var byte: UInt8 = 0
        read(ends[0], &byte, 1)
    }

    var journalDisk: JournalDisk {
        var disk = JournalDisk()
        let create = disk.create
        disk.create = {
            self.wait()
            return create($0, $1)
        }
        disk.write = {
            self.wait()
            return FileTransfer.write($0, to: $1, at: $2)
        }
        disk.sync = { _ in
            self.wait()
            return nil
        }
        return disk
    }

    deinit { close(ends[0]) }
}

/// Typing and closing a window never wait for a disk longer than agreed.
@Suite(.timeLimit(.minutes(5))) struct HungDiskTests {
    let scratch = Scratch()
    var journals: FilePath { FilePath(scratch.file("journals")) }

    private func journal(of store: TextStore, on disk: HungDisk, limit: Int = 1 << 20) -> RecoveryJournal {
        RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: nil), directory: journals,
            limits: .init(unwrittenBytes: limit), disk: disk.journalDisk)
    }

    @Test func aJournalOnAHungDiskHoldsNobodyAndEndsWhenItCan() throws {
        let disk = HungDisk()
        let store = TextStore()
        let journal = journal(of: store, on: disk)
        store.replace(0..<0 as Range<ByteOffset>, with: "before ")
        #expect(journal.flush())
        disk.hang()
        store.replace(0..<0 as Range<ByteOffset>, with: "while it hangs ")
        try waitUntil("the journal to wait for the disk", within: 20_000) { disk.waiting > 0 }
        #expect(!journal.flush(within: 20))
        journal.close(within: 20)
        // The owner has closed the journal, but its thread is still running.
        #expect(scratch.names().contains("journals") && !Scratch.names(in: journals).isEmpty)
        disk.goOn()
        try waitUntil("the journal to be removed", within: 20_000) { Scratch.names(in: journals).isEmpty }
    }

    @Test func aJournalIsBegunOnAHungDiskWithoutWaitingForIt() throws {
        let disk = HungDisk()
        disk.hang()
        let store = TextStore()
        let journal = journal(of: store, on: disk)
        store.replace(0..<0 as Range<ByteOffset>, with: "typed")
        #expect(!journal.flush(within: 20) && Scratch.names(in: journals).isEmpty)
        // Who asks waits for nothing; another thread may.
        let isFlushed = journal.beginFlush()
        disk.goOn()
        #expect(isFlushed(20_000) && journal.abandon(within: 20_000))
        #expect(RecoveredDocument.all(directory: journals).first?.text?.rope == "typed")
    }

    @Test func abandonedJournalIsWrittenOnceTheDiskResponds() throws {
        let disk = HungDisk()
        let store = TextStore()
        let journal = journal(of: store, on: disk)
        disk.hang()
        store.replace(0..<0 as Range<ByteOffset>, with: "typed")
        #expect(!journal.abandon(within: 20))
        #expect(RecoveredDocument.all(directory: journals).isEmpty, "its thread lives")
        disk.goOn()
        try waitUntil("the edit to be found", within: 20_000) {
            RecoveredDocument.all(directory: journals).first?.editCount == 1
        }
    }

    @Test func aHungDiskTakesABoundedPartOfMemory() throws {
        let disk = HungDisk()
        let store = TextStore()
        let limit = 50_000
        let journal = journal(of: store, on: disk, limit: limit)
        #expect(journal.flush())
        disk.hang()
        var most = 0
        for i in 0..<5_000 {
            let end = store.text.byteRange.upperBound
            store.replace(end..<end, with: "edit \(i) with some text, so that it counts\n")
            most = max(most, journal.heldBytes)
        }
        #expect(most <= limit + 1_000)
        disk.goOn()
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        let copy = TextStore()
        RecoveredDocument.all(directory: journals).first?.apply(to: copy)
        #expect(copy.text == store.text)
    }

    @Test func aJournalRemembersAFewRangesHoweverLongItGets() throws {
        let store = TextStore()
        let journal = journal(of: store, on: HungDisk())
        var marks: [(mark: RecoveryJournal.Mark, text: Rope)] = []
        for i in 0..<3_000 {
            let end = store.text.byteRange.upperBound
            store.replace(end..<end, with: "\(i)\n")
            // A failed save leaves its mark in the journal.
            if i % 100 == 50 { marks.append((journal.mark(), store.text)) }
        }
        #expect(journal.flush(within: 20_000))
        #expect(journal.knownPlaces <= 16)
        // A base may still follow the mark of the save before the last.
        let (mark, saved) = marks[marks.count - 2]
        journal.rebase(to: JournalBase(path: nil, identity: nil), keepingAfter: mark)
        journal.abandon(within: 20_000)
        let document = try #require(RecoveredDocument.all(directory: journals).first)
        #expect(document.editCount == 149)
        let copy = TextStore(saved)
        document.apply(to: copy)
        #expect(copy.text == store.text)
    }

    /// If one file's disk hangs, the list still reports the other journals.
    @Test func aHungDiskHoldsUpNoListOfJournals() throws {
        let disk = HungDisk()
        disk.hang()
        for name in ["hung/one", "hung/two", "fine/three", "fine/four"] {
            let store = TextStore()
            let journal = RecoveryJournal(
                of: store, base: JournalBase(path: scratch.file(name), identity: nil), directory: journals)
            store.replace(0..<0 as Range<ByteOffset>, with: "typed")
            journal.abandon()
        }
        let found = RecoveredDocument.listed(of: nil, in: journals, within: 200) { journal in
            if ["one.", "two."].contains(where: journal.path.lastComponent.description.hasPrefix) { disk.wait() }
            return RecoveredDocument.read(journal.path, removingEmpty: false)
        }
        let states = found.map { "\($0.base?.path?.lastComponent.description ?? "") \($0.state) \($0.editCount)" }
        #expect(states.sorted() == ["four intact 1", "one unreachable 0", "three intact 1", "two unreachable 0"])
        disk.goOn()
    }

    /// A journal without edits is not listed, even if the check of its file does not end: there is nothing to recover.
    @Test func journalsWithoutEditsAreNotListedWhileADiskHangs() throws {
        let disk = HungDisk()
        disk.hang()
        for name in ["empty", "typed"] {
            let store = TextStore()
            let journal = RecoveryJournal(
                of: store, base: JournalBase(path: scratch.file("hung/\(name)"), identity: nil), directory: journals)
            if name == "typed" { store.replace(0..<0 as Range<ByteOffset>, with: "typed") }
            journal.flush(within: 20_000)
            journal.abandon(within: 20_000)
        }
        _ = scratch.put("journals/begun.journal", [])
        _ = scratch.put("journals/zeros.journal", [UInt8](repeating: 0, count: 4096))
        let found = RecoveredDocument.listed(of: nil, in: journals, within: 20) { journal in
            disk.wait()
            return RecoveredDocument.read(journal.path, removingEmpty: false)
        }
        #expect(found.map { "\($0.base?.path?.lastComponent.description ?? "") \($0.state)" } == ["typed unreachable"])
        disk.goOn()
    }

    @Test func aSaveOnAHungDiskHoldsNobody() {
        let disk = HungDisk()
        disk.hang()
        let inbox = Inbox()
        var outcomes: [TextFileSaver.Outcome] = []
        let saver = TextFileSaver(post: { inbox.post($0) }, receive: { outcomes.append($0) }) {
            disk.wait()
            return .failure(.cancelled)
        }
        #expect(saver.wait(atMost: 20) == nil)
        disk.goOn()
        inbox.run { !outcomes.isEmpty }
        #expect(outcomes == [.failure(.cancelled)])
    }
}

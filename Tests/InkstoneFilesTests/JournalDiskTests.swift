import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Journals on disks that are full, fail, or lose the journal.
@Suite(.timeLimit(.minutes(5))) struct JournalDiskTests: JournalSuite {
    let scratch = Scratch()

    @Test func aFlushOnAFullDiskSaysThatNothingIsDurable() throws {
        let full = Switch()
        var disk = JournalDisk()
        disk.write = { full.isOn ? ENOSPC : FileTransfer.write($0, to: $1, at: $2) }
        let (path, store, journal) = try open("text", disk: disk)
        #expect(journal.flush())
        full.isOn = true
        type("typed ", in: store)
        #expect(!journal.flush(within: 20_000))
        full.isOn = false
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == "typed text")
    }

    /// The disk has room for the edits, but not for a copy of the file.
    /// Tested also with edits made before the file was read.
    @Test(arguments: [false, true]) func aCopyThatDoesNotFitKeepsNoEditOffTheDisk(hasEdits: Bool) throws {
        var disk = JournalDisk()
        let write = disk.write
        let refusals = Atomic(0)
        disk.write = { bytes, file, offset in
            if offset + bytes.count <= 5 << 20 { return write(bytes, file, offset) }
            refusals.add(1, ordering: .relaxed)
            return ENOSPC
        }
        let text = String(repeating: "a line of the file\n", count: 400_000)
        let (path, store, journal) = try open(text, disk: disk)
        let identity = try #require(FileIdentity(path: FilePath(path)))
        let read = store.text
        if hasEdits { type("before ", in: store) }
        journal.keepCopy(of: read, .utf8, read: identity)
        try waitUntil("the copy to be refused", within: 60_000) { refusals.load(ordering: .relaxed) > 0 }
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        let recovered = RecoveredDocument.all(of: path, directory: journals).first?.text?.rope
        #expect(recovered?.description == "typed " + (hasEdits ? "before " : "") + text)
    }

    /// A journal must not report edits as durable that are not on the disk.
    @Test func unwrittenEditsAreNotReportedAsKept() throws {
        let full = Switch()
        var disk = JournalDisk()
        let write = disk.write
        disk.write = { full.isOn ? ENOSPC : write($0, $1, $2) }
        let (_, store, journal) = try open("text", disk: disk)
        #expect(journal.flush(within: 20_000))
        full.isOn = true
        type("typed ", in: store)
        #expect(!journal.abandon(within: 20_000))
    }

    @Test func aFailedSyncIsReportedAndTheJournalWrittenAnew() throws {
        let failing = Switch()
        var disk = JournalDisk()
        disk.sync = { failing.isOn ? EIO : fdatasync($0) == 0 ? nil : errno }
        let reports = Mutex<[String]>([])
        let path = scratch.put("file", "text")
        let store = TextStore("text")
        let base = JournalBase(path: path, identity: FileIdentity(path: path))
        let journal = RecoveryJournal(
            of: store, base: base, directory: journals, disk: disk,
            reports: .init(
                failed: { error in reports.withLock { $0.append("\(error.step) \(error.code)") } },
                resumed: { reports.withLock { $0.append("resumed") } }))
        #expect(journal.flush())
        var (before, after) = (stat(), stat())
        stat(journal.path, &before)
        failing.isOn = true
        type("typed ", in: store)
        #expect(!journal.flush(within: 20_000))
        failing.isOn = false
        #expect(journal.flush(within: 20_000))
        stat(journal.path, &after)
        #expect(before.st_ino != after.st_ino, "the pages of the old file are not to be trusted")
        #expect(reports.withLock { $0 } == ["fdatasync \(EIO)", "resumed"])
        journal.abandon()
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == "typed text")
    }

    /// Another program has deleted or replaced the journal, or deleted the directory.
    @Test(arguments: Removal.allCases) private func aJournalThatIsGoneIsWrittenAnew(_ removal: Removal) throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        switch removal {
        case .removed: unlink(journal.path)
        case .removedWithDirectory: run("/bin/rm", "-rf", journals.description)
        case .renamed:
            rename(journal.path.cString, scratch.file("away"))
            // With something else in its place.
            _ = scratch.put("journals/\(journal.path.lastComponent)", "a stranger's")
        }
        type("more ", in: store)
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .intact && document.text?.rope == "more typed text")
    }

    /// The journal notices its removal although nobody types or queries it.
    @Test func aJournalThatIsRemovedIsMissedByItself() throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        unlink(journal.path)
        try waitUntil("the journal to be there again", within: 20_000) { access(journal.path, F_OK) == 0 }
        journal.abandon()
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == "typed text")
    }

    @Test func aJournalThatIsGoneIsNotSafeWhileNoOtherCanBeMade() throws {
        let full = Switch()
        var disk = JournalDisk()
        let create = disk.create
        disk.create = { full.isOn ? .failure(.init(step: "open", code: ENOSPC)) : create($0, $1) }
        let (path, store, journal) = try open("text", disk: disk)
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        full.isOn = true
        unlink(journal.path)
        for _ in 0..<2 { #expect(!journal.flush(within: 20_000)) }
        full.isOn = false
        #expect(journal.flush(within: 20_000))
        #expect(journal.abandon(within: 20_000))
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == "typed text")
    }

    /// The copy of a large file is written without a second copy in memory.
    @Test func theCopyOfAFileIsWrittenFromWhereItIs() throws {
        let text = String(repeating: "0123456789abcde\n", count: 4096)
        let writes = Mutex<[Int]>([])
        var disk = JournalDisk()
        let write = disk.write
        disk.write = { bytes, descriptor, offset in
            writes.withLock { $0.append(bytes.count) }
            return write(bytes, descriptor, offset)
        }
        let (path, store, journal) = try open(text, disk: disk)
        try waitForCopy(journal)
        type("typed ", in: store)
        journal.abandon()
        #expect(writes.withLock { $0 }.filter { $0 >= text.utf8.count } == [text.utf8.count])
        unlink(path)
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.text?.rope == Rope("typed " + text))
    }

    @Test func aDirectoryOfAnotherKindIsNotUsed() throws {
        let store = TextStore()
        let base = JournalBase(path: nil, identity: nil)
        mkdir(scratch.file("real"), 0o777)
        symlink(scratch.file("real"), scratch.file("link"))
        let steps = Mutex<[String]>([])
        let refused = RecoveryJournal(of: store, base: base, directory: FilePath(scratch.file("link"))) { error in
            steps.withLock { $0.append(error.step) }
        }
        #expect(!refused.flush(within: 20_000) && steps.withLock { $0 } == ["use"])
        refused.close()
        #expect(Scratch.names(in: scratch.file("real")).isEmpty)
        // One that others may read is closed to them.
        chmod(scratch.file("real"), 0o777)
        let journal = RecoveryJournal(of: store, base: base, directory: FilePath(scratch.file("real")))
        #expect(journal.flush(within: 20_000))
        var status = stat()
        stat(scratch.file("real"), &status)
        #expect(status.st_mode & 0o777 == 0o700)
        journal.close()
    }
}

/// An action of another program on a journal.
private enum Removal: CaseIterable {
    case removed, renamed, removedWithDirectory
}

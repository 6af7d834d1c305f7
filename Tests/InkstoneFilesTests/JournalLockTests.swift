import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Journals that are in use by another process, or may be.
@Suite(.timeLimit(.minutes(5))) struct JournalLockTests: JournalSuite {
    let scratch = Scratch()

    @Test func aSecondEditorOfAFileIsNotifiedOfTheFirst() throws {
        let (path, store, journal) = try open("text")
        journal.flush()
        let link = scratch.file("link")
        symlink(path, link)
        for name in [path, link] {
            let found = RecoveredDocument.all(of: name, directory: journals, includingInUse: true)
            #expect(found.map(\.state) == [.inUse] && found.first?.process == Int(getpid()))
        }
        #expect(
            RecoveredDocument.all(of: path, directory: journals, includingInUse: true, except: journal.path).isEmpty)
        journal.abandon()
        #expect(RecoveredDocument.all(of: path, directory: journals, includingInUse: true).isEmpty)
        withExtendedLifetime(store) {}
    }

    /// A second editor shows the file without the first one's unsaved changes.
    @Test func aSecondEditorOfAFileIsNotifiedOfUnsavedChanges() throws {
        let (path, store, journal) = try open("text")
        func count() -> Int? {
            RecoveredDocument.all(of: path, directory: journals, includingInUse: true).first?.changeCount
        }
        #expect(journal.flush(within: 20_000))
        #expect(count() == 0)
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        #expect(count() == 1)
        try journal.rebase(
            to: JournalBase(path: path, identity: TextFile.read(path).identity), keepingAfter: journal.mark())
        #expect(journal.flush(within: 20_000))
        #expect(count() == 0, "they are saved")
        journal.abandon()
    }

    /// Reads a journal on a disk without locks, such as a network disk.
    private func readWithoutLock(_ path: FilePath, now: Int = time(nil)) -> RecoveredDocument? {
        let descriptor = Glibc.open(path.cString, O_RDONLY)
        defer { close(descriptor) }
        return RecoveredDocument.read(path, from: descriptor, lock: { _ in .unavailable }, now: now)
    }

    /// If locking fails, the journal may still be in use.
    @Test func withoutLocksAJournalOfARunningProcessIsLeftAlone() throws {
        var disk = JournalDisk()
        disk.isLocked = { _ in false }
        let (_, store, journal) = try open("text", disk: disk)
        #expect(journal.flush(within: 20_000))
        #expect(readWithoutLock(journal.path)?.state == .inUse, "nor removed because it is empty")
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        #expect(readWithoutLock(journal.path)?.state == .inUse)
        // Nor one whose owner had none, if others can have it now.
        let descriptor = Glibc.open(journal.path.cString, O_RDONLY)
        defer { close(descriptor) }
        #expect(RecoveredDocument.read(journal.path, from: descriptor, lock: { _ in .free })?.state == .inUse)
        journal.abandon()
    }

    @Test func withoutLocksAJournalIsFreeWhenItsProcessIsGone() throws {
        let here = JournalOwner.current(isLocked: false)
        let child = Int(runChild())
        var (ended, rebooted, elsewhere, another) = (here, here, here, here)
        ended.process = child
        another.start += 1
        rebooted.boot ^= 1
        (elsewhere.boot, elsewhere.machine) = (here.boot ^ 1, here.machine ^ 1)
        let mayBe: [(JournalOwner, Bool)] = [
            (ended, false), (another, false), (rebooted, here.machine == 0), (elsewhere, true),
        ]
        for (owner, mayBeInUse) in mayBe {
            let path = try leaveJournal(of: owner)
            let document = try #require(readWithoutLock(path))
            #expect(
                document.state == .intact && document.mayBeInUse == mayBeInUse && document.text?.rope == "typed text")
            document.discard()
            #expect(access(path, F_OK) != 0)
            #expect(
                (access(path.appending(suffix: ".ignored"), F_OK) == 0) == mayBeInUse,
                "what may be in use is only set aside")
        }
    }

    /// Without locks it is unknown whether a process of another machine runs. Its empty journals are removed when they are old.
    @Test func anEmptyJournalThatMayBeInUseGoesWhenItIsOld() throws {
        var owner = JournalOwner.current(isLocked: false)
        (owner.boot, owner.machine) = (owner.boot ^ 1, owner.machine ^ 1)
        let path = try leaveJournal(of: owner, typing: nil)
        #expect(readWithoutLock(path) == nil && access(path, F_OK) == 0)
        #expect(readWithoutLock(path, now: time(nil) + 31 * 86_400) == nil && access(path, F_OK) != 0)
    }

    /// Version 3 named only the number of the process. Without a lock this does not show whether the process runs, so the changes are offered.
    @Test func journalsOfTheThirdVersionAreOfferedWhateverBecameOfTheirProcess() throws {
        let path = try leaveJournal(of: JournalOwner.current(isLocked: true), isThird: true)
        let document = try #require(readWithoutLock(path))
        #expect(document.state == .intact && document.mayBeInUse && document.text?.rope == "typed text")
        #expect(RecoveredDocument.read(path)?.mayBeInUse == false, "nobody has the lock")
    }

    /// The number of a process that has ended.
    private func runChild() -> pid_t {
        var (pid, status) = (pid_t(), Int32(0))
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        defer { free(arguments[0]) }
        posix_spawn(&pid, "/bin/true", nil, nil, &arguments, environ)
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return pid
    }

    /// A journal as another process would have left it.
    private func leaveJournal(of owner: JournalOwner, typing text: Rope? = "typed ", isThird: Bool = false) throws
        -> FilePath
    {
        let path = scratch.put("file", "text")
        try JournalDirectory.make(journals)
        var (bytes, chain) = JournalFormat.head(salt: 1, owner: owner)
        if isThird {
            bytes = Array("inkstone journal 3\n".utf8)
            for number in [1, owner.process] { withUnsafeBytes(of: number.littleEndian) { bytes += $0 } }
            chain = JournalFormat.chain(of: bytes)
        }
        let base = JournalBase(path: FilePath(path), identity: FileIdentity(path: FilePath(path)))
        JournalFormat.encode(JournalBaseRecord(kind: .confirmed, base: base, kept: 0), to: &bytes, chain: &chain)
        if let text {
            JournalFormat.encode(
                JournalEdit(low: 0, high: 0, inserted: text), 0..<1, isLast: true, to: &bytes, chain: &chain)
        }
        let journal = scratch.put("journals/file.\(owner.hashValue).journal", bytes)
        chmod(journal, 0o600)
        return FilePath(journal)
    }
}

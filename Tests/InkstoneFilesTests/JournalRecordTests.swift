import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Journal records: which of them count, how a journal is compacted, and hostile records.
@Suite(.timeLimit(.minutes(5))) struct JournalRecordTests: JournalSuite {
    let scratch = Scratch()

    @Test func aPrefixOfATransactionDoesNotCount() throws {
        let (path, store, journal) = try open("a a a a a")
        var builder = TextChangeSet.Builder(over: store.text)
        for i in 0..<5 { builder.replace(ByteOffset(2 * i)..<ByteOffset(2 * i + 1), with: "longer \(i)") }
        store.apply(Transaction(on: store, builder.finish(), origin: .typing))
        journal.abandon()
        let bytes = contents(journal.path)
        for length in JournalFormat.headSize..<bytes.count {
            // A copy of the file may stand behind it.
            let count = JournalFormat.decode(Array(bytes.prefix(length)))?.edits.count ?? 0
            #expect(count == 0 || count == 5, "\(length) of \(bytes.count)")
        }
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == store.text)
    }

    /// If each record copied the records before it, this would take longer than the suite may.
    @Test func aTransactionOfManyEditsIsWritten() throws {
        let count = 200_000
        let (path, store, journal) = try open(String(repeating: "a ", count: count))
        var builder = TextChangeSet.Builder(over: store.text)
        for i in 0..<count { builder.replace(ByteOffset(2 * i)..<ByteOffset(2 * i + 1), with: "b") }
        store.apply(Transaction(on: store, builder.finish(), origin: .typing))
        #expect(journal.flush(within: 240_000))
        journal.abandon()
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == store.text)
    }

    @Test func recoveredChangesAreNotOfferedTwice() throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let again = TextStore("text")
        let next = RecoveryJournal(
            of: again, base: JournalBase(path: path, identity: FileIdentity(path: path)), directory: journals)
        next.adopt(document) { document.apply(to: again) }
        #expect(next.flush(within: 20_000))
        // The process was killed before it could delete the old journal.
        next.abandon()
        let found = RecoveredDocument.all(of: path, directory: journals)
        #expect(found.map(\.text?.rope) == ["typed text"])
    }

    /// Changes that do not all fit the text are not applied at all; otherwise the new journal would have only a
    /// part, and the old one would be deleted.
    @Test func changesThatDoNotAllFitStayInTheirJournal() throws {
        let (path, store, journal) = try open("one\ntwo\nthree\n")
        type("typed ", in: store)
        let end = store.text.byteRange.upperBound
        store.replace(end..<end, with: "much more", origin: .typing)
        try waitForCopy(journal)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let shorter = TextStore("one\n")
        let next = RecoveryJournal(
            of: shorter, base: JournalBase(path: nil, identity: nil), directory: journals)
        next.adopt(document) { document.apply(to: shorter) }
        #expect(shorter.text == "one\n" && document.changes(to: StyledText(Rope("one\n"))) == nil)
        #expect(next.flush(within: 20_000))
        next.abandon()
        let found = RecoveredDocument.all(of: path, directory: journals)
        #expect(found.map(\.text?.rope) == ["typed one\ntwo\nthree\nmuch more"])
    }

    /// Files of other journals are not read, because their disks may hang.
    @Test func onlyTheFilesOfRequestedJournalsAreChecked() throws {
        let (path, store, journal) = try open("text")
        try waitForCopy(journal)
        type("typed ", in: store)
        journal.abandon()
        // A check of the file finds that all changes are saved, and removes the journal.
        _ = scratch.put("file", "typed text")
        #expect(RecoveredDocument.all(of: scratch.file("another"), directory: journals).isEmpty)
        #expect(RecoveredDocument.listed(of: FilePath(scratch.file("another")), in: journals).isEmpty)
        #expect(access(journal.path, F_OK) == 0)
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        #expect(access(journal.path, F_OK) != 0)
    }

    /// A journal begun after some changes contains them too.
    @Test func firstJournalEditIsTheDifferenceFromTheBase() throws {
        let path = scratch.put("file", "one\ntwo\nthree\n")
        let store = TextStore("new one\ntwo\nfour\nend")
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: path, identity: FileIdentity(path: path)),
            baseText: "one\ntwo\nthree\n", directory: journals)
        type("typed ", in: store)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.text?.rope == "typed new one\ntwo\nfour\nend")
    }

    /// A journal too large for this machine is not damaged: another machine may read it.
    @Test func aTooLargeJournalIsKeptAndReported() throws {
        let (path, store, journal) = try open("text")
        type(String(repeating: "typed ", count: 1000), in: store)
        journal.abandon()
        let descriptor = Glibc.open(journal.path.cString, O_RDONLY)
        defer { close(descriptor) }
        let document = try #require(RecoveredDocument.read(journal.path, from: descriptor, limit: 4096))
        #expect(document.state == .tooLarge && document.base?.path == FilePath(path) && document.editCount == 0)
        #expect(document.description.contains("too large to be read"))
        #expect(RecoveredDocument.largest >= 512 << 20)
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == store.text)
    }

    /// A journal that grows without a save is compacted: one change replaces its edits.
    @Test func aJournalThatHasGrownIsCollapsed() throws {
        let (path, store, journal) = try open("one\ntwo\n")
        try waitForCopy(journal)
        let line = Rope(String(repeating: "a line of text ", count: 2000))
        for _ in 0..<200 {
            store.replace(4..<4 as Range<ByteOffset>, with: line, origin: .typing)
            store.replace(4..<ByteOffset(4 + line.metrics.bytes), with: "", origin: .typing)
            type("x", in: store)
            store.replace(0..<1 as Range<ByteOffset>, with: "", origin: .typing)
            #expect(journal.flush(within: 20_000))
        }
        type("typed ", in: store)
        journal.abandon()
        let size = contents(journal.path).count
        #expect(size < 3 << 20, "\(size) bytes")
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .intact && document.text?.rope == "typed one\ntwo\n")
    }

    /// Records of unknown kinds are skipped; edits do not depend on them.
    @Test func recordsOfAnUnknownKindArePassedOver() throws {
        for version in ["4", "5"] {
            let (path, _, journal) = try open("text")
            journal.close()
            var bytes = JournalFormat.head(salt: 1, owner: .current(isLocked: true)).bytes
            bytes.replaceSubrange(0..<19, with: "inkstone journal \(version)\n".utf8)
            var chain = JournalFormat.chain(of: bytes)
            let base = JournalBase(path: path, identity: FileIdentity(path: path))
            JournalFormat.encode(JournalBaseRecord(kind: .confirmed, base: base, kept: 0), to: &bytes, chain: &chain)
            for number in 0..<2 {
                // Its kind, and something else.
                let body: [UInt8] = [99, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]
                var hasher = ContentHasher(seed: chain)
                body.withUnsafeBytes { hasher.update($0) }
                chain = hasher.checksum
                withUnsafeBytes(of: UInt32(body.count).littleEndian) { bytes += $0 }
                withUnsafeBytes(of: chain.littleEndian) { bytes += $0 }
                bytes += body
                JournalFormat.encode(
                    JournalEdit(low: 0, high: 0, inserted: "x"), number..<number + 1, isLast: true, to: &bytes,
                    chain: &chain)
            }
            let content = try #require(JournalFormat.decode(bytes))
            #expect(content.isWhole && content.edits.count == 2, "version \(version)")
        }
    }

    /// A program of the version before, which does not know formats, must not take a journal with them for one that ends there.
    @Test func aJournalIsNoneOfTheVersionBefore() {
        let head = JournalFormat.head(salt: 1, owner: .current(isLocked: true)).bytes
        #expect(String(decoding: head.prefix(19), as: UTF8.self) == "inkstone journal 6\n")
    }

    /// Each number may be read, and all of them together are more than there are.
    @Test func aForgedJournalOfEndlessChangesIsCounted() throws {
        let (path, _, journal) = try open("text")
        journal.close()
        var (bytes, chain) = JournalFormat.head(salt: 1, owner: .current(isLocked: true))
        let base = JournalBase(path: path, identity: FileIdentity(path: path))
        JournalFormat.encode(JournalBaseRecord(kind: .confirmed, base: base, kept: 0), to: &bytes, chain: &chain)
        for number in 0..<40_000 {
            JournalFormat.encode(
                JournalEdit(low: 0, high: 0, inserted: "x"), number..<(1 << 48), isLast: true, to: &bytes, chain: &chain
            )
        }
        _ = scratch.put("journals/forged.journal", bytes)
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.editCount == 40_000 && document.changeCount > 1 << 48)
    }

    @Test(arguments: UInt64(1)...4)
    func hostileJournalsAreReportedAndDoNoHarm(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        print("hostile journals: seed \(seed)")
        let (path, store, journal) = try open("text\nof a file\n")
        try waitForCopy(journal)
        for i in 0..<8 {
            type("typed \(i)\n", in: store)
            store.restyle { $0.set(i % 3, of: TestKeys.Weight.self, in: 0..<4) }
        }
        journal.abandon()
        let bytes = contents(journal.path)
        unlink(journal.path)
        mkfifo("\(journals)/pipe.journal", 0o600)
        mkdir("\(journals)/directory.journal", 0o700)
        symlink("/etc/passwd", "\(journals)/link.journal")
        for round in 0..<200 {
            var damaged = bytes
            switch random.below(4) {
            case 0: damaged = randomBytes(&random, about: 300)
            case 1: damaged = Array(bytes.prefix(random.below(bytes.count)))
            case 2:
                for _ in 0..<1 + random.below(4) { damaged[random.below(damaged.count)] ^= UInt8(1 << random.below(8)) }
            default:
                // Huge numbers in a record whose checksum is right.
                var (head, chain) = JournalFormat.head(salt: seed, owner: .current(isLocked: true))
                let identity = FileIdentity(path: path)
                let base = JournalBase(path: path, identity: identity)
                JournalFormat.encode(
                    JournalBaseRecord(kind: .confirmed, base: base, kept: 0), to: &head, chain: &chain)
                for number in [0, Int.max, 1 << 48, 17, 3, Int.max - 1] {
                    let (low, numbers) = (random.below(2) == 0 ? number : 0, 0..<max(1, number))
                    JournalFormat.encode(
                        JournalEdit(low: low, high: max(low, number), inserted: "x"), numbers, isLast: true, to: &head,
                        chain: &chain)
                }
                damaged = head
            }
            let name = "\(journals)/hostile.journal"
            _ = scratch.put("journals/hostile.journal", damaged)
            for document in RecoveredDocument.all(directory: journals) {
                let copy = TextStore("text\nof a file\n")
                #expect(document.apply(to: copy) || copy.text == "text\nof a file\n", "round \(round)")
                _ = (document.text, document.pieces, document.merge(into: StyledText(Rope("other\n"))))
            }
            unlink(name)
        }
    }
}

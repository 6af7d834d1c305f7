import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Findings of recovery when the file, the disk or the journal is not as it was.
@Suite(.timeLimit(.minutes(5))) struct JournalStateTests {
    let scratch = Scratch()
    var journals: FilePath { FilePath(scratch.file("journals")) }

    private func open(
        _ text: String, device: UInt64? = nil, disk: JournalDisk = JournalDisk()
    ) throws -> (path: String, store: TextStore, journal: RecoveryJournal) {
        let path = scratch.put("file", text)
        var identity = try #require(FileIdentity(path: path))
        if let device { identity.device = device }
        let store = TextStore(Rope(text))
        let base = JournalBase(path: path, identity: identity)
        let journal = RecoveryJournal(of: store, base: base, directory: journals, disk: disk)
        journal.flush(within: 20_000)
        return (path, store, journal)
    }

    private func type(_ text: String, in store: TextStore) {
        store.replace(0..<0 as Range<ByteOffset>, with: Rope(text), origin: .typing)
    }

    /// Waits until the journal has the copy of its file.
    private func waitForCopy(_ journal: RecoveryJournal) throws {
        try waitUntil("the copy of the file", within: 20_000) {
            journal.flush(within: 20_000) && JournalFormat.decode(contents(journal.path))?.standing?.copy != nil
        }
    }

    /// One types before the file has been read for the journal, and then nothing more until the crash.
    @Test func aCopyThatIsReadAfterTheLastEditIsInTheJournal() throws {
        let isRead = Switch()
        var disk = JournalDisk()
        let read = disk.base
        disk.base = { path, limit in
            try? waitUntil("the disk", within: 20_000) { isRead.isOn }
            return read(path, limit)
        }
        let (path, store, journal) = try open("text", disk: disk)
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        #expect(JournalFormat.decode(contents(journal.path))?.standing?.copy == nil)
        isRead.isOn = true
        try waitUntil("the copy of the file", within: 20_000) {
            JournalFormat.decode(contents(journal.path))?.standing?.copy != nil
        }
        _ = scratch.put("file", "another")
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .changed && document.textOrPieces == "typed text")
    }

    @Test func anotherDeviceNumberMakesNoDifference() throws {
        let (path, store, journal) = try open("text", device: 12_345)
        type("typed ", in: store)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .intact && document.text?.rope == "typed text")
    }

    /// The number of a file that was removed is given to the next one that is made.
    @Test func aFileWithTheNumberOfARemovedOneIsAnother() throws {
        let stranger = scratch.put("stranger", "nothing of it")
        for isCopied in [true, false] {
            let path = scratch.put("removed", "one\ntwo\n")
            let store = TextStore("one\ntwo\n")
            let numbers = try #require(FileIdentity(path: stranger))
            var identity = try #require(FileIdentity(path: path))
            (identity.device, identity.inode) = (numbers.device, numbers.inode)
            var disk = JournalDisk()
            let copy = contents(path)
            disk.base = { [identity] _, _ in isCopied ? (FileContents(copy), identity, copy) : nil }
            let journal = RecoveryJournal(
                of: store, base: JournalBase(path: path, identity: identity), directory: journals, disk: disk)
            if isCopied { try waitForCopy(journal) }
            type("typed ", in: store)
            journal.abandon()
            unlink(path)
            #expect(RecoveredDocument.all(of: stranger, directory: journals).isEmpty)
            #expect(RecoveredDocument.all(of: path, directory: journals).map(\.state) == [.missing])
            unlink(journal.path)
        }
    }

    @Test func aFileThatWasRenamedHasItsJournal() throws {
        for isCopied in [true, false] {
            let (path, store, journal) = try open("text")
            if isCopied { try waitForCopy(journal) }
            type("typed ", in: store)
            journal.abandon()
            let other = scratch.file("another name")
            rename(path, other)
            let document = try #require(RecoveredDocument.all(of: other, directory: journals).first)
            #expect(document.state == .intact && document.text?.rope == "typed text")
            #expect(document.base?.path == FilePath(other))
            document.discard()
        }
    }

    @Test func aFileThatIsNotThereAtTheMomentComesBack() throws {
        let (path, store, journal) = try open("text")
        try waitForCopy(journal)
        type("typed ", in: store)
        journal.abandon()
        rename(path, path + ".away")
        for _ in 0..<2 {
            let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
            #expect(document.state == .missing && document.text?.rope == "typed text")
        }
        rename(path + ".away", path)
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.state == .intact)
    }

    @Test func anEmptyJournalOfAChangedFileIsNoAlarm() throws {
        let (path, store, journal) = try open("text")
        journal.flush()
        journal.abandon()
        _ = scratch.put("file", "something else")
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        withExtendedLifetime(store) {}
    }

    @Test func changesOfAnotherProgramAreMergedWhereTheyAreApart() throws {
        let (path, store, journal) = try open("one\ntwo\nthree\n")
        try waitForCopy(journal)
        type("typed ", in: store)
        journal.abandon()
        _ = scratch.put("file", "one\ntwo\nthree\nfour\n")
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        var text = StyledText(Rope("one\ntwo\nthree\nfour\n"))
        text.apply(try #require(document.merge(into: text)))
        #expect(document.state == .changed && text.rope == "typed one\ntwo\nthree\nfour\n")
        #expect(document.text?.rope == "typed one\ntwo\nthree\n")
        // At one place nobody knows what is meant.
        #expect(document.merge(into: StyledText(Rope("another\ntwo\nthree\n"))) == nil)
    }

    /// A folded journal's one edit is merged by what it changes.
    @Test func anEditThatLeavesAPlaceAsItWasMeetsNoOtherThere() throws {
        let (path, store, journal) = try open("one\ntwo\nthree\n")
        try waitForCopy(journal)
        store.replace(store.text.byteRange, with: "typed one\ntwo\nthree\nend\n", origin: .typing)
        journal.abandon()
        _ = scratch.put("file", "one\nanother\nthree\n")
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        var text = StyledText(Rope("one\nanother\nthree\n"))
        text.apply(try #require(document.merge(into: text)))
        #expect(text.rope == "typed one\nanother\nthree\nend\n")
    }

    /// The file was saved in another encoding, and changed at once: the journal has a copy of the base before alone.
    @Test func theCopyOfAnOlderBaseIsReadInItsOwnFormat() throws {
        let (path, store, journal) = try open("täxt")
        type("typed ", in: store)
        try waitForCopy(journal)
        let wide = TextFileFormat(encoding: .utf16LittleEndian, hasByteOrderMark: true)
        let mark = journal.mark()
        let saved = try TextFile.write(store.text, to: path, format: wide, expecting: FileIdentity(path: path))
        _ = scratch.put("file", "another program's")
        journal.rebase(to: JournalBase(path: path, identity: saved.identity, format: wide), keepingAfter: mark)
        type("more ", in: store)
        journal.abandon(within: 20_000)
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .changed && document.text?.rope == "more typed täxt")
        #expect(document.base?.format == wide)
    }

    @Test func aKillBetweenTheRenameAndTheNewBaseLosesNothing() throws {
        let (path, store, journal) = try open("text")
        type("saved ", in: store)
        let mark = journal.mark()
        let saved = store.text
        type("meanwhile ", in: store)
        let note = journal.noteSaves(to: path, format: .utf8, keepingAfter: mark)
        try TextFile.write(saved, to: path, expecting: FileIdentity(path: path), willReplace: note)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .intact && document.text?.rope == "meanwhile saved text")
        #expect(document.editCount == 1)
    }

    /// The text is what the file has, and what was chosen for the next save is not.
    @Test func theFormatThatWasChosenForTheNextSaveIsKept() throws {
        let (path, store, journal) = try open("ä")
        let latin = TextFileFormat(encoding: try #require(TextEncoding(named: "ISO-8859-1")))
        store.replace(0..<2 as Range<ByteOffset>, with: Rope("ä"), origin: .program)
        journal.noteFormat(TextFileFormat(encoding: .utf16BigEndian, hasByteOrderMark: true))
        journal.noteFormat(latin)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .intact && document.text?.rope == "ä")
        #expect(document.chosenFormat == latin && document.base?.format == .utf8)
    }

    @Test func aFormatThatWasSavedIsNoneToBeChosen() throws {
        let (path, store, journal) = try open("ä")
        let latin = TextFileFormat(encoding: try #require(TextEncoding(named: "ISO-8859-1")))
        journal.noteFormat(latin)
        let mark = journal.mark()
        _ = scratch.put("file", [0xe4])
        journal.rebase(
            to: JournalBase(path: FilePath(path), identity: FileIdentity(path: path), format: latin),
            keepingAfter: mark)
        type("x", in: store)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.text?.rope == "xä" && document.chosenFormat == nil)
    }

    /// The file is what it was before the save, and the text was to be written otherwise.
    @Test func aPowerLossThatTakesBackASaveLeavesTheFormatOfThat() throws {
        let (path, store, journal) = try open("ä")
        try waitForCopy(journal)
        let latin = TextFileFormat(encoding: try #require(TextEncoding(named: "ISO-8859-1")))
        type("xx", in: store)
        journal.noteFormat(latin)
        let mark = journal.mark()
        _ = scratch.put("file", [0x78, 0x78, 0xe4])
        journal.rebase(
            to: JournalBase(path: FilePath(path), identity: FileIdentity(path: path), format: latin),
            keepingAfter: mark)
        type("y", in: store)
        journal.flush(within: 20_000)
        _ = scratch.put("file", "ä")
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.text?.rope == "yxxä" && document.base?.format == .utf8 && document.chosenFormat == latin)
    }

    /// In the gap that a full disk leaves it is, and in what a journal is folded to.
    @Test func aFormatIsKeptWhateverBecomesOfItsRecord() throws {
        let full = Switch()
        var disk = JournalDisk()
        disk.write = { full.isOn ? ENOSPC : FileTransfer.write($0, to: $1, at: $2) }
        let (path, store, journal) = try open("one\n", disk: disk)
        try waitForCopy(journal)
        let latin = TextFileFormat(encoding: try #require(TextEncoding(named: "ISO-8859-1")))
        full.isOn = true
        journal.noteFormat(latin)
        type("x", in: store)
        #expect(!journal.flush(within: 20_000))
        full.isOn = false
        #expect(journal.flush(within: 20_000))
        let line = Rope(String(repeating: "a line of text ", count: 2000))
        for _ in 0..<100 {
            store.replace(4..<4 as Range<ByteOffset>, with: line, origin: .typing)
            store.replace(4..<ByteOffset(4 + line.metrics.bytes), with: "", origin: .typing)
            #expect(journal.flush(within: 20_000))
        }
        journal.abandon()
        #expect(contents(journal.path).count < 2 << 20)
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.text?.rope == "xone\n" && document.chosenFormat == latin)
    }

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

    /// The disk has room for what is typed, and none for a copy of the file.
    /// Also where something was typed before the file was read.
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

    /// Nobody is to be promised what the disk has not.
    @Test func whatIsLeftOnAFullDiskIsNotSaidToBeKept() throws {
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

    /// Another program has removed the journal, or it was taken for another's, or all of the directory is gone.
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

    /// Nobody types or asks for anything meanwhile.
    @Test func aJournalThatIsRemovedIsMissedByItself() throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        #expect(journal.flush(within: 20_000))
        unlink(journal.path)
        try waitUntil("the journal to be there again", within: 20_000) { access(journal.path, F_OK) == 0 }
        journal.abandon()
        #expect(RecoveredDocument.all(of: path, directory: journals).first?.text?.rope == "typed text")
    }

    /// Changes before a read again were thrown away on purpose, and stay only until the file is the base.
    @Test func aFileThatIsReadAgainLeavesNothingToOffer() throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        try waitForCopy(journal)
        _ = scratch.put("file", "another program's")
        let mark = journal.together {
            store.replace(store.text.byteRange, with: "another program's", origin: .typing)
            return journal.mark()
        }
        #expect(journal.flush(within: 20_000))
        let held = RecoveredDocument.read(journal.path, removingEmpty: false, readingInUse: true)
        #expect(held?.text?.rope == "another program's" && held?.changeCount == 2)
        journal.rebase(
            to: JournalBase(path: path, identity: FileIdentity(path: path)), keepingAfter: mark)
        #expect(journal.abandon(within: 20_000))
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        #expect(access(journal.path, F_OK) != 0)
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

    @Test func whatWasTakenUpIsNotOfferedTwice() throws {
        let (path, store, journal) = try open("text")
        type("typed ", in: store)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let again = TextStore("text")
        let next = RecoveryJournal(
            of: again, base: JournalBase(path: path, identity: FileIdentity(path: path)), directory: journals)
        next.adopt(document) { document.apply(to: again) }
        #expect(next.flush(within: 20_000))
        // Killed before it could remove the old one.
        next.abandon()
        let found = RecoveredDocument.all(of: path, directory: journals)
        #expect(found.map(\.text?.rope) == ["typed text"])
    }

    /// Of changes that do not all fit a text none is made: a journal that had some of them would have the other one removed.
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

    /// A file whose journal is not asked for is not read: its disk may hang.
    @Test func onlyTheFilesOfJournalsThatAreAskedForAreLookedAt() throws {
        let (path, store, journal) = try open("text")
        try waitForCopy(journal)
        type("typed ", in: store)
        journal.abandon()
        // Who looks at the file sees that all of it is saved, and removes the journal.
        _ = scratch.put("file", "typed text")
        #expect(RecoveredDocument.all(of: scratch.file("another"), directory: journals).isEmpty)
        #expect(RecoveredDocument.listed(of: FilePath(scratch.file("another")), in: journals).isEmpty)
        #expect(access(journal.path, F_OK) == 0)
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        #expect(access(journal.path, F_OK) != 0)
    }

    /// A journal that begins later than the changes has them all the same.
    @Test func whatDiffersFromTheBaseIsTheFirstEdit() throws {
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

    /// What is too large for this machine is readable on another one: it is not damaged.
    @Test func aJournalThatIsTooLargeIsKeptAndSaidToBe() throws {
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

    /// A journal that nobody saves for does not grow for ever: what its edits come to takes their place.
    @Test func aJournalThatHasGrownIsFolded() throws {
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

    @Test func aSecondEditorOfAFileIsToldOfTheFirst() throws {
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

    /// A disk that has no locks, as a network's may be.
    private func readWithoutLock(_ path: FilePath, now: Int = time(nil)) -> RecoveredDocument? {
        let descriptor = Glibc.open(path.cString, O_RDONLY)
        defer { close(descriptor) }
        return RecoveredDocument.read(path, from: descriptor, lock: { _ in .unavailable }, now: now)
    }

    /// A lock that cannot be had is not one that nobody has.
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

    /// Without locks nothing tells whether a process of another machine runs. Its empty journals go when they are old.
    @Test func anEmptyJournalThatMayBeInUseGoesWhenItIsOld() throws {
        var owner = JournalOwner.current(isLocked: false)
        (owner.boot, owner.machine) = (owner.boot ^ 1, owner.machine ^ 1)
        let path = try leaveJournal(of: owner, typing: nil)
        #expect(readWithoutLock(path) == nil && access(path, F_OK) == 0)
        #expect(readWithoutLock(path, now: time(nil) + 31 * 86_400) == nil && access(path, F_OK) != 0)
    }

    /// Version 3 named only the number of the process. Without a lock that tells nothing, and the changes are offered.
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
        JournalFormat.encode(JournalBaseRecord(kind: .standing, base: base, kept: 0), to: &bytes, chain: &chain)
        if let text {
            JournalFormat.encode(
                JournalEdit(low: 0, high: 0, inserted: text), 0..<1, isLast: true, to: &bytes, chain: &chain)
        }
        let journal = scratch.put("journals/file.\(owner.hashValue).journal", bytes)
        chmod(journal, 0o600)
        return FilePath(journal)
    }

    /// Edits depend on no kind of record that only other versions know.
    @Test func recordsOfAnUnknownKindArePassedOver() throws {
        for version in ["4", "5"] {
            let (path, _, journal) = try open("text")
            journal.close()
            var bytes = JournalFormat.head(salt: 1, owner: .current(isLocked: true)).bytes
            bytes.replaceSubrange(0..<19, with: "inkstone journal \(version)\n".utf8)
            var chain = JournalFormat.chain(of: bytes)
            let base = JournalBase(path: path, identity: FileIdentity(path: path))
            JournalFormat.encode(JournalBaseRecord(kind: .standing, base: base, kept: 0), to: &bytes, chain: &chain)
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

    /// A copy of a file may be a quarter of the memory: it is written from where it is, and no buffer has it once more.
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

    /// Each number may be read, and all of them together are more than there are.
    @Test func aForgedJournalOfEndlessChangesIsCounted() throws {
        let (path, _, journal) = try open("text")
        journal.close()
        var (bytes, chain) = JournalFormat.head(salt: 1, owner: .current(isLocked: true))
        let base = JournalBase(path: path, identity: FileIdentity(path: path))
        JournalFormat.encode(JournalBaseRecord(kind: .standing, base: base, kept: 0), to: &bytes, chain: &chain)
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
    func hostileJournalsAreSaidToBeAndHurtNobody(seed: UInt64) throws {
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
                    JournalBaseRecord(kind: .standing, base: base, kept: 0), to: &head, chain: &chain)
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

/// A deed of another program to a journal.
private enum Removal: CaseIterable {
    case removed, renamed, removedWithDirectory
}

/// A switch that several threads see.
private final class Switch: Sendable {
    private let value = Mutex(false)

    var isOn: Bool {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

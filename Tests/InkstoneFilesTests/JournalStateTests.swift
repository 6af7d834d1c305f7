import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Synchronization
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Recovery when the file differs from the journal's base.
@Suite(.timeLimit(.minutes(5))) struct JournalStateTests: JournalSuite {
    let scratch = Scratch()

    /// The user types before the journal has read the file, and nothing more until the crash.
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
        #expect(JournalFormat.decode(contents(journal.path))?.confirmed?.copy == nil)
        isRead.isOn = true
        try waitUntil("the copy of the file", within: 20_000) {
            JournalFormat.decode(contents(journal.path))?.confirmed?.copy != nil
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

    /// The inode number of a deleted file is reused for the next file.
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
        // If both have changed the same place, the changes cannot be merged.
        #expect(document.merge(into: StyledText(Rope("another\ntwo\nthree\n"))) == nil)
    }

    /// A folded journal's one edit is merged by what it changes.
    @Test func anEditDoesNotConflictWhereItChangesNothing() throws {
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

    /// The file has the journal's text, but not the format chosen for the next save.
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

    /// The bytes of standard input are gone after a crash. The journal of the recovered text says so after the next one.
    @Test func lostBytesAreRememberedAfterEachCrash() throws {
        let latin = TextFileFormat(encoding: try #require(TextEncoding(named: "Shift_JIS")))
        let base = JournalBase(path: nil, identity: nil, format: latin)
        func crash(_ text: Rope, isLossy: Bool) throws -> RecoveredDocument {
            let store = TextStore()
            let journal = RecoveryJournal(of: store, base: base, directory: journals)
            journal.noteFormat(latin, isLossy: isLossy)
            store.replace(0..<0 as Range<ByteOffset>, with: text, origin: .recovery)
            journal.abandon()
            let found = try #require(RecoveredDocument.read(journal.path, removingEmpty: false))
            unlink(journal.path)
            #expect(found.text?.rope == text && found.chosenFormat == nil)
            return found
        }
        let first = try crash("∵\n", isLossy: true)
        #expect(!first.isLossless)
        #expect(try crash("∵\n", isLossy: false).isLossless)
        let path = scratch.file("recovered")
        #expect(try !first.write("x∵\n", to: FilePath(path), format: latin), "it is said that bytes are lost")
        #expect(contents(path).first == 0x78)
    }

    /// A save makes the saved file the source of the bytes.
    @Test func lostBytesAreForgottenWithTheNextBase() throws {
        let (path, store, journal) = try open("text")
        journal.noteFormat(.utf8, isLossy: true)
        type("x", in: store)
        let mark = journal.mark()
        _ = scratch.put("file", "xtext")
        journal.rebase(to: JournalBase(path: path, identity: FileIdentity(path: path)), keepingAfter: mark)
        type("y", in: store)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.text?.rope == "yxtext" && document.isLossless)
    }

    /// A journal of an earlier program has no word about lost bytes behind a format.
    @Test func aFormatOfAnEarlierProgramIsRead() throws {
        let latin = TextFileFormat(encoding: try #require(TextEncoding(named: "ISO-8859-1")))
        var (bytes, chain) = JournalFormat.head(salt: 1, owner: .current(isLocked: true))
        let base = JournalBase(path: nil, identity: nil)
        JournalFormat.encode(JournalBaseRecord(kind: .confirmed, base: base, kept: 0), to: &bytes, chain: &chain)
        var (record, former) = ([UInt8](), chain)
        JournalFormat.encode(JournaledFormat(format: latin, isLossy: true), to: &record, chain: &former)
        let body = record[JournalFormat.overhead...].dropLast(8)
        var hasher = ContentHasher(seed: chain)
        body.withUnsafeBytes { hasher.update($0) }
        withUnsafeBytes(of: UInt32(body.count).littleEndian) { bytes += $0 }
        withUnsafeBytes(of: hasher.checksum.littleEndian) { bytes += $0 }
        bytes += body
        let content = try #require(JournalFormat.decode(bytes))
        #expect(content.isWhole && content.bases.map(\.format) == [latin] && content.bases.map(\.isLossy) == [false])
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
        journal.noteFormat(latin, isLossy: true)
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
        #expect(!document.isLossless)
    }

    /// Changes before a reload were discarded on purpose; they are kept only until the reloaded file is the base.
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

    /// The journal has a copy of the base before the save only, as after a kill soon after the save. The edits between
    /// the two bases are in the file nevertheless.
    @Test(arguments: [false, true]) func aSavedFileThatAnotherProgramChangesLeavesNothingToOffer(typing: Bool) throws {
        let isSaved = Switch()
        var disk = JournalDisk()
        let read = disk.base
        disk.base = { isSaved.isOn ? nil : read($0, $1) }
        let (path, store, journal) = try open("text", disk: disk)
        type("typed ", in: store)
        try waitForCopy(journal)
        let mark = journal.mark()
        isSaved.isOn = true
        _ = scratch.put("file", "typed text")
        journal.rebase(to: JournalBase(path: path, identity: FileIdentity(path: path)), keepingAfter: mark)
        #expect(journal.flush(within: 20_000))
        if typing { type("more ", in: store) }
        #expect(journal.abandon(within: 20_000))
        _ = scratch.put("file", "typed text, and more by another program")
        let found = RecoveredDocument.all(of: path, directory: journals)
        #expect(found.map(\.state) == (typing ? [.changed] : []))
    }
}

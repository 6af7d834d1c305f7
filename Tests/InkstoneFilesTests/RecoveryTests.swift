import Glibc
import InkstoneBase
import InkstoneText
import Synchronization
import InkstoneTesting
import Testing
import InkstoneUnicode
import TextTestSupport

@testable import InkstoneFiles

@Suite(.timeLimit(.minutes(5))) struct RecoveryTests {
    let scratch = Scratch()
    var journals: FilePath { FilePath(scratch.file("state/journals")) }

    /// Creates a file, its store and its journal.
    private func open(_ text: String) throws -> (path: String, store: TextStore, journal: RecoveryJournal) {
        let path = scratch.put("file", text)
        let file = try TextFile.read(path)
        let store = TextStore(file.text)
        let base = JournalBase(path: path, identity: file.identity)
        let journal = RecoveryJournal(of: store, base: base, directory: journals)
        journal.flush()
        return (path, store, journal)
    }

    private func recover(_ path: String?) throws -> (RecoveredDocument, String)? {
        guard let document = RecoveredDocument.all(of: path.map { FilePath($0) }, directory: journals).first else {
            return nil
        }
        let store = TextStore(try path.map { try TextFile.read($0).text } ?? Rope())
        document.apply(to: store)
        return (document, store.text.description)
    }

    @Test func journalsArePrivateAndGoAwayOnACleanClose() throws {
        let (_, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.flush()
        var status = stat()
        stat(journal.path, &status)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_size > 0)
        stat(journals, &status)
        #expect(status.st_mode & 0o777 == 0o700)
        journal.close()
        #expect(stat(journal.path, &status) != 0)
    }

    /// A directory name in Latin-1 is not valid UTF-8; names are bytes.
    @Test func aDirectoryWhoseNameIsNoTextHasJournals() throws {
        let directory = FilePath(Array(scratch.path.utf8) + Array("/caf".utf8) + [0xe9]).appending("journals")
        let path = scratch.put("file", "text")
        let store = TextStore("text")
        let base = JournalBase(path: path, identity: FileIdentity(path: path))
        let journal = RecoveryJournal(of: store, base: base, directory: directory)
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ")
        #expect(journal.flush(within: 20_000) && access(journal.path, F_OK) == 0)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: directory).first)
        #expect(document.text?.rope == "typed text")
        // One that takes its edits up names it, by the same bytes.
        let again = TextStore("text")
        let second = RecoveryJournal(of: again, base: base, directory: directory)
        second.adopt(document) { _ = document.apply(to: again) }
        #expect(second.flush(within: 20_000))
        second.abandon()
        #expect(RecoveredDocument.all(of: path, directory: directory).map(\.journalPath) == [second.path])
        // So has the file that a save in place keeps there.
        let old = try #require(FileIdentity(path: path))
        try TextFile.write("new", to: FilePath(path), expecting: old, method: .inPlace, keepingIn: directory)
        #expect(contents(path) == Array("new".utf8))
    }

    @Test func undoAndRedoComeBackAsWell() throws {
        let (path, store, journal) = try open("text")
        store.replace(4..<4 as Range<ByteOffset>, with: " one")
        store.replace(0..<4 as Range<ByteOffset>, with: "")
        store.undo()
        store.replace(0..<1 as Range<ByteOffset>, with: "\u{e9}")
        store.undo()
        store.redo()
        let expected = store.text.description
        journal.abandon()
        let (document, text) = try #require(try recover(path))
        #expect(text == expected && document.editCount == 6 && document.state == .intact)
    }

    /// For very large transactions, the journal's thread computes the edits.
    @Test(arguments: [999, 3000]) func aTransactionOfManySectionsComesBackAsAStep(_ count: Int) throws {
        let text = String(repeating: "a é\n", count: count)
        let (path, store, journal) = try open(text)
        var builder = TextChangeSet.Builder(over: store.text)
        for index in 0..<count {
            let start = ByteOffset(5 * index)
            builder.replace(start..<(start + index % 2), with: "\(index)")
        }
        let changes = builder.finish()
        #expect(changes.count == count)
        store.apply(Transaction(on: store, changes))
        store.replace(0..<0 as Range<ByteOffset>, with: "behind it ")
        let expected = store.text.description
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        let (document, recovered) = try #require(try recover(path))
        #expect(recovered == expected && document.state == .intact)
    }

    @Test(arguments: [UInt64(1), 2])
    func attributesThatAreCodedComeBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let (path, store, journal) = try open("one two\nthree")
        let all = [TestKeys.Weight.name, TestKeys.Link.name, TestKeys.Alignment.name, TestKeys.Spelling.name]
        for _ in 0..<200 {
            let low = UTF16Offset(random.below(store.text.metrics.utf16 + 1))
            let range = low..<low + random.below(6)
            switch random.below(5) {
            case 0: store.replace(range, with: "")
            case 1: store.replace(range, with: "x\ny")
            case 2: store.undo()
            default:
                let values = all.filter { _ in random.once(in: 2) }.map { ($0, random.below(3)) }
                let attributes = TestKeys.attributes(Dictionary(uniqueKeysWithValues: values))
                store.restyle { $0.set(attributes, in: range) }
            }
        }
        let spelled = TestKeys.attributes([TestKeys.Link.name: 5, TestKeys.Spelling.name: 1])
        store.replace(0..<0 as Range<UTF16Offset>, with: StyledText("end", spelled))
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let recovered = TextStore(try TextFile.read(path).text)
        document.apply(to: recovered)
        let wanted = StyledFragment(store.styledText).text
        #expect(StyledModel(recovered.styledText).description == StyledModel(wanted).description, "seed \(seed)")
        #expect(wanted != store.styledText && wanted.runs != nil, "too little to distinguish")
        recovered.undo()
        #expect(recovered.text == "one two\nthree" && recovered.styledText.runs == nil)
    }

    private enum Picture: CodedAttributeKey {
        typealias Value = TextAttachment
        static let name = "picture of journals"
        static let inheritedByAddedText = false
        static let runBoundaries: AttributeRunBoundaries? = .scalar(TextAttachment.character)
        static func encode(_ picture: Value) -> [UInt8] { picture.coded }
        static func decode(_ bytes: [UInt8]) -> Value? { TextAttachment(coded: bytes) }
    }

    /// Style changes around large pictures must not write the pictures again.
    @Test func stylesOfAPictureDoNotWriteItAgain() throws {
        let size = 100_000
        let (path, store, journal) = try open("one two\nthree")
        let picture = try #require(
            TextAttachment(contents: [UInt8](repeating: 7, count: size), type: "application/x-picture"))
        let character = Rope(String(TextAttachment.character))
        for at in [UTF16Offset(8), 3] {
            store.replace(at..<at, with: StyledText(character, TextAttributes(Picture.self, picture)))
        }
        for number in 0..<20 {
            store.restyle { $0.set(number, of: TestKeys.Weight.self, in: store.text.utf16Range) }
            store.restyle { $0.set(number, of: TestKeys.Alignment.self, in: 0..<5) }
        }
        // Joins two paragraphs, of which one has a picture and another style.
        store.replace(8..<9 as Range<UTF16Offset>, with: "")
        store.undo()
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        #expect(try #require(FileIdentity(path: journal.path)).size < 3 * size)
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let recovered = TextStore(try TextFile.read(path).text)
        #expect(document.apply(to: recovered))
        #expect(recovered.styledText == store.styledText)
        #expect(recovered.styledText.attributes(at: 3)[Picture.self] == picture)
    }

    private static func picture(_ byte: UInt8) throws -> StyledText {
        let picture = try #require(TextAttachment(contents: [byte, byte, byte], type: "application/x-picture"))
        return StyledText(Rope(String(TextAttachment.character)), TextAttributes(Picture.self, picture))
    }

    /// The saved file has no pictures, so a later change of their style must write them whole.
    @Test func picturesOfBeforeASaveComeBackWhole() throws {
        let (path, store, journal) = try open("one two")
        let picture = try Self.picture(7)
        store.replace(3..<3 as Range<UTF16Offset>, with: picture)
        let mark = journal.mark()
        store.restyle { $0.set(1, of: TestKeys.Weight.self, in: 0..<2) }
        _ = scratch.put("file", "one\u{fffc} two")
        let file = try TextFile.read(path)
        journal.rebase(to: JournalBase(path: path, identity: file.identity), keepingAfter: mark)
        // The same picture at a second place as well, of which the journal has an insertion.
        store.replace(8..<8 as Range<UTF16Offset>, with: picture)
        for number in 2..<5 {
            store.restyle { $0.set(number, of: TestKeys.Weight.self, in: 8..<9) }
            store.restyle { $0.set(number, of: TestKeys.Weight.self, in: 3..<4) }
        }
        try expectPictures(of: store, journal, path, at: [3, 8])
    }

    /// Pictures that were there, or were read later on.
    @Test(arguments: [false, true]) func picturesThatNoEditBroughtComeBackWhole(isLoaded: Bool) throws {
        let path = scratch.put("file", "one\u{fffc} two")
        let file = try TextFile.read(path)
        var text = StyledText("one")
        if !isLoaded { text.append(try Self.picture(7)) }
        text.append(StyledText(isLoaded ? "\u{fffc} two" : " two"))
        let store = TextStore(text)
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: path, identity: file.identity), directory: journals)
        if isLoaded {
            store.replace(3..<4 as Range<UTF16Offset>, with: try Self.picture(7), origin: .load)
        }
        store.restyle { $0.set(1, of: TestKeys.Weight.self, in: store.text.utf16Range) }
        store.restyle { $0.set(2, of: TestKeys.Weight.self, in: store.text.utf16Range) }
        try expectPictures(of: store, journal, path, at: [3])
    }

    /// Expects whole pictures in each text that a journal and the plain text of its base give.
    private func expectPictures(
        of store: TextStore, _ journal: RecoveryJournal, _ path: String, at places: [UTF16Offset]
    ) throws {
        #expect(journal.flush(within: 20_000))
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let recovered = TextStore(try TextFile.read(path).text)
        #expect(document.apply(to: recovered))
        var merged = StyledText(try TextFile.read(path).text)
        merged.apply(try #require(document.merge(into: merged)))
        for text in [recovered.styledText, try #require(document.text), merged] {
            #expect(text.rope == store.text)
            for place in places {
                #expect(text.attributes(at: place)[Picture.self]?.contents == [7, 7, 7], "at \(place)")
            }
        }
    }

    /// Journals written before attributes existed.
    @Test func journalsOfTheFirstVersionAreRead() throws {
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: Int64(value).littleEndian) { Array($0) } }
        func record(_ body: [UInt8]) -> [UInt8] {
            let sum = body.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
            return withUnsafeBytes(of: UInt32(body.count).littleEndian) { Array($0) }
                + withUnsafeBytes(of: sum.littleEndian) { Array($0) } + body
        }
        let path = scratch.put("file", "text")
        func text(_ text: String) -> [UInt8] { number(text.utf8.count) + Array(text.utf8) }
        let identity = try #require(FileIdentity(path: path))
        var base = number(1) + text(path) + number(1) + number(Int(identity.device)) + number(Int(identity.inode))
        base +=
            number(identity.size) + number(identity.seconds) + number(identity.nanoseconds) + text("UTF-8") + number(0)
        var bytes = Array("inkstone journal 1\n".utf8) + record(base)
        bytes += record(number(4) + number(4) + Array(" more".utf8)) + record(number(0) + number(1) + Array("T".utf8))
        _ = RecoveryJournal(of: TextStore(), base: JournalBase(path: nil, identity: nil), directory: journals)
        _ = scratch.put("state/journals/old.journal", bytes)
        let (document, text) = try #require(try recover(path))
        #expect(text == "Text more" && document.editCount == 2 && document.state == .intact)
    }

    @Test func aJournalIsItsOwnersNoLongerThanTheOwnerHasIt() throws {
        let (path, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.flush()
        // What a program has that is just being started: a copy of every descriptor.
        let copies = (0..<1024).filter { Self.target(of: $0) == journal.path.description }.map { dup($0) }
        defer { copies.forEach { close($0) } }
        #expect(!copies.isEmpty)
        journal.abandon()
        #expect(try recover(path)?.1 == "xtext")
    }

    /// Between the creation of a file and its lock, a search for journals of dead processes may remove it, or hold its lock briefly.
    @Test(arguments: [true, false]) func aJournalThatIsJustBeginningIsNotTakenForADeadOnes(isRemoved: Bool) throws {
        let directory = journals
        let attempts = Mutex<[Bool]>([])
        var disk = JournalDisk()
        let make = disk.create
        disk.create = { path, isNew in
            attempts.withLock { $0.append(isNew) }
            guard isNew else { return make(path, isNew) }
            let descriptor = Glibc.open(path.cString, O_RDWR | O_CREAT | O_EXCL, 0o600)
            defer { close(descriptor) }
            if isRemoved {
                _ = RecoveredDocument.all(directory: directory)
                guard access(path, F_OK) != 0 else { return .failure(.init(step: "still there", code: EIO)) }
            }
            return .failure(.init(step: "flock", code: EEXIST))
        }
        let journal = RecoveryJournal(
            of: TextStore(), base: JournalBase(path: nil, identity: nil), directory: directory, disk: disk)
        #expect(journal.flush(within: 20_000) && access(journal.path, F_OK) == 0)
        #expect(attempts.withLock { $0 } == [true, false])
        // Once it is locked nobody removes it.
        _ = RecoveredDocument.all(directory: directory)
        #expect(access(journal.path, F_OK) == 0)
        journal.close()
    }

    /// Each window that opens checks all journals, and holds the lock of each briefly.
    @Test func aReaderDoesNotPreventTheRecoveryOfChanges() throws {
        let (_, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ")
        journal.abandon()
        let reader = Glibc.open(journal.path.cString, O_RDONLY | O_CLOEXEC)
        defer { close(reader) }
        try #require(flock(reader, LOCK_SH) == 0)
        var pauses = 0
        let claim = JournalClaim(journal.path) {
            pauses += 1
            if pauses == 3 { flock(reader, LOCK_UN) }
        }
        #expect(claim != nil && pauses == 3)
        pauses = 0
        #expect(JournalClaim(journal.path) { pauses += 1 } == nil && pauses == 50, "the claim is another's")
        withExtendedLifetime(claim) {}
    }

    /// A second close would be of a file that another thread has opened meanwhile, such as a journal with its lock.
    @Test func aClaimThatFailsClosesItsFileOnce() throws {
        let (_, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ")
        journal.abandon()
        let claim = JournalClaim(journal.path)
        let closed = Mutex<[Int32]>([])
        var disk = JournalDisk()
        let close = disk.close
        disk.close = { descriptor, isLocked in
            closed.withLock { $0.append(descriptor) }
            return close(descriptor, isLocked)
        }
        #expect(claim != nil && JournalClaim(journal.path, pause: {}, disk: disk) == nil)
        #expect(closed.withLock(\.count) == 1)
        withExtendedLifetime(claim) {}
    }

    /// Checking the files may take long; the locks of their journals are released before.
    @Test func aJournalIsNobodysWhileItsFileIsRead() throws {
        let (_, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ")
        journal.abandon()
        let descriptor = Glibc.open(journal.path.cString, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        var claims = 0
        let document = RecoveredDocument.read(
            journal.path, from: descriptor,
            where: { _ in
                if JournalClaim(journal.path, pause: {}) != nil { claims += 1 }
                return true
            })
        #expect(document?.editCount == 1 && claims == 1)
    }

    @Test func aJournalThatBeginsAnewIsNotRemovedForTheOneBeforeIt() throws {
        let (path, store, journal) = try open("text")
        journal.flush()
        // A search for journals of dead processes has just opened it.
        let descriptor = Glibc.open(journal.path.cString, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        try journal.rebase(
            to: JournalBase(path: path, identity: TextFile.read(path).identity), keepingAfter: journal.mark())
        journal.flush()
        #expect(RecoveredDocument.read(journal.path, from: descriptor)?.state == .inUse)
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.abandon()
        #expect(try recover(path)?.1 == "xtext")
    }

    /// An encrypted home (eCryptfs) has names of 143 bytes at most.
    @Test func filesForALongNameHaveShorterNames() throws {
        let name = String(repeating: "é", count: 71)
        let base = JournalBase(path: scratch.file(name), identity: nil)
        let journal = RecoveryJournal(of: TextStore(), base: base, directory: journals)
        let longest = [".new", IgnoredJournals.suffix, IgnoredJournals.unreadable].map(\.utf8.count).max() ?? 0
        #expect(journal.path.lastComponent.bytes.count + longest <= 143)
        #expect(TemporaryName(for: FilePath(name)).random().bytes.count <= 143)
        journal.close()
    }

    @Test func theLongestNamesHaveJournalsToo() throws {
        let name = String(repeating: "👨‍👩‍👧‍👦", count: 10) + "12345"
        let base = JournalBase(path: scratch.file(name), identity: nil)
        let store = TextStore()
        let journal = RecoveryJournal(of: store, base: base, directory: journals)
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.abandon()
        #expect(name.utf8.count == 255 && RecoveredDocument.all(of: base.path, directory: journals).count == 1)
    }

    /// Returns the path on which a descriptor of this process is open.
    private static func target(of descriptor: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let n = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
        return n < 0 ? nil : String(decoding: buffer[..<n].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test func aLivingOwnersJournalIsLeftAlone() throws {
        let (path, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.flush()
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        journal.abandon()
        withExtendedLifetime(store) {}
    }

    @Test func twoEditorsOnOneFileKeepTwoJournals() throws {
        let (path, first, one) = try open("text")
        let second = TextStore("text")
        let two = RecoveryJournal(
            of: second, base: JournalBase(path: path, identity: FileIdentity(path: path)), directory: journals)
        first.replace(0..<0 as Range<ByteOffset>, with: "first ")
        second.replace(0..<0 as Range<ByteOffset>, with: "second ")
        one.abandon()
        two.abandon()
        #expect(one.path != two.path)
        #expect(RecoveredDocument.all(of: path, directory: journals).count == 2)
    }

    @Test func aJournalWithoutEditsIsNoWordWorth() throws {
        let (path, store, journal) = try open("text")
        journal.abandon()
        withExtendedLifetime(store) {}
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        var status = stat()
        #expect(stat(journal.path, &status) != 0)
    }

    @Test func aSaveStartsAnewAndKeepsWhatWasTypedMeanwhile() throws {
        let (path, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "saved ")
        let mark = journal.mark()
        let snapshot = store.text
        store.replace(store.text.byteRange.upperBound..<store.text.byteRange.upperBound, with: " later")
        let identity = try TextFile.write(snapshot, to: path, expecting: FileIdentity(path: path)).identity
        journal.rebase(to: JournalBase(path: path, identity: identity), keepingAfter: mark)
        // Another save, of a snapshot that has what was typed during the first but not what came after it.
        let again = journal.mark()
        let second = store.text
        store.replace(0..<1 as Range<ByteOffset>, with: "S")
        journal.flush()
        let newer = try TextFile.write(second, to: path, expecting: identity).identity
        journal.rebase(to: JournalBase(path: path, identity: newer), keepingAfter: again)
        store.replace(0..<0 as Range<ByteOffset>, with: "> ")
        store.replace(0..<0 as Range<ByteOffset>, with: "> ")
        journal.flush()
        journal.rebase(to: JournalBase(path: path, identity: newer), keepingAfter: again)
        journal.abandon()
        let (document, text) = try #require(try recover(path))
        #expect(text == "> > Saved text later" && document.editCount == 3)
    }

    @Test func aTextWithoutANameComesBack() throws {
        let store = TextStore()
        let journal = RecoveryJournal(of: store, base: JournalBase(path: nil, identity: nil), directory: journals)
        store.replace(0..<0 as Range<ByteOffset>, with: "thoughts")
        journal.abandon()
        let (document, text) = try #require(try recover(nil))
        #expect(text == "thoughts")
        #expect(document.description.contains("a text without a name"))
    }

    @Test func everyCutOfAJournalKeepsTheEditsBeforeIt() throws {
        let (_, store, journal) = try open("text")
        var texts = ["text"]
        for i in 0..<20 {
            store.replace(store.text.byteRange.upperBound..<store.text.byteRange.upperBound, with: " \(i)é")
            texts.append(store.text.description)
        }
        journal.abandon()
        let bytes = contents(journal.path)
        var seen: Set<Int> = []
        for length in 0..<bytes.count {
            _ = scratch.put("state/journals/cut.journal", Array(bytes.prefix(length)))
            unlink(journal.path)
            let documents = RecoveredDocument.all(directory: journals)
            guard let document = documents.first else {
                // A whole base without edits: nothing is lost.
                continue
            }
            if document.state == .corrupt {
                #expect(document.editCount == 0 && document.description.contains("cannot be read"))
                continue
            }
            let copy = TextStore("text")
            #expect(document.apply(to: copy))
            #expect(copy.text.description == texts[document.editCount])
            seen.insert(document.editCount)
        }
        #expect(seen.count >= 19)
        // A bit turned over anywhere loses at most what comes after it.
        for at in stride(from: 0, to: bytes.count, by: 7) {
            var damaged = bytes
            damaged[at] ^= 0x10
            _ = scratch.put("state/journals/cut.journal", damaged)
            let document = try #require(RecoveredDocument.all(directory: journals).first)
            let copy = TextStore("text")
            document.apply(to: copy)
            #expect(document.state != .intact && copy.text.description == texts[document.editCount])
        }
    }

    @Test func aChangedFileIsReportedAsChanged() throws {
        let (path, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.abandon()
        _ = scratch.put("file", "something else")
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .changed && document.description.contains("was changed since"))
    }

    @Test func loadedTextIsNotRecordedAsTyped() throws {
        let (path, store, journal) = try open("text")
        store.replace(4..<4 as Range<ByteOffset>, with: " loaded", origin: .load)
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.editCount == 1)
    }

    /// Of standard input there is nothing to read it from again.
    @Test func loadedTextThatCannotBeReadAgainIsRecorded() throws {
        let store = TextStore()
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: nil), directory: journals)
        journal.recordsLoads = true
        store.replace(0..<0 as Range<ByteOffset>, with: "first\n", origin: .load)
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ", origin: .typing)
        let end = store.text.byteRange.upperBound
        store.replace(end..<end, with: "second\n", origin: .load)
        journal.abandon()
        #expect(try recover(nil)?.1 == "typed first\nsecond\n")
    }

    @Test func aFailedWriteIsReportedInOneLine() {
        let path = "/a/" + String(repeating: "long name ", count: 20)
        let error = RecoveryError(path: FilePath(path), step: "open", code: ENOSPC)
        #expect(error.description.contains("open “/a/long name ") && error.description.contains("…"))
        #expect(error.description.count < 260)
    }

    @Test func aConfidentialTextLeavesNothing() throws {
        let store = TextStore("secret")
        store.isConfidential = true
        let base = JournalBase(path: nil, identity: nil)
        let journal = RecoveryJournal(of: store, base: base, directory: journals)
        #expect(!journal.isRecording)
        store.replace(0..<0 as Range<ByteOffset>, with: "more ")
        journal.flush()
        _ = journal.mark()
        journal.abandon()
        var status = stat()
        #expect(stat(journals, &status) != 0, "not even a directory")
    }

    @Test func aTextThatBecomesConfidentialTakesItsJournalAlong() throws {
        let (_, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "pass")
        journal.flush()
        #expect(access(journal.path, F_OK) == 0)
        store.isConfidential = true
        #expect(access(journal.path, F_OK) != 0 && !journal.isRecording)
        store.replace(0..<0 as Range<ByteOffset>, with: "word")
        journal.rebase(to: JournalBase(path: nil, identity: nil), keepingAfter: journal.mark())
        journal.flush()
        journal.abandon()
        #expect(Scratch.names(in: journals).isEmpty)
    }

    @Test func anUnusableJournalIsReportedOnceAndKept() throws {
        let (path, store, journal) = try open("text")
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        journal.abandon()
        _ = scratch.put("file", "something else")
        _ = scratch.put("state/journals/bad.journal", "no journal")
        // A corrupt one may be of any file.
        let found = RecoveredDocument.all(of: path, directory: journals)
        #expect(Set(found.map(\.state)) == [.changed, .corrupt])
        for document in found {
            let aside = document.setAside()
            #expect(aside.journalPath != document.journalPath && access(aside.journalPath, R_OK) == 0)
            #expect(document.state == .changed || aside.description.contains(aside.journalPath.description))
        }
        #expect(RecoveredDocument.all(of: path, directory: journals).isEmpty)
        #expect(RecoveredDocument.all(directory: journals).isEmpty)
    }

    /// Thirty days, however much there is.
    @Test func aJournalSetAsideIsKeptForAWhile() throws {
        let now = time(nil)
        mkdir(scratch.file("state"), 0o700)
        mkdir(journals, 0o700)
        for i in 0..<30 { _ = scratch.put("state/journals/\(10 + i).journal.ignored", "a journal") }
        _ = scratch.put("state/journals/notes.ignored", "somebody's")
        // The next start.
        #expect(RecoveredDocument.all(directory: journals).isEmpty)
        #expect(Scratch.names(in: journals).filter { $0.hasSuffix(".journal.ignored") }.count == 30)
        IgnoredJournals.prune(in: journals, now: now + 29 * 86_400)
        #expect(Scratch.names(in: journals).count == 31)
        IgnoredJournals.prune(in: journals, now: now + 31 * 86_400)
        #expect(Scratch.names(in: journals) == ["notes.ignored"])
    }

    @Test func textTypedBeforeTheFileIsKnownIsKeptAfterwards() throws {
        let path = scratch.put("file", "text\n")
        let store = TextStore()
        let journal = RecoveryJournal(of: store, base: JournalBase(path: nil, identity: nil), directory: journals)
        let mark = journal.mark()
        store.replace(0..<0 as Range<ByteOffset>, with: "ahead ")
        let file = try TextFile.read(path)
        store.replace(6..<6 as Range<ByteOffset>, with: file.text, origin: .load)
        journal.rebase(to: JournalBase(path: path, identity: file.identity), keepingAfter: mark)
        store.replace(6..<6 as Range<ByteOffset>, with: "of ")
        journal.abandon()
        let (document, text) = try #require(try recover(path))
        #expect(text == "ahead of text\n" && document.state == .intact)
    }

    /// Also if the file never came: it is offered with the file that it was to stand before, and as a text without a name.
    @Test func textTypedBeforeAFileIsFoundWithIt() throws {
        let path = scratch.put("file", "text\n")
        let store = TextStore()
        let base = JournalBase(path: nil, identity: nil, following: FilePath(path))
        let journal = RecoveryJournal(of: store, base: base, directory: journals)
        store.replace(0..<0 as Range<ByteOffset>, with: "ahead ", origin: .typing)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.state == .intact && document.base == base && document.text?.rope == "ahead ")
        let file = TextStore("text\n")
        #expect(document.apply(to: file) && file.text == "ahead text\n")
        #expect(RecoveredDocument.all(of: scratch.file("another"), directory: journals).isEmpty)
    }

    /// A text that is shown in a window of its own is still one of its file, in the encoding of that.
    @Test func aTextThatIsShownApartIsFoundWithItsFile() throws {
        let path = scratch.put("file", "text\n")
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        let store = TextStore()
        let base = JournalBase(
            path: nil, identity: nil, format: TextFileFormat(encoding: latin), origin: FilePath(path))
        let journal = RecoveryJournal(of: store, base: base, directory: journals)
        store.replace(0..<0 as Range<ByteOffset>, with: "typed text\n", origin: .recovery)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        #expect(document.base == base && document.text?.rope == "typed text\n")
        #expect(document.description.contains("“\(path)”"))
    }

    @Test func journalsCutAtTheirStartAreRemoved() throws {
        let (_, store, journal) = try open("text")
        journal.flush()
        _ = scratch.put("state/journals/empty.journal", "")
        _ = scratch.put("state/journals/cut.journal.new", "inkst")
        #expect(RecoveredDocument.all(directory: journals).isEmpty)
        #expect(Scratch.names(in: journals).map { journals.appending(FilePath($0)) } == [journal.path])
        withExtendedLifetime(store) {}
    }

    @Test func aHugeEditIsJournaledInPieces() throws {
        let (path, store, journal) = try open("text")
        var random = SeededGenerator(seed: 3)
        let block = randomBytes(&random, about: 100_003)
        var bytes: [UInt8] = []
        for _ in 0..<40 { bytes += block }
        store.replace(1..<3 as Range<ByteOffset>, with: Rope(bytes: bytes))
        store.replace(0..<0 as Range<ByteOffset>, with: "x")
        let expected = store.text
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: path, directory: journals).first)
        let copy = TextStore("text")
        #expect(document.apply(to: copy) && document.editCount >= 4)
        #expect(copy.text == expected)
    }
}

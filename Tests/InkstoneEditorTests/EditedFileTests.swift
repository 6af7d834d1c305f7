import Glibc
import Inkstone
import InkstoneTesting
import Synchronization
import Testing

@testable import inkstone_editor

/// Where a file is, for the journal of its changes.
@Suite(.timeLimit(.minutes(5))) struct EditedFileTests {
    @Test func twoNamesOfOneFileAreTheSame() {
        #expect(FilePath("/usr/../usr/bin/env").absolute == FilePath("/usr/bin/env").absolute)
        #expect(FilePath("/usr/../nothing-here.txt").absolute == "/nothing-here.txt")
    }

    @Test func relativePathsStartAtTheWorkingDirectory() throws {
        let here = try #require(getcwd(nil, 0))
        defer { free(here) }
        #expect(FilePath("nothing-here.txt").absolute == FilePath(cString: here).appending("nothing-here.txt"))
    }

    @Test func aTextWithoutFileIsUsableAndHasAnEmptyBase() {
        let file = EditedFile(store: TextStore())
        #expect(file.isUsable)
        #expect(!file.isReading)
        #expect(file.displayName == "Untitled")
        #expect(file.journalBase.path == nil)
    }

    @Test func aFolderThatIsMissingIsKnownBeforeAFileIsToLieInIt() {
        #expect(EditedFile.missingFolder(of: "/usr/bin/nothing-here") == nil)
        #expect(EditedFile.missingFolder(of: "nothing-here") == nil)
        #expect(EditedFile.missingFolder(of: "/usr/no-such/file") == "/usr/no-such")
        #expect(EditedFile.missingFolder(of: "no-such/file") == "no-such")
        #expect(EditedFile.missingFolder(of: "/usr/bin/env/file") == "/usr/bin/env")
    }

    @Test func typedNamesArePaths() {
        #expect(EditedFile.path(typed: "a b.txt") == "a b.txt")
        #expect(EditedFile.path(typed: "/x/y\n") == "/x/y")
        #expect(EditedFile.path(typed: "~nobody-of-this-name") == "~nobody-of-this-name")
        #expect(EditedFile.path(typed: "~/x")?.lastComponent == "x")
        #expect(EditedFile.path(typed: "~/x")?.isAbsolute == true)
        for text in ["", "  ", "/", "folder/", "\n"] { #expect(EditedFile.path(typed: text) == nil) }
    }
}

/// What is typed before a slow disk gives the start of a file.
@Suite(.timeLimit(.minutes(5))) struct TypingAheadTests {
    /// A file, the store that it is read to, and a disk that gives nothing before it is asked to.
    private final class Desk {
        let path: String
        let store = TextStore()
        let file: EditedFile
        let disk = SlowDisk()
        var events: [String] = []

        init(_ content: String?) throws {
            path = try TemporaryDirectory.make() + "/file"
            file = EditedFile(store: store)
            if let content { try write(content) }
        }

        deinit { TemporaryDirectory.remove(String(path.dropLast(5))) }

        func write(_ content: String) throws {
            let file = try #require(fopen(path, "w"))
            fputs(content, file)
            fclose(file)
        }

        func open(
            encoding: TextEncoding? = nil, guess: EncodingGuess? = nil, acceptingBinary: Bool = false,
            isReturning: Bool = false, pausingAfterStart: Bool = false
        ) {
            file.open(
                FilePath(path), encoding: encoding, guess: guess, acceptingBinary: acceptingBinary,
                pausingAfterStart: pausingAfterStart, isReturning: isReturning, post: disk.post
            ) { [unowned self] event in
                switch event {
                case .started: events.append("started")
                case .progressed: events.append("progressed")
                case .finished: events.append("finished")
                case .looksBinary: events.append("looks binary")
                case .failed: events.append("failed")
                }
            }
        }

        func type(_ text: String, at offset: Int) {
            store.replace(ByteOffset(offset)..<ByteOffset(offset), with: text, origin: .typing)
        }

        /// Runs the disk until one of these events.
        func read(until last: String...) {
            disk.run { events.contains(where: last.contains) }
        }

        /// Reads the file again, and takes it up if it could be read.
        func reread(in encoding: TextEncoding, keepingEdits: Bool = false) throws -> TextFileError? {
            var result: Result<RereadFile, TextFileError>?
            file.reread(caret: 0, encoding: encoding, keepingEdits: keepingEdits, post: disk.post) { result = $0 }
            disk.run { result != nil }
            switch try #require(result) {
            case .success(let reread): _ = file.adopt(reread) {}
            case .failure(let error): return error
            }
            return nil
        }

        func saved() throws -> String {
            var isSaved = false
            file.save(post: disk.post) { _ in isSaved = true }
            disk.run { isSaved }
            return try #require(try? TextFile.read(path)).text.description
        }
    }

    @Test func standardInputIsATextWithoutAFileAndMayGoOn() throws {
        let desk = try Desk(nil)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        func send(_ text: String) { _ = Glibc.write(ends[1], text, text.utf8.count) }
        desk.file.report = { [unowned desk] event in
            if case .started = event { desk.file.readOn() }
            if case .finished = event { desk.events.append("finished") }
        }
        desk.file.openInput(ends[0], encoding: nil, post: desk.disk.post)
        send("first\n")
        desk.disk.run { desk.file.state == .reading }
        #expect(desk.store.text == "first\n" && desk.file.isUsable && desk.file.isReadingInput)
        #expect(desk.file.shownPath == nil && desk.file.isModified && desk.file.displayName == "Untitled")
        desk.type("typed ", at: 0)
        send("second\n")
        desk.disk.run { desk.store.text == "typed first\nsecond\n" }
        close(ends[1])
        desk.read(until: "finished")
        #expect(desk.file.state == .untitled && desk.file.isModified && !desk.file.isReading)
        #expect(desk.file.path == nil && desk.file.journalBase.path == nil && desk.file.journalBaseText.isEmpty)
        desk.store.undo()
        #expect(desk.store.text == "first\nsecond\n" && desk.file.isModified && !desk.store.canUndo)
    }

    @Test func theEncodingOfStandardInputIsGuessedAndItsBytesAreReadAgain() throws {
        let desk = try Desk(nil)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let bytes: [UInt8] = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]
        _ = Glibc.write(ends[1], bytes, bytes.count)
        close(ends[1])
        desk.file.report = { [unowned desk] event in
            if case .started = event { desk.file.readOn() }
            if case .finished = event { desk.events.append("finished") }
        }
        desk.file.openInput(
            ends[0], encoding: nil, guess: EncodingGuess(locale: "ru_RU.UTF-8"), post: desk.disk.post)
        desk.read(until: "finished")
        #expect(desk.store.text == "Привет\n" && desk.file.isEncodingGuessed && desk.file.canReread)
        desk.type("x", at: 0)
        let path = try #require(desk.file.bytesPath)
        #expect(try EncodingPreview(of: path).lines(in: #require(TextEncoding(named: "KOI8-R"))) == "оПХБЕР ⏎ ")
        #expect(try desk.reread(in: #require(TextEncoding(named: "KOI8-R")), keepingEdits: true) == nil)
        #expect(desk.store.text == "xоПХБЕР\n" && desk.file.isModified && desk.file.path == nil)
        #expect(desk.file.encodingName == "KOI8-R" && desk.file.journalBaseText.isEmpty)
    }

    @Test func itStandsBeforeTheFileAndIsUndoneAlone() throws {
        let desk = try Desk("text\n")
        desk.open()
        #expect(!desk.file.isUsable)
        desk.file.typeAhead()
        #expect(desk.file.isUsable && desk.file.isAwaited && desk.file.journalBase.path == nil)
        #expect(desk.file.journalBase.following == FilePath(desk.path))
        desk.type("one ", at: 0)
        desk.type("two ", at: 4)
        desk.read(until: "finished")
        #expect(desk.store.text == "one two text\n")
        #expect(desk.file.isModified && !desk.file.isAwaited)
        #expect(try desk.saved() == "one two text\n")
        while desk.store.canUndo { desk.store.undo() }
        #expect(desk.store.text == "text\n")
        #expect(desk.file.isModified)
    }

    @Test func undoneAgainTheTextIsTheFile() throws {
        let desk = try Desk("text\n")
        desk.open()
        desk.file.typeAhead()
        desk.type("x", at: 0)
        desk.read(until: "finished")
        desk.store.undo()
        #expect(desk.store.text == "text\n" && !desk.file.isModified)
        desk.store.redo()
        #expect(desk.store.text == "xtext\n" && desk.file.isModified)
    }

    @Test func ofAFileThatDoesNotComeItIsATextWithoutAName() throws {
        let desk = try Desk(nil)
        try #require(mkdir(desk.path, 0o700) == 0)
        defer { rmdir(desk.path) }
        desk.open()
        desk.file.typeAhead()
        desk.type("kept", at: 0)
        desk.read(until: "failed")
        #expect(desk.file.isUsable && desk.file.isModified && desk.file.path == nil)
        #expect(desk.store.text == "kept" && desk.file.displayName == "Untitled")
    }

    /// What was typed into the part that had come can be saved, but not as the file.
    @Test func ofAFileThatCannotBeReadToItsEndTheTextHasNoName() throws {
        let desk = try Desk(String(repeating: "a line of the file\n", count: 200_000))
        desk.open(pausingAfterStart: true)
        desk.read(until: "started")
        desk.type("x", at: 0)
        desk.file.take(.failed(.readFailed(path: FilePath(desk.path), code: EIO)), false, nil)
        #expect(desk.events == ["started", "failed"] && desk.store.text.metrics.bytes > 1)
        #expect(desk.file.isUsable && desk.file.isModified && desk.file.path == nil)
        #expect(desk.file.isNew && desk.file.journalBase.path == nil)
    }

    @Test func withoutItAFileThatDoesNotComeIsNoText() throws {
        let desk = try Desk(nil)
        try #require(mkdir(desk.path, 0o700) == 0)
        defer { rmdir(desk.path) }
        desk.open()
        desk.file.typeAhead()
        desk.read(until: "failed")
        #expect(!desk.file.isUsable && !desk.file.isModified)
    }

    @Test func aNewFileHoldsIt() throws {
        let desk = try Desk(nil)
        desk.open()
        desk.file.typeAhead()
        desk.type("new", at: 0)
        desk.read(until: "finished")
        #expect(desk.events == ["started", "finished"])
        #expect(try desk.saved() == "new")
    }

    @Test func itStaysWhileOneIsAskedAboutWhatLooksLikeNoText() throws {
        let desk = try Desk("\u{1}\u{2}\u{3}")
        desk.open()
        desk.file.typeAhead()
        desk.type("x", at: 0)
        desk.read(until: "looks binary")
        #expect(!desk.file.isUsable && desk.store.text == "x")
        desk.open(acceptingBinary: true)
        #expect(desk.file.isUsable)
        desk.type("y", at: 1)
        desk.read(until: "finished")
        #expect(desk.store.text == "xy\u{1}\u{2}\u{3}")
    }

    @Test func whatIsNotOpenedAfterAllLeavesItAsATextWithoutAName() throws {
        let desk = try Desk("\u{1}\u{2}\u{3}")
        desk.open()
        desk.file.typeAhead()
        desk.type("x", at: 0)
        desk.read(until: "looks binary")
        desk.file.giveUp()
        #expect(desk.file.isUsable && desk.file.path == nil && desk.store.text == "x" && desk.file.isModified)
    }

    @Test func whatWasHereBeforeComesBackIfAFileCannotBeRead() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 0)
        unlink(desk.path)
        try #require(mkdir(desk.path, 0o700) == 0)
        defer { rmdir(desk.path) }
        desk.open(isReturning: true)
        desk.read(until: "failed")
        #expect(desk.file.isUsable && desk.file.path == FilePath(desk.path) && !desk.file.isReading)
        #expect(desk.store.text == "xold\n" && desk.file.isModified && desk.store.canUndo)
    }

    @Test func anEmptyTextCanBeTypedIntoAfterAFileThatCannotBeRead() throws {
        let desk = try Desk(nil)
        try #require(mkdir(desk.path, 0o700) == 0)
        defer { rmdir(desk.path) }
        for isAhead in [false, true] {
            desk.events = []
            desk.open(isReturning: true)
            if isAhead { desk.file.typeAhead() }
            desk.read(until: "failed")
            #expect(desk.file.isUsable && desk.file.isUntouched && desk.file.displayName == "Untitled")
        }
    }

    @Test func whatIsNoTextAfterAllLeavesTheFileThatWasHere() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        try desk.write("\u{1}\u{2}\u{3}")
        desk.open(isReturning: true)
        desk.read(until: "looks binary")
        desk.file.giveUp()
        #expect(
            desk.file.isUsable && desk.file.path == FilePath(desk.path) && desk.store.text == "old\n"
                && !desk.file.isModified)
    }

    @Test func foldersAreNotOpened() throws {
        let desk = try Desk("text")
        let folder = FilePath(String(desk.path.dropLast(5)))
        #expect(EditedFile.problem(opening: folder) == .isDirectory(path: folder))
        #expect(EditedFile.problem(opening: FilePath(desk.path)) == nil)
        #expect(EditedFile.problem(opening: FilePath(desk.path + "2")) == nil)
    }

    @Test func undoGoesBackToTheLineEndsThatWereTypedThen() throws {
        let desk = try Desk("a\nb\n")
        desk.open()
        desk.read(until: "finished")
        var changes = 0
        desk.file.onFormatChange = { changes += 1 }
        desk.type("x", at: 0)
        desk.file.setNewline(.crlf)
        desk.type("y", at: 0)
        #expect(desk.file.newline == .crlf && changes == 0)
        desk.store.undo()
        #expect(desk.file.newline == .crlf, "only y is gone")
        desk.store.undo()
        #expect(desk.store.text == "xa\nb\n" && desk.file.newline == .lf && changes == 1)
        desk.store.undo()
        #expect(desk.file.newline == .lf)
        desk.store.redo()
        desk.store.redo()
        #expect(desk.store.text == "xa\r\nb\r\n" && desk.file.newline == .crlf && changes == 2)
        desk.file.setNewline(.lf)
        desk.store.undo()
        #expect(desk.file.newline == .crlf && changes == 3)
    }

    @Test func mixedLineEndsAreMadeOneKindWithOneStepOfUndo() throws {
        let desk = try Desk("a\r\nb\nc\r\n")
        desk.open()
        desk.read(until: "finished")
        #expect(desk.file.newline == .crlf && desk.file.hasMixedNewlines)
        desk.file.setNewline(.crlf)
        #expect(desk.store.text == "a\r\nb\r\nc\r\n" && !desk.file.hasMixedNewlines)
        desk.store.undo()
        #expect(desk.store.text == "a\r\nb\nc\r\n" && desk.file.hasMixedNewlines)
    }

    @Test func encodingsOfWideUnitsAreMarked() throws {
        let desk = try Desk("text\n")
        desk.open()
        desk.read(until: "finished")
        desk.file.setEncoding(.utf16LittleEndian)
        #expect(desk.file.encodingDescription == "UTF-16LE with BOM")
        #expect(try desk.saved() == "text\n")
        desk.file.setEncoding(.utf8)
        #expect(desk.file.encodingDescription == "UTF-8")
        desk.file.setEncoding(try #require(TextEncoding(named: "UTF-16")))
        #expect(desk.file.encodingDescription == "UTF-16LE with BOM")
    }

    @Test func undoTakesBackTextAndEncodingTogether() throws {
        let desk = try Desk("ä\n")
        desk.open()
        desk.read(until: "finished")
        var changes = 0
        desk.file.onFormatChange = { changes += 1 }
        desk.type("x", at: 0)
        desk.file.setEncoding(.utf16BigEndian, selection: Selection(caret: 2))
        desk.type("y", at: 3)
        #expect(desk.file.encodingDescription == "UTF-16BE with BOM")
        desk.store.undo()
        #expect(desk.store.text == "xä\n" && desk.file.encodingDescription == "UTF-16BE with BOM", "only y is gone")
        desk.store.undo()
        #expect(desk.store.text == "xä\n" && desk.file.encodingDescription == "UTF-8" && changes == 1)
        #expect(desk.store.redo() == 2..<2)
        #expect(desk.store.text == "xä\n" && desk.file.encodingDescription == "UTF-16BE with BOM" && changes == 2)
        _ = try desk.saved()
        #expect(try TextFiles.bytes(desk.path) == [0xfe, 0xff, 0, 0x78, 0, 0xe4, 0, 0x0a])
        // What undo leads to is another file than the saved one, also where the text is the same.
        desk.store.undo()
        #expect(desk.file.isModified && desk.file.encodingDescription == "UTF-8")
        desk.store.redo()
        #expect(!desk.file.isModified)
    }

    /// A guess that was confirmed, or in whose place another encoding was named, is asked about no more.
    @Test func noUndoBringsAnAnsweredGuessBack() throws {
        let desk = try Desk("")
        try TextFiles.write([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a], to: desk.path)
        let guess = EncodingGuess(locale: "ru_RU.UTF-8")
        for answer in 0..<3 {
            desk.events = []
            desk.open(guess: guess)
            desk.read(until: "finished")
            #expect(desk.file.isEncodingGuessed && desk.store.text == "Привет\n")
            switch answer {
            case 0: #expect(try desk.reread(in: #require(TextEncoding(named: "KOI8-R"))) == nil)
            case 1: desk.file.setEncoding(.utf8)
            default:
                desk.file.setNewline(.crlf)
                desk.file.confirmEncoding()
            }
            desk.store.undo()
            #expect(desk.store.text == "Привет\n" && !desk.file.isEncodingGuessed, "answer \(answer)")
        }
    }

    /// The edits are those since the text was read that undo has led back to.
    @Test func aTextThatIsReadAgainAfterUndoKeepsWhatWasTyped() throws {
        let desk = try Desk("")
        try TextFiles.write([0xcf, 0xf0, 0xe8, 0x0a], to: desk.path)
        let encodings = try ["windows-1251", "KOI8-R", "windows-1252"].map { try #require(TextEncoding(named: $0)) }
        desk.open(encoding: encodings[0])
        desk.read(until: "finished")
        #expect(try desk.reread(in: encodings[1]) == nil)
        desk.store.undo()
        desk.type("x", at: 0)
        #expect(desk.store.text == "xПри\n")
        #expect(try desk.reread(in: encodings[2], keepingEdits: true) == nil)
        #expect(desk.store.text == "xÏðè\n")
    }

    /// The places of that text are those of bytes that are gone: all that differs from the file counts as typed.
    @Test func aTextOfBeforeThatUndoBringsBackIsAnEditOfTheFileThatIsThere() throws {
        let desk = try Desk("")
        try TextFiles.write([0xcf, 0xf0, 0xe8, 0x0a], to: desk.path)
        let encodings = try ["windows-1251", "KOI8-R"].map { try #require(TextEncoding(named: $0)) }
        for isTyped in [false, true] {
            try TextFiles.write([0xcf, 0xf0, 0xe8, 0x0a], to: desk.path)
            desk.events = []
            desk.open(encoding: encodings[0])
            desk.read(until: "finished")
            // The file is another one.
            try TextFiles.write(Array("a first line\n".utf8) + [0xcf, 0xf0, 0xe8, 0x0a], to: desk.path)
            #expect(try desk.reread(in: encodings[0]) == nil)
            #expect(desk.store.text == "a first line\nПри\n" && !desk.file.isModified)
            desk.store.undo()
            if isTyped { desk.type("x", at: 0) }
            let text = desk.store.text
            #expect(text == (isTyped ? "xПри\n" : "При\n") && desk.file.isModified)
            #expect(try desk.reread(in: encodings[1], keepingEdits: true) == nil)
            #expect(desk.store.text == (isTyped ? "xоПХ\n" : "оПХ\n") && desk.file.isModified)
        }
    }

    /// Texts of former bytes are not asked for again, and each may be as large as the file.
    @Test func noTextOfBytesThatAreGoneIsKept() throws {
        let desk = try Desk("0\n")
        desk.open()
        desk.read(until: "finished")
        for number in 1...4 {
            try desk.write(String(repeating: "ä", count: number))
            #expect(try desk.reread(in: .utf8) == nil)
            #expect(desk.file.keptSourceCount == 1)
        }
        // In another encoding the bytes are the same.
        #expect(try desk.reread(in: #require(TextEncoding(named: "windows-1252"))) == nil)
        #expect(desk.file.keptSourceCount == 2)
        desk.store.undo()
        desk.store.undo()
        #expect(desk.store.text == "äää" && desk.file.isModified)
    }

    /// The save was the later wish, whatever became of the file in between.
    @Test func aSaveThatEndsWhileAFileIsReadAgainIsNotUndone() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        var result: Result<RereadFile, TextFileError>?
        func begin() {
            result = nil
            desk.file.reread(caret: 0, encoding: nil, post: desk.disk.post) { result = $0 }
        }
        begin()
        desk.disk.run { result != nil }
        #expect(desk.file.canAdoptReread)
        desk.type("x", at: 0)
        #expect(try desk.saved() == "xold\n")
        #expect(desk.file.canReread && !desk.file.canAdoptReread)
        // A file that was only touched is the same.
        begin()
        desk.disk.run { result != nil }
        try desk.write("xold\n")
        var isCompared = false
        desk.file.confirmChange(post: desk.disk.post) { _ in isCompared = true }
        desk.disk.run { isCompared }
        #expect(desk.file.canAdoptReread)
    }

    @Test func theFirstSaveOfStandardInputKeepsItsBytesForWhoReadsThem() throws {
        let desk = try Desk(nil)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        _ = Glibc.write(ends[1], "input\n", 6)
        close(ends[1])
        desk.file.report = { [unowned desk] event in
            if case .started = event { desk.file.readOn() }
            if case .finished = event { desk.events.append("finished") }
        }
        desk.file.openInput(ends[0], encoding: nil, post: desk.disk.post)
        desk.read(until: "finished")
        var result: Result<RereadFile, TextFileError>?
        desk.file.reread(caret: 0, encoding: nil, post: desk.disk.post) { result = $0 }
        var isSaved = false
        desk.file.save(to: FilePath(desk.path), post: desk.disk.post) { _ in isSaved = true }
        desk.disk.run { isSaved && result != nil }
        #expect(try TextFiles.read(desk.path) == "input\n" && result?.isSuccess == true)
        #expect(desk.file.canReread && !desk.file.canAdoptReread && !desk.file.isModified)
    }

    /// Text that was read in one encoding and is saved in another is damaged for good.
    @Test func undoOfReadingAgainTakesBackTheEncodingToo() throws {
        let desk = try Desk("")
        let bytes: [UInt8] = [0x61, 0xe4, 0x0d, 0x0a]
        try TextFiles.write(bytes, to: desk.path)
        let (greek, latin) = (
            try #require(TextEncoding(named: "ISO-8859-7")), try #require(TextEncoding(named: "windows-1252"))
        )
        desk.open(encoding: greek)
        desk.read(until: "finished")
        #expect(desk.store.text == "aδ\r\n")
        #expect(try desk.reread(in: latin) == nil)
        #expect(desk.store.text == "aä\r\n" && desk.file.encodingName == "windows-1252" && !desk.file.isModified)
        desk.store.undo()
        #expect(desk.store.text == "aδ\r\n" && desk.file.encodingName == "ISO-8859-7" && desk.file.newline == .crlf)
        _ = try desk.saved()
        #expect(try TextFiles.bytes(desk.path) == bytes)
        desk.store.redo()
        #expect(desk.store.text == "aä\r\n" && desk.file.encodingName == "windows-1252")
    }

    /// Invalid bytes between two edits of a line, and those that were moved, are the file's and no edit.
    @Test(arguments: [
        ([(0, 0, Array("x".utf8)), (11, 0, Array("y".utf8))], "xcafé naïvey\n"),
        ([(4, 1, []), (0, 0, Array("ñ ".utf8))], "ñ cafénaïve\n"),
        ([(3, 1, []), (9, 0, [0xe9])], "caf naïveé\n"),
    ]) func editsOfALineThatIsReadAgainAreThoseThatWereTyped(_ edits: [(Int, Int, [UInt8])], _ expected: String)
        throws
    {
        let desk = try Desk("")
        try TextFiles.write([0x63, 0x61, 0x66, 0xe9, 0x20, 0x6e, 0x61, 0xef, 0x76, 0x65, 0x0a], to: desk.path)
        desk.open()
        desk.read(until: "finished")
        for (offset, count, text) in edits {
            let range = ByteOffset(offset)..<ByteOffset(offset + count)
            desk.store.replace(range, with: Rope(bytes: text), origin: .typing)
        }
        #expect(try desk.reread(in: #require(TextEncoding(named: "windows-1252")), keepingEdits: true) == nil)
        #expect(desk.store.text == Rope(expected))
    }

    /// The places of the edits are those of the bytes that were read.
    @Test func editsAreNotMadeToAnotherFileThanTheirs() throws {
        let desk = try Desk("one\ntwö\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 8)
        let latin = try #require(TextEncoding(named: "windows-1252"))
        // The same bytes again are the same file.
        try desk.write("one\ntwö\n")
        #expect(try desk.reread(in: latin, keepingEdits: true) == nil)
        #expect(desk.store.text == "one\ntwÃ¶x\n")
        try desk.write("zero\none\ntwö\n")
        let before = desk.store.text
        #expect(
            try desk.reread(in: .utf8, keepingEdits: true)
                == .changedOnDisk(path: FilePath(desk.path), change: .modified))
        #expect(desk.store.text == before && desk.file.encodingName == "windows-1252")
    }

    @Test func aFileWhoseBytesAreKeptIsTheSameWhenItIsTouched() throws {
        let desk = try Desk("")
        // Two codes of one character.
        let bytes: [UInt8] = [0x81, 0xca, 0xee, 0xf9, 0x0a]
        try TextFiles.write(bytes, to: desk.path)
        desk.open(encoding: TextEncoding(named: "Shift_JIS"))
        desk.read(until: "finished")
        #expect(desk.file.notice != nil)
        func change() -> EditedFile.OutsideChange? {
            var found: EditedFile.OutsideChange??
            desk.file.confirmChange(post: desk.disk.post) { found = .some($0) }
            desk.disk.run { found != nil }
            return found ?? nil
        }
        try TextFiles.write(bytes, to: desk.path)
        #expect(change() == nil)
        try TextFiles.write([0x61] + bytes, to: desk.path)
        #expect(change() != nil)
    }

    /// The save that is under way writes the old one, and so says the journal; the choice is still to be saved.
    @Test func anEncodingThatIsChosenDuringASaveIsUnsaved() throws {
        let desk = try Desk("ä\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 0)
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        var isSaved = false
        desk.file.save(post: desk.disk.post) { _ in isSaved = true }
        desk.file.setEncoding(latin)
        desk.disk.run { isSaved }
        #expect(desk.file.isModified && desk.file.journalBase.format == .utf8)
        _ = try desk.saved()
        #expect(try TextFiles.bytes(desk.path) == [0x78, 0xe4, 0x0a])
        #expect(!desk.file.isModified && desk.file.journalBase.format.encoding == latin)
    }

    /// A journal that begins after the user has kept the text in spite of another program's file must not say that the edits are of that.
    @Test(arguments: ["another program's\n", nil]) func aTextThatIsKeptIsNoChangeOfAnotherPrograms(_ other: String?)
        throws
    {
        let desk = try Desk("one\ntwo\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 0)
        if let other { try desk.write(other) } else { unlink(desk.path) }
        var change: EditedFile.OutsideChange?
        desk.file.look(post: desk.disk.post) { change = $0 }
        desk.disk.run { change != nil }
        desk.file.keep(inSpiteOf: try #require(change))
        let journals = FilePath(String(desk.path.dropLast(5)) + "/journals")
        let journal = RecoveryJournal(
            of: desk.store, base: desk.file.journalBase, baseText: desk.file.journalBaseText, directory: journals)
        desk.type("y", at: 0)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: FilePath(desk.path), directory: journals).first)
        #expect(document.state == (other == nil ? .intact : .changed) && document.text?.rope == "yxone\ntwo\n")
        // A save takes the place of the other program's all the same.
        #expect(try desk.saved() == "yxone\ntwo\n")
        #expect(desk.file.journalBase.identity == FileIdentity(path: FilePath(desk.path)))
    }

    /// A question to a disk that hangs is about the file there, and not about the one that the text was saved to since.
    @Test func aDiskThatHangsKeepsNoOtherFileFromBeingLookedAt() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        // Its answer never comes.
        desk.file.look(post: { _ in }) { _ in }
        let other = desk.path + ".other"
        var isSaved = false
        desk.file.save(to: FilePath(other), post: desk.disk.post) { _ in isSaved = true }
        desk.disk.run { isSaved }
        try TextFiles.write("another program's\n", to: other)
        var change: EditedFile.OutsideChange?
        desk.file.look(post: desk.disk.post) { change = $0 }
        desk.disk.run { change != nil }
        #expect(change?.path == FilePath(other))
    }

    /// The disk is asked on the save's thread, not before it.
    @Test func aSaveTellsItselfThatTheFileHasChanged() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 0)
        try desk.write("another program's\n")
        var (result, begun) = (Result<String, TextFileError>?.none, 0)
        desk.file.save(post: desk.disk.post, willBegin: { begun += 1 }) { result = $0 }
        #expect(desk.file.isSaving)
        desk.disk.run { result != nil }
        #expect(result == .failure(.changedOnDisk(path: FilePath(desk.path), change: .modified)) && begun == 0)
        #expect(desk.file.state == .ready && desk.file.isModified)
        #expect(try TextFiles.read(desk.path) == "another program's\n")
    }

    /// The place of the file when it was read: asking its disk again could take for ever.
    @Test func theBaseOfAJournalIsKnownWithoutTheDisk() throws {
        let desk = try Desk("old\n")
        let folder = String(desk.path.dropLast(5))
        let link = folder + ".link"
        try #require(symlink(folder, link) == 0)
        defer { unlink(link) }
        desk.file.open(FilePath(link + "/file"), encoding: nil, post: desk.disk.post) { [unowned desk] in
            if case .finished = $0 { desk.events.append("finished") }
        }
        desk.read(until: "finished")
        #expect(desk.file.journalBase.path == FilePath(desk.path).absolute)
        unlink(link)
        #expect(desk.file.journalBase.path == FilePath(desk.path).absolute)
        #expect(desk.file.path == FilePath(link + "/file"))
    }

    /// By its name and by what it is: another file in its place is another question.
    @Test func aFileIsWrittenInPlaceWithoutAskingAgainAsLongAsItIsTheSame() throws {
        let desk = try Desk("old\n")
        let (other, third) = (desk.path + ".other", desk.path + ".third")
        defer {
            unlink(other)
            unlink(third)
        }
        try #require(link(desk.path, other) == 0)
        desk.open()
        desk.read(until: "finished")
        func save(_ method: SaveMethod? = nil, overwriting: Bool = false) throws -> Result<String, TextFileError> {
            var result: Result<String, TextFileError>?
            desk.file.save(overwriting: overwriting, method: method, post: desk.disk.post) { result = $0 }
            desk.disk.run { result != nil }
            return try #require(result)
        }
        let question = Result<String, TextFileError>.failure(
            .wouldLose(path: FilePath(desk.path), names: 2, attributes: []))
        desk.type("a", at: 0)
        #expect(try save() == question)
        #expect(desk.file.state == .ready && desk.file.isModified)
        #expect(try save(.inPlace) == .success("Saved file"))
        desk.type("b", at: 0)
        #expect(try save() == .success("Saved file"))
        #expect(try TextFiles.read(other) == "baold\n" && !desk.file.isModified)
        unlink(desk.path)
        try desk.write("another\n")
        try #require(link(desk.path, third) == 0)
        desk.type("c", at: 0)
        #expect(try save(overwriting: true) == question)
        #expect(try save(.replacing, overwriting: true) == .success("Saved file"))
        #expect(try TextFiles.read(desk.path) == "cbaold\n")
        #expect(try TextFiles.read(third) == "another\n")
    }

    @Test func aTextThatIsReadAnewComesBackIfItsFileIsGone() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        desk.events = []
        unlink(desk.path)
        desk.open()
        desk.file.typeAhead()
        #expect(desk.store.text.isEmpty)
        desk.type("x", at: 0)
        desk.read(until: "finished")
        #expect(desk.store.text == "xold\n")
        desk.store.undo()
        #expect(desk.store.text == "old\n" && desk.file.isModified, "it is on no disk")
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// Hands over what a loader has read only when it is asked to.
final class SlowDisk: Sendable {
    private let queue = Mutex<[@Sendable () -> Void]>([])

    var post: TextFileLoader.Post {
        { [self] work in queue.withLock { $0.append(work) } }
    }

    /// Runs what was posted until `isDone`, at most 20 seconds.
    func run(until isDone: () -> Bool) {
        try? waitUntil("the disk", within: 20_000, every: 1) {
            guard !isDone() else { return true }
            let work = queue.withLock { queue in
                defer { queue = [] }
                return queue
            }
            for work in work { work() }
            return isDone()
        }
    }
}

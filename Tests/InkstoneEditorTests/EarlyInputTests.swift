import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Synchronization
import Testing

@testable import inkstone_editor

/// Text typed before a slow disk has delivered the start of a file.
@Suite(.timeLimit(.minutes(5))) struct EarlyInputTests {
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

    /// A pipe that has not ended, before its first bytes and after some: the last cluster is kept back until then.
    @Test(arguments: ["", "first\nse", "x"])
    func theReadingOfStandardInputEndsOnRequest(_ text: String) throws {
        let desk = try Desk(nil)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        desk.file.report = { [unowned desk] event in
            if case .started = event { desk.file.readOn() }
            if case .finished = event { desk.events.append("finished") }
        }
        desk.file.openInput(ends[0], encoding: nil, post: desk.disk.post)
        _ = Glibc.write(ends[1], text, text.utf8.count)
        if text.utf8.count >= 4 { desk.disk.run { desk.file.state == .reading } }
        desk.file.endInput()
        desk.file.endInput()
        desk.read(until: "finished")
        #expect(desk.store.text == Rope(text))
        #expect(desk.file.state == .untitled && desk.file.isModified && !desk.file.isReading)
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

    @Test func earlyInputIsInFrontOfTheFileAndUndoneAlone() throws {
        let desk = try Desk("text\n")
        desk.open()
        #expect(!desk.file.isUsable)
        desk.file.allowEarlyInput()
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
        desk.file.allowEarlyInput()
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
        desk.file.allowEarlyInput()
        desk.type("kept", at: 0)
        desk.read(until: "failed")
        #expect(desk.file.isUsable && desk.file.isModified && desk.file.path == nil)
        #expect(desk.store.text == "kept" && desk.file.displayName == "Untitled")
    }

    /// If reading fails midway, the part that was read and the typed text can be saved, but only under another
    /// name.
    @Test func textOfAPartlyReadFileHasNoFileName() throws {
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
        desk.file.allowEarlyInput()
        desk.read(until: "failed")
        #expect(!desk.file.isUsable && !desk.file.isModified)
    }

    @Test func aNewFileHoldsIt() throws {
        let desk = try Desk(nil)
        desk.open()
        desk.file.allowEarlyInput()
        desk.type("new", at: 0)
        desk.read(until: "finished")
        #expect(desk.events == ["started", "finished"])
        #expect(try desk.saved() == "new")
    }

    @Test func earlyInputStaysWhileTheUserIsAskedAboutABinaryFile() throws {
        let desk = try Desk("\u{1}\u{2}\u{3}")
        desk.open()
        desk.file.allowEarlyInput()
        desk.type("x", at: 0)
        desk.read(until: "looks binary")
        #expect(!desk.file.isUsable && desk.store.text == "x")
        desk.open(acceptingBinary: true)
        #expect(desk.file.isUsable)
        desk.type("y", at: 1)
        desk.read(until: "finished")
        #expect(desk.store.text == "xy\u{1}\u{2}\u{3}")
    }

    @Test func aFileThatIsNotOpenedLeavesEarlyInputWithoutAName() throws {
        let desk = try Desk("\u{1}\u{2}\u{3}")
        desk.open()
        desk.file.allowEarlyInput()
        desk.type("x", at: 0)
        desk.read(until: "looks binary")
        desk.file.giveUp()
        #expect(desk.file.isUsable && desk.file.path == nil && desk.store.text == "x" && desk.file.isModified)
    }

    @Test func thePreviousDocumentIsRestoredIfAFileCannotBeRead() throws {
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
        for isEarly in [false, true] {
            desk.events = []
            desk.open(isReturning: true)
            if isEarly { desk.file.allowEarlyInput() }
            desk.read(until: "failed")
            #expect(desk.file.isUsable && desk.file.isUntouched && desk.file.displayName == "Untitled")
        }
    }

    @Test func aRefusedBinaryFileLeavesThePreviousDocument() throws {
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
}

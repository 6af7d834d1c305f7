import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Synchronization
import Testing

@testable import inkstone_editor

/// Encodings and line ends of a file, and their undo.
@Suite(.timeLimit(.minutes(5))) struct FileFormatTests {
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
        // After undo, the encoding differs from the saved file's, so the file is modified although the text may be
        // equal.
        desk.store.undo()
        #expect(desk.file.isModified && desk.file.encodingDescription == "UTF-8")
        desk.store.redo()
        #expect(!desk.file.isModified)
    }

    /// A guessed encoding is no longer in question once the user has confirmed it or named another one; undo does
    /// not change that.
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

    /// A text that shows signs for undecodable bytes reports them until the user accepts the encoding, also after
    /// it was read again.
    @Test func invalidBytesAreReportedUntilTheEncodingIsAccepted() throws {
        let desk = try Desk("")
        try TextFiles.write([0x61, 0xc3, 0xff, 0x0a], to: desk.path)
        desk.open(guess: EncodingGuess(locale: "C.UTF-8"))
        desk.read(until: "finished")
        let notice = try #require(desk.file.encodingNotice)
        #expect(!desk.file.isEncodingGuessed && notice.contains("1"))
        desk.type("x", at: 0)
        #expect(desk.file.encodingNotice == notice)
        desk.file.confirmEncoding()
        desk.store.undo()
        #expect(desk.file.encodingNotice == nil)
        try TextFiles.write([0x61, 0xc3, 0xff, 0x62, 0x0a], to: desk.path)
        #expect(try desk.reread(in: .utf8) == nil)
        #expect(desk.file.encodingNotice == nil, "read again in the accepted encoding")
        let shiftJIS = try #require(TextEncoding(named: "Shift_JIS"))
        #expect(try desk.reread(in: shiftJIS) == nil)
        #expect(desk.file.encodingNotice != nil, "it was not accepted for that")
    }

    /// The edits that are kept are those made since the reading to which undo has returned.
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

    /// The text that undo brings back has the positions of bytes that the file no longer has. So each difference
    /// from the current file counts as an edit.
    @Test func undoToAnEarlierFilesTextIsAnEditOfTheCurrentFile() throws {
        let desk = try Desk("")
        try TextFiles.write([0xcf, 0xf0, 0xe8, 0x0a], to: desk.path)
        let encodings = try ["windows-1251", "KOI8-R"].map { try #require(TextEncoding(named: $0)) }
        for isTyped in [false, true] {
            try TextFiles.write([0xcf, 0xf0, 0xe8, 0x0a], to: desk.path)
            desk.events = []
            desk.open(encoding: encodings[0])
            desk.read(until: "finished")
            // Another program writes a different file.
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

    /// Earlier texts are needed only as long as the file has the bytes they were read from. Each may be as large as
    /// the file, so the others are released.
    @Test func textsOfReplacedFileBytesAreReleased() throws {
        let desk = try Desk("0\n")
        desk.open()
        desk.read(until: "finished")
        for number in 1...4 {
            try desk.write(String(repeating: "ä", count: number))
            #expect(try desk.reread(in: .utf8) == nil)
            #expect(desk.file.keptSourceCount == 1)
        }
        // Reading in another encoding leaves the bytes unchanged, so both texts are kept.
        #expect(try desk.reread(in: #require(TextEncoding(named: "windows-1252"))) == nil)
        #expect(desk.file.keptSourceCount == 2)
        desk.store.undo()
        desk.store.undo()
        #expect(desk.store.text == "äää" && desk.file.isModified)
    }

    /// The save was requested after the reading, so its result stays.
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
        // A file with a new modification time but the old bytes counts as unchanged.
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

    /// In windows-31J, which decoders of Shift_JIS accept, the characters of these codes have other codes too, with
    /// which they are encoded.
    private static let twofold: [UInt8] = Array("abc\n".utf8) + [0xfa, 0x54, 0x0a, 0x87, 0x90, 0x0a]

    /// Reads standard input that has these bytes, to its end.
    private func readInput(_ bytes: [UInt8], in encoding: TextEncoding, into desk: Desk) throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        try #require(Glibc.write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        desk.file.report = { [unowned desk] event in
            if case .started = event { desk.file.readOn() }
            if case .finished = event { desk.events.append("finished") }
        }
        desk.file.openInput(ends[0], encoding: encoding, post: desk.disk.post)
        desk.read(until: "finished")
    }

    private func save(_ desk: Desk, acceptingLoss: Bool = false) throws -> Result<String, TextFileError> {
        var result: Result<String, TextFileError>?
        desk.file.save(to: FilePath(desk.path), acceptingLoss: acceptingLoss, post: desk.disk.post) { result = $0 }
        desk.disk.run { result != nil }
        return try #require(result)
    }

    /// The bytes of standard input are only in the editor's copy: a save keeps them as those of a file.
    @Test func aSaveOfStandardInputKeepsTheBytesOfUnchangedLines() throws {
        let desk = try Desk(nil)
        let encoding = try #require(TextEncoding(named: "Shift_JIS"))
        try readInput(Self.twofold, in: encoding, into: desk)
        #expect(desk.file.keepsBytes && desk.file.encodingNotice != nil)
        desk.type("x", at: 0)
        #expect(try save(desk).isSuccess)
        #expect(try TextFiles.bytes(desk.path) == [0x78] + Self.twofold)
        // The saved file is the source of the bytes from now on.
        desk.type("y", at: 0)
        #expect(desk.file.keepsBytes && desk.file.encodingNotice != nil)
        _ = try desk.saved()
        #expect(try TextFiles.bytes(desk.path) == [0x79, 0x78] + Self.twofold)
    }

    @Test func standardInputReadInAnotherEncodingKeepsItsBytesToo() throws {
        let desk = try Desk(nil)
        try readInput(Self.twofold, in: .utf8, into: desk)
        #expect(try desk.reread(in: #require(TextEncoding(named: "Shift_JIS"))) == nil)
        #expect(desk.file.keepsBytes)
        #expect(try save(desk).isSuccess)
        #expect(try TextFiles.bytes(desk.path) == Self.twofold)
    }

    /// Another encoding cannot keep the bytes, and a line that was changed gets new ones.
    @Test func bytesOfStandardInputThatCannotBeKeptAreAskedAbout() throws {
        let desk = try Desk(nil)
        try readInput(Self.twofold, in: #require(TextEncoding(named: "Shift_JIS")), into: desk)
        desk.type("x", at: 4)
        let refused = try save(desk)
        guard case .failure(.bytesWouldChange(_, _, 2)) = refused else {
            Issue.record("\(refused)")
            return
        }
        #expect(access(desk.path, F_OK) != 0)
        #expect(try save(desk, acceptingLoss: true).isSuccess)
        let other = try Desk(nil)
        try readInput(Self.twofold, in: #require(TextEncoding(named: "Shift_JIS")), into: other)
        other.file.setEncoding(.utf8)
        #expect(!other.file.keepsBytes)
    }

    /// The bytes of a recovered text that is opened apart from its file are not available.
    @Test func aRecoveredTextWhoseBytesWouldBeLostIsAskedAbout() throws {
        let desk = try Desk(nil)
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: "Shift_JIS")))
        desk.type("∵\n", at: 0)
        desk.file.adopt(format, isLossless: true)
        #expect(desk.file.keepsBytes && desk.file.format == format)
        desk.file.adopt(format, isLossless: false)
        #expect(!desk.file.keepsBytes && desk.file.encodingNotice == nil)
    }

    /// After undo of a reading in a wrong encoding, the file is read in the encoding that is shown, also if another
    /// program has written it and it was read in between.
    @Test func theNextReadingUsesTheEncodingThatUndoHasRestored() throws {
        let wrong = try #require(TextEncoding(named: "KOI8-R"))
        for isReadBetween in [false, true] {
            let desk = try Desk("é\n")
            desk.open()
            desk.read(until: "finished")
            #expect(try desk.reread(in: wrong) == nil)
            #expect(desk.file.bytesEncoding == wrong)
            try desk.write("éé\n")
            if isReadBetween {
                #expect(try desk.reread(in: wrong) == nil)
                desk.store.undo()
            }
            desk.store.undo()
            #expect(desk.store.text == "é\n" && desk.file.encodingName == "UTF-8")
            #expect(try desk.reread() == nil)
            #expect(desk.store.text == "éé\n" && desk.file.encodingName == "UTF-8")
        }
    }

    /// Until a save in the chosen encoding, the file's bytes are still in the other one.
    @Test func theNextReadingUsesTheEncodingOfTheLastSave() throws {
        let desk = try Desk("é\n")
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        desk.open()
        desk.read(until: "finished")
        desk.file.setEncoding(latin)
        #expect(desk.file.bytesEncoding == .utf8)
        _ = try desk.saved()
        #expect(desk.file.bytesEncoding == latin && desk.file.isEncodingAccepted)
        #expect(try desk.reread() == nil)
        #expect(desk.store.text == "é\n" && desk.file.encodingName == latin.description)
        // The file is in this encoding for the state before the choice, too.
        desk.store.undo()
        #expect(desk.file.bytesEncoding == latin)
    }

    /// A window that takes the place of another one does not report again what the user has agreed to.
    @Test func anAcceptedEncodingIsNotQuestionedWhenTheFileIsOpenedAgain() throws {
        let desk = try Desk("")
        try TextFiles.write([0x61, 0xff, 0x0a], to: desk.path)
        for isAccepted in [false, true] {
            desk.events = []
            desk.open(encoding: .utf8, acceptingEncoding: isAccepted)
            desk.read(until: "finished")
            #expect(desk.file.isEncodingAccepted == isAccepted)
            #expect((desk.file.encodingNotice == nil) == isAccepted)
        }
    }

    /// Undo must restore the encoding with the text: a text read in one encoding and saved in another is damaged
    /// for good.
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

    private func error(_ result: Result<String, TextFileError>) -> TextFileError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The bytes of a file that are invalid in its encoding would make a file of two encodings of the converted text.
    @Test(arguments: [
        ("EUC-JP", [0xc6, 0xfc, 0xcb, 0xdc, 0xcf, 0xd4] as [UInt8], "UTF-8"),
        ("windows-1253", [0x63, 0xd2], "UTF-8"), ("UTF-8", [0xc3, 0xa9, 0xe2, 0x82], "windows-1252"),
        ("UTF-16LE", [0x61, 0x00, 0x00, 0xd8], "UTF-8"),
    ]) func invalidBytesAreSavedInNoOtherEncoding(_ name: String, _ text: [UInt8], _ otherName: String) throws {
        let encoding = try #require(TextEncoding(named: name))
        let other = try #require(TextEncoding(named: otherName))
        let end: [UInt8] = encoding.codeUnit == nil ? [0x0a] : [0x0a, 0]
        let bytes = [UInt8](encoding.codeUnit == nil ? [0x61, 0x0a] : [0x61, 0, 0x0a, 0]) + text + end
        let desk = try Desk("")
        try TextFiles.write(bytes, to: desk.path)
        desk.open(encoding: encoding, acceptingEncoding: true)
        desk.read(until: "finished")
        try #require(InvalidBytes(in: desk.store.text)?.firstLine == 2)
        desk.file.setEncoding(other)
        let problem = error(try save(desk))
        guard case .invalidBytes(_, other.name, 2)? = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(try TextFiles.bytes(desk.path) == bytes && desk.file.isModified && !desk.file.isSaving)
        // Without the bytes, the text is saved. Undo brings them back: they are still those of the first encoding.
        let invalid = try #require(desk.store.text.firstInvalidPart())
        desk.store.replace(invalid.lowerBound..<desk.store.text.byteRange.upperBound - 1, with: "")
        #expect(try save(desk).isSuccess)
        desk.store.undo()
        #expect(error(try save(desk)) != nil)
        desk.store.undo()
        #expect(desk.file.encoding == encoding)
        #expect(try save(desk).isSuccess)
        #expect(try TextFiles.bytes(desk.path) == bytes)
    }

    /// Text that was copied before loses its invalid bytes where they would be others.
    @Test func eachFileAndEachEncodingIsADecoding() throws {
        let desk = try Desk("é\n")
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        desk.open()
        desk.read(until: "finished")
        let first = desk.file.decoding
        #expect(try desk.reread() == nil)
        desk.file.setEncoding(latin)
        desk.file.setNewline(.crlf)
        #expect(desk.file.decoding == first)
        desk.store.undo()
        desk.store.undo()
        #expect(try desk.reread(in: latin) == nil)
        #expect(desk.file.decoding != first)
        desk.store.undo()
        #expect(desk.file.decoding == first)
        desk.events = []
        desk.open()
        desk.read(until: "finished")
        #expect(desk.file.decoding != first)
    }

    /// A recovered text has the invalid bytes of the file that it was typed into.
    @Test func aRecoveredTextKeepsTheEncodingOfItsInvalidBytes() throws {
        let desk = try Desk(nil)
        desk.store.replace(0..<0 as Range<ByteOffset>, with: Rope(bytes: [0x61, 0xd4, 0x0a]))
        let japanese = try #require(TextEncoding(named: "EUC-JP"))
        desk.file.adopt(.utf8, isLossless: true, readIn: japanese)
        #expect(error(try save(desk)) != nil)
        desk.file.adopt(TextFileFormat(encoding: japanese), isLossless: true, readIn: japanese)
        #expect(try save(desk).isSuccess)
        #expect(try TextFiles.bytes(desk.path) == [0x61, 0xd4, 0x0a])
    }

    @Test func readingAgainSeesThatUTF16HasItsBytesInTheOtherOrder() throws {
        func bytes(_ text: String, isLittle: Bool) -> [UInt8] {
            text.utf16.flatMap { isLittle ? [UInt8($0 & 0xff), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        }
        let desk = try Desk("")
        let text = "some plain words\nin two lines\n"
        try TextFiles.write(bytes(text, isLittle: true), to: desk.path)
        desk.open(guess: EncodingGuess(locale: "C.UTF-8"))
        desk.read(until: "finished")
        try #require(desk.file.encodingName == "UTF-16LE")
        try TextFiles.write(bytes(text + "end\n", isLittle: false), to: desk.path)
        #expect(try desk.reread() == nil)
        #expect(desk.store.text == Rope(text + "end\n") && desk.file.encodingName == "UTF-16BE")
        try TextFiles.write(Array("./name\0./nam\0".utf8), to: desk.path)
        #expect(try desk.reread() == nil)
        #expect(desk.file.encodingName == "UTF-8")
    }

    /// Lines that nobody has changed keep their letters, although another encoding is likelier for the rest of the
    /// file. UTF-8 and bytes that do not fit are guessed anew.
    @Test func readingAgainKeepsTheGuessThatIsStillPossible() throws {
        func latin(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8($0.value) } }
        let desk = try Desk("")
        try TextFiles.write(latin("one café\nnaïve two\nthree über\n"), to: desk.path)
        desk.open(guess: EncodingGuess(locale: "C.UTF-8"))
        desk.read(until: "finished")
        try #require(desk.file.isEncodingGuessed && desk.file.encodingName == "windows-1252")
        let rest = "naïve two\nthree über\n"
        try TextFiles.write(latin(rest), to: desk.path)
        let anew = EncodingGuess(locale: "C.UTF-8")
        try #require(TextFile.read(FilePath(desk.path), guess: anew).format.encoding.name != "windows-1252")
        #expect(try desk.reread() == nil)
        #expect(desk.store.text == Rope(rest) && desk.file.encodingName == "windows-1252")
        #expect(desk.file.isEncodingGuessed)
        try desk.write(rest)
        #expect(try desk.reread() == nil)
        #expect(desk.store.text == Rope(rest) && desk.file.encodingName == "UTF-8")
    }
}

import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Synchronization
import Testing

@testable import inkstone_editor

/// Files that another program changes on disk, and that are then read again or saved.
@Suite(.timeLimit(.minutes(5))) struct OutsideChangeTests {
    /// Invalid bytes that lie between two edits of a line, or that an edit moves, are kept as the file has them.
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

    /// The edits have byte positions of the file that was read, so they must not be applied to another file.
    @Test func editsAreNotMadeToAnotherFileThanTheirs() throws {
        let desk = try Desk("one\ntwö\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 8)
        let latin = try #require(TextEncoding(named: "windows-1252"))
        // A file that was written again with equal bytes counts as the same file.
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
        // Shift_JIS has two codes for this character.
        let bytes: [UInt8] = [0x81, 0xca, 0xee, 0xf9, 0x0a]
        try TextFiles.write(bytes, to: desk.path)
        desk.open(encoding: TextEncoding(named: "Shift_JIS"))
        desk.read(until: "finished")
        #expect(desk.file.encodingNotice != nil)
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

    /// The running save and the journal use the old encoding, so the newly chosen one is still to be saved.
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

    /// The user keeps the text although another program has written the file. A journal begun after that must not
    /// name the other program's file as the base of the edits.
    @Test(arguments: ["another program's\n", nil]) func aTextThatIsKeptIsNoChangeOfAnotherPrograms(_ other: String?)
        throws
    {
        let desk = try Desk("one\ntwo\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 0)
        if let other { try desk.write(other) } else { unlink(desk.path) }
        var change: EditedFile.OutsideChange?
        desk.file.checkForChanges(post: desk.disk.post) { change = $0 }
        desk.disk.run { change != nil }
        desk.file.keep(inSpiteOf: try #require(change))
        let journals = FilePath(String(desk.path.dropLast(5)) + "/journals")
        let journal = RecoveryJournal(
            of: desk.store, base: desk.file.journalBase, baseText: desk.file.journalBaseText, directory: journals)
        desk.type("y", at: 0)
        journal.abandon()
        let document = try #require(RecoveredDocument.all(of: FilePath(desk.path), directory: journals).first)
        #expect(document.state == (other == nil ? .intact : .changed) && document.text?.rope == "yxone\ntwo\n")
        // A save still replaces the other program's file.
        #expect(try desk.saved() == "yxone\ntwo\n")
        #expect(desk.file.journalBase.identity == FileIdentity(path: FilePath(desk.path)))
    }

    /// A check of the first file hangs on its disk. It must not block checks of the other file that the text was
    /// saved to since.
    @Test func aHungDiskDoesNotPreventTheChecksOfOtherFiles() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        // This check never gets an answer.
        desk.file.checkForChanges(post: { _ in }) { _ in }
        let other = desk.path + ".other"
        var isSaved = false
        desk.file.save(to: FilePath(other), post: desk.disk.post) { _ in isSaved = true }
        desk.disk.run { isSaved }
        try TextFiles.write("another program's\n", to: other)
        var change: EditedFile.OutsideChange?
        desk.file.checkForChanges(post: desk.disk.post) { change = $0 }
        desk.disk.run { change != nil }
        #expect(change?.path == FilePath(other))
    }

    /// The save compares the file on the save's own thread, so a slow disk does not block the editor before it.
    @Test func saveDetectsAChangedFileItself() throws {
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

    /// The journal uses the path found when the file was read: asking a hanging disk again could block for ever.
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

    /// The permission to write in place holds for the path and the file's identity. Another file at the same path
    /// is asked about again.
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

    /// Another program may have made the file again while the user was asked about its deletion.
    @Test func aDeletedFileIsMadeAnewButNotOverwrittenIfItIsThereAgain() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        desk.type("x", at: 0)
        func save(restoring: Bool = false) throws -> Result<String, TextFileError> {
            var result: Result<String, TextFileError>?
            desk.file.save(restoring: restoring, post: desk.disk.post) { result = $0 }
            desk.disk.run { result != nil }
            return try #require(result)
        }
        unlink(desk.path)
        #expect(try save() == .failure(.changedOnDisk(path: FilePath(desk.path), change: .removed)))
        try desk.write("another program's\n")
        #expect(
            try save(restoring: true) == .failure(.changedOnDisk(path: FilePath(desk.path), change: .created)))
        #expect(try TextFiles.read(desk.path) == "another program's\n" && desk.file.isModified)
        unlink(desk.path)
        #expect(try save(restoring: true) == .success("Saved file"))
        #expect(try TextFiles.read(desk.path) == "xold\n" && !desk.file.isModified)
    }

    @Test func aTextThatIsReadAnewComesBackIfItsFileIsGone() throws {
        let desk = try Desk("old\n")
        desk.open()
        desk.read(until: "finished")
        desk.events = []
        unlink(desk.path)
        desk.open()
        desk.file.allowEarlyInput()
        #expect(desk.store.text.isEmpty)
        desk.type("x", at: 0)
        desk.read(until: "finished")
        #expect(desk.store.text == "xold\n")
        desk.store.undo()
        #expect(desk.store.text == "old\n" && desk.file.isModified, "it is on no disk")
    }
}

import DisplayTestSupport
import FoundationEssentials
import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Testing

/// `inkstone recover` as a built program: its output and the files that it writes.
@Suite(.timeLimit(.minutes(5))) struct RecoverProgramTests {
    private let scratch: OwnedDirectory

    init() throws { scratch = try OwnedDirectory() }

    /// Leaves a journal of an edit that inserts `text` at the start of a file with these bytes. Returns the file's
    /// path.
    private func leaveJournal(
        of bytes: [UInt8], _ format: TextFileFormat, typing text: Rope, choosing chosen: TextFileFormat? = nil
    )
        throws -> String
    {
        let path = "\(scratch.path)/file"
        try TextFiles.write(bytes, to: path)
        let file = try TextFile.read(path, encoding: format.encoding)
        let store = TextStore(file.text)
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: path, identity: file.identity, format: file.format),
            directory: FilePath("\(scratch.path)/inkstone/recovery"))
        store.replace(0..<0 as Range<ByteOffset>, with: text, origin: .typing)
        if let chosen { journal.noteFormat(chosen) }
        try #require(journal.flush(within: 20_000))
        journal.abandon()
        return path
    }

    /// Runs the program, and returns its standard output and standard error.
    private func recover(_ arguments: [String]) throws -> (output: [UInt8], errors: String) {
        var variables = ProcessInfo.processInfo.environment
        variables["DISPLAY"] = nil
        variables["XDG_STATE_HOME"] = scratch.path
        let (out, errors) = ("\(scratch.path)/out", "\(scratch.path)/errors")
        for path in [out, errors] { unlink(path) }
        let process = try ChildProcess(
            Products.path(of: "inkstone"), ["recover"] + arguments, environment: variables, output: .file(out),
            errors: .file(errors))
        let status = try process.waitForExit(within: 60_000)
        #expect(status == .exited(0))
        return (try TextFiles.bytes(out), try TextFiles.read(errors))
    }

    @Test func bytesThatAreNoTextArePrintedAsTheyAre() throws {
        let path = try leaveJournal(of: Array("abc".utf8) + [0xff], .utf8, typing: "typed ")
        let (output, errors) = try recover(["--print", path])
        #expect(output == Array("typed abc".utf8) + [0xff] && errors.isEmpty)
    }

    @Test func theListAnswersThePersonsQuestions() throws {
        let path = try leaveJournal(of: Array("abc\n".utf8), .utf8, typing: "typed 👍")
        let base = JournalBase(path: "\(scratch.path)/other", identity: nil)
        let store = TextStore()
        let journal = RecoveryJournal(of: store, base: base, directory: FilePath("\(scratch.path)/inkstone/recovery"))
        for _ in 0..<2 { store.replace(0..<0 as Range<ByteOffset>, with: "x", origin: .typing) }
        try #require(journal.flush(within: 20_000))
        let lines = String(decoding: try recover(["--list"]).output, as: UTF8.self).split(separator: "\n").map(
            String.init)
        func line(before name: String) -> String {
            lines.firstIndex { $0.hasSuffix(name) }.map { lines[$0 - 1] } ?? "\(lines)"
        }
        #expect(line(before: path).hasSuffix("  1 change, 7 characters typed, fits"))
        #expect(line(before: "/other").hasSuffix("  2 changes, 2 characters typed, in use by process \(getpid())"))
        journal.close()
    }

    /// A draft has the plain text of Markdown: it does not take the place of the file's own changes.
    @Test func aFileIsPrintedFromItsOwnJournalRatherThanFromADraft() throws {
        let path = try leaveJournal(of: Array("*abc*".utf8), .utf8, typing: "typed ")
        let identity = try #require(FileIdentity(path: FilePath(path)))
        let store = TextStore("abc")
        let draft = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: identity, origin: FilePath(path)),
            directory: FilePath("\(scratch.path)/inkstone/recovery"))
        store.replace(0..<0 as Range<ByteOffset>, with: "draft", origin: .typing)
        draft.abandon(within: 20_000)
        #expect(try recover(["--print", path]).output == Array("typed *abc*".utf8))
    }

    /// Printing a journal only reads it, so it works while the editor that owns the journal runs or hangs. The
    /// output says so.
    @Test func theTextOfARunningEditorIsPrintedAndReportedAsOpen() throws {
        let path = "\(scratch.path)/file"
        try TextFiles.write("abc\n", to: path)
        let file = try TextFile.read(path)
        let store = TextStore(file.text)
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: path, identity: file.identity),
            directory: FilePath("\(scratch.path)/inkstone/recovery"))
        store.replace(0..<0 as Range<ByteOffset>, with: "typed ", origin: .typing)
        try #require(journal.flush(within: 20_000))
        for name in [path, journal.path.description] {
            let (output, errors) = try recover(["--print", name])
            #expect(output == Array("typed abc\n".utf8))
            #expect(errors.hasPrefix("“\(name)” is open in a running editor (process \(getpid()))"), "\(errors)")
        }
        #expect(access(journal.path.cString, F_OK) == 0)
        journal.close()
    }

    /// The state folder's name is in Latin-1, and so is not valid UTF-8, as on old systems.
    @Test func journalsInAFolderWhoseNameIsNoTextAreFound() throws {
        let state = FilePath(Array(scratch.path.utf8) + Array("/caf".utf8) + [0xe9])
        let store = TextStore()
        let journal = RecoveryJournal(
            of: store, base: JournalBase(path: nil, identity: nil),
            directory: state.appending("inkstone").appending("recovery"))
        store.replace(0..<0 as Range<ByteOffset>, with: "typed", origin: .typing)
        try #require(journal.flush(within: 20_000))
        journal.abandon()
        let out = "\(scratch.path)/out"
        // Use a shell to set the variable: Foundation passes only valid text in an environment.
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "XDG_STATE_HOME=$(printf '%s/caf\\351' \"$1\") exec \"$2\" recover", "sh", scratch.path,
                Products.path(of: "inkstone"),
            ],
            environment: ProcessInfo.processInfo.environment, output: .file(out),
            errors: .file("\(scratch.path)/errors"))
        #expect(try process.waitForExit(within: 60_000) == .exited(0))
        let list = try TextFiles.read(out)
        #expect(
            list.contains("5 characters typed") && list.contains("/caf\\xE9/inkstone/recovery/untitled."), "\(list)")
    }

    @Test func theOldTextOfASaveThatWasCutOffIsListed() throws {
        let directory = "\(scratch.path)/inkstone/recovery"
        for path in ["\(scratch.path)/inkstone", directory] { try #require(mkdir(path, 0o700) == 0) }
        let stem = "\(directory)/0-1-2-3-4-5"
        try TextFiles.write(Array("old\n".utf8), to: stem + ".backup", mode: 0o600)
        try #require(symlink("/a/file", stem + ".target") == 0)
        let list = String(decoding: try recover([]).output, as: UTF8.self)
        #expect(list.contains("cut off\n    /a/file\n    \(stem).backup\n"), "\(list)")
        #expect(try TextFiles.read(stem + ".backup") == "old\n")
    }

    @Test func aFileIsWrittenInTheEncodingThatTheTextWasReadIn() throws {
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        let path = try leaveJournal(of: [0xe4, 0x0a], TextFileFormat(encoding: latin), typing: "é")
        let (output, errors) = try recover(["--print", path])
        #expect(output == Array("éä\n".utf8))
        #expect(errors.contains("This is UTF-8; the file is \(latin)."))
        let written = "\(scratch.path)/written"
        #expect(try recover(["--print", path, "--output", written]).errors.isEmpty)
        #expect(try TextFiles.bytes(written) == [0xe9, 0xe4, 0x0a])
    }

    /// The two codes are not those with which Shift_JIS encodes the characters.
    @Test func bytesThatTheTextDoesNotEncodeToAreKeptInLinesWithoutEdits() throws {
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: "Shift_JIS")))
        let bytes: [UInt8] = Array("abc\n".utf8) + [0xfa, 0x54, 0x0a, 0x87, 0x90, 0x0a]
        let path = try leaveJournal(of: bytes, format, typing: "x")
        let written = "\(scratch.path)/written"
        #expect(try recover(["--print", path, "--output", written]).errors.isEmpty)
        #expect(try TextFiles.bytes(written) == [0x78] + bytes)
    }

    @Test func bytesThatCannotBeKeptAreReported() throws {
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: "Shift_JIS")))
        let path = try leaveJournal(of: [0xfa, 0x54, 0x0a], format, typing: "x")
        let written = "\(scratch.path)/written"
        let errors = try recover(["--print", path, "--output", written]).errors
        #expect(errors.contains("has other bytes than the old file in some places"), "\(errors)")
        #expect(try TextFiles.bytes(written) == [0x78, 0x81, 0xca, 0x0a])
    }

    @Test func aFileIsWrittenInTheEncodingThatWasChosenForTheNextSave() throws {
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        let path = try leaveJournal(
            of: Array("ä\n".utf8), .utf8, typing: "é", choosing: TextFileFormat(encoding: latin))
        let written = "\(scratch.path)/written"
        #expect(try recover(["--print", path, "--output", written]).errors.isEmpty)
        #expect(try TextFiles.bytes(written) == [0xe9, 0xe4, 0x0a])
    }

    @Test func charactersOutsideTheEncodingAreWrittenAsUTF8AndReported() throws {
        let latin = try #require(TextEncoding(named: "ISO-8859-1"))
        let path = try leaveJournal(of: [0xe4, 0x0a], TextFileFormat(encoding: latin), typing: "漢")
        let written = "\(scratch.path)/written"
        let errors = try recover(["--print", path, "--output", written]).errors
        #expect(errors.contains("is UTF-8: not all of the text can be written as \(latin)."))
        #expect(try TextFiles.read(written) == "漢ä\n")
    }

    @Test func invalidBytesOfAnotherEncodingAreShownAndReported() throws {
        let japanese = TextFileFormat(encoding: try #require(TextEncoding(named: "EUC-JP")))
        let path = try leaveJournal(of: [0xc6, 0xfc, 0xcf, 0xd4, 0x0a], japanese, typing: "é", choosing: .utf8)
        let written = "\(scratch.path)/written"
        let errors = try recover(["--print", path, "--output", written]).errors
        #expect(errors.contains("has other bytes than the old file in some places"), "\(errors)")
        #expect(try TextFiles.read(written) == "é日\u{fffd}\u{fffd}\n")
        #expect(try recover(["--print", path]).output == Array("é日\u{fffd}\u{fffd}\n".utf8))
    }
}

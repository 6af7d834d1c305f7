import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Files that cannot be replaced, or would lose a link or an owner, are written in place, and never left half
/// written.
@Suite(.enabled(if: RoleProcess.role == nil), .serialized, .timeLimit(.minutes(5))) struct InPlaceTests {
    let scratch = Scratch()
    private var backups: FilePath { FilePath(scratch.file("state/inkstone/recovery")) }

    /// Report of a save by another process, as nobody if it is to be without root's rights.
    private func save(
        _ path: String, as role: String = "save again", method: String = "", in mode: mode_t = 0o755,
        wrapper: [String] = []
    ) throws -> String {
        let state = scratch.file("state")
        mkdir(state, 0o777)
        chmod(state, 0o1777)
        chmod(scratch.path, mode)
        let child = try RoleProcess(
            role, in: scratch,
            environment: ["INKSTONE_CHILD_FILE": path, "INKSTONE_CHILD_METHOD": method, "XDG_STATE_HOME": state],
            under: wrapper)
        defer { child.wait() }
        return String(decoding: child.read(1 << 16), as: UTF8.self)
    }

    private func status(_ path: String) -> stat {
        var status = stat()
        lstat(path, &status)
        return status
    }

    /// Whether a file contains a text. (A failed `#expect` would compare megabytes for an hour.)
    private func holds(_ path: String, _ text: String) -> Bool { contents(path) == Array(text.utf8) }

    private func write(
        _ text: Rope, _ path: String, _ method: SaveMethod = .automatic
    ) throws(TextFileError) -> SavedFile {
        try TextFile.write(
            text, to: FilePath(path), expecting: FileIdentity(path: FilePath(path)), method: method,
            keepingIn: backups)
    }

    private func interrupted(_ path: String) -> [InterruptedSave] {
        InterruptedSave.all(of: FilePath(path), directory: backups)
    }

    /// A reader that checks a backup locks it for a moment, and must not count as one that restores it.
    @Test func readingABackupDoesNotBlockOthers() throws {
        let path = scratch.put("file", "half of the new text")
        for directory in ["state", "state/inkstone", "state/inkstone/recovery"] {
            mkdir(scratch.file(directory), 0o700)
        }
        let stem = "\(backups)/x-0-0-1-2-3"
        try TextFiles.write(Array("old".utf8), to: stem + ".backup", mode: 0o600)
        try #require(symlink(path, stem + ".target") == 0)
        #expect(interrupted(path).count == 1)
        let reader = open(stem + ".backup", O_RDONLY | O_CLOEXEC)
        defer { close(reader) }
        try #require(flock(reader, LOCK_SH) == 0)
        var pauses = 0
        let claim = SaveBackup(claiming: FilePath(stem + ".backup")) {
            pauses += 1
            if pauses == 3 { flock(reader, LOCK_UN) }
        }
        #expect(claim != nil && pauses == 3)
        #expect(interrupted(path).isEmpty, "somebody has taken it up")
        claim?.release()
        #expect(interrupted(path).count == 1)
    }

    // MARK: What stays

    @Test func aFileOfSeveralNamesIsNotPartedFromThemWithoutAWord() throws {
        let path = scratch.put("file", "old")
        link(path, scratch.file("other"))
        let error = #expect(throws: TextFileError.wouldLose(path: FilePath(path), names: 2, attributes: [])) {
            try write("new", path)
        }
        #expect(error?.description.contains("part it from its 1 other name. Write it in place") == true)
        #expect(holds(path, "old") && scratch.names() == ["file", "other"])
        let before = status(path)
        let saved = try write("new text", path, .inPlace)
        #expect(saved.notice == nil && saved.identity == FileIdentity(path: FilePath(path)))
        #expect(holds(scratch.file("other"), "new text"))
        #expect(status(path).st_ino == before.st_ino && status(path).st_nlink == 2)
        #expect(Scratch.names(in: backups) == [])
        _ = try write("x", path, .replacing)
        #expect(holds(path, "x"))
        #expect(holds(scratch.file("other"), "new text"))
        #expect(try write("no other name", path).notice == nil)
    }

    @Test func theOwnerStaysWhereOnlyAnotherOneCanBeGiven() throws {
        guard try NotRun.unless(geteuid() == 0, "only root may give files away") else { return }
        let path = scratch.put("file", "old")
        try #require(chown(path, 1234, 65534) == 0 && chmod(path, 0o6775) == 0)
        let first = try save(path, as: "save as nobody", in: 0o777)
        #expect(first.contains("a new file in its place would not have its owner"), "\(first)")
        #expect(try save(path, as: "save as nobody", method: "in place", in: 0o777) == "no error\n")
        #expect(holds(path, "new") && status(path).st_uid == 1234)
        // A set-user-ID bit must not make new content run as another user.
        #expect(status(path).st_mode & 0o7777 & ~S_ISGID == 0o775)
        try #require(chmod(path, 0o6775) == 0)
        #expect(try save(path, as: "save as nobody", method: "replacing", in: 0o777) == "no error\n")
        #expect(status(path).st_uid == 65534 && status(path).st_mode & S_ISUID == 0)
    }

    @Test func anotherGroupGetsNoMoreThanEverybody() throws {
        guard try NotRun.unless(geteuid() == 0, "only root may give files away") else { return }
        let path = scratch.put("file", "old")
        try #require(chown(path, 65534, 2345) == 0 && chmod(path, 0o2664) == 0)
        #expect(try save(path, as: "save as nobody", method: "replacing", in: 0o777) == "no error\n")
        #expect(status(path).st_gid == 65534 && status(path).st_mode & 0o7777 == 0o644)
    }

    /// Bytes that the encoding cannot reproduce are read from the file, which is being overwritten.
    @Test func bytesThatTheEncodingWouldNotGiveAgainStayInPlace() throws {
        let bytes = [0x81 as UInt8, 0xca, 0xee, 0xf9, 0x0a]
        let lines = (0..<200_000).flatMap { _ in bytes }
        let path = scratch.put("file", Array("one\n".utf8) + lines)
        link(path, scratch.file("other"))
        let encoding = try #require(TextEncoding(named: "Shift_JIS"))
        let file = try TextFile.read(FilePath(path), encoding: encoding)
        var text = file.text
        text.replace(0..<3 as Range<ByteOffset>, with: "new")
        try TextFile.write(
            text, to: FilePath(path), format: file.format, expecting: file.identity, method: .inPlace,
            keeping: OriginalFile(path: FilePath(path), text: file.text, format: file.format), keepingIn: backups)
        let isKept = contents(scratch.file("other")) == Array("new\n".utf8) + lines
        #expect(isKept)
    }

    @Test func anOwnerKeepsTheBitsByWhichAProgramRuns() throws {
        let path = scratch.put("file", "old")
        chmod(path, 0o4755)
        _ = try write("new", path, .inPlace)
        #expect(status(path).st_mode & 0o7777 == 0o4755)
    }

    // MARK: Where no new file can be

    @Test func aFileInAFolderThatMayNotBeWrittenIsWrittenInPlace() throws {
        guard try NotRun.unless(geteuid() == 0, "needs another user's folder") else { return }
        mkdir(scratch.file("folder"), 0o755)
        let path = scratch.put("folder/file", "old")
        chmod(path, 0o666)
        #expect(
            try save(path, as: "save as nobody")
                == "It was written in place, because no new file can be made in “\(scratch.file("folder"))”.\n")
        #expect(holds(path, "new"))
        #expect(Scratch.names(in: backups) == [])
    }

    @Test func aFileInAStickyFolderIsWrittenInPlace() throws {
        guard try NotRun.unless(geteuid() == 0, "needs another user's folder") else { return }
        let folder = scratch.file("folder")
        mkdir(folder, 0o777)
        chmod(folder, 0o1777)
        let path = scratch.put("folder/file", "old")
        chown(path, 1234, 1234)
        chmod(path, 0o666)
        #expect(
            try save(path, as: "save as nobody")
                == "It was written in place, because in “\(folder)” only its owner may replace it.\n")
        #expect(holds(path, "new") && status(path).st_uid == 1234)
    }

    @Test func aFileThatIsMountedByItselfIsWrittenInPlace() throws {
        guard try NotRun.unless(FaultTests.canMount, "needs a namespace to mount a file in") else { return }
        let path = scratch.put("file", "old")
        let other = scratch.put("other", "another")
        #expect(
            try save(
                path,
                wrapper: [
                    "/usr/bin/unshare", "--map-root-user", "--mount", "sh", "-c",
                    "mount --bind \"$0\" \"$1\" && shift && exec \"$@\"", other, path,
                ]) == "It was written in place, because it is mounted there by itself.\n")
        #expect(holds(path, "old") && holds(other, "new"))
    }

    // MARK: Failures

    @Test func anUnwritableFileIsFoundBeforeAnythingIsChanged() throws {
        let path = scratch.put("file", "old")
        let encoding = try #require(TextEncoding(named: "KOI8-R"))
        #expect(
            throws: TextFileError.inexpressible(
                path: FilePath(path), encoding: "KOI8-R", scalar: 0x20ac, line: 1)
        ) {
            try TextFile.write(
                "one €\n", to: FilePath(path), format: TextFileFormat(encoding: encoding), expecting: nil,
                overwriting: true, method: .inPlace, keepingIn: backups)
        }
        // There is no directory for the backup of the old bytes.
        let none = scratch.put("none", "")
        #expect(throws: TextFileError.backupFailed(path: FilePath(path), directory: FilePath(none), code: ENOTDIR)) {
            try TextFile.write(
                "new", to: FilePath(path), expecting: nil, overwriting: true, method: .inPlace,
                keepingIn: FilePath(none))
        }
        #expect(holds(path, "old") && Scratch.names(in: backups) == [])
    }

    /// Saves 3 MB in place under strace with an injected fault.
    private func save(_ path: String, fault: String) throws -> String {
        try save(
            path, as: "save much in place",
            wrapper: ["strace", "-f", "-o", "/dev/null", "-e", "trace=\(Self.steps)", "-e", "inject=\(fault)"])
    }

    /// The system calls that change the disk during a save in place, and few others.
    private static let steps = "pwrite64,fdatasync,fsync,rename,symlink,ftruncate,fallocate,unlink,utimensat,fchmod"

    @Test(arguments: [
        "pwrite64:error=EIO:when=3", "pwrite64:error=ENOSPC:when=4", "fallocate:error=EDQUOT:when=1",
        "ftruncate:error=EIO:when=1", "fdatasync:error=EIO:when=1", "fsync:error=EIO:when=2",
        "symlink:error=EROFS:when=1", "rename:error=EIO:when=1",
    ])
    func aFailurePutsTheOldBytesBack(fault: String) throws {
        let path = scratch.put("file", "the old text")
        let before = FileIdentity(path: FilePath(path))
        let report = try save(path, fault: fault)
        #expect(report.contains("was not saved") && !report.contains("no error"), "\(report)")
        #expect(holds(path, "the old text"))
        // Nothing asks whether another program wrote it.
        #expect(FileIdentity(path: FilePath(path)) == before)
        #expect(Scratch.names(in: backups) == [])
    }

    @Test func aDiskThatFailsForGoodLeavesTheOldBytesElsewhere() throws {
        let path = scratch.put("file", "the old text")
        let report = try save(path, fault: "pwrite64:error=EIO:when=3+")
        let backup = try #require(Scratch.names(in: backups).first { $0.hasSuffix(".backup") })
        #expect(
            report.contains(
                "is only partly written: write: Input/output error. The old text is in “\(backups)/\(backup)”"),
            "\(report)")
        #expect(holds("\(backups)/\(backup)", "the old text"))
        let found = interrupted(path)
        #expect(found.map(\.backupPath.description) == ["\(backups)/\(backup)"])
        let half = contents(path)
        try found.first?.restore()
        #expect(holds(path, "the old text"))
        #expect(interrupted(path).isEmpty)
        // The partly written content may still be needed, so it is kept.
        let names = Scratch.names(in: backups)
        #expect(names.count == 1 && names[0].hasSuffix(".backup.ignored"), "\(names)")
        let isSetAside = contents("\(backups)/\(names[0])") == half
        #expect(isSetAside)
    }

    @Test func afterAKillAtAnyStepTheOldBytesOrTheNewOnesAreThere() throws {
        let old = "the old text"
        var offered = 0
        for call in Self.steps.split(separator: ",") where call != "utimensat" && call != "fchmod" {
            for time in 1... {
                let step = "\(call) \(time)"
                let path = scratch.put("file", old)
                let report = try save(path, fault: "\(call):signal=KILL:when=\(time)")
                let found = interrupted(path)
                if let save = found.first {
                    offered += 1
                    #expect(found.count == 1)
                    #expect(holds(save.backupPath.description, old), "\(step)")
                    try save.restore()
                    #expect(holds(path, old), "\(step)")
                } else {
                    #expect(
                        holds(path, old) || holds(path, ChildRoles.much),
                        "\(step): part of both, unreported")
                }
                #expect(Scratch.names(in: backups).allSatisfy { $0.hasSuffix(".backup.ignored") }, "\(step)")
                if report.contains("no error") { break }
                try #require(time < 20)
            }
        }
        #expect(offered > 2)
    }

    @Test func theOldBytesAreOnTheDiskBeforeTheFirstNewOne() throws {
        let path = scratch.put("file", "the old text")
        let log = scratch.file("trace")
        _ = try save(
            path, as: "save much in place",
            wrapper: ["strace", "-f", "-y", "-o", log, "-e", "trace=\(Self.steps)"])
        let trace = String(decoding: contents(log), as: UTF8.self).split(separator: "\n")
        let steps = trace.compactMap { line -> String? in
            guard let call = line.split(separator: "(").first?.split(separator: " ").last,
                line.contains(scratch.path), !line.contains("report-"), !line.contains("child-output")
            else { return nil }
            let subject = line.contains("\(path)>") ? "file" : line.contains("\(backups)>") ? "names" : "backup"
            return "\(call) \(subject)"
        }
        var shown: [String] = []
        for step in steps where shown.last != step { shown.append(step) }
        #expect(
            shown == [
                "pwrite64 backup", "fdatasync backup", "symlink backup", "rename backup", "fsync names",
                "fallocate file",
                "pwrite64 file", "ftruncate file", "fsync file", "unlink backup",
            ], "\(trace.joined(separator: "\n"))")
    }

    /// The inode number of a deleted file is reused for the next file.
    @Test func aFileWithTheNumberOfARemovedOneIsOfferedNoneOfItsText() throws {
        let path = FilePath(scratch.put("removed", "the old text"))
        let stranger = scratch.put("stranger", "nothing of it")
        let file = open(path.cString, O_RDONLY)
        defer { close(file) }
        let backup = try SaveBackup(of: file, status(stranger), at: path, before: FileContents([1]), in: backups)
        backup.release()
        unlink(path.cString)
        #expect(interrupted(stranger).isEmpty)
        #expect(Scratch.names(in: backups).contains { $0.hasSuffix(".backup") }, "it may be wanted yet")
    }

    @Test func aSaveThatEndsWellForgetsTheOneThatFailed() throws {
        let path = FilePath(scratch.put("file", "half"))
        var old = stat()
        stat(path.cString, &old)
        let file = open(path.cString, O_RDWR)
        defer { close(file) }
        let backup = try SaveBackup(of: file, old, at: path, before: FileContents([1]), in: backups)
        // Its owner lives.
        #expect(interrupted(path.text ?? "").isEmpty)
        backup.release()
        #expect(interrupted(path.text ?? "").isEmpty, "the file has what is kept")
        let again = try SaveBackup(of: file, old, at: path, before: FileContents([1]), in: backups)
        again.release()
        _ = scratch.put("file", "HALF")
        #expect(interrupted(path.text ?? "").count == 1)
        // By another name it is the same file.
        link(path.cString, scratch.file("other"))
        #expect(interrupted(scratch.file("other")).count == 1)
        #expect(interrupted(scratch.put("third", "x")).isEmpty)
        _ = try write("whole", path.text ?? "", .inPlace)
        // Of a save before this one, and perhaps of another process: nobody is asked about it, and it stays for some time.
        #expect(interrupted(path.text ?? "").isEmpty)
        let names = Scratch.names(in: backups)
        #expect(!names.isEmpty && names.allSatisfy { $0.hasSuffix(".backup.ignored") }, "\(names)")
    }

    // MARK: Names

    @Test func writingInPlaceFollowsSymbolicLinks() throws {
        let name = String(repeating: "é", count: 127) + "x"
        let path = scratch.put(name, "old")
        link(path, scratch.file("other"))
        symlink(name, scratch.file("link"))
        symlink("link", scratch.file("link to link"))
        _ = try write("new", scratch.file("link to link"), .inPlace)
        #expect(holds(scratch.file("other"), "new"))
        #expect(status(scratch.file("link")).st_mode & S_IFMT == S_IFLNK)
        #expect(throws: TextFileError.wouldLose(path: FilePath(path), names: 2, attributes: [])) {
            try write("x", path)
        }
        symlink("loop", scratch.file("loop"))
        #expect(throws: TextFileError.writeFailed(path: FilePath(scratch.file("loop")), step: "readlink", code: ELOOP))
        {
            try write("x", scratch.file("loop"))
        }
        // A dangling link leads to the file that is to be made.
        symlink("made", scratch.file("dangling"))
        _ = try write("x", scratch.file("dangling"), .inPlace)
        #expect(contents(scratch.file("made")) == [0x78])
    }

    @Test(arguments: [SaveMethod.automatic, .replacing, .inPlace])
    func aFileThatReplacedTheOriginalMeanwhileIsNotWritten(method: SaveMethod) throws {
        let path = scratch.put("file", "old")
        let other = scratch.put("other", "another")
        let name = FilePath(path)
        let expected = FileIdentity(path: name)
        func write() throws(TextFileError) {
            _ = try TextFile.write("new", to: name, expecting: expected, method: method, keepingIn: backups)
        }
        unlink(path)
        mkdir(path, 0o755)
        #expect(throws: TextFileError.isDirectory(path: name)) { try write() }
        rmdir(path)
        symlink("other", path)
        #expect(throws: TextFileError.changedOnDisk(path: name, change: .replaced)) { try write() }
        unlink(path)
        mkfifo(path, 0o600)
        #expect(throws: TextFileError.isNoFileToSave(path: name, kind: "pipe")) { try write() }
        #expect(holds(other, "another"))
    }

    @Test(arguments: ["directory", "link", "pipe"])
    func aFileThatReplacesTheOriginalDuringASaveIsNotWritten(kind: String) throws {
        let path = scratch.put("file", "old")
        let other = scratch.put("other", "another")
        #expect(throws: TextFileError.self) {
            try TextFile.write(
                "new", to: FilePath(path), expecting: FileIdentity(path: FilePath(path)), method: .inPlace,
                keepingIn: backups
            ) { _ in
                rename(path, scratch.file("moved"))
                switch kind {
                case "directory": mkdir(path, 0o755)
                case "link": symlink("other", path)
                default: mkfifo(path, 0o600)
                }
            }
        }
        #expect(holds(other, "another"))
        #expect(holds(scratch.file("moved"), "old"))
        #expect(Scratch.names(in: backups) == [])
    }
}

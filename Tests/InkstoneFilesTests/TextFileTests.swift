import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneFiles

@Suite(.timeLimit(.minutes(5))) struct TextFileTests {
    let scratch = Scratch()

    struct Sample: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var bytes: [UInt8]
        init(_ name: String, _ bytes: [UInt8]) {
            testDescription = name
            self.bytes = bytes
        }
        init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }
    }

    @Test(arguments: [
        Sample("empty", ""), Sample("no last newline", "a\nb"), Sample("CRLF", "a\r\nb\r\n"),
        Sample("mixed newlines", "a\r\nb\nc\rd\u{2028}e\u{85}"), Sample("mark", "\u{feff}a\n"),
        Sample("only a mark", "\u{feff}"), Sample("two marks", "\u{feff}\u{feff}"),
        Sample("Latin-1", [0x66, 0xfc, 0x72, 0x0a]), Sample("every byte", (0...255).map { UInt8($0) }),
        Sample("cut at the end", [0x61, 0xf0, 0x9f, 0x98]), Sample("NUL", [0x61, 0, 0x62]),
        Sample("Shift_JIS", [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x0d, 0x0a]),
    ]) func savingWhatWasReadChangesNoByte(sample: Sample) throws {
        let path = scratch.put("file", sample.bytes)
        let file = try TextFile.read(path)
        #expect(file.isLossless)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == sample.bytes)
        #expect(scratch.names() == ["file"])
    }

    @Test func theMarkIsNoPartOfTheText() throws {
        let file = try TextFile.read(scratch.put("file", "\u{feff}abc"))
        #expect(file.format.hasByteOrderMark)
        #expect(file.text == "abc")
    }

    @Test func invalidBytesAreCountedAndPlaced() throws {
        let file = try TextFile.read(scratch.put("file", [0x61, 0x0a, 0x62, 0xff, 0xe3, 0x81, 0x0a, 0x80]))
        #expect(file.invalidBytes == InvalidBytes(count: 3, firstOffset: 3, firstLine: 2))
        #expect(file.text.description == "a\nb\u{fffd}\u{fffd}\n\u{fffd}")
        #expect(
            file.invalidBytes?.description
                == "Invalid bytes in 3 places, the first in line 2. They are kept.")
    }

    @Test(
        arguments: [
            ("Shift_JIS", [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x0d, 0x0a], "日本語\r\n"),
            ("EUC-JP", [0xc6, 0xfc, 0xcb, 0xdc], "日本"),
            ("GB18030", [0xd6, 0xd0, 0xce, 0xc4], "中文"),
            ("ISO-8859-1", [0x66, 0xfc, 0x72], "für"),
            ("KOI8-R", [0xcd, 0xc9, 0xd2], "мир"),
            ("UTF-16LE", [0xff, 0xfe, 0x61, 0, 0x3d, 0xd8, 0, 0xde], "a😀"),
            ("UTF-16BE", [0, 0x61, 0xd8, 0x3d, 0xde, 0], "a😀"),
            ("ISO-2022-JP", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42, 0x61], "日a"),
        ] as [(String, [UInt8], String)])
    func otherEncodingsAreReadAndWrittenBack(name: String, bytes: [UInt8], text: String) throws {
        let encoding = try #require(TextEncoding(named: name))
        let path = scratch.put("file", bytes)
        let file = try TextFile.read(path, encoding: encoding)
        #expect(file.text.description == text)
        #expect(file.isLossless)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == bytes)
    }

    @Test func aUTF16MarkDeterminesTheEncoding() throws {
        let file = try TextFile.read(scratch.put("file", [0xff, 0xfe, 0x61, 0, 0x0a, 0]))
        #expect(file.format.encoding == .utf16LittleEndian)
        #expect(file.text == "a\n")
        #expect(!file.looksBinary)
    }

    @Test func longFilesInOtherEncodingsAreCutNowhere() throws {
        // Every kind of cut at the reader's piece of 1 MB.
        let text = String(repeating: "日本語 text ", count: 150_000)
        for lead in 0..<3 {
            let whole = String(repeating: "a", count: lead) + text
            let encoding = try #require(TextEncoding(named: "Shift_JIS"))
            let path = scratch.file("file\(lead)")
            let format = TextFileFormat(encoding: encoding)
            try TextFile.write(Rope(whole), to: path, format: format, expecting: nil)
            #expect(contents(path).count == lead + 150_000 * 12)
            let file = try TextFile.read(path, encoding: encoding)
            #expect(file.text.metrics.scalars == lead + 150_000 * 9)
            #expect(file.text == Rope(whole))
        }
    }

    @Test func charactersOutsideTheEncodingAreNamed() throws {
        let path = scratch.put("file", "old")
        let encoding = try #require(TextEncoding(named: "KOI8-R"))
        let identity = FileIdentity(path: path)
        let error = #expect(throws: TextFileError.self) {
            try TextFile.write(
                "one\ntwo €\n", to: path, format: TextFileFormat(encoding: encoding), expecting: identity)
        }
        #expect(error == .inexpressible(path: path, encoding: "KOI8-R", scalar: 0x20ac, line: 2))
        #expect(error?.description.contains("“€” (U+20AC) in line 2") == true)
        #expect(contents(path) == Array("old".utf8))
        #expect(scratch.names() == ["file"])
    }

    @Test func modeAndSymbolicLinksStay() throws {
        let path = scratch.put("file", "old")
        chmod(path, 0o640)
        let link = scratch.file("link")
        symlink("file", link)
        let file = try TextFile.read(link)
        try TextFile.write("new", to: link, expecting: file.identity)
        var status = stat()
        stat(path, &status)
        #expect(status.st_mode & 0o7777 == 0o640)
        #expect(contents(path) == Array("new".utf8))
        lstat(link, &status)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func aNewFileHasTheModeThatAnyNewFileGets() throws {
        try TextFile.write("new", to: scratch.file("ours"), expecting: nil)
        close(open(scratch.file("any"), O_WRONLY | O_CREAT, 0o666))
        var ours = stat()
        stat(scratch.file("ours"), &ours)
        var any = stat()
        stat(scratch.file("any"), &any)
        #expect(ours.st_mode == any.st_mode)
    }

    @Test func theOwnerStaysAndSoDoesTheModeThatAChangeOfOwnerWouldCut() throws {
        guard try NotRun.unless(geteuid() == 0, "only root may give files away") else { return }
        let path = scratch.put("file", "old")
        try #require(chown(path, 1234, 2345) == 0 && chmod(path, 0o6754) == 0)
        try TextFile.write("new", to: path, expecting: FileIdentity(path: path))
        var status = stat()
        stat(path, &status)
        #expect(contents(path) == Array("new".utf8))
        #expect(status.st_uid == 1234 && status.st_gid == 2345)
        #expect(status.st_mode & 0o7777 == 0o6754)
    }

    @Test func aNewFileThroughADanglingLinkIsMadeWhereItPoints() throws {
        let link = scratch.file("link")
        symlink("new", link)
        try TextFile.write("text", to: link, expecting: nil)
        #expect(contents(scratch.file("new")) == Array("text".utf8))
        #expect(scratch.names() == ["link", "new"])
    }

    @Test func aFileWrittenMeanwhileIsNotOverwritten() throws {
        let path = scratch.put("file", "old")
        let file = try TextFile.read(path)
        _ = scratch.put("file", "others")
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .modified)) {
            try TextFile.write("mine", to: path, expecting: file.identity)
        }
        #expect(contents(path) == Array("others".utf8))
        let other = scratch.put("other", "others")
        rename(other, path)
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .replaced)) {
            try TextFile.write("mine", to: path, expecting: file.identity)
        }
        unlink(path)
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .removed)) {
            try TextFile.write("mine", to: path, expecting: file.identity)
        }
        _ = scratch.put("file", "again")
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .created)) {
            try TextFile.write("mine", to: path, expecting: nil)
        }
        try TextFile.write("mine", to: path, expecting: nil, overwriting: true)
        #expect(contents(path) == Array("mine".utf8))
        #expect(scratch.names() == ["file"])
    }

    @Test func twoEditorsOnOneFileNoticeEachOther() throws {
        let path = scratch.put("file", "old")
        let first = try TextFile.read(path)
        let second = try TextFile.read(path)
        let saved = try TextFile.write("first", to: path, expecting: first.identity).identity
        #expect(throws: TextFileError.changedOnDisk(path: path, change: .replaced)) {
            try TextFile.write("second", to: path, expecting: second.identity)
        }
        try TextFile.write("first again", to: path, expecting: saved)
        #expect(contents(path) == Array("first again".utf8))
    }

    @Test func aPathThatIsNoTextFileIsRefusedWithAReason() throws {
        #expect(throws: TextFileError.isDirectory(path: scratch.path)) { try TextFile.read(scratch.path) }
        #expect(throws: TextFileError.notFound(path: scratch.file("none"))) { try TextFile.read(scratch.file("none")) }
        #expect(throws: TextFileError.isSpecial(path: "/dev/null", kind: "device")) { try TextFile.read("/dev/null") }
        let pipe = scratch.file("pipe")
        mkfifo(pipe, 0o600)
        #expect(throws: TextFileError.isSpecial(path: pipe, kind: "pipe")) { try TextFile.read(pipe) }
        #expect(throws: TextFileError.isNoFileToSave(path: FilePath(pipe), kind: "pipe")) {
            try TextFile.write("x", to: pipe, expecting: nil)
        }
        #expect(throws: TextFileError.isDirectory(path: scratch.path)) {
            try TextFile.write("x", to: scratch.path, expecting: nil)
        }
        let refused: [(String, String)] = [
            ("/proc/none", "name in the system’s own /proc"), ("/proc/self/comm", "name in the system’s own /proc"),
            ("/sys/none", "name in the system’s own /sys"), ("/dev/null", "device"),
            ("/dev/none", "name in the system’s own /dev"), ("/dev/fd/none", "name in the system’s own /proc"),
        ]
        for (path, kind) in refused {
            let error = #expect(throws: TextFileError.self) {
                try TextFile.write("x", to: path, expecting: nil, overwriting: true)
            }
            #expect(error == .isNoFileToSave(path: FilePath(path), kind: kind))
        }
        let elsewhere = scratch.file("none/file")
        let error = #expect(throws: TextFileError.self) { try TextFile.write("x", to: elsewhere, expecting: nil) }
        #expect(error == .noDirectory(path: elsewhere, directory: scratch.file("none")))
        #expect(error?.description.contains("there is no folder “\(scratch.file("none"))”. Create it") == true)
    }

    @Test func binaryFilesAreSuspected() throws {
        #expect(try TextFile.read("/bin/true").looksBinary)
        #expect(!(try TextFile.read(scratch.put("text", "plain\ttext\n\u{1b}[0m"))).looksBinary)
    }

    @Test func theCommonestNewlineIsTyped() {
        #expect(Newline(commonestIn: "a\r\nb\r\nc\n") == .crlf)
        #expect(Newline(commonestIn: "a\rb\rc\n") == .cr)
        #expect(Newline(commonestIn: "a\nb\r\n") == .lf)
        #expect(Newline(commonestIn: "") == .lf)
    }

    @Test func newlinesOfSeveralKindsAreMixed() {
        for text: Rope in ["", "a", "a\nb\n", "a\r\nb\r\n", "a\rb\r"] { #expect(!Newline.areMixed(in: text)) }
        for text: Rope in ["a\nb\r\n", "a\r\nb\r", "\r\n\r\r\n"] { #expect(Newline.areMixed(in: text)) }
        let start = String(repeating: "x", count: 65_534) + "\n"
        #expect(!Newline.areMixed(in: Rope(start + "\r\n")), "what is looked at ends within a newline")
        #expect(Newline.areMixed(in: Rope(start + "\rx")) == false)
    }

    struct Advice: CustomTestStringConvertible {
        var code: Int32
        var writing: String
        var reading: String
        var testDescription: String { String(cString: strerror(code)) }

        init(_ code: Int32, _ writing: String, _ reading: String) {
            (self.code, self.writing, self.reading) = (code, writing, reading)
        }
    }

    @Test(arguments: [
        Advice(EACCES, "Ask its owner", "open a copy"), Advice(EPERM, "Ask its owner", "open a copy"),
        Advice(EROFS, "Save to another place", "open a copy"), Advice(ENOSPC, "Free some space", "Free some space"),
        Advice(EDQUOT, "remove files of yours", "remove files of yours"), Advice(EFBIG, "ulimit -f", "split it"),
        Advice(ETXTBSY, "a program that runs", "a program that runs"),
        Advice(EBUSY, "Something else", "Something else"),
        Advice(EIO, "disk or the network", "disk or the network"),
        Advice(ESTALE, "disk or the network", "disk or the network"),
        Advice(ENAMETOOLONG, "a shorter name", "a shorter name"), Advice(ELOOP, "another name", "name the file itself"),
        Advice(EMFILE, "close some windows", "close some windows"),
        Advice(ENOMEM, "close some programs", "close some programs"),
    ]) func adviceIsOfTheErrnoAndTheStep(_ advice: Advice) {
        let saved = TextFileError.failure(writing: "/f", step: "write", code: advice.code, size: 7).description
        #expect(saved.contains(advice.writing) && saved.hasSuffix("."))
        let read = TextFileError.readFailed(path: "/f", code: advice.code).description
        #expect(read.contains(advice.reading) && read.hasSuffix("."))
        // Room helps a full disk and nothing else, and who reads has nothing to save.
        #expect(saved.contains("Free some space") == (advice.code == ENOSPC))
        #expect(advice.code == ENOSPC || advice.code == EDQUOT || !read.contains("save"))
    }

    @Test func anErrorOfAFullDiskNamesNoUnknownSize() {
        #expect(!TextFileError.failure(writing: "/f", step: "open", code: ENOSPC).description.contains("0 bytes"))
    }

    /// In a sentence no name breaks the line, turns what stands around it, or takes all of the window.
    @Test func aNameIsALabel() {
        #expect(FilePath("/a/notes.txt").label == "/a/notes.txt")
        #expect(FilePath("a\nb\u{202e}c").label == "a\\x0Ab\\xE2\\x80\\xAEc")
        #expect(FilePath("שלום.txt").label == "\u{2068}שלום.txt\u{2069}")
        let long = FilePath([UInt8](repeating: UInt8(ascii: "x"), count: 4000) + Array("/end.txt".utf8))
        #expect(long.label.unicodeScalars.count == 120 && long.label.hasSuffix("/end.txt") && long.label.contains("…"))
        let hebrew = FilePath(String(repeating: "א", count: 2000))
        #expect(hebrew.label.unicodeScalars.count == 122 && hebrew.label.hasSuffix("\u{2069}"))
        #expect(FilePath.label("abcdef", limit: 5) == "ab…ef" && FilePath.label("abcde", limit: 5) == "abcde")
        #expect(TextFileError.notFound(path: long).description.count < 300)
    }
}

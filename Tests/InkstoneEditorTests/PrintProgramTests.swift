import Glibc
import InkstoneTesting
import Testing

/// `inkstone print` as others call it, with a stand-in for `lp` that keeps what it is given.
@Suite(.timeLimit(.minutes(5))) struct PrintProgramTests {
    private let directory: OwnedDirectory

    init() throws { directory = try OwnedDirectory() }

    /// Runs the program without a display. Returns its exit status and its output on both streams.
    private func run(
        _ arguments: [String], input: String = "", bytes: [UInt8]? = nil, locale: String = "C.UTF-8",
        path: String? = nil
    ) throws -> (status: InkstoneTesting.ExitStatus, output: String, errors: String) {
        let scratch = directory.path
        try TextFiles.write(bytes ?? Array(input.utf8), to: "\(scratch)/in")
        for name in ["out", "err"] { try TextFiles.write("", to: "\(scratch)/\(name)") }
        var variables = ["PATH": path ?? "/usr/bin:/bin", "LC_ALL": locale, "HOME": scratch, "TMPDIR": scratch]
        for name in ["FONTCONFIG_FILE", "LD_LIBRARY_PATH"] {
            variables[name] = getenv(name).map { String(cString: $0) }
        }
        let process = try ChildProcess(
            Products.path(of: "inkstone"), ["print"] + arguments, environment: variables,
            input: .file("\(scratch)/in"), output: .file("\(scratch)/out"), errors: .file("\(scratch)/err"))
        let status = try process.waitForExit(within: 60_000)
        let output = String(decoding: try TextFiles.bytes("\(scratch)/out"), as: UTF8.self)
        return (status, output, try TextFiles.read("\(scratch)/err"))
    }

    /// Writes a program with this name into a folder of its own, and returns the folder.
    private func program(_ name: String, _ script: String) throws -> String {
        let folder = directory.path + "/bin"
        mkdir(folder, 0o755)
        try TextFiles.write(Array("#!/bin/sh\n\(script)\n".utf8), to: "\(folder)/\(name)", mode: 0o755)
        return folder + ":/usr/bin:/bin"
    }

    @Test func aFileBecomesAPDF() throws {
        let text = directory.path + "/text.txt"
        try TextFiles.write("one\ntwo\n", to: text)
        let outcome = try run(["--pdf", directory.path + "/text.pdf", "--paper", "letter", "--line-numbers", text])
        #expect(outcome.status == .exited(0), "\(outcome.errors)")
        #expect(outcome.output.isEmpty && outcome.errors.isEmpty)
        #expect(try TextFiles.bytes(directory.path + "/text.pdf").starts(with: Array("%PDF-1.".utf8)))
    }

    /// The shell puts a second file name where the name of the PDF file belongs: `inkstone print --pdf *.txt`.
    @Test func textsAreNotReplacedByPDFs() throws {
        let (text, other) = (directory.path + "/a.txt", directory.path + "/b.txt")
        try TextFiles.write("one\n", to: text)
        try TextFiles.write("two\n", to: other)
        symlink(text, directory.path + "/link.pdf")
        for name in [text, directory.path + "/./a.txt", directory.path + "/link.pdf"] {
            let outcome = try run(["--pdf", name, text])
            #expect(outcome.status == .exited(64) && outcome.errors.contains("is to be printed"), "\(outcome)")
        }
        let outcome = try run(["--pdf", other, text])
        #expect(outcome.status == .exited(64) && outcome.errors.contains("is not a PDF"), "\(outcome)")
        #expect(try TextFiles.read(text) == "one\n" && TextFiles.read(other) == "two\n")
        // An older PDF, and an empty file, are replaced.
        let page = directory.path + "/page.pdf"
        try TextFiles.write("", to: page)
        for _ in 0..<2 {
            #expect(try run(["--pdf", page, text]).status == .exited(0))
            #expect(try TextFiles.bytes(page).starts(with: Array("%PDF-1.".utf8)))
        }
    }

    @Test func markdownIsPrintedWithItsPictures() throws {
        let text = directory.path + "/page.md"
        try TextFiles.write("A picture: ![of a thing](a.png)\n", to: text)
        try TextFiles.write(TestImages.png, to: directory.path + "/a.png")
        let outcome = try run(["--rich", "--pdf", directory.path + "/page.pdf", text])
        #expect(outcome.status == .exited(0), "\(outcome.errors)")
        let bytes = try TextFiles.bytes(directory.path + "/page.pdf")
        #expect(String(decoding: bytes, as: UTF8.self).contains("/Subtype /Image"))
    }

    /// Returns the output of a program of poppler for a PDF file in the test's folder.
    private func poppler(_ program: String, _ arguments: String...) throws -> [UInt8] {
        let output = directory.path + "/poppler"
        try TextFiles.write("", to: output)
        let process = try ChildProcess(
            "/usr/bin/" + program, arguments, environment: ["PATH": "/usr/bin:/bin"], output: .file(output))
        #expect(try process.waitForExit(within: 60_000) == .exited(0))
        return try TextFiles.bytes(output)
    }

    /// Tables have their columns and lines, quotations their bar and code its box.
    @Test func markdownIsPrintedWithTheMarksOfItsBlocks() throws {
        let text = directory.path + "/page.md"
        let table = "| Name | Wort | Number |\n|---|---|---:|\n| a longer name | Haus | 12 |\n| b | zwei | 3 |\n"
        try TextFiles.write(table + "\n> quoted\n\n```\ncode\n```\n", to: text)
        let pdf = directory.path + "/page.pdf"
        let outcome = try run(["--rich", "--pdf", pdf, "--no-page-numbers", "--header", "", text])
        #expect(outcome.status == .exited(0), "\(outcome.errors)")
        let words = String(decoding: try poppler("pdftotext", "-bbox", pdf, "-"), as: UTF8.self)
        func place(_ word: String, _ side: String) throws -> Double {
            let line = try #require(words.split(separator: "\n").first { $0.contains(">\(word)<") }, "\(words)")
            let value = line.split(separator: " ").first { $0.hasPrefix(side) }
            return try #require(value.flatMap { Double($0.filter { $0.isNumber || $0 == "." }) })
        }
        #expect(try abs(place("Wort", "xMin") - place("zwei", "xMin")) < 0.1)
        #expect(try abs(place("Number", "xMax") - place("3", "xMax")) < 0.1)
        // One pixel for each point.
        let picture = try poppler("pdftoppm", "-r", "72", "-gray", "-aa", "no", "-aaVector", "no", pdf)
        let fields = picture.split(separator: 0x0a, maxSplits: 3, omittingEmptySubsequences: false)
        try #require(fields.count == 4)
        let size = String(decoding: fields[1], as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        func marks(beside word: String) throws -> [Double] {
            let y = try Int((place(word, "yMin") + place(word, "yMax")) / 2)
            let row = fields[3].dropFirst(y * size[0]).prefix(size[0])
            return row.enumerated().filter { $0.element < 250 }.map { Double($0.offset) }
        }
        #expect(try marks(beside: "code").count > 400)
        let (quoted, first) = (try place("quoted", "xMin"), try marks(beside: "quoted").first)
        #expect(try marks(beside: "quoted").count < 100 && first.map { $0 < quoted - 10 } == true)
        let gap = try place("b", "xMax") + 2...place("zwei", "xMin") - 2
        #expect(try marks(beside: "b").contains(where: gap.contains))
    }

    @Test func standardInputBecomesAPDFOnStandardOutput() throws {
        let outcome = try run(["--pdf", "-"], input: "one\n")
        #expect(outcome.status == .exited(0), "\(outcome.errors)")
        #expect(outcome.output.hasPrefix("%PDF-1."))
    }

    /// Returns a PDF without what differs with the time of a run: its identifier, its date, the programs of its fonts,
    /// which have dates too, and the lengths and offsets that follow from these.
    private func pages(_ output: String) -> [Substring] {
        var isFont = false
        return output.split(separator: "\n").filter { line in
            if line.contains("/Length1 ") { isFont = true }
            defer { if line.hasSuffix("endstream") { isFont = false } }
            let isNumber = line.allSatisfy { $0.isNumber || $0 == " " } || line.hasSuffix(" 00000 n ")
            return !isFont && !isNumber && !line.contains("CreationDate") && !line.contains("/ID")
        }
    }

    @Test func standardInputIsPrintedInTheGivenEncoding() throws {
        let expected = try run(["--pdf", "-"], input: "café\n")
        let outcome = try run(["--encoding", "latin1", "--pdf", "-"], bytes: Array("caf".utf8) + [0xe9, 0x0a])
        #expect(outcome.status == .exited(0) && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(pages(outcome.output) == pages(expected.output))
        // The comparison distinguishes pages with other characters.
        #expect(pages(try run(["--pdf", "-"], input: "cafè\n").output) != pages(expected.output))
    }

    @Test func guessesAndInvalidBytesAreReported() throws {
        let bytes: [UInt8] = [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x0a]
        let text = directory.path + "/a.txt"
        try TextFiles.write(bytes, to: text)
        for (file, name) in [(text, text), ("-", "standard input")] {
            let guessed = try run(["--pdf", "-", file], bytes: bytes, locale: "ru_RU.UTF-8")
            #expect(guessed.status == .exited(0))
            #expect(guessed.errors.contains("windows-1251") && !guessed.errors.contains("�"), "\(guessed.errors)")
            let invalid = try run(["--encoding", "UTF-8", "--pdf", "-", file], bytes: bytes)
            #expect(invalid.status == .exited(0))
            #expect(invalid.errors.hasPrefix("Not all bytes of “\(name)” are UTF-8."), "\(invalid.errors)")
        }
        // The codes of windows-31J for which Shift_JIS has others are text.
        let twofold = try run(["--encoding", "Shift_JIS", "--pdf", "-"], bytes: [0xfa, 0x54, 0x0a])
        #expect(twofold.errors.isEmpty, "\(twofold.errors)")
        let undecodable = try run(["--encoding", "Shift_JIS", "--pdf", "-"], bytes: [0x61, 0xff, 0x0a])
        #expect(undecodable.errors.contains("Shift_JIS"), "\(undecodable.errors)")
    }

    @Test func aPrinterGetsThePagesAndTheirName() throws {
        let kept = directory.path + "/kept"
        let path = try program("lp", "printf '%s|' \"$@\" >'\(kept).words'; cat >'\(kept)'; echo request id is x-1")
        let text = directory.path + "/a; $(touch b).txt"
        try TextFiles.write("one\n", to: text)
        let outcome = try run(["--printer", "office", "--paper", "A5", text], path: path)
        #expect(outcome.status == .exited(0), "\(outcome.errors)")
        #expect(outcome.output == "request id is x-1\n")
        #expect(try TextFiles.bytes(kept).starts(with: Array("%PDF-1.".utf8)))
        #expect(try TextFiles.read(kept + ".words") == "-o|media=A5|-d|office|-t|a; $(touch b).txt|")
        // The pages were passed in a file without a name, so no temporary file is left.
        #expect(!TemporaryDirectory.names(in: directory.path).contains { $0.hasPrefix("inkstone-") || $0 == "b" })
    }

    @Test func theMessageOfARefusingPrinterIsShown() throws {
        let path = try program("lp", "cat >/dev/null; echo 'lp: The printer or class does not exist.' >&2; exit 1")
        let outcome = try run(["--printer", "none"], input: "x", path: path)
        #expect(outcome.status == .exited(1))
        #expect(
            outcome.errors.contains(
                "The printer did not take the pages: lp: The printer or class does not exist."), "\(outcome.errors)")
    }

    @Test func withoutAPrintingSystemAFileIsNamedInstead() throws {
        mkdir(directory.path + "/none", 0o755)
        let outcome = try run([], input: "x", path: directory.path + "/none")
        #expect(outcome.status == .exited(1))
        #expect(outcome.errors.contains("no program “lp”"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["--pdf", "x.pdf", "--printer", "p"], ["--paper", "B9"], ["--margins", "wide"], ["--font", "a:size=9999"],
        ["--pdf", ""], ["--encoding", "none"],
    ]) func optionsThatMeanNothingAreRefused(_ arguments: [String]) throws {
        let outcome = try run(arguments, input: "x")
        #expect(outcome.status != .exited(0))
        #expect(outcome.errors.hasPrefix("Error: "), "\(outcome.errors)")
    }

    @Test func aFailedWriteIsReported() throws {
        let outcome = try run(["--pdf", directory.path + "/none/x.pdf"], input: "x")
        #expect(outcome.status == .exited(1))
        #expect(outcome.errors.contains("could not be written: No such file or directory"), "\(outcome.errors)")
        let cramped = try run(["--pdf", directory.path + "/x.pdf", "--margins", "200mm"], input: "x")
        #expect(cramped.status == .exited(1))
        #expect(cramped.errors.contains("The margins leave no room for text"), "\(cramped.errors)")
        #expect(!TemporaryDirectory.names(in: directory.path).contains("x.pdf"))
    }
}

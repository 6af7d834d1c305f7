import ArgumentParser
import Glibc
import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The meaning of the values of command-line options.
@Suite(.timeLimit(.minutes(5))) struct CommandLineTests {
    struct GeometryCase: CustomTestStringConvertible {
        var text: String
        /// Width, height, x and y.
        var numbers: [Double?]?
        var testDescription: String { text.debugDescription }
    }

    @Test(arguments: [
        GeometryCase(text: "800x600", numbers: [800, 600, nil, nil]),
        GeometryCase(text: "+10+20", numbers: [nil, nil, 10, 20]),
        GeometryCase(text: "1x1+0+0", numbers: [1, 1, 0, 0]),
        GeometryCase(text: "32767x1+32767+0", numbers: [32767, 1, 32767, 0]),
        GeometryCase(text: "", numbers: nil), GeometryCase(text: "800", numbers: nil),
        GeometryCase(text: "800x", numbers: nil), GeometryCase(text: "0x600", numbers: nil),
        GeometryCase(text: "800x0", numbers: nil), GeometryCase(text: "32768x1", numbers: nil),
        GeometryCase(text: "800x600+1", numbers: nil), GeometryCase(text: "800x600+1+2+3", numbers: nil),
        GeometryCase(text: "-1x600", numbers: nil), GeometryCase(text: "800x600-1-1", numbers: nil),
        GeometryCase(text: "８00x600", numbers: nil), GeometryCase(text: "1e3x600", numbers: nil),
    ])
    func geometryIsWhatXProgramsTakeOrNothing(_ example: GeometryCase) {
        let geometry = WindowGeometry(example.text)
        #expect(geometry.map { [$0.width, $0.height, $0.x, $0.y] } == example.numbers)
    }

    @Test func theNumberOfAWindowIsDecimalOrHexadecimal() {
        let expected = WindowID(rawValue: 0x240_0007)
        #expect(WindowID("37748743") == expected && WindowID("0X2400007") == expected)
    }

    @Test func aFileHasANameThatIsNoDirectorys() throws {
        #expect(try EditCommandLine.parse(["notes"]).options.file == "notes")
        #expect(throws: (any Error).self) { try EditCommandLine.parse([""]) }
        #expect(throws: (any Error).self) { try EditCommandLine.parse(["notes/"]) }
    }

    @Test func namesOfFilesAreTheBytesOfTheirWords() throws {
        for bytes: [UInt8] in [
            [0x67, 0x72, 0xfc, 0x6e], [0x61, 0x0a, 0x62], Array("é".utf8), Array("e\u{301}".utf8), [0xff, 0xfe, 0x80],
            Array("\u{10fe80}\u{10ffff}".utf8), [0xf4, 0x8f, 0xb8], Array("\u{301}x".utf8),
        ] {
            let word = CommandWords.text(of: bytes)
            #expect(CommandWords.bytes(of: word) == bytes)
            #expect(EditOptions(plain: [word])?.file == FilePath(bytes))
            let parsed = try EditCommandLine.parse(["--read-only", "--trace=" + word + "t", word, "other"]).options
            #expect(parsed.file == FilePath(bytes) && parsed.trace == FilePath(bytes + Array("t".utf8)))
        }
    }

    @Test func severalFilesAreEditedAtOnce() throws {
        #expect(EditOptions(plain: ["one", "two"]) == nil, "that is for the parser")
        let options = try EditCommandLine.parse(["--goto", "2", "one", "two", "three"]).options
        #expect(options.file == "one" && options.otherFiles == ["two", "three"])
        #expect(throws: (any Error).self) { try EditCommandLine.parse(["one", "two/"]) }
        #expect(throws: (any Error).self) { try EditCommandLine.parse(["one", ""]) }
        #expect(throws: (any Error).self) { try EditCommandLine.parse(["--trace", "two", "one", "two"]) }
    }

    @Test func aDashIsStandardInput() throws {
        let file = try EditCommandLine.parse(["./-"]).options
        #expect(file.file == "./-" && !file.readsInput)
        guard isatty(STDIN_FILENO) == 0 else {
            #expect(throws: (any Error).self) { try EditCommandLine.parse(["-"]) }
            return
        }
        let options = try EditCommandLine.parse(["one", "-", "two"]).options
        #expect(options.readsInput && options.file == nil && options.otherFiles == ["one", "two"])
        #expect(EditOptions(plain: ["-"]) == nil, "that is for the parser")
    }

    @Test func noTraceTakesThePlaceOfTheFileThatIsEdited() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        let file = directory + "/notes"
        try TextFiles.write("kept", to: file)
        symlink(file, directory + "/link")
        for trace in [file, directory + "/link", directory + "/./notes"] {
            #expect(EditOptions(plain: ["--trace", trace, file]) == nil, "\(trace)")
            #expect(throws: (any Error).self, "\(trace)") { try EditCommandLine.parse(["--trace", trace, file]) }
        }
        #expect(try EditCommandLine.parse(["--trace", file + ".trace", file]).options.file == FilePath(file))
        let new = directory + "/new"
        #expect(throws: (any Error).self) { try EditCommandLine.parse(["--trace", new, new]) }
    }

    @Test func targetsAreLinesColumnsAndShares() {
        #expect(GotoTarget("12") == .line(12, column: 1))
        #expect(GotoTarget("12:3") == .line(12, column: 3))
        #expect(GotoTarget("50%") == .percent(50))
        #expect(GotoTarget("12.5%") == .percent(12.5))
        #expect(GotoTarget("١٢:٣") == .line(12, column: 3) && GotoTarget("٥٠٪") == .percent(50))
        for text in ["", "0", "1:0", "-1", "1:2:3", "101%", "-1%", "nan%", "%", "x", "1:", ":1"] {
            #expect(GotoTarget(text) == nil, "\(text.debugDescription)")
        }
    }

    struct PlaceCase: CustomTestStringConvertible {
        var target: String
        var text: String
        var offset: Int
        var testDescription: String { "\(target) in \(text.debugDescription)" }
    }

    @Test(arguments: [
        PlaceCase(target: "2", text: "ab\ncd\n", offset: 3),
        PlaceCase(target: "2:2", text: "ab\ncd\n", offset: 4),
        PlaceCase(target: "1:9", text: "ab\ncd", offset: 2),
        PlaceCase(target: "1:9000000000000000000", text: "ab\ncd", offset: 2),
        PlaceCase(target: "2:9000000000000000000", text: "ab\n", offset: 3),
        PlaceCase(target: "9", text: "ab\r\ncd", offset: 4),
        PlaceCase(target: "1:2", text: "e\u{301}x", offset: 2),
        PlaceCase(target: "1:3", text: "a👍🏽b", offset: 5),
        PlaceCase(target: "0%", text: "abcd", offset: 0),
        PlaceCase(target: "50%", text: "abcd", offset: 2),
        PlaceCase(target: "100%", text: "abcd", offset: 4),
        PlaceCase(target: "50%", text: "👍", offset: 0),
    ])
    func columnsCountClustersAndAllIsClamped(_ example: PlaceCase) throws {
        let target = try #require(GotoTarget(example.target))
        #expect(target.offset(in: Rope(example.text)).value == example.offset)
    }

    @Test func aLineIsReachedWhenTheNextOneHasBegun() throws {
        let target = try #require(GotoTarget("2"))
        #expect(!target.isReached(by: Rope("ab\nc")))
        #expect(target.isReached(by: Rope("ab\nc\n")))
        #expect(try !#require(GotoTarget("1%")).isReached(by: Rope("ab\nc\n")))
        let place = GotoTarget.place(.init(caret: 4, top: 0))
        #expect(!place.isReached(by: Rope("ab\nc")) && place.isReached(by: Rope("ab\nc\n")))
        #expect(place.offset(in: Rope("a👍")) == 3 && place.offset(in: Rope("abc👍")) == 3, "clamped to clusters")
    }

    struct FontCase: CustomTestStringConvertible {
        var pattern: String
        var scale = 1.0
        var family: String
        var size: Double
        var testDescription: String { pattern }
    }

    @Test(arguments: [
        FontCase(pattern: "DejaVu Sans", family: "DejaVu Sans", size: 13),
        FontCase(pattern: "DejaVu Sans", scale: 2, family: "DejaVu Sans", size: 26),
        FontCase(pattern: "DejaVu Sans:size=12", family: "DejaVu Sans", size: 16),
        FontCase(pattern: "DejaVu Sans-12:bold", family: "DejaVu Sans:bold", size: 16),
        FontCase(pattern: "Noto Sans:pixelsize=20:width=75", family: "Noto Sans:width=75", size: 20),
        FontCase(pattern: ":lang=ja:pixelsize=20", scale: 1.5, family: "monospace:lang=ja", size: 30),
        FontCase(pattern: "Foo-Bar", family: "Foo-Bar", size: 13),
    ])
    func fontPatternsGiveFamilyAndPixels(_ example: FontCase) throws {
        let font = try #require(FontDescriptor(pattern: example.pattern, scale: example.scale))
        #expect(font.family == example.family)
        #expect(font.size == example.size)
    }

    @Test(arguments: ["a:size=0", "a:size=-3", "a:size=nan", "a:size=", "a:pixelsize=inf", "a:pixelsize=501"])
    func sizesThatCannotBeShownAreRefused(_ pattern: String) {
        #expect(FontDescriptor(pattern: pattern, scale: 1) == nil)
    }

    @Test func selectionsAreHalfOpenRanges() {
        #expect(SelectionRange(argument: "3..<7")?.offsets == 3..<7)
        #expect(SelectionRange(argument: "0..<0")?.offsets == 0..<0)
        for text in ["7..<3", "-1..<2", "3...7", "3", "", "..<4", "a..<b"] {
            #expect(SelectionRange(argument: text) == nil, "\(text.debugDescription)")
        }
    }

    @Test func impossibleOptionsAreRefusedBeforeAnythingIsOpened() {
        for option in [
            ["--geometry", "0x0"], ["--goto", "0"], ["--encoding", "nonsense"], ["--font", "a:size=0"],
            ["--font", "x:charset=zz"],
            ["--keys", "vi"], ["--embed", "0"], ["--embed", "0x"], ["--embed", "+7"], ["--embed", "4294967296"],
            ["--embed", "window"],
        ] {
            #expect(throws: (any Error).self, "\(option)") { try EditCommandLine.parse(option) }
        }
        #expect(throws: (any Error).self) { try LayoutCommandLine.parse(["--width", "0"]) }
        #expect(throws: Never.self) {
            try EditCommandLine.parse(["--geometry", "640x400+1+2", "--goto", "2:2", "--keys", "emacs", "file"])
        }
        #expect(throws: Never.self) { try EditCommandLine.parse(["--keys", "./vi"]) }
    }

    @Test(arguments: [
        [], ["notes"], ["--goto", "50%", "notes"],
        ["--geometry", "640x400+1+2", "--keys", "emacs", "--font", "Sans:size=9"],
        ["--encoding", "UTF-16LE", "--trace", "trace", "notes"], ["--embed", "0x2400007", "notes"],
    ])
    func aPlainCommandLineMeansTheSameWithoutTheParser(_ arguments: [String]) throws {
        #expect(EditOptions(plain: arguments) == (try EditCommandLine.parse(arguments).options))
    }

    @Test(arguments: [
        ["notes", "--goto", "2"], ["--goto=2", "notes"], ["--goto"], ["--goto", "2", "--goto", "3"], ["--no-wrap"],
        ["--goto", "-1"], ["--help"], ["-"], ["--"], ["a", "b"], [""], ["notes/"], ["--goto", "nowhere"],
        ["--got", "2"],
    ])
    func argumentsThatAreNotPlainAreLeftToTheParser(_ arguments: [String]) {
        #expect(EditOptions(plain: arguments) == nil)
    }
}

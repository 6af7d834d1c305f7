import DisplayTestSupport
import FoundationEssentials
import Glibc
import Inkstone
import InkstoneFiles
import InkstoneTesting
import Testing

/// `inkstone layout` as others call it: the built program, its arguments, what it prints and how it ends.
@Suite(.timeLimit(.minutes(5))) struct LayoutProgramTests {
    /// The exit status of a run, and its output.
    struct Outcome {
        var status: InkstoneTesting.ExitStatus
        var output: String
        var errors: String
    }

    /// The JSON that the program prints, with its documented keys.
    struct Report: Decodable {
        struct Run: Decodable, Equatable {
            var range: [Int]
            var direction: String
            var font: String
            var x: Double
            var width: Double
        }
        struct Line: Decodable, Equatable {
            var range: [Int]
            var frame: [Double]
            var baseline: Double
            var runs: [Run]
        }
        struct Caret: Decodable, Equatable {
            var offset: Int
            var affinity: String
            var rect: [Double]
        }
        struct Selection: Decodable, Equatable {
            var rect: [Double]
            var direction: String
            var containsStart: Bool
            var containsEnd: Bool
        }
        var lines: [Line]
        var carets: [Caret]?
        var selection: [Selection]?
    }

    /// Runs the program with `input` as its standard input. The program has no display unless `environment` names
    /// one.
    private func run(_ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]) throws -> Outcome
    {
        let scratch = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(scratch) }
        try TextFiles.write(input, to: "\(scratch)/in")
        var variables = ProcessInfo.processInfo.environment
        for name in ["DISPLAY", "INKSTONE_SCALE"] { variables[name] = nil }
        variables.merge(environment) { $1 }
        let process = try ChildProcess(
            Products.path(of: "inkstone"), ["layout"] + arguments, environment: variables,
            input: .file("\(scratch)/in"), output: .file("\(scratch)/out"), errors: .file("\(scratch)/err"))
        let status = try process.waitForExit(within: 60_000)
        return Outcome(
            status: status, output: try TextFiles.read("\(scratch)/out"), errors: try TextFiles.read("\(scratch)/err"))
    }

    private func report(
        _ text: String, _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Report { try report(Array(text.utf8), arguments, environment: environment) }

    private func report(
        _ bytes: [UInt8], _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> Report {
        let outcome = try run(arguments, input: bytes, environment: environment)
        try #require(outcome.status == .exited(0), "\(outcome.errors)")
        return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }

    /// Creates a layout as the program's options describe it.
    private func layout(
        _ text: String, width: Double = 800, font: FontDescriptor = .standard(scale: 1),
        direction: BidiBaseDirection = .natural
    ) -> TextLayoutManager {
        var style = ParagraphStyle()
        style.baseDirection = direction
        return TextLayoutManager(
            store: TextStore(Rope(text)), container: TextContainer(width: width), font: font, paragraphStyle: style)
    }

    private static let text = "The word مرحبا بالعالم means hello\nकि 日本語 👩‍👩‍👧‍👦\tend\n\nשלום"

    @Test func thePrintedReportIsTheLayoutsOwn() throws {
        let font = FontDescriptor(family: "DejaVu Sans", size: 20)
        let layout = layout(Self.text, width: 130, font: font, direction: .rightToLeft)
        let outcome = try run(
            [
                "--font", "DejaVu Sans:pixelsize=20", "--width", "130", "--direction", "rtl", "--selection", "4..<30",
                "--carets", "-",
            ], input: Array(Self.text.utf8))
        #expect(outcome.status == .exited(0) && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.output == GeometryReport(layout, selection: 4..<30, carets: true).text)
    }

    /// The report agrees with the layout's own answers, which are asked for one by one.
    @Test func theNumbersAreThoseOfTheLayoutsQuestions() throws {
        let report = try report(Self.text, ["--width", "200", "--selection", "2..<14", "--carets"])
        let layout = layout(Self.text, width: 200)
        var lines: [TextLineFragment] = []
        layout.enumerateTextLayoutFragments(from: nil) {
            lines += $0.textLineFragments
            return true
        }
        #expect(
            report.lines.map(\.range) == lines.map { [$0.utf16Range.lowerBound.value, $0.utf16Range.upperBound.value] })
        #expect(report.lines.map(\.baseline) == lines.map(\.baseline))
        #expect(report.lines.map(\.frame[1]) == lines.map(\.top))
        for (shown, line) in zip(report.lines, lines) {
            // Runs touch from left to right, and lie within the line's range.
            for (run, next) in zip(shown.runs, shown.runs.dropFirst()) { #expect(run.x + run.width == next.x) }
            #expect(Set(shown.runs.flatMap { $0.range[0]..<$0.range[1] }).isSubset(of: shown.range[0]..<shown.range[1]))
            #expect(line.typographicBounds.minX.rounded() == (shown.runs.first?.x ?? shown.frame[0]).rounded())
        }
        for caret in try #require(report.carets) {
            let rect = layout.geometry.caretRect(
                at: UTF16Offset(caret.offset), affinity: caret.affinity == "upstream" ? .upstream : .downstream)
            #expect(caret.rect == [rect.minX, rect.minY, rect.width, rect.height])
        }
        // There is one caret offset for each start of a grapheme cluster, and one for the end of the text.
        #expect(Set(report.carets?.map(\.offset) ?? []).count == Self.text.count + 1)
        let everything = DocumentRect(x: 0, y: 0, width: 1e6, height: 1e6)
        let rects = layout.geometry.selectionRects(for: 2..<14, within: everything)
        #expect(
            report.selection?.map(\.rect) == rects.map { [$0.rect.minX, $0.rect.minY, $0.rect.width, $0.rect.height] })
        #expect(report.selection?.map(\.direction) == rects.map { $0.isRightToLeft ? "rtl" : "ltr" })
        #expect(report.selection?.map(\.containsStart) == rects.map(\.containsStart))
        #expect(report.selection?.map(\.containsEnd) == rects.map(\.containsEnd))
    }

    @Test func optionsSayWhatTheyDo() throws {
        let short = "abc אבג"
        #expect(try report(short).carets == nil && report(short).selection == nil)
        let (natural, right) = (try report(short), try report(short, ["--direction", "rtl"]))
        #expect(natural.lines[0].runs.map(\.direction) == ["ltr", "rtl"] && natural.lines[0].runs[0].x == 0)
        #expect(right.lines[0].runs.first?.direction == "rtl" && right.lines[0].runs.last?.direction == "ltr")
        #expect(right.lines[0].runs.last.map { $0.x + $0.width } == 800)
        #expect(try report("אבג", ["--direction", "ltr"]).lines[0].runs[0].x == 0)
        // A selection is cut off at the end of the text. Half of a surrogate pair selects nothing, or the whole
        // character.
        #expect(try report("ab", ["--selection", "1..<99"]).selection?.count == 1)
        #expect(try report("ab", ["--selection", "7..<99"]).selection?.isEmpty == true)
        #expect(try report("a😀", ["--selection", "2..<3"]).selection?.count ?? 0 <= 1)
        #expect(try report(short, ["--width", "1"]).lines.count > 4)
        #expect(try report(short, ["--width=1000000"]).lines.count == 1)
    }

    @Test func aFileIsReadAsTheEditorReadsIt() throws {
        let scratch = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(scratch) }
        let path = "\(scratch)/-- a file.txt"
        try TextFiles.write("one\r\ntwo", to: path)
        #expect(try report("", [path]).lines.map(\.range) == [[0, 5], [5, 8]])
        // UTF-16 with a byte order mark.
        try TextFiles.write([0xff, 0xfe, 0x61, 0, 0xe9, 0], to: path)
        #expect(try report("", [path]).lines.map(\.range) == [[0, 2]])
    }

    /// The same bytes are read the same from standard input as from a file.
    @Test(
        arguments: [
            [0xef, 0xbb, 0xbf, 0x61, 0xc3, 0xa9, 0x0a, 0x62], [0xff, 0xfe, 0x61, 0, 0xe9, 0, 0x0a, 0],
            [0xfe, 0xff, 0, 0x61, 0xd8, 0x3d, 0xde, 0x00], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xef, 0xbb], [0xff],
            // Only the first byte order mark is removed; the second is text.
            [0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf, 0x61],
        ] as [[UInt8]])
    func standardInputIsReadAsAFileIs(_ bytes: [UInt8]) throws {
        let scratch = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(scratch) }
        try TextFiles.write(bytes, to: "\(scratch)/file")
        let file = try report("", ["--carets", "\(scratch)/file"])
        let piped = try report(bytes, ["--carets", "-"])
        #expect(piped.lines == file.lines && piped.carets == file.carets)
        let length = try TextFile.read("\(scratch)/file").text.utf16Range.upperBound.value
        #expect(piped.carets?.last?.offset == length)
    }

    @Test func theScaleMultipliesFontsAndNothingElse() throws {
        let font = ["--font", "DejaVu Sans:pixelsize=16", "--width", "300"]
        let (one, two) = (try report("ab\ncd", font), try report("ab\ncd", font, environment: ["INKSTONE_SCALE": "2"]))
        #expect(one.lines.map(\.frame[3]) == [19, 19])
        #expect(abs(two.lines[0].frame[3] - 2 * one.lines[0].frame[3]) <= 1)
        let half = try report("ab\ncd", font, environment: ["INKSTONE_SCALE": "1.5"])
        #expect(half.lines == (try report("ab\ncd", ["--font", "DejaVu Sans:pixelsize=24", "--width", "300"])).lines)
        for nonsense in ["", "wide", "-1", "nan", "0"] {
            #expect(
                try report("ab\ncd", font, environment: ["INKSTONE_SCALE": nonsense]).lines == one.lines, "\(nonsense)")
        }
        // A display that cannot be opened is ignored.
        #expect(try report("ab\ncd", font, environment: ["DISPLAY": ":4242"]).lines == one.lines)
    }

    @Test func aMissingFontIsReportedAndReplaced() throws {
        let outcome = try run(["--font", "No Such Family:size=11"], input: Array("ab".utf8))
        #expect(outcome.status == .exited(0) && outcome.errors.contains("No Such Family"))
        #expect(try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8)).lines.count == 1)
    }

    /// For invalid arguments, the program prints only the reason.
    @Test(arguments: [
        ["--width", "0"], ["--width", "-5"], ["--width", "nan"], ["--width", "inf"], ["--width", "wide"], ["--width"],
        ["--width", "1000001"], ["--direction", "up"], ["--direction", ""], ["--selection", "7..<3"],
        ["--selection", "3...7"], ["--selection", "-1..<2"], ["--selection", "99999999999999999999..<3"],
        ["--font", "DejaVu Sans:size=0"], ["--font", "DejaVu Sans:size=nan"], ["--carets=yes"], ["--nonsense"],
        ["one", "two"], ["/nonexistent/file"], ["/"], [""],
    ])
    func impossibleArgumentsAreRefused(_ arguments: [String]) throws {
        let outcome = try run(arguments, input: Array("text".utf8))
        guard case .exited(let code) = outcome.status else {
            Issue.record("\(outcome.status) \(outcome.errors)")
            return
        }
        #expect(code != 0 && outcome.output.isEmpty && outcome.errors.contains("Error"), "\(outcome)")
    }

    struct Odd: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var units: Int
        var lines: Int
        var testDescription: String { name }
    }

    /// Inputs that are not text, or that are degenerate texts.
    @Test(arguments: [
        Odd(name: "nothing", bytes: [], units: 0, lines: 1),
        Odd(name: "a newline", bytes: [0x0a], units: 1, lines: 2),
        Odd(name: "CR, CRLF, LF", bytes: Array("\r\r\n\n".utf8), units: 4, lines: 4),
        Odd(name: "zeros", bytes: [0, 0, 0], units: 3, lines: 1),
        Odd(name: "invalid bytes", bytes: [0x61, 0xff, 0xc3, 0x0a, 0xed, 0xa0, 0x80], units: 7, lines: 2),
        Odd(name: "cut sequence", bytes: [0xf0, 0x9f, 0x98], units: 1, lines: 1),
        Odd(name: "controls", bytes: Array("\u{1}\u{1b}\u{7f}\u{85}\u{2028}\u{202e}".utf8), units: 6, lines: 3),
        Odd(
            name: "noncharacters", bytes: [0xef, 0xbf, 0xbf, 0xef, 0xb7, 0x90, 0xf4, 0x8f, 0xbf, 0xbf], units: 4,
            lines: 1),
        Odd(name: "quotes", bytes: Array("\"\\\"".utf8), units: 3, lines: 1),
        Odd(name: "marks alone", bytes: Array(String(repeating: "\u{301}", count: 300).utf8), units: 300, lines: 1),
    ])
    func oddInputHasAGeometryToo(_ odd: Odd) throws {
        let report = try report(odd.bytes, ["--carets", "--selection", "0..<\(odd.units)", "--width", "100000"])
        #expect(report.lines.map { $0.range[0] }.first == 0)
        #expect(report.lines.map { $0.range[1] }.last == odd.units, "\(report.lines.map(\.range))")
        #expect(report.lines.count == odd.lines, "\(report.lines.map(\.range))")
        for (line, next) in zip(report.lines, report.lines.dropFirst()) {
            #expect(line.range[1] == next.range[0] && line.frame[1] + line.frame[3] == next.frame[1])
        }
        #expect(report.carets?.first?.offset == 0 && report.carets?.last?.offset == odd.units)
    }

    @Test func aReaderThatHasGoneAwayIsAFailureWithoutAWord() throws {
        var variables = ProcessInfo.processInfo.environment
        variables["DISPLAY"] = nil
        let scratch = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(scratch) }
        try TextFiles.write(String(repeating: "some words\n", count: 5000), to: "\(scratch)/text")
        let process = try ChildProcess(
            "/bin/sh",
            [
                "-c", "{ \"$0\" layout \"$1\"; echo $? >\"$1.status\"; } | head -c 1",
                Products.path(of: "inkstone"), "\(scratch)/text",
            ],
            environment: variables, output: .null, errors: .file("\(scratch)/err"))
        #expect(try process.waitForExit(within: 60_000) == .exited(0))
        #expect(try TextFiles.read("\(scratch)/text.status") == "1\n")
        #expect(try TextFiles.read("\(scratch)/err").isEmpty)
    }
}

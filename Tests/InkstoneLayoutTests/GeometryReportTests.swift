import FoundationEssentials
import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

/// The JSON of `inkstone layout`, parsed as documented; other programs rely on these keys.
private struct Report: Decodable {
    struct Run: Decodable {
        var range: [Int]
        var direction: String
        var font: String
        var x: Double
        var width: Double
    }

    struct Line: Decodable {
        var range: [Int]
        var frame: [Double]
        var baseline: Double
        var runs: [Run]
    }

    struct Caret: Decodable {
        var offset: Int
        var affinity: String
        var rect: [Double]
    }

    struct Selection: Decodable {
        var rect: [Double]
        var direction: String
        var containsStart: Bool
        var containsEnd: Bool
    }

    var lines: [Line]
    var carets: [Caret]?
    var selection: [Selection]?
}

@Suite(.timeLimit(.minutes(5))) struct GeometryReportTests {
    private func report(_ text: String, selection: Range<UTF16Offset>? = nil, carets: Bool = false) throws -> Report {
        let json = GeometryReport(makeLayout(text), selection: selection, carets: carets).text
        return try JSONDecoder().decode(Report.self, from: Data(json.utf8))
    }

    @Test func everyNameIsThereAndAgreesWithTheLayout() throws {
        let text = "abc אבג\n\"quoted\\\" \u{1}\tdef"
        let layout = makeLayout(text)
        let report = try report(text, selection: 2..<6, carets: true)
        #expect(
            report.lines.map(\.range)
                == layout.allLines.map { [$0.utf16Range.lowerBound.value, $0.utf16Range.upperBound.value] })
        for (line, known) in zip(report.lines, layout.allLines) {
            let box = known.typographicBounds
            #expect(line.frame == [box.minX, box.minY, box.width, box.height])
            #expect(line.baseline == known.baseline)
            #expect(line.runs.reduce(0) { $0 + $1.width }.rounded(.up) == box.width)
            #expect(line.runs.allSatisfy { !$0.font.isEmpty && $0.range.count == 2 })
        }
        #expect(report.lines[0].runs.map(\.direction) == ["ltr", "rtl"])
        let carets = try #require(report.carets)
        #expect(Set(carets.map(\.offset)) == Set(0...text.utf16.count))
        for caret in carets {
            let rect = layout.geometry.caretRect(
                at: UTF16Offset(caret.offset), affinity: caret.affinity == "upstream" ? .upstream : .downstream)
            #expect(caret.rect == [rect.minX, rect.minY, rect.width, rect.height])
        }
        // Both caret positions where directions meet.
        #expect(carets.filter { $0.offset == 4 }.map(\.affinity) == ["upstream", "downstream"])
        let selection = try #require(report.selection)
        #expect(selection.map(\.direction) == ["ltr", "rtl"])
        #expect(selection.map(\.containsStart) == [true, false] && selection.map(\.containsEnd) == [false, true])
    }

    /// Carets are at the text's grapheme boundaries, even where long paragraphs are split into segments.
    @Test func aCaretStandsAtEveryGraphemeBoundary() throws {
        let long = String(repeating: "नि👍🏽e\u{301}\u{1f1e9}\u{1f1ea}a", count: 500)
        let text = Samples.document + "\r\n" + long + "\r" + String(repeating: "x", count: 5000) + "\r\n"
        let layout = makeLayout(text)
        var boundaries: [Int] = [0]
        while boundaries[boundaries.count - 1] < layout.length.value {
            boundaries.append(
                layout.store.text.graphemeBoundary(after: UTF16Offset(boundaries[boundaries.count - 1])).value)
        }
        let json = GeometryReport(layout, carets: true).text
        let carets = try JSONDecoder().decode(Report.self, from: Data(json.utf8)).carets ?? []
        #expect(carets.filter { $0.affinity == "downstream" }.map(\.offset) == boundaries)
    }

    @Test func unrequestedPartsAreLeftOut() throws {
        let report = try report("")
        #expect(report.lines.map(\.range) == [[0, 0]] && report.carets == nil && report.selection == nil)
    }
}

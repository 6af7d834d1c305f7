import Inkstone
import Testing

@testable import inkstone_editor

/// The parts of the status line, and the counts that they show.
@Suite(.timeLimit(.minutes(5))) struct StatusPartTests {
    private func row(_ width: Double) -> StatusRow<Double> {
        StatusRow(
            left: [(.file, 40), (.position, 60)], right: [(.lineEnds, 20), (.encoding, 30), (.inputMethod, 50)],
            in: 5..<5 + width, gap: 10, width: { $0 })
    }

    @Test func partsForWhichThereIsNoRoomAreLeftOut() {
        func spans(_ width: Double) -> [StatusPart: Range<Double>] {
            Dictionary(uniqueKeysWithValues: row(width).places.map { ($0.part, $0.span) })
        }
        #expect(
            spans(400) == [
                .file: 5..<45, .position: 55..<115, .lineEnds: 285..<305, .encoding: 315..<345, .inputMethod: 355..<405,
            ])
        #expect(spans(240).count == 5 && spans(239)[.lineEnds] == nil)
        #expect(Set(spans(200).keys) == [.file, .position, .inputMethod])
        #expect(Set(spans(20).keys) == [.file, .position], "the first ones are cut, not left out")
    }

    @Test func aMessageStandsBesideThePartsThatItLeavesRoomFor() {
        func parts(_ message: String?, keepsParts: Bool = true, width: Double = 400) -> [StatusPart] {
            var content = StatusLine.Content()
            content.left = [.init(part: .file, text: "file"), .init(part: .position, text: "Line 1, Column 1")]
            content.right = [.init(part: .lineEnds, text: "LF"), .init(part: .encoding, text: "UTF-8")]
            (content.message, content.keepsParts) = (message, keepsParts)
            let row = StatusRow<Double>(
                content, messageWidth: Double(10 * (message?.count ?? 0)), in: 0..<width, gap: 10,
                label: { Double(5 * $0.text.count) }, width: { $0 })
            for (place, next) in zip(row.places, row.places.dropFirst()) { #expect(place.span.upperBound < next.x) }
            if message != nil { #expect(row.places.allSatisfy { $0.x > Double(10 * (message?.count ?? 0)) }) }
            return row.places.map(\.part)
        }
        #expect(parts(nil) == [.file, .position, .lineEnds, .encoding])
        #expect(parts("Saved file") == [.position, .lineEnds, .encoding])
        #expect(parts("Saved file", width: 160) == [.lineEnds, .encoding])
        #expect(parts("Saved file", width: 90).isEmpty)
        #expect(parts("Save changes?", keepsParts: false).isEmpty, "a question has the strip for itself")
    }

    /// The hint about a part must not push out the part under the pointer.
    @Test func wordsAboutAPartStandBesideIt() {
        func parts(_ hinted: StatusPart?, width: Double) -> [StatusPart] {
            var content = StatusLine.Content()
            content.left = [.init(part: .file, text: "file"), .init(part: .position, text: "Line 1, Column 1")]
            content.right = [.init(part: .lineEnds, text: "LF"), .init(part: .encoding, text: "UTF-8")]
            content.hint = .init(part: hinted, text: "Words about it")
            return StatusRow<Double>(
                content, messageWidth: 0, in: 0..<width, gap: 10, label: { Double(5 * $0.text.count) }, width: { $0 }
            ).places.map(\.part)
        }
        let all: [StatusPart] = [.file, .position, .lineEnds, .encoding]
        #expect(parts(.encoding, width: 300) == [.file, .position, .hint, .lineEnds, .encoding])
        #expect(parts(.encoding, width: 235) == [.file, .position, .hint, .encoding], "another part makes room")
        #expect(parts(.lineEnds, width: 235) == all && parts(.position, width: 180) == all)
        #expect(parts(nil, width: 300).contains(.hint) && StatusPart.allCases.allSatisfy { $0.hint != "" })
    }

    @Test func aPartIsFoundAtItsPlace() {
        let row = row(400)
        #expect(row.part(at: 5)?.part == .file && row.part(at: 45) == nil && row.part(at: 48, slack: 5)?.part == .file)
        #expect(row.part(at: 404)?.part == .inputMethod && row.part(at: 200) == nil && row[.zoom] == nil)
    }

    @Test func selectionsAndCaretsAreCounted() throws {
        func words(_ selection: Selection, _ text: String) -> String {
            SelectionExtent(of: selection, in: Rope(text)).description
        }
        #expect(words(Selection(anchor: 0, head: 1), "a") == "1 character selected")
        #expect(words(Selection(anchor: 6, head: 0), "e\u{301}👍🏽") == "2 characters selected", "as people count")
        let carets = try #require(Selection([SelectionRange(caret: 0), SelectionRange(caret: 2)]))
        #expect(words(carets, "abc") == "2 carets")
        let both = try #require(Selection([SelectionRange(caret: 0), SelectionRange(anchor: 1, head: 3)]))
        #expect(words(both, "abc") == "2 carets, 2 characters selected")
        let long = String(repeating: "👍", count: 5000)
        #expect(words(Selection(anchor: 0, head: 10_000), long) == "\(Words.grouped(5000)) characters selected")
    }

    @Test func aStripIsTurnedOverForLanguagesFromTheRight() {
        let strip = WindowRect(x: 10, y: 5, width: 100, height: 20)
        let part = WindowRect(x: 15, y: 8, width: 30, height: 10)
        let mirrored = part.mirrored(in: strip, if: true)
        #expect(mirrored == WindowRect(x: 75, y: 8, width: 30, height: 10))
        #expect(mirrored.mirrored(in: strip, if: true) == part)
        #expect(part.mirrored(in: strip, if: false) == part)
    }
}

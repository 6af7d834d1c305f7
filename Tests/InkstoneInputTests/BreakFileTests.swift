import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneTesting
import InkstoneText
import Testing

/// All cases of Unicode's break test files (package `unicode-data`) through the default tokenizer: each line as a
/// text of its own, and all lines as one document. Differences are listed below with their reasons.
@Suite(.timeLimit(.minutes(5))) struct BreakFileTests {
    struct File: Sendable, CustomTestStringConvertible {
        var name: String
        var unit: TextGranularity
        var testDescription: String { name }
    }

    static let files = [
        File(name: "GraphemeBreakTest", unit: .character), File(name: "WordBreakTest", unit: .word),
        File(name: "SentenceBreakTest", unit: .sentence),
    ]

    /// Expected differences by the line's scalars: tailorings of ICU's rules, and deviations that the contract
    /// requires.
    static let differences: [(unit: TextGranularity, reason: String, lines: Set<String>)] = [
        (
            .word, "ICU leaves the colon out of MidLetter, as CLDR does: \"a:b\" is two words",
            [
                "0061 003A 0041", "0061 003A 0308 0041", "0061 003A 05D0", "0061 003A 0308 05D0",
                "0061 003A 0061 2060", "0061 003A 0308 0061 2060", "0061 003A 0061 003A", "0061 003A 0308 0061 003A",
                "0061 003A 0061 0027", "0061 003A 0308 0061 0027", "0061 003A 0061 0027 2060",
                "0061 003A 0308 0061 0027 2060", "0061 003A 0061 002C", "0061 003A 0308 0061 002C", "0041 003A 0041",
            ]
        ), (.word, "ICU counts underscores alone as a word if there are two or more", ["005F 005F", "005F 0308 005F"]),
        (
            .word, "ICU counts no letter that a joiner ties to a pictograph as a word",
            ["0061 200D 1F6D1", "0061 200D 2701"]
        ),
    ]

    @Test(arguments: files) func eachLineBreaksAsTheFileSays(file: File) throws {
        let lines = try BreakLine.read(file.name)
        #expect(lines.count > 500)
        var unexplained: [String] = []
        var explained: Set<String> = []
        for line in lines {
            let view = ReferenceTextView(line.text, columns: 100)
            let found = Walk(view, 0..<line.text.utf16.count, file.unit)
            compare(found, line, line.units(file.unit), file.unit, &unexplained, &explained)
        }
        report(file, explained, unexplained)
    }

    @Test(arguments: files) func allLinesBreakTheSameInOneDocument(file: File) throws {
        let lines = try BreakLine.read(file.name)
        // A paragraph separator keeps lines apart, even after CR. It belongs to the sentence before it, or is a
        // sentence of its own after another separator.
        let text = lines.map { $0.text + "\u{2029}" }.joined()
        let view = ReferenceTextView(text, columns: 1 << 20)
        var unexplained: [String] = []
        var explained: Set<String> = []
        var start = 0
        for line in lines {
            let end = start + line.text.utf16.count
            var expected = line.units(file.unit).map { ($0.lowerBound + start)..<($0.upperBound + start) }
            if file.unit == .sentence {
                let endsItself = line.text.unicodeScalars.last.map {
                    "\n\r\u{85}\u{2028}\u{2029}".unicodeScalars.contains($0)
                }
                if endsItself ?? true {
                    expected.append(end..<(end + 1))
                } else if let last = expected.popLast() {
                    expected.append(last.lowerBound..<(end + 1))
                }
            }
            let found = Walk(view, start..<(file.unit == .sentence ? end + 1 : end), file.unit)
            compare(found, line, expected, file.unit, &unexplained, &explained)
            start = end + 1
        }
        report(file, explained, unexplained)
    }

    private func compare(
        _ found: Walk, _ line: BreakLine, _ expected: [Range<Int>], _ unit: TextGranularity,
        _ unexplained: inout [String], _ explained: inout Set<String>
    ) {
        if found.forward == expected, found.backward == expected { return }
        if Self.differences.contains(where: { $0.unit == unit && $0.lines.contains(line.scalars) }) {
            explained.insert(line.scalars)
        } else {
            unexplained.append("\(line.scalars): \(found.forward), back \(found.backward), expected \(expected)")
        }
    }

    private func report(_ file: File, _ explained: Set<String>, _ unexplained: [String]) {
        let listed = Self.differences.filter { $0.unit == file.unit }.reduce(into: Set()) { $0.formUnion($1.lines) }
        #expect(explained == listed, "a listed difference is none any more: \(listed.subtracting(explained))")
        #expect(unexplained.isEmpty, "\(unexplained.count):\n\(unexplained.prefix(60).joined(separator: "\n"))")
    }

    /// The units found by moving from one boundary to the next, forward and back.
    private struct Walk {
        var forward: [Range<Int>] = []
        var backward: [Range<Int>] = []

        init(_ view: ReferenceTextView, _ range: Range<Int>, _ unit: TextGranularity) {
            let tokenizer = view.tokenizer
            func position(_ offset: Int) -> TextPosition { view.content.store.position(at: UTF16Offset(offset)) }
            func offset(_ position: TextPosition) -> Int { view.content.offset(of: position).value }
            func unitAt(_ position: TextPosition, _ side: TextDirection) -> Range<Int>? {
                tokenizer.rangeEnclosingPosition(position, with: unit, inDirection: side)
                    .map { offset($0.start)..<offset($0.end) }
            }
            var at = range.lowerBound
            while at < range.upperBound,
                let next = tokenizer.position(from: position(at), toBoundary: unit, inDirection: .forward),
                offset(next) <= range.upperBound
            {
                if let found = unitAt(next, .backward) { forward.append(found) }
                at = offset(next)
            }
            at = range.upperBound
            while at > range.lowerBound,
                let next = tokenizer.position(from: position(at), toBoundary: unit, inDirection: .backward),
                offset(next) >= range.lowerBound
            {
                if let found = unitAt(next, .forward) { backward.append(found) }
                at = offset(next)
            }
            backward.reverse()
        }
    }
}

extension BreakLine {
    /// The ranges that count as units: only words with a letter, a digit or an underscore between such.
    fileprivate func units(_ unit: TextGranularity) -> [Range<Int>] {
        let units = Array(text.utf16)
        return zip(boundaries, boundaries.dropFirst()).map { $0..<$1 }.filter { range in
            unit != .word
                || String(decoding: units[range], as: UTF16.self).unicodeScalars.contains(where: Self.isOfWord)
        }
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
    }
}

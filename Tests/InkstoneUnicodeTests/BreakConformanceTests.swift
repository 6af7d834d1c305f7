import InkstoneTesting
import Testing

@testable import InkstoneUnicode

/// Unicode's own break files (package `unicode-data`), run whole. What differs is named below, with the reason.
@Suite(.timeLimit(.minutes(5))) struct BreakConformanceTests {
    /// A file, and how many of its lines differ for a reason.
    struct File: Sendable, CustomTestStringConvertible {
        var name: String
        var kind: TextBreaker.Kind
        var testDescription: String { name }
    }

    static let files = [
        File(name: "GraphemeBreakTest", kind: .grapheme), File(name: "WordBreakTest", kind: .word),
        File(name: "LineBreakTest", kind: .line), File(name: "SentenceBreakTest", kind: .sentence),
    ]

    @Test(arguments: files) func unicodesOwnFileHolds(file: File) throws {
        let lines = try BreakLine.read(file.name)
        #expect(lines.count > 500)
        let breaker = TextBreaker(file.kind)
        let version = try BreakLine.version(of: file.name)
        let differences = Difference.all.filter { $0.kind == file.kind && $0.applies(to: version) }
        var unexplained: [String] = []
        var explained: [String: Int] = [:]
        for line in lines {
            breaker.setText(line.text)
            let found = breaker.boundaries().filter { $0 > 0 || line.boundaries.first == 0 }
            // The other direction has to agree with the first, whatever the file says.
            var backwards = [breaker.length]
            while let last = backwards.last, let before = breaker.preceding(last) { backwards.append(before) }
            #expect(breaker.boundaries() == Array(backwards.reversed()), "\(line.source)")
            if found == line.boundaries { continue }
            if let reason = differences.first(where: { $0.explains(line, found) }) {
                explained[reason.name, default: 0] += 1
            } else {
                unexplained.append("\(line.source)\n   found \(found), expected \(line.boundaries)")
            }
        }
        let listed = differences.reduce(0) { $0 + $1.lines.count }
        #expect(explained.values.reduce(0, +) == listed, "a listed difference is none any more")
        print("\(file.name): \(lines.count) lines, differences \(explained)")
        #expect(unexplained.isEmpty, "\(unexplained.joined(separator: "\n"))")
    }
}

/// A difference from Unicode's file that is meant: ICU tailors the rules there.
struct Difference: Sendable {
    var kind: TextBreaker.Kind
    var name: String
    /// The lines of the file that it explains, as scalars.
    var lines: Set<String>
    /// The version of Unicode that the difference came with: it is there if ICU is of that one or a later one and the file is not. Nil for
    /// one that is always there.
    var version: Double?

    func applies(to fileVersion: Double) -> Bool {
        guard let version else { return true }
        return fileVersion < version && Self.knownVersion >= version
    }

    /// The version of Unicode that ICU's data is at least of, of those that ask here. U+1C89 is a letter since 16.0.
    private static let knownVersion: Double = {
        let words = TextBreaker(.word)
        words.setText("\u{1c89}\u{1c89}")
        return words.boundaries().count == 2 ? 16 : 0
    }()

    func explains(_ line: BreakLine, _ found: [Int]) -> Bool { lines.contains(line.scalars) }

    static let all = [
        // ICU leaves the colon out of MidLetter, as CLDR does: "a:b" is two words in all languages but Swedish.
        Difference(
            kind: .word, name: "colon between letters",
            lines: [
                "0061 003A 0041", "0061 003A 0308 0041", "0061 003A 05D0", "0061 003A 0308 05D0",
                "0061 003A 0061 2060", "0061 003A 0308 0061 2060", "0061 003A 0061 003A", "0061 003A 0308 0061 003A",
                "0061 003A 0061 0027", "0061 003A 0308 0061 0027", "0061 003A 0061 0027 2060",
                "0061 003A 0308 0061 0027 2060", "0061 003A 0061 002C", "0061 003A 0308 0061 002C", "0041 003A 0041",
            ]),
        // ICU takes LB25's regular expression for numbers as a whole, where the file has the simple pairs.
        Difference(
            kind: .line, name: "numbers by LB25's regular expression",
            lines: [
                "002C 0030", "002C 0308 0030",
                "0065 0071 0075 0061 006C 0073 0020 002E 0033 0035 0020 0063 0065 006E 0074 0073",
                "0061 002E 0032 0020", "0061 002E 0032 0020 0915", "0061 002E 0032 0020 672C",
                "0061 002E 0032 3000 672C", "0061 002E 0032 3000 307E", "0061 002E 0032 3000 0033",
                "0041 002E 0031 0020 BABB", "BD24 C5B4 002E 0020 0041 002E 0032 0020 BCFC",
                "BD10 C694 002E 0020 0041 002E 0033 0020 BABB", "C694 002E 0020 0041 002E 0034 0020 BABB",
                "0061 002E 0032 3000 300C",
            ]),
        // ICU gives no break between a hyphen that starts the text and a letter or symbol (LB20a of later versions).
        Difference(
            kind: .line, name: "hyphen at the start",
            lines: [
                "002D 0023", "002D 0308 0023", "002D 00A7", "002D 0308 00A7", "002D 50005", "002D 0308 50005",
                "002D 0E01", "002D 0308 0E01",
            ]),
        // 16.0 has Balinese digits among the letters of Brahmic scripts (LB28a), and breaks between Hebrew words that a hyphen joins (LB21a).
        Difference(
            kind: .line, name: "changed in Unicode 16.0",
            lines: [
                "11003 1B50", "11003 0308 1B50", "1B50 0025", "1B50 0308 0025", "1B50 1BF2", "1B50 0308 1BF2",
                "1B50 1B44", "1B50 0308 1B44", "0024 1B50", "0024 0308 1B50", "05D0 002D 05D0",
            ], version: 16),
    ]
}

import Glibc
import InkstoneBase
import InkstoneUnicode
import Testing

/// Lines of one of Unicode's files, from the package `unicode-data`.
private func unicodeLines(_ name: String) throws -> [Substring] {
    let path = "/usr/share/unicode/" + name
    guard let file = fopen(path, "r") else { throw MissingFile(path: path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while case let n = fread(&buffer, 1, buffer.count, file), n > 0 { bytes += buffer[..<n] }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: true)
}

private struct MissingFile: Error {
    var path: String
}

@Suite(.timeLimit(.minutes(5))) struct BidiConformanceTests {
    /// Each line: scalars; direction; base level; levels, x for what rule X9 removes; visual order.
    @Test func bidiCharacterTestHoldsWhole() throws {
        var cases = 0
        var failures: [String] = []
        for line in try unicodeLines("BidiCharacterTest.txt") where !line.hasPrefix("#") {
            let fields = line.split(separator: ";", omittingEmptySubsequences: false)
            guard fields.count == 5 else { continue }
            let scalars = fields[0].split(separator: " ").map { UInt32($0, radix: 16)! }
            let direction: BidiBaseDirection =
                fields[1] == "0" ? .leftToRight : fields[1] == "1" ? .rightToLeft : .natural
            var units: [UInt16] = []
            var starts: [Int] = []
            for scalar in scalars {
                starts.append(units.count)
                units += Array(String(Unicode.Scalar(scalar)!).utf16)
            }
            let bidi = BidiParagraph(units, baseDirection: direction)
            let expected = fields[3].split(separator: " ")
            let levels = starts.map { String(bidi.level(at: $0)) }
            var kept: [Int] = []
            var agrees = String(bidi.baseLevel) == fields[2]
            for (i, want) in expected.enumerated() where want != "x" {
                kept.append(i)
                if levels[i] != want { agrees = false }
            }
            let order = BidiParagraph.visualOrder(of: kept.map { bidi.level(at: starts[$0]) }).map { kept[$0] }
            if order.map(String.init).joined(separator: " ") != fields[4] { agrees = false }
            if !agrees { failures.append(String(line)) }
            cases += 1
        }
        #expect(cases > 91_000)
        #expect(failures.isEmpty, "\(failures.count): \(failures.prefix(3))")
    }

    /// FriBidi 1.0.8 reads freed memory for half of such texts: <https://github.com/fribidi/fribidi/commit/9e78abb>.
    @Test func randomIsolatesAndEmbeddingsAreResolved() {
        let pool: [UInt16] = [
            0x61, 0x20, 0x31, 0x5d0, 0x627, 0x28, 0x29, 0x2066, 0x2067, 0x2068, 0x2069, 0x2069, 0x202a, 0x202b, 0x202c,
            0x202e, 0x2d,
        ]
        var state: UInt64 = 22
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for _ in 0..<40 {
            let text = (0..<3000).map { _ in pool[random(pool.count)] }
            let bidi = BidiParagraph(text, baseDirection: .natural)
            #expect(bidi.levels.count == text.count && bidi.levels.allSatisfy { $0 <= 127 })
        }
    }

    /// Classes in each line stand for characters of these classes; a mask says which base directions to try.
    @Test func bidiTestHoldsWhole() throws {
        // A character of each class that the file names.
        let samples: [Substring: UInt16] = [
            "L": 0x61, "R": 0x5d0, "EN": 0x30, "ES": 0x2b, "ET": 0x23, "AN": 0x660, "CS": 0x2c, "B": 0x2029, "S": 0x09,
            "WS": 0x20, "ON": 0x21, "LRE": 0x202a, "LRO": 0x202d, "AL": 0x627, "RLE": 0x202b, "RLO": 0x202e,
            "PDF": 0x202c, "NSM": 0x300, "BN": 0xad, "FSI": 0x2068, "LRI": 0x2066, "RLI": 0x2067, "PDI": 0x2069,
        ]
        var expected: [Substring] = []
        var cases = 0
        var failures: [String] = []
        for line in try unicodeLines("BidiTest.txt") where !line.hasPrefix("#") {
            if line.hasPrefix("@Levels:") {
                expected = line.dropFirst(8).split(whereSeparator: \.isWhitespace)
                continue
            }
            if line.hasPrefix("@") { continue }
            let fields = line.split(separator: ";")
            guard fields.count == 2, let mask = Int(fields[1].filter { !$0.isWhitespace }) else { continue }
            let units = fields[0].split(separator: " ").map { samples[$0]! }
            for (bit, direction) in [(1, BidiBaseDirection.natural), (2, .leftToRight), (4, .rightToLeft)]
            where mask & bit != 0 {
                let bidi = BidiParagraph(units, baseDirection: direction)
                cases += 1
                for (i, want) in expected.enumerated() where want != "x" {
                    if String(bidi.level(at: i)) != want {
                        failures.append(
                            "\(fields[0]) \(direction): \(units.indices.map { bidi.level(at: $0) }) \(expected)")
                        break
                    }
                }
            }
        }
        #expect(cases > 770_000)
        #expect(failures.isEmpty, "\(failures.count): \(failures)")
    }
}

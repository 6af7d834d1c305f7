import InkstoneTesting
import Testing

@testable import InkstoneUnicode

/// Conversion in pieces of any length gives what conversion of the whole gives, in every encoding that can be asked for.
@Suite(.timeLimit(.minutes(5))) struct TextConverterTests {
    /// The output of a converter: UTF-16 text, with markers for invalid bytes.
    enum Piece: Equatable {
        case text([UInt16])
        case invalid([UInt8])
    }

    private static func decode(
        _ bytes: [UInt8], _ name: String, outputLength: Int, cuts: (inout SeededGenerator) -> Int,
        _ random: inout SeededGenerator
    ) -> [Piece] {
        guard let converter = TextConverter(name: name, pieceLength: outputLength) else { return [] }
        var pieces: [Piece] = []
        var at = 0
        repeat {
            let end = min(bytes.count, at + cuts(&random))
            bytes[at..<end].withUnsafeBytes { part in
                converter.decode(part, isLast: end == bytes.count) { units in
                    // Pieces of text are put together, unless a pair were cut: that is the one thing they may not do.
                    if case .text(let last) = pieces.last {
                        if let high = last.last, high & 0xfc00 == 0xd800, units[0] & 0xfc00 == 0xdc00 {
                            Issue.record("\(name): a pair is divided")
                        }
                        pieces[pieces.count - 1] = .text(last + units)
                    } else {
                        pieces.append(.text(Array(units)))
                    }
                } invalid: {
                    pieces.append(.invalid(Array($0)))
                }
            }
            at = end
        } while at < bytes.count
        return pieces
    }

    private static func encode(
        _ units: [UInt16], _ name: String, outputLength: Int, cuts: (inout SeededGenerator) -> Int,
        _ random: inout SeededGenerator
    ) throws -> [UInt8] {
        let converter = try #require(TextConverter(name: name, pieceLength: outputLength))
        var bytes: [UInt8] = []
        var at = 0
        repeat {
            let end = min(units.count, at + cuts(&random))
            try units[at..<end].withUnsafeBufferPointer { part in
                try converter.encode(part, isLast: end == units.count) { bytes += $0 }
            }
            at = end
        } while at < units.count
        return bytes
    }

    private static func whole(_ random: inout SeededGenerator) -> Int { 1 << 30 }
    private static func short(_ random: inout SeededGenerator) -> Int { Int.random(in: 1...9, using: &random) }

    private static let candidates: [Unicode.Scalar] =
        Array("a Z~\\\n\t0é ßЖλא日本語한ก。😀𝒳𠀋\u{2028}\u{ffff}\u{10ffff}か\u{309a}ᄀ€".unicodeScalars)

    /// Encodings that choose among several codes for a text by looking ahead as far as the piece goes.
    private static let looksAhead: Set<String> = ["SCSU", "LMBCS-1"]
    /// Encodings for which ICU claims to encode some scalars that it then omits or changes: a save has to check the result.
    private static let losesScalars: Set<String> = ["x11-compound-text", "LMBCS-1"]
    /// Encodings in which ICU reports other bytes as invalid if the input is divided into other pieces.
    private static let dividesNoise: Set<String> = ["BOCU-1", "LMBCS-1", "x11-compound-text"]

    /// The candidates that an encoding has.
    private static func expressible(_ name: String) -> [Unicode.Scalar] {
        candidates.filter { scalar in
            var random = SeededGenerator(seed: 0)
            let units = Array(String(Character(scalar)).utf16)
            return (try? encode(units, name, outputLength: 8192, cuts: whole, &random)) != nil
        }
    }

    @Test(arguments: TextEncoding.all.map(\.icuName)) func piecesOfAnyLengthGiveTheSame(name: String) throws {
        var random = SeededGenerator(seed: 2026)
        let scalars = Self.expressible(name)
        try #require(!scalars.isEmpty)
        for _ in 0..<8 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...60, using: &random) {
                text.append(scalars.randomElement(using: &random) ?? "a")
            }
            let units = Array(String(text).utf16)
            let bytes = try Self.encode(units, name, outputLength: 8192, cuts: Self.whole, &random)
            let length = Int.random(in: 2...9, using: &random)
            let encoded = try Self.encode(units, name, outputLength: length, cuts: Self.short, &random)
            if !Self.looksAhead.contains(name) { #expect(encoded == bytes) }
            for bytes in [bytes, encoded] {
                let decoded = Self.decode(bytes, name, outputLength: 8192, cuts: Self.whole, &random)
                if !Self.losesScalars.contains(name) { #expect(decoded == [.text(units)]) }
                #expect(Self.decode(bytes, name, outputLength: length, cuts: Self.short, &random) == decoded)
            }

            guard !Self.dividesNoise.contains(name) else { continue }
            // What is no text in it: noise, and text with noise in it.
            var noise = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            noise.insert(contentsOf: bytes.prefix(20), at: noise.count / 2)
            #expect(
                Self.decode(noise, name, outputLength: length, cuts: Self.short, &random)
                    == Self.decode(noise, name, outputLength: 8192, cuts: Self.whole, &random))
        }
    }

    @Test func allKnownEncodingsAreOffered() {
        let names = TextEncoding.all.map(\.icuName)
        #expect(Set(names).count == names.count && names.count > 200)
        #expect(Set(names).isSuperset(of: ["UTF-8", "UTF-16LE", "ISO-8859-1", "UTF-7", "SCSU"]))
        // ICU calls it gb18030 up to version 73, and by the standard's year from then on.
        #expect(TextEncoding(named: "GB18030").map { names.contains($0.icuName) } == true)
    }

    @Test func aScalarThatCannotBeExpressedIsFoundAcrossACut() throws {
        let converter = try #require(TextConverter(name: "ISO-8859-1"))
        try withUnsafePointer(to: UInt16(0xd83d)) {
            try converter.encode(UnsafeBufferPointer(start: $0, count: 1), isLast: false) { _ in }
        }
        #expect(throws: TextConverter.Failure.inexpressible(0x1f600, at: 0)) {
            try withUnsafePointer(to: UInt16(0xde00)) {
                try converter.encode(UnsafeBufferPointer(start: $0, count: 1), isLast: true) { _ in }
            }
        }
    }
}

import Glibc
import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Files in encodings other than UTF-8: saving writes the same bytes as were read, or reports that it would not.
@Suite(.timeLimit(.minutes(5))) struct EncodingFileTests {
    let scratch = Scratch()

    /// Long enough for surrogate pairs to cross the boundaries of all pieces.
    static let longText = "a" + String(repeating: "😀", count: 5_000) + "\n"

    /// Invalid bytes are held back until valid text follows; this must be linear even if the whole file is invalid.
    @Test func decodingBytesThatAreNoTextTakesTimeInProportionToThem() throws {
        let encoding = try #require(TextEncoding(named: "GB18030"))
        /// Returns the processor time for so many bytes passed one by one, in milliseconds.
        func cost(_ count: Int) -> Double {
            let (start, byte) = (LargeText.processorTime, [0xff as UInt8])
            var (decoder, text) = (TextDecoder(encoding), [UInt8]())
            for _ in 0..<count { byte.withUnsafeBytes { decoder.decode($0, isLast: false, into: &text) } }
            #expect(text.isEmpty)
            decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, into: &text)
            #expect(text.count == count)
            return LargeText.processorTime - start
        }
        let (small, large) = (cost(40_000), cost(400_000))
        #expect(large < 25 * small, "\(small) ms, and \(large) ms for ten times as many bytes")
    }

    @Test(arguments: ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE", "GB18030", "UTF-7", "SCSU", "BOCU-1", "CESU-8"])
    func aCharacterAcrossTwoPiecesStays(name: String) throws {
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: name)))
        let path = scratch.file("file")
        try TextFile.write(Rope(Self.longText), to: path, format: format, expecting: nil)
        let bytes = contents(path)
        let file = try TextFile.read(path, encoding: format.encoding)
        #expect(file.isLossless)
        #expect(file.text == Rope(Self.longText))
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == bytes)
    }

    @Test func aSurrogateByItselfIsKeptAndShown() throws {
        // "a", a high surrogate without its pair, "b", a low one, "c".
        let bytes: [UInt8] = [0x61, 0, 0x3d, 0xd8, 0x62, 0, 0, 0xde, 0x63, 0]
        let path = scratch.put("file", bytes)
        let file = try TextFile.read(path, encoding: .utf16LittleEndian)
        #expect(file.isLossless)
        #expect(file.text.description.filter { $0 != "\u{fffd}" } == "abc")
        #expect(file.invalidBytes?.firstOffset == 1)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == bytes)
    }

    struct Unsafe: Sendable {
        var encoding: String
        var bytes: [UInt8]
    }

    /// Bytes that are invalid in UTF-8 cannot be written in encodings with units of two or four bytes, nor where
    /// bytes change the meaning of later ones: they would damage the text after them.
    @Test(arguments: [
        Unsafe(encoding: "UTF-16LE", bytes: [0xff]), Unsafe(encoding: "UTF-16BE", bytes: [0xff, 0xfe]),
        Unsafe(encoding: "UTF-16BE", bytes: [0xed, 0xa0]), Unsafe(encoding: "UTF-32LE", bytes: [0x80]),
        Unsafe(encoding: "SCSU", bytes: [0xff]), Unsafe(encoding: "Shift_JIS", bytes: [0x93]),
    ]) func bytesThatWouldShiftWhatFollowsAreNotWritten(example: Unsafe) throws {
        let path = scratch.put("file", "old")
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: example.encoding)))
        let text = Rope(bytes: Array("one\nt".utf8) + example.bytes + Array("two\n".utf8))
        let error = #expect(throws: TextFileError.self) {
            try TextFile.write(text, to: path, format: format, expecting: FileIdentity(path: path))
        }
        #expect(error == .invalidBytes(path: path, encoding: example.encoding, line: 2))
        #expect(contents(path) == Array("old".utf8))
        #expect(scratch.names() == ["file"])
    }

    @Test func textThatWouldBeReadDifferentlyIsNotSaved() throws {
        // ICU's converter omits the emoji and reports success.
        let path = scratch.put("file", "old")
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: "x11-compound-text")))
        #expect(throws: TextFileError.writeFailed(path: path, step: "encoding", code: EILSEQ)) {
            try TextFile.write("one 😀 two", to: path, format: format, expecting: FileIdentity(path: path))
        }
        #expect(contents(path) == Array("old".utf8))
        try TextFile.write("one é two", to: path, format: format, expecting: FileIdentity(path: path))
        #expect(try TextFile.read(path, encoding: format.encoding).text == "one é two")
    }

    @Test(arguments: ["ISO-8859-1", "windows-1252", "EUC-JP", "GB18030", "CESU-8", "UTF-7"])
    func bytesThatShiftNothingAreWrittenAsTheyAre(name: String) throws {
        let path = scratch.file("file")
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: name)))
        try TextFile.write(
            Rope(bytes: Array("one\nt".utf8) + [0xff] + Array("\ntwo\n".utf8)), to: path, format: format,
            expecting: nil)
        #expect(contents(path) == Array("one\nt".utf8) + [0xff] + Array("\ntwo\n".utf8))
    }

    @Test(
        arguments: [
            // A lead byte at the end of a line, one at the end of the file, a character that has no meaning.
            ("Shift_JIS", [0x93, 0xfa, 0x93, 0x0a, 0x61, 0x93]), ("EUC-JP", [0xc6, 0xfc, 0xff, 0x61, 0xc6]),
            ("GB18030", [0xd6, 0xd0, 0xff, 0x61, 0x81]), ("Big5", [0xa4, 0xa4, 0xa4, 0x20, 0x61, 0x0a]),
            ("EUC-KR", [0xb0, 0xa1, 0x61, 0x0a, 0xb0]),
        ] as [(String, [UInt8])])
    func bytesThatTheEncodingDoesNotKnowStayAsTheyAre(name: String, bytes: [UInt8]) throws {
        let path = scratch.put("file", bytes)
        let encoding = try #require(TextEncoding(named: name))
        let file = try TextFile.read(path, encoding: encoding)
        #expect(file.isLossless)
        #expect(file.invalidBytes != nil)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == bytes)
    }

    @Test(
        arguments: [
            // Bytes that are a character of UTF-8 together; half a unit; two codes of one character (both are U+FFE2).
            ("EUC-JP", [0x61, 0xff, 0x8f, 0x0a]), ("UTF-16LE", [0x61, 0, 0x62]),
            ("Shift_JIS", [0x81, 0xca, 0xee, 0xf9]),
            // An escape to where the text is already.
            ("ISO-2022-JP", [0x1b, 0x28, 0x42, 0x61]),
        ] as [(String, [UInt8])])
    func losslessMeansThatSavingGivesTheSameBytes(name: String, bytes: [UInt8]) throws {
        let path = scratch.put("file", bytes)
        let encoding = try #require(TextEncoding(named: name))
        let file = try TextFile.read(path, encoding: encoding)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(file.isLossless == (contents(path) == bytes))
    }

    @Test(
        arguments: [[0xff, 0xfe, 0x61, 0, 0x0a, 0], [0xfe, 0xff, 0, 0x61, 0, 0x0a], [0, 0x61, 0, 0x0a]] as [[UInt8]])
    func utf16WithoutAByteOrderTakesTheFilesOwn(bytes: [UInt8]) throws {
        let path = scratch.put("file", bytes)
        let encoding = try #require(TextEncoding(named: "UTF-16"))
        let file = try TextFile.read(path, encoding: encoding)
        #expect(file.text == "a\n")
        #expect(file.isLossless)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == bytes)
    }

    /// Whatever is in a file: if it is said to be lossless it is, and what is saved otherwise reads as what was shown.
    @Test(arguments: TextEncoding.all)
    func randomFilesKeepTheirBytesOrAreReportedAsLossy(encoding: TextEncoding) throws {
        var random = SeededGenerator(seed: 12)
        for round in 0..<6 {
            var bytes: [UInt8] = []
            if let text = try? Self.encode(Rope("a中б\nはé\r\n"), encoding) { bytes = text }
            // Not in the first round: noise.
            for _ in 0..<(round == 0 ? 0 : 1 + random.below(12)) {
                bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count + 1))
            }
            var builder = RopeBuilder()
            let decoder = bytes.withUnsafeBytes { TextFileDecoder(start: $0, encoding: encoding) }
            var at = 0
            while at < bytes.count {
                let end = min(bytes.count, at + 4 + random.below(9))
                bytes[at..<end].withUnsafeBytes { decoder.append($0, to: &builder) }
                at = end
            }
            decoder.finish(&builder)
            let text = builder.finish()
            guard decoder.isLossless else { continue }
            let mark = decoder.format.hasByteOrderMark ? decoder.format.encoding.byteOrderMark : []
            #expect(try mark + Self.encode(text, decoder.format.encoding) == bytes)
        }
    }

    private static func encode(_ text: Rope, _ encoding: TextEncoding) throws -> [UInt8] {
        guard encoding != .utf8 else { return text.bytes(in: text.byteRange) }
        var encoder = TextFileEncoder(text, encoding, path: "file")
        var bytes: [UInt8] = []
        try text.forEachChunk(in: text.byteRange) { chunk, _ throws(TextFileError) in
            bytes += try encoder.encode(chunk)
        }
        return try bytes + encoder.finish()
    }
}

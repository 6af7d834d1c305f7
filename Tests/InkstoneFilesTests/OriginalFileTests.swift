import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneFiles

/// Bytes that an encoding would not reproduce survive a save on unchanged lines.
@Suite(.timeLimit(.minutes(5))) struct OriginalFileTests {
    let scratch = Scratch()

    /// Reads a file, changes its text, saves it, and returns its bytes.
    private func bytes(
        _ name: String, of bytes: [UInt8], replacing old: String = "", with new: String = ""
    ) throws -> [UInt8] {
        let path = scratch.put("file", bytes)
        let encoding = try #require(TextEncoding(named: name))
        let file = try TextFile.read(path, encoding: encoding)
        let text = file.text.bytes(in: file.text.byteRange)
        let start = ByteOffset(try #require((0...text.count).first { text[$0...].starts(with: old.utf8) }))
        var changed = file.text
        changed.replace(start..<start + old.utf8.count, with: Rope(new))
        try TextFile.write(
            changed, to: FilePath(path), format: file.format, expecting: file.identity,
            keeping: OriginalFile(path: FilePath(path), text: file.text, format: file.format))
        return contents(path)
    }

    struct Example: Sendable {
        var name: String
        var bytes: [UInt8]
        var expected: [UInt8]
    }

    /// Replaces the line `one` by `new`; all other bytes stay.
    @Test(arguments: [
        // Two codes of one character; a byte that is none and would be a character of UTF-8 with the next.
        Example(name: "Shift_JIS", bytes: [0x81, 0xca, 0xee, 0xf9, 0x0a], expected: [0x81, 0xca, 0xee, 0xf9, 0x0a]),
        Example(name: "EUC-JP", bytes: [0xff, 0x8f, 0x0d, 0x0a], expected: [0xff, 0x8f, 0x0d, 0x0a]),
        // Escapes that change nothing.
        Example(name: "ISO-2022-JP", bytes: [0x1b, 0x28, 0x42, 0x61, 0x0a], expected: [0x1b, 0x28, 0x42, 0x61, 0x0a]),
    ]) func whatIsNotChangedKeepsItsBytes(example: Example) throws {
        let (one, new) = (Array("one\n".utf8), Array("new\n".utf8))
        #expect(
            try bytes(example.name, of: example.bytes + one, replacing: "one", with: "new") == example.expected + new)
        #expect(
            try bytes(example.name, of: one + example.bytes, replacing: "one", with: "new") == new + example.expected)
    }

    @Test func halfAUnitAtTheEndStays() throws {
        let text: [UInt8] = [0x61, 0, 0x0a, 0, 0x0a, 0x0a, 0x0a, 0, 0x62]
        #expect(try bytes("UTF-16LE", of: text, replacing: "a", with: "xy") == [0x78, 0, 0x79, 0] + text.dropFirst(2))
        let marked: [UInt8] = [0xfe, 0xff, 0, 0x61, 0, 0x0a, 0x0a]
        #expect(try bytes("UTF-16BE", of: marked, replacing: "a", with: "b") == [0xfe, 0xff, 0, 0x62, 0, 0x0a, 0x0a])
    }

    @Test func aLineThatLosesBytesIsNamed() throws {
        let text: [UInt8] = [0x0a, 0x61, 0xee, 0xf9, 0x0a, 0x62]
        #expect(
            throws: TextFileError.bytesWouldChange(path: FilePath(scratch.file("file")), encoding: "Shift_JIS", line: 2)
        ) {
            _ = try bytes("Shift_JIS", of: text, replacing: "a", with: "x")
        }
        #expect(contents(scratch.file("file")) == text)
        #expect(try bytes("Shift_JIS", of: text, replacing: "b", with: "か") == text.dropLast() + [0x82, 0xa9])
    }

    @Test func linesThatComeBeforeAndBehindOthersChangeNothingOfThem() throws {
        let line: [UInt8] = [0xee, 0xf9, 0x0a]
        #expect(try bytes("Shift_JIS", of: line + line, with: "か\n\n") == [0x82, 0xa9, 0x0a, 0x0a] + line + line)
        #expect(
            try bytes("Shift_JIS", of: line + [0x61, 0x0a] + line, replacing: "a\n", with: "a\nb\n")
                == line + [0x61, 0x0a, 0x62, 0x0a] + line)
        #expect(
            try bytes("Shift_JIS", of: line + [0x61, 0x0a] + line, replacing: "a\n", with: "") == line + line)
    }

    @Test func aCharacterOutsideTheEncodingIsNamedWithItsLine() throws {
        let path = FilePath(scratch.file("file"))
        #expect(throws: TextFileError.inexpressible(path: path, encoding: "Shift_JIS", scalar: 0x1f600, line: 2)) {
            _ = try bytes("Shift_JIS", of: [0xee, 0xf9, 0x0a, 0x61, 0x62], replacing: "b", with: "😀")
        }
    }

    /// Whatever bytes there are, in whatever encoding.
    @Test(arguments: TextEncoding.all + TextEncoding.standard)
    func openingAndSavingGivesTheSameBytes(encoding: TextEncoding) throws {
        var random = SeededGenerator(seed: 22)
        for round in 0..<8 {
            var noise = (0..<random.below(60)).map { _ in UInt8(random.below(256)) }
            for _ in 0..<random.below(4) {
                noise.insert(
                    contentsOf: [[0x0a], [0x0d, 0x0a], [0x0a, 0], [0x1b, 0x24, 0x42], [0xff, 0xfe]][random.below(5)],
                    at: random.below(noise.count + 1))
            }
            let path = scratch.put("file", noise)
            let file = try TextFile.read(path, encoding: encoding)
            let original = OriginalFile(path: FilePath(path), text: file.text, format: file.format)
            try TextFile.write(
                file.text, to: FilePath(path), format: file.format, expecting: file.identity,
                keeping: file.isLossless ? nil : original)
            #expect(contents(path) == noise, "round \(round)")

            // With an additional line, the other bytes stay, or the save is refused and the file is unchanged.
            var longer = file.text
            longer.replace(longer.byteRange.upperBound..<longer.byteRange.upperBound, with: "x")
            do {
                try TextFile.write(
                    longer, to: FilePath(path), format: file.format, expecting: FileIdentity(path: path),
                    keeping: file.isLossless ? nil : original)
                #expect(try TextFile.read(path, encoding: encoding).text == longer, "round \(round)")
            } catch {
                #expect(contents(path) == noise, "round \(round)")
            }
        }
    }
}

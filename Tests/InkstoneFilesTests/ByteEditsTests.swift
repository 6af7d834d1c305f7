import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing

@testable import InkstoneFiles

/// Edits of a text that was read in the wrong encoding are applied to the text in the right one.
@Suite(.timeLimit(.minutes(5))) struct ByteEditsTests {
    let scratch = Scratch()

    struct Example: Sendable {
        var bytes: [UInt8]
        var wrong: String
        var right: String
        /// A text in the wrong decoding, and its replacement.
        var edits: [(old: String, new: String)]
        var expected: String
        var lost = 0
    }

    @Test(arguments: [
        // “привет, мир” in windows-1251, read as KOI8-R: an insertion, a replacement, a removal.
        Example(
            bytes: [0xef, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0, 0x0d, 0x0a, 0xe5, 0xf2],
            wrong: "KOI8-R",
            right: "windows-1251", edits: [("ОПХБЕР", "Здравствуй"), (" ЛХП", " да ЛХП"), ("\nЕР", "\n")],
            expected: "Здравствуй, да мир\r\n"),
        // “日本” in EUC-JP read as windows-1252: the end of a character corresponds to an offset, its inside does
        // not.
        Example(
            bytes: [0xc6, 0xfc, 0xcb, 0xdc, 0x0a], wrong: "windows-1252", right: "EUC-JP", edits: [("\n", "!\n")],
            expected: "日本!\n"),
        Example(
            bytes: [0xc6, 0xfc, 0xcb, 0xdc, 0x0a], wrong: "windows-1252", right: "EUC-JP",
            edits: [("ü", "üx"), ("Ü", "yÜ")],
            expected: "日x本\n", lost: 1),
        // UTF-8 read as windows-1252, and the reverse.
        Example(
            bytes: Array("é à\n".utf8), wrong: "windows-1252", right: "UTF-8", edits: [("Ã©", "Ã©x")],
            expected: "éx à\n"),
        Example(
            bytes: [0x63, 0x61, 0x66, 0xe9, 0x73, 0x0a], wrong: "UTF-8", right: "windows-1252", edits: [("s", "sx")],
            expected: "cafésx\n"),
        Example(
            bytes: [0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42, 0x0a, 0x61], wrong: "windows-1252",
            right: "ISO-2022-JP",
            edits: [("a", "ab")], expected: "あ\nab"),
    ]) func editsStayBetweenTheSameBytes(example: Example) throws {
        let path = scratch.put("file", example.bytes)
        let wrong = try #require(TextEncoding(named: example.wrong))
        let right = try #require(TextEncoding(named: example.right))
        let (old, new) = (try TextFile.read(path, encoding: wrong), try TextFile.read(path, encoding: right))
        var builder = TextChangeSet.Builder(over: old.text)
        let bytes = old.text.bytes(in: old.text.byteRange)
        for edit in example.edits {
            let wanted = Array(edit.old.utf8)
            let start = try #require((0..<bytes.count).first { bytes[$0...].starts(with: wanted) })
            // Common prefixes and suffixes are no part of the edit.
            let (gone, come) = (Array(edit.old.unicodeScalars), Array(edit.new.unicodeScalars))
            let before = zip(gone, come).prefix { $0 == $1 }.count
            let after = zip(gone.dropFirst(before).reversed(), come.dropFirst(before).reversed()).prefix { $0 == $1 }
                .count
            func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
                String(String.UnicodeScalarView(scalars))
            }
            let low = start + text(gone[..<before]).utf8.count
            let high = start + wanted.count - text(gone[(gone.count - after)...]).utf8.count
            builder.replace(
                ByteOffset(low)..<ByteOffset(high), with: Rope(text(come[before..<(come.count - after)])))
        }
        let edits = try ByteEdits(builder.finish(), in: FilePath(path), from: old.format, to: new.format, new.text)
        var text = new.text
        text.apply(edits.changes)
        #expect(text == Rope(example.expected))
        #expect(edits.lostCount == example.lost)
    }

    /// For any bytes and encodings, edits at the start and at the end can be mapped.
    @Test func theEndsOfATextAreTheSameInAllEncodings() throws {
        var random = SeededGenerator(seed: 5)
        for encoding in TextEncoding.standard
        where encoding.codeUnit == nil && !["UTF-16", "ISO-2022-JP"].contains(encoding.name) {
            let path = scratch.put("file", (0..<random.below(50)).map { _ in UInt8(random.below(256)) })
            let (old, new) = (try TextFile.read(path), try TextFile.read(path, encoding: encoding))
            guard old.format == .utf8 else { continue }
            var builder = TextChangeSet.Builder(over: old.text)
            builder.replace(ByteOffset(0)..<ByteOffset(0), with: "<")
            builder.replace(old.text.byteRange.upperBound..<old.text.byteRange.upperBound, with: ">")
            let edits = try ByteEdits(builder.finish(), in: FilePath(path), from: old.format, to: new.format, new.text)
            #expect(edits.lostCount == 0, "\(encoding)")
        }
    }

    /// An omitted edit may contain text of the file in the wrong encoding.
    @Test func omittedEditsCountAsLost() throws {
        let path = scratch.put("file", [0xe4, 0x20, 0xe4, 0x0a])
        let (wrong, right) = (
            try #require(TextEncoding(named: "KOI8-R")), try #require(TextEncoding(named: "windows-1252"))
        )
        let (old, new) = (try TextFile.read(path, encoding: wrong), try TextFile.read(path, encoding: right))
        var builder = TextChangeSet.Builder(over: old.text)
        builder.replace(ByteOffset(0)..<ByteOffset(2), with: old.text.slice(ByteOffset(0)..<ByteOffset(2)))
        builder.replace(old.text.byteRange.upperBound..<old.text.byteRange.upperBound, with: "x")
        let edits = try ByteEdits(
            builder.finish(), omitting: [0], in: FilePath(path), from: old.format, to: new.format, new.text)
        var text = new.text
        text.apply(edits.changes)
        #expect(edits.lostCount == 1 && text == "ä ä\nx")
    }
}

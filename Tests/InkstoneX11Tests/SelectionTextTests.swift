import Testing

@testable import InkstoneX11

/// Decoding text from other programs, and encoding Inkstone's, byte by byte.
@Suite(.timeLimit(.minutes(5))) struct SelectionTextTests {
    struct Reading: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: SelectionText.Kind
        var bytes: [UInt8]
        var text: String
        init(_ description: String, _ kind: SelectionText.Kind, _ bytes: [UInt8], _ text: String) {
            (testDescription, self.kind, self.bytes, self.text) = (description, kind, bytes, text)
        }
    }

    @Test(arguments: [
        Reading("UTF-8 as it is", .utf8, Array("a\r\nb\r\n".utf8), "a\r\nb\r\n"),
        Reading("one NUL goes", .utf8, Array("ab\0".utf8), "ab"),
        Reading("and so do several", .utf8, Array("ab\0\0\0".utf8), "ab"),
        Reading("a NUL within parts two texts", .utf8, Array("a\0b\0\0".utf8), "a\nb"),
        Reading("also in STRING", .eightBit, [0xe4, 0, 0x62, 0], "ä\nb"),
        Reading("also in MIME's text", .mimeUTF8, Array("a\0b\0".utf8), "a\nb"),
        Reading("also in long COMPOUND_TEXT", .longCompound, [0x61, 0, 0x62, 0, 0], "a\nb"),
        Reading("nothing but NULs", .utf8, [0, 0], ""),
        Reading("GTK 3 writes CR LF into MIME's text", .mimeUTF8, Array("a\r\nb\r\n".utf8), "a\nb\n"),
        Reading("a text with both was meant so", .mimeUTF8, Array("a\r\nb\n".utf8), "a\r\nb\n"),
        Reading("a CR alone too", .mimeUTF8, Array("a\rb\r\n".utf8), "a\rb\r\n"),
        Reading("a CR at the end too", .mimeUTF8, Array("a\r\nb\r".utf8), "a\r\nb\r"),
        Reading("no line end", .mimeUTF8, Array("ab".utf8), "ab"),
        Reading("MIME's text without an encoding", .mimeEightBit, [0x67, 0xfc, 0x0d, 0x0a], "gü\n"),
        Reading("STRING is Latin-1", .eightBit, [0x47, 0x72, 0xf6, 0xdf, 0x65], "Größe"),
        Reading("xsel's STRING is UTF-8", .eightBit, Array("Größe 日".utf8), "Größe 日"),
        Reading("STRING keeps CR LF", .eightBit, [0x61, 0x0d, 0x0a], "a\r\n"),
        Reading("damaged UTF-8 is repaired", .utf8, [0x61, 0xff, 0x62], "a\u{fffd}b"),
        Reading("nothing", .eightBit, [], ""),
    ])
    func textIsReadByItsType(_ reading: Reading) throws {
        let text = try SelectionText.decode(reading.bytes, as: reading.kind).get().text
        #expect(Array(text.utf8) == Array(reading.text.utf8), "\(text.debugDescription)")
    }

    /// Replacement characters that stand in the text already are not counted as replaced bytes.
    @Test(
        arguments: [
            ([0x61, 0xff, 0x62], 1), ([0x61, 0xff, 0xfe, 0x62], 2), (Array("a\u{fffd}b".utf8), 0),
            (Array("a\u{fffd}".utf8) + [0xff], 1), ([0xe6, 0x97, 0x61], 1), ([0xf0, 0xef, 0xbf, 0xbd], 1), ([], 0),
        ] as [([UInt8], Int)]) func bytesThatAreNoTextAreCounted(_ bytes: [UInt8], _ count: Int) throws
    {
        #expect(try SelectionText.decode(bytes, as: .utf8).get().replaced == count)
        #expect(try SelectionText.decode(bytes + Array("\r\n".utf8), as: .mimeUTF8).get().replaced == count)
        #expect(try SelectionText.decode(bytes, as: .eightBit).get().replaced == 0)
    }

    @Test func anotherEncodingIsBetterIfItHasNotLessOfTheText() throws {
        let damaged = SelectionText.Decoded(repairing: [0x3f, 0x67, 0xfc])
        #expect(SelectionText.Decoded("?gü").isBetter(than: damaged))
        #expect(!SelectionText.Decoded("??g").isBetter(than: damaged), "what Latin-1 does not have")
        #expect(!SelectionText.Decoded("").isBetter(than: damaged))
        #expect(!SelectionText.Decoded("?g\u{fffd}", replaced: 1).isBetter(than: damaged))
        let bytes = Array("日本".utf8) + [0xff]
        let sameBytes = try SelectionText.decode(bytes, as: .eightBit).get()
        #expect(!sameBytes.isBetter(than: SelectionText.Decoded(repairing: bytes)), "each byte as a character")
    }

    @Test func charactersOutsideLatin1BecomeQuestionMarks() {
        let text = Array("Größe 日😀".utf8)
        #expect(SelectionText.latin1(text, replacing: true) == [0x47, 0x72, 0xf6, 0xdf, 0x65, 0x20, 0x3f, 0x3f])
        #expect(SelectionText.latin1(text, replacing: false) == nil)
        #expect(SelectionText.latin1(Array("é".utf8), replacing: false) == [0xe9])
    }

    // MARK: Items

    @Test func partsOfBytesAreClamped() {
        let bytes = PasteboardItem.Bytes(utf8: "Größe")
        #expect(bytes.count == 7)
        #expect(bytes[0..<3] == Array("Gr".utf8) + [0xc3])
        #expect(bytes[5..<100] == [0x9f, 0x65])
        #expect(bytes[9..<12] == [] && bytes.all == Array("Größe".utf8))
    }

    @Test func typesAreMadeWhenTheyAreAskedFor() {
        var made: [String] = []
        var item = PasteboardItem()
        item.add("text/html") {
            made.append("html")
            return .init([1])
        }
        item.addText {
            made.append("text")
            return .init(utf8: "t")
        }
        #expect(made.isEmpty && item.representations.map(\.kind) == [.data("text/html"), .text])
        #expect(item.text == "t" && made == ["text"])
        #expect(item.bytes(of: "text/html")?.all == [1] && item.bytes(of: "image/png") == nil)
        #expect(made == ["text", "html"])
    }

    // MARK: Properties for answers

    @Test func anAbandonedPropertyIsNotReusedSoon() {
        var slots = SelectionSlots()
        #expect(slots.take(at: 0) == 0)
        #expect(slots.take(at: 0) == 1)
        slots.giveBack(0, isQuiet: true, at: 10)
        #expect(slots.take(at: 10) == 0, "one that is done is used again")
        slots.giveBack(1, isQuiet: false, at: 20)
        #expect(slots.take(at: 20) == 2, "one that was given up is not")
        #expect(slots.take(at: 20 + SelectionSlots.quarantine - 1) == 3)
        #expect(slots.take(at: 20 + SelectionSlots.quarantine) == 1)
        #expect(slots.count == 4)
        // Drops that never come, one after the other.
        for _ in 0..<10_000 { slots.giveBack(slots.take(at: 30), isQuiet: false, at: 30) }
        #expect(slots.count == SelectionSlots.limit)
    }
}

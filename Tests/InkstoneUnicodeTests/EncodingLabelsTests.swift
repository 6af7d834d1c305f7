import Testing

@testable import InkstoneUnicode

/// Labels and indexes are those of the WHATWG Encoding Standard.
@Suite(.timeLimit(.minutes(5))) struct EncodingLabelsTests {
    @Test(
        arguments: [
            ("utf8", "UTF-8"), ("  UTF-8\r\n", "UTF-8"), ("ISO-8859-1", "windows-1252"), ("latin1", "windows-1252"),
            ("us-ascii", "windows-1252"), ("GB2312", "GBK"), ("gb_2312-80", "GBK"), ("EUC-KR", "EUC-KR"),
            ("x-sjis", "Shift_JIS"),
            ("MS932", "Shift_JIS"), ("windows-31J", "Shift_JIS"), ("iso-8859-9", "windows-1254"),
            ("tis-620", "windows-874"),
            ("koi8-ru", "KOI8-U"), ("Big5-HKSCS", "Big5"), ("x-mac-roman", "macintosh"), ("logical", "ISO-8859-8-I"),
            ("unicodeFFFE", "UTF-16BE"), ("gb18030", "GB18030"), ("iso-8859-16", "ISO-8859-16"), ("ucs-2", "UTF-16"),
        ]) func labelsMeanWhatTheyDoOnTheWeb(label: String, name: String)
    {
        #expect(TextEncoding(named: label)?.name == name)
    }

    @Test(arguments: ["", " ", "utf-8,x", "no-such", "\u{212a}oi8-r"]) func anUnknownLabelHasNoEncoding(label: String) {
        #expect(TextEncoding(named: label) == nil)
    }

    @Test func allOfTheStandardAreThere() {
        #expect(TextEncoding.standard.count == EncodingLabels.all.count)
        #expect(TextEncoding(named: "EUC-KR")?.icuName == TextEncoding(named: "windows-949")?.icuName)
        // Journals name encodings, and are read again.
        for encoding in TextEncoding.standard { #expect(TextEncoding(named: encoding.name) == encoding) }
    }

    /// Each byte in order, as the standard's index has it: a hash of the units, with FFFF for bytes that stand for none (FNV-1a, low byte first).
    @Test(
        arguments: [
            ("IBM866", 0xa7e9cde0a5e33825),
            ("ISO-8859-2", 0x6985e26be4b180d2),
            ("ISO-8859-3", 0xb09704f91f5d9e91),
            ("ISO-8859-4", 0xf30622056889954c),
            ("ISO-8859-5", 0xaad2acd08e3c7e6a),
            ("ISO-8859-6", 0xcf9273f6008ee2fa),
            ("ISO-8859-7", 0xa6bed2ec3a736746),
            ("ISO-8859-8", 0x3e0f58a14be13849),
            ("ISO-8859-8-I", 0x3e0f58a14be13849),
            ("ISO-8859-10", 0x434d4b61136a752b),
            ("ISO-8859-13", 0x4887bd4663664c32),
            ("ISO-8859-14", 0x7db1e20823dcbf17),
            ("ISO-8859-15", 0x697526d493d95980),
            ("ISO-8859-16", 0x22caf6ad716d0054),
            ("KOI8-R", 0x32850e94e3bf014e),
            ("KOI8-U", 0xe31f176a987eb926),
            ("macintosh", 0x7a48db58f71aaac5),
            ("windows-874", 0x3abc02984dc9ef7d),
            ("windows-1250", 0x2cf329295b5c3de0),
            ("windows-1251", 0xf9d08bd1cda4df3f),
            ("windows-1252", 0x577db6d912423900),
            ("windows-1253", 0x262162f9c1426383),
            ("windows-1254", 0x8958de9b87cf735e),
            ("windows-1255", 0x740c4da0be9d98c3),
            ("windows-1256", 0x8577dce5f9a09088),
            ("windows-1257", 0x8a94095ae7f5428d),
            ("windows-1258", 0x5375cad06ee0245a),
            ("x-mac-cyrillic", 0xdf6c7c8dd9868c7b),
        ] as [(String, UInt64)]) func singleBytesAreThoseOfTheStandard(name: String, hash: UInt64) throws
    {
        let encoding = try #require(TextEncoding(named: name))
        let converter = TextConverter(encoding)
        var found: UInt64 = 0xcbf2_9ce4_8422_2325
        var shown = ""
        for byte in UInt8.min...UInt8.max {
            var units: [UInt16] = []
            withUnsafeBytes(of: byte) {
                converter.decode($0, isLast: true) {
                    units += $0
                } invalid: { _ in
                    units.append(0xffff)
                }
            }
            try #require(units.count == 1)
            for part in [units[0] & 0xff, units[0] >> 8] { found = (found ^ UInt64(part)) &* 0x100_0000_01b3 }
            shown += String(units[0], radix: 16) + " "
            if units[0] != 0xffff { #expect(try Self.encode(units, converter) == [byte]) }
        }
        #expect(found == hash, "\(name): \(shown)")
    }

    /// Characters at the edges of each index, and what systems differ in.
    @Test(
        arguments: [
            ("GBK", "丂龥€　中", [0x81, 0x40, 0xfd, 0x9b, 0xa2, 0xe3, 0xa1, 0xa1, 0xd6, 0xd0]),
            ("GB18030", "丂€\u{80}😀", [0x81, 0x40, 0xa2, 0xe3, 0x81, 0x30, 0x81, 0x30, 0x94, 0x39, 0xfc, 0x36]),
            ("Big5", "一龘═", [0xa4, 0x40, 0xf9, 0xd5, 0xf9, 0xf9]),
            ("EUC-JP", "あ～∥－①ｱ", [0xa4, 0xa2, 0xa1, 0xc1, 0xa1, 0xc2, 0xa1, 0xdd, 0xad, 0xa1, 0x8e, 0xb1]),
            ("Shift_JIS", "あ～∥－①ｱ\\", [0x82, 0xa0, 0x81, 0x60, 0x81, 0x61, 0x81, 0x7c, 0x87, 0x40, 0xb1, 0x5c]),
            ("EUC-KR", "가갂힝", [0xb0, 0xa1, 0x81, 0x41, 0xc8, 0xfe]),
            ("ISO-2022-JP", "aあb", [0x61, 0x1b, 0x24, 0x42, 0x24, 0x22, 0x1b, 0x28, 0x42, 0x62]),
            ("UTF-16BE", "a😀", [0, 0x61, 0xd8, 0x3d, 0xde, 0]), ("UTF-16LE", "a😀", [0x61, 0, 0x3d, 0xd8, 0, 0xde]),
        ] as [(String, String, [UInt8])]) func severalBytesAreThoseOfTheStandard(
            name: String, text: String, bytes: [UInt8]
        ) throws
    {
        let converter = TextConverter(try #require(TextEncoding(named: name)))
        var units: [UInt16] = []
        bytes.withUnsafeBytes {
            converter.decode($0, isLast: true) {
                units += $0
            } invalid: { _ in
                units.append(0xffff)
            }
        }
        #expect(String(decoding: units, as: UTF16.self) == text)
        #expect(try Self.encode(Array(text.utf16), converter) == bytes)
    }

    private static func encode(_ units: [UInt16], _ converter: TextConverter) throws -> [UInt8] {
        var bytes: [UInt8] = []
        converter.reset()
        try units.withUnsafeBufferPointer { try converter.encode($0, isLast: true) { bytes += $0 } }
        return bytes
    }
}

import Inkstone
import InkstoneFiles
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The encodings that the prompt offers while the user types.
@Suite(.timeLimit(.minutes(5))) struct EncodingChoicesTests {
    private func names(_ text: String) -> [String] {
        var choices = EncodingChoices(current: .utf8)
        choices.filter(text)
        return choices.encodings.map(\.description)
    }

    @Test func typedLettersFilterTheEncodingsByLabel() {
        #expect(names("UTF-8").count == Set(TextEncoding.standard).count, "the present one's name is not typed")
        #expect(names("koi") == ["KOI8-R", "KOI8-U"])
        #expect(names("LATIN1").first == "windows-1252" && names("sjis") == ["Shift_JIS"])
        #expect(names("utf-16").first == "UTF-16" && Set(names("utf-16")) == ["UTF-16", "UTF-16BE", "UTF-16LE"])
        #expect(names("ibm-1047") == ["ibm-1047"], "one that only ICU has")
        #expect(names("no such encoding").isEmpty)
    }

    /// A user who opens a file in another encoding most likely has a file in the language of the locale.
    @Test(arguments: [
        ("ja_JP.UTF-8", ["UTF-8", "Shift_JIS", "EUC-JP", "windows-1252"]),
        ("ru_RU.KOI8-R", ["UTF-8", "KOI8-R", "windows-1251", "windows-1252"]),
        ("de_DE.UTF-8", ["UTF-8", "windows-1252", "UTF-16LE", "UTF-16BE", "IBM866"]),
        ("C.UTF-8", ["UTF-8", "windows-1252", "UTF-16LE", "UTF-16BE", "IBM866"]),
    ])
    func theEncodingsOfTheLocaleComeFirst(_ locale: String, _ first: [String]) {
        var choices = EncodingChoices(current: .utf8, guess: EncodingGuess(locale: locale))
        #expect(choices.encodings.prefix(first.count).map(\.description) == first)
        #expect(Set(choices.encodings) == Set(TextEncoding.standard))
        choices.filter("windows")
        // “Shift_JIS” comes first for “windows” too, because windows-31j is one of its labels.
        let own = ["ja_JP.UTF-8": "Shift_JIS", "ru_RU.KOI8-R": "windows-1251"][locale] ?? "windows-1252"
        #expect(choices.answer(to: "windows") == own, "so they do among those that fit")
    }

    /// Encodings that decode the file come right after the current one, so the user need not search sixty for the
    /// right one.
    @Test func decodingEncodingsFollowTheCurrentOne() throws {
        let path = try TemporaryDirectory.make() + "/file"
        defer { TemporaryDirectory.remove(String(path.dropLast(5))) }
        // The bytes of “日本語のテスト。” in Shift_JIS.
        try TextFiles.write(
            [
                0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0x82, 0xcc, 0x83, 0x65, 0x83, 0x58, 0x83, 0x67, 0x81, 0x42, 0x0a,
                0x0a,
            ],
            to: path)
        let first = EncodingChoices(current: .utf8, of: FilePath(path), guess: EncodingGuess(locale: "de_DE.UTF-8"))
        var choices: any PromptChoices = first
        let begun = choices.beginReading()
        ChoiceReading.take(try #require(begun).read(), into: &choices, typed: "UTF-8", keepsChosen: false)
        let sorted = try #require(choices as? EncodingChoices)
        #expect(sorted.encodings.prefix(2).map(\.description) == ["UTF-8", "Shift_JIS"] && sorted.encoding == .utf8)
        #expect(Set(sorted.encodings) == Set(first.encodings) && sorted.encodings.count == first.encodings.count)
        let texts = (1..<sorted.count).map { sorted.row($0).text.contains("\u{fffd}") }
        #expect(texts == texts.filter { !$0 } + texts.filter { $0 }, "those with errors come last")
    }

    @Test func everyLabelOfTheStandardFindsItsEncodingFirst() throws {
        for label in [
            "866", "l2", "greek", "visual", "logical", "mac", "tis-620", "cp1251", "gb_2312-80", "ms_kanji", "ucs-2",
        ] {
            #expect(try names(label).first == #require(TextEncoding(named: label)).description, "\(label)")
        }
    }

    @Test func oneIsChosenAsLongAsThereAreAny() {
        var choices = EncodingChoices(current: .utf16LittleEndian)
        #expect(choices.encoding == .utf16LittleEndian)
        for _ in 0..<100 { choices.move(by: -1) }
        #expect(choices.encoding == .utf16LittleEndian, "the present one is the first")
        choices.move(by: 1)
        #expect(choices.encoding == .utf8)
        choices.move(by: 1000)
        #expect(choices.chosen == choices.encodings.count - 1)
        choices.filter("no such encoding")
        choices.move(by: 1)
        #expect(choices.encoding == nil && choices.answer(to: "x") == "x")
        choices.filter("koi")
        #expect(choices.encoding?.description == "KOI8-R")
    }

    @Test func aPreviewIsOfTheFirstLinesThatEncodingsDifferIn() throws {
        let path = try TemporaryDirectory.make() + "/file"
        defer { TemporaryDirectory.remove(String(path.dropLast(5))) }
        try TextFiles.write(Array("plain\r\n".utf8) + [0xcf, 0xf0, 0x09, 0x01, 0x0a, 0x61], to: path)
        let preview = try EncodingPreview(of: FilePath(path))
        func lines(_ name: String) throws -> String { preview.lines(in: try #require(TextEncoding(named: name))) }
        #expect(try lines("windows-1251") == "Пр \u{fffd} ⏎ a" && lines("KOI8-R") == "оП \u{fffd} ⏎ a")
        #expect(try lines("UTF-8") == "\u{fffd}\u{fffd} \u{fffd} ⏎ a")
        #expect(try lines("UTF-16LE").unicodeScalars.count > 3)
        #expect(throws: TextFileError.notFound(path: "/nowhere/x")) { try EncodingPreview(of: "/nowhere/x") }
    }

    /// On a slow disk, the file's first lines may arrive after the user has chosen an encoding: the choice stays.
    @Test func aLatePreviewTakesNoChoiceBack() throws {
        let path = try TemporaryDirectory.make() + "/file"
        defer { TemporaryDirectory.remove(String(path.dropLast(5))) }
        try TextFiles.write([0xcf, 0xf0], to: path)
        var choices: any PromptChoices = EncodingChoices(current: .utf8, of: FilePath(path))
        let begun = choices.beginReading()
        let reading = try #require(begun)
        choices.move(by: 1)
        let answer = choices.answer(to: "UTF-8")
        #expect(answer != "UTF-8")
        ChoiceReading.take(reading.read(), into: &choices, typed: "UTF-8", keepsChosen: true)
        #expect(choices.answer(to: "UTF-8") == answer)
        #expect((0..<choices.count).contains { choices.row($0).text == "Пр" })
    }
}

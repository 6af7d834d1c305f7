import InkstoneBase
import InkstoneTesting
import InkstoneText
import InkstoneUnicode
import Testing
import TextTestSupport

@testable import InkstoneFiles

/// Guessing the encoding of files that do not declare it.
@Suite(.timeLimit(.minutes(5))) struct EncodingGuessTests {
    let scratch = Scratch()

    private func guess(_ bytes: [UInt8], _ locale: String = "en_US.UTF-8", isWhole: Bool = true) -> String? {
        bytes.withUnsafeBytes { EncodingGuess(locale: locale).encoding(of: $0, isWhole: isWhole)?.name }
    }

    private func bytes(_ text: String, _ encoding: String) throws -> [UInt8] {
        let path = scratch.file("encoded")
        let format = TextFileFormat(encoding: try #require(TextEncoding(named: encoding)))
        try TextFile.write(Rope(text), to: path, format: format, expecting: FileIdentity(path: path))
        return contents(path)
    }

    struct Sample: Sendable, CustomTestStringConvertible {
        var text: String
        var encoding: String
        var locale = "en_US.UTF-8"
        var testDescription: String { "\(encoding) in \(locale)" }
    }

    @Test(arguments: [
        Sample(text: "plain\n", encoding: "UTF-16LE"), Sample(text: "plain\n", encoding: "UTF-16BE"),
        Sample(text: "Привет, мир\n", encoding: "UTF-16LE"), Sample(text: "Привет, мир\n", encoding: "UTF-16BE"),
        // The low byte of the first character is zero.
        Sample(text: "一二三、四五\n六七八\n", encoding: "UTF-16LE"), Sample(text: "一二三、四五\n六七八\n", encoding: "UTF-16BE"),
        Sample(text: "café 😀\r\n", encoding: "UTF-16LE"), Sample(text: "हिन्दी में\n", encoding: "UTF-16BE"),
        Sample(text: "café\n", encoding: "windows-1252"),
        Sample(text: "“voilà”", encoding: "windows-1252", locale: "fr_FR"),
        Sample(text: "Привет, мир\n", encoding: "windows-1251", locale: "ru_RU.UTF-8"),
        Sample(text: "Привет, мир\n", encoding: "KOI8-R", locale: "ru_RU.KOI8-R"),
        Sample(text: "日本語の文です。\n", encoding: "Shift_JIS", locale: "ja_JP.UTF-8"),
        Sample(text: "日本語の文です。\n", encoding: "EUC-JP", locale: "ja_JP.UTF-8"),
        Sample(text: "日本語の文です。\n", encoding: "EUC-JP", locale: "ja_JP.eucJP"),
        Sample(text: "日本語の文です。\n", encoding: "ISO-2022-JP"),
        Sample(text: "中文文本，没有标记。\n", encoding: "GBK", locale: "zh_CN.UTF-8"),
        Sample(text: "中文㐀\n", encoding: "GB18030", locale: "zh_CN.UTF-8"),
        Sample(text: "繁體中文。\n", encoding: "Big5", locale: "zh_TW.Big5"),
        Sample(text: "한국어 글월\n", encoding: "EUC-KR", locale: "ko_KR.UTF-8"),
        Sample(text: "10 €\n", encoding: "ISO-8859-15", locale: "de_DE@euro"),
        Sample(text: "Ελληνικά\n", encoding: "ISO-8859-7", locale: "el_GR.UTF-8"),
    ]) func whatAFileIsInIsRecognised(_ sample: Sample) throws {
        #expect(try guess(bytes(sample.text, sample.encoding), sample.locale) == sample.encoding)
    }

    /// Text in the user's language, in an encoding other than the locale's.
    @Test(arguments: [
        Sample(text: "日本語の文です。\nこれはテストの二行目です。\n", encoding: "Shift_JIS"),
        Sample(text: "名前: 山田太郎さん\n", encoding: "Shift_JIS", locale: "ko_KR.UTF-8"),
        Sample(text: "カタカナのファイル\n", encoding: "Shift_JIS", locale: "de_DE.UTF-8"),
        Sample(text: "日本語の文です。\n", encoding: "EUC-JP"), Sample(text: "カタカナ\n", encoding: "EUC-JP"),
        Sample(text: "한국어 글월\n", encoding: "EUC-KR"), Sample(text: "안녕하세요.\n", encoding: "EUC-KR", locale: "C.UTF-8"),
        Sample(text: "안녕하세요. 이것은 한국어 문서입니다.\n", encoding: "EUC-KR", locale: "ja_JP.UTF-8"),
        Sample(text: "你好，世界\n", encoding: "GBK"), Sample(text: "中文文本，没有标记。㐀\n", encoding: "GB18030"),
        Sample(text: "这是一个文件。\n", encoding: "GBK", locale: "ja_JP.UTF-8"),
        Sample(text: "這是一個繁體中文的檔案。\n", encoding: "Big5"), Sample(text: "繁體中文。\n", encoding: "Big5", locale: "zh_CN"),
        Sample(text: "Привет, мир\n", encoding: "windows-1251"), Sample(text: "Привет, мир\n", encoding: "KOI8-R"),
        Sample(text: "Привет, мир\n", encoding: "KOI8-R", locale: "ru_RU.UTF-8"),
        Sample(text: "ПРИВЕТ, МИР\n", encoding: "windows-1251", locale: "ru_RU.UTF-8"),
        Sample(text: "int x; // счётчик строк\n", encoding: "windows-1251"),
        Sample(text: "Это русский текст.\n", encoding: "IBM866"),
        Sample(text: "Привіт, світе\n", encoding: "windows-1251"),
        Sample(text: "هذا نص عربي لاختبار الترميز.\n", encoding: "windows-1256"),
        Sample(text: "שלום עולם\n", encoding: "windows-1255"), Sample(text: "Καλημέρα κόσμε\n", encoding: "ISO-8859-7"),
        Sample(text: "นี่คือข้อความภาษาไทย\n", encoding: "windows-874"),
        Sample(text: "Größe und Maß, für die Übung\n", encoding: "windows-1252", locale: "ja_JP.UTF-8"),
        Sample(text: "äöü ÄÖÜ ß\n", encoding: "windows-1252", locale: "de_DE.UTF-8"),
        Sample(text: "10 °C, 5 µm, ½ – it’s\n", encoding: "windows-1252"),
        Sample(text: "Å\n", encoding: "windows-1252"),
        Sample(text: "İstanbul'da güneşli bir gün, çok güzel\n", encoding: "windows-1254"),
        Sample(text: "Příliš žluťoučký kůň\n", encoding: "windows-1250"),
    ]) func lettersShowAnotherLanguageThanTheLocales(_ sample: Sample) throws {
        let found = try guess(bytes(sample.text, sample.encoding), sample.locale)
        #expect(found == sample.encoding, "\(sample.text)")
    }

    /// The lines with non-ASCII bytes may follow thousands of others, and the guessed encoding must decode all of
    /// them.
    @Test func linesThatAreNotASCIIDecide() throws {
        let plain = Array(String(repeating: "a line of code\n", count: 5_000).utf8)
        let russian = try bytes("Привет, мир\n", "KOI8-R")
        #expect(guess(plain + russian) == "KOI8-R")
        let japanese = try bytes("日本語の文です。\n", "Shift_JIS")
        let many = [UInt8](repeatElement(japanese, count: 1_200).joined())
        #expect(guess(many) == "Shift_JIS" && guess(many, isWhole: false) == "Shift_JIS")
        #expect(guess(many + [0xff, 0x0a]) != "Shift_JIS")
    }

    /// The sample may end within a character, with few lines before.
    @Test(arguments: [0, 1]) func aCharacterThatTheSampleCutsSpeaksAgainstNoEncoding(_ shift: Int) throws {
        let plain = Array(String(repeating: "int a; // a line of code\n", count: 20_000).utf8)
        let chinese = try bytes("// 中文文本，没有标记。这是一个文件。\n", "GBK")
        let before = plain.prefix(EncodingGuess.sampleSize - 11 - chinese.count + shift)
        let file = Array(before.dropLast() + [0x0a] + chinese + chinese + plain.prefix(40_000))
        for locale in ["zh_CN.UTF-8", "en_US.UTF-8"] { #expect(guess(file, locale) == "GBK", "\(locale)") }
    }

    /// Lines may end with CR, and one line may be longer than what is compared.
    @Test func linesThatAreNotASCIIDecideWithoutLineFeeds() throws {
        let russian = try bytes("Привет, мир\n", "KOI8-R").dropLast()
        let line = "a line of code"
        for end in ["\r", " "] {
            let plain = Array(String(repeating: line + end, count: 5_000).utf8)
            #expect(guess(plain + russian + Array(end.utf8) + plain) == "KOI8-R", "\(end.debugDescription)")
        }
    }

    @Test(
        arguments: [
            // UTF-8, valid and with a damaged byte.
            (Array("Привет, 日本語 – café\n".utf8), "ru_RU.KOI8-R"), (Array("Привет\n".utf8) + [0xff], "ru_RU.UTF-8"),
            (Array("plain\n".utf8), "ja_JP.EUC-JP"), ([], "en_US.UTF-8"),
            // Locales without a language.
            ([0x63, 0x61, 0x66, 0xe9, 0x0a], "C.UTF-8"), ([0x63, 0x61, 0x66, 0xe9, 0x0a], ""),
            // Text that is not valid in the locale's encoding either.
            ([0x63, 0x61, 0x66, 0xe9, 0x0a], "zh_CN.UTF-8"), ([0x61, 0x81, 0x8d, 0x0a], "en_US.UTF-8"),
            // Names separated by zero bytes, an incomplete code unit, a program, and numbers.
            (Array("./a\0./b\0./c\0".utf8), "en_US.UTF-8"), ([0x61, 0, 0x62, 0, 0x63], "en_US.UTF-8"),
            ([0x7f, 0x45, 0x4c, 0x46, 0x02, 0x01, 0x01, 0, 0, 0], "en_US.UTF-8"),
            ([1, 0, 2, 0, 3, 0, 4, 0], "en_US.UTF-8"),
            // Escapes of terminals, and one that is no ISO-2022-JP.
            (Array("\u{1b}[1mbold\u{1b}(B\u{1b}[m\n".utf8), "ja_JP.UTF-8"),
            (Array("\u{1b}$B\u{1}\n".utf8), "ja_JP.UTF-8"),
        ] as [([UInt8], String)]) func noneIsGuessedAt(_ bytes: [UInt8], _ locale: String)
    {
        #expect(guess(bytes, locale) == nil)
    }

    /// A file is examined while it arrives, and its first piece may end anywhere.
    @Test func aCharacterCutAtTheEndOfAPieceIsNoEvidence() throws {
        let text = Array("aé日😀".utf8)
        for count in 1...text.count { #expect(guess(Array(text.prefix(count)), isWhole: false) == nil, "\(count)") }
        #expect(guess(Array(text.prefix(2))) == "windows-1252", "at the end of a file it does")
        let wide = try bytes("abcd 😀", "UTF-16LE")
        for count in 4...wide.count {
            #expect(guess(Array(wide.prefix(count)), isWhole: false) == "UTF-16LE", "\(count)")
        }
        #expect(guess(Array(wide.prefix(12))) == nil, "half of a pair at the end of a file")
    }

    @Test func localesHaveTheEncodingsOfTheirLanguages() {
        func names(_ locale: String) -> [String] { EncodingGuess(locale: locale).legacy.map(\.name) }
        #expect(names("ja_JP.EUC-JP") == ["EUC-JP", "Shift_JIS"] && names("ja_JP.ujis") == names("ja_JP.EUC-JP"))
        #expect(names("ru_RU.KOI8-R") == ["KOI8-R", "windows-1251"] && names("ru_RU.koi8r") == names("ru_RU.KOI8-R"))
        #expect(names("zh_TW.Big5") == ["Big5"] && names("zh_HK.UTF-8") == ["Big5"])
        #expect(names("zh_CN.GB2312") == ["GBK", "GB18030"] && names("ko_KR.eucKR") == ["EUC-KR"])
        #expect(names("de_DE.utf8@euro") == ["windows-1252"] && names("de_DE@euro") == ["ISO-8859-15", "windows-1252"])
        #expect(names("de_DE.ISO-8859-15@euro") == ["ISO-8859-15", "windows-1252"])
        #expect(names("pl") == ["ISO-8859-2"] && names("th_TH.TIS-620") == ["windows-874"])
        #expect(names("POSIX") == [] && names("C") == [] && names("en_US.no-such-set") == ["windows-1252"])
    }

    @Test func anEncodingIsGuessedOnlyOnRequestAndReportedAsGuessed() throws {
        let path = scratch.put("latin", [0x63, 0x61, 0x66, 0xe9])
        let guess = EncodingGuess(locale: "fr_FR.UTF-8")
        let file = try TextFile.read(FilePath(path), guess: guess)
        #expect(file.text == "café" && file.isEncodingGuessed && file.isLossless && !file.looksBinary)
        try TextFile.write(file.text, to: path, format: file.format, expecting: file.identity)
        #expect(contents(path) == [0x63, 0x61, 0x66, 0xe9])
        #expect(try !TextFile.read(path).isEncodingGuessed)
        let named = try TextFile.read(FilePath(path), encoding: .utf8, guess: guess)
        #expect(named.format == .utf8 && !named.isEncodingGuessed)
        let plain = try TextFile.read(FilePath(scratch.put("plain", "café")), guess: guess)
        #expect(plain.format == .utf8 && !plain.isEncodingGuessed)
        let wide = try TextFile.read(FilePath(scratch.put("wide", try bytes("café\n", "UTF-16BE"))), guess: guess)
        #expect(wide.text == "café\n" && wide.format.description == "UTF-16BE" && !wide.looksBinary)
    }
}

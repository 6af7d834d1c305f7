import Testing

@testable import InkstoneWords

@Suite(.timeLimit(.minutes(5)))
struct TranslatorTests {
    private static let po = """
        msgid ""
        msgstr "Language: ar\\n"

        msgid "Saved “{0}” in {1}"
        msgstr "حُفظ «{0}» "
        "في {1}"

        #, fuzzy
        msgid "Open"
        msgstr "خطأ"

        msgid "Close"
        msgstr ""

        msgid "Enter: open {0}"
        msgstr "Enter: فتح {0}"

        msgid "Shift"
        msgstr "Shift"

        msgid "1 line"
        msgid_plural "{0} lines"
        msgstr[0] "٠"
        msgstr[1] "سطر واحد"
        msgstr[2] "سطران"
        msgstr[3] "{0} أسطر"
        msgstr[4] "{0} سطرًا"
        msgstr[5] "{0} سطر"
        """

    private func translator(_ locale: String) -> Translator {
        let bytes = Array(Self.po.utf8)
        return bytes.withUnsafeBytes { bytes in
            Translator([Language(locale: locale)]) { $0 == "ar" ? bytes : nil }
        }
    }

    @Test func aTextIsLookedUpByItsEnglishWithGaps() {
        let say = translator("ar_EG.UTF-8")
        let name = "a.txt"
        #expect(say("Saved “\(name)” in \(12)") == "حُفظ «\u{2068}a.txt\u{2069}» في ١٢")
        #expect(translator("ar_MA")("Saved “\(name)” in \(12)") == "حُفظ «\u{2068}a.txt\u{2069}» في 12")
    }

    /// Else the name of a key would have the text laid out from the left.
    @Test func aTextThatBeginsWithAKeyRunsFromTheRight() {
        let say = translator("ar")
        let name = "x"
        #expect(say("Enter: open \(name)") == "\u{200f}Enter: فتح \u{2068}x\u{2069}")
        #expect(say("Shift") == "Shift")
        #expect(say("Saved “\(name)” in \(1)").hasPrefix("حُفظ"))
    }

    @Test func textsMissingInACatalogAreEnglish() {
        let say = translator("ar")
        let name = "{1}"
        #expect(say("Open") == "Open")
        #expect(say("Close") == "Close")
        #expect(translator("fi_FI")("Saved “\(name)” in \(3)") == "Saved “{1}” in 3")
    }

    @Test func numbersChooseTheForm() {
        let say = translator("ar_EG")
        func lines(_ count: Int) -> String { say(count, one: "1 line", other: "\(count) lines") }
        #expect(
            [0, 1, 2, 3, 11, 100, 103].map(lines) == [
                "٠", "سطر واحد", "سطران", "٣ أسطر", "١١ سطرًا", "١٠٠ سطر", "١٠٣ أسطر",
            ])
        let english = translator("C")
        #expect(english(1, one: "1 line", other: "\(1) lines") == "1 line")
        #expect(english(2, one: "1 line", other: "\(2) lines") == "2 lines")
    }

    @Test(arguments: [
        (["LANG": "C.UTF-8", "LANGUAGE": "de"], ["de", "en"]), (["LANG": "de_AT.UTF-8"], ["de"]),
        (["LANG": "POSIX", "LANGUAGE": "de"], ["en"]), (["LANG": "C.UTF-8"], ["en"]),
        (["LANG": "de_DE", "LC_MESSAGES": "ja_JP"], ["ja"]), (["LANG": "de_DE", "LC_ALL": "C"], ["en"]),
        (["LANG": "en_US", "LANGUAGE": "gsw:ar_EG:de"], ["gsw", "ar", "de", "en"]), ([:], ["en"]),
        (["LC_ALL": "", "LANG": "sr_RS@latin"], ["sr"]),
    ])
    func languagesComeFromTheEnvironment(_ environment: [String: String], _ codes: [String]) {
        #expect(Language.preferred { environment[$0] }.map(\.code) == codes)
    }

    @Test func englishBeforeOthersIsEnglish() {
        let languages = ["en_GB", "ar"].map { Language(locale: $0) }
        #expect(Translator(languages) { _ in UnsafeRawBufferPointer(start: nil, count: 0) }.language.code == "en")
    }

    @Test func numbersAreWrittenAsTheRegionDoes() {
        #expect(Language(locale: "en").number(1_204_000, grouped: true) == "1,204,000")
        #expect(Language(locale: "de_DE").number(1204, grouped: true) == "1.204")
        #expect(Language(locale: "ar_SA").number(1204, grouped: true) == "١٬٢٠٤")
        #expect(Language(locale: "ar_AE").number(-120) == "−120")
        #expect(Language(locale: "en").number(.min) == "−9223372036854775808")
        #expect(Language(locale: "de").percent(50) == "50\u{a0}%")
    }
}

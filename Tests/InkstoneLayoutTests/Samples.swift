/// Texts of many scripts, for laws that hold for any text.
enum Samples {
    static let paragraphs = [
        "", " ", "plain ASCII text with some words", "tabs\tand\t\tmore\ttabs", "office affinity waffle",
        "日本語の文章を折り返す。「括弧」と句読点、そして漢字。", "한국어 문장입니다 그리고 조합형 \u{1112}\u{1161}\u{11ab}",
        "שלום עולם", "abc אבג def", "abc אבג 123 דהו ghi", "السلام عليكم 2024 abc",
        "نص عربي (مع أقواس) و english inside",
        "हिन्दी में क्षत्रिय और ज्ञान", "ಕನ್ನಡ ಭಾಷೆ", "ภาษาไทยไม่มีช่องว่างระหว่างคำ", "e\u{301}a\u{308}\u{323} z\u{334}",
        "👩‍👩‍👧‍👦 family 🇩🇪🇯🇵 flags 👍🏽 ❤️ 1️⃣", "mixed 日本 and עברית and 😀 end", "a\u{200b}b\u{ad}c soft\u{ad}hyphen",
        "\u{202e}override\u{202c} \u{2067}isolate\u{2069} x", "trailing   ", "   leading", "\t", "x\u{2028}y",
        "control \u{1}\u{7f} and unknown \u{10fffd}", "pneumonoultramicroscopicsilicovolcanoconiosis",
    ]

    static let document = paragraphs.joined(separator: "\n")
}

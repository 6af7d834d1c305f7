import Glibc
import InkstoneTesting

/// Bytes that hit the seams: newlines of all kinds, wide scalars, clusters, and sequences that are cut or wrong.
package func randomBytes(_ random: inout SeededGenerator, about count: Int, invalid: Bool = true) -> [UInt8] {
    let valid = [
        "a", "word ", "The quick brown fox. ", "\n", "\r", "\r\n", "\n", "é", "ß", "日本語", "。", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", "𝒳",
        "\u{2028}", "\u{2029}", "e\u{301}", "ก็", "한글", "\t", "\u{85}", "\u{ffff}", "\u{10ffff}",
    ]
    let broken: [[UInt8]] = [
        [0x80], [0xbf], [0xc0], [0xc2], [0xe3], [0xe3, 0x81], [0xe0, 0x80], [0xed, 0xa0], [0xf0], [0xf0, 0x9f],
        [0xf0, 0x9f, 0x98], [0xf4, 0x90], [0xff], [0xfe], [0x82], [0xa8], [0xe2, 0x80],
    ]
    var bytes: [UInt8] = []
    while bytes.count < count {
        if invalid, random.once(in: 4) {
            bytes += broken[random.below(broken.count)]
        } else {
            bytes += valid[random.below(valid.count)].utf8
        }
    }
    return bytes
}

/// A number from the environment, to run longer than CI does.
package func environment(_ name: String, default value: Int) -> Int {
    getenv(name).flatMap { Int(String(cString: $0)) } ?? value
}

/// Whether the long tier of tests is to run.
package let isLongTier = environment("INKSTONE_LONG_TESTS", default: environment("INKSTONE_LONG", default: 0)) != 0

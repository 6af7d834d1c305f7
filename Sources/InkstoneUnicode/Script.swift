/// A script, identified by its four letters in ISO 15924, such as `Latn` or `Hang`.
package struct Script: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The letters as bytes, the first in the highest byte.
    let code: UInt32

    init(code: UInt32) { self.code = code }

    /// Creates a script from its four ASCII letters.
    package init(stringLiteral name: StaticString) {
        code = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            .reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The script of characters that belong to no particular script: digits, punctuation, emoji.
    package static let common: Script = "Zyyy"
    /// The script of marks, which belong to the script of their base.
    package static let inherited: Script = "Zinh"

    /// Whether text of the script has no blanks between words. Two lines of such text are joined without a blank.
    package var joinsWithoutBlank: Bool { Self.unspaced.contains(self) }

    private static let unspaced: Set<Script> = [
        "Hani", "Hira", "Kana", "Bopo", "Yiii", "Thai", "Laoo", "Khmr", "Mymr", "Tibt", "Lana", "Talu", "Tale", "Java",
        "Bali",
    ]
}

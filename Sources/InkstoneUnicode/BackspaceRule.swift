/// The rule for the part of the grapheme cluster before the caret that BackSpace deletes: the part typed last.
///
/// Where marks and consonants are typed one by one that is one scalar. A cluster that is a unit to its writer is deleted whole: a
/// letter with its accents, which one key or one dead key makes in most layouts, a syllable of jamo, an emoji with all of its members.
/// Delete deletes the whole cluster everywhere, since nobody remembers the order in which text after the caret was typed.
///
/// | Cluster | Chromium | Pango (GTK) | here |
/// |---|---|---|---|
/// | Thai, Lao, Khmer, Myanmar, scripts of India; Arabic, Hebrew, Syriac, Thaana | one scalar | one scalar | one scalar |
/// | Latin, Greek, Cyrillic and kana with combining marks | one scalar | the cluster | the cluster |
/// | Hangul of jamo | one scalar | one scalar | the cluster |
/// | precomposed letters and syllables | the cluster | the cluster | the cluster |
/// | flags, keycaps, modifiers, families joined by ZWJ | the cluster | the cluster | the cluster |
/// | a variation selector | with its base | one scalar | with its base |
/// | CR LF | both | both | both |
///
/// ``wholeScripts`` is the only table: a script that is not in it counts as typed one by one, as the scripts that Unicode adds are.
package enum BackspaceRule {
    /// The scripts whose clusters are deleted whole. Common is included for emoji, signs and digits with marks; Inherited for marks without a
    /// base.
    package static let wholeScripts: Set<Script> = [
        .common, .inherited, "Zzzz", "Latn", "Grek", "Cyrl", "Copt", "Armn", "Geor", "Glag", "Goth", "Hang", "Hani",
        "Hira", "Kana",
        "Bopo", "Yiii", "Ethi", "Cher", "Cans",
    ]

    /// Returns the number of UTF-16 units that BackSpace deletes from the end of a grapheme cluster; 0 only of an empty one. O(n) in the cluster.
    package static func length(ofLastIn cluster: String) -> Int {
        let scalars = cluster.unicodeScalars
        guard let last = scalars.last else { return 0 }
        // The script of the letters: a mark may be of any script, and a joiner is of none.
        let script = scalars.reversed().lazy.map(UnicodeData.script).first { $0 != .common && $0 != .inherited }
        guard let script, !wholeScripts.contains(script) else { return cluster.utf16.count }
        var length = UTF16.width(last)
        // A selector has no key of its own: its base was chosen with it.
        if last.properties.isVariationSelector, let base = scalars.dropLast().last { length += UTF16.width(base) }
        return length
    }
}

/// The rule for the part that BackSpace deletes from the grapheme cluster before the caret: the part that was typed
/// last.
///
/// In scripts whose marks and consonants are typed one by one, that part is one scalar. In other scripts, writers
/// regard a cluster as a unit, and it is deleted whole: a letter with its accents, which one key or one dead key
/// makes in most layouts, a syllable of jamo, an emoji with all of its members. The Delete key always deletes the
/// whole cluster, since nobody remembers the order in which text after the caret was typed.
///
/// | Deleted at the end of | by Chromium | by Pango (GTK) | by this rule |
/// |---|---|---|---|
/// | Thai, Lao, Khmer, Myanmar, scripts of India | one scalar | one scalar | one scalar |
/// | Arabic, Hebrew, Syriac, Thaana | one scalar | one scalar | one scalar |
/// | Latin, Greek, Cyrillic and kana with combining marks | one scalar | the cluster | the cluster |
/// | Hangul of jamo | one scalar | one scalar | the cluster |
/// | precomposed letters and syllables | the cluster | the cluster | the cluster |
/// | flags, keycaps, modifiers, families joined by ZWJ | the cluster | the cluster | the cluster |
/// | a base with a variation selector | both scalars | one scalar | both scalars |
/// | CR LF | both scalars | both scalars | both scalars |
///
/// In a script that ``wholeScripts`` does not contain, such as one that Unicode adds later, marks count as typed
/// one by one.
package enum BackspaceRule {
    /// The scripts whose clusters are deleted whole. The table includes Common for emoji, symbols and digits with
    /// marks, and Inherited for marks without a base.
    package static let wholeScripts: Set<Script> = [
        .common, .inherited, "Zzzz", "Latn", "Grek", "Cyrl", "Copt", "Armn", "Geor", "Glag", "Goth", "Hang", "Hani",
        "Hira", "Kana",
        "Bopo", "Yiii", "Ethi", "Cher", "Cans",
    ]

    /// Returns the number of UTF-16 units that BackSpace deletes from the end of a grapheme cluster; 0 only for an
    /// empty cluster. O(n) in the length of the cluster.
    package static func length(ofLastIn cluster: String) -> Int {
        let scalars = cluster.unicodeScalars
        guard let last = scalars.last else { return 0 }
        // The script of the cluster's letters decides. Marks that are used with several scripts, and joiners, have
        // no script of their own.
        let script = scalars.reversed().lazy.map(UnicodeData.script).first { $0 != .common && $0 != .inherited }
        guard let script, !wholeScripts.contains(script) else { return cluster.utf16.count }
        var length = UTF16.width(last)
        // If the last scalar is a variation selector, delete its base too: the selector has no key of its own,
        // because it was chosen together with the base.
        if last.properties.isVariationSelector, let base = scalars.dropLast().last { length += UTF16.width(base) }
        return length
    }
}

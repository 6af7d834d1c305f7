/// The translation of a program's texts into the user's language.
///
/// The program contains the English texts. The catalog of another language is read when the translator is created.
/// Texts that are not in the catalog are shown in English.
public struct Translator: Sendable {
    /// The language of the texts.
    public let language: Language
    private let catalog: Catalog?

    /// Creates a translator into the first of some languages that is English or has a catalog; if there is none,
    /// into English.
    ///
    /// - Parameter catalog: returns the bytes of the `.po` file for a language code; nil if there is none.
    public init(_ languages: [Language] = Language.preferred, catalog: (String) -> UnsafeRawBufferPointer?) {
        for language in languages {
            if language.code == "en" { break }
            guard let bytes = catalog(language.code) else { continue }
            (self.language, self.catalog) = (language, Catalog(po: bytes))
            return
        }
        (language, self.catalog) = (Language(locale: "en"), nil)
    }

    /// Returns the translation of a text.
    public func callAsFunction(_ phrase: Phrase) -> String {
        phrase.filling(catalog?.forms[phrase.key]?.first ?? phrase.key, in: language)
    }

    /// Returns the translation of a text about a number of things. In English, `one` is used for 1 and `other` for
    /// all other numbers. All gaps of `one` must be in `other` too, because `other` fills the gaps of every
    /// translation.
    public func callAsFunction(_ count: Int, one: Phrase, other: Phrase) -> String {
        let (form, formCount) = language.plural(count)
        if let forms = catalog?.forms[one.key], forms.count == formCount {
            return other.filling(forms[form], in: language)
        }
        return count == 1 ? one.filling(one.key, in: language) : other.filling(other.key, in: language)
    }
}

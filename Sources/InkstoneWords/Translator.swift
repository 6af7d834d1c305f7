/// The texts of a program in the user's language.
///
/// English stands in the program itself, and costs no more than the text. Catalogs of other languages are read when the first text is asked
/// for. What a catalog lacks is English.
public struct Translator: Sendable {
    /// The language of the texts.
    public let language: Language
    private let catalog: Catalog?

    /// Texts in the first of some languages that there is a catalog for; English is always there.
    ///
    /// - Parameter catalog: the bytes of a `.po` file for a language code; nil if there is none.
    public init(_ languages: [Language] = Language.preferred, catalog: (String) -> UnsafeRawBufferPointer?) {
        for language in languages {
            if language.code == "en" { break }
            guard let bytes = catalog(language.code) else { continue }
            (self.language, self.catalog) = (language, Catalog(po: bytes))
            return
        }
        (language, self.catalog) = (Language(locale: "en"), nil)
    }

    /// A text.
    public func callAsFunction(_ phrase: Phrase) -> String {
        phrase.filling(catalog?.forms[phrase.key]?.first ?? phrase.key, in: language)
    }

    /// A text about a number of things: `one` in English for 1, `other` for all others and with the gaps of both.
    public func callAsFunction(_ count: Int, one: Phrase, other: Phrase) -> String {
        let (form, formCount) = language.plural(count)
        if let forms = catalog?.forms[one.key], forms.count == formCount {
            return other.filling(forms[form], in: language)
        }
        return count == 1 ? one.filling(one.key, in: language) : other.filling(other.key, in: language)
    }
}

import Synchronization

/// The texts of the library that are shown to users: menu items, names of keys, and error messages.
///
/// The library contains the English texts. A program that has translations sets a translator before it opens its
/// first window:
///
/// ```swift
/// LibraryWords.use(Translator { language in catalog(of: language) })
/// ```
///
/// Texts that the library has made before a translator is set stay in English.
public enum LibraryWords {
    private static let translator = Mutex(Translator([]) { _ in nil })

    /// Sets the translator of the library's texts. May be called on any thread.
    public static func use(_ translator: Translator) { Self.translator.withLock { $0 = translator } }

    /// The language of the library's texts: English unless a translator is set.
    public static var language: Language { current.language }

    fileprivate static var current: Translator { translator.withLock { $0 } }
}

/// Returns a text of the library in the program's language.
package func localized(_ phrase: Phrase) -> String { LibraryWords.current(phrase) }

/// Returns a text of the library about a number of things. In English, `one` is used for 1 and `other` for all
/// other numbers. All gaps of `one` must be in `other` too.
package func localized(_ count: Int, one: Phrase, other: Phrase) -> String {
    LibraryWords.current(count, one: one, other: other)
}

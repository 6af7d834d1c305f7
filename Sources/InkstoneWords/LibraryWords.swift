import Synchronization

/// The words of the library that a person reads: lines of its menu, names of keys, reasons of its errors.
///
/// English stands in the library. A program that has translations hands them over before it opens its first window:
///
/// ```swift
/// LibraryWords.use(Translator { language in catalog(of: language) })
/// ```
///
/// Texts that were made before stay as they are.
public enum LibraryWords {
    private static let translator = Mutex(Translator([]) { _ in nil })

    /// Takes the library's texts from a translator from now on. Any thread.
    public static func use(_ translator: Translator) { Self.translator.withLock { $0 = translator } }

    /// The language of the texts; English unless a translator has come.
    public static var language: Language { current.language }

    fileprivate static var current: Translator { translator.withLock { $0 } }
}

/// A text of the library in the program's language.
package func localized(_ phrase: Phrase) -> String { LibraryWords.current(phrase) }

/// A text of the library about a number of things: `one` in English for 1, `other` for all others and with the gaps of both.
package func localized(_ count: Int, one: Phrase, other: Phrase) -> String {
    LibraryWords.current(count, one: one, other: other)
}

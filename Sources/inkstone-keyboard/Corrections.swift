import Inkstone
import InkstoneWritingTools

/// Suggested corrections of words that are in no dictionary. They come from Enchant, if it is installed.
final class Corrections {
    private struct Reference {
        weak var corrections: Corrections?
    }

    /// Called when the suggestions for the latest word have arrived.
    var onAnswer: (() -> Void)?

    private let poster: EventPoster
    private var memory = CorrectionMemory()

    init(_ display: Display) { poster = display.poster }

    /// Returns the suggestions for a word, if they are known. If not, returns an empty list and requests them.
    /// Requests nothing if the word is the same as in the call before, or shorter than three letters.
    func words(for word: String, language: String) -> [String] {
        let question = CorrectionMemory.Question(word: word, language: language)
        if let known = memory.ask(question) { return known }
        let (engine, poster) = (SpellingEngine.shared, poster)
        // `reference` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) let reference = Reference(corrections: self)
        engine.resolve([language]) { tags in
            engine.check([SpellingEngine.Word(word)], in: tags) { isRight in
                guard isRight == [false] else { return }
                engine.suggestions(for: word, in: tags, limit: 3) { found in
                    guard let found else { return }
                    poster.post { reference.corrections?.take(found, for: question) }
                }
            }
        }
        return []
    }

    private func take(_ words: [String], for question: CorrectionMemory.Question) {
        if memory.take(words, for: question) { onAnswer?() }
    }
}

/// A cache of the suggestions for the last word that was looked up.
struct CorrectionMemory {
    /// A request for suggestions: a word and its language.
    struct Question: Hashable, Sendable {
        var word: String
        /// The tag of the word's language.
        var language: String
    }

    private var question: Question?
    private var answer: [String] = []

    /// Returns the known suggestions for a question. Empty if none have come yet, or if the word has fewer than
    /// three letters. Nil if the question is new; request the suggestions then.
    mutating func ask(_ new: Question) -> [String]? {
        guard new != question else { return answer }
        (question, answer) = (new, [])
        return new.word.count < 3 ? [] : nil
    }

    /// Stores the suggestions for a question. Returns false, and stores nothing, if another question was asked
    /// meanwhile.
    mutating func take(_ words: [String], for old: Question) -> Bool {
        guard old == question else { return false }
        answer = words
        return true
    }
}

import Inkstone
import InkstoneWritingTools

/// The words that may be meant by one that no dictionary has, from Enchant where it is installed.
final class Corrections {
    private struct Reference {
        weak var corrections: Corrections?
    }

    /// Called when there is an answer to the last question.
    var onAnswer: (() -> Void)?

    private let poster: EventPoster
    private var memory = CorrectionMemory()

    init(_ display: Display) { poster = display.poster }

    /// The words for a word, as far as they are known; asks for them if they are not, once a word.
    ///
    /// - Parameter language: a language's tag.
    func words(for word: String, language: String) -> [String] {
        let question = CorrectionMemory.Question(word: word, language: language)
        if let known = memory.ask(question) { return known }
        let (engine, poster) = (SpellingEngine.shared, poster)
        // Only used on the display's thread, to which the answer comes.
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

/// The last word that was asked about, and the answer.
struct CorrectionMemory {
    /// A word of a language, which in another language is another word.
    struct Question: Hashable, Sendable {
        var word: String
        /// A language's tag.
        var language: String
    }

    private var question: Question?
    private var answer: [String] = []

    /// The answer to a question as far as it is known; nil if it is another than before, and is to be asked now.
    mutating func ask(_ new: Question) -> [String]? {
        guard new != question else { return answer }
        (question, answer) = (new, [])
        return new.word.count < 3 ? [] : nil
    }

    /// Keeps an answer; returns false if meanwhile something else was asked.
    mutating func take(_ words: [String], for old: Question) -> Bool {
        guard old == question else { return false }
        answer = words
        return true
    }
}

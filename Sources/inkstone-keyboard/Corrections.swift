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
    private var word = ""
    private var answer: [String] = []

    init(_ display: Display) { poster = display.poster }

    /// The words for a word, as far as they are known; asks for them if they are not, once a word.
    ///
    /// - Parameter language: a language's tag.
    func words(for word: String, language: String) -> [String] {
        guard word != self.word else { return answer }
        (self.word, answer) = (word, [])
        guard word.count >= 3 else { return [] }
        let (engine, poster) = (SpellingEngine.shared, poster)
        // Only used on the display's thread, to which the answer comes.
        nonisolated(unsafe) let reference = Reference(corrections: self)
        engine.resolve([language]) { tags in
            engine.check([SpellingEngine.Word(word)], in: tags) { isRight in
                guard isRight == [false] else { return }
                engine.suggestions(for: word, in: tags, limit: 3) { found in
                    guard let found else { return }
                    poster.post { reference.corrections?.take(found, for: word) }
                }
            }
        }
        return []
    }

    private func take(_ words: [String], for word: String) {
        guard word == self.word else { return }
        answer = words
        onAnswer?()
    }
}

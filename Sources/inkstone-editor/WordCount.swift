import Glibc
import Inkstone
import Synchronization

/// The size of a text: its words by Unicode's rules, with dictionaries for scripts without spaces, and its grapheme
/// clusters and lines.
struct WordCount: Hashable, Sendable {
    private(set) var words = 0
    private(set) var characters = 0
    private(set) var lines = 0

    /// The maximum size of the pieces in which the text is counted, in bytes.
    private static let piece = 65_536

    /// Creates the counts of ranges of a text, which must be in order. O(n) for n bytes, about 30 MB a second: call
    /// this on a background thread.
    ///
    /// - Parameter isCancelled: called about every 64 KB. If it returns true, counting stops, and the counts are
    ///   invalid.
    init(of text: Rope, in ranges: [Range<ByteOffset>], isCancelled: () -> Bool = { false }) {
        var lastLine = -1
        for range in ranges {
            count(text, range, isCancelled)
            // A line that several ranges touch counts once.
            let first = text.paragraphIndex(at: range.lowerBound).value
            let end = text.paragraphIndex(at: range.upperBound)
            // Do not count the line after the end of a range that ends with a line end, as `wc -l` does.
            let isBehindEnd = end.value > first && text.byteRange(of: end).lowerBound == range.upperBound
            let last = end.value - (isBehindEnd ? 1 : 0)
            lines += last - first + (first == lastLine ? 0 : 1)
            lastLine = last
        }
    }

    private mutating func count(_ text: Rope, _ range: Range<ByteOffset>, _ isCancelled: () -> Bool) {
        let breaker = TextBreaker(.word)
        var start = range.lowerBound
        while start < range.upperBound, !isCancelled() {
            var end = min(start + Self.piece, range.upperBound)
            if end < range.upperBound {
                // Cut the text at the start of a line, which splits no word.
                let line = text.byteRange(of: text.paragraphIndex(at: end)).lowerBound
                end = line > start ? line : min(text.certainBoundary(after: end), range.upperBound)
            }
            var part = text.string(in: start..<end)
            breaker.setText(part)
            var (place, last) = (0, 0)
            var isWord = false
            while let next = breaker.following(place) {
                if isWord { words += 1 }
                isWord = breaker.wordClass.isWord
                (last, place) = (place, next)
            }
            // The last word of the piece may continue in the next piece: count it there, unless it fills the whole
            // piece.
            let isCut = end < range.upperBound && last > 0
            if isCut {
                part = String(part[..<part.utf16.index(part.startIndex, offsetBy: last)])
                // Convert through UTF-16 offsets, in which an invalid byte counts as one unit.
                end = text.byteOffset(at: text.utf16Offset(at: start) + last)
            } else if isWord {
                words += 1
            }
            characters += part.count
            start = end
        }
    }

    /// The counts as a text for the user.
    var description: String {
        let wordsAndCharacters = Words.list(
            Words.words(words, Words.grouped(words)), Words.characters(characters, Words.grouped(characters)))
        return Words.list(wordsAndCharacters, Words.lines(lines, Words.grouped(lines)))
    }
}

extension EditorWindow {
    /// Counts the selection, or the whole document if nothing is selected, in the background, and shows the result
    /// in the status line. Cancels a running count.
    func countWords() {
        let text = view.store.text
        let selected = (view.selection?.ranges ?? []).filter { !$0.range.isEmpty }.map { text.byteRange(of: $0.range) }
        let ranges = selected.isEmpty ? [text.byteRange] : selected
        let isWhole = selected.isEmpty
        let poster = display.poster
        let counting = Counting()
        wordCounting?.cancel()
        wordCounting = counting
        // `window` is used only in closures passed to `poster.post`, which run on the display's thread.
        nonisolated(unsafe) weak let window = self
        do {
            pthread_detach(
                try BackgroundThread.start {
                    let count = WordCount(of: text, in: ranges) { counting.isCancelled }
                    poster.post {
                        guard let window, window.wordCounting === counting else { return }
                        window.wordCounting = nil
                        window.notify(isWhole ? count.description : Words.selected(count.description))
                    }
                })
            if ranges.reduce(0, { $0 + $1.count }) > 10_000_000 { notify(Words.counting) }
        } catch {
            notify(Words.noResourcesToCount, isProblem: true)
        }
    }
}

/// A count that runs on another thread and can be cancelled.
final class Counting: Sendable {
    private let isGivenUp = Atomic(false)

    var isCancelled: Bool { isGivenUp.load(ordering: .relaxed) }

    /// Requests the end of the count; callable on any thread. The count ends after at most about 64 KB more.
    func cancel() { isGivenUp.store(true, ordering: .relaxed) }
}

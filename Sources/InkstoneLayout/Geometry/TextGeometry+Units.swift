import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Words, sentences and other text units around a position, by UAX #29; in Thai, Chinese, Japanese and other
/// languages that do not separate words by spaces, by ICU's dictionaries.
extension TextGeometry {
    private var text: Rope { document.text }

    /// Returns the text around an offset, limited to the offset's paragraph with its newline, and the start of that
    /// text.
    private func surroundings(of unit: Int) -> (units: [UInt16], start: Int) {
        let range = NearbyWords.surroundings(of: unit, in: text, Paragraph(text, holding: unit))
        return (text.utf16(in: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound)), range.lowerBound)
    }

    // MARK: Edges of words

    /// Returns the end of the word at or after a position; after the last word, the end of the document. Masked
    /// text is one word: moves must not reveal where its blanks are.
    package func wordEnd(after place: CaretPlace) -> CaretPlace {
        if document.setting.options.masksCharacters { return documentEnd }
        var unit = document.clamped(place.offset)
        while unit < text.metrics.utf16 {
            let (units, start) = surroundings(of: unit)
            let found = TextBreaker.withShared(.word) { breaker -> Int? in
                breaker.setText(units)
                var at = unit - start
                while let next = breaker.word(holding: at, style: wordStyle) {
                    if next.isWord { return next.range.upperBound }
                    at = next.range.upperBound
                }
                return nil
            }
            if let found {
                let end = UTF16Offset(start + found)
                guard let shown = document.passHidden(end, forward: true) else { return place }
                // If the end found is visible, return it. If it is in hidden text, go on searching from the visible
                // text after it.
                if shown == end { return CaretPlace(end) }
                unit = shown.value
            } else {
                unit = start + units.count
            }
        }
        return documentEnd
    }

    /// Returns the start of the word that contains a position or precedes it; before the first word, the start of
    /// the document.
    package func wordStart(before place: CaretPlace) -> CaretPlace {
        if document.setting.options.masksCharacters { return documentStart }
        var unit = document.clamped(place.offset)
        while unit > 0 {
            let (units, start) = surroundings(of: unit - 1)
            let found = TextBreaker.withShared(.word) { breaker -> Int? in
                breaker.setText(units)
                var at = unit - start - 1
                while let previous = breaker.word(holding: at, style: wordStyle) {
                    if previous.isWord { return previous.range.lowerBound }
                    at = previous.range.lowerBound - 1
                }
                return nil
            }
            if let found {
                let begin = UTF16Offset(start + found)
                guard let shown = document.passHidden(begin, forward: false) else { return place }
                if shown == begin { return CaretPlace(begin) }
                unit = shown.value
            } else {
                unit = start
            }
        }
        return documentStart
    }

    /// Returns the next edge of a word to the right or left on the screen.
    ///
    /// Passes clusters in visual order until the first word entered is left, or the text ends. In left-to-right
    /// text the result is the word's end when moving right and its start when moving left; in right-to-left text
    /// the reverse.
    func wordEdge(from place: CaretPlace, toRight: Bool) -> CaretPlace {
        let walk = VisualWalk(document, from: place, toRight: toRight)
        var edge = wordEdge(walk)
        // If the caret has entered a paragraph of the opposite direction, the next moves must continue in text order:
        // visual moves would lead back.
        let rightIsForward = walk.isForward == toRight
        if isParagraphRightToLeft(at: edge.offset) == rightIsForward { edge.rightIsForward = rightIsForward }
        return edge
    }

    private func wordEdge(_ start: VisualWalk) -> CaretPlace {
        var walk = start
        if document.setting.options.masksCharacters { return walk.isForward ? documentEnd : documentStart }
        return TextBreaker.withShared(.word) { breaker in
            var words = NearbyWords(text, wordStyle, breaker)
            var known: (range: Range<Int>, isWord: Bool)?
            var entered: Range<Int>?
            while true {
                var ahead = walk
                switch ahead.next() {
                case nil: return canonical(walk.place)
                case .newline:
                    if entered != nil { return canonical(walk.place) }
                case .cluster(let unit):
                    if known.map({ $0.range.contains(unit) }) != true { known = words.word(holding: unit) }
                    if let found = known, found.isWord {
                        // If the word that was entered first is left, return its edge. Of a very long word, only
                        // the part around each cluster is found: overlapping parts count as one word.
                        if let entered, !entered.overlaps(found.range) { return canonical(walk.place) }
                        entered = found.range
                    } else if entered != nil {
                        return canonical(walk.place)
                    }
                }
                walk = ahead
            }
        }
    }

    // MARK: Words, sentences and paragraphs

    /// Returns the word at a position, or the text between two words: the unit that a double click selects. At a
    /// boundary this is the unit after it; at a paragraph's end, the unit before. Masked text is one word.
    package func wordRange(at place: CaretPlace) -> Range<UTF16Offset> {
        if document.setting.options.masksCharacters { return text.utf16Range }
        return segment(at: place) { breaker, unit, _ in breaker.word(holding: unit, style: wordStyle)?.range }
    }

    /// Returns the range of the sentence that contains a position.
    package func sentenceRange(at place: CaretPlace) -> Range<UTF16Offset> {
        segment(at: place, .sentence) { breaker, unit, length in
            let high = breaker.following(unit) ?? length
            return (breaker.preceding(high) ?? 0)..<high
        }
    }

    private func segment(
        at place: CaretPlace, _ kind: TextBreaker.Kind = .word,
        _ find: (TextBreaker, _ unit: Int, _ length: Int) -> Range<Int>?
    ) -> Range<UTF16Offset> {
        let unit = document.clamped(place.offset)
        let paragraph = Paragraph(text, holding: unit)
        let (units, start) = surroundings(of: unit)
        let content = min(units.count, paragraph.contentEnd - start)
        guard content > 0 else { return UTF16Offset(unit)..<UTF16Offset(unit) }
        return TextBreaker.withShared(kind) { breaker in
            breaker.setText(Array(units[..<content]))
            var at = min(unit - start, content)
            if at == content || place.affinity == .upstream && at > 0 { at -= 1 }
            let found = find(breaker, at, content) ?? at..<at
            return UTF16Offset(start + found.lowerBound)..<UTF16Offset(start + found.upperBound)
        }
    }

    /// Returns the range of the paragraph that contains a position, with its newline: the unit that a triple click
    /// selects.
    package func paragraphRange(at place: CaretPlace) -> Range<UTF16Offset> {
        let paragraph = Paragraph(text, holding: document.clamped(place.offset))
        return UTF16Offset(paragraph.start)..<UTF16Offset(min(paragraph.end, text.metrics.utf16))
    }

    /// Returns the whole text unit, such as a word, that contains a position: what a double or triple click
    /// selects. Empty for characters.
    package func range(_ granularity: TextGranularity, enclosing place: CaretPlace) -> Range<UTF16Offset> {
        switch granularity {
        case .character: place.offset..<place.offset
        case .word: wordRange(at: place)
        case .sentence: sentenceRange(at: place)
        case .paragraph: paragraphRange(at: place)
        case .line: lineFragment(at: place.offset, affinity: place.affinity).utf16Range
        case .document: text.utf16Range
        }
    }
}

/// Finds the words at successive nearby positions. Text is read again only if the text read before has too little
/// context around a position.
struct NearbyWords {
    /// Number of UTF-16 units read before and after a position: enough context to find words, without reading all of a
    /// long paragraph.
    private static let reach = 2048

    private let text: Rope
    private let style: WordStyle
    private let breaker: TextBreaker
    /// Start of the text in the breaker, in UTF-16 units of the document.
    private var start = 0
    /// The range of positions around which the text in the breaker has enough context.
    private var covered = 0..<0
    /// Number of times that text was read, for tests.
    private(set) var takings = 0

    /// Creates a finder that uses `breaker`, which must not be given other text while the finder is in use.
    init(_ text: Rope, _ style: WordStyle, _ breaker: TextBreaker) {
        (self.text, self.style, self.breaker) = (text, style, breaker)
    }

    /// Returns the part of a paragraph that is at most ``reach`` units away from a UTF-16 unit.
    static func surroundings(of unit: Int, in text: Rope, _ paragraph: Paragraph) -> Range<Int> {
        let low = text.scalarBoundary(max(paragraph.start, unit - reach))
        let high = text.scalarBoundary(min(min(paragraph.end, text.metrics.utf16), unit + reach))
        return low..<high
    }

    /// Returns the word that contains a UTF-16 unit of the document, or the text between two words; nil at the
    /// document's end.
    mutating func word(holding unit: Int) -> (range: Range<Int>, isWord: Bool)? {
        if !covered.contains(unit) { take(around: unit) }
        return breaker.word(holding: unit - start, style: style).map {
            (($0.range.lowerBound + start)..<($0.range.upperBound + start), $0.isWord)
        }
    }

    private mutating func take(around unit: Int) {
        let paragraph = Paragraph(text, holding: unit)
        let range = Self.surroundings(of: unit, in: text, paragraph)
        breaker.setText(text.utf16(in: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound)))
        start = range.lowerBound
        let low = range.lowerBound == paragraph.start ? range.lowerBound : unit - Self.reach / 2
        let high = range.upperBound >= min(paragraph.end, text.metrics.utf16) ? range.upperBound : unit + Self.reach / 2
        covered = low..<high
        takings += 1
    }
}

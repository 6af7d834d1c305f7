import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Words, sentences and other units around a position (UAX #29; Thai, Chinese, Japanese and others by ICU's dictionaries).
extension TextGeometry {
    private var text: Rope { document.text }

    /// Returns the units around an offset in its paragraph, the newline included, and their start.
    private func surroundings(of unit: Int) -> (units: [UInt16], start: Int) {
        let range = NearbyWords.surroundings(of: unit, in: text, Paragraph(text, holding: unit))
        return (text.utf16(in: UTF16Offset(range.lowerBound)..<UTF16Offset(range.upperBound)), range.lowerBound)
    }

    // MARK: Edges of words

    /// Returns the end of the next word, or of the word that holds the position; after the last word, the end of the document. Masked text
    /// is one word, so that moves do not reveal its blanks.
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
                // The word follows hidden text: continue to the word's own end.
                if shown == end { return CaretPlace(end) }
                unit = shown.value
            } else {
                unit = start + units.count
            }
        }
        return documentEnd
    }

    /// Returns the start of the word that holds or precedes the position; before the first word, the start of the document.
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
    /// Walks over the clusters in visual order until it leaves the first word that it enters, or reaches the edge of the text. In a
    /// left-to-right run that edge is the word's end on the way right and its start on the way left; in a right-to-left run, the reverse.
    func wordEdge(from place: CaretPlace, toRight: Bool) -> CaretPlace {
        let walk = VisualWalk(document, from: place, toRight: toRight)
        var edge = wordEdge(walk)
        // In a paragraph that runs against the walk, the next move continues in the order of the text.
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
                        // Of a very long word only the part around the cluster is known: parts that overlap are one word.
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

    // MARK: Units

    /// Returns the word at a position, or the text between two words: the unit that a double click selects. At a boundary it is the unit
    /// after it, at the end of a paragraph the unit before it. Masked text is one word.
    package func wordRange(at place: CaretPlace) -> Range<UTF16Offset> {
        if document.setting.options.masksCharacters { return text.utf16Range }
        return segment(at: place) { breaker, unit, _ in breaker.word(holding: unit, style: wordStyle)?.range }
    }

    /// Returns the sentence at a position.
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

    /// Returns the paragraph at a position, with its newline: the unit that a triple click selects.
    package func paragraphRange(at place: CaretPlace) -> Range<UTF16Offset> {
        let paragraph = Paragraph(text, holding: document.clamped(place.offset))
        return UTF16Offset(paragraph.start)..<UTF16Offset(min(paragraph.end, text.metrics.utf16))
    }

    /// Returns the whole unit of text around a position, which a double or triple click selects; an empty range for characters.
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

/// The words at successive positions, as in a walk. Units are read from the text again only where those read before give
/// too little context.
struct NearbyWords {
    /// Distance from a position within which its word is searched for, in UTF-16 units: enough for context, bounded in long paragraphs.
    private static let reach = 2048

    private let text: Rope
    private let style: WordStyle
    private let breaker: TextBreaker
    /// Start of the units that the breaker has, and the positions for which their context suffices.
    private var start = 0
    private var covered = 0..<0
    /// Number of times that units were read from the text.
    private(set) var takings = 0

    /// Uses a word breaker, which must not be given another text meanwhile.
    init(_ text: Rope, _ style: WordStyle, _ breaker: TextBreaker) {
        (self.text, self.style, self.breaker) = (text, style, breaker)
    }

    /// Returns the units of a paragraph around one of them.
    static func surroundings(of unit: Int, in text: Rope, _ paragraph: Paragraph) -> Range<Int> {
        let low = text.scalarBoundary(max(paragraph.start, unit - reach))
        let high = text.scalarBoundary(min(min(paragraph.end, text.metrics.utf16), unit + reach))
        return low..<high
    }

    /// Returns the word, or the text between two words, that holds a unit of the document; nil at the document's end.
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

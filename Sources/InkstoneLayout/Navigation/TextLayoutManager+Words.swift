import InkstoneBase
import InkstoneText
import InkstoneUnicode

/// Words and sentences around a place (UAX #29; Thai, Chinese, Japanese and others by ICU's dictionaries).
extension TextLayoutManager {
    /// How far from a place to look for its word, in UTF-16 units: enough for context, bounded in long paragraphs.
    private static let reach = 2048

    /// Units around an offset in its paragraph, the newline included, and where they start.
    private func surroundings(of unit: Int) -> (units: [UInt16], start: Int) {
        let paragraph = Paragraph(text, holding: unit)
        let low = text.scalarBoundary(max(paragraph.start, unit - Self.reach))
        let high = text.scalarBoundary(min(min(paragraph.end, text.metrics.utf16), unit + Self.reach))
        return (text.utf16(in: UTF16Offset(low)..<UTF16Offset(high)), low)
    }

    /// The end of the next word, or of the word that a place is in; the end of the document behind the last.
    public func wordEnd(after place: CaretPlace) -> CaretPlace {
        var unit = clampedUnit(place.offset)
        while unit < text.metrics.utf16 {
            let (units, start) = surroundings(of: unit)
            let found = TextBreaker.withShared(.word) { breaker -> Int? in
                breaker.setText(units)
                var at = unit - start
                while let next = breaker.following(at) {
                    if breaker.wordClass.isWord { return next }
                    at = next
                }
                return nil
            }
            if let found {
                let end = UTF16Offset(start + found)
                guard let shown = passHidden(end, forward: true) else { return place }
                // A word behind hidden text: on to its own end.
                if shown == end { return CaretPlace(end) }
                unit = shown.value
            } else {
                unit = start + units.count
            }
        }
        return documentEnd
    }

    /// The start of the word that a place is in or behind; the start of the document before the first.
    public func wordStart(before place: CaretPlace) -> CaretPlace {
        var unit = clampedUnit(place.offset)
        while unit > 0 {
            let (units, start) = surroundings(of: unit - 1)
            let found = TextBreaker.withShared(.word) { breaker -> Int? in
                breaker.setText(units)
                var at = unit - start
                while let previous = breaker.preceding(at) {
                    // The class of a word is known at its end.
                    if breaker.following(previous) != nil, breaker.wordClass.isWord { return previous }
                    at = previous
                }
                return nil
            }
            if let found {
                let begin = UTF16Offset(start + found)
                guard let shown = passHidden(begin, forward: false) else { return place }
                if shown == begin { return CaretPlace(begin) }
                unit = shown.value
            } else {
                unit = start
            }
        }
        return documentStart
    }

    /// The word, or the stretch between words, at a place: what a double click selects. At a boundary the one after it,
    /// at the end of a paragraph the one before it.
    public func wordRange(at place: CaretPlace) -> Range<UTF16Offset> {
        segment(at: clampedUnit(place.offset), upstream: place.affinity == .upstream, .word)
    }

    /// The sentence at a place.
    public func sentenceRange(at place: CaretPlace) -> Range<UTF16Offset> {
        segment(at: clampedUnit(place.offset), upstream: place.affinity == .upstream, .sentence)
    }

    private func segment(at unit: Int, upstream: Bool, _ kind: TextBreaker.Kind) -> Range<UTF16Offset> {
        let paragraph = Paragraph(text, holding: unit)
        let (units, start) = surroundings(of: unit)
        let content = min(units.count, paragraph.contentEnd - start)
        guard content > 0 else { return UTF16Offset(unit)..<UTF16Offset(unit) }
        return TextBreaker.withShared(kind) { breaker in
            breaker.setText(Array(units[..<content]))
            var at = min(unit - start, content)
            if at == content || upstream && at > 0 { at -= 1 }
            let high = breaker.following(at) ?? content
            let low = breaker.preceding(high) ?? 0
            return UTF16Offset(start + low)..<UTF16Offset(start + high)
        }
    }

    /// The paragraph at a place, with its newline: what a triple click selects.
    public func paragraphRange(at place: CaretPlace) -> Range<UTF16Offset> {
        let paragraph = Paragraph(text, holding: clampedUnit(place.offset))
        return UTF16Offset(paragraph.start)..<UTF16Offset(min(paragraph.end, text.metrics.utf16))
    }
}

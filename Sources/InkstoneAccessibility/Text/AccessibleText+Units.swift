import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import InkstoneView

/// Text units such as words and lines. The units of one kind cover the text without gaps: each begins where the one
/// before ends.
extension AccessibleText {
    /// Kinds of text units.
    package enum Unit: Hashable, Sendable, CaseIterable {
        case character
        /// From the start of a word to the start of the next word.
        case wordStart
        /// From the end of a word to the end of the next word.
        case wordEnd
        case sentenceStart
        case sentenceEnd
        /// Lines on the screen, each including its newline.
        case lineStart
        /// From the end of a line on the screen, before its newline, to the end of the next line.
        case lineEnd
        /// Paragraphs, each including its newline.
        case paragraph
    }

    /// The position of the requested unit: the unit that contains an offset (`at`), or the one before or after that
    /// unit.
    package enum Neighbour: Hashable, Sendable, CaseIterable { case before, at, after }

    /// The maximum number of sentences to search for content before or after a sentence. If all of them are blank, the
    /// unit extends to the start or the end of the text.
    private static let longestSearch = 64

    /// Returns the range of the unit at an offset, or of the unit before or after that one. If there is no such
    /// unit, the range is empty: at the start of the text for `before`, otherwise at its end.
    package func range(of unit: Unit, at offset: Int, _ neighbour: Neighbour = .at) -> Range<Int> {
        let here = tile(unit, clamped(offset), atCaret: true)
        switch neighbour {
        case .at: return here
        case .before: return here.lowerBound == 0 ? 0..<0 : tile(unit, here.lowerBound - 1)
        case .after: return here.upperBound >= count ? count..<count : tile(unit, here.upperBound)
        }
    }

    /// Returns the text of a unit and its range.
    package func unit(_ unit: Unit, at offset: Int, _ neighbour: Neighbour = .at) -> (text: String, range: Range<Int>) {
        let range = range(of: unit, at: offset, neighbour)
        return (string(range), range)
    }

    /// Returns the range of the unit that contains an offset.
    ///
    /// - Parameter atCaret: whether to prefer the line on which the caret is displayed, if the offset is the
    ///   caret's. With the caret at the end of a wrapped line, the same offset is also the start of the next line,
    ///   and a screen reader would read the wrong line. With `atCaret`, the result is the caret's line, or the last
    ///   character of that line.
    private func tile(_ unit: Unit, _ offset: Int, atCaret: Bool = false) -> Range<Int> {
        if unit == .character {
            if atCaret, offset > 0, isEndOfCaretsLine(offset) { return offset - 1..<offset }
            return offset..<min(offset + 1, count)
        }
        if isSecure { return 0..<count }
        switch unit {
        case .character: return offset..<offset
        case .wordStart: return tile(offset, from: wordStart(atOrBefore:), to: wordStart(after:))
        case .wordEnd: return tile(offset, from: wordEnd(atOrBefore:), to: wordEnd(after:))
        case .sentenceStart: return scalars(sentence(at: utf16(min(offset, max(0, count - 1)))))
        case .sentenceEnd: return sentenceEnd(min(offset, max(0, count - 1)))
        case .lineStart: return scalars(line(at: offset, atCaret: atCaret))
        case .lineEnd: return lineEnd(offset)
        case .paragraph: return scalars(view.geometry.paragraphRange(at: CaretPlace(utf16(offset))))
        }
    }

    // MARK: Words

    /// Returns the range between the boundaries before and after an offset. At the end of the text, returns the range
    /// that ends there; in an empty text, an empty range.
    private func tile(
        _ offset: Int, from start: (UTF16Offset) -> UTF16Offset, to end: (UTF16Offset) -> UTF16Offset
    ) -> Range<Int> {
        guard count > 0 else { return 0..<0 }
        let unit = utf16(min(offset, count - 1))
        return scalars(start(unit)..<end(unit))
    }

    private var end: UTF16Offset { text.utf16Range.upperBound }

    private func wordStart(atOrBefore unit: UTF16Offset) -> UTF16Offset {
        view.geometry.wordStart(before: CaretPlace(unit + 1)).offset
    }

    private func wordStart(after unit: UTF16Offset) -> UTF16Offset {
        let geometry = view.geometry
        var at = CaretPlace(unit)
        // The first word that ends after the offset may have begun before it. If so, try the next word, which
        // starts after the offset.
        for _ in 0..<2 {
            at = geometry.wordEnd(after: at)
            let start = geometry.wordStart(before: at).offset
            if start > unit { return start }
        }
        return end
    }

    private func wordEnd(after unit: UTF16Offset) -> UTF16Offset {
        view.geometry.wordEnd(after: CaretPlace(unit)).offset
    }

    private func wordEnd(atOrBefore unit: UTF16Offset) -> UTF16Offset {
        let geometry = view.geometry
        var at = CaretPlace(unit)
        for _ in 0..<2 {
            at = geometry.wordStart(before: at)
            let end = geometry.wordEnd(after: at).offset
            if end <= unit { return end }
        }
        return 0
    }

    // MARK: Sentences

    /// Returns the range of the sentence at an offset. A paragraph's newline belongs to its last sentence.
    private func sentence(at unit: UTF16Offset) -> Range<UTF16Offset> {
        let geometry = view.geometry
        let paragraph = geometry.paragraphRange(at: CaretPlace(unit))
        let content = text.utf16ContentRange(of: text.paragraphIndex(at: unit))
        guard !content.isEmpty else { return paragraph }
        let found = geometry.sentenceRange(at: CaretPlace(min(unit, content.upperBound)))
        return found.lowerBound..<(found.upperBound >= content.upperBound ? paragraph.upperBound : found.upperBound)
    }

    /// Returns the range around an offset from the end of one sentence's content to the end of the next sentence's
    /// content. White space is no content, so blank paragraphs are skipped.
    private func sentenceEnd(_ offset: Int) -> Range<Int> {
        var sentence = scalars(sentence(at: utf16(offset)))
        let end = endOfContent(sentence)
        if let end, offset < end {
            var low = 0
            for _ in 0..<Self.longestSearch where sentence.lowerBound > 0 {
                sentence = scalars(self.sentence(at: utf16(sentence.lowerBound - 1)))
                if let found = endOfContent(sentence) {
                    low = found
                    break
                }
            }
            return low..<end
        }
        var low = end
        let first = sentence
        for _ in 0..<Self.longestSearch where low == nil && sentence.lowerBound > 0 {
            sentence = scalars(self.sentence(at: utf16(sentence.lowerBound - 1)))
            low = endOfContent(sentence)
        }
        sentence = first
        for _ in 0..<Self.longestSearch where sentence.upperBound < count {
            sentence = scalars(self.sentence(at: utf16(sentence.upperBound)))
            if let high = endOfContent(sentence) { return (low ?? 0)..<high }
        }
        return (low ?? 0)..<count
    }

    /// Returns the end of a range without its trailing white space; nil if the range has only white space.
    private func endOfContent(_ range: Range<Int>) -> Int? {
        var end = range.upperBound
        // Examine 4,096 scalars at most, to bound the work. White space before these counts as content.
        var piece = max(range.lowerBound, end - 4096)..<end
        var scalars = string(piece).unicodeScalars[...]
        while let last = scalars.last, last.properties.isWhitespace {
            scalars.removeLast()
            end -= 1
        }
        piece = range.lowerBound..<end
        return piece.isEmpty ? nil : end
    }

    // MARK: Lines

    private func line(at offset: Int, atCaret: Bool) -> Range<UTF16Offset> {
        let unit = utf16(offset)
        let primary = view.state.primary
        let isCaret = atCaret && primary.head == unit && view.selection != nil
        return view.geometry.lineFragment(at: unit, affinity: isCaret ? primary.affinity : .downstream).utf16Range
    }

    /// Whether the caret is at an offset and is displayed there at the end of a wrapped line.
    private func isEndOfCaretsLine(_ offset: Int) -> Bool {
        let primary = view.state.primary
        guard primary.affinity == .upstream, view.selection != nil, primary.head == utf16(offset) else { return false }
        return line(at: offset, atCaret: true).upperBound == primary.head
    }

    /// Returns the end of a line's content. A newline or a forced break does not belong to the content, nor does white
    /// space that hangs over the edge of a wrapped line.
    private func end(ofLine line: Range<UTF16Offset>) -> Int {
        let range = scalars(line)
        let content = text.utf16ContentRange(of: text.paragraphIndex(at: line.lowerBound))
        if view.geometry.lineFragment(at: line.lowerBound).endsByBreak { return range.upperBound - 1 }
        if line.upperBound >= content.upperBound { return scalar(max(line.lowerBound, content.upperBound)) }
        return endOfContent(range) ?? range.upperBound
    }

    private func lineEnd(_ offset: Int) -> Range<Int> {
        let line = line(at: offset, atCaret: false)
        let end = end(ofLine: line)
        if offset < end || scalar(line.upperBound) >= count && end == count {
            return
                (line.lowerBound == 0
                ? 0 : self.end(ofLine: self.line(at: scalar(line.lowerBound) - 1, atCaret: false)))..<end
        }
        return end..<max(end, self.end(ofLine: self.line(at: scalar(line.upperBound), atCaret: false)))
    }
}

import InkstoneBase
import InkstoneEditing
import InkstoneLayout
import InkstoneText
import InkstoneView

/// Units of text that tile it: consecutive ranges, without a hole or an overlap.
extension AccessibleText {
    /// Kinds of units.
    package enum Unit: Hashable, Sendable, CaseIterable {
        case character
        /// From the start of a word to that of the next.
        case wordStart
        /// From the end of a word to that of the next.
        case wordEnd
        case sentenceStart
        case sentenceEnd
        /// Lines on the screen, each with its newline.
        case lineStart
        /// From the end of a line on the screen, before its newline, to that of the next.
        case lineEnd
        /// Paragraphs with their newlines.
        case paragraph
    }

    /// A unit near an offset.
    package enum Neighbour: Hashable, Sendable, CaseIterable { case before, at, after }

    /// Units without an end that are searched before a search for one gives up.
    private static let longestSearch = 64

    /// The unit at an offset, or the one before or after that; an empty range at the end of the text where there is none.
    package func range(of unit: Unit, at offset: Int, _ neighbour: Neighbour = .at) -> Range<Int> {
        let here = tile(unit, clamped(offset), atCaret: true)
        switch neighbour {
        case .at: return here
        case .before: return here.lowerBound == 0 ? 0..<0 : tile(unit, here.lowerBound - 1)
        case .after: return here.upperBound >= count ? count..<count : tile(unit, here.upperBound)
        }
    }

    /// The text of a unit, with its range.
    package func unit(_ unit: Unit, at offset: Int, _ neighbour: Neighbour = .at) -> (text: String, range: Range<Int>) {
        let range = range(of: unit, at: offset, neighbour)
        return (string(range), range)
    }

    /// - Parameter atCaret: whether the caret's own line counts at its offset: at the end of a full line that is not the one that begins there,
    ///   and the character there is the last of that line, so that a reader does not name one of the next.
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

    /// The range between two boundaries around an offset; at the end of the text the last one.
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
        // The first word that ends behind the offset may have begun before it.
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

    /// The sentence at an offset; the newline of a paragraph belongs to its last one.
    private func sentence(at unit: UTF16Offset) -> Range<UTF16Offset> {
        let geometry = view.geometry
        let paragraph = geometry.paragraphRange(at: CaretPlace(unit))
        let content = text.utf16ContentRange(of: text.paragraphIndex(at: unit))
        guard !content.isEmpty else { return paragraph }
        let found = geometry.sentenceRange(at: CaretPlace(min(unit, content.upperBound)))
        return found.lowerBound..<(found.upperBound >= content.upperBound ? paragraph.upperBound : found.upperBound)
    }

    /// The range from the end of a sentence's last word or mark to that of the next. Blank paragraphs end none.
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

    /// The end of a range without the blanks behind it; nil if there is nothing else in it.
    private func endOfContent(_ range: Range<Int>) -> Int? {
        var end = range.upperBound
        // A long run of blanks is taken for content.
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

    /// Whether the caret is at an offset, at the end of a full line.
    private func isEndOfCaretsLine(_ offset: Int) -> Bool {
        let primary = view.state.primary
        guard primary.affinity == .upstream, view.selection != nil, primary.head == utf16(offset) else { return false }
        return line(at: offset, atCaret: true).upperBound == primary.head
    }

    /// The end of a line's content: before its newline, or before the blanks that hang over a full line's edge.
    private func end(ofLine line: Range<UTF16Offset>) -> Int {
        let range = scalars(line)
        let content = text.utf16ContentRange(of: text.paragraphIndex(at: line.lowerBound))
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

import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Further commands that keys of Emacs and of shells perform: exchanging letters and words, and changing the case
/// of letters.
extension EditorState {
    /// A range of text, of which a part at the start and a part at the end are exchanged.
    private struct Exchange {
        var first: Range<UTF16Offset>
        var second: Range<UTF16Offset>
        var whole: Range<UTF16Offset> { first.lowerBound..<second.upperBound }
    }

    /// Exchanges the clusters before and after each caret; at the end of a paragraph or table cell, the two clusters
    /// before the caret. The caret moves after both clusters.
    func transposingCharacters() -> Transaction? {
        exchanging { range in
            guard range.isCaret else { return nil }
            var middle = range.head
            let paragraph = styledText.cell(at: middle) ?? contentOfParagraph(at: middle)
            if middle == paragraph.upperBound { middle = text.graphemeBoundary(before: middle) }
            guard middle > paragraph.lowerBound, middle < paragraph.upperBound else { return nil }
            return Exchange(
                first: text.graphemeBoundary(before: middle)..<middle,
                second: middle..<text.graphemeBoundary(after: middle))
        }
    }

    /// Exchanges two words at each caret: the word that contains the caret, or else the next word, and the word
    /// before it. The caret moves after both. Words in different cells of a table, and words on the two sides of a
    /// table's edge, are not exchanged: at the end of a cell or beside a table, the last two words before the caret are.
    func transposingWords(_ geometry: TextGeometry) -> Transaction? {
        exchanging { range in
            guard let exchange = words(at: range.head, within: textRange, geometry) else { return nil }
            let cell = styledText.cell(at: range.head)
            let paragraphs = [exchange.whole.lowerBound, range.head, exchange.whole.upperBound].map {
                text.paragraphIndex(at: $0).value
            }
            let touched = (paragraphs.min() ?? 0)...(paragraphs.max() ?? 0)
            guard cell != nil || styledText.runs != nil && touched.contains(where: isRow) else { return exchange }
            return words(at: range.head, within: cell ?? contentOfParagraph(at: range.head), geometry)
        }
    }

    /// Returns the exchange of the word that contains an offset, or else the next word, and the word before it. Nil if
    /// the limits do not contain two words.
    private func words(
        at offset: UTF16Offset, within limits: Range<UTF16Offset>, _ geometry: TextGeometry
    ) -> Exchange? {
        func end(after place: UTF16Offset) -> UTF16Offset {
            min(geometry.wordEnd(after: CaretPlace(place)).offset, limits.upperBound)
        }
        func start(before place: UTF16Offset) -> UTF16Offset {
            geometry.wordStart(before: CaretPlace(place)).offset
        }
        let secondEnd = end(after: offset)
        let secondStart = start(before: secondEnd)
        let firstStart = start(before: secondStart)
        let firstEnd = end(after: firstStart)
        guard limits.lowerBound <= firstStart, firstStart < firstEnd, firstEnd <= secondStart, secondStart < secondEnd
        else { return nil }
        return Exchange(first: firstStart..<firstEnd, second: secondStart..<secondEnd)
    }

    /// Exchanges the two parts that `exchange` returns for each selected range; nil leaves the range alone. The
    /// text from the start of the first part to the end of the second is replaced as one. The caret ends up after
    /// both. An exchange is omitted if its text overlaps that of an earlier one, or is not valid UTF-8.
    private func exchanging(_ exchange: (SelectionRange) -> Exchange?) -> Transaction? {
        var found: [Range<UTF16Offset>: Exchange] = [:]
        func piece(_ range: SelectionRange) -> Range<UTF16Offset>? {
            guard let exchange = exchange(range), isValid(in: exchange.whole) else { return nil }
            found[exchange.whole] = found[exchange.whole] ?? exchange
            return exchange.whole
        }
        return rewriting(piece, joins: false) { whole in
            found[whole].map { exchange in
                let between = string(in: exchange.first.upperBound..<exchange.second.lowerBound)
                return string(in: exchange.second) + between + string(in: exchange.first)
            }
        }
    }

    /// Whether all bytes of a range are valid UTF-8. A string cannot represent other bytes, so a rewritten text
    /// would lose them.
    private func isValid(in range: Range<UTF16Offset>) -> Bool {
        string(in: range).utf8.elementsEqual(text.bytes(in: text.byteRange(of: range)))
    }

    /// Rewrites each selected word. At a caret, rewrites the rest of the word that the caret is in, or the next
    /// word, and moves the caret after it. Overlapping pieces are rewritten as one. A selection without carets
    /// stays selected, so that the command can be repeated.
    func rewritingWords(_ geometry: TextGeometry, _ rewrite: (String) -> String) -> Transaction? {
        var isNew = false
        func found(_ range: SelectionRange) -> Range<UTF16Offset> {
            range.isCaret ? range.head..<geometry.wordEnd(after: range.place).offset : range.range
        }
        var transaction = rewriting(found, joins: true) { whole in
            guard isValid(in: whole) else { return nil }
            let old = string(in: whole)
            let new = Self.rewritingWords(of: old, rewrite)
            if new != old { isNew = true }
            return new
        }
        let staysSelected = selection?.ranges.contains(where: \.isCaret) == false
        if staysSelected { transaction?.selection = .grown }
        if isNew { return transaction }
        // If no text has changed, a caret still moves to the end of its word.
        guard let selection, transaction != nil else { return nil }
        if staysSelected { return selecting(selection) }
        return selecting(selection.map { SelectionRange(caret: found($0).upperBound) })
    }

    private static func rewritingWords(of text: String, _ rewrite: (String) -> String) -> String {
        var result = ""
        var word = ""
        for character in text {
            if character.isLetter || character.isNumber || word.last?.isLetter == true && character == "'" {
                word.append(character)
            } else {
                result += rewrite(word)
                word = ""
                result.append(character)
            }
        }
        return result + rewrite(word)
    }
}

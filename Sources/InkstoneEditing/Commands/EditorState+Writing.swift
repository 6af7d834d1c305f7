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
    /// before it. The caret moves after both. Words in different cells of a table, and words on the two sides of an edge
    /// of a table or of code, are not exchanged: at the end of a cell or beside such an edge, the last two words before
    /// the caret are.
    func transposingWords(_ geometry: TextGeometry) -> Transaction? {
        exchanging { range in
            guard let exchange = words(at: range.head, within: textRange, geometry) else { return nil }
            let cell = styledText.cell(at: range.head)
            let paragraphs = [exchange.whole.lowerBound, range.head, exchange.whole.upperBound].map {
                text.paragraphIndex(at: $0).value
            }
            let touched = (paragraphs.min() ?? 0)...(paragraphs.max() ?? 0)
            let isApart =
                styledText.runs != nil && (touched.contains(where: isRow) || Set(touched.map(isLiteral)).count > 1)
            guard cell != nil || isApart else { return exchange }
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

    /// Exchanges the two parts that `exchange` returns for each selected range; nil leaves the range alone. The parts keep
    /// their styles, and the text between them, such as a line end, is not changed: paragraphs stay the blocks that they
    /// are. The caret ends up after both. An exchange is omitted if its text overlaps that of an earlier one, or is not
    /// valid UTF-8.
    private func exchanging(_ exchange: (SelectionRange) -> Exchange?) -> Transaction? {
        guard let selection else { return nil }
        var edits: [(range: Range<UTF16Offset>, text: StyledText)] = []
        var ranges: [SelectionRange] = []
        var primary: Int?
        var end = UTF16Offset(0)
        for (index, range) in selection.ranges.enumerated() {
            if let found = exchange(range), isValid(in: found.whole), edits.isEmpty || found.whole.lowerBound >= end {
                // A caret in the exchanged text is replaced by the one after it.
                while let last = ranges.last?.range, last.upperBound > found.whole.lowerBound { ranges.removeLast() }
                edits.append((found.first, styledText.slice(found.second)))
                edits.append((found.second, styledText.slice(found.first)))
                end = found.whole.upperBound
                ranges.append(SelectionRange(caret: end))
            } else if edits.isEmpty || range.range.lowerBound > end {
                ranges.append(range)
            }
            if index == selection.primaryIndex { primary = max(0, ranges.count - 1) }
        }
        guard !edits.isEmpty else { return nil }
        let (changes, restyling) = styledText.replacing(edits, isStyled: styledText.runs != nil, joinsParagraphs: true)
        guard !changes.isEmpty else { return nil }
        var result = transaction(
            changes, origin: .rewriting, undo: .step,
            selection: .set(Selection(ranges, primary: primary.map { min($0, ranges.count - 1) })))
        result.restyling = restyling
        return result
    }

    /// Whether all bytes of a range are valid UTF-8. A string cannot represent other bytes, so a rewritten text
    /// would lose them.
    private func isValid(in range: Range<UTF16Offset>) -> Bool {
        string(in: range).utf8.elementsEqual(text.bytes(in: text.byteRange(of: range)))
    }

    /// Rewrites each selected word. At a caret, rewrites the rest of the word that the caret is in, or the next
    /// word, and moves the caret after it. Overlapping pieces are rewritten as one. A selection without carets
    /// stays selected, so that the command can be repeated. The text between the words keeps its attributes.
    func rewritingWords(_ geometry: TextGeometry, _ rewrite: (String) -> String) -> Transaction? {
        guard let selection else { return nil }
        func found(_ range: SelectionRange) -> Range<UTF16Offset> {
            range.isCaret ? range.head..<geometry.wordEnd(after: range.place).offset : range.range
        }
        let pieces = selection.ranges.map(found).withoutOverlaps(joining: true).filter {
            !$0.isEmpty && isValid(in: $0)
        }
        guard !pieces.isEmpty else { return nil }
        var builder = TextChangeSet.Builder(over: text)
        for piece in pieces {
            for edit in rewritingWords(in: piece, rewrite) { builder.replace(edit.range, with: edit.text) }
        }
        let changes = builder.finish()
        let staysSelected = !selection.ranges.contains(where: \.isCaret)
        // If no text changes, a caret still moves to the end of its word.
        if changes.isEmpty {
            return selecting(
                staysSelected ? selection : selection.map { SelectionRange(caret: found($0).upperBound) })
        }
        let after = selection.map {
            SelectionRange(caret: changes.map(found($0).upperBound, bias: .downstream))
        }
        var result = transaction(
            changes, origin: .rewriting, undo: .step, selection: staysSelected ? .grown : .set(after))
        // Typed text does not inherit links and code: a run of one letter would lose them.
        result.restyling = styledText.restyling(keepingReplaced: changes)
        return result
    }

    /// Returns the replacements, in order, that rewrite the words of a range. No replacement contains text with
    /// different attributes, except for a word whose number of characters changes.
    private func rewritingWords(
        in whole: Range<UTF16Offset>, _ rewrite: (String) -> String
    ) -> [(range: Range<UTF16Offset>, text: String)] {
        var ends: [UTF16Offset] = []
        styledText.runs?.forEachRun(in: whole) { run, _ in ends.append(run.range.upperBound) }
        var result: [(range: Range<UTF16Offset>, text: String)] = []
        var run = 0
        func replace(_ range: Range<UTF16Offset>, with new: String) {
            var isSameRun = true
            while run < ends.count, ends[run] <= range.lowerBound { (run, isSameRun) = (run + 1, false) }
            if isSameRun, let last = result.last?.range {
                let between = last.upperBound..<range.lowerBound
                if !between.isEmpty { result[result.count - 1].text += string(in: between) }
                result[result.count - 1].text += new
                result[result.count - 1].range = last.lowerBound..<range.upperBound
            } else {
                result.append((range, new))
            }
        }
        var word = ""
        var at = whole.lowerBound
        func finishWord() {
            let new = rewrite(word)
            var start = at - word.utf16.count
            if new.count == word.count {
                for (old, new) in zip(word, new) {
                    let end = start + old.utf16.count
                    if old != new { replace(start..<end, with: String(new)) }
                    start = end
                }
            } else {
                replace(start..<at, with: new)
            }
            word = ""
        }
        for character in string(in: whole) {
            let isInWord =
                character.isLetter || character.isNumber || word.last?.isLetter == true && character == "'"
            if isInWord { word.append(character) } else { finishWord() }
            at = at + character.utf16.count
        }
        finishWord()
        return result
    }
}

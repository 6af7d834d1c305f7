import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// Commands on lines, which are paragraphs here. Each is one transaction that keeps the attributes and the bytes of
/// the lines it moves.
///
/// A line moves with its line end. Only the last line of a text may have none; when it is moved, it gets the line
/// end of the line that becomes the last one.
extension EditorState {
    static let lineCommands: [EditCommand: Command] = [
        .moveLinesUp: ordering { $0.movingLinesUp() },
        .moveLinesDown: ordering { $0.movingLinesDown() },
        .duplicateLines: ordering { $0.duplicatingLines() },
        .deleteLines: editing(.deletion) { state, _ in state.deletingLines() },
        .joinLines: ordering { $0.joiningLines() },
        .sortLines: ordering { $0.sortingLines(by: TextCollator()) },
    ]

    private static func ordering(_ make: @escaping @Sendable (EditorState) -> Transaction?) -> Command {
        editing(.reordering) { state, _ in make(state) }
    }

    /// The blocks of lines that are selected, as ranges of paragraph numbers, in order: the paragraphs that each
    /// selected range touches, with adjacent and overlapping blocks joined. If a range begins in an earlier paragraph
    /// and ends at the start of another, the latter does not count as touched.
    var lineBlocks: [Range<Int>] {
        var blocks: [Range<Int>] = []
        for block in selectedParagraphs {
            if let last = blocks.last, block.lowerBound <= last.upperBound {
                blocks[blocks.count - 1] = last.lowerBound..<max(last.upperBound, block.upperBound)
            } else {
                blocks.append(block)
            }
        }
        return blocks
    }

    /// The blocks of lines that are selected. A block that has rows of a table and other lines is extended to the whole
    /// table, so that moving or copying it does not cut the table.
    private var lineBlocksWithWholeTables: [Range<Int>] {
        var blocks: [Range<Int>] = []
        for block in lineBlocks {
            var block = block
            if table(block.lowerBound) != table(block.upperBound - 1) {
                block = rows(block.lowerBound).lowerBound..<rows(block.upperBound - 1).upperBound
            }
            while let before = blocks.last, block.lowerBound <= before.upperBound {
                block = min(before.lowerBound, block.lowerBound)..<max(before.upperBound, block.upperBound)
                blocks.removeLast()
            }
            blocks.append(block)
        }
        return blocks
    }

    /// Returns the identity of the table of a paragraph; nil outside of tables.
    private func table(_ paragraph: Int) -> Int? { styledText.row(paragraph)?.table }

    /// Returns the rows of the table that contains a paragraph, or only the paragraph if it is in no table.
    private func rows(_ paragraph: Int) -> Range<Int> {
        guard let own = table(paragraph) else { return paragraph..<paragraph + 1 }
        var (low, high) = (paragraph, paragraph + 1)
        while table(low - 1) == own { low -= 1 }
        while table(high) == own { high += 1 }
        return low..<high
    }

    /// Whether a block of lines can be moved up; ``canMoveLinesDown`` is whether a block can be moved down. With
    /// several blocks, one that can be moved is enough.
    var canMoveLinesUp: Bool { !lineMoves(up: true).isEmpty }
    var canMoveLinesDown: Bool { !lineMoves(up: false).isEmpty }
    /// Whether a block has several lines, or is followed by another line.
    var canJoinLines: Bool { lineBlocks.contains { $0.count > 1 || $0.upperBound < text.paragraphCount } }
    /// Whether a block has several lines that can be sorted.
    var canSortLines: Bool { lineBlocks.contains { sortableLines($0).count > 1 } }

    // MARK: Moving

    /// Returns the blocks of lines that can be moved up or down, in order, each with the lines that it passes: the line
    /// beside it, or a whole table. Rows move within their table only, unless all of its rows are selected.
    private func lineMoves(up: Bool) -> [(block: Range<Int>, passed: Range<Int>)] {
        let blocks = lineBlocksWithWholeTables
        return blocks.indices.compactMap { index in
            let block = blocks[index]
            let other = up ? block.lowerBound - 1 : block.upperBound
            guard other >= 0, other < text.paragraphCount else { return nil }
            let (edge, far) = up ? (block.lowerBound, block.upperBound) : (block.upperBound - 1, block.lowerBound - 1)
            if let own = table(edge) {
                if table(other) == own { return (block, other..<other + 1) }
                if table(far) == own { return nil }
            }
            let passed = rows(other)
            // Do not exchange a table with the empty last paragraph below it. That paragraph has no character that
            // could hold its attributes, so the line end that it gets above the table would become a row of the table.
            let last = text.paragraphCount - 1
            if isBelowTable(textRange.upperBound), up ? block == last..<last + 1 : other == last { return nil }
            // Do not pass a table in which another block of lines moves.
            let neighbour = up ? index - 1 : index + 1
            if blocks.indices.contains(neighbour), blocks[neighbour].overlaps(passed) { return nil }
            return (block, passed)
        }
    }

    /// Exchanges each block of lines with the line or the table above it.
    func movingLinesUp() -> Transaction? {
        var edits: [(range: Range<UTF16Offset>, text: StyledText)] = []
        var shifts: [LineShift] = []
        for (block, passed) in lineMoves(up: true) {
            let above = utf16Range(ofLines: passed)
            let end = text.utf16Range(of: ParagraphIndex(block.upperBound - 1)).upperBound
            edits.append((above, StyledText()))
            edits.append((end..<end, endsLine(block.upperBound - 1) ? styledText.slice(above) : leading(above)))
            shifts.append(LineShift(block: block, by: -above.length()))
        }
        return reordering(edits, shifts)
    }

    /// Exchanges each block of lines with the line or the table below it.
    func movingLinesDown() -> Transaction? {
        var edits: [(range: Range<UTF16Offset>, text: StyledText)] = []
        var shifts: [LineShift] = []
        for (block, passed) in lineMoves(up: false) {
            let start = text.utf16Range(of: ParagraphIndex(block.lowerBound)).lowerBound
            var below = utf16Range(ofLines: passed)
            var moved = styledText.slice(below)
            if !endsLine(passed.upperBound - 1) {
                // If the line below is the last one and has no line end, it gets the line end of the block's last
                // line.
                let newline = lineEnd(of: block.upperBound - 1)
                moved.append(styledText.slice(newline))
                below = newline.lowerBound..<below.upperBound
            }
            edits.append((start..<start, moved))
            edits.append((below, StyledText()))
            shifts.append(LineShift(block: block, by: moved.rope.metrics.utf16))
        }
        return reordering(edits, shifts)
    }

    /// A block of lines, and the distance by which it is moved, in UTF-16 units; negative for a move up.
    private struct LineShift {
        var block: Range<Int>
        var by: Int
    }

    private func reordering(
        _ edits: [(range: Range<UTF16Offset>, text: StyledText)], _ shifts: [LineShift]
    ) -> Transaction? {
        guard !edits.isEmpty, let selection else { return nil }
        var next = 0
        let moved = selection.ranges.map { range in
            let number = text.paragraphIndex(at: range.range.lowerBound).value
            while next < shifts.count, shifts[next].block.upperBound <= number { next += 1 }
            guard next < shifts.count, shifts[next].block.contains(number) else { return range }
            return SelectionRange(anchor: range.anchor + shifts[next].by, head: range.head + shifts[next].by)
        }
        return keepingLines(replacing(edits, .set(Selection(moved, primary: selection.primaryIndex))))
    }

    /// Returns a line in the form in which it is inserted after a line without a line end: its own line end is
    /// moved to its front.
    private func leading(_ line: Range<UTF16Offset>) -> StyledText {
        let end = line.upperBound - styledText.slice(line).lineEndLength
        var result = styledText.slice(end..<line.upperBound)
        result.append(styledText.slice(line.lowerBound..<end))
        return result
    }

    /// Returns the range of the line end of a line; empty for the last line.
    private func lineEnd(of number: Int) -> Range<UTF16Offset> {
        text.utf16ContentRange(of: ParagraphIndex(number))
            .upperBound..<text.utf16Range(of: ParagraphIndex(number)).upperBound
    }

    private func endsLine(_ number: Int) -> Bool { number < text.paragraphCount - 1 }

    /// Returns a transaction that replaces ranges, in order, by texts with attributes.
    private func replacing(
        _ edits: [(range: Range<UTF16Offset>, text: StyledText)], origin: Origin = .reordering, _ after: SelectionAfter
    ) -> Transaction? {
        guard !edits.isEmpty else { return nil }
        let (changes, restyling) = styledText.replacing(edits, isStyled: styledText.runs != nil)
        guard !changes.isEmpty else { return nil }
        var result = transaction(changes, origin: origin, undo: .step, selection: after)
        result.restyling = restyling
        return result
    }

    // MARK: Duplicating and deleting

    /// Inserts a copy of each block of lines above it. A block that has rows of a table and other lines is extended to
    /// the whole table. A copy of a whole table is a table of its own. Nil if the text would exceed its maximum length.
    func duplicatingLines() -> Transaction? {
        guard let selection else { return nil }
        var edits: [(range: Range<UTF16Offset>, text: StyledText)] = []
        for block in lineBlocksWithWholeTables {
            let lines = utf16Range(ofLines: block)
            var copy = styledText.slice(lines)
            let tables = wholeTables(in: block)
            if !tables.isEmpty { copy = copy.withNewIdentities(of: tables) }
            if !endsLine(block.upperBound - 1) {
                let before =
                    block.lowerBound > 0 ? lineEnd(of: block.lowerBound - 1) : lines.upperBound..<lines.upperBound
                copy.append(before.isEmpty ? StyledText(Rope(newline)) : styledText.slice(before))
            }
            // If the copy ends with a CR and an LF follows, both would be a single line end: make the CR a CR LF,
            // as in ``deletingLines()``.
            let end = copy.rope.byteRange.upperBound
            if text.unit(at: lines.lowerBound) == 0x0a, copy.rope.bytes(in: max(0, end - 1)..<end) == [0x0d] {
                copy.append(StyledText(Rope("\n")))
            }
            edits.append((lines.lowerBound..<lines.lowerBound, copy))
        }
        if let limit = options.maximumLength {
            let length = edits.reduce(clusterCount ?? text.clusterCount) { $0 + $1.text.rope.clusterCount }
            if length > limit { return nil }
        }
        let (changes, _) = styledText.replacing(edits, isStyled: false)
        return replacing(edits, .set(selection.mapped { offset, _ in changes.map(offset, bias: .downstream) }))
    }

    /// Returns the identities of the tables of which a block of lines has all rows. A table of one row counts only if the
    /// block has other lines too: its copy is another row.
    private func wholeTables(in block: Range<Int>) -> Set<Int> {
        guard styledText.runs != nil, block.count > 1 else { return [] }
        var result = Set(block.compactMap(table))
        for (edge, outside) in [(block.lowerBound, block.lowerBound - 1), (block.upperBound - 1, block.upperBound)] {
            if let own = table(edge), table(outside) == own { result.remove(own) }
        }
        return result
    }

    /// Deletes each block of lines. A selected range in the block becomes a caret in the line after the block, or
    /// else in the line before it, in the same column.
    func deletingLines() -> Transaction? {
        guard let selection, !text.isEmpty else { return nil }
        let blocks = lineBlocks
        var builder = TextChangeSet.Builder(over: text)
        for block in blocks {
            var lines = utf16Range(ofLines: block)
            // If the block ends with the last line of the text, which has no line end, delete the line end before
            // the block as well.
            if !endsLine(block.upperBound - 1), block.lowerBound > 0 {
                lines = lineEnd(of: block.lowerBound - 1).lowerBound..<lines.upperBound
            }
            // If the deletion makes a lone CR and an LF adjacent, they would be a single line end: make the CR a CR
            // LF.
            let meets = text.unit(at: lines.lowerBound - 1) == 0x0d && text.unit(at: lines.upperBound) == 0x0a
            builder.replace(lines, with: meets ? "\n" : "")
        }
        let changes = builder.finish()
        guard !changes.isEmpty else { return nil }
        var after = text
        after.apply(changes)
        let carets = selection.ranges.map { range in
            let content = contentOfParagraph(at: range.head)
            let column = min(range.head, content.upperBound) - content.lowerBound
            // Do not place the caret within a CR LF.
            let start = after.roundedUp(toGrapheme: changes.map(content.lowerBound, bias: .downstream))
            let line = after.utf16ContentRange(of: after.paragraphIndex(at: start))
            return SelectionRange(
                caret: max(
                    line.lowerBound, after.roundedDown(toGrapheme: min(line.upperBound, line.lowerBound + column))))
        }
        return transaction(
            changes, origin: .deletion, undo: .step, selection: .set(Selection(carets, primary: selection.primaryIndex))
        )
    }

    /// Returns the range of a block of lines, with their line ends.
    func utf16Range(ofLines block: Range<Int>) -> Range<UTF16Offset> {
        text.utf16Range(of: ParagraphIndex(block.lowerBound))
            .lowerBound..<text.utf16Range(of: ParagraphIndex(block.upperBound - 1)).upperBound
    }

    // MARK: Joining

    /// Joins the lines of each block, or a single line and the next one. One space replaces the line end and the
    /// white space around it.
    ///
    /// No space is inserted next to an empty line, nor between two letters of scripts without spaces between words.
    /// Rules and rows of tables are not joined.
    func joiningLines() -> Transaction? {
        guard let selection else { return nil }
        var builder = TextChangeSet.Builder(over: text)
        // The seams, where lines are joined: for each line, by its number, the start of the text that is appended to
        // it.
        var seams: [Int: UTF16Offset] = [:]
        var next = 0
        for block in lineBlocks {
            let last = min(block.count == 1 ? block.upperBound : block.upperBound - 1, text.paragraphCount - 1)
            let low = max(next, block.lowerBound)
            guard low < last else { continue }
            var (end, before) = trimmedEnd(of: text.utf16ContentRange(of: ParagraphIndex(low)))
            // The line to which the next line with text will be joined. The blank lines between the two share that
            // seam.
            var open = low
            for number in low + 1...last {
                let line = text.utf16ContentRange(of: ParagraphIndex(number))
                // Do not join a rule (a paragraph of one character): the view shows no text beside that character. A
                // row of a table would get other cells.
                if isApart(open) || isApart(number) {
                    open = number
                    (end, before) = trimmedEnd(of: line)
                    continue
                }
                let (start, after) = trimmedStart(of: line)
                if after == nil, number < last { continue }
                builder.replace(end..<start, with: Self.separator(before, after))
                for joined in open..<number { seams[joined] = start }
                open = number
                (end, before) = trimmedEnd(of: line)
            }
            next = max(next, last)
        }
        let changes = builder.finish()
        guard !changes.isEmpty else { return nil }
        // Move a caret to the seam after its line; selected text stays selected.
        let after = selection.mapped { changes.map($0, bias: $1) }.ranges
        let places = zip(selection.ranges, after).map { old, new in
            guard old.isCaret, let seam = seams[text.paragraphIndex(at: old.head).value] else { return new }
            return SelectionRange(caret: changes.map(seam, bias: .downstream))
        }
        let wanted =
            after.count == selection.count ? Selection(places, primary: selection.primaryIndex) : Selection(after)
        return transaction(changes, origin: .reordering, undo: .step, selection: .set(wanted))
    }

    /// Whether a paragraph is a rule (a thematic break) or a row of a table: Join Lines joins no other paragraph with
    /// it.
    private func isApart(_ paragraph: Int) -> Bool { isRule(ParagraphIndex(paragraph)) || isRow(paragraph) }

    /// The largest number of UTF-16 units of white space that are removed on either side of a line end. More white
    /// space stays.
    private static let mostJoined = 1000

    private func trimmedEnd(of line: Range<UTF16Offset>) -> (UTF16Offset, Unicode.Scalar?) {
        let tail = string(in: max(line.lowerBound, line.upperBound - Self.mostJoined)..<line.upperBound).unicodeScalars
        let blanks = tail.reversed().prefix { $0 == " " || $0 == "\t" }.count
        return (line.upperBound - blanks, tail.dropLast(blanks).last ?? (blanks == Self.mostJoined ? " " : nil))
    }

    private func trimmedStart(of line: Range<UTF16Offset>) -> (UTF16Offset, Unicode.Scalar?) {
        let head = string(in: line.lowerBound..<min(line.upperBound, line.lowerBound + Self.mostJoined)).unicodeScalars
        let blanks = head.prefix { $0 == " " || $0 == "\t" }.count
        return (line.lowerBound + blanks, head.dropFirst(blanks).first ?? (blanks == Self.mostJoined ? " " : nil))
    }

    private static func separator(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> String {
        guard let before, let after else { return "" }
        return isUnspaced(before) && isUnspaced(after) ? "" : " "
    }

    /// Whether a scalar belongs to text without spaces between words: by its script, or as East Asian punctuation.
    private static func isUnspaced(_ scalar: Unicode.Scalar) -> Bool {
        UnicodeData.script(of: scalar).joinsWithoutBlank || (0x3000...0x303f).contains(scalar.value)
            || (0xff01...0xff60).contains(scalar.value)
    }

    // MARK: Sorting

    /// Returns the lines of a block that are sorted: in a table the rows below its header, outside of tables all lines. A
    /// block that has rows of a table and other lines is not sorted, nor one with rows of several tables.
    private func sortableLines(_ block: Range<Int>) -> Range<Int> {
        guard let runs = styledText.runs else { return block }
        var hasRows = false
        runs.forEachRun(in: utf16Range(ofLines: block)) { run, stops in
            hasRows = run.attributes[PresentationIntentAttribute.self]?.isRow == true
            stops = hasRows
        }
        guard hasRows else { return block }
        let table = styledText.row(block.lowerBound)?.table
        guard table != nil, block.allSatisfy({ styledText.row($0)?.table == table }) else {
            return block.lowerBound..<block.lowerBound
        }
        let isHeader = styledText.row(block.lowerBound - 1)?.table != table
        return block.lowerBound + (isHeader ? 1 : 0)..<block.upperBound
    }

    /// Sorts the lines of each block of several lines, and selects them. The rows of one table are sorted below its
    /// header, but not among other lines. Nil if they are in order already, if a CR and an LF would come together and
    /// form one line end, or if `isCancelled`, which is called at each comparison, returns true. O(n log n) for n
    /// lines: for a large text, call on a background thread.
    package func sortingLines(
        by collator: borrowing TextCollator, isCancelled: () -> Bool = { false }
    ) -> Transaction? {
        guard let selection else { return nil }
        var edits: [(range: Range<UTF16Offset>, text: StyledText)] = []
        var sorted: [(block: Range<Int>, lines: Range<UTF16Offset>)] = []
        for block in lineBlocks.map(sortableLines) where block.count > 1 {
            let lines = block.map { (text: string(in: text.utf16ContentRange(of: ParagraphIndex($0))), number: $0) }
            var order = lines
            do {
                try order.sort {
                    if isCancelled() { throw CancellationError() }
                    return collator.precedes($0.text, $1.text)
                }
            } catch {
                return nil
            }
            let whole = utf16Range(ofLines: block)
            // Leave the line end of the last line out of the selection.
            let isLast = !endsLine(block.upperBound - 1)
            let end =
                isLast ? whole.upperBound : whole.upperBound - (order.last.map { lineEnd(of: $0.number).length() } ?? 0)
            sorted.append((block, whole.lowerBound..<end))
            if zip(lines, order).allSatisfy({ $0.number == $1.number }) { continue }
            edits.append((whole, joined(order.map(\.number))))
        }
        var next = 0
        let ranges = selection.ranges.map { range in
            let number = text.paragraphIndex(at: range.range.lowerBound).value
            while next < sorted.count, sorted[next].block.upperBound <= number { next += 1 }
            guard next < sorted.count, sorted[next].block.contains(number) else { return range }
            return SelectionRange(anchor: sorted[next].lines.lowerBound, head: sorted[next].lines.upperBound)
        }
        return keepingLines(replacing(edits, .set(Selection(ranges, primary: selection.primaryIndex))))
    }

    /// Returns the transaction. Returns nil if a CR and an LF of two lines that become adjacent would form a single
    /// line end: the text would then lose a line.
    private func keepingLines(_ transaction: Transaction?) -> Transaction? {
        guard let transaction else { return nil }
        var after = text
        after.apply(transaction.changes)
        return after.metrics.newlines == text.metrics.newlines ? transaction : nil
    }

    /// Returns lines in the given order. If one of them has no line end, it gets the line end of the line that
    /// becomes the last one.
    private func joined(_ numbers: [Int]) -> StyledText {
        guard let last = numbers.last else { return StyledText() }
        let endsAll = numbers.allSatisfy(endsLine)
        var result = StyledText()
        for number in numbers.dropLast() {
            result.append(styledText.slice(text.utf16Range(of: ParagraphIndex(number))))
            if !endsLine(number) { result.append(styledText.slice(lineEnd(of: last))) }
        }
        result.append(
            styledText.slice(
                endsAll ? text.utf16Range(of: ParagraphIndex(last)) : text.utf16ContentRange(of: ParagraphIndex(last))))
        return result
    }
}

extension StyledText {
    /// The length of the last line end of the text, in UTF-16 units; 0 if there is none.
    fileprivate var lineEndLength: Int {
        guard rope.metrics.newlines > 0, !rope.isEmpty else { return 0 }
        let paragraph = ParagraphIndex(rope.metrics.newlines - 1)
        return rope.utf16Range(of: paragraph).upperBound - rope.utf16ContentRange(of: paragraph).upperBound
    }
}

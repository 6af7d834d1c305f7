import InkstoneBase

extension InputText {
    /// Creates marked text from a preedit. Its clauses are the runs of equal feedback.
    ///
    /// Reverse or Highlight marks the clause that is being converted. If there is such a clause, the other clauses
    /// count as converted; if not, all clauses count as typed. Text without feedback, which some engines omit,
    /// counts in the same way.
    package init(_ preedit: PreeditBuffer) {
        let isConverting = preedit.targetClause != nil
        // The clauses are contiguous: each begins at the end of the previous one.
        var end: UTF16Offset = 0
        let clauses = preedit.clauses.map { range, feedback in
            let kind: MarkedClauseKind =
                if feedback.isTarget {
                    .target
                } else if isConverting || !feedback.isDisjoint(with: [.secondary, .tertiary]) {
                    .converted
                } else {
                    .raw
                }
            let start = end
            for scalar in preedit.scalars[range] { end += UTF16.width(scalar) }
            return MarkedClause(range: start..<end, kind: kind)
        }
        self.init(
            preedit.text, clauses: clauses, caret: UTF16Offset(preedit.utf16Offset(ofScalar: preedit.caret)),
            isCaretHidden: !preedit.isCaretVisible)
    }
}

extension PreeditBuffer {
    /// The range that the client should select, in UTF-16 units from the start of the preedit: the clause being
    /// converted. If there is none, the range is the caret. (The clause takes precedence because servers report it
    /// reliably, but not the caret.)
    package var selectedRange: UTF16Range {
        let range = targetClause ?? caret..<caret
        let start = utf16Offset(ofScalar: range.lowerBound)
        return UTF16Range(location: start, length: utf16Offset(ofScalar: range.upperBound) - start)
    }
}

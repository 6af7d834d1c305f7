import InkstoneBase

extension InputText {
    /// Creates marked text from a preedit: clauses are the runs of equal feedback.
    ///
    /// Reverse or Highlight marks the clause being converted. While there is one, the others count as converted; without
    /// one all count as typed, also without any feedback, which some engines omit.
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
    /// The range for the client to select, in UTF-16 units from the start of the preedit: the clause being converted, or the
    /// caret if there is none. (Servers report the clause reliably, but not the caret.)
    package var selectedRange: UTF16Range {
        let range = targetClause ?? caret..<caret
        let start = utf16Offset(ofScalar: range.lowerBound)
        return UTF16Range(location: start, length: utf16Offset(ofScalar: range.upperBound) - start)
    }
}

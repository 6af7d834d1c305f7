public import InkstoneBase

extension InputText {
    /// Marked text from a preedit: clauses are the runs of equal feedback.
    ///
    /// Reverse or Highlight is the clause being converted. While there is one, all else counts as converted; without
    /// one all is as typed, also without any feedback, as some engines send it.
    public init(_ preedit: PreeditBuffer) {
        let isConverting = preedit.targetClause != nil
        // Clauses follow each other without gaps: each begins where the one before ends.
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
    /// What the client is to select, in UTF-16 units from the start of the preedit: the clause being converted, or the
    /// caret if there is none. (Servers report the caret badly; the clause is what they get right.)
    public var selectedRange: UTF16Range {
        let range = targetClause ?? caret..<caret
        let start = utf16Offset(ofScalar: range.lowerBound)
        return UTF16Range(location: start, length: utf16Offset(ofScalar: range.upperBound) - start)
    }
}

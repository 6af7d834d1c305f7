import InkstoneBase
import InkstoneInput
import InkstoneLayout

/// How marked text looks, clause by clause.
extension EditorView {
    /// The look of one kind of clause: by ``markedTextStyle``, else by the theme. The underline's thickness is in whole
    /// device pixels.
    func look(of kind: MarkedClauseKind) -> MarkedTextStyle.Clause {
        var look: MarkedTextStyle.Clause
        switch (markedTextStyle, kind) {
        case (let style?, _): look = style[kind]
        case (nil, .target):
            look = .init(
                underlineThickness: 2, underlineColor: theme.targetUnderline, backgroundColor: theme.targetBackground)
        case (nil, _): look = .init(underlineThickness: 1, underlineColor: theme.markedUnderline)
        }
        if look.underlineThickness > 0 {
            look.underlineThickness = max(1, (look.underlineThickness * theme.underlineWidth).rounded())
        }
        return look
    }

    /// The stretches of text with a colour of their own, in order: those of clauses go before all others.
    func coloring(_ segments: [MarkedClause], over runs: [RenderingRun]) -> [RenderingRun] {
        let clauses = segments.compactMap { segment in
            look(of: segment.kind).textColor.map {
                RenderingRun(range: segment.range, attributes: RenderingAttributes(foreground: $0))
            }
        }
        var result = runs
        for clause in clauses {
            result = result.flatMap { run in
                let (start, end) = (run.range.lowerBound, run.range.upperBound)
                let before = start..<max(start, min(end, clause.range.lowerBound))
                let after = min(end, max(start, clause.range.upperBound))..<end
                return [before, after].filter { !$0.isEmpty }.map {
                    RenderingRun(range: $0, attributes: run.attributes)
                }
            }
        }
        return (result + clauses).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    func markedTextStyleDidChange(from old: MarkedTextStyle?) {
        guard let markedText, markedTextStyle != old else { return }
        setNeedsDisplay(offsets: markedText.range, includingInk: true)
    }
}

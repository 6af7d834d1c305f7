import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// A step of indentation is what the Tab key types at the start of a paragraph; where Tab moves the focus, a tab.
extension EditorView {
    /// Puts a step of indentation before each paragraph that the selection touches, or takes one away; as one step of undo.
    /// The selection keeps its text. Empty paragraphs among several stay empty.
    func shiftParagraphs(outwards: Bool) {
        let paragraphs = selectedParagraphs
        var shifts: [(at: UTF16Offset, removed: Int, inserted: String)] = []
        for number in paragraphs.lowerBound.value...paragraphs.upperBound.value {
            let content = store.text.utf16ContentRange(of: ParagraphIndex(number))
            if outwards {
                let removed = indentation(of: content)
                if removed > 0 { shifts.append((content.lowerBound, removed, "")) }
            } else if !content.isEmpty || paragraphs.lowerBound == paragraphs.upperBound {
                shifts.append((content.lowerBound, 0, indentationStep))
            }
        }
        guard !shifts.isEmpty else { return }
        var new = primary
        asOutsideChange(of: .text) {
            let version = store.version
            var builder = TextChangeSet.Builder(over: store.text)
            for shift in shifts {
                let range = shift.at..<(shift.at + shift.removed)
                if let taken = accepted(shift.inserted, replacing: range) { builder.replace(range, with: taken) }
            }
            var transaction = Transaction(
                on: store, builder.finish(), origin: .typing, undo: .step, selectionBefore: primary.range, view: id)
            // The delegate that was asked may have edited meanwhile.
            transaction.version = version
            guard let applied = store.apply(transaction) else { return }
            // What begins with its paragraph goes on doing so.
            let isCaret = new.isCaret
            let anchorBias: TextAffinity = isCaret || new.anchor > new.head ? .downstream : .upstream
            let headBias: TextAffinity = isCaret || new.head > new.anchor ? .downstream : .upstream
            new.anchor = applied.changes.map(new.anchor, bias: anchorBias)
            new.head = applied.changes.map(new.head, bias: headBias)
            new.goalX = nil
            select(Selection(new))
        }
    }

    /// The paragraphs that the selection touches; not one that only its end is at the start of.
    private var selectedParagraphs: ClosedRange<ParagraphIndex> {
        let range = primary.range
        let first = store.text.paragraphIndex(at: range.lowerBound)
        var last = store.text.paragraphIndex(at: range.upperBound)
        if last > first, store.text.utf16ContentRange(of: last).lowerBound == range.upperBound {
            last = ParagraphIndex(last.value - 1)
        }
        return first...last
    }

    private var indentationStep: String {
        guard case .insertsSpaces(let columns) = options.tabBehavior else { return "\t" }
        return String(repeating: " ", count: max(1, columns))
    }

    /// How many UTF-16 units of a paragraph's start are one step of indentation or less: a tab, or blanks.
    private func indentation(of content: Range<UTF16Offset>) -> Int {
        var width = layout.paragraphStyle.tabInterval
        if case .insertsSpaces(let columns) = options.tabBehavior { width = max(1, columns) }
        let end = min(content.upperBound, content.lowerBound + width)
        var blanks = 0
        for unit in string(in: content.lowerBound..<end).utf16 {
            if unit == 0x09 { return blanks + 1 }
            guard unit == 0x20 else { break }
            blanks += 1
        }
        return blanks
    }
}

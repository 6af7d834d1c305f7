@testable import InkstoneProxy

/// A text whose characters never combine: a model of a view's handling of a keyboard's operations.
struct ModelText {
    var text: [Character]
    /// Character offsets.
    var selection: Range<Int>
    var marked: (range: Range<Int>, text: ProxyMarkedText)?

    /// A text with the caret at its end.
    init(_ text: String) {
        self.text = Array(text)
        selection = self.text.count..<self.text.count
    }

    private var passed: Int?

    /// Begins a batch, whose first operation comes after no adjustment.
    mutating func beginBatch() { passed = nil }

    mutating func replace(_ range: Range<Int>, with new: String) {
        text.replaceSubrange(range, with: Array(new))
        let end = range.lowerBound + new.count
        selection = end..<end
        marked = nil
    }

    /// Does one operation. Returns false if the text that it expects is not there.
    mutating func apply(_ operation: ProxyOperation) -> Bool {
        let passed = passed
        self.passed = nil
        let chosen = marked?.range ?? (selection.isEmpty ? nil : selection)
        if case .adjust = operation { unmark() }
        if case .select = operation { unmark() }
        switch operation {
        case .insert(let new):
            if let marked, !marked.text.selected.isEmpty {
                let start = marked.range.lowerBound + marked.text.before.count
                replace(start..<start + marked.text.selected.count, with: new)
            } else {
                replace(chosen ?? selection, with: new)
            }
        case .deleteBackward(let count):
            let start = max(0, selection.lowerBound - min(Int(count), passed ?? .max))
            replace(chosen ?? start..<selection.lowerBound, with: "")
        case .deleteForward(let count):
            replace(chosen ?? selection.upperBound..<min(text.count, selection.upperBound + Int(count)), with: "")
        case .adjust(let count):
            var caret = count < 0 ? selection.lowerBound : selection.upperBound
            if selection.isEmpty || count == 0 {
                caret = count == 0 ? selection.lowerBound : min(max(0, caret + Int(count)), text.count)
                if count > 0 { self.passed = caret - selection.upperBound }
            }
            selection = caret..<caret
        case .setMarked(let new):
            replace(chosen ?? selection, with: new.text)
            if !new.text.isEmpty {
                let start = selection.lowerBound - new.text.count
                marked = (start..<selection.lowerBound, new)
                let selected = start + new.before.count
                selection = selected..<selected + new.selected.count
            }
        case .unmark: unmark()
        case .replaceBefore(let expected, let new):
            guard chosen == nil, text[..<selection.lowerBound].reversed().starts(with: expected.reversed()) else {
                return false
            }
            replace(selection.lowerBound - expected.count..<selection.lowerBound, with: new)
        case .replaceSelection(let expected, let new):
            guard String(text[selection]) == expected else { return false }
            return apply(.insert(new))
        case .replaceAfter(let expected, let new):
            guard chosen == nil, text[selection.upperBound...].starts(with: expected) else { return false }
            let caret = selection
            replace(selection.upperBound..<selection.upperBound + expected.count, with: new)
            selection = caret
        case .select(let count):
            let caret = selection.upperBound
            let end = min(max(0, caret + Int(count)), text.count)
            selection = min(caret, end)..<max(caret, end)
        }
        return true
    }

    /// Commits the marked text; the caret is then after the part of it that was selected.
    mutating func unmark() {
        guard let old = marked else { return }
        marked = nil
        let caret = old.range.lowerBound + old.text.before.count + old.text.selected.count
        selection = caret..<caret
    }
}

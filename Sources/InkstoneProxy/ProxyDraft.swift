import InkstoneBus

/// The text around a caret, as a keyboard expects it to be after its edits. Some of these edits may not be answered
/// yet.
///
/// The draft is a forecast; the editor's answers replace it. ``before`` and ``after`` are nil at an end of the
/// document, ``selected`` is nil without a selection, and ``marked`` without marked text. All are nil at first
/// if no context is known.
struct ProxyDraft: Hashable {
    var before: String?
    var selected: String?
    var after: String?
    var marked: ProxyMarkedText?
    /// Whether inserting a single newline performs the view's return action.
    var isSingleLine = false
    /// The number of clusters that the preceding operation has moved the caret forwards over; nil if that operation
    /// was not an adjustment forwards.
    private var passed: Int?

    init(_ context: ProxyContext? = nil) {
        (before, selected, after, marked) = (context?.before, context?.selected, context?.after, context?.marked)
    }

    var hasText: Bool { [before, selected, after, marked?.text].contains { $0?.isEmpty == false } }

    mutating func apply(_ operation: ProxyOperation) {
        let passed = passed
        self.passed = nil
        switch operation {
        case .insert("\n") where isSingleLine: unmark()
        case .insert(let text): insert(text)
        case .deleteBackward(let count):
            guard !deleteChosen() else { return }
            before = before.map { String($0.dropLast(min(Int(count), passed ?? Int(count)))) }
        case .deleteForward(let count):
            guard !deleteChosen() else { return }
            after = after.map { String($0.dropFirst(Int(count))) }
        case .adjust(let count): adjust(Int(count))
        case .setMarked(let text):
            _ = deleteChosen()
            marked = text.text.isEmpty ? nil : text
        case .unmark: unmark()
        case .replaceBefore(let expected, let text):
            guard selected == nil, marked == nil, let old = before, old.hasSuffix(expected) else { return }
            before = old.dropLast(expected.count) + text
        case .replaceSelection(let expected, let text):
            guard (selected ?? "") == expected else { return }
            selected = nil
            insert(text)
        case .replaceAfter(let expected, let text):
            guard selected == nil, marked == nil, let old = after, old.hasPrefix(expected) else { return }
            after = text + old.dropFirst(expected.count)
        case .select(let count): select(Int(count))
        }
    }

    /// Inserts a text in place of the selection. If there is marked text, the new text replaces its selected part,
    /// for example an inline completion. If no part is selected, as in a pending accent, the new text replaces all
    /// of the marked text.
    private mutating func insert(_ text: String) {
        if let marked {
            self.marked = nil
            if !marked.selected.isEmpty {
                before = (before ?? "") + marked.before
                after = marked.after.isEmpty ? after : marked.after + (after ?? "")
            }
        }
        selected = nil
        before = (before ?? "") + text
    }

    /// Deletes the selection or the marked text. Returns false if there is neither.
    private mutating func deleteChosen() -> Bool {
        defer { (selected, marked) = (nil, nil) }
        return selected != nil || marked != nil
    }

    private mutating func unmark() {
        guard let marked else { return }
        self.marked = nil
        before = (before ?? "") + marked.before + marked.selected
        if !marked.after.isEmpty { after = marked.after + (after ?? "") }
    }

    private mutating func adjust(_ count: Int) {
        unmark()
        if let selected {
            // A selection first collapses to its end in the direction of the movement.
            self.selected = nil
            if count > 0 { before = (before ?? "") + selected } else { after = selected + (after ?? "") }
            if count != 0 { return }
        }
        if count > 0 {
            let moved = String((after ?? "").prefix(count))
            passed = moved.count
            guard !moved.isEmpty else { return }
            before = (before ?? "") + moved
            after = after.map { String($0.dropFirst(count)) }
        } else if count < 0 {
            let moved = String((before ?? "").suffix(-count))
            guard !moved.isEmpty else { return }
            after = moved + (after ?? "")
            before = before.map { String($0.dropLast(-count)) }
        }
    }

    private mutating func select(_ count: Int) {
        unmark()
        if let selected {
            self.selected = nil
            before = (before ?? "") + selected
        }
        if count > 0, let after, !after.isEmpty {
            selected = String(after.prefix(count))
            self.after = String(after.dropFirst(count))
        } else if count < 0, let before, !before.isEmpty {
            selected = String(before.suffix(-count))
            self.before = String(before.dropLast(-count))
        }
    }
}

/// Conversion of a keyboard's texts and selections to the form that the protocol allows.
enum ProxyText {
    /// Returns a text with each return replaced by a newline, and without the characters that the protocol refuses.
    static func typable(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        var last: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            defer { last = scalar }
            switch scalar {
            case "\r": scalars.append("\n")
            case "\n": if last != "\r" { scalars.append(scalar) }
            case "\t": scalars.append(scalar)
            default:
                if scalar.properties.generalCategory != .control, BusValue.canCarry(scalar) { scalars.append(scalar) }
            }
        }
        return String(scalars)
    }

    /// Returns marked text with a selection, given as a range of UTF-16 units. An end of the range that is beyond
    /// the text, or within a character, moves back to a character boundary.
    static func marked(_ text: String, selected range: Range<Int>) -> ProxyMarkedText {
        func index(_ offset: Int) -> String.Index {
            let offset = min(max(0, offset), text.utf16.count)
            let index = text.utf16.index(text.startIndex, offsetBy: offset)
            return text.indices.last { $0 <= index && index < text.endIndex }
                ?? (index == text.endIndex ? index : text.startIndex)
        }
        let (start, end) = (index(range.lowerBound), index(range.upperBound))
        return ProxyMarkedText(
            before: typable(String(text[..<start])), selected: typable(String(text[start..<max(start, end)])),
            after: typable(String(text[max(start, end)...])))
    }

    /// Returns a text in pieces that each fit into a batch. Splits between characters, except in a very long
    /// character.
    static func pieces(_ text: String) -> [String] {
        guard text.utf8.count > pieceLength else { return text.isEmpty ? [] : [text] }
        var (pieces, piece): ([String], [String]) = ([], [])
        var length = 0
        // A character of more than 256 bytes is split between its scalars.
        let parts = text.flatMap { $0.utf8.count > 256 ? $0.unicodeScalars.map { String($0) } : [String($0)] }
        for part in parts {
            if length + part.utf8.count > pieceLength {
                pieces.append(piece.joined())
                (piece, length) = ([], 0)
            }
            piece.append(part)
            length += part.utf8.count
        }
        return pieces + [piece.joined()]
    }

    /// The maximum length of a piece, in bytes of UTF-8.
    private static let pieceLength = 32 << 10
}

import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Marks of Markdown around a text, such as `**` and `` ` ``, that become a style when the closing mark is typed.
extension EditorState {
    /// Makes a style of the text between a mark and its closing mark, if that has just been typed: emphasis of `*`
    /// and `_`, strong emphasis of `**` and `__`, both of `***`, code of `` ` `` and strikethrough of `~~`. The change
    /// is an undo step of its own, so undo restores the marks. Nil if there are no such marks, if the text between
    /// them begins or ends with a blank, in code and HTML, and in a view that makes no blocks of signs.
    func makingTypedStyle() -> Transaction? {
        guard options.makesBlocks, options.takesStyles, options.isEditable, composition == nil, let selection,
            selection.count == 1, selection.isCaret, !isInCode
        else { return nil }
        let caret = selection.primary.head
        let content = contentOfParagraph(at: caret)
        let searched = Array(string(in: max(content.lowerBound, caret - Self.longestStyled)..<caret).utf16)
        // Compute the start from the length of the string: at its start, a surrogate pair is included as a whole.
        let start = caret - searched.count
        guard let marks = Self.marks(in: searched, isWhole: start == content.lowerBound) else { return nil }
        let (open, close) = (start + marks.start..<start + marks.start + marks.count, caret - marks.count..<caret)
        // A mark within code or an HTML tag is ordinary text.
        let isText = styledText.attributes(in: open.lowerBound..<caret).allSatisfy { run in
            let roles = run.attributes[InlinePresentationIntentAttribute.self] ?? []
            return roles.isDisjoint(
                with: marks.role == .code ? [.code, .inlineHTML, .softBreak] : [.code, .inlineHTML])
                || !run.range.overlaps(open) && !run.range.overlaps(close) && marks.role != .code
        }
        guard isText else { return nil }
        var builder = TextChangeSet.Builder(over: text)
        builder.replace(open, with: "")
        builder.replace(close, with: "")
        let end = close.lowerBound - marks.count
        var result = transaction(
            builder.finish(), origin: .styling, undo: .step, selection: .set(Selection(caret: end)))
        var restyling = Restyling()
        restyling.map(InlinePresentationIntentAttribute.self, in: open.lowerBound..<end) { roles in
            (roles ?? []).union(marks.role)
        }
        result.restyling = restyling
        // Text typed next comes after the closing mark: give it the roles of the text there, not those of the new
        // style.
        let around = styledText.attributes(at: close.lowerBound)[InlinePresentationIntentAttribute.self]
        var typing = typing
        typing.set(around, of: InlinePresentationIntentAttribute.self)
        result.typing = typing
        return result
    }

    /// The length of the text before a caret that is searched for an opening mark, in UTF-16 units. A mark farther
    /// away has no effect.
    private static let longestStyled = 2000

    /// Returns the start of the opening mark in a text that ends with a closing mark, the length of both in UTF-16
    /// units, and their role; nil if there are none.
    ///
    /// - Parameter isWhole: whether the text begins where its paragraph does.
    private static func marks(
        in text: [UInt16], isWhole: Bool
    ) -> (start: Int, count: Int, role: InlinePresentationIntent)? {
        guard let mark = text.last else { return nil }
        let count = text.reversed().prefix { $0 == mark }.count
        let role: InlinePresentationIntent
        switch (mark, count) {
        case (0x60, 1): role = .code
        case (0x7e, 2): role = .strikethrough
        case (0x2a, 1), (0x5f, 1): role = .emphasized
        case (0x2a, 2), (0x5f, 2): role = .stronglyEmphasized
        case (0x2a, 3): role = [.emphasized, .stronglyEmphasized]
        default: return nil
        }
        let end = text.count - count
        // The opening mark is the nearest one, and of the same length.
        guard let last = text[..<end].lastIndex(of: mark) else { return nil }
        var start = last
        while start > 0, text[start - 1] == mark { start -= 1 }
        let inner = text[(last + 1)..<end]
        guard last + 1 - start == count, let first = inner.first, let final = inner.last, !isBlank(first),
            !isBlank(final), start > 0 || isWhole
        else { return nil }
        guard start > 0 else { return (start, count, role) }
        let before = text[start - 1]
        // A backslash makes the mark ordinary text. `2*3*4` and `snake_case_` have no marks.
        let isWord = isLetterOrDigit(before, withOthers: mark == 0x5f)
        if before == 0x5c || isWord && (mark == 0x5f || mark == 0x2a && count == 1) { return nil }
        return (start, count, role)
    }

    private static func isBlank(_ unit: UInt16) -> Bool {
        [0x9, 0x20, 0xa0, 0x2028, 0x3000].contains(unit)
    }

    /// Whether a UTF-16 unit is an ASCII letter or digit or, if `withOthers` is true, any unit outside of ASCII except
    /// blanks.
    private static func isLetterOrDigit(_ unit: UInt16, withOthers: Bool) -> Bool {
        switch unit {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: withOthers && unit > 0x7f && !isBlank(unit)
        }
    }
}

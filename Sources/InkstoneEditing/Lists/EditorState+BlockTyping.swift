import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText

/// Signs of Markdown, such as `#` and `>`, at the start of a paragraph. If Space or Return is typed after a sign,
/// the paragraph becomes a heading, a quotation, a code block or a thematic break. The change is an undo step of
/// its own, so undo restores the sign.
extension EditorState {
    /// Makes the caret's paragraph a heading or a quotation if `#`…`######` or `>` and a space have just been typed at
    /// its start. Nil for other text, for `#` in a heading, and where ``typedSign()`` finds no sign, such as in code or
    /// a list item.
    func makingTypedBlock() -> Transaction? {
        guard let (sign, content, intent) = typedSign(), sign.last == " " else { return nil }
        let signs = sign.dropLast()
        let caret = content.lowerBound + sign.utf16.count
        if signs == ">" {
            return replacing(content.lowerBound..<caret, by: "", intent.quoted)
        }
        guard (1...6).contains(signs.count), signs.allSatisfy({ $0 == "#" }), intent.headingLevel == 0 else {
            return nil
        }
        return replacing(content.lowerBound..<caret, by: "", intent.heading(of: signs.count))
    }

    /// Handles Return at the end of a paragraph that consists of a sign. ` ``` ` or `~~~`, with or without a language
    /// of one word, makes the paragraph a code block. `---`, `***` or `___` makes it a thematic break, and adds a
    /// paragraph of body text below. Nil for other text, in a heading, and where ``typedSign()`` finds no sign.
    func makingTypedBlockByNewline() -> Transaction? {
        guard let (sign, content, intent) = typedSign(), content.upperBound == selection?.primary.head,
            intent.headingLevel == 0
        else { return nil }
        let outer = Array((intent?.components ?? []).drop { $0.kind == .paragraph })
        if ["---", "***", "___"].contains(sign) {
            let rule = PresentationIntent(
                components: [.init(kind: .thematicBreak, identity: PresentationIntent.newIdentity)] + outer)
            return replacing(content, by: "\u{2e3b}", rule, opensBodyBelow: true)
        }
        let language = sign.dropFirst(3).trimmingBlanks
        guard ["```", "~~~"].contains(sign.prefix(3)), !language.contains(where: { "`~ ".contains($0) }) else {
            return nil
        }
        let kind = PresentationIntent.Kind.codeBlock(languageHint: language.isEmpty ? nil : String(language))
        let code = PresentationIntent(components: [.init(kind: kind, identity: PresentationIntent.newIdentity)] + outer)
        return replacing(content, by: "", code)
    }

    /// The text from the start of the paragraph to the caret, if it begins like a sign of a block; nil otherwise. Also
    /// the paragraph's range without its newline, and its intent. Nil also for text longer than any sign, in list
    /// items, in code, HTML and tables, during a composition, and if there is not exactly one caret. Nil in a view that
    /// does not make blocks, has a single line or cannot be edited.
    private func typedSign() -> (sign: String, content: Range<UTF16Offset>, intent: PresentationIntent?)? {
        guard options.makesBlocks, options.takesStyles, options.isEditable, !options.isSingleLine, composition == nil,
            let selection, selection.count == 1, selection.isCaret
        else { return nil }
        let caret = selection.primary.head
        let paragraph = text.paragraphIndex(at: caret)
        let content = text.utf16ContentRange(of: paragraph)
        guard (1...Self.longestBlockSign).contains(caret - content.lowerBound), !isLiteral(paragraph.value),
            listItem(of: paragraph) == nil
        else { return nil }
        let range = content.lowerBound..<caret
        let sign = string(in: range)
        // A sign begins with one of these characters. Other text at the start of a paragraph is left alone.
        guard sign.utf8.first.map({ "#>`~-*_".utf8.contains($0) }) == true else { return nil }
        let intent = typedAttributes(at: content.lowerBound..<content.lowerBound)[PresentationIntentAttribute.self]
        return (sign, content, intent)
    }

    /// The length of the longest sign, a fence with the name of a language, in UTF-16 units.
    private static let longestBlockSign = 35

    /// Replaces a part of the caret's paragraph, and sets the paragraph's intent. If the paragraph is the last one,
    /// a newline is appended, which holds the intent.
    ///
    /// - Parameter opensBodyBelow: whether to insert a paragraph of body text below, and move the caret there.
    private func replacing(
        _ range: Range<UTF16Offset>, by new: String, _ intent: PresentationIntent?, opensBodyBelow: Bool = false
    ) -> Transaction {
        let start = range.lowerBound
        let isLast = text.paragraphIndex(at: start).value + 1 == text.paragraphCount
        let added = new + (opensBodyBelow ? newline : "")
        var builder = TextChangeSet.Builder(over: text)
        if isLast, range.upperBound == textRange.upperBound {
            builder.replace(range, with: Rope(added + newline))
        } else {
            builder.replace(range, with: Rope(added))
            if isLast { builder.replace(textRange.upperBound..<textRange.upperBound, with: Rope(newline)) }
        }
        var result = transaction(
            builder.finish(), origin: .styling, undo: .step,
            selection: .set(Selection(caret: start + added.utf16.count)))
        var restyling = Restyling()
        restyling.set(intent, of: PresentationIntentAttribute.self, in: start..<start + max(1, added.utf16.count))
        if opensBodyBelow {
            let below = start + added.utf16.count
            let body = intent.heading(of: nil)
            restyling.set(body, of: PresentationIntentAttribute.self, in: below..<below + 1)
        }
        result.restyling = restyling
        return result
    }
}

extension Substring {
    /// The text without spaces and tabs at its start and end.
    fileprivate var trimmingBlanks: Substring {
        var result = drop { $0 == " " || $0 == "\t" }
        while let last = result.last, last == " " || last == "\t" { result.removeLast() }
        return result
    }
}

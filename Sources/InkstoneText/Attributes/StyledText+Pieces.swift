import InkstoneBase

/// Inserting, joining and rewriting texts with attributes.
extension StyledText {
    /// Returns the change that replaces ranges by texts, and the restyling that sets the texts' attributes. Ranges
    /// are in UTF-16 units and do not overlap; texts inserted at one offset keep their order.
    ///
    /// - Parameters:
    ///   - isStyled: whether the attributes of the texts are used; otherwise inserted text inherits from its
    ///     surroundings.
    ///   - joinsParagraphs: whether the first paragraph of each text gets the paragraph keys of the paragraph into
    ///     which it is inserted, unless the text has several paragraphs and replaces all text of that paragraph.
    package func replacing(
        _ replacements: [(range: Range<UTF16Offset>, text: StyledText)], isStyled: Bool = true,
        joinsParagraphs: Bool = false
    ) -> (changes: TextChangeSet, restyling: Restyling?) {
        var replacements = replacements
        if joinsParagraphs, isStyled {
            for i in replacements.indices { joinParagraph(&replacements[i].text, in: replacements[i].range) }
        }
        guard replacements.count != 1 else {
            let (range, new) = replacements[0]
            let changes = TextChangeSet(replacing: range, with: new.rope, in: rope)
            return (changes, isStyled ? restyling(replacements) : nil)
        }
        var builder = TextChangeSet.Builder(over: rope)
        builder.reserve(replacements.count)
        for (range, new) in replacements { builder.replace(range, with: new.rope) }
        return (builder.finish(), isStyled ? restyling(replacements) : nil)
    }

    /// Returns a text whose first paragraph has the paragraph keys of the paragraph into which it is inserted. A text
    /// of several paragraphs that replaces all text of that paragraph is returned unchanged.
    package func joiningParagraph(_ new: StyledText, at range: Range<UTF16Offset>) -> StyledText {
        var result = new
        joinParagraph(&result, in: range)
        return result
    }

    /// Changes a text as ``joiningParagraph(_:at:)`` does.
    private func joinParagraph(_ new: inout StyledText, in range: Range<UTF16Offset>) {
        let styles = attributeRuns.rules.union(new.attributeRuns.rules)
        guard styles.contains(.paragraph), !new.rope.isEmpty else { return }
        let range = range.clamped(into: rope.utf16Range)
        let content = rope.utf16ContentRange(of: rope.paragraphIndex(at: range.lowerBound))
        let isEmpty = range.lowerBound <= content.lowerBound && range.upperBound >= content.upperBound
        if isEmpty, new.rope.metrics.newlines > 0 { return }
        let whole = rope.utf16Range(of: rope.paragraphIndex(at: range.lowerBound))
        let part = whole.isEmpty ? AttributeID.none : attributeRuns.id(at: whole.lowerBound).paragraphPart
        let first = new.rope.utf16Range(of: ParagraphIndex(0))
        var runs = new.attributeRuns
        guard runs.update(first.lowerBound.value..<first.upperBound.value, { $0.withParagraphPart(part) }) else {
            return
        }
        new = StyledText(unchecked: new.rope, runs.isPlain ? nil : runs)
    }

    private func restyling(_ replacements: [(range: Range<UTF16Offset>, text: StyledText)]) -> Restyling? {
        guard runs != nil || replacements.contains(where: { $0.text.runs != nil }) else { return nil }
        var result = Restyling()
        var shift = 0
        let sorted = replacements.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
        for (range, new) in sorted {
            let range = rope.utf16Range(of: rope.byteRange(of: range))
            let length = new.rope.metrics.utf16
            let start = range.lowerBound + shift
            result.set(new.runs ?? AttributeRuns(length: length, .none), in: start..<start + length)
            shift += length - range.length()
        }
        return result.isEmpty ? nil : result
    }

    /// The attribute runs of the text; a single run without attributes if the text has none.
    package var attributeRuns: AttributeRuns { runs ?? AttributeRuns(length: rope.metrics.utf16, .none) }

    /// Appends a text. Both texts keep their attributes, and no rules of paragraph keys are enforced.
    package mutating func append(_ other: StyledText) {
        let length = rope.metrics.utf16
        let end = rope.byteRange.upperBound
        rope.replace(end..<end, with: other.rope)
        guard runs != nil || other.runs != nil else { return }
        var all = runs ?? AttributeRuns(length: length, .none)
        all.append(other.runs ?? AttributeRuns(length: other.rope.metrics.utf16, .none))
        runs = all.fitted(to: rope.metrics.utf16)
    }

    /// Returns `new` with the attributes of this text. `new` differs from this text in some parts only, given by
    /// their ranges in this text and their lengths in `new`, in UTF-16 units. Each part keeps its attributes, cut
    /// or extended by its last attributes.
    package func rewritten(as new: Rope, _ parts: [(range: Range<Int>, length: Int)]) -> StyledText {
        guard let runs else { return StyledText(new) }
        var result = AttributeRuns()
        var at = 0
        for (range, length) in parts {
            result.append(runs.slice(at..<range.lowerBound))
            let part = range.isEmpty ? runs.slice(max(0, range.lowerBound - 1)..<range.lowerBound) : runs.slice(range)
            result.append(part.fitted(to: length))
            at = range.upperBound
        }
        result.append(runs.slice(at..<runs.length))
        let fitted = result.fitted(to: new.metrics.utf16)
        return StyledText(unchecked: new, fitted.isPlain ? nil : fitted)
    }
}

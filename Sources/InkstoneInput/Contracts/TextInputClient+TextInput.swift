public import InkstoneBase
public import InkstoneText

// Default implementations for a view that adopts both protocols. Ranges are converted to positions and back.
extension TextInputClient where Self: TextInput {
    private var documentLength: Int { offset(from: beginningOfDocument, to: endOfDocument) }

    /// Returns the positions of a range, which is clamped to the document; nil for `notFound`.
    public func textRange(for range: UTF16Range) -> TextRange? {
        guard let cut = range.clamped(to: 0..<UTF16Offset(documentLength)),
            let start = position(from: beginningOfDocument, offset: cut.lowerBound.value),
            let end = position(from: beginningOfDocument, offset: cut.upperBound.value)
        else { return nil }
        return textRange(from: start, to: end)
    }

    /// Returns the UTF-16 range between the positions of a range; `notFound` for nil.
    public func utf16Range(for range: TextRange?) -> UTF16Range {
        guard let range else { return .notFound }
        let start = offset(from: beginningOfDocument, to: range.start)
        return UTF16Range(location: start, length: offset(from: range.start, to: range.end))
    }

    /// Inserts text in place of the range, and ends the composition. If the range is `notFound`, the text replaces
    /// the marked text or else the selection.
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        guard let target = textRange(for: replacementRange) ?? markedTextRange ?? selectedTextRange else { return }
        selectedTextRange = target
        insertText(string)
    }

    /// Marks text in place of the range; a present composition ends first, with its text kept. If the range is
    /// `notFound`, the text replaces the marked text or else the selection instead.
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        if let target = textRange(for: replacementRange) {
            unmarkText()
            selectedTextRange = target
        }
        setAttributedMarkedText(string.string.isEmpty ? nil : string, selectedRange: selectedRange)
    }

    /// Returns the selected range in UTF-16 units.
    public func selectedRange() -> UTF16Range { utf16Range(for: selectedTextRange) }
    /// Returns the range of the marked text in UTF-16 units.
    public func markedRange() -> UTF16Range { utf16Range(for: markedTextRange) }
    /// Whether any text is marked.
    public func hasMarkedText() -> Bool { markedTextRange != nil }

    /// Returns the text of a range, widened to whole characters. Nil if the range is empty or outside of the text,
    /// or in a secure view.
    public func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)? {
        TextInputClientDefaults.attributedSubstring(of: self, forProposedRange: range)
    }

    /// Returns the whole text; empty in a secure view.
    public func attributedString() -> InputText {
        guard !isSecureTextEntry, let all = textRange(from: beginningOfDocument, to: endOfDocument) else { return "" }
        return InputText(text(in: all) ?? "")
    }

    /// Returns the rectangle that `TextInput`'s geometry gives, converted to root pixels.
    public func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
        TextInputClientDefaults.firstRect(of: self, forCharacterRange: range)
    }

    /// Returns the character index that `TextInput`'s hit test gives.
    public func characterIndex(for point: RootPoint) -> Int {
        TextInputClientDefaults.characterIndex(of: self, for: point)
    }

    /// Returns the fraction of the character's rectangle that lies before the point; 0 if there is no character.
    public func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double {
        let here = point.converted(to: ViewSpace.self, originAt: textInputViewOrigin)
        guard let range = characterRange(at: here), let piece = selectionRects(for: range).first,
            piece.rect.width > 0
        else { return 0 }
        let fraction = min(max(0, (here.x - piece.rect.minX) / piece.rect.width), 1)
        return piece.writingDirection == .rightToLeft ? 1 - fraction : fraction
    }

    /// Returns four fifths of the line's height. A view that knows its font should override this method.
    public func baselineDeltaForCharacter(at index: Int) -> Double {
        firstRect(forCharacterRange: UTF16Range(location: index, length: 1)).rect.height * 0.8
    }

    /// Performs a command as ``StandardCommands`` does. Returns false for a command that these do not support.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool {
        StandardCommands.perform(command, on: self)
    }
}

/// The default implementations as functions. A class that overrides a member can still call its default.
package enum TextInputClientDefaults {
    /// Returns the text of a range, widened to whole characters. Nil if the range is empty or outside of the text,
    /// or in a secure view.
    package static func attributedSubstring(
        of view: some TextInput & TextInputClient, forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)? {
        guard !view.isSecureTextEntry, var cut = range.clamped(to: 0..<UTF16Offset(length(of: view))), !cut.isEmpty
        else { return nil }
        // Widen the range by the other half of a split surrogate pair.
        if isInsidePair(cut.lowerBound, view) { cut = (cut.lowerBound - 1)..<cut.upperBound }
        if isInsidePair(cut.upperBound, view) { cut = cut.lowerBound..<(cut.upperBound + 1) }
        guard let found = view.textRange(for: UTF16Range(cut)), let string = view.text(in: found) else { return nil }
        return (InputText(string), UTF16Range(cut))
    }

    /// Returns the rectangle that `TextInput`'s geometry gives, converted to root pixels.
    package static func firstRect(
        of view: some TextInput & TextInputClient, forCharacterRange range: UTF16Range
    ) -> (rect: RootRect, actualRange: UTF16Range) {
        guard let wanted = view.textRange(for: range) ?? view.selectedTextRange else {
            return (RootRect(origin: view.textInputViewOrigin, size: Size(width: 1, height: 1)), .notFound)
        }
        let rect = wanted.isEmpty ? view.caretRect(for: wanted.start) : view.firstRect(for: wanted)
        var actual = wanted
        if !wanted.isEmpty,
            let line = view.tokenizer.rangeEnclosingPosition(wanted.start, with: .line, inDirection: .forward),
            view.compare(line.end, to: wanted.end) == .orderedAscending
        {
            actual = TextRange(start: wanted.start, end: line.end)
        }
        return (rect.converted(from: view.textInputViewOrigin), view.utf16Range(for: actual))
    }

    /// Returns the character index that `TextInput`'s hit test gives.
    package static func characterIndex(
        of view: some TextInput & TextInputClient, for point: RootPoint
    ) -> Int {
        let here = point.converted(to: ViewSpace.self, originAt: view.textInputViewOrigin)
        guard let range = view.characterRange(at: here) else { return UTF16Range.notFoundLocation }
        return view.offset(from: view.beginningOfDocument, to: range.start)
    }

    private static func length(of view: some TextInput & TextInputClient) -> Int {
        view.offset(from: view.beginningOfDocument, to: view.endOfDocument)
    }

    /// Whether an offset lies within a surrogate pair. Some views return the whole pair for the unit after such an
    /// offset, others return U+FFFD.
    private static func isInsidePair(_ offset: UTF16Offset, _ view: some TextInput & TextInputClient) -> Bool {
        func text(_ location: Int, _ length: Int) -> String {
            view.textRange(for: UTF16Range(location: location, length: length)).flatMap { view.text(in: $0) } ?? ""
        }
        guard offset > 0, offset < UTF16Offset(length(of: view)) else { return false }
        let next = text(offset.value, 1)
        if next.utf16.count == 2 { return true }
        guard next == "\u{fffd}" else { return false }
        let around = text(offset.value - 1, 2).unicodeScalars
        return around.count == 1 && around.first != "\u{fffd}"
    }
}

import InkstoneBase
import InkstoneInput
import InkstoneText
import InkstoneView

/// The input contracts by way of the ``TextView/editor``, so that a widget can be handed to whatever works on any text
/// view: keyboards, interactions, the conformance suite. Geometry is in pixels of the view.
extension TextView: KeyInput {
    /// Whether there is any text.
    public var hasText: Bool { editor.hasText }
    /// Types text over the selection.
    public func insertText(_ text: String) { editor.insertText(text) }
    /// Deletes the selection, or one cluster before the caret.
    public func deleteBackward() { editor.deleteBackward() }
}

extension TextView: TextInput {
    /// The text in a range; nil where the view is secure.
    public func text(in range: TextRange) -> String? { editor.text(in: range) }
    /// Replaces a range as the input system's edit.
    public func replace(_ range: TextRange, withText text: String) { editor.replace(range, withText: text) }
    /// Whether the user may replace a range by a text now.
    public func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool {
        editor.shouldChangeText(in: range, replacementText: text)
    }
    /// Whether the text is hidden from everyone: ``options`` say it.
    public var isSecureTextEntry: Bool { editor.isSecureTextEntry }

    /// The selection.
    public var selectedTextRange: TextRange? {
        get { editor.selectedTextRange }
        set { editor.selectedTextRange = newValue }
    }
    /// Which side of a soft wrap the caret shows on.
    public var selectionAffinity: TextAffinity { editor.selectionAffinity }
    /// What is being composed; nil if nothing.
    public var markedTextRange: TextRange? { editor.markedTextRange }
    /// How marked text is shown.
    public var markedTextStyle: MarkedTextStyle? {
        get { editor.markedTextStyle }
        set { editor.markedTextStyle = newValue }
    }
    /// Marks text in place of what was marked, or of the selection.
    public func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range) {
        editor.setAttributedMarkedText(markedText, selectedRange: selectedRange)
    }
    /// Ends the composition; its text stays.
    public func unmarkText() { editor.unmarkText() }

    /// The start of the text.
    public var beginningOfDocument: TextPosition { editor.beginningOfDocument }
    /// The end of the text.
    public var endOfDocument: TextPosition { editor.endOfDocument }
    /// The position some UTF-16 units on; nil beyond the ends.
    public func position(from position: TextPosition, offset: Int) -> TextPosition? {
        editor.position(from: position, offset: offset)
    }
    /// The position some places away as they look; nil beyond the ends.
    public func position(from position: TextPosition, in direction: TextLayoutDirection, offset: Int) -> TextPosition? {
        editor.position(from: position, in: direction, offset: offset)
    }
    /// How two positions lie to each other.
    public func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison {
        editor.compare(position, to: other)
    }
    /// The distance in UTF-16 units.
    public func offset(from: TextPosition, to toPosition: TextPosition) -> Int {
        editor.offset(from: from, to: toPosition)
    }
    /// The position of a range that lies farthest in a direction.
    public func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition? {
        editor.position(within: range, farthestIn: direction)
    }
    /// From a position as far as its line goes in a direction.
    public func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange? {
        editor.characterRange(byExtending: position, in: direction)
    }
    /// The direction that the paragraph at a position is written in.
    public func baseWritingDirection(
        for position: TextPosition, in direction: TextStorageDirection
    ) -> WritingDirection { editor.baseWritingDirection(for: position, in: direction) }
    /// Sets the direction of paragraphs.
    public func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange) {
        editor.setBaseWritingDirection(writingDirection, for: range)
    }

    /// What a range covers on its first visual line, in view pixels.
    public func firstRect(for range: TextRange) -> ViewRect { editor.firstRect(for: range) }
    /// Where the caret shows at a position, in view pixels.
    public func caretRect(for position: TextPosition) -> ViewRect { editor.caretRect(for: position) }
    /// One rectangle for each visual line and direction run of a range, in view pixels.
    public func selectionRects(for range: TextRange) -> [TextSelectionRect] { editor.selectionRects(for: range) }
    /// The rectangles of a range that lie in or touch a part of the view, in view pixels.
    public func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect] {
        editor.selectionRects(for: range, within: area)
    }
    /// The position nearest to a point of the view.
    public func closestPosition(to point: ViewPoint) -> TextPosition? { editor.closestPosition(to: point) }
    /// The position of a range nearest to a point of the view.
    public func closestPosition(to point: ViewPoint, within range: TextRange) -> TextPosition? {
        editor.closestPosition(to: point, within: range)
    }
    /// The cluster under a point of the view; nil where there is none.
    public func characterRange(at point: ViewPoint) -> TextRange? { editor.characterRange(at: point) }

    /// Told of every change that the input system did not make itself. Its view is the ``editor``.
    public var inputDelegate: (any TextInputDelegate)? {
        get { editor.inputDelegate }
        set { editor.inputDelegate = newValue }
    }
    /// Words, lines and the like of this view.
    public var tokenizer: any TextInputTokenizer { editor.tokenizer }
}

extension TextView: TextInputClient {
    /// The view's origin on the root window.
    public var textInputViewOrigin: RootPoint { editor.textInputViewOrigin }
    /// Inserts finished text.
    public func insertText(_ string: String, replacementRange: UTF16Range) {
        editor.insertText(string, replacementRange: replacementRange)
    }
    /// Marks text.
    public func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        editor.setMarkedText(string, selectedRange: selectedRange, replacementRange: replacementRange)
    }
    /// What a range covers on its first visual line, on the root window, and that part of it.
    public func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range) {
        editor.firstRect(forCharacterRange: range)
    }
    /// From the top of the line to its baseline, in pixels.
    public func baselineDeltaForCharacter(at index: Int) -> Double { editor.baselineDeltaForCharacter(at: index) }
    /// Does what a command names: by the text, else by ``onCommand``.
    @discardableResult
    public func doCommand(by command: EditCommand) -> Bool { editor.doCommand(by: command) }
    /// Opens the undo step of a composition.
    public func compositionDidBegin() { editor.compositionDidBegin() }
    /// Closes the undo step of a composition.
    public func compositionDidEnd() { editor.compositionDidEnd() }
}

extension TextView: AnchoredTextInput {
    /// An anchor over a range, which moves with the text.
    public func makeInputAnchor(for range: UTF16Range) -> any InputAnchor { editor.makeInputAnchor(for: range) }
    /// Replaces what an anchor covers.
    public func replaceText(at anchor: any InputAnchor, with text: String) {
        editor.replaceText(at: anchor, with: text)
    }
}

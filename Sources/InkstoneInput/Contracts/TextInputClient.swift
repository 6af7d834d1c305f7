public import InkstoneBase

/// The protocol of a text view in terms of UTF-16 ranges. Input methods call it. The counterpart of Apple's
/// `NSTextInputClient`.
///
/// Ranges are ``UTF16Range``s of the whole document unless said otherwise. All arguments are clamped, and none
/// traps. Returned ranges lie in the document or are `notFound`. ``firstRect(forCharacterRange:)`` and
/// ``characterIndex(for:)`` use **root pixels**, because candidate windows are windows of their own.
///
/// A view that also adopts `TextInput` gets all members but ``textInputViewOrigin`` by default.
public protocol TextInputClient: KeyInput {
    /// Inserts final text and ends the composition. The text replaces `replacementRange`. If that is `notFound`, it
    /// replaces the marked text or else the selection. The caret moves after the text.
    func insertText(_ string: String, replacementRange: UTF16Range)

    /// Marks `string` and selects `selectedRange`, which is **relative to the marked text** and is clamped to it.
    ///
    /// The text replaces `replacementRange`, which an input method passes in order to convert finished text again. If
    /// the range is `notFound`, the text replaces the marked text or else the selection. Repeating a call changes
    /// nothing. An empty text removes the marked text and ends the composition.
    func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range)

    /// Ends the composition; the marked text becomes ordinary text.
    func unmarkText()

    /// Returns the selected range; `notFound` if there is none.
    func selectedRange() -> UTF16Range
    /// Returns the range of the marked text; `notFound` if there is none.
    func markedRange() -> UTF16Range
    /// Whether any text is marked.
    func hasMarkedText() -> Bool

    /// Returns the text of `range`, and the range of that text. `range` is clamped to the document, and widened to
    /// whole characters (surrogate pairs). Nil if it is empty, `notFound` or outside of the document, or if the
    /// text is secret.
    func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)?
    /// Returns the whole text; empty if it is secret.
    func attributedString() -> InputText
    /// Returns the attributes of marked text that the view can show.
    func validAttributesForMarkedText() -> [MarkedTextAttribute]

    /// Returns the rectangle of the part of `range` on its first visual line, in root pixels; and that part of the
    /// range. For an empty range, returns the caret's rectangle. `notFound` means the selection.
    func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range)
    /// Returns the UTF-16 index of the character under a point in root pixels; `UTF16Range.notFoundLocation` if
    /// there is none.
    func characterIndex(for point: RootPoint) -> Int
    /// Returns the relative position of `point`, in root pixels, within the character under it. 0 is the
    /// character's leading edge, 1 its trailing edge. Returns 0 also if there is no character.
    func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double
    /// Returns the distance from the top of a character's ``firstRect(forCharacterRange:)`` down to the character's
    /// baseline, in pixels.
    func baselineDeltaForCharacter(at index: Int) -> Double
    /// Returns whether a character is in a vertical line. Always false in this package.
    func drawsVerticallyForCharacter(at index: Int) -> Bool

    /// Performs the command of a key that has typed no text. Returns whether the client supports the command. If
    /// not, the command goes up the responder chain.
    @discardableResult
    func doCommand(by command: EditCommand) -> Bool

    /// Called when a composition begins. All edits until ``compositionDidEnd()`` are one undo step.
    func compositionDidBegin()
    /// Called when the composition has ended: its text was committed, kept or removed.
    func compositionDidEnd()

    /// The position of the view's origin on the root window, in pixels. The view keeps it up to date, because
    /// reading it must not query the server.
    var textInputViewOrigin: RootPoint { get }
}

extension TextInputClient {
    /// Marks text without clauses.
    public func setMarkedText(_ string: String, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        setMarkedText(InputText(string), selectedRange: selectedRange, replacementRange: replacementRange)
    }

    /// Does nothing, which suits a client without undo.
    public func compositionDidBegin() {}
    /// Does nothing, which suits a client without undo.
    public func compositionDidEnd() {}
    /// Returns all attributes: the default for a view that can show each of them.
    public func validAttributesForMarkedText() -> [MarkedTextAttribute] { MarkedTextAttribute.allCases }
    /// Returns false: all lines are horizontal.
    public func drawsVerticallyForCharacter(at index: Int) -> Bool { false }
    /// Returns whether ``markedRange()`` is a range of the text rather than `notFound`.
    public func hasMarkedText() -> Bool { !markedRange().isNotFound }
}

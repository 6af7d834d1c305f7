public import InkstoneBase

/// The contract of a text view, in UTF-16 ranges, which input methods call. Apple's `NSTextInputClient`.
///
/// Ranges are ``UTF16Range``s of the whole document unless said otherwise. All arguments are clamped, none traps;
/// returned ranges lie in the document or are `notFound`. ``firstRect(forCharacterRange:)`` and ``characterIndex(for:)``
/// use **root pixels**, because candidate windows are windows of their own.
///
/// A view that adopts `TextInput` as well gets everything but ``textInputViewOrigin`` by default.
public protocol TextInputClient: KeyInput {
    /// Inserts final text and ends the composition. The text replaces `replacementRange`; `notFound` means the marked
    /// text, or without any the selection. The caret goes after the text.
    func insertText(_ string: String, replacementRange: UTF16Range)

    /// Marks `string` and selects `selectedRange`, **relative to the marked text** and clamped to it.
    ///
    /// The text replaces `replacementRange` (reconversion of finished text), or with `notFound` the marked text, or without
    /// any the selection. The same call twice changes nothing. Empty text removes the marked text and ends the
    /// composition.
    func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range)

    /// Ends the composition; the text stays.
    func unmarkText()

    /// Returns the selection; `notFound` if there is none.
    func selectedRange() -> UTF16Range
    /// Returns the marked text's range; `notFound` if there is none.
    func markedRange() -> UTF16Range
    /// Whether any text is marked.
    func hasMarkedText() -> Bool

    /// Returns the text of `range`, cut to the document and widened to whole characters (surrogate pairs), with the range
    /// of that text; nil if it lies outside, is `notFound`, or the text is secret.
    func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)?
    /// Returns the whole text; empty if it is secret.
    func attributedString() -> InputText
    /// Returns the attributes of marked text that the view can show.
    func validAttributesForMarkedText() -> [MarkedTextAttribute]

    /// Returns the rectangle of the part of `range` on its first visual line, in root pixels, and that part of the range. For
    /// an empty range, the caret's. `notFound` counts as the selection.
    func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range)
    /// Returns the UTF-16 index of the character under a point in root pixels; `UTF16Range.notFoundLocation` if there is none.
    func characterIndex(for point: RootPoint) -> Int
    /// Returns the relative distance of `point`, in root pixels, through the character under it: 0 at its leading edge, up to 1.
    func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double
    /// Returns the distance from the top of the character's ``firstRect(forCharacterRange:)`` down to its baseline, in pixels.
    func baselineDeltaForCharacter(at index: Int) -> Double
    /// Whether the character is in a vertical line; lines of this package never are.
    func drawsVerticallyForCharacter(at index: Int) -> Bool

    /// Performs the command of a key that typed no text. Returns whether the client supports the command; otherwise it goes
    /// up the responder chain.
    @discardableResult
    func doCommand(by command: EditCommand) -> Bool

    /// Called when a composition begins: all edits up to ``compositionDidEnd()`` are one undo step.
    func compositionDidBegin()
    /// Called when the composition has ended: its text is committed, kept or removed.
    func compositionDidEnd()

    /// The view's origin on the root window, in pixels, kept up to date without asking the server.
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
    /// Returns all attributes.
    public func validAttributesForMarkedText() -> [MarkedTextAttribute] { MarkedTextAttribute.allCases }
    /// Returns false.
    public func drawsVerticallyForCharacter(at index: Int) -> Bool { false }
    /// Returns whether the marked range is found.
    public func hasMarkedText() -> Bool { !markedRange().isNotFound }
}

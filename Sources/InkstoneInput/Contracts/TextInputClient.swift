public import InkstoneBase

/// The contract of a text view, in UTF-16 ranges: what input methods call. Apple's `NSTextInputClient`.
///
/// Ranges are ``UTF16Range``s of the whole document unless said otherwise. Whatever comes in is clamped, nothing traps;
/// what goes out lies in the document or is `notFound`. ``firstRect(forCharacterRange:)`` and ``characterIndex(for:)``
/// speak **root pixels**, because candidate windows are windows of their own.
///
/// A view that adopts `TextInput` as well gets everything but ``textInputViewOrigin`` by default.
public protocol TextInputClient: KeyInput {
    /// Inserts finished text and ends the composition. `replacementRange` is replaced; `notFound` stands for the marked
    /// text, or without any for the selection. The caret goes after the text.
    func insertText(_ string: String, replacementRange: UTF16Range)

    /// Marks `string` and selects `selectedRange`, **relative to the marked text** and clamped to it.
    ///
    /// It replaces `replacementRange` (reconversion of finished text), or with `notFound` the marked text, or without
    /// any the selection. The same call twice changes nothing. Empty text removes what was marked and ends the
    /// composition.
    func setMarkedText(_ string: InputText, selectedRange: UTF16Range, replacementRange: UTF16Range)

    /// Ends the composition; the text stays.
    func unmarkText()

    /// The selection; `notFound` if there is none.
    func selectedRange() -> UTF16Range
    /// The marked text; `notFound` if there is none.
    func markedRange() -> UTF16Range
    /// Whether any text is marked.
    func hasMarkedText() -> Bool

    /// The text of `range`, cut to the document and widened to whole characters (surrogate pairs), with the range
    /// really taken; nil if it lies outside, is `notFound`, or the text is secret.
    func attributedSubstring(
        forProposedRange range: UTF16Range
    ) -> (string: InputText, actualRange: UTF16Range)?
    /// All of the text; empty if it is secret.
    func attributedString() -> InputText
    /// What the view can show of marked text.
    func validAttributesForMarkedText() -> [MarkedTextAttribute]

    /// The rectangle of what `range` covers on its first visual line, in root pixels, and that part of the range. For
    /// an empty range the caret. `notFound` counts as the selection.
    func firstRect(forCharacterRange range: UTF16Range) -> (rect: RootRect, actualRange: UTF16Range)
    /// The UTF-16 index of the character under a point in root pixels; `UTF16Range.notFoundLocation` if there is none.
    func characterIndex(for point: RootPoint) -> Int
    /// How far `point`, in root pixels, is through the character under it: 0 at its leading edge, up to 1.
    func fractionOfDistanceThroughGlyph(for point: RootPoint) -> Double
    /// From the top of the character's ``firstRect(forCharacterRange:)`` down to its baseline, in pixels.
    func baselineDeltaForCharacter(at index: Int) -> Double
    /// Whether the character stands in a vertical line; lines of this package never are.
    func drawsVerticallyForCharacter(at index: Int) -> Bool

    /// Does what a key that typed nothing is bound to. Returns whether the client knew the command; otherwise it goes
    /// up the responder chain.
    @discardableResult
    func doCommand(by command: EditCommand) -> Bool

    /// A composition begins: all edits up to ``compositionDidEnd()`` are one undo step.
    func compositionDidBegin()
    /// The composition is over: its text is committed, kept or gone.
    func compositionDidEnd()

    /// Where the view's origin lies on the root window, in pixels, kept up to date without asking the server.
    var textInputViewOrigin: RootPoint { get }
}

extension TextInputClient {
    /// Marks text without clauses.
    public func setMarkedText(_ string: String, selectedRange: UTF16Range, replacementRange: UTF16Range) {
        setMarkedText(InputText(string), selectedRange: selectedRange, replacementRange: replacementRange)
    }

    /// Nothing to do for a client without undo.
    public func compositionDidBegin() {}
    /// Nothing to do for a client without undo.
    public func compositionDidEnd() {}
    /// All of them.
    public func validAttributesForMarkedText() -> [MarkedTextAttribute] { MarkedTextAttribute.allCases }
    /// Never.
    public func drawsVerticallyForCharacter(at index: Int) -> Bool { false }
    /// By the range.
    public func hasMarkedText() -> Bool { !markedRange().isNotFound }
}

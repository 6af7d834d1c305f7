public import InkstoneBase
public import InkstoneText

/// The contract of a text view, in positions: for keyboards, gestures, accessibility, autocorrection. Apple's
/// `UITextInput`.
///
/// All offsets are UTF-16 units, everywhere. Positions are values that know their document and version: an older one
/// maps forward, one of another document is a programmer's error. An offset between surrogates counts as the pair's
/// start everywhere; one inside a grapheme cluster becomes the cluster's start in a selection, while edits use
/// their range unchanged (a mark that an input method composes may join the letter before it). Geometry is in pixels of
/// ``textInputView``'s space (`ViewSpace`), after scrolling. A range is half-open and never reversed.
///
/// Most members have default implementations on top of the others: a custom-drawn field adopts
/// ``EditableTextInput`` and implements only its geometry.
public protocol TextInput: KeyInput {
    // MARK: Text

    /// Returns the text in `range`, cut to the document; nil only if the view must not reveal it (a secure field).
    func text(in range: TextRange) -> String?
    /// Replaces the text in `range`, cut to the document, as one undo step. Does not call
    /// ``inputDelegate``; leaves the caret after the new text if it was in the range, and moves it along otherwise.
    func replace(_ range: TextRange, withText text: String)
    /// Whether the user may replace `range` by `text`; called before edits that come from keys, not during composition.
    func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool
    /// Whether the user may edit at all.
    var isEditable: Bool { get }
    /// Whether the text is hidden from everyone: no input method, no trace, no selections, no proxy.
    var isSecureTextEntry: Bool { get }

    // MARK: Selection

    /// The selection: empty for a caret, nil for none. Setting it clamps, and moves ends to cluster starts.
    var selectedTextRange: TextRange? { get set }
    /// The line of the caret at a soft wrap.
    var selectionAffinity: TextAffinity { get }

    // MARK: Marked text

    /// The text being composed; nil if none. Never empty.
    var markedTextRange: TextRange? { get }
    /// The style of marked text; nil for the view's own.
    var markedTextStyle: MarkedTextStyle? { get set }
    /// Replaces the marked text, or without any the selection, by `markedText`, marks it and selects `selectedRange`,
    /// in UTF-16 units **from the start of the marked text**, clamped to it. The same call twice changes nothing.
    ///
    /// Nil or empty removes the marked text and ends the composition.
    func setMarkedText(_ markedText: String?, selectedRange: UTF16Range)
    /// Marks text like ``setMarkedText(_:selectedRange:)``, with clauses.
    func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range)
    /// Ends the composition; the text stays, as ordinary text. Has no effect without marked text.
    func unmarkText()

    // MARK: Positions

    /// The position before the first character. Valid in an empty document.
    var beginningOfDocument: TextPosition { get }
    /// The position after the last character, also after a trailing newline.
    var endOfDocument: TextPosition { get }
    /// Returns the range between two positions, in either order.
    func textRange(from fromPosition: TextPosition, to toPosition: TextPosition) -> TextRange?
    /// Returns the position `offset` UTF-16 units ahead (back if negative); nil beyond the ends.
    func position(from position: TextPosition, offset: Int) -> TextPosition?
    /// Returns the position that is `offset` steps away on the screen: clusters to the left or right, lines up or down; nil if there is
    /// no such position.
    func position(from position: TextPosition, in direction: TextLayoutDirection, offset: Int) -> TextPosition?
    /// Returns the order of two positions.
    func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison
    /// Returns the UTF-16 units from `from` to `toPosition`; negative if `toPosition` comes first.
    /// `position(from: a, offset: offset(from: a, to: b))` is `b`.
    func offset(from: TextPosition, to toPosition: TextPosition) -> Int
    /// Returns the position of `range` that is farthest in `direction`.
    func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition?
    /// Returns the range from `position` to the end of its line in `direction`.
    func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange?

    // MARK: Direction

    /// Returns the base direction of the paragraph at a position.
    func baseWritingDirection(for position: TextPosition, in direction: TextStorageDirection) -> WritingDirection
    /// Sets the base direction of the paragraphs in `range` and nothing else.
    func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange)

    // MARK: Geometry, in view pixels

    /// Returns the rectangle of the part of `range` on its first visual line; the caret's if it is empty.
    func firstRect(for range: TextRange) -> ViewRect
    /// Returns the caret's rectangle at `position`, as high as its line.
    func caretRect(for position: TextPosition) -> ViewRect
    /// Returns the pieces of a selection: one for each visual line and directional run; none for an empty range. All of the range
    /// is laid out for it: see ``selectionRects(for:within:)``.
    func selectionRects(for range: TextRange) -> [TextSelectionRect]
    /// Returns the pieces of a selection that lie in or touch a part of the view, such as its visible part. If the range
    /// starts or ends elsewhere, no piece has ``TextSelectionRect/containsStart`` or ``TextSelectionRect/containsEnd``.
    func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect]
    /// Returns the caret position nearest to `point`; above the first line, below the last or beside a line it clamps. Nil only
    /// if the view shows no text.
    func closestPosition(to point: ViewPoint) -> TextPosition?
    /// Returns the caret position of `range` nearest to `point`.
    func closestPosition(to point: ViewPoint, within range: TextRange) -> TextPosition?
    /// Returns the grapheme cluster under `point`; nil if there is none.
    func characterRange(at point: ViewPoint) -> TextRange?
    /// The view whose coordinates the geometry uses; usually the view itself.
    var textInputView: AnyObject { get }

    // MARK: Services

    /// The delegate to notify of every change that the view makes by itself. Held weakly.
    var inputDelegate: (any TextInputDelegate)? { get set }
    /// The tokenizer that finds the units of the text.
    var tokenizer: any TextInputTokenizer { get }
}

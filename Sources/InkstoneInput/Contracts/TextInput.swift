public import InkstoneBase
public import InkstoneText

/// The protocol of a text view in terms of positions. Keyboards, gestures, accessibility and autocorrection use it.
/// The counterpart of Apple's `UITextInput`.
///
/// All offsets are in UTF-16 units. Positions are values that contain their document and version. A position in an
/// older version is mapped through the changes since; a position of another document is a programming error. An offset
/// within a surrogate pair counts as the pair's start. In a selection, an offset within a grapheme cluster moves to the
/// cluster's start. Edits use their range unchanged, because a mark that an input method composes may combine with the
/// letter before it. Geometry is in pixels of ``textInputView``'s space (`ViewSpace`), after scrolling. A range is
/// half-open, and its start is never after its end.
///
/// Most members have default implementations that use the others. A field that draws itself adopts
/// ``EditableTextInput`` and implements only its geometry.
public protocol TextInput: KeyInput {
    // MARK: Text

    /// Returns the text in `range`, which is clamped to the document. Nil only if the view must not reveal its
    /// text, as a secure field must not.
    func text(in range: TextRange) -> String?
    /// Replaces the text in `range`, which is clamped to the document, as one undo step. Does not call
    /// ``inputDelegate``. If a caret is in the range, it moves after the new text. Any other caret keeps its place
    /// in the text.
    func replace(_ range: TextRange, withText text: String)
    /// Returns whether the user may replace `range` by `text`. Called before edits by keys, but not during a
    /// composition.
    func shouldChangeText(in range: TextRange, replacementText text: String) -> Bool
    /// Whether the user may edit at all.
    var isEditable: Bool { get }
    /// Whether the text is secret. If so, no input method, trace, X selection or proxy gets it.
    var isSecureTextEntry: Bool { get }

    // MARK: Selection

    /// The selected range: empty for a caret, nil for none. A range that is set is clamped to the text, and its
    /// ends move to starts of clusters.
    var selectedTextRange: TextRange? { get set }
    /// The visual line, before or after a soft wrap, to which the caret belongs.
    var selectionAffinity: TextAffinity { get }

    // MARK: Marked text

    /// The range of the text being composed; nil if there is none. Never empty.
    var markedTextRange: TextRange? { get }
    /// The style of marked text; nil for the view's own style.
    var markedTextStyle: MarkedTextStyle? { get set }
    /// Marks `markedText` and selects `selectedRange`. The text replaces the marked text; without any, it replaces
    /// the selection. `selectedRange` is in UTF-16 units **from the start of the marked text**, and is clamped to
    /// it. Repeating a call changes nothing.
    ///
    /// Nil or an empty text removes the marked text and ends the composition.
    func setMarkedText(_ markedText: String?, selectedRange: UTF16Range)
    /// Marks text like ``setMarkedText(_:selectedRange:)``, with clauses.
    func setAttributedMarkedText(_ markedText: InputText?, selectedRange: UTF16Range)
    /// Ends the composition. The marked text becomes ordinary text. Has no effect without marked text.
    func unmarkText()

    // MARK: Positions

    /// The position before the first character. Valid in an empty document.
    var beginningOfDocument: TextPosition { get }
    /// The position after the last character, also after a trailing newline.
    var endOfDocument: TextPosition { get }
    /// Returns the range between two positions, in either order. May be nil if a position is not one of this text.
    func textRange(from fromPosition: TextPosition, to toPosition: TextPosition) -> TextRange?
    /// Returns the position that is `offset` UTF-16 units further on; further back if `offset` is negative. Nil
    /// beyond the ends of the text.
    func position(from position: TextPosition, offset: Int) -> TextPosition?
    /// Returns the position that is `offset` steps away on the screen. A step to the left or right is a cluster, a
    /// step up or down a line. Nil if there is no such position.
    func position(from position: TextPosition, in direction: TextLayoutDirection, offset: Int) -> TextPosition?
    /// Returns the order of two positions in the text.
    func compare(_ position: TextPosition, to other: TextPosition) -> TextComparison
    /// Returns the number of UTF-16 units from `from` to `toPosition`. Negative if `toPosition` comes first.
    /// `position(from: a, offset: offset(from: a, to: b))` is `b`.
    func offset(from: TextPosition, to toPosition: TextPosition) -> Int
    /// Returns the position within `range` that is farthest in `direction` on the screen. Nil only if the view
    /// shows no text.
    func position(within range: TextRange, farthestIn direction: TextLayoutDirection) -> TextPosition?
    /// Returns the range from `position` to the end of its line in `direction`. May be nil if `position` is not one
    /// of this text.
    func characterRange(byExtending position: TextPosition, in direction: TextLayoutDirection) -> TextRange?

    // MARK: Direction

    /// Returns the base direction of the paragraph at a position.
    func baseWritingDirection(for position: TextPosition, in direction: TextStorageDirection) -> WritingDirection
    /// Sets the base direction of the paragraphs in `range`, and of no others.
    func setBaseWritingDirection(_ writingDirection: WritingDirection, for range: TextRange)

    // MARK: Geometry, in view pixels

    /// Returns the rectangle of the part of `range` on its first visual line; for an empty range, the caret's
    /// rectangle.
    func firstRect(for range: TextRange) -> ViewRect
    /// Returns the rectangle of the caret at `position`, as high as its line.
    func caretRect(for position: TextPosition) -> ViewRect
    /// Returns the pieces of a selection: one for each visual line and run of one direction. None for an empty
    /// range. Lays out the whole range; for the visible part alone, use ``selectionRects(for:within:)``.
    func selectionRects(for range: TextRange) -> [TextSelectionRect]
    /// Returns the pieces of a selection that intersect or touch a rectangle of the view, such as its visible part.
    /// If the range starts elsewhere, no piece has ``TextSelectionRect/containsStart``. If it ends elsewhere, none
    /// has ``TextSelectionRect/containsEnd``.
    func selectionRects(for range: TextRange, within area: ViewRect) -> [TextSelectionRect]
    /// Returns the caret position closest to `point`. The point may lie above the first line, below the last line
    /// or beside a line. Nil only if the view shows no text.
    func closestPosition(to point: ViewPoint) -> TextPosition?
    /// Returns the caret position within `range` that is closest to `point`. Nil only if the view shows no text.
    func closestPosition(to point: ViewPoint, within range: TextRange) -> TextPosition?
    /// Returns the grapheme cluster under `point`; nil if there is none.
    func characterRange(at point: ViewPoint) -> TextRange?
    /// The view whose coordinates the geometry uses; usually the view itself.
    var textInputView: AnyObject { get }

    // MARK: Delegate and tokenizer

    /// The delegate that is notified of every change that the view makes by itself; nil for none. Not retained.
    var inputDelegate: (any TextInputDelegate)? { get set }
    /// The tokenizer that finds the units of the text.
    var tokenizer: any TextInputTokenizer { get }
}

public import InkstoneBase
public import InkstoneText

/// The contract of a text view whose text lives elsewhere: in another process, on an actor, behind a network. Apple's `BETextInput`.
///
/// Adopt it beside `TextInput`, which still answers from what is known here (the last layout, the last text): if both have a member
/// for the same purpose, the input system calls the one of this contract. Every member has a default on top of `TextInput`; a view
/// implements ``handleKeyEntry(_:completion:)`` or ``keyEntryHandler``, and the members that its document can improve.
///
/// All calls come on the view's thread, in the order of what the user did. *Input contracts* has the order and the deadline.
public protocol AsyncTextInput: TextInput {
    // MARK: Keys

    /// Handles a key, and calls `completion` with whether the key was handled: now or later, from any thread.
    ///
    /// The next entry, click, paste or commit of an input method comes after the completion or after `InputTiming/handling`. Keys that the
    /// input method composes never come here. Answers false unless a view says otherwise.
    func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion)

    /// An asynchronous handler of keys, which may belong to an actor; then ``handleKeyEntry(_:completion:)`` is not called. Its
    /// task is cancelled at the deadline and when the window closes. An error counts as handled. Nil by default.
    var keyEntryHandler: (@Sendable (KeyEntry) async throws -> Bool)? { get }

    /// Called when Shift goes down or up and when Caps Lock is set or released, before the key's entry. The states hold no other modifiers.
    func shiftKeyStateChanged(from oldState: KeyModifiers, to newState: KeyModifiers)

    /// The system's side of this contract; set by the view's ``TextInputContext``. Hold it weakly.
    var asyncInputDelegate: (any AsyncTextInputDelegate)? { get set }

    // MARK: Editing

    /// Deletes the selection, whatever the arguments; with a caret, the text from there to the border of a unit: of a line or paragraph
    /// the remainder on that side.
    func delete(in direction: TextStorageDirection, to granularity: TextGranularity)
    /// Swaps the grapheme clusters around the caret; does nothing with a selection or at the ends.
    func transposeCharactersAroundSelection()
    /// Replaces text for a correction: the selection if it is `original`; at a caret the `original` that ends there or that is the word
    /// before it; with the caret at the document's start the `original` that begins there. Returns false, without any change, if the
    /// text there has changed.
    @discardableResult
    func replaceSelectedText(_ original: String, withText replacement: String) -> Bool
    /// Inserts a suggestion that the user has chosen.
    func insert(_ suggestion: TextSuggestion)

    // MARK: Context

    /// Calls `completion` with the text around the selection: the sentence with the caret and the one before, for corrections. Nil in a
    /// secure view. On the view's thread; now or later.
    func requestTextContextForAutocorrection(completion: @escaping (TextDocumentContext?) -> Void)
    /// Other readings of ranges of the text; nil, the default, for a view that keeps none.
    var textAlternatives: TextAlternativesList? { get }

    // MARK: Selection

    /// The selected text; nil for a caret and for no selection.
    var selectedText: String? { get }
    /// Whether the caret is, or the selection begins, at the start of the document.
    var isSelectionAtDocumentStart: Bool { get }
    /// Extends the selection to a point of the view, to the border of a unit there: a point before the selection keeps its end, else its start
    /// is kept. A drag first selects its initial unit anew. Calls `completion` with whether a unit was found.
    func updateSelection(
        extent point: ViewPoint, boundary: TextGranularity, completion: @escaping (_ isAtBoundary: Bool) -> Void)
    /// Moves the caret to the next border of a unit. Calls `completion` with whether the caret moved.
    func moveSelection(
        atBoundary granularity: TextGranularity, in direction: TextStorageDirection,
        completion: @escaping (_ hasMoved: Bool) -> Void)
    /// Moves the selection's start and changes its length, by insertion points.
    func adjustSelection(by range: DirectionalTextRange)
    /// Selects the unit at a point of the view.
    func selectText(in granularity: TextGranularity, at point: ViewPoint)
    /// Puts the caret at a point of the view.
    func selectPosition(at point: ViewPoint)

    // MARK: Gestures and scrolling

    /// Whether a gesture may begin at a point of the view. Called before the gesture changes anything.
    func textInteractionGesture(_ gesture: TextGesture, shouldBeginAt point: ViewPoint) -> Bool
    /// Scrolls towards a point of ``TextInput/textInputView`` that a drag has reached, until ``cancelAutoscroll()``.
    func autoscroll(to point: ViewPoint)
    /// Ends the scrolling, because the drag has ended or the view has lost the focus.
    func cancelAutoscroll()

    // MARK: Focus

    /// Called before the keyboard is dismissed although the view stays the first responder: no more text comes, and keys scroll.
    func keyboardWillDismiss()
}

/// The input system from the view of an ``AsyncTextInput``. Apple's `BETextInputDelegate`; ``TextInputContext`` adopts it.
public protocol AsyncTextInputDelegate: AnyObject {
    /// Called by the client before it changes the selection by itself.
    func selectionWillChange(_ textInput: any AsyncTextInput)
    /// Called by the client after it has changed the selection by itself, or its layout.
    func selectionDidChange(_ textInput: any AsyncTextInput)
    /// Performs a key that the client has not handled: key bindings first, then the text. Returns whether it had an effect.
    ///
    /// The queue calls this for each entry that was answered with false. A client may call it itself while it has the entry, and then answers
    /// with the result. It has an effect once for each entry.
    func shouldDeferEventHandlingToSystem(for textInput: any AsyncTextInput, context: KeyEntryContext) -> Bool
    /// Offers completions of the text being typed; nil or empty for none.
    func textInput(_ textInput: any AsyncTextInput, setCandidateSuggestions suggestions: [TextSuggestion]?)
    /// Called by the client when the text around the caret was replaced: ends the composition and keeps its text.
    func invalidateTextEntryContext(for textInput: any AsyncTextInput)
}

/// A gesture in a text view that its client may refuse.
public enum TextGesture: Hashable, Sendable, CaseIterable {
    /// A click that moves the caret, and the drag that begins with it.
    case caret
    /// A double click, which selects a word.
    case word
    /// A triple click, which selects a paragraph.
    case paragraph
    /// A click with Shift, which moves the selection's end.
    case extending
    /// A click or a drag with Ctrl, which adds or removes a range.
    case several
    /// A drag with Alt, or Ctrl and Shift, which selects a rectangle.
    case rectangle
    /// A drag of the selected text.
    case drag
    /// A click with the middle button, which pastes PRIMARY.
    case paste
    /// A click on a link, or the second one on an attachment.
    case link
    /// A press that is held still.
    case longPress
    /// A press of the third button, which opens a menu.
    case menu
}

/// A change of a selection's start and length, in insertion points. Apple's `BEDirectionalTextRange`. With "world" selected in "Hello world",
/// an offset of −6 and a length of −2 select "Hel".
public struct DirectionalTextRange: Hashable, Sendable {
    /// Insertion points from the selection's start to the new start; negative for backward.
    public var offset: Int
    /// Insertion points by which the selection gets longer; negative for shorter.
    public var length: Int

    /// Creates a change from its parts.
    public init(offset: Int, length: Int) {
        self.offset = offset
        self.length = length
    }
}

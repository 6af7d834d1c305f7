public import InkstoneBase
public import InkstoneText

/// The protocol of a text view whose text is elsewhere: in another process, on an actor, or behind a network. The
/// counterpart of Apple's `BETextInput`.
///
/// Adopt it in addition to `TextInput`. The members of `TextInput` then return what is known in this process: the
/// last text and layout. If both protocols have a member for the same purpose, the input system calls the one of
/// this protocol. Every member has a default that uses `TextInput`. A view implements
/// ``handleKeyEntry(_:completion:)`` or ``keyEntryHandler``, and those other members for which its document offers
/// more than the default.
///
/// All calls are made on the view's thread, in the order of the user's actions. *Text that lives elsewhere* describes
/// the order and the deadline.
public protocol AsyncTextInput: TextInput {
    // MARK: Keys

    /// Handles a key. Calls `completion` with whether the key was handled: now or later, from any thread.
    ///
    /// The next entry, click, paste or commit of an input method follows after the completion, or when the time
    /// `InputTiming/handling` is over. Keys that the input method composes are never passed to this method. The
    /// default implementation answers false.
    func handleKeyEntry(_ entry: KeyEntry, completion: KeyEntryCompletion)

    /// An asynchronous handler of keys; nil, the default, for none. The handler may belong to an actor. If it is set,
    /// ``handleKeyEntry(_:completion:)`` is not called. The handler's task is cancelled at the deadline, and when the
    /// window closes; but not while the input system no longer waits for answers, after two missed deadlines in a row.
    /// If the handler throws, the key counts as handled.
    var keyEntryHandler: (@Sendable (KeyEntry) async throws -> Bool)? { get }

    /// Called when Shift is pressed or released, and when Caps Lock is set or cleared. Also called when the view loses
    /// the focus: both then count as off. The call comes before the key's entry. The states contain only these two
    /// modifiers.
    func shiftKeyStateChanged(from oldState: KeyModifiers, to newState: KeyModifiers)

    /// The object by which the view reports to the input system. The view's ``TextInputContext`` sets it. Do not
    /// retain it.
    var asyncInputDelegate: (any AsyncTextInputDelegate)? { get set }

    // MARK: Editing

    /// Deletes the selection, whatever the arguments. With a caret, deletes the text from the caret to the boundary
    /// of a unit. If the unit is a line or a paragraph, deletes the rest of it in the given direction.
    func delete(in direction: TextStorageDirection, to granularity: TextGranularity)
    /// Exchanges the grapheme clusters before and after the caret. Does nothing with a selection or at the ends of
    /// the text.
    func transposeCharactersAroundSelection()
    /// Replaces `original` by `replacement`, for a correction. With a selection, replaces the selection. With a
    /// caret at the start of the document, replaces the text after the caret; with any other caret, the text before
    /// it or else the last word before it. The replaced text must be `original`. Without a selection, the end of this
    /// text that is not at the caret must not be within a word. Returns false, and changes nothing, if there is no such
    /// text.
    @discardableResult
    func replaceSelectedText(_ original: String, withText replacement: String) -> Bool
    /// Inserts a suggestion that the user has chosen.
    func insert(_ suggestion: TextSuggestion)

    // MARK: Context

    /// Calls `completion` with the text around the selection, for corrections: the sentence with the caret and the
    /// one before it. The context is nil in a secure view and without a selection. `completion` is called on the
    /// view's thread, now or later.
    func requestTextContextForAutocorrection(completion: @escaping (TextDocumentContext?) -> Void)
    /// The alternatives for ranges of the text; nil, the default, for a view that stores none.
    var textAlternatives: TextAlternativesList? { get }

    // MARK: Selection

    /// The selected text; nil for a caret, without a selection, and in a secure view.
    var selectedText: String? { get }
    /// Whether the caret, or the start of the selection, is at the start of the document.
    var isSelectionAtDocumentStart: Bool { get }
    /// Extends the selection to a point of the view, up to the boundary of the unit there. If the point is before the
    /// selection, the selection's end stays; otherwise its start stays. During a drag, the input system selects the
    /// unit where the drag began before each call. Calls `completion` with whether a unit was found.
    func updateSelection(
        extent point: ViewPoint, boundary: TextGranularity, completion: @escaping (_ isAtBoundary: Bool) -> Void)
    /// Moves the caret to the next boundary of a unit. Calls `completion` with whether the caret has moved or a
    /// selection has become a caret.
    func moveSelection(
        atBoundary granularity: TextGranularity, in direction: TextStorageDirection,
        completion: @escaping (_ hasMoved: Bool) -> Void)
    /// Moves the start of the selection and changes its length, both in insertion points (grapheme clusters).
    func adjustSelection(by range: DirectionalTextRange)
    /// Selects the unit at a point of the view, such as a word. Changes nothing if there is none.
    func selectText(in granularity: TextGranularity, at point: ViewPoint)
    /// Moves the caret to a point of the view.
    func selectPosition(at point: ViewPoint)

    // MARK: Gestures and scrolling

    /// Returns whether a gesture may begin at a point of the view. Called before the gesture changes anything.
    func textInteractionGesture(_ gesture: TextGesture, shouldBeginAt point: ViewPoint) -> Bool
    /// Scrolls towards a point of ``TextInput/textInputView`` to which the pointer was dragged. The scrolling goes
    /// on until ``cancelAutoscroll()``.
    func autoscroll(to point: ViewPoint)
    /// Ends the scrolling. Called when the drag has ended, or when the view has lost the focus.
    func cancelAutoscroll()

    // MARK: Focus

    /// Called before the keyboard is dismissed while the view remains the first responder. After the dismissal, no
    /// text arrives, and keys scroll.
    func keyboardWillDismiss()
}

/// The input system as seen by an ``AsyncTextInput``. The counterpart of Apple's `BETextInputDelegate`;
/// ``TextInputContext`` adopts it.
public protocol AsyncTextInputDelegate: AnyObject {
    /// Called by the client before it changes its selection without a request of the input system.
    func selectionWillChange(_ textInput: any AsyncTextInput)
    /// Called by the client after it has changed its selection or its layout without a request of the input system.
    func selectionDidChange(_ textInput: any AsyncTextInput)
    /// Performs a key that the client has not handled: looks for it in the key bindings, and otherwise types its
    /// text. Returns whether it had an effect.
    ///
    /// The input system calls this method for each entry that the client has answered with false. A client may also
    /// call it while it still has the entry, and then answer with the result. The method has an effect only once
    /// for each entry.
    func shouldDeferEventHandlingToSystem(for textInput: any AsyncTextInput, context: KeyEntryContext) -> Bool
    /// Offers completions of the text being typed; nil or empty for none.
    func textInput(_ textInput: any AsyncTextInput, setCandidateSuggestions suggestions: [TextSuggestion]?)
    /// Called by the client when the text around the caret was replaced. Ends the composition and keeps its text.
    func invalidateTextEntryContext(for textInput: any AsyncTextInput)
}

/// A gesture in a text view, which the view may refuse.
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
    /// A click on a link, or a double click on an attachment.
    case link
    /// A press that is held still.
    case longPress
    /// A press of the third button, which opens a menu.
    case menu
}

/// A change of the start and the length of a selection, in insertion points. The counterpart of Apple's
/// `BEDirectionalTextRange`. For example, with "world" selected in "Hello world", an offset of −6 and a length of
/// −2 select "Hel".
public struct DirectionalTextRange: Hashable, Sendable {
    /// The number of insertion points from the selection's start to the new start. Negative for a new start further
    /// back.
    public var offset: Int
    /// The number of insertion points by which the selection gets longer. Negative if it gets shorter.
    public var length: Int

    /// Creates a change from its parts.
    public init(offset: Int, length: Int) {
        self.offset = offset
        self.length = length
    }
}

import Glibc
import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// The text view without a display: a text, where the user is in it, and how it looks.
///
/// It owns the selection, the marked text and the scroll position, turns commands, pointer events and the input
/// contracts' calls into edits of its ``store``, and paints on any `Canvas`. It never waits and knows no X.
///
/// Offsets are UTF-16 code units unless a type says otherwise. Bound to one thread, like its store.
///
/// ```
/// EditorView                state, edits and what follows from them   (this file)
/// ├─ +Changes               who changes the text, who is told of it, edits by the program
/// ├─ +Following             what follows from each transaction of the store
/// ├─ +Editing               insert, delete, undo, paste
/// ├─ +Composition           marked text
/// ├─ +Options               what the user may do
/// ├─ +Moving                where commands move the caret to
/// ├─ +Commands              which command does what
/// ├─ +Killing               deleting what is yanked later
/// ├─ +Writing               mark, transposing, case
/// ├─ +Indenting             steps at the start of paragraphs
/// ├─ +Overwriting           typing over what stands behind the caret
/// ├─ +Pointer               clicks and drags
/// ├─ +Scrolling, +ScrollBar document space ↔ view space
/// ├─ +Damage, +Painting     what changed → damage → canvas
/// ├─ +Caret                 split carets and their flag
/// ├─ +MarkedLook            how clauses of marked text look
/// ├─ +Style                 font, scale, colours and lines of ranges
/// ├─ +Idle                  exact heights
/// ├─ +TextInput             positions: keyboards, autocorrection
/// ├─ +TextInputClient       ranges: input methods
/// └─ +Responder             the chain of those who are asked about keys
/// ```
public final class EditorView {
    /// Tells it from other views of the same text.
    public let id = ViewID()
    /// The text, its versions and its undo history.
    public let store: TextStore
    /// Lines and geometry of the text.
    public let layout: TextLayoutManager
    /// Who shows this view.
    public weak var host: (any EditorViewHost)?
    /// Who is told before and after changes that the input system did not make itself.
    public weak var inputDelegate: (any TextInputDelegate)?

    /// Who is asked for commands that the text does not know, and for key commands: usually the widget that shows it.
    public weak var next: (any Responder)?

    /// Tells of changes to the text, once for each composition.
    public let changes: TextChanges

    /// Colours and distances, in device pixels.
    public var theme: Theme { didSet { themeDidChange() } }
    /// Where an input method's answers become calls to this view.
    public private(set) lazy var inputContext = TextInputContext(client: self)

    /// How marked text is shown; nil for the ``theme``'s way.
    public var markedTextStyle: MarkedTextStyle? { didSet { markedTextStyleDidChange(from: oldValue) } }
    /// What the user may do with the text, and how an empty view looks.
    public var options = TextInputOptions() { didSet { optionsDidChange(from: oldValue) } }
    /// Whether the user may change the text: ``options`` say it.
    public var isEditable: Bool {
        get { options.isEditable }
        set { options.isEditable = newValue }
    }
    /// Who may refuse what the user does to the text.
    public weak var delegate: (any EditorViewDelegate)?
    /// Whether the view does a command that it could do; the program may refuse any. Nil refuses none.
    public var allowsCommand: ((EditCommand) -> Bool)?
    /// Words as they are moved over, selected and deleted: as in prose, or as in programs.
    public var wordStyle = WordStyle.natural { didSet { ownTokenizer.wordStyle = wordStyle } }
    private(set) lazy var ownTokenizer = EditorTokenizer(textInput: self, wordStyle: wordStyle)

    /// What Return types, and what the line ends of pasted text become: `"\n"`, `"\r\n"` or `"\r"`.
    public var newline = "\n"

    /// Where the user is; nil if nothing is selected and there is no caret. Changes through ``select(_:scrolling:)``.
    ///
    /// Without a selection nothing can be typed, and commands that start from one are refused; a click, ``select(_:scrolling:)``
    /// and selecting all make one again.
    public internal(set) var selection: Selection? = Selection(caret: 0)
    /// What an input method is composing; nil if nothing.
    public internal(set) var markedText: MarkedText? {
        didSet {
            // Its lines and colours go with it, wherever the caret went.
            guard let oldValue, oldValue != markedText else { return }
            setNeedsDisplay(offsets: oldValue.range)
        }
    }
    /// Whether keys go here: the caret blinks and the selection is strong.
    public private(set) var isFocused = false

    /// Where the view lies in its window.
    public private(set) var frame = WindowRect(x: 0, y: 0, width: 1, height: 1)
    /// Where the window's origin lies on the root window; kept up to date by the host.
    public var windowOrigin = RootPoint(x: 0, y: 0) {
        didSet { if windowOrigin != oldValue { host?.editorViewCoordinatesDidChange(self) } }
    }

    /// How far the text is scrolled: what document y lies at the top margin, and the x at the left one.
    var scroll = ScrollPosition()
    var drag: DragState?
    var thumbDrag: ThumbDrag?
    var blink = CaretBlink()
    var caretIsHidden = false
    /// An edit of this view is being made, which sets the selection itself.
    var isWithinOwnEdit = false
    /// That edit is one of the marked text, which is set afterwards as well.
    var isWithinMarking = false
    /// Someone edits the store; until that is over it cannot be edited.
    var isWithinStoreEdit = false
    /// Greater than 0 while the input system is at work, which needs no telling of it.
    var inputSystemDepth = 0
    /// A change is going on that the input system's delegate has been told of.
    var isTellingDelegate = false
    var toldOfForeignEdit: (any TextInputDelegate)?
    /// Edits by others took the marked text away, and the input method has not heard of it.
    var hasLostComposition = false
    /// The place that commands remember and select from; nil before the first.
    var mark: TextAnchor?
    /// What was cut off or copied last, to be yanked. Each view has one of its own unless it is given another.
    public var killBuffer = KillBuffer()
    var lastKill: Kill?
    /// Whether what is typed replaces what stands behind the caret, as far as its paragraph goes. What is pasted does not.
    public var isOverwriting = false { didSet { if isOverwriting != oldValue { overwritingDidChange() } } }
    var isSettling = false
    /// What the edits of the composition that is going on are joined by in the undo history.
    var compositionGroup: UndoGroupID?
    /// What was selected when it began, in UTF-16 units of the text of a version.
    var selectionAtComposition: (version: TextVersion, range: Range<UTF16Offset>)?
    /// The selection that the host has been told of.
    var reportedSelection: Selection?
    /// What was painted last of the caret, in view pixels; the scroll bar's thumb as it is painted or about to be, by the
    /// damage that was asked for; and how far ink was found to reach beyond lines, in pixels.
    var shownCarets: [ViewRect] = []
    var knownCaret: (key: CaretKey, parts: [ViewRect])?
    var shownThumb: ViewRect?
    var shownReach = 0.0
    /// Whether the keyboard types letters that are written from right to left: the flag of a split caret tells it.
    public var keyboardIsRightToLeft = false {
        didSet { if keyboardIsRightToLeft != oldValue { damageCaret() } }
    }
    var pendingEdits = PendingEdits()
    /// The placeholder as it is shown, with its font; made when it is first needed.
    var placeholder: (label: LineLabel, font: FontDescriptor)?
    /// Edits that ``changes`` has not heard of, in order.
    var untoldEdits: [TextEdit] = []
    /// Milliseconds of a monotonic clock.
    let clock: () -> Int64

    /// A view of a text.
    ///
    /// - Parameters:
    ///   - store: the text; edits that others make to it show here too.
    ///   - font: the font of all text, in device pixels.
    ///   - theme: colours and distances, already scaled.
    ///   - clock: milliseconds of a monotonic clock; tests pass their own.
    public init(
        store: TextStore, font: FontDescriptor, theme: Theme = Theme(), settings: FontSettings = FontSettings(),
        clock: @escaping () -> Int64 = { MonotonicClock.milliseconds }
    ) {
        self.store = store
        self.theme = theme
        self.clock = clock
        changes = TextChanges { store.text }
        layout = TextLayoutManager(
            store: store, container: TextContainer(width: 1), font: font, settings: settings)
        store.addFollower(self)
        store.noteSelection(primary.range, of: id)
        reportedSelection = selection
    }

    /// All offsets of the text.
    public var textRange: Range<UTF16Offset> { store.text.utf16Range }

    /// Places the view in its window; text is wrapped to the new width and the first visible line stays first.
    public func setFrame(_ frame: WindowRect) {
        guard frame != self.frame else { return }
        self.frame = WindowRect(
            x: frame.minX, y: frame.minY, width: max(1, frame.width), height: max(1, frame.height))
        updateContainer()
        setNeedsDisplay()
    }

    /// Gives or takes the focus. A composition that is going on is ended by the input context, not here.
    public func setFocused(_ focused: Bool) {
        guard focused != isFocused else { return }
        isFocused = focused
        if focused { blink.restart(at: clock()) } else { blink.stop() }
        host?.editorViewDeadlineDidChange(self)
        setNeedsDisplay()
    }

    /// Whether long lines are wrapped at the view's width.
    public var wrapsLines: Bool = true {
        didSet { if wrapsLines != oldValue { updateContainer(); setNeedsDisplay() } }
    }

    /// Whether lines are wrapped indeed.
    var wraps: Bool { wrapsLines && !options.isSingleLine }

    func updateContainer() {
        layout.container =
            TextContainer(width: roomForText, lineBreakMode: wraps ? .byWordWrapping : .byClipping)
        if wraps { scroll.x = 0 }
        restoreScrollAnchor()
        host?.editorViewCoordinatesDidChange(self)
    }

    private func themeDidChange() {
        updateContainer()
        setNeedsDisplay()
    }

    // MARK: Selection

    /// Moves the user to a place, or with nil to none; the input contracts' delegate is told. Ends outside the text are
    /// clamped.
    ///
    /// - Parameter scrolling: whether the primary range's moving end is brought into sight.
    public func select(_ new: Selection?, scrolling: Bool = true) {
        let new = new?.clamped(into: textRange)
        let old = selection
        if new != old {
            lastKill = nil
            asOutsideChange(of: .selection) {
                selection = new
                damageSelectionChange(from: old, to: new)
            }
            store.noteSelection(primary.range, of: id)
            reportSelection()
            host?.editorViewCoordinatesDidChange(self)
        }
        noteActivity()
        if scrolling { scrollToCaret() }
    }

    /// The user did something: the caret shows steadily for a moment.
    func noteActivity() {
        guard isFocused else { return }
        let wasVisible = blink.isVisible(at: clock())
        blink.restart(at: clock())
        if !wasVisible { damageCaret() }
        host?.editorViewDeadlineDidChange(self)
    }

    /// When ``handleDeadline()`` wants to be called, in milliseconds of the view's clock; nil for never.
    public var nextDeadline: Int64? {
        guard isFocused, showsCaret else { return drag?.nextScroll }
        return [blink.nextChange(after: clock()), drag?.nextScroll].compactMap { $0 }.min()
    }

    /// Turns the caret on or off and scrolls on while a drag is held beyond the edge.
    public func handleDeadline() {
        damageCaret()
        continueDragBeyondEdge()
        host?.editorViewDeadlineDidChange(self)
    }
}

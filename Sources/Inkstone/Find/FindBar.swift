import InkstoneAccessibility
import InkstoneBase
import InkstoneInput
import InkstoneLayout
import InkstoneProxy
import InkstoneText
import InkstoneView
import InkstoneX11

/// A bar for finding and replacing in a text view: fields, options, buttons, and the number of matches.
///
/// Create the bar and give it room in the window's layout. It is closed at first, and needs no room while it is closed.
/// The window passes it the find commands that nothing else has performed, such as those of Ctrl+F, Ctrl+H and F3, and
/// the keys that input methods have not used, such as Return, Escape, and Alt with a letter for each option.
///
/// ```swift
/// let bar = FindBar(for: view, in: window)
/// window.onLayout = { window in
///     let (size, height) = (window.size, bar.height(in: window.size))
///     view.setFrame(WindowRect(x: 0, y: 0, width: size.width, height: size.height - height))
///     bar.setFrame(WindowRect(x: 0, y: size.height - height, width: size.width, height: height))
/// }
/// ```
public final class FindBar: WindowContent {
    package typealias Action = FindBarLayout.Action

    /// A button, which shows a symbol or a word.
    struct Button {
        var action: Action
        var label: LineLabel
        /// The frame of the button in window pixels; nil if there is no room for it.
        var frame: WindowRect?
        var isOn = false
    }

    /// The text fields of the bar. They have input methods, undo and clipboard.
    struct Fields {
        let find: TextView
        let replace: TextView

        var all: [TextView] { [find, replace] }
    }

    /// The labels of the fields, and the message beside them.
    struct Labels {
        var find: LineLabel
        var replace: LineLabel
        var message: LineLabel

        init(font: FontDescriptor, sharing view: TextView) {
            func label(_ text: String) -> LineLabel {
                var label = LineLabel(font: font, sharing: view)
                label.text = text
                return label
            }
            (find, replace, message) = (label(FindWords.findTitle), label(FindWords.replaceTitle), label(""))
        }
    }

    /// The keysym XK_KP_Enter, of the Enter key on the keypad.
    private static let keypadEnter: Keysym = 0xff8d

    package let session: FindSession
    /// The frame of the bar, in window pixels; zero while it is closed.
    public internal(set) var frame = WindowRect.zero
    /// Whether the bar is shown.
    public private(set) var isOpen = false
    var replaces = false
    private(set) weak var window: WidgetWindow?
    let main: TextView
    let display: Display
    /// Whether the window passes commands and keys to the bar. If false, the program does so itself.
    private(set) var servesWindow = false
    private let histories: SearchHistories
    private(set) var fields: Fields?
    /// The texts that the fields get when they are created.
    private var kept = (find: "", replace: "")
    private var observation: TextObservation?
    /// The observations of edits of both fields.
    private var edits: [TextObservation] = []
    var labels: Labels
    var notice = ""
    /// The buttons; empty until the bar is first opened, because their symbols may need fontconfig, which must not
    /// delay the start.
    var buttons: [Button] = []
    var padding = 0.0
    /// The width reserved for the message beside the search field, in pixels; see `FindBarLayout.Extents`.
    var usualMessage = 0.0
    /// The width and height that are available to the bar, in pixels.
    var room = Size(width: 1, height: 1)
    /// The layout of the bar's parts, relative to the bar's upper left corner; nil while there is none.
    var layout: FindBarLayout?
    /// The direction of the last search step.
    var direction = TextStorageDirection.forward
    /// The timer after which a message about a long search is shown; nil if none is set.
    private var searchTimer: TimerID?
    /// Whether the result of a search step made while the bar was closed has not been reported yet.
    private var isStepOpen = false
    /// The actions that wait for a paste into one of the fields.
    private var waiting: [Action] = []
    /// The version of the document after the bar's last replacement, or after undoing or redoing one. While the
    /// document has this version, undo and redo in the fields apply to the document. Nil once a field is edited.
    private var replacedVersion: TextVersion?
    /// Whether text is being composed by an input method in the search field.
    private var isComposing = false
    /// The message of the bar that was last announced to assistive technology.
    var announced = ""
    /// Called when the bar is opened or closed, or changes its height.
    package var onLayoutChange: (() -> Void)?
    /// Called with a message for a status line, and whether it is a problem. The message is about a search step that
    /// was made while the bar was closed, or about a Replace All that closing the bar has cancelled.
    package var onNotice: ((String, Bool) -> Void)?
    /// Called with the hint of the button under the pointer, or with nil when the pointer leaves the buttons.
    package var onHint: ((String?) -> Void)?
    /// The button under the pointer; nil for none.
    var hovered: Action?
    /// Called when one of the fields gets the focus.
    package var onFocus: (() -> Void)?

    /// Creates a closed bar for a text view, as a content of the view's window.
    public convenience init(for view: TextView, in window: WidgetWindow) {
        self.init(for: view, in: window, histories: SearchHistories())
        servesWindow = true
        onLayoutChange = { [weak window] in window?.layOut() }
        // Show the bar with its message after a step without a match. Leave the focus in the document: after a long
        // search, the user may be typing there.
        onNotice = { [weak self] _, isProblem in
            guard let self, isProblem, !session.isReplacing, let window = self.window, !isOpen else { return }
            _ = reveal(in: window, replacing: false)
            show()
        }
        window.add(self)
    }

    /// Creates a closed bar to which the program itself passes commands and keys.
    package init(for view: TextView, in window: WidgetWindow, histories: SearchHistories) {
        (main, self.window, display, self.histories) = (view, window, window.display, histories)
        let poster = display.poster
        session = FindSession(in: view) { poster.post($0) }
        labels = Labels(font: Self.font(scale: display.scale), sharing: view)
        session.onChange = { [weak self] in
            self?.show()
            self?.noticeStep()
        }
    }

    private static func font(scale: Double) -> FontDescriptor {
        FontDescriptor(family: "sans", size: (12 * scale).rounded())
    }

    /// Adopts the display's scale and font settings.
    public func displaySettingsDidChange() {
        guard !buttons.isEmpty else { return }
        makeLabels()
        show()
    }

    private func makeLabels() {
        let font = Self.font(scale: display.scale)
        padding = (5 * display.scale).rounded()
        func label(_ text: String) -> LineLabel {
            var label = LineLabel(font: font, sharing: main)
            label.text = text
            return label
        }
        labels = Labels(font: font, sharing: main)
        usualMessage =
            label(Self.text(of: .found(ordinal: 10, count: 20, isComplete: true), around: .forward).text).size.width
        buttons = [
            (.ignoreCase, "Aa"), (.wholeWords, "W"), (.expression, ".*"), (.previous, "↑"), (.next, "↓"),
            (.close, "✕"), (.replace, FindWords.replaceTitle), (.replaceAll, FindWords.replaceAllShort),
            (.replaceInSelection, FindWords.inSelection),
        ].map { Button(action: $0, label: label($1)) }
    }

    // MARK: Opening and closing

    /// Opens the bar, and selects the text of the search field. A short selection of the document on one line
    /// becomes the search text, unless the search field has the focus already. Does nothing if the window is gone.
    ///
    /// - Parameter replacing: whether to show the field for the replacement as well.
    public func open(replacing: Bool = false) {
        guard let window else { return }
        let selected = main.selectedText(upTo: 100).flatMap { $0.contains(where: \.isNewline) ? nil : $0 }
        let fields = reveal(in: window, replacing: replacing)
        if let selected, !fields.find.hasFocus { setText(selected) }
        fields.find.select(Selection(anchor: 0, head: fields.find.textRange.upperBound))
        fields.find.focus()
        show()
    }

    /// Opens the bar without giving it the focus. Returns its fields.
    private func reveal(in window: WidgetWindow, replacing: Bool) -> Fields {
        let fields = fields ?? makeFields(in: window)
        self.fields = fields
        if buttons.isEmpty { makeLabels() }
        let wasOpen = isOpen
        isOpen = true
        replaces = replacing || wasOpen && replaces
        if !wasOpen { session.begin() }
        onLayoutChange?()
        return fields
    }

    /// Returns the first line of a text from another program as the search text; nil if the line has more than 1000
    /// scalars, because the fields would take much time and memory at each key.
    package static func pattern(of text: String) -> String? {
        let line = text.unicodeScalars.prefix(1001).prefix { !Character($0).isNewline }
        return line.count <= 1000 ? String(line) : nil
    }

    /// Opens the bar, and searches for a text.
    package func open(searchingFor text: String) {
        open(replacing: false)
        setText(text)
        fields?.find.select(Selection(anchor: 0, head: fields?.find.textRange.upperBound ?? 0))
    }

    /// Closes the bar, which cancels a running Replace All. If `returning` is true, the view scrolls back to where
    /// it was when the bar was opened, unless the user went to a match.
    public func close(returning: Bool = true) {
        guard isOpen else { return }
        isOpen = false
        (notice, waiting) = ("", [])
        if session.isReplacing { onNotice?(FindWords.barWasClosed, true) }
        session.end(returning: returning)
        hover(over: nil)
        main.focus()
        dropLateText()
        onLayoutChange?()
    }

    /// Cancels pending pastes into the fields, because in a closed bar they would start a search and move the view.
    /// This removes the fields; new ones with the same texts are created when the bar is opened again.
    private func dropLateText() {
        guard let fields, awaitsText else { return }
        kept = (fields.find.text, fields.replace.text)
        (self.fields, observation, edits) = (nil, nil, [])
        for field in fields.all { window?.remove(field) }
    }

    private func setText(_ text: String) {
        guard let field = fields?.find else { return }
        if field.text != text { field.text = text }
        // Search also if the text is the same: when the bar was opened, it only marked the matches, and did not go
        // to one.
        patternDidChange()
    }

    private func makeFields(in host: WidgetWindow) -> Fields {
        func make(_ placeholder: String) -> TextView {
            var theme = Theme()
            // Give the fields the margin of the labels in the bar.
            theme.margin = 5
            let view = TextView(in: host, font: Self.font(scale: display.scale), theme: theme)
            view.options.isSingleLine = true
            view.options.tabBehavior = .movesFocus
            view.options.placeholder = placeholder
            view.inputTraits = .literal(returning: placeholder == FindWords.findTitle ? .search : .standard)
            view.inputContext.keyBindings = main.inputContext.keyBindings
            view.appearance = main.appearance
            view.presenter.cursorView = FieldCursorView()
            view.onFocusChange = { [weak self, weak view] hasFocus in
                guard let self else { return }
                // Repaint the outlines of the fields, which the bar paints and which show the focus.
                window?.setNeedsDisplay(frame)
                if hasFocus { onFocus?() } else if window?.focusedView !== view { view?.presenter.showStart() }
            }
            return view
        }
        let fields = Fields(find: make(FindWords.findTitle), replace: make(FindWords.replaceWith))
        (fields.find.text, fields.replace.text) = kept
        observation = fields.find.observe { [unowned self] in
            guard !followComposition(in: fields.find), $0.textChange != nil else { return }
            // If the pattern changes by a late paste while the focus is in the document, do not move the view to a
            // match.
            patternDidChange(going: $0.origin?.isWithin(.paste) != true || window?.focusedView !== main)
        }
        edits = fields.all.map { field in
            field.observe { [unowned self] in if $0.textChange != nil { replacedVersion = nil } }
        }
        for field in fields.all {
            field.onPasteEnd = { [weak self] in self?.pasteDidEnd() }
            field.onPasteFailure = { [weak self] in self?.pasteDidFail($0) }
        }
        return fields
    }

    /// Follows the composition in the search field. When a composition begins, removes the marks of the previous
    /// pattern's matches; when it ends, marks the matches of the field's text again. Returns whether there is a
    /// composition.
    private func followComposition(in field: TextView) -> Bool {
        let was = isComposing
        isComposing = field.markedText != nil
        guard isComposing != was else { return isComposing }
        if isComposing {
            notice = ""
            session.search(for: "", goingToMatch: false)
            show()
        } else {
            patternDidChange(going: false)
        }
        return isComposing
    }

    private func patternDidChange(going isGoing: Bool = true) {
        notice = ""
        session.search(for: fields?.find.text ?? "", goingToMatch: isGoing)
        awaitMatch()
        show()
    }

    /// Schedules a message about a search or replacement that takes long.
    private func awaitMatch() {
        display.cancel(searchTimer)
        searchTimer = nil
        guard session.isSearching || session.isReplacing else { return }
        searchTimer = display.schedule(afterMilliseconds: 100) { [weak self] in
            guard let self else { return }
            searchTimer = nil
            guard session.isReplacing else { return session.reportSearching() }
            notice = FindWords.replacing
            show()
        }
    }

    // MARK: Keys

    /// Returns the action that the bar has for a key that the input method has not used; nil for other keys, which
    /// edit the fields.
    package func action(for key: KeyEvent) -> (() -> Void)? {
        guard isOpen, let window, let fields, key.phase != .up else { return nil }
        // While the document has the focus, handle only the cancel key, and only if it has no effect in the document.
        if window.focusedView === main, main.inputContext.pendingStrokes.isEmpty, !main.interaction.isActive,
            key.isCancel(in: main.keyBindings)
        {
            return { self.close() }
        }
        guard let field = fields.all.first(where: { window.focusedView === $0 }) else { return nil }
        let modifiers = key.modifiers.intersection(.commanding)
        switch key.keysym {
        case .escape: return cancel
        case _ where key.isCancel(in: main.keyBindings) && field.inputContext.pendingStrokes.isEmpty: return cancel
        case .return, Self.keypadEnter: return { self.take(key, in: field) }
        // Ignore Tab if the window is too low to show both fields.
        case .tab where layout?.replaceField == nil && replaces, .leftTab where layout?.replaceField == nil && replaces:
            return {}
        case .tab where replaces, .leftTab where replaces:
            let other = field === fields.find ? fields.replace : fields.find
            return {
                other.select(Selection(anchor: 0, head: other.textRange.upperBound))
                other.focus()
            }
        case .up where modifiers.isEmpty, .down where modifiers.isEmpty:
            return {
                window.performInOrder(.action) { [weak self] in
                    self?.stepHistory(back: key.keysym == .up, of: field)
                }
            }
        default:
            if let command = undoing(key) { return { self.undo(by: command) } }
            guard modifiers == .alt, !key.modifiers.contains(.shift), let action = Self.shortcut(key) else {
                return nil
            }
            return { self.perform(action) }
        }
    }

    /// Returns the command of a key if it is undo or redo and applies to the document. It applies to the document
    /// if the bar has made the document's last change. Nil otherwise: the command applies to the field.
    private func undoing(_ key: KeyEvent) -> EditCommand? {
        guard main.store.version == replacedVersion, let command = main.keyBindings.command(for: key),
            [.undo, .redo].contains(command)
        else { return nil }
        return command
    }

    private func undo(by command: EditCommand) {
        main.perform(command)
        (replacedVersion, notice) = (main.store.version, "")
        show()
    }

    /// Performs the action of Return in a field, after the keys typed before it. In the search field, Return goes
    /// to the next match, and with Shift to the previous one. In the replacement field, it replaces the current
    /// match; with Control or Alt, all matches; with Shift and one of these, the matches in the selection.
    private func take(_ key: KeyEvent, in field: TextView) {
        let modifiers = key.modifiers
        window?.performInOrder(.action) { [weak self] in
            guard let self else { return }
            if field === fields?.replace {
                let isAll = modifiers.contains(.control) || modifiers.contains(.alt)
                perform(!isAll ? .replace : modifiers.contains(.shift) ? .replaceInSelection : .replaceAll)
            } else {
                perform(modifiers.contains(.shift) ? .previous : .next)
            }
        }
    }

    /// Cancels a running Replace All; if none runs, closes the bar.
    private func cancel() {
        guard session.isReplacing else { return close() }
        session.cancelReplacing()
        notice = FindWords.nothingReplaced
        awaitMatch()
        show()
    }

    /// Replaces the text of a field by the previous or next one in its history.
    private func stepHistory(back: Bool, of field: TextView) {
        let history = field === fields?.find ? \SearchHistories.find : \.replace
        guard isOpen, let text = histories[keyPath: history].step(back: back, from: field.text) else { return }
        if field === fields?.find { setText(text) } else { field.text = text }
        field.select(Selection(anchor: 0, head: field.textRange.upperBound))
    }

    /// Adds the search text to its history, and if `replacing` is true, also the replacement.
    private func noteUse(replacing: Bool) {
        guard let fields else { return }
        histories.find.note(fields.find.text)
        if replacing { histories.replace.note(fields.replace.text) }
    }

    private static func shortcut(_ key: KeyEvent) -> Action? {
        switch key.latinKeysym.character ?? key.keysym.character {
        case "c", "C": .ignoreCase
        case "w", "W": .wholeWords
        case "r", "R": .expression
        default: nil
        }
    }

    /// Whether a paste into a field is pending.
    private var awaitsText: Bool { fields?.all.contains(where: \.session.awaitsText) ?? false }

    private func pasteDidEnd() {
        guard !awaitsText else { return }
        let actions = waiting
        waiting = []
        let isElsewhere = window?.focusedView === main
        for action in actions where !isElsewhere || ![.next, .previous].contains(action) { perform(action) }
    }

    /// Drops the actions that waited for a paste, because it has failed.
    private func pasteDidFail(_ failure: Clipboard.Failure) {
        // If the clipboard is empty, keep the waiting actions, which are performed when the paste ends: the field's
        // text is complete without the paste.
        guard !waiting.isEmpty, failure != .unavailable else { return }
        (waiting, notice) = ([], failure.description)
        show()
    }

    /// The message that the bar shows; empty for none.
    var message: String { labels.message.text }

    /// Performs the action of a button, after the keys typed before it.
    func press(_ action: Action) {
        window?.performInOrder(.action) { [weak self] in self?.perform(action) }
    }

    /// Performs an action, unless the bar has been closed. While a paste into a field is pending, actions other
    /// than closing wait for its end.
    func perform(_ action: Action) {
        guard isOpen else { return }
        if awaitsText, action != .close { return waiting.append(action) }
        notice = ""
        if !action.isSwitch { noteUse(replacing: Action.replacing.contains(action)) }
        switch action {
        case .ignoreCase: session.search(ignoringCase: !session.ignoresCase)
        case .wholeWords: session.search(matchingWholeWords: !session.matchesWholeWords)
        case .expression: session.search(syntax: session.syntax == .literal ? .regularExpression : .literal)
        case .previous: go(.backward)
        case .next: go(.forward)
        case .replace:
            direction = .forward
            let version = main.store.version
            if !session.replace(with: fields?.replace.text ?? "") { notice = FindWords.textIsReadOnly }
            if main.store.version != version { replacedVersion = main.store.version }
        case .replaceInSelection where !session.hasSelection: notice = FindWords.nothingSelected
        case .replaceAll, .replaceInSelection:
            let isInSelection = action == .replaceInSelection
            session.replaceAll(with: fields?.replace.text ?? "", inSelection: isInSelection) { [weak self] count in
                if let self, count > 0 { replacedVersion = main.store.version }
                self?.notice =
                    count == 0 ? FindWords.nothingReplaced : FindWords.replaced(count, FindWords.grouped(count))
                self?.show()
            }
        case .close: close()
        }
        awaitMatch()
        show()
        // Announce the new state, because assistive technology reads the focused field and not the button.
        if let button = buttons.first(where: { $0.action == action }), action.isSwitch {
            window?.announce(FindWords.turned(action.words, isOn: button.isOn))
        }
    }

    private func go(_ direction: TextStorageDirection) {
        self.direction = direction
        session.step(direction)
    }

    /// Goes to the next or previous match; without a search text, opens the bar. The bar may be closed. If there is no
    /// match, a bar that was created by ``init(for:in:)`` opens then, with the focus only if the search has ended at
    /// once.
    public func step(_ direction: TextStorageDirection) {
        guard !session.pattern.isEmpty else { return open(replacing: false) }
        notice = ""
        let wasOpen = isOpen
        isStepOpen = !wasOpen
        go(direction)
        awaitMatch()
        show()
        noticeStep()
        // Give the bar the focus if an immediate result has opened it: no key was pressed since.
        if !wasOpen, isOpen { open() }
    }

    /// Goes to the next match if one of the bar's fields has the focus, else opens the bar.
    package func openOrStep() {
        guard isOpen, fields?.find.hasFocus == true || fields?.replace.hasFocus == true else {
            return open(replacing: false)
        }
        step(.forward)
    }

    /// Performs a find command; returns false for other commands. The window calls this for commands that no
    /// responder and no callback of the program has performed.
    func perform(_ command: EditCommand) -> Bool {
        switch command {
        case .find: open()
        case .findAndReplace: open(replacing: main.isEditable)
        case .findOrNext: openOrStep()
        case .findNext: step(.forward)
        case .findPrevious: step(.backward)
        case .findPrimary:
            // Open the bar with the focus now, and not when the owner of the selection answers: the user may be typing
            // by then.
            open()
            let text = fields?.find.store.version
            display.primary.request(timestamp: display.latestTimestamp) { [weak self] result in
                guard let self, isOpen, let field = fields?.find, field.store.version == text,
                    case .success(let found) = result, let pattern = Self.pattern(of: found), !pattern.isEmpty
                else { return }
                setText(pattern)
                field.select(Selection(anchor: 0, head: field.textRange.upperBound))
            }
        default: return false
        }
        return true
    }

    /// Whether the bar's view or one of its fields has the focus.
    var isInUse: Bool {
        let focused = window?.focusedView
        return focused === main || fields?.all.contains { $0 === focused } == true
    }

    /// Reports the result of a search step that was made with the bar closed, once there is a result.
    private func noticeStep() {
        guard isStepOpen, !session.isSearching, let notice = Self.notice(of: session, going: direction) else { return }
        isStepOpen = false
        if !notice.text.isEmpty { onNotice?(notice.text, notice.isProblem) }
    }
}

extension EditorView {
    /// Returns the selected text; nil if it has more than `limit` UTF-16 units, or if nothing is selected. A large
    /// selection, such as after Ctrl+A, must not be copied to a string.
    package func selectedText(upTo limit: Int) -> String? {
        let count = selection?.ranges.reduce(0) { $0 + $1.range.count } ?? 0
        return count <= limit ? session.selectedText : nil
    }
}

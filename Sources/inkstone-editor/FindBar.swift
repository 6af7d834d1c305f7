import Inkstone

/// The bar above the status line for finding and replacing. Its two fields are text views with input method, undo
/// and clipboard; beside them are buttons and a message.
final class FindBar: WindowContent {
    typealias Action = FindBarLayout.Action

    struct Button {
        var action: Action
        var label: LineLabel
        /// The frame of the button in window pixels; nil if there is no room for it.
        var frame: WindowRect?
        var isOn = false
    }

    /// The text fields of the bar.
    struct Fields {
        let find: TextView
        let replace: TextView

        var all: [TextView] { [find, replace] }
    }

    /// The labels of the fields, and the message beside them.
    private struct Labels {
        var find: LineLabel
        var replace: LineLabel
        var said: LineLabel

        init(font: FontDescriptor, sharing view: TextView) {
            func label(_ text: String) -> LineLabel {
                var label = LineLabel(font: font, sharing: view)
                label.text = text
                return label
            }
            (find, replace, said) = (label(Words.findTitle), label(Words.replaceTitle), label(""))
        }
    }

    /// The keysym XK_KP_Enter, of the Enter key on the keypad.
    private static let keypadEnter: Keysym = 0xff8d

    let session: FindSession
    private(set) var frame = WindowRect.zero
    private(set) var isOpen = false
    private var replaces = false
    private let window: WidgetWindow
    private let main: TextView
    private let display: Display
    private let histories: SearchHistories
    private(set) var fields: Fields?
    /// The texts for the fields when they are created.
    private var kept = (find: "", replace: "")
    private var observation: TextObservation?
    /// The observations of edits of both fields.
    private var edits: [TextObservation] = []
    private var labels: Labels
    private var notice = ""
    /// The buttons; empty until the bar is first opened, because their symbols may need fontconfig, which must not
    /// delay the start.
    private(set) var buttons: [Button] = []
    private var padding = 0.0
    /// The width reserved for the message beside the search field, in pixels; see `FindBarLayout.Extents`.
    private var usualMessage = 0.0
    /// The available width and height, in pixels.
    private var room = Size(width: 1, height: 1)
    /// The layout of the bar's parts, relative to the bar's upper left corner; nil while there is none.
    private var layout: FindBarLayout?
    /// The direction of the last search step.
    private var direction = TextStorageDirection.forward
    /// The timer after which a message about a long search is shown; nil if none is set.
    private var searchTimer: TimerID?
    /// Whether the result of a search step that was made while the bar was closed is still to be reported.
    private var isStepOpen = false
    /// The actions that wait for a paste into one of the fields.
    private var waiting: [Action] = []
    /// The version of the document after the bar's last replacement, or after undoing or redoing one. While the
    /// document has this version, undo and redo in the fields apply to the document. Nil once a field is edited.
    private var replacedVersion: TextVersion?
    /// Whether the search field has a composition.
    private var isComposing = false
    /// The message that was last announced to assistive technology.
    private var said = ""
    /// Called when the bar is opened or closed, or changes its height.
    var onLayoutChange: (() -> Void)?
    /// Called with a message for the status line, and whether it is a problem. The message is about a search step
    /// that was made while the bar was closed, or about a Replace All that closing the bar has cancelled.
    var onNotice: ((String, Bool) -> Void)?
    /// Called with the hint of the button under the pointer, or with nil when the pointer leaves the buttons.
    var onHint: ((String?) -> Void)?
    /// The button under the pointer; nil for none.
    private var hovered: Action?
    /// Called when one of the fields gets the focus.
    var onFocus: (() -> Void)?

    init(in window: WidgetWindow, main: TextView, display: Display, histories: SearchHistories) {
        (self.window, self.main, self.display, self.histories) = (window, main, display, histories)
        let poster = display.poster
        session = FindSession(in: main) { poster.post($0) }
        labels = Labels(font: StatusLine.font(scale: display.scale), sharing: main)
        session.onChange = { [weak self] in
            self?.show()
            self?.noticeStep()
        }
    }

    func displaySettingsDidChange() {
        guard !buttons.isEmpty else { return }
        makeLabels()
        show()
    }

    private func makeLabels() {
        let font = StatusLine.font(scale: display.scale)
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
            (.close, "✕"), (.replace, Words.replaceTitle), (.replaceAll, Words.replaceAllShort),
            (.replaceInSelection, Words.inSelection),
        ].map { Button(action: $0, label: label($1)) }
    }

    // MARK: Opening and closing

    /// Opens the bar, and selects the text of the search field. A short selection of the document on one line
    /// becomes the search text, unless the search field has the focus already.
    func open(replacing: Bool) {
        let fields = fields ?? makeFields()
        self.fields = fields
        if buttons.isEmpty { makeLabels() }
        let selected = main.selectedText(upTo: 100).flatMap { $0.contains(where: \.isNewline) ? nil : $0 }
        let wasOpen = isOpen
        isOpen = true
        replaces = replacing || wasOpen && replaces
        if !wasOpen { session.begin() }
        onLayoutChange?()
        if let selected, !fields.find.hasFocus { setText(selected) }
        fields.find.select(Selection(anchor: 0, head: fields.find.textRange.upperBound))
        fields.find.focus()
        show()
    }

    /// Returns the first line of a text from another program as the search text; nil if the line has more than 1000
    /// scalars, because the fields would take much time and memory at each key.
    static func pattern(of text: String) -> String? {
        let line = text.unicodeScalars.prefix(1001).prefix { !Character($0).isNewline }
        return line.count <= 1000 ? String(line) : nil
    }

    /// Opens the bar, and searches for a text.
    func open(lookingFor text: String) {
        open(replacing: false)
        setText(text)
        fields?.find.select(Selection(anchor: 0, head: fields?.find.textRange.upperBound ?? 0))
    }

    /// Closes the bar, which cancels a running Replace All. If `returning` is true, the view scrolls back to where
    /// it was when the bar was opened, unless the user went to a match.
    func close(returning: Bool = true) {
        guard isOpen else { return }
        isOpen = false
        (notice, waiting) = ("", [])
        if session.isReplacing { onNotice?(Words.barWasClosed, true) }
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
        for field in fields.all { window.remove(field) }
    }

    private func setText(_ text: String) {
        guard let field = fields?.find else { return }
        if field.text != text { field.text = text }
        // Search also if the text is the same: when the bar was opened, it only marked the matches, and did not go
        // to one.
        patternDidChange()
    }

    private func makeFields() -> Fields {
        func make(_ placeholder: String) -> TextView {
            var theme = Theme()
            // Give the fields the margin of the labels in the bar.
            theme.margin = 5
            let view = TextView(in: window, font: StatusLine.font(scale: display.scale), theme: theme)
            view.options.isSingleLine = true
            view.options.tabBehavior = .movesFocus
            view.options.placeholder = placeholder
            view.inputTraits = .literal(returning: placeholder == Words.findTitle ? .search : .standard)
            view.inputContext.keyBindings = main.inputContext.keyBindings
            view.appearance = main.appearance
            view.presenter.cursorView = FieldCursorView()
            view.onFocusChange = { [weak self, weak view] hasFocus in
                guard let self else { return }
                // Repaint the outlines of the fields, which the bar paints and which show the focus.
                window.window.setNeedsDisplay(frame)
                if hasFocus { onFocus?() } else if window.focusedView !== view { view?.presenter.showStart() }
            }
            return view
        }
        let fields = Fields(find: make(Words.findTitle), replace: make(Words.replaceWith))
        (fields.find.text, fields.replace.text) = kept
        observation = fields.find.observe { [unowned self] in
            guard !followComposition(in: fields.find), $0.textChange != nil else { return }
            // If the pattern changes by a late paste while the focus is in the document, do not move the view to a
            // match.
            patternDidChange(going: $0.origin?.isWithin(.paste) != true || window.focusedView !== main)
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
            session.look(for: "", goingToMatch: false)
            show()
        } else {
            patternDidChange(going: false)
        }
        return isComposing
    }

    private func patternDidChange(going isGoing: Bool = true) {
        notice = ""
        session.look(for: fields?.find.text ?? "", goingToMatch: isGoing)
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
            notice = Words.replacing
            show()
        }
    }

    // MARK: Keys

    /// Returns the action that the bar has for a key that the input method has not used; nil for other keys, which
    /// edit the fields.
    func action(for key: KeyEvent) -> (() -> Void)? {
        guard isOpen, let fields, key.phase != .up else { return nil }
        // With the focus in the document, the bar only handles the cancel key, and only if the document has no use
        // for it.
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
        // If the window is too low for both fields, Tab has no field to go to.
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
                self.window.performInOrder(.action) { [weak self] in
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
        window.performInOrder(.action) { [weak self] in
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
        notice = Words.nothingReplaced
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
        let isElsewhere = window.focusedView === main
        for action in actions where !isElsewhere || ![.next, .previous].contains(action) { perform(action) }
    }

    /// Drops the actions that waited for a paste, because it has failed.
    private func pasteDidFail(_ failure: Clipboard.Failure) {
        // If the clipboard is empty, keep the actions, which are performed later: the field's text is complete
        // without the paste.
        guard !waiting.isEmpty, failure != .unavailable else { return }
        (waiting, notice) = ([], failure.description)
        show()
    }

    /// The message that the bar shows; empty for none.
    var message: String { labels.said.text }

    /// Performs the action of a button, after the keys typed before it.
    func press(_ action: Action) {
        window.performInOrder(.action) { [weak self] in self?.perform(action) }
    }

    /// Performs an action, unless the bar has been closed. While a paste into a field is pending, actions other
    /// than closing wait for its end.
    private func perform(_ action: Action) {
        guard isOpen else { return }
        if awaitsText, action != .close { return waiting.append(action) }
        notice = ""
        if !action.isSwitch { noteUse(replacing: Action.replacing.contains(action)) }
        switch action {
        case .ignoreCase: session.look(ignoringCase: !session.ignoresCase)
        case .wholeWords: session.look(matchingWholeWords: !session.matchesWholeWords)
        case .expression: session.look(syntax: session.syntax == .literal ? .regularExpression : .literal)
        case .previous: go(.backward)
        case .next: go(.forward)
        case .replace:
            direction = .forward
            let version = main.store.version
            if !session.replace(with: fields?.replace.text ?? "") { notice = Words.textIsReadOnly }
            if main.store.version != version { replacedVersion = main.store.version }
        case .replaceInSelection where !session.hasSelection: notice = Words.nothingSelected
        case .replaceAll, .replaceInSelection:
            let isInSelection = action == .replaceInSelection
            session.replaceAll(with: fields?.replace.text ?? "", inSelection: isInSelection) { [weak self] count in
                if let self, count > 0 { replacedVersion = main.store.version }
                self?.notice = count == 0 ? Words.nothingReplaced : Words.replaced(count, Words.grouped(count))
                self?.show()
            }
        case .close: close()
        }
        awaitMatch()
        show()
        // Announce the new state: assistive technology reads the focused field, not the button.
        if let button = buttons.first(where: { $0.action == action }), action.isSwitch {
            window.announce(Words.turned(action.words, isOn: button.isOn))
        }
    }

    private func go(_ direction: TextStorageDirection) {
        self.direction = direction
        session.step(direction)
    }

    /// Goes to the next or previous match; without a search text, opens the bar. The bar may be closed.
    func step(_ direction: TextStorageDirection) {
        guard !session.pattern.isEmpty else { return open(replacing: false) }
        notice = ""
        isStepOpen = !isOpen
        go(direction)
        awaitMatch()
        show()
        noticeStep()
    }

    /// Goes to the next match if one of the bar's fields has the focus, else opens the bar.
    func openOrStep() {
        guard isOpen, fields?.find.hasFocus == true || fields?.replace.hasFocus == true else {
            return open(replacing: false)
        }
        step(.forward)
    }

    /// Reports the result of a search step that was made with the bar closed, once there is a result.
    private func noticeStep() {
        guard isStepOpen, !session.isSearching, let notice = Self.notice(of: session, going: direction) else { return }
        isStepOpen = false
        if !notice.text.isEmpty { onNotice?(notice.text, notice.isProblem) }
    }

    /// Returns the message about a search step made with the bar closed: empty for an ordinary match, nil while
    /// there is no result.
    static func notice(of session: FindSession, going direction: TextStorageDirection) -> (
        text: String, isProblem: Bool
    )? {
        switch session.status {
        case .idle, .searching: nil
        case .notFound: (Words.notFound(session.pattern), true)
        case .failed: text(of: session.status)
        case .found: (session.isWrapped ? Words.searchContinued(fromTop: direction == .forward) : "", false)
        }
    }

    // MARK: Showing

    /// Returns the message about the status of a search. `around` is the direction of a step that continued at the
    /// other end of the document; nil for other steps.
    static func text(
        of status: FindSession.Status, around: TextStorageDirection? = nil
    ) -> (text: String, isProblem: Bool) {
        switch status {
        case .idle: return ("", false)
        case .searching: return (Words.searching, false)
        case .notFound: return (Words.noMatch, true)
        case .failed(.syntax(let pattern, let place)):
            return (ExpressionMistake(in: pattern, at: place).description, true)
        case .failed(.tooComplex): return (Words.tooComplex, true)
        case .failed(let error): return (error.description, true)
        case .found(let ordinal, let count, let isComplete):
            let all = Words.grouped(count) + (isComplete ? "" : "+")
            let which = ordinal.map { Words.match(Words.grouped($0), of: all) } ?? all
            return (around.map { Words.match(which, fromTop: $0 == .forward) } ?? which, false)
        }
    }

    /// Whether the status of a search is announced to assistive technology. While matches are still being counted
    /// it is not, because each new count would be announced.
    static func isResult(_ status: FindSession.Status) -> Bool {
        switch status {
        case .idle, .searching: false
        case .found(_, _, let isComplete): isComplete
        case .notFound, .failed: true
        }
    }

    private func show() {
        let (text, _) = Self.text(of: session.status, around: session.isWrapped ? direction : nil)
        labels.said.text = notice.isEmpty ? text : notice
        let words = isOpen && (!notice.isEmpty || Self.isResult(session.status)) ? message : ""
        if !words.isEmpty, words != said { window.announce(words) }
        if !words.isEmpty || !isOpen { said = words }
        for index in buttons.indices {
            switch buttons[index].action {
            case .ignoreCase: buttons[index].isOn = !session.ignoresCase
            case .wholeWords: buttons[index].isOn = session.matchesWholeWords
            case .expression: buttons[index].isOn = session.syntax == .regularExpression
            default: break
            }
        }
        guard isOpen else { return }
        lay()
        // A long message makes the bar higher: lay out the window again then.
        if height != frame.height { onLayoutChange?() } else { place() }
        window.window.setNeedsDisplay(frame)
    }

    /// Lays out the bar for the size of the available area, and returns its height, in pixels; 0 if the bar is
    /// closed.
    func height(in room: Size) -> Double {
        self.room = room
        lay()
        return height
    }

    private var height: Double { isOpen ? min(layout?.height ?? 0, room.height) : 0 }

    private func lay() {
        guard isOpen, !buttons.isEmpty else { return }
        let extents = FindBarLayout.Extents(
            padding: padding, lineHeight: labels.find.size.height,
            titleWidth: max(labels.find.size.width, labels.replace.size.width),
            labelWidths: Dictionary(uniqueKeysWithValues: buttons.map { ($0.action, $0.label.size.width) }),
            usualMessage: usualMessage,
            leastFieldWidth: (120 * display.scale).rounded())
        labels.said.width = nil
        layout = FindBarLayout(
            extents, width: room.width, limit: (room.height / 3).rounded(), replaces: replaces,
            message: labels.said.size.width
        ) {
            labels.said.width = $0
            return labels.said.size.height
        }
        if layout?.message?.isWrapped != true { labels.said.width = nil }
    }

    func setFrame(_ frame: WindowRect) {
        self.frame = isOpen ? frame : .zero
        place()
    }

    /// Converts a rectangle relative to the bar to window pixels, mirrored in right-to-left languages.
    private func inWindow(_ rect: WindowRect) -> WindowRect {
        WindowRect(x: frame.minX + rect.minX, y: frame.minY + rect.minY, width: rect.width, height: rect.height)
            .mirrored(in: frame)
    }

    private func place() {
        let away = WindowRect(x: -16, y: -16, width: 1, height: 1)
        guard isOpen, let fields, let layout else {
            fields?.find.setFrame(away)
            fields?.replace.setFrame(away)
            return
        }
        fields.find.setFrame(inWindow(layout.findField))
        fields.replace.setFrame(layout.replaceField.map(inWindow) ?? away)
        let before = frame(of: hovered)
        for index in buttons.indices { buttons[index].frame = layout.buttons[buttons[index].action].map(inWindow) }
        // If the button under the pointer has moved away, remove its hint: there is no pointer event for that.
        if hovered != nil, frame(of: hovered) != before { hover(over: nil) }
    }

    private func frame(of action: Action?) -> WindowRect? { buttons.first { $0.action == action }?.frame }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        guard isOpen, let layout else { return }
        let damage = damage.intersection(frame)
        guard !damage.isEmpty else { return }
        let line = max(1, display.scale.rounded())
        let theme = main.theme
        let (border, text) = (theme.panel.border, theme.panel.text)
        canvas.setClip([damage])
        canvas.fill(frame, theme.panel.background)
        canvas.fill(WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: line), border)
        /// Fills a rectangle that is enlarged by `width` pixels on each side, or reduced if `width` is negative.
        /// The margin stays visible as an outline when the rectangle is painted over.
        func outline(_ rect: WindowRect, _ width: Double, _ color: Color) {
            canvas.fill(
                WindowRect(
                    x: rect.minX - width, y: rect.minY - width, width: rect.width + 2 * width,
                    height: rect.height + 2 * width),
                color)
        }
        for (field, title) in [
            (fields?.find, labels.find), (layout.replaceField == nil ? nil : fields?.replace, labels.replace),
        ] {
            guard let field else { continue }
            let isWrong = field === fields?.find && isProblem
            outline(
                field.outerFrame, line,
                isWrong ? theme.panel.problem : field.hasFocus ? theme.panel.accent : border)
            guard layout.hasTitles else { continue }
            title.paint(
                on: canvas, at: title.origin(padding, y: field.outerFrame.minY + padding, in: frame), color: text)
        }
        for button in buttons {
            guard let frame = button.frame else { continue }
            let hasBorder = button.isOn || Action.replacing.contains(button.action)
            if hasBorder {
                canvas.fill(frame, button.isOn ? theme.panel.accent : border)
                outline(frame, -line, button.isOn ? theme.panel.highlight : theme.background)
            }
            let x = frame.minX + ((frame.width - button.label.size.width) / 2).rounded()
            button.label.paint(on: canvas, at: WindowPoint(x: x, y: frame.minY + padding), color: text)
        }
        if let message = layout.message {
            let place = inWindow(message.frame)
            canvas.setClip([damage.intersection(place)])
            labels.said.paint(
                on: canvas, at: labels.said.origin(0, y: place.minY, in: place),
                color: isProblem ? theme.panel.problem : text)
        }
        canvas.setClip(nil)
    }

    /// Whether the search has no match or has failed, for example because its text is invalid. The outline of the
    /// field shows that.
    private var isProblem: Bool { Self.isProblem(session.status, notice: notice) }

    /// Whether a status means that the search has no match or has failed. False while a notice is shown instead of
    /// the status.
    static func isProblem(_ status: FindSession.Status, notice: String) -> Bool {
        notice.isEmpty && text(of: status).isProblem
    }

    func handlePointer(_ event: PointerEvent) {
        let button = buttons.first { $0.frame?.contains(event.location) ?? false }
        switch event.kind {
        case .press(.primary): if let button { perform(button.action) }
        case .motion: hover(over: button?.action)
        case .leave: hover(over: nil)
        default: break
        }
    }

    private func hover(over action: Action?) {
        guard hovered != action else { return }
        hovered = action
        onHint?(action?.hint)
    }
}

extension EditorView {
    /// Returns the selected text; nil if it has more than `limit` UTF-16 units, or if nothing is selected. A large
    /// selection, such as after Ctrl+A, must not be copied to a string.
    func selectedText(upTo limit: Int) -> String? {
        let count = selection?.ranges.reduce(0) { $0 + $1.range.count } ?? 0
        return count <= limit ? session.selectedText : nil
    }
}

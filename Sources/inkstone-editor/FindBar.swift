import Inkstone

/// The strip above the status line that what to look for is typed into, and what is to take its place: text views like any other,
/// with input method, undo and clipboard, and buttons for the pointer beside them.
final class FindBar: WindowContent {
    /// What a button does.
    private enum Action: Hashable {
        case ignoreCase, wholeWords, expression, previous, next, replace, replaceAll, close
    }

    private struct Button {
        var action: Action
        var label: LineLabel
        var frame = WindowRect.zero
        var isOn = false
    }

    /// XK_KP_Enter.
    private static let keypadEnter: Keysym = 0xff8d

    let session: FindSession
    private(set) var frame = WindowRect.zero
    private(set) var isOpen = false
    private var replaces = false
    private let window: WidgetWindow
    private let main: TextView
    private let display: Display
    private var fields: (find: TextView, replace: TextView)?
    private var titles: (find: LineLabel, replace: LineLabel)
    private var said: LineLabel
    private var notice = ""
    /// Made when it is first opened: their signs may be in fonts that fontconfig has to be asked for, which a start does not wait for.
    private var buttons: [Button] = []
    private var padding = 0.0
    /// Comes when a search has taken so long that the user is told.
    private var searchTimer: TimerID?
    /// Whether what comes of a step is still to be told, as the bar is closed.
    private var isStepOpen = false
    /// It was opened or closed, or has another height.
    var onLayoutChange: (() -> Void)?
    /// What has come of a step while the bar is closed, if that is worth a word, and whether it is a problem.
    var onNotice: ((String, Bool) -> Void)?
    /// Keys go to one of its fields from now on.
    var onFocus: (() -> Void)?

    init(in window: WidgetWindow, main: TextView, display: Display) {
        (self.window, self.main, self.display) = (window, main, display)
        let poster = display.poster
        session = FindSession(in: main) { poster.post($0) }
        let font = StatusLine.font(scale: display.scale)
        titles = (LineLabel(font: font, sharing: main), LineLabel(font: font, sharing: main))
        said = LineLabel(font: font, sharing: main)
        session.onChange = { [weak self] in
            self?.show()
            self?.noticeStep()
        }
        main.onGeometryChange = { [weak self] in self?.session.refresh() }
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
        titles = (label("Find"), label("Replace"))
        said = label("")
        buttons = [
            (.ignoreCase, "Aa"), (.wholeWords, "W"), (.expression, ".*"), (.previous, "‹"), (.next, "›"), (.close, "✕"),
            (.replace, "Replace"), (.replaceAll, "All"),
        ].map { Button(action: $0, label: label($1)) }
    }

    // MARK: Opening and closing

    /// Opens it, with what is selected as what to look for, if that is short and on one line; all of the field is selected.
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

    /// Opens it with the first line of a text.
    func open(lookingFor text: String) {
        open(replacing: false)
        setText(String(text.prefix { !$0.isNewline }))
        fields?.find.select(Selection(anchor: 0, head: fields?.find.textRange.upperBound ?? 0))
    }

    /// Closes it; the view goes back to where the user was, unless that is at a match that was gone to.
    func close(returning: Bool = true) {
        guard isOpen else { return }
        isOpen = false
        notice = ""
        session.end(returning: returning)
        main.focus()
        onLayoutChange?()
    }

    private func setText(_ text: String) {
        guard let field = fields?.find, field.text != text else { return }
        field.text = text
        patternDidChange()
    }

    private func makeFields() -> (find: TextView, replace: TextView) {
        func make(_ placeholder: String) -> TextView {
            var theme = Theme()
            // As much as the strip leaves around its labels.
            theme.margin = 5
            let view = TextView(in: window, font: StatusLine.font(scale: display.scale), theme: theme)
            view.options.isSingleLine = true
            view.options.tabBehavior = .movesFocus
            view.options.placeholder = placeholder
            view.inputContext.keyBindings = main.inputContext.keyBindings
            view.appearance = main.appearance
            view.onFocusChange = { [weak self] hasFocus in
                guard let self else { return }
                // The outline of each tells where keys go.
                window.window.setNeedsDisplay(frame)
                if hasFocus { onFocus?() }
            }
            return view
        }
        let fields = (make("Text to look for"), make("What takes its place"))
        fields.0.onTextChange = { [weak self] in self?.patternDidChange() }
        return fields
    }

    private func patternDidChange() {
        notice = ""
        session.look(for: fields?.find.text ?? "")
        awaitMatch()
        show()
    }

    /// Has the user told if what was asked for does not come soon.
    private func awaitMatch() {
        display.cancel(searchTimer)
        searchTimer = nil
        guard session.isSearching else { return }
        searchTimer = display.schedule(afterMilliseconds: 100) { [weak self] in
            self?.searchTimer = nil
            self?.session.reportSearching()
        }
    }

    // MARK: Keys

    /// Takes the keys that are the bar's; all others are for the text of its fields.
    func intercept(_ key: KeyEvent) -> Bool {
        guard isOpen, let fields, key.phase != .up else { return false }
        let both: [TextView] = [fields.find, fields.replace]
        let field = both.first { window.focusedView === $0 }
        // With the keys in the text only the bar's end is its own, and that not before what is going on there.
        if window.focusedView === main, main.markedText == nil, main.inputContext.pendingStrokes.isEmpty,
            !main.interaction.isActive, key.isCancel(in: main.keyBindings)
        {
            close()
            return true
        }
        // During a composition these are the input method's.
        guard let field, field.markedText == nil else { return false }
        let modifiers = key.modifiers.intersection(.commanding)
        switch key.keysym {
        case .escape: close()
        case _ where key.isCancel(in: main.keyBindings) && field.inputContext.pendingStrokes.isEmpty: close()
        case .return, Self.keypadEnter:
            window.performInOrder { [weak self] in
                guard let self else { return }
                if field === fields.replace {
                    perform(modifiers.contains(.control) || modifiers.contains(.alt) ? .replaceAll : .replace)
                } else {
                    perform(key.modifiers.contains(.shift) ? .previous : .next)
                }
            }
        case .tab where replaces, .leftTab where replaces:
            let other = field === fields.find ? fields.replace : fields.find
            other.select(Selection(anchor: 0, head: other.textRange.upperBound))
            other.focus()
        default:
            guard modifiers == .alt, !key.modifiers.contains(.shift), let action = Self.shortcut(key) else {
                return false
            }
            perform(action)
        }
        return true
    }

    private static func shortcut(_ key: KeyEvent) -> Action? {
        switch key.latinKeysym.character ?? key.keysym.character {
        case "c", "C": .ignoreCase
        case "w", "W": .wholeWords
        case "r", "R": .expression
        default: nil
        }
    }

    private func perform(_ action: Action) {
        notice = ""
        switch action {
        case .ignoreCase: session.look(ignoringCase: !session.ignoresCase)
        case .wholeWords: session.look(matchingWholeWords: !session.matchesWholeWords)
        case .expression: session.look(syntax: session.syntax == .literal ? .regularExpression : .literal)
        case .previous: session.step(.backward)
        case .next: session.step(.forward)
        case .replace:
            if !session.replace(with: fields?.replace.text ?? "") { notice = "The text is read-only" }
        case .replaceAll:
            session.replaceAll(with: fields?.replace.text ?? "") { [weak self] count in
                self?.notice = count == 0 ? "Nothing replaced" : "\(Self.grouped(count)) replaced"
                self?.show()
            }
        case .close: close()
        }
        awaitMatch()
        show()
    }

    /// The next or previous match, with the bar open or not.
    func step(_ direction: TextStorageDirection) {
        guard !session.pattern.isEmpty else { return open(replacing: false) }
        notice = ""
        isStepOpen = !isOpen
        session.step(direction)
        awaitMatch()
        show()
        noticeStep()
    }

    /// The next match if the keys are in the bar already, else opens it.
    func openOrStep() {
        guard isOpen, fields?.find.hasFocus == true || fields?.replace.hasFocus == true else {
            return open(replacing: false)
        }
        step(.forward)
    }

    /// Tells what has come of a step that was made without the bar.
    private func noticeStep() {
        guard isStepOpen, !session.isSearching, let notice = Self.notice(of: session) else { return }
        isStepOpen = false
        if !notice.text.isEmpty { onNotice?(notice.text, notice.isProblem) }
    }

    /// What is said of a step where no bar stands; empty for a match like any other, nil if it is still to come.
    static func notice(of session: FindSession) -> (text: String, isProblem: Bool)? {
        switch session.status {
        case .idle, .searching: nil
        case .notFound: ("“\(session.pattern)” is not found", true)
        case .failed: text(of: session.status, isWrapped: false)
        case .found: (session.isWrapped ? "“\(session.pattern)” is found again from the other end" : "", false)
        }
    }

    // MARK: Showing

    /// 1204 as 1,204.
    static func grouped(_ number: Int) -> String {
        var digits = Array(String(number))
        for index in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: index) }
        return String(digits)
    }

    /// What is said beside the field.
    static func text(of status: FindSession.Status, isWrapped: Bool) -> (text: String, isProblem: Bool) {
        switch status {
        case .idle: return ("", false)
        case .searching: return ("Searching…", false)
        case .notFound: return ("Not found", true)
        case .failed(.syntax(_, let place)): return ("Not understood from character \(place + 1) on", true)
        case .failed(.tooComplex): return ("Takes too long: make it simpler", true)
        case .failed(let error): return (error.description, true)
        case .found(let ordinal, let count, let isComplete):
            let which = ordinal.map { grouped($0) + " of " } ?? ""
            return (which + grouped(count) + (isComplete ? "" : "+") + (isWrapped ? ", wrapped" : ""), false)
        }
    }

    private func show() {
        let (text, _) = Self.text(of: session.status, isWrapped: session.isWrapped)
        said.text = notice.isEmpty ? text : notice
        for index in buttons.indices {
            switch buttons[index].action {
            case .ignoreCase: buttons[index].isOn = !session.ignoresCase
            case .wholeWords: buttons[index].isOn = session.matchesWholeWords
            case .expression: buttons[index].isOn = session.syntax == .regularExpression
            default: break
            }
        }
        if isOpen {
            place()
            window.window.setNeedsDisplay(frame)
        }
    }

    private var rowHeight: Double { titles.find.size.height + 2 * padding }

    /// How high it is going to be, in pixels; 0 if it is closed.
    var height: Double { isOpen ? (rowHeight + padding) * (replaces ? 2 : 1) + padding : 0 }

    func setFrame(_ frame: WindowRect) {
        self.frame = isOpen ? frame : .zero
        place()
    }

    private func place() {
        let away = WindowRect(x: -16, y: -16, width: 1, height: 1)
        guard isOpen, let fields else {
            fields?.find.setFrame(away)
            fields?.replace.setFrame(away)
            return
        }
        let left = frame.minX + 2 * padding + max(titles.find.size.width, titles.replace.size.width) + padding
        // The buttons from the right, each row by itself.
        func row(_ actions: [Action], _ y: Double) -> Double {
            var right = frame.maxX - 2 * padding
            for action in actions.reversed() {
                guard let index = buttons.firstIndex(where: { $0.action == action }) else { continue }
                let width = max(buttons[index].label.size.width, titles.find.size.height) + 2 * padding
                right -= width
                buttons[index].frame = WindowRect(x: right, y: y, width: width, height: rowHeight)
                right -= (padding / 2).rounded()
            }
            return right
        }
        let first = frame.minY + padding
        let end = row([.ignoreCase, .wholeWords, .expression, .previous, .next, .close], first)
        let field = max(40, min(end - left - padding, (360 * display.scale).rounded()))
        // What is said has room behind the field, at least a third of it.
        let width = max(40, min(field, ((end - left) * 0.62).rounded()))
        fields.find.setFrame(WindowRect(x: left, y: first, width: width, height: rowHeight))
        let second = first + rowHeight + padding
        _ = row(replaces ? [.replace, .replaceAll] : [], second)
        fields.replace.setFrame(
            replaces ? WindowRect(x: left, y: second, width: width, height: rowHeight) : away)
        said.width = nil
        saidFrame = WindowRect(
            x: left + width + 2 * padding, y: first, width: max(1, end - left - width - 3 * padding), height: rowHeight)
    }

    private var saidFrame = WindowRect.zero

    func paint(on canvas: any Canvas, damage: WindowRect) {
        guard isOpen else { return }
        let damage = damage.intersection(frame)
        guard !damage.isEmpty else { return }
        let line = max(1, display.scale.rounded())
        let theme = main.theme
        let (border, text) = (theme.panel.border, theme.panel.text)
        canvas.setClip([damage])
        canvas.fill(frame, theme.panel.background)
        canvas.fill(WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: line), border)
        func outline(_ rect: WindowRect, _ color: Color) {
            canvas.fill(
                WindowRect(
                    x: rect.minX - line, y: rect.minY - line, width: rect.width + 2 * line,
                    height: rect.height + 2 * line),
                color)
        }
        for (field, title) in [(fields?.find, titles.find), (replaces ? fields?.replace : nil, titles.replace)] {
            guard let field else { continue }
            let isWrong = field === fields?.find && (session.status == .notFound || isFailed)
            outline(field.outerFrame, isWrong ? theme.panel.problem : field.hasFocus ? theme.panel.accent : border)
            title.paint(
                on: canvas, at: WindowPoint(x: frame.minX + 2 * padding, y: field.outerFrame.minY + padding),
                color: text)
        }
        for button in buttons where replaces || ![.replace, .replaceAll].contains(button.action) {
            if button.isOn {
                canvas.fill(button.frame, theme.panel.highlight)
            } else if [.replace, .replaceAll].contains(button.action) {
                outline(button.frame, border)
                canvas.fill(button.frame, theme.background)
            }
            let x = button.frame.minX + ((button.frame.width - button.label.size.width) / 2).rounded()
            button.label.paint(
                on: canvas, at: WindowPoint(x: x, y: button.frame.minY + padding),
                color: button.isOn ? theme.panel.accent : text)
        }
        canvas.setClip([damage.intersection(saidFrame)])
        let isProblem = notice.isEmpty && (session.status == .notFound || isFailed)
        said.paint(
            on: canvas, at: WindowPoint(x: saidFrame.minX, y: saidFrame.minY + padding),
            color: isProblem ? theme.panel.problem : text)
        canvas.setClip(nil)
    }

    private var isFailed: Bool { if case .failed = session.status { true } else { false } }

    func handlePointer(_ event: PointerEvent) {
        guard case .press(.primary) = event.kind,
            let button = buttons.first(where: { $0.frame.contains(event.location) }),
            replaces || ![.replace, .replaceAll].contains(button.action)
        else { return }
        perform(button.action)
    }
}

extension EditorView {
    /// What is selected, if that is no longer than so many UTF-16 units: much else is selected by Ctrl+A, and no string is made of that.
    func selectedText(upTo limit: Int) -> String? {
        let count = selection?.ranges.reduce(0) { $0 + $1.range.count } ?? 0
        return count <= limit ? selectedText : nil
    }
}

import Inkstone

/// The bar above styled text with buttons for styles. The buttons show the styles of the selection.
final class FormatBar: WindowContent {
    enum Button: CaseIterable, Hashable {
        case paragraph, bold, italic, underline, strikethrough, code, bullets, numbers, checkboxes, link
    }

    /// The content of the bar: the states of all buttons.
    struct Content: Hashable {
        /// The name of the kind of the selected paragraphs, such as body text or a heading.
        var paragraph = ""
        /// The states of the style buttons; a button that is missing is off.
        var states: [Button: StyleState] = [:]
        /// The buttons that are disabled because they would do nothing.
        var disabled: Set<Button> = []
    }

    private(set) var frame = WindowRect.zero
    private(set) var content = Content()
    private var labels: [Button: LineLabel] = [:]
    private var frames: [Button: WindowRect] = [:]
    private var padding = 0.0
    private let display: Display
    private unowned let view: TextView
    /// Called when a button is pressed, with its frame in window pixels.
    var onPress: ((Button, WindowRect) -> Void)?
    /// Called with the button under the pointer, or with nil when the pointer leaves all buttons.
    var onHint: ((Button?) -> Void)?
    /// The button under the pointer; nil for none.
    private var hovered: Button?
    /// Called with a part of the window that has to be repainted.
    var onChange: ((WindowRect) -> Void)?

    init(_ display: Display, sharing view: TextView) {
        (self.display, self.view) = (display, view)
        displaySettingsDidChange()
    }

    /// Shows other states of the buttons.
    func show(_ new: Content) {
        guard new != content else { return }
        content = new
        layOut()
        onChange?(frame)
    }

    func displaySettingsDidChange() {
        padding = (5 * display.scale).rounded()
        let font = StatusLine.font(scale: display.scale)
        for button in Button.allCases {
            var font = font
            switch button {
            case .bold: font.weight = 200
            case .italic: font.slant = .italic
            case .code: font.setFamily("monospace")
            default: break
            }
            labels[button] = LineLabel(font: font, sharing: view)
        }
        layOut()
    }

    /// The height of the bar, in pixels.
    var height: Double { (labels[.bold]?.size.height ?? 0) + 3 * padding }

    func setFrame(_ frame: WindowRect) {
        self.frame = frame
        layOut()
    }

    private func layOut() {
        let before = hovered.flatMap { frames[$0] }
        // If the button under the pointer has moved away, remove its hint: there is no pointer event for that.
        defer { if let hovered, frames[hovered] != before { hover(over: nil) } }
        let inset = (padding / 2).rounded()
        var x = frame.minX + padding
        // The button for code has another font; use the height of the other labels for the whole row.
        let line = labels[.bold]?.size.height ?? 0
        for button in Button.allCases {
            labels[button]?.text = button == .paragraph ? content.paragraph + " ▾" : button.sign
            guard let size = labels[button]?.size else { continue }
            // The button for the kind of paragraph has room for the longest name. The other buttons then do not
            // move when the name changes.
            let least = button == .paragraph ? 8 * line : line
            let width = max(least, size.width) + 2 * padding
            let isSeen = x + width <= frame.maxX
            frames[button] =
                isSeen
                ? WindowRect(x: x, y: frame.minY + padding, width: width, height: line + 2 * inset)
                    .mirrored(in: frame) : nil
            x += width + inset + (button.endsGroup ? padding : 0)
        }
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        let theme = view.theme
        let line = max(1, theme.underlineWidth)
        canvas.setClip([damage.intersection(frame)])
        canvas.fill(frame, theme.panel.background)
        canvas.fill(
            WindowRect(x: frame.minX, y: frame.maxY - line, width: frame.width, height: line), theme.panel.border)
        for button in Button.allCases {
            guard let place = frames[button], let label = labels[button] else { continue }
            let state = content.states[button] ?? .off
            func fill(_ inset: Double, _ color: Color) {
                canvas.fill(
                    WindowRect(
                        x: place.minX + inset, y: place.minY + inset, width: place.width - 2 * inset,
                        height: place.height - 2 * inset), color)
            }
            if state != .off || button == .paragraph {
                fill(0, state == .off ? theme.panel.border : theme.panel.accent)
                // Show a style that only a part of the selection has by the outline alone, without a highlighted
                // background.
                fill(line, state == .on ? theme.panel.highlight : theme.background)
            }
            var color = theme.panel.text
            if content.disabled.contains(button) { color.alpha = 90 }
            let x = button == .paragraph ? padding : ((place.width - label.size.width) / 2).rounded()
            let origin = label.origin(
                x, y: place.minY + ((place.height - label.size.height) / 2).rounded(), in: place)
            label.paint(on: canvas, at: origin, color: color)
            let y: Double? =
                switch button {
                case .underline: label.baseline + 2 * line
                case .strikethrough: label.baseline - (label.baseline / 3).rounded()
                default: nil
                }
            if let y {
                canvas.fill(
                    WindowRect(x: origin.x, y: (origin.y + y).rounded(), width: label.size.width, height: line), color)
            }
        }
        canvas.setClip(nil)
    }

    /// Returns the frame of a button in window pixels; nil if there is no room for the button.
    func frame(of button: Button) -> WindowRect? { frames[button] }

    func cursor(at point: WindowPoint) -> Window.Cursor { button(at: point) == nil ? .arrow : .hand }

    func handlePointer(_ event: PointerEvent) {
        switch event.kind {
        case .press(.primary): if let button = button(at: event.location) { press(button) }
        case .motion: hover(over: frames.first { $0.value.contains(event.location) }?.key)
        case .leave: hover(over: nil)
        default: break
        }
    }

    private func hover(over button: Button?) {
        guard hovered != button else { return }
        hovered = button
        onHint?(button)
    }

    private func button(at point: WindowPoint) -> Button? {
        frames.first { $0.value.contains(point) && !content.disabled.contains($0.key) }?.key
    }

    private func press(_ button: Button) {
        guard let place = frames[button], !content.disabled.contains(button) else { return }
        onPress?(button, place)
    }

    var accessibleParts: [AccessiblePart] {
        let parts = Button.allCases.compactMap { button in
            frames[button].map { place in
                let isSwitch = button != .paragraph && button != .link
                let name = button == .paragraph ? Words.paragraphStyle(content.paragraph) : button.words
                let kind: AccessiblePart.Kind = isSwitch ? .toggle(isOn: content.states[button] == .on) : .button
                var part = AccessiblePart(kind, name: name, frame: place) { [weak self] in self?.press(button) }
                part.isEnabled = !content.disabled.contains(button)
                return part
            }
        }
        return [AccessiblePart(.group, name: Words.formatBar, frame: frame, parts: parts)]
    }
}

extension FormatBar.Button {
    fileprivate var sign: String {
        switch self {
        case .paragraph: ""
        case .bold: "B"
        case .italic: "I"
        case .underline: "U"
        case .strikethrough: "S"
        case .code: "<>"
        case .bullets: "•"
        case .numbers: "1."
        case .checkboxes: "☐"
        case .link: Words.link
        }
    }

    var words: String {
        switch self {
        case .paragraph: Words.paragraphStyle("")
        case .bold: Words.bold
        case .italic: Words.italic
        case .underline: Words.underline
        case .strikethrough: Words.strikethrough
        case .code: Words.code
        case .bullets: Words.bulletedList
        case .numbers: Words.numberedList
        case .checkboxes: Words.checklist
        case .link: Words.link
        }
    }

    fileprivate var endsGroup: Bool { self == .paragraph || self == .code || self == .checkboxes }

    /// The command that the button performs; nil if there is no such command.
    fileprivate var command: EditCommand? {
        switch self {
        case .bold: .toggleBoldface
        case .italic: .toggleItalics
        case .underline: .toggleUnderline
        case .strikethrough: .toggleStrikethrough
        case .bullets: .toggleBulletedList
        case .numbers: .toggleNumberedList
        case .checkboxes: .toggleChecklist
        case .paragraph, .code, .link: nil
        }
    }
}

extension FormatBar.Content {
    /// Returns the name of the kind that all selected paragraphs have, such as a heading; if they are of several kinds,
    /// a word that says so.
    private static func paragraphStyle(_ state: EditorState) -> String {
        guard let level = state.headingLevel else { return Words.severalStyles }
        if level > 0 { return Words.heading(level) }
        return state.isCodeBlock ? Words.codeBlock : state.isInQuotation ? Words.quotation : Words.bodyText
    }

    /// Creates the states of the buttons for the selection of a text.
    init(_ state: EditorState) {
        paragraph = Self.paragraphStyle(state)
        func list(_ marker: TextList.Marker) -> StyleState {
            state.styleState { $0[ListAttribute.self].map { $0.isMarked(as: marker) } ?? false }
        }
        states = [
            .bold: state.boldState, .italic: state.italicState,
            .underline: state.styleState { $0[UnderlineAttribute.self] != nil },
            .strikethrough: state.strikethroughState, .code: state.styleState { $0.hasRole(.code) },
            .bullets: list(.disc), .numbers: list(.decimal), .checkboxes: list(.checkbox),
            .link: state.styleState { $0[LinkAttribute.self] != nil },
        ].filter { $0.value != .off }
        disabled = Set(
            FormatBar.Button.allCases.filter { button in
                switch button {
                case .paragraph:
                    !state.options.isEditable || !state.permits(state.settingHeading(nil) ?? state.settingHeading(1))
                case .code: !state.options.isEditable || !state.permits(state.togglingRole(.code))
                case .link: !state.options.isEditable || (state.selection?.isEmpty ?? true) && states[.link] == nil
                default: button.command.map { !state.canPerform($0) } ?? false
                }
            })
    }
}

/// The format bar of a window, and the items for styles in its menu.
extension EditorWindow {
    /// Adds the format bar above the text.
    func startFormatBar() {
        let bar = FormatBar(display, sharing: view)
        bar.onChange = { [weak self] in self?.window.window.setNeedsDisplay($0) }
        bar.onPress = { [weak self] in self?.press($0, beside: $1) }
        bar.onHint = { [weak self] in self?.showHint(of: $0) }
        bar.show(FormatBar.Content(view.session.state))
        window.add(bar)
        formatBar = bar
    }

    /// Schedules an update of the format bar to the styles of the selection.
    func updateFormatBarSoon() {
        guard let formatBar, !isFormatBarDue else { return }
        isFormatBarDue = true
        display.schedule(afterMilliseconds: 20) { [weak self] in
            guard let self, !isClosed else { return }
            isFormatBarDue = false
            formatBar.show(FormatBar.Content(view.session.state))
        }
    }

    private func showHint(of button: FormatBar.Button?) {
        guard let button else { return show(hint: nil) }
        let words = button == .paragraph ? Words.paragraphStyle(formatBar?.content.paragraph ?? "") : button.words
        let key = button.command.map { view.keyBindings.shortcutText(of: $0) } ?? ""
        show(hint: key.isEmpty ? words : Words.hint(words, key: key))
    }

    private func press(_ button: FormatBar.Button, beside place: WindowRect) {
        guard !isAsking else { return }
        if button == .paragraph { return window.openMenu(headingItems, for: view, beside: place) }
        choose(button)
    }

    /// Performs the action of a button.
    private func choose(_ button: FormatBar.Button) {
        performUnlessAsking { window in
            switch button {
            case .paragraph: break
            case .code: window.style { $0.togglingRole(.code) }
            case .link: window.askForLink()
            default:
                if let command = button.command { _ = window.view.perform(command) }
            }
        }
    }

    /// The items for styles in the window's menu, for users without a pointer: the kinds of paragraphs, then the
    /// styles of the buttons, then the items for the table and the picture at the selection, and those that insert
    /// rules, tables and pictures.
    var styleItems: [MenuItem] {
        let content = FormatBar.Content(view.session.state)
        let buttons = FormatBar.Button.allCases.filter { $0 != .paragraph }.map { button in
            MenuItem(
                button.words, kind: button == .link ? .action : .choice(isOn: content.states[button] == .on),
                shortcut: button.command.map { view.keyBindings.shortcutText(of: $0) } ?? "",
                isEnabled: !isAsking && !content.disabled.contains(button)
            ) { [weak self] in self?.choose(button) }
        }
        return headingItems + [.separator] + buttons + [.separator] + tableItems() + pictureItems() + blockItems
    }

    /// The menu items that insert rules, tables and pictures.
    private var blockItems: [MenuItem] {
        let state = view.session.state
        let mayEdit = !isAsking && view.isEditable
        func item(_ title: String, _ step: @escaping (EditorState) -> Transaction?) -> MenuItem {
            MenuItem(title, isEnabled: mayEdit && step(state) != nil) { [weak self] in
                self?.performUnlessAsking { $0.style(step) }
            }
        }
        return [
            item(Words.insertRule) { $0.insertingRule() },
            tableInsertionItem,
            MenuItem(Words.insertPicture, isEnabled: mayEdit) { [weak self] in
                self?.performUnlessAsking { $0.askForPicture() }
            },
        ]
    }

    /// The menu items for the kinds of paragraphs.
    var headingItems: [MenuItem] {
        let state = view.session.state
        let name = FormatBar.Content(state).paragraph
        func item(
            _ words: String, isOn: Bool, isEnabled: Bool = true, _ step: @escaping (EditorState) -> Transaction?
        ) -> MenuItem {
            MenuItem(words, kind: .choice(isOn: isOn), isEnabled: !isAsking && view.isEditable && isEnabled) {
                [weak self] in self?.performUnlessAsking { $0.style(step) }
            }
        }
        let headings = (0...6).map { number in
            let words = number == 0 ? Words.bodyText : Words.heading(number)
            return item(words, isOn: name == words) { number == 0 ? $0.settingBody() : $0.settingHeading(number) }
        }
        return headings + [
            item(Words.quotation, isOn: state.isInQuotation) { $0.togglingQuotation() },
            item(Words.codeBlock, isOn: state.isCodeBlock, isEnabled: state.togglingCodeBlock() != nil) {
                $0.togglingCodeBlock()
            },
        ]
    }

    /// Ends a composition, and applies the transaction that `step` returns for the resulting state.
    func style(_ step: (EditorState) -> Transaction?) {
        view.session.endComposition()
        view.session.dispatch(step(view.session.state))
        updateFormatBarSoon()
    }

    /// Asks for the address of a link on the selected text, or of the link at the caret; an empty answer removes
    /// the link. If there is neither a selection nor a link, shows a message instead.
    ///
    /// - Parameter link: the range of the link to change; nil for the link at the selection.
    func askForLink(_ link: Range<UTF16Offset>? = nil) {
        guard var range = link ?? view.selection?.primary.range else { return }
        let found = view.store.styledText.run(of: LinkAttribute.self, at: range.lowerBound)
        if range.isEmpty {
            guard let found, found.value != nil else { return notify(Words.selectLinkFirst) }
            range = found.range
        } else {
            range = view.store.text.withoutBlanksAtEnds(range)
        }
        let (low, high) = (view.store.position(at: range.lowerBound), view.store.position(at: range.upperBound))
        let request = PathPrompt.Request(
            label: Words.addressPrompt, action: Words.link, hint: Words.addressHint, keyboard: .url)
        openPrompt(request, text: found?.value ?? "https://") { window, address in
            let store = window.view.store
            let (start, end) = (store.offset(of: low), store.offset(of: high))
            guard window.view.isEditable, start < end else { return }
            var restyling = Restyling()
            restyling.set(address.isEmpty ? nil : address, of: LinkAttribute.self, in: start..<end)
            window.view.session.dispatch(
                Transaction(
                    on: store, TextChangeSet(none: store.text), origin: .styling, view: window.view.session.id,
                    restyling: restyling))
        }
    }
}

extension Rope {
    /// Returns a range without the spaces at its ends, which a link does not need; a range of spaces is unchanged.
    func withoutBlanksAtEnds(_ range: Range<UTF16Offset>) -> Range<UTF16Offset> {
        func isBlank(_ offset: UTF16Offset) -> Bool { utf16(in: offset..<offset + 1).first == 0x20 }
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(start) { start += 1 }
        while start < end, isBlank(end - 1) { end -= 1 }
        return start < end ? start..<end : range
    }
}

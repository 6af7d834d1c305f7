import Inkstone

/// The status line below the text. It has a menu button and parts, such as the position and the file's format. A
/// message, question or prompt replaces the parts, and an explanation may be shown below it.
final class StatusLine: WindowContent {
    struct Content: Hashable {
        /// Whether the menu button is shown.
        var hasMenu = true
        /// The parts that are laid out from the left edge.
        var left: [Item] = []
        /// The parts that are laid out up to the right edge.
        var right: [Item] = []
        /// The hint about the part or button under the pointer; nil for none.
        var hint: Hint?
        /// The message that is shown instead of the parts; nil for none.
        var message: String?
        /// Whether the position and the parts of ``right`` stay beside the message, as far as there is room.
        var keepsParts = false
        var isProblem = false
        /// Whether the message is followed by a text field, framed like the fields of the find bar.
        var hasField = false
        /// The explanation below the first line, such as advice, or a problem with the input method; nil for none.
        /// It is wrapped.
        var detail: String?
        /// The kind of ``detail``, which decides its colour.
        var detailKind = DetailKind.note
        /// The labels of the answers, shown below everything else.
        var answers: [String] = []
        /// The index of the answer that Return gives; nil if Return gives none.
        var chosen: Int?
    }

    /// A hint about a part, or about the menu button.
    struct Hint: Hashable {
        var part: StatusPart?
        var text: String
    }

    /// A part of the status line, and its text.
    struct Item: Hashable {
        var part: StatusPart
        var text: String
    }

    /// The kinds of the explanation below the first line.
    enum DetailKind: Hashable {
        /// Advice, such as what to do about an error.
        case note
        /// A hint about keys.
        case hint
        /// The reason why something was refused.
        case problem
    }

    private(set) var frame = WindowRect.zero
    /// The labels of the parts, kept so that only changed ones have to be laid out again.
    private var labels: [StatusPart: LineLabel] = [:]
    private var row = StatusRow<LineLabel>()
    private var message: LineLabel
    private var below: LineLabel
    private var answers: AnswerRow
    private var padding: Double
    private var width = 1.0
    /// The hint about the part or button under the pointer; nil for none.
    private var hint: Hint? {
        didSet {
            guard hint != oldValue, content.message == nil else { return }
            let row = row
            show()
            changeParts(from: row)
        }
    }
    /// The ``height`` of the present content, kept to detect that another content changes it.
    private var shownHeight = 0.0
    private let display: Display
    private unowned let view: TextView

    /// The content of the status line. Setting it repaints the parts that change.
    var content = Content() {
        didSet {
            guard content != oldValue else { return }
            let (height, row, below) = (shownHeight, row, below)
            show()
            if !content.answers.isEmpty,
                oldValue.answers.isEmpty || content.message != oldValue.message || content.hasField != oldValue.hasField
            {
                answersDidAppear()
            }
            if shownHeight != height || content.answers != oldValue.answers || content.chosen != oldValue.chosen {
                onChange?(frame)
                onHeightChange?()
            } else if content.isProblem != oldValue.isProblem || content.message != oldValue.message
                || content.hasMenu != oldValue.hasMenu
            {
                onChange?(frame)
            } else {
                changeParts(from: row)
                if content.detail != nil,
                    self.below.changes(from: below) != nil || content.detailKind != oldValue.detailKind
                {
                    onChange?(frame)
                }
            }
        }
    }
    /// Called with an area of the window, in window pixels, that has to be repainted.
    var onChange: ((WindowRect) -> Void)?
    /// Called with the index of an answer that the user chooses with the pointer, or with assistive technology.
    var onAnswer: ((Int) -> Void)?
    /// The time of the last click on an answer in any window of the program.
    private let presses: AnswerPresses
    /// The time, in milliseconds, at which the answers have appeared.
    private var appearance: Int64 = 0
    /// Called when the menu button is pressed, with the pointer's location in window pixels.
    var onMenu: ((WindowPoint) -> Void)?
    /// Called when a part is pressed, with its frame and the pointer's location, both in window pixels.
    var onPart: ((StatusPart, WindowRect, WindowPoint) -> Void)?
    /// Called before each painting of the window, to update the content.
    var onWillPaint: (() -> Void)?
    var onHeightChange: (() -> Void)?

    init(_ display: Display, sharing view: TextView, presses: AnswerPresses) {
        self.display = display
        self.view = view
        self.presses = presses
        let font = Self.font(scale: display.scale)
        message = LineLabel(font: font, sharing: view)
        below = LineLabel(font: font, sharing: view)
        padding = (5 * display.scale).rounded()
        answers = AnswerRow(font: font, padding: padding)
    }

    /// Returns the font of the status line for a scale, which is device pixels for one pixel at scale 1.
    static func font(scale: Double) -> FontDescriptor { FontDescriptor(family: "sans", size: (12 * scale).rounded()) }

    /// Whether a press can choose an answer. It cannot for the time ``Question/ripening`` after the answers have
    /// appeared or one was pressed, in this window or another one: it may be the second press of a double click.
    private var areAnswersRipe: Bool {
        MonotonicClock.milliseconds - max(appearance, presses.last) >= Question.ripening
    }

    /// Starts the time in which the buttons of the answers ignore presses. Repaints the line at the end of that time,
    /// when the buttons get their frames.
    private func answersDidAppear() {
        appearance = MonotonicClock.milliseconds
        display.schedule(afterMilliseconds: Int(Question.ripening)) { [weak self] in
            guard let self, !content.answers.isEmpty else { return }
            onChange?(frame)
        }
    }

    /// The frame of the text field after the message, in window pixels.
    var promptFrame: WindowRect {
        let x = frame.minX + 2 * padding + message.size.width
        let inset = (padding / 2).rounded()
        return WindowRect(
            x: x, y: frame.minY + inset, width: max(1, frame.maxX - padding - x), height: message.size.height + padding
        ).mirrored(in: frame)
    }

    func displaySettingsDidChange() {
        let font = Self.font(scale: display.scale)
        labels = [:]
        message = LineLabel(font: font, sharing: view)
        below = LineLabel(font: font, sharing: view)
        padding = (5 * display.scale).rounded()
        answers = AnswerRow(font: font, padding: padding)
        show()
    }

    /// Requests repainting of the parts that have changed or moved. Repaints each part as a whole, which avoids setting
    /// a clip on the server.
    private func changeParts(from old: StatusRow<LineLabel>) {
        for part in StatusPart.allCases {
            let (before, after) = (old[part], row[part])
            if before?.x == after?.x, before?.label.text == after?.label.text { continue }
            for place in [before, after].compactMap(\.self) {
                let rect = WindowRect(
                    x: frame.minX + place.x - 1, y: frame.minY + 1, width: place.width + 2,
                    height: message.size.height + 2 * padding - 1)
                onChange?(rect.mirrored(in: frame).intersection(frame))
            }
        }
    }

    /// The frame of the menu button, in window pixels.
    var menuButton: WindowRect {
        let side = lineHeight + 2 * padding
        return WindowRect(
            x: frame.minX, y: frame.minY, width: content.hasMenu ? side : 0, height: min(frame.height, side)
        ).mirrored(in: frame)
    }

    private func show() {
        message.text = content.message ?? ""
        // Wrap a message or question, so that all of it can be read. The other texts of the line may be truncated.
        message.width = nil
        if content.message != nil, message.size.width > room - lead { message.width = max(1, room - lead) }
        below.text = content.detail ?? ""
        below.width = room
        answers.show(content.answers, width: room, sharing: view)
        var content = content
        content.hint = hint
        row = StatusRow(
            content, messageWidth: message.size.width, in: padding + lead..<max(padding + lead, width - padding),
            gap: 3 * padding, label: label, width: \.size.width)
        shownHeight = height
    }

    /// The height of a line of text, in pixels, even if a message has several.
    private var lineHeight: Double { (row.places.first?.label ?? message).size.height }

    private func label(_ item: Item) -> LineLabel {
        labels[item.part, default: LineLabel(font: Self.font(scale: display.scale), sharing: view)].text = item.text
        return labels[item.part] ?? message
    }

    /// The width of the menu button, in pixels; 0 if it is not shown.
    private var lead: Double { content.hasMenu ? menuButton.width : 0 }

    private var room: Double { max(1, width - 2 * padding) }

    /// The height of the status line, in pixels.
    var height: Double {
        answersOrigin.y - frame.minY + (answers.height == 0 ? 0 : answers.height + padding)
    }

    /// Sets the width of the status line, in pixels. Messages and explanations are wrapped to it.
    func setWidth(_ width: Double) {
        self.width = width
        show()
    }

    func setFrame(_ frame: WindowRect) { self.frame = frame }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        canvas.setClip([damage])
        canvas.fill(frame, view.theme.panel.background)
        if damage.minY <= frame.minY {
            canvas.fill(
                WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: 1), view.theme.panel.border)
        }
        let y = frame.minY + padding
        let next = y + message.size.height + padding
        let panel = view.theme.panel
        if damage.minY < next {
            if damage.minX < menuButton.maxX, damage.maxX > menuButton.minX { paintMenuButton(on: canvas) }
            func draw(_ label: LineLabel, at distance: Double, _ color: Color) {
                let origin = label.origin(distance, y: y, in: frame)
                let (low, high) = (damage.minX - origin.x, damage.maxX - origin.x)
                guard high > 0, low < label.size.width + padding else { return }
                label.paint(on: canvas, at: origin, color: color, within: low..<high)
            }
            if content.hasField {
                let (field, line) = (promptFrame, max(1, view.theme.underlineWidth))
                canvas.fill(
                    WindowRect(
                        x: field.minX - line, y: field.minY - line, width: field.width + 2 * line,
                        height: field.height + 2 * line), content.detailKind == .problem ? panel.problem : panel.accent)
            }
            if content.message != nil {
                draw(message, at: padding + lead, content.isProblem ? panel.problem : panel.text)
            }
            for place in row.places {
                draw(place.label, at: place.x, place.part == .recovery ? panel.problem : panel.text)
            }
        }
        if content.detail != nil, damage.maxY > next {
            let color =
                switch content.detailKind {
                case .note: panel.note
                case .hint: panel.text
                case .problem: panel.problem
                }
            below.paint(on: canvas, at: WindowPoint(x: frame.minX + padding, y: next), color: color)
        }
        if !content.answers.isEmpty {
            answers.paint(
                on: canvas, at: answersOrigin, chosen: content.chosen,
                areFramed: MonotonicClock.milliseconds - appearance >= Question.ripening, theme: view.theme)
        }
        canvas.setClip(nil)
    }

    /// Paints the menu button: three lines, the usual symbol of a menu.
    private func paintMenuButton(on canvas: any Canvas) {
        let (button, line) = (menuButton, max(1, view.theme.underlineWidth))
        guard button.width > 0 else { return }
        let width = (button.width * 0.45).rounded()
        let x = button.minX + ((button.width - width) / 2).rounded()
        let middle = button.minY + ((button.height - line) / 2).rounded()
        for step in -1...1 {
            let y = middle + Double(step) * (4 * line).rounded()
            canvas.fill(WindowRect(x: x, y: y, width: width, height: line), view.theme.panel.text)
        }
    }

    private var answersOrigin: WindowPoint {
        let detail = content.detail == nil || below.size.height == 0 ? 0 : below.size.height + padding
        return WindowPoint(x: frame.minX + padding, y: frame.minY + 2 * padding + message.size.height + detail)
    }

    func windowWillPaint() { onWillPaint?() }

    /// Returns the part at a point in window pixels if it handles clicks; nil otherwise.
    private func button(at point: WindowPoint) -> StatusRow<LineLabel>.Place? {
        guard point.y < frame.minY + message.size.height + 2 * padding else { return nil }
        let place = WindowRect(x: point.x, y: point.y, width: 0, height: 0).mirrored(in: frame)
        return row.part(at: place.minX - frame.minX, slack: padding).flatMap { $0.part.isButton ? $0 : nil }
    }

    /// The visible parts with their texts and frames, in window pixels.
    var shownParts: [(part: StatusPart, text: String, frame: WindowRect)] {
        row.places.map { ($0.part, $0.label.text, windowFrame($0)) }
    }

    private func windowFrame(_ place: StatusRow<LineLabel>.Place) -> WindowRect {
        WindowRect(
            x: frame.minX + place.x, y: frame.minY, width: place.width, height: message.size.height + 2 * padding
        ).mirrored(in: frame)
    }

    /// Returns the frame of the answer at an index, in window pixels.
    func answerFrame(_ index: Int) -> WindowRect { answers.frame(of: index, origin: answersOrigin) }

    func cursor(at point: WindowPoint) -> Window.Cursor {
        let isButton =
            answers.answer(at: point, origin: answersOrigin) != nil || menuButton.contains(point)
            || button(at: point) != nil
        return isButton ? .hand : .arrow
    }

    func handlePointer(_ event: PointerEvent) {
        switch event.kind {
        case .press(.primary): break
        case .motion:
            let key = view.keyBindings.shortcutText(of: .showMenu)
            let part = button(at: event.location)?.part
            hint =
                menuButton.contains(event.location)
                ? Hint(text: key.isEmpty ? Words.menu : Words.hint(Words.menu, key: key))
                : part.flatMap { part in part.hint.map { Hint(part: part, text: $0) } }
            return
        case .leave: return hint = nil
        default: return
        }
        let point = event.location
        if menuButton.contains(point) { return onMenu?(point) ?? () }
        if let index = answers.answer(at: point, origin: answersOrigin) {
            guard areAnswersRipe else { return }
            presses.last = MonotonicClock.milliseconds
            return onAnswer?(index) ?? ()
        }
        guard let place = button(at: point) else { return }
        onPart?(place.part, windowFrame(place), point)
    }
}

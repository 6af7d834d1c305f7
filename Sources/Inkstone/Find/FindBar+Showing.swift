import InkstoneBase
import InkstoneText
import InkstoneView

/// The messages, the layout and the painting of the bar.
extension FindBar {
    /// Returns the message about a search step made with the bar closed: empty for an ordinary match, nil while
    /// there is no result.
    package static func notice(of session: FindSession, going direction: TextStorageDirection) -> (
        text: String, isProblem: Bool
    )? {
        switch session.status {
        case .idle, .searching: nil
        case .notFound: (FindWords.notFound(session.pattern), true)
        case .failed: text(of: session.status)
        case .found: (session.isWrapped ? FindWords.searchContinued(fromTop: direction == .forward) : "", false)
        }
    }

    /// Returns the message about the status of a search. `around` is the direction of the step if it continued at the
    /// other end of the document; nil otherwise.
    package static func text(
        of status: FindSession.Status, around: TextStorageDirection? = nil
    ) -> (text: String, isProblem: Bool) {
        switch status {
        case .idle: return ("", false)
        case .searching: return (FindWords.searching, false)
        case .notFound: return (FindWords.noMatch, true)
        case .failed(.syntax(let pattern, let place)):
            return (ExpressionMistake(in: pattern, at: place).description, true)
        case .failed(.tooComplex): return (FindWords.tooComplex, true)
        case .failed(let error): return (error.description, true)
        case .found(let ordinal, let count, let isComplete):
            let all = FindWords.grouped(count) + (isComplete ? "" : "+")
            let which = ordinal.map { FindWords.match(FindWords.grouped($0), of: all) } ?? all
            return (around.map { FindWords.match(which, fromTop: $0 == .forward) } ?? which, false)
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

    func show() {
        let (text, _) = Self.text(of: session.status, around: session.isWrapped ? direction : nil)
        labels.message.text = notice.isEmpty ? text : notice
        let words = isOpen && (!notice.isEmpty || Self.isResult(session.status)) ? message : ""
        if !words.isEmpty, words != announced { window?.announce(words) }
        if !words.isEmpty || !isOpen { announced = words }
        for index in buttons.indices {
            switch buttons[index].action {
            case .ignoreCase: buttons[index].isOn = !session.ignoresCase
            case .wholeWords: buttons[index].isOn = session.matchesWholeWords
            case .expression: buttons[index].isOn = session.syntax == .regularExpression
            default: break
            }
        }
        guard isOpen else { return }
        layOut()
        // Lay out the window again if a long message has made the bar higher.
        if height != frame.height { onLayoutChange?() } else { place() }
        window?.setNeedsDisplay(frame)
    }

    /// Lays out the bar for the size of the available area, and returns its height, in pixels; 0 if the bar is
    /// closed.
    public func height(in room: Size) -> Double {
        self.room = room
        layOut()
        return height
    }

    private var height: Double { isOpen ? min(layout?.height ?? 0, room.height) : 0 }

    private func layOut() {
        guard isOpen, !buttons.isEmpty else { return }
        let extents = FindBarLayout.Extents(
            padding: padding, lineHeight: labels.find.size.height,
            titleWidth: max(labels.find.size.width, labels.replace.size.width),
            labelWidths: Dictionary(uniqueKeysWithValues: buttons.map { ($0.action, $0.label.size.width) }),
            usualMessage: usualMessage,
            leastFieldWidth: (120 * display.scale).rounded())
        labels.message.width = nil
        layout = FindBarLayout(
            extents, width: room.width, limit: (room.height / 3).rounded(), replaces: replaces,
            message: labels.message.size.width
        ) {
            labels.message.width = $0
            return labels.message.size.height
        }
        if layout?.message?.isWrapped != true { labels.message.width = nil }
    }

    /// Places the bar in the window, in window pixels.
    public func setFrame(_ frame: WindowRect) {
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

    /// Paints the bar; its fields paint themselves.
    public func paint(on canvas: any Canvas, damage: WindowRect) {
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
            labels.message.paint(
                on: canvas, at: labels.message.origin(0, y: place.minY, in: place),
                color: isProblem ? theme.panel.problem : text)
        }
        canvas.setClip(nil)
    }

    /// Whether the search has no match or has failed, for example because its text is invalid. The outline of the
    /// field shows that.
    private var isProblem: Bool { Self.isProblem(session.status, notice: notice) }

    /// Whether a status means that the search has no match or has failed. False while a notice is shown instead of
    /// the status.
    package static func isProblem(_ status: FindSession.Status, notice: String) -> Bool {
        notice.isEmpty && text(of: status).isProblem
    }

    /// Handles clicks on the buttons, and shows hints about them.
    public func handlePointer(_ event: PointerEvent) {
        let button = buttons.first { $0.frame?.contains(event.location) ?? false }
        switch event.kind {
        case .press(.primary): if let button { perform(button.action) }
        case .motion: hover(over: button?.action)
        case .leave: hover(over: nil)
        default: break
        }
    }

    func hover(over action: Action?) {
        guard hovered != action else { return }
        hovered = action
        onHint?(action?.hint)
    }
}

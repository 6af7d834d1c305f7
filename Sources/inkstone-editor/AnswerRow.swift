import Inkstone

/// The buttons for the answers to a question, side by side, and wrapped to as many rows as they need.
struct AnswerRow {
    private let font: FontDescriptor
    private let padding: Double
    private var buttons: [Button] = []
    /// The labels of the buttons. The access letter of a label is in brackets, as in `[R]eload`; it is shown
    /// underlined, without the brackets.
    private(set) var answers: [String] = []
    /// The height of all rows in pixels; 0 without answers.
    private(set) var height = 0.0

    private struct Button {
        var label: LineLabel
        var frame = WindowRect.zero
        /// The horizontal extent of the underlined letter, in pixels from the label's left edge; nil for none.
        var letter: Range<Double>?
    }

    /// Creates a row without answers. The size of `font` is in device pixels; `padding` is the distance around and
    /// between the buttons, in pixels.
    init(font: FontDescriptor, padding: Double) { (self.font, self.padding) = (font, padding) }

    /// Sets the answers, and lays out their buttons from the leading edge within a width in pixels, in as many rows
    /// as needed. A letter in square brackets is underlined in place of the brackets. The labels share the open fonts
    /// of `view`.
    mutating func show(_ answers: [String], width: Double, sharing view: EditorView) {
        if answers != self.answers {
            self.answers = answers
            buttons = answers.map { answer in
                var label = LineLabel(font: font, sharing: view)
                guard let open = answer.firstIndex(of: "["), let close = answer[open...].firstIndex(of: "]") else {
                    label.text = answer
                    return Button(label: label)
                }
                let (before, letter) = (answer[..<open], answer[answer.index(after: open)..<close])
                label.text = String(before)
                let start = before.isEmpty ? 0 : label.size.width
                label.text = String(before + letter)
                let end = label.size.width
                label.text = String(before + letter + answer[answer.index(after: close)...])
                let letters = WindowRect(x: start, y: 0, width: end - start, height: 0)
                    .mirrored(in: WindowRect(x: 0, y: 0, width: label.size.width, height: 0))
                return Button(label: label, letter: letters.minX..<letters.maxX)
            }
        }
        let inset = (padding / 2).rounded()
        var (x, y) = (0.0, 0.0)
        height = 0
        for index in buttons.indices {
            let size = buttons[index].label.size
            let extent = min(size.width + 2 * padding, max(1, width))
            if x > 0, x + extent > width { (x, y) = (0, height + padding) }
            buttons[index].frame = WindowRect(x: x, y: y, width: extent, height: size.height + 2 * inset)
                .mirrored(in: WindowRect(x: 0, y: 0, width: width, height: 0))
            height = y + size.height + 2 * inset
            x += extent + padding
        }
    }

    /// Paints the buttons with the row's top left corner at `origin`, in window pixels; the button at the index
    /// `chosen` gets a second frame. Without `areFramed`, only the labels and the lines under their letters are
    /// painted.
    func paint(
        on canvas: any Canvas, at origin: WindowPoint, chosen: Int? = nil, areFramed: Bool = true, theme: Theme
    ) {
        let line = max(1, theme.underlineWidth)
        for (index, button) in buttons.enumerated() {
            let frame = button.frame.offset(by: Vector(dx: origin.x, dy: origin.y))
            func fill(_ inset: Double, _ color: Color) {
                canvas.fill(
                    WindowRect(
                        x: frame.minX + inset, y: frame.minY + inset, width: max(0, frame.width - 2 * inset),
                        height: max(0, frame.height - 2 * inset)), color)
            }
            if areFramed {
                fill(0, theme.panel.border)
                if index == chosen { fill(line, theme.panel.accent) }
                fill(index == chosen ? 2 * line : line, theme.background)
            }
            let place = WindowPoint(x: frame.minX + padding, y: frame.minY + (padding / 2).rounded())
            button.label.paint(
                on: canvas, at: place, color: theme.panel.text, within: 0..<max(0, frame.width - padding))
            if let letter = button.letter, padding + letter.upperBound < frame.width {
                canvas.fill(
                    WindowRect(
                        x: (place.x + letter.lowerBound).rounded(),
                        y: (place.y + button.label.baseline + line).rounded(),
                        width: (letter.upperBound - letter.lowerBound).rounded(), height: line), theme.panel.text)
            }
        }
    }

    /// Returns the frame of a button if the row's top left corner is at `origin`, both in window pixels; an empty
    /// rectangle if there is no such button.
    func frame(of index: Int, origin: WindowPoint) -> WindowRect {
        guard buttons.indices.contains(index) else { return .zero }
        return buttons[index].frame.offset(by: Vector(dx: origin.x, dy: origin.y))
    }

    /// Returns the index of the button at a point, if the row's top left corner is at `origin`, both in window
    /// pixels; nil if there is none.
    func answer(at point: WindowPoint, origin: WindowPoint) -> Int? {
        let point = WindowPoint(x: point.x - origin.x, y: point.y - origin.y)
        return buttons.firstIndex { $0.frame.contains(point) }
    }
}

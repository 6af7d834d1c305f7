import Inkstone

/// Answers to choose from with the pointer, side by side in as many rows as they need. A value.
struct AnswerRow {
    private let font: FontDescriptor
    private let padding: Double
    private var buttons: [(label: LineLabel, frame: WindowRect)] = []
    /// What they say.
    private(set) var answers: [String] = []
    /// Height of all rows in pixels; 0 without answers.
    private(set) var height = 0.0

    /// No answers, in a font whose size is in device pixels; `padding` is the distance around and between, in pixels.
    init(font: FontDescriptor, padding: Double) { (self.font, self.padding) = (font, padding) }

    /// Takes the answers, and lays them out from the left.
    mutating func show(_ answers: [String], width: Double, sharing view: EditorView) {
        if answers != self.answers {
            self.answers = answers
            buttons = answers.map { answer in
                var label = LineLabel(font: font, sharing: view)
                label.text = answer
                return (label, .zero)
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
            height = y + size.height + 2 * inset
            x += extent + padding
        }
    }

    /// Paints them with the top left corner at `origin`, in window pixels; the one at the index `chosen` with a second frame.
    func paint(on canvas: any Canvas, at origin: WindowPoint, chosen: Int? = nil, theme: Theme) {
        let line = max(1, theme.underlineWidth)
        for (index, (label, frame)) in buttons.enumerated() {
            let frame = WindowRect(
                x: frame.minX + origin.x, y: frame.minY + origin.y, width: frame.width, height: frame.height)
            func fill(_ inset: Double, _ color: Color) {
                canvas.fill(
                    WindowRect(
                        x: frame.minX + inset, y: frame.minY + inset, width: max(0, frame.width - 2 * inset),
                        height: max(0, frame.height - 2 * inset)), color)
            }
            fill(0, theme.panel.border)
            if index == chosen { fill(line, theme.panel.accent) }
            fill(index == chosen ? 2 * line : line, theme.background)
            label.paint(
                on: canvas, at: WindowPoint(x: frame.minX + padding, y: frame.minY + (padding / 2).rounded()),
                color: theme.panel.text, within: 0..<max(0, frame.width - padding))
        }
    }

    /// Which of them lies at a point of the window; nil if none does.
    func answer(at point: WindowPoint, origin: WindowPoint) -> Int? {
        let point = WindowPoint(x: point.x - origin.x, y: point.y - origin.y)
        return buttons.firstIndex { $0.frame.contains(point) }
    }
}

import Inkstone

/// The strip below the text: file and position at the left, the input method at the right, a message or question above
/// all, and one more line when there is something to say about the input method.
final class StatusLine: WindowContent {
    /// What the strip says.
    struct Content: Hashable {
        /// Which file it is. Apart from `position`, because it hardly ever changes, and a label is laid out anew as a whole.
        var file = ""
        /// Where the user is in the file, and what else there is to say about it.
        var position = ""
        /// About the input method.
        var right = ""
        /// What the user should know now, in place of both.
        var message: String?
        var isProblem = false
        /// Text below, wrapped: advice, or why there is no inline composition.
        var detail: String?
        /// The kind of the text below.
        var detailKind = DetailKind.note
        /// Answers that can be chosen, below that.
        var answers: [String] = []
        /// Index of the answer that Return gives; nil if Return gives none of them.
        var chosen: Int?
    }

    /// Kinds of the text below.
    enum DetailKind: Hashable {
        /// Advice.
        case note
        /// A hint about keys.
        case hint
        /// A reason why something is refused.
        case problem
    }

    private(set) var frame = WindowRect.zero
    private var left: LineLabel
    private var middle: LineLabel
    private var right: LineLabel
    private var below: LineLabel
    private var answers: AnswerRow
    private var padding: Double
    private var width = 1.0
    /// ``height`` when the content was shown last.
    private var shownHeight = 0.0
    private let display: Display
    private unowned let view: TextView

    /// What the strip says; setting it repaints what has changed.
    var content = Content() {
        didSet {
            guard content != oldValue else { return }
            let (height, left, middle, right, below) = (shownHeight, left, middle, right, below)
            let (start, end) = (middleOrigin, rightOrigin)
            show()
            if shownHeight != height || content.answers != oldValue.answers || content.chosen != oldValue.chosen {
                onChange?(frame)
                onHeightChange?()
            } else if content.isProblem != oldValue.isProblem || (content.message == nil) != (oldValue.message == nil)
                || middleOrigin != start || rightOrigin != end
            {
                onChange?(frame)
            } else {
                if let span = self.left.changes(from: left) { change(span, at: frame.minX + padding) }
                if content.message == nil {
                    if let span = self.middle.changes(from: middle) { change(span, at: start) }
                    if let span = self.right.changes(from: right) { change(span, at: end) }
                }
                if content.detail != nil,
                    self.below.changes(from: below) != nil || content.detailKind != oldValue.detailKind
                {
                    onChange?(frame)
                }
            }
        }
    }
    /// Part of the window, in its pixels, that is to be painted anew.
    var onChange: ((WindowRect) -> Void)?
    /// One of the answers was chosen with the pointer, by its place.
    var onAnswer: ((Int) -> Void)?
    /// ``height`` has changed.
    var onHeightChange: (() -> Void)?

    init(_ display: Display, sharing view: TextView) {
        self.display = display
        self.view = view
        let font = Self.font(scale: display.scale)
        left = LineLabel(font: font, sharing: view)
        middle = LineLabel(font: font, sharing: view)
        right = LineLabel(font: font, sharing: view)
        below = LineLabel(font: font, sharing: view)
        padding = (5 * display.scale).rounded()
        answers = AnswerRow(font: font, padding: padding)
    }

    /// The strip's font on a display with this scale.
    static func font(scale: Double) -> FontDescriptor { FontDescriptor(family: "sans", size: (12 * scale).rounded()) }

    /// Where something can be typed behind the message, in window pixels.
    var promptFrame: WindowRect {
        let x = frame.minX + 2 * padding + left.size.width
        let inset = (padding / 2).rounded()
        return WindowRect(
            x: x, y: frame.minY + inset, width: max(1, frame.maxX - padding - x), height: left.size.height + padding)
    }

    func displaySettingsDidChange() {
        let font = Self.font(scale: display.scale)
        left = LineLabel(font: font, sharing: view)
        middle = LineLabel(font: font, sharing: view)
        right = LineLabel(font: font, sharing: view)
        below = LineLabel(font: font, sharing: view)
        padding = (5 * display.scale).rounded()
        answers = AnswerRow(font: font, padding: padding)
        show()
    }

    /// A stretch of a label that begins at `x`, in window pixels, looks different.
    private func change(_ span: Range<Double>, at x: Double) {
        let rect = WindowRect(
            x: x + span.lowerBound, y: frame.minY + 1, width: span.upperBound - span.lowerBound,
            height: left.size.height + 2 * padding - 1)
        onChange?(rect.intersection(frame))
    }

    /// Left edge of what stands behind the file's name, in window pixels.
    private var middleOrigin: Double { frame.minX + 4 * padding + left.size.width }

    /// Left edge of what stands at the right, in window pixels.
    private var rightOrigin: Double {
        max(frame.maxX - padding - right.size.width, middleOrigin + padding + middle.size.width)
    }

    private func show() {
        left.text = content.message ?? content.file
        middle.text = content.position
        right.text = content.right
        below.text = content.detail ?? ""
        // A message or question is to be read to its end; what stands there otherwise may be cut.
        left.width = nil
        if content.message != nil, left.size.width > room { left.width = room }
        below.width = room
        answers.show(content.answers, width: room, sharing: view)
        shownHeight = height
    }

    private var room: Double { max(1, width - 2 * padding) }

    /// Height of the strip in pixels.
    var height: Double {
        answersOrigin.y - frame.minY + (answers.height == 0 ? 0 : answers.height + padding)
    }

    /// How wide the strip is going to be: messages, and what it says about the input method, are wrapped to that.
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
        let next = y + left.size.height + padding
        let color = content.isProblem ? view.theme.panel.problem : view.theme.panel.text
        func paint(_ label: LineLabel, at origin: WindowPoint, _ color: Color) {
            let (low, high) = (damage.minX - origin.x, damage.maxX - origin.x)
            guard high > 0, low < label.size.width + padding else { return }
            label.paint(on: canvas, at: origin, color: color, within: low..<high)
        }
        if damage.minY < next {
            paint(left, at: WindowPoint(x: frame.minX + padding, y: y), color)
            if content.message == nil {
                paint(middle, at: WindowPoint(x: middleOrigin, y: y), color)
                paint(right, at: WindowPoint(x: rightOrigin, y: y), view.theme.panel.text)
            }
        }
        if content.detail != nil, damage.maxY > next {
            let panel = view.theme.panel
            let color =
                switch content.detailKind {
                case .note: panel.note
                case .hint: panel.text
                case .problem: panel.problem
                }
            paint(below, at: WindowPoint(x: frame.minX + padding, y: next), color)
        }
        if !content.answers.isEmpty {
            answers.paint(on: canvas, at: answersOrigin, chosen: content.chosen, theme: view.theme)
        }
        canvas.setClip(nil)
    }

    private var answersOrigin: WindowPoint {
        let detail = content.detail == nil || below.size.height == 0 ? 0 : below.size.height + padding
        return WindowPoint(x: frame.minX + padding, y: frame.minY + 2 * padding + left.size.height + detail)
    }

    func cursor(at point: WindowPoint) -> Window.Cursor {
        answers.answer(at: point, origin: answersOrigin) == nil ? .arrow : .hand
    }

    func handlePointer(_ event: PointerEvent) {
        guard case .press(.primary) = event.kind, let index = answers.answer(at: event.location, origin: answersOrigin)
        else { return }
        onAnswer?(index)
    }
}

import Inkstone

/// The strip below the text: file and position at the left, the input method at the right, a message or question above
/// all, and one more line when there is something to say about the input method.
final class StatusLine: WindowContent {
    /// What the strip says.
    struct Content: Hashable {
        /// About the file.
        var left = ""
        /// About the input method.
        var right = ""
        /// What the user should know now, in place of `left`.
        var message: String?
        var isProblem = false
        /// What stands below, wrapped: answers to choose from, what to do, or why there is no inline composition.
        var detail: String?
    }

    private(set) var frame = WindowRect.zero
    private var left: LineLabel
    private var right: LineLabel
    private var below: LineLabel
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
            let before = shownHeight
            show()
            onChange?(frame)
            if shownHeight != before { onHeightChange?() }
        }
    }
    /// Part of the window, in its pixels, that is to be painted anew.
    var onChange: ((WindowRect) -> Void)?
    /// ``height`` has changed.
    var onHeightChange: (() -> Void)?

    init(_ display: Display, sharing view: TextView) {
        self.display = display
        self.view = view
        let font = Self.font(scale: display.scale)
        left = LineLabel(font: font, sharing: view.editor)
        right = LineLabel(font: font, sharing: view.editor)
        below = LineLabel(font: font, sharing: view.editor)
        padding = (5 * display.scale).rounded()
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
        left = LineLabel(font: font, sharing: view.editor)
        right = LineLabel(font: font, sharing: view.editor)
        below = LineLabel(font: font, sharing: view.editor)
        padding = (5 * display.scale).rounded()
        show()
    }

    private func show() {
        left.text = content.message ?? content.left
        right.text = content.right
        below.text = content.detail ?? ""
        // A message or question is to be read to its end; what stands there otherwise may be cut.
        left.width = nil
        if content.message != nil, left.size.width > room { left.width = room }
        below.width = room
        shownHeight = height
    }

    private var room: Double { max(1, width - 2 * padding) }

    /// Height of the strip in pixels.
    var height: Double {
        left.size.height + 2 * padding + (content.detail == nil ? 0 : below.size.height + padding)
    }

    /// How wide the strip is going to be: messages, and what it says about the input method, are wrapped to that.
    func setWidth(_ width: Double) {
        self.width = width
        show()
    }

    func setFrame(_ frame: WindowRect) { self.frame = frame }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        canvas.setClip([damage])
        canvas.fill(frame, Color(rgb: 0xf6f8fa))
        canvas.fill(WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: 1), Color(rgb: 0xd0d7de))
        let y = frame.minY + padding
        let color = content.isProblem ? Color(rgb: 0xb42318) : Color(rgb: 0x424a53)
        left.paint(on: canvas, at: WindowPoint(x: frame.minX + padding, y: y), color: color)
        if content.message == nil {
            let x = frame.maxX - padding - right.size.width
            let start = max(x, frame.minX + 2 * padding + left.size.width)
            right.paint(on: canvas, at: WindowPoint(x: start, y: y), color: Color(rgb: 0x424a53))
        }
        if content.detail != nil {
            let next = y + left.size.height + padding
            below.paint(on: canvas, at: WindowPoint(x: frame.minX + padding, y: next), color: Color(rgb: 0x8a5a00))
        }
        canvas.setClip(nil)
    }
}

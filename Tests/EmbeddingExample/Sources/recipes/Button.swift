import Inkstone

/// A button of a form: a click, Return or Space performs its action, and Tab reaches it.
nonisolated final class Button: BasicResponder, WindowContent {
    var frame = WindowRect(x: 0, y: 0, width: 100, height: 32) { didSet { window.setNeedsDisplay() } }
    private unowned let window: WidgetWindow
    private let title: String
    private lazy var label = makeLabel()
    private var isPressed = false

    init(_ title: String, in window: WidgetWindow, action: @escaping () -> Void) {
        self.window = window
        self.title = title
        super.init()
        // Space does what Return does, which calls `onSubmit`.
        keyCommands = [KeyCommand(input: Keysym(" "), modifierFlags: [], action: .insertNewline)]
        onSubmit = action
        window.add(self)
    }

    private func makeLabel() -> LineLabel {
        let display = window.display
        var label = LineLabel(font: .standard(scale: display.scale), settings: display.layoutFontSettings)
        label.text = title
        return label
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        // The desktop's colours, which change with its settings.
        let theme = window.display.theme
        canvas.fill(frame, window.firstResponder === self ? theme.selection : theme.background)
        let (x, y) = (frame.width - label.size.width, frame.height - label.size.height)
        let origin = WindowPoint(x: frame.minX + x / 2, y: frame.minY + y / 2)
        label.paint(on: canvas, at: origin, color: theme.text)
    }

    func handlePointer(_ event: PointerEvent) {
        switch event.kind {
        case .press(.primary):
            isPressed = true
            window.makeFirstResponder(self)
        case .release(.primary):
            if isPressed, frame.contains(event.location) { onSubmit?() }
            isPressed = false
        default: break
        }
    }

    override func focusDidChange(to isFocused: Bool) { window.setNeedsDisplay(frame) }
    // Another scale, or other font settings.
    func displaySettingsDidChange() { label = makeLabel() }
}

import Inkstone

/// A text field with a label above it and a frame around it, in a proportional font and the desktop's colours.
nonisolated final class LabeledField: WindowContent {
    var frame = WindowRect(x: 0, y: 0, width: 1, height: 1) { didSet { layOut() } }
    private unowned let window: WidgetWindow
    private let title: String
    private lazy var label = makeLabel()
    /// The field, made after its frame so that it is painted above it and gets the pointer.
    private(set) lazy var field = TextView(in: window, font: font)

    init(_ title: String, in window: WidgetWindow) {
        self.window = window
        self.title = title
        window.add(self)
        field.options.isSingleLine = true
        field.options.tabBehavior = .movesFocus
        field.accessibleName = title
        // The frame shows the focus.
        field.onFocusChange = { [unowned self] _ in window.setNeedsDisplay(frame) }
    }

    /// A size is in device pixels; without a font of its own a view has a monospaced one.
    private var font: FontDescriptor { FontDescriptor(family: "sans-serif", size: 13 * window.display.scale) }
    private var line: Double { window.display.theme.underlineWidth }
    var preferredHeight: Double { label.size.height + field.preferredHeight + 3 * line }

    private func makeLabel() -> LineLabel {
        var label = LineLabel(font: font, settings: window.display.layoutFontSettings)
        label.text = title
        return label
    }

    private func layOut() {
        let (width, height) = (frame.width - 2 * line, field.preferredHeight)
        field.setFrame(WindowRect(x: frame.minX + line, y: frame.maxY - line - height, width: width, height: height))
        window.setNeedsDisplay()
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        let theme = window.display.theme
        label.paint(on: canvas, at: frame.origin, color: theme.panel.text)
        let (top, height) = (field.frame.minY - line, field.frame.height + 2 * line)
        let box = WindowRect(x: frame.minX, y: top, width: frame.width, height: height)
        canvas.fill(box, field.hasFocus ? theme.panel.accent : theme.panel.border)
    }

    func handlePointer(_ event: PointerEvent) {
        if case .press = event.kind { field.focus() }
    }

    // The view scales its font by itself.
    func displaySettingsDidChange() { label = makeLabel() }
}

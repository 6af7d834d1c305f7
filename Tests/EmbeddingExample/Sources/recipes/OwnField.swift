import Inkstone

/// A field that draws itself: input methods, selection, undo and key bindings come with it.
nonisolated final class OwnField: BasicResponder, EditableTextInput, WindowContent {
    let content = EditableText()
    var frame = WindowRect(x: 0, y: 0, width: 1, height: 1) { didSet { window.setNeedsDisplay() } }
    private unowned let window: WidgetWindow
    private lazy var label = makeLabel()
    private let interaction = TextInteraction(for: .editable)
    private var theme: Theme { window.display.theme }

    init(in window: WidgetWindow) {
        self.window = window
        super.init()
        interaction.textInput = self
        content.onChange = { [unowned self] in
            label.text = content.string
            window.setNeedsDisplay(frame)
        }
        window.add(self)
    }

    private func makeLabel() -> LineLabel {
        let display = window.display
        var label = LineLabel(font: .standard(scale: display.scale), settings: display.layoutFontSettings)
        label.text = content.string
        return label
    }
    func displaySettingsDidChange() { label = makeLabel() }

    var textInputViewOrigin: RootPoint {
        RootPoint(x: window.window.rootOrigin.x + frame.minX, y: window.window.rootOrigin.y + frame.minY)
    }
    private func box(_ x: Double, _ width: Double) -> ViewRect {
        ViewRect(x: theme.margin + x, y: theme.margin, width: width, height: label.size.height)
    }
    func caretRect(for position: TextPosition) -> ViewRect {
        box(label.caretX(at: content.offset(of: position)), theme.caretWidth)
    }
    func selectionRects(for range: TextRange) -> [TextSelectionRect] {
        let spans = label.spans(of: content.range(of: range)).map { box($0.lowerBound, $0.upperBound - $0.lowerBound) }
        return spans.enumerated().map {
            TextSelectionRect(rect: $1, containsStart: $0 == 0, containsEnd: $0 == spans.count - 1)
        }
    }
    func closestPosition(to point: ViewPoint) -> TextPosition? {
        content.store.position(at: label.offset(closestTo: point.x - theme.margin))
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        let theme = theme
        func fill(_ rect: ViewRect, _ color: Color) { canvas.fill(rect.converted(from: frame.origin), color) }
        canvas.fill(frame, theme.background)
        if window.firstResponder === self, let range = selectedTextRange {
            if range.isEmpty { fill(caretRect(for: range.end), theme.caret) }
            for part in selectionRects(for: range) { fill(part.rect, theme.selection) }
        }
        for part in markedTextRange.map(selectionRects) ?? [] {
            fill(ViewRect(x: part.rect.minX, y: part.rect.maxY, width: part.rect.width, height: 1), theme.text)
        }
        label.paint(on: canvas, at: box(0, 0).converted(from: frame.origin).origin, color: theme.text)
    }

    func cursor(at point: WindowPoint) -> Inkstone.Window.Cursor { .text }
    func compositionEnd(of event: PointerEvent) -> CompositionEnd { .byWindow }
    func handlePointer(_ event: PointerEvent) {
        if case .press = event.kind { window.makeFirstResponder(self) }
        interaction.handle(event, at: event.location.converted(to: ViewSpace.self, originAt: frame.origin))
    }
    override func focusDidChange(to isFocused: Bool) { window.setNeedsDisplay(frame) }
}

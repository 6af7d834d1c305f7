import Inkstone

/// The content that the keyboard's window shows.
struct KeyboardFace {
    var state: KeyboardState
    /// The suggested words in the bar above the keys.
    var words: [String] = []
    /// The message that the bar above the keys shows instead of suggested words; empty for none.
    var notice = ""
}

/// Paints the keyboard, and caches the labels of its keys.
final class KeyPainter {
    private let theme: Theme
    private let isDark: Bool
    private let scale: Double
    /// The view whose open fonts the labels share.
    private let view: EditorView
    private var labels: [Label: LineLabel] = [:]

    /// A text of a key in a font size, by which the laid-out label is cached.
    private struct Label: Hashable {
        var text: String
        var size: Double
    }

    init(_ display: Display, theme: Theme, isDark: Bool) {
        (self.theme, self.isDark, scale) = (theme, isDark, display.scale)
        view = EditorView(
            store: TextStore(), font: FontDescriptor(family: "sans", size: 13), settings: display.layoutFontSettings)
    }

    /// Paints the part of a keyboard in `damage`.
    ///
    /// - Parameter pressed: the index of the key that is held; nil for none.
    func paint(
        _ face: KeyboardFace, _ places: KeyPlaces, pressed: Int?, strip: AccentStrip?, on canvas: any Canvas,
        damage: WindowRect
    ) {
        canvas.setClip([damage])
        canvas.fill(damage, isDark ? theme.background : theme.panel.border)
        paintBar(face, places, on: canvas)
        for (index, key) in places.keys.enumerated() where places.frames[index].intersects(damage) {
            paint(key, face.state, in: places.face(of: index), isPressed: index == pressed, on: canvas)
        }
        if let strip { paint(strip, on: canvas) }
        canvas.setClip(nil)
    }

    private func paintBar(_ face: KeyboardFace, _ places: KeyPlaces, on canvas: any Canvas) {
        guard face.notice.isEmpty else {
            return write(face.notice, 13, theme.text, in: places.bar, on: canvas)
        }
        for (index, word) in face.words.enumerated() {
            let frame = places.word(index, of: face.words.count)
            write(word, 15, theme.text, in: frame, on: canvas)
            guard index > 0 else { continue }
            let inset = (frame.height / 4).rounded()
            canvas.fill(
                WindowRect(x: frame.minX, y: inset, width: max(1, scale.rounded()), height: frame.height - 2 * inset),
                theme.placeholder)
        }
    }

    private func paint(_ key: Key, _ state: KeyboardState, in frame: WindowRect, isPressed: Bool, on canvas: any Canvas)
    {
        let isText = state.text(of: key) != nil && key.plain != "\n"
        let isLocked = key.action == .shift && state.shift == .locked
        let isOn = isPressed || state.isOn(key) || key.action == .accent && state.hasAccent
        let (strong, weak) = (isDark ? theme.panel.border : theme.background, theme.inactiveSelection)
        fill(frame, isLocked ? theme.panel.accent : isOn ? theme.panel.highlight : isText ? strong : weak, on: canvas)
        let label = label(of: key, state)
        let color = isLocked ? theme.background : theme.text
        write(label, label.count > 1 && label.utf8.count == label.count ? 14 : 18, color, in: frame, on: canvas)
    }

    private func label(of key: Key, _ state: KeyboardState) -> String {
        switch key.action {
        case .shift: return state.shift == .locked ? "⇪" : "⇧"
        case .text, .accent: break
        default: return key.plain
        }
        let text = state.text(of: key) ?? ""
        if text == "\n" { return "⏎" }
        // Show a combining mark on a neutral base character.
        let isMark = text.unicodeScalars.first?.properties.generalCategory == .nonspacingMark
        return isMark ? "ـ" + text : text
    }

    private func paint(_ strip: AccentStrip, on canvas: any Canvas) {
        let line = max(1, scale.rounded())
        fill(strip.frame.insetBy(-2 * line), theme.panel.accent, on: canvas)
        fill(strip.frame, theme.panel.background, on: canvas)
        for (index, choice) in strip.choices.enumerated() {
            let cell = strip.cell(index)
            if index == strip.chosen { fill(cell, theme.panel.highlight, on: canvas) }
            write(choice, 18, theme.text, in: cell, on: canvas)
        }
    }

    /// Fills a rectangle with slightly rounded corners.
    private func fill(_ frame: WindowRect, _ color: Color, on canvas: any Canvas) {
        let (one, two) = (max(1, scale.rounded()), 2 * max(1, scale.rounded()))
        for (dx, dy) in [(two, 0.0), (one, one), (0, two)] {
            canvas.fill(
                WindowRect(
                    x: frame.minX + dx, y: frame.minY + dy, width: frame.width - 2 * dx, height: frame.height - 2 * dy),
                color)
        }
    }

    private func write(_ text: String, _ size: Double, _ color: Color, in frame: WindowRect, on canvas: any Canvas) {
        let name = Label(text: text, size: (size * scale).rounded())
        var label = labels[name] ?? LineLabel(font: FontDescriptor(family: "sans", size: name.size), sharing: view)
        if labels[name] == nil {
            label.text = text
            // Empty the cache before it grows without limit, because suggested words keep changing.
            if labels.count > 500 { labels = [:] }
            labels[name] = label
        }
        let extent = label.size
        label.paint(
            on: canvas,
            at: WindowPoint(
                x: (frame.minX + max(0, frame.width - extent.width) / 2).rounded(),
                y: (frame.minY + (frame.height - extent.height) / 2).rounded()),
            color: color)
    }
}

import Inkstone

/// A code pane: line numbers, and words that look different as long as one types.
@MainActor final class CodePane {
    let window: WidgetWindow
    let view: TextView
    private var observation: TextObservation?

    init(_ display: Display, words: [String]) throws {
        window = try WidgetWindow(display, size: Size(width: 480, height: 320))
        view = TextView(in: window)
        let ruler = LineNumberRuler(for: view)
        window.add(ruler)
        view.wrapsLines = false
        view.wordStyle = .code
        view.options.keepsIndentation = true
        window.onLayout = { [weak view] window in
            let size = window.size
            ruler.setFrame(WindowRect(x: 0, y: 0, width: ruler.width, height: size.height))
            view?.setFrame(WindowRect(x: ruler.width, y: 0, width: size.width - ruler.width, height: size.height))
        }
        ruler.onWidthChange = { [weak window] in window?.layOut() }
        observation = view.observe { [unowned self] in if $0.textChange != nil { color(words) } }
    }

    /// Decorations are no part of the text: they are not copied, not undone, and lay nothing out.
    private func color(_ words: [String]) {
        let text = view.text
        var ranges: [Range<UTF16Offset>] = []
        for word in words {
            for match in text.ranges(of: word) {
                let low = UTF16Offset(match.lowerBound.utf16Offset(in: text))
                ranges.append(low..<low + word.utf16.count)
            }
        }
        view.removeDecorations(in: .rendering)
        view.addDecorations(ranges, attributes: RenderingAttributes(foreground: view.theme.link), in: .rendering)
    }
}

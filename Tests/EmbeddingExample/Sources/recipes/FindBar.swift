import Inkstone

/// A text with a find bar below it, which opens by Ctrl+F: fields, options, matches, replacing (Ctrl+H), F3, Escape.
@MainActor func searchable(_ display: Display, _ text: String) throws -> (window: WidgetWindow, bar: FindBar) {
    let window = try WidgetWindow(display, size: Size(width: 560, height: 320))
    let view = TextView(in: window)
    view.text = text
    let bar = FindBar(for: view, in: window)
    // Closed, the bar needs no height. It asks for another layout when it opens, closes or gets a second row.
    window.onLayout = { [unowned bar] window in
        let (size, height) = (window.size, bar.height(in: window.size))
        view.setFrame(WindowRect(x: 0, y: 0, width: size.width, height: size.height - height))
        bar.setFrame(WindowRect(x: 0, y: size.height - height, width: size.width, height: height))
    }
    return (window, bar)
}

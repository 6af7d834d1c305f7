import Inkstone

/// Opens a window with a text that screen readers read and edit. What is returned is kept as long as the program runs.
func showNotes(on display: Display) throws(X11Error) -> Accessibility {
    let window = try WidgetWindow(display, size: Size(width: 640, height: 400))
    let view = TextView(in: window)
    view.accessibleName = "Notes"
    let accessibility = Accessibility(of: display, name: "My Program")
    accessibility.add(window, title: "Untitled")
    accessibility.start()
    window.onClose = { _ in display.stop() }
    window.show()
    return accessibility
}

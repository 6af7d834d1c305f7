import Inkstone

/// Fills a window of another program with a text view, until that window is gone.
func fill(_ host: WindowID, on display: Display) throws(X11Error) -> TextView {
    let window = try WidgetWindow(display, plugInto: host)
    let view = TextView(in: window)
    // The host's window is gone, and ours with it.
    window.onDestroy = { _ in display.stop() }
    // The host has let go of it, or has died and the server has kept ours.
    window.onUnplug = { _ in display.stop() }
    window.show()
    return view
}

import CX11
import InkstoneBase

/// Docks: windows at the lower edge of the screen that are used while another window has the focus. An on-screen
/// keyboard is a dock.
extension Window {
    /// Creates a dock at the lower edge of the screen, not yet shown. It never has the focus and receives no keys.
    /// Window managers keep it above other windows, and keep other windows off its area.
    ///
    /// Source: ICCCM §4.1.7, no input; EWMH, `_NET_WM_WINDOW_TYPE_DOCK`, `_NET_WM_STRUT_PARTIAL` and
    /// `_NET_WM_USER_TIME`.
    ///
    /// - Parameter frame: the frame of the dock, in root pixels.
    public convenience init(
        dock display: Display, frame: RootRect, properties: Properties = Properties()
    ) throws(X11Error) {
        try self.init(
            display, .dock, parent: WindowID(xid: XDefaultRootWindow(display.connection)),
            frame: WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: frame.height))
        var properties = properties
        properties.origin = frame.origin
        setProperties(properties)
        let type = display.intern("_NET_WM_WINDOW_TYPE_DOCK")
        change(display.atoms["_NET_WM_WINDOW_TYPE"], type: PredefinedAtom.atom, cardinals: [type])
        let states = ["_NET_WM_STATE_ABOVE", "_NET_WM_STATE_SKIP_TASKBAR", "_NET_WM_STATE_SKIP_PAGER"]
        change(
            display.intern("_NET_WM_STATE"), type: PredefinedAtom.atom, cardinals: states.map { display.intern($0) })
        reserveEdge(for: WindowRect(x: frame.minX, y: frame.minY, width: frame.width, height: frame.height))
    }

    /// Makes window managers keep other windows off the dock's area, which is given in root pixels.
    func reserveEdge(for frame: WindowRect) {
        func number(_ value: Double) -> UInt { UInt(max(0, Self.coordinate(value))) }
        let height = number(display.screenSize.height - frame.minY)
        let columns = [number(frame.minX), number(frame.maxX - 1)]
        // Twelve numbers: first the widths reserved at the left, right, top and bottom edge of the screen; then,
        // for each of these edges, the start and the end of the reserved part.
        change(
            display.intern("_NET_WM_STRUT_PARTIAL"),
            cardinals: [0, 0, 0, height, 0, 0, 0, 0, 0, 0] + columns)
        change(display.intern("_NET_WM_STRUT"), cardinals: [0, 0, 0, height])
    }
}

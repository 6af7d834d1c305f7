// The header documents the functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CInkstone
import Inkstone

private func create(
    _ display: OpaquePointer, title: String = "", _ make: (Display) throws(X11Error) -> WidgetWindow
) -> OpaquePointer? {
    let owner = DisplayHandle.object(display)
    return LastError.catching { () throws(X11Error) in try make(owner.display) }
        .map { WindowHandle($0, title: title, in: owner).retained() }
}

/// Returns whether a window can have this size; if not, sets the last error.
private func isExtent(_ width: Int32, _ height: Int32) -> Bool {
    let possible: ClosedRange<Int32> = 1...32_767
    if possible.contains(width), possible.contains(height) { return true }
    LastError.set("A window has from 1 to 32767 pixels each way: \(width) × \(height) are not possible.")
    return false
}

@c @implementation
public func ink_window_create(
    _ display: OpaquePointer, _ width: Int32, _ height: Int32, _ title: UnsafePointer<CChar>?
) -> OpaquePointer? {
    guard isExtent(width, height) else { return nil }
    let title = string(title)
    return create(display, title: title) { (display) throws(X11Error) in
        try WidgetWindow(
            display, size: Size(width: Double(width), height: Double(height)),
            properties: Window.Properties(title: title))
    }
}

@c @implementation
public func ink_window_create_child(
    _ display: OpaquePointer, _ parent: UInt32, _ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32
) -> OpaquePointer? {
    guard isExtent(width, height) else { return nil }
    return create(display) { (display) throws(X11Error) in
        try WidgetWindow(display, parent: WindowID(rawValue: parent), frame: rect(x, y, width, height))
    }
}

@c @implementation
public func ink_window_create_plug(_ display: OpaquePointer, _ host: UInt32) -> OpaquePointer? {
    create(display) { (display) throws(X11Error) in
        try WidgetWindow(display, plugInto: host == 0 ? nil : WindowID(rawValue: host))
    }
}

@c @implementation
public func ink_window_destroy(_ window: OpaquePointer?) {
    if let window { WindowHandle.object(window).destroy() }
}

@c @implementation
public func ink_window_xid(_ window: OpaquePointer) -> UInt32 { WindowHandle.object(window).window.window.id.rawValue }

@c @implementation
public func ink_window_show(_ window: OpaquePointer) { WindowHandle.object(window).window.show() }

@c @implementation
public func ink_window_hide(_ window: OpaquePointer) { WindowHandle.object(window).window.window.hide() }

@c @implementation
public func ink_window_set_title(_ window: OpaquePointer, _ title: UnsafePointer<CChar>?) {
    WindowHandle.object(window).title = string(title)
}

@c @implementation
public func ink_window_set_frame(_ window: OpaquePointer, _ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32) {
    let window = WindowHandle.object(window).window.window
    let frame = rect(x, y, width, height)
    if window.isChild { window.setFrame(frame) } else { window.resize(to: frame.size) }
}

@c @implementation
public func ink_window_set_handler(
    _ window: OpaquePointer, _ handler: ink_window_handler?, _ context: UnsafeMutableRawPointer?
) {
    WindowHandle.object(window).handler = handler.map { ($0, context) }
}

@c @implementation
public func ink_window_get_size(
    _ window: OpaquePointer, _ width: UnsafeMutablePointer<Int32>?, _ height: UnsafeMutablePointer<Int32>?
) {
    let size = WindowHandle.object(window).window.window.size
    width?.pointee = Int32(size.width)
    height?.pointee = Int32(size.height)
}

@c @implementation
public func ink_window_get_accessible_id(
    _ window: OpaquePointer, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
    let reference = WindowHandle.object(window).window.accessibleReference
    // The result may be cut at any byte, because names and paths of D-Bus are ASCII.
    let id = Array((reference.map { "\($0.busName):\($0.path)" } ?? "").utf8)
    guard let buffer, capacity > 0 else { return id.count }
    let fitting = min(id.count, capacity - 1)
    UnsafeMutableRawPointer(buffer).copyMemory(from: id, byteCount: fitting)
    buffer[fitting] = 0
    return id.count
}

@c @implementation
public func ink_window_set_accessible_parent(
    _ window: OpaquePointer, _ busName: UnsafePointer<CChar>?, _ path: UnsafePointer<CChar>?
) -> Bool {
    let window = WindowHandle.object(window).window
    guard let busName, let path else {
        window.accessibleParent = nil
        return true
    }
    guard let parent = AccessibleReference(busName: String(cString: busName), path: String(cString: path)) else {
        LastError.set("The parent is no name of a connection with the path of an object.")
        return false
    }
    guard window.accessibleReference?.busName != parent.busName else {
        LastError.set("The parent is an object of this program, not of a host.")
        return false
    }
    window.accessibleParent = parent
    return true
}

/// Creates a rectangle in window pixels from integers of C; width and height are at least 1.
func rect(_ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32) -> WindowRect {
    WindowRect(x: Double(x), y: Double(y), width: Double(max(1, width)), height: Double(max(1, height)))
}

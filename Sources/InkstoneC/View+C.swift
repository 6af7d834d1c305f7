// The header documents the functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CInkstone
import Inkstone

@c @implementation
public func ink_view_options_init(_ options: UnsafeMutablePointer<ink_view_options>, _ size: Int) {
    var defaults = ink_view_options()
    defaults.size = size
    (defaults.is_editable, defaults.wraps_lines, defaults.maximum_length, defaults.font_size) = (true, true, -1, 13)
    withUnsafeBytes(of: defaults) {
        let count = min(size, $0.count)
        UnsafeMutableRawBufferPointer(start: options, count: count).copyBytes(from: $0.prefix(count))
    }
}

@c @implementation
public func ink_view_create(_ window: OpaquePointer, _ options: UnsafePointer<ink_view_options>?) -> OpaquePointer? {
    let owner = WindowHandle.object(window)
    let checked = options.map(CheckedOptions.init)
    if case .some(nil) = checked { return nil }
    guard !owner.window.window.isClosed else {
        LastError.set("The window is gone.")
        return nil
    }
    let handle = ViewHandle(in: owner)
    let pointer = handle.retained()
    // Fail if the window's handler, which was notified of the view, has destroyed the window.
    guard !owner.isDestroyed else {
        handle.destroy()
        LastError.set("The window is gone.")
        return nil
    }
    if case .some(let options?) = checked { options.apply(to: handle.view) }
    if owner.views.count == 1 { handle.view.setFrame(owner.window.window.bounds) }
    return pointer
}

@c @implementation
public func ink_view_destroy(_ view: OpaquePointer?) {
    if let view { ViewHandle.object(view).destroy() }
}

@c @implementation
public func ink_view_set_options(_ view: OpaquePointer, _ options: UnsafePointer<ink_view_options>?) -> Bool {
    let view = ViewHandle.object(view).view
    guard let options else {
        LastError.set("The options are NULL.")
        return false
    }
    guard let options = CheckedOptions(options) else { return false }
    options.apply(to: view)
    return true
}

@c @implementation
public func ink_view_set_frame(_ view: OpaquePointer, _ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32) {
    let handle = ViewHandle.object(view)
    handle.isPlaced = true
    handle.view.setFrame(rect(x, y, width, height))
}

@c @implementation
public func ink_view_focus(_ view: OpaquePointer) -> Bool {
    if ViewHandle.object(view).view.focus() { return true }
    LastError.set("The view does not get the keys: who has them keeps them.")
    return false
}

@c @implementation
public func ink_view_is_focused(_ view: OpaquePointer) -> Bool { ViewHandle.object(view).view.hasFocus }

@c @implementation
public func ink_view_set_accessible_name(_ view: OpaquePointer, _ name: UnsafePointer<CChar>?) {
    ViewHandle.object(view).view.accessibleName = string(name)
}

@c @implementation
public func ink_view_length(_ view: OpaquePointer) -> Int { ViewHandle.object(view).view.store.text.metrics.bytes }

@c @implementation
public func ink_view_get_text(
    _ view: OpaquePointer, _ start: Int, _ end: Int, _ buffer: UnsafeMutablePointer<CChar>?, _ capacity: Int
) -> Int {
    let handle = ViewHandle.object(view)
    let text = handle.view.store.text
    let range = text.byteRange(of: handle.range(start, end))
    let count = range.upperBound.value - range.lowerBound.value
    guard let buffer, capacity > 0 else { return count }
    let fitting = ByteOffset(range.lowerBound.value + min(count, capacity - 1))
    let bytes = text.bytes(in: range.lowerBound..<max(range.lowerBound, text.roundedDown(toScalar: fitting)))
    UnsafeMutableRawPointer(buffer).copyMemory(from: bytes, byteCount: bytes.count)
    buffer[bytes.count] = 0
    return count
}

@c @implementation
public func ink_view_replace(
    _ view: OpaquePointer, _ start: Int, _ end: Int, _ text: UnsafePointer<CChar>?, _ length: Int
) -> Bool {
    let handle = ViewHandle.object(view)
    guard let text = string(text, length) else { return false }
    handle.view.session.replaceText(in: handle.range(start, end), with: text)
    return true
}

@c @implementation
public func ink_view_insert(_ view: OpaquePointer, _ text: UnsafePointer<CChar>?, _ length: Int) -> Bool {
    let view = ViewHandle.object(view).view
    guard let text = string(text, length) else { return false }
    let (version, waits) = (view.store.version, view.session.awaitsText)
    view.insertText(text)
    if text.isEmpty || waits || view.store.version != version { return true }
    LastError.set(view.isEditable ? "There is no room for the text." : "The view is read-only.")
    return false
}

@c @implementation
public func ink_view_get_selection(
    _ view: OpaquePointer, _ anchor: UnsafeMutablePointer<Int>?, _ head: UnsafeMutablePointer<Int>?
) -> Bool {
    let view = ViewHandle.object(view).view
    guard let selection = view.selection else { return false }
    anchor?.pointee = view.store.text.byteOffset(at: selection.anchor).value
    head?.pointee = view.store.text.byteOffset(at: selection.head).value
    return true
}

@c @implementation
public func ink_view_select(_ view: OpaquePointer, _ anchor: Int, _ head: Int) {
    let handle = ViewHandle.object(view)
    handle.view.select(Selection(anchor: handle.offset(anchor), head: handle.offset(head)))
}

@c @implementation
public func ink_view_set_attribute(
    _ view: OpaquePointer, _ start: Int, _ end: Int, _ name: UnsafePointer<CChar>?, _ value: UnsafePointer<CChar>?
) -> Bool {
    let handle = ViewHandle.object(view)
    let (name, value) = (string(name), value.map { String(cString: $0) })
    guard let change = AttributeWords.change(name, value, in: handle.range(start, end)) else {
        LastError.set("There is no attribute “\(name)” with the value “\(value ?? "NULL")”.")
        return false
    }
    handle.view.store.restyle(change)
    return true
}

@c @implementation
public func ink_view_perform(_ view: OpaquePointer, _ command: UnsafePointer<CChar>?) -> Bool {
    let (view, name) = (ViewHandle.object(view).view, string(command))
    if view.perform(EditCommand(name)) { return true }
    LastError.set("Nobody performs “\(name)” now.")
    return false
}

@c @implementation
public func ink_view_get_caret(
    _ view: OpaquePointer, _ x: UnsafeMutablePointer<Int32>?, _ y: UnsafeMutablePointer<Int32>?,
    _ width: UnsafeMutablePointer<Int32>?, _ height: UnsafeMutablePointer<Int32>?
) -> Bool {
    let view = ViewHandle.object(view).view
    guard let end = view.selectedTextRange?.end else { return false }
    let caret: WindowRect = view.caretRect(for: end).converted(from: view.frame.origin)
    x?.pointee = Int32(clamping: Int(caret.minX))
    y?.pointee = Int32(clamping: Int(caret.minY))
    width?.pointee = Int32(clamping: Int(caret.width))
    height?.pointee = Int32(clamping: Int(caret.height))
    return true
}

@c @implementation
public func ink_view_set_change_handler(
    _ view: OpaquePointer, _ handler: ink_change_handler?, _ context: UnsafeMutableRawPointer?
) {
    ViewHandle.object(view).setChangeHandler(handler.map { ($0, context) })
}

@c @implementation
public func ink_view_set_command_handler(
    _ view: OpaquePointer, _ handler: ink_command_handler?, _ context: UnsafeMutableRawPointer?
) {
    ViewHandle.object(view).commandHandler = handler.map { ($0, context) }
}

/// Creates a string from bytes of C; with the length SIZE_MAX the bytes end with a zero. Invalid UTF-8 is replaced
/// by U+FFFD. Nil, with the last error set, for NULL with a length, or an invalid length.
private func string(_ text: UnsafePointer<CChar>?, _ length: Int) -> String? {
    guard let text else {
        guard length == 0 else {
            LastError.set("The text is NULL.")
            return nil
        }
        return ""
    }
    // C's SIZE_MAX, which is -1 as a signed number, means that the text ends with a zero byte.
    if length == -1 { return String(cString: text) }
    guard length >= 0 else {
        LastError.set("No text has \(UInt(bitPattern: length)) bytes.")
        return nil
    }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
}

/// Creates a string from a C string; NULL gives an empty one.
func string(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }

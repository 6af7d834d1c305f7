// The header documents the functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CInkstone
import Glibc
import Inkstone

/// The last error of a thread, for the C function `ink_error`.
enum LastError {
    /// The key of the thread-specific storage for the message.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { free($0) }
        return key
    }()

    static var message: UnsafePointer<CChar>? {
        pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
    }

    static func set(_ error: some CustomStringConvertible) {
        free(pthread_getspecific(key))
        pthread_setspecific(key, strdup(error.description))
    }

    /// Returns the result of some work. If the work throws, sets the last error and returns nil.
    static func catching<Result>(_ work: () throws(X11Error) -> Result) -> Result? {
        do { return try work() } catch {
            set(error)
            return nil
        }
    }
}

extension StaticString {
    /// The text as a C string: literals end with a zero byte.
    fileprivate var cString: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}

@c @implementation
public func ink_version() -> UnsafePointer<CChar> { ("0.1.0" as StaticString).cString }

@c @implementation
public func ink_error() -> UnsafePointer<CChar> { LastError.message ?? ("" as StaticString).cString }

@c @implementation
public func ink_prepare_locale() -> Bool { CharacterLocale.prepare().isUsable }

@c @implementation
public func ink_display_open(_ name: UnsafePointer<CChar>?) -> OpaquePointer? {
    LastError.catching { () throws(X11Error) in try Display(name: name.map { String(cString: $0) }) }.map(handle)
}

@c @implementation
public func ink_display_adopt(_ connection: UnsafeMutableRawPointer?) -> OpaquePointer? {
    guard let connection else {
        LastError.set("There is no connection: XOpenDisplay has failed.")
        return nil
    }
    return LastError.catching { () throws(X11Error) in try Display(adopting: OpaquePointer(connection)) }.map(handle)
}

private func handle(_ display: Display) -> OpaquePointer {
    let handle = DisplayHandle(display)
    display.onLost = { [weak handle] in
        handle?.isLost = true
        handle?.display.stop()
    }
    return handle.retained()
}

@c @implementation
public func ink_display_close(_ display: OpaquePointer?) {
    if let display { DisplayHandle.object(display).close() }
}

@c @implementation
public func ink_display_run(_ display: OpaquePointer) -> Bool {
    let handle = DisplayHandle.object(display)
    guard !handle.display.isAdopted else {
        LastError.set("The program reads the events of its own connection: ink_display_run is for the library's.")
        return false
    }
    handle.display.run()
    if handle.isLost { LastError.set(X11Error.connectionLost(display: handle.display.name)) }
    return !handle.isLost
}

@c @implementation
public func ink_display_stop(_ display: OpaquePointer) { DisplayHandle.object(display).display.stop() }

@c @implementation
public func ink_display_descriptor(_ display: OpaquePointer) -> Int32 {
    DisplayHandle.object(display).display.fileDescriptor
}

@c @implementation
public func ink_display_process(_ display: OpaquePointer) { DisplayHandle.object(display).display.processEvents() }

@c @implementation
public func ink_display_deadline(_ display: OpaquePointer) -> Int64 {
    DisplayHandle.object(display).display.nextDeadline ?? -1
}

@c @implementation
public func ink_display_handle_event(_ display: OpaquePointer, _ event: UnsafeRawPointer?) -> Bool {
    let display = DisplayHandle.object(display).display
    return event.map { display.handle(event: $0) } ?? false
}

@c @implementation
public func ink_display_post(
    _ display: OpaquePointer, _ work: ink_work?, _ context: UnsafeMutableRawPointer?
) {
    // May be called on any thread: `poster` is the only part of a display that threads other than the display's may
    // use.
    let poster = DisplayHandle.onAnyThread(display).display.poster
    guard let work else { return }
    nonisolated(unsafe) let context = context
    poster.post { work(context) }
}

@c @implementation
public func ink_display_start_accessibility(_ display: OpaquePointer, _ program: UnsafePointer<CChar>?) {
    DisplayHandle.object(display).startAccessibility(named: string(program))
}

import Glibc
import Inkstone

/// The host's connection and Inkstone's, both in the host's `poll`.
@MainActor func hostWithPoll() throws {
    let host = HostWindow()
    let display = try Display()
    let frame = WindowRect(x: 12, y: 40, width: 456, height: 268)
    let view = try TextView(display, parent: WindowID(xid: host.window), frame: frame)
    let observation = view.observe { if $0.textChange != nil { Task { report(view) } } }
    defer { observation.cancel() }
    while host.isOpen, !display.isLost {
        host.handleEvents()
        display.processEvents()
        var descriptors = [host.descriptor, display.fileDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&descriptors, 2, -1)
    }
    view.close()
}

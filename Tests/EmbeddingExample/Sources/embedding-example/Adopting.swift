import CHostX11
import Glibc
import Inkstone

/// One connection, the host's: it reads the events and hands over those that it does not know.
@MainActor func hostWithAdoptedConnection() throws {
    let host = HostWindow()
    let display = try Display(adopting: host.connection)
    let frame = WindowRect(x: 12, y: 40, width: 456, height: 268)
    let view = try TextView(display, parent: WindowID(xid: host.window), frame: frame)
    let observation = view.observe { if $0.textChange != nil { Task { report(view) } } }
    defer { observation.cancel() }
    while host.isOpen {
        host.handleEvents { display.handle(event: &$0) }
        display.processEvents()
        // Xlib may have read events already, of which the descriptor says nothing.
        guard XPending(host.connection) == 0 else { continue }
        var descriptors = [host.descriptor, display.fileDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&descriptors, 2, -1)
    }
    view.close()
}

import CHostX11
import Glibc
import Inkstone

// Three ways to host the loop, chosen by the first argument:
//   poll      the host polls its own connection and Inkstone's descriptor (the default)
//   adopted   Inkstone uses the host's connection, whose events the host reads and passes on
//   run       Inkstone's own loop
// Each prints the text, as one line, whenever it has changed: by the main actor, which goes on in each of them.

/// Says what the text is now.
@MainActor func report(_ view: TextView) {
    print("text: \(view.text.debugDescription)")
    fflush(nil)
}

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
        guard XPending(host.connection) == 0 else { continue }
        var descriptors = [host.descriptor, display.fileDescriptor].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&descriptors, 2, -1)
    }
    view.close()
}

/// Inkstone's window and loop.
@MainActor func hostWithRun() throws {
    let display = try Display()
    let window = try WidgetWindow(
        display, size: Size(width: 480, height: 320), properties: Window.Properties(title: "Host"))
    let view = TextView(in: window)
    let observation = view.observe { if $0.textChange != nil { Task { report(view) } } }
    defer { observation.cancel() }
    window.onClose = { _ in display.stop() }
    window.show()
    display.run()
}

CharacterLocale.prepare()
switch CommandLine.arguments.dropFirst().first ?? "poll" {
case "adopted": try hostWithAdoptedConnection()
case "run": try hostWithRun()
default: try hostWithPoll()
}

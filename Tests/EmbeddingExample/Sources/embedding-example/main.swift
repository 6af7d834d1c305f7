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

import Glibc
import Inkstone

// What the page Recipes shows, one of it by its name: form, button, chat, code, field, find or search. Each prints what its user does.

/// Prints a line at once.
@MainActor func say(_ words: String) {
    // Not `fflush(nil)`, which would wait for the thread that reads standard input.
    var line = words + "\n"
    line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

CharacterLocale.prepare()
let display = try Display()
let window: WidgetWindow
/// What a recipe makes beside its window.
var kept: [AnyObject] = []
switch CommandLine.arguments.dropFirst().first ?? "form" {
case "button":
    window = try WidgetWindow(display, size: Size(width: 160, height: 56))
    let button = Button("Send", in: window) { say("pressed") }
    button.frame = WindowRect(x: 12, y: 12, width: 136, height: 32)
    window.makeFirstResponder(button)
case "chat":
    let chat = try Chat(display, open: { say("open \($0)") }, send: { say("send \($0)") })
    chat.receive("see here", link: "https://example.org/", from: "Aoi")
    let reader = Reader(chat.log)
    reader.readStandardInput()
    Task { say("\(await reader.countWords()) words") }
    Task.detached { await reader.write("from another thread") }
    (kept, window) = ([chat, reader], chat.window)
case "code":
    let pane = try CodePane(display, words: ["let", "func"])
    pane.view.text = "let one = 1\nfunc two() {}\n"
    (kept, window) = ([pane], pane.window)
case "field":
    window = try WidgetWindow(display, size: Size(width: 320, height: 60))
    let field = OwnField(in: window)
    field.onSubmit = { [unowned field] in say("field \(field.content.string)") }
    field.frame = WindowRect(x: 12, y: 12, width: 296, height: 36)
    window.makeFirstResponder(field)
case "find":
    let made = try searchable(display, "one two three\ntwo\n")
    made.bar.open()
    window = made.window
case "search":
    window = try WidgetWindow(display, size: Size(width: 420, height: 320))
    let view = TextView(in: window)
    view.text = "one two three\ntwo\n"
    let search = SearchField(for: view, in: window) { say("\($0)") }
    window.onLayout = { window in
        let (size, height) = (window.size, search.field.preferredHeight)
        view.setFrame(WindowRect(x: 0, y: 0, width: size.width, height: size.height - height))
        search.field.setFrame(WindowRect(x: 0, y: size.height - height, width: size.width, height: height))
    }
    search.field.focus()
    kept = [search]
default:
    window = try form(display) { say("sign in \($0) with \($1.count) characters") }
}
window.onClose = { _ in display.stop() }
window.show()
display.run()

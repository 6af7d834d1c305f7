import Inkstone

/// A program with an asynchronous `main`: it opens and runs the display before the first `await`, on the main thread.
@main @MainActor struct App {
    static func main() async throws {
        // Shows the fault: with an `await` here, "begun" is never appended.
        if CommandLine.arguments.contains("late") { await Task {}.value }
        CharacterLocale.prepare()
        let display = Display.openOrExit()
        let window = try WidgetWindow(display, size: Size(width: 640, height: 400), properties: .init(title: "Notes"))
        let view = TextView(in: window)
        Task { view.append("begun") }
        let observation = view.observe { if $0.textChange != nil { print(view.text) } }
        window.onClose = { _ in display.stop() }
        window.show()
        display.run()
        observation.cancel()
    }
}

import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

/// What moves the composition on the screen while its candidates are shown, without any key.
extension DisplayTests.JourneyCandidates {
    /// fcitx5 moves its window as soon as it is told, so that no key has to help. One editor for all causes.
    @Test func candidatesFollowScrollingAndTheFont() throws {
        let method = RealInputMethod(.fcitx5, .anthy)
        let (session, _) = try method.borrow()
        defer {
            // Its resources are not what a session takes back by itself.
            DisplayScene.setResources("Xft.dpi: 96\n", display: session.server.display)
            session.giveBack()
        }
        let lines = (0..<60).map { "line \($0)" }
        let text = (lines + ["here:"] + lines).joined(separator: "\n")
        let editor = try EditorProcess(
            in: session, text: text, geometry: "640x400+100+80", options: ["--goto", "61:6"])
        try editor.waitForInputMethod(method)
        let window = editor.currentWindow
        session.probe.movePointer(x: window.x + 300, y: window.y + 30)
        var lineHeight = try compose(method, session, editor)
        try checkPlace(method, session, editor, lineHeight: lineHeight, "before anything moves")

        /// Does something and waits until the composition is elsewhere and the candidates at it.
        func check(_ what: String, _ cause: () -> Void) throws {
            let before = try #require(editor.composedPlace(lineHeight: lineHeight))
            cause()
            try waitUntil("\(what) to move the composition", watching: [session.probe.descriptor]) {
                session.probe.drainEvents()
                guard let now = editor.composedPlace(lineHeight: lineHeight) else { return false }
                return now.top != before.top
            }
            if let now = editor.composedPlace(lineHeight: .max) { lineHeight = now.height }
            try checkPlace(method, session, editor, lineHeight: lineHeight, what)
        }
        func wheel(_ button: UInt8) {
            session.probe.button(button, down: true)
            session.probe.button(button, down: false)
        }
        // The caret was brought to rest a third down: there is room above and below.
        try check("scrolling down") { wheel(5) }
        try check("scrolling back") { wheel(4) }
        try check("scrolling on") { for _ in 0..<2 { wheel(4) } }
        try check("a larger font") {
            DisplayScene.setResources("Xft.dpi: 144\n", display: session.server.display)
        }
        // A candidate that is taken would be the first one for whoever comes next in this session.
        try editor.cancelComposition()
    }
}

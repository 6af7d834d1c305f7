import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

/// Causes that move the composition on the screen, without a key, while its candidates are shown.
extension DisplayTests.JourneyCandidates {
    /// fcitx5 moves its window as soon as it receives the spot, without a key. One editor tests all causes.
    @Test func candidatesFollowScrollingAndTheFont() throws {
        let method = RealInputMethod(.fcitx5, .anthy)
        let (session, _) = try method.borrow()
        defer {
            // Returning the session does not restore the resource database.
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

        /// Performs an action, and waits until the composition has moved and the candidates are beside it again.
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
        // The caret is a third down the viewport, so there is room for scrolling in both directions.
        try check("scrolling down") { wheel(5) }
        try check("scrolling back") { wheel(4) }
        try check("scrolling on") { for _ in 0..<2 { wheel(4) } }
        try check("a larger font") {
            DisplayScene.setResources("Xft.dpi: 144\n", display: session.server.display)
        }
        // Cancel: a chosen candidate would be learned, and come first for the next test in this session.
        try editor.cancelComposition()
    }
}

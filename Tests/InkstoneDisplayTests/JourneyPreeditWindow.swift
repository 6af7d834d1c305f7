import DisplayTestSupport
import Glibc
import InkstoneTesting
import Testing

extension DisplayTests {
    /// An input method that draws the preedit in its own window (fcitx5's default) places this window at the caret.
    @Suite struct JourneyPreeditWindow {
        @Test func theServersWindowStartsAtTheCaretBelowItsLine() throws {
            let method = RealInputMethod(.fcitx5, .anthy, onTheSpot: false)
            let (session, _) = try method.borrow()
            defer { session.giveBack() }
            let text = (0..<12).map { String(repeating: "word ", count: $0 % 7) }.joined(separator: "\n")
            var distances: Set<Int> = []
            for (round, scale) in ["1", "1.5"].enumerated() {
                session.environment["INKSTONE_SCALE"] = scale
                let editor = try EditorProcess(
                    in: session, text: text, named: "scale\(round).txt",
                    geometry: "640x400+\(60 + 170 * round)+\(40 + 60 * round)",
                    options: ["--goto", "3:4"])
                try editor.waitForInputMethod(method)
                for _ in 0..<2 {
                    let caret = try editor.waitForCaret()
                    session.probe.type("n")
                    // The caret is painted across the boundary between two letters. The key is sent before the spot
                    // that a caret move changes, so the window may first appear at the old position.
                    let spot = caret.left + caret.width / 2
                    let window = try session.probe.waitForWindow(
                        "\(method)'s composition below \(caret), scale \(scale)"
                    ) {
                        method.ownsCandidateWindow($0) && $0.x == spot && $0.y >= caret.bottom
                    }
                    // fcitx5 leaves a constant gap between the spot and its window.
                    distances.insert(window.y - caret.bottom)
                    session.probe.strike(.escape)
                    try waitUntil("the window to go", watching: [session.probe.descriptor]) {
                        session.probe.drainEvents()
                        return session.probe.info(window.id)?.isViewable != true
                    }
                    session.probe.strike(.down)
                    session.probe.strike(.down)
                    session.probe.strike(.right)
                    try waitUntil("the caret to move", watching: [session.probe.descriptor]) {
                        session.probe.drainEvents()
                        return editor.caret().map { $0.top > caret.top && $0.left != caret.left } ?? false
                    }
                }
                #expect(editor.calls("setMarkedText").isEmpty, "the server draws it")
                editor.end()
            }
            #expect(distances.count == 1, "\(distances)")
            #expect((0...12).contains(distances.first ?? -1), "\(distances)")
        }
    }
}

import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// When estimated heights become exact during a composition, neither the visible text nor the spot moves.
    @Suite struct InputMethodEstimateTests {
        @Test func theSpotIsRightWhileEstimatesAreMadeExact() throws {
            // Paragraphs wrap to very different heights, so the estimates are far off.
            let paragraphs = (0..<900).map { String(repeating: "some words ", count: 1 + $0 % 37) }
            let half = paragraphs.count / 2
            let scene = try InputMethodScene(
                CaretNotation(
                    paragraphs[..<half].joined(separator: "\n") + "\nhere: |\n"
                        + paragraphs[half...].joined(separator: "\n")),
                options: ["--mode", "kana-like"])
            defer { scene.end() }
            let editor = scene.view
            // Scroll the line to the middle of the view, so that a move in either direction would be visible.
            editor.scroll(by: 100)
            scene.type("a")
            try scene.pump("the composition") { editor.markedText != nil }
            try scene.pump("the spot") { scene.spotsSent.last == scene.spot }
            let before = scene.spot
            #expect((20..<220).contains(before[1]))

            // A new width makes all heights estimates again, including those above the viewport.
            scene.probe.resize(scene.window.window.id.rawValue, width: 290, height: 240)
            try scene.pump("the new width") { editor.frame.width == 290 }
            #expect(editor.presenter.hasEstimatedHeights)
            let total = editor.layout.usageHeight
            // The event loop refines heights while it is idle.
            try scene.pump("exact heights", within: 20_000) { !editor.presenter.hasEstimatedHeights }
            #expect(abs(editor.layout.usageHeight - total) > 1000, "the estimates were wrong: \(total)")
            try scene.pump("the spot where the composition is") { scene.spotsSent.last == scene.spot }
            #expect((1..<240).contains(scene.spot[1]))
            // The spot is below the marked text's line, after its only letter.
            let marked = try #require(editor.markedTextRange)
            let line = editor.firstRect(for: marked)
            #expect(scene.spot == [Int(line.maxX), Int(line.maxY)])
            // After the next key, the server receives the correct spot too.
            scene.type("b")
            try scene.pump("two letters") { editor.markedText?.range.count == 2 }
            try scene.pump("the spot behind them") { scene.spotsSent.last == scene.spot }
        }
    }
}

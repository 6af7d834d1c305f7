import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneTesting
import InkstoneView
import Testing

extension DisplayTests {
    /// Heights that are only estimated become exact while the user composes: what is seen stays, and so does the spot.
    @Suite struct InputMethodEstimateTests {
        @Test func theSpotIsRightWhileEstimatesAreMadeExact() throws {
            // Paragraphs that wrap to very different heights, so that estimates are wrong by much.
            let paragraphs = (0..<900).map { String(repeating: "some words ", count: 1 + $0 % 37) }
            let half = paragraphs.count / 2
            let scene = try InputMethodScene(
                CaretNotation(
                    paragraphs[..<half].joined(separator: "\n") + "\nhere: |\n"
                        + paragraphs[half...].joined(separator: "\n")),
                options: ["--mode", "kana-like"])
            defer { scene.end() }
            let editor = scene.view
            // Brought to the view's middle, so that a move either way would be seen.
            editor.scroll(by: 100)
            scene.type("a")
            try scene.pump("the composition") { editor.markedText != nil }
            try scene.pump("the spot") { scene.spotsTold.last == scene.spot }
            let before = scene.spot
            #expect((20..<220).contains(before[1]))

            // Another width: all heights are estimates again, those above the view too.
            scene.probe.resize(scene.window.window.id.rawValue, width: 290, height: 240)
            try scene.pump("the new width") { editor.frame.width == 290 }
            #expect(editor.presenter.hasEstimatedHeights)
            let total = editor.layout.usageHeight
            // The loop does it when nothing else is to be done.
            try scene.pump("exact heights", within: 20_000) { !editor.presenter.hasEstimatedHeights }
            #expect(abs(editor.layout.usageHeight - total) > 1000, "the estimates were wrong: \(total)")
            try scene.pump("the spot where the composition is") { scene.spotsTold.last == scene.spot }
            #expect((1..<240).contains(scene.spot[1]))
            // Below the line of the marked text, behind its only letter.
            let marked = try #require(editor.markedTextRange)
            let line = editor.firstRect(for: marked)
            #expect(scene.spot == [Int(line.maxX), Int(line.maxY)])
            // And the server is told of the place after the next key as well.
            scene.type("b")
            try scene.pump("two letters") { editor.markedText?.range.count == 2 }
            try scene.pump("the spot behind them") { scene.spotsTold.last == scene.spot }
        }
    }
}

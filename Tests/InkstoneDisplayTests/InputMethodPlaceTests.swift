import DisplayTestSupport
import Inkstone
import InkstoneBase
import InkstoneInput
import InkstoneTesting
import InkstoneView
import InkstoneX11
import Testing

extension DisplayTests {
    /// The server's windows belong at the caret or the clause: where the view has it, whatever has moved it.
    @Suite struct InputMethodPlaceTests {
        /// What moves the composition on the screen, without any key.
        enum Cause: String, CaseIterable, Sendable {
            case windowMoved, windowResized, scrolled, editedAbove, fontChanged, wrappingChanged, viewMoved
        }

        @Test("XIM 37, 57 the spot follows each move, and no stale one is told", arguments: Cause.allCases)
        func theSpotFollows(_ cause: Cause) throws {
            let head = "a paragraph that does not fit into a narrow window\n\n"
            let scene = try InputMethodScene(
                CaretNotation(head + "some words before it <|>" + String(repeating: "\nline", count: 40)),
                options: ["--mode", "kana-like"])
            defer { scene.end() }
            scene.type("ab")
            try scene.wait("the composition") { scene.view.editor.markedText?.range.count == 2 }
            scene.type(" ")
            try scene.wait("the clause") { scene.view.text.contains("<日本>") }
            try scene.wait("the spot of the clause") { scene.spotsTold.last == scene.spot }
            try scene.settle()
            let before = scene.spot
            let count = scene.spotsTold.count
            let editor = scene.view.editor
            let id = scene.window.window.id.rawValue
            switch cause {
            case .windowMoved: scene.probe.move(id, x: 137, y: 71)
            case .windowResized: scene.probe.resize(id, width: 170, height: 240)
            case .scrolled: editor.scroll(by: 11, dx: 0)
            case .editedAbove: editor.replaceText(in: 0..<0, with: "another\n")
            case .fontChanged: editor.layout.font = FontDescriptor(family: "DejaVu Sans Mono", size: 22)
            case .wrappingChanged: editor.wrapsLines = false
            case .viewMoved: editor.setFrame(WindowRect(x: 30, y: 40, width: 300, height: 150))
            }
            if cause == .fontChanged { editor.setFrame(WindowRect(x: 0, y: 0, width: 399, height: 240)) }
            try scene.wait("the new spot") {
                scene.spotsTold.count > count && scene.spotsTold.last == scene.spot
            }
            try scene.settle()
            #expect((scene.spot == before) == (cause == .windowMoved))
            // Only where the composition is now, once.
            #expect(Array(scene.spotsTold.dropFirst(count)) == [scene.spot])
            #expect(scene.spot.allSatisfy { $0 >= 1 })
        }

        @Test(
            "XIM 52 a server without callbacks draws over the text, exactly at the caret",
            arguments: ["position", "nothing"])
        func theServerDrawsAtTheCaret(style: String) throws {
            let scene = try InputMethodScene(
                "some words <|>",
                options: ["--mode", "swallow", "--styles", "\(style)+nothing,none+none"],
                script: """
                    on key a do start; draw 0 0 1 "x"
                    on key b do commit "日本"; done
                    """)
            defer { scene.end() }
            #expect(scene.window.inputMethodState.style?.preedit == (style == "position" ? .position : .nothing))
            #expect(scene.window.inputMethodState.diagnosis != nil)
            try scene.wait("the spot") { scene.spotsTold.last == scene.spot }
            let before = scene.spot
            scene.type("a")
            try scene.driver.settle()
            try scene.settle()
            #expect(CaretNotation(scene.view.editor) == "some words <|>")
            scene.type("b")
            try scene.expect("some words <日本|>")
            try scene.wait("the spot behind what was committed") { scene.spotsTold.last == scene.spot }
            #expect(scene.spot[0] > before[0])
            #expect(scene.spot[1] == before[1])
        }

        @Test func underAWindowManagerTheSpotIsWithinTheWindow() throws {
            let scene = try InputMethodScene("<|>", options: ["--mode", "kana-like"], withWindowManager: true)
            defer { scene.end() }
            scene.type("a")
            try scene.expect("<⟨あ|⟩>")
            try scene.wait("the spot") { scene.spotsTold.last == scene.spot }
            try scene.settle()
            let count = scene.spotsTold.count
            // The frame moves, and with it the window in it, which only a synthetic event tells.
            scene.probe.move(scene.window.window.id.rawValue, x: 222, y: 111)
            try scene.wait("the spot again") { scene.spotsTold.count > count }
            #expect(scene.spotsTold.last == scene.spot)
            scene.type("b")
            try scene.expect("<⟨あい|⟩>")
        }
    }
}

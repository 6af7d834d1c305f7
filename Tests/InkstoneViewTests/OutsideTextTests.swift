import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneView

/// Text from elsewhere in plain-text views, points beside a line, and fields lower than a line.
@Suite(.timeLimit(.minutes(5))) struct OutsideTextTests {
    private static var styled: CopiedText {
        let store = TextStore(Rope("bold"))
        store.restyle {
            $0.setFont(FontDescriptor(family: "DejaVu Serif", size: 40, weight: 200), in: 0..<4)
            $0.set(Color(rgb: 0xff0000), of: ForegroundAttribute.self, in: 0..<4)
        }
        return CopiedText(store.styledText)
    }

    enum Plainness: String, CaseIterable {
        case singleLine, secure, unstyled

        func set(_ options: inout TextInputOptions) {
            switch self {
            case .singleLine: options.isSingleLine = true
            case .secure: options.isSecureTextEntry = true
            case .unstyled: options.acceptsStyles = false
            }
        }
    }

    @Test(arguments: Plainness.allCases)
    func plainViewsTakeNoStyles(_ plainness: Plainness) {
        let scene = ViewScene("a|b")
        plainness.set(&scene.view.options)
        scene.view.session.paste(Self.styled)
        scene.view.drop(Self.styled, at: ViewPoint(x: 0, y: 5))
        scene.view.session.paste(Self.styled, for: scene.view.session.deferPaste())
        scene.view.session.killBuffer = KillBuffer()
        scene.view.session.killBuffer.keep(Self.styled)
        scene.view.perform(.yank)
        scene.view.insertText("x", replacementRange: .notFound)
        #expect(scene.view.text.contains("bold") && scene.view.text.contains("x"))
        let runs = scene.view.store.styledText.attributes(in: scene.view.textRange)
        #expect(runs.allSatisfy { $0.attributes.isEmpty }, "\(runs)")
    }

    @Test func otherViewsTakeStyles() {
        let scene = ViewScene("a|b")
        scene.view.session.paste(Self.styled)
        #expect(scene.view.store.styledText.attributes(in: 1..<2).first?.attributes[FontSizeAttribute.self] == 40)
    }

    struct Beside: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        /// The UTF-16 unit of the line at which the point is.
        var unit: Int
    }

    @Test(arguments: [
        Beside(testDescription: "a word that is broken", text: String(repeating: "W", count: 200), unit: 0),
        Beside(testDescription: "ideographs", text: String(repeating: "日", count: 200), unit: 0),
        Beside(testDescription: "a wrapped line with a space", text: String(repeating: "word ", count: 40), unit: 0),
        Beside(testDescription: "the last line", text: "one\ntwo", unit: 5),
        Beside(testDescription: "a line that ends", text: "one\ntwo", unit: 1),
        Beside(testDescription: "an empty line", text: "one\n\ntwo", unit: 4),
        Beside(testDescription: "an empty text", text: "", unit: 0),
        Beside(testDescription: "right to left", text: "שלום\nאב", unit: 1),
        Beside(testDescription: "right to left, last", text: "שלום\nאב", unit: 6),
    ])
    func inTheBlankBesideALineThereIsNoCharacter(_ place: Beside) {
        let scene = ViewScene(frame: WindowRect(x: 0, y: 0, width: 301, height: 200))
        scene.view.text = place.text
        let y = scene.view.caretRect(for: scene.view.position(UTF16Offset(place.unit))).minY + 3
        let line = scene.view.layout.geometry.lineFragment(at: UTF16Offset(place.unit)).typographicBounds
        let text = scene.view.viewport.viewRect(line)
        var blank = 0
        for x in 0..<301 {
            let found = scene.view.characterRange(at: ViewPoint(x: Double(x), y: y))
            guard Double(x) < text.minX || Double(x) >= text.maxX else { continue }
            blank += 1
            #expect(found == nil, "at \(x), beside \(text)")
        }
        #expect(blank > 8)
    }

    @Test(arguments: [10.0, 16, 18, 19])
    func aFieldThatIsTooLowDoesNotScrollUpAndDown(_ height: Double) {
        let scene = ViewScene(frame: WindowRect(x: 0, y: 0, width: 200, height: height))
        scene.view.options.isSingleLine = true
        scene.view.text = "a field with some more text than it shows"
        #expect(scene.view.presenter.scrollBars.thumb(.vertical) == nil)
        scene.view.perform(.moveToEndOfDocument)
        scene.view.scroll(by: 100)
        scene.view.presenter.scroll(byClicks: Vector(dx: 0, dy: 3))
        scene.view.perform(.scrollToEndOfDocument)
        #expect(scene.view.viewport.scroll.y == 0 && scene.view.presenter.scrollBars.thumb(.vertical) == nil)
    }
}

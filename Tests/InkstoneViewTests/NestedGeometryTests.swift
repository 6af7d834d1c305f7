import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Geometry in the view's coordinates, independent of its position, scroll offset and scale.
@Suite(.timeLimit(.minutes(5))) struct NestedGeometryTests {
    struct Place: Sendable, CustomTestStringConvertible {
        var scale: Double
        var wraps: Bool
        /// The scroll offset, vertically in line heights and horizontally in pixels.
        var down: Double
        var across: Double
        var frame: (x: Double, y: Double)
        var window: (x: Double, y: Double)
        var testDescription: String {
            "scale \(scale), \(wraps ? "wrapped" : "not wrapped"), scrolled \(down) lines and \(across) px, at \(frame) in \(window)"
        }
    }

    static let places: [Place] = [
        Place(scale: 1, wraps: true, down: 0, across: 0, frame: (30, 20), window: (200, 100)),
        Place(scale: 1.5, wraps: true, down: 1, across: 0, frame: (13, 57), window: (-40, 900)),
        Place(scale: 2, wraps: true, down: 2.5, across: 0, frame: (0, 0), window: (1900, -20)),
        Place(scale: 1.25, wraps: false, down: 0.5, across: 61, frame: (211, 3), window: (7, 7)),
        Place(scale: 1.75, wraps: false, down: 1.5, across: 90, frame: (5, 400), window: (333, 222)),
    ]

    private static func view(_ text: String, _ place: Place) -> EditorView {
        var font = ViewScene.font
        font.size = (font.size * place.scale).rounded()
        let view = ViewScene(
            store: TextStore(editLogLimit: 64), font: font, theme: Theme().scaled(by: place.scale),
            frame: WindowRect(
                x: place.frame.x, y: place.frame.y, width: (140 * place.scale).rounded(),
                height: (60 * place.scale).rounded())
        ).view
        view.wrapsLines = place.wraps
        view.windowOrigin = RootPoint(x: place.window.x, y: place.window.y)
        view.text = text
        view.scroll(by: (place.down * view.presenter.lineStep).rounded(), dx: place.across)
        return view
    }

    /// The contract suite's laws of geometry: hit tests, rectangles, root pixels.
    @Test(arguments: places)
    func theGeometryLawsHoldForANestedView(_ place: Place) {
        let laws: Set<TextInputConformance.Law> = [.hitTest, .selectionRects, .firstRect, .rootSpace, .agreement]
        let suite = TextInputConformance(seed: 9, rounds: 40, laws: laws)
        let failures = suite.check(TextInputConformance.Subject { Self.view($0, place) })
        #expect(failures.isEmpty, "\(failures.map(\.description).joined(separator: "\n"))")
    }

    /// Moving a view changes its root coordinates by the distance, and its own coordinates not at all.
    @Test(arguments: places)
    func aMovedViewMovesOnTheRootWindowOnly(_ place: Place) {
        let text = "The quick brown fox jumps over the lazy dog, שלום עולם and on.\n日本語の文章です。次の文。\nlast 😀 line"
        let view = Self.view(text, place)
        var still = place
        still.frame = (0, 0)
        still.window = (0, 0)
        let other = Self.view(text, still)
        let count = text.utf16.count
        for start in stride(from: 0, through: count, by: 3) {
            let range = UTF16Range(location: start, length: min(7, count - start))
            let (mine, others) = (view.firstRect(forCharacterRange: range), other.firstRect(forCharacterRange: range))
            let way = Vector(dx: place.frame.x + place.window.x, dy: place.frame.y + place.window.y)
            #expect(mine.rect == others.rect.offset(by: way) && mine.actualRange == others.actualRange)
            let caret = view.caretRect(for: view.position(from: view.beginningOfDocument, offset: start)!)
            #expect(caret == other.caretRect(for: other.position(from: other.beginningOfDocument, offset: start)!))
            #expect(caret.width == view.theme.caretWidth && caret.height == view.presenter.lineStep)
        }
    }

    /// Scrolling moves all rectangles by the reported distance, and changes nothing else.
    @Test(arguments: places)
    func scrollingMovesRectanglesByItsDistance(_ place: Place) {
        let lines = (0..<30).map { "line \($0) that is long enough to be scrolled sideways, too" }
        let view = Self.view(lines.joined(separator: "\n"), place)
        view.scroll(by: -10_000, dx: -10_000)
        func rects() -> [ViewRect] {
            [3, 40, 90].flatMap { start -> [ViewRect] in
                let from = view.position(from: view.beginningOfDocument, offset: start)!
                let to = view.position(from: view.beginningOfDocument, offset: start + 9)!
                let range = TextRange(start: from, end: to)
                return [view.caretRect(for: from), view.firstRect(for: range)]
                    + view.selectionRects(for: range).map(\.rect)
            }
        }
        let before = rects()
        let (down, across) = (view.presenter.lineStep * 2 + 3, place.wraps ? 0 : 37.0)
        view.scroll(by: down, dx: across)
        let way = Vector(dx: -across, dy: -down)
        #expect(rects() == before.map { $0.offset(by: way) })
    }
}

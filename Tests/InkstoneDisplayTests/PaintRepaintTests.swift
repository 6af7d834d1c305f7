import DisplayTestSupport
import Glibc
import Inkstone
import InkstoneTesting
import Testing

/// Adds a bar beside every third paragraph, whose extent shows the paragraph's length and index.
private final class Numbering: TextLayoutManagerDelegate {
    struct Bar: CustomTextLayoutFragment {
        var leadingPadding: Double { 20 }
        var bottomMargin: Double { 4 }

        func renderingSurfaceBounds(of fragment: TextLayoutFragment) -> DocumentRect {
            let frame = fragment.layoutFragmentFrame
            return DocumentRect(x: 0, y: frame.minY - 3, width: 40, height: frame.height + 6)
        }

        func draw(_ fragment: TextLayoutFragment, at origin: WindowPoint, on canvas: any Canvas) {
            let bounds = renderingSurfaceBounds(of: fragment)
            let length = fragment.utf16Range.upperBound.value - fragment.utf16Range.lowerBound.value
            for (width, part) in [(length % 40, 0.0), (fragment.paragraph.value % 40, 0.5)] {
                canvas.fill(
                    WindowRect(
                        x: origin.x + bounds.minX, y: origin.y + bounds.minY + (part * bounds.height).rounded(),
                        width: Double(width), height: (bounds.height / 2).rounded()),
                    Color(rgb: 0xb0d0b0))
            }
        }
    }

    func textLayoutManager(
        _: TextLayoutManager, textLayoutFragmentFor _: UTF16Offset, in textElement: any TextElement
    ) -> (any CustomTextLayoutFragment)? {
        (textElement as? TextParagraph).map { $0.paragraphContentRange.lowerBound.value % 3 == 0 } == true ? Bar() : nil
    }
}

/// Content that paints the whole window, whatever part needs repainting.
private final class Spill: WindowContent {
    let frame: WindowRect
    let color: Color

    init(_ frame: WindowRect, _ color: Color) {
        self.frame = frame
        self.color = color
    }

    func paint(on canvas: any Canvas, damage: WindowRect) {
        canvas.setClip(nil)
        canvas.fill(WindowRect(origin: WindowPoint(x: 0, y: 0), size: canvas.size), color)
    }

    func handlePointer(_ event: PointerEvent) {}
}

extension DisplayTests {
    /// Incremental painting, which copies pixels and repaints little, gives the same picture as painting
    /// everything.
    @Suite struct PaintRepaintTests {
        private static let isLong = getenv("INKSTONE_LONG_TESTS") != nil
        private static let lines = [
            "plain text of a line", "",
            "a long line that has to be wrapped because it is longer than the window is wide",
            "שלום עולם abc אבג",
            "\u{645}\u{62d}\u{645}\u{62f} \u{6CC}\u{6C1} \u{646}\u{633}\u{62A}\u{639}\u{644}\u{6CC}\u{642}",
            "हिन्दी क्षत्रिय", "日本語の文章", "z\u{334}\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{323}\u{324}\u{325}algo",
            "😀👩‍👩‍👧‍👦 emoji 🇩🇪",
            "\u{10fffd}\u{378} missing", "tab\tand\ttabs", "ÄÅÂ ÇŞ (jqp)",
        ]

        @Test func aPartThatPaintsBeyondItsFrameCoversNoOther() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, _) = try scene.makeWindow([], width: 200, height: 100)
            let right = Spill(WindowRect(x: 100, y: 0, width: 100, height: 100), Color(rgb: 0xcc0000))
            let left = Spill(WindowRect(x: 0, y: 0, width: 100, height: 100), Color(rgb: 0x0000cc))
            window.add(right)
            window.add(left)
            scene.waitUntilIdle()
            // Only the left content needs repainting.
            window.window.setNeedsDisplay(WindowRect(x: 10, y: 10, width: 10, height: 10))
            scene.waitUntilIdle()
            let info = try #require(scene.probe.info(window.window.id.rawValue))
            let picture = try #require(scene.probe.screenshot(of: info))
            #expect(picture[50, 50] == 0x0000cc && picture[99, 99] == 0x0000cc)
            #expect(picture[100, 50] == 0xcc0000 && picture[199, 0] == 0xcc0000)
        }

        @Test func movedAndRemovedPartsLeaveNoPixelsBehind() throws {
            let scene = try DisplayScene()
            defer { scene.end() }
            let (window, views) = try scene.makeWindow(["first", "second"], width: 200, height: 100)
            scene.waitUntilIdle()
            views[0].setFrame(WindowRect(x: 0, y: 0, width: 80, height: 40))
            views[1].setFrame(WindowRect(x: 0, y: 50, width: 80, height: 40))
            window.remove(views[1])
            scene.waitUntilIdle()
            let info = try #require(scene.probe.info(window.window.id.rawValue))
            let ground = { (column: Range<Int>, row: Range<Int>) throws -> Set<UInt32> in
                let picture = try #require(scene.probe.screenshot(of: info))
                return Set(column.flatMap { x in row.map { picture[x, $0] } })
            }
            #expect(try ground(80..<200, 0..<100) == [0xf6f8fa] && ground(0..<80, 40..<100) == [0xf6f8fa])
            #expect(try ground(40..<79, 30..<39) == [0xffffff])
            window.background = Color(rgb: 0xcc0000)
            scene.waitUntilIdle()
            #expect(try ground(80..<200, 0..<100) == [0xcc0000])
        }

        @Test(arguments: [(true, 14.0, false), (false, 14, false), (true, 23, false), (true, 14, true)])
        func stepsEqualAFullRepaint(wraps: Bool, size: Double, isNumbered: Bool) throws {
            let numbering = Numbering()
            let scene = try DisplayScene.still(font: FontDescriptor(family: "DejaVu Sans", size: size)) {
                $0.wrapsLines = wraps
                if isNumbered { $0.layout.delegate = numbering }
                $0.text = (0..<60).map { Self.lines[$0 % Self.lines.count] + " \($0)" }.joined(separator: "\n")
            }
            defer { scene.end() }
            var random = SeededGenerator()
            var log: [String] = []
            for step in 0..<(Self.isLong ? 3000 : 160) {
                let what = perform(scene, using: &random)
                log.append(what)
                let picture = try scene.picture()
                let fresh = try scene.freshPicture()
                if let difference = picture.difference(from: fresh) {
                    Issue.record(
                        """
                        seed \(random.seed), step \(step), \(difference)
                        last steps: \(log.suffix(4).joined(separator: "; "))
                        shown: \(picture.kept("shown")), expected: \(fresh.kept("expected"))
                        """)
                    return
                }
            }
        }

        /// Performs a random action on the view, mostly within the viewport; returns its description.
        private func perform(_ scene: DisplayScene, using random: inout SeededGenerator) -> String {
            let editor = scene.view
            func visible() -> UTF16Offset {
                let x = Double.random(in: 0..<editor.frame.width, using: &random)
                let y = Double.random(in: -20..<editor.frame.height + 20, using: &random)
                return editor.offset(at: ViewPoint(x: x, y: y))
            }
            func range() -> Range<UTF16Offset> {
                let (a, b) = (visible(), visible())
                return min(a, b)..<max(a, b)
            }
            switch Int.random(in: 0..<22, using: &random) {
            case 0, 1, 2:
                let distance = Double.random(in: -90...90, using: &random).rounded()
                editor.scroll(by: distance, dx: Bool.random(using: &random) ? 0 : distance)
                return "scroll \(distance)"
            case 3:
                editor.scroll(by: Double.random(in: -900...900, using: &random))
                return "far scroll"
            case 4, 5:
                editor.select(Selection(caret: visible()))
                return "caret \(editor.selection?.head ?? -1)"
            case 6:
                let range = range()
                editor.select(Selection(anchor: range.upperBound, head: range.lowerBound))
                return "select \(range)"
            case 7, 8, 9:
                let text = Self.lines.randomElement(using: &random) ?? ""
                editor.insertText(text)
                return "insert \(text.debugDescription)"
            case 10:
                editor.insertText("\n")
                return "newline"
            case 11:
                editor.deleteBackward()
                return "delete"
            case 12:
                // An edit by another program, anywhere in the text.
                let end = editor.textRange.upperBound.value
                let low = UTF16Offset(Int.random(in: 0...end, using: &random))
                let at = low..<min(low + Int.random(in: 0...30, using: &random), editor.textRange.upperBound)
                editor.store.replace(at, with: Bool.random(using: &random) ? "x" : "two\nlines")
                return "edit \(at)"
            case 13:
                let range = range()
                let colors = [Color(rgb: 0xaa0000), Color(rgb: 0x00aa00), nil]
                let appearance = RenderingAttributes(
                    foreground: colors.randomElement(using: &random) ?? nil,
                    background: Bool.random(using: &random) ? Color(rgb: 0xeeffcc) : nil,
                    underline: [.wavy, .dotted, .double, nil].randomElement(using: &random) ?? nil,
                    strikethrough: Bool.random(using: &random) ? .single : nil)
                editor.updateDecorations(of: range, in: .rendering) { $0.merging(appearance) }
                return "attributes \(range)"
            case 14:
                let range = range()
                editor.updateDecorations(of: range, in: .rendering) { _ in nil }
                return "no attributes \(range)"
            case 15:
                editor.setMarkedText(
                    "にほんご", selectedRange: UTF16Range(location: 1, length: 2), replacementRange: .notFound)
                return "mark"
            case 16:
                editor.insertText("日本語", replacementRange: .notFound)
                return "commit"
            case 17:
                let isUndo = Bool.random(using: &random)
                if isUndo { editor.session.undo() } else { editor.session.redo() }
                return isUndo ? "undo" : "redo"
            case 18:
                editor.keyboardIsRightToLeft.toggle()
                return "keyboard"
            case 19:
                // Set font attributes: fonts with the same number of glyphs, and larger ones.
                let range = range()
                let fonts = [
                    FontDescriptor(family: "DejaVu Sans", size: 14, weight: 200),
                    FontDescriptor(family: "DejaVu Sans", size: 20), nil,
                ]
                let font = fonts.randomElement(using: &random) ?? nil
                editor.store.restyle { $0.setFont(font, in: range) }
                return "font \(font?.size ?? 0) \(range)"
            case 20:
                let range = range()
                var style = ParagraphStyle()
                style.alignment = Bool.random(using: &random) ? .right : .natural
                style.firstLineIndent = 12
                editor.store.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: range) }
                return "paragraph style \(range)"
            default:
                let count = Int.random(in: 1...3, using: &random)
                for _ in 0..<count { editor.perform(Bool.random(using: &random) ? .pageDown : .moveUp) }
                return "move"
            }
        }
    }
}

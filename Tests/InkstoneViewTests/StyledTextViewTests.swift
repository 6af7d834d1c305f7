import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// Showing, copying and pasting text attributes.
@Suite(.timeLimit(.minutes(5))) struct StyledTextViewTests {
    private static let red = Color(rgb: 0xff0000)
    private static let yellow = Color(rgb: 0xffff00)

    private func color(_ view: EditorView, _ range: Range<UTF16Offset>, _ color: Color?) {
        view.store.restyle { $0.set(color, of: BackgroundAttribute.self, in: range) }
    }

    @Test func coloursOfTheTextAreShownUnderThoseOfDecorationsAndUndone() {
        let scene = ViewScene("one two three|")
        let view = scene.view
        let plain = scene.paint()
        let before = CaretNotation(view).description
        color(view, 4..<7, Self.yellow)
        #expect(!scene.damage.isEmpty && scene.damage.allSatisfy { $0.height <= view.presenter.lineStep })
        let styled = scene.paint()
        #expect(styled.fills(Self.yellow).count == 1)
        #expect(Set(styled.glyphs) == Set(plain.glyphs) && CaretNotation(view).description == before)
        view.addDecorations([4..<7], attributes: RenderingAttributes(background: Self.red), in: .rendering)
        #expect(scene.paint().fills(Self.yellow).isEmpty && scene.paint().fills(Self.red).count == 1)
        view.updateDecorations(of: 4..<7, in: .rendering) { _ in nil }
        view.session.undo()
        #expect(scene.paint().fills(Self.yellow).isEmpty && view.store.styledText.runs == nil)
    }

    /// Undo of an attribute change moves no text, but restores and repaints the selection.
    @Test func theSelectionThatComesBackWithAttributesIsPainted() {
        let scene = ViewScene("one\ntwo\nthree|")
        let view = scene.view
        view.select(Selection(anchor: 4, head: 7))
        view.session.setAttribute(Self.yellow, of: BackgroundAttribute.self)
        view.select(Selection(caret: 0))
        let caret = view.caretRect(for: view.beginningOfDocument)
        scene.damage = []
        view.session.undo()
        #expect(view.selection == Selection(anchor: 4, head: 7))
        #expect(scene.damage.contains { $0.minY <= caret.minY && $0.maxY > caret.minY }, "where the caret was")
        view.store.replace(UTF16Offset(0)..<UTF16Offset(0), with: "x")
        #expect(view.store.undo() == 4..<7, "where the user is")
    }

    /// A run's font is used for painting, measuring and typing, in every view of the text.
    @Test func fontsOfTheTextAreShownTypedAndUndone() {
        let scene = ViewScene("one two\nthree|")
        let view = scene.view
        let other = EditorView(store: view.store, font: ViewScene.font)
        other.setFrame(view.frame)
        let plain = scene.paint().glyphs
        let line = view.presenter.lineStep
        scene.damage = []
        view.select(Selection(anchor: 4, head: 7))
        view.session.setAttribute(28, of: FontSizeAttribute.self)
        #expect(scene.damage.contains { $0.minY <= 6 && $0.maxY >= 6 + line }, "its line is painted anew")
        let styled = scene.paint().glyphs
        #expect(Set(styled.map(\.font)).count == 2 && styled.prefix(3).map(\.font) == plain.prefix(3).map(\.font))
        let next = view.store.position(at: 8)
        #expect(view.caretRect(for: next).minY > 6 + 1.5 * line)
        #expect(other.caretRect(for: next).minY == view.caretRect(for: next).minY)
        view.select(Selection(caret: 7))
        view.insertText("x")
        #expect(view.store.styledText.attributes(at: 7)[FontSizeAttribute.self] == 28)
        view.session.undo()
        view.session.undo()
        #expect(scene.paint().glyphs == plain && view.selection == Selection(anchor: 4, head: 7))
    }

    /// Glyphs, underline and strikethrough are raised above the baseline by the attribute's value.
    @Test func raisedTextIsPaintedWithItsLines() {
        var style = ParagraphStyle()
        style.lineHeight = .exactly(40)
        func painted(_ offset: Double?) -> (glyphs: [Int32], lines: [Double]) {
            let scene = ViewScene("one two|")
            scene.view.paragraphStyle = style
            scene.view.store.restyle {
                $0.set(.single, of: UnderlineAttribute.self, in: 4..<7)
                $0.set(Self.red, of: UnderlineColorAttribute.self, in: 4..<7)
                $0.set(.single, of: StrikethroughAttribute.self, in: 4..<7)
                $0.set(Self.yellow, of: ForegroundAttribute.self, in: 4..<7)
                $0.set(offset, of: BaselineOffsetAttribute.self, in: 4..<7)
            }
            let paint = scene.paint()
            return (paint.glyphs.map(\.y), (paint.fills(Self.red) + paint.fills(Self.yellow)).map(\.minY))
        }
        let (plain, raised) = (painted(nil), painted(7))
        #expect(plain.lines.count == 2 && raised.lines == plain.lines.map { $0 - 7 })
        #expect(raised.glyphs.sorted() == (plain.glyphs.prefix(3) + plain.glyphs.suffix(3).map { $0 - 7 }).sorted())
    }

    /// Lines along text have the thickness and offset of its font.
    @Test func linesAlongTextHaveTheMetricsOfItsFont() {
        func painted(_ size: Double?) -> [WindowRect] {
            let scene = ViewScene("one two|")
            scene.view.store.restyle {
                $0.set(.single, of: UnderlineAttribute.self, in: 4..<7)
                $0.set(Self.red, of: UnderlineColorAttribute.self, in: 4..<7)
                $0.set(.single, of: StrikethroughAttribute.self, in: 4..<7)
                $0.set(Self.yellow, of: ForegroundAttribute.self, in: 4..<7)
                $0.set(size, of: FontSizeAttribute.self, in: 4..<7)
            }
            let paint = scene.paint()
            return paint.fills(Self.red) + paint.fills(Self.yellow)
        }
        let (small, large) = (painted(nil), painted(56))
        #expect(small.count == 2 && large.count == 2)
        #expect(zip(small, large).allSatisfy { $1.height >= 2 * $0.height })
        #expect(large[0].minY - large[1].minY > 3 * (small[0].minY - small[1].minY))
    }

    @Test func stylesOfParagraphsMoveTheCaretThatIsShown() {
        let scene = ViewScene("one\ntwo|")
        let view = scene.view
        var style = ParagraphStyle()
        style.alignment = .right
        view.select(Selection(caret: 5))
        let before = view.caretRect(for: view.store.position(at: 5))
        scene.damage = []
        view.store.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: 4..<5) }
        let caret = view.caretRect(for: view.store.position(at: 5))
        #expect(caret.minX > 300 && caret.minY == before.minY)
        #expect(scene.damage.contains { $0.minX <= before.minX && $0.maxX > caret.minX })
    }

    @Test func anotherViewOfTheTextShowsThemToo() {
        let scene = ViewScene("shared|")
        let other = EditorView(store: scene.view.store, font: ViewScene.font)
        other.select(Selection(caret: 3))
        color(scene.view, 0..<3, Self.yellow)
        #expect(other.selection?.primary.head == 3)
        #expect(other.store.styledText.attributes(at: 1)[BackgroundAttribute.self] == Self.yellow)
        other.insertText("X")
        #expect(other.store.styledText.attributes(at: 3)[BackgroundAttribute.self] == Self.yellow)
        other.session.undo()
        other.session.undo()
        #expect(scene.view.store.styledText.runs == nil && scene.paint().fills(Self.yellow).isEmpty)
    }

    @Test func aCopyWithinAProcessTakesAttributesAlong() throws {
        let scene = ViewScene("a coloured piece| of text")
        let view = scene.view
        color(view, 2..<10, Self.yellow)
        view.select(Selection(anchor: 0, head: 16))
        view.perform(.copy)
        let copied = try #require(scene.copiedText)
        #expect(copied.text == "a coloured piece")
        view.select(Selection(caret: 24))
        view.session.paste(copied)
        #expect(view.store.text == "a coloured piece of texta coloured piece")
        let backgroundColor = { (offset: UTF16Offset) in
            view.store.styledText.attributes(at: offset)[BackgroundAttribute.self]
        }
        #expect(
            backgroundColor(24) == nil && backgroundColor(26) == Self.yellow && backgroundColor(33) == Self.yellow
                && backgroundColor(34) == nil)
        view.session.undo()
        #expect(view.store.text == "a coloured piece of text", "one step")
        // Text from other programs is plain, and gets the style of its surroundings.
        view.select(Selection(caret: 5))
        view.session.paste(copied.text)
        #expect(
            backgroundColor(7) == Self.yellow && backgroundColor(20) == Self.yellow,
            "the same text from elsewhere is plain")
        #expect(view.store.styledText.attributes(at: 6)[BackgroundAttribute.self] == Self.yellow)
        view.session.undo()
        view.select(Selection(caret: 0))
        view.perform(.paste)
        view.perform(.pasteAsPlainText)
        #expect(scene.pasteRequests == ["clipboard", "plainClipboard"])
        view.session.paste(copied, for: scene.pastes[0])
        #expect(backgroundColor(3) == Self.yellow && backgroundColor(0) == nil)
        let length = view.textRange.upperBound
        view.session.paste(copied.text, for: scene.pastes[1])
        #expect(view.textRange.upperBound == length + 16 && backgroundColor(3) == nil)
    }
}

/// Attribute keys of styles in a process that has not used them yet.
@Suite(.timeLimit(.minutes(5))) struct StyledTextReadingTests {
    @Test func aProcessWithAViewReadsColoursThatAnotherWrote() async {
        var text = StyledText("red")
        text.restyle {
            $0.set(Color(rgb: 0xff0000), of: ForegroundAttribute.self, in: 0..<3)
            $0.setFont(FontDescriptor(family: "Serif", size: 20, weight: 200, slant: .italic), in: 0..<3)
        }
        let bytes = StyledFragment(text).bytes
        await #expect(processExitsWith: .success) { [bytes = bytes as [UInt8]] in
            let view = EditorView(store: TextStore(), font: ViewScene.font)
            let piece = StyledFragment(bytes: bytes)
            let expected: Set = ["family", "size", "weight", "slant"]
            precondition(
                piece.map { Set($0.text.attributes(at: 0).names) }
                    == Set(expected.map { "inkstone.font-\($0)" } + ["inkstone.foreground"]))
            withExtendedLifetime(view) {}
        }
    }
}

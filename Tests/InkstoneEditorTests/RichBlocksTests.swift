import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The decorations by which quotations, code and thematic breaks differ from body text.
@Suite("Blocks of styled text", .timeLimit(.minutes(5))) struct RichBlocksTests {
    @Test func quotationsCodeAndBreaksHaveStylesOfTheirOwn() throws {
        let store = TextStore("quote\ncode\n\u{2e3b}\nbody\n")
        let quote = PresentationIntent(
            .paragraph, identity: 1, parent: PresentationIntent(.blockQuote, identity: 2))
        store.restyle {
            $0.set(quote, of: PresentationIntentAttribute.self, in: 0..<6)
            $0.set(
                PresentationIntent(.codeBlock(languageHint: nil), identity: 3), of: PresentationIntentAttribute.self,
                in: 6..<11)
            $0.set(
                PresentationIntent(.thematicBreak, identity: 4), of: PresentationIntentAttribute.self, in: 11..<13)
        }
        let layout = TextLayoutManager(
            store: store, container: TextContainer(width: 380), font: FontDescriptor(family: "DejaVu Sans", size: 16))
        layout.presentationStyleSheet = RichBlocks.styleSheet
        let blocks = RichBlocks()
        layout.delegate = blocks
        func fills(at offset: UTF16Offset) -> [WindowRect] {
            let fragment = layout.textLayoutFragment(for: offset)
            let canvas = RecordingCanvas(size: Size(width: 400, height: 400))
            fragment.custom?.draw(fragment, at: WindowPoint(x: 10, y: 0), on: canvas)
            return canvas.operations.compactMap {
                if case .fill(let rect, _) = $0 { rect } else { nil }
            }
        }
        let lines = [0, 6, 11, 13].map { layout.textLayoutFragment(for: UTF16Offset($0)).layoutFragmentFrame }
        #expect(fills(at: 0) == [WindowRect(x: 22, y: lines[0].minY, width: 3, height: lines[0].height)])
        #expect(fills(at: 6) == [WindowRect(x: 18, y: lines[1].minY, width: 372, height: lines[1].height)])
        let rule = try #require(fills(at: 11).first)
        #expect(rule.minX == 10 && rule.width == 380 && rule.minY > lines[2].minY && rule.maxY < lines[2].maxY)
        #expect(fills(at: 13).isEmpty)
    }

    /// A layout as in the editor, of paragraphs with list items (`-`) and lines of code (`#`).
    private func layout(_ paragraphs: String...) -> (layout: TextLayoutManager, blocks: RichBlocks) {
        let store = TextStore(Rope(paragraphs.map { $0.drop { "-#".contains($0) } + "\n" }.joined()))
        let list = TextList(.disc)
        store.restyle {
            for (index, paragraph) in paragraphs.enumerated() {
                let range = store.text.utf16Range(of: ParagraphIndex(index))
                if paragraph.first == "-" { $0.set(ListItem([list]), of: ListAttribute.self, in: range) }
                if paragraph.first == "#" {
                    $0.set(
                        PresentationIntent(.codeBlock(languageHint: nil), identity: 3),
                        of: PresentationIntentAttribute.self, in: range)
                }
            }
        }
        var style = ParagraphStyle()
        style.spacingAfter = 8
        let layout = TextLayoutManager(
            store: store, container: TextContainer(width: 380),
            font: FontDescriptor(family: "DejaVu Sans", size: 16), paragraphStyle: style)
        let blocks = RichBlocks()
        blocks.attach(to: layout)
        return (layout, blocks)
    }

    /// Returns the space between the lines of paragraphs that follow each other.
    private func gaps(_ layout: TextLayoutManager) -> [Double] {
        let lines = (0..<layout.store.text.paragraphCount - 1).compactMap {
            layout.textLayoutFragment(for: layout.store.text.utf16Range(of: ParagraphIndex($0)).lowerBound)
                .textLineFragments.first
        }
        return zip(lines, lines.dropFirst()).map { $1.top - $0.bottom }
    }

    @Test func itemsAndLinesOfCodeAreCloserThanParagraphs() {
        let (layout, blocks) = layout("a", "b", "-c", "-d", "e", "#f", "#g", "h")
        #expect(gaps(layout) == [8, 5, 2, 5, 5, 2, 5])
        withExtendedLifetime(blocks) {}
    }

    @Test func headingsAreNearerToTheTextBelow() {
        let (layout, blocks) = layout("a", "b", "c")
        layout.store.restyle {
            $0.set(PresentationIntent(.header(level: 2), identity: 1), of: PresentationIntentAttribute.self, in: 2..<4)
        }
        layout.invalidateLayout()
        let gaps = gaps(layout)
        #expect(gaps[0] > gaps[1] && gaps[1] >= 8)
        withExtendedLifetime(blocks) {}
    }

    @Test func theBoxOfCodeEndsBelowItsText() throws {
        let (layout, blocks) = layout("a", "#f", "#g", "h")
        let boxes = [2, 4].flatMap { offset in
            let fragment = layout.textLayoutFragment(for: UTF16Offset(offset))
            let canvas = RecordingCanvas(size: Size(width: 400, height: 400))
            fragment.custom?.draw(fragment, at: WindowPoint(x: 0, y: 0), on: canvas)
            return canvas.operations.compactMap { if case .fill(let rect, _) = $0 { rect } else { nil } }
        }
        let text = try #require(layout.textLayoutFragment(for: 4).textLineFragments.last)
        #expect(boxes.count == 2 && boxes[0].maxY == boxes[1].minY && boxes[1].maxY == text.bottom + 1)
        withExtendedLifetime(blocks) {}
    }
}

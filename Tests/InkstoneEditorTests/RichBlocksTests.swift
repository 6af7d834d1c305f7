import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The decorations by which quotations, code and thematic breaks differ from body text.
@Suite("Blocks of styled text", .timeLimit(.minutes(5))) struct RichBlocksTests {
    @Test func quotationsCodeAndBreaksAreTold() throws {
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
}

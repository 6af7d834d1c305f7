import InkstoneBase
import InkstoneEditing
import InkstoneInput
import InkstoneLayout
import InkstoneTesting
import InkstoneText
import InkstoneView
import Testing

/// A document that consists of headings and paragraphs instead of one text.
private final class Outline: TextContentManager {
    private struct Node: TextElement {
        var number: Int
        var elementRange: Range<UTF16Offset>
    }

    var nodes: [(text: String, isTitle: Bool)]

    init(_ nodes: [(text: String, isTitle: Bool)]) { self.nodes = nodes }

    private func text(_ number: Int) -> String { nodes[number].text + (number + 1 < nodes.count ? "\n" : "") }

    func range(of numbers: Range<Int>) -> Range<UTF16Offset> {
        let start = (0..<numbers.lowerBound).reduce(0) { $0 + text($1).utf16.count }
        return UTF16Offset(start)..<UTF16Offset(numbers.reduce(start) { $0 + text($1).utf16.count })
    }

    var documentRange: Range<UTF16Offset> { range(of: nodes.indices) }

    func enumerateTextElements(from location: UTF16Offset, _ body: (any TextElement) -> Bool) {
        for number in nodes.indices {
            let range = range(of: number..<(number + 1))
            if range.upperBound <= location, number + 1 < nodes.count { continue }
            if !body(Node(number: number, elementRange: range)) { return }
        }
    }

    func text(of element: any TextElement) -> String { (element as? Node).map { text($0.number) } ?? "" }

    func textParagraph(_ paragraph: TextParagraph) -> TextParagraph? {
        var shown = paragraph
        enumerateTextElements(from: paragraph.elementRange.lowerBound) {
            if let node = $0 as? Node, nodes[node.number].isTitle {
                shown.font = FontDescriptor(family: "DejaVu Sans Mono", size: 28)
            }
            return false
        }
        return shown
    }
}

/// A view that shows a custom kind of document, and follows its changes.
@Suite(.timeLimit(.minutes(5))) struct ContentManagerTests {
    private let outline = Outline([("Title", true), ("body text", false), ("more", false)])
    private let view: EditorView

    init() {
        view = EditorView(
            layout: TextLayoutManager(
                textContentManager: outline, container: TextContainer(width: 1), font: ViewScene.font))
        view.setFrame(WindowRect(x: 0, y: 0, width: 400, height: 200))
    }

    private func baselines() -> [Double] {
        view.layout.textLayoutFragments(in: view.presenter.viewportLayout.viewportBounds).map {
            $0.textLineFragments[0].baseline
        }
    }

    @Test func theViewShowsItAndFollowsItOnce() {
        #expect(view.text == "Title\nbody text\nmore" && baselines().count == 3)
        let (line, title) = (view.presenter.lineStep, view.primaryCaretRect?.height ?? 0)
        #expect(title > 1.5 * line)
        view.select(Selection(anchor: 16, head: 20))
        var received = 0
        let observation = view.store.observeTransactions { _ in received += 1 }
        // One node becomes two of other lengths; the last node stays selected.
        let old = outline.range(of: 1..<2)
        outline.nodes[1...1] = [("first half", false), ("second", true)]
        #expect(view.layout.textContentDidChange(in: old, to: outline.range(of: 1..<3)) == nil)
        #expect(view.text == "Title\nfirst half\nsecond\nmore" && view.session.selectedText == "more" && received == 1)
        #expect(view.layout.length == view.textRange.upperBound && !view.store.canUndo)
        #expect(view.layout.usageHeight == 2 * title + 2 * line)
        let gone = outline.range(of: 0..<1)
        outline.nodes.removeFirst()
        view.layout.textContentDidChange(in: gone, to: 0..<0)
        #expect(view.text == "first half\nsecond\nmore" && view.session.selectedText == "more" && received == 2)
        #expect(view.layout.usageHeight == title + 2 * line)
        withExtendedLifetime(observation) {}
    }

    @Test func theViewDoesNotEditIt() {
        view.isEditable = true
        #expect(!view.isEditable && !view.canPerformItself(.paste) && view.canPerformItself(.selectAll))
        view.insertText("x")
        view.session.paste("x")
        view.setMarkedText("x", selectedRange: UTF16Range(location: 1, length: 0))
        view.session.replaceText(in: 0..<1, with: "x", forcing: true)
        view.text = "x"
        view.perform(.insertNewline)
        #expect(view.text == "Title\nbody text\nmore" && view.markedText == nil)
        view.perform(.selectAll)
        #expect(view.session.selectedText == view.text)
    }
}

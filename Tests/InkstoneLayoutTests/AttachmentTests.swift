import InkstoneBase
import InkstoneTesting
import InkstoneText
import Testing

@testable import InkstoneLayout

/// Attachments as attributes, and in lines.
@Suite(.timeLimit(.minutes(5))) struct AttachmentTests {
    /// Lays out a text in which each "#" is an attachment.
    private static func layout(
        _ text: String, _ size: Size? = Size(width: 60, height: 40), width: Double = 400,
        style: ParagraphStyle = ParagraphStyle(), offset: Double = 0
    ) -> TextLayoutManager {
        let layout = makeLayout(
            String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "#" ? TextAttachment.character : $0 })),
            width: width, style: style)
        let length = layout.store.text.metrics.utf16
        let applied = layout.store.restyle {
            $0.set(attachment(size, offset: offset), of: AttachmentAttribute.self, in: 0..<UTF16Offset(length))
        }
        if let applied { _ = layout.apply(applied) }
        return layout
    }

    private static func attachment(_ size: Size?, offset: Double = 0) -> TextAttachment? {
        var attachment = TextAttachment(image: TestImages.png, alternateDescription: "a flag", size: size)
        attachment?.baselineOffset = offset
        return attachment
    }

    private static func box(_ layout: TextLayoutManager, _ index: Int = 0) -> [Double] {
        let line = layout.allLines[index]
        return [line.bottom - line.top, line.baseline - line.top]
    }

    // MARK: The attribute

    /// RT 64: an attachment belongs to its character; text typed beside it, even another U+FFFC, is ordinary.
    @Test func onlyTheAttachmentCharacterHasAnAttachment() {
        let layout = Self.layout("a#b")
        var text = layout.store.styledText
        func attached() -> [Bool] {
            (0..<text.rope.metrics.utf16).map { text.attributes(at: UTF16Offset($0))[AttachmentAttribute.self] != nil }
        }
        #expect(attached() == [false, true, false])
        text.apply(TextChangeSet(replacing: UTF16Offset(2)..<2, with: Rope("\u{fffc}x"), in: text.rope))
        text.apply(TextChangeSet(replacing: UTF16Offset(1)..<1, with: Rope("\u{fffc}"), in: text.rope))
        #expect(attached() == [false, false, true, false, false, false])
        text.apply(TextChangeSet(replacing: UTF16Offset(2)..<3, with: Rope("\u{fffc}"), in: text.rope))
        #expect(!attached().contains(true), "typed over it")
    }

    /// RT 65: a decoded attachment equals the encoded one, and copies within the process share its contents.
    @Test func anAttachmentIsCodedWithItsContents() throws {
        var attachment = try #require(Self.attachment(Size(width: 12.5, height: 7), offset: -3))
        attachment.alternateDescription = "two\nlines"
        let styled = StyledText(Rope("\u{fffc}"), TextAttributes(AttachmentAttribute.self, attachment))
        let fragment = try #require(StyledFragment(bytes: StyledFragment(styled).bytes))
        let read = try #require(fragment.text.attributes(at: 0)[AttachmentAttribute.self])
        #expect(read.contents == TestImages.png && read.type == "image/png" && read.alternateDescription == "two lines")
        #expect(read.size == attachment.size && read.baselineOffset == -3)
        #expect(TextAttachment(contents: [UInt8](repeating: 0, count: TextAttachment.mostBytes + 1), type: "") == nil)
        for bad in [[], Array("image/png\n1\n0\n\n".utf8), Array("a\n\nx\n\n".utf8)] as [[UInt8]] {
            #expect(AttachmentAttribute.decode(bad) == nil)
        }
        attachment.size = Size(width: .infinity, height: .nan)
        #expect(attachment.checked.size == Size(width: 16_384, height: 1))
    }

    // MARK: Lines

    /// DejaVu Sans at 16 pixels has 15 of its 19 pixels above the baseline.
    @Test func aLineHasRoomForItsAttachmentAndItsText() {
        #expect(Self.box(Self.layout("a#b")) == [44, 40], "on the baseline, with the text's own depth below")
        #expect(Self.box(Self.layout("#")) == [44, 40], "as the only character: RT 55")
        #expect(Self.box(Self.layout("#b")) == [44, 40], "as the first character")
        #expect(Self.box(Self.layout("a#b", offset: -10)) == [40, 30])
        #expect(Self.box(Self.layout("a#b", offset: 10)) == [54, 50])
        #expect(Self.box(Self.layout("a#", Size(width: 4, height: 4))) == [19, 15], "a small one changes nothing")
        var style = ParagraphStyle()
        style.lineHeight = .exactly(20)
        let exact = Self.layout("a#", style: style)
        #expect(Self.box(exact)[0] == 20)
        #expect(exact.allLines[0].attachments.map(\.frame.size) == [Size(width: 30, height: 20)], "scaled to the line")
        // Another line of the paragraph keeps its height.
        #expect(Self.box(Self.layout("a\u{2028}#"), 0) == [19, 15])
    }

    @Test func anAttachmentStandsWhereItsCharacterDoes() throws {
        let layout = Self.layout("ab#c")
        let line = layout.allLines[0]
        let placed = try #require(line.attachments.first)
        let before = layout.geometry.caretRect(at: 2, affinity: .downstream).minX.rounded(.down)
        #expect(placed.offset == 2 && placed.frame.minX == before && placed.frame.maxY == line.baseline)
        #expect(placed.frame.size == Size(width: 60, height: 40))
        // RT 51: one caret stop before the attachment, and one after it.
        #expect(layout.geometry.caretRect(at: 3, affinity: .downstream).minX.rounded(.down) == before + 60)
        let rect = layout.geometry.caretRect(at: 2, affinity: .downstream)
        #expect(rect.maxY <= line.bottom)
        // Without the attribute, the character is drawn in its font.
        #expect(makeLayout("ab\u{fffc}c").allLines[0].attachments.isEmpty)
    }

    /// Covers RT 61, RT 62 of the checklist for rich text.
    @Test func noAttachmentIsWiderThanItsLineAndANewWidthAsksAgain() {
        func sizes(_ layout: TextLayoutManager) -> [Size] { layout.allLines.flatMap(\.attachments).map(\.frame.size) }
        let wide = Self.layout("#", Size(width: 800, height: 400))
        #expect(sizes(wide) == [Size(width: 400, height: 200)])
        wide.container.width = 200
        #expect(sizes(wide) == [Size(width: 200, height: 100)])
        wide.container.width = 1000
        #expect(sizes(wide) == [Size(width: 800, height: 400)])
        var style = ParagraphStyle()
        (style.indent, style.tailIndent) = (60, 40)
        #expect(sizes(Self.layout("#", Size(width: 800, height: 400), style: style)) == [Size(width: 300, height: 150)])
        #expect(sizes(Self.layout("#", nil)) == [Size(width: 8, height: 6)], "the image's own")
        #expect(sizes(Self.layout("##", Size(width: 150, height: 10), width: 200)).count == 2)
        #expect(
            Self.layout("a##b", Size(width: 150, height: 10), width: 200).lineTexts.count > 1, "lines break beside it")
    }

    /// Attachments keep their positions in lines of both directions, and beside combining marks.
    @Test func attachmentsAreReorderedWithTheirText() {
        let mixed = Self.layout("ab אב#גד cd")
        let line = mixed.allLines[0]
        let frame = line.attachments.first?.frame
        let lefts = [5, 6].map { mixed.geometry.caretRect(at: $0, affinity: .downstream).minX }
        #expect(frame.map { abs($0.minX - lefts[1]) < 1 && abs($0.maxX - lefts[0]) < 1 } == true)
        let two = Self.layout("#\u{301}##")
        #expect(two.allLines[0].attachments.map(\.offset) == [0, 2, 3])
    }

    private final class Asked: TextLayoutManagerDelegate {
        var widths: [Double] = []
        func textLayoutManager(
            _: TextLayoutManager, textLayoutFragmentFor _: UTF16Offset, in _: any TextElement
        ) -> (any CustomTextLayoutFragment)? { nil }
        func textLayoutManager(
            _: TextLayoutManager, attachmentBoundsFor _: TextAttachment, at _: UTF16Offset, lineWidth: Double
        ) -> AttachmentBounds? {
            widths.append(lineWidth)
            return AttachmentBounds(size: Size(width: lineWidth / 2, height: 30), baselineOffset: -5)
        }
    }

    @Test func aDelegateIsAskedForTheRoomAtEachWidth() {
        let layout = Self.layout("#")
        let delegate = Asked()
        layout.delegate = delegate
        layout.invalidateLayout(for: 0..<1)
        #expect(layout.allLines[0].attachments.map(\.frame.size) == [Size(width: 200, height: 30)])
        #expect(Self.box(layout) == [30, 25] && delegate.widths.last == 400)
        layout.container.width = 300
        #expect(layout.allLines[0].attachments.map(\.frame.width) == [150])
    }
}

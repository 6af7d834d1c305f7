import ArgumentParser
import Glibc
import Inkstone
import InkstoneFiles
import InkstoneMarkdown
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// Markdown that is shown and edited as styled text.
@Suite("Rich text", .timeLimit(.minutes(5)), .enabled(if: RichDocument.hasParser)) struct RichDocumentTests {
    /// A Markdown file that has been read and is shown as styled text.
    private final class Desk {
        let path: String
        let view = TextStore()
        let file = EditedFile(store: TextStore())
        let rich: RichDocument
        let disk = SlowDisk()

        init(_ content: String) throws {
            path = try TemporaryDirectory.make() + "/page.md"
            rich = RichDocument(view: view, source: file.store)
            try put(content)
            var isRead = false
            file.open(FilePath(path), encoding: nil, post: disk.post) { if case .finished = $0 { isRead = true } }
            disk.run { isRead }
            rich.show(try rich.reading().get())
        }

        deinit { TemporaryDirectory.remove(String(path.dropLast(8))) }

        func put(_ content: String) throws {
            let file = try #require(fopen(path, "w"))
            fputs(content, file)
            fclose(file)
        }

        func range(of words: String) throws -> Range<UTF16Offset> {
            let (text, wanted) = (Array(view.text.description.utf16), Array(words.utf16))
            let start = text.indices.first { text[$0...].starts(with: wanted) }
            return UTF16Offset(try #require(start))..<UTF16Offset(try #require(start) + wanted.count)
        }

        func type(_ new: String, over words: String) throws {
            view.replace(try range(of: words), with: new, origin: .typing)
            write()
        }

        func write() {
            guard let writing = rich.writing(newline: file.newline) else { return }
            rich.take(writing.run())
            file.noteReturn()
        }

        func saved() throws -> String {
            var isSaved = false
            file.save(post: disk.post) { _ in isSaved = true }
            disk.run { isSaved }
            return try #require(try? TextFile.read(FilePath(path))).text.description
        }
    }

    private static let page = """
        Title
        =====

        Some   *words* and __more__.

        * one
        * two

        ~~~ c
        int x;
        ~~~

        """

    /// The delay counts from the oldest edit that the source lacks, not from the latest writing.
    @Test func theAgeOfUnwrittenEditsIsKnown() throws {
        var delay = WritingDelay()
        #expect(delay.wait(at: 0) == nil)
        delay.noteEdit(at: 1000)
        delay.noteEdit(at: 1300)
        #expect(delay.wait(at: 1200) == 100 && delay.wait(at: 9000) == 0)
        // A text of the time 1200 was written: the edit at 1300 has come since.
        delay.noteWriting(of: 1200, isWhole: false)
        #expect(delay.wait(at: 1300) == 200)
        delay.noteWriting(of: 1300, isWhole: true)
        #expect(delay.wait(at: 1300) == nil)
        delay.noteWriting(of: 1300, isWhole: false)
        #expect(delay.wait(at: 1300) == nil)
    }

    @Test func theDocumentKnowsTheTextThatTheSourceHas() throws {
        let desk = try Desk("*one*\n")
        let (rich, before) = (desk.rich, desk.view.text)
        desk.view.replace(try desk.range(of: "one"), with: "two", origin: .typing)
        #expect(rich.becomesDue(at: 5) && rich.delay.start == 5 && rich.writtenText == before)
        let writing = try #require(rich.writing(newline: .lf))
        desk.view.replace(try desk.range(of: "two"), with: "three", origin: .typing)
        #expect(!rich.becomesDue(at: 7) && rich.delay.start == 5)
        rich.take(writing.run())
        #expect(rich.writtenText.description.contains("two") && rich.delay.start != nil)
        desk.write()
        #expect(rich.writtenText == desk.view.text && rich.delay.start == nil)
    }

    @Test func invalidBytesStayWhereOtherTextIsEdited() throws {
        let desk = try Desk("placeholder")
        let bytes = Array("abc ".utf8) + [0xff] + Array(" d".utf8) + [0xc3] + Array("ef *g*\n\nsecond\n".utf8)
        desk.file.store.replace(desk.file.store.text.utf16Range, with: Rope(bytes: bytes))
        desk.rich.show(try desk.rich.reading().get())
        try desk.type("last", over: "second")
        try desk.type("ABC", over: "abc")
        try desk.type("G", over: "g")
        let expected = Array("ABC ".utf8) + [0xff] + Array(" d".utf8) + [0xc3] + Array("ef *G*\n\nlast\n".utf8)
        let text = desk.file.store.text
        #expect(text.bytes(in: text.byteRange) == expected)
        #expect(desk.rich.newLoss?.isInexact != true)
    }

    @Test func aFileIsShownWithoutItsMarksAndIsUnchanged() throws {
        let desk = try Desk(Self.page)
        #expect(desk.view.text.description == "Title\nSome   words and more.\none\ntwo\nint x;")
        #expect(!desk.rich.isPending && !desk.file.isModified && !desk.view.canUndo)
        #expect(try desk.saved() == Self.page)
    }

    @Test func onlyTheTextThatWasEditedIsWrittenAnew() throws {
        let desk = try Desk(Self.page)
        try desk.type("text", over: "words")
        #expect(desk.file.isModified)
        #expect(
            try desk.saved() == Self.page.replacing("Some   *words* and __more__.", with: "Some   *text* and __more__.")
        )
        #expect(!desk.file.isModified && desk.rich.newLoss == nil)
    }

    /// If a changed source cannot be shown, the view still has the old text. This must not be written over the
    /// source.
    /// Pasted blocks that are not in the document would be written anew with each edit.
    @Test("A document with much new text is read again when it has been written", arguments: ["\n", "\r\n"])
    func muchNewText(newline: String) throws {
        let page = Self.page.replacing("\n", with: newline)
        let desk = try Desk(page)
        let new = String(repeating: "A line with *marks* and [brackets].\n", count: 3000)
        try desk.type("wordy", over: "words")
        #expect(desk.rich.document?.source == page, "few changes")
        let end = desk.view.text.utf16Range.upperBound
        desk.view.replace(end..<end, with: "\n" + new, origin: .typing)
        desk.write()
        let saved = try desk.saved()
        #expect(saved.contains("marks") && desk.rich.document?.source == saved)
        #expect(desk.rich.loss == RichDocument.Loss() && !desk.rich.isPending)
        try desk.type("more", over: "wordy")
        #expect(try desk.saved() == saved.replacing("wordy", with: "more"))
        #expect(desk.rich.document?.source == saved)
    }

    @Test func aSourceThatCannotBeShownIsNotWrittenOver() throws {
        let desk = try Desk("old words\n")
        // A link with 20,000 pieces, each of which would hold a copy of a long address: too much to show.
        let other = "[\(String(repeating: "*a* ", count: 20_000))](\(String(repeating: "b", count: 200_000)))\n"
        desk.file.store.replace(0..<10 as Range<ByteOffset>, with: other, origin: .program)
        #expect(desk.rich.show(desk.rich.reading()) != nil && !desk.rich.isReady)
        try desk.type("new", over: "words")
        #expect(try desk.saved() == other)
        desk.file.store.replace(0..<ByteOffset(other.utf8.count), with: "another source\n", origin: .program)
        #expect(desk.rich.show(desk.rich.reading()) == nil && desk.rich.isReady)
        #expect(desk.view.text.description == "another source")
    }

    @Test func boldTextIsSavedWithItsMarks() throws {
        let desk = try Desk("plain words\n")
        let words = try desk.range(of: "words")
        desk.view.restyle { $0.set(200, of: FontWeightAttribute.self, in: words) }
        #expect(desk.rich.isPending)
        desk.write()
        #expect(!desk.rich.isPending && desk.rich.newLoss == nil)
        #expect(try desk.saved() == "plain **words**\n")
    }

    @Test func undoGoesOnAcrossASaveAndLeadsToWhatIsOnTheDisk() throws {
        let desk = try Desk(Self.page)
        try desk.type("first", over: "one")
        let saved = try desk.saved()
        try desk.type("second", over: "two")
        #expect(desk.file.isModified)
        desk.view.undo()
        desk.write()
        #expect(!desk.file.isModified && desk.file.store.text.description == saved)
        desk.view.undo()
        desk.write()
        #expect(desk.file.isModified)
        #expect(try desk.saved() == Self.page)
    }

    /// Markdown has no task without text. It is written as an item without text, and nothing that was typed is lost.
    @Test func aTaskWithoutTextIsNotAskedAbout() throws {
        let desk = try Desk("- [ ] one\n- [x] two\n")
        #expect(desk.rich.newLoss == nil)
        try desk.type("", over: "one")
        #expect(desk.file.store.text == "-\n- [x] two\n")
        #expect(desk.rich.newLoss == nil)
    }

    @Test func attributesThatMarkdownLacksAreAskedAboutOnce() throws {
        let desk = try Desk("some words\n")
        let words = try desk.range(of: "words")
        desk.view.restyle { $0.set(20, of: FontSizeAttribute.self, in: words) }
        desk.write()
        let loss = try #require(desk.rich.newLoss)
        #expect(loss.description(of: "a.md") == "Markdown has no font size. “a.md” is saved without.")
        desk.rich.accept(loss)
        #expect(desk.rich.newLoss == nil)
        desk.view.restyle { $0.set(1, of: KernAttribute.self, in: words) }
        desk.write()
        #expect(
            desk.rich.newLoss?.description(of: "a.md")
                == "Markdown has no font size and kern. “a.md” is saved without.")
    }

    @Test func thePartsOfAParagraphStyleAreNamed() throws {
        let desk = try Desk("some words\n")
        var style = ParagraphStyle()
        (style.baseDirection, style.alignment) = (.rightToLeft, .center)
        let whole = desk.view.text.utf16Range
        desk.view.restyle { $0.set(style, of: ParagraphStyleAttribute.self, in: whole) }
        desk.write()
        #expect(
            desk.rich.newLoss?.description(of: "a.md")
                == "Markdown has no alignment and text direction. “a.md” is saved without.")
    }

    @Test("A direction that the text has by itself is not lost")
    func directions() {
        func lost(_ text: String, _ change: (inout ParagraphStyle) -> Void) -> Set<String> {
            var style = ParagraphStyle()
            change(&style)
            var styled = StyledText(Rope(text))
            var restyling = Restyling()
            restyling.set(style, of: ParagraphStyleAttribute.self, in: styled.rope.utf16Range)
            styled.apply(TextChangeSet(none: styled.rope), restyling: restyling)
            return RichDocument.Loss(of: MarkdownDocument.write(styled), in: styled).attributes
        }
        let name = RichDocument.Loss.name
        #expect(lost("سلام abc") { $0.baseDirection = .rightToLeft } == [])
        #expect(lost("سلام abc") { ($0.baseDirection, $0.alignment) = (.rightToLeft, .right) } == [])
        #expect(lost("abc سلام") { ($0.baseDirection, $0.alignment) = (.leftToRight, .left) } == [])
        #expect(lost("abc سلام") { $0.baseDirection = .rightToLeft } == [name(.direction)])
        #expect(lost("سلام") { $0.baseDirection = .leftToRight } == [name(.direction)])
        #expect(lost("سلام") { $0.alignment = .left } == [name(.alignment)])
        #expect(lost("abc") { $0.alignment = .center } == [name(.alignment)])
        #expect(lost("abc") { $0.indent = 8 } == [name(.indents)])
        #expect(lost("abc") { $0.spacingAfter = 8 } == [name(.spacing)])
    }

    @Test(
        "A corrected address is written as it was",
        arguments: [
            ("See http://example.orgg now.\n", "gg", ""), ("<http://a.example/olld>\n", "oll", "ol"),
            ("me@exmple.org x\n", "mple", "ample"), ("www.xx.org\n", "xx", "x"),
            ("[www.xx.org](http://www.xx.org)\n", "xx", "x"),
        ])
    func correctedAddress(source: String, old: String, new: String) throws {
        let desk = try Desk(source)
        let session = EditingSession(desk.view)
        let range = try desk.range(of: old)
        session.dispatch(session.state.replacing(range, with: new, origin: .typing))
        desk.write()
        #expect(desk.file.store.text == Rope(source.replacing(old, with: new)) && desk.rich.newLoss == nil)
    }

    @Test(
        "Two lists that join are one list in the file",
        arguments: [
            ("1. one\n2. two\n\nmid\n\n1) three\n2) four\n", "1. one\n2. two\n3. three\n4. four\n"),
            ("* a\n* b\n\nmid\n\n- [ ] c\n", "* a\n* b\n* [ ] c\n"),
            ("> - a\n>\n> mid\n>\n> - c\n", "> - a\n> - c\n"),
            ("- a\n  - x\n- mid\n  - y\n", "- a\n  - x\n  - y\n"),
            ("1. a\n   1. x\n2. mid\n   1. y\n", "1. a\n   1. x\n   2. y\n"),
            ("8. a\n9. b\n\nmid\n\n1. c\n2. d\n   more\n", "8. a\n9. b\n10. c\n11. d\n    more\n"),
            ("1. a\n\nmid\n\n10. c\n    more\n11. d\n", "1. a\n2. c\n   more\n3. d\n"),
        ])
    func joinedLists(source: String, result: String) throws {
        let desk = try Desk(source)
        let session = EditingSession(desk.view)
        (session.options.makesLists, session.options.makesBlocks) = (true, true)
        let range = try desk.range(of: "mid\n")
        session.dispatch(session.state.replacing(range, with: "", origin: .deletion))
        desk.write()
        let written = desk.file.store.text.description
        #expect(written == result)
        #expect(desk.rich.newLoss == nil)
    }

    @Test func aReloadIsOneStepAndWhatIsTypedThenIsOfTheNewFile() throws {
        let desk = try Desk("# One\n")
        desk.file.store.replace(desk.file.store.text.byteRange, with: "# Two\n\n* item\n")
        desk.rich.show(try desk.rich.reading().get())
        #expect(desk.view.text == "Two\nitem" && !desk.rich.isPending)
        try desk.type("thing", over: "item")
        #expect(desk.file.store.text == "# Two\n\n* thing\n")
        desk.view.undo()
        desk.view.undo()
        desk.write()
        #expect(desk.view.text == "One" && desk.file.store.text == "# One\n")
    }

    @Test func aWriteThatComesLateChangesNothing() throws {
        let desk = try Desk("word\n")
        desk.view.replace(try desk.range(of: "word"), with: "old", origin: .typing)
        let late = try #require(desk.rich.writing(newline: .lf)).run()
        try desk.type("new", over: "old")
        desk.rich.take(late)
        #expect(desk.file.store.text == "new\n")
        desk.view.replace(try desk.range(of: "new"), with: "lost", origin: .typing)
        let other = try #require(desk.rich.writing(newline: .lf)).run()
        desk.file.store.replace(desk.file.store.text.byteRange, with: "other\n")
        desk.rich.show(try desk.rich.reading().get())
        desk.rich.take(other)
        #expect(desk.file.store.text == "other\n" && desk.view.text == "other")
    }

    @Test func lineEndsOfTheFileStay() throws {
        let desk = try Desk("# One\r\n\r\ntext\r\n")
        try desk.type("text\nmore", over: "text")
        #expect(try desk.saved() == "# One\r\n\r\ntext\r\n\r\nmore\r\n")
        let old = try Desk("# One\r\rtext\r")
        #expect(try old.saved() == "# One\r\rtext\r")
        try old.type("more", over: "text")
        #expect(try old.saved() == "# One\r\rmore\r")
    }

    @Test func itemsOfListsHaveMarkersAndReturnMakesAnother() throws {
        let desk = try Desk("- one\n- two\n")
        #expect(desk.view.styledText.attributes(at: 0)[ListAttribute.self]?.list?.marker == .disc)
        try desk.type("one\nnew", over: "one")
        #expect(desk.file.store.text == "- one\n- new\n- two\n" && desk.rich.newLoss == nil)
    }

    @Test func theJournalHasMarkdownThatAnyEditorMayTakeUp() throws {
        let desk = try Desk("# One\n\nword\n")
        #expect(desk.file.journalBaseText == "# One\n\nword\n")
        try desk.type("*", over: "word")
        #expect(desk.file.store.text == "# One\n\n\\*\n" && desk.file.journalBaseText == "# One\n\nword\n")
    }
}

@Suite("Rich text or plain", .timeLimit(.minutes(5))) struct RichTextObstacleTests {
    @Test func withoutTheLibraryAndAboveTheLimitAFileIsPlainText() {
        #expect(RichDocument.obstacle(size: 10, hasParser: true) == nil)
        #expect(
            RichDocument.obstacle(size: RichDocument.limit + 1, hasParser: true)?.contains("more than 16 MB") == true)
        #expect(
            RichDocument.obstacle(hasParser: false)?.contains("is not installed. Opened as plain text") == true)
    }

    @Test func theOptionIsForFilesAndNotForPages() throws {
        #expect(try EditCommandLine.parse(["--rich", "a.md"]).options.rich)
        #expect(try !EditCommandLine.parse(["a.md"]).options.rich)
    }
}

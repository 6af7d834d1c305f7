import Inkstone
import InkstoneFiles
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The selection, scroll position and undo steps that move between styled text and its Markdown source.
@Suite("Switching styles", .timeLimit(.minutes(5)), .enabled(if: RichDocument.hasParser)) struct StyleSwitchTests {
    /// A text and its Markdown source, with `^` at corresponding positions.
    struct Places: Sendable, CustomStringConvertible {
        var text: String
        var source: String
        var description: String { source }

        func offset(_ text: String) -> UTF16Offset { UTF16Offset(text.prefix { $0 != "^" }.utf16.count) }
        func plain(_ text: String) -> Rope { Rope(text.filter { $0 != "^" }) }
    }

    @Test(arguments: [
        Places(text: "^One", source: "# ^One\n"), Places(text: "O^ne", source: "# O^ne\n"),
        Places(text: "One^\ntwo", source: "# One^\n\ntwo\n"), Places(text: "One\n^two", source: "# One\n\n^two\n"),
        Places(text: "a bo^ld b", source: "a **bo^ld** b\n"), Places(text: "a ^bold b", source: "a ^**bold** b\n"),
        Places(text: "a bold^ b", source: "a **bold^** b\n"), Places(text: "one\ntw^o", source: "- one\n- tw^o\n"),
        // Cases whose source differs from the shown text.
        Places(text: "a © b^c", source: "a &copy; b^c\n"), Places(text: "1 thing^ more", source: "1. 1 thing^ more\n"),
        Places(text: "see this pl^ace now", source: "see [this](http://example.org/this \"this\") pl^ace now\n"),
        Places(text: "one two th^ree", source: "one\ntwo\nth^ree\n"),
        Places(text: "a\tb\t\nc\td^\t", source: "| a | b |\n|---|---|\n| c | d^ |\n"),
        Places(text: "a\u{2028}b^c", source: "a\\\nb^c\n"), Places(text: "^", source: "^"),
    ])
    func aPositionIsTheSameInTextAndSource(_ test: Places) {
        let places = SourcePlaces(text: test.plain(test.text), source: test.plain(test.source))
        #expect(places.source(of: test.offset(test.text)) == test.offset(test.source))
        #expect(places.text(of: test.offset(test.source)) == test.offset(test.text))
    }

    @Test func positionsOfALongTextAreFoundThoughTheSourceDiffers() throws {
        let source = (0..<150).map {
            "## Head \($0)\n\nSome *words* &mdash; `code \($0)` [here](http://a.org/\($0)).\n\n"
        }
        .joined()
        let view = TextStore()
        let rich = RichDocument(view: view, source: TextStore(Rope(source)))
        rich.show(try rich.reading().get())
        let text = view.text
        let places = SourcePlaces(text: text, source: Rope(source))
        for number in [0, 7, 149] {
            let index = try #require(source.firstRange(of: "code \(number)`")).lowerBound
            let wanted = UTF16Offset(source.utf16.distance(from: source.utf16.startIndex, to: index))
            let shown = text.description
            let place = try #require(shown.firstRange(of: "code \(number) here")).lowerBound
            let offset = UTF16Offset(shown.utf16.distance(from: shown.utf16.startIndex, to: place))
            #expect(places.text(of: wanted + 2) == offset + 2)
            #expect(places.source(of: offset + 2) == wanted + 2)
        }
    }

    private func place(_ caret: UTF16Offset, top: UTF16Offset = 0) -> RecentFiles.Place {
        .init(caret: caret, top: top)
    }

    @Test func undoInTheSourceTakesBackWhatWasDoneToTheStyledText() throws {
        let (view, source) = (TextStore(), TextStore("# One\n\ntwo\n"))
        let rich = RichDocument(view: view, source: source)
        rich.show(try rich.reading().get())
        view.replace(UTF16Offset(7)..<7, with: " words", origin: .typing)
        view.restyle { $0.set(200, of: FontWeightAttribute.self, in: 8..<13) }
        view.replace(UTF16Offset(0)..<3, with: "Title", origin: .typing)
        view.undo()
        rich.take(try #require(rich.writing(newline: .lf)).run())
        let carried = StyleSwitch(
            styled: view.styledText, view.history(atMost: 9), source: source.text, try #require(rich.document),
            anchor: 8, place(13, top: 4))
        #expect(carried.text == "# One\n\ntwo **words**\n")
        #expect((carried.anchor, carried.place) == (11, place(18, top: 7)))
        let plain = TextStore(carried.text)
        plain.adopt(carried.history)
        plain.redo()
        #expect(plain.text == "# Title\n\ntwo **words**\n")
        plain.undo()
        #expect(!plain.isModified)
        plain.undo()
        #expect(plain.text == "# One\n\ntwo words\n")
        plain.undo()
        #expect(plain.text == "# One\n\ntwo\n" && !plain.canUndo)
    }

    @Test func undoInStyledTextTakesBackWhatWasDoneToTheSource() throws {
        let source = TextStore("# One\n\ntwo\n")
        source.replace(UTF16Offset(7)..<10, with: "*two*", origin: .typing)
        source.replace(source.text.byteRange.upperBound..<source.text.byteRange.upperBound, with: "\n")
        source.replace(UTF16Offset(0)..<1, with: "##", origin: .typing)
        let carried = try #require(
            StyleSwitch(source: source.text, source.history(atMost: 9), anchor: 9, place(12, top: 8)))
        #expect(carried.text == "One\ntwo" && carried.anchor == 4 && carried.place == place(7, top: 4))
        let view = TextStore()
        let rich = RichDocument(view: view, source: source)
        rich.show(try rich.reading().get())
        view.adopt(carried.history)
        #expect(!rich.isPending && view.canUndo)
        let isEmphasized = { view.styledText.attributes(at: 5).hasRole(.emphasized) }
        #expect(isEmphasized())
        view.undo()
        rich.take(try #require(rich.writing(newline: .lf)).run())
        #expect(source.text.description.hasPrefix("# One\n\n*two*\n"))
        // The step that only added a newline at the end of the source is not visible in the styled text.
        view.undo()
        #expect(!isEmphasized() && !view.canUndo)
        view.redo()
        view.redo()
        #expect(isEmphasized() && view.text == "One\ntwo" && !view.canRedo)
    }

    @Test func aLargeTextTakesFewStepsAlong() {
        #expect(StyleSwitch.steps(of: "short") == 200)
        #expect(StyleSwitch.steps(of: Rope(String(repeating: "x", count: 4 << 20))) == 2)
    }

    /// Undo that would bring back a very large text is not carried over, however short the text is now.
    @Test func undoToAVeryLargeTextIsNotCarriedOver() throws {
        let source = TextStore("one")
        source.replace(UTF16Offset(0)..<3, with: String(repeating: "word\n", count: 2 << 20))
        source.replace(source.text.utf16Range, with: "two")
        source.replace(UTF16Offset(0)..<3, with: "three")
        let carried = try #require(
            StyleSwitch(source: source.text, source.history(atMost: 9), anchor: 0, place(0)))
        let store = TextStore("three")
        store.adopt(carried.history)
        store.undo()
        #expect(store.text == "two" && !store.canUndo)
    }
}

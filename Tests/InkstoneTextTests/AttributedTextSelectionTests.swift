import FoundationEssentials
import InkstoneBase
import Testing

@testable import InkstoneAttributedText
@testable import InkstoneText

/// Conversion between SwiftUI's selections of attributed strings and a text's selections.
@Suite(.timeLimit(.minutes(5))) struct AttributedTextSelectionTests {
    private enum Bold: AttributedStringKey {
        typealias Value = Bool
        static let name = "selection.bold"
    }

    private enum Link: AttributedStringKey {
        typealias Value = Int
        static let name = "selection.link"
        static let inheritedByAddedText = false
    }

    private static let bridging = AttributeBridging(Bold.self, Link.self)

    /// Creates a string of runs from `plain *bold* _link_`.
    private func string(_ notation: String) -> AttributedString {
        var result = AttributedString()
        var attributes = AttributeContainer()
        for character in notation {
            switch character {
            case "*": attributes[Bold.self] = attributes[Bold.self] == nil ? true : nil
            case "_": attributes[Link.self] = attributes[Link.self] == nil ? 1 : nil
            default: result += AttributedString(String(character), attributes: attributes)
            }
        }
        return result
    }

    /// Returns the notation of a string.
    private func notation(_ string: AttributedString) -> String {
        var result = ""
        for run in string.runs {
            let mark = (run[Bold.self] == true ? "*" : "") + (run[Link.self] != nil ? "_" : "")
            result += mark + String(string.characters[run.range]) + String(mark.reversed())
        }
        return result
    }

    private func range(_ low: Int, _ high: Int, in string: AttributedString) -> Range<AttributedString.Index> {
        let start = string.startIndex
        return string.characters.index(start, offsetBy: low)..<string.characters.index(start, offsetBy: high)
    }

    /// Returns the selected ranges in characters.
    private func offsets(_ selection: AttributedTextSelection, in string: AttributedString) -> [Range<Int>] {
        func offset(_ index: AttributedString.Index) -> Int {
            string.characters.distance(from: string.startIndex, to: index)
        }
        switch selection.indices(in: string) {
        case .insertionPoint(let index): return [offset(index)..<offset(index)]
        case .ranges(let ranges): return ranges.ranges.map { offset($0.lowerBound)..<offset($0.upperBound) }
        }
    }

    // MARK: Strings

    @Test func aSelectionIsReplacedAtItsFirstRange() {
        var text = string("one *two* three")
        let ranges = RangeSet([range(0, 3, in: text), range(4, 7, in: text), range(10, 13, in: text)])
        var selection = AttributedTextSelection(ranges: ranges)
        text.replaceSelection(&selection, with: string("*X*y"))
        #expect(notation(text) == "*X*y  th" && offsets(selection, in: text) == [2..<2])
        text.replaceSelection(&selection, with: string("日本"))
        #expect(notation(text) == "*X*y日本  th" && offsets(selection, in: text) == [4..<4])
        var end = AttributedTextSelection()
        text.replaceSelection(&end, with: string("!"))
        #expect(notation(text) == "*X*y日本  th!" && offsets(end, in: text) == [9..<9])
    }

    @Test func charactersGetWhatIsTypedThere() {
        var text = string("one *two* _three_")
        var caret = AttributedTextSelection(insertionPoint: range(7, 7, in: text).lowerBound)
        text.replaceSelection(&caret, withCharacters: "xy")
        #expect(notation(text) == "one *twoxy* _three_" && offsets(caret, in: text) == [9..<9])
        // A key that is not inherited is omitted, even if all its text is replaced.
        var link = AttributedTextSelection(range: range(10, 15, in: text))
        #expect(link.typingAttributes(in: text) == AttributeContainer())
        text.replaceSelection(&link, withCharacters: "z")
        #expect(notation(text) == "one *twoxy* z")
        // Attributes set for the caret apply to the text inserted next.
        var bold = AttributeContainer()
        bold[Bold.self] = true
        var chosen = AttributedTextSelection(insertionPoint: text.endIndex, typingAttributes: bold)
        text.replaceSelection(&chosen, withCharacters: "A")
        text.replaceSelection(&chosen, withCharacters: "B")
        #expect(notation(text) == "one *twoxy* z*AB*")
        // At the start of a paragraph, inserted text has the attributes of the text after it.
        var lines = string("a\n*b*")
        var start = AttributedTextSelection(insertionPoint: range(2, 2, in: lines).lowerBound)
        lines.replaceSelection(&start, withCharacters: "x")
        #expect(notation(lines) == "a\n*xb*")
    }

    @Test func attributesAreChangedRunByRunAndWhatIsSelectedStays() {
        var text = string("one *two* three")
        var selection = AttributedTextSelection(ranges: RangeSet([range(2, 5, in: text), range(8, 9, in: text)]))
        #expect(selection.attributes(in: text).map { $0[Bold.self] } == [nil, true, nil])
        text.transformAttributes(in: &selection) { $0[Bold.self] = $0[Bold.self] == nil ? true : nil }
        #expect(notation(text) == "on*e *t*wo* *t*hree")
        #expect(offsets(selection, in: text) == [2..<5, 8..<9])
        var caret = AttributedTextSelection(insertionPoint: text.endIndex)
        text.transformAttributes(in: &caret) { $0[Bold.self] = true }
        #expect(caret.attributes(in: text).map { $0[Bold.self] } == [true])
        text.replaceSelection(&caret, withCharacters: "!")
        #expect(notation(text) == "on*e *t*wo* *t*hree*!*")
    }

    @Test func aSelectionFollowsEditsOfItsString() {
        var text = string("one two")
        var selection = AttributedTextSelection(range: range(4, 7, in: text))
        text.transform(updating: &selection) { $0.insert(AttributedString("zero "), at: $0.startIndex) }
        #expect(offsets(selection, in: text) == [9..<12])
        text.transform(updating: &selection) { $0.removeSubrange(self.range(8, 10, in: $0)) }
        #expect(offsets(selection, in: text) == [8..<10])
        text.transform(updating: &selection) { $0.removeSubrange(self.range(7, 10, in: $0)) }
        #expect(offsets(selection, in: text) == [7..<7])
        // Assigning a new string loses the selection's position.
        text.transform(updating: &selection) { $0 = AttributedString("else") }
        #expect(offsets(selection, in: text) == [4..<4])
    }

    /// T4: a stale index does not trap in Foundation, but selects arbitrary text.
    @Test func aSelectionOfAnotherStringIsTheEnd() {
        let old = string("one two three")
        let selection = AttributedTextSelection(range: range(4, 7, in: old))
        var text = old
        #expect(selection.isValid(in: text))
        text.insert(AttributedString("x"), at: text.startIndex)
        #expect(!selection.isValid(in: text) && offsets(selection, in: text) == [14..<14])
        #expect(selection.isValid(in: old) && offsets(selection, in: old) == [4..<7])
    }

    // MARK: Documents

    private func document(_ notation: String) -> AttributedTextDocument {
        AttributedTextDocument(
            TextStore(StyledText(string(notation), bridging: Self.bridging)), bridging: Self.bridging)
    }

    @Test func aDocumentMakesItsStringWhenItIsReadAndNotBefore() throws {
        let document = document("one *two* three")
        var selection = document.selection(of: Selection(anchor: 4, head: 7))
        try document.replaceSelection(&selection, with: string("*X*Y"))
        try document.replaceSelection(&selection, withCharacters: "z")
        document.store.replace(UTF16Offset(0)..<0, with: "> ")
        #expect(try document.selection(selection) == Selection(caret: 9) && document.madeStrings == 0)
        #expect(notation(document.string) == "> one *X*Yz three" && notation(document.string(in: 6..<9)) == "*X*Yz")
        #expect(document.madeStrings == 1)
        document.store.undo()
        #expect(notation(document.string) == "one *X*Yz three" && document.madeStrings == 2)
        document.store.undo()
        document.store.undo()
        #expect(notation(document.string) == "one *two* three")
    }

    @Test func aSelectionMapsThroughTheLogAndBeyondItIsReported() throws {
        let document = document("one two three")
        let offsets = document.selection(of: Selection(anchor: 4, head: 7))
        let indices = AttributedTextSelection(range: range(4, 7, in: document.string))
        document.store.replace(UTF16Offset(0)..<4, with: "")
        #expect(try document.selection(offsets) == Selection(anchor: 0, head: 3))
        #expect(try document.selection(indices) == Selection(anchor: 0, head: 3), "of the string that was made last")
        _ = document.string
        #expect(throws: AttributedTextError.staleIndices) { try document.selection(indices) }
        let other = AttributedTextDocument(TextStore("one two three"))
        #expect(throws: AttributedTextError.otherDocument) { try other.selection(offsets) }
        // Beyond the log, the position is only valid, and the loss is reported.
        var expired = 0
        document.store.expiredPositionHandler = { _ in expired += 1 }
        for _ in 0..<4_200 { document.store.replace(UTF16Offset(0)..<1, with: "y", undo: .notRecorded) }
        let clamped = try document.selection(offsets)
        #expect(
            expired > 0
                && clamped.ranges.allSatisfy { $0.range.upperBound <= document.store.text.utf16Range.upperBound })
    }

    @Test func changesAreHandedOverAsPieces() {
        let document = document("one *two* three")
        var model = document.string
        let observation = document.observeChanges { changes in
            for change in changes.reversed() {
                let start = model.startIndex
                let low = model.utf16.index(start, offsetBy: change.range.lowerBound.value)
                let high = model.utf16.index(start, offsetBy: change.range.upperBound.value)
                model.replaceSubrange(low..<high, with: change.replacement)
            }
        }
        document.store.replace(UTF16Offset(5)..<5, with: "x")
        document.store.restyle { $0.set(true, of: StringAttribute<Bold>.self, in: 0..<2) }
        document.replace(8..<10, with: string("_l_"))
        document.store.undo()
        document.store.undo()
        #expect(notation(model) == "one *txwo* three" && document.madeStrings == 1)
        #expect(notation(document.string) == notation(model))
        withExtendedLifetime(observation) {}
    }
}

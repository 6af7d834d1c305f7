import InkstoneBase
import InkstoneText
import TextTestSupport
import Testing

@testable import InkstoneLayout

/// Long paragraphs of characters beyond U+FFFF: the parts in which they are laid out begin and end between
/// characters, wherever layout starts.
@Suite(.timeLimit(.minutes(5))) struct PairSeamTests {
    /// Returns emoji and spaces, so that about every second offset is inside of a surrogate pair; some Hebrew text
    /// makes bidi levels necessary.
    private static func text(isMixed: Bool) -> String {
        let word = isMixed ? "💖💖𐤀💖 שלום 💖🎉 a💖" : "💖💖🎉💖 💖🎉 a💖"
        return String(repeating: word + " ", count: 3000)
    }

    /// A fragment shows exactly its range of the text, even if layout jumped to it.
    @Test(arguments: [true, false], [true, false]) func partsBeginBetweenCharacters(_ wraps: Bool, _ isMixed: Bool) {
        let layout = makeLayout(Self.text(isMixed: isMixed), width: 300, wraps: wraps)
        let text = layout.store.text
        let length = text.metrics.utf16
        for place in stride(from: 9000, to: length - 9000, by: 4001) {
            let placed = layout.document.placedFragment(at: place)
            #expect(text.scalarBoundary(placed.start) == placed.start, "jump to \(place) of \(length)")
            #expect(text.scalarBoundary(placed.start + placed.units) == placed.start + placed.units)
            let own = text.utf16(in: UTF16Offset(placed.start)..<UTF16Offset(placed.start + placed.units))
            #expect(placed.fragment.shaped.text == own, "jump to \(place) of \(length)")
            if placed.fragment.shaped.text != own { return }
            // The next fragment begins where this one ends.
            let next = layout.document.placedFragment(at: placed.start + placed.units)
            #expect(next.start == placed.start + placed.units)
        }
    }

    /// Tens of thousands of marks, with a surrogate pair where the search for the end of the cluster stops.
    @Test func aPairBehindTensOfThousandsOfMarksEndsThem() {
        for marks in [32_764, 32_765, 32_766, 32_767] {
            let layout = makeLayout("a" + String(repeating: "\u{301}", count: marks) + "💖 b", width: 300)
            let lines = layout.allLines
            #expect(lines.last?.utf16Range.upperBound.value == marks + 5)
        }
    }
}

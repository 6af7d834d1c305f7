import Inkstone
import Testing

@testable import inkstone_editor

/// Suggestions for a misspelled word in the menu of the text.
@Suite(.timeLimit(.minutes(5))) struct SuggestionItemsTests {
    private func shown(_ count: Int) -> [MenuItem] {
        EditorWindow.shortened((0..<count).map { MenuItem("\($0)") {} })
    }

    /// The commands below a dozen of them would be out of sight.
    @Test func theFirstFourStandInTheMenuAndOthersBehindThem() {
        #expect(shown(5).map(\.title) == ["0", "1", "2", "3", "4"], "a submenu of one saves nothing")
        let long = shown(12)
        #expect(long.map(\.title) == ["0", "1", "2", "3", Words.moreSuggestions] && long.last?.kind == .submenu)
        #expect(long.last?.items.map(\.title) == (4..<12).map(String.init))
    }
}

import Inkstone
import InkstoneWords
import Testing

@testable import inkstone_editor

/// Menu items whose titles come from elsewhere, such as file names.
@Suite(.timeLimit(.minutes(5))) struct MenuLineTests {
    private func shown(_ count: Int) -> [MenuItem] {
        EditorWindow.shortened((0..<count).map { MenuItem("\($0)") {} })
    }

    /// With a dozen items in the menu, the commands below would be out of sight; so all but four go to a submenu.
    @Test func theFirstFourStandInTheMenuAndOthersBehindThem() {
        #expect(shown(5).map(\.title) == ["0", "1", "2", "3", "4"], "a submenu of one saves nothing")
        let long = shown(12)
        #expect(long.map(\.title) == ["0", "1", "2", "3", Words.moreSuggestions] && long.last?.kind == .submenu)
        #expect(long.last?.items.map(\.title) == (4..<12).map(String.init))
    }

    @Test func linesOfCommandsHaveTheCapitalsOfTheOthers() {
        #expect(Words.menuTitle(.moveLinesUp) == "Move Lines Up")
        #expect(Words.menuTitle(.splitSelectionIntoLines) == "Split Selection into Lines")
    }

    /// Line numbers have the digits of the user's language, like the status line: Arabic digits in Arabic, for
    /// example.
    @Test func numbersOfLinesHaveTheDigitsOfTheLanguage() {
        let index = ParagraphIndex(1203)
        #expect(LineNumberRuler.text(of: index, in: Language(locale: "en_US")) == "1204")
        #expect(LineNumberRuler.text(of: index, in: Language(locale: "ar_EG")) == "١٢٠٤")
        #expect(LineNumberRuler.text(of: index, in: Language(locale: "ar_MA")) == "1204")
    }
}

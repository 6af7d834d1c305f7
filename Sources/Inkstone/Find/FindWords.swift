import InkstoneWords

/// The texts of the find bar.
enum FindWords {
    /// Returns a number with separators between its groups of thousands.
    static func grouped(_ number: Int) -> String { LibraryWords.language.number(number, grouped: true) }

    static var close: String { localized("Close") }
    static var findTitle: String { localized("Find") }
    static var replaceTitle: String { localized("Replace") }
    static var replaceWith: String { localized("Replace with") }
    /// The label of the button that replaces all matches. It is short, because it is beside the button Replace.
    static var replaceAllShort: String { localized("All") }
    /// The label of the button that replaces the matches in the selection, beside the button Replace.
    static var inSelection: String { localized("In Selection") }
    static var matchCase: String { localized("Match case") }
    static var wholeWords: String { localized("Whole words") }
    static var regularExpression: String { localized("Regular expression") }
    /// Returns the announcement of an option's new state to assistive technology.
    static func turned(_ name: String, isOn: Bool) -> String {
        isOn ? localized("\(name): on") : localized("\(name): off")
    }
    static var previousMatch: String { localized("Previous match") }
    static var nextMatch: String { localized("Next match") }
    static var replaceAll: String { localized("Replace all") }
    static var replaceAllInSelection: String { localized("Replace all in the selection") }
    static var textIsReadOnly: String { localized("The text is read-only") }
    static var nothingSelected: String { localized("Nothing was selected") }
    static var nothingReplaced: String { localized("Nothing replaced") }
    static func replaced(_ count: Int, _ text: String) -> String {
        localized(count, one: "1 replaced", other: "\(text) replaced")
    }
    static var barWasClosed: String { localized("Nothing was replaced: the find bar was closed first") }
    static func notFound(_ pattern: String) -> String { localized("“\(pattern)” not found") }
    static func searchContinued(fromTop: Bool) -> String {
        fromTop ? localized("Search continued from the top") : localized("Search continued from the bottom")
    }
    static var replacing: String { localized("Replacing… · Esc: cancel") }
    static var searching: String { localized("Searching…") }
    static var noMatch: String { localized("Not found") }
    static var tooComplex: String { localized("Expression is too complex") }
    static func match(_ ordinal: String, of count: String) -> String { localized("\(ordinal) of \(count)") }
    /// Returns the position of a match that was found after the search had continued at the other end of the text.
    static func match(_ match: String, fromTop: Bool) -> String {
        fromTop ? localized("\(match), from the top") : localized("\(match), from the bottom")
    }
    static var invalidExpression: String { localized("Invalid regular expression") }
    static func mistake(_ text: String, at position: Int) -> String { localized("\(text) at position \(position)") }
    static var unfinishedEscape: String { localized("“\\” with nothing behind it") }
    static func without(_ bracket: String, _ other: String) -> String {
        localized("Missing “\(other)” for “\(bracket)”")
    }
    static func nothingToRepeat(_ sign: String) -> String { localized("Nothing to repeat before “\(sign)”") }
}

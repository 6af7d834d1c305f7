import Inkstone
import InkstoneTesting
import Testing

@testable import inkstone_editor

/// The list of choices above the line of a prompt.
@Suite(.timeLimit(.minutes(5))) struct PromptChoicesTests {
    private static let folder: [PathCompletion.Entry] = [
        .init(name: "other.txt", isFolder: false), .init(name: "Notes.txt", isFolder: false),
        .init(name: ".hidden", isFolder: false), .init(name: "notes", isFolder: true),
        .init(name: "my notes", isFolder: false),
    ]

    /// Does the background reading that the choices request, and returns the number of requests.
    private func read(_ choices: inout any PromptChoices, _ typed: String) -> Int {
        var count = 0
        while let reading = choices.beginReading() {
            count += 1
            reading.read()(&choices)
            choices.filter(typed)
        }
        return count
    }

    private func names(_ choices: any PromptChoices) -> [String] { (0..<choices.count).map { choices.row($0).name } }

    @Test func theFilesOfAFolderThatFitAreShown() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        for entry in Self.folder {
            let path = "\(directory)/\(entry.name)\(entry.isFolder ? "/inside.txt" : "")"
            SmallFile.makeDirectory(of: FilePath(path))
            try TextFiles.write("", to: path)
        }
        var choices: any PromptChoices = FileChoices(openedWith: "\(directory)/")
        func type(_ name: String) -> [String] {
            choices.filter("\(directory)/\(name)")
            _ = read(&choices, "\(directory)/\(name)")
            return names(choices)
        }
        #expect(type("") == ["notes/", "my notes", "Notes.txt", "other.txt"], "folders first")
        #expect(type("no") == ["notes/", "Notes.txt"])
        #expect(type("y no") == ["my notes"], "nothing begins so")
        #expect(type(".h") == [".hidden"])
        #expect(type("other.txt").isEmpty, "it is there in full")
        #expect(type("notes/") == ["inside.txt"])
        #expect(type("none/x").isEmpty)
    }

    @Test func aFolderIsReadOnceAndWhatComesTooLateIsDropped() throws {
        var choices: any PromptChoices = FileChoices(openedWith: "/nowhere/")
        choices.filter("/nowhere/n")
        let early = [choices.beginReading(), choices.beginReading()]
        let reading = try #require(early[0])
        #expect(early[1] == nil)
        choices.filter("/elsewhere/")
        let late = [choices.beginReading(), choices.beginReading()]
        #expect(late[0] != nil && late[1] == nil)
        reading.read()(&choices)
        let last = choices.beginReading()
        #expect(last == nil, "the other one is being read")
    }

    @Test func theOnlyFileThatBeginsWithWhatIsTypedIsOpened() throws {
        let directory = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(directory) }
        SmallFile.makeDirectory(of: FilePath("\(directory)/Notes/inside.txt"))
        for name in ["Letter.txt", "list", "list2"] { try TextFiles.write("", to: "\(directory)/\(name)") }
        for (typed, match) in [
            ("let", "Letter.txt"), ("tter", nil), ("no", "Notes/"), ("list", nil), ("li", nil), ("new", nil), ("", nil),
        ] {
            #expect(PathCompletion.onlyMatch(of: "\(directory)/\(typed)") == match.map { "\(directory)/\($0)" })
        }
        // A file that was made after the folder was listed, and has exactly the typed name, is the one to open.
        try TextFiles.write("", to: "\(directory)/let")
        #expect(PathCompletion.onlyMatch(of: "\(directory)/let") == nil)
    }

    /// The latest file is next to the line: Up chooses it and stops at the oldest one; Down leads back to the typed
    /// text.
    @Test func theRecentFilesAreShownUntilSomethingIsTyped() {
        var choices: any PromptChoices = FileChoices(openedWith: "/texts/", recent: ["/a/latest.txt", "/b/older.txt"])
        choices.filter("/texts/")
        var reading = choices.beginReading()
        #expect(reading == nil && choices.home == 1 && choices.line == "/texts/")
        #expect(choices.row(1) == .init(name: "latest.txt", text: "/a"))
        for line in ["/a/latest.txt", "/b/older.txt", "/b/older.txt"] {
            choices.move(by: -1)
            #expect(choices.line == line)
        }
        choices.move(by: 1)
        #expect(choices.line == "/a/latest.txt")
        choices.move(by: 1)
        #expect(choices.line == "/texts/" && choices.chosen == nil)
        choices.move(by: 1)
        #expect(choices.line == "/b/older.txt")
        choices.move(by: 7)
        #expect(choices.line == "/a/latest.txt")
        choices.filter("/texts/n")
        reading = choices.beginReading()
        #expect(reading != nil && choices.count == 0 && choices.answer(to: "/x") == "/x")
    }

    @Test func aHugeFolderIsOrderedAndFilteredInTime() {
        let entries = (0..<20_000).reversed().map { PathCompletion.Entry(name: "File \($0)", isFolder: $0 % 2 == 0) }
        let ordered = FileChoices.order(entries)
        #expect(ordered.count == 20_000 && ordered[0].isFolder && !ordered[19_999].isFolder)
        #expect(PathCompletion(typed: "/x/file 1999").fitting(ordered).map(\.name).sorted().first == "File 1999")
    }

    @Test func numbersInNamesOfFilesAreOrderedAsNumbers() {
        let names = ["10.txt", "02.txt", "9.txt", "01.txt", "a10", "a9b", "A2", "b", "a", "2024-01 x", "2024-1 x"]
        let ordered = FileChoices.order(names.map { PathCompletion.Entry(name: $0, isFolder: false) }).map(\.name)
        #expect(
            ordered == ["01.txt", "02.txt", "9.txt", "10.txt", "2024-01 x", "2024-1 x", "a", "A2", "a9b", "a10", "b"])
    }

    @Test func fontsAreFoundByAPartOfTheirNames() {
        var choices: any PromptChoices = NamedChoices.fonts(current: "DejaVu Sans Mono:pixelsize=30", openedWith: "x")
        choices.filter("x")
        #expect(read(&choices, "x") == 1)
        #expect(names(choices).first == "Default font" && choices.answer(to: "x") == "DejaVu Sans Mono")
        choices.filter("sans mono")
        #expect(choices.answer(to: "sans mono") == "DejaVu Sans Mono")
        choices.filter("DejaVu Sans")
        #expect(choices.answer(to: "") == "DejaVu Sans", "one that begins so stands first")
        choices.filter("DejaVu Sans:pixelsize=9")
        #expect(choices.answer(to: "DejaVu Sans:pixelsize=9") == "DejaVu Sans:pixelsize=9")
        choices.filter("")
        #expect(choices.answer(to: "") == "")
    }

    @Test func rowsScrollAsFarAsThereAreAnyAndFollowWhatIsChosen() {
        var rows = VisibleRows()
        #expect(rows.range.isEmpty)
        rows.count = 5
        rows.scroll(by: 3)
        #expect(rows.range == 0..<5)
        rows.count = 20
        rows.reveal(10)
        #expect(rows.range == 3..<11)
        rows.reveal(12)
        #expect(rows.range == 5..<13)
        rows.reveal(6)
        #expect(rows.range == 5..<13)
        rows.scroll(by: 100)
        #expect(rows.range == 12..<20)
        rows.count = 9
        #expect(rows.range == 1..<9)
        rows.scroll(by: -100)
        #expect(rows.range == 0..<8)
    }

    @Test func aChosenLanguageIsAddedOrRemoved() {
        #expect(NamedChoices.toggling("de_DE", in: ["en_US"]) == "en_US de_DE")
        #expect(NamedChoices.toggling("en_US", in: ["en_US", "de_DE"]) == "de_DE")
        #expect(NamedChoices.toggling("de_DE", in: ["de_DE"]) == "de_DE")
        #expect(NamedChoices.toggling("de_DE", in: []) == "de_DE")
    }

    /// When more choices arrive late, a row that the user chose stays chosen. Otherwise the preferred row is
    /// chosen.
    @Test func lateChoicesKeepTheChosenRow() throws {
        let late: [NamedChoices.Choice] = ["a", "b", "c"].map { .init(answer: $0, row: .init(name: $0)) }
        for keepsChosen in [false, true] {
            var choices: any PromptChoices = NamedChoices(
                [.init(answer: "default", row: .init(name: "default")), .init(answer: "x", row: .init(name: "x"))],
                openedWith: "", for: "b"
            ) { late }
            let begun = choices.beginReading()
            let reading = try #require(begun)
            if keepsChosen { choices.move(by: 1) }
            ChoiceReading.take(reading.read(), into: &choices, typed: "", keepsChosen: keepsChosen)
            #expect(choices.count == 5 && choices.answer(to: "") == (keepsChosen ? "x" : "b"))
        }
    }

    /// Earlier commands are listed with the latest next to the line, and filtered by the typed text.
    @Test func formerCommandsAreOfferedTheLatestFirst() {
        var choices = FormerCommands()
        for command in ["sort", "fmt -w 60", "sort | uniq", "fmt -w 60"] { choices.note(command) }
        #expect(choices.all == ["sort", "sort | uniq", "fmt -w 60"], "each once")
        choices.filter("fmt -w 60")
        #expect(choices.count == 3 && choices.chosen == nil && choices.home == 2, "the line has the latest one")
        choices.move(by: 1)
        #expect(choices.chosen == nil)
        choices.move(by: -1)
        #expect(choices.line == "sort | uniq", "the line has the latest already")
        choices.move(by: -5)
        #expect(choices.line == "sort")
        choices.move(by: 2)
        choices.move(by: 1)
        #expect(choices.chosen == nil && choices.line == "fmt -w 60", "back in the line")
        choices.filter("uniq")
        #expect(choices.count == 1)
        choices.move(by: -1)
        #expect(choices.answer(to: choices.line ?? "") == "sort | uniq")
    }
}

import Inkstone

/// The files to choose from while a path is typed: matching ones of its folder, or the recent ones until something is typed. A value.
struct FileChoices: PromptChoices {
    /// The paths of recent files, the latest last; shown for the text that the line was opened with.
    private let recent: [String]
    private let start: String
    /// The text that the user has typed.
    private var typed: String
    /// The content of the last folder read, in display order.
    private var entries: [PathCompletion.Entry] = []
    /// The last folder read, and the one being read, as typed.
    private var (folder, reading): (String?, String?)
    /// The entries that match the typed text.
    private var fitting: [PathCompletion.Entry] = []
    private(set) var chosen: Int?

    /// Choices for a line that is opened with a text. `recent`: the recent files, the latest first.
    init(openedWith start: String, recent: [String] = []) {
        (self.start, self.recent, typed) = (start, recent.reversed(), start)
    }

    /// Whether recent files are shown.
    private var isRecent: Bool { typed == start && !recent.isEmpty }

    var count: Int { isRecent ? recent.count : fitting.count }

    /// The latest recent file is next to the line.
    var home: Int { isRecent ? recent.count - 1 : 0 }

    /// The path of the chosen row; the typed text if none is chosen.
    var line: String? { chosen.map(path) ?? typed }

    /// Returns the typed text, which is also that of a chosen row.
    func answer(to typed: String) -> String { typed }

    /// Returns the path of a row, as it is typed.
    func path(_ index: Int) -> String {
        if isRecent { return recent[index] }
        return (folder ?? "") + fitting[index].name + (fitting[index].isFolder ? "/" : "")
    }

    func row(_ index: Int) -> ChoiceList.Row {
        guard isRecent else {
            let entry = fitting[index]
            return ChoiceList.Row(name: FilePath.label(entry.name, limit: 80) + (entry.isFolder ? "/" : ""))
        }
        return Self.row(of: FilePath(typed: recent[index]))
    }

    /// Returns the row of a file in any folder.
    static func row(of path: FilePath) -> ChoiceList.Row {
        ChoiceList.Row(name: path.lastComponent.label, text: path.directory.label)
    }

    mutating func filter(_ text: String) {
        (typed, chosen) = (text, nil)
        let completion = PathCompletion(typed: text)
        guard completion.folder == folder else { return fitting = [] }
        fitting = completion.fitting(entries)
        // A name that is typed in full needs no choice.
        if fitting.count == 1, path(0) == typed { fitting = [] }
    }

    mutating func choose(_ index: Int) { chosen = (0..<count).contains(index) ? index : nil }

    /// Moves the choice down from the line to the first row, up from it to the last one, which is next to the line, and back to the line.
    mutating func move(by step: Int) {
        guard count > 0 else { return }
        let next = (chosen ?? (step < 0 ? count : -1)) + step
        choose(next >= count && (step > 1 || chosen == nil) ? count - 1 : max(0, next))
    }

    /// Returns a read of the typed text's folder, if the folder has changed.
    mutating func beginReading() -> ChoiceReading? {
        let folder = PathCompletion(typed: typed).folder
        guard !isRecent, folder != self.folder, folder != reading else { return nil }
        reading = folder
        return ChoiceReading {
            Self.order(PathCompletion(typed: folder).entries)
        } then: { (choices: inout FileChoices, entries) in
            choices.take(entries, of: folder)
        }
    }

    /// Sets the content of a folder, unless another one has been typed since.
    private mutating func take(_ entries: [PathCompletion.Entry], of folder: String) {
        if reading == folder { reading = nil }
        guard PathCompletion(typed: typed).folder == folder else { return }
        (self.entries, self.folder) = (entries, folder)
    }

    /// Sorts folders first, then by name, ignoring case, with numbers in numeric order. O(n log n) for n entries.
    static func order(_ entries: [PathCompletion.Entry]) -> [PathCompletion.Entry] {
        entries.map { (key: ($0.isFolder ? 0 : 1, sortKey($0.name), $0.name), entry: $0) }
            .sorted { $0.key < $1.key }.map(\.entry)
    }

    /// Returns a name with the number of its digits before each number, without leading zeros, so that 9 and 09 come before 10.
    private static func sortKey(_ name: String) -> String {
        let name = name.lowercased()
        guard name.utf8.contains(where: { 0x30...0x39 ~= $0 }) else { return name }
        var key = ""
        var digits = ""
        func finish() {
            if !digits.isEmpty {
                let number = digits.drop { $0 == "0" }
                key += (number.count < 10 ? "0" : "") + "\(number.count)" + number
            }
            digits = ""
        }
        for character in name {
            if character.isASCII, character.isNumber {
                digits.append(character)
            } else {
                finish()
                key.append(character)
            }
        }
        finish()
        return key
    }
}

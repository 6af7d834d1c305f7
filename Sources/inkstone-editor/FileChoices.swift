import Inkstone
import InkstoneFiles

/// The choices of a prompt for a path: the files and folders that match the typed path, or the recent files until
/// something is typed.
struct FileChoices: PromptChoices {
    /// The paths of recent files, the latest last. They are shown until the user changes the text in the line.
    private let recent: [String]
    private let start: String
    /// The text that the user has typed in the prompt's line.
    private var typed: String
    /// The entries of the folder last read, in display order.
    private var entries: [PathCompletion.Entry] = []
    /// The folder last read, and the folder being read, both as typed; nil for none.
    private var (folder, reading): (String?, String?)
    /// The entries of the folder that match the typed text.
    private var fitting: [PathCompletion.Entry] = []
    private(set) var chosen: Int?

    /// Creates the choices for a prompt whose line is opened with the text `start`. `recent` are the recent files,
    /// the latest first.
    init(openedWith start: String, recent: [String] = []) {
        (self.start, self.recent, typed) = (start, recent.reversed(), start)
    }

    /// Whether the recent files are shown.
    private var isRecent: Bool { typed == start && !recent.isEmpty }

    var count: Int { isRecent ? recent.count : fitting.count }

    /// The row to be visible while none is chosen. Recent files are listed upwards, so that the latest is next to
    /// the prompt's line below.
    var home: Int { isRecent ? recent.count - 1 : 0 }

    /// The text for the prompt's line: the path of the chosen row, or the typed text if none is chosen.
    var line: String? { chosen.map(path) ?? typed }

    /// Returns the text in the line unchanged: choosing a row has put that row's path there.
    func answer(to typed: String) -> String { typed }

    /// Returns the path of the row at an index, as the user would type it.
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

    /// Returns the row for a file: its name, and its folder as the remark.
    static func row(of path: FilePath) -> ChoiceList.Row {
        ChoiceList.Row(name: path.lastComponent.label, text: path.directory.label)
    }

    mutating func filter(_ text: String) {
        (typed, chosen) = (text, nil)
        let completion = PathCompletion(typed: text)
        guard completion.folder == folder else { return fitting = [] }
        fitting = completion.fitting(entries)
        // Show no list for a name that is typed in full.
        if fitting.count == 1, path(0) == typed { fitting = [] }
    }

    mutating func choose(_ index: Int) { chosen = (0..<count).contains(index) ? index : nil }

    /// Moves the choice by `step` rows. From the prompt's line, down leads to the first row, and up to the last
    /// row, which is next to the line. From the last row, one step down leads back to the line; a step of several
    /// rows stops at the last row. From the first row, a step up has no effect.
    mutating func move(by step: Int) {
        guard count > 0 else { return }
        let next = (chosen ?? (step < 0 ? count : -1)) + step
        choose(next >= count && (step > 1 || chosen == nil) ? count - 1 : max(0, next))
    }

    /// Returns the work of reading the folder of the typed path; nil while the recent files are shown, and if that
    /// folder was read or is being read.
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

    /// Sets the entries of a folder, unless the typed path is in another folder by now.
    private mutating func take(_ entries: [PathCompletion.Entry], of folder: String) {
        if reading == folder { reading = nil }
        guard PathCompletion(typed: typed).folder == folder else { return }
        (self.entries, self.folder) = (entries, folder)
    }

    /// Sorts entries: folders first, then by name, ignoring case, with numbers in numeric order. O(n log n) for n
    /// entries.
    static func order(_ entries: [PathCompletion.Entry]) -> [PathCompletion.Entry] {
        entries.map { (key: ($0.isFolder ? 0 : 1, sortKey($0.name), $0.name), entry: $0) }
            .sorted { $0.key < $1.key }.map(\.entry)
    }

    /// Returns a key for sorting a name: in front of each number, the count of its digits without leading zeros. By
    /// this key 9 and 09 come before 10.
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

import Inkstone

/// The rows of choices above the line of a prompt. A value.
protocol PromptChoices {
    /// The number of rows.
    var count: Int { get }
    /// The index of the chosen row; nil if the text in the line is the answer.
    var chosen: Int? { get }
    /// The index of the row to show while none is chosen.
    var home: Int { get }
    /// The text in the line for the chosen row; nil to keep the typed text.
    var line: String? { get }
    /// Returns the answer for a text in the line.
    func answer(to typed: String) -> String
    /// Returns the texts of a row.
    func row(_ index: Int) -> ChoiceList.Row
    /// Keeps the rows that match a text in the line.
    mutating func filter(_ text: String)
    /// Chooses a row.
    mutating func choose(_ index: Int)
    /// Moves the choice down by `count`, at most to the first or last row.
    mutating func move(by count: Int)
    /// Returns work for another thread that adds rows; nil if there is none to begin. Called after each change.
    mutating func beginReading() -> ChoiceReading?
}

extension PromptChoices {
    var home: Int { 0 }
    var line: String? { nil }

    mutating func move(by count: Int) {
        guard self.count > 0 else { return }
        choose(max(0, min(self.count - 1, (chosen ?? -1) + count)))
    }

    mutating func beginReading() -> ChoiceReading? { nil }
}

/// Work that may take long, such as reading a folder, and adds choices.
struct ChoiceReading: Sendable {
    /// Does the work, on any thread, and returns the resulting change.
    let read: @Sendable () -> @Sendable (inout any PromptChoices) -> Void

    /// Applies the result of such work to the choices of a line.
    ///
    /// - Parameter keepsChosen: whether to keep the chosen row, because the user has chosen it.
    static func take(
        _ update: (inout any PromptChoices) -> Void, into choices: inout any PromptChoices, typed: String,
        keepsChosen: Bool
    ) {
        let answer = keepsChosen && choices.line == nil && choices.chosen != nil ? choices.answer(to: typed) : nil
        update(&choices)
        if choices.chosen == nil || choices.line != typed { choices.filter(typed) }
        guard let answer, choices.answer(to: typed) != answer else { return }
        let before = choices.chosen
        for index in 0..<choices.count {
            choices.choose(index)
            if choices.answer(to: typed) == answer { return }
        }
        if let before { choices.choose(before) }
    }

    /// Work that produces a value, and the change that applies it to the choices.
    init<Choices: PromptChoices & SendableMetatype, Value: Sendable>(
        _ value: @escaping @Sendable () -> Value, then change: @escaping @Sendable (inout Choices, Value) -> Void
    ) {
        read = {
            let value = value()
            return {
                guard var choices = $0 as? Choices else { return }
                change(&choices, value)
                $0 = choices
            }
        }
    }
}

/// Named choices, filtered by a part of their names, one of which is always chosen: fonts, recent files. A value.
struct NamedChoices: PromptChoices {
    /// A single choice.
    struct Choice: Sendable {
        /// The answer to the prompt.
        var answer: String
        var row: ChoiceList.Row
    }

    private var all: [Choice]
    /// The indices in `all` of the matching choices.
    private var fitting: [Int] = []
    private(set) var chosen: Int?
    /// The text that the line was opened with, for which all choices are shown, and the answer it represents.
    private let start: (text: String, answer: String)
    private var reading: (@Sendable () -> [Choice])?

    /// Choices for a line that is opened with a text, which represents one of the answers. `reading` adds more, and may take long.
    init(
        _ choices: [Choice] = [], openedWith text: String, for answer: String,
        reading: (@Sendable () -> [Choice])? = nil
    ) {
        (all, start, self.reading) = (choices, (text, answer), reading)
        filter(text)
    }

    var count: Int { fitting.count }

    /// Returns the answer of the chosen row; the typed text if there is none.
    func answer(to typed: String) -> String { chosen.map { all[fitting[$0]].answer } ?? typed }

    func row(_ index: Int) -> ChoiceList.Row { all[fitting[index]].row }

    /// Keeps the choices whose name or text contains the typed text, ignoring case; names that begin with it come first.
    mutating func filter(_ text: String) {
        guard text != start.text else {
            fitting = Array(all.indices)
            chosen = all.firstIndex { $0.answer == start.answer } ?? (all.isEmpty ? nil : 0)
            return
        }
        let wanted = text.lowercased()
        let names = all.map { $0.row.name.lowercased() }
        let first = all.indices.filter { names[$0].hasPrefix(wanted) }
        let others = all.indices.filter {
            !names[$0].hasPrefix(wanted)
                && (names[$0].contains(wanted)
                    || all[$0].row.family == nil && all[$0].row.text.lowercased().contains(wanted))
        }
        fitting = first + others
        chosen = fitting.isEmpty ? nil : 0
    }

    mutating func choose(_ index: Int) { chosen = fitting.indices.contains(index) ? index : chosen }

    mutating func beginReading() -> ChoiceReading? {
        guard let reading else { return nil }
        self.reading = nil
        return ChoiceReading(reading) { (choices: inout NamedChoices, read) in choices.all += read }
    }
}

extension NamedChoices {
    /// Returns the installed font families, each with a sample, below the default font. The list of fonts is read in the background.
    ///
    /// - Parameters:
    ///   - current: the pattern of the present font; empty for the default.
    ///   - text: the text that the line is opened with.
    static func fonts(current: String, openedWith text: String) -> NamedChoices {
        let family = FontDescriptor(pattern: current, size: 12).map { String($0.family.prefix { $0 != ":" }) }
        return NamedChoices(
            [Choice(answer: "", row: .init(name: Words.defaultFont))], openedWith: text,
            for: current.isEmpty ? "" : family ?? current
        ) {
            FontDescriptor.installedFamilies.map {
                let name = $0.filter { $0 != "\\" }
                return Choice(answer: $0, row: .init(name: name, text: "AaBbGg 0O 1Il {}[] éß Жя", family: $0))
            }
        }
    }

    /// Returns the recent files, the latest first.
    static func recent(_ paths: [FilePath], openedWith text: String) -> NamedChoices {
        let choices = paths.map { Choice(answer: $0.description, row: FileChoices.row(of: $0)) }
        return NamedChoices(choices, openedWith: text, for: "")
    }
}

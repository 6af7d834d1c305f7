import Inkstone

/// The choices of a prompt, shown as rows of a list above the prompt's line.
protocol PromptChoices {
    /// The number of rows.
    var count: Int { get }
    /// The index of the chosen row; nil if none is chosen, and the text in the line is the answer.
    var chosen: Int? { get }
    /// The index of the row to be visible while none is chosen.
    var home: Int { get }
    /// The text to put into the line for the chosen row; nil to keep the text in the line.
    var line: String? { get }
    /// Returns the answer of the prompt for the text in its line.
    func answer(to typed: String) -> String
    func row(_ index: Int) -> ChoiceList.Row
    /// Keeps the rows that match the text in the line.
    mutating func filter(_ text: String)
    mutating func choose(_ index: Int)
    /// Moves the choice down by `count` rows, or up if negative. At the end of the rows the choice stays, or returns to
    /// the line.
    mutating func move(by count: Int)
    /// Returns work for another thread that adds rows; nil if there is no such work, or it has begun. Called after each
    /// change of the choices.
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

/// Work on another thread that may take long, such as reading a folder, and adds choices to a prompt.
struct ChoiceReading: Sendable {
    /// Reads the choices to add, on any thread, and returns a function that adds them to those of the prompt.
    let read: @Sendable () -> @Sendable (inout any PromptChoices) -> Void

    /// Adds the result of work on another thread to the choices of a prompt whose field contains `typed`. `update`,
    /// which the work has returned, adds it.
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

    /// Creates work that computes a value, and a function that adds this value to the choices.
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

/// Choices with names, such as fonts or recent files, filtered by a part of the name. A row is always chosen if there
/// are any.
struct NamedChoices: PromptChoices {
    /// A choice: its row, and the answer that it gives.
    struct Choice: Sendable {
        /// The answer to the prompt if this row is chosen.
        var answer: String
        var row: ChoiceList.Row
    }

    private var all: [Choice]
    /// The indices in ``all`` of the choices that match the typed text.
    private var fitting: [Int] = []
    private(set) var chosen: Int?
    /// The text with which the line was opened, and the answer that it stands for. All choices are shown for this text.
    private let start: (text: String, answer: String)
    private var reading: (@Sendable () -> [Choice])?

    /// Creates choices for a prompt whose line is opened with a text that stands for one of the answers. `reading`
    /// returns more choices; it is called on another thread, because it may take long.
    init(
        _ choices: [Choice] = [], openedWith text: String, for answer: String,
        reading: (@Sendable () -> [Choice])? = nil
    ) {
        (all, start, self.reading) = (choices, (text, answer), reading)
        filter(text)
    }

    var count: Int { fitting.count }

    /// Returns the answer of the chosen row; the typed text if none is chosen.
    func answer(to typed: String) -> String { chosen.map { all[fitting[$0]].answer } ?? typed }

    func row(_ index: Int) -> ChoiceList.Row { all[fitting[index]].row }

    /// Keeps the choices whose name or remark contains the typed text, ignoring case. A remark that shows a font is
    /// not searched. Choices whose name begins with the text come first, and the first choice is chosen. If the
    /// text is that with which the line was opened, keeps all choices, and chooses the one that it stands for.
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
    /// Returns the default font and the installed font families, each with a sample, as choices. The families are
    /// read in the background.
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

    /// Returns the recent files as choices, the latest first.
    static func recent(_ paths: [FilePath], openedWith text: String) -> NamedChoices {
        let choices = paths.map { Choice(answer: $0.description, row: FileChoices.row(of: $0)) }
        return NamedChoices(choices, openedWith: text, for: "")
    }
}

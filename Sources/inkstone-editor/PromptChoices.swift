import Inkstone

/// Rows to choose from above the line of a prompt. A value.
protocol PromptChoices {
    /// Number of rows.
    var count: Int { get }
    /// Index of the chosen row; nil if what stands in the line is the answer.
    var chosen: Int? { get }
    /// Index of the row that is in sight while none is chosen.
    var home: Int { get }
    /// Text that stands in the line for the chosen row; nil if what was typed stays there.
    var line: String? { get }
    /// The answer for a text in the line.
    func answer(to typed: String) -> String
    /// Words of a row.
    func row(_ index: Int) -> ChoiceList.Row
    /// Leaves the rows that fit a text in the line.
    mutating func filter(_ text: String)
    /// Chooses a row.
    mutating func choose(_ index: Int)
    /// Chooses the row so many places further down, or the first or last.
    mutating func move(by count: Int)
    /// Work on another thread that brings more rows; nil if there is none to begin. Asked after each change.
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

/// Work that may take long, such as reading a folder, and brings something to choose from.
struct ChoiceReading: Sendable {
    /// Does the work, on any thread, and returns the change that it leads to.
    let read: @Sendable () -> @Sendable (inout any PromptChoices) -> Void

    /// Takes what has come of such work into the choices of a line that has a text.
    ///
    /// - Parameter keepsChosen: whether the chosen row stays so, because the user has chosen it and not the text.
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

    /// Work that gives a value, and the change of the choices that asked for it.
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

/// Choices with names, filtered by a part of them, one of which is chosen as long as there are any: fonts, recent files. A value.
struct NamedChoices: PromptChoices {
    /// Something to choose.
    struct Choice: Sendable {
        /// The answer that the program gets for it.
        var answer: String
        var row: ChoiceList.Row
    }

    private var all: [Choice]
    /// Indices in `all` of what fits the text.
    private var fitting: [Int] = []
    private(set) var chosen: Int?
    /// The text that the line was opened with, for which all are shown, and what it stands for.
    private let start: (text: String, answer: String)
    private var reading: (@Sendable () -> [Choice])?

    /// Choices for a line that is opened with a text, which stands for an answer among them. More come from `reading`, which may take long.
    init(
        _ choices: [Choice] = [], openedWith text: String, for answer: String,
        reading: (@Sendable () -> [Choice])? = nil
    ) {
        (all, start, self.reading) = (choices, (text, answer), reading)
        filter(text)
    }

    var count: Int { fitting.count }

    /// The answer of the chosen one; what was typed if there is none.
    func answer(to typed: String) -> String { chosen.map { all[fitting[$0]].answer } ?? typed }

    func row(_ index: Int) -> ChoiceList.Row { all[fitting[index]].row }

    /// Leaves those whose name or text has what is typed in it, without regard to case, first those that begin so.
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
    /// The installed families, each with a sample in itself, below the default font. The list of fonts is read in the background.
    ///
    /// - Parameters:
    ///   - current: pattern of the present font; empty for the default.
    ///   - text: text that the line is opened with.
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

    /// Files that were opened or saved last, the latest first.
    static func recent(_ paths: [FilePath], openedWith text: String) -> NamedChoices {
        let choices = paths.map { Choice(answer: $0.description, row: FileChoices.row(of: $0)) }
        return NamedChoices(choices, openedWith: text, for: "")
    }
}

import Inkstone

/// The commands that were entered before, above the line for another one. A value.
struct FormerCommands: PromptChoices {
    /// The maximum number of commands that are kept.
    private static let limit = 50

    /// The commands, the latest last, which is next to the line.
    private(set) var all: [String] = []
    /// The indices in `all` of the commands that are shown.
    private var fitting: [Int] = []
    private(set) var chosen: Int?
    /// The text that the user has typed.
    private var typed = ""

    /// Adds an entered command, once.
    mutating func note(_ command: String) {
        all.removeAll { $0 == command }
        all.append(command)
        all.removeFirst(max(0, all.count - Self.limit))
        (fitting, chosen, typed) = (Array(all.indices), nil, "")
    }

    var count: Int { fitting.count }

    var home: Int { max(0, fitting.count - 1) }

    /// The chosen command; the typed text if none is chosen.
    var line: String? { chosen.map { all[fitting[$0]] } ?? typed }

    /// Returns the typed text, which is also that of a chosen row.
    func answer(to typed: String) -> String { typed }

    func row(_ index: Int) -> ChoiceList.Row { ChoiceList.Row(name: FilePath.label(all[fitting[index]], limit: 120)) }

    /// Keeps the commands that contain a text; all of them for the latest, which the line is opened with.
    mutating func filter(_ text: String) {
        (typed, chosen) = (text, nil)
        fitting = all.indices.filter { text == all.last || text.isEmpty || all[$0].contains(text) }
    }

    mutating func choose(_ index: Int) { chosen = fitting.indices.contains(index) ? index : nil }

    /// Moves the choice up from the line to the latest command, and back down to the line.
    mutating func move(by step: Int) {
        guard count > 0, step < 0 || chosen != nil else { return }
        let next = (chosen ?? count) + step
        // The latest one may be in the line already.
        if chosen == nil, step == -1, count > 1, line == all[fitting[count - 1]] { return choose(count - 2) }
        choose(next >= count ? count : max(0, next))
    }
}

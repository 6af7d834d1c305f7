import Inkstone
import InkstoneFiles

/// The choices of the prompt for a shell command: the commands that were entered before.
struct FormerCommands: PromptChoices {
    /// The maximum number of commands that are kept; the oldest ones are dropped.
    private static let limit = 50

    /// The commands, the latest last. The last row is next to the prompt's line.
    private(set) var all: [String] = []
    /// The indices in ``all`` of the commands that are shown.
    private var fitting: [Int] = []
    private(set) var chosen: Int?
    /// The text that the user has typed in the prompt's line.
    private var typed = ""

    /// Adds an entered command as the latest one. Removes an earlier equal command, and the oldest command if there are
    /// too many.
    mutating func note(_ command: String) {
        all.removeAll { $0 == command }
        all.append(command)
        all.removeFirst(max(0, all.count - Self.limit))
        (fitting, chosen, typed) = (Array(all.indices), nil, "")
    }

    var count: Int { fitting.count }

    var home: Int { max(0, fitting.count - 1) }

    /// The text for the prompt's line: the chosen command, or the typed text if none is chosen.
    var line: String? { chosen.map { all[fitting[$0]] } ?? typed }

    /// Returns the text in the line unchanged: choosing a row has put that row's command there.
    func answer(to typed: String) -> String { typed }

    func row(_ index: Int) -> ChoiceList.Row { ChoiceList.Row(name: FilePath.label(all[fitting[index]], limit: 120)) }

    /// Keeps the commands that contain the text. Keeps all if the text is empty, or is the latest command, because
    /// the line is opened with that.
    mutating func filter(_ text: String) {
        (typed, chosen) = (text, nil)
        fitting = all.indices.filter { text == all.last || text.isEmpty || all[$0].contains(text) }
    }

    mutating func choose(_ index: Int) { chosen = fitting.indices.contains(index) ? index : nil }

    /// Moves the choice by `step` rows: up from the prompt's line to the latest command, and down from that back to
    /// the line.
    mutating func move(by step: Int) {
        guard count > 0, step < 0 || chosen != nil else { return }
        let next = (chosen ?? count) + step
        // If the line contains the latest command already, choose the command before it.
        if chosen == nil, step == -1, count > 1, line == all[fitting[count - 1]] { return choose(count - 2) }
        choose(next >= count ? count : max(0, next))
    }
}

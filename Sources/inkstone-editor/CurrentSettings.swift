/// What is set in a running editor, in all of its windows: what was kept at its start, what the command line has named for this run
/// alone, and what the user has chosen since.
struct CurrentSettings: Hashable {
    /// What is to be kept for the next start.
    private(set) var chosen: EditorSettings
    /// The font that the command line has named, until the user chooses one.
    private var font: String?
    /// Whether lines are wrapped, as the command line has it, until the user chooses.
    private var wraps: Bool?

    /// What was kept, and what the command line has named.
    init(kept: EditorSettings, font: String? = nil, wraps: Bool? = nil) {
        (chosen, self.font, self.wraps) = (kept, font, wraps)
    }

    /// The same as at the start, but with what was kept, which the disk gave late, and the changes that the user has made meanwhile. A change
    /// is what it led to: a toggle sets what the user saw then.
    init(atStart start: CurrentSettings, keptLate kept: EditorSettings, _ changes: [(inout EditorSettings) -> Void]) {
        self = start
        var chosen = kept
        for made in changes { chosen = change(onTopOf: chosen, made) }
        self.chosen = chosen
    }

    /// What windows show.
    var shown: EditorSettings {
        var settings = chosen
        settings.font = font ?? settings.font
        settings.wraps = wraps ?? settings.wraps
        return settings
    }

    /// Takes what the user chooses.
    ///
    /// - Parameter file: what is kept now. Another editor may have kept something since, of which only what is chosen here is replaced.
    /// - Returns: what is to be kept.
    mutating func change(onTopOf file: EditorSettings, _ change: (inout EditorSettings) -> Void) -> EditorSettings {
        let old = shown
        var new = old
        change(&new)
        var kept = file
        func take<Value: Equatable>(_ value: WritableKeyPath<EditorSettings, Value>) -> Bool {
            guard new[keyPath: value] != old[keyPath: value] else { return false }
            chosen[keyPath: value] = new[keyPath: value]
            kept[keyPath: value] = new[keyPath: value]
            return true
        }
        if take(\.font) { font = nil }
        if take(\.wraps) { wraps = nil }
        _ = take(\.appearance)
        _ = take(\.numbersLines)
        _ = take(\.size)
        _ = take(\.keyboards)
        _ = take(\.showsWhiteSpace)
        _ = take(\.showsCaretLine)
        _ = take(\.showsBrackets)
        _ = take(\.window)
        return kept
    }
}

/// The settings of a running editor, for all of its windows: those stored at its start, those of the command line for this run
/// alone, and those that the user has chosen since.
struct CurrentSettings: Hashable {
    /// The settings to store for the next start.
    private(set) var chosen: EditorSettings
    /// The font of the command line, until the user chooses one.
    private var font: String?
    /// Whether lines are wrapped according to the command line, until the user chooses.
    private var wraps: Bool?

    /// Settings from those stored, and those of the command line.
    init(kept: EditorSettings, font: String? = nil, wraps: Bool? = nil) {
        (chosen, self.font, self.wraps) = (kept, font, wraps)
    }

    /// The settings at the start, with stored settings that arrived late and the changes that the user has made meanwhile. A change
    /// is stored as its result: a toggle sets the opposite of the value that the user saw.
    init(atStart start: CurrentSettings, keptLate kept: EditorSettings, _ changes: [(inout EditorSettings) -> Void]) {
        self = start
        var chosen = kept
        for made in changes { chosen = change(onTopOf: chosen, made) }
        self.chosen = chosen
    }

    /// The settings that windows show.
    var shown: EditorSettings {
        var settings = chosen
        settings.font = font ?? settings.font
        settings.wraps = wraps ?? settings.wraps
        return settings
    }

    /// Applies a change by the user.
    ///
    /// - Parameter file: the stored settings. Another editor may have stored some since; only those changed here are replaced.
    /// - Returns: the settings to store.
    mutating func change(onTopOf file: EditorSettings, _ change: (inout EditorSettings) -> Void) -> EditorSettings {
        let old = shown
        var new = old
        change(&new)
        var kept = file
        for setting in EditorSettings.all where setting.differs(new, old) {
            setting.copy(new, &chosen)
            setting.copy(new, &kept)
        }
        if new.font != old.font { font = nil }
        if new.wraps != old.wraps { wraps = nil }
        return kept
    }
}

/// The settings of a running editor, for all of its windows: those stored at its start, those of the command line,
/// which apply to this run only, and those that the user has chosen since.
struct CurrentSettings: Hashable {
    /// The settings to store for the next start: without those of the command line.
    private(set) var chosen: EditorSettings
    /// The font given on the command line; nil if none was given, or once the user has chosen another font.
    private var font: String?
    /// Whether the command line asks for wrapped lines; nil if it does not say, or once the user has chosen.
    private var wraps: Bool?

    /// Creates the settings from the stored ones (`kept`), and those of the command line.
    init(kept: EditorSettings, font: String? = nil, wraps: Bool? = nil) {
        (chosen, self.font, self.wraps) = (kept, font, wraps)
    }

    /// Creates the settings after a start at which the stored settings (`kept`) arrived late: those of `start`,
    /// updated by the stored settings, and then by the changes that the user has made meanwhile. A toggle among
    /// these changes sets the opposite of the value that the user saw.
    init(atStart start: CurrentSettings, keptLate kept: EditorSettings, _ changes: [(inout EditorSettings) -> Void]) {
        self = start
        var chosen = kept
        for made in changes { chosen = change(onTopOf: chosen, made) }
        self.chosen = chosen
    }

    /// The settings that the windows use: those of the command line take precedence over the chosen ones.
    var shown: EditorSettings {
        var settings = chosen
        settings.font = font ?? settings.font
        settings.wraps = wraps ?? settings.wraps
        return settings
    }

    /// Applies a change by the user.
    ///
    /// - Parameter file: the stored settings. Another editor may have changed some of them since the start, so only
    ///   the settings that `change` changes are replaced in them.
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

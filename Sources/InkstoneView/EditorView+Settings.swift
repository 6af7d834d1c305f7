public import InkstoneBase

/// What the user has set for the caret.
extension EditorView {
    /// When the caret blinks.
    public var caretSettings: CaretSettings {
        get {
            var settings = CaretSettings()
            settings.blinks = caret.blink.interval > 0
            settings.period = caret.blink.interval > 0 ? 2 * caret.blink.interval : settings.period
            settings.restsAfter = caret.blink.restsAfter
            return settings
        }
        set {
            let interval = newValue.blinks ? max(1, newValue.period / 2) : 0
            guard interval != caret.blink.interval || newValue.restsAfter != caret.blink.restsAfter else { return }
            (caret.blink.interval, caret.blink.restsAfter) = (interval, newValue.restsAfter)
            guard isFocused else { return }
            noteActivity()
            damageCaret()
        }
    }
}

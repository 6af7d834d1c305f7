import InkstoneBase
import InkstoneLayout
import InkstoneView
import InkstoneX11

/// The unscaled style of a text view: a font and a theme at scale 1, and the scale of the display.
struct TextViewStyle {
    private var font: FontDescriptor
    private var theme: Theme
    /// Device pixels for one pixel at scale 1.
    var scale: Double
    /// The choice among the standard colours.
    var appearance = Appearance.desktop
    /// The loupe's style, in device pixels, if the program has set one.
    var loupe: LoupeStyle?

    /// - Parameters:
    ///   - font: the font, in device pixels at `scale`.
    ///   - theme: the theme, at scale 1.
    init(font: FontDescriptor, theme: Theme, scale: Double) {
        self.font = font.scaled(by: 1 / scale)
        self.theme = theme
        self.scale = scale
    }

    /// The font in device pixels, of a whole number for sharp glyphs.
    var scaledFont: FontDescriptor { font.scaled(by: scale).inWholePixels }

    /// The theme in device pixels.
    var scaledTheme: Theme { theme.scaled(by: scale) }

    /// Sets the chosen standard colours, unless the program has set others.
    mutating func takeColors(_ preferences: DesktopPreferences) {
        guard theme.hasStandardColors else { return }
        let isDark = appearance == .dark || appearance == .desktop && preferences.prefersDark
        theme = theme.colored(like: .standard(isDark: isDark, hasHighContrast: preferences.prefersHighContrast))
    }

    /// Adopts a font and a theme that were set since in device pixels; unchanged values stay exact.
    mutating func adopt(font: FontDescriptor, theme: Theme) {
        if font != scaledFont { self.font = font.scaled(by: 1 / scale) }
        guard theme != scaledTheme else { return }
        self.theme = theme
        self.theme.margin /= scale
        self.theme.caretWidth /= scale
        self.theme.underlineWidth /= scale
        self.theme.scrollBarWidth /= scale
    }
}

/// The choice among the standard colours of a view.
public enum Appearance: String, Hashable, Sendable, CaseIterable {
    /// The desktop's setting.
    case desktop
    /// Dark on light.
    case light
    /// Light on dark.
    case dark
}

extension TextView {
    /// Adopts the display's settings: scale, fonts, colours, caret and clicks. Selection, undo and the line at the top stay. The program's font and
    /// theme grow with the scale, and its own colours stay.
    public func displaySettingsDidChange() {
        guard let display = window?.display else { return }
        style.adopt(font: font, theme: theme)
        style.scale = display.scale
        style.takeColors(display.preferences)
        presenter.setStyle(
            font: style.scaledFont, theme: style.scaledTheme, settings: display.layoutFontSettings,
            attributeScale: style.scale)
        takeInteractionSettings(of: display)
        for child in children { child.displaySettingsDidChange() }
    }

    func takeInteractionSettings(of display: Display) {
        presenter.caretSettings = display.preferences.caret
        animatesText = display.preferences.animates
        interaction.settings = display.preferences.pointer.scaled(by: style.scale)
    }

    /// The choice among the standard colours: by default the desktop's setting, whose changes the view follows. A ``EditorView/theme`` with colours
    /// of its own keeps them.
    public var appearance: Appearance {
        get { style.appearance }
        set {
            guard newValue != style.appearance else { return }
            style.appearance = newValue
            displaySettingsDidChange()
        }
    }

    /// Updates the direction shown by a split caret after the keyboard's layout may have changed.
    func keyboardDidChange() {
        guard let display = window?.display else { return }
        keyboardIsRightToLeft = display.keyboard.isRightToLeft
    }
}

// MARK: Idle time

/// The schedule of making heights exact.
struct IdleWork {
    var timer: TimerID?
    /// Time of the last edit, scroll or move in the view, in milliseconds of the monotonic clock.
    var lastActivity: Int64 = 0
}

extension TextView {
    /// Idle time before heights are made exact, and duration of each such step, in milliseconds.
    private static let restBeforeWork = 100
    private static let slice: Int64 = 2

    /// Schedules making estimated heights exact in idle time.
    func scheduleIdleWork() {
        guard idleWork.timer == nil, presenter.hasEstimatedHeights, let display = window?.display else { return }
        idleWork.lastActivity = MonotonicClock.milliseconds
        idleWork.timer = display.schedule(afterMilliseconds: Self.restBeforeWork) { [weak self] in self?.workWhileIdle()
        }
    }

    private func workWhileIdle() {
        idleWork.timer = nil
        guard let display = window?.display, presenter.hasEstimatedHeights, !display.isLost else { return }
        let now = MonotonicClock.milliseconds
        let rest = idleWork.lastActivity + Int64(Self.restBeforeWork) - now
        var pause = 0
        if rest > 0 {
            pause = Int(rest)
        } else {
            let isDone = presenter.refineHeights {
                MonotonicClock.milliseconds - now >= Self.slice || display.hasPendingInput
            }
            if isDone { return }
            if display.hasPendingInput { pause = Self.restBeforeWork }
        }
        idleWork.timer = display.schedule(afterMilliseconds: pause) { [weak self] in self?.workWhileIdle() }
    }
}

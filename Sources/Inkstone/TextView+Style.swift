import InkstoneBase
import InkstoneLayout
import InkstoneView
import InkstoneX11

/// The unscaled style of a text view: a font and a theme at scale 1, and the display's scale.
struct TextViewStyle {
    private var font: FontDescriptor
    private var theme: Theme
    /// The number of device pixels in one pixel at scale 1.
    var scale: Double
    /// The choice between dark and light standard colours.
    var appearance: Appearance
    /// The style that the program has set for the loupe, in device pixels; nil for the standard style.
    var loupe: LoupeStyle?

    /// Creates a style, and converts the font and the theme to scale 1. A dark standard theme makes the appearance
    /// dark.
    ///
    /// - Parameters:
    ///   - font: the font, in device pixels at `scale`.
    ///   - theme: the theme, at any scale.
    init(font: FontDescriptor, theme: Theme, scale: Double) {
        self.font = font.scaled(by: 1 / scale)
        self.theme = theme.unscaled
        self.scale = scale
        appearance = theme.hasDarkStandardColors ? .dark : .desktop
    }

    /// The font scaled to device pixels, rounded to a whole number for sharp glyphs.
    var scaledFont: FontDescriptor { font.scaled(by: scale).inWholePixels }

    /// The theme scaled to device pixels.
    var scaledTheme: Theme { theme.scaled(by: scale) }

    /// Updates the standard colours from the desktop's preferences. Colours that the program has set are kept.
    mutating func takeColors(_ preferences: DesktopPreferences) {
        guard theme.hasStandardColors else { return }
        let isDark = appearance == .dark || appearance == .desktop && preferences.prefersDark
        theme = theme.colored(like: .standard(isDark: isDark, hasHighContrast: preferences.prefersHighContrast))
    }

    /// Adopts the view's present font and theme, which the program may have set in device pixels. Values that were
    /// not set are not recomputed, so they stay exact. Standard colours that the program has set decide the
    /// appearance.
    mutating func adopt(font: FontDescriptor, theme: Theme) {
        if font != scaledFont { self.font = font.scaled(by: 1 / scale) }
        guard theme != scaledTheme else { return }
        if theme.hasStandardColors, theme.colored(like: scaledTheme) != theme {
            appearance = theme.hasDarkStandardColors ? .dark : .light
        }
        self.theme = theme.unscaled
    }
}

extension Theme {
    /// Whether the colours are those of a dark standard theme.
    fileprivate var hasDarkStandardColors: Bool {
        [.dark, .highContrastDark].contains { colored(like: $0) == self }
    }
}

/// The choice between the dark and the light standard colours of a view.
public enum Appearance: String, Hashable, Sendable, CaseIterable {
    /// The choice follows the desktop's setting.
    case desktop
    /// Dark on light.
    case light
    /// Light on dark.
    case dark
}

extension TextView {
    /// Adopts the display's settings: scale, fonts, colours, caret and clicks. The selection, undo and the first
    /// visible line stay the same. The program's font and theme are scaled, and its own colours are kept.
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

    /// The choice between dark and light standard colours: by default ``Appearance/desktop``, the desktop's choice.
    /// A view that is always dark sets ``Appearance/dark``, or is created with a dark standard theme. If the theme has
    /// colours of its own, these are kept.
    ///
    /// A theme set as ``EditorView/theme`` changes this only if it has other standard colours than the view shows. If the
    /// desktop is dark already, a view whose theme is set to ``Theme/dark`` still follows the desktop: the theme may be a
    /// copy of the view's own, with another margin.
    public var appearance: Appearance {
        get {
            style.adopt(font: font, theme: theme)
            return style.appearance
        }
        set {
            style.adopt(font: font, theme: theme)
            guard newValue != style.appearance else { return }
            style.appearance = newValue
            displaySettingsDidChange()
        }
    }

    /// Updates the direction that a split caret indicates. Call after the keyboard layout may have changed.
    func keyboardDidChange() {
        guard let display = window?.display else { return }
        keyboardIsRightToLeft = display.keyboard.isRightToLeft
    }
}

// MARK: Idle time

/// The schedule of replacing estimated line heights by exact ones in idle time.
struct IdleWork {
    var timer: TimerID?
    /// The time of the last edit, scroll or other change that moved text, in milliseconds of the monotonic clock.
    var lastActivity: Int64 = 0
}

extension TextView {
    /// The idle time before estimated heights are made exact, in milliseconds.
    private static let pauseBeforeWork = 100
    /// The duration of each step of making estimated heights exact, in milliseconds.
    private static let slice: Int64 = 2

    /// Schedules the replacement of estimated line heights in idle time.
    func scheduleIdleWork() {
        guard idleWork.timer == nil, presenter.hasEstimatedHeights, let display = window?.display else { return }
        idleWork.lastActivity = MonotonicClock.milliseconds
        idleWork.timer = display.schedule(afterMilliseconds: Self.pauseBeforeWork) { [weak self] in
            self?.workWhileIdle()
        }
    }

    private func workWhileIdle() {
        idleWork.timer = nil
        guard let display = window?.display, presenter.hasEstimatedHeights, !display.isLost else { return }
        let now = MonotonicClock.milliseconds
        let rest = idleWork.lastActivity + Int64(Self.pauseBeforeWork) - now
        var pause = 0
        if rest > 0 {
            pause = Int(rest)
        } else {
            let isDone = presenter.refineHeights {
                MonotonicClock.milliseconds - now >= Self.slice || display.hasPendingInput
            }
            if isDone { return }
            if display.hasPendingInput { pause = Self.pauseBeforeWork }
        }
        idleWork.timer = display.schedule(afterMilliseconds: pause) { [weak self] in self?.workWhileIdle() }
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneView
import InkstoneX11

/// What a text view's look comes from: a font and a theme as if the display's scale were 1, and the scale.
struct TextViewStyle {
    private var font: FontDescriptor
    private var theme: Theme
    /// Device pixels for one pixel at scale 1.
    var scale: Double
    /// Which of the standard colours are wanted.
    var appearance = Appearance.desktop
    /// How the loupe looks, in device pixels, if the program has said.
    var loupe: LoupeStyle?

    /// - Parameters:
    ///   - font: in device pixels at `scale`.
    ///   - theme: at scale 1.
    init(font: FontDescriptor, theme: Theme, scale: Double) {
        self.font = font.scaled(by: 1 / scale)
        self.theme = theme
        self.scale = scale
    }

    /// The font in device pixels; whole ones, because fonts are clearest so.
    var scaledFont: FontDescriptor { font.scaled(by: scale).inWholePixels }

    /// The theme in device pixels.
    var scaledTheme: Theme { theme.scaled(by: scale) }

    /// Takes the standard colours that are wanted, unless the program has set others.
    mutating func takeColors(_ preferences: DesktopPreferences) {
        guard theme.hasStandardColors else { return }
        let isDark = appearance == .dark || appearance == .desktop && preferences.prefersDark
        theme = theme.colored(like: .standard(isDark: isDark, hasHighContrast: preferences.prefersHighContrast))
    }

    /// Takes over what was set since in device pixels; what is as the style has it stays exact.
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

/// Which of the standard colours a view has.
public enum Appearance: String, Hashable, Sendable, CaseIterable {
    /// What the desktop has set.
    case desktop
    /// Dark on light.
    case light
    /// Light on dark.
    case dark
}

extension TextView {
    /// Takes over what the display has set now: scale, fonts, colours, caret and clicks. Selection, undo and the line at the top
    /// stay. What the program has set of font and theme grows with the scale, and colours of its own stay.
    public func displaySettingsDidChange() {
        guard let display = window?.display else { return }
        style.adopt(font: font, theme: theme)
        style.scale = display.scale
        style.takeColors(display.preferences)
        setStyle(
            font: style.scaledFont, theme: style.scaledTheme, settings: display.layoutFontSettings,
            attributeScale: style.scale)
        takeInteractionSettings(of: display)
        for child in children { child.displaySettingsDidChange() }
    }

    func takeInteractionSettings(of display: Display) {
        caretSettings = display.preferences.caret
        interaction.settings = display.preferences.pointer.scaled(by: style.scale)
    }

    /// Which of the standard colours the view has: by default what the desktop has set, and follows. A ``EditorView/theme`` with
    /// colours of its own keeps them.
    public var appearance: Appearance {
        get { style.appearance }
        set {
            guard newValue != style.appearance else { return }
            style.appearance = newValue
            displaySettingsDidChange()
        }
    }

    /// The keyboard's layout may have changed: a split caret tells its direction.
    func keyboardDidChange() {
        guard let display = window?.display else { return }
        keyboardIsRightToLeft = display.keyboard.isRightToLeft
    }
}

// MARK: Idle time

/// When heights are made exact.
struct IdleWork {
    var timer: TimerID?
    /// When the view was last edited, scrolled or moved about in, in milliseconds of the monotonic clock.
    var lastActivity: Int64 = 0
}

extension TextView {
    /// How long nothing has to happen before heights are made exact, and how long this may take at a time, in milliseconds.
    private static let restBeforeWork = 100
    private static let slice: Int64 = 2

    /// Sees to it that estimated heights are made exact when nothing else is to be done.
    func scheduleIdleWork() {
        guard idleWork.timer == nil, hasEstimatedHeights, let display = window?.display else { return }
        idleWork.lastActivity = MonotonicClock.milliseconds
        idleWork.timer = display.schedule(afterMilliseconds: Self.restBeforeWork) { [weak self] in self?.workWhileIdle()
        }
    }

    private func workWhileIdle() {
        idleWork.timer = nil
        guard let display = window?.display, hasEstimatedHeights, !display.isLost else { return }
        let now = MonotonicClock.milliseconds
        let rest = idleWork.lastActivity + Int64(Self.restBeforeWork) - now
        var pause = 0
        if rest > 0 {
            pause = Int(rest)
        } else {
            let isDone = refineHeights {
                MonotonicClock.milliseconds - now >= Self.slice || display.hasPendingInput
            }
            if isDone { return }
            if display.hasPendingInput { pause = Self.restBeforeWork }
        }
        idleWork.timer = display.schedule(afterMilliseconds: pause) { [weak self] in self?.workWhileIdle() }
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneView
import InkstoneX11

/// What a text view's look comes from: as if the display's scale were 1.
struct TextViewStyle {
    var family: FontDescriptor
    var theme: Theme

    /// The font and theme at scale 1 behind those of a scale.
    init(font: FontDescriptor, theme: Theme, scale: Double) {
        family = font
        family.size /= scale
        family.letterSpacing /= scale
        self.theme = theme
    }

    /// The font in device pixels; whole ones, because fonts are clearest so.
    func font(scale: Double) -> FontDescriptor {
        var font = family
        font.size = max(1, (family.size * scale).rounded())
        font.letterSpacing = (family.letterSpacing * scale).rounded()
        return font
    }
}

extension TextView {
    /// The font of all text, its size in device pixels at the display's present scale; it follows when that changes.
    public var font: FontDescriptor {
        get { editor.font }
        set {
            style = TextViewStyle(font: newValue, theme: style.theme, scale: window?.display.scale ?? 1)
            editor.font = newValue
        }
    }

    /// Takes over the scale and the font settings of the display as they are now: text, caret and lines follow; selection,
    /// undo and the line at the top stay.
    public func displaySettingsDidChange() {
        guard let display = window?.display else { return }
        let scale = display.scale
        editor.setStyle(
            font: style.font(scale: scale), theme: style.theme.scaled(by: scale), settings: display.layoutFontSettings)
    }

    /// The keyboard's layout may have changed: a split caret tells its direction.
    func keyboardDidChange() {
        guard let display = window?.display else { return }
        editor.keyboardIsRightToLeft = display.keyboard.isRightToLeft
    }

    /// Paints a range in a special way: see ``EditorView/addRenderingAttributes(_:for:)``.
    public func addRenderingAttributes(_ attributes: RenderingAttributes, for range: Range<UTF16Offset>) {
        editor.addRenderingAttributes(attributes, for: range)
    }

    /// Paints a range in a special way, or as usual: see ``EditorView/setRenderingAttributes(_:for:)``.
    public func setRenderingAttributes(_ attributes: RenderingAttributes?, for range: Range<UTF16Offset>) {
        editor.setRenderingAttributes(attributes, for: range)
    }
}

// MARK: Idle time

extension TextView {
    /// How long nothing has to happen before heights are made exact, and how long this may take at a time, in milliseconds.
    private static let restBeforeWork = 100
    private static let slice: Int64 = 2

    /// Sees to it that estimated heights are made exact when nothing else is to be done.
    func scheduleIdleWork() {
        guard idleTimer == nil, editor.hasEstimatedHeights, let display = window?.display else { return }
        lastActivity = MonotonicClock.milliseconds
        idleTimer = display.schedule(afterMilliseconds: Self.restBeforeWork) { [weak self] in self?.workWhileIdle() }
    }

    private func workWhileIdle() {
        idleTimer = nil
        guard let display = window?.display, editor.hasEstimatedHeights, !display.isLost else { return }
        let now = MonotonicClock.milliseconds
        let rest = lastActivity + Int64(Self.restBeforeWork) - now
        var pause = 0
        if rest > 0 {
            pause = Int(rest)
        } else {
            let isDone = editor.refineHeights {
                MonotonicClock.milliseconds - now >= Self.slice || display.hasPendingInput
            }
            if isDone { return }
            if display.hasPendingInput { pause = Self.restBeforeWork }
        }
        idleTimer = display.schedule(afterMilliseconds: pause) { [weak self] in self?.workWhileIdle() }
    }
}

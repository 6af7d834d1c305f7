/// The user's settings of the caret.
public struct CaretSettings: Hashable, Sendable {
    /// Whether the caret blinks.
    public var blinks = true
    /// Milliseconds of one blink period, on and off.
    public var period: Int64 = 1200
    /// Milliseconds without a key after which the caret stays on.
    public var restsAfter: Int64 = 10_000

    /// The defaults of most desktops.
    public init() {}
}

/// The user's pointer shapes.
public struct CursorSettings: Hashable, Sendable {
    /// The theme's name; nil for the server's own.
    public var theme: String?
    /// The shapes' nominal size in device pixels; nil leaves it to the display.
    public var size: Int?

    /// The display's own shapes.
    public init() {}
}

/// The desktop's settings as one value, whichever source they come from. Settings that are not set have the default of most desktops.
public struct DesktopPreferences: Hashable, Sendable {
    /// Clicks and drags.
    public var pointer = PointerSettings()
    /// The caret.
    public var caret = CaretSettings()
    /// Pointer shapes.
    public var cursors = CursorSettings()
    /// Fonts, by fontconfig's names with values as fontconfig parses them; settings that are not set are missing.
    public var fonts: [String: String] = [:]
    /// Whether programs should be light on dark.
    public var prefersDark = false
    /// Whether programs should be black and white.
    public var prefersHighContrast = false
    /// Whether programs should show changes as movements and fades (`Gtk/EnableAnimations`).
    public var animates = true

    /// The defaults of most desktops.
    public init() {}
}

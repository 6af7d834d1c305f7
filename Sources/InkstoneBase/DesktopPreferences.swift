/// What the user has set for the caret.
public struct CaretSettings: Hashable, Sendable {
    /// Whether it goes on and off.
    public var blinks = true
    /// Milliseconds from one going on to the next.
    public var period: Int64 = 1200
    /// After how many milliseconds without a key it stays on.
    public var restsAfter: Int64 = 10_000

    /// What most desktops have.
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

/// What the desktop has set, as one value: the same wherever it was said. What is not set has the value that most desktops give it.
public struct DesktopPreferences: Hashable, Sendable {
    /// Clicks and drags.
    public var pointer = PointerSettings()
    /// The caret.
    public var caret = CaretSettings()
    /// Pointer shapes.
    public var cursors = CursorSettings()
    /// Fonts, by fontconfig's names with values as fontconfig parses them; what is not set is missing.
    public var fonts: [String: String] = [:]
    /// Whether programs should be light on dark.
    public var prefersDark = false
    /// Whether programs should be black and white.
    public var prefersHighContrast = false

    /// What most desktops have.
    public init() {}
}

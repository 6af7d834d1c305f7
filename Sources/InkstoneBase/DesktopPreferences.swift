/// The user's settings for the blinking of the caret.
public struct CaretSettings: Hashable, Sendable {
    /// Whether the caret blinks.
    public var blinks = true
    /// Milliseconds of one blink period, on and off.
    public var period: Int64 = 1200
    /// Milliseconds without a key press or a move of the caret, after which it stops blinking and stays visible.
    public var restsAfter: Int64 = 10_000

    /// Creates settings with the defaults of most desktops.
    public init() {}
}

/// The user's settings for the shapes of the pointer.
public struct CursorSettings: Hashable, Sendable {
    /// The name of the cursor theme; nil for the X server's own pointer shapes.
    public var theme: String?
    /// The nominal size of the pointer shapes in device pixels; nil for the display's usual size.
    public var size: Int?

    /// Creates settings that use the display's own pointer shapes.
    public init() {}
}

/// The desktop's settings as one value, whichever source they come from. Settings that the desktop does not set
/// have the defaults of most desktops.
public struct DesktopPreferences: Hashable, Sendable {
    /// Settings of clicks and drags.
    public var pointer = PointerSettings()
    /// Settings of the caret.
    public var caret = CaretSettings()
    /// Settings of pointer shapes.
    public var cursors = CursorSettings()
    /// Settings of fonts: values as fontconfig parses them, by fontconfig's names. Only settings that the desktop
    /// sets are present.
    public var fonts: [String: String] = [:]
    /// Whether programs should show light text on a dark background.
    public var prefersDark = false
    /// Whether programs should use high contrast: black text on white or, with ``prefersDark``, white on black.
    public var prefersHighContrast = false
    /// Whether programs should animate changes by movements and fades (`Gtk/EnableAnimations`).
    public var animates = true

    /// Creates preferences with the defaults of most desktops.
    public init() {}
}

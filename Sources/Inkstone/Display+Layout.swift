import Glibc
import InkstoneLayout
import InkstoneView
import InkstoneX11

extension Display {
    /// The number of device pixels in one pixel at 96 dots per inch: `INKSTONE_SCALE`, or else `Xft.dpi` / 96. It
    /// is limited to 0.5…8, and is 1 if neither is set.
    public var scale: Double {
        if let scale = Self.environmentScale { return scale }
        guard let dpi = fontSettings["dpi"].flatMap(Double.init), dpi > 0 else { return 1 }
        return min(max(0.5, dpi / 96), 8)
    }

    /// The value of the environment variable `INKSTONE_SCALE`, limited to 0.5…8; nil if it is not set to a positive
    /// number.
    public static var environmentScale: Double? {
        guard let text = getenv("INKSTONE_SCALE"), let scale = Double(String(cString: text)), scale > 0 else {
            return nil
        }
        return min(max(0.5, scale), 8)
    }

    /// The theme of a text view without colours of its own, in device pixels: standard colours as the desktop prefers
    /// them, light or dark, and distances at this display's ``scale``. For contents of your own, which paint with it
    /// each time instead of keeping it, because the window is painted again when the desktop's settings change.
    public var theme: Theme {
        Theme.standard(isDark: preferences.prefersDark, hasHighContrast: preferences.prefersHighContrast)
            .scaled(by: scale)
    }

    /// The user's font settings in the form that the layout uses, so that text is measured as it is drawn.
    public var layoutFontSettings: FontSettings { FontSettings(fontSettings) }
}

extension FontDescriptor {
    /// Returns the default font of a text view: monospaced, 13 px at scale 1.
    public static func standard(scale: Double) -> FontDescriptor {
        FontDescriptor(family: "monospace", size: (13 * scale).rounded())
    }
}

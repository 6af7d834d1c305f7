import Glibc
import InkstoneLayout
import InkstoneX11

extension Display {
    /// Device pixels for a length of one unit at 96 dots per inch: `INKSTONE_SCALE`, else `Xft.dpi` / 96.
    public var scale: Double {
        if let scale = Self.environmentScale { return scale }
        guard let dpi = fontSettings["dpi"].flatMap(Double.init), dpi > 0 else { return 1 }
        return min(max(0.5, dpi / 96), 8)
    }

    /// The value of `INKSTONE_SCALE`, 0.5…8; nil if it is not set.
    public static var environmentScale: Double? {
        guard let text = getenv("INKSTONE_SCALE"), let scale = Double(String(cString: text)), scale > 0 else {
            return nil
        }
        return min(max(0.5, scale), 8)
    }

    /// The user's font settings in layout's form, so that layout measures what Xft draws.
    public var layoutFontSettings: FontSettings { FontSettings(fontSettings) }
}

extension FontDescriptor {
    /// Returns the default font of a text view: monospaced, 13 px at scale 1.
    public static func standard(scale: Double) -> FontDescriptor {
        FontDescriptor(family: "monospace", size: (13 * scale).rounded())
    }
}

import Glibc
import InkstoneLayout
import InkstoneX11

extension Display {
    /// How many device pixels a length of one unit at 96 dots per inch takes: `INKSTONE_SCALE`, else `Xft.dpi` / 96.
    public var scale: Double {
        if let scale = Self.environmentScale { return scale }
        guard let dpi = fontSettings["dpi"].flatMap(Double.init), dpi > 0 else { return 1 }
        return min(max(0.5, dpi / 96), 8)
    }

    /// What `INKSTONE_SCALE` says, 0.5…8; nil if it says nothing.
    public static var environmentScale: Double? {
        guard let text = getenv("INKSTONE_SCALE"), let scale = Double(String(cString: text)), scale > 0 else {
            return nil
        }
        return min(max(0.5, scale), 8)
    }

    /// The user's font settings as layout takes them, so that it measures what Xft draws.
    public var layoutFontSettings: FontSettings { FontSettings(fontSettings) }
}

extension FontDescriptor {
    /// The font of a text view that was given none: monospaced, 13 px at scale 1.
    public static func standard(scale: Double) -> FontDescriptor {
        FontDescriptor(family: "monospace", size: (13 * scale).rounded())
    }
}

import InkstoneBase

extension DesktopPreferences {
    /// Creates preferences from XSETTINGS. The time of double clicks, the cursor theme and size, and the fonts are read
    /// from the resource database if they are not set there. A setting of the wrong type counts as not set. A value
    /// that means “none” (−1, an empty text, a size of 0) counts as not set either.
    init(settings: [String: DesktopSetting], resources: [String: String]) {
        func number(_ name: String, least: Int = 1) -> Int? {
            guard case .integer(let value)? = settings[name], value >= least else { return nil }
            return Int(value)
        }
        func flag(_ name: String) -> Bool? { number(name, least: 0).map { $0 != 0 } }
        func text(_ name: String) -> String? {
            guard case .string(let value)? = settings[name], !value.isEmpty else { return nil }
            return value
        }
        func resource(_ name: String) -> Int? { resources[name].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }
        self.init()
        if let time = number("Net/DoubleClickTime") ?? resource("multiClickTime") {
            pointer.doubleClickTime = UInt32(clamping: time)
        }
        if let distance = number("Net/DoubleClickDistance", least: 0) { pointer.doubleClickDistance = Double(distance) }
        if let distance = number("Net/DndDragThreshold") { pointer.dragThreshold = Double(distance) }
        if let flag = flag("Gtk/EnablePrimaryPaste") { pointer.pastesPrimary = flag }
        if let flag = flag("Gtk/PrimaryButtonWarpsSlider") { pointer.warpsScrollBar = flag }
        if let flag = flag("Gtk/EnableAnimations") { animates = flag }
        if let flag = flag("Net/CursorBlink") { caret.blinks = flag }
        if let time = number("Net/CursorBlinkTime") { caret.period = max(100, Int64(time)) }
        // The value is in seconds. GTK's greatest number means that the caret never stops blinking.
        if let time = number("Gtk/CursorBlinkTimeout") { caret.restsAfter = 1000 * Int64(time) }
        let theme = text("Gtk/CursorThemeName") ?? resources["Xcursor.theme"].flatMap { $0.isEmpty ? nil : $0 }
        // Do not pass on a name with slashes: libXcursor makes a path of the theme's name, and would open any file.
        // Passing nil instead would not help, because libXcursor would then use the theme's name in the resource
        // database.
        cursors.theme = theme.map { $0.contains("/") ? "default" : $0 }
        cursors.size = number("Gtk/CursorThemeSize") ?? resource("Xcursor.size")
        fonts = Self.fonts(settings, resources)
        let style = text("Net/ThemeName") ?? ""
        (prefersDark, prefersHighContrast) = (Self.isDark(theme: style), Self.hasHighContrast(theme: style))
    }

    /// Whether a theme is dark, by its name: `Adwaita-dark`, `Mint-Y-Dark-Aqua` and `HighContrastInverse` are,
    /// `Darkroom` is not.
    static func isDark(theme: String) -> Bool {
        theme.split { !$0.isLetter }.contains { $0.lowercased() == "dark" }
            || hasHighContrast(theme: theme) && theme.lowercased().hasSuffix("inverse")
    }

    /// Whether a theme is a high-contrast theme, by its name: `HighContrast` in GNOME and Xfce, `ContrastHigh` in
    /// MATE.
    static func hasHighContrast(theme: String) -> Bool {
        let name = theme.lowercased()
        return name.contains("highcontrast") || name.contains("contrasthigh")
    }

    private static func fonts(_ settings: [String: DesktopSetting], _ resources: [String: String]) -> [String: String] {
        var result = resources.filter { DesktopSettings.fontNames.contains($0.key) && !$0.value.isEmpty }
        func number(_ name: String) -> Int32? {
            guard case .integer(let value)? = settings[name], value >= 0 else { return nil }
            return value
        }
        func take(_ name: String, _ value: String?) { if let value, !value.isEmpty { result[name] = value } }
        take("antialias", number("Xft/Antialias").map { $0 != 0 ? "true" : "false" })
        take("hinting", number("Xft/Hinting").map { $0 != 0 ? "true" : "false" })
        if let value = number("Xft/DPI"), value > 0 {
            let dpi = Double(value) / 1024
            take("dpi", dpi == dpi.rounded() ? String(Int(dpi)) : String(dpi))
        }
        for (name, key) in [("hintstyle", "Xft/HintStyle"), ("rgba", "Xft/RGBA"), ("lcdfilter", "Xft/lcdfilter")] {
            if case .string(let value)? = settings[key] { take(name, value) }
        }
        return result
    }
}

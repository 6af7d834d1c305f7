import Inkstone

/// What the user has chosen in the editor, kept from one start to the next: `inkstone/settings` in the user's configuration, lines of
/// `name = value`. A line that means nothing here is left out.
struct EditorSettings: Hashable {
    /// Dark on light, light on dark, or as the desktop has it.
    var appearance = Appearance.desktop
    /// Whether lines are wrapped at the window's width, unless the command line says.
    var wraps = true
    /// Whether the numbers of lines are shown.
    var numbersLines = false
    /// The family of the font, or its fontconfig pattern; nil for what it is at first.
    var font: String?
    /// The size of the text in percent of what it is at first: one of ``sizes``.
    var size = 100

    /// The sizes that keys go through.
    static let sizes = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300, 400]

    init() {}

    /// Reads what a file says; what it does not is as it is without one.
    init(text: String) {
        // By scalars: a sign and a combining mark behind it are one `Character`, and so are CR LF.
        for line in text.unicodeScalars.split(whereSeparator: { $0 == "\n" || $0 == "\r" }) {
            let parts = line.drop { $0 == "\u{feff}" }.split(separator: "=", maxSplits: 1).map { part in
                var part = part.drop { $0 == " " || $0 == "\t" }
                while let last = part.last, last == " " || last == "\t" { part.removeLast() }
                return String(part)
            }
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "appearance": appearance = Appearance(rawValue: parts[1]) ?? appearance
            case "wrap": wraps = parts[1] == "yes" ? true : parts[1] == "no" ? false : wraps
            case "numbers": numbersLines = parts[1] == "yes" ? true : parts[1] == "no" ? false : numbersLines
            case "font": font = parts[1].isEmpty ? nil : parts[1]
            case "size": size = Int(parts[1]).flatMap { Self.sizes.contains($0) ? $0 : nil } ?? size
            default: break
            }
        }
    }

    /// Goes so many sizes up, or down.
    mutating func enlarge(by steps: Int) {
        let place = Self.sizes.firstIndex(of: size) ?? 0
        size = Self.sizes[min(max(place + steps, 0), Self.sizes.count - 1)]
    }

    /// The settings that are kept; those that hold without any if there are none, or they cannot be read.
    static var kept: EditorSettings { EditorSettings(text: SmallFile(.configuration, "settings").read() ?? "") }

    /// As ``init(text:)`` reads it.
    var text: String {
        func word(_ isOn: Bool) -> String { isOn ? "yes" : "no" }
        return """
            appearance = \(appearance.rawValue)
            wrap = \(word(wraps))
            numbers = \(word(numbersLines))
            size = \(size)

            """ + (font.map { "font = \($0)\n" } ?? "")
    }

    /// Keeps them. Returns whether that went well.
    @discardableResult
    func keep() -> Bool { SmallFile(.configuration, "settings").write(text) }
}

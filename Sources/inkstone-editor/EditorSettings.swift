import Inkstone

/// What the user has chosen in the editor, kept from one start to the next: `inkstone/settings` in the user's configuration, lines of
/// `name = value`. A line that means nothing here stays as it is.
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
            guard let (name, value) = Self.parts(of: line) else { continue }
            switch name {
            case "appearance": appearance = Appearance(rawValue: value) ?? appearance
            case "wrap": wraps = value == "yes" ? true : value == "no" ? false : wraps
            case "numbers": numbersLines = value == "yes" ? true : value == "no" ? false : numbersLines
            case "font": font = value.isEmpty ? nil : value
            case "size": size = Int(value).flatMap { Self.sizes.contains($0) ? $0 : nil } ?? size
            default: break
            }
        }
    }

    /// Name and value of a line; nil if it has none.
    private static func parts(of line: Substring.UnicodeScalarView) -> (name: String, value: String)? {
        let parts = line.drop { $0 == "\u{feff}" }.split(separator: "=", maxSplits: 1).map { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while let last = part.last, last == " " || last == "\t" { part.removeLast() }
            return String(part)
        }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// Goes so many sizes up, or down.
    mutating func enlarge(by steps: Int) {
        let place = Self.sizes.firstIndex(of: size) ?? 0
        size = Self.sizes[min(max(place + steps, 0), Self.sizes.count - 1)]
    }

    /// The settings that are kept; those that hold without any if there are none, or they cannot be read.
    static var kept: EditorSettings { EditorSettings(text: SmallFile(.configuration, "settings").read() ?? "") }

    /// The text that ``init(text:)`` reads: its lines take the place of the same lines of a text; all others stay.
    func text(in old: String = "") -> String {
        func word(_ isOn: Bool) -> String { isOn ? "yes" : "no" }
        let values = [
            ("appearance", appearance.rawValue), ("wrap", word(wraps)), ("numbers", word(numbersLines)),
            ("size", "\(size)"), ("font", font),
        ]
        var lines: [String] = []
        var missing = values
        for line in old.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" }) {
            let name = Self.parts(of: line).map(\.name)
            guard let (name, value) = values.first(where: { $0.0 == name }) else {
                lines.append(String(line))
                continue
            }
            missing.removeAll { $0.0 == name }
            if let value { lines.append("\(name) = \(value)") }
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        for (name, value) in missing { if let value { lines.append("\(name) = \(value)") } }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Keeps them. Returns whether that went well.
    @discardableResult
    func keep() -> Bool { SmallFile(.configuration, "settings").path.map(keep) ?? false }

    /// Keeps them in a file, of which all that means nothing here stays as it is, and so do links to it. One that is there and cannot be
    /// read is not written.
    func keep(in path: FilePath) -> Bool {
        do throws(TextFileError) {
            var old: TextFile?
            do throws(TextFileError) {
                old = try TextFile.read(path)
            } catch .notFound {
                SmallFile.makeDirectory(of: path)
            }
            try TextFile.write(
                Rope(text(in: old?.text.description ?? "")), to: path, format: old?.format ?? .utf8,
                expecting: old?.identity)
            return true
        } catch {
            return false
        }
    }
}

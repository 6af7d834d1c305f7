import Dispatch
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
    /// Whether white space has signs.
    var showsWhiteSpace = false
    /// Whether the line of the caret has a colour behind it.
    var showsCaretLine = false
    /// Whether the bracket beside the caret is shown with its counterpart.
    var showsBrackets = true
    /// The family of the font, or its fontconfig pattern; nil for what it is at first.
    var font: String?
    /// The size of the text in percent of what it is at first: one of ``sizes``.
    var size = 100

    /// Whether keyboards of other programs can ask to type.
    var keyboards = false
    /// The languages in which spelling is checked, such as `en_US de_DE`; `no` for none, `yes` for those of the locale, and
    /// `auto` for these in styled text alone.
    var spelling = EditorSettings.automaticSpelling
    /// The size of the window that was closed last, in pixels at scale 1.
    var window = EditorSettings.standardWindow

    static let standardWindow = Size(width: 800, height: 560)
    /// Widths and heights that a window may have.
    static let windowRange = 120.0...16_384

    /// The sizes that keys go through.
    static let sizes = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300, 400]

    /// The order in which changes are kept.
    static let queue = DispatchQueue(label: "settings")

    init() {}

    /// Reads what a file says; what it does not is as it is without one. A line that is no UTF-8 says nothing.
    ///
    /// - Parameter bad: called with the number, from 1, of each such line.
    init(bytes: [UInt8], bad: (Int) -> Void = { _ in }) {
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                bad(index + 1)
                continue
            }
            // By scalars: a sign and a combining mark behind it are one `Character`, and so are CR LF.
            for part in text.unicodeScalars.split(separator: "\r") {
                if let (name, value) = Self.parts(of: part) { _ = set(name, value) }
            }
        }
    }

    /// Reads what a text says.
    init(text: String) { self.init(bytes: Array(text.utf8)) }

    /// Takes the value of a line. Returns whether both mean something here.
    private mutating func set(_ name: String, _ value: String) -> Bool {
        func take<Value>(_ setting: WritableKeyPath<EditorSettings, Value>, _ value: Value?) -> Bool {
            if let value { self[keyPath: setting] = value }
            return value != nil
        }
        let isOn = ["yes": true, "no": false][value]
        return switch name {
        case "appearance": take(\.appearance, Appearance(rawValue: value))
        case "wrap": take(\.wraps, isOn)
        case "numbers": take(\.numbersLines, isOn)
        case "keyboards": take(\.keyboards, isOn)
        case "spelling": take(\.spelling, Self.checkedSpelling(value))
        case "whitespace": take(\.showsWhiteSpace, isOn)
        case "caretline": take(\.showsCaretLine, isOn)
        case "brackets": take(\.showsBrackets, isOn)
        case "font": take(\.font, .some(value.isEmpty ? nil : value))
        case "window": take(\.window, Self.windowSize(value))
        case "size": take(\.size, Int(value).flatMap { Self.sizes.contains($0) ? $0 : nil })
        default: false
        }
    }

    /// The size that `800x560` names; nil if it is none that a window may have.
    private static func windowSize(_ value: String) -> Size? {
        let parts = value.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0].map(Double.init), let height = parts[1].map(Double.init),
            windowRange.contains(width), windowRange.contains(height)
        else { return nil }
        return Size(width: width, height: height)
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

    /// The settings that are kept; those that hold without any if there are none, or they cannot be read. Blocks.
    static var kept: EditorSettings { read().settings }

    /// The settings that are kept, and a sentence about the first of their lines that is no text; nil if all are.
    static func read() -> (settings: EditorSettings, problem: String?) {
        let file = SmallFile(.configuration, "settings")
        var lines: [Int] = []
        let settings = EditorSettings(bytes: (try? file.read()) ?? []) { lines.append($0) }
        guard let path = file.path, let first = lines.first else { return (settings, nil) }
        let others = lines.count > 1 ? " " + Words.moreLinesAreNotUTF8(lines.count - 1) : ""
        return (settings, Words.settingsLineIsNotUTF8(path.label, first) + others)
    }

    /// The bytes that ``init(bytes:bad:)`` reads: lines of old ones that say something else are replaced; all others stay as they are, byte by
    /// byte, also those whose values mean nothing here.
    func bytes(in old: [UInt8] = []) -> [UInt8] {
        func word(_ isOn: Bool) -> String { isOn ? "yes" : "no" }
        func list(_ settings: EditorSettings) -> KeyValuePairs<String, String?> {
            [
                "appearance": settings.appearance.rawValue, "wrap": word(settings.wraps),
                "numbers": word(settings.numbersLines), "size": "\(settings.size)", "font": settings.font,
                "keyboards": settings.keyboards ? "yes" : nil,
                "spelling": settings.spelling == Self.automaticSpelling ? nil : settings.spelling,
                "whitespace": settings.showsWhiteSpace ? "yes" : nil,
                "caretline": settings.showsCaretLine ? "yes" : nil,
                "brackets": settings.showsBrackets ? nil : "no",
                "window": settings.window == Self.standardWindow
                    ? nil : "\(Int(settings.window.width))x\(Int(settings.window.height))",
            ]
        }
        let values = list(self)
        let standard = list(EditorSettings())
        var lines: [[UInt8]] = []
        var missing = values.map(\.key)
        for line in old.split(separator: 0x0a, omittingEmptySubsequences: false) {
            let end: [UInt8] = line.last == 0x0d ? [0x0d] : []
            let text = String(validating: line.dropLast(end.count), as: UTF8.self)
            guard let text, let (name, value) = Self.parts(of: text.unicodeScalars[...]),
                let place = values.firstIndex(where: { $0.key == name })
            else {
                lines.append(Array(line))
                continue
            }
            var probe = EditorSettings()
            guard probe.set(name, value) else {
                lines.append(Array(line))
                if values[place].value == standard[place].value { missing.removeAll { $0 == name } }
                continue
            }
            missing.removeAll { $0 == name }
            if let value = values[place].value { lines.append(Array("\(name) = \(value)".utf8) + end) }
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        for (name, value) in values where missing.contains(name) {
            if let value { lines.append(Array("\(name) = \(value)".utf8)) }
        }
        return Array(lines.joined(separator: [0x0a])) + [0x0a]
    }

    /// Keeps them. Returns whether that went well. Blocks.
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
            let text = Rope(bytes: bytes(in: old.map { $0.text.bytes(in: $0.text.byteRange) } ?? []))
            func write(_ method: SaveMethod) throws(TextFileError) {
                try TextFile.write(
                    text, to: path, format: old?.format ?? .utf8, expecting: old?.identity, method: method)
            }
            do throws(TextFileError) {
                try write(.automatic)
            } catch .wouldLose {
                // Its other names are for the same settings.
                try write(.inPlace)
            }
            return true
        } catch {
            return false
        }
    }
}

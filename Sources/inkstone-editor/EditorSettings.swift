import Dispatch
import Inkstone
import InkstoneFiles

/// The user's settings of the editor, stored from one start to the next. The file is `inkstone/settings` in the
/// user's configuration folder and has lines of the form `name = value`. Unknown lines are kept.
struct EditorSettings: Hashable {
    /// The colour scheme: dark on light, light on dark, or that of the desktop.
    var appearance = Appearance.desktop
    /// Whether lines are wrapped at the window's width, unless the command line overrides it.
    var wraps = true
    /// Whether line numbers are shown.
    var numbersLines = false
    /// Whether white space is shown by symbols.
    var showsWhiteSpace = false
    /// Whether the line that contains the caret is highlighted.
    var showsCaretLine = false
    /// Whether the bracket beside the caret is highlighted together with its counterpart.
    var showsBrackets = true
    /// The font family, or a fontconfig pattern; nil for the default font.
    var font: String?
    /// The text size in percent of the default size: one of ``sizes``.
    var size = 100

    /// Whether other programs' keyboards, such as on-screen keyboards, may ask for permission to type.
    var keyboards = false
    /// The languages for spell checking, such as `en_US de_DE`; `no` for no spell checking, `yes` for the languages
    /// of the locale, and `auto` for the languages of the locale in styled text only.
    var spelling = EditorSettings.automaticSpelling
    /// The size of the window that was closed last, in pixels at scale 1.
    var window = EditorSettings.standardWindow

    static let standardWindow = Size(width: 800, height: 560)
    /// The range in which both the width and the height of ``window`` must lie; other sizes are not stored, and not
    /// read.
    static let windowRange = 120.0...16_384
    /// The minimum size of a new window, in pixels at scale 1. The user may have made the last window smaller than
    /// this, but probably does not want other documents in so small a window.
    static let smallestWindow = Size(width: 400, height: 280)

    /// Returns the size of a new window in pixels at scale 1: for a document, that of the window that was closed
    /// last, but at least ``smallestWindow``; for a page such as the list of keys, the standard size.
    func window(forPage isPage: Bool) -> Size {
        if isPage { return Self.standardWindow }
        return Size(
            width: max(window.width, Self.smallestWindow.width), height: max(window.height, Self.smallestWindow.height))
    }

    /// The sizes in percent that the zoom commands step through.
    static let sizes = [50, 67, 80, 90, 100, 110, 125, 150, 175, 200, 250, 300, 400]

    /// All settings, each with functions that compare and copy its value.
    static var all: [Setting] {
        [
            Setting(\.appearance), Setting(\.wraps), Setting(\.numbersLines), Setting(\.showsWhiteSpace),
            Setting(\.showsCaretLine),
            Setting(\.showsBrackets), Setting(\.font), Setting(\.size), Setting(\.keyboards), Setting(\.spelling),
            Setting(\.window),
        ]
    }

    /// A setting, as functions that compare and copy its value.
    struct Setting {
        /// Returns whether this setting differs between two values of all settings.
        let differs: (EditorSettings, EditorSettings) -> Bool
        /// Copies this setting from the first argument to the second.
        let copy: (EditorSettings, inout EditorSettings) -> Void

        init<Value: Equatable>(_ path: WritableKeyPath<EditorSettings, Value>) {
            differs = { $0[keyPath: path] != $1[keyPath: path] }
            copy = { $1[keyPath: path] = $0[keyPath: path] }
        }
    }

    /// The serial queue on which changes are stored, in order.
    static let queue = DispatchQueue(label: "settings")

    init() {}

    /// Creates settings from the content of a settings file; missing and invalid settings keep their defaults. Lines
    /// that are not valid UTF-8 are ignored.
    ///
    /// - Parameter bad: called with the number, from 1, of each line that is not valid UTF-8.
    init(bytes: [UInt8], bad: (Int) -> Void = { _ in }) {
        let lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let text = String(validating: line, as: UTF8.self) else {
                bad(index + 1)
                continue
            }
            for part in Self.lines(of: text) {
                if let (name, value) = Self.parts(of: part) { _ = set(name, value) }
            }
        }
    }

    /// Creates settings from the text of a settings file.
    init(text: String) { self.init(bytes: Array(text.utf8)) }

    /// Sets the setting of a given name. Returns whether name and value are valid.
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

    /// Parses a window size such as `800x560`; nil if it is invalid or out of range.
    private static func windowSize(_ value: String) -> Size? {
        let parts = value.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let width = parts[0].map(Double.init), let height = parts[1].map(Double.init),
            windowRange.contains(width), windowRange.contains(height)
        else { return nil }
        return Size(width: width, height: height)
    }

    /// Returns the parts of a text between CRs, each of which ends a line, as LF and CR LF do. The text contains no LF.
    private static func lines(of text: String) -> [Substring.UnicodeScalarView] {
        // Split at scalars: a character with a combining mark after it is one `Character`.
        text.unicodeScalars.split(separator: "\r", omittingEmptySubsequences: false)
    }

    /// Returns the name and the value in a line; nil if the line is not of the form `name = value`.
    private static func parts(of line: Substring.UnicodeScalarView) -> (name: String, value: String)? {
        let parts = line.drop { $0 == "\u{feff}" }.split(separator: "=", maxSplits: 1).map { part in
            var part = part.drop { $0 == " " || $0 == "\t" }
            while let last = part.last, last == " " || last == "\t" { part.removeLast() }
            return String(part)
        }
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// Steps the text size up by `steps` of ``sizes``; down if negative.
    mutating func enlarge(by steps: Int) {
        let place = Self.sizes.firstIndex(of: size) ?? 0
        size = Self.sizes[min(max(place + steps, 0), Self.sizes.count - 1)]
    }

    /// The stored settings; the defaults if there are none, or the file cannot be read. Blocks.
    static var kept: EditorSettings { read().settings }

    /// Reads the stored settings. `problem` is a sentence about the lines that are not valid UTF-8, or about a file
    /// that cannot be read or is too large; nil if there is no such problem. Blocks.
    static func read() -> (settings: EditorSettings, problem: String?) {
        read(SmallFile(.configuration, "settings"))
    }

    static func read(_ file: SmallFile) -> (settings: EditorSettings, problem: String?) {
        let bytes: [UInt8]
        do {
            bytes = try file.read()
        } catch {
            return (EditorSettings(), file.path.map { Words.settingsAreUnreadable($0.label) })
        }
        var lines: [Int] = []
        let settings = EditorSettings(bytes: bytes) { lines.append($0) }
        guard let path = file.path, let first = lines.first else { return (settings, nil) }
        let others = lines.count > 1 ? " " + Words.moreLinesAreNotUTF8(lines.count - 1) : ""
        return (settings, Words.settingsLineIsNotUTF8(path.label, first) + others)
    }

    /// Returns the content of a settings file, as ``init(bytes:bad:)`` reads it: the content `old` with the present
    /// settings. The lines of valid settings are rewritten. A setting that is only stored when it differs from its
    /// default loses its line while it has the default value. Other settings without a valid line get one at the end,
    /// except those that have an invalid line and their default value. All other lines, also those with invalid
    /// values, are kept unchanged.
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
        /// Returns a line with the present value of its setting; nil if the line is omitted.
        func rewritten(_ line: Substring.UnicodeScalarView) -> [UInt8]? {
            let old = Array(String(line).utf8)
            guard let (name, value) = Self.parts(of: line), let place = values.firstIndex(where: { $0.key == name })
            else { return old }
            var probe = EditorSettings()
            guard probe.set(name, value) else {
                if values[place].value == standard[place].value { missing.removeAll { $0 == name } }
                return old
            }
            missing.removeAll { $0 == name }
            return values[place].value.map { Array("\(name) = \($0)".utf8) }
        }
        for line in old.split(separator: 0x0a, omittingEmptySubsequences: false) {
            guard let text = String(validating: line, as: UTF8.self) else {
                lines.append(Array(line))
                continue
            }
            let parts = Self.lines(of: text)
            let new = parts.map(rewritten)
            // Omit the whole line, with its line end, if none of its parts is left. The empty part after a last CR stands
            // for no line.
            let count = parts.count > 1 && parts.last?.isEmpty == true ? parts.count - 1 : parts.count
            if new.prefix(count).allSatisfy({ $0 == nil }) { continue }
            lines.append(Array(new.compactMap(\.self).joined(separator: [0x0d])))
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        for (name, value) in values where missing.contains(name) {
            if let value { lines.append(Array("\(name) = \(value)".utf8)) }
        }
        return Array(lines.joined(separator: [0x0a])) + [0x0a]
    }

    /// Stores the settings. Returns whether that succeeded. Blocks.
    @discardableResult
    func keep() -> Bool { SmallFile(.configuration, "settings").path.map(keep) ?? false }

    /// Stores the settings in a file. Keeps unknown lines, and writes through symbolic links. An existing file that
    /// cannot be read, or is too large to be read as settings, is not written. Returns whether it succeeded. Blocks.
    func keep(in path: FilePath) -> Bool {
        // These settings do not have the values of a file that ``read()`` could not read: writing them would replace
        // its values by defaults.
        guard (try? SmallFile(at: path).read()) != nil else { return false }
        do throws(TextFileError) {
            var old: TextFile?
            do throws(TextFileError) {
                old = try TextFile.read(path)
            } catch .notFound {
                SmallFile.makeDirectory(of: path)
            }
            let new = bytes(in: old.map { $0.text.bytes(in: $0.text.byteRange) } ?? [])
            guard new.count < SmallFile.limit else { return false }
            let text = Rope(bytes: new)
            func write(_ method: SaveMethod) throws(TextFileError) {
                try TextFile.write(
                    text, to: path, format: old?.format ?? .utf8, expecting: old?.identity, method: method)
            }
            do throws(TextFileError) {
                try write(.automatic)
            } catch .wouldLose {
                // Write in place if the file has other hard links: replacing it would detach them, although they
                // are for the same settings.
                try write(.inPlace)
            }
            return true
        } catch {
            return false
        }
    }
}

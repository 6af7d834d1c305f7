import Glibc
import Inkstone

/// What the user has chosen in the editor, kept from one start to the next: `inkstone/settings` in the user's configuration, lines of
/// `name = value`. A line that means nothing here is left out.
struct EditorSettings: Hashable {
    /// Dark on light, light on dark, or as the desktop has it.
    var appearance = Appearance.desktop
    /// Whether lines are wrapped at the window's width, unless the command line says.
    var wraps = true

    /// Where they are kept; nil if the user has no place for such files.
    static var path: String? { UserDirectory.configuration.file("settings") }

    init() {}

    /// Reads what a file says; what it does not is as it is without one.
    init(text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1).map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "appearance": appearance = Appearance(rawValue: parts[1]) ?? appearance
            case "wrap": wraps = parts[1] == "yes" ? true : parts[1] == "no" ? false : wraps
            default: break
            }
        }
    }

    /// The settings that are kept; those that hold without any if there are none, or they cannot be read.
    static var kept: EditorSettings {
        // A few lines: more than this is no file of ours.
        var bytes = [UInt8](repeating: 0, count: 4096)
        guard let path, case let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), file >= 0 else {
            return EditorSettings()
        }
        defer { close(file) }
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? EditorSettings(text: String(decoding: bytes[..<count], as: UTF8.self)) : EditorSettings()
    }

    /// As ``init(text:)`` reads it.
    var text: String { "appearance = \(appearance.rawValue)\nwrap = \(wraps ? "yes" : "no")\n" }

    /// Keeps them, whole or not at all. Returns whether that went well.
    @discardableResult
    func keep() -> Bool {
        guard let path = Self.path, let slash = path.lastIndex(of: "/") else { return false }
        var directory = ""
        for part in path[..<slash].split(separator: "/") {
            directory += "/" + part
            mkdir(directory, 0o700)
        }
        let new = "\(path).\(getpid())"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        var text = text
        let isWritten = text.withUTF8 { write(file, $0.baseAddress, $0.count) == $0.count }
        close(file)
        guard isWritten, rename(new, path) == 0 else {
            unlink(new)
            return false
        }
        return true
    }
}

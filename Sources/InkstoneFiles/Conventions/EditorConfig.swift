import Glibc
public import InkstoneBase

/// The properties that `.editorconfig` files give one file (editorconfig.org, version 0.17): those of the sections that match its path, the
/// nearest file last, up to one with `root = true`.
///
/// What is not understood is left out, and no file makes reading long: 64 directories, 64 KB a file, a bounded number of sections and of
/// steps for a pattern.
public struct EditorConfig: Hashable, Sendable {
    /// Whether a step of indentation is a tab; nil if nothing says so.
    public var indentsWithTabs: Bool?
    /// Columns of a step of indentation; nil for the width of a tab.
    public var indentSize: Int?
    /// Columns from one tab stop to the next.
    public var tabWidth: Int?
    /// The line ends of the file.
    public var newline: Newline?
    /// Whether blanks at the ends of lines are taken away on saving.
    public var trimsTrailingBlanks: Bool?
    /// Whether the file is to end with a line end.
    public var insertsFinalNewline: Bool?

    /// Conventions of a file that no `.editorconfig` covers.
    public init() {}

    private static let name: FilePath = ".editorconfig"
    private static let mostDirectories = 64
    /// Bytes of a file; of a longer one nothing is taken.
    static let mostBytes = 65_536
    private static let mostColumns = 64

    /// The properties of a file, by its absolute path. Blocks on the disk.
    public init(for path: FilePath) {
        var directory = path.absolute.directory
        var found: [(directory: FilePath, text: String)] = []
        for _ in 0..<Self.mostDirectories {
            if let bytes = Self.read(directory.appending(Self.name)) {
                found.append((directory, String(decoding: bytes, as: UTF8.self)))
                if Self.isRoot(bytes) { break }
            }
            let parent = directory.directory
            if parent == directory { break }
            directory = parent
        }
        let whole = String(decoding: path.absolute.bytes, as: UTF8.self)
        var work = EditorConfigPattern.mostWork
        for (directory, text) in found.reversed() {
            let base = String(decoding: directory.bytes, as: UTF8.self)
            apply(text, to: String(whole.dropFirst(base.count).drop { $0 == "/" }), &work)
        }
    }

    /// Takes what a file's text says about a path below its directory, which has no `/` at its start.
    mutating func apply(_ text: String, to path: String) {
        var work = EditorConfigPattern.mostWork
        apply(text, to: path, &work)
    }

    /// The same within what is left of the work for patterns.
    private mutating func apply(_ text: String, to path: String, _ work: inout Int) {
        var matches = false
        for (key, value) in Self.lines(of: text) {
            guard let value else {
                matches = EditorConfigPattern(key).matches(path, &work)
                continue
            }
            if matches { set(key.lowercased(), value.lowercased()) }
        }
    }

    /// A section's name with a nil value, or a property. A file has 2,000 lines at most that count.
    private static func lines(of text: String) -> [(key: String, value: String?)] {
        var result: [(String, String?)] = []
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) where result.count < 2000 {
            let line = trimmed(line)
            guard let first = line.first, first != "#", first != ";" else { continue }
            if first == "[" {
                if let end = line.lastIndex(of: "]") {
                    result.append((String(line[line.index(after: line.startIndex)..<end]), nil))
                }
            } else if let equals = line.firstIndex(where: { $0 == "=" || $0 == ":" }) {
                result.append((String(trimmed(line[..<equals])), String(trimmed(line[line.index(after: equals)...]))))
            }
        }
        return result
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// Whether a file says before its first section that no other counts.
    private static func isRoot(_ bytes: [UInt8]) -> Bool {
        lines(of: String(decoding: bytes, as: UTF8.self)).prefix { $0.value != nil }
            .contains { $0.key.lowercased() == "root" && $0.value?.lowercased() == "true" }
    }

    private mutating func set(_ key: String, _ value: String) {
        func flag() -> Bool? { value == "true" ? true : value == "false" ? false : nil }
        func columns() -> Int? { Int(value).flatMap { 1...Self.mostColumns ~= $0 ? $0 : nil } }
        switch (key, value) {
        case ("indent_style", _): indentsWithTabs = value == "tab" ? true : value == "space" ? false : nil
        case ("indent_size", _): indentSize = columns()
        case ("tab_width", _): tabWidth = columns()
        case ("end_of_line", "lf"): newline = .lf
        case ("end_of_line", "crlf"): newline = .crlf
        case ("end_of_line", "cr"): newline = .cr
        case ("end_of_line", _): newline = nil
        case ("trim_trailing_whitespace", _): trimsTrailingBlanks = flag()
        case ("insert_final_newline", _): insertsFinalNewline = flag()
        default: break
        }
    }

    private static func read(_ path: FilePath) -> [UInt8]? {
        // A pipe or a device would be waited for.
        let file = open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= mostBytes else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: mostBytes)
        var count: Int
        repeat { count = Glibc.read(file, &bytes, bytes.count) } while count < 0 && errno == EINTR
        return count < 0 ? nil : Array(bytes[..<count])
    }
}

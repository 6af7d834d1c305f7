import Glibc
public import InkstoneBase

/// The properties of one file from `.editorconfig` files (editorconfig.org, version 0.17): those of the sections that match its path, the
/// nearest file last, up to one with `root = true`.
///
/// Unknown properties are ignored, and the time for reading is bounded: 64 directories, 64 KB a file, a bounded number of sections and of
/// steps for a pattern.
public struct EditorConfig: Hashable, Sendable {
    /// Whether a step of indentation is a tab; nil if unspecified.
    public var indentsWithTabs: Bool?
    /// The width of a step of indentation in columns; nil for the width of a tab.
    public var indentSize: Int?
    /// The distance between tab stops in columns.
    public var tabWidth: Int?
    /// The line ends of the file.
    public var newline: Newline?
    /// Whether blanks at line ends are removed on saving.
    public var trimsTrailingBlanks: Bool?
    /// Whether the file is to end with a line end.
    public var insertsFinalNewline: Bool?

    /// Conventions for a file without an `.editorconfig`.
    public init() {}

    private static let name: FilePath = ".editorconfig"
    private static let mostDirectories = 64
    /// The maximum size of a file in bytes; a larger one is ignored.
    static let mostBytes = 65_536
    private static let mostColumns = 64

    /// Reads the properties of a file, by its absolute path. Blocks on the disk.
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
        let whole = path.absolute.bytes
        var work = EditorConfigPattern.mostWork
        for (directory, text) in found.reversed() {
            let relative = whole.dropFirst(directory.bytes.count).drop { $0 == UInt8(ascii: "/") }
            apply(text, to: String(decoding: relative, as: UTF8.self), &work)
        }
    }

    /// Applies an `.editorconfig` text to a path relative to its directory, without a leading `/`.
    mutating func apply(_ text: String, to path: String) {
        var work = EditorConfigPattern.mostWork
        apply(text, to: path, &work)
    }

    /// Applies the text with the remaining work for patterns.
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

    /// Returns section names, with a nil value, and properties. At most 2,000 lines of a file count.
    private static func lines(of text: String) -> [(key: String, value: String?)] {
        var result: [(String, String?)] = []
        // By scalars: a combining mark behind "=" is not part of it.
        for line in text.unicodeScalars.split(whereSeparator: isNewline) where result.count < 2000 {
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

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool { Character(scalar).isNewline }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        var text = text.drop { $0.properties.isWhitespace }
        while text.last?.properties.isWhitespace == true { text.removeLast() }
        return text
    }

    /// Whether a file has `root = true` before its first section.
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
        // Opening a pipe or a device would block.
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

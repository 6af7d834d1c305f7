import Glibc
public import InkstoneBase

/// The properties of one file from `.editorconfig` files (editorconfig.org, version 0.17). The files are searched
/// in the file's directory and its parents, up to one with `root = true`. Sections that match the file's path
/// apply. Those of nearer directories override others.
///
/// Unknown properties are ignored. The time for reading is bounded: 64 directories, 64 KB a file, and a limited
/// number of sections and of steps for a pattern.
public struct EditorConfig: Hashable, Sendable {
    /// Whether a step of indentation is a tab rather than blanks; nil if unspecified.
    public var indentsWithTabs: Bool?
    /// The width of a step of indentation in columns; nil if it is unspecified, or if it is the width of a tab.
    public var indentSize: Int?
    /// The distance between tab stops in columns; nil if unspecified.
    public var tabWidth: Int?
    /// The kind of line end of the file; nil if unspecified.
    public var newline: Newline?
    /// Whether blanks at line ends are removed on saving; nil if unspecified.
    public var trimsTrailingBlanks: Bool?
    /// Whether the file has to end with a line end; nil if unspecified.
    public var insertsFinalNewline: Bool?

    /// Creates properties without any value, as for a file without an `.editorconfig`.
    public init() {}

    private static let name: FilePath = ".editorconfig"
    /// The maximum number of directories that are searched for `.editorconfig` files, from the file's own upwards.
    /// Those further up are ignored.
    private static let mostDirectories = 64
    /// The maximum size of an `.editorconfig` file in bytes; a larger file is ignored.
    static let mostBytes = 65_536
    /// The maximum width of a tab or of a step of indentation, in columns. A larger one counts as unspecified.
    private static let mostColumns = 64

    /// Creates the properties of a file from the `.editorconfig` files that apply to it. The path is resolved to an
    /// absolute one first. Blocks on the disk.
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

    /// Sets the properties that the text of an `.editorconfig` file gives to a path. The path is relative to the
    /// directory of that `.editorconfig` file, and has no leading `/`.
    mutating func apply(_ text: String, to path: String) {
        var work = EditorConfigPattern.mostWork
        apply(text, to: path, &work)
    }

    /// Sets the properties that the text of an `.editorconfig` file gives to a path.
    ///
    /// - Parameter work: the number of scalars that may still be examined for matching patterns.
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

    /// Returns the section names and the properties of a text, in order. A section name has the value nil. Only the
    /// first 2,000 entries of a file are used.
    private static func lines(of text: String) -> [(key: String, value: String?)] {
        var result: [(String, String?)] = []
        // Split by scalars. As a `Character`, "=" with a combining mark after it would not equal "=".
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

    /// Whether an `.editorconfig` file has `root = true` before its first section.
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
        // Open without blocking, because the name may belong to a pipe or a device.
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

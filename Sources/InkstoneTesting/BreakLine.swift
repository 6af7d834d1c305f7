import Glibc

/// A line of one of Unicode's break files, such as `÷ 0020 × 0308 ÷ # comment` (UAX #14 and #29, "Testing").
package struct BreakLine {
    /// The error that a break file is missing, or has a malformed line.
    package struct Unreadable: Error, CustomStringConvertible {
        /// The problem, and its remedy.
        package let description: String
    }

    /// The line in the file, without its comment.
    package var source = ""
    /// The text whose boundaries the line lists.
    package var text = ""
    /// The scalars of the text in hexadecimal, separated by single spaces.
    package var scalars = ""
    /// The boundaries in the text, as UTF-16 offsets in ascending order. The ends of the text are included if the
    /// file lists them.
    package var boundaries: [Int] = []

    /// Reads the lines of a file of the package `unicode-data`, such as `WordBreakTest`, except those without a
    /// text.
    ///
    /// Throws ``Unreadable`` if the file is missing or a line of it cannot be read.
    package static func read(_ name: String) throws(Unreadable) -> [BreakLine] {
        let path = "/usr/share/unicode/auxiliary/\(name).txt"
        guard let file = fopen(path, "r") else {
            throw Unreadable(
                description: "\(path) is missing: install the package unicode-data (scripts/setup --tests)")
        }
        defer { fclose(file) }
        var lines: [BreakLine] = []
        var buffer: UnsafeMutablePointer<CChar>?
        var size = 0
        defer { free(buffer) }
        while getline(&buffer, &size, file) > 0, let buffer {
            let line = try BreakLine(String(cString: buffer))
            if !line.text.isEmpty { lines.append(line) }
        }
        return lines
    }

    /// Reads the Unicode version of a file, such as 15.1, from its first line.
    ///
    /// Throws ``Unreadable`` if the file is missing or names no version.
    package static func version(of name: String) throws(Unreadable) -> Double {
        let path = "/usr/share/unicode/auxiliary/\(name).txt"
        let text = (try? TextFiles.read(path)) ?? ""
        // The first line has the form `# LineBreakTest-15.1.0.txt`.
        let parts = text.prefix { $0 != "\n" }.split(separator: "-").last?.split(separator: ".").prefix(2) ?? []
        guard let version = Double(parts.joined(separator: ".")) else {
            throw Unreadable(description: "\(path) is missing, or its first line has no version")
        }
        return version
    }

    /// Creates a line by parsing its text. The line's own text is empty if it only has a comment.
    private init(_ line: String) throws(Unreadable) {
        source = String(line.prefix { $0 != "#" && $0 != "\n" })
        for word in source.split(whereSeparator: \.isWhitespace) {
            switch word {
            case "÷": boundaries.append(text.utf16.count)
            case "×": break
            default:
                guard let scalar = UInt32(word, radix: 16).flatMap(Unicode.Scalar.init) else {
                    throw Unreadable(description: "no scalar: \(word) in \(line)")
                }
                text.unicodeScalars.append(scalar)
                scalars += (scalars.isEmpty ? "" : " ") + word
            }
        }
    }
}

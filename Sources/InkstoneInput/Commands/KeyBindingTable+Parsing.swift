import InkstoneWords

/// The errors in a file of key bindings: all faulty lines, in order; or the reason why the file could not be read.
public struct KeyBindingFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A line that could not be parsed.
    public struct Line: Hashable, Sendable {
        /// The line number, from 1.
        public var number: Int
        /// The error, and how to correct it.
        public var message: String
    }

    /// The name of the file, as passed to the parser.
    public var file: String
    /// The faulty lines; empty if the file could not be read.
    public var lines: [Line]
    /// The reason why the file could not be read; nil if it was read.
    public var reason: String?

    /// Creates an error from faulty lines.
    public init(file: String, lines: [Line]) {
        self.file = file
        self.lines = lines
    }

    /// Creates an error for a file that could not be read.
    public init(file: String, reason: String) {
        self.init(file: file, lines: [])
        self.reason = reason
    }

    /// The message, with one `file:line: message` for each faulty line.
    public var description: String {
        if let reason { return localized("The key bindings in \(file) cannot be read: \(reason)") }
        return lines.map { "\(file):\($0.number): \($0.message)" }.joined(separator: "\n")
    }
}

extension KeyBindingTable {
    /// Creates a table from the text of a user's file, whose bindings are added to a base table.
    ///
    /// ```
    /// # Comment. The base table: desktop (default), emacs or none.
    /// base = emacs
    /// Ctrl+Shift+K = deleteToEndOfParagraph
    /// Ctrl+X Ctrl+U = undo                      # a chord: one key after the other, up to eight
    /// Ctrl+O = insertNewline, moveBackward      # several commands
    /// Ctrl+Y = none                             # not bound any more
    /// ```
    /// A `#` begins a comment anywhere in a line; the key is called `numbersign`. Valid lines are used even if
    /// others are faulty: `salvaged` receives the table after all lines were parsed, whether or not any is faulty,
    /// and then the error is thrown if there is one. A command that is not in `knownCommands` is an error. Its
    /// message suggests the most similar name or, for a command of Apple's that is not supported, gives the reason.
    public init(
        parsing text: String, file: String = "keys", knownCommands: [EditCommand] = EditCommand.all,
        salvaged: ((KeyBindingTable) -> Void)? = nil
    ) throws(KeyBindingFileError) {
        var table = KeyBindingTable.desktop
        var mistakes: [KeyBindingFileError.Line] = []
        var hasBindings = false
        for (index, raw) in Self.lines(of: text).enumerated() {
            let line = Self.trimmed(Self.withoutComment(raw))
            if line.isEmpty { continue }
            do throws(Mistake) {
                let (key, value) = try Self.sides(of: line)
                if key == "base" {
                    if hasBindings { throw Mistake(localized("the base must come before all bindings")) }
                    table = try Self.base(value)
                    continue
                }
                hasBindings = true
                let strokes = try Self.strokes(key)
                if value == "none" {
                    table.remove(strokes)
                } else {
                    table.add(KeyBinding(strokes, try Self.commands(value, knownCommands)))
                }
            } catch {
                mistakes.append(.init(number: index + 1, message: error.message))
            }
        }
        salvaged?(table)
        guard mistakes.isEmpty else { throw KeyBindingFileError(file: file, lines: mistakes) }
        self = table
    }

    private struct Mistake: Error {
        var message: String
        init(_ message: String) { self.message = message }
    }

    /// Returns the lines of a file, with any kind of newline, without the byte order mark. Works on scalars,
    /// because CR LF is a single `Character`, and so is a sign with a combining mark.
    private static func lines(of text: String) -> [Substring] {
        var lines: [Substring] = []
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        if scalars.first == "\u{feff}" { start = scalars.index(after: start) }
        var index = start
        while index < scalars.endIndex {
            let scalar = scalars[index]
            let next = scalars.index(after: index)
            if scalar == "\n" || scalar == "\r" {
                lines.append(Substring(scalars[start..<index]))
                let isPair = scalar == "\r" && next < scalars.endIndex && scalars[next] == "\n"
                start = isPair ? scalars.index(after: next) : next
                index = start
            } else {
                index = next
            }
        }
        lines.append(Substring(scalars[start...]))
        return lines
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var scalars = text.unicodeScalars
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return Substring(scalars)
    }

    private static func withoutComment(_ line: Substring) -> Substring {
        line.unicodeScalars.firstIndex(of: "#").map { line[..<$0] } ?? line
    }

    /// Splits a line at its last `=`, so that `Ctrl+= = undo` is valid.
    private static func sides(of line: Substring) throws(Mistake) -> (Substring, Substring) {
        guard let equals = line.unicodeScalars.lastIndex(of: "=") else {
            throw Mistake(localized("there is no = between keys and command"))
        }
        let key = trimmed(line[..<equals])
        let value = trimmed(line[line.unicodeScalars.index(after: equals)...])
        if key.isEmpty { throw Mistake(localized("there is no key before =")) }
        if value.isEmpty {
            throw Mistake(localized("there is no command after =; write none to unbind \(String(key))"))
        }
        return (key, value)
    }

    private static func base(_ name: Substring) throws(Mistake) -> KeyBindingTable {
        guard let table = KeyBindingTable(named: String(name)) else {
            throw Mistake(localized("there is no table \(String(name)); there are desktop, emacs and none"))
        }
        return table
    }

    /// The maximum number of keys of a chord in a file.
    private static let mostStrokes = 8

    private static func strokes(_ keys: Substring) throws(Mistake) -> [KeyStroke] {
        var result: [KeyStroke] = []
        for name in keys.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(Substring.init) {
            // Limit the length, because the table stores every prefix of each binding.
            guard result.count < mostStrokes else {
                throw Mistake(localized("too many keys: a chord has at most \(mostStrokes)"))
            }
            guard let stroke = KeyStroke(name) else {
                throw Mistake(
                    localized(
                        "there is no key \(String(name)); keys are written like Ctrl+Shift+Left, with X11's names for the last part"
                    ))
            }
            result.append(stroke)
        }
        return result
    }

    private static func commands(
        _ names: Substring, _ known: [EditCommand]
    ) throws(Mistake) -> [EditCommand] {
        var result: [EditCommand] = []
        for part in names.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map(Substring.init) {
            let command = EditCommand(String(trimmed(part)))
            guard known.contains(command) else {
                if let reason = EditCommand.unsupported[command] {
                    throw Mistake(localized("the command \(command.rawValue) is not supported: \(reason)"))
                }
                // Suggest no name for a word that is much longer than any name.
                let isName = command.rawValue.utf8.count <= 64
                let nearest = known.map(\.rawValue).filter { _ in isName }.min {
                    distance($0, command.rawValue) < distance($1, command.rawValue)
                }
                let name = command.rawValue
                throw Mistake(
                    nearest.map { localized("there is no command \(name); did you mean \($0)?") }
                        ?? localized("there is no command \(name)"))
            }
            result.append(command)
        }
        return result
    }

    /// Returns the Levenshtein distance of two words: the number of letters to change, insert or remove. O(n · m).
    private static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b.lowercased())
        var row = Array(0...b.count)
        for (i, x) in a.lowercased().enumerated() {
            var previous = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let change = previous + (x == y ? 0 : 1)
                previous = row[j + 1]
                row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}

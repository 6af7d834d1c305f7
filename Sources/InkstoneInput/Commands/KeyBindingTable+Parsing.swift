import InkstoneWords

/// What is wrong with a file of key bindings: all lines with a mistake, in order, or why it could not be read.
public struct KeyBindingFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A line that could not be understood.
    public struct Line: Hashable, Sendable {
        /// Its number, from 1.
        public var number: Int
        /// What is wrong with it and what would be right.
        public var message: String
    }

    /// The file, as it was named.
    public var file: String
    /// The mistakes; empty if it could not be read.
    public var lines: [Line]
    /// Why it could not be read; nil if it was.
    public var reason: String?

    /// Mistakes in lines.
    public init(file: String, lines: [Line]) {
        self.file = file
        self.lines = lines
    }

    /// A file that could not be read.
    public init(file: String, reason: String) {
        self.init(file: file, lines: [])
        self.reason = reason
    }

    /// One `file:line: message` for each.
    public var description: String {
        if let reason { return localized("The key bindings in \(file) cannot be read: \(reason)") }
        return lines.map { "\(file):\($0.number): \($0.message)" }.joined(separator: "\n")
    }
}

extension KeyBindingTable {
    /// A table from the text of a user's file, on top of another table.
    ///
    /// ```
    /// # Comment. The base table: desktop (default), emacs or none.
    /// base = emacs
    /// Ctrl+Shift+K = deleteToEndOfParagraph
    /// Ctrl+X Ctrl+U = undo                      # a chord: one key after the other, up to eight
    /// Ctrl+O = insertNewline, moveBackward      # several commands
    /// Ctrl+Y = none                             # not bound any more
    /// ```
    /// Good lines are taken even if others are not: then it throws after all have been read, and `salvaged` has the rest.
    /// Commands that are not in `knownCommands` are mistakes, with the nearest name as advice, or the reason why one of
    /// Apple's is not supported.
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

    /// The lines of a file, whichever newlines end them, without the mark at its start. By scalars: CR LF is one `Character`, and so are a
    /// sign and a combining mark behind it.
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

    /// The sides of the last `=` that stands alone, so that `Ctrl+= = undo` can be written.
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

    /// The most keys of a chord in a file.
    private static let mostStrokes = 8

    private static func strokes(_ keys: Substring) throws(Mistake) -> [KeyStroke] {
        var result: [KeyStroke] = []
        for name in keys.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(Substring.init) {
            // The table keeps all that each binding begins with.
            guard result.count < mostStrokes else {
                throw Mistake(localized("these are too many keys; a chord is of up to \(mostStrokes)"))
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
                // What is much longer than any name is none that was misspelt.
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

    /// How many letters to change, add or drop (Levenshtein). O(n · m).
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

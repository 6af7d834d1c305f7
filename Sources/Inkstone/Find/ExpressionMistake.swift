/// The first mistake in a regular expression that ICU rejects, for a message to the user. ICU itself only reports the
/// position at which it stopped: the end of the pattern if a bracket is not closed.
package struct ExpressionMistake: Hashable {
    /// The description of the mistake, without a full stop.
    package var text: String
    /// The position of the wrong character in the pattern, counted in characters from 1.
    package var position: Int

    /// The mistake and its position, as a message for the user.
    package var description: String { FindWords.mistake(text, at: position) }

    /// Creates the mistake in a pattern that ICU has rejected. O(n) for n UTF-16 units.
    ///
    /// - Parameter end: the position at which ICU stopped, in UTF-16 units; clamped to the pattern.
    package init(in pattern: String, at end: Int) {
        let units = Array(pattern.utf16)
        let found = Self.find(in: units) ?? (FindWords.invalidExpression, min(max(0, end), units.count))
        text = found.text
        position = 1 + String(decoding: units[..<found.offset], as: UTF16.self).count
    }

    private static func find(in units: [UInt16]) -> (text: String, offset: Int)? {
        var open: [Int] = []
        // Whether a quantifier may follow, because there is a preceding item to repeat.
        var mayRepeat = false
        var at = 0
        func unit(_ index: Int) -> Unicode.Scalar? { index < units.count ? Unicode.Scalar(units[index]) : nil }
        while at < units.count {
            let start = at
            at += 1
            switch unit(start) {
            case "\\":
                guard let next = unit(at) ?? (at < units.count ? " " : nil) else {
                    return (FindWords.unfinishedEscape, start)
                }
                at += 1
                if next == "Q" {
                    while at < units.count, unit(at) != "\\" || unit(at + 1) != "E" { at += 1 }
                    at = min(units.count, at + 2)
                }
                mayRepeat = true
            case "[":
                guard let end = end(ofSet: start, in: units) else { return (FindWords.without("[", "]"), start) }
                (at, mayRepeat) = (end, true)
            case "(":
                open.append(start)
                // Skip the characters for the kind of the group; names and flags are treated as letters.
                if unit(at) == "?" { at += ":=!>|#".unicodeScalars.contains(unit(at + 1) ?? " ") ? 2 : 1 }
                mayRepeat = false
            case ")":
                if open.popLast() == nil { return (FindWords.without(")", "("), start) }
                mayRepeat = true
            case "|": mayRepeat = false
            case "*", "+", "?":
                guard mayRepeat else { return (FindWords.nothingToRepeat(String(unit(start) ?? "*")), start) }
                // Skip the second character, which reluctant and possessive quantifiers have.
                if unit(at) == "?" || unit(at) == "+" { at += 1 }
                mayRepeat = false
            default: mayRepeat = true
            }
        }
        return open.last.map { (FindWords.without("(", ")"), $0) }
    }

    /// Returns the offset after the bracket that closes the set at `start`; nil if there is none. Sets may be
    /// nested.
    private static func end(ofSet start: Int, in units: [UInt16]) -> Int? {
        var (at, depth) = (start, 0)
        while at < units.count {
            switch Unicode.Scalar(units[at]) {
            case "\\": at += 1
            case "[": depth += 1
            case "]":
                depth -= 1
                if depth == 0 { return at + 1 }
            default: break
            }
            at += 1
        }
        return nil
    }
}

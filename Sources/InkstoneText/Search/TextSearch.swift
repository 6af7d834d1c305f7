import InkstoneBase
import InkstoneUnicode

/// A search: for a string, or by a regular expression. A value; searching works on snapshots of a text, on any
/// thread.
public struct TextSearch: Hashable, Sendable {
    /// The syntax of a pattern.
    public enum Syntax: Hashable, Sendable {
        /// A string to match literally.
        case literal
        /// A regular expression in ICU's syntax, `^` and `$` matching at every line.
        case regularExpression
    }

    /// The string or the regular expression.
    public let pattern: String
    /// The syntax of the pattern.
    public let syntax: Syntax
    /// Whether upper and lower case count as equal. A literal search then ignores the encoding of a character as
    /// well: é equals e followed by a combining acute, and ß equals SS. But a plain e does not match é (Unicode
    /// D145). A literal pattern that begins with a combining mark is searched with exact case. Regular expressions
    /// fold case as ICU does.
    public let ignoresCase: Bool
    /// Whether matches begin and end at edges of words: no end of a match has letters, digits, marks or `_` on both
    /// of its sides. So `-x` matches even after a letter.
    public let matchesWholeWords: Bool

    /// Creates a search. Throws if the pattern is empty, or if it is an expression with a syntax error, or one for
    /// which ICU's library cannot be loaded.
    public init(
        _ pattern: String, syntax: Syntax = .literal, ignoringCase: Bool = false, matchingWholeWords: Bool = false
    ) throws(TextSearchError) {
        guard !pattern.isEmpty else { throw .emptyPattern }
        self.pattern = pattern
        self.syntax = syntax
        ignoresCase = ignoringCase
        matchesWholeWords = matchingWholeWords
        if syntax == .regularExpression { _ = try TextMatcher(self) }
    }

    /// Returns the first match that starts at or after an offset. Nil if there is none, or if `isCancelled`, which is
    /// called about every 64 KB, returns true. O(n).
    public func firstMatch(
        in text: Rope, from start: ByteOffset = 0, isCancelled: () -> Bool = { false }
    ) throws(TextSearchError) -> TextMatch? {
        let range = start.clamped(in: text.byteRange)..<text.byteRange.upperBound
        var found: TextMatch?
        try forEachMatch(in: text, range, isCancelled: isCancelled) { match, stop in
            found = match
            stop = true
        }
        return found
    }

    /// Returns the last match that ends at or before an offset; nil if there is none. If `isCancelled` returns true,
    /// the search ends, and the result is nil or an earlier match. Pieces of the text are searched, of growing length
    /// from 64 KB on, from the last piece to the first. Within each piece the search runs forwards from the start of
    /// the piece; so if possible matches overlap each other, the result may be one that a search from the start of
    /// the text does not find. O(n).
    public func lastMatch(
        in text: Rope, before end: ByteOffset, isCancelled: () -> Bool = { false }
    ) throws(TextSearchError) -> TextMatch? {
        let end = end.clamped(in: text.byteRange)
        var high = end
        var length = 65_536
        while true {
            // Search from the start of a paragraph, so that expressions see whole lines.
            let low = max(0, high - length)
            let line = text.byteRange(of: text.paragraphIndex(at: low)).lowerBound
            let start = low - line < 1 << 20 ? line : text.roundedDown(toScalar: low)
            var found: TextMatch?
            try forEachMatch(in: text, start..<end, isCancelled: isCancelled) { match, stop in
                // Stop at a match that starts at or after `high`: the pieces searched before this one begin there,
                // and had no match. In the first piece, such a match is an empty one at the end.
                stop = high < end && match.range.lowerBound >= high
                if !stop { found = match }
            }
            if found != nil || start == 0 || isCancelled() { return found }
            high = start
            length = min(length * 2, 16 << 20)
        }
    }

    /// Returns the match that starts at an offset; nil if there is none. Look-around sees the text before and after
    /// the match.
    public func match(at offset: ByteOffset, in text: Rope) throws(TextSearchError) -> TextMatch? {
        var found: TextMatch?
        let offset = offset.clamped(in: text.byteRange)
        try TextMatcher(self).forEachMatch(
            in: text, offset..<text.byteRange.upperBound, startingBefore: offset + 1
        ) { match, stop in
            if match.range.lowerBound == offset { found = match }
            stop = true
        }
        return found
    }

    /// Calls `body` with each match in a range, in order; matches do not overlap. Setting the second argument of
    /// `body` to true stops.
    ///
    /// A match lies within the range; look-around and anchors for the ends of the text see the whole text.
    /// `isCancelled` is called about every 64 KB. O(n).
    public func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>? = nil, isCancelled: () -> Bool = { false },
        _ body: (TextMatch, inout Bool) -> Void
    ) throws(TextSearchError) {
        let range = (range ?? text.byteRange).clamped(into: text.byteRange)
        try TextMatcher(self).forEachMatch(in: text, range, isCancelled: isCancelled, body)
    }
}

/// A match of a search.
public struct TextMatch: Hashable, Sendable {
    /// The range of the match, in bytes of the text.
    public var range: Range<ByteOffset>
    /// The groups of a regular expression, the first group at index 0, in bytes of the text; nil for a group that
    /// did not take part in the match.
    public var groups: [Range<ByteOffset>?] = []
}

/// The reason why a search failed.
public enum TextSearchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The pattern is empty.
    case emptyPattern
    /// The expression has a syntax error at the UTF-16 offset `at`.
    case syntax(pattern: String, at: Int)
    /// The search takes more time or memory than is reasonable.
    case tooComplex(pattern: String)
    /// ICU's library for regular expressions, libicui18n, cannot be loaded.
    case unavailable
    /// The system could not create a thread to search on; `code` is the value of `errno`.
    case noThread(code: Int32)

    init(_ failure: TextPattern.Failure, _ pattern: String) {
        switch failure {
        case .syntax(let at): self = .syntax(pattern: pattern, at: at)
        case .tooComplex: self = .tooComplex(pattern: pattern)
        case .unavailable: self = .unavailable
        }
    }

    /// A sentence for the user.
    public var description: String {
        switch self {
        case .emptyPattern: "Enter a search term."
        case .syntax(let pattern, let at):
            "“\(pattern)” is not a regular expression: check character \(at + 1). Write \\ before a character to search for it as it is."
        case .tooComplex(let pattern):
            "Searching for “\(pattern)” takes too long. Simplify the expression, or search a part of the text."
        case .noThread:
            "The search was not started: the system has no thread left. Close some programs, and search again."
        case .unavailable: "Regular expressions need the library libicui18n. Install it, or search for plain text."
        }
    }
}

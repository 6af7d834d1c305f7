import InkstoneBase
import InkstoneUnicode

/// A search prepared for matching: the needle with its tables, or the compiled expression. Not `Sendable`: one
/// thread at a time.
struct TextMatcher {
    private enum Engine {
        case literal(LiteralSearch)
        case folded(FoldedSearch)
        case expression(RegularSearch)
    }

    let search: TextSearch
    private let engine: Engine

    /// Creates a matcher for a search. Throws if an expression has a syntax error, or if ICU's library for expressions
    /// cannot be loaded.
    init(_ search: TextSearch) throws(TextSearchError) {
        self.search = search
        switch (search.syntax, search.ignoresCase) {
        case (.literal, false):
            engine = .literal(LiteralSearch(search.pattern, wholeWords: search.matchesWholeWords))
        case (.literal, true):
            if let folded = FoldedSearch(search.pattern, wholeWords: search.matchesWholeWords) {
                engine = .folded(folded)
            } else {
                engine = .literal(LiteralSearch(search.pattern, wholeWords: search.matchesWholeWords))
            }
        case (.regularExpression, _):
            do throws(TextPattern.Failure) {
                // First compile the pattern without additions: offsets of syntax errors must be those of the user's
                // pattern.
                var pattern = try TextPattern(search.pattern, ignoringCase: search.ignoresCase)
                if search.matchesWholeWords {
                    let edge = #"(?!(?<=\w)(?=\w))"#
                    // A comment of (?x) ends at a newline, and a quotation of \Q at \E: the closing parenthesis
                    // must not become part of either.
                    let ends = ["", "\n", #"\E"#]
                    let whole = ends.lazy.compactMap { end in
                        try? TextPattern(
                            "\(edge)(?:\(search.pattern)\(end))\(edge)", ignoringCase: search.ignoresCase)
                    }
                    if let first = whole.first { pattern = first }
                }
                engine = .expression(RegularSearch(pattern, source: search.pattern))
            } catch {
                throw TextSearchError(error, search.pattern)
            }
        }
    }

    /// Number of groups that a match has.
    var groupCount: Int { if case .expression(let expression) = engine { expression.groupCount } else { 0 } }

    /// The distances in bytes from an edit within which text is searched again: `back` before the edit, `forward`
    /// after it. In literal searches, no match that starts farther away can change. A match of an expression may
    /// depend on text at any distance; nevertheless, text farther away is not searched again.
    var reach: (back: Int, forward: Int) {
        switch engine {
        case .literal(let literal): (literal.longestMatch + 4, 4)
        case .folded(let folded): (folded.longestMatch + FoldedSearch.context, FoldedSearch.context)
        case .expression: (4 << 20, 65_536)
        }
    }

    /// Calls `body` with each match in a range, in order; matches do not overlap. Setting the second argument of
    /// `body` to true stops.
    ///
    /// - Parameters:
    ///   - limit: only matches that start before this offset are found; nil for all of the range. To find the rest,
    ///     search again from the limit, or from the end of the last match if that is greater.
    ///   - isCancelled: called about every 64 KB.
    func forEachMatch(
        in text: Rope, _ range: Range<ByteOffset>, startingBefore limit: ByteOffset? = nil,
        isCancelled: () -> Bool = { false }, _ body: (TextMatch, inout Bool) -> Void
    ) throws(TextSearchError) {
        func part(_ longest: Int) -> Range<ByteOffset> {
            guard let limit, limit + longest < range.upperBound else { return range }
            return range.lowerBound..<max(range.lowerBound, limit + longest)
        }
        func report(_ match: TextMatch, _ stop: inout Bool) {
            if let limit, match.range.lowerBound >= limit { stop = true } else { body(match, &stop) }
        }
        switch engine {
        case .literal(let literal):
            literal.forEachMatch(in: text, part(literal.longestMatch), isCancelled: isCancelled, report)
        case .folded(let folded):
            folded.forEachMatch(in: text, part(folded.longestMatch), isCancelled: isCancelled, report)
        case .expression(let expression):
            try expression.forEachMatch(
                in: text, range, startingBefore: limit ?? range.upperBound + 1, isCancelled: isCancelled, body)
        }
    }
}

extension Rope {
    /// Whether neither end of a range lies between two word characters.
    func isAtWordEdges(_ range: Range<ByteOffset>) -> Bool {
        !isWithinWord(range.lowerBound) && !isWithinWord(range.upperBound)
    }

    private func isWithinWord(_ offset: ByteOffset) -> Bool {
        let low = max(0, offset - 4)
        let near = bytes(in: low..<min(byteRange.upperBound, offset + 4))
        let middle = offset - low
        guard middle > 0, middle < near.count else { return false }
        return near.withUnsafeBufferPointer { buffer in
            guard let p = buffer.baseAddress else { return false }
            var start = middle - 1
            while start > 0, p[start] & 0xc0 == 0x80 { start -= 1 }
            func isOfWord(_ at: Int, _ end: Int) -> Bool {
                let part = UTF8Scan.part(p, at, end)
                guard part.isValid, at + part.length <= end else { return false }
                return Unicode.Scalar(UTF8Scan.scalar(p, at, part))?.isOfWord ?? false
            }
            return isOfWord(start, middle) && isOfWord(middle, near.count)
        }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a word character as in ICU's `\w`.
    fileprivate var isOfWord: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
        default: properties.isAlphabetic || value == 0x200c || value == 0x200d
        }
    }
}

import InkstoneBase

/// The replacement of a match: text with references to the match and its groups.
///
/// In a template for an expression, `$0` and `$&` stand for the match, `$1` … `$99` for its groups, `$$` for a
/// dollar sign. `\n` and `\t` are a line feed and a tab, `\\` is a backslash, and a backslash before any other
/// character makes that literal. A reference to a group that the expression does not have is literal; `$12` with
/// two groups is group 1 and a 2. A literal search uses its template unchanged.
package struct ReplacementTemplate: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case text(String)
        /// The number of a group of the match; 0 for the whole match.
        case group(Int)
    }

    private var parts: [Part] = []
    /// Whether the first line end of a replacement is adapted to a CR in the text before the match: see
    /// `start(of:for:in:)`.
    private var mindsLineEnds = false

    /// Creates a template for a search by parsing its text, once for all matches.
    package init(_ template: String, for search: TextSearch) {
        guard search.syntax == .regularExpression else {
            if !template.isEmpty { parts = [.text(template)] }
            return
        }
        let groups = (try? TextMatcher(search))?.groupCount ?? 0
        var text = ""
        func flush(_ parts: inout [Part]) {
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
        }
        // Parse by scalars, because a combining mark after `\n` or `$1` would otherwise hide the `n` or the `1`.
        let scalars = Array(template.unicodeScalars)
        var at = 0
        while at < scalars.count {
            let scalar = scalars[at]
            let next = at + 1 < scalars.count ? scalars[at + 1] : nil
            at += 2
            switch (scalar, next) {
            case ("\\", "n"): text.unicodeScalars.append("\n")
            case ("\\", "t"): text.unicodeScalars.append("\t")
            case ("\\", let next?): text.unicodeScalars.append(next)
            case ("$", "$"): text.unicodeScalars.append("$")
            case ("$", "&"):
                flush(&parts)
                parts.append(.group(0))
            case ("$", let next?) where Self.digit(next) != nil:
                var group = Self.digit(next) ?? 0
                if at < scalars.count, let second = Self.digit(scalars[at]), group > 0, group * 10 + second <= groups {
                    group = group * 10 + second
                    at += 1
                }
                if group <= groups {
                    flush(&parts)
                    parts.append(.group(group))
                } else {
                    text.unicodeScalars.append(contentsOf: [scalar, next])
                }
            default:
                text.unicodeScalars.append(scalar)
                at -= 1
            }
        }
        flush(&parts)
    }

    private static func digit(_ scalar: Unicode.Scalar) -> Int? {
        (0x30...0x39).contains(scalar.value) ? Int(scalar.value) - 0x30 : nil
    }

    /// Returns the template with its LF, CR LF and CR replaced by `newline`. Text copied from a match keeps its
    /// line ends.
    func withNewlines(_ newline: String) -> ReplacementTemplate {
        var result = self
        result.mindsLineEnds = true
        result.parts = parts.map { part in
            guard case .text(let text) = part, text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) else {
                return part
            }
            var scalars = String.UnicodeScalarView()
            var last: Unicode.Scalar?
            for scalar in text.unicodeScalars {
                if scalar == "\r" || scalar == "\n" && last != "\r" {
                    scalars.append(contentsOf: newline.unicodeScalars)
                } else if scalar != "\n" {
                    scalars.append(scalar)
                }
                last = scalar
            }
            return .text(String(scalars))
        }
        return result
    }

    /// Returns the replacement of a match. Bytes copied from the match are unchanged, even if they are not valid
    /// UTF-8.
    ///
    /// - Parameter text: the text in which the match was found.
    package func text(for match: TextMatch, in text: Rope) -> Rope {
        self.text(for: match, in: text, isBehindMatch: false)
    }

    /// Returns the replacement of a match, like ``text(for:in:)``.
    ///
    /// - Parameter isBehindMatch: whether the match begins where another replaced match ends.
    fileprivate func text(for match: TextMatch, in text: Rope, isBehindMatch: Bool) -> Rope {
        var result: [UInt8] = []
        for part in parts {
            switch part {
            case .text(let string): result += string.utf8
            case .group(0): result += text.bytes(in: match.range)
            case .group(let number):
                if number <= match.groups.count, let range = match.groups[number - 1] {
                    result += text.bytes(in: range)
                }
            }
        }
        if !isBehindMatch { result = start(of: result, for: match, in: text).applied(to: result) }
        return result.withUnsafeBytes { Rope(bytes: $0) }
    }

    /// A change of the line end at the start of a replacement, needed if a CR of the text is before the match.
    fileprivate enum Start {
        case asItIs, withoutCR, withCR

        func applied(to bytes: [UInt8]) -> [UInt8] {
            switch self {
            case .asItIs: bytes
            case .withoutCR: Array(bytes.dropFirst())
            case .withCR: [0x0d] + bytes
            }
        }
    }

    /// Returns the change of the line end at the start of a replacement, if a CR is before the match. If the match
    /// begins with the LF of a CR LF, the CR of that line end stays: the replacement must not begin with another
    /// CR. In other cases an LF at the start of the replacement would combine with the CR to one line end. The LF
    /// then becomes a CR LF.
    fileprivate func start(of new: some Sequence<UInt8>, for match: TextMatch, in text: Rope) -> Start {
        var bytes = new.makeIterator()
        guard mindsLineEnds, let first = bytes.next(), first == 0x0a || first == 0x0d && bytes.next() == 0x0a else {
            return .asItIs
        }
        let range = match.range
        guard range.lowerBound > 0, text.byte(at: range.lowerBound - 1) == 0x0d else { return .asItIs }
        let beginsWithLF = !range.isEmpty && text.byte(at: range.lowerBound) == 0x0a
        return switch (first, beginsWithLF) {
        case (0x0d, true): .withoutCR
        case (0x0a, false): .withCR
        default: .asItIs
        }
    }

    /// The replacement of every match; nil if the replacement depends on the match.
    fileprivate var onlyText: String? {
        switch parts.first {
        case nil: ""
        case .text(let only) where parts.count == 1: only
        default: nil
        }
    }
}

extension TextSearch {
    /// Returns a change of a text that replaces all matches in a range, and the number of matches. Nil if there are
    /// no matches, or if `isCancelled` returns true. O(n + k log n) for k matches.
    package func replacingAll(
        in text: Rope, _ range: Range<ByteOffset>? = nil, with replacement: String, isCancelled: () -> Bool = { false }
    ) throws(TextSearchError) -> (changes: TextChangeSet, count: Int)? {
        try replacingAll(
            in: text, ranges: [range ?? text.byteRange], with: ReplacementTemplate(replacement, for: self),
            isCancelled: isCancelled)
    }

    /// Returns a template for this search, with the template's line ends replaced by `newline`; nil leaves them.
    func template(_ template: String, newline: String?) -> ReplacementTemplate {
        let template = ReplacementTemplate(template, for: self)
        return newline.map { template.withNewlines($0) } ?? template
    }

    /// Returns a change of a text that replaces all matches in several ranges, which are ordered and disjoint, and
    /// the number of matches. Nil if there are no matches, or if `isCancelled` returns true.
    func replacingAll(
        in text: Rope, ranges: [Range<ByteOffset>], with template: ReplacementTemplate, isCancelled: () -> Bool
    ) throws(TextSearchError) -> (changes: TextChangeSet, count: Int)? {
        var builder = TextChangeSet.Builder(over: text)
        var count = 0
        let onlyText = template.onlyText
        var end: ByteOffset?
        for range in ranges {
            try forEachMatch(in: text, range, isCancelled: isCancelled) { match, _ in
                let isBehindMatch = match.range.lowerBound == end
                if let onlyText, isBehindMatch || template.start(of: onlyText.utf8, for: match, in: text) == .asItIs {
                    builder.replace(match.range, with: onlyText)
                } else {
                    builder.replace(
                        match.range, with: template.text(for: match, in: text, isBehindMatch: isBehindMatch))
                }
                end = match.range.upperBound
                count += 1
            }
        }
        return count == 0 || isCancelled() ? nil : (builder.finish(), count)
    }
}

extension TextStore {
    /// Replaces all matches in a range as one step of undo. A replacement gets the attributes of the first
    /// character of its match, such as a link or code. References to groups of a regular expression are filled in.
    /// Returns the number of matches. O(n + k log n) for k matches.
    @discardableResult
    package func replaceAll(
        _ search: TextSearch, in range: Range<ByteOffset>? = nil, with replacement: String
    ) throws(TextSearchError) -> Int {
        guard let (changes, count) = try search.replacingAll(in: text, range, with: replacement) else { return 0 }
        var transaction = Transaction(on: self, changes)
        transaction.restyling = styledText.restyling(keepingReplaced: changes)
        apply(transaction)
        return count
    }
}

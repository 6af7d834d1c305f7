/// A section's pattern in an `.editorconfig` file: `*` and `?` within a name, `**` across names, `[abc]`, `[!a-c]`,
/// `{one,two}` and `{1..9}`.
///
/// A pattern without a `/` matches names in the directory and in all directories below it. Patterns and paths are
/// compared by Unicode scalars: as a `Character`, a `/` with a combining mark after it would not equal `/`. The time is
/// bounded by counting the scalars examined. Beyond the limit, the pattern does not match.
struct EditorConfigPattern {
    private let pattern: [Unicode.Scalar]
    /// The maximum number of scalars examined for one file, in all patterns of all `.editorconfig` files together.
    /// After it, no pattern matches.
    static let mostWork = 1_000_000

    init(_ text: String) {
        var pattern = Array(text.unicodeScalars.prefix(1024))
        if let slash = pattern.firstIndex(of: "/") {
            if slash == 0 { pattern.removeFirst() }
        } else {
            pattern = Array("**/".unicodeScalars) + pattern
        }
        self.pattern = pattern
    }

    /// Whether a path matches the pattern. The path is relative to the directory of the `.editorconfig` file.
    func matches(_ path: String) -> Bool {
        var work = Self.mostWork
        return matches(path, &work)
    }

    /// Whether a path matches the pattern.
    ///
    /// - Parameter work: the number of scalars that may still be examined.
    func matches(_ path: String, _ work: inout Int) -> Bool {
        Self.matches(pattern[...], Array(path.unicodeScalars.prefix(4096))[...], &work)
    }

    private static func matches(
        _ pattern: ArraySlice<Unicode.Scalar>, _ path: ArraySlice<Unicode.Scalar>, _ work: inout Int
    ) -> Bool {
        var (pattern, path) = (pattern, path)
        while let first = pattern.first {
            work -= 1
            guard work > 0 else { return false }
            switch first {
            case "*":
                var rest = pattern.dropFirst()
                let crosses = rest.first == "*"
                if crosses { rest = rest.dropFirst() }
                // `**/` also matches an empty sequence of directories.
                if crosses, rest.first == "/", matches(rest.dropFirst(), path, &work) { return true }
                while true {
                    if matches(rest, path, &work) { return true }
                    guard work > 0, let next = path.first, crosses || next != "/" else { return false }
                    path = path.dropFirst()
                }
            case "?":
                guard let next = path.first, next != "/" else { return false }
                (pattern, path) = (pattern.dropFirst(), path.dropFirst())
            case "[":
                guard let next = path.first, next != "/" else { return false }
                let closing = pattern.dropFirst().firstIndex(of: "]")
                work -= 3 * ((closing ?? pattern.endIndex) - pattern.startIndex)
                if let end = closing, !pattern[..<end].contains("/") {
                    guard holds(pattern[(pattern.startIndex + 1)..<end], next) else { return false }
                    pattern = pattern[(end + 1)...]
                } else {
                    guard next == "[" else { return false }
                    pattern = pattern.dropFirst()
                }
                path = path.dropFirst()
            case "{":
                work -= 2 * pattern.count
                guard let end = closing(of: pattern) else { fallthrough }
                let inner = pattern[(pattern.startIndex + 1)..<end]
                let rest = pattern[(end + 1)...]
                if let range = numbers(inner) {
                    // Read at most 20 characters: no `Int` has more.
                    var digits = path.prefix(20).prefix { "0"..."9" ~= $0 || $0 == "-" }
                    while !digits.isEmpty {
                        work -= digits.count
                        if let number = Self.number(digits), range.contains(number),
                            matches(rest, path.dropFirst(digits.count), &work)
                        {
                            return true
                        }
                        digits.removeLast()
                    }
                    return false
                }
                for part in alternatives(inner) {
                    work -= rest.count
                    if matches(part + rest, path, &work) { return true }
                }
                return false
            default:
                if first == "\\", pattern.count > 1 { pattern = pattern.dropFirst() }
                guard path.first == pattern.first else { return false }
                (pattern, path) = (pattern.dropFirst(), path.dropFirst())
            }
        }
        return path.isEmpty
    }

    /// Whether a set of characters, without its brackets, contains a character.
    private static func holds(_ set: ArraySlice<Unicode.Scalar>, _ character: Unicode.Scalar) -> Bool {
        let isNegated = set.first == "!"
        let set = Array(isNegated ? set.dropFirst() : set)
        var isFound = false
        var index = 0
        while index < set.count {
            if index + 2 < set.count, set[index + 1] == "-" {
                if set[index] <= set[index + 2], set[index]...set[index + 2] ~= character { isFound = true }
                index += 3
            } else {
                if set[index] == character { isFound = true }
                index += 1
            }
        }
        return isFound != isNegated
    }

    /// Returns the index of the brace that closes the brace at the start of a pattern. Nil if there is none. Also
    /// nil if the two braces enclose neither alternatives nor a range of numbers.
    private static func closing(of pattern: ArraySlice<Unicode.Scalar>) -> Int? {
        var depth = 0
        for (index, character) in zip(pattern.indices, pattern) {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if depth == 0 {
                let inner = pattern[(pattern.startIndex + 1)..<index]
                return inner.contains(",") || numbers(inner) != nil ? index : nil
            }
        }
        return nil
    }

    private static func number(_ digits: ArraySlice<Unicode.Scalar>) -> Int? {
        Int(String(String.UnicodeScalarView(digits)))
    }

    private static func numbers(_ inner: ArraySlice<Unicode.Scalar>) -> ClosedRange<Int>? {
        guard let dots = inner.indices.dropLast().first(where: { inner[$0] == "." && inner[$0 + 1] == "." }),
            let low = number(inner[..<dots]), let high = number(inner[(dots + 2)...]), low <= high
        else { return nil }
        return low...high
    }

    /// Returns the alternatives of a list: the parts between commas that are not within inner braces.
    private static func alternatives(_ inner: ArraySlice<Unicode.Scalar>) -> [ArraySlice<Unicode.Scalar>] {
        var parts: [ArraySlice<Unicode.Scalar>] = []
        var (start, depth) = (inner.startIndex, 0)
        for (index, character) in zip(inner.indices, inner) {
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append(inner[start..<index])
                start = index + 1
            }
        }
        return parts + [inner[start...]]
    }
}

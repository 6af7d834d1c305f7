import InkstoneBase

/// The CSS properties that are read; others are ignored.
enum CSSProperty: String {
    case color, background, direction, display, margin, visibility
    case backgroundColor = "background-color"
    case fontFamily = "font-family"
    case fontSize = "font-size"
    case fontStyle = "font-style"
    case fontWeight = "font-weight"
    case letterSpacing = "letter-spacing"
    case lineHeight = "line-height"
    case listStyle = "list-style"
    case listStyleType = "list-style-type"
    case marginBottom = "margin-bottom"
    case marginLeft = "margin-left"
    case marginRight = "margin-right"
    case marginTop = "margin-top"
    case msoHide = "mso-hide"
    case msoList = "mso-list"
    case textAlign = "text-align"
    case textDecoration = "text-decoration"
    case textDecorationColor = "text-decoration-color"
    case textDecorationLine = "text-decoration-line"
    case textDecorationStyle = "text-decoration-style"
    case textIndent = "text-indent"
    case verticalAlign = "vertical-align"
    case whiteSpace = "white-space"
}

/// Declarations of CSS: at most one value for each property. Values are in lower case, except for the names of
/// fonts.
struct CSSDeclarations {
    private(set) var values: [CSSProperty: String] = [:]

    /// The maximum length of a value, in bytes. A declaration with a longer one is ignored.
    private static let longestValue = 256

    init() {}

    /// Creates the declarations of a rule or of a `style` attribute from their text, without unknown properties, and
    /// without values that are too long, refer to a URL or have an expression.
    init(_ text: some StringProtocol) {
        for declaration in Self.split(text, at: ";") {
            guard let colon = declaration.firstIndex(of: ":"),
                let property = CSSProperty(rawValue: Self.trimmed(declaration[..<colon]).lowercased())
            else { continue }
            var value = Self.trimmed(declaration[declaration.index(after: colon)...])
            guard value.utf8.count <= Self.longestValue else { continue }
            if property != .fontFamily { value = value.lowercased() }
            if let important = value.firstIndex(of: "!") { value = Self.trimmed(value[..<important]) }
            guard !value.isEmpty, !value.contains("url("), !value.contains("expression(") else { continue }
            set(property, value)
        }
    }

    subscript(_ property: CSSProperty) -> String? { values[property] }

    /// Adds declarations, which override the present ones for the same properties.
    mutating func merge(_ others: CSSDeclarations) { values.merge(others.values) { $1 } }

    private mutating func set(_ property: CSSProperty, _ value: String) {
        guard property == .margin else {
            values[property] = value
            return
        }
        let parts = value.split(separator: " ").prefix(4).map(String.init)
        guard let top = parts.first else { return }
        let right = parts.count > 1 ? parts[1] : top
        values[.marginTop] = top
        values[.marginRight] = right
        values[.marginBottom] = parts.count > 2 ? parts[2] : top
        values[.marginLeft] = parts.count > 3 ? parts[3] : right
    }

    /// Splits a text at those separators that are not within quotation marks or parentheses.
    private static func split<Text: StringProtocol>(_ text: Text, at separator: Character) -> [Text.SubSequence] {
        var parts: [Text.SubSequence] = []
        var (quote, depth, start): (Character?, Int, Text.Index) = (nil, 0, text.startIndex)
        for at in text.indices {
            let character = text[at]
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "(" {
                depth += 1
            } else if character == ")" {
                depth = max(0, depth - 1)
            } else if character == separator, depth == 0 {
                parts.append(text[start..<at])
                start = text.index(after: at)
            }
        }
        parts.append(text[start...])
        return parts
    }

    static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}

/// The rules of `style` elements, by selector: `element`, `.class` or `element.class`. Rules with other selectors
/// are omitted.
struct CSSRules {
    private var rules: [String: CSSDeclarations] = [:]

    /// The number of selectors with rules from which further rules are ignored.
    private static let ruleLimit = 10_000
    /// The maximum number of classes of an element whose rules apply; further classes are ignored.
    private static let classLimit = 16

    /// Adds the rules of a style sheet.
    mutating func add(_ sheet: String) {
        var rest = Substring(Self.withoutComments(sheet))
        while rules.count < Self.ruleLimit, let open = rest.firstIndex(of: "{") {
            let head = CSSDeclarations.trimmed(rest[..<open].split(separator: ";").last ?? "")
            let body = rest[rest.index(after: open)...]
            guard !head.hasPrefix("@media") else {
                // Treat the rules in a media query as ordinary rules: begin the search anew after the query's opening
                // brace. Its closing brace then becomes part of the next selector, and is dropped there.
                rest = body
                continue
            }
            guard let close = body.firstIndex(of: "}") else { return }
            if !head.hasPrefix("@") { add(CSSDeclarations(body[..<close]), for: head) }
            rest = body[body.index(after: close)...]
        }
    }

    /// Returns the declarations of all rules that apply to an element.
    func declarations(element: String, classes: String?) -> CSSDeclarations {
        guard !rules.isEmpty else { return CSSDeclarations() }
        var result = rules[element] ?? CSSDeclarations()
        let names = (classes ?? "").split(whereSeparator: \.isWhitespace).prefix(Self.classLimit)
        for name in names { if let rule = rules[".\(name)"] { result.merge(rule) } }
        for name in names { if let rule = rules["\(element).\(name)"] { result.merge(rule) } }
        return result
    }

    private mutating func add(_ declarations: CSSDeclarations, for selectors: String) {
        guard !declarations.values.isEmpty else { return }
        for selector in selectors.split(separator: ",").prefix(64) {
            var name = CSSDeclarations.trimmed(selector.drop { $0 == "}" || $0.isWhitespace })
            guard !name.isEmpty, name.utf8.count < 128, name.allSatisfy(Self.isSelector) else { continue }
            let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            // Names of elements are case-insensitive; names of classes are not.
            name = parts.count == 2 ? "\(parts[0].lowercased()).\(parts[1])" : name.lowercased()
            rules[name, default: CSSDeclarations()].merge(declarations)
        }
    }

    private static func isSelector(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || ".-_".contains(character)
    }

    private static func withoutComments(_ sheet: String) -> String {
        var result = ""
        var rest = Substring(sheet)
        while let open = rest.firstRange(of: "/*") {
            result += rest[..<open.lowerBound]
            guard let close = rest[open.upperBound...].firstRange(of: "*/") else { return result }
            rest = rest[close.upperBound...]
        }
        result += rest
        return result.split(separator: "<!--").joined().split(separator: "-->").joined()
    }
}

/// Parsing of lengths in CSS.
enum CSSLength {
    /// Parses a length, and converts it to pixels; nil for anything else.
    ///
    /// - Parameters:
    ///   - em: the size of the font in pixels.
    ///   - whole: the length in pixels that 100 % stands for; nil if a percentage is not allowed.
    static func pixels(_ text: String, em: Double, whole: Double? = nil) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || "+-.".contains($0)) }
        guard let number = Double(digits), number.isFinite else { return nil }
        let factor: Double? =
            switch text[digits.endIndex...] {
            case "px": 1
            case "pt": 4.0 / 3
            case "pc": 16
            case "in": 96
            case "cm": 96 / 2.54
            case "mm": 96 / 25.4
            case "em": em
            case "ex", "ch": em / 2
            case "rem": 16
            case "%": whole.map { $0 / 100 }
            case "": number == 0 ? 0 : nil
            default: nil
            }
        return factor.map { ($0 * number).checked(in: -32_768...32_768) }
    }
}

import InkstoneText

/// A writer for the text of a paragraph, heading or table cell.
struct MarkdownText {
    /// The ways to write styles and punctuation.
    enum Spelling {
        /// Markdown's marks for styles, and escapes only for a bar in a table cell and for the colon of an address
        /// that is no link: text such as `[^1]` or `$x$` may be a footnote or a formula for other programs.
        case plain
        /// Markdown's marks for styles, and escapes for punctuation that could be read as a mark.
        case marks
        /// HTML tags for styles, which work at every position, and escapes for punctuation that could be read as a
        /// mark.
        case plainTags
        /// HTML tags for styles, which work at every position, and escapes for all punctuation.
        case tags

        /// Whether styles are written as HTML tags.
        var isTags: Bool { self == .plainTags || self == .tags }
    }

    /// The kind of block that contains the text.
    enum Place { case paragraph, header, cell }

    /// A style of a run that is written by marks around the run.
    private enum Mark: Hashable {
        case link(MarkdownInline.Link)
        case strong, emphasis, strikethrough, underline
        case level(Int)
    }

    private let spelling: Spelling
    private let place: Place
    private var out = ""
    private var isAtLineStart: Bool
    /// Whether other text follows the written text, in the same paragraph, heading or cell.
    private let isBeforeText: Bool
    /// Whether the run that is being written is the text of a link.
    private var isInLink = false

    /// Creates a writer with a spelling, for the text of a kind of block.
    ///
    /// - Parameters:
    ///   - isBehindText: whether other text precedes the written text in the same line.
    ///   - isBeforeText: whether other text follows the written text in the same line.
    init(_ spelling: Spelling, _ place: Place, isBehindText: Bool = false, isBeforeText: Bool = false) {
        (self.spelling, self.place, self.isBeforeText) = (spelling, place, isBeforeText)
        isAtLineStart = !isBehindText
    }

    mutating func write(_ inlines: [MarkdownInline]) -> String {
        let addresses = Self.addresses(inlines)
        let marks = inlines.indices.map { i in
            Self.marks(of: inlines[i]).filter { if case .link = $0 { !addresses.contains(i) } else { true } }
        }
        // Determine how far the marks of each run extend: of marks that begin at the same run, the one that ends last
        // becomes the outermost.
        var ends = [[Mark: Int]](repeating: [:], count: inlines.count)
        for i in inlines.indices.reversed() {
            for mark in marks[i] { ends[i][mark] = i + 1 < inlines.count ? ends[i + 1][mark] ?? i : i }
        }
        var open: [Mark] = []
        for (i, inline) in inlines.enumerated() {
            if let kept = open.firstIndex(where: { !marks[i].contains($0) }) {
                for mark in open[kept...].reversed() { close(mark) }
                open.removeSubrange(kept...)
            }
            let new = marks[i].filter { !open.contains($0) }
            for mark in new.sorted(by: { (ends[i][$0] ?? i) > (ends[i][$1] ?? i) }) {
                begin(mark)
                open.append(mark)
            }
            let isLast = i == inlines.count - 1
            if addresses.contains(i) {
                put("<\(inline.text)>")
                continue
            }
            write(
                inline, endsText: isLast && !isBeforeText,
                isBeforeBreak: !isLast && inlines[i + 1].roles.contains(.softBreak))
        }
        for mark in open.reversed() { close(mark) }
        return out
    }

    /// Returns the indices of the runs that are links whose text is the address. They are written as the address
    /// alone.
    private static func addresses(_ inlines: [MarkdownInline]) -> Set<Int> {
        Set(
            inlines.indices.filter { i in
                let inline = inlines[i]
                guard let link = inline.link, link.title.isEmpty, link.destination == inline.text,
                    inline.image == nil, inline.roles.isDisjoint(with: [.code, .inlineHTML, .softBreak]),
                    ["http://", "https://", "mailto:"].contains(where: { inline.text.hasPrefix($0) }),
                    isSimple(link.destination)
                else { return false }
                // Write a link of several runs in the usual form, not as the address alone.
                return ![i - 1, i + 1].contains { inlines.indices.contains($0) && inlines[$0].link == link }
            })
    }

    private static func marks(of inline: MarkdownInline) -> [Mark] {
        var result: [Mark] = []
        if let link = inline.link { result.append(.link(link)) }
        if inline.roles.contains(.stronglyEmphasized) { result.append(.strong) }
        if inline.roles.contains(.emphasized) { result.append(.emphasis) }
        if inline.roles.contains(.strikethrough) { result.append(.strikethrough) }
        if inline.isUnderlined { result.append(.underline) }
        if inline.level != 0 { result.append(.level(inline.level)) }
        return result
    }

    // MARK: Marks of styles, links and pictures

    private mutating func put(_ text: String) {
        out += text
        isAtLineStart = false
    }

    private mutating func begin(_ mark: Mark) {
        switch mark {
        case .link: put("[")
        default: put(usual(mark) ?? "<\(tag(mark))>")
        }
    }

    private mutating func close(_ mark: Mark) {
        switch mark {
        case .link(let link): put("](" + destination(link.destination, link.title) + ")")
        default: put(usual(mark) ?? "</\(tag(mark))>")
        }
    }

    private func usual(_ mark: Mark) -> String? {
        guard !spelling.isTags else { return nil }
        switch mark {
        case .strong: return "**"
        case .emphasis: return "*"
        case .strikethrough: return "~~"
        case .link, .underline, .level: return nil
        }
    }

    private func tag(_ mark: Mark) -> String {
        switch mark {
        case .link: ""
        case .strong: "strong"
        case .emphasis: "em"
        case .strikethrough: "del"
        case .underline: "u"
        case .level(let level): level > 0 ? "sup" : "sub"
        }
    }

    private func destination(_ destination: String, _ title: String) -> String {
        // A picture that has no file yet has an empty address, and no address is written for it.
        if destination.isEmpty, title.isEmpty { return "" }
        func escaping(_ text: String, _ special: String, _ always: String) -> String {
            let escaped = spelling.isTags ? special + always : always + (place == .cell ? "|" : "")
            return text.indices.map { at in
                let isEntity = text[at] == "&" && Self.mayBeEntity(text[at...])
                return isEntity || escaped.contains(text[at]) ? "\\\(text[at])" : String(text[at])
            }.joined()
        }
        let isPlain = Self.isSimple(destination) || !spelling.isTags && isBare(destination)
        let address = isPlain ? destination : "<" + escaping(destination, "&*_[]`\"|", "\\<>") + ">"
        guard !title.isEmpty else { return address }
        return address + " \"" + escaping(title, "&*_[]<`|", "\\\"") + "\""
    }

    /// Whether an address is not empty, and only has letters, digits, and characters that have no special meaning
    /// in Markdown within addresses.
    private static func isSimple(_ address: String) -> Bool {
        !address.isEmpty
            && address.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
                    || "-._~:/?#@!$+,;=%".utf8.contains(byte)
            }
    }

    /// Whether an address may be written without angle brackets and backslashes: its parentheses are in pairs, and
    /// it has neither blanks nor characters that begin something else.
    private func isBare(_ address: String) -> Bool {
        var depth = 0
        for at in address.indices {
            switch address[at] {
            case "(": depth += 1
            case ")":
                depth -= 1
                if depth < 0 { return false }
            case "\\", "<", ">", "`", "\"", "[", "]": return false
            case "|" where place == .cell: return false
            case "&" where Self.mayBeEntity(address[at...]): return false
            case let character:
                if character.isWhitespace || character.unicodeScalars.contains(where: { $0 < " " || $0 == "\u{7f}" }) {
                    return false
                }
            }
        }
        // Limit the number of parentheses: md4c does not match more than that in an address.
        return depth == 0 && !address.isEmpty && address.utf8.count { $0 == 0x28 } < 16
    }

    /// Whether a text that begins with an ampersand may be read as the name or number of a character.
    private static func mayBeEntity(_ text: Substring) -> Bool {
        let name = text.dropFirst().prefix { $0 == "#" || $0.isASCII && ($0.isLetter || $0.isNumber) }
        return text.dropFirst(name.count + 1).first == ";"
    }

    // MARK: Text

    private mutating func write(_ inline: MarkdownInline, endsText: Bool, isBeforeBreak: Bool) {
        isInLink = inline.link != nil
        if let image = inline.image {
            let address = "](" + destination(image.source, image.title) + ")"
            if inline.text.unicodeScalars.allSatisfy({ $0 == TextAttachment.character }) {
                for _ in inline.text.unicodeScalars { put("![" + address) }
            } else {
                put("![")
                write(escaping: inline.text, endsText: true, isBeforeBreak: false)
                put(address)
            }
        } else if inline.roles.contains(.softBreak) {
            out += "\n"
            isAtLineStart = true
        } else if inline.roles.contains(.inlineHTML) {
            writeHTML(inline.text)
        } else if inline.roles.contains(.code) {
            writeCode(inline.text)
        } else {
            write(escaping: inline.text, endsText: endsText, isBeforeBreak: isBeforeBreak)
        }
    }

    /// Writes tags and comments. A line that may be read as the start of another block is indented, because a line
    /// so far to the right only continues the paragraph.
    private mutating func writeHTML(_ html: String) {
        // GitHub ends a cell at a bar without a backslash, even in HTML.
        if place == .cell, html.utf8.contains(0x7c) { return put(Self.escapingBars(html)) }
        guard html.unicodeScalars.contains("\u{2028}") else { return put(html) }
        for (index, line) in html.unicodeScalars.split(separator: "\u{2028}", omittingEmptySubsequences: false)
            .enumerated()
        {
            if index > 0 {
                // Leave out an empty line, which would end the paragraph. Indent a line that does not begin with a
                // letter.
                put(line.isEmpty ? "" : line.first?.properties.isAlphabetic == true ? "\n" : "\n    ")
            }
            put(String(String.UnicodeScalarView(line)))
        }
    }

    /// Returns a text with a backslash before each bar.
    private static func escapingBars(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { $0 == 0x7c ? [0x5c, $0] : [$0] }, as: UTF8.self)
    }

    private mutating func writeCode(_ text: String) {
        // A backslash before the backslash of a bar would escape that one in GitHub, so that the bar would end the cell.
        let endsCell = place == .cell && zip(text.utf8, text.utf8.dropFirst()).contains { $0 == (0x5c, 0x7c) }
        guard spelling != .tags, !endsCell, !text.unicodeScalars.contains("\u{2028}") else {
            put("<code>")
            write(escaping: text, endsText: true, isBeforeBreak: false)
            return put("</code>")
        }
        var longest = 0
        var length = 0
        for byte in text.utf8 {
            length = byte == 0x60 ? length + 1 : 0
            longest = max(longest, length)
        }
        let ticks = String(repeating: "`", count: longest + 1)
        let isPadded = text.hasPrefix("`") || text.hasSuffix("`") || (text.hasPrefix(" ") && text.hasSuffix(" "))
        let written = place == .cell ? Self.escapingBars(text) : text
        put(ticks + (isPadded ? " \(written) " : written) + ticks)
    }

    /// Writes text with the escapes that are needed for it to be read as text.
    private mutating func write(escaping text: String, endsText: Bool, isBeforeBreak: Bool) {
        let scalars = Array(text.unicodeScalars)
        for (i, scalar) in scalars.enumerated() {
            let next = i + 1 < scalars.count ? scalars[i + 1] : nil
            switch scalar {
            case "\u{2028}":
                // Markdown's mark for a line break, a backslash and a line end, is only possible in a paragraph,
                // between two lines with text. Elsewhere, and if the spelling uses tags for everything, write a
                // tag.
                if place != .paragraph || spelling == .tags || (endsText && next == nil) || next == "\u{2028}"
                    || isAtLineStart
                {
                    put("<br>")
                } else {
                    out += "\\\n"
                    isAtLineStart = true
                }
            case " ":
                let isAtEnd = next == nil ? endsText || isBeforeBreak : next == "\u{2028}"
                put(isAtLineStart || isAtEnd ? "&#32;" : " ")
            case "\t":
                // Write a tab at the start or end of a line as an entity: the parser would not report it as text.
                let isAtEnd = next == nil ? endsText || isBeforeBreak : next == "\u{2028}"
                put(isAtLineStart || isAtEnd || spelling.isTags ? "&#9;" : "\t")
            case "\n", "\r": put(" ")
            default:
                if needsEscape(scalar, next, isAfterDigits: i > 0 && isAtNumber) { out += "\\" }
                isAtNumber = (isAtLineStart || isAtNumber) && ("0"..."9").contains(scalar)
                out.unicodeScalars.append(scalar)
                isAtLineStart = false
                continue
            }
            isAtNumber = false
        }
    }

    /// Whether the line so far has only digits, after which `.` or `)` would begin a list.
    private var isAtNumber = false

    private func needsEscape(_ scalar: Unicode.Scalar, _ next: Unicode.Scalar?, isAfterDigits: Bool) -> Bool {
        guard scalar.value < 0x80, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar), scalar.value > 0x20,
            scalar.value < 0x7f
        else { return false }
        if spelling == .tags { return true }
        // With the spelling `plain`, a bar is escaped only in a table cell, which it would end, and a colon only in an
        // address that is no link.
        let isAddress = scalar == ":" && next == "/" && !(isInLink && spelling != .plainTags)
        if spelling == .plain { return place == .cell && scalar == "|" || isAddress }
        switch scalar {
        case "\\", "`", "*", "_", "[", "]", "<", "~", "@": return true
        case "&": return next.map { $0 == "#" || $0.properties.isAlphabetic } ?? true
        case "!": return next == nil || next == "["
        case "#": return isAtLineStart || place == .header
        case "+", "-", "=", ">", "|", ":":
            return isAtLineStart || (scalar == "|" && place == .cell) || isAddress
        case ".": return isAfterDigits || out.hasSuffix("www")
        case ")": return isAfterDigits
        default: return false
        }
    }
}

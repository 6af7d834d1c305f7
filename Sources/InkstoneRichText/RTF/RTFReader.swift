import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A reader that converts a Rich Text Format document to styled text. It handles the control words that word processors
/// use for text, and ignores others.
struct RTFReader {
    /// The destination of the text in a group.
    enum Destination {
        case text, fonts, colors, styles, field, marker, picture, pictureName, pictureValue, lists, levelText, skipped
    }

    /// The state that is local to a group: it begins with the values of the group around it, and its end restores
    /// those.
    struct Group {
        var destination = Destination.text
        var style = RTFStyle()
        /// The number of fallback characters after each Unicode character, for readers that do not support Unicode.
        var fallbackLength = 1
        /// The instruction of the field that contains the group.
        var field = ""
        /// The link that the field's instruction gives to the text; nil for none.
        var link: String?
    }

    /// The maximum number of nested groups that have a state of their own. Groups within the deepest of them share its
    /// state.
    private static let deepestNesting = 256
    /// The maximum number of groups in a document. A document with more is rejected.
    private static let groupLimit = 1_000_000
    /// The maximum length of a field's instruction, in bytes; the rest of it is ignored.
    private static let fieldLimit = 8192

    private let scope: RichTextFormat.Scope
    private let baseSize: Double
    private var scanner: RTFScanner
    private var groups: [Group] = []
    private var group = Group()
    /// The number of open groups that are nested too deeply to have a state of their own. They share the state of the
    /// deepest group that has one, so their text may get wrong formatting.
    private var excess = 0
    /// The state of the deepest group that has one of its own, to be restored at the end of the groups within it.
    private var deepest = Group()
    /// The outermost of those groups without a state of their own whose contents are not text: the value of ``excess``
    /// at its start, and the state to restore at its end. Nil for none.
    private var inner: (excess: Int, outer: Group)?
    /// The number of groups so far, including those that have ended.
    private var groupCount = 0
    private var tables = RTFTables()
    private var lists = RTFLists()
    private var picture = RTFPicture()
    private var flow: RTFTextFlow
    /// The bytes to be decoded together; ``units`` are UTF-16 units to be decoded together.
    private var bytes: [UInt8] = []
    private var units: [UInt16] = []
    /// The number of fallback characters after a Unicode character that are still to be skipped.
    private var fallbackLeft = 0
    /// Whether the next word begins a destination that is ignored if it is unknown (`\*`).
    private var isOptional = false

    /// Returns the text of a document; nil if the bytes are not RTF, or have more than a million groups.
    static func read(_ bytes: [UInt8], _ scope: RichTextFormat.Scope, baseSize: Double) -> StyledText? {
        guard bytes.starts(with: "{\\rtf".utf8) else { return nil }
        var reader = RTFReader(bytes, scope, baseSize: baseSize.checked(in: 1...1000, else: 16))
        return reader.run()
    }

    private init(_ bytes: [UInt8], _ scope: RichTextFormat.Scope, baseSize: Double) {
        (self.scope, self.baseSize) = (scope, baseSize)
        scanner = RTFScanner(bytes)
        flow = RTFTextFlow()
    }

    private mutating func run() -> StyledText? {
        while let token = scanner.next() {
            switch token {
            case .open:
                flushText()
                fallbackLeft = 0
                groupCount += 1
                guard groupCount <= Self.groupLimit else { return nil }
                if groups.count < Self.deepestNesting {
                    groups.append(group)
                } else {
                    if excess == 0 { deepest = group }
                    excess += 1
                }
            case .close:
                flushText()
                fallbackLeft = 0
                isOptional = false
                guard excess == 0 else {
                    endInnerGroup()
                    continue
                }
                guard let outer = groups.popLast() else { continue }
                // Stop at the end of the outermost group: the bytes after it only pad a buffer.
                if groups.isEmpty { return finish() }
                endGroup(outer)
            case .byte(let byte): group.destination == .picture ? picture.add(digit: byte) : add(byte)
            case .data(let bytes): if group.destination == .picture { picture.add(bytes) }
            case .word(let word, let value): handle(word, value)
            }
        }
        flushText()
        return finish()
    }

    private mutating func finish() -> StyledText {
        flow.finish(paragraph())
    }

    /// Returns the attributes of the paragraph that ends here.
    private mutating func paragraph() -> TextAttributes {
        let style = group.style
        var result = TextAttributes()
        if !style.isInTable, let level = style.list.flatMap({ lists.level($0, style.listLevel) }) {
            result[ParagraphStyleAttribute.self] = style.paragraph(scope, in: level)
            result[ListAttribute.self] = style.list.flatMap { lists.item($0, style.listLevel) }
        } else {
            result[ParagraphStyleAttribute.self] = style.paragraph(scope)
        }
        // Mark a heading by its attribute if its fonts are not kept: it is then shown in the standard style of
        // headings.
        if scope != .all, let level = style.headingLevel(tables) {
            result[PresentationIntentAttribute.self] = PresentationIntent(.header(level: level), identity: 0)
        }
        return result
    }

    /// Ends a group within the deepest one that has a state of its own.
    private mutating func endInnerGroup() {
        if let ended = inner, ended.excess == excess {
            inner = nil
            endGroup(ended.outer)
            // Groups that are nested too deeply share one state, so end the link of a field explicitly.
            group.link = ended.outer.link
        }
        excess -= 1
        if excess == 0 { group = deepest }
    }

    private mutating func endGroup(_ outer: Group) {
        let ended = group
        group = outer
        switch (ended.destination, outer.destination) {
        case (.fonts, .fonts): tables.endFont()
        case (.styles, .styles): tables.endStyle()
        // The text of a field is in a separate group after its instruction: pass the instruction to it.
        case (.field, .field): group.field = ended.field
        case (.field, .text):
            group.field = ended.field
            group.link = Self.link(ended.field)
        case (.marker, .text): flow.endMarker()
        case (.levelText, .lists): lists.endText()
        case (.picture, .text):
            guard !group.style.isHidden, let attachment = picture.attachment else { break }
            flow.append(
                attachment, group.style.attributes(scope, tables, link: group.link, baseSize: baseSize))
        default: break
        }
    }

    // MARK: Text

    private mutating func add(_ byte: UInt8) {
        guard fallbackLeft == 0 else {
            fallbackLeft -= 1
            return
        }
        if !units.isEmpty { flushText() }
        bytes.append(byte)
    }

    private mutating func add(unit: UInt16) {
        if !bytes.isEmpty { flushText() }
        units.append(unit)
    }

    /// Adds a character for which RTF has a control word.
    private mutating func add(_ text: String) {
        guard fallbackLeft == 0 else {
            fallbackLeft -= 1
            return
        }
        flushText()
        deliver(text)
    }

    private mutating func flushText() {
        if !bytes.isEmpty {
            let text = tables.decode(bytes, font: group.style.font)
            bytes.removeAll(keepingCapacity: true)
            deliver(text)
        }
        if !units.isEmpty {
            let text = String(decoding: units, as: UTF16.self)
            units.removeAll(keepingCapacity: true)
            deliver(text)
        }
    }

    private mutating func deliver(_ text: String) {
        switch group.destination {
        case .text:
            if group.style.isHidden { return }
            flow.append(text, group.style.attributes(scope, tables, link: group.link, baseSize: baseSize))
        case .fonts: tables.addFontName(text)
        case .colors: tables.addColors(text)
        case .styles: tables.addStyleName(text)
        case .field: group.field.append(text, upTo: Self.fieldLimit)
        case .marker: flow.appendMarker(text)
        case .levelText: lists.addText(text)
        case .pictureName: picture.addName(text)
        case .pictureValue: picture.addValue(text)
        case .picture, .lists, .skipped: break
        }
    }

    /// Returns the link in a field's instruction. Nil if there is none, if it refers to the document itself, or if
    /// `LinkDestination` rejects its destination.
    private static func link(_ field: String) -> String? {
        guard let start = field.firstRange(of: "HYPERLINK")?.upperBound else { return nil }
        var rest = field[start...].drop { $0 == " " }
        while rest.first == "\\" {
            let option = rest.dropFirst().first
            if option == "l" { return nil }
            rest = rest.dropFirst(2).drop { $0 == " " }
            // Skip the argument of the options for a tooltip and a frame.
            if option == "o" || option == "t" { rest = word(rest).rest.drop { $0 == " " } }
        }
        return LinkDestination.checked(String(word(rest).word))
    }

    /// Returns the first word of an instruction, without its quotation marks, and the text after it.
    private static func word(_ text: Substring) -> (word: Substring, rest: Substring) {
        let isQuoted = text.first == "\""
        let word = (isQuoted ? text.dropFirst() : text).prefix { $0 != (isQuoted ? "\"" : " ") }
        return (word, text[word.endIndex...].dropFirst())
    }

    // MARK: Control words

    private mutating func handle(_ word: String, _ value: Int?) {
        switch word {
        case "u":
            // Some writers write units above 32,767 as positive numbers instead of negative ones; the low 16 bits
            // are the same.
            if let value { add(unit: UInt16(truncatingIfNeeded: value)) }
            fallbackLeft = group.fallbackLength
            return
        case "'":
            if let value { add(UInt8(truncatingIfNeeded: value)) }
            return
        case "uc":
            group.fallbackLength = min(max(0, value ?? 1), 16)
            return
        case "*":
            isOptional = true
            return
        default: break
        }
        if let text = Self.characters[word] { return add(text) }
        // Flush only bytes here. UTF-16 units wait for text, because control words for formatting may be between the
        // two units of a surrogate pair.
        if !bytes.isEmpty { flushText() }
        let wasOptional = isOptional
        isOptional = false
        let before = group
        let isDestination = handleDestination(word, isOptional: wasOptional)
        if excess > 0, inner == nil, group.destination != before.destination { inner = (excess, before) }
        if isDestination { return }
        switch group.destination {
        case .text, .fonts, .colors, .styles: break
        case .picture: return picture.handle(word, value)
        case .lists: return lists.handle(word, value)
        default: return
        }
        if !units.isEmpty { flushText() }
        if group.destination == .text, handleBreak(word) { return }
        if tables.handle(word, value, group.destination) { return }
        group.style.apply(word, value)
        if word == "plain" { group.style.font = tables.defaultFont }
    }

    /// Handles a word that begins a destination; returns false for other words. In a group that is skipped, all
    /// words count as handled.
    private mutating func handleDestination(_ word: String, isOptional: Bool) -> Bool {
        if group.destination == .skipped { return true }
        switch word {
        case "fonttbl": group.destination = .fonts
        case "colortbl": group.destination = .colors
        case "stylesheet": group.destination = .styles
        case "fldinst":
            // Start with an empty instruction: otherwise the instructions of all preceding fields would be searched
            // for each field.
            if group.destination != .field { group.field = "" }
            group.destination = .field
        case "pict":
            guard group.destination == .text else { return true }
            group.destination = .picture
            picture = RTFPicture()
        case "picprop" where group.destination == .picture: return true
        case "sn" where group.destination == .picture:
            group.destination = .pictureName
            picture.beginName()
        case "sv" where group.destination == .picture: group.destination = .pictureValue
        case "listtable", "listoverridetable": group.destination = .lists
        case "leveltext" where group.destination == .lists:
            group.destination = .levelText
            lists.beginText()
        case "listtext", "pntext":
            guard group.destination == .text else { return true }
            group.destination = .marker
            flow.beginMarker()
        case _ where Self.skipped.contains(word): group.destination = .skipped
        // Word writes each picture in a new and an old form: read the new one.
        case "shppict": return true
        case _ where isOptional: group.destination = .skipped
        default: return false
        }
        return true
    }

    private mutating func handleBreak(_ word: String) -> Bool {
        switch word {
        case "par", "sect":
            flow.endParagraph(paragraph(), inTable: group.style.isInTable)
        case "cell", "nestcell": flow.endCell(isNested: word == "nestcell")
        case "row": flow.endRow()
        default: return false
        }
        return true
    }

    /// The control words that begin a destination whose contents are not text of the document.
    private static let skipped: Set<String> = [
        "info", "nonshppict", "object", "header", "headerl", "headerr", "headerf", "footer",
        "footerl", "footerr", "footerf", "footnote", "annotation", "atnid", "atnauthor", "bkmkstart", "bkmkend",
        "filetbl", "listname", "levelnumbers", "listpicture", "revtbl", "xe", "tc", "themedata", "colorschememapping",
        "latentstyles",
        "datastore", "generator", "do", "shp", "template", "operator", "private1", "rsidtbl", "pnseclvl",
    ]

    /// The control words and symbols that stand for a character, with the character.
    private static let characters: [String: String] = [
        "\\": "\\", "{": "{", "}": "}", "~": "\u{a0}", "-": "\u{ad}", "_": "\u{2011}", "tab": "\t", "line": "\u{2028}",
        "lbr": "\u{2028}", "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“",
        "rdblquote": "”", "emspace": "\u{2003}", "enspace": "\u{2002}", "qmspace": "\u{2005}", "zwj": "\u{200d}",
        "zwnj": "\u{200c}", "zwbo": "\u{200b}", "ltrmark": "\u{200e}", "rtlmark": "\u{200f}", "softline": "\u{2028}",
    ]
}

/// A scanner that splits an RTF document into tokens.
struct RTFScanner {
    /// A part of a document: the start or end of a group, a byte of text, binary data, or a control word.
    enum Token {
        case open, close
        case byte(UInt8)
        /// The binary data after the word `bin`.
        case data(ArraySlice<UInt8>)
        /// A control word or control symbol with its number, or nil; for `'` the number is the byte.
        case word(String, Int?)
    }

    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next token; nil at the end.
    mutating func next() -> Token? {
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "{"): return .open
            case UInt8(ascii: "}"): return .close
            case UInt8(ascii: "\\"):
                if let token = readWord() { return token }
            case 0, UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "\t"): return .word("tab", nil)
            default: return .byte(byte)
            }
        }
        return nil
    }

    private mutating func readWord() -> Token? {
        guard at < bytes.count else { return nil }
        let first = bytes[at]
        guard Self.isLetter(first) else {
            at += 1
            switch first {
            case UInt8(ascii: "'"):
                guard at + 1 < bytes.count, let high = Self.digit(bytes[at]), let low = Self.digit(bytes[at + 1]) else {
                    return nil
                }
                at += 2
                return .word("'", high << 4 | low)
            case UInt8(ascii: "\r"), UInt8(ascii: "\n"): return .word("par", nil)
            default: return .word(String(UnicodeScalar(first)), nil)
            }
        }
        let start = at
        while at < bytes.count, at - start < 32, Self.isLetter(bytes[at]) { at += 1 }
        let word = String(decoding: bytes[start..<at], as: UTF8.self)
        let value = readNumber()
        if at < bytes.count, bytes[at] == 0x20 { at += 1 }
        if word == "bin", let value, value > 0 {
            let start = at
            at = min(bytes.count, at + value)
            return .data(bytes[start..<at])
        }
        return .word(word, value)
    }

    private mutating func readNumber() -> Int? {
        let isNegative = at + 1 < bytes.count && bytes[at] == UInt8(ascii: "-")
        let start = isNegative ? at + 1 : at
        var end = start
        var value = 0
        while end < bytes.count, end - start < 10, (0x30...0x39).contains(bytes[end]) {
            value = value * 10 + Int(bytes[end] - 0x30)
            end += 1
        }
        guard end > start else { return nil }
        at = end
        return isNegative ? -value : value
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }

    static func digit(_ byte: UInt8) -> Int? {
        switch byte {
        case 0x30...0x39: Int(byte) - 0x30
        case 0x41...0x46, 0x61...0x66: Int(byte | 0x20) - 0x61 + 10
        default: nil
        }
    }
}

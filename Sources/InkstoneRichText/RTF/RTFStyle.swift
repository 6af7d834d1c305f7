import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// The formatting of characters and paragraphs in a group.
struct RTFStyle {
    /// The number of the font in the font table.
    var font = 0
    private var isBold = false
    private var isItalic = false
    private var underline: RenderingAttributes.LineStyle?
    private var strikethrough: RenderingAttributes.LineStyle?
    /// 1 for superscript, -1 for subscript, 0 for neither.
    private var superscript = 0
    /// The font size in half points; nil for the default.
    private var size: Int?
    /// The number of the text's colour in the colour table, like the two numbers that follow.
    private var color = 0
    private var background = 0
    private var underlineColor = 0
    /// The additional distance between characters, in twips.
    private var tracking = 0
    private(set) var isHidden = false
    private(set) var isInTable = false
    private var alignment = ParagraphStyle.Alignment.natural
    private var direction = BidiBaseDirection.natural
    // The indent in twips, like the lengths that follow.
    private var indent = 0
    private var firstLineIndent = 0
    private var tailIndent = 0
    private var spacingBefore = 0
    private var spacingAfter = 0
    private var lineHeight = 0
    /// Whether ``lineHeight`` is a multiple of the natural height, in 240ths.
    private var hasMultipleHeight = false
    private var tabStops: [Int] = []
    /// The number of the paragraph's list, or nil; ``listLevel`` is the level in it, 0 for the outermost.
    private(set) var list: Int?
    private(set) var listLevel = 0
    /// The level of a heading, 0 for the highest; nil for other paragraphs.
    private var outlineLevel: Int?
    /// The number of the paragraph's style in the style sheet; nil for none.
    private var sheet: Int?

    /// The maximum number of tab stops of a paragraph; further ones are ignored.
    private static let tabStopLimit = 64
    /// The font sizes of headings of the three highest levels, as multiples of the size of the surrounding text.
    private static let headingSizes = [2, 1.5, 1.17]

    // MARK: Attributes

    func attributes(
        _ scope: RichTextFormat.Scope, _ tables: RTFTables, link: String?, baseSize: Double
    ) -> TextAttributes {
        var result = TextAttributes()
        if isBold { result[FontWeightAttribute.self] = FontWeights.bold }
        if isItalic { result[FontSlantAttribute.self] = .italic }
        result[LinkAttribute.self] = link
        // Links are always underlined: omit a single underline.
        result[UnderlineAttribute.self] = link != nil && underline == .single ? nil : underline
        result[StrikethroughAttribute.self] = strikethrough
        if superscript != 0 { result[SuperscriptAttribute.self] = superscript }
        guard scope == .all else {
            if let outlineLevel, Self.headingSizes.indices.contains(outlineLevel) {
                result[FontSizeAttribute.self] = Self.headingSizes[outlineLevel] * baseSize
            }
            return result
        }
        result[FontFamilyAttribute.self] = tables.family(of: font)
        if let size { result[FontSizeAttribute.self] = Double(size) / 1.5 }
        result[ForegroundAttribute.self] = link == nil ? tables.color(color) : nil
        result[BackgroundAttribute.self] = tables.color(background)
        if underline != nil { result[UnderlineColorAttribute.self] = tables.color(underlineColor) }
        if tracking != 0 { result[TrackingAttribute.self] = Double(tracking) / 15 }
        return result
    }

    /// Returns the style of the paragraph; nil for the default style.
    ///
    /// - Parameter level: the list level of the paragraph, whose indents are not part of the result; nil for none.
    func paragraph(_ scope: RichTextFormat.Scope, in level: RTFLists.Level? = nil) -> ParagraphStyle? {
        var result = ParagraphStyle()
        result.baseDirection = direction
        let isBackward = direction == .rightToLeft
        switch alignment {
        // If the user has chosen no alignment, word processors write the edge at which lines begin: omit it.
        case .left where !isBackward, .right where isBackward: break
        default: result.alignment = alignment
        }
        func pixels(_ twips: Int) -> Double { Double(twips) / 15 }
        if let level {
            // A paragraph without an indent of its own has that of its list level.
            result.indent = indent == 0 ? 0 : max(0, pixels(indent) - pixels(level.indent))
            result.firstLineIndent = result.indent
        } else {
            result.indent = max(0, pixels(indent))
            result.firstLineIndent = max(0, pixels(indent) + pixels(firstLineIndent))
        }
        guard scope == .all else { return result == ParagraphStyle() ? nil : result }
        result.tailIndent = pixels(tailIndent)
        result.spacingBefore = pixels(spacingBefore)
        result.spacingAfter = pixels(spacingAfter)
        if lineHeight != 0, !hasMultipleHeight || abs(lineHeight) != 240 {
            result.lineHeight =
                hasMultipleHeight
                ? .multiple(Double(abs(lineHeight)) / 240)
                : lineHeight < 0 ? .exactly(pixels(-lineHeight)) : .atLeast(pixels(lineHeight))
        }
        // In a list item, word processors set a tab stop after the marker: omit the tab stops there.
        if level == nil { result.tabStops = tabStops.sorted().map { TabStop(pixels($0)) } }
        return result == ParagraphStyle() ? nil : result
    }

    /// Returns the paragraph's level as a heading, from 1 to 6, by its own control words or by its style in the style
    /// sheet; nil if the paragraph is not a heading.
    func headingLevel(_ tables: RTFTables) -> Int? {
        guard let level = outlineLevel ?? sheet.flatMap({ tables.outlineLevel(ofStyle: $0) }) else { return nil }
        return (0..<6).contains(level) ? level + 1 : nil
    }

    // MARK: Control words

    /// Applies a control word with its number; unknown words have no effect.
    mutating func apply(_ word: String, _ value: Int?) {
        let isOn = value != 0
        switch word {
        case "plain": resetCharacters()
        case "b": isBold = isOn
        case "i": isItalic = isOn
        case "ul", "ulw": underline = isOn ? .single : nil
        case "uldb": underline = isOn ? .double : nil
        case "uld": underline = isOn ? .dotted : nil
        case "uldash", "uldashd", "uldashdd": underline = isOn ? .dashed : nil
        case "ulwave": underline = isOn ? .wavy : nil
        case "ulth": underline = isOn ? .thick : nil
        case "ulnone": underline = nil
        case "ulc": underlineColor = value ?? 0
        case "strike": strikethrough = isOn ? .single : nil
        case "striked": strikethrough = isOn ? .double : nil
        case "super": superscript = isOn ? 1 : 0
        case "sub": superscript = isOn ? -1 : 0
        case "up": superscript = value ?? 6 > 0 ? 1 : 0
        case "dn": superscript = value ?? 6 > 0 ? -1 : 0
        case "nosupersub": superscript = 0
        case "f": font = value ?? 0
        case "fs": size = value
        case "cf": color = value ?? 0
        case "cb", "chcbpat", "highlight": background = value ?? 0
        case "expndtw": tracking = value ?? 0
        case "v": isHidden = isOn
        default: applyParagraph(word, value)
        }
    }

    private mutating func applyParagraph(_ word: String, _ value: Int?) {
        switch word {
        case "pard": copyParagraph(of: RTFStyle())
        case "ql": alignment = .left
        case "qr": alignment = .right
        case "qc": alignment = .center
        case "qj": alignment = .justified
        case "ltrpar": direction = .leftToRight
        case "rtlpar": direction = .rightToLeft
        case "li", "lin": indent = value ?? 0
        case "fi": firstLineIndent = value ?? 0
        case "ri", "rin": tailIndent = value ?? 0
        case "sb": spacingBefore = value ?? 0
        case "sa": spacingAfter = value ?? 0
        case "sl": lineHeight = value ?? 0
        case "slmult": hasMultipleHeight = value == 1
        case "tx": if let value, tabStops.count < Self.tabStopLimit { tabStops.append(value) }
        case "intbl": isInTable = true
        case "ls": list = value
        case "ilvl": listLevel = value ?? 0
        case "outlinelevel": outlineLevel = value
        case "s": sheet = value
        default: break
        }
    }

    private mutating func resetCharacters() {
        var plain = RTFStyle()
        plain.copyParagraph(of: self)
        self = plain
    }

    private mutating func copyParagraph(of other: RTFStyle) {
        (isInTable, alignment, direction) = (other.isInTable, other.alignment, other.direction)
        (indent, firstLineIndent, tailIndent) = (other.indent, other.firstLineIndent, other.tailIndent)
        (spacingBefore, spacingAfter) = (other.spacingBefore, other.spacingAfter)
        (lineHeight, hasMultipleHeight, tabStops) = (other.lineHeight, other.hasMultipleHeight, other.tabStops)
        (outlineLevel, sheet, list, listLevel) = (other.outlineLevel, other.sheet, other.list, other.listLevel)
    }
}

/// The font, colour and style tables of a document.
struct RTFTables {
    /// A font's name, and the code page of text in it; nil for that of the document.
    private struct Font {
        var name = ""
        var codePage: Int?
    }

    /// The number of the document's default font.
    private(set) var defaultFont = 0
    /// The number of the code page in which the document's bytes are read, unless the font has its own.
    private var codePage = 1252
    private var fonts: [Int: Font] = [:]
    /// The number of the font whose name is being read; nil outside of a font's entry, and if there are too many
    /// fonts.
    private var current: Int?
    private var colors: [Color?] = []
    private var components: Color?
    /// The levels of those styles that are headings, by style number; 0 is the highest level.
    private var outlineLevels: [Int: Int] = [:]
    /// The number of the style that is being read, and its name so far; nil for none.
    private var sheet: (number: Int, name: String)?
    /// The converters by name of the encoding, because creating one is slow. There are few names, but a document
    /// may give any number of code pages.
    private var converters: [String: TextConverter] = [:]

    /// The maximum number of fonts; ``colorLimit`` is that of colours, and ``sheetLimit`` that of styles that are
    /// headings. Further ones are ignored.
    private static let fontLimit = 4096
    private static let colorLimit = 4096
    private static let sheetLimit = 4096
    /// The Windows code page for each character set of a font (`\fcharset`).
    private static let charsets = [
        0: 1252, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255,
        178: 1256,
        186: 1257, 204: 1251, 222: 874, 238: 1250, 255: 437,
    ]

    /// Applies a control word of a table, or of the document as a whole; returns false for other words. Within a
    /// table, all words count as handled.
    mutating func handle(_ word: String, _ value: Int?, _ destination: RTFReader.Destination) -> Bool {
        switch (word, destination) {
        case ("ansicpg", _): if let value { codePage = value }
        case ("deff", _): defaultFont = value ?? 0
        case ("mac", _): codePage = 10000
        case ("pc", _): codePage = 437
        case ("pca", _): codePage = 850
        case ("f", .fonts): if let value { begin(font: value) }
        case ("fcharset", .fonts): if let current, let value { fonts[current]?.codePage = Self.charsets[value] }
        case ("cpg", .fonts): if let current { fonts[current]?.codePage = value }
        case ("red", .colors): setComponent(\.red, value)
        case ("green", .colors): setComponent(\.green, value)
        case ("blue", .colors): setComponent(\.blue, value)
        case ("s", .styles): if let value { sheet = (value, "") }
        case ("outlinelevel", .styles): setOutlineLevel(value)
        default: return destination != .text
        }
        return true
    }

    // MARK: Fonts

    private mutating func begin(font: Int) {
        // If there are too many fonts, the name of this one is ignored.
        current = fonts.count < Self.fontLimit ? font : nil
        if let current { fonts[current] = Font() }
    }

    /// Adds text to the name of the font that is being read; a semicolon ends the name.
    mutating func addFontName(_ text: String) {
        guard let current else { return }
        let end = text.firstIndex(of: ";") ?? text.endIndex
        fonts[current]?.name.append(text[..<end], upTo: 256)
        if end != text.endIndex { self.current = nil }
    }

    mutating func endFont() { current = nil }

    /// Returns the family of a font; nil for the document's default font, and for a font whose name is not known.
    func family(of font: Int) -> String? {
        guard font != defaultFont, let name = fonts[font]?.name, !name.isEmpty else { return nil }
        return name
    }

    /// Decodes bytes in the code page of a font.
    mutating func decode(_ bytes: [UInt8], font: Int) -> String {
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return bytes.decoded(by: converter(ofCodePage: fonts[font]?.codePage ?? codePage))
    }

    private mutating func converter(ofCodePage page: Int) -> TextConverter {
        let name =
            switch page {
            case 874, 1250...1258: "windows-\(page)"
            case 932: "Shift_JIS"
            case 936: "GBK"
            case 949: "EUC-KR"
            case 950: "Big5"
            case 10000: "macintosh"
            case 65001: "UTF-8"
            case 437, 850, 852, 866: "ibm-\(page)"
            default: "windows-1252"
            }
        if let known = converters[name] { return known }
        let converter = TextConverter(TextEncoding(named: name) ?? TextEncoding(named: "windows-1252") ?? .utf8)
        converters[name] = converter
        return converter
    }

    // MARK: Styles

    private mutating func setOutlineLevel(_ level: Int?) {
        guard let level, let sheet, outlineLevels.count < Self.sheetLimit else { return }
        outlineLevels[sheet.number] = level
    }

    /// Adds text to the name of the style that is being read.
    mutating func addStyleName(_ text: String) {
        sheet?.name.append(text[...], upTo: 64)
    }

    /// Ends the definition of a style. If its name is “heading 1” to “heading 9”, that is its level as a heading,
    /// whatever level its definition gave.
    mutating func endStyle() {
        defer { sheet = nil }
        guard let name = sheet?.name.lowercased(), name.hasPrefix("heading "),
            let level = Int(name.dropFirst(8).prefix { $0 != ";" }), (1...9).contains(level)
        else { return }
        setOutlineLevel(level - 1)
    }

    /// Returns the heading level of a style, 0 for the highest; nil if the style is not a heading.
    func outlineLevel(ofStyle number: Int) -> Int? { outlineLevels[number] }

    // MARK: Colours

    private mutating func setComponent(_ path: WritableKeyPath<Color, UInt8>, _ value: Int?) {
        var color = components ?? .black
        color[keyPath: path] = UInt8(min(max(0, value ?? 0), 255))
        components = color
    }

    /// Adds a colour to the table for each semicolon. A colour without components is the default text colour.
    mutating func addColors(_ text: String) {
        for character in text where character == ";" && colors.count < Self.colorLimit {
            colors.append(components)
            components = nil
        }
    }

    /// Returns the colour with a number; nil for the default colour, and for a number that is not in the table.
    func color(_ index: Int) -> Color? { colors.indices.contains(index) && index > 0 ? colors[index] : nil }
}

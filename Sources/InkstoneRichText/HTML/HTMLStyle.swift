import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// The style of an element, including the properties inherited from the elements around it. Lengths are in pixels
/// at scale 1.
struct HTMLStyle {
    /// The treatment of white space: collapsed to a blank; collapsed, but with newlines kept; or kept as it is.
    enum WhiteSpace {
        case collapsed, keptNewlines, kept
    }

    var whiteSpace = WhiteSpace.collapsed
    /// Whether the element and all elements within it are hidden, regardless of their own styles.
    var isHidden = false
    /// Whether the element's text has the size 0; ``isInvisible`` is whether the text is invisible. Elements within
    /// it may override either.
    var isZeroSized = false
    var isInvisible = false
    /// Whether text in the element is visible.
    var isSeen: Bool { !isHidden && !isZeroSized && !isInvisible }
    var weight: Double?
    var slant: FontDescriptor.Slant?
    var underline: RenderingAttributes.LineStyle?
    var underlineColor: Color?
    var strikethrough: RenderingAttributes.LineStyle?
    var superscript = 0
    var link: String?
    var language: String?
    var family: String?
    var isMonospaced = false
    /// The size of the font; the default size of browsers if no style sets it.
    var size = 16.0
    var hasSize = false
    /// The level of the heading that contains the element; nil for none.
    var headingLevel: Int?
    /// The identity of the preformatted block that contains the element; nil for none.
    var codeBlock: Int?
    /// The language of the preformatted block; nil if it is not known.
    var codeLanguage: String?
    /// The identities of the quotations that contain the element, the outermost first.
    var quotations: [Int] = []
    /// The identity of the table that contains the element; nil for none.
    var table: Int?
    /// The identity of the row of ``table`` that contains the element, and its index; nil for none.
    var row: (identity: Int, index: Int)?
    /// Whether the element is a thematic break.
    var isBreak = false
    var color: Color?
    var background: Color?
    /// The background of the element around this one, which a transparent background shows.
    private var outerBackground: Color?
    var letterSpacing: Double?
    /// Whether the lines of the element become paragraphs, as in `pre`.
    var isPreformatted: Bool { isMonospaced && whiteSpace == .kept }
    /// The alignment of the element's paragraphs, as a value of CSS; nil for the default.
    var alignment: String?
    var direction: BidiBaseDirection = .natural
    var lineHeight: ParagraphStyle.LineHeight = .natural
    var firstLineIndent = 0.0
    /// The indent of definitions (`dd`), which the scope `structure` keeps; ``indent`` is the whole indent, which
    /// includes this one.
    var structureIndent = 0.0
    var indent = 0.0
    var tailIndent = 0.0
    var spacingBefore = 0.0
    var spacingAfter = 0.0
    var listStyle: String?

    /// Returns the attributes of the element's characters.
    func attributes(_ scope: RichTextFormat.Scope) -> TextAttributes {
        var result = TextAttributes()
        // With the scope `structure`, code blocks have no character styles.
        if scope != .all, codeBlock != nil { return result }
        // With the scope `structure`, the level of a heading determines its appearance: omit the weight.
        let isHeading = scope != .all && headingLevel != nil
        result[FontWeightAttribute.self] = isHeading ? nil : weight.map { scope == .all ? $0 : FontWeights.bold }
        result[FontSlantAttribute.self] = slant
        // Omit the single underline of a link, which is shown anyway.
        let underline = link != nil && underline == .single ? nil : underline
        result[UnderlineAttribute.self] = underline
        result[StrikethroughAttribute.self] = strikethrough
        if superscript != 0 { result[SuperscriptAttribute.self] = superscript }
        result[LinkAttribute.self] = link
        guard scope == .all else {
            if isMonospaced { result[InlinePresentationIntentAttribute.self] = .code }
            return result
        }
        result[LanguageAttribute.self] = language
        result[FontFamilyAttribute.self] = family ?? (isMonospaced ? "monospace" : nil)
        if hasSize { result[FontSizeAttribute.self] = size }
        if underline != nil { result[UnderlineColorAttribute.self] = underlineColor }
        // Omit white backgrounds, and black as the colour of text without a background: these are the page's
        // defaults. Omit a text colour that equals the background, because such text would be invisible.
        if let background, background != .white { result[BackgroundAttribute.self] = background }
        if let color, color.alpha > 0, color != background ?? .white, color != .black || background ?? .white != .white
        {
            result[ForegroundAttribute.self] = color
        }
        if let letterSpacing, letterSpacing != 0 { result[TrackingAttribute.self] = letterSpacing }
        return result
    }

    /// Returns the style of the element's paragraphs; nil for the default style.
    func paragraphStyle(_ scope: RichTextFormat.Scope) -> ParagraphStyle? {
        var result = ParagraphStyle()
        result.baseDirection = direction
        let isBackward = direction == .rightToLeft
        // A row of a table is a single paragraph, so the alignments of its cells cannot be kept.
        switch row == nil || scope == .all ? alignment : nil {
        case "center": result.alignment = .center
        case "justify": result.alignment = .justified
        case "left", "-webkit-left": result.alignment = isBackward ? .left : .natural
        case "right", "-webkit-right": result.alignment = isBackward ? .natural : .right
        case "end": result.alignment = isBackward ? .left : .right
        default: break
        }
        if scope == .all {
            result.lineHeight = lineHeight
            result.indent = max(0, indent)
            result.firstLineIndent = max(0, indent + firstLineIndent)
            result.tailIndent = tailIndent
            result.spacingBefore = spacingBefore
            result.spacingAfter = spacingAfter
        } else {
            result.indent = structureIndent
            result.firstLineIndent = structureIndent
        }
        return result == ParagraphStyle() ? nil : result
    }

    /// Returns the presentation intent of the element's paragraphs with the scope `structure`; nil for body text, and
    /// with the scope `all`.
    func intent(_ scope: RichTextFormat.Scope) -> PresentationIntent? {
        guard scope != .all else { return nil }
        var components = quotations.reversed().map { PresentationIntent.IntentType(kind: .blockQuote, identity: $0) }
        if let table, let row {
            components.insert(.init(kind: .table(columns: [.init()]), identity: table), at: 0)
            let kind = row.index == 0 ? PresentationIntent.Kind.tableHeaderRow : .tableRow(rowIndex: row.index)
            components.insert(.init(kind: kind, identity: row.identity), at: 0)
        } else if let codeBlock {
            components.insert(.init(kind: .codeBlock(languageHint: codeLanguage), identity: codeBlock), at: 0)
        } else if isBreak {
            components.insert(.init(kind: .thematicBreak, identity: 0), at: 0)
        } else if let headingLevel {
            components.insert(.init(kind: .header(level: headingLevel), identity: 0), at: 0)
        } else if !components.isEmpty {
            components.insert(.init(kind: .paragraph, identity: 0), at: 0)
        }
        return PresentationIntent(components: components)
    }

    // MARK: Inheriting

    /// The style with which an element within this one begins.
    var inherited: HTMLStyle {
        var result = self
        result.spacingBefore = 0
        result.spacingAfter = 0
        result.isBreak = false
        result.outerBackground = background
        return result
    }

    /// Records the quotation, table or preformatted block that an element begins.
    mutating func begin(_ element: String, in outer: HTMLStyle, identity: Int) {
        if element == "blockquote", quotations.count < Self.mostQuotations { quotations.append(identity) }
        if element == "table" { (table, row) = (identity, nil) }
        if isPreformatted, !outer.isPreformatted { (codeBlock, codeLanguage) = (identity, nil) }
    }

    /// The maximum nesting of quotations. More deeply nested quotations are not kept.
    private static let mostQuotations = 20

    /// Applies the style that the name of an element implies.
    mutating func apply(element: String) {
        switch element {
        case "b", "strong", "th", "dt": weight = FontWeights.bold
        case "i", "em", "cite", "var", "dfn", "address": slant = .italic
        case "u", "ins": underline = .single
        case "s", "strike", "del": strikethrough = .single
        case "sub": superscript -= 1
        case "sup": superscript += 1
        case "code", "tt", "kbd", "samp", "listing", "xmp": isMonospaced = true
        case "pre":
            isMonospaced = true
            whiteSpace = .kept
        case "textarea": whiteSpace = .kept
        case "mark": background = Color(rgb: 0xffff00)
        case "small": scaleSize(1 / 1.2)
        case "big": scaleSize(1.2)
        case "center": alignment = "center"
        case "h1": makeHeading(1, 2)
        case "h2": makeHeading(2, 1.5)
        case "h3": makeHeading(3, 1.17)
        case "h4": makeHeading(4, 1)
        case "h5": makeHeading(5, 0.83)
        case "h6": makeHeading(6, 0.67)
        case "dd": addIndent(Quotation.indent)
        case "hr": isBreak = true
        case "blockquote":
            indent = min(indent + Quotation.indent, 20 * Quotation.indent)
            tailIndent += Quotation.indent
        default: break
        }
    }

    private mutating func makeHeading(_ level: Int, _ factor: Double) {
        weight = FontWeights.bold
        headingLevel = level
        if factor != 1 { setSize(16 * factor) }
    }

    private mutating func setSize(_ pixels: Double) {
        size = pixels.checked(in: 1...1000)
        hasSize = true
        isZeroSized = false
    }

    private mutating func scaleSize(_ factor: Double) {
        if !isZeroSized { setSize(size * factor) }
    }

    private mutating func addIndent(_ pixels: Double) {
        structureIndent = min(structureIndent + pixels, 20 * Quotation.indent)
        indent = min(indent + pixels, 20 * Quotation.indent)
    }

    // MARK: CSS

    /// Applies the CSS declarations of an element.
    mutating func apply(_ css: CSSDeclarations, element: String) {
        if css.values.isEmpty { return }
        applyFont(css)
        applyDecoration(css)
        if let value = css[.color] { color = CSSColor.parse(value) ?? color }
        if let value = css[.backgroundColor] ?? css[.background] {
            let parsed =
                CSSColor.parse(value)
                ?? value.split(separator: " ").lazy.compactMap { CSSColor.parse(String($0)) }.first
            if let parsed { background = parsed.alpha > 0 ? parsed : outerBackground }
        }
        switch css[.whiteSpace] {
        case "normal", "nowrap": whiteSpace = .collapsed
        case "pre", "pre-wrap", "break-spaces": whiteSpace = .kept
        case "pre-line": whiteSpace = .keptNewlines
        default: break
        }
        if css[.display] == "none" || css[.msoHide] == "all" { isHidden = true }
        switch css[.visibility] {
        case "hidden", "collapse": isInvisible = true
        case "visible": isInvisible = false
        default: break
        }
        applyParagraph(css, element)
    }

    private mutating func applyFont(_ css: CSSDeclarations) {
        if let value = css[.fontSize] { applyFontSize(value) }
        if let value = css[.fontWeight] {
            switch value {
            case "bold", "bolder": weight = FontWeights.bold
            case "normal", "lighter": weight = nil
            default:
                guard let number = Double(value), number.isFinite else { break }
                // Do not store a weight near 400, which is the normal one.
                let nearest = FontWeights.fontconfig(number)
                weight = number >= 600 ? (number < 650 ? FontWeights.bold : nearest) : nearest == 80 ? nil : nearest
            }
        }
        switch css[.fontStyle] {
        case "italic": slant = .italic
        case .some(let value) where value.hasPrefix("oblique"): slant = .oblique
        case "normal": slant = nil
        default: break
        }
        if let value = css[.fontFamily] {
            let first = value.split(separator: ",").first.map { CSSDeclarations.trimmed($0) } ?? ""
            let name = first.filter { $0 != "\"" && $0 != "'" && $0 != "\\" }
            if value.lowercased().contains("monospace") { isMonospaced = true }
            if !["", "inherit", "initial", "unset", "revert"].contains(name.lowercased()) { family = name }
        }
        if let value = css[.letterSpacing] {
            letterSpacing = CSSLength.pixels(value, em: size)
        }
        switch css[.verticalAlign] {
        case "super": superscript += 1
        case "sub": superscript -= 1
        case "baseline": superscript = 0
        default: break
        }
        superscript = min(max(-3, superscript), 3)
    }

    /// The pixels for the names of font sizes in CSS.
    private static let sizes: [String: Double] = [
        "xx-small": 9, "x-small": 10, "small": 13, "large": 18, "x-large": 24, "xx-large": 32, "xxx-large": 48,
    ]

    private mutating func applyFontSize(_ value: String) {
        if let pixels = Self.sizes[value] { return setSize(pixels) }
        switch value {
        case "medium", "initial": (size, hasSize, isZeroSized) = (16, false, false)
        case "smaller": scaleSize(1 / 1.2)
        case "larger": scaleSize(1.2)
        default:
            let outer = isZeroSized ? 0 : size
            guard let pixels = CSSLength.pixels(value, em: outer, whole: outer) else { return }
            if pixels <= 0 { isZeroSized = true } else { setSize(pixels) }
        }
    }

    /// The line styles for the names of CSS; a line without one of them is a single line.
    private static let shapes: [String: RenderingAttributes.LineStyle] = [
        "double": .double, "dotted": .dotted, "dashed": .dashed, "wavy": .wavy,
    ]

    private mutating func applyDecoration(_ css: CSSDeclarations) {
        guard let words = (css[.textDecoration] ?? css[.textDecorationLine])?.split(separator: " ") else { return }
        let shape =
            css[.textDecorationStyle].flatMap { Self.shapes[$0] }
            ?? words.lazy.compactMap { Self.shapes[String($0)] }.first
        if words.contains("underline") { underline = shape ?? .single }
        if words.contains("line-through") { strikethrough = shape ?? .single }
        if words.contains("underline"), let value = css[.textDecorationColor] { underlineColor = CSSColor.parse(value) }
    }

    private mutating func applyParagraph(_ css: CSSDeclarations, _ element: String) {
        if let value = css[.textAlign] { alignment = value }
        switch css[.direction] {
        case "rtl": direction = .rightToLeft
        case "ltr": direction = .leftToRight
        default: break
        }
        if let value = css[.listStyleType] ?? css[.listStyle] { listStyle = value }
        if let value = css[.textIndent] { firstLineIndent = CSSLength.pixels(value, em: size) ?? 0 }
        if let value = css[.lineHeight] {
            if value == "normal" {
                lineHeight = .natural
            } else if let factor = Double(value), factor.isFinite {
                lineHeight = .multipleOfSize(factor.checked(in: 0.1...100))
            } else if value.hasSuffix("%"), let percent = Double(value.dropLast()), percent.isFinite {
                lineHeight = .multipleOfSize((percent / 100).checked(in: 0.1...100))
            } else if let pixels = CSSLength.pixels(value, em: size), pixels > 0 {
                lineHeight = .exactly(pixels)
            }
        }
        if element == "body" || element == "html" { return }
        if let value = css[.marginTop] { spacingBefore = max(0, CSSLength.pixels(value, em: size) ?? 0) }
        if let value = css[.marginBottom] { spacingAfter = max(0, CSSLength.pixels(value, em: size) ?? 0) }
        // Lists, quotations and definitions keep the standard indents of this library.
        if ["ul", "ol", "blockquote", "dd"].contains(element) { return }
        if let value = css[.marginLeft], let pixels = CSSLength.pixels(value, em: size) { indent += pixels }
        if let value = css[.marginRight], let pixels = CSSLength.pixels(value, em: size) { tailIndent += pixels }
    }
}

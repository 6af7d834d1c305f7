import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A styled text as a page of HTML: elements that say what the text is, and styles for what no element says.
struct HTMLWriter {
    private var html = ""
    /// The lists that have begun and not ended, outermost first, and whether each has an item that has not.
    private var lists: [(list: TextList, hasItem: Bool)] = []
    private var counts = ListCounts()
    /// The quotations that have begun and not ended, outermost first, and the block of code that has.
    private var quotations: [Int] = []
    private var codeBlock: Int?
    /// Bytes of pictures that may still be written.
    private var room = RichPicture.mostWritten

    /// A page by itself, in UTF-8, with the comments that mark a fragment on clipboards.
    static func write(_ text: StyledText) -> [UInt8] {
        var writer = HTMLWriter()
        writer.html = "<html><head><meta charset=\"utf-8\"></head><body><!--StartFragment-->"
        let paragraphs = RichParagraph.all(of: text)
        if let first = paragraphs.first, paragraphs.count == 1, !first.isWhole, first.item == nil,
            first.headingLevel == nil
        {
            writer.writePiece(first)
        } else {
            for paragraph in paragraphs { writer.write(paragraph) }
        }
        writer.endCode()
        writer.moveToLists([])
        writer.moveToQuotations([])
        // Qt reads a line end behind the last block as a space.
        if writer.html.last == "\n" { writer.html.removeLast() }
        writer.html += "<!--EndFragment--></body></html>"
        return Array(writer.html.utf8)
    }

    /// A part of a paragraph, which takes after the one that it is put into.
    private mutating func writePiece(_ paragraph: RichParagraph) {
        let keepsBlanks = Self.hasKeptBlanks(paragraph.text)
        if keepsBlanks { html += "<span style=\"white-space:pre-wrap\">" }
        for run in paragraph.runs { write(run) }
        if keepsBlanks { html += "</span>" }
    }

    private mutating func write(_ paragraph: RichParagraph) {
        if let code = paragraph.codeBlock, paragraph.item == nil { return write(paragraph, inCode: code) }
        endCode()
        var style = paragraph.style
        if paragraph.item == nil {
            // The element's margin is in place of the indent.
            moveToLists([])
            moveToQuotations(paragraph.quotations)
            style.indent -= Double(paragraph.quotations.count) * Quotation.indent
            style.firstLineIndent -= Double(paragraph.quotations.count) * Quotation.indent
            if paragraph.isBreak {
                html += "<hr>\n"
                return
            }
        } else {
            moveToQuotations([])
        }
        let margin = Self.margin(style)
        // Headings have their own.
        var css = paragraph.headingLevel != nil && margin == "0" ? [] : ["margin:" + margin]
        if style.firstLineIndent != style.indent {
            css.append("text-indent:\(RichNumber.format(style.firstLineIndent - style.indent))px")
        }
        switch style.alignment {
        case .natural: break
        case .left: css.append("text-align:left")
        case .right: css.append("text-align:right")
        case .center: css.append("text-align:center")
        case .justified: css.append("text-align:justify")
        }
        switch style.lineHeight {
        case .natural, .growing: break
        // A font is about a fifth higher than its size.
        case .multiple(let factor): css.append("line-height:\(RichNumber.format(factor * 1.2))")
        case .multipleOfSize(let factor): css.append("line-height:\(RichNumber.format(factor))")
        case .exactly(let pixels), .atLeast(let pixels): css.append("line-height:\(RichNumber.format(pixels))px")
        }
        if Self.hasKeptBlanks(paragraph.text) { css.append("white-space:pre-wrap") }
        let block = paragraph.headingLevel.map { "h\($0)" } ?? "p"
        let tag = paragraph.item == nil ? block : "li"
        moveToLists(paragraph.item?.lists ?? [])
        if let item = paragraph.item, !item.hasMarker { css.append("list-style-type:none") }
        html += "<\(tag)"
        switch style.baseDirection {
        case .leftToRight: html += " dir=\"ltr\""
        case .rightToLeft: html += " dir=\"rtl\""
        case .natural: if paragraph.isRightToLeftByItself { html += " dir=\"auto\"" }
        }
        html += css.isEmpty ? ">" : " style=\"\(css.joined(separator: ";"))\">"
        if let item = paragraph.item {
            counts.count(item)
            if item.hasMarker, item.list?.marker == .checkbox {
                html += "<input type=\"checkbox\"\(item.isChecked ? " checked" : "")>"
            }
        }
        for run in paragraph.runs { write(run) }
        // A line end at the end of a block is not seen, and a block without text has no height.
        if paragraph.text.isEmpty || paragraph.text.unicodeScalars.last == "\u{2028}" { html += "<br>" }
        // Lists within an item follow.
        if paragraph.item == nil { html += "</\(tag)>\n" } else { lists[lists.count - 1].hasItem = true }
    }

    /// Writes a line of a block of code.
    private mutating func write(_ paragraph: RichParagraph, inCode block: Int) {
        if codeBlock == block, quotations == paragraph.quotations {
            html += "\n"
        } else {
            endCode()
            moveToLists([])
            moveToQuotations(paragraph.quotations)
            // The first line end in it is left out by readers.
            html += paragraph.text.isEmpty ? "<pre>\n" : "<pre>"
            codeBlock = block
        }
        for var run in paragraph.runs {
            if run.attributes[FontFamilyAttribute.self] == "monospace" {
                run.attributes[FontFamilyAttribute.self] = nil
            }
            write(run)
        }
    }

    private mutating func endCode() {
        if codeBlock != nil { html += "</pre>\n" }
        codeBlock = nil
    }

    /// Ends and begins quotations up to those that the next paragraph is in.
    private mutating func moveToQuotations(_ wanted: [Int]) {
        let shared = zip(quotations, wanted).prefix { $0 == $1 }.count
        if quotations.count > shared { moveToLists([]) }
        for _ in quotations[shared...] { html += "</blockquote>\n" }
        for _ in wanted[shared...] { html += "<blockquote>" }
        quotations = wanted
    }

    /// Ends and begins lists up to those that the next paragraph is in.
    private mutating func moveToLists(_ wanted: [TextList]) {
        let shared = zip(lists, wanted).prefix { $0.list.id == $1.id }.count
        while lists.count > shared, let last = lists.popLast() {
            if last.hasItem { html += "</li>" }
            html += last.list.isNumbered ? "</ol>\n" : "</ul>\n"
        }
        if shared == wanted.count, shared > 0, lists[shared - 1].hasItem {
            html += "</li>\n"
            lists[shared - 1].hasItem = false
        }
        for list in wanted[shared...] {
            if let last = lists.indices.last, !lists[last].hasItem {
                html += "<li style=\"list-style-type:none\">"
                lists[last].hasItem = true
            }
            let start = counts.number(in: list)
            html += list.isNumbered ? "<ol" + (start == 1 ? "" : " start=\"\(start)\"") : "<ul"
            html += Self.listStyle(list) + ">"
            lists.append((list, false))
        }
    }

    private static func listStyle(_ list: TextList) -> String {
        let name =
            switch list.marker {
            case .disc, .decimal: ""
            case .circle: "circle"
            case .square: "square"
            case .lowercaseAlphabetic: "lower-alpha"
            case .uppercaseAlphabetic: "upper-alpha"
            case .lowercaseRoman: "lower-roman"
            case .uppercaseRoman: "upper-roman"
            case .checkbox, .custom: "disc"
            }
        return name.isEmpty ? "" : " style=\"list-style-type:\(name)\""
    }

    private static func margin(_ style: ParagraphStyle) -> String {
        let sides = [style.spacingBefore, style.tailIndent, style.spacingAfter, style.indent]
        if sides.allSatisfy({ $0 == 0 }) { return "0" }
        return sides.map { RichNumber.format($0) + "px" }.joined(separator: " ")
    }

    /// Whether a page would not show all blanks of a text as they are.
    private static func hasKeptBlanks(_ text: String) -> Bool {
        var last: UInt8 = 0x20
        for byte in text.utf8 {
            if byte == 0x09 || byte == 0x20 && last == 0x20 { return true }
            last = byte
        }
        return last == 0x20 && !text.isEmpty || text.contains(" \u{2028}") || text.contains("\u{2028} ")
    }

    // MARK: Runs

    private mutating func write(_ run: RichParagraph.Run) {
        var tags: [(name: String, attributes: String)] = []
        let attributes = run.attributes
        if let link = attributes[LinkAttribute.self].flatMap({ LinkDestination.outgoing($0) }) {
            tags.append(("a", " href=\"\(Self.escaped(link))\""))
        }
        let level = attributes[SuperscriptAttribute.self] ?? 0
        for _ in 0..<abs(level) { tags.append((level > 0 ? "sup" : "sub", "")) }
        let weight = attributes[FontWeightAttribute.self]
        if weight == FontWeights.bold { tags.append(("strong", "")) }
        if attributes[FontSlantAttribute.self] == .italic { tags.append(("em", "")) }
        let hasPlainUnderline =
            attributes[UnderlineAttribute.self] == .single && attributes[UnderlineColorAttribute.self] == nil
        if hasPlainUnderline { tags.append(("u", "")) }
        switch attributes[StrikethroughAttribute.self] {
        case .single: tags.append(("s", ""))
        // Apart from an underline, whose declaration it would take the place of.
        case .some(let line): tags.append(("span", " style=\"text-decoration:line-through \(Self.shape(line))\""))
        case nil: break
        }
        if attributes[FontFamilyAttribute.self] == "monospace" { tags.append(("code", "")) }
        var spanAttributes = ""
        let css = Self.styles(attributes, hasPlainUnderline: hasPlainUnderline)
        if !css.isEmpty { spanAttributes += " style=\"\(Self.escaped(css.joined(separator: ";")))\"" }
        if let language = attributes[LanguageAttribute.self] { spanAttributes += " lang=\"\(Self.escaped(language))\"" }
        if !spanAttributes.isEmpty { tags.append(("span", spanAttributes)) }
        for tag in tags { html += "<\(tag.name)\(tag.attributes)>" }
        if let picture = attributes[AttachmentAttribute.self] {
            for _ in run.text.unicodeScalars { write(picture) }
        } else {
            html += Self.escaped(run.text)
        }
        for tag in tags.reversed() { html += "</\(tag.name)>" }
    }

    /// Writes a picture with its bytes, or where it is to be found; its description if neither is known, or it is too large.
    private mutating func write(_ picture: TextAttachment) {
        let words = Self.escaped(picture.alternateDescription)
        if picture.type == RichPicture.addressType {
            guard let address = LinkDestination.outgoing(String(decoding: picture.contents, as: UTF8.self)) else {
                html += words
                return
            }
            html += "<img src=\"\(Self.escaped(address))\">"
            return
        }
        guard let header = picture.imageHeader, picture.contents.count <= room else {
            html += words
            return
        }
        room -= picture.contents.count
        let source = "data:\(header.format.rawValue);base64," + Base64.encode(picture.contents)
        let size = picture.size ?? Size(width: Double(header.width), height: Double(header.height))
        html += "<img src=\"\(source)\" alt=\"\(words)\" width=\"\(RichNumber.format(size.width))\""
        html += " height=\"\(RichNumber.format(size.height))\">"
    }

    /// Declarations for what the elements do not say.
    private static func styles(_ attributes: TextAttributes, hasPlainUnderline: Bool) -> [String] {
        var css: [String] = []
        if let weight = attributes[FontWeightAttribute.self], weight != FontWeights.bold {
            css.append("font-weight:\(RichNumber.format(FontWeights.css(weight)))")
        }
        switch attributes[FontSlantAttribute.self] {
        case .roman: css.append("font-style:normal")
        case .oblique: css.append("font-style:oblique")
        case .italic, nil: break
        }
        if let line = attributes[UnderlineAttribute.self], !hasPlainUnderline {
            let color = attributes[UnderlineColorAttribute.self].map { " " + CSSColor.format($0) } ?? ""
            css.append("text-decoration:underline \(shape(line))\(color)")
            // For readers of the short form alone that know no colours in it.
            if !color.isEmpty { css.append("text-decoration-color:\(color.dropFirst())") }
        }
        if let family = attributes[FontFamilyAttribute.self], family != "monospace" {
            css.append("font-family:'\(family.filter { !"'\"\\;".contains($0) })'")
        }
        if let size = attributes[FontSizeAttribute.self] { css.append("font-size:\(RichNumber.format(size))px") }
        if let color = attributes[ForegroundAttribute.self] { css.append("color:\(CSSColor.format(color))") }
        if let color = attributes[BackgroundAttribute.self] { css.append("background-color:\(CSSColor.format(color))") }
        if let distance = attributes[TrackingAttribute.self] {
            css.append("letter-spacing:\(RichNumber.format(distance))px")
        }
        return css
    }

    private static func shape(_ line: RenderingAttributes.LineStyle) -> String {
        switch line {
        case .single, .thick: "solid"
        case .double: "double"
        case .dotted: "dotted"
        case .dashed: "dashed"
        case .wavy: "wavy"
        }
    }

    /// Text for elements and for values in double quotes. Control characters are left out.
    private static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{2028}": result += "<br>"
            case "\t": result += "\t"
            case "\u{0}"..."\u{1f}", "\u{7f}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A writer that converts a styled text to HTML: to a fragment for clipboards, or to a page. It uses elements where
/// HTML has one for an attribute, and CSS otherwise.
struct HTMLWriter {
    private var html = ""
    /// Whether a page is written, and not a fragment. In a page, the browser's or a style sheet's distances between
    /// paragraphs apply where the text sets none.
    private let isPage: Bool
    /// A list that has begun and not ended.
    private struct OpenList {
        let list: TextList
        /// The CSS name of its items' markers.
        let marker: String
        var hasItem = false
        /// Whether a `li` without marker has been written since the last one with a marker. Browsers count it as well.
        var isShifted = false
    }

    /// The open lists, outermost first.
    private var lists: [OpenList] = []
    private var counts = ListCounts()
    /// The identities of the open quotations around all lists, outermost first; ``innerQuotations`` are those of the
    /// open ones in the innermost open item, and ``codeBlock`` is that of the open code block, or nil.
    private var quotations: [Int] = []
    private var innerQuotations: [Int] = []
    private var codeBlock: Int?
    /// The identity of the table that has begun and not ended.
    private var table: Int?
    /// The number of bytes of pictures that may still be written.
    private var room = RichPicture.mostWritten

    private init(isPage: Bool) { self.isPage = isPage }

    /// Writes a fragment in UTF-8, with the elements and comments around it that clipboards require.
    static func write(_ text: StyledText) -> [UInt8] {
        var writer = HTMLWriter(isPage: false)
        writer.html = "<html><head><meta charset=\"utf-8\"></head><body><!--StartFragment-->"
        let paragraphs = RichParagraph.all(of: text)
        if let first = paragraphs.first, paragraphs.count == 1, !first.isWhole, first.item == nil,
            first.headingLevel == nil
        {
            writer.writePiece(first)
        } else {
            writer.write(paragraphs)
        }
        // Remove the newline after the last block, which Qt would read as a space.
        if writer.html.last == "\n" { writer.html.removeLast() }
        writer.html += "<!--EndFragment--></body></html>"
        return Array(writer.html.utf8)
    }

    /// Writes a page for a file, in UTF-8. Its title is the text of the first heading, or else the given title.
    static func writePage(_ text: StyledText, title: String) -> [UInt8] {
        var writer = HTMLWriter(isPage: true)
        let paragraphs = RichParagraph.all(of: text)
        let heading = paragraphs.lazy.filter { $0.headingLevel != nil }.map(Self.title).first { !$0.isEmpty }
        writer.html = "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
        writer.html += "<title>\(escaped(heading ?? title))</title>\n</head>\n<body>\n"
        writer.write(paragraphs)
        writer.html += "</body>\n</html>\n"
        return Array(writer.html.utf8)
    }

    /// Returns the text of a paragraph as a title: in one line, without pictures.
    private static func title(_ paragraph: RichParagraph) -> String {
        let text = paragraph.text.unicodeScalars.filter { $0 != TextAttachment.character }
        return text.split { $0 == " " || $0 == "\u{2028}" }.map { String($0) }.joined(separator: " ")
    }

    private mutating func write(_ paragraphs: [RichParagraph]) {
        for (index, paragraph) in paragraphs.enumerated() {
            write(paragraph, isContinued: index + 1 < paragraphs.count && paragraphs[index + 1].isInItem(of: paragraph))
        }
        endCode()
        endTable()
        moveToLists([])
        moveToQuotations([])
    }

    /// Writes a part of a paragraph without a block element, so that the part joins the paragraph into which it is
    /// pasted.
    private mutating func writePiece(_ paragraph: RichParagraph) {
        let keepsBlanks = Self.hasKeptBlanks(paragraph.text)
        if keepsBlanks { html += "<span style=\"white-space:pre-wrap\">" }
        for run in paragraph.runs { write(run) }
        if keepsBlanks { html += "</span>" }
    }

    /// Writes a paragraph.
    ///
    /// - Parameter isContinued: whether the next paragraph belongs to the same list item.
    private mutating func write(_ paragraph: RichParagraph, isContinued: Bool) {
        if let code = paragraph.codeBlock { return write(paragraph, inCode: code) }
        endCode()
        if let row = paragraph.row { return write(paragraph, row) }
        endTable()
        if paragraph.isBreak {
            html += enter(paragraph)
            html += "<hr>\n"
            return
        }
        // In browsers, `blockquote` has a margin of its own. It replaces the part of the indent that belongs to
        // quotations.
        var style = paragraph.style
        style.indent -= Double(paragraph.quotations.count) * Quotation.indent
        style.firstLineIndent -= Double(paragraph.quotations.count) * Quotation.indent
        let margin = Self.margin(style)
        // Browsers give headings default margins. Keep these if the text sets no margin.
        var css = margin == "0" && (isPage || paragraph.headingLevel != nil) ? [] : ["margin:" + margin]
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
        // The factor of CSS multiplies the font's size, and the natural line height is about 1.2 times the size.
        case .multiple(let factor): css.append("line-height:\(RichNumber.format(factor * 1.2))")
        case .multipleOfSize(let factor): css.append("line-height:\(RichNumber.format(factor))")
        case .exactly(let pixels), .atLeast(let pixels): css.append("line-height:\(RichNumber.format(pixels))px")
        }
        // Readers take a block of nothing but line breaks for an empty one, unless its white space is kept.
        let hasOnlyBreaks = !paragraph.text.isEmpty && paragraph.text.unicodeScalars.allSatisfy { $0 == "\u{2028}" }
        if Self.hasKeptBlanks(paragraph.text) || hasOnlyBreaks { css.append("white-space:pre-wrap") }
        var direction = ""
        switch style.baseDirection {
        case .leftToRight: direction = " dir=\"ltr\""
        case .rightToLeft: direction = " dir=\"rtl\""
        case .natural: if paragraph.isRightToLeftByItself { direction = " dir=\"auto\"" }
        }
        // The text of an item is directly in `li`, unless it is a heading or a quotation, or has styles that the
        // further paragraphs of the item would inherit.
        let hasOwnStyles = !direction.isEmpty || css.contains { !$0.hasPrefix("margin:") }
        let isBare =
            !continuesItem(paragraph) && paragraph.item != nil && paragraph.headingLevel == nil
            && paragraph.innerQuotations.isEmpty && !(isContinued && hasOwnStyles)
        if isBare {
            html += enter(paragraph, css, direction)
        } else {
            let checkbox = enter(paragraph)
            let tag = paragraph.headingLevel.map { "h\($0)" } ?? "p"
            html += "<\(tag)\(direction)" + Self.styleAttribute(css) + ">" + checkbox
        }
        for run in paragraph.runs { write(run) }
        // A line break at the end of a block is not shown, and a block without text has no height: add another line
        // break.
        if paragraph.text.isEmpty || paragraph.text.unicodeScalars.last == "\u{2028}" { html += "<br>" }
        // Keep an item open: further paragraphs of it, and lists within it, may follow.
        if !isBare { html += paragraph.headingLevel.map { "</h\($0)>\n" } ?? "</p>\n" }
    }

    private static func styleAttribute(_ css: [String]) -> String {
        css.isEmpty ? "" : " style=\"\(css.joined(separator: ";"))\""
    }

    // MARK: Enclosing elements

    /// Whether a paragraph without marker belongs to the open item of one of the open lists.
    private func continuesItem(_ paragraph: RichParagraph) -> Bool {
        guard let item = paragraph.item, !item.hasMarker, quotations == paragraph.outerQuotations,
            !item.lists.isEmpty, item.lists.count <= lists.count
        else { return false }
        return zip(lists, item.lists).allSatisfy { $0.list.id == $1.id } && lists[item.lists.count - 1].hasItem
    }

    /// Closes and opens quotations, lists and items to match those of the next paragraph. Returns the checkbox of an
    /// item that has begun, to be written before its text; empty for none.
    ///
    /// - Parameters:
    ///   - css: the style of the item's element, if the paragraph's text is directly in it.
    ///   - direction: the attribute of that element for the direction of its text.
    private mutating func enter(
        _ paragraph: RichParagraph, _ css: [String] = [], _ direction: String = ""
    ) -> String {
        if continuesItem(paragraph), let item = paragraph.item {
            moveToLists(item.lists, keepsItem: true)
            moveToInnerQuotations(paragraph.innerQuotations)
            return ""
        }
        if paragraph.item == nil || quotations != paragraph.outerQuotations { moveToLists([]) }
        moveToQuotations(paragraph.outerQuotations)
        guard let item = paragraph.item, !item.lists.isEmpty else { return "" }
        moveToLists(item.lists)
        let open = lists[lists.count - 1]
        var css = css
        let marker = item.hasMarker ? Self.listStyle(item.list ?? open.list) : "none"
        if marker != open.marker { css.append("list-style-type:" + marker) }
        html += "<li" + direction
        if item.hasMarker, open.isShifted, open.list.isNumbered { html += " value=\"\(counts.number(in: open.list))\"" }
        html += Self.styleAttribute(css) + ">"
        counts.count(item)
        lists[lists.count - 1].hasItem = true
        lists[lists.count - 1].isShifted = !item.hasMarker
        moveToInnerQuotations(paragraph.innerQuotations)
        guard item.hasMarker, item.list?.marker == .checkbox else { return "" }
        return "<input type=\"checkbox\" disabled\(item.isChecked ? " checked" : "")>"
    }

    /// Whether a paragraph may be written into the open code block or table: it is in the open quotations, lists and
    /// item.
    private func staysInside(_ paragraph: RichParagraph) -> Bool {
        guard let item = paragraph.item else { return lists.isEmpty && quotations == paragraph.quotations }
        return continuesItem(paragraph) && lists.count == item.lists.count
            && innerQuotations == paragraph.innerQuotations
    }

    /// Writes a line of a code block.
    private mutating func write(_ paragraph: RichParagraph, inCode block: Int) {
        if codeBlock == block, staysInside(paragraph) {
            html += "\n"
        } else {
            endCode()
            endTable()
            html += enter(paragraph)
            // Browsers ignore a newline at the start of `pre`: write one more.
            html += paragraph.text.isEmpty ? "<pre>\n" : "<pre>"
            if isPage {
                let language = paragraph.codeLanguage.map { " class=\"language-\(Self.attribute($0))\"" } ?? ""
                html += "<code\(language)>"
            }
            codeBlock = block
        }
        for var run in paragraph.runs {
            if run.attributes[FontFamilyAttribute.self] == "monospace" {
                run.attributes[FontFamilyAttribute.self] = nil
            }
            write(run)
        }
    }

    /// Writes a row of a table, and the start of the table before its first row.
    private mutating func write(_ paragraph: RichParagraph, _ row: RichParagraph.Row) {
        if table != row.table || !staysInside(paragraph) {
            endTable()
            html += enter(paragraph)
            html += "<table>\n"
            table = row.table
        }
        var cells: [[RichParagraph.Run]] = [[]]
        for run in paragraph.runs {
            for (index, part) in run.text.split(separator: "\t", omittingEmptySubsequences: false).enumerated() {
                if index > 0 { cells.append([]) }
                var run = run
                run.text = String(part)
                // Omit the bold weight in a header row, because header cells are bold by default.
                if row.isHeader, run.attributes[FontWeightAttribute.self] == FontWeights.bold {
                    run.attributes[FontWeightAttribute.self] = nil
                }
                if !part.isEmpty { cells[cells.count - 1].append(run) }
            }
        }
        html += "<tr>"
        for (column, cell) in cells.enumerated() {
            let alignment = row.alignments.indices.contains(column) ? row.alignments[column] : .natural
            var css: [String] = []
            switch alignment {
            case .natural: break
            case .left: css.append("text-align:left")
            case .center: css.append("text-align:center")
            case .right: css.append("text-align:right")
            }
            if Self.hasKeptBlanks(cell.map(\.text).joined()) { css.append("white-space:pre-wrap") }
            let tag = row.isHeader ? "th" : "td"
            html += css.isEmpty ? "<\(tag)>" : "<\(tag) style=\"\(css.joined(separator: ";"))\">"
            for run in cell { write(run) }
            html += "</\(tag)>"
        }
        html += "</tr>\n"
    }

    private mutating func endTable() {
        if table != nil { html += "</table>\n" }
        table = nil
    }

    private mutating func endCode() {
        if codeBlock != nil { html += isPage ? "</code></pre>\n" : "</pre>\n" }
        codeBlock = nil
    }

    /// Closes and opens quotations to match those of the next paragraph.
    private mutating func moveToQuotations(_ wanted: [Int]) {
        let shared = zip(quotations, wanted).prefix { $0 == $1 }.count
        if quotations.count > shared { moveToLists([]) }
        for _ in quotations[shared...] { html += "</blockquote>\n" }
        for _ in wanted[shared...] { html += "<blockquote>" }
        quotations = wanted
    }

    /// Closes and opens the quotations in the open item to match those of the next paragraph.
    private mutating func moveToInnerQuotations(_ wanted: [Int]) {
        let shared = zip(innerQuotations, wanted).prefix { $0 == $1 }.count
        for _ in innerQuotations[shared...] { html += "</blockquote>\n" }
        for _ in wanted[shared...] { html += "<blockquote>" }
        innerQuotations = wanted
    }

    /// Closes and opens lists to match those of the next paragraph.
    ///
    /// - Parameter keepsItem: whether the paragraph belongs to the open item of the innermost of these lists.
    private mutating func moveToLists(_ wanted: [TextList], keepsItem: Bool = false) {
        if !keepsItem || lists.count > wanted.count { moveToInnerQuotations([]) }
        let shared = zip(lists, wanted).prefix { $0.list.id == $1.id }.count
        while lists.count > shared, let last = lists.popLast() {
            if last.hasItem { html += "</li>" }
            html += last.list.isNumbered ? "</ol>\n" : "</ul>\n"
        }
        if !keepsItem, shared == wanted.count, shared > 0, lists[shared - 1].hasItem {
            html += "</li>\n"
            lists[shared - 1].hasItem = false
        }
        for list in wanted[shared...] {
            if let last = lists.indices.last, !lists[last].hasItem {
                html += "<li style=\"list-style-type:none\">"
                (lists[last].hasItem, lists[last].isShifted) = (true, true)
            }
            let start = counts.number(in: list)
            html += list.isNumbered ? "<ol" + (start == 1 ? "" : " start=\"\(start)\"") : "<ul"
            let marker = Self.listStyle(list)
            html += marker == (list.isNumbered ? "decimal" : "disc") ? ">" : " style=\"list-style-type:\(marker)\">"
            lists.append(OpenList(list: list, marker: marker))
        }
    }

    /// Returns the name of a list's marker in CSS. A task shows its checkbox instead of a marker.
    private static func listStyle(_ list: TextList) -> String {
        switch list.marker {
        case .disc, .custom: "disc"
        case .decimal: "decimal"
        case .circle: "circle"
        case .square: "square"
        case .lowercaseAlphabetic: "lower-alpha"
        case .uppercaseAlphabetic: "upper-alpha"
        case .lowercaseRoman: "lower-roman"
        case .uppercaseRoman: "upper-roman"
        case .checkbox: "none"
        }
    }

    private static func margin(_ style: ParagraphStyle) -> String {
        let sides = [style.spacingBefore, style.tailIndent, style.spacingAfter, style.indent]
        if sides.allSatisfy({ $0 == 0 }) { return "0" }
        return sides.map { RichNumber.format($0) + "px" }.joined(separator: " ")
    }

    /// Whether browsers or readers would collapse or drop some white space of a text, or replace no-break spaces that
    /// are beside blanks or at the ends of lines.
    private static func hasKeptBlanks(_ text: String) -> Bool {
        var (isBehindBlank, isAtStart) = (false, true)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": return true
            case " ", "\u{a0}":
                if isBehindBlank || isAtStart { return true }
                (isBehindBlank, isAtStart) = (true, false)
            case "\u{2028}":
                if isBehindBlank { return true }
                (isBehindBlank, isAtStart) = (false, true)
            default: (isBehindBlank, isAtStart) = (false, false)
            }
        }
        return isBehindBlank
    }

    // MARK: Runs

    private mutating func write(_ run: RichParagraph.Run) {
        var tags: [(name: String, attributes: String)] = []
        let attributes = run.attributes
        if let link = attributes[LinkAttribute.self].flatMap({ LinkDestination.outgoing($0) }) {
            tags.append(("a", " href=\"\(Self.attribute(link))\""))
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
        // Use a separate element: in the same one, this declaration would override that of the underline.
        case .some(let line): tags.append(("span", " style=\"text-decoration:line-through \(Self.shape(line))\""))
        case nil: break
        }
        if attributes[FontFamilyAttribute.self] == "monospace" { tags.append(("code", "")) }
        var spanAttributes = ""
        let css = Self.styles(attributes, hasPlainUnderline: hasPlainUnderline)
        if !css.isEmpty { spanAttributes += " style=\"\(Self.attribute(css.joined(separator: ";")))\"" }
        if let language = attributes[LanguageAttribute.self] {
            spanAttributes += " lang=\"\(Self.attribute(language))\""
        }
        if !spanAttributes.isEmpty { tags.append(("span", spanAttributes)) }
        for tag in tags { html += "<\(tag.name)\(tag.attributes)>" }
        if let picture = attributes[AttachmentAttribute.self] {
            for _ in run.text.unicodeScalars { write(picture) }
        } else {
            html += Self.escaped(run.text)
        }
        for tag in tags.reversed() { html += "</\(tag.name)>" }
    }

    /// Writes a picture with its data, or its address if it is elsewhere. If neither is known, or the data is too
    /// large, writes its description.
    private mutating func write(_ picture: TextAttachment) {
        let words = Self.escaped(picture.alternateDescription)
        let label = Self.attribute(picture.alternateDescription)
        if picture.type == RichPicture.addressType {
            guard let address = LinkDestination.outgoing(String(decoding: picture.contents, as: UTF8.self)) else {
                html += words
                return
            }
            let description = label.isEmpty || label == Self.attribute(address) ? "" : " alt=\"\(label)\""
            html += "<img src=\"\(Self.attribute(address))\"\(description)>"
            return
        }
        guard let header = picture.imageHeader, picture.contents.count <= room else {
            html += words
            return
        }
        room -= picture.contents.count
        let source = "data:\(header.format.rawValue);base64," + Base64.encode(picture.contents)
        let size = picture.size ?? Size(width: Double(header.width), height: Double(header.height))
        html += "<img src=\"\(source)\" alt=\"\(label)\" width=\"\(RichNumber.format(size.width))\""
        html += " height=\"\(RichNumber.format(size.height))\">"
    }

    /// Returns the CSS declarations for attributes that no element expresses.
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
            // Write the colour a second time, for readers that do not support colours in `text-decoration`.
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

    /// Escapes text for attribute values in double quotes, which can contain no elements. Omits control characters.
    private static func attribute(_ text: String) -> String { escaped(text, lineBreak: "\u{2028}") }

    /// Escapes text for elements. Omits control characters.
    ///
    /// - Parameter lineBreak: the text that stands for U+2028.
    private static func escaped(_ text: String, lineBreak: String = "<br>") -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\u{2028}": result += lineBreak
            case "\t": result += "\t"
            case "\u{0}"..."\u{1f}", "\u{7f}": break
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

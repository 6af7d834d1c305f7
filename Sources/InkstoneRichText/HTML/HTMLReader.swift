import CMarkup
import InkstoneBase
import InkstoneLayout
import InkstoneText
import InkstoneUnicode

/// A reader that converts an HTML document to styled text. It handles the events of libxml2's parser, and keeps a
/// stack of the open elements with their styles.
final class HTMLReader {
    /// An open element, with its style.
    private struct Element {
        var name: String
        var style: HTMLStyle
        var isBlock = false
        /// The list item that the element is, if it is a paragraph that Word has marked as an item; nil otherwise.
        var wordItem: ListItem?
        /// The list item in which the element begins; nil for none. It continues after the end of a list within it.
        var outerItem: ListItem?
    }

    /// The maximum nesting of elements whose styles are applied, as in browsers.
    private static let deepestNesting = 512
    /// The maximum number of open elements that libxml2 may have to examine in a whole document when it searches for
    /// the elements to close. Examining so many takes about a second. The more searches a document needs, the less
    /// deeply its elements may be nested.
    private static let stackLimit = 100_000_000
    /// The size of a `style` element, in bytes, from which further pieces of its text are ignored.
    private static let styleSheetLimit = 1 << 20
    /// The maximum number of ``inlineStyles``, beyond which `style` attributes are parsed each time; and that of
    /// ``wordLists``, beyond which each item gets lists of its own.
    private static let cacheLimit = 1024

    /// The elements that begin and end a paragraph.
    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
        "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup",
        "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "option", "p", "pre", "section",
        "summary", "table", "tbody", "textarea", "tfoot", "thead", "tr", "ul", "xmp", "caption",
    ]
    /// The elements in which white space between elements is not text.
    private static let textless: Set<String> = ["ul", "ol", "table", "tbody", "thead", "tfoot", "tr"]
    /// The elements whose contents are not text of the document.
    private static let dropped: Set<String> = [
        "script", "style", "title", "head", "template", "noscript", "object", "embed", "iframe", "applet", "audio",
        "video", "canvas", "svg", "noframes", "datalist",
    ]

    private let scope: RichTextFormat.Scope
    /// The maximum number of open elements. A document with deeper nesting is rejected, because parsing it would
    /// take too long.
    private let deepest: Int
    private var elements: [Element] = []
    /// The number of open elements beyond the maximum nesting, whose styles are not applied.
    private var excess = 0
    /// The value of ``excess`` inside the outermost open element of ``dropped`` that is nested too deeply. Text is
    /// omitted until ``excess`` falls below this value. Nil while no such element is open.
    private var hiddenExcess: Int?
    private var rules = CSSRules()
    private var styleSheet: String?
    private var inlineStyles: [String: CSSDeclarations] = [:]
    /// The number of cells so far in each open table row, the outermost row first.
    private var rows: [Int] = []
    /// The columns of the open row, and the cells of earlier rows that extend over them. Rows of tables within cells do
    /// not count.
    private var spans = HTMLCellSpans()
    /// The number of open table cells. A cell in a table within a cell counts too.
    private var cellDepth = 0
    /// The number of rows of each table so far, and the tables that have a row of several cells. Other tables only
    /// serve the layout of a page.
    private var tableRows: [Int: Int] = [:]
    private var grids: Set<Int> = []
    private var flow: HTMLTextFlow
    /// Whether the text is limited to the part between the marks of a clipboard fragment.
    private var respectsFragments = true
    /// The open lists, outermost first.
    private var lists: [TextList] = []
    /// The lists that have an item with a marker.
    private var startedLists: Set<TextList.ID> = []
    /// The number of quotations around the outermost open list.
    private var listQuotations = 0
    /// The lists of a document from Word, by Word's name of the list (`l0`) and the level.
    private var wordLists: [String: TextList] = [:]
    /// The identity of the last block. It begins at a number that depends on the document. Blocks of two documents
    /// in one text then have different identities.
    private var identity = 0
    /// The text of the marker of a Word item, while it is being read; nil otherwise.
    private var wordMarker: String?

    /// Returns the text of a document; nil if it exceeds the limits, or libxml2 is not installed.
    static func read(_ bytes: [UInt8], _ scope: RichTextFormat.Scope) -> StyledText? {
        guard let (source, hadHeader) = HTMLSource.prepare(bytes), source.count < Int(Int32.max) else { return nil }
        let searches = HTMLSource.stackSearches(in: source)
        guard searches <= HTMLSource.tagLimit else { return nil }
        func reader(respectsFragments: Bool) -> HTMLReader? {
            let reader = HTMLReader(scope, deepest: max(256, stackLimit / max(1, searches)))
            reader.respectsFragments = respectsFragments
            // A hash (FNV-1a) that differs much even for nearly equal documents.
            let hash = source.suffix(4096).reduce(0) { ($0 ^ Int($1)) &* 0x100_0000_01b3 }
            reader.identity = hash & (1 << 61 - 1) | 1 << 61
            return reader.parse(source) ? reader : nil
        }
        guard let first = reader(respectsFragments: true) else { return nil }
        // The marks of a fragment certainly belong to this copy only if the document has the header of a Windows
        // clipboard. Otherwise they may come from a fragment that was once pasted into the page, and text outside them
        // may have been copied as well: read the document again with all of its text.
        if hadHeader || !first.flow.losesText { return first.finish() }
        return reader(respectsFragments: false)?.finish()
    }

    /// Parses a prepared document. Returns false if the document exceeds the limits, or libxml2 is not installed.
    private func parse(_ source: [UInt8]) -> Bool {
        var events = cmarkup_events(
            start: { HTMLReader.from($0).goesOn(with: String(cString: $1), $2) },
            end: { HTMLReader.from($0).end(String(cString: $1)) },
            text: { HTMLReader.from($0).text(UnsafeRawBufferPointer(start: $1, count: Int($2))) },
            comment: { HTMLReader.from($0).comment(String(cString: $1)) })
        return source.withUnsafeBytes { source in
            guard let start = source.bindMemory(to: CChar.self).baseAddress else { return false }
            return withExtendedLifetime(self) {
                cmarkup_parse_html(start, Int32(source.count), &events, Unmanaged.passUnretained(self).toOpaque())
            }
        }
    }

    /// Returns the text. With the scope `structure`, tables that never have two cells in a row become ordinary
    /// paragraphs.
    private func finish() -> StyledText {
        var text = flow.finish()
        let plain = Set(tableRows.keys).subtracting(grids)
        guard scope != .all, !plain.isEmpty else { return text }
        let all = text.rope.utf16Range
        text.restyle { restyling in
            restyling.map(PresentationIntentAttribute.self, in: all) { intent in
                guard var components = intent?.components,
                    let table = components.firstIndex(where: { plain.contains($0.identity) }), table > 0
                else { return intent }
                components.removeSubrange(...table)
                if components.isEmpty { return nil }
                return PresentationIntent(components: [.init(kind: .paragraph, identity: 0)] + components)
            }
        }
        return text
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> HTMLReader {
        Unmanaged<HTMLReader>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }

    private init(_ scope: RichTextFormat.Scope, deepest: Int) {
        (self.scope, self.deepest) = (scope, deepest)
        flow = HTMLTextFlow(scope)
    }

    private var style: HTMLStyle { elements.last?.style ?? HTMLStyle() }

    // MARK: Elements

    /// Handles the start of an element. Returns false, which stops the parser, if there are more open elements than
    /// ``deepest``.
    private func goesOn(with name: String, _ attributes: UnsafePointer<UnsafePointer<CChar>?>?) -> Bool {
        start(name, attributes)
        return elements.count + excess <= deepest
    }

    private func start(_ name: String, _ attributes: UnsafePointer<UnsafePointer<CChar>?>?) {
        let isBlock = Self.blocks.contains(name)
        guard elements.count < Self.deepestNesting else {
            excess += 1
            if Self.dropped.contains(name), hiddenExcess == nil { hiddenExcess = excess }
            guard !style.isHidden, hiddenExcess == nil else { return }
            if isBlock { breakParagraph() }
            if name == "br" || name == "td" || name == "th" { flow.addBlank(style) }
            return
        }
        let attributes = HTMLAttributes(attributes)
        var element = Element(name: name, style: style.inherited, isBlock: isBlock)
        applyStyle(name, attributes, to: &element)
        // A table cell cannot contain a heading: keep only the heading's character style.
        if cellDepth > 0 { element.style.headingLevel = nil }
        if isBlock, cellDepth == 0 {
            identity += 1
            element.style.begin(name, in: style, identity: identity)
            if name == "tr", let table = element.style.table {
                let index = tableRows[table, default: 0]
                tableRows[table] = index + 1
                element.style.row = (identity, index)
            }
        }
        // With the scope `structure`, a header cell needs no bold weight, because the role of its row makes it bold.
        if name == "th", scope != .all, style.row?.index == 0, cellDepth == 0 { element.style.weight = style.weight }
        let isShown = !element.style.isHidden
        if name == "style" { styleSheet = "" }
        if isBlock, isShown {
            breakParagraph()
            flow.beginBlock()
            if cellDepth == 0 { flow.setParagraphStyle(element.style) }
            if let item = element.wordItem { flow.setItem(item) }
        }
        if name == "code", cellDepth == 0, element.style.codeBlock != nil, let classes = attributes["class"] {
            let language = classes.split { $0.isWhitespace }.first { $0.hasPrefix("language-") }
            element.style.codeLanguage = language.map { String($0.dropFirst(9)) }
            flow.setParagraphStyle(element.style)
        }
        element.outerItem = flow.item
        elements.append(element)
        if isShown { show(name, attributes) }
    }

    /// Adds the text or structure that an element has at its start.
    private func show(_ name: String, _ attributes: HTMLAttributes) {
        switch name {
        case "br": cellDepth > 0 ? flow.addBlank(style) : flow.breakLine(style)
        case "hr": append(scope == .all || cellDepth > 0 ? "———" : "\u{2e3b}")
        case "table", "thead", "tbody", "tfoot": if cellDepth == 0 { spans.endGroup() }
        case "tr":
            rows.append(0)
            if cellDepth == 0 { spans.beginRow() }
        case "td", "th": beginCell(attributes)
        case "ul", "ol", "menu", "dir": beginList(isNumbered: name == "ol", start: attributes["start"])
        case "li": beginItem(attributes)
        case "pre", "textarea", "listing", "xmp": flow.skipsNewline = true
        case "img": showPicture(attributes)
        case "input":
            if attributes["type"]?.lowercased() == "checkbox" {
                let isChecked = attributes["checked"] != nil
                if cellDepth > 0 || !flow.makeCheckbox(isChecked: isChecked) { append(isChecked ? "☑ " : "☐ ") }
            } else if attributes["type"]?.lowercased() != "hidden", let value = attributes["value"] {
                append(value)
            }
        default: break
        }
    }

    /// Adds a picture whose data is in the document. For a picture elsewhere, adds its description. If the `alt`
    /// attribute is missing, adds a placeholder with the picture's address, unless the picture is one pixel wide or
    /// high. Adds nothing if the attribute is empty.
    private func showPicture(_ attributes: HTMLAttributes) {
        guard style.isSeen else { return }
        let words = attributes["alt"] ?? ""
        let (width, height) = (attributes["width"].flatMap(Double.init), attributes["height"].flatMap(Double.init))
        if let source = attributes["src"], var picture = RichPicture.read(dataURI: source) {
            picture = RichPicture.sized(picture, width: width, height: height)
            picture.alternateDescription = words
            flow.append(picture, style)
        } else if !words.isEmpty {
            append(words)
        } else if attributes["alt"] == nil, min(width ?? 2, height ?? 2) > 1, let source = attributes["src"],
            let picture = RichPicture.placeholder(address: source)
        {
            // Omit other pictures: those with an empty description are decoration, and those of one pixel track
            // readers.
            flow.append(picture, style)
        }
    }

    private func end(_ name: String) {
        if excess > 0 {
            excess -= 1
            if let hidden = hiddenExcess {
                if excess < hidden { hiddenExcess = nil }
            } else if Self.blocks.contains(name), !style.isHidden {
                breakParagraph()
            }
            return
        }
        // Ignore an end tag that does not match the innermost open element: libxml2 reports the missing ends of
        // elements itself, in order.
        guard let element = elements.last, element.name == name else { return }
        if name == "style", let sheet = styleSheet {
            rules.add(sheet)
            styleSheet = nil
        }
        elements.removeLast()
        guard !element.style.isHidden else { return endWordMarker(element) }
        switch name {
        case "tr": if !rows.isEmpty { rows.removeLast() }
        case "td", "th": cellDepth = max(0, cellDepth - 1)
        case "li": flow.endItem()
        case "ul", "ol", "menu", "dir": lists.removeLast()
        default: break
        }
        if element.isBlock {
            breakParagraph()
            flow.endBlock()
            if name == "li" || element.wordItem != nil { flow.setItem(nil) }
            // After a list within an item, continue the outer item: text after the list belongs to it.
            if Self.listElements.contains(name), var item = element.outerItem {
                item.hasMarker = item.hasMarker && flow.item == item
                flow.setItem(item)
            }
            if cellDepth == 0 { flow.setParagraphStyle(style) }
        }
    }

    private func breakParagraph() { cellDepth > 0 ? flow.addBlank(style) : flow.breakParagraph() }

    private func append(_ text: String) {
        if style.isSeen { flow.append(text, style) }
    }

    // MARK: Styles

    private func applyStyle(_ name: String, _ attributes: HTMLAttributes, to element: inout Element) {
        element.style.apply(element: name)
        let isPage = name == "body" || name == "html"
        switch isPage ? nil : attributes["dir"]?.lowercased() {
        case "rtl": element.style.direction = .rightToLeft
        case "ltr": element.style.direction = .leftToRight
        default: break
        }
        if let language = attributes["lang"], !isPage { element.style.language = language }
        if element.isBlock || name == "td" || name == "th", let align = attributes["align"] {
            element.style.alignment = align.lowercased()
        }
        if name == "a", let destination = attributes["href"] {
            element.style.link = LinkDestination.checked(destination)
        }
        if name == "font" { element.style.apply(fontElement(attributes), element: name) }
        if let type = attributes["type"], ["ul", "ol", "li"].contains(name) {
            element.style.listStyle = type
        } else if name == "ul" || name == "ol" {
            element.style.listStyle = nil
        }
        var css = rules.declarations(element: name, classes: attributes["class"])
        if let text = attributes["style"] { css.merge(inlineStyle(text)) }
        let (color, background) = (element.style.color, element.style.background)
        element.style.apply(css, element: name)
        // The colours of `html` and `body` are those of the page, and not of the copied text: ignore them.
        if isPage { (element.style.color, element.style.background) = (color, background) }
        if Self.dropped.contains(name) { element.style.isHidden = true }
        if let list = css[.msoList] { applyWordList(list, to: &element) }
    }

    private func inlineStyle(_ text: String) -> CSSDeclarations {
        if let known = inlineStyles[text] { return known }
        let css = CSSDeclarations(text)
        if inlineStyles.count < Self.cacheLimit { inlineStyles[text] = css }
        return css
    }

    private func fontElement(_ attributes: HTMLAttributes) -> CSSDeclarations {
        var css = ""
        func add(_ property: String, _ value: String?) {
            if let value { css += "\(property):\(value.filter { $0 != ";" });" }
        }
        add("color", attributes["color"])
        add("font-family", attributes["face"])
        let sizes = ["1": "x-small", "2": "small", "3": "medium", "4": "large", "5": "x-large", "6": "xx-large"]
        add("font-size", attributes["size"].flatMap { sizes[$0] ?? ($0 == "7" ? "xxx-large" : nil) })
        return CSSDeclarations(css)
    }

    // MARK: Lists and tables

    private func beginList(isNumbered: Bool, start: String?) {
        let marker = Self.marker(style.listStyle?.split(separator: " ").first.map(String.init))
        let kind = isNumbered ? (marker ?? .decimal) : (marker ?? .disc)
        if lists.isEmpty { listQuotations = style.quotations.count }
        lists.append(TextList(kind, startingNumber: start.flatMap(Int.init) ?? 1))
    }

    private func beginItem(_ attributes: HTMLAttributes) {
        guard cellDepth == 0, let last = lists.indices.last else { return }
        let styleName = style.listStyle?.split(separator: " ").first.map(String.init)
        // An item with a number of its own (`value`) begins a new list, unless it is the first one with a marker and has
        // the list's first number.
        if let value = attributes["value"].flatMap(Int.init), lists[last].isNumbered,
            value != lists[last].startingNumber || startedLists.contains(lists[last].id)
        {
            lists[last] = TextList(lists[last].marker, startingNumber: value)
        }
        if styleName != "none" { startedLists.insert(lists[last].id) }
        // Keep only as many list levels as styled text allows: copying all levels for each item would take too
        // long.
        var item = ListItem(Array(lists.prefix(ListItem.deepest)), hasMarker: styleName != "none")
        if scope != .all { item.enclosingQuotations = listQuotations }
        flow.beginItem(item)
    }

    private static let listElements: Set<String> = ["ul", "ol", "menu", "dir"]

    /// Returns the marker for a `list-style-type` of CSS, or a `type` attribute of HTML; nil for an unknown one.
    private static func marker(_ name: String?) -> TextList.Marker? {
        switch name {
        case "disc": .disc
        case "circle": .circle
        case "square": .square
        case "decimal", "1": .decimal
        case "lower-alpha", "lower-latin", "a": .lowercaseAlphabetic
        case "upper-alpha", "upper-latin", "A": .uppercaseAlphabetic
        case "lower-roman", "i": .lowercaseRoman
        case "upper-roman", "I": .uppercaseRoman
        default: nil
        }
    }

    private func beginCell(_ attributes: HTMLAttributes) {
        cellDepth += 1
        // The text of a table within a cell becomes part of the cell's text.
        guard cellDepth == 1, let row = rows.indices.last else { return flow.addBlank(style) }
        // Empty cells take the columns over which other cells extend, so that each cell is below its header.
        let empty = spans.beginCell(
            columns: attributes["colspan"].flatMap(Int.init) ?? 1, rows: attributes["rowspan"].flatMap(Int.init) ?? 1)
        let tabs = empty + (rows[row] > 0 ? 1 : 0)
        for _ in 0..<tabs { flow.appendTab(style) }
        if tabs > 0, let table = style.table { grids.insert(table) }
        rows[row] += 1
    }

    /// Reads the property `mso-list` of Word: it marks a paragraph as a list item, or an element as the text of the
    /// item's marker.
    private func applyWordList(_ value: String, to element: inout Element) {
        if value == "ignore" {
            wordMarker = ""
            element.style.isHidden = true
            return
        }
        guard let level = value.firstRange(of: "level").flatMap({ Int(value[$0.upperBound...].prefix { $0.isNumber }) })
        else { return }
        let name = value.prefix { $0 != " " }
        let lists = (1...min(max(1, level), ListItem.deepest)).map { level in
            let key = "\(name) \(level)"
            let list = wordLists[key] ?? TextList(.disc)
            if wordLists.count < Self.cacheLimit { wordLists[key] = list }
            return list
        }
        element.wordItem = ListItem(lists)
        element.style.indent = 0
        element.style.firstLineIndent = 0
    }

    /// Ends the text of the marker of a Word item. If the marker is a number or a word before `.` or `)`, the
    /// item's list becomes numbered.
    private func endWordMarker(_ element: Element) {
        guard let text = wordMarker, !style.isHidden else { return }
        wordMarker = nil
        let marker = text.filter { !$0.isWhitespace && $0 != "\u{a0}" }
        guard var item = flow.item, item.hasMarker, let last = item.lists.indices.last, let suffix = marker.last,
            suffix == "." || suffix == ")", marker.count > 1
        else { return }
        let number = Int(marker.dropLast())
        item.lists[last].marker = number == nil ? .lowercaseAlphabetic : .decimal
        item.lists[last].suffix = String(suffix)
        flow.setItem(item)
    }

    // MARK: Text

    private func text(_ bytes: UnsafeRawBufferPointer) {
        if let length = styleSheet?.utf8.count {
            // Append in place: copying the sheet for each of its pieces would take quadratic time.
            if length < Self.styleSheetLimit { styleSheet?.append(String(decoding: bytes, as: UTF8.self)) }
            return
        }
        if let marker = wordMarker {
            if marker.utf8.count < 64 { wordMarker = marker + String(decoding: bytes, as: UTF8.self) }
            return
        }
        guard let element = elements.last, element.style.isSeen, hiddenExcess == nil else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        // White space between items, rows or cells is not text, whatever the property `white-space` says.
        if Self.textless.contains(element.name), text.utf8.allSatisfy({ $0 <= 0x20 }) { return }
        flow.add(text, element.style, isInCell: cellDepth > 0)
    }

    private func comment(_ text: String) {
        guard respectsFragments else { return }
        switch CSSDeclarations.trimmed(text.prefix(32)) {
        case "StartFragment": flow.beginFragment()
        case "EndFragment": flow.endFragment()
        default: break
        }
    }
}

/// The known attributes of a tag.
struct HTMLAttributes {
    private var values: [String: String] = [:]

    /// The names of the attributes that the reader uses; others are ignored.
    private static let known: Set<String> = [
        "href", "alt", "style", "dir", "lang", "align", "start", "type", "value", "class", "color", "face", "size",
        "checked", "src", "width", "height", "colspan", "rowspan",
    ]

    init(_ list: UnsafePointer<UnsafePointer<CChar>?>?) {
        guard var at = list else { return }
        while let name = at[0] {
            let key = String(cString: name)
            if Self.known.contains(key), values[key] == nil { values[key] = at[1].map { String(cString: $0) } ?? "" }
            at += 2
        }
    }

    subscript(_ name: String) -> String? { values[name] }
}

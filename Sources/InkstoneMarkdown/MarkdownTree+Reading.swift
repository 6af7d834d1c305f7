import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The list items that are open while the paragraphs of a text are read. Its method turns the paragraphs' list
/// attributes into blocks.
private struct OpenItems {
    private var open: [(list: TextList, item: PresentationIntent.IntentType)] = []
    private var identity = 0
    /// The number of items of each list so far. If a list continues after other text, so does its numbering.
    private var counts: [TextList.ID: Int] = [:]

    /// The same counts without open items.
    var closed: OpenItems {
        var result = self
        result.open = []
        return result
    }

    /// Whether no items are open.
    var isEmpty: Bool { open.isEmpty }

    /// Whether an item is in the outermost open list, and that is in no quotation.
    func isContinued(by item: ListItem?) -> Bool {
        guard let item, item.enclosingQuotations == 0 else { return false }
        return open.first?.list.id == item.lists.first?.id
    }

    /// Returns the blocks that contain a paragraph, the outermost first: the quotations around its lists, the lists,
    /// and then the paragraph's other blocks.
    ///
    /// - Parameter isHTML: whether the paragraph is a line of a block of HTML, whose lines have one identity.
    mutating func components(
        _ item: ListItem?, _ own: [PresentationIntent.IntentType], isHTML: Bool
    ) -> [PresentationIntent.IntentType] {
        guard let item else {
            open = []
            return own
        }
        let outside = own.prefix(item.enclosingQuotations).prefix { $0.kind == .blockQuote }
        let own = own.dropFirst(outside.count)
        var result = Array(outside)
        for (level, list) in item.lists.enumerated() {
            let isOwn = level == item.lists.count - 1
            if level >= open.count || open[level].list.id != list.id || isOwn && item.hasMarker {
                open.removeSubrange(min(level, open.count)...)
                let isDone = isOwn && item.hasMarker && list.marker == .checkbox ? item.isChecked : nil
                identity += 1
                let ordinal = list.startingNumber + counts[list.id, default: 0]
                if isOwn, item.hasMarker { counts[list.id, default: 0] += 1 }
                open.append((list, .init(kind: .listItem(ordinal: ordinal, isDone: isDone), identity: identity)))
            }
            let kind: PresentationIntent.Kind = open[level].list.isNumbered ? .orderedList : .unorderedList
            result.append(.init(kind: kind, identity: Int(truncatingIfNeeded: list.id.value)))
            result.append(open[level].item)
        }
        open.removeSubrange(item.lists.count...)
        identity += 1
        result += own.isEmpty ? [.init(kind: .paragraph, identity: identity)] : own
        // Give the paragraph or heading an identity of its own: headings made by a command all have the same one, and
        // two parts of an item with one identity would be read as two items. In lists of list attributes, an item ends
        // only at the next marker.
        let last = result.count - 1
        switch result[last].kind {
        case .header: result[last].identity = identity
        case .paragraph where !isHTML: result[last].identity = identity
        default: break
        }
        return result
    }
}

/// A builder that makes Markdown blocks of a styled text.
struct MarkdownTreeMaker {
    /// A paragraph of the styled text, that is, the text up to a newline, whatever Markdown block it becomes.
    private struct Line {
        /// The blocks that contain the paragraph, the outermost first.
        var components: [PresentationIntent.IntentType]
        /// The runs of the paragraph, without its newline.
        var runs: [StyledParagraph.Run]
        var isHTML: Bool
    }

    private let text: StyledText
    private let bold: Double
    /// The names of the attributes with values that Markdown cannot express.
    private(set) var unwritten: Set<String> = []
    /// Whether content was omitted that Markdown cannot express: a paragraph of only spaces and line separators, a line
    /// break in a picture's description or in the HTML of a heading or cell, or the checkbox of an item that does not
    /// begin with a paragraph.
    private var isInexact = false
    /// The number of empty cells that may still be added to short table rows. Without a limit, a wide row among
    /// many short ones would need more memory than there is.
    private var padding: Int

    private init(_ text: StyledText) {
        self.text = text
        bold = 180
        padding = (1 << 20) + 4 * text.rope.metrics.utf16
    }

    /// Returns the blocks of a text, the names of the attributes that they do not express completely, and whether
    /// content was omitted that Markdown cannot express.
    static func blocks(of text: StyledText) -> (blocks: [MarkdownBlock], unwritten: Set<String>, isInexact: Bool) {
        var maker = MarkdownTreeMaker(text)
        let lines = maker.lines()
        return (maker.blocks(lines[...], depth: 0), maker.unwritten, maker.isInexact)
    }

    private mutating func lines() -> [Line] {
        var lines: [Line] = []
        var items = OpenItems()
        // Paragraphs of body text without text, behind an item. They are not written, so they do not divide a list.
        var pauses: [Line] = []
        for paragraph in text.paragraphs {
            let place = paragraph.place
            guard !place.utf16WithNewline.isEmpty else { continue }
            let attributes = paragraph.attributes
            if !paragraph.visibleStyleParts.isEmpty { unwritten.insert(ParagraphStyleAttribute.name) }
            let roles = attributes[InlinePresentationIntentAttribute.self] ?? []
            let item = attributes[ListAttribute.self]
            let own: [PresentationIntent.IntentType] =
                attributes[PresentationIntentAttribute.self]?.components.reversed() ?? []
            let isPause =
                item == nil && !items.isEmpty && place.utf16.isEmpty && !roles.contains(.blockHTML)
                && own.allSatisfy { $0.kind == .paragraph }
            if isPause {
                pauses.append(Line(components: own, runs: paragraph.runs, isHTML: false))
                continue
            }
            if !pauses.isEmpty, !items.isContinued(by: item) {
                items = items.closed
                lines += pauses
            }
            pauses = []
            lines.append(
                Line(
                    components: items.components(item, own, isHTML: roles.contains(.blockHTML)),
                    runs: paragraph.runs,
                    isHTML: roles.contains(.blockHTML)))
        }
        return lines
    }

    // MARK: Blocks

    private mutating func blocks(_ lines: ArraySlice<Line>, depth: Int) -> [MarkdownBlock] {
        var result: [MarkdownBlock] = []
        var rest = lines
        /// Removes and returns the first of the remaining lines that are in the same block.
        func takeBlock(_ isSame: (Line) -> Bool = { _ in true }) -> ArraySlice<Line> {
            guard let first = rest.first else { return [] }
            let group = rest.prefix {
                depth < $0.components.count && $0.components[depth] == first.components[depth] && isSame($0)
            }
            rest = rest.dropFirst(group.count)
            return group
        }
        while let line = rest.first {
            guard depth < line.components.count else {
                rest.removeFirst()
                add(.paragraph(inlines(line, hasLines: true)), to: &result)
                continue
            }
            switch line.components[depth].kind {
            case .blockQuote: result.append(.quote(blocks(takeBlock(), depth: depth + 1)))
            case .orderedList, .unorderedList:
                let block = list(takeBlock(), depth: depth)
                // Drop a list of nothing but empty items behind a paragraph of an item: Markdown would read its marker as
                // a part of that paragraph.
                if case .listItem? = depth > 0 ? line.components[depth - 1].kind : nil, case .paragraph? = result.last,
                    block.hasOnlyEmptyItems
                {
                    continue
                }
                result.append(block)
            case .listItem, .tableCell, .tableRow, .tableHeaderRow:
                // An item, row or cell outside of a list or table is not valid: use only its content.
                result += blocks(takeBlock(), depth: depth + 1)
            case .codeBlock(let language):
                let hint = language.flatMap { $0.isEmpty ? nil : $0 }
                result.append(.code(language: hint, takeBlock().map { raw($0) }))
            case .header(let level):
                rest.removeFirst()
                result.append(.header(level: level, inlines(line, hasLines: false)))
            case .thematicBreak:
                rest.removeFirst()
                var content = inlines(line, hasLines: true)
                // A thematic break whose character was deleted or edited is an ordinary paragraph, without that
                // character.
                let isBreak = content.map(\.text) == ["\u{2e3b}"]
                if !isBreak {
                    for index in content.indices { content[index].text.removeAll { $0 == "\u{2e3b}" } }
                    content = content.normalized(hasLines: true)
                }
                add(isBreak ? .thematicBreak : .paragraph(content), to: &result)
            case .table(let columns): result += table(takeBlock(), columns)
            case .paragraph:
                guard line.isHTML else {
                    rest.removeFirst()
                    add(.paragraph(inlines(line, hasLines: true)), to: &result)
                    continue
                }
                result.append(.html(takeBlock(\.isHTML).map { raw($0) }))
            }
        }
        return result
    }

    /// Adds a block, unless it is a paragraph without text or of only spaces and line separators, which Markdown
    /// does not have.
    private mutating func add(_ block: MarkdownBlock, to blocks: inout [MarkdownBlock]) {
        if case .paragraph(let inlines) = block, inlines.isBlank {
            if !inlines.isEmpty { isInexact = true }
            return
        }
        blocks.append(block)
    }

    private mutating func list(_ lines: ArraySlice<Line>, depth: Int) -> MarkdownBlock {
        var items: [MarkdownItem] = []
        var start: Int?
        var last: PresentationIntent.IntentType?
        var rest = lines
        while let line = rest.first {
            let item = depth + 1 < line.components.count ? line.components[depth + 1] : nil
            var isDone: Bool?
            var ordinal = 1
            if case .listItem(let number, let done)? = item?.kind { (ordinal, isDone) = (number, done) }
            var previous: PresentationIntent.IntentType?
            let group = rest.prefix { line in
                guard depth + 1 < line.components.count, line.components[depth + 1] == item else { return false }
                // If the user has split a paragraph or heading of an item with Return, both parts have the same
                // intent. Make two items of them.
                let leaf = line.components.count == depth + 3 && !line.isHTML ? line.components.last : nil
                defer { previous = leaf }
                guard let leaf, leaf == previous else { return true }
                if case .paragraph = leaf.kind { return false }
                if case .header = leaf.kind { return false }
                return true
            }
            rest = rest.dropFirst(max(1, group.count))
            if items.isEmpty { start = ordinal }
            var blocks: [MarkdownBlock] = []
            if group.isEmpty {
                add(.paragraph(inlines(line, hasLines: true)), to: &blocks)
            } else {
                blocks = self.blocks(group, depth: depth + 2)
            }
            if let item, item == last { isDone = isDone.map { _ in false } }
            last = item
            // Drop a checkbox before any other block than a paragraph: it cannot be written there. An item without text
            // is like an empty paragraph, which is not written either: nothing is lost with its checkbox.
            if isDone != nil {
                if case .paragraph? = blocks.first {
                } else {
                    isDone = nil
                    if !blocks.isEmpty { isInexact = true }
                }
            }
            items.append(MarkdownItem(isDone: isDone, blocks: blocks))
        }
        guard case .orderedList? = lines.first?.components[depth].kind else { return .list(start: nil, items) }
        return .list(start: min(start ?? 1, 999_999_999 - items.count), items)
    }

    /// Returns the table for some lines. Returns paragraphs instead if the table would have far more cells than the
    /// lines have.
    private mutating func table(
        _ lines: ArraySlice<Line>, _ columns: [PresentationIntent.TableColumn]
    ) -> [MarkdownBlock] {
        var rows: [[[MarkdownInline]]] = []
        for line in lines {
            var cells: [[MarkdownInline]] = [[]]
            for inline in inlines(line, hasLines: false) {
                for (index, part) in inline.text.split(separator: "\t", omittingEmptySubsequences: false).enumerated() {
                    if index > 0 { cells.append([]) }
                    var piece = inline
                    piece.text = String(part)
                    if !part.isEmpty { cells[cells.count - 1].append(piece) }
                }
            }
            rows.append(cells.map { $0.normalized(hasLines: false) })
        }
        let count = max(columns.count, rows.map(\.count).max() ?? 1)
        let missing = rows.reduce(0) { $0 + count - $1.count }
        guard missing <= padding else {
            unwritten.insert(PresentationIntentAttribute.name)
            var result: [MarkdownBlock] = []
            for line in lines { add(.paragraph(inlines(line, hasLines: true)), to: &result) }
            return result
        }
        padding -= missing
        for i in rows.indices {
            rows[i] += Array(repeating: [], count: count - rows[i].count)
        }
        let alignments = columns.map(\.alignment) + Array(repeating: .natural, count: count - columns.count)
        return [.table(alignments, rows)]
    }

    // MARK: Text

    /// Returns the text of a line of code or HTML, which has no styles or links in Markdown. Records the attributes
    /// that Markdown cannot express there.
    private mutating func raw(_ line: Line) -> String {
        for run in line.runs {
            for (key, value) in run.attributes.values
            where key != PresentationIntentAttribute.self && key != ListAttribute.self
                && key != ParagraphStyleAttribute.self
            {
                let roles = value as? InlinePresentationIntent
                if roles?.isSubset(of: [.code, .blockHTML, .inlineHTML, .softBreak]) != true {
                    unwritten.insert(key.name)
                }
            }
        }
        return line.runs.count == 1 ? line.runs[0].text : line.runs.map(\.text).joined()
    }

    private mutating func inlines(_ line: Line, hasLines: Bool) -> [MarkdownInline] {
        var result: [MarkdownInline] = []
        for run in line.runs {
            if let picture = run.attributes[AttachmentAttribute.self] {
                add(picture, run, to: &result)
            } else {
                let inline = inline(run.text, run.attributes)
                // A picture's description, and HTML in a heading or cell, cannot have line breaks: they become blanks.
                if inline.image != nil || !hasLines && inline.roles.contains(.inlineHTML),
                    inline.text.unicodeScalars.contains("\u{2028}")
                {
                    isInexact = true
                }
                result.append(inline)
            }
        }
        return result.normalized(hasLines: hasLines)
    }

    /// Adds the pictures of a run, each character of which is a picture. For a picture without an address, only the
    /// description is written.
    private mutating func add(_ picture: TextAttachment, _ run: StyledParagraph.Run, to inlines: inout [MarkdownInline])
    {
        var words = picture.alternateDescription
        var attributes = run.attributes
        attributes[AttachmentAttribute.self] = nil
        if attributes[MarkdownImageAttribute.self] == nil, picture.type == "text/uri-list" {
            // The attachment is a placeholder for a picture elsewhere: its content is the address.
            let address = String(decoding: picture.contents, as: UTF8.self)
            attributes[MarkdownImageAttribute.self] = .init(source: address)
            if words == address { words = "" }
        }
        guard attributes[MarkdownImageAttribute.self] != nil else {
            unwritten.insert(AttachmentAttribute.name)
            for _ in run.text.unicodeScalars { inlines.append(inline(words, attributes)) }
            return
        }
        var inline = inline(words.isEmpty ? MarkdownInline.picture : words, attributes)
        for _ in run.text.unicodeScalars {
            // Distinguish two pictures with the same address, because their descriptions would be joined.
            if let last = inlines.last?.image { inline.image?.ordinal = last.ordinal + 1 }
            inlines.append(inline)
        }
    }

    /// Returns a run of text with the styles of its attributes. Bold and slanted fonts count as strong emphasis and
    /// emphasis.
    private mutating func inline(_ string: String, _ attributes: TextAttributes) -> MarkdownInline {
        var result = MarkdownInline(string, attributes[InlinePresentationIntentAttribute.self] ?? [])
        for (key, value) in attributes.values {
            switch value {
            case let weight as Double where key == FontWeightAttribute.self:
                // Record other weights as lost: Markdown only has regular and bold.
                if weight != 80, weight != 200 { unwritten.insert(key.name) }
                if weight >= bold {
                    result.roles.insert(.stronglyEmphasized)
                } else {
                    result.roles.remove(.stronglyEmphasized)
                }
            case let slant as FontDescriptor.Slant where key == FontSlantAttribute.self:
                if slant == .oblique { unwritten.insert(key.name) }
                if slant == .roman { result.roles.remove(.emphasized) } else { result.roles.insert(.emphasized) }
            case let line as RenderingAttributes.LineStyle where key == StrikethroughAttribute.self:
                if line != .single { unwritten.insert(key.name) }
                result.roles.insert(.strikethrough)
            case let line as RenderingAttributes.LineStyle where key == UnderlineAttribute.self:
                if line != .single { unwritten.insert(key.name) }
                result.isUnderlined = true
            case let level as Int where key == SuperscriptAttribute.self:
                if level != level.signum() { unwritten.insert(key.name) }
                result.level = level.signum()
            case let link as String where key == LinkAttribute.self:
                // Use the complete destination, unless the link was changed since.
                let whole = attributes[MarkdownDestinationAttribute.self].flatMap {
                    LinkAttribute.checked($0) == link ? $0 : nil
                }
                result.link = .init(destination: whole ?? link, title: attributes[LinkTitleAttribute.self] ?? "")
            case let item as ListItem where key == ListAttribute.self:
                if !isWritten(item) { unwritten.insert(key.name) }
            case let image as MarkdownImageAttribute.Value where key == MarkdownImageAttribute.self:
                result.image = image
            default:
                let written: [any AttributeKey.Type] = [
                    PresentationIntentAttribute.self, InlinePresentationIntentAttribute.self, LinkTitleAttribute.self,
                    MarkdownDestinationAttribute.self, ParagraphStyleAttribute.self,
                ]
                if !written.contains(where: { $0 == key }) { unwritten.insert(key.name) }
            }
        }
        return result
    }

    /// Whether Markdown preserves the markers of an item: reading the Markdown gives the same markers, or they are
    /// discs or decimal numbers; and the suffix is a full stop.
    private func isWritten(_ item: ListItem) -> Bool {
        item.lists.indices.allSatisfy { level in
            let list = item.lists[level]
            let outer = level > 0 ? item.lists[level - 1] : nil
            let read = TextList.Marker.standard(
                isNumbered: list.isNumbered, isTask: list.marker == .checkbox, in: outer)
            return list.suffix == "." && (list.marker == read || [.disc, .decimal].contains(list.marker))
        }
    }
}

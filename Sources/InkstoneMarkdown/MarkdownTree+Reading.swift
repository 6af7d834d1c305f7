import InkstoneBase
import InkstoneLayout
import InkstoneText

/// The items of lists that the next paragraph may belong to: blocks of what paragraphs say of lists.
private struct OpenItems {
    private var open: [(list: TextList, item: PresentationIntent.IntentType)] = []
    private var identity = 0

    /// The blocks around a paragraph, the outermost first: those of its lists, and in them its own.
    mutating func components(_ item: ListItem?, _ own: [PresentationIntent.IntentType]) -> [PresentationIntent
        .IntentType]
    {
        guard let item else {
            open = []
            return own
        }
        var result: [PresentationIntent.IntentType] = []
        for (level, list) in item.lists.enumerated() {
            let isOwn = level == item.lists.count - 1
            if level >= open.count || open[level].list.id != list.id || isOwn && item.hasMarker {
                open.removeSubrange(min(level, open.count)...)
                let isDone = isOwn && item.hasMarker && list.marker == .checkbox ? item.isChecked : nil
                identity += 1
                open.append(
                    (list, .init(kind: .listItem(ordinal: list.startingNumber, isDone: isDone), identity: identity)))
            }
            let kind: PresentationIntent.Kind = open[level].list.isNumbered ? .orderedList : .unorderedList
            result.append(.init(kind: kind, identity: Int(truncatingIfNeeded: list.id.value)))
            result.append(open[level].item)
        }
        open.removeSubrange(item.lists.count...)
        identity += 1
        return result + (own.isEmpty ? [.init(kind: .paragraph, identity: identity)] : own)
    }
}

/// Makes blocks of a text with attributes.
struct MarkdownTreeMaker {
    /// A paragraph of the text.
    private struct Line {
        /// The blocks that hold the paragraph, the outermost first.
        var components: [PresentationIntent.IntentType]
        /// Without the newline.
        var runs: [StyledParagraph.Run]
        var isHTML: Bool
    }

    private let text: StyledText
    private let bold: Double
    /// Names of the keys that have values that Markdown cannot say.
    private(set) var unsaid: Set<String> = []
    /// Whether a paragraph of nothing but spaces and line ends was left out, because Markdown has none.
    private var hasBlanks = false
    /// Empty cells that may still be added to short rows: of a few wide rows among many short ones, more than any memory holds.
    private var padding: Int

    private init(_ text: StyledText) {
        self.text = text
        bold = 180
        padding = (1 << 20) + 4 * text.rope.metrics.utf16
    }

    /// The blocks of a text, the names of the keys with values that they do not have, and whether spaces are left out, a paragraph of which
    /// Markdown has not.
    static func blocks(of text: StyledText) -> (blocks: [MarkdownBlock], unsaid: Set<String>, hasBlanks: Bool) {
        var maker = MarkdownTreeMaker(text)
        let lines = maker.lines()
        return (maker.blocks(lines[...], depth: 0), maker.unsaid, maker.hasBlanks)
    }

    private func lines() -> [Line] {
        var lines: [Line] = []
        var items = OpenItems()
        for paragraph in text.paragraphs {
            let place = paragraph.place
            guard !place.utf16WithNewline.isEmpty else { continue }
            let attributes = paragraph.attributes
            let roles = attributes[InlinePresentationIntentAttribute.self] ?? []
            lines.append(
                Line(
                    components: items.components(
                        attributes[ListAttribute.self],
                        attributes[PresentationIntentAttribute.self]?.components.reversed() ?? []),
                    runs: paragraph.runs,
                    isHTML: roles.contains(.blockHTML)))
        }
        return lines
    }

    // MARK: Blocks

    private mutating func blocks(_ lines: ArraySlice<Line>, depth: Int) -> [MarkdownBlock] {
        var result: [MarkdownBlock] = []
        var rest = lines
        /// Takes the lines off that are in the same block as the first.
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
            case .orderedList, .unorderedList: result.append(list(takeBlock(), depth: depth))
            case .listItem, .tableCell, .tableRow, .tableHeaderRow:
                // Outside of what they belong to: only what is in them counts.
                result += blocks(takeBlock(), depth: depth + 1)
            case .codeBlock(let language):
                let hint = language.flatMap { $0.isEmpty ? nil : $0 }
                result.append(.code(language: hint, takeBlock().map { raw($0) }))
            case .header(let level):
                rest.removeFirst()
                result.append(.header(level: level, inlines(line, hasLines: false)))
            case .thematicBreak:
                rest.removeFirst()
                let content = inlines(line, hasLines: true)
                // A break whose sign was deleted is none.
                let isBreak = content.map(\.text) == ["\u{2e3b}"]
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

    /// Adds a block but for an empty paragraph, which Markdown has not.
    private mutating func add(_ block: MarkdownBlock, to blocks: inout [MarkdownBlock]) {
        if case .paragraph(let inlines) = block, inlines.isBlank {
            if !inlines.isEmpty { hasBlanks = true }
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
                // Return makes two paragraphs of one: in a list, two items.
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
            // A box stands before text.
            if case .paragraph? = blocks.first {} else { isDone = nil }
            items.append(MarkdownItem(isDone: isDone, blocks: blocks))
        }
        guard case .orderedList? = lines.first?.components[depth].kind else { return .list(start: nil, items) }
        return .list(start: min(start ?? 1, 999_999_999 - items.count), items)
    }

    /// The table of some lines; paragraphs, if it would have far more cells than they say.
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
            unsaid.insert(PresentationIntentAttribute.name)
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

    /// The text of a line of code or HTML, where Markdown has neither styles nor links.
    private mutating func raw(_ line: Line) -> String {
        for run in line.runs {
            for (key, value) in run.attributes.values
            where key != PresentationIntentAttribute.self && key != ListAttribute.self {
                let roles = value as? InlinePresentationIntent
                if roles?.isSubset(of: [.code, .blockHTML, .inlineHTML, .softBreak]) != true {
                    unsaid.insert(key.name)
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
                result.append(inline(run.text, run.attributes))
            }
        }
        return result.normalized(hasLines: hasLines)
    }

    /// Adds the pictures of a run: each character is one. Without an address only their descriptions can be written.
    private mutating func add(_ picture: TextAttachment, _ run: StyledParagraph.Run, to inlines: inout [MarkdownInline])
    {
        var words = picture.alternateDescription
        var attributes = run.attributes
        attributes[AttachmentAttribute.self] = nil
        if attributes[MarkdownImageAttribute.self] == nil, picture.type == "text/uri-list" {
            // A stand-in for a picture that is elsewhere.
            let address = String(decoding: picture.contents, as: UTF8.self)
            attributes[MarkdownImageAttribute.self] = .init(source: address)
            if words == address { words = "" }
        }
        guard attributes[MarkdownImageAttribute.self] != nil else {
            unsaid.insert(AttachmentAttribute.name)
            for _ in run.text.unicodeScalars { inlines.append(inline(words, attributes)) }
            return
        }
        let inline = inline(words.isEmpty ? MarkdownInline.picture : words, attributes)
        for _ in run.text.unicodeScalars {
            // Descriptions of one file that follow each other at once would be one; only empty ones are counted.
            if let last = inlines.last, last.image == inline.image, last.link == inline.link,
                last.text != MarkdownInline.picture || inline.text != MarkdownInline.picture
            {
                inlines.append(MarkdownInline(" "))
            }
            inlines.append(inline)
        }
    }

    /// A stretch of text; fonts that are bold or slanted say the same as roles do.
    private mutating func inline(_ string: String, _ attributes: TextAttributes) -> MarkdownInline {
        var result = MarkdownInline(string, attributes[InlinePresentationIntentAttribute.self] ?? [])
        for (key, value) in attributes.values {
            switch value {
            case let weight as Double where key == FontWeightAttribute.self:
                // Regular and bold.
                if weight != 80, weight != 200 { unsaid.insert(key.name) }
                if weight >= bold {
                    result.roles.insert(.stronglyEmphasized)
                } else {
                    result.roles.remove(.stronglyEmphasized)
                }
            case let slant as FontDescriptor.Slant where key == FontSlantAttribute.self:
                if slant == .oblique { unsaid.insert(key.name) }
                if slant == .roman { result.roles.remove(.emphasized) } else { result.roles.insert(.emphasized) }
            case let line as RenderingAttributes.LineStyle where key == StrikethroughAttribute.self:
                if line != .single { unsaid.insert(key.name) }
                result.roles.insert(.strikethrough)
            case let line as RenderingAttributes.LineStyle where key == UnderlineAttribute.self:
                if line != .single { unsaid.insert(key.name) }
                result.isUnderlined = true
            case let level as Int where key == SuperscriptAttribute.self:
                if level != level.signum() { unsaid.insert(key.name) }
                result.level = level.signum()
            case let link as String where key == LinkAttribute.self:
                // Unless the link was changed since.
                let whole = attributes[MarkdownDestinationAttribute.self].flatMap {
                    LinkAttribute.checked($0) == link ? $0 : nil
                }
                result.link = .init(destination: whole ?? link, title: attributes[LinkTitleAttribute.self] ?? "")
            case let item as ListItem where key == ListAttribute.self:
                if !isSaid(item) { unsaid.insert(key.name) }
            case let image as MarkdownImageAttribute.Value where key == MarkdownImageAttribute.self:
                result.image = image
            default:
                let said: [any AttributeKey.Type] = [
                    PresentationIntentAttribute.self, InlinePresentationIntentAttribute.self, LinkTitleAttribute.self,
                    MarkdownDestinationAttribute.self,
                ]
                if !said.contains(where: { $0 == key }) { unsaid.insert(key.name) }
            }
        }
        return result
    }

    /// Whether the markers of an item are those that reading gives it, or as plain as they come.
    private func isSaid(_ item: ListItem) -> Bool {
        item.lists.indices.allSatisfy { level in
            let list = item.lists[level]
            let outer = level > 0 ? item.lists[level - 1] : nil
            let read = TextList.Marker.ofMarkdown(
                isNumbered: list.isNumbered, isTask: list.marker == .checkbox, in: outer)
            return list.suffix == "." && (list.marker == read || [.disc, .decimal].contains(list.marker))
        }
    }
}

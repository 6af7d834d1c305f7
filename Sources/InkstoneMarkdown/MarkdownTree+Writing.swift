import InkstoneBase
import InkstoneLayout
import InkstoneText

/// A builder that makes a styled text of Markdown blocks.
struct MarkdownTextMaker {
    private var bytes: [UInt8] = []
    private var runs = AttributeRunsBuilder()
    /// The attributes of a line, and of its runs that only have roles such as emphasis.
    private struct LineStyle {
        let intent: PresentationIntent?
        let item: ListItem?
        /// The attributes of the whole line, without those of its runs.
        private(set) var base = TextAttributes()
        /// The attributes of the line's runs that have only roles, by role.
        private var known: [(roles: InlinePresentationIntent, id: AttributeID)] = []
        /// The last run with other styles than roles, and its attributes.
        private var last: (inline: MarkdownInline, id: AttributeID)?

        init(_ intent: PresentationIntent? = nil, _ item: ListItem? = nil) {
            (self.intent, self.item) = (intent, item)
            if let intent { base.set(intent, of: MarkdownTextMaker.intent) }
            if let item { base.set(item, of: MarkdownTextMaker.list) }
        }

        /// Returns the attributes of a run that has only roles, such as emphasis, as most runs. The result is stored
        /// for the line's next run with the same roles.
        mutating func id(ofRoles roles: InlinePresentationIntent) -> AttributeID {
            if base.isEmpty, roles.isEmpty { return .none }
            for run in known where run.roles == roles { return run.id }
            var attributes = base
            if !roles.isEmpty { attributes.set(roles, of: MarkdownTextMaker.roles) }
            let new = AttributeID(attributes)
            known.append((roles, new))
            return new
        }

        /// Returns the attributes of a run that has other styles than roles. Those of the last one are kept: the text
        /// of a link often consists of several runs.
        ///
        /// - Parameter attributes: returns the attributes of the run, given those of the whole line.
        mutating func id(
            of inline: MarkdownInline, _ attributes: (MarkdownInline, TextAttributes) -> TextAttributes
        ) -> AttributeID {
            if let last, last.inline.isStyled(like: inline) { return last.id }
            let new = AttributeID(attributes(inline, base))
            last = (inline, new)
            return new
        }
    }

    private static let intent = KnownAttributeKey(PresentationIntentAttribute.self)
    private static let list = KnownAttributeKey(ListAttribute.self)
    private static let roles = KnownAttributeKey(InlinePresentationIntentAttribute.self)
    private static let link = KnownAttributeKey(LinkAttribute.self)
    private static let linkTitle = KnownAttributeKey(LinkTitleAttribute.self)

    /// The attributes of the present line. Kept for the next line, which often has the same ones, for example as the
    /// next line of a program or the next item of a list.
    private var line = LineStyle()
    /// The attributes that all headings of a level share, by level; at index 0 those of body text.
    private var shared = [LineStyle](repeating: LineStyle(), count: 7)
    private var identity = 0
    private var isStarted = false
    /// The attributes of the last paragraph's newline, which is written before the next paragraph.
    private var open = AttributeID.none
    private var isEmptyLine = false
    /// The lists that the next line is in, whether it is the first line of an item, and whether the item's checkbox
    /// is checked.
    private var item: (lists: [TextList], isFirst: Bool, isChecked: Bool) = ([], false, false)
    /// The quotations around the outermost list of `item`; nil for none.
    private var outside: PresentationIntent?

    /// Returns a number after which the identities of a source's blocks begin: a hash (FNV-1a) of its last 4 KB. The
    /// numbers of two sources that differ there are far apart, even if they are nearly equal.
    static func identity(for source: [UInt8]) -> Int {
        source.suffix(4096).reduce(0) { ($0 ^ Int($1)) &* 0x100_0000_01b3 } & (1 << 61 - 1) | 1 << 61
    }

    /// Returns the text of blocks.
    ///
    /// - Parameter identity: the number after which the identities of blocks begin. If it depends on the document, then
    ///   blocks of two documents in one text have different identities.
    static func text(_ blocks: some Sequence<MarkdownBlock>, identitiesAfter identity: Int = 0) -> StyledText {
        var maker = MarkdownTextMaker(identitiesAfter: identity)
        for block in blocks { maker.add(block) }
        return maker.finish()
    }

    /// Creates a builder without text.
    ///
    /// - Parameter identity: see ``text(_:identitiesAfter:)``.
    init(identitiesAfter identity: Int) { self.identity = identity }

    /// Adds an outermost block to the text.
    mutating func add(_ block: MarkdownBlock) { add(block, in: nil) }

    /// Returns the text of all blocks. Call it once.
    mutating func finish() -> StyledText {
        // The newline of an empty last paragraph holds its attributes: add it.
        if isEmptyLine, open != .none { add("\n", open) }
        return StyledText(Rope(bytes: bytes), validRuns: runs.finish())
    }

    private mutating func intent(_ kind: PresentationIntent.Kind, in parent: PresentationIntent?) -> PresentationIntent
    {
        identity += 1
        return PresentationIntent(kind, identity: identity, parent: parent)
    }

    private mutating func add(_ block: MarkdownBlock, in parent: PresentationIntent?) {
        switch block {
        case .paragraph(let inlines):
            // A paragraph of body text needs no intent, so plain text gets no attributes.
            addLine(inlines, parent == nil ? nil : intent(.paragraph, in: parent))
        case .header(let level, let inlines) where parent == nil && item.lists.isEmpty:
            // A heading is a single line, so all headings of a level can share their attributes. In a list item this is
            // not possible: two lines with the same intent would be read as an item that the user has split.
            addLine(inlines, PresentationIntent(.header(level: level), identity: 0), sharedBy: min(max(1, level), 6))
        case .header(let level, let inlines): addLine(inlines, intent(.header(level: level), in: parent))
        case .thematicBreak: addLine([MarkdownInline("\u{2e3b}")], intent(.thematicBreak, in: parent))
        case .code(let language, let lines):
            let code = intent(.codeBlock(languageHint: language), in: parent)
            for line in lines { addLine([MarkdownInline(line)], code) }
        case .html(let lines):
            let html = intent(.paragraph, in: parent)
            for line in lines { addLine([MarkdownInline(line, .blockHTML)], html, .blockHTML) }
        case .table(let alignments, let rows):
            let table = intent(.table(columns: alignments.map { .init(alignment: $0) }), in: parent)
            for (index, row) in rows.enumerated() {
                let cells = row.map { [MarkdownInline]($0) }.joined(separator: [MarkdownInline("\t")])
                addLine(Array(cells), intent(index == 0 ? .tableHeaderRow : .tableRow(rowIndex: index), in: table))
            }
        case .quote(let blocks): add(blocks, in: intent(.blockQuote, in: parent))
        case .list(let start, let items) where isOnlyQuoted(parent) && isShown(start, items):
            let id = Self.listID(items, at: bytes.count)
            let (around, former) = (item, outside)
            outside = parent
            for part in items {
                // Use the standard marker of the level: Markdown only distinguishes numbers, bullets and tasks.
                let marker = TextList.Marker.standard(
                    isNumbered: start != nil, isTask: part.isDone != nil, in: around.lists.last)
                item.lists = around.lists + [TextList(marker, id: id, startingNumber: start ?? 1)]
                (item.isFirst, item.isChecked) = (true, part.isDone == true)
                for block in part.blocks { add(block, in: parent) }
                if part.blocks.isEmpty { add(.paragraph([]), in: parent) }
            }
            (item, outside) = (around, former)
            item.isFirst = false
        case .list(let start, let items):
            let list = intent(start == nil ? .unorderedList : .orderedList, in: parent)
            for (index, item) in items.enumerated() {
                let ordinal = (start ?? 1) + index
                add(item.blocks, in: intent(.listItem(ordinal: ordinal, isDone: item.isDone), in: list))
            }
        }
    }

    /// Returns the identity of a list, made from its content and position: it is the same each time a process reads the
    /// same text, and normally differs in other documents.
    private static func listID(_ items: [MarkdownItem], at place: Int) -> TextList.ID {
        var hasher = Hasher()
        hasher.combine(place)
        hasher.combine(items.count)
        if case .paragraph(let inlines)? = items.first?.blocks.first { hasher.combine(inlines.first?.text) }
        return TextList.ID(UInt64(bitPattern: Int64(hasher.finalize())))
    }

    /// Whether a list in a block may be expressed by list attributes: an outermost list in nothing but quotations, or
    /// a list right within an item.
    private func isOnlyQuoted(_ parent: PresentationIntent?) -> Bool {
        guard item.lists.isEmpty else { return parent == outside }
        return parent?.components.allSatisfy { $0.kind == .blockQuote } ?? true
    }

    /// Whether a list can be expressed by list attributes. Each item must begin with a line of its own, except that the
    /// first item of a list with bullets may begin with another list. No item of a numbered list may be a task, and
    /// neither the nesting nor the first number may be too large. Other lists are expressed by intents.
    private func isShown(_ start: Int?, _ items: [MarkdownItem], inside levels: Int = 0) -> Bool {
        guard item.lists.count + levels < ListItem.deepest, start ?? 0 <= 1_000_000 else { return false }
        return items.indices.allSatisfy { index in
            if case .list(let inner, let nested)? = items[index].blocks.first {
                // The item has no line of its own before the inner list, so that list must be expressed by list
                // attributes too.
                guard index == 0, start == nil, isShown(inner, nested, inside: levels + 1) else { return false }
            }
            return start == nil || items[index].isDone == nil
        }
    }

    private mutating func add(_ blocks: [MarkdownBlock], in parent: PresentationIntent) {
        for block in blocks { add(block, in: parent) }
        if blocks.isEmpty { add(.paragraph([]), in: parent) }
    }

    private mutating func addLine(
        _ inlines: [MarkdownInline], _ intent: PresentationIntent?, _ newline: InlinePresentationIntent = [],
        sharedBy level: Int? = nil
    ) {
        if isStarted { add("\n", open) }
        isStarted = true
        isEmptyLine = inlines.allSatisfy { $0.text.isEmpty }
        let level = intent == nil && item.lists.isEmpty ? 0 : level
        if let level { swap(&line, &shared[level]) }
        var item =
            self.item.lists.isEmpty
            ? nil : ListItem(self.item.lists, hasMarker: self.item.isFirst, isChecked: self.item.isChecked)
        item?.enclosingQuotations = outside?.components.count ?? 0
        self.item.isFirst = false
        if line.intent != intent || line.item != item { line = LineStyle(intent, item) }
        for inline in inlines { add(inline.text, id(of: inline)) }
        open = line.id(ofRoles: newline)
        if let level { swap(&line, &shared[level]) }
    }

    private mutating func id(of inline: MarkdownInline) -> AttributeID {
        if inline.hasRolesOnly { return line.id(ofRoles: inline.roles) }
        return line.id(of: inline, Self.attributes)
    }

    /// Returns the attributes of a run of a line with the attributes `base`.
    private static func attributes(of inline: MarkdownInline, in base: TextAttributes) -> TextAttributes {
        var attributes = base
        if !inline.roles.isEmpty { attributes.set(inline.roles, of: Self.roles) }
        if let link = inline.link {
            attributes.set(link.destination, of: Self.link)
            if attributes[LinkAttribute.self] != link.destination {
                attributes[MarkdownDestinationAttribute.self] = link.destination
            }
            if !link.title.isEmpty { attributes.set(link.title, of: Self.linkTitle) }
        }
        if let image = inline.image { attributes[MarkdownImageAttribute.self] = image }
        if inline.isUnderlined { attributes[UnderlineAttribute.self] = .single }
        if inline.level != 0 { attributes[SuperscriptAttribute.self] = inline.level }
        return attributes
    }

    private mutating func add(_ text: String, _ id: AttributeID) {
        guard !text.isEmpty else { return }
        bytes.append(contentsOf: text.utf8)
        runs.append(text.utf16.count, id)
    }
}

import InkstoneText

/// The check of HTML in edited blocks. Only the HTML that would not be read back as HTML is written as text.
struct MarkdownHTMLCheck {
    /// The blocks of a text in the form in which they can be written.
    struct Form {
        /// The blocks to write. A block of HTML is written as it stands.
        private(set) var written: [MarkdownBlock] = []
        /// The blocks that result when the source of ``written`` is read. A block of HTML with an empty line, for
        /// example, is read as two blocks.
        private(set) var read: [MarkdownBlock] = []
        /// Whether some block of HTML is read as a different text.
        var isInexact = false
        /// Whether an edited block has HTML.
        fileprivate(set) var hasHTML = false

        /// Adds a block that needs no check: reading its source gives the same block.
        mutating func add(_ block: MarkdownBlock) {
            written.append(block)
            read.append(block)
        }

        fileprivate mutating func add(_ block: MarkdownBlock, readAs blocks: [MarkdownBlock]) {
            written.append(block)
            read += blocks
        }
    }

    private let source: [MarkdownBlock]
    /// The paragraphs, headings, tables and blocks of HTML in the old source that contain HTML. They are not checked
    /// again. Nil until first needed.
    private var known: Set<MarkdownBlock>?

    /// Creates a check of edited blocks.
    ///
    /// - Parameter source: the blocks of the old source.
    init(known source: [MarkdownBlock]) { self.source = source }

    /// Adds a block to a form. Inline HTML that would be read differently becomes text.
    mutating func add(_ block: MarkdownBlock, to form: inout Form) {
        guard block.hasHTML else { return form.add(block) }
        form.hasHTML = true
        switch block {
        case .html(let lines): add(lines, to: &form)
        case .quote(let blocks):
            let content = inner(blocks, &form)
            form.add(.quote(content.written), readAs: [.quote(content.read)])
        case .list(let start, let items):
            let contents = items.map { inner($0.blocks, &form, isTask: $0.isDone != nil) }
            func list(_ blocks: KeyPath<Form, [MarkdownBlock]>) -> MarkdownBlock {
                .list(
                    start: start,
                    zip(items, contents).map { MarkdownItem(isDone: $0.isDone, blocks: $1[keyPath: blocks]) })
            }
            form.add(list(\.written), readAs: [list(\.read)])
        case .paragraph, .header, .table, .code, .thematicBreak: form.add(checked(block))
        }
    }

    private mutating func inner(_ blocks: [MarkdownBlock], _ form: inout Form, isTask: Bool = false) -> Form {
        var result = Form()
        for (index, block) in blocks.enumerated() {
            if isTask, index == 0, case .paragraph = block, block.hasHTML {
                result.hasHTML = true
                result.add(checked(block, startsTask: true))
            } else {
                add(block, to: &result)
            }
        }
        form.hasHTML = form.hasHTML || result.hasHTML
        form.isInexact = form.isInexact || result.isInexact
        return result
    }

    /// Adds a block of HTML. Its lines are written as they stand, whatever they are read as.
    private mutating func add(_ lines: [String], to form: inout Form) {
        let block = MarkdownBlock.html(lines)
        guard !isKnown(block), let read = MarkdownDocument.blocks(of: MarkdownDocument.canonical([block], "\n")),
            read != [block]
        else { return form.add(block) }
        form.add(block, readAs: read)
        func isBlank(_ line: [UInt8]) -> Bool { line.allSatisfy { $0 == 0x20 || $0 == 0x9 } }
        let old = lines.map { Array($0.utf8) }.filter { !isBlank($0) }
        if read.flatMap(\.texts).filter({ !isBlank($0) }) != old { form.isInexact = true }
    }

    /// Returns a paragraph, heading or table without the HTML that would be read as something else.
    ///
    /// - Parameter startsTask: whether the block follows the checkbox of a task. A tag there begins no block of HTML.
    private mutating func checked(_ block: MarkdownBlock, startsTask: Bool = false) -> MarkdownBlock {
        func isRead(_ block: MarkdownBlock) -> Bool {
            self.isRead(startsTask ? .list(start: nil, [MarkdownItem(isDone: false, blocks: [block])]) : block)
        }
        if isKnown(block) || isRead(block) { return block }
        let result = block.mappingInlines { inlines, hasLines in
            inlines.map { inline in
                guard inline.roles.contains(.inlineHTML), !isTag(inline, hasLines) else { return inline }
                return inline.withoutHTML
            }.normalized(hasLines: hasLines)
        }
        return [result, block.withoutHTML].first(where: isRead) ?? block
    }

    private func isRead(_ block: MarkdownBlock) -> Bool {
        MarkdownDocument.blocks(of: MarkdownDocument.canonical([block], "\n")) == [block]
    }

    /// Whether the text of a run, written between two letters, is read as HTML.
    private func isTag(_ inline: MarkdownInline, _ hasLines: Bool) -> Bool {
        let inlines = [MarkdownInline("x"), MarkdownInline(inline.text, .inlineHTML), MarkdownInline("x")]
        return isRead(hasLines ? .paragraph(inlines) : .header(level: 1, inlines))
    }

    private mutating func isKnown(_ block: MarkdownBlock) -> Bool {
        if let known { return known.contains(block) }
        var new: Set<MarkdownBlock> = []
        for block in source { block.addLeaves(to: &new) }
        known = new
        return new.contains(block)
    }
}

extension MarkdownInline {
    /// The run with HTML turned into ordinary text.
    fileprivate var withoutHTML: MarkdownInline {
        var result = self
        result.roles.remove(.inlineHTML)
        return result
    }
}

extension MarkdownBlock {
    var hasHTML: Bool {
        func has(_ inlines: [MarkdownInline]) -> Bool { inlines.contains { $0.roles.contains(.inlineHTML) } }
        return switch self {
        case .paragraph(let inlines), .header(_, let inlines): has(inlines)
        case .table(_, let rows): rows.contains { $0.contains(where: has) }
        case .html: true
        case .quote(let blocks): blocks.contains(where: \.hasHTML)
        case .list(_, let items): items.contains { $0.blocks.contains(where: \.hasHTML) }
        case .code, .thematicBreak: false
        }
    }

    /// Whether the block has or is a block of HTML.
    var hasHTMLBlocks: Bool {
        switch self {
        case .html: true
        case .quote(let blocks): blocks.contains(where: \.hasHTMLBlocks)
        case .list(_, let items): items.contains { $0.blocks.contains(where: \.hasHTMLBlocks) }
        case .paragraph, .header, .table, .code, .thematicBreak: false
        }
    }

    /// The block with its HTML turned into ordinary text; a block of HTML becomes a code block.
    var withoutHTML: MarkdownBlock {
        switch self {
        case .paragraph, .header, .table:
            mappingInlines { $0.map(\.withoutHTML).normalized(hasLines: $1) }
        case .html(let lines): .code(language: "html", lines)
        case .quote(let blocks): .quote(blocks.map(\.withoutHTML))
        case .list(let start, let items):
            .list(
                start: start,
                items.map { MarkdownItem(isDone: $0.isDone, blocks: $0.blocks.map(\.withoutHTML)) })
        case .code, .thematicBreak: self
        }
    }

    /// Returns a paragraph, heading or table with other texts. The second parameter of `change` is whether the text may
    /// have several lines. Other blocks are returned unchanged.
    fileprivate func mappingInlines(_ change: ([MarkdownInline], Bool) -> [MarkdownInline]) -> MarkdownBlock {
        switch self {
        case .paragraph(let inlines): .paragraph(change(inlines, true))
        case .header(let level, let inlines): .header(level: level, change(inlines, false))
        case .table(let alignments, let rows): .table(alignments, rows.map { $0.map { change($0, false) } })
        case .code, .html, .thematicBreak, .quote, .list: self
        }
    }

    /// Adds the blocks with HTML that contain no other blocks to a set.
    fileprivate func addLeaves(to leaves: inout Set<MarkdownBlock>) {
        switch self {
        case .quote(let blocks): for block in blocks { block.addLeaves(to: &leaves) }
        case .list(_, let items):
            for item in items { for block in item.blocks { block.addLeaves(to: &leaves) } }
        case .paragraph, .header, .table, .html: if hasHTML { leaves.insert(self) }
        case .code, .thematicBreak: break
        }
    }
}

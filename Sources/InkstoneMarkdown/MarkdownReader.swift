import CMarkdown
import InkstoneLayout
import InkstoneText

/// An outermost block of a document, as it was read.
struct MarkdownTopBlock {
    var block: MarkdownBlock
    /// The byte range of the source from the first to the last text of the block whose position the parser has
    /// reported; nil if it has reported none.
    var known: Range<Int>?
    /// For a fenced code block the character of the fence, for a list the bullet or the sign after the number; nil for
    /// other blocks.
    var mark: UInt8?
    /// Whether the block is a code block between fences.
    var isFenced = false
    /// The byte ranges of those of the block's texts that are literally in the source, in order.
    var pieces: ArraySlice<Range<Int>> = []
    /// For a list, the first byte that the parser has reported for each item of the list itself; nil for an item
    /// without text.
    var items: [Int?] = []
}

/// A reader that builds the blocks of a Markdown document from the events of the parser md4c.
final class MarkdownReader {
    /// An open block that contains other blocks.
    private struct Container {
        /// The kind of the block: a quotation, a list with the number of its first item (nil for bullets), or an item
        /// with whether it is a done task (nil if it is no task).
        enum Kind {
            case quote
            case list(start: Int?)
            case item(isDone: Bool?)
        }

        var kind: Kind
        var blocks: [MarkdownBlock] = []
        var items: [MarkdownItem] = []
    }

    /// The kind of the open block that contains text: for a heading with its level, for code with the language.
    private enum Leaf {
        case paragraph
        case header(Int)
        case code(String?)
        case html
    }

    private let base: UnsafePointer<CChar>
    private let size: Int
    /// The offset in the source that corresponds to the start of md4c's text: the end of the front matter, less the
    /// number of line ends that were put before md4c's text.
    private var start = 0
    private(set) var top: [MarkdownTopBlock] = []
    /// A function that receives the outermost blocks in batches while the rest is read; nil if they are not needed
    /// before the end. `delivered` is the number of blocks that it has received.
    private let deliver: Delivery?
    private var delivered = 0
    private var containers: [Container] = []
    /// The number of open blocks that are omitted because they are nested too deeply.
    private var tooDeep = 0
    private var leaf: Leaf?
    /// The offset behind the last known text of the open code block or, after a line end, the start of the next
    /// line; nil before the first known text.
    private var codePlace: Int?
    private var inlines: MarkdownInlines?
    private var raw: [UInt8] = []
    private var table: (alignments: [PresentationIntent.TableColumn.Alignment], rows: [[[MarkdownInline]]])?
    /// The number of open blocks, except the document.
    private var depth = 0
    /// Whether an item of the open outermost list has begun, and the parser has not reported a position in it yet.
    private var startsItem = false
    /// The number of table cells, and of bytes of link destinations and titles. The parser may produce far more of
    /// both than the source has bytes, so both are limited.
    private var (cellCount, linkBytes) = (0, 0)
    private var mostLinkBytes: Int { max(1 << 20, 16 * size) }
    private var open = MarkdownTopBlock(block: .thematicBreak)
    /// The pieces of all outermost blocks in one array. The variables after it are the start of the open block's
    /// pieces, and the range of pieces of each block in ``top``.
    private var pieces: [Range<Int>] = []
    private var openPieces = 0
    private var topPieces: [Range<Int>] = []
    /// The number of pieces before the open link, and the range of the last piece in the bytes that were passed to
    /// md4c.
    private var (linkStart, lastPiece) = (0, 0..<0)
    /// An empty array whose memory is used again for the runs of the next paragraph.
    private var room: [MarkdownInline] = []

    /// The dashes that were added to table rules before the source was passed to md4c; nil if none were added.
    private let rules: MarkdownTableRules?
    /// The footnotes whose colons were replaced in these bytes; nil for none.
    private let notes: MarkdownFootnotes?

    /// A receiver of outermost blocks.
    typealias Delivery = ([MarkdownBlock]) -> Void

    /// The number of blocks of a batch: enough to make the exchange between two threads cheap.
    private static let batch = 256

    private init(
        _ text: UnsafeBufferPointer<CChar>, _ base: UnsafePointer<CChar>, _ rules: MarkdownTableRules?,
        _ notes: MarkdownFootnotes?, _ deliver: Delivery?
    ) {
        self.base = base
        size = text.count
        (self.rules, self.notes, self.deliver) = (rules, notes, deliver)
    }

    /// Returns the blocks of a source in UTF-8. Nil if md4c is not installed, the source is larger than 2 GB, or
    /// there is not enough memory. Also nil if the document would need far more memory than its size, as with short
    /// rows of a wide table, or a long title that is referred to many times.
    ///
    /// - Parameter deliver: receives all blocks once, in batches and in order, while the rest is read. If the result is
    ///   nil, it may have received some.
    static func read(_ source: some Collection<UInt8>, delivering deliver: Delivery? = nil) -> [MarkdownTopBlock]? {
        guard source.count < Int(Int32.max) else { return nil }
        return source.withContiguousStorageIfAvailable { read($0, deliver) }
            ?? Array(source).withUnsafeBufferPointer { read($0, deliver) }
    }

    private static func read(_ bytes: UnsafeBufferPointer<UInt8>, _ deliver: Delivery?) -> [MarkdownTopBlock]? {
        let front = frontMatter(bytes)
        guard let rules = MarkdownTableRules(bytes, behind: front) else { return read(bytes, front, nil, deliver) }
        return rules.bytes.withUnsafeBufferPointer { read($0, front, rules, deliver) }
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ front: Int, _ rules: MarkdownTableRules?, _ deliver: Delivery?
    ) -> [MarkdownTopBlock]? {
        guard let notes = MarkdownFootnotes(bytes, behind: front) else {
            return read(bytes, front, rules, nil, deliver)
        }
        return notes.bytes.withUnsafeBufferPointer { read($0, front, rules, notes, deliver) }
    }

    private static func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ front: Int, _ rules: MarkdownTableRules?, _ notes: MarkdownFootnotes?,
        _ deliver: Delivery?
    ) -> [MarkdownTopBlock]? {
        bytes.withMemoryRebound(to: CChar.self) { buffer in
            let empty: [CChar] = [0]
            return empty.withUnsafeBufferPointer { none in
                guard let base = buffer.baseAddress ?? none.baseAddress else { return nil }
                let shift = MarkdownPlacement.shift(for: UnsafeBufferPointer(rebasing: bytes[front...]))
                // md4c parses the source without its front matter. Offsets count from the start of the whole source.
                let moved = [CChar](repeating: 0xa, count: shift) + (shift > 0 ? Array(buffer[front...]) : [])
                return moved.withUnsafeBufferPointer { moved in
                    let text = shift > 0 ? moved.baseAddress ?? base : base + front
                    return read(
                        buffer, text, UInt32(buffer.count - front + shift), startsAt: front - shift, rules, notes,
                        deliver)
                }
            }
        }
    }

    /// Reads the blocks of a source by md4c. Nil if md4c or this reader gives up, for example at a limit.
    ///
    /// - Parameters:
    ///   - text: the text for md4c, with its length in `size`.
    ///   - start: the offset in the source that corresponds to the start of `text`.
    private static func read(
        _ source: UnsafeBufferPointer<CChar>, _ text: UnsafePointer<CChar>, _ size: UInt32, startsAt start: Int,
        _ rules: MarkdownTableRules?, _ notes: MarkdownFootnotes?, _ deliver: Delivery?
    ) -> [MarkdownTopBlock]? {
        let reader = MarkdownReader(source, text - start, rules, notes, deliver)
        reader.start = start
        var callbacks = cmarkdown_callbacks(
            enter_block: { type, detail, context in
                MarkdownReader.with(context) { $0.enterBlock(Int(type), detail) }
            },
            leave_block: { type, _, context in MarkdownReader.with(context) { $0.leaveBlock(Int(type)) } },
            enter_span: { type, detail, context in
                MarkdownReader.with(context) { $0.enterSpan(Int(type), detail) }
            },
            leave_span: { type, _, context in MarkdownReader.with(context) { $0.leaveSpan(Int(type)) } },
            text: { type, text, size, context in
                MarkdownReader.with(context) { $0.text(Int(type), text, Int(size)) }
            })
        let context = Unmanaged.passUnretained(reader).toOpaque()
        guard cmarkdown_parse(text, size, &callbacks, context) == 0 else { return nil }
        reader.deliverBlocks()
        for (index, range) in reader.topPieces.enumerated() { reader.top[index].pieces = reader.pieces[range] }
        return reader.top
    }

    /// Returns the number of bytes of front matter at the start of a source, including the last line end; 0 for
    /// none. Front matter is not Markdown: it begins with a line `---`, and ends with another one or with a line
    /// `...`. Between them it has lines `key: value`, at least one, whose values may continue in further lines, and
    /// comments.
    static func frontMatter<Byte: FixedWidthInteger>(_ source: some RandomAccessCollection<Byte>) -> Int {
        var rest = source[...]
        func takeLine() -> [Byte] {
            let line = rest.prefix { $0 != 0xa }
            rest = rest.dropFirst(line.count + 1)
            return Array(line.last == 0xd ? line.dropLast() : line)
        }
        func isRule(_ line: [Byte], _ mark: Byte) -> Bool {
            line.prefix(3).elementsEqual([mark, mark, mark]) && line.dropFirst(3).allSatisfy { $0 == 0x20 }
        }
        guard source.first == 0x2d, isRule(takeLine(), 0x2d) else { return 0 }
        var hasKey = false
        while !rest.isEmpty {
            let line = takeLine()
            if isRule(line, 0x2d) || isRule(line, 0x2e) { return hasKey ? source.count - rest.count : 0 }
            // A comment begins like a Markdown heading, so comments alone do not make front matter.
            if line.first == 0x23 { continue }
            if isKey(line, mayHaveSpaces: hasKey) {
                hasKey = true
                continue
            }
            // In the lines after a key of the front matter, its value may continue: in lines that are empty, indented,
            // list items, or the end of a list in brackets.
            let goesOn =
                switch line.first {
                case nil, 0x20, 0x09, 0x5d, 0x7d: true
                case 0x2d: line.count == 1 || line[1] == 0x20
                default: false
                }
            guard hasKey, goesOn else { return 0 }
        }
        return 0
    }

    /// Whether a line of front matter begins with a key: a word or quoted text, and a colon followed by a blank or
    /// the end of the line.
    private static func isKey(_ line: [some FixedWidthInteger], mayHaveSpaces: Bool) -> Bool {
        let colon = line.indices.first { at in
            line[at] == 0x3a && (at + 1 == line.count || line[at + 1] == 0x20 || line[at + 1] == 0x09)
        }
        guard let colon, let first = line.first, colon > 0 else { return false }
        if first == 0x22 || first == 0x27 { return colon > 1 && line[colon - 1] == first }
        if first == 0x20 || first == 0x2d { return false }
        return line[..<colon].allSatisfy { byte in
            switch UInt8(truncatingIfNeeded: byte) {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x80...: true
            case 0x24, 0x2d, 0x2e, 0x3a, 0x5f: true  // $ - . : _
            case 0x20: mayHaveSpaces
            default: false
            }
        }
    }

    /// Calls `body` with the reader of a callback, which stays alive while md4c parses. A retain for each callback would
    /// take a noticeable part of the time.
    private static func with(_ context: UnsafeMutableRawPointer?, _ body: (MarkdownReader) -> Int32) -> Int32 {
        guard let context else { return -1 }
        return Unmanaged<MarkdownReader>.fromOpaque(context)._withUnsafeGuaranteedRef { body($0) }
    }

    // MARK: Blocks

    private func enterBlock(_ type: Int, _ detail: UnsafeMutableRawPointer?) -> Int32 {
        if type == CMARKDOWN_DOCUMENT { return 0 }
        if depth == 0 {
            open = MarkdownTopBlock(block: .thematicBreak)
            openPieces = pieces.count
        }
        depth += 1
        switch type {
        case CMARKDOWN_QUOTE: enter(.quote)
        case CMARKDOWN_UNORDERED:
            let list = detail?.assumingMemoryBound(to: cmarkdown_unordered.self).pointee
            if depth == 1 { open.mark = list.map { UInt8(bitPattern: $0.mark) } }
            enter(.list(start: nil))
        case CMARKDOWN_ORDERED:
            let list = detail?.assumingMemoryBound(to: cmarkdown_ordered.self).pointee
            if depth == 1 { open.mark = list.map { UInt8(bitPattern: $0.delimiter) } }
            enter(.list(start: Int(list?.start ?? 1)))
        case CMARKDOWN_ITEM:
            if depth == 2 {
                if startsItem { open.items.append(nil) }
                startsItem = true
            }
            let item = detail?.assumingMemoryBound(to: cmarkdown_item.self).pointee
            if let item, item.is_task != 0 {
                note(start + Int(item.mark_offset)..<start + Int(item.mark_offset) + 1)
                enter(.item(isDone: item.mark != 0x20))
            } else {
                enter(.item(isDone: nil))
            }
        case CMARKDOWN_HEADER:
            let level = detail?.assumingMemoryBound(to: cmarkdown_header.self).pointee.level ?? 1
            begin(.header(Int(level)))
        case CMARKDOWN_CODE:
            let code = detail?.assumingMemoryBound(to: cmarkdown_code.self).pointee
            let info = code.map { string($0.info) } ?? ""
            if depth == 1, let fence = code?.fence, fence != 0 {
                open.isFenced = true
                open.mark = UInt8(bitPattern: fence)
            }
            begin(.code(info.isEmpty ? nil : info))
        case CMARKDOWN_HTML: begin(.html)
        case CMARKDOWN_PARAGRAPH: begin(.paragraph)
        case CMARKDOWN_TABLE:
            endLeaf()
            table = ([], [])
        case CMARKDOWN_ROW: table?.rows.append([])
        case CMARKDOWN_HEAD_CELL, CMARKDOWN_CELL:
            let alignment = detail?.assumingMemoryBound(to: cmarkdown_cell.self).pointee.alignment ?? 0
            if table?.rows.count == 1 {
                table?.alignments.append([.natural, .left, .center, .right][Int(min(alignment, 3))])
            }
            cellCount += 1
            guard cellCount <= 4096 + 4 * size else { return -1 }
            startInlines(hasLines: false, isCell: true)
        default: break
        }
        return 0
    }

    private func leaveBlock(_ type: Int) -> Int32 {
        if type == CMARKDOWN_DOCUMENT { return 0 }
        switch type {
        case CMARKDOWN_QUOTE, CMARKDOWN_UNORDERED, CMARKDOWN_ORDERED, CMARKDOWN_ITEM:
            if depth == 1, startsItem {
                startsItem = false
                open.items.append(nil)
            }
            leaveContainer()
        case CMARKDOWN_BREAK:
            endLeaf()
            add(.thematicBreak)
        case CMARKDOWN_TABLE:
            if let table { add(.table(table.alignments, table.rows)) }
            table = nil
        case CMARKDOWN_HEAD_CELL, CMARKDOWN_CELL:
            // Append in place: copying the table for each cell would take quadratic time.
            let cell = takeInlines()
            if let row = table?.rows.indices.last { table?.rows[row].append(cell) }
        case CMARKDOWN_HEAD, CMARKDOWN_BODY, CMARKDOWN_ROW: break
        default: endLeaf()
        }
        depth -= 1
        return 0
    }

    private func enter(_ kind: Container.Kind) {
        endLeaf()
        // Leave room for a list, its item and an inner block: they count as levels as well.
        if containers.count < PresentationIntentAttribute.deepest - 3, tooDeep == 0 {
            containers.append(Container(kind: kind))
        } else {
            tooDeep += 1
        }
    }

    private func leaveContainer() {
        endLeaf()
        guard tooDeep == 0 else {
            tooDeep -= 1
            return
        }
        guard let done = containers.popLast() else { return }
        switch done.kind {
        case .quote: add(.quote(done.blocks))
        case .list(let start): add(.list(start: start.map { min($0, 999_999_999 - done.items.count) }, done.items))
        case .item(let isDone):
            var item = MarkdownItem(isDone: isDone, blocks: done.blocks)
            if case .paragraph? = item.blocks.first {} else { item.isDone = nil }
            if containers.isEmpty { return }
            containers[containers.count - 1].items.append(item)
        }
    }

    private func add(_ block: MarkdownBlock) {
        if case .paragraph(let inlines) = block, inlines.isBlank { return }
        guard containers.isEmpty else {
            // A list can be the innermost container only if its item was omitted because of too deep nesting: put the
            // block into an item of its own.
            if case .list = containers[containers.count - 1].kind {
                containers[containers.count - 1].items.append(MarkdownItem(isDone: nil, blocks: [block]))
            } else {
                containers[containers.count - 1].blocks.append(block)
            }
            return
        }
        open.block = block
        top.append(open)
        topPieces.append(openPieces..<pieces.count)
        if deliver != nil, top.count - delivered >= Self.batch { deliverBlocks() }
    }

    /// Delivers the blocks that were added since the last delivery.
    private func deliverBlocks() {
        deliver?(top[delivered...].map(\.block))
        delivered = top.count
    }

    // MARK: Blocks that contain text

    private func begin(_ kind: Leaf) {
        endLeaf()
        leaf = kind
        switch kind {
        case .paragraph: startInlines(hasLines: true)
        case .header: startInlines(hasLines: false)
        case .code, .html:
            raw = []
            codePlace = nil
        }
    }

    private func endLeaf() {
        guard let leaf else { return }
        self.leaf = nil
        switch leaf {
        case .paragraph: add(.paragraph(takeInlines()))
        case .header(let level): add(.header(level: level, takeInlines()))
        case .code(let language): add(.code(language: language, lines()))
        case .html: add(.html(lines()))
        }
        inlines = nil
    }

    private func startInlines(hasLines: Bool, isCell: Bool = false) {
        inlines = MarkdownInlines(hasLines: hasLines, isCell: isCell, room: room)
        room = []
    }

    /// Returns the inline content of the open paragraph, heading or cell, and ends it.
    private func takeInlines() -> [MarkdownInline] {
        guard let result = inlines?.finish() else { return [] }
        room = inlines?.takeRoom() ?? []
        inlines = nil
        return result
    }

    private func lines() -> [String] {
        if raw.last == 0xa { raw.removeLast() }
        return raw.split(separator: 0xa, omittingEmptySubsequences: false).map { line in
            String(decoding: line.map { $0 == 0xd ? 0x20 : $0 }, as: UTF8.self)
        }
    }

    // MARK: Text

    /// Handles a text that md4c reports. In the code and HTML of a table cell, a bar is written as `\\|`; md4c reports the
    /// backslash too, which is left out.
    private func text(_ type: Int, _ text: UnsafePointer<CChar>, _ count: Int) -> Int32 {
        guard table != nil, type == CMARKDOWN_CODE_TEXT || type == CMARKDOWN_HTML_TEXT else {
            return add(type, text, count)
        }
        var start = 0
        for at in 0..<max(0, count - 1) where text[at] == 0x5c && text[at + 1] == 0x7c {
            if at > start, case let status = add(type, text + start, at - start), status != 0 { return status }
            start = at + 1
        }
        return add(type, text + start, count - start)
    }

    private func add(_ type: Int, _ text: UnsafePointer<CChar>, _ count: Int) -> Int32 {
        if type == CMARKDOWN_TEXT, notes != nil { splitBeforeFootnote(text) }
        note(text, count)
        if type == CMARKDOWN_TEXT, count > 0, text[0] == 0x5b, startsItemText, let length = missedTask(text, count) {
            return length < count ? add(type, text + length, count - length) : 0
        }
        if type != CMARKDOWN_ENTITY, type != CMARKDOWN_SOFT_BREAK, type != CMARKDOWN_LINE_BREAK {
            let start = UnsafeRawPointer(text) - UnsafeRawPointer(base)
            if start >= 0, start + count <= size, count > 0 {
                lastPiece = start..<start + count
                pieces.append(places(of: lastPiece))
            }
        }
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        let changed = restored(bytes)
        switch leaf {
        case .code, .html:
            keepTabs(before: text, count)
            if type == CMARKDOWN_NUL {
                raw += "\u{fffd}".utf8
            } else if let changed {
                raw += changed
            } else {
                raw.append(contentsOf: bytes)
            }
            return 0
        case nil where table == nil:
            // The text of an item in a tight list has no paragraph around it: begin one.
            begin(.paragraph)
        default: break
        }
        let string = changed.map { String(decoding: $0, as: UTF8.self) } ?? String(decoding: bytes, as: UTF8.self)
        switch type {
        case CMARKDOWN_NUL: inlines?.add("\u{fffd}")
        case CMARKDOWN_LINE_BREAK: inlines?.add("\u{2028}")
        case CMARKDOWN_SOFT_BREAK: inlines?.add(" ", .softBreak)
        case CMARKDOWN_ENTITY:
            if let text = MarkdownEntities.text(Substring(string)) {
                inlines?.add(text)
            } else {
                inlines?.add(string, .inlineHTML)
            }
        case CMARKDOWN_HTML_TEXT: inlines?.addHTML(string)
        default: inlines?.add(string)
        }
        // Each piece of a link's text gets a copy of the destination: count its bytes.
        linkBytes += inlines?.linkBytes ?? 0
        return linkBytes <= mostLinkBytes ? 0 : -1
    }

    /// Whether the next text is the first one of a paragraph. In a tight list, the paragraph has not begun yet.
    private var startsItemText: Bool {
        switch leaf {
        case nil: table == nil
        case .paragraph: inlines?.isEmpty == true
        default: false
        }
    }

    /// Makes the open item a task if its text begins with a mark such as `[x]`, and returns the length of the mark with
    /// the blanks after it; nil for other text. md4c reports the mark as text if the item is right behind a quotation.
    private func missedTask(_ text: UnsafePointer<CChar>, _ count: Int) -> Int? {
        guard count >= 4, tooDeep == 0, let last = containers.indices.last, containers[last].blocks.isEmpty,
            case .item(isDone: nil) = containers[last].kind, text[0] == 0x5b, text[2] == 0x5d,
            text[1] == 0x20 || text[1] == 0x58 || text[1] == 0x78
        else { return nil }
        let place = UnsafeRawPointer(text) - UnsafeRawPointer(base)
        var length = 3
        while length < count, text[length] == 0x20 || text[length] == 0x9 { length += 1 }
        // Ignore a bracket behind a backslash, which is text.
        guard length > 3, place > start, place < size, base[place - 1] != 0x5c else { return nil }
        containers[last].kind = .item(isDone: text[1] != 0x20)
        return length
    }

    /// Restores the tabs at the start of a line of code, which md4c has replaced by spaces. Called for each text that
    /// md4c reports: restores them at the first text after the indent, or at the line's end.
    private func keepTabs(before text: UnsafePointer<CChar>, _ count: Int) {
        let place = UnsafeRawPointer(text) - UnsafeRawPointer(base)
        // md4c reports an indent in many pieces that are not in the source. Do nothing for these, and restore the tabs
        // at the next piece. Line ends are not in the source either: handle them here.
        guard place >= start, place + count <= size, count > 0 else {
            if count == 1, text[0] == 0xa, let known = codePlace {
                let end = lineEnd(known)
                keepTabs(endingAt: end)
                let isPair = end + 1 < size && base[end] == 0xd && base[end + 1] == 0xa
                codePlace = min(size, end + (isPair ? 2 : 1))
            }
            return
        }
        if codePlace == nil { keepTabsAbove(place) }
        codePlace = place + count
        if place > start, base[place - 1] == 0x9 || base[place - 1] == 0x20 { keepTabs(endingAt: place) }
    }

    /// Restores the tabs of the last line of code, if the line consists only of an indent so far.
    private func keepTabs(endingAt end: Int) {
        let width = raw.reversed().prefix { $0 == 0x20 }.count
        guard width > 0, raw.count == width || raw[raw.count - width - 1] == 0xa,
            let blanks = blanks(width, endingAt: end)
        else { return }
        raw.removeLast(width)
        raw += blanks
    }

    /// Restores the tabs of the lines above the first line of code that has text. These lines contain only blanks.
    private func keepTabsAbove(_ place: Int) {
        guard raw.contains(0xa) else { return }
        var lines = raw.split(separator: 0xa, omittingEmptySubsequences: false).map(Array.init)
        var line = lineStart(place)
        for index in lines.indices.dropLast().reversed() where line > start {
            var end = line - 1
            if base[end] == 0xa, end > start, base[end - 1] == 0xd { end -= 1 }
            line = lineStart(end)
            if !lines[index].isEmpty, lines[index].allSatisfy({ $0 == 0x20 }),
                let blanks = blanks(lines[index].count, endingAt: end)
            {
                lines[index] = blanks
            }
        }
        raw = Array(lines.joined(separator: [0xa]))
    }

    private func lineStart(_ offset: Int) -> Int {
        var place = offset
        while place > start, base[place - 1] != 0xa, base[place - 1] != 0xd { place -= 1 }
        return place
    }

    /// Returns the end of the line that contains an offset, without its line end.
    private func lineEnd(_ offset: Int) -> Int {
        var end = offset
        while end < size, base[end] != 0xa, base[end] != 0xd { end += 1 }
        return end
    }

    /// Returns the spaces and tabs directly before `end` that together span exactly `width` columns. Nil if there
    /// are not so many blanks, or if the span would begin within a tab.
    private func blanks(_ width: Int, endingAt end: Int) -> [UInt8]? {
        let start = lineStart(end)
        // The column before each byte of the line, and after the last byte.
        var columns = [0]
        for at in start..<end {
            columns.append(base[at] == 0x9 ? (columns[at - start] / 4 + 1) * 4 : columns[at - start] + 1)
        }
        var first = end
        while first > start, base[first - 1] == 0x9 || base[first - 1] == 0x20,
            columns[end - start] - columns[first - 1 - start] <= width
        {
            first -= 1
        }
        guard columns[end - start] - columns[first - start] == width else { return nil }
        return (first..<end).map { UInt8(bitPattern: base[$0]) }
    }

    private func enterSpan(_ type: Int, _ detail: UnsafeMutableRawPointer?) -> Int32 {
        if leaf == nil, table == nil { begin(.paragraph) }
        var link = MarkdownInline.Link(destination: "", title: "")
        if type == CMARKDOWN_LINK || type == CMARKDOWN_IMAGE,
            let found = detail?.assumingMemoryBound(to: cmarkdown_link.self).pointee
        {
            linkBytes += Int(found.destination.size) + Int(found.title.size)
            guard linkBytes <= mostLinkBytes else { return -1 }
            link = .init(destination: string(found.destination), title: string(found.title))
        }
        if type == CMARKDOWN_LINK { linkStart = pieces.count }
        inlines?.enter(type, link)
        return 0
    }

    private func leaveSpan(_ type: Int) -> Int32 {
        inlines?.leave(type)
        if type == CMARKDOWN_LINK, isFootnote {
            inlines?.unlinkLast()
            pieces[pieces.count - 1] = places(of: lastPiece.lowerBound - 1..<lastPiece.upperBound + 1)
        }
        return 0
    }

    /// Whether the link that has just ended is a label of a footnote such as `[^1]`. md4c reads the label as a link if
    /// it takes the footnote for the definition of a link.
    private var isFootnote: Bool {
        let (low, high) = (lastPiece.lowerBound, lastPiece.upperBound)
        guard pieces.count == linkStart + 1, low > start, high < size, base[low] == 0x5e, base[low - 1] == 0x5b,
            base[high] == 0x5d
        else { return false }
        return high + 1 == size || base[high + 1] != 0x28 && base[high + 1] != 0x5b
    }

    /// Returns an attribute's text, with entities replaced; line ends become spaces.
    private func string(_ attribute: cmarkdown_attribute) -> String {
        guard let text = attribute.text, let types = attribute.types, let offsets = attribute.offsets,
            attribute.size > 0
        else { return "" }
        let size = Int(attribute.size)
        let whole = UnsafeRawBufferPointer(start: text, count: size)
        // Fast path: most attributes are a single text on one line.
        if Int(offsets[0]) == 0, Int(offsets[1]) >= size, Int(types[0]) == CMARKDOWN_TEXT,
            !whole.contains(where: { $0 == 0xa || $0 == 0xd })
        {
            return String(decoding: whole, as: UTF8.self)
        }
        var result: [UInt8] = []
        var part = 0
        while Int(offsets[part]) < size {
            let low = Int(offsets[part])
            let high = min(size, Int(offsets[part + 1]))
            guard low < high else { break }
            let bytes = UnsafeRawBufferPointer(start: text + low, count: high - low)
            switch Int(types[part]) {
            case CMARKDOWN_ENTITY:
                let entity = String(decoding: bytes, as: UTF8.self)
                result += (MarkdownEntities.text(Substring(entity)) ?? entity).utf8
            case CMARKDOWN_NUL: result += "\u{fffd}".utf8
            default:
                var piece = Array(bytes)
                if notes != nil { MarkdownFootnotes.restoreColons(in: &piece) }
                result += piece.map { $0 == 0xa || $0 == 0xd ? 0x20 : $0 }
            }
            part += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Extends the known range of the open block by some bytes, if they are in the source.
    private func note(_ text: UnsafePointer<CChar>, _ count: Int) {
        let start = UnsafeRawPointer(text) - UnsafeRawPointer(base)
        if start >= 0, start + count <= size, count > 0 { note(start..<start + count) }
    }

    /// Converts a range of the bytes that md4c parses to a range of the source.
    private func places(of range: Range<Int>) -> Range<Int> {
        guard let rules else { return range }
        return rules.place(of: range.lowerBound)..<rules.place(of: range.upperBound)
    }

    /// Returns reported bytes as they are in the source, without the changes that were made for md4c. Nil if none of
    /// these bytes was changed.
    private func restored(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard rules != nil || notes != nil, let address = bytes.baseAddress else { return nil }
        let start = address - UnsafeRawPointer(base)
        let range = start..<start + bytes.count
        guard start >= 0, range.upperBound <= size,
            rules?.isChanged(range) == true || notes?.isChanged(range) == true
        else { return nil }
        let kept = rules?.kept(in: range) ?? Array(range)
        return kept.map { notes?.byte(at: $0) ?? UInt8(bitPattern: base[$0]) }
    }

    /// Ends the open paragraph before a text that begins a footnote, and begins another one: a footnote needs no blank
    /// line above it. Does nothing within a span.
    private func splitBeforeFootnote(_ text: UnsafePointer<CChar>) {
        guard case .paragraph? = leaf, inlines?.endsLine == true,
            notes?.isStart(UnsafeRawPointer(text) - UnsafeRawPointer(base)) == true
        else { return }
        inlines?.removeLast()
        endLeaf()
        if containers.isEmpty {
            open = MarkdownTopBlock(block: .thematicBreak)
            openPieces = pieces.count
        }
        begin(.paragraph)
    }

    private func note(_ known: Range<Int>) {
        let range = places(of: known)
        if startsItem {
            startsItem = false
            open.items.append(range.lowerBound)
        }
        let known = open.known ?? range
        open.known = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
    }
}

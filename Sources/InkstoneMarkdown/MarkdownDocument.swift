import CMarkdown
import InkstoneBase
import InkstoneText
import InkstoneWords
import Synchronization

/// An error in reading or writing Markdown.
public enum MarkdownError: Error, Hashable, CustomStringConvertible {
    /// The library md4c, which parses Markdown, is not installed.
    case noParser
    /// The document is larger than 2 GB, or would need far more memory than its size, or there is not enough
    /// memory.
    case tooLarge

    /// The error as a message for the user.
    public var description: String {
        switch self {
        case .noParser:
            localized("Markdown cannot be shown as styled text: the library md4c (package libmd4c0) is not installed")
        case .tooLarge: localized("the document is too large to be shown as styled text")
        }
    }
}

/// A Markdown document as styled text, which can be edited and written back.
///
/// Blocks are expressed by `PresentationIntentAttribute` on paragraphs; text has `InlinePresentationIntentAttribute`,
/// links and titles. A `PresentationStyleSheet` of the layout shows them. Blocks of the source that were not edited are
/// written back byte for byte if they are still read as the same blocks.
public struct MarkdownDocument: Sendable {
    /// The Markdown source that was written for a text, and what reading it does not restore.
    public struct Written: Sendable {
        /// The Markdown source for the text.
        public var source: String
        /// The names of the attributes that Markdown cannot express, in alphabetical order: reading the source does
        /// not restore them.
        public var lostAttributes: [String]
        /// Whether reading the source gives the same text, except for ``lostAttributes``, empty paragraphs and spaces
        /// at the ends of lines. False for a text that Markdown does not have, for example a paragraph of line
        /// separators (U+2028) only, or a line separator in a picture's description. Also false if the source loses
        /// what is not part of the text, for example a comment, or cells beyond the columns of a table.
        public var isExact: Bool
        /// The number of bytes of text in the new and edited blocks.
        var changedBytes = 0
    }

    /// An outermost block of the source.
    private struct Part: Sendable {
        var block: MarkdownBlock
        /// The byte range of the block in the source, up to the start of the next block.
        var range: Range<Int>
        /// The end of the block's own lines, without definitions or blank lines after it.
        var end: Int
        /// The byte ranges of the block's texts in the source.
        var pieces: ArraySlice<Range<Int>>
        /// For a list, the first byte that the parser has reported for each of its own items, in the text or task mark;
        /// the item's marker lies before it. Nil for an item without text.
        var items: [Int?]
    }

    /// The Markdown source that was read.
    public let source: String
    /// The document as styled text. Each paragraph, heading, line of code and table row is a paragraph.
    public let text: StyledText

    private let parts: [Part]
    /// The number of bytes of front matter, which is not Markdown and is kept unchanged.
    private let front: Int
    private let own = OwnBlocks()
    /// The number of items that contain the source, if it is the source of an item's blocks.
    private var depth = 0

    /// Creates an empty document.
    public init() {
        Self.registerKeys()
        (source, text, parts, front) = ("", StyledText(), [], 0)
    }

    /// Registers the attributes that only Markdown uses, so that they can be read from a clipboard. Creating a
    /// document does this as well.
    public static func registerKeys() { _ = registered }

    private static let registered: Void = {
        AttributeKeys.register(LinkTitleAttribute.self)
        AttributeKeys.register(MarkdownDestinationAttribute.self)
        AttributeKeys.register(MarkdownImageAttribute.self)
    }()

    /// Creates a document with the source of another one, shown as a different styled text. Writing that text gives the
    /// same source.
    init(_ other: MarkdownDocument, showing text: StyledText) {
        (source, parts, front) = (other.source, other.parts, other.front)
        self.text = text
    }

    /// Creates a document from a source in GitHub's dialect of Markdown. Large sources are read on two threads, and
    /// this waits for both. O(n).
    public init(_ source: String) throws(MarkdownError) {
        try self.init(source, readingBesideFrom: Self.leastBeside)
    }

    /// The size in bytes from which a second thread makes the text while the source is still being read.
    private static let leastBeside = 1 << 17

    /// Creates a document from a source.
    ///
    /// - Parameter size: the size in bytes from which a source is read on two threads.
    init(_ source: String, readingBesideFrom size: Int) throws(MarkdownError) {
        Self.registerKeys()
        guard cmarkdown_load() else { throw .noParser }
        let bytes = Array(source.utf8)
        let identity = MarkdownTextMaker.identity(for: bytes)
        let thread = bytes.count >= size ? MarkdownTextThread(identitiesAfter: identity) : nil
        guard let top = MarkdownReader.read(bytes, delivering: thread.map { thread in { thread.add($0) } }) else {
            _ = thread?.finish()
            throw .tooLarge
        }
        self.source = source
        front = MarkdownReader.frontMatter(bytes)
        parts = Self.parts(top, bytes, front)
        text = thread?.finish() ?? MarkdownTextMaker.text(top.lazy.map(\.block), identitiesAfter: identity)
    }

    /// Returns the parts of a source for its outermost blocks.
    ///
    /// - Parameter front: the number of bytes of front matter.
    private static func parts(_ top: [MarkdownTopBlock], _ bytes: [UInt8], _ front: Int) -> [Part] {
        var finder = MarkdownBlockFinder(bytes, from: front)
        let ranges = finder.ranges(of: top)
        return top.indices.map { i in
            let end = i + 1 < top.count ? ranges[i + 1].lowerBound : bytes.count
            // Before the first block, there may be link definitions. Any other text there belongs to the first block,
            // although the parser has not reported it.
            let start = i > 0 ? ranges[i].lowerBound : start(ranges[i].lowerBound, behind: front, bytes)
            var ownEnd = min(ranges[i].upperBound, end)
            if case .paragraph = top[i].block { ownEnd = endOfParagraph(ownEnd, bytes[..<end]) }
            return Part(
                block: top[i].block, range: start..<end, end: ownEnd,
                pieces: top[i].pieces, items: top[i].items)
        }
    }

    /// Returns the start of the first block: `found` if the text before it begins with `[` and so may be a definition,
    /// else the first line with text after the front matter.
    private static func start(_ found: Int, behind front: Int, _ bytes: [UInt8]) -> Int {
        let lines = bytes[front..<found].split { $0 == 0xa || $0 == 0xd }
        let first = lines.first { !$0.allSatisfy { $0 == 0x20 || $0 == 0x9 } }
        return first.map { line in line.first { $0 != 0x20 } == 0x5b ? found : line.startIndex } ?? found
    }

    /// Returns the end of the lines of a paragraph, up to a blank line. The last lines may have no text that the
    /// parser reports, for example the title of a link.
    private static func endOfParagraph(_ known: Int, _ bytes: ArraySlice<UInt8>) -> Int {
        var end = known
        while end < bytes.endIndex {
            let line = bytes[end...].prefix { $0 != 0xa && $0 != 0xd }
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x9 }) { break }
            end = line.endIndex
            if end < bytes.endIndex, bytes[end] == 0xd { end += 1 }
            if end < bytes.endIndex, bytes[end] == 0xa { end += 1 }
        }
        return end
    }

    /// Writes a text, usually this document's text after edits. Blocks that are unchanged are written as in the source,
    /// unless reading the result would give other blocks. O(n).
    public func write(_ text: StyledText) -> Written {
        let (blocks, unwritten, isInexact) = MarkdownTreeMaker.blocks(of: text)
        let lost = unwritten.sorted()
        if blocks == ownBlocks {
            return Written(source: source, lostAttributes: lost, isExact: !isInexact)
        }
        var check = MarkdownHTMLCheck(known: parts.map(\.block))
        let changed = Set(kept(in: blocks).enumerated().filter { $0.element == nil }.map(\.offset))
        var form = MarkdownHTMLCheck.Form()
        for (i, block) in blocks.enumerated() {
            if changed.contains(i) { check.add(block, to: &form) } else { form.add(block) }
        }
        let first = written(form)
        let changedBytes = changed.reduce(0) { sum, index in blocks[index].texts.reduce(sum) { $0 + $1.count } }
        if first.isRead || !form.hasHTML {
            return Written(
                source: first.source, lostAttributes: lost,
                isExact: first.isExact && !isInexact && !form.isInexact, changedBytes: changedBytes)
        }
        // The written HTML is not read back as the same HTML beside its neighbours, for example if it begins a comment
        // that has no end. So write all HTML of the changed blocks as text.
        var plain = MarkdownHTMLCheck.Form()
        for (i, block) in blocks.enumerated() {
            if changed.contains(i), block.hasHTML { plain.isInexact = plain.isInexact || block.hasHTMLBlocks }
            plain.add(changed.contains(i) ? block.withoutHTML : block)
        }
        let second = written(plain)
        guard second.isRead else { return Written(source: first.source, lostAttributes: lost, isExact: false) }
        return Written(
            source: second.source, lostAttributes: lost, isExact: second.isExact && !isInexact && !plain.isInexact,
            changedBytes: changedBytes)
    }

    /// Returns the source for the given blocks, whether reading it gives the wanted blocks, and whether it also keeps
    /// the parts of the old source that the parser does not report.
    private func written(_ form: MarkdownHTMLCheck.Form) -> (source: String, isRead: Bool, isExact: Bool) {
        let (new, wanted) = (form.written, form.read)
        let newline =
            source.utf8.firstIndex(of: 0xa).map {
                $0 > source.utf8.startIndex && source.utf8[source.utf8.index(before: $0)] == 0xd
            } == true ? "\r\n" : "\n"
        var written = ""
        let kept = kept(in: new)
        let frontMatter = String(decoding: source.utf8.prefix(front), as: UTF8.self)
        // A block may be read differently beside new neighbours, for example a list beside a list. In that case, more
        // and more unchanged blocks around each change are written anew, until reading the result gives the blocks of
        // the text.
        func merges(isPlain: Bool) -> [() -> Attempt?] {
            Self.spread.prefix { $0 < new.count }.map { spread in
                { Attempt(source: merged(new, Self.without(spread, aroundSeamsOf: kept), newline, isPlain: isPlain)) }
            }
        }
        let all: [() -> Attempt?] = [
            { Attempt(source: respelled(new, newline)) },
            { Attempt(source: frontMatter + Self.canonical(new, newline)) },
        ]
        let attempts =
            [{ patched(new, wanted, kept, newline) }] + merges(isPlain: true) + merges(isPlain: false) + all
        // Among the sources that give the blocks of the text when read, prefer one that also keeps the parts that the
        // parser does not report, such as definitions.
        var lossy: String?
        let unread = MarkdownUnread(
            source, parts.map(\.block), parts.flatMap(\.pieces), deleted: deletedCells(new, kept))
        for attempt in attempts {
            guard let attempt = attempt() else { continue }
            written = attempt.source
            guard let top = attempt.top ?? MarkdownReader.read(written.utf8), top.map(\.block) == wanted else {
                continue
            }
            let isKept = unread.isKept(in: MarkdownUnread(written, wanted, top.flatMap(\.pieces)))
            if isKept { return (written, true, true) }
            // If a second source that gives the blocks of the text also loses unreported parts, use the first one:
            // later sources write more blocks anew, and lose more.
            if let lossy { return (lossy, true, false) }
            lossy = written
        }
        return (lossy ?? written, lossy != nil, false)
    }

    /// Returns the byte ranges of cells beyond the columns of tables, in tables and rows that were deleted. These cells
    /// are not shown, and were deleted with their rows.
    private func deletedCells(_ new: [MarkdownBlock], _ kept: [Int?]) -> [Range<Int>] {
        func isTable(_ block: MarkdownBlock) -> Bool { if case .table = block { true } else { false } }
        let bytes = Array(source.utf8)
        var result: [Range<Int>] = []
        var (index, part) = (0, 0)
        while index <= new.count {
            let end = kept[index...].firstIndex { $0 != nil } ?? new.count
            let last = end < new.count ? kept[end] ?? part : parts.count
            let tables = new[index..<end].filter(isTable)
            let old = parts[part..<max(part, last)].filter { isTable($0.block) }
            // Old and new tables between the same unchanged blocks correspond if there are as many of each. Otherwise
            // count no cell as deleted: new blocks of other kinds may contain the text of a table.
            if index == end || tables.count == old.count {
                for (number, table) in old.enumerated() {
                    let patch = MarkdownTablePatch(table.block, bytes[table.range.lowerBound..<table.end], table.pieces)
                    result += patch?.deletedCells(in: tables.isEmpty ? nil : tables[number]) ?? []
                }
            }
            (index, part) = (end + 1, last + 1)
        }
        return result
    }

    /// A source that is tried for an edited text, and the blocks that reading it gives; nil if it was not read yet.
    private struct Attempt {
        var source: String
        var top: [MarkdownTopBlock]?
    }

    /// The blocks of ``text``: those of the source, except for a few that styled text cannot express.
    private var ownBlocks: [MarkdownBlock] {
        own.blocks.withLock { known in
            if let known { return known }
            let blocks = MarkdownTreeMaker.blocks(of: text).blocks
            known = blocks
            return blocks
        }
    }

    /// The blocks of the text, computed at the first write, and kept for further writes.
    private final class OwnBlocks: Sendable {
        let blocks = Mutex<[MarkdownBlock]?>(nil)
    }

    /// Writes a text that was not read from Markdown, in a uniform style. O(n).
    public static func write(_ text: StyledText) -> Written { MarkdownDocument().write(text) }

    static func blocks(of source: String) -> [MarkdownBlock]? { MarkdownReader.read(source.utf8)?.map(\.block) }

    static func canonical(_ blocks: [MarkdownBlock], _ newline: String, isPlain: Bool = false) -> String {
        MarkdownWriter.lines(blocks, isPlain: isPlain).map { $0 + newline }.joined()
    }

    /// Returns the front matter, all blocks in a uniform style, and the link definitions of the source.
    private func respelled(_ new: [MarkdownBlock], _ newline: String) -> String {
        let bytes = Array(source.utf8)
        let all =
            bytes[front..<(parts.first?.range.lowerBound ?? bytes.count)] + definitions(parts[...], bytes, newline)
        let definitions = String(decoding: all.drop { [0xa, 0xd].contains($0) }, as: UTF8.self)
        let written = Self.canonical(new, newline)
        return String(decoding: bytes[..<front], as: UTF8.self)
            + (definitions.isEmpty ? written : written.isEmpty ? definitions : written + newline + definitions)
    }

    /// Returns the source of this document with its changed blocks replaced.
    ///
    /// - Parameters:
    ///   - kept: for each new block the index of the part of the source from which it comes, unchanged or edited;
    ///     nil for a block to be written anew.
    ///   - isPlain: whether punctuation is written without escapes where it is read as text anyway.
    ///   - patched: the new sources of the blocks that come from edited parts, by index in `new`.
    private func merged(
        _ new: [MarkdownBlock], _ kept: [Int?], _ newline: String, isPlain: Bool, _ patched: [Int: [UInt8]] = [:]
    ) -> String {
        let bytes = Array(source.utf8)
        var out = Array(bytes[..<(parts.first?.range.lowerBound ?? bytes.count)])
        /// Ends the last line, and adds a blank line before the next block.
        func separate() {
            guard !out.isEmpty else { return }
            let blanks = out.reversed().prefix { [0xa, 0xd, 0x20, 0x9].contains($0) }
            var count = blanks.count { $0 == 0xa }
            while count < 2 {
                out += newline.utf8
                count += 1
            }
        }
        var next = 0
        var run: [MarkdownBlock] = []
        func flush() {
            guard !run.isEmpty else { return }
            separate()
            out += Self.canonical(run, newline, isPlain: isPlain).utf8
            run = []
        }
        for (index, block) in new.enumerated() {
            guard let part = kept[index] else {
                run.append(block)
                continue
            }
            if part < next {
                // This block and the previous one replace the same part of the source: add only the block's new source.
                out += patched[index] ?? []
                continue
            }
            let gone = definitions(parts[next..<part], bytes, newline)
            if !run.isEmpty || part != next || next == 0 {
                flush()
                if !gone.isEmpty {
                    separate()
                    out += gone
                }
                if index > 0 { separate() }
            }
            out += patched[index] ?? Array(bytes[parts[part].range])
            next = part + 1
        }
        let gone = definitions(parts[next...], bytes, newline)
        let isWhole = run.isEmpty && next == parts.count
        flush()
        if !gone.isEmpty {
            separate()
            out += gone
        } else if !isWhole {
            // The end of the text is new, so end it with a single line end instead of the old end of the source.
            while let last = out.last, last == 0xa || last == 0xd { out.removeLast() }
            if !out.isEmpty { out += newline.utf8 }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Returns the source with the edits of changed blocks applied to the old source of these blocks. Nil if no way to
    /// apply them gives the new blocks when read.
    ///
    /// There are several ways to apply an edit (``MarkdownPatch/Side``). The first way is tried for all edited blocks.
    /// Blocks that are then read differently are edited in the next way and finally written anew, so that the way of
    /// one block does not depend on the others.
    ///
    /// - Parameter wanted: the blocks that reading the source must give.
    private func patched(
        _ new: [MarkdownBlock], _ wanted: [MarkdownBlock], _ kept: [Int?], _ newline: String
    ) -> Attempt? {
        let sides = MarkdownPatch.Side.allCases
        // First try each ``MarkdownPatch/Side``, and write anew, in place, the blocks and list items that cannot be
        // patched. Then try each side without writing any block anew. Finally, write the edited parts of the texts
        // anew.
        let wayCount = 2 * sides.count + 1
        typealias Way = (kept: [Int?], patched: [Int: [UInt8]])
        var ways: [Int: Way] = [:]
        func way(_ number: Int) -> Way {
            if let known = ways[number] { return known }
            let side = number < 2 * sides.count ? sides[number % sides.count] : nil
            let isInPlace = number < sides.count || side == nil
            let result = patched(new, kept, side, inPlace: isInPlace ? newline : nil)
            ways[number] = result
            return result
        }
        let first = way(0)
        if first.patched.isEmpty { return nil }
        var (all, sources) = first
        var numbers = [Int](repeating: 0, count: new.count)
        for _ in 0...wayCount {
            let written = merged(new, all, newline, isPlain: true, sources)
            guard let top = MarkdownReader.read(written.utf8) else { return nil }
            let read = top.map(\.block)
            if read == wanted { return Attempt(source: written, top: top) }
            var wrong = Self.differing(new, from: read).filter { sources[$0] != nil }
            if wrong.isEmpty {
                let near = Self.differing(new, from: read).flatMap { [$0 - 1, $0 + 1] }
                wrong = Set(near).filter { sources[$0] != nil }.sorted()
            }
            if wrong.isEmpty { return nil }
            for index in wrong {
                let old = sources[index]
                sources[index] = nil
                all[index] = nil
                while sources[index] == nil, numbers[index] + 1 < wayCount {
                    numbers[index] += 1
                    guard let source = way(numbers[index]).patched[index], source != old else { continue }
                    (sources[index], all[index]) = (source, way(numbers[index]).kept[index])
                }
            }
        }
        return nil
    }

    /// Returns the indices of the new blocks that differ from the blocks `read` from the written source, in order. At
    /// least one index if the lists differ and there is a new block.
    static func differing(_ new: [MarkdownBlock], from read: [MarkdownBlock]) -> [Int] {
        let low = zip(new, read).prefix { $0 == $1 }.count
        let most = min(new.count, read.count) - low
        let tail = zip(new.reversed(), read.reversed()).prefix(most).prefix { $0 == $1 }.count
        let (wanted, found) = (new[low..<new.count - tail], read[low..<read.count - tail])
        if wanted.count == found.count { return wanted.indices.filter { wanted[$0] != found[$0] } }
        // The comparison takes quadratic time, so treat all blocks of a long stretch as different.
        if max(wanted.count, found.count) > 1024 { return Array(wanted.indices) }
        let lost = wanted.difference(from: found).insertions.map { change in
            if case .insert(let offset, _, _) = change { low + offset } else { low }
        }
        return lost.isEmpty ? [min(low, new.count - 1)] : lost
    }

    /// Returns two results for the new blocks. The first has for each block the index of the part of the source
    /// from which it comes; nil for none. The second has the new sources of the blocks that come from edited parts,
    /// by index in `new`.
    ///
    /// Unchanged blocks keep the parts given by `kept`. If there are as many changed blocks as changed parts between
    /// two unchanged ones, each of these blocks counts as an edited form of the part with the same index. Otherwise the
    /// items of lists among them are compared one by one.
    ///
    /// - Parameters:
    ///   - side: the side of marks for inserted text; nil to write the edited part of each text anew.
    ///   - newline: the line end for the list items and blocks that are written anew in the place of the old ones.
    ///     The text between blocks stays. Nil to patch only blocks of which just the text or the styles were edited.
    private func patched(
        _ new: [MarkdownBlock], _ kept: [Int?], _ side: MarkdownPatch.Side?, inPlace newline: String?
    ) -> (kept: [Int?], patched: [Int: [UInt8]]) {
        let bytes = Array(source.utf8)
        var (all, patched) = (kept, [Int: [UInt8]]())
        var known: MarkdownStylePatch?
        func styles() -> MarkdownStylePatch {
            let first = parts.first?.range.lowerBound ?? front
            let result =
                known ?? MarkdownStylePatch(definitions: bytes[front..<first] + definitions(parts[...], bytes, "\n"))
            known = result
            return result
        }
        var index = 0
        var part = 0
        while index < new.count {
            if let known = kept[index] {
                part = known + 1
                index += 1
                continue
            }
            let end = kept[index...].firstIndex { $0 != nil } ?? new.count
            let last = end < new.count ? kept[end] ?? part : parts.count
            func edit(_ i: Int, from place: Int) {
                let old = parts[place]
                // The block equals the part, but ``kept(in:)`` has not matched them because the block occurs several
                // times: keep the part.
                if old.block == new[i] {
                    all[i] = place
                    return
                }
                guard
                    let source = side.flatMap({ edited(old, as: new[i], bytes, $0, styles) })
                        ?? newline.flatMap({ _ in spliced(old, as: new[i], bytes, styles) })
                        ?? newline.flatMap({ respelled(old, as: new[i], bytes, $0, keepingInner: side != nil) })
                else { return }
                (all[i], patched[i]) = (place, source)
            }
            if last - part == end - index {
                for i in index..<end { edit(i, from: part + i - index) }
            } else if let newline {
                // First compare the blocks before and after the lists one by one, because they may be edited too.
                var (first, rest) = (index, part)
                while first < end, rest < last, new[first].isEdited(parts[rest].block) {
                    edit(first, from: rest)
                    (first, rest) = (first + 1, rest + 1)
                }
                var (after, behind) = (end, last)
                while after > first, behind > rest, new[after - 1].isEdited(parts[behind - 1].block) {
                    (after, behind) = (after - 1, behind - 1)
                    edit(after, from: behind)
                }
                if let sources = regrouped(rest..<behind, as: new[first..<after], bytes, newline) {
                    for (i, source) in zip(first..<after, sources) {
                        (all[i], patched[i]) = (i == after - 1 ? behind - 1 : rest, source)
                    }
                }
            }
            index = end
        }
        return (all, patched)
    }

    /// Returns the source of a part with the edits of its block's texts and styles; nil if they cannot be applied to
    /// it.
    ///
    /// - Parameter styles: returns the patch for styles. If the texts were edited too, the patch is applied only with
    ///   the last case of `MarkdownPatch.Side`: with an earlier one, the inserted text may already have the right
    ///   styles.
    private func edited(
        _ old: Part, as new: MarkdownBlock, _ bytes: [UInt8], _ side: MarkdownPatch.Side,
        _ styles: () -> MarkdownStylePatch
    ) -> [UInt8]? {
        let patch = MarkdownPatch(old.block, old.pieces, bytes[old.range])
        let texts = patch.source(for: new, side)
        guard texts == nil || side == MarkdownPatch.Side.allCases.last, new.isSameKind(as: old.block) else {
            return texts
        }
        let styles = styles()
        guard let texts else { return styles.source(from: old.block, old.pieces, bytes[old.range], to: new) }
        guard let read = styles.read(texts), read.block != new else { return texts }
        return styles.source(from: read.block, read.pieces, texts[...], to: new) ?? texts
    }

    /// Returns the source of a part with the edited stretches of its block's texts written anew; nil if that cannot be
    /// done, or if the block is large.
    private func spliced(
        _ old: Part, as new: MarkdownBlock, _ bytes: [UInt8], _ styles: () -> MarkdownStylePatch
    ) -> [UInt8]? {
        guard new.isSameKind(as: old.block) else { return nil }
        let styles = styles()
        guard styles.mayRead(old.range.count) else { return nil }
        return MarkdownSplice.source(
            from: old.block, old.pieces, bytes[old.range], endsAt: old.end, to: new
        ) { styles.read($0)?.block == new }
    }

    /// Returns the sources of new blocks that replace other blocks. Items and blocks that both have are kept as in the
    /// source. Nil if both have no item in common, if the old blocks contain definitions, if both together are more
    /// than 64 blocks, or if an item's marker cannot be written.
    private func regrouped(
        _ old: Range<Int>, as new: ArraySlice<MarkdownBlock>, _ bytes: [UInt8], _ newline: String
    ) -> [[UInt8]]? {
        guard !old.isEmpty, old.count + new.count <= 64 else { return nil }
        let whole = parts[old.lowerBound].range.lowerBound..<parts[old.upperBound - 1].end
        let lines = bytes[whole].split { $0 == 0xa || $0 == 0xd }
        if lines.contains(where: { MarkdownBlockFinder.isDefinition($0) }) { return nil }
        var grouping = MarkdownRegrouping(bytes, newline)
        for part in parts[old] {
            let lines = part.range.lowerBound..<part.end
            let list = MarkdownListPatch(part.block, part.items, bytes, lines, part.pieces, mostEnd: part.end)
            grouping.add(part.block, lines, list)
        }
        guard var sources = grouping.sources(for: new), !sources.isEmpty else { return nil }
        // The last new block keeps the bytes that follow the old blocks, such as blank lines.
        let last = parts[old.upperBound - 1]
        sources[sources.count - 1] += bytes[last.end..<last.range.upperBound]
        return sources
    }

    /// Returns the new source of a part whose block has become another one, together with the old bytes after the
    /// part's lines. In a list or table, only the changed items or rows are written anew. Nil if the two blocks are of
    /// different kinds, or if the part contains definitions that the new lines cannot contain.
    ///
    /// - Parameter keepsInner: whether edited items keep the source of their blocks that were not edited.
    private func respelled(
        _ old: Part, as new: MarkdownBlock, _ bytes: [UInt8], _ newline: String, keepingInner keepsInner: Bool
    ) -> [UInt8]? {
        guard new.isSameKind(as: old.block) else { return nil }
        let lines = old.range.lowerBound..<old.end
        if let list = MarkdownListPatch(old.block, old.items, bytes, lines, old.pieces, mostEnd: old.range.upperBound),
            let written = list.source(
                for: new, newline,
                inner: !keepsInner || depth >= Self.deepest
                    ? nil : { edited($0, from: $1, to: $2, newline, depth: depth + 1) })
        {
            return written + bytes[list.end..<old.range.upperBound]
        }
        let code = MarkdownCodePatch(old.block, bytes[lines])
        let patched =
            code?.source(for: new, newline)
            ?? MarkdownTablePatch(old.block, bytes[lines], old.pieces)?.source(for: new, newline)
        var written = patched ?? Array(Self.canonical([new], newline, isPlain: true).utf8)
        let definitions = MarkdownUnread.definitions(in: lines, bytes, old.pieces)
        if !definitions.isEmpty {
            guard case .quote = new else { return nil }
            written += (">" + newline).utf8
            for line in definitions { written += "> ".utf8 + line + newline.utf8 }
        }
        return written + bytes[old.end..<old.range.upperBound]
    }

    /// The largest number of items around blocks whose source is edited as a document of its own. Each level may take
    /// several attempts.
    private static let deepest = 3
    /// The size in bytes of the longest source of an item that is edited in this way.
    private static let longestItem = 1 << 16

    /// Returns the source of an item's blocks after an edit. It is edited as a document of its own. Nil if it is long, is
    /// not read as the old blocks by itself, or is not read as the new blocks after the edit.
    private func edited(
        _ source: [UInt8], from old: [MarkdownBlock], to new: [MarkdownBlock], _ newline: String, depth: Int
    ) -> [UInt8]? {
        guard source.count <= Self.longestItem, !old.isEmpty, !new.isEmpty,
            var document = try? MarkdownDocument(String(decoding: source, as: UTF8.self)),
            document.parts.map(\.block) == old
        else { return nil }
        document.depth = depth
        let kept = document.kept(in: new)
        if let patched = document.patched(new, new, kept, newline) { return Array(patched.source.utf8) }
        let merged = document.merged(new, kept, newline, isPlain: true)
        return Self.blocks(of: merged) == new ? Array(merged.utf8) : nil
    }

    /// Returns for each block the index of the equal part of the source; nil for none. Matches equal blocks at the
    /// start and at the end of the document, and between them, in order, those that occur only once in that part of the
    /// source.
    private func kept(in new: [MarkdownBlock]) -> [Int?] {
        var result = [Int?](repeating: nil, count: new.count)
        var low = 0
        while low < min(new.count, parts.count), new[low] == parts[low].block {
            result[low] = low
            low += 1
        }
        var tail = 0
        while tail < min(new.count, parts.count) - low, new[new.count - 1 - tail] == parts[parts.count - 1 - tail].block
        {
            result[new.count - 1 - tail] = parts.count - 1 - tail
            tail += 1
        }
        var places: [MarkdownBlock: Int?] = [:]
        for i in low..<parts.count - tail {
            places[parts[i].block] = places[parts[i].block] == nil ? .some(i) : .some(nil)
        }
        var next = low
        for i in low..<new.count - tail {
            guard let found = places[new[i]], let place = found, place >= next else { continue }
            result[i] = place
            next = place + 1
        }
        return result
    }

    /// The numbers of unchanged blocks on each side of a change that are written anew. They are tried in this order.
    private static let spread = [0, 1, 4, 16, 64]

    /// Returns `kept` with nil for the blocks up to `spread` blocks away from a change. A change is a new or edited
    /// block, or a position between two kept blocks at which others were removed.
    private static func without(_ spread: Int, aroundSeamsOf kept: [Int?]) -> [Int?] {
        guard spread > 0 else { return kept }
        var result = kept
        for index in kept.indices {
            let isSeam = kept[index] == nil || index > 0 && kept[index - 1].map { $0 + 1 } != kept[index]
            guard isSeam else { continue }
            for near in max(0, index - spread)..<min(kept.count, index + spread + 1) { result[near] = nil }
        }
        return result
    }

    /// Returns the link definitions in removed parts and after them, because blocks in other parts may refer to them.
    private func definitions(_ gone: ArraySlice<Part>, _ bytes: [UInt8], _ newline: String) -> [UInt8] {
        var result: [UInt8] = []
        for part in gone {
            let lines = bytes[part.end..<part.range.upperBound].split(separator: 0xa, omittingEmptySubsequences: false)
            let start =
                lines.firstIndex { $0.first { $0 != 0x20 } == 0x5b }.map { lines[$0].startIndex }
                ?? part.range.upperBound
            // A quotation or list may also contain definitions, even after its last text.
            let inner = MarkdownUnread.definitions(in: part.range.lowerBound..<start, bytes, part.pieces)
            for line in inner { result += line + newline.utf8 }
            result += bytes[start..<part.range.upperBound]
        }
        return result
    }
}

extension MarkdownBlock {
    /// Whether this block may be an edited form of another one: both are of the same kind, and not lists.
    fileprivate func isEdited(_ other: MarkdownBlock) -> Bool {
        if case .list = self { return false }
        return isSameKind(as: other)
    }

    /// Whether this block is of the same kind as another one, so that its source can be written in place of the
    /// other's.
    fileprivate func isSameKind(as other: MarkdownBlock) -> Bool {
        switch (self, other) {
        case (.paragraph, .paragraph), (.header, .header), (.code, .code), (.table, .table), (.quote, .quote),
            (.list, .list):
            true
        default: false
        }
    }
}

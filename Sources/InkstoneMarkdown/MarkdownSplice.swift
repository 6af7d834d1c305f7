import InkstoneText

/// The source of a block of which a part was edited: only that part is written anew, up to the nearest places at which
/// text without styles is literally in the source. The rest keeps its spelling, for example its escapes, entities,
/// addresses and kinds of marks.
struct MarkdownSplice {
    /// A part of one of the block's texts that is written anew.
    private struct Cut {
        /// The bytes of the source that are replaced.
        var range: Range<Int>
        /// The new text and styles.
        var inlines: [MarkdownInline]
        var place: MarkdownText.Place
        /// Whether text of the source is before and after the part, in the same paragraph, heading or cell.
        var isBehindText: Bool
        var isBeforeText: Bool
    }

    /// A text as bytes, with the run of each byte.
    private struct Flat {
        let inlines: [MarkdownInline]
        private(set) var bytes: [UInt8] = []
        private(set) var runs: [Int] = []

        init(_ inlines: [MarkdownInline]) {
            self.inlines = inlines
            for (index, inline) in inlines.enumerated() {
                bytes += inline.text.utf8
                runs += [Int](repeating: index, count: bytes.count - runs.count)
            }
        }

        /// Whether a byte has no style, link or picture.
        func isPlain(_ offset: Int) -> Bool {
            let inline = inlines[runs[offset]]
            return inline.roles.isEmpty && inline.hasRolesOnly
        }

        func splitsScalar(_ offset: Int) -> Bool { offset < bytes.count && bytes[offset] & 0xc0 == 0x80 }

        /// Returns the runs in a range of bytes, which must not split scalars.
        func slice(_ range: Range<Int>) -> [MarkdownInline] {
            var result: [MarkdownInline] = []
            var at = range.lowerBound
            while at < range.upperBound {
                let end = runs[at..<range.upperBound].firstIndex { $0 != runs[at] } ?? range.upperBound
                var inline = inlines[runs[at]]
                inline.text = String(decoding: bytes[at..<end], as: UTF8.self)
                result.append(inline)
                at = end
            }
            return result
        }
    }

    /// Returns the source of a block in which a part of each edited text is replaced. Nil if the blocks have different
    /// numbers of texts, the places around an edit are not in the source, or no result is read as the new block.
    ///
    /// - Parameters:
    ///   - pieces: the byte ranges of the old block's texts in the source.
    ///   - source: the old block's source.
    ///   - end: the end of the block's own lines in the source.
    ///   - isRead: whether a source is read as the new block.
    static func source(
        from old: MarkdownBlock, _ pieces: ArraySlice<Range<Int>>, _ source: ArraySlice<UInt8>, endsAt end: Int,
        to new: MarkdownBlock, _ isRead: ([UInt8]) -> Bool
    ) -> [UInt8]? {
        let (before, after, kinds) = (old.styledTexts, new.styledTexts, old.textPlaces)
        guard before.count == after.count, before.count == kinds.count else { return nil }
        let places = MarkdownPatch(old, pieces, source).places
        var cuts: [Cut] = []
        var start = 0
        for index in before.indices {
            let flat = Flat(before[index])
            let own = places[start..<start + flat.bytes.count]
            start += flat.bytes.count
            guard before[index] != after[index] else { continue }
            guard let kind = kinds[index] else { return nil }
            var whole: Range<Int>?
            if case .paragraph = old { whole = text(in: source[..<end]) }
            guard let cut = cut(flat, Flat(after[index]), Array(own), kind, whole) else { return nil }
            cuts.append(cut)
        }
        guard !cuts.isEmpty else { return nil }
        var tried: Set<[UInt8]> = []
        for spelling in [MarkdownText.Spelling.plain, .marks, .plainTags] {
            var written: [UInt8] = []
            var done = source.startIndex
            for cut in cuts {
                guard cut.range.lowerBound >= done else { return nil }
                var writer = MarkdownText(
                    spelling, cut.place, isBehindText: cut.isBehindText, isBeforeText: cut.isBeforeText)
                written += source[done..<cut.range.lowerBound] + writer.write(cut.inlines).utf8
                done = cut.range.upperBound
            }
            written += source[done...]
            if tried.insert(written).inserted, isRead(written) { return written }
        }
        return nil
    }

    /// Returns the range of a paragraph's lines without the blanks and line ends around them.
    private static func text(in lines: ArraySlice<UInt8>) -> Range<Int>? {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x9, 0xa, 0xd].contains(byte) }
        guard let first = lines.firstIndex(where: { !isBlank($0) }), let last = lines.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return first..<last + 1
    }

    /// Returns the part of a text that is written anew; nil if its ends are not in the source.
    ///
    /// - Parameters:
    ///   - places: for each byte of the old text its offset in the source; -1 if it is not there.
    ///   - whole: the range of the whole text in the source; nil if it is not known.
    private static func cut(
        _ old: Flat, _ new: Flat, _ places: [Int], _ place: MarkdownText.Place, _ whole: Range<Int>?
    ) -> Cut? {
        func isEqual(_ a: Int, _ b: Int) -> Bool {
            guard old.bytes[a] == new.bytes[b] else { return false }
            return old.isPlain(a) ? new.isPlain(b) : old.inlines[old.runs[a]].isStyled(like: new.inlines[new.runs[b]])
        }
        let most = min(old.bytes.count, new.bytes.count)
        var low = 0
        while low < most, isEqual(low, low) { low += 1 }
        var tail = 0
        while tail < most - low, isEqual(old.bytes.count - 1 - tail, new.bytes.count - 1 - tail) { tail += 1 }
        while low > 0, old.splitsScalar(low) || new.splitsScalar(low) || !old.isPlain(low - 1) || places[low - 1] < 0 {
            low -= 1
        }
        while tail > 0 {
            let at = old.bytes.count - tail
            // The byte before belongs to the same stretch of the source, so no backslash or mark is between them.
            let isApart =
                at > 0 && old.isPlain(at) && old.runs[at] == old.runs[at - 1] && places[at] >= 0
                && places[at - 1] == places[at] - 1
            if isApart, !old.splitsScalar(at) { break }
            tail -= 1
        }
        guard let start = low > 0 ? places[low - 1] + 1 : whole?.lowerBound,
            let end = tail > 0 ? places[old.bytes.count - tail] : whole?.upperBound, start <= end
        else { return nil }
        return Cut(
            range: start..<end, inlines: new.slice(low..<new.bytes.count - tail), place: place, isBehindText: low > 0,
            isBeforeText: tail > 0)
    }
}

extension MarkdownBlock {
    /// For each of ``styledTexts`` the kind of its block; nil for lines of code and HTML.
    fileprivate var textPlaces: [MarkdownText.Place?] {
        switch self {
        case .paragraph: [.paragraph]
        case .header: [.header]
        case .code(_, let lines), .html(let lines): lines.map { _ in nil }
        case .thematicBreak: []
        case .table(_, let rows): rows.flatMap { $0.map { _ in .cell } }
        case .quote(let blocks): blocks.flatMap(\.textPlaces)
        case .list(_, let items): items.flatMap { $0.blocks.flatMap(\.textPlaces) }
        }
    }
}

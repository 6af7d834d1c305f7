import InkstoneText

/// The source of a block of which a part was edited: only that part is written anew, up to the nearest positions at
/// which text without styles is literally in the source. The rest keeps its spelling, for example its escapes,
/// entities, addresses and kinds of marks.
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

        /// Returns the source of the new text.
        func text(_ spelling: MarkdownText.Spelling) -> String {
            var writer = MarkdownText(spelling, place, isBehindText: isBehindText, isBeforeText: isBeforeText)
            return writer.write(inlines)
        }
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

        /// Whether a line of the source ends at a byte: a soft break or a line break begins there.
        func isLineEnd(_ offset: Int) -> Bool {
            guard offset < bytes.count else { return false }
            return inlines[runs[offset]].roles.contains(.softBreak)
                || bytes[offset...].starts(with: Self.lineSeparator)
        }

        /// Whether a soft break or a line break ends before a byte.
        func isLineEnd(before offset: Int) -> Bool {
            guard offset > 0 else { return false }
            return inlines[runs[offset - 1]].roles.contains(.softBreak)
                || offset > 2 && bytes[(offset - 3)..<offset].elementsEqual(Self.lineSeparator)
        }

        /// U+2028 in UTF-8, which expresses a line break.
        private static let lineSeparator: [UInt8] = [0xe2, 0x80, 0xa8]

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

    /// A block of the source.
    private struct Original {
        let patch: MarkdownPatch
        /// The block's own lines.
        let lines: ArraySlice<UInt8>
        /// Whether the block is a paragraph. If so, the part to write may begin or end where the lines do.
        let isParagraph: Bool
    }

    /// Returns the source of a block in which a part of each edited text is replaced. Nil if the blocks have different
    /// numbers of texts, the text around an edit is not in the source, or no result is read as the new block.
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
        let isParagraph = if case .paragraph = old { true } else { false }
        let original = Original(
            patch: MarkdownPatch(old, pieces, source), lines: source[..<end], isParagraph: isParagraph)
        var tried: Set<[UInt8]> = []
        // Prefer the ends of styles next to the edit, so that the styled text beside it keeps its marks.
        for (isDivided, keepsStyles) in [(true, true), (true, false), (false, true), (false, false)] {
            let cuts = cuts(before, after, kinds, of: original, isDivided: isDivided, keepsStyles: keepsStyles)
            guard let cuts, !cuts.isEmpty else { continue }
            for spelling in [MarkdownText.Spelling.plain, .marks, .plainTags] {
                let texts = cuts.map { $0.text(spelling) }
                guard let written = written(texts, in: cuts, source), tried.insert(written).inserted else { continue }
                guard isRead(written) else { continue }
                if spelling == .plain { return written }
                // Only a few of the signs may need a backslash. Labels of footnotes, formulas and names of emoji beside
                // them must get none, or other programs would read them as text.
                let isTable = cuts.contains { $0.place == .cell }
                let needed = MarkdownEscapes.needed(in: texts, isTable: isTable) { texts in
                    Self.written(texts, in: cuts, source).map(isRead) ?? false
                }
                return Self.written(needed, in: cuts, source) ?? written
            }
        }
        return nil
    }

    /// Returns the parts of the edited texts that are written anew, in order; nil if the ends of a part are not in the
    /// source.
    ///
    /// - Parameters:
    ///   - isDivided: whether several edits of a text are parts of their own, so that the text between them stays.
    ///   - keepsStyles: whether a part may begin or end with the marks of a style.
    private static func cuts(
        _ before: [[MarkdownInline]], _ after: [[MarkdownInline]], _ kinds: [MarkdownText.Place?],
        of original: Original, isDivided: Bool, keepsStyles: Bool
    ) -> [Cut]? {
        var cuts: [Cut] = []
        var start = 0
        for index in before.indices {
            let flat = Flat(before[index])
            let own = start..<start + flat.bytes.count
            start = own.upperBound
            guard before[index] != after[index] else { continue }
            guard let kind = kinds[index] else { return nil }
            let new = Flat(after[index])
            let ends = isDivided ? divisions(flat, new, Array(original.patch.places[own])) : []
            var (first, firstNew) = (0, 0)
            for end in ends + [(flat.bytes.count, new.bytes.count)] {
                let (part, newPart) = (flat.slice(first..<end.0), new.slice(firstNew..<end.1))
                let place = own.lowerBound + first..<own.lowerBound + end.0
                (first, firstNew) = end
                if part == newPart { continue }
                let cut = cut(Flat(part), Flat(newPart), place, of: original, kind, keepsStyles: keepsStyles)
                guard let cut else { return nil }
                cuts.append(cut)
            }
        }
        return cuts
    }

    /// The maximum number of bytes from the first to the last edit of a text that is divided, because finding the equal
    /// words takes quadratic time.
    private static let mostDivided = 4096

    /// Returns positions between the edits of a text, as offsets in the old and the new text, in order: one for each
    /// stretch of equal words. Text without styles that is literally in the source is on both sides of a position.
    ///
    /// - Parameter places: the offset in the source of each byte of the old text; -1 if it is not there literally.
    private static func divisions(_ old: Flat, _ new: Flat, _ places: [Int]) -> [(Int, Int)] {
        let most = min(old.bytes.count, new.bytes.count)
        let low = zip(old.bytes, new.bytes).prefix { $0 == $1 }.count
        let tail = zip(old.bytes.reversed(), new.bytes.reversed()).prefix(most - low).prefix { $0 == $1 }.count
        guard max(old.bytes.count, new.bytes.count) - low - tail <= mostDivided else { return [] }
        let words = Self.words(old.bytes[low..<old.bytes.count - tail])
        let newWords = Self.words(new.bytes[low..<new.bytes.count - tail])
        var (gone, added): (Set<Int>, Set<Int>) = ([], [])
        for change in newWords.difference(from: words) {
            switch change {
            case .remove(let offset, _, _): gone.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        /// Whether four bytes around a position are text in one run without styles.
        func isPlain(_ flat: Flat, _ at: Int) -> Bool {
            flat.isPlain(at) && flat.runs[at - 2] == flat.runs[at + 1]
                && flat.bytes[(at - 2)...(at + 1)].allSatisfy { $0 < 0x80 && $0 >= 0x20 }
        }
        var result: [(Int, Int)] = []
        var (index, newIndex, isDivided) = (0, 0, false)
        while index < words.count, newIndex < newWords.count {
            if gone.contains(index) || added.contains(newIndex) {
                if gone.contains(index) { index += 1 } else { newIndex += 1 }
                isDivided = false
                continue
            }
            let (word, start) = (words[index], newWords[newIndex].startIndex)
            (index, newIndex) = (index + 1, newIndex + 1)
            if isDivided || word.count < 4 { continue }
            let found = (word.startIndex + 2..<word.endIndex - 1).first { at in
                places[at - 2] >= 0 && places[at + 1] == places[at - 2] + 3 && isPlain(old, at)
                    && isPlain(new, start + at - word.startIndex)
            }
            guard let found else { continue }
            result.append((found, start + found - word.startIndex))
            isDivided = true
        }
        return result
    }

    /// Returns the words of a text, each with the space behind it.
    private static func words(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var result: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let end = rest.firstIndex(of: 0x20) {
            result.append(rest[...end])
            rest = rest[(end + 1)...]
        }
        return rest.isEmpty ? result : result + [rest]
    }

    /// Returns the source with its cuts replaced by texts; nil if the cuts overlap.
    private static func written(
        _ texts: [String], in cuts: [Cut], _ source: ArraySlice<UInt8>
    ) -> [UInt8]? {
        let newline: [UInt8] = source.contains(0xd) ? [0xd, 0xa] : [0xa]
        var written: [UInt8] = []
        var done = source.startIndex
        for (cut, text) in zip(cuts, texts) {
            guard cut.range.lowerBound >= done else { return nil }
            written += source[done..<cut.range.lowerBound]
            // The new lines get the marks and blanks before the text of the lines that they replace.
            var prefixes = linePrefixes(cut.range, source)[...]
            let lines = text.utf8.split(separator: 0xa, omittingEmptySubsequences: false)
            for (number, line) in lines.enumerated() {
                if number > 0 {
                    written += newline + (prefixes.first ?? [])
                    if prefixes.count > 1 { prefixes.removeFirst() }
                }
                written += line
            }
            done = cut.range.upperBound
        }
        return written + source[done...]
    }

    /// Returns for each line that begins in a range of a paragraph its blanks and marks of quotations; if none begins
    /// there, those with which a new line of the paragraph must begin.
    private static func linePrefixes(_ range: Range<Int>, _ source: ArraySlice<UInt8>) -> [[UInt8]] {
        func isPrefix(_ byte: UInt8) -> Bool { [0x20, 0x9, 0x3e].contains(byte) }
        let starts = range.filter { source[$0] == 0xa }.map { $0 + 1 }
        if !starts.isEmpty { return starts.map { Array(source[$0...].prefix(while: isPrefix)) } }
        let start = source[..<range.lowerBound].lastIndex(of: 0xa).map { $0 + 1 } ?? source.startIndex
        var (result, rest) = ([UInt8](), source[start..<range.lowerBound])
        while let first = rest.first {
            if isPrefix(first) {
                result.append(first)
                rest = rest.dropFirst()
                continue
            }
            // The marker of a list item.
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            let sign = rest.dropFirst(digits.count).prefix(2)
            guard sign.count == 2, [0x20, 0x9].contains(sign.last),
                (digits.isEmpty ? [0x2a, 0x2b, 0x2d] : [0x29, 0x2e]).contains(sign.first)
            else { break }
            result += [UInt8](repeating: 0x20, count: digits.count + 1)
            rest = rest.dropFirst(digits.count + 1)
        }
        return [result]
    }

    /// Returns the range of a paragraph's lines without the blanks and line ends around them.
    private static func text(in lines: ArraySlice<UInt8>) -> Range<Int>? {
        guard let first = lines.firstIndex(where: { !isBlank($0) }), let last = lines.lastIndex(where: { !isBlank($0) })
        else { return nil }
        return first..<last + 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x9, 0xa, 0xd].contains(byte) }

    /// Returns the offset in the source of the end of one of a block's texts, nil if it is not known.
    private static func end(
        of own: Range<Int>, _ flat: Flat, _ original: Original, _ place: MarkdownText.Place
    ) -> Int? {
        guard place != .cell, let last = own.last(where: { original.patch.places[$0] >= 0 }) else { return nil }
        let known = original.patch.endOfMarks(behind: original.patch.places[last] + 1)
        if last == own.upperBound - 1 { return known }
        guard place == .paragraph else { return nil }
        // The rest of the text, for example a picture, is not in the source literally: the text ends where its last
        // line ends.
        let rest = last + 1 - own.lowerBound..<own.count
        var lineEnds = rest.count { flat.inlines[flat.runs[$0]].roles.contains(.softBreak) }
        var at = known
        while at < original.lines.endIndex, original.lines[at] != 0xa || lineEnds > 0 {
            if original.lines[at] == 0xa { lineEnds -= 1 }
            at += 1
        }
        return original.lines[known..<at].lastIndex { !isBlank($0) }.map { $0 + 1 } ?? known
    }

    /// Returns the part of a text that is written anew; nil if its ends are not in the source.
    ///
    /// - Parameters:
    ///   - own: the range of the text among all bytes of the block's texts.
    private static func cut(
        _ old: Flat, _ new: Flat, _ own: Range<Int>, of original: Original, _ place: MarkdownText.Place,
        keepsStyles: Bool
    ) -> Cut? {
        let places = Array(original.patch.places[own])
        func isEqual(_ a: Int, _ b: Int) -> Bool {
            guard old.bytes[a] == new.bytes[b] else { return false }
            return old.isPlain(a) ? new.isPlain(b) : old.inlines[old.runs[a]].isStyled(like: new.inlines[new.runs[b]])
        }
        /// Whether a run begins or ends at an offset.
        func isEdge(_ flat: Flat, _ offset: Int) -> Bool {
            offset <= 0 || offset >= flat.bytes.count || flat.runs[offset] != flat.runs[offset - 1]
        }
        let most = min(old.bytes.count, new.bytes.count)
        var low = 0
        while low < most, isEqual(low, low) { low += 1 }
        var tail = 0
        while tail < most - low, isEqual(old.bytes.count - 1 - tail, new.bytes.count - 1 - tail) { tail += 1 }
        var start = original.isParagraph ? text(in: original.lines)?.lowerBound : nil
        if start == nil, place != .cell, let first = places.first, first >= 0 {
            start = original.patch.startOfMarks(before: first)
        }
        while low > 0 {
            if places[low - 1] >= 0, !old.splitsScalar(low), !new.splitsScalar(low) {
                if old.isPlain(low - 1) {
                    start = places[low - 1] + 1
                    break
                }
                if keepsStyles, isEdge(old, low), isEdge(new, low) {
                    start = original.patch.endOfMarks(behind: places[low - 1] + 1)
                    break
                }
            }
            // The part may begin with a line of the source: the lines before it keep their spelling.
            if keepsStyles, low < places.count, places[low] >= 0, old.isLineEnd(before: low) {
                start = original.patch.startOfMarks(before: places[low])
                break
            }
            low -= 1
        }
        var end = original.isParagraph ? text(in: original.lines)?.upperBound : self.end(of: own, old, original, place)
        while tail > 0 {
            let at = old.bytes.count - tail
            if at > 0, places[at] >= 0, !old.splitsScalar(at) {
                // The byte before belongs to the same stretch of the source, so no backslash or mark is between them.
                if old.isPlain(at), old.runs[at] == old.runs[at - 1], places[at - 1] == places[at] - 1 {
                    end = places[at]
                    break
                }
                if keepsStyles, !old.isPlain(at), isEdge(old, at), isEdge(new, new.bytes.count - tail) {
                    end = original.patch.startOfMarks(before: places[at])
                    break
                }
            }
            if keepsStyles, at > 0, places[at - 1] >= 0, old.isLineEnd(at) {
                end = original.patch.endOfMarks(behind: places[at - 1] + 1)
                break
            }
            tail -= 1
        }
        guard let start, let end, start <= end else { return nil }
        return Cut(
            range: start..<end, inlines: new.slice(low..<new.bytes.count - tail), place: place, isBehindText: low > 0,
            isBeforeText: tail > 0)
    }
}

extension MarkdownBlock {
    /// For each of ``styledTexts`` the kind of its block; nil for lines of code and HTML.
    var textPlaces: [MarkdownText.Place?] {
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

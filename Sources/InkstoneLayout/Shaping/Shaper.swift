import CShaping
import InkstoneBase
import InkstoneUnicode

/// Converts paragraphs to glyphs: resolves bidi levels, splits the text into items, and shapes these word by word.
/// Each layout thread has its own.
final class Shaper {
    let context: FontContext
    let cache = WordCache()
    let longWords = LongWords()
    private let table = ScalarTable()
    /// Number of glyphs that HarfBuzz has produced so far, for measurements.
    @exclusivity(unchecked) private(set) var shapedGlyphs = 0
    @exclusivity(unchecked) private(set) var styleKeys: [StyleKey: UInt64] = [:]
    @exclusivity(unchecked) private var lastStyle: UInt64 = 0
    @exclusivity(unchecked) private var lastKey: (style: StyleKey, number: UInt64)?

    /// The largest number of style keys (numbers that stand for font, script, direction and features) kept, because a
    /// document could have another style in each line. When it is reached, all are removed.
    static let styleLimit = 1024

    struct StyleKey: Hashable {
        var face: Int32
        var script: UInt32
        var stack: UInt64
        var rtl: Bool
    }

    /// The text before and after the text being shaped, which letters may join.
    @exclusivity(unchecked) private var seams = Seams()
    /// Buffer for the glyphs of the current paragraph, reused.
    @exclusivity(unchecked) private var collected = GlyphBuffer()
    /// Finds grapheme clusters, needed for letter spacing; created on first use.
    @exclusivity(unchecked) private var graphemeBreaker: TextBreaker?
    /// Starts of the grapheme clusters in the current text; nil without letter spacing.
    @exclusivity(unchecked) private var graphemes: GraphemeStarts?

    init(context: FontContext) { self.context = context }

    deinit { collected.deallocate() }

    /// Empties the caches of shaped words.
    func forgetWords() {
        cache.removeAll()
        longWords.removeAll()
    }

    /// Shapes a paragraph without its terminator, or a part of one; for a part, `levels` were resolved in the whole
    /// paragraph. O(n).
    func shape(
        _ text: [UInt16], styles: [StyleSpan], direction: BidiBaseDirection, levels: BidiParagraph? = nil,
        seams: Seams = Seams()
    ) -> ShapedText {
        self.seams = seams
        defer { graphemes = nil }
        return text.withUnsafeBufferPointer { units in
            var highest: UInt16 = 0
            for unit in units { highest |= unit }
            let narrow = highest < 0x300
            if narrow, direction != .rightToLeft, styles.count == 1, highest < 0x80, levels?.levels.isEmpty ?? true {
                return shapeASCII(text, units, styles[0])
            }
            let bidi = levels ?? BidiParagraph(units, baseDirection: direction)
            let items = Itemizer.items(
                of: units, levels: bidi.levels, baseLevel: bidi.baseLevel, styles: styles, table: table)
            var out = collected
            out.removeAll()
            var runs: [ShapedText.Run] = []
            runs.reserveCapacity(items.count)
            if styles.contains(where: { $0.spacing != 0 }) {
                let breaker = graphemeBreaker ?? TextBreaker(.grapheme)
                graphemeBreaker = breaker
                graphemes = GraphemeStarts(text, isNarrow: narrow, breaker)
            }
            var attachments: [Int32: AttachmentBox] = [:]
            for item in items {
                append(item, units, styles[item.style], &out, &runs)
                if item.kind == .attachment { attachments[Int32(item.start)] = styles[item.style].attachment }
            }
            out.keepNarrow()
            collected = out
            return ShapedText(
                text: text, baseLevel: bidi.baseLevel, isPlain: bidi.levels.isEmpty && bidi.baseLevel == 0,
                isNarrow: narrow, glyphs: out.array, runs: runs, levels: bidi.levels, attachments: attachments)
        }
    }

    /// Shapes ASCII text, which has one font, script and direction. Only tabs and controls divide it into runs.
    private func shapeASCII(
        _ text: [UInt16], _ units: UnsafeBufferPointer<UInt16>, _ style: StyleSpan
    ) -> ShapedText {
        var out = collected
        out.removeAll()
        var runs: [ShapedText.Run] = []
        let face = Int32(style.stack.primary.slot)
        var at = 0
        while at < units.count {
            var item = TextItem(
                start: at, end: at + 1, face: face, script: Itemizer.latin, level: 0, kind: .text, style: 0)
            if units[at] == 0x09 {
                item.kind = .tab
            } else if units[at] < 0x20 || units[at] == 0x7f {
                item.kind = .missing
            } else {
                while item.end < units.count, units[item.end] >= 0x20, units[item.end] != 0x7f { item.end += 1 }
            }
            append(item, units, style, isASCII: true, &out, &runs)
            at = item.end
        }
        out.keepNarrow()
        collected = out
        return ShapedText(
            text: text, baseLevel: 0, isPlain: true, isNarrow: true, glyphs: out.array, runs: runs, levels: [])
    }

    /// Appends an item's glyphs and a run for them. `isASCII` means that the paragraph is all ASCII.
    private func append(
        _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, _ style: StyleSpan, isASCII: Bool = false,
        _ out: inout GlyphBuffer, _ runs: inout [ShapedText.Run]
    ) {
        let stack = style.stack
        let first = out.count
        let face = context.faces[Int(item.face)]
        switch item.kind {
        case .attachment:
            out.append(face.spaceGlyph, cluster: item.start, advance: (style.attachment?.width ?? 0) * 64)
        case .tab:
            out.append(face.spaceGlyph, cluster: item.start, advance: face.spaceAdvance * 64)
        case .missing:
            let scalar = ShapedText.scalar(units, item.start, item.end)
            let box = HexBox(scalar: scalar, ascent: face.metrics.ascent, descent: face.metrics.descent)
            out.append(face.spaceGlyph, cluster: item.start, advance: box.advance * 64)
        case .text:
            if item.level & 1 == 0, face.isPlain, stack.features.isEmpty,
                isASCII || isPrintableASCII(units, item)
            {
                appendPlain(item, units, face, &out)
            } else {
                appendWords(item, units, face, stack, &out)
            }
            if style.spacing != 0 {
                out.space(from: first, to: item.end, by: style.spacing, rtl: item.level & 1 == 1, graphemes)
            }
        }
        runs.append(
            ShapedText.Run(
                start: Int32(item.start), end: Int32(item.end), glyphStart: Int32(first), glyphEnd: Int32(out.count),
                face: item.face, level: item.level, kind: item.kind, raise: style.raise,
                primary: Int32(stack.primary.slot)))
    }

    private func isPrintableASCII(_ units: UnsafeBufferPointer<UInt16>, _ item: TextItem) -> Bool {
        for i in item.start..<item.end where units[i] < 0x20 || units[i] > 0x7e { return false }
        return true
    }

    /// Appends one glyph per unit from a table, for a font that has no ligatures or kerning in ASCII.
    private func appendPlain(
        _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, _ face: FontFace, _ out: inout GlyphBuffer
    ) {
        out.append(item.end - item.start) { glyphs in
            for i in item.start..<item.end {
                var glyph = face.plainGlyph(of: units[i])
                glyph.cluster = Int32(truncatingIfNeeded: i)
                (glyphs + (i - item.start)).initialize(to: glyph)
            }
        }
    }

    /// Returns a number that identifies font, script, direction and features. The number is odd if spaces take part in
    /// shaping, so that words cannot be shaped separately.
    private func styleKey(_ item: TextItem, _ face: FontFace, _ stack: FontStack) -> UInt64 {
        let key = StyleKey(face: item.face, script: item.script, stack: stack.number, rtl: item.level & 1 == 1)
        if let lastKey, lastKey.style == key { return lastKey.number }
        let number: UInt64
        if let known = styleKeys[key] {
            number = known
        } else {
            let shapesSpace = cshaping_font_shapes_space(face.handle, item.script)
            // If there are too many numbers, remove all of them. Words cached under these numbers are never found
            // again, and are removed when the cache is next cleared.
            if styleKeys.count >= Self.styleLimit { styleKeys.removeAll(keepingCapacity: true) }
            lastStyle += 1
            number = lastStyle << 1 | (shapesSpace ? 1 : 0)
            styleKeys[key] = number
        }
        lastKey = (key, number)
        return number
    }

    private func appendWords(
        _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, _ face: FontFace, _ stack: FontStack,
        _ out: inout GlyphBuffer
    ) {
        let key = styleKey(item, face, stack)
        if key & 1 == 1 {
            appendLong(item.start, item.end, key, item, units, face, stack, &out)
            return
        }
        var at = item.start
        while at < item.end {
            if units[at] == 0x20, face.spaceGlyph != 0 {
                out.append(face.spaceGlyph, cluster: at, advance: face.spaceAdvance * 64)
                at += 1
                continue
            }
            let end = Self.wordEnd(from: at, to: item.end, units)
            let word = UnsafeBufferPointer(rebasing: units[at..<end])
            if word.count > WordCache.longest || joinsNeighbor(at, end, item, units) {
                appendLong(at, end, key, item, units, face, stack, &out)
                at = end
            } else if cache.append(word, style: key, base: Int32(at), to: &out) {
                at = end
            } else {
                at = appendNewWords(from: at, end, key, item, units, face, stack, &out)
            }
        }
    }

    /// Shapes a word (units `start..<end` of an item) that the word cache does not keep. If a recent version of the
    /// word differs at one position only, just the text around that position is shaped.
    private func appendLong(
        _ start: Int, _ end: Int, _ key: UInt64, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>,
        _ face: FontFace, _ stack: FontStack, _ out: inout GlyphBuffer
    ) {
        let word = UnsafeBufferPointer(rebasing: units[start..<end])
        // If a word has excess marks, their shapes depend on where their chain is cut. Do not reuse parts of such a
        // word.
        guard word.count > WordCache.longest, !joinsNeighbor(start, end, item, units), !hasLongChain(word) else {
            return shapeSpan(start, end, item, units, face, stack, &out)
        }
        let first = out.count
        var part = longWords.part(of: word, style: key)
        if let known = part {
            let fits = longWords.append(known, base: Int32(start), to: &out) { range, out in
                shapeSpan(start + range.lowerBound, start + range.upperBound, item, units, face, stack, &out)
            }
            if !fits { part = nil }
        }
        if part == nil { shapeSpan(start, end, item, units, face, stack, &out) }
        longWords.insert(
            word, style: key, glyphs: out.part(from: first, count: out.count - first), base: Int32(start),
            replacing: part)
    }

    /// Returns whether a word has so long a chain of joined scalars that ``shapeSpan`` would cut the chain.
    private func hasLongChain(_ word: UnsafeBufferPointer<UInt16>) -> Bool {
        var chain = Chain()
        var at = 0
        while at < word.count {
            at += step(&chain, word, at)
            if chain.uncut > Self.joinedAtOnce { return true }
        }
        return false
    }

    @inline(__always)
    private static func wordEnd(from start: Int, to limit: Int, _ units: UnsafeBufferPointer<UInt16>) -> Int {
        var end = start + 1
        while end < limit, units[end] != 0x20 { end += 1 }
        return end
    }

    /// Returns whether a word's first or last letter may join adjacent text in another item. Its shape would then
    /// differ from the same word's shape elsewhere.
    @inline(__always)
    private func joinsNeighbor(
        _ start: Int, _ end: Int, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>
    ) -> Bool {
        if start == item.start, Self.mayJoin(units[start]),
            start > 0 ? units[start - 1] >= 0x600 : (seams.before.last ?? 0) >= 0x600
        {
            return true
        }
        guard end == item.end, Self.mayJoin(units[end - 1]) else { return false }
        return end < units.count ? units[end] >= 0x600 : (seams.behind.first ?? 0) >= 0x600
    }

    /// Returns whether a UTF-16 unit may belong to a cursive script: Arabic and the blocks after it, Mongolian,
    /// Phags-pa, or any surrogate (scripts beyond the basic plane). Also true for the zero-width joiner.
    static func mayJoin(_ unit: UInt16) -> Bool {
        switch unit {
        case 0x600...0x8ff, 0x1800...0x18af, 0x200d, 0xa840...0xa87f, 0xd800...0xdfff: true
        default: false
        }
    }

    /// The largest number of UTF-16 units of new words per HarfBuzz call. A call costs as much as some glyphs.
    private static let newWordsAtOnce = 512

    /// Shapes a word that is not cached, together with the uncached words after it, and caches each. Returns the end of
    /// the last word. Only for fonts in which spaces take no part in shaping, so that a word's shape does not depend on
    /// its neighbours.
    private func appendNewWords(
        from start: Int, _ firstEnd: Int, _ key: UInt64, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>,
        _ face: FontFace, _ stack: FontStack, _ out: inout GlyphBuffer
    ) -> Int {
        var end = firstEnd
        while face.spaceGlyph != 0 {
            var next = end
            while next < item.end, units[next] == 0x20 { next += 1 }
            guard next < item.end, next - start < Self.newWordsAtOnce else { break }
            let nextEnd = Self.wordEnd(from: next, to: item.end, units)
            // A mark at the start of a word is positioned on the space before the word, so such a word must not be
            // shaped alone.
            if nextEnd - next > WordCache.longest || isMark(units[next]) || joinsNeighbor(next, nextEnd, item, units)
                || cache.contains(UnsafeBufferPointer(rebasing: units[next..<nextEnd]), style: key)
            {
                break
            }
            end = nextEnd
        }
        var glyph = out.count
        shapeSpan(start, end, item, units, face, stack, &out)
        var word = start
        while word < end {
            let wordEnd = Self.wordEnd(from: word, to: end, units)
            let first = glyph
            while glyph < out.count, out.cluster(at: glyph) < Int32(wordEnd) { glyph += 1 }
            cache.insert(
                UnsafeBufferPointer(rebasing: units[word..<wordEnd]), style: key,
                glyphs: out.part(from: first, count: glyph - first), base: Int32(word))
            word = wordEnd
            while word < end, units[word] == 0x20 { word += 1 }
            while glyph < out.count, out.cluster(at: glyph) < Int32(word) { glyph += 1 }
        }
        return end
    }

    /// Returns whether a UTF-16 unit is a mark, which belongs to the cluster before it. Always false for surrogates.
    func isMark(_ unit: UInt16) -> Bool { unit >= 0x300 && unit & 0xf800 != 0xd800 && table[UInt32(unit)].isMark }

    /// A sequence of scalars that continue a cluster: marks, joined emoji, consonants after a virama.
    private struct Chain {
        /// Number of scalars since the chain's start or its last cut.
        var uncut = 0
        /// Number of nonspacing marks since the last scalar with an advance.
        var nonspacing = 0
        /// Whether the next scalar belongs to the chain in any case, after a virama or joiner.
        var isOpen = false
    }

    /// Adds the scalar at a unit to the chain, or starts a new chain. Returns the scalar's length in units.
    @inline(__always)
    private func step(_ chain: inout Chain, _ units: UnsafeBufferPointer<UInt16>, _ at: Int) -> Int {
        let unit = units[at]
        if unit < 0x300 {
            chain = Chain()
            return 1
        }
        var (scalar, length) = (UInt32(unit), 1)
        if unit & 0xfc00 == 0xd800, at + 1 < units.count, units[at + 1] & 0xfc00 == 0xdc00 {
            scalar = 0x10000 + (UInt32(unit & 0x3ff) << 10 | UInt32(units[at + 1] & 0x3ff))
            length = 2
        }
        let entry = table[scalar]
        guard chain.isOpen || entry.isMark || (0x1f3fb...0x1f3ff).contains(scalar) else {
            chain = Chain()
            return length
        }
        chain.uncut += 1
        chain.nonspacing = entry.isNonspacing ? chain.nonspacing + 1 : 0
        chain.isOpen = entry.joinsNext
        return length
    }

    /// The largest number of joined scalars per HarfBuzz call; a longer chain is cut. HarfBuzz searches each mark's
    /// base past all marks before it, and ligatures through all joined scalars. Ten thousand scalars would take most
    /// of a second. No font has so long a ligature.
    private static let joinedAtOnce = 32
    /// The largest number of successive marks that are shaped. Further marks would be stacked higher than the area
    /// that is painted: each becomes a space of zero width.
    private static let marksShown = 256

    /// Shapes units `start..<end` of an item, cutting long chains of marks, and appends the glyphs in logical
    /// order.
    private func shapeSpan(
        _ start: Int, _ end: Int, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, _ face: FontFace,
        _ stack: FontStack, _ out: inout GlyphBuffer
    ) {
        guard end - start > Self.joinedAtOnce else { return shapePart(start, end, item, units, face, stack, &out) }
        var (from, at) = (start, start)
        var chain = Chain()
        while at < end {
            let scalar = at
            at += step(&chain, units, at)
            if chain.nonspacing > Self.marksShown {
                if from < scalar { shapePart(from, scalar, item, units, face, stack, &out) }
                out.append(face.spaceGlyph, cluster: scalar, advance: 0)
                (from, chain.uncut) = (at, 0)
            } else if chain.uncut > Self.joinedAtOnce {
                shapePart(from, scalar, item, units, face, stack, &out)
                (from, chain.uncut) = (scalar, 1)
            }
        }
        if from < end { shapePart(from, end, item, units, face, stack, &out) }
    }

    /// Calls HarfBuzz for units `start..<end` of an item and appends the glyphs in logical order.
    private func shapePart(
        _ start: Int, _ end: Int, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, _ face: FontFace,
        _ stack: FontStack, _ out: inout GlyphBuffer
    ) {
        let isAtStart = start < Seams.length && !seams.before.isEmpty
        if isAtStart || units.count - end < Seams.length && !seams.behind.isEmpty {
            return shapeAtSeam(start, end, item, units, face, stack, &out)
        }
        shapePart(start, end, item, units, movedBy: 0, face, stack, &out)
    }

    /// Shapes units near the start or end of the text, whose letters may join the text in ``seams``.
    private func shapeAtSeam(
        _ start: Int, _ end: Int, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, _ face: FontFace,
        _ stack: FontStack, _ out: inout GlyphBuffer
    ) {
        let shift = seams.before.count
        (seams.before + units + seams.behind).withUnsafeBufferPointer {
            shapePart(start + shift, end + shift, item, $0, movedBy: -Int32(shift), face, stack, &out)
        }
    }

    private func shapePart(
        _ start: Int, _ end: Int, _ item: TextItem, _ units: UnsafeBufferPointer<UInt16>, movedBy shift: Int32,
        _ face: FontFace, _ stack: FontStack, _ out: inout GlyphBuffer
    ) {
        var shaped: UnsafePointer<cshaping_glyph>?
        let rtl = item.level & 1 == 1
        let count = stack.features.withUnsafeBufferPointer { features in
            cshaping_shape(
                context.handle, face.handle, units.baseAddress, Int32(units.count), Int32(start),
                Int32(end - start), item.script, rtl, stack.language, features.baseAddress,
                Int32(features.count), &shaped)
        }
        guard let shaped else { return }
        shapedGlyphs += Int(count)
        if rtl {
            for i in stride(from: Int(count) - 1, through: 0, by: -1) {
                var glyph = shaped[i]
                glyph.cluster += shift
                out.append(glyph)
            }
        } else {
            out.append(UnsafeBufferPointer(start: shaped, count: Int(count)), movedBy: shift)
        }
    }
}

import InkstoneText

/// The source of a block of which only styles were edited: marks are inserted or removed at the ends of the restyled
/// text. All other bytes, such as reference links and line breaks, stay as they are.
struct MarkdownStylePatch {
    /// A style that Markdown expresses by marks around a text.
    private enum Style: CaseIterable {
        case strong, emphasis, strikethrough, code, underline

        func isOn(_ inline: MarkdownInline) -> Bool {
            switch self {
            case .strong: inline.roles.contains(.stronglyEmphasized)
            case .emphasis: inline.roles.contains(.emphasized)
            case .strikethrough: inline.roles.contains(.strikethrough)
            case .code: inline.roles.contains(.code)
            case .underline: inline.isUnderlined
            }
        }

        func set(_ isOn: Bool, in inline: inout MarkdownInline) {
            let role: InlinePresentationIntent
            switch self {
            case .strong: role = .stronglyEmphasized
            case .emphasis: role = .emphasized
            case .strikethrough: role = .strikethrough
            case .code: role = .code
            case .underline: return inline.isUnderlined = isOn
            }
            if isOn { inline.roles.insert(role) } else { inline.roles.remove(role) }
        }

        /// The pairs of marks that express the style, the usual ones first.
        var marks: [(open: String, close: String)] {
            switch self {
            case .strong: [("**", "**"), ("<strong>", "</strong>"), ("__", "__"), ("<b>", "</b>")]
            case .emphasis: [("*", "*"), ("<em>", "</em>"), ("_", "_"), ("<i>", "</i>")]
            case .strikethrough: [("~~", "~~"), ("<del>", "</del>"), ("~", "~")]
            case .code: [("`", "`"), ("``", "``")]
            case .underline: [("<u>", "</u>")]
            }
        }
    }

    /// A change of one style in a range of one of the block's texts.
    private struct Step {
        var style: Style
        var isOn: Bool
        /// The range that gets or loses the style, in bytes of all texts of the block.
        var range: Range<Int>
        /// The texts of the block after the change.
        var expected: [[MarkdownInline]]
    }

    /// A change of the source at one end of the restyled range.
    private struct Edit {
        var range: Range<Int>
        var text: [UInt8]
        /// The index of the pair to which the inserted mark belongs; nil if a mark is removed. The marks at both ends
        /// must belong to one pair.
        var pair: Int?
    }

    /// The link definitions of the document, which the block may refer to.
    private let definitions: [UInt8]
    /// The maximum number of style changes to write into the source of a block. A block with more gets no
    /// patch: its changed text is written anew instead.
    private static let mostSteps = 8
    /// The maximum length of a block and the definitions together, in bytes, because they are parsed again for each way
    /// to write a change. A longer block gets no patch.
    private static let mostBytes = 1 << 16

    init(definitions: some Sequence<UInt8>) { self.definitions = Array(definitions) }

    /// Returns the source of the block `new`, which has the same texts as `old`. Nil if marks at the ends of the
    /// restyled texts cannot express the change, if it takes more than ``mostSteps`` steps, or if the source is
    /// longer than ``mostBytes`` with the definitions.
    ///
    /// - Parameters:
    ///   - pieces: the byte ranges of the old block's texts in the source.
    ///   - source: the old block's source.
    func source(
        from old: MarkdownBlock, _ pieces: ArraySlice<Range<Int>>, _ source: ArraySlice<UInt8>, to new: MarkdownBlock
    ) -> [UInt8]? {
        guard mayRead(source.count) else { return nil }
        var (block, pieces, source) = (old, pieces, source)
        for _ in 0..<Self.mostSteps {
            if block == new { return Array(source) }
            guard let step = Self.step(from: block, to: new),
                let (next, written) = applying(step, to: block, pieces, source)
            else { return nil }
            (block, pieces, source) = (next.block, next.pieces, written[...])
        }
        return block == new ? Array(source) : nil
    }

    /// Whether a block of a length in bytes is short enough to be read several times, with the definitions.
    func mayRead(_ length: Int) -> Bool { length + definitions.count <= Self.mostBytes }

    /// Parses a source, and returns its block. Nil unless the source is exactly one block.
    func read(_ source: some Collection<UInt8>) -> MarkdownTopBlock? {
        let top = MarkdownReader.read(Array(source) + [0xa, 0xa] + definitions)
        return top?.count == 1 ? top?.first : nil
    }

    private func applying(
        _ step: Step, to block: MarkdownBlock, _ pieces: ArraySlice<Range<Int>>, _ source: ArraySlice<UInt8>
    ) -> (MarkdownTopBlock, [UInt8])? {
        let patch = MarkdownPatch(block, pieces, source)
        let (first, last) = (patch.places[step.range.lowerBound], patch.places[step.range.upperBound - 1])
        guard first >= 0, last >= first else { return nil }
        let start = Self.startOfMarks(before: first, in: source)
        let end = patch.endOfMarks(behind: last + 1)
        let starts = Self.edits(step, [first, start], in: start..<first, source, isStart: true)
        let ends = Self.edits(step, [last + 1, end], in: last + 1..<end, source, isStart: false)
        for begin in starts {
            for finish in ends where begin.pair == nil || finish.pair == nil || begin.pair == finish.pair {
                var written = Array(source[..<begin.range.lowerBound])
                written += begin.text + source[begin.range.upperBound..<finish.range.lowerBound]
                written += finish.text + source[finish.range.upperBound...]
                if let next = read(written), next.block.styledTexts == step.expected { return (next, written) }
            }
        }
        return nil
    }

    /// Returns the possible changes of the source at one end of the restyled range: to insert a mark, or to remove one
    /// of the marks there.
    private static func edits(
        _ step: Step, _ places: [Int], in marks: Range<Int>, _ source: ArraySlice<UInt8>, isStart: Bool
    ) -> [Edit] {
        var result: [Edit] = []
        for (number, pair) in step.style.marks.enumerated() {
            let mark = Array((isStart == step.isOn ? pair.open : pair.close).utf8)
            let other = Array((isStart == step.isOn ? pair.close : pair.open).utf8)
            // To begin a style, try only the first two pairs of marks, the usual ones. To end a style within a text,
            // any pair that the source uses may be needed.
            if number < 2 || !step.isOn {
                for place in Set(places).sorted(by: isStart ? { $0 > $1 } : { $0 < $1 }) {
                    result.append(Edit(range: place..<place, text: mark, pair: number))
                }
            }
            for at in marks where at + other.count <= marks.upperBound {
                if source[at..<at + other.count].elementsEqual(other) {
                    result.append(Edit(range: at..<at + other.count, text: [], pair: nil))
                }
            }
        }
        return result
    }

    /// Returns the start of the marks directly before an offset.
    private static func startOfMarks(before place: Int, in source: ArraySlice<UInt8>) -> Int {
        var at = place
        while at > source.startIndex {
            let byte = source[at - 1]
            if [0x2a, 0x5f, 0x7e, 0x60, 0x5b].contains(byte) {  // * _ ~ ` [
                at -= 1
            } else if byte == 0x3e, let open = source[..<at].lastIndex(of: 0x3c), at - open <= 9 {
                // Skip a whole tag, such as `</strong>`.
                at = open
            } else {
                break
            }
        }
        return at
    }

    /// Returns the first change of a style that leads from one block to another with the same texts. Nil if the texts
    /// differ, or if the first difference is not a style.
    private static func step(from old: MarkdownBlock, to new: MarkdownBlock) -> Step? {
        let (before, after) = (old.styledTexts, new.styledTexts)
        guard before.count == after.count, old.texts == new.texts else { return nil }
        var start = 0
        for index in before.indices {
            let length = before[index].reduce(0) { $0 + $1.text.utf8.count }
            guard before[index] == after[index] else {
                guard let (style, isOn, range) = change(from: before[index], to: after[index]) else { return nil }
                var expected = before
                expected[index] = setting(style, isOn, range, in: before[index])
                    .normalized(hasLines: before[index].contains { $0.roles.contains(.softBreak) })
                return Step(
                    style: style, isOn: isOn, range: start + range.lowerBound..<start + range.upperBound,
                    expected: expected)
            }
            start += length
        }
        return nil
    }

    /// Returns the first style in which runs of two equal texts differ, and the range in which they do.
    private static func change(
        from old: [MarkdownInline], to new: [MarkdownInline]
    ) -> (Style, isOn: Bool, range: Range<Int>)? {
        var (at, i, j) = (0, 0, 0)
        var (oldEnd, newEnd) = (0, 0)
        var found: (Style, isOn: Bool, range: Range<Int>)?
        while true {
            while i < old.count, oldEnd <= at {
                oldEnd += old[i].text.utf8.count
                i += 1
            }
            while j < new.count, newEnd <= at {
                newEnd += new[j].text.utf8.count
                j += 1
            }
            let end = min(oldEnd, newEnd)
            guard end > at, i > 0, j > 0 else { return found }
            let (a, b) = (old[i - 1], new[j - 1])
            if let (style, isOn, range) = found {
                guard style.isOn(a) != isOn, style.isOn(b) == isOn else { return found }
                found = (style, isOn, range.lowerBound..<end)
            } else if a != b {
                if let style = Style.allCases.first(where: { $0.isOn(a) != $0.isOn(b) }) {
                    found = (style, style.isOn(b), at..<end)
                } else if !a.isStyled(like: b) {
                    return nil
                }
            }
            at = end
        }
    }

    private static func setting(
        _ style: Style, _ isOn: Bool, _ range: Range<Int>, in inlines: [MarkdownInline]
    ) -> [MarkdownInline] {
        var result: [MarkdownInline] = []
        var start = 0
        for inline in inlines {
            let bytes = Array(inline.text.utf8)
            let cuts = [0, range.lowerBound - start, range.upperBound - start, bytes.count]
                .map { min(max(0, $0), bytes.count) }
            for (low, high) in zip(cuts, cuts.dropFirst()) where low < high {
                var part = inline
                part.text = String(decoding: bytes[low..<high], as: UTF8.self)
                if start + low >= range.lowerBound, start + high <= range.upperBound { style.set(isOn, in: &part) }
                result.append(part)
            }
            start += bytes.count
        }
        return result
    }
}

extension MarkdownBlock {
    /// The texts of all paragraphs, headings, cells and lines of code or HTML in the block with their styles, in
    /// order.
    var styledTexts: [[MarkdownInline]] {
        switch self {
        case .paragraph(let inlines), .header(_, let inlines): [inlines]
        case .code(_, let lines), .html(let lines): lines.map { [MarkdownInline($0)] }
        case .thematicBreak: []
        case .table(_, let rows): rows.flatMap { $0 }
        case .quote(let blocks): blocks.flatMap(\.styledTexts)
        case .list(_, let items): items.flatMap { $0.blocks.flatMap(\.styledTexts) }
        }
    }
}

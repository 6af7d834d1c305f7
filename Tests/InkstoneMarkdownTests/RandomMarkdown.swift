import InkstoneText

@testable import InkstoneMarkdown

/// Random documents as blocks, in the one form that equal documents have.
struct RandomMarkdown: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    mutating func blocks(depth: Int = 0) -> [MarkdownBlock] {
        (0..<number(depth == 0 ? 1...5 : 1...2)).map { _ in block(depth) }.filter { block in
            if case .paragraph(let inlines) = block { !inlines.isBlank } else { true }
        }
    }

    private mutating func block(_ depth: Int) -> MarkdownBlock {
        switch number(0...(depth < 2 ? 11 : 6)) {
        case 0...2: return .paragraph(inlines(hasLines: true))
        case 3: return .header(level: number(1...6), inlines(hasLines: false))
        case 4:
            let lines = ["", "a `` b", "```", "    x", "~~~", "# no", "\t- tab", "text  "]
            return .code(
                language: [nil, "swift", "c++ a=\"b\"", "a`b"].randomElement(using: &self) ?? nil,
                (0...number(0...3)).map { _ in lines.randomElement(using: &self) ?? "" })
        case 5: return .thematicBreak
        case 6:
            let columns = number(1...3)
            let rows = (0...number(0...2)).map { _ in
                (0..<columns).map { _ in
                    inlines(hasLines: false).map { inline in
                        var cell = inline
                        cell.text = String(inline.text.map { $0 == "\t" ? "|" : $0 })
                        return cell
                    }.normalized(hasLines: false)
                }
            }
            let alignments = (0..<columns).map { _ in
                [PresentationIntent.TableColumn.Alignment.natural, .left, .center, .right][number(0...3)]
            }
            return .table(alignments, rows)
        case 7, 8: return .quote(blocks(depth: depth + 1))
        default:
            let items = (0...number(0...3)).map { _ in
                let blocks = number(0...8) == 0 ? [] : blocks(depth: depth + 1)
                var isDone: Bool?
                if case .paragraph? = blocks.first, number(0...2) == 0 { isDone = number(0...1) == 0 }
                return MarkdownItem(isDone: isDone, blocks: blocks)
            }
            return .list(start: number(0...1) == 0 ? nil : number(0...120), items)
        }
    }

    private mutating func inlines(hasLines: Bool) -> [MarkdownInline] {
        let words = [
            "word", "a b", " ", "*", "**", "_x_", "`", "1.", "1)", "+", "-", "# ", "#", ">", "|", "[x] ", "[a](b)",
            "![", "<b>",
            "&amp;", "&", "\\", "~~", "~", "http://x.org", "www.x.org", "a@b.org", "「語」", "文", "é", "👩‍👩‍👧", "=", "---",
            "...",
            "\u{2028}", "!", ":", "\t", "\u{a0}", "'q'", "\"", "2. x", "x*", "$", "[^1]: ", "[^n]:",
        ]
        return (0...number(0...4)).map { _ in
            var text = ""
            for _ in 0...number(0...2) { text += words.randomElement(using: &self) ?? "" }
            var inline = MarkdownInline(text)
            if number(0...2) == 0 { inline.roles.insert(.emphasized) }
            if number(0...2) == 0 { inline.roles.insert(.stronglyEmphasized) }
            if number(0...5) == 0 { inline.roles.insert(.strikethrough) }
            if number(0...7) == 0 { inline.roles.insert(.code) }
            if number(0...9) == 0 { inline.isUnderlined = true }
            if number(0...9) == 0 { inline.level = number(0...1) * 2 - 1 }
            if number(0...6) == 0 {
                inline.link = .init(
                    destination: ["http://x.org", "a b", "/a_(b)?c=<d>&amp;", "#x"][number(0...3)],
                    title: ["", "t", "a \"b\" & \\c"][number(0...2)])
            }
            if number(0...14) == 0 { inline.image = .init(source: "i.png", title: "") }
            if number(0...6) == 0 {
                inline.text = " "
                inline.roles.insert(.softBreak)
            }
            return inline
        }.normalized(hasLines: hasLines)
    }
}

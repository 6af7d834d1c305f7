import InkstoneBase
import InkstoneLayout
import InkstoneText
import Testing

@testable import InkstoneMarkdown

/// Words typed into wrapped paragraphs, after which all other lines of the source must be as they were.
@Suite("Markdown lines beside a typed word", .timeLimit(.minutes(5)))
struct MarkdownLineTests {
    struct LineCase: Sendable {
        /// The source; `^` is the place of the typed text, and is not part of the document.
        var source: String
        var typed = " Z"
    }

    @Test(
        "A word at the end of a line, or at its start, changes only this line",
        arguments: [
            LineCase(source: "> text here^\n> ![p](p.png)\n>\n> 1) b\n>\n> 2) c\n\npara\n"),
            LineCase(source: "> text here^\n> ![p](p.png)\n> # b\n>\n> Head\n> ====\n"),
            LineCase(source: "> a_b here^\n> [l][r] more\n\n[r]: http://x.y\n"),
            LineCase(source: "- text here^\n  [l](http://a.b) more\n- b\n"),
            LineCase(source: "- text here^\n  *it* more\n\n  * * *\n\n  Head\n  ----\n"),
            LineCase(source: "> one two^\n> *three*\n> - four\n"),
            LineCase(source: "> one\n> ^*three* x\n> - four\n", typed: "Z "),
            LineCase(source: "- [ ] one\n  ^[l][r]\n- [x] four\n\n[r]: http://x.y\n", typed: "Z "),
            LineCase(source: "text **here^**\n`code` and\n__bold__\n", typed: " z"),
            LineCase(source: "+ a here^\n  ![](p.png) [l][r] [l][r] z\n\n[r]: http://x.y\n"),
            LineCase(source: "**^bold** words\n__more__\n", typed: "Z "),
        ], ["\n", "\r\n"])
    func styledLineStarts(_ example: LineCase, newline: String) throws {
        let marked = example.source.replacing("\n", with: newline)
        let source = marked.replacing("^", with: "")
        let document = try MarkdownDocument(source)
        let with = try MarkdownDocument(marked).text.rope
        let whole = with.string(in: with.byteRange)
        let place = try #require(whole.firstIndex(of: "^"))
        var text = document.text
        let at = UTF16Offset(whole[..<place].utf16.count)
        text.apply(TextChangeSet(replacing: at..<at, with: Rope(example.typed), in: text.rope))
        let written = document.write(text)
        #expect(written.isExact)
        #expect(written.source == marked.replacing("^", with: example.typed))
    }

    @Test(
        "A letter typed into a bare address changes only its line",
        arguments: [
            LineCase(source: "[^1]: n *x*\n- [ ] <i>t</i>\nhtt^p://e.org x\n", typed: "q"),
            LineCase(source: "- [ ] end  \nhtt^p://e.org x\n", typed: "q"),
            LineCase(source: "> <b>t</b>\n> htt^p://e.org\n> <b>t</b> *x*  \n> end\n", typed: "q"),
        ])
    func addresses(_ example: LineCase) throws {
        let source = example.source.replacing("^", with: "")
        let document = try MarkdownDocument(source)
        var text = document.text
        let whole = text.rope.string(in: text.rope.byteRange)
        let found = try #require(whole.ranges(of: "http://e.org").first)
        let start = UTF16Offset(whole[..<found.lowerBound].utf16.count)
        var restyling = Restyling()
        restyling.set("httqp://e.org", of: LinkAttribute.self, in: start..<start + 13)
        text.apply(
            TextChangeSet(replacing: start + 3..<start + 3, with: Rope("q"), in: text.rope), restyling: restyling)
        let written = document.write(text)
        let (before, after) = (source.split(separator: "\n"), written.source.split(separator: "\n"))
        #expect(written.isExact && before.count == after.count)
        for (old, new) in zip(before, after) where !old.contains("http") { #expect(old == new) }
        #expect(written.source.contains("httqp://e.org"))
    }

    @Test("In random documents, a typed word changes only its line")
    func randomWords() throws {
        for seed in 1...UInt64(1500) {
            var random = RandomLines(seed: seed)
            let source = random.document()
            let document = try MarkdownDocument(source)
            let units = Array(document.text.rope.string(in: document.text.rope.byteRange).utf16)
            // Words end at a letter.
            let ends = units.indices.filter { at in
                (0x61...0x7a).contains(units[at]) && (at + 1 == units.count || [0x20, 0xa].contains(units[at + 1]))
            }
            guard let end = ends.randomElement(using: &random.numbers) else { continue }
            var text = document.text
            let at = UTF16Offset(end + 1)
            text.apply(TextChangeSet(replacing: at..<at, with: Rope(" Zz"), in: text.rope))
            let written = document.write(text)
            let (before, after) = (
                source.split(separator: "\n", omittingEmptySubsequences: false),
                written.source.split(separator: "\n", omittingEmptySubsequences: false)
            )
            let changed = zip(before, after).count { $0 != $1 }
            #expect(
                written.isExact && before.count == after.count && changed == 1,
                "seed \(seed): \(source)\n->\n\(written.source)")
        }
    }
}

/// Random documents with wrapped paragraphs in quotations, items and tasks.
private struct RandomLines {
    var numbers: RandomMarkdown

    init(seed: UInt64) { numbers = RandomMarkdown(seed: seed) }

    private mutating func pick(_ choices: [String]) -> String { choices.randomElement(using: &numbers) ?? "" }

    mutating func document() -> String {
        let blocks = (0...numbers.number(0...2)).map { _ in block(0).joined(separator: "\n") }
        return blocks.joined(separator: "\n\n") + "\n\nlast\n\n[r]: http://x.y\n"
    }

    private mutating func paragraph() -> [String] {
        (0...numbers.number(0...3)).map { _ in
            let start = pick([
                "", "", "**bold** ", "*it* ", "`code` ", "[l](http://a.b) ", "[l][r] ", "![p](p.png) ", "~~s~~ ",
                "__b__ ",
                "***both*** ", "[**b** c](http://a.b) ", "![](p.png) ",
            ])
            let words = (0...numbers.number(0...2)).map { _ in
                pick([
                    "word", "a_b", "here", "x &amp; y", "two", "*it*", "[l][r]", "**so**", "![](p.png) z", "1986\\. w",
                    "`c`",
                ])
            }
            return start + words.joined(separator: " ")
        }
    }

    private mutating func block(_ depth: Int) -> [String] {
        switch numbers.number(0...(depth < 2 ? 9 : 5)) {
        case 0...3: return paragraph()
        case 4:
            return [pick(["# b", "## *c* d ##", "* * *", "Head\n===="])].flatMap {
                $0.split(separator: "\n").map(String.init)
            }
        case 5: return ["```", "code", "```"]
        case 6, 7:
            return blocks(depth + 1).map { $0.isEmpty ? ">" : "> " + $0 }
        default:
            let sign = pick(["-", "*", "+", "1)", "1."])
            let task = sign.count == 1 && numbers.number(0...2) == 0
            let isLoose = numbers.number(0...1) == 0
            var lines: [String] = []
            for number in 0...numbers.number(0...2) {
                let marker = sign.count == 1 ? sign + " " : String(number + 1) + sign.dropFirst() + " "
                var inner = isLoose ? blocks(depth + 1) : paragraph()
                if task {
                    inner = paragraph()
                    inner[0] = "[ ] " + inner[0]
                }
                if number > 0, isLoose { lines.append("") }
                for (index, line) in inner.enumerated() {
                    let indent = String(repeating: " ", count: marker.count)
                    lines.append(index == 0 ? marker + line : line.isEmpty ? "" : indent + line)
                }
            }
            return lines
        }
    }

    private mutating func blocks(_ depth: Int) -> [String] {
        var lines: [String] = paragraph()
        for _ in 0..<numbers.number(0...2) { lines += [""] + block(depth) }
        return lines
    }
}
